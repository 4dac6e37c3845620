"""Brute force for ``strangers.py``: formulas and games read, and judged, by code of its own.

Nothing here imports the package: readers of QCIR and QDIMACS, rules of Hex and of games on grids,
minimax, and values of a formula with moves fixed, whose universal variables are expanded for one
incremental SAT solver.  It is for small games: every play of legal moves is looked at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, Protocol

from pysat.solvers import Solver

MOST_GATES: Final = 500_000
"""So many gates of an expansion are built; larger ones are not judged."""


class TooLargeError(Exception):
    """A formula is too large for brute force."""


# --- Formulas ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formula:
    """A prefix of blocks, gates by number in an order in which inputs come first, the output.

    A block is its quantifier, ``"e"`` or ``"a"``, and its variables.  Gates have a connective of
    ``and``, ``or``, ``xor``, ``ite`` and inputs as signed numbers.  ``comments`` are lines of the
    file with the gate or block that follows them.
    """

    prefix: tuple[tuple[str, tuple[int, ...]], ...]
    gates: Mapping[int, tuple[str, tuple[int, ...]]]
    output: int
    clausal: bool = False

    @property
    def variables(self) -> list[int]:
        """All variables, from left to right."""
        return [v for _, block in self.prefix for v in block]

    def text(self) -> str:
        """The formula as QCIR, or as QDIMACS where it was clauses."""
        return _qdimacs(self) if self.clausal else _qcir(self)

    @property
    def suffix(self) -> str:
        """The ending of a file with :meth:`text`."""
        return ".qdimacs" if self.clausal else ".qcir"


def read_formula(path: Path) -> Formula:
    """A formula of QCIR with numbers, or of QDIMACS."""
    text = path.read_text()
    return parse_qdimacs(text) if re.search(r"^p cnf", text, re.M) else parse_qcir(text)


def parse_qcir(text: str) -> Formula:
    """QCIR whose names are numbers, as Q-sage writes it."""
    prefix: list[tuple[str, tuple[int, ...]]] = []
    gates: dict[int, tuple[str, tuple[int, ...]]] = {}
    output = 0
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        head, _, rest = line.partition("(")
        inside = tuple(int(x) for x in re.split(r"[,;\s]+", rest.rstrip(" )")) if x)
        if head in ("exists", "forall"):
            if inside:
                prefix.append((head[0] if head == "exists" else "a", inside))
        elif head == "output":
            (output,) = inside
        else:
            number, connective = (part.strip() for part in head.split("="))
            gates[int(number)] = (connective.lower(), inside)
    return Formula(tuple(prefix), gates, output)


def parse_qdimacs(text: str) -> Formula:
    """QDIMACS; each clause is a gate, and so is the conjunction of all of them."""
    prefix: list[tuple[str, tuple[int, ...]]] = []
    clauses: list[tuple[int, ...]] = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] in ("c", "p"):
            continue
        if words[0] in ("e", "a"):
            prefix.append((words[0], tuple(map(int, words[1:-1]))))
        else:
            clauses.append(tuple(map(int, words[:-1])))
    used = [abs(x) for clause in clauses for x in clause]
    named = {v for _, block in prefix for v in block}
    free = tuple(sorted({*used} - named))
    if free:
        prefix.insert(0, ("e", free))
    first = max([*used, *named], default=0) + 1
    gates = {first + k: ("or", clause) for k, clause in enumerate(clauses)}
    top = first + len(clauses)
    return Formula(tuple(prefix), {**gates, top: ("and", tuple(gates))}, top, clausal=True)


def _qcir(formula: Formula) -> str:
    lines = ["#QCIR-G14"]
    names = {"e": "exists", "a": "forall"}
    lines += [f"{names[q]}({', '.join(map(str, block))})" for q, block in formula.prefix if block]
    lines.append(f"output({formula.output})")
    for number, (connective, inputs) in formula.gates.items():
        lines.append(f"{number} = {connective}({', '.join(map(str, inputs))})")
    return "\n".join(lines) + "\n"


def _qdimacs(formula: Formula) -> str:
    clauses = [inputs for number, (_, inputs) in formula.gates.items() if number != formula.output]
    most = max([abs(x) for c in clauses for x in c] + formula.variables, default=0)
    lines = [f"p cnf {most} {len(clauses)}"]
    merged: list[tuple[str, list[int]]] = []
    for quantifier, block in formula.prefix:
        if merged and merged[-1][0] == quantifier:
            merged[-1][1].extend(block)
        elif block:
            merged.append((quantifier, list(block)))
    lines += [f"{quantifier} {' '.join(map(str, block))} 0" for quantifier, block in merged]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return "\n".join(lines) + "\n"


# --- Other forms of one formula ---------------------------------------------------------------


def permuted(formula: Formula, seed: int, *, within: bool = True) -> tuple[Formula, dict[int, int]]:
    """The formula with other numbers, and another order of gates and, ``within``, inside of blocks.

    The second part maps old variables to new ones.
    """
    rng = random.Random(seed)
    variables = formula.variables
    numbers = [*range(1, len(variables) + 1)]
    rng.shuffle(numbers)
    new = dict(zip(variables, numbers, strict=True))
    top = len(variables)
    gates: dict[int, tuple[str, tuple[int, ...]]] = {}
    for old in _some_order(formula, rng):
        connective, inputs = formula.gates[old]
        top += 1
        new[old] = top
        renamed = [new[abs(x)] * (1 if x > 0 else -1) for x in inputs]
        if connective in ("and", "or"):
            rng.shuffle(renamed)
        gates[top] = (connective, tuple(renamed))
    prefix = []
    for quantifier, block in formula.prefix:
        own = [new[v] for v in block]
        if within:
            rng.shuffle(own)
        prefix.append((quantifier, tuple(own)))
    output = new[abs(formula.output)] * (1 if formula.output > 0 else -1)
    after = Formula(tuple(prefix), gates, output, formula.clausal)
    return after, {v: new[v] for v in variables}


def recoded(
    formula: Formula, blocks: Sequence[Sequence[int]], tables: Sequence[Sequence[int]]
) -> Formula:
    """The formula in which the code ``c`` of a block means what ``tables[...][c]`` meant.

    A code is the number of the block's bits, the first one the most significant.
    """
    gates: dict[int, tuple[str, tuple[int, ...]]] = {}
    top = max((*formula.variables, *formula.gates))
    meant: dict[int, int] = {}
    for block, table in zip(blocks, tables, strict=True):
        codes: list[int] = []
        for code in range(len(table)):
            top += 1
            codes.append(top)
            gates[top] = "and", tuple(v if x else -v for v, x in _bits(block, code))
        for place, v in enumerate(reversed(block)):
            top += 1
            meant[v] = top
            gates[top] = "or", tuple(g for g, n in zip(codes, table, strict=True) if n >> place & 1)

    def literal(x: int) -> int:
        return meant.get(abs(x), abs(x)) * (1 if x > 0 else -1)

    for gate, (connective, inputs) in formula.gates.items():
        gates[gate] = connective, tuple(map(literal, inputs))
    return Formula(formula.prefix, gates, literal(formula.output))


def _bits(block: Sequence[int], code: int) -> Iterator[tuple[int, bool]]:
    for place, v in enumerate(reversed(block)):
        yield v, bool(code >> place & 1)


def _some_order(formula: Formula, rng: random.Random) -> Iterator[int]:
    """The gates in a random order in which inputs come first."""
    waiting = {
        g: {abs(x) for x in i if abs(x) in formula.gates} for g, (_, i) in formula.gates.items()
    }
    users: dict[int, list[int]] = {}
    for gate, inputs in waiting.items():
        for own in inputs:
            users.setdefault(own, []).append(gate)
    ready = [gate for gate, inputs in waiting.items() if not inputs]
    while ready:
        gate = ready.pop(rng.randrange(len(ready)))
        yield gate
        for user in users.get(gate, ()):
            waiting[user].discard(gate)
            if not waiting[user]:
                ready.append(user)


def clausified(formula: Formula, *, polarity: bool, moved: bool = False) -> Formula:
    """The formula as clauses, by Tseitin or, with ``polarity``, by Plaisted and Greenbaum.

    Variables keep their numbers; those of the gates stand innermost or, where they are ``moved``,
    right behind the last block that they read.
    """
    needed = needed_gates(formula)
    gates = {g: formula.gates[g] for g in formula.gates if g in needed}
    signs: dict[int, set[bool]] = {g: set() for g in gates}
    if abs(formula.output) in gates:
        signs[abs(formula.output)].add(formula.output > 0)
    for gate in reversed(gates):
        connective, inputs = gates[gate]
        for x in inputs:
            if abs(x) in gates:
                both = connective in ("xor", "ite")
                signs[abs(x)] |= {True, False} if both else {s == (x > 0) for s in signs[gate]}
    if not polarity:
        signs = {gate: {True, False} for gate in gates}
    clauses: list[tuple[int, ...]] = [(formula.output,)]
    for gate, (connective, inputs) in gates.items():
        for clause in _clauses(gate, connective, inputs):
            if (clause[0] < 0) in signs[gate]:
                clauses.append(clause)
    top = max([*formula.variables, *gates], default=0)
    numbered = {top + k: ("or", clause) for k, clause in enumerate(clauses, start=1)}
    output = top + len(clauses) + 1
    prefix = _with_gates(formula.prefix, gates) if moved else (*formula.prefix, ("e", (*gates,)))
    return Formula(prefix, {**numbered, output: ("and", tuple(numbered))}, output, clausal=True)


def _with_gates(
    prefix: Sequence[tuple[str, tuple[int, ...]]],
    gates: Mapping[int, tuple[str, tuple[int, ...]]],
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The prefix with the variables of gates as far left as they may stand."""
    level = {v: k for k, (_, block) in enumerate(prefix) for v in block}
    behind: dict[int, list[int]] = {}
    for gate, (_, inputs) in gates.items():
        level[gate] = max((level[abs(x)] for x in inputs), default=0)
        behind.setdefault(level[gate], []).append(gate)
    found: list[tuple[str, tuple[int, ...]]] = []
    for k, block in enumerate(prefix):
        found.append(block)
        if k in behind:
            found.append(("e", tuple(behind[k])))
    return tuple(found)


def _clauses(g: int, connective: str, inputs: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The clauses that make ``g`` the gate; each begins with ``g`` or its negation."""
    if connective in ("and", "or"):
        s = 1 if connective == "and" else -1
        for x in inputs:
            yield -s * g, s * x
        yield (s * g, *(-s * x for x in inputs))
    elif connective == "xor":
        a, b = inputs
        yield from ((-g, a, b), (-g, -a, -b), (g, -a, b), (g, a, -b))
    else:
        c, a, b = inputs
        yield from ((-g, -c, a), (-g, c, b), (g, -c, -a), (g, c, -b))


def needed_gates(formula: Formula) -> set[int]:
    """The gates that the output reads."""
    found: set[int] = set()
    todo = [abs(formula.output)]
    while todo:
        gate = todo.pop()
        if gate in formula.gates and gate not in found:
            found.add(gate)
            todo += [abs(x) for x in formula.gates[gate][1]]
    return found


# --- Faults -----------------------------------------------------------------------------------


def faulty(formula: Formula, kind: str, rng: random.Random) -> Formula | None:
    """The formula with one fault of a kind, or ``None`` where there is no place for it."""
    gates = dict(formula.gates)
    places = [g for g in gates if g in needed_gates(formula) and gates[g][1]]
    if kind in ("gate", "literal", "input", "neighbour", "stone", "bound"):
        if not places:
            return None
        g = rng.choice(places)
        connective, inputs = gates[g]
        k = rng.randrange(len(inputs))
        if kind == "gate":
            if connective not in ("and", "or") or len(inputs) < 2 or formula.clausal:
                return None
            gates[g] = ("or" if connective == "and" else "and", inputs)
        elif kind == "literal":
            gates[g] = (connective, (*inputs[:k], -inputs[k], *inputs[k + 1 :]))
        elif kind == "input":
            if connective not in ("and", "or"):
                return None
            gates[g] = (connective, (*inputs[:k], *inputs[k + 1 :]))
        elif kind == "neighbour":
            other = _near(formula, inputs[k], rng)
            if other is None:
                return None
            gates[g] = (connective, (*inputs[:k], other, *inputs[k + 1 :]))
        elif kind == "stone":
            # A square that is always taken, or never: one gate is a constant.
            if g == abs(formula.output) or formula.clausal:
                return None
            gates[g] = (rng.choice(("and", "or")), ())
        else:
            # A comparison with the number of squares: one conjunct of many is lost.
            many = [g for g in places if gates[g][0] == "and" and len(gates[g][1]) > 2]
            if not many:
                return None
            g = rng.choice(many)
            inputs = gates[g][1]
            k = rng.randrange(len(inputs))
            gates[g] = ("and", (*inputs[:k], *inputs[k + 1 :]))
        return replace(formula, gates=gates)
    prefix = list(formula.prefix)
    k = rng.randrange(len(prefix))
    quantifier, block = prefix[k]
    if kind == "quantifier":
        prefix[k] = ("a" if quantifier == "e" else "e", block)
        return replace(formula, prefix=tuple(prefix))
    assert kind == "scope", kind
    if len(prefix) < 2:
        return None
    j = k + 1 if k == 0 or (k + 1 < len(prefix) and rng.random() < 0.5) else k - 1
    v = rng.choice(block)
    prefix[k] = (quantifier, tuple(x for x in block if x != v))
    prefix[j] = (prefix[j][0], (*prefix[j][1], v))
    return replace(formula, prefix=tuple((q, b) for q, b in prefix if b))


FAULTS: Final = (
    *("gate", "literal", "input", "neighbour", "stone", "bound", "quantifier", "scope"),
)


def _near(formula: Formula, literal: int, rng: random.Random) -> int | None:
    """A literal of a number close by: another variable of the block, or an earlier gate."""
    number, sign = abs(literal), 1 if literal > 0 else -1
    if number in formula.gates:
        order = list(formula.gates)
        at = order.index(number)
        near = order[max(0, at - 3) : at]
    else:
        block = next(b for _, b in formula.prefix if number in b)
        near = [v for v in block if v != number]
    return sign * rng.choice(near) if near else None


# --- Values -----------------------------------------------------------------------------------


class Values:
    """Values of a formula under values of some variables, the others quantified at their place.

    Universal variables are expanded; raises ``TooLargeError`` where that is too much.
    """

    def __init__(self, formula: Formula, fixed: Sequence[int]) -> None:
        self.formula = formula
        self.sat = Solver("minisat22")
        self.count = 0
        self.names = {v: self._new() for v in fixed}
        needed = needed_gates(formula)
        self.order = [g for g in formula.gates if g in needed]
        self.memo: dict[tuple[str, tuple[int, ...]], int] = {}
        self.true = self._new()
        self.sat.add_clause([self.true])
        free = {*fixed}
        blocks = [(q, [v for v in block if v not in free]) for q, block in formula.prefix]
        universal = sum(len(block) for quantifier, block in blocks if quantifier == "a")
        if len(self.order) << universal > MOST_GATES:
            raise TooLargeError
        root = self._expand([b for b in blocks if b[1]], dict(self.names))
        self.sat.add_clause([root])

    def _new(self) -> int:
        self.count += 1
        return self.count

    def _expand(self, blocks: list[tuple[str, list[int]]], env: dict[int, int]) -> int:
        while blocks and blocks[0][0] == "e":
            env = {**env, **{v: self._new() for v in blocks[0][1]}}
            blocks = blocks[1:]
        if not blocks:
            return self._instance(env)
        (_, block), rest = blocks[0], blocks[1:]
        parts = []
        for choice in product((self.true, -self.true), repeat=len(block)):
            parts.append(self._expand(rest, {**env, **dict(zip(block, choice, strict=True))}))
        return self._gate("and", parts)

    def _instance(self, env: dict[int, int]) -> int:
        known = dict(env)
        for g in self.order:
            connective, inputs = self.formula.gates[g]
            literals = [known[abs(x)] if x > 0 else -known[abs(x)] for x in inputs]
            known[g] = self._gate(connective, literals)
        top = known[abs(self.formula.output)]
        return top if self.formula.output > 0 else -top

    def _gate(self, connective: str, literals: list[int]) -> int:
        """The literal of a gate; equal ones are one, and constants go."""
        if connective == "xor":
            a, b = literals
            return self._gate("or", [self._gate("and", [a, -b]), self._gate("and", [-a, b])])
        if connective == "ite":
            c, a, b = literals
            return self._gate("or", [self._gate("and", [c, a]), self._gate("and", [-c, b])])
        if connective == "or":
            return -self._gate("and", [-x for x in literals])
        inputs = {*literals} - {self.true}
        if -self.true in inputs or any(-x in inputs for x in inputs):
            return -self.true
        if not inputs:
            return self.true
        if len(inputs) == 1:
            return inputs.pop()
        key = ("and", tuple(sorted(inputs)))
        if key not in self.memo:
            g = self.memo[key] = self._new()
            for x in inputs:
                self.sat.add_clause([-g, x])
            self.sat.add_clause([g, *(-x for x in inputs)])
        return self.memo[key]

    def value(self, values: Mapping[int, bool]) -> bool:
        """The value of the formula under values of all fixed variables."""
        assumed = [name if values[v] else -name for v, name in self.names.items()]
        return bool(self.sat.solve(assumptions=assumed))


# --- Games ------------------------------------------------------------------------------------


class Rules(Protocol):
    """A game: states are hashable, Black is ``True`` and White ``False``."""

    plies: int

    @property
    def start(self) -> Any:
        """The state before ply 1."""
        ...

    def black_moves(self, state: Any, made: int) -> bool:
        """True if Black makes the next ply."""
        ...

    def moves(self, state: Any, made: int) -> list[str]:
        """Legal moves, as the package writes them."""
        ...

    def play(self, state: Any, made: int, move: str) -> Any:
        """The state after a move."""
        ...

    def winner(self, state: Any, made: int) -> bool | None:
        """Whether Black has won, or White; ``None`` while the play goes on."""
        ...


class Hex:
    """Hex, and any game of winning sets, as PG files describe it."""

    def __init__(self, text: str) -> None:
        sections: dict[str, list[list[str]]] = {}
        lines = sections.setdefault("", [])
        for line in text.splitlines():
            line = line.split("%")[0].strip()
            if line.startswith("#"):
                lines = sections.setdefault(line[1:].lower(), [])
            elif line:
                lines.append(line.split())

        def words(name: str) -> list[str]:
            return [word for line in sections.get(name, []) for word in line]

        self.positions = words("positions")
        self.black = frozenset(words("blackinitials"))
        self.white = frozenset(words("whiteinitials"))
        turns = {*words("blackturns")}
        self.turns = [time in turns for time in words("times")]
        self.plies = len(self.turns)
        self.neighbours = {line[0]: line[1:] for line in sections.get("neighbours", [])}
        self.first = {*words("startboarder")}
        self.last = {*words("endboarder")}
        self.sets = [frozenset(line) for line in sections.get("blackwins", [])]
        self.start: Any = (frozenset[str](), frozenset[str]())

    def black_moves(self, state: Any, made: int) -> bool:
        return self.turns[made]

    def moves(self, state: Any, made: int) -> list[str]:
        black, white = state
        taken = self.black | self.white | black | white
        return [p for p in self.positions if p not in taken]

    def play(self, state: Any, made: int, move: str) -> Any:
        black, white = state
        return (black | {move}, white) if self.turns[made] else (black, white | {move})

    def winner(self, state: Any, made: int) -> bool | None:
        if self._connected(state[0] | self.black):
            return True
        over = made >= self.plies or not self.moves(state, made)
        return False if over else None

    def _connected(self, black: frozenset[str]) -> bool:
        if any(own <= black for own in self.sets):
            return True
        seen = {p for p in self.first if p in black}
        todo = list(seen)
        while todo:
            p = todo.pop()
            if p in self.last:
                return True
            for q in self.neighbours.get(p, ()):
                if q in black and q not in seen:
                    seen.add(q)
                    todo.append(q)
        return False


_ATOM: Final = re.compile(r"(NOT\s*\(\s*)?(black|white|open)\s*\(([^,()]*),([^,()]*)\)", re.I)
_Offset = tuple[str, int]
_Condition = tuple[bool, str, _Offset, _Offset]


def _condition(text: str) -> list[_Condition]:
    return [(not m[1], m[2].lower(), _offset(m[3]), _offset(m[4])) for m in _ATOM.finditer(text)]


def _offset(text: str) -> _Offset:
    text = text.replace(" ", "")
    if match := re.fullmatch(r"(\?[xy]|[xy]min|[xy]max)([+-]\d+)?", text):
        return match[1], int(match[2] or 0)
    return "", int(text)


@dataclass(frozen=True)
class _Action:
    name: str
    needs: list[_Condition] = field(default_factory=list)
    effects: list[_Condition] = field(default_factory=list)


class Grid:
    """A game on a grid, as BDDL files describe it.

    A player without a legal move loses while plies are left.  A goal counts after a move of the
    player whose it is.
    """

    def __init__(self, domain: str, problem: str) -> None:
        self.actions: dict[bool, list[_Action]] = {True: [], False: []}
        black = True
        for line in self._lines(domain):
            if line.lower().startswith("#"):
                black = line.lower().startswith("#black")
            elif line.startswith(":action"):
                self.actions[black].append(_Action(line.split()[1]))
            elif line.startswith(":precondition"):
                self.actions[black][-1].needs.extend(_condition(line))
            elif line.startswith(":effect"):
                self.actions[black][-1].effects.extend(_condition(line))
        self.goals: dict[bool, list[list[_Condition]]] = {True: [], False: []}
        section, init, second, depth = "", "", False, 0
        for line in self._lines(problem):
            if line.startswith("#"):
                section = line[1:].lower()
            elif section == "boardsize":
                self.width, self.height = map(int, line.split())
            elif section == "init":
                init += line
            elif section == "depth":
                depth = int(line)
            elif section == "blackturn":
                second = line == "second"
            elif section in ("blackgoal", "whitegoal") and line.lower() not in ("false", "--"):
                self.goals[section == "blackgoal"].append(_condition(line))
        self.black_first = not second
        self.plies = depth - second
        cells = ["."] * (self.width * self.height)
        for _, piece, (_, x), (_, y) in _condition(init):
            cells[(y - 1) * self.width + x - 1] = piece[0]
        self.start: Any = "".join(cells)
        self.legal = lru_cache(maxsize=None)(self._legal)
        self.holds = lru_cache(maxsize=None)(self._holds)

    @staticmethod
    def _lines(text: str) -> Iterator[str]:
        for line in text.splitlines():
            line = line.split("%")[0].strip()
            if line:
                yield line

    def black_moves(self, state: Any, made: int) -> bool:
        return self.black_first is (made % 2 == 0)

    def moves(self, state: Any, made: int) -> list[str]:
        return list(self.legal(str(state), self.black_moves(state, made)))

    def play(self, state: Any, made: int, move: str) -> Any:
        return self.legal(str(state), self.black_moves(state, made))[move]

    def winner(self, state: Any, made: int) -> bool | None:
        if made:
            mover = self.black_moves(state, made - 1)
            if self.holds(str(state), mover):
                return mover
        if made >= self.plies:
            return False
        return None if self.moves(state, made) else not self.black_moves(state, made)

    def _place(self, x: int, y: int, at: tuple[_Offset, _Offset]) -> int | None:
        ends = {"?x": x, "?y": y, "xmin": 1, "ymin": 1, "xmax": self.width, "ymax": self.height}
        column, row = (ends.get(name, 0) + plus for name, plus in at)
        inside = 1 <= column <= self.width and 1 <= row <= self.height
        return (row - 1) * self.width + column - 1 if inside else None

    def _true(self, state: str, x: int, y: int, conditions: list[_Condition]) -> bool:
        for positive, thing, column, row in conditions:
            place = self._place(x, y, (column, row))
            if place is None or (state[place] == {"open": "."}.get(thing, thing[0])) != positive:
                return False
        return True

    def _squares(self) -> Iterator[tuple[int, int]]:
        return ((x, y) for y in range(1, self.height + 1) for x in range(1, self.width + 1))

    def _holds(self, state: str, black: bool) -> bool:
        return any(
            self._true(state, x, y, g) for g in self.goals[black] for x, y in self._squares()
        )

    def _legal(self, state: str, black: bool) -> dict[str, str]:
        found: dict[str, str] = {}
        for action in self.actions[black]:
            for x, y in self._squares():
                after = self._after(state, action, x, y)
                if after is not None:
                    found[f"{action.name}({x},{y})"] = after
        return found

    def _after(self, state: str, action: _Action, x: int, y: int) -> str | None:
        if not self._true(state, x, y, action.needs):
            return None
        cells, said = list(state), dict[int, str]()
        for _, thing, column, row in action.effects:
            place = self._place(x, y, (column, row))
            new = {"open": "."}.get(thing, thing[0])
            if place is None or said.get(place, new) != new:
                return None
            said[place] = cells[place] = new
        return "".join(cells)


class Minimax:
    """Who wins from each state, by looking at all plays."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.known: dict[tuple[object, int], bool] = {}

    def black_wins(self, state: Any, made: int) -> bool:
        """True if Black wins."""
        key = state, made
        if key not in self.known:
            self.known[key] = self._look(state, made)
        return self.known[key]

    def _look(self, state: Any, made: int) -> bool:
        rules = self.rules
        winner = rules.winner(state, made)
        if winner is not None:
            return winner
        black = rules.black_moves(state, made)
        after = (
            self.black_wins(rules.play(state, made, move), made + 1)
            for move in rules.moves(state, made)
        )
        return any(after) if black else all(after)


# --- Readings and judgement -------------------------------------------------------------------

Reading = Sequence[Mapping[str, Mapping[int, bool]]]
"""For each ply the moves that have codes, each with the values of the ply's variables."""


@dataclass(frozen=True)
class Truth:
    """Whether a formula is right after every play; else a shortest play after which it is not.

    ``positions`` are the plays that were looked at, ``wrong`` those that differ.
    """

    positions: int
    wrong: int
    first: tuple[str, ...] | None = None
    game: bool | None = None


def judge(formula: Formula, rules: Rules, reading: Reading, *, every: bool = False) -> Truth:
    """Compare after every play of legal moves, the shortest first.

    Stops at the first difference unless ``every`` is set.  A move without a code is a difference.
    Raises ``TooLargeError``.
    """
    values = Minimax(rules)
    frontier: list[tuple[tuple[str, ...], object, dict[int, bool]]] = [((), rules.start, {})]
    positions = wrong = 0
    first: tuple[tuple[str, ...], bool] | None = None
    for made in range(rules.plies + 1):
        variables = [
            v for ply in reading[:made] for v in sorted({k for c in ply.values() for k in c})
        ]
        asked = Values(formula, variables)
        following = []
        for moves, state, fixed in frontier:
            positions += 1
            black = values.black_wins(state, made)
            said = None if any(v not in fixed for v in variables) else asked.value(fixed)
            if said is not black:
                wrong += 1
                first = first or (moves, black)
                if not every:
                    return Truth(positions, wrong, *first)
            if rules.winner(state, made) is not None or made >= len(reading):
                continue
            for move in rules.moves(state, made):
                codes = {**fixed, **reading[made].get(move, {})}
                following.append(((*moves, move), rules.play(state, made, move), codes))
        frontier = following
        if not frontier:
            break
    return Truth(positions, wrong, *(first or (None, None)))


def judge_drawn(
    formula: Formula, rules: Rules, reading: Reading, plays: int, rng: random.Random
) -> Truth:
    """Compare after complete plays that are drawn at random; ``positions`` counts them.

    A move without a code is a difference.  Raises ``TooLargeError``.
    """
    variables = [sorted({v for code in ply.values() for v in code}) for ply in reading]
    values: dict[int, Values] = {}
    for number in range(1, plays + 1):
        state, moves, fixed = rules.start, tuple[str, ...](), dict[int, bool]()
        said: bool | None = None
        while rules.winner(state, len(moves)) is None and len(moves) < len(reading):
            made = len(moves)
            move = rng.choice(rules.moves(state, made))
            state, moves = rules.play(state, made, move), (*moves, move)
            if move not in reading[made]:
                break
            fixed.update(reading[made][move])
        else:
            if len(moves) not in values:
                own = [v for ply in variables[: len(moves)] for v in ply]
                values[len(moves)] = Values(formula, own)
            said = values[len(moves)].value(fixed)
        black = Minimax(rules).black_wins(state, len(moves))
        if said is not black:
            return Truth(number, 1, moves, black)
    return Truth(plays, 0)


def value_after(formula: Formula, reading: Reading, moves: Sequence[str]) -> bool | None:
    """The formula's value after a play; ``None`` where a move has no code."""
    fixed: dict[int, bool] = {}
    for ply, move in zip(reading, moves, strict=False):
        if move not in ply:
            return None
        fixed.update(ply[move])
    return Values(formula, list(fixed)).value(fixed)
