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
    """The formula in QCIR: a number of three bits for each move, what is left as gates."""
    gates: list[str] = []
    bits = [[3 * t + k for k in (1, 2, 3)] for t in range(Nim.plies)]

    def gate(kind: str, *inputs: int) -> int:
        gates.append(f"{100 + len(gates)} = {kind}({', '.join(map(str, inputs))})")
        return 99 + len(gates)

    left = {move: gate("and") for move in MOVES}  # of heap h there are n tokens or more
    legal, over = [], []
    for own in bits:
        over.append(gate("and", *(-left[h, 1] for h in range(3))))
        made = {}
        for number, move in enumerate(MOVES):
            values = (b if number >> (2 - k) & 1 else -b for k, b in enumerate(own))
            made[move] = gate("and", *values)
        legal.append(gate("or", *(gate("and", made[m], left[m]) for m in MOVES)))
        before, left = left, {}
        for h, n in MOVES:
            # The bug: of the third heap one token goes, however many are taken.
            wrong = bug and h == 2
            taken = [(made[h, k], (h, n + (1 if wrong else k))) for k in range(1, HEAPS[h] + 1)]
            kept = [gate("or", -take, *([before[m]] if m in before else [])) for take, m in taken]
            left[h, n] = gate("and", before[h, n], *kept)
    wins = gate("and")  # the last of an odd number of plies is Black's
    for t in reversed(range(Nim.plies)):
        ends = (-over[t], legal[t]) if t % 2 == 0 else (over[t], -legal[t])
        wins = gate("or" if t % 2 else "and", *ends, wins)
    prefix = [
        f"{('exists', 'forall')[t % 2]}({', '.join(map(str, own))})" for t, own in enumerate(bits)
    ]
    return "\n".join(["#QCIR-G14", *prefix, f"output({wins})", *gates]).encode()


for bug in (False, True):
    formula = qs.read_formula(encode(bug))
    print(formula.find_layout(Nim()))
    report = qs.validate_encoding(formula, Nim(), differences=4)
    print(report.verdict, report.differences, sep="\n")
