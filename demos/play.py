"""A play against a proof by a program: moves, replies, an illegal move, back again."""

import qsage_validate as qs

match = qs.load("sample:tic").play()
print(f"{match.moves[0]} opens; {len(match.legal_moves())} moves are legal")

for move in ("occupy(1,1)", "occupy(4,4)"):
    match.push(move)
    print(f"{move} is answered by {match.moves[-1]}: {match.board}")
print(match.result)

match.undo()
try:
    match.push("occupy(2,2)")
except qs.IllegalMoveError as error:
    print(error)
match.push("occupy(2,1)")
print(f"occupy(2,1) instead: {match.board}, findings: {match.findings}")
match.save("play.txt")
