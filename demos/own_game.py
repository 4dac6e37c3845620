"""A game of one's own: the Fano plane, seven points and seven lines; Black wants a line."""

import qsage_validate as qs

LINES = ("a b c", "a d e", "a f g", "b d f", "b e g", "c d g", "c e f")
FANO = f"""
#blackinitials
#whiteinitials
#times
t1 t2 t3 t4 t5 t6 t7
#blackturns
t1 t3 t5 t7
#positions
a b c d e f g
#blackwins
{chr(10).join(LINES)}
"""

game = qs.game_from_text(FANO)
for depth in (3, 5, 7):
    print(f"{depth} plies: {qs.solve(game.at_depth(depth)).winner} wins")

strategy = qs.certify(game)
print(strategy.validate().statements[0])
print(strategy.tree(depth=1))
