"""Layouts of Q-sage's formulas: from the meta file, the prefix and the matrix.

What was found in Q-sage's files (QCIR with meta file, and the older ones of its Pedant cases):

- Each ply has its block: action bits, x bits, y bits in consecutive numbers.  A Black ply's
  game-stop variable is the existential after the last of them; it is missing in the meta file.
  The last ply has one as well, which no gate reads.
- White's action bit of a single-action game, and coordinates on an axis of length 1, are
  existentials: a gate ("forcing single index maps to 1") makes them false.  They say nothing,
  so they are left out where a universal is expected.
- White's stop variable is the universal of the ply's scope that the meta file does not have.
  It exists only where White has goals.
- After White's variables come the indicators, in two existential blocks: "white illegal
  variable" (in spite of its name true when the move is within bounds) and "indicator variables"
  (one a precondition, true when it holds).  White's move is legal if and only if all of them
  are true, and the matrix has the conjunction of just these literals as a gate.  That gate is
  what is looked for; the comments may be missing.
- In a game in which White begins, a dummy Black ply comes first, whose bits and stop must be 0.
  In ``ib`` nothing demands this: only the rules tell that the first ply is none of the game's.
- With an even depth a dummy Black ply is appended, whose bits a gate forces to 0 (with its
  last variable true): ``or(bits, -last)``.  It is no ply of the game.
- Between the last ply and the symbolic position stand "black goal choice variables" (which
  goal), "black goal index variables" (x, then y), "white goal index and conjunction variables"
  (universal: x, y, then which goal) and the existentials that number the subcondition of
  White's goal that fails.  Each is missing where the game has no use for it.
- The two state variables of a step mean *occupied, white*.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from os import fspath

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.layout import (
    Bits,
    GoalVariables,
    GridCoding,
    Indicators,
    Layout,
    Number,
    Ply,
    StateCode,
    StateView,
    UnspecifiedLegality,
    board_view,
    on_grid,
)
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.meta import ActionVariables, MetaFile
from qsage_validate.formats.source import Path, unpacked_name
from qsage_validate.games.protocol import Player

_META_NAME = "viz_meta_out"


def find_meta(path: Path) -> str | None:
    """The meta file that belongs to a formula or certificate, if there is one beside it.

    ``name.meta`` for ``name.qcir``, else ``viz_meta_out``, else the only ``*.meta`` of the
    folder.
    """
    folder, name = os.path.split(fspath(path))
    stem = os.path.splitext(unpacked_name(name))[0]
    for candidate in (f"{stem}.meta", _META_NAME):
        found = os.path.join(folder, candidate)
        if os.path.isfile(found):
            return found
    try:
        metas = [entry for entry in os.listdir(folder or ".") if entry.endswith(".meta")]
    except OSError:
        return None
    return os.path.join(folder, metas[0]) if len(metas) == 1 else None


def layout_from_meta(
    meta: MetaFile,
    formula: Qbf | None,
    decided: Collection[int] | None = None,
    first_player: Player | None = None,
) -> Layout:
    """The layout that a meta file describes, completed from the formula.

    Where the rules say that White is the ``first_player``, Black's first ply is no move.

    Without a formula (Pedant's folders hold a certificate and a meta file only) stop variables
    and indicators are taken from the gaps that Q-sage's numbering leaves; then ``decided``, the
    variables that the certificate has models for, tells the players' variables apart.

    Raises :class:`InputError` at the meta file's line when it does not fit: variables that do
    not exist, belong to the other player or occur twice, another number of bits than the board
    needs, a player without actions.
    """
    return _Builder(meta, formula, decided).layout(first_player)


class _Builder:
    def __init__(
        self, meta: MetaFile, formula: Qbf | None, decided: Collection[int] | None
    ) -> None:
        self.meta = meta
        self.formula = formula
        self.decided = decided
        self.quantifiers = {} if formula is None else formula.quantifiers()
        self.inner = set() if formula is None else formula.without_text
        self.levels = {} if formula is None else formula.levels()
        self.named = {variable for _, _, variable in _placed_variables(meta)}
        self.actions = {
            Player.BLACK: _action_names(meta.black_actions),
            Player.WHITE: _action_names(meta.white_actions),
        }

    def layout(self, first_player: Player | None) -> Layout:
        self._check_variables()
        plies = len(self.meta.moves)
        if plies and self._is_dummy(self.meta.moves[-1], -1):
            plies -= 1
        players = self._players()[:plies]
        white_begins = players[:1] == [Player.BLACK] and first_player is Player.WHITE
        skipped = int(white_begins or (plies and self._is_dummy(self.meta.moves[0], 1)))
        moves = tuple(self._move(ply, player) for ply, player in enumerate(players, start=1))
        self._check_order(moves)
        moves = tuple(map(self._with_indicators, moves))[skipped:]
        moves = tuple(replace(move, ply=ply) for ply, move in enumerate(moves, start=1))
        return Layout(
            moves=moves,
            state=self._board(skipped, plies),
            actions=self.actions,
            goals=self._goals(moves),
            verdict=self._verdict(),
            gates={
                f"white {m.ply} legal": gate for m in moves for gate in self._legal(m.indicators)
            },
            encoding="Q-sage",
            game="bddl",
            source=f"meta file {self.meta.path or '<input>'}",
            silence=UnspecifiedLegality.FREE,
        )

    # -- Checks

    def error(self, section: str, index: int, found: str, expected: str) -> InputError:
        lines = self.meta.lines.get(section, ())
        if index >= len(lines):
            return InputError(self.meta.path, None, None, found, expected)
        return InputError(self.meta.path, lines[index], 1, found, expected)

    def _formula_name(self) -> str:
        path = None if self.formula is None else self.formula.path
        return path or "the formula"

    def _check_variables(self) -> None:
        """Every variable exists and occurs once."""
        seen: set[int] = set()
        for section, index, variable in _placed_variables(self.meta):
            unknown = variable not in self.quantifiers or variable in self.inner
            if self.formula is not None and unknown:
                found = f"the variable {variable}, which {self._formula_name()} does not quantify"
                raise self.error(section, index, found, "a variable of its prefix")
            if variable in seen:
                found = f"the variable {variable} once more"
                raise self.error(section, index, found, "each variable in one place")
            seen.add(variable)
        for index, state in enumerate(self.meta.states):
            for variable in state:
                if not self._may_be(variable, Quantifier.EXISTS):
                    found = f"the universal variable {variable}"
                    raise self.error("statevars", index, found, "existential state variables")

    def _may_be(self, variable: int, quantifier: Quantifier) -> bool:
        """True if a variable may have a quantifier, as far as the prefix is known."""
        if self.formula is not None:
            return self.quantifiers[variable] is quantifier
        if self.decided is None:
            return True
        return (variable in self.decided) == (quantifier is Quantifier.EXISTS)

    def _check_order(self, moves: tuple[Ply, ...]) -> None:
        levels = [max((self.levels.get(v, 0) for v in m.variables), default=0) for m in moves]
        for index in range(1, len(levels)):
            if levels[index] < levels[index - 1] and moves[index].variables:
                found = f"variables of ply {index + 1} that stand left of those of ply {index}"
                raise self.error("actionvars", index, found, "plies in the order of the prefix")

    # -- Moves

    def _players(self) -> list[Player]:
        """Each ply's player: Black of the last one, White of those with universal coordinates."""
        count = len(self.meta.moves)
        players = [Player.BLACK if (count - k) % 2 else Player.WHITE for k in range(count)]
        for index, (move, player) in enumerate(zip(self.meta.moves, players, strict=True)):
            want = Quantifier.EXISTS if player is Player.BLACK else Quantifier.FORALL
            names = self.meta.black_actions if player is Player.BLACK else self.meta.white_actions
            if not names:
                found = f"ply {index + 1} of {player.value}, who has no actions"
                expected = f"actions in #{player.value}actions"
                raise self.error("actionvars", index, found, expected)
            for bits, size, what in (
                (move.action, len(names), f"{player.value} actions"),
                (move.x, self.meta.width, "columns"),
                (move.y, self.meta.height, "rows"),
            ):
                self._check_bits("actionvars", index, bits, size, what)
                for variable in bits:
                    meaningless = size == 1 and want is Quantifier.FORALL
                    if not (meaningless or self._may_be(variable, want)):
                        kind = "universal" if want is Quantifier.EXISTS else "existential"
                        found = f"the {kind} variable {variable} in the {player} ply {index + 1}"
                        expected = "Black's variables existential and White's universal, by turns"
                        raise self.error("actionvars", index, found, expected)
        return players

    def _check_bits(self, section: str, index: int, bits: Bits, size: int, what: str) -> None:
        needed = (size - 1).bit_length()
        # Q-sage has a bit, which it makes false, where there is nothing to choose.
        if not needed <= len(bits) <= max(needed, 1):
            found = f"{counted(len(bits), 'bit')} for {size} {what}"
            raise self.error(section, index, found, str(needed) if needed else "0 or 1")

    def _is_dummy(self, move: ActionVariables, sign: int) -> bool:
        """True if a gate makes of a ply no move: ``or(bits, -last)``, which must not hold.

        At the last ply it has the negated literal of what follows the bits (``sign`` -1), at the
        first one the literal itself.  In the clausal form the gate's own variable is one more
        literal.
        """
        if self.formula is None:
            return False
        bits = [*move.action, *move.x, *move.y]
        last = max(bits, default=0) + 1
        wanted = {*bits, sign * last}
        return any(
            gate.connective is Connective.OR
            and wanted <= set(gate.inputs)
            and len(gate.inputs) <= len(wanted) + 1
            for gate in self.formula.gates.values()
        )

    def _move(self, ply: int, player: Player) -> Ply:
        move = self.meta.moves[ply - 1]
        x, y = self._own(move.x, player), self._own(move.y, player)
        coding = GridCoding(
            self.actions[player],
            self._own(move.action, player),
            Number(x, self.meta.width),
            Number(y, self.meta.height),
        )
        stop = None if ply == len(self.meta.moves) else self._stop(ply, player)
        return on_grid(ply, player, coding, stop)

    def _own(self, bits: Bits, player: Player) -> Bits:
        """Bits that say something: White's must be the opponent's to choose."""
        if player is Player.WHITE:
            return tuple(v for v in bits if self._may_be(v, Quantifier.FORALL))
        return bits

    def _stop(self, ply: int, player: Player) -> int | None:
        move = self.meta.moves[ply - 1]
        bits = {*move.action, *move.x, *move.y}
        if not bits:
            return None
        if self.formula is None:
            # Without a prefix only Black's can be recognised: it fills a gap of exactly one.
            gap = self._gap(ply)
            return gap[0] if player is Player.BLACK and len(gap) == 1 else None
        if player is Player.BLACK:
            following = max(bits) + 1
            same = following in self.levels and self.levels[following] == self.levels[max(bits)]
            return following if same and following not in self.named else None
        own = {self.levels[v] for v in bits if self.quantifiers[v] is Quantifier.FORALL}
        rest = [
            v
            for v in self.formula.variables(Quantifier.FORALL)
            if self.levels[v] in own and v not in self.named
        ]
        return rest[0] if len(rest) == 1 else None

    def _gap(self, ply: int) -> list[int]:
        """The numbers between the variables of a ply and those of the next one."""
        last = max(self._bits(ply), default=0)
        first = min(self._bits(ply + 1), default=0)
        gap = list(range(last + 1, first))
        known = self.decided is None or all(v in self.decided for v in gap)
        return gap if last and known and self.named.isdisjoint(gap) else []

    def _bits(self, ply: int) -> list[int]:
        if ply > len(self.meta.moves):
            return []
        move = self.meta.moves[ply - 1]
        return [*move.action, *move.x, *move.y]

    # -- Indicators

    def _with_indicators(self, ply: Ply) -> Ply:
        """A ply with its indicators: of White's, where the matrix confirms them."""
        variables = self._indicator_variables(ply) if ply.player is Player.WHITE else []
        if len(variables) < 2:
            return ply
        found = Indicators(variables[0], tuple(variables[1:]))
        confirmed = self.formula is None or any(True for _ in self._legal(found))
        return replace(ply, indicators=found) if confirmed else ply

    def _indicator_variables(self, move: Ply) -> list[int]:
        if self.formula is None:
            return self._gap(move.ply)
        found: list[int] = []
        for scope in _after(self.formula.scopes, {*move.variables}):
            for variable in scope.variables:
                if variable in self.named or scope.quantifier is Quantifier.FORALL:
                    return found
                found.append(variable)
        return found

    def _legal(self, indicators: Indicators | None) -> Iterator[int]:
        """The gate that is the conjunction of a ply's indicators, or the variable made of it."""
        if self.formula is None or indicators is None:
            return
        gates = self.formula.gates
        wanted = {*indicators.literals}
        refused = {-v for v in wanted}
        clauses = {frozenset(g.inputs) for g in gates.values() if g.connective is Connective.OR}
        for variable, gate in gates.items():
            if gate.connective is Connective.AND and set(gate.inputs) == wanted:
                yield variable
                return
            # In the clausal form it is the variable v of (v or -i1 or -i2 ...), (-v or i1), ...
            rest = set(gate.inputs) - refused
            if gate.connective is Connective.OR and len(rest) == 1 and refused < set(gate.inputs):
                (head,) = rest
                if head > 0 and all(frozenset((-head, -v)) in clauses for v in refused):
                    yield head
                    return

    # -- Board, goals, verdict

    def _board(self, skipped: int, plies: int) -> StateView:
        axes = []
        for bits, size, what in (
            (self.meta.symbolic_x, self.meta.width, "columns"),
            (self.meta.symbolic_y, self.meta.height, "rows"),
        ):
            self._check_bits("symbolicpos", 0, bits, size, what)
            for variable in bits:
                if size > 1 and not self._may_be(variable, Quantifier.FORALL):
                    found = f"the existential variable {variable}"
                    raise self.error("symbolicpos", 0, found, "universal variables")
            own = tuple(v for v in bits if self._may_be(v, Quantifier.FORALL))
            axes.append(Number(own, size))
        states = self.meta.states[skipped : plies + 1]
        return board_view(axes[0], axes[1], states, StateCode.OCCUPIED_WHITE)

    def _goals(self, moves: tuple[Ply, ...]) -> GoalVariables:
        """The goal variables, which stand between the last ply and the symbolic position.

        A block is a goal's position when the matrix compares it to the symbolic position.
        """
        formula = self.formula
        if formula is None or not moves:
            return GoalVariables()
        scopes = list(_after(formula.scopes, set(self._bits(len(self.meta.moves)))))
        board = {*self.meta.symbolic_x, *self.meta.symbolic_y}
        end = next((k for k, s in enumerate(scopes) if board & set(s.variables)), len(scopes))
        existential, universal, after = _split(scopes[:end])
        condition: Bits = ()
        black_x: Bits = ()
        black_y: Bits = ()
        for block in existential:
            if self._position(formula, block)[0] or self._position(formula, block)[1]:
                black_x, black_y, _ = self._position(formula, block)
            else:
                condition = block
        white_x, white_y, white_condition = self._position(formula, universal)
        return GoalVariables(
            black_condition=condition,
            black_x=black_x,
            black_y=black_y,
            white_condition=white_condition,
            white_x=white_x,
            white_y=white_y,
            counterexample=after if white_x or white_y else (),
        )

    def _position(self, formula: Qbf, variables: Bits) -> tuple[Bits, Bits, Bits]:
        """A goal's x and y bits and the rest; empty unless they are compared to the board.

        A goal on a fixed row has x bits alone, one in a fixed column y bits alone.
        """
        board_x, board_y = self.meta.symbolic_x, self.meta.symbolic_y
        gates = set(formula.gates.values())
        for wanted_x, wanted_y in ((board_x, board_y), (board_x, ()), ((), board_y)):
            width, both = len(wanted_x), (*wanted_x, *wanted_y)
            if (
                both
                and len(variables) >= len(both)
                and all(
                    Gate(Connective.OR, (-a, b)) in gates and Gate(Connective.OR, (-b, a)) in gates
                    for a, b in zip(variables, both, strict=False)
                )
            ):
                own = variables[: len(both)]
                return own[:width], own[width:], variables[len(both) :]
        return (), (), ()

    def _verdict(self) -> int | None:
        goal = self.meta.goal
        if self.formula is None:
            return goal
        if goal is None:
            return self.formula.output
        known = self.formula.gates.keys() | self.quantifiers.keys()
        if goal not in known or goal in self.inner:
            found = f"the goal variable {goal}, which {self._formula_name()} does not have"
            raise self.error("goalvar", 0, found, "a variable or gate of it, or 0")
        return goal


def _placed_variables(meta: MetaFile) -> Iterator[tuple[str, int, int]]:
    """Each variable with the section and the index of the line that has it."""
    for index, move in enumerate(meta.moves):
        for variable in (*move.action, *move.x, *move.y):
            yield "actionvars", index, variable
    for variable in (*meta.symbolic_x, *meta.symbolic_y):
        yield "symbolicpos", 0, variable
    for index, state in enumerate(meta.states):
        for variable in state:
            yield "statevars", index, variable


def _action_names(signatures: Iterable[str]) -> tuple[str, ...]:
    return tuple(signature.split("(", 1)[0].strip() for signature in signatures)


def _after(scopes: tuple[Scope, ...], variables: Collection[int]) -> tuple[Scope, ...]:
    """The scopes right of the last one that has any of ``variables``."""
    last = max(
        (k for k, s in enumerate(scopes) if not set(variables).isdisjoint(s.variables)), default=-1
    )
    return scopes[last + 1 :]


def _split(scopes: Iterable[Scope]) -> tuple[list[Bits], Bits, Bits]:
    """The existential blocks before the first universal one, that one, and what follows it."""
    before: list[Bits] = []
    universal: Bits = ()
    after: Bits = ()
    for scope in scopes:
        if scope.quantifier is Quantifier.FORALL:
            universal += scope.variables
        elif universal:
            after += scope.variables
        else:
            before.append(scope.variables)
    return before, universal, after
