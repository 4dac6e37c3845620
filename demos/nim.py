"""Rules and an encoder of one's own, in Python: Nim on three heaps, and the encoder's bug."""

import qsage_validate as qs

HEAPS = (1, 2, 2)
MOVES = [(h, n) for h in range(3) for n in range(1, HEAPS[h] + 1)]
State = tuple[tuple[int, ...], qs.Player]


class Nim:
    """Who takes the last token wins; a state is the heaps and the player to move."""

    plies = sum(HEAPS)

    def text(self, state: State) -> str:
        return " ".join(map(str, state[0]))

    def start(self) -> State:
        return HEAPS, qs.Player.BLACK

    def to_move(self, state: State) -> qs.Player:
        return state[1]

    def legal_moves(self, state: State) -> list[str]:
        return [f"{'abc'[h]}{n}" for h, n in MOVES if n <= state[0][h]]

    def play(self, state: State, move: str) -> State:
        heaps = list(state[0])
        heaps["abc".index(move[0])] -= int(move[1])
        return tuple(heaps), state[1].other

    def winner(self, state: State) -> qs.Player | None:
        return None if any(state[0]) else state[1].other


def encode(bug: bool) -> bytes:
    """The formula in QCIR: three bits a move, a gate for each state: does Black win from it?"""
    gates: list[str] = []

    def gate(kind: str, *inputs: int) -> int:
        gates.append(f"{100 + len(gates)} = {kind}({', '.join(map(str, inputs))})")
        return 99 + len(gates)

    def says(t: int, m: int) -> int:
        return gate("and", *(3 * t + k if m >> (3 - k) & 1 else -3 * t - k for k in (1, 2, 3)))

    def wins(heaps: tuple[int, ...], t: int) -> int:
        legal = {says(t, m): move for m, move in enumerate(MOVES) if move[1] <= heaps[move[0]]}
        made = []
        for code, (h, n) in legal.items():
            n = 1 if bug and h == 2 else n  # the bug: from the last heap one token goes, always
            made.append(gate("and", code, wins((*heaps[:h], heaps[h] - n, *heaps[h + 1 :]), t + 1)))
        if t % 2:  # an illegal move of White's loses, and without a token every move is illegal
            made.append(-gate("or", *legal))
        return gate("or", *made)

    output = wins(HEAPS, 0)
    names = ("exists", "forall")
    prefix = [f"{names[t % 2]}({3 * t + 1}, {3 * t + 2}, {3 * t + 3})" for t in range(Nim.plies)]
    return "\n".join(["#QCIR-G14", *prefix, f"output({output})", *gates]).encode()


for bug in (False, True):
    formula = qs.read_formula(encode(bug))
    print(formula.find_layout(Nim()))
    report = qs.validate_encoding(formula, Nim(), differences=4)
    print(report.verdict, report.differences, sep="\n")
