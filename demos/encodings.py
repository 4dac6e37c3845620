"""All encodings of one game: how large they are, and whether their strategies carry over."""

import qsage_validate as qs

game = qs.game("httt", size=(4, 4), shape="tic", depth=5)
formulas = {name: qs.encode(game, name) for name in game.encodings}
for name, formula in formulas.items():
    stats = formula.stats
    print(f"{name:16} {stats['variables']:5} variables {stats['gates']:6} gates")

one, other = list(formulas.values())[:2]
comparison = qs.compare(one, other)
print(comparison.relation)
