"""The reason for a gate's value in a given play: the gate's fan-in as a tree, with values.

A literal on the path of the symbolic position has a value for each square.  With a square
chosen there is one value; without, a literal on which the squares disagree has none and lists
the squares on which it is false.  Later variables of the opponent count as false, as for every
answer of a certificate.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from qsage_validate.arena.frame import Frame, Names, WhyNot
from qsage_validate.arena.open import open_play_engine
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.errors import UsageError, one_line
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.reader import (
    Assignment,
    CertificateReader,
    LayoutMove,
    NamedGroup,
    SquareXY,
)

SquareValues = tuple[bool | None, ...]
Reading = Callable[[Sequence[int]], Mapping[int, SquareValues]]

DEPTH, WIDTH, ROWS = 3, 12, 400
# At most so many squares are listed behind a literal.
_LISTED = 6


@dataclass(frozen=True, slots=True)
class GateRow:
    """A literal in a fan-in tree, ``depth`` steps below the gate that was asked for.

    ``name`` is the file's with its sign, ``meaning`` the layout's ("" where it has none);
    ``connective`` is ``None`` for a variable.  ``value`` is the literal's, sign included;
    ``None`` when it is not determined or differs between squares: then ``false_at`` lists
    those with false.  ``decisive`` says that the parent has its value because of this input
    (and of the others that are decisive); ``repeated`` that the gate's inputs are shown at
    another place of the tree; ``hidden`` counts inputs that are not shown.
    """

    depth: int
    literal: int
    name: str
    meaning: str
    connective: Connective | None
    fan_in: int
    value: bool | None
    false_at: tuple[SquareXY, ...] = ()
    decisive: bool = False
    repeated: bool = False
    hidden: int = 0

    @property
    def text(self) -> str:
        """``white 2 legal [-g12] = false, and of 4``."""
        name = f"{self.meaning} [{self.name}]" if self.meaning else self.name
        shown = "?" if self.value is None else str(self.value).lower()
        if self.false_at:
            places = ", ".join(f"({x},{y})" for x, y in self.false_at[:_LISTED])
            more = len(self.false_at) - _LISTED
            shown = f"false at {places}" + (f" and {more} more squares" if more > 0 else "")
        line = f"{name} = {shown}"
        if self.connective is not None:
            sign = "not " if self.literal < 0 else ""
            line += f", {sign}{self.connective.value} of {self.fan_in}"
        if self.repeated:
            line += ", shown elsewhere"
        return one_line(line)


@dataclass(slots=True)
class _Branch:
    row: GateRow
    inputs: list[_Branch] = field(default_factory=list)
    repeated: bool = False
    hidden: int = 0


class GateInspector:
    """The gates of a formula in one play.

    ``read`` gives the values of variables (positive literals) on each of ``squares``; without a
    board there is one value and no square.
    """

    def __init__(
        self,
        formula: Qbf,
        read: Reading,
        squares: Sequence[SquareXY] = (),
        names: Names | None = None,
        ply: int | None = None,
    ) -> None:
        """``ply`` is the one just made: literals that several plies share get its names."""
        self._formula = formula
        self._read = read
        self.squares = tuple(squares)
        self._names = names
        self._ply = ply
        self._values: dict[int, SquareValues] = {}

    @classmethod
    def on_board(
        cls, formula: Qbf, names: Names, reader: CertificateReader, assignment: Assignment
    ) -> GateInspector:
        """The gates after the plies of ``assignment``, as its reader sees them."""

        def read(variables: Sequence[int]) -> Mapping[int, SquareValues]:
            return reader.boards([assignment], variables)[0].at

        return cls(formula, read, reader.places, names, assignment.plies)

    @classmethod
    def of_choice(cls, formula: Qbf, oracle: Oracle, choice: Mapping[int, bool]) -> GateInspector:
        """The gates under a choice of the opponent's variables, without a layout."""

        def read(variables: Sequence[int]) -> Mapping[int, SquareValues]:
            found = oracle.values(choice, variables)
            return {variable: (value,) for variable, value in found.items()}

        return cls(formula, read)

    # -- names --------------------------------------------------------------------------------

    @cached_property
    def _literals(self) -> dict[str, int]:
        """Names that a person may type, best first: meanings, names of the file, numbers."""
        known: dict[str, int] = {} if self._names is None else dict(self._names.literals)
        formula = self._formula
        known.setdefault("output", formula.output)
        known.setdefault("verdict", formula.output)
        variables = [v for scope in formula.scopes for v in scope.variables]
        for variable in (*variables, *formula.gates):
            known.setdefault(formula.name(variable), variable)
        return known

    @property
    def starting_points(self) -> tuple[str, ...]:
        """The names of the gates that mean something, the verdict first."""
        named = {} if self._names is None else self._names.literals
        own: dict[int, str] = {}
        for name, literal in named.items():
            if abs(literal) in self._formula.gates:
                own.setdefault(literal, name)
        return tuple(dict.fromkeys(["verdict", *own.values()]))

    def resolve(self, text: str) -> int:
        """The literal that ``text`` names: a meaning, the file's name; ``-`` complements it.

        Raises ``UsageError`` that names what is similar.
        """
        wanted = text.strip()
        for name, sign in ((wanted, 1), (wanted.removeprefix("-").strip(), -1)):
            if name in self._literals:
                return sign * self._literals[name]
        similar = difflib.get_close_matches(wanted, self._literals, n=3)
        hint = ", ".join(similar) if similar else "a name like 'verdict' or a gate of the formula"
        raise UsageError(one_line(f"found no gate {wanted!r}, expected {hint}"))

    def find(self, text: str) -> tuple[int, ...]:
        """The literal that ``text`` names; else those with a name that it is a part of.

        Raises ``UsageError`` as :meth:`resolve` where there is none.
        """
        part = text.strip().casefold()
        if text.strip().removeprefix("-").strip() not in self._literals:
            found = [literal for name, literal in self._literals.items() if part in name.casefold()]
            if part and found:
                return tuple(dict.fromkeys(found))
        return (self.resolve(text),)

    def _meaning(self, literal: int) -> str | None:
        if self._names is None:
            return "output" if literal == self._formula.output else None
        name, group = self._names.meaning(literal, self._ply)
        return None if (name, group) == ("gate", NamedGroup.GATE) else name

    # -- rows -------------------------------------------------------------------------------

    def row(self, text_or_literal: str | int, square: SquareXY | None = None) -> GateRow:
        """One literal, without its inputs (``hidden`` counts them)."""
        return self.tree(text_or_literal, depth=0, square=square)[0]

    def rows(
        self, names: Sequence[str | int], square: SquareXY | None = None
    ) -> tuple[GateRow, ...]:
        """Several literals as in :meth:`row`, with their values read all at once."""
        self._load([self._checked(name) for name in names])
        return tuple(self.row(name, square) for name in names)

    def inputs(self, literal: int, square: SquareXY | None = None) -> tuple[GateRow, ...]:
        """The inputs of a literal's gate, decisive ones first; none for a variable."""
        rows = self.tree(literal, depth=1, width=None, rows=None, square=square)
        return tuple(row for row in rows if row.depth == 1)

    def tree(
        self,
        text_or_literal: str | int,
        *,
        depth: int = DEPTH,
        width: int | None = WIDTH,
        rows: int | None = ROWS,
        square: SquareXY | None = None,
    ) -> tuple[GateRow, ...]:
        """The fan-in of a literal, parents before their inputs.

        At most ``depth`` steps, ``width`` inputs of a gate and ``rows`` rows; a gate's inputs
        are shown once.  ``square`` is the one to read on.  Raises ``UsageError`` for unknown
        names, literals and squares.
        """
        literal = self._checked(text_or_literal)
        place = self._place(square)
        self._load([literal])
        root = _Branch(self._row(0, literal, place))
        shown, level, count = {abs(literal)}, [root], 1
        for distance in range(depth + 1):
            gates = [(b, self._formula.gates.get(abs(b.row.literal))) for b in level]
            if distance < depth:
                self._load(x for _, gate in gates if gate is not None for x in gate.inputs)
            following: list[_Branch] = []
            for branch, gate in gates:
                if gate is None:
                    continue
                if distance == depth or branch.repeated:
                    branch.hidden = 0 if branch.repeated else len(gate.inputs)
                    continue
                own = self._ordered(branch.row, gate.connective, gate.inputs, place)
                room = len(own) if width is None else width
                room = room if rows is None else min(room, max(rows - count, 0))
                branch.hidden = max(len(own) - room, 0)
                count += len(own[:room])
                for row in own[:room]:
                    child = _Branch(row)
                    variable = abs(row.literal)
                    child.repeated = row.connective is not None and variable in shown
                    shown.add(variable)
                    branch.inputs.append(child)
                following += branch.inputs
            level = following
        return tuple(_preorder(root))

    def _checked(self, text_or_literal: str | int) -> int:
        if isinstance(text_or_literal, str):
            return self.resolve(text_or_literal)
        variable = abs(text_or_literal)
        if variable not in self._formula.gates and variable not in self._variables:
            raise UsageError(f"found no variable or gate {variable} in the formula")
        return text_or_literal

    @cached_property
    def _variables(self) -> frozenset[int]:
        return frozenset(v for scope in self._formula.scopes for v in scope.variables)

    def _place(self, square: SquareXY | None) -> int | None:
        """The index of a square among the values; ``None`` for all of them."""
        if square is None:
            return None
        if square not in self.squares:
            raise UsageError(f"found the square ({square[0]},{square[1]}), which is not there")
        return self.squares.index(square)

    def _load(self, literals: Iterable[int]) -> None:
        """Read the values of variables that are not known yet, all at once."""
        missing = [v for v in dict.fromkeys(map(abs, literals)) if v not in self._values]
        if missing:
            found = self._read(missing)
            self._values.update((v, tuple(found[v])) for v in missing)

    def _row(
        self, depth: int, literal: int, place: int | None, *, decisive: bool = False
    ) -> GateRow:
        gate = self._formula.gates.get(abs(literal))
        name = ("-" if literal < 0 else "") + self._formula.name(abs(literal))
        values = self._values[abs(literal)]
        signed = [None if value is None else value != (literal < 0) for value in values]
        if place is not None:
            signed = [signed[place]]
        agreed = signed[0] if len(set(signed)) == 1 else None
        false_at: tuple[SquareXY, ...] = ()
        if agreed is None and len(signed) == len(self.squares):
            false_at = tuple(
                s for s, value in zip(self.squares, signed, strict=True) if value is False
            )
        return GateRow(
            depth=depth,
            literal=literal,
            name=name,
            meaning=self._meaning(literal) or "",
            connective=None if gate is None else gate.connective,
            fan_in=0 if gate is None else len(gate.inputs),
            value=agreed,
            false_at=false_at,
            decisive=decisive,
        )

    def _ordered(
        self, parent: GateRow, connective: Connective, inputs: Sequence[int], place: int | None
    ) -> list[GateRow]:
        """The rows of a gate's inputs, decisive ones first, else in the file's order."""
        plain = [self._row(parent.depth + 1, x, place) for x in inputs]
        value = None if parent.value is None else parent.value != (parent.literal < 0)
        decisive = _decisive(connective, value, [row.value for row in plain])
        rows = [
            self._row(parent.depth + 1, x, place, decisive=own)
            for x, own in zip(inputs, decisive, strict=True)
        ]
        return sorted(rows, key=lambda row: not row.decisive)


def _decisive(
    connective: Connective, value: bool | None, inputs: Sequence[bool | None]
) -> list[bool]:
    """For each input of a gate, true if it decides the gate's value."""
    if value is None:
        return [False] * len(inputs)
    if connective in (Connective.AND, Connective.OR):
        return [x is value for x in inputs]
    if connective is Connective.ITE:
        condition = inputs[0]
        return [condition is not None, condition is not False, condition is not True]
    return [True] * len(inputs)


def _preorder(root: _Branch) -> Iterator[GateRow]:
    pending = [root]
    while pending:
        branch = pending.pop()
        yield replace(branch.row, repeated=branch.repeated, hidden=branch.hidden)
        pending += reversed(branch.inputs)


class GateReader:
    """Inspectors for the steps of plays of one problem; the oracle is made once."""

    def __init__(self, problem: Problem) -> None:
        """Raises ``UsageError`` when there is no formula: then there are no gates."""
        if problem.formula is None:
            raise UsageError("found no formula, expected one: gates are the formula's")
        self._formula = problem.formula
        self._oracle = problem.oracle(OracleKind.SAT)
        self._names: Names | None = None
        self._reader: CertificateReader | None = None
        if isinstance(problem, BoardProblem):
            self._names = Names(problem.layout, problem.formula)
            self._reader = open_play_engine(problem, self._oracle).reader

    def at(self, frame: Frame, attempt: WhyNot | None = None) -> GateInspector:
        """The gates after the plies of ``frame``, and after the move of ``attempt`` if given.

        A move of the certificate's own side has no variables to be tried with: it is left out.
        """
        if self._reader is None or self._names is None:
            return GateInspector.of_choice(self._formula, self._oracle, frame.choice)
        assignment = Assignment(frame.ply, frame.choice, frame.reply)
        if (
            attempt is not None
            and isinstance(attempt.move, LayoutMove)
            and attempt.player is not self._reader.player
        ):
            assignment = self._reader.with_move(assignment, attempt.move)
        return GateInspector.on_board(self._formula, self._names, self._reader, assignment)
