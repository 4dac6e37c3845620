"""The encodings of one game: how large they are, and whether their strategies carry over."""

import qsage_validate as qs

game = qs.game("httt", size=(4, 4), shape="tic", depth=5)
formulas = {}
for name in game.encodings:
    try:
        formulas[name] = qs.encode(game, name)
    except qs.UsageError as error:
        print(f"{name:16} {error}")  # some encodings are for games in which White only blocks
for name, formula in formulas.items():
    stats = formula.stats
    print(f"{name:16} {stats['variables']:5} variables {stats['gates']:6} gates")

comparison = qs.compare(formulas["lifted"], formulas["lifted-guarded"])
print(comparison.relation)
