"""Position by position: the formula's value and the game's, and what differs, for people.

``docs/explanation/proved.md`` has the theorem.  Where the variables of a ply have the quantifier
of the player who makes it, values follow from those of longer plays: a formula that is true after
some move of Black's is true before it, and one that is false after some move of White's is false
before it.  So a position is asked for only where its value must say that no move, legal or not,
changes it: a loss of the player to move.  All plays that have ended, or that the layout has no
more plies for, are asked for, unless the position before has settled them.

Moves are drawn at random, or one player follows a winning strategy and the other one moves at
random.  Formula and game are compared from the end of a play backwards: where most moves are made,
both values are quickly known.  How far back is learnt from the time that plays take.

Of a difference those gates are told that are enough.  Each copy of a gate in the expansion is a
variable; clauses say what it is as long as the gate is assumed.  Where the clauses contradict each
other, the formula is false whatever all gates that are not assumed are.  Gates are left out one by
one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, cycle
from random import Random
from typing import Any, Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier, tseitin
from qsage_validate.circuit.rewriting import residual
from qsage_validate.circuit.sat import Solver
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import InputError, UndecidedError, counted
from qsage_validate.formats.source import STDIN, read_bytes, sample_path
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.judging.codes import Codes
from qsage_validate.judging.python_rules import GameValues
from qsage_validate.judging.residuals import ResidualsOf
from qsage_validate.kernel.player import FindingKind
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody, worked
from qsage_validate.validation.finding import Claimed, DecidingGate, Finding, Proved, Sampled

# The places of gates in a formula's file, for people: line, and the comment above


# Position by position: the formula's value and the game's after plays of legal moves


BOTH: Final = (True, False)
_REPORT_EVERY: Final = 256
ALONG_SECONDS: Final = 5.0
"""The most that a position along a play is asked for."""


@dataclass(frozen=True, slots=True)
class PlayDifference:
    """A play after which formula and game differ.

    ``game`` is true if Black wins, ``formula`` is the formula's value with the moves fixed, and
    ``None`` where the last move is legal and has no code.  ``word`` names the solver by whose bare
    word the value is known; it is empty for a decided expansion.
    """

    moves: tuple[str, ...]
    game: bool
    formula: bool | None
    word: str = ""


@dataclass
class SearchTally:
    """What a search for differences has done.

    ``plies`` is the length of the plays up to which all are settled; ``settled`` says that these
    are all plays there are.
    """

    differences: list[PlayDifference] = field(default_factory=list)
    positions: int = 0
    asked: int = 0
    plies: int = -1
    settled: bool = False
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class _Node:
    moves: tuple[str, ...]
    state: Any
    implied: bool | None = None
    """The value that the formula is known to have here by the position before."""


class Positions:
    """The positions of a game, and the formula after each of them.

    ``halves`` are the values of the game that are claimed: with ``True`` the formula is true where
    Black wins, with ``False`` it is false where Black does not.  With ``going_on`` the moves of a
    play say that nobody has stopped before the last one.  ``residuals`` may know values of
    the formula already; those of another formula are not used.
    """

    def __init__(
        self,
        formula: Qbf,
        layout: Layout,
        values: GameValues,
        *,
        residuals: ResidualsOf | None = None,
        halves: Sequence[bool] = BOTH,
        equal_first: Collection[str] = (),
        going_on: bool = False,
    ) -> None:
        self.codes = Codes(formula, layout, values.simulator.plies, going_on=going_on)
        self.going_on = going_on
        if residuals is None or residuals.formula is not formula:
            residuals = ResidualsOf(formula)
        self.residuals = residuals.plies(self.codes.variables)
        self.values = values
        self.halves = frozenset(halves)
        self._equal_first = frozenset(equal_first)
        self._last = len(self.codes.readings)

    def search(
        self,
        *,
        deadline: Deadline = NEVER,
        most: int = 1,
        most_positions: int | None = None,
        below: int | None = None,
        tell: Tell = nobody,
    ) -> SearchTally:
        """Compare after all plays, the shortest first, until ``most`` differences are found.

        With ``below``, after plays of fewer plies, and in each position.
        """
        tally = SearchTally()
        frontier = [_Node((), self.values.simulator.start())]
        for made in range(self.values.simulator.plies + 1):
            if made == below:
                return tally
            following: list[_Node] = []
            for number, node in enumerate(frontier):
                if deadline.over:
                    return tally
                if number % _REPORT_EVERY == 0:
                    text = f"{made} plies: {number} of {len(frontier)} positions"
                    tell(Progress("positions", text, number, len(frontier)))
                tally.positions += 1
                try:
                    self._compare(node, made, tally, deadline, following, below is not None)
                except UndecidedError:
                    tally.undecided += 1  # the game's value was not found in time
                    return tally
                if len(tally.differences) >= most:
                    return tally
                if most_positions is not None and tally.positions >= most_positions:
                    return tally
            tally.plies = made
            frontier = following
            if not frontier:
                break
        tally.settled = not tally.undecided
        return tally

    def _compare(
        self,
        node: _Node,
        made: int,
        tally: SearchTally,
        deadline: Deadline,
        following: list[_Node],
        each: bool,
    ) -> None:
        """Compare in one position, and add the positions after it."""
        state, values = node.state, self.values
        black = values.winner(state, made) is Player.BLACK
        over = values.ended(state, made) is not None or made >= self._last
        settled = node.implied
        if black in self.halves and (each or self._asks(node, black, over, made)):
            answer = self.residuals.answer(self.codes.of_play(node.moves), made, deadline)
            if answer.truth is None:
                tally.undecided += 1
            else:
                tally.asked += 1
            settled = answer.truth
            if answer.truth is (not black):
                tally.differences.append(
                    PlayDifference(node.moves, black, answer.truth, answer.word)
                )
                return
        if over:
            return
        player = values.simulator.to_move(state)
        implied = (
            settled if settled is (player is Player.WHITE) and self.codes.owned[made] else None
        )
        for move in values.legal(state):
            moves = (*node.moves, move)
            if self.codes.values(node.moves, move) is None:
                if self._has_to_be_said(move, made):
                    tally.differences.append(PlayDifference(moves, black, None))
                continue
            following.append(_Node(moves, values.simulator.play(state, move), implied))

    def _asks(self, node: _Node, black: bool, over: bool, made: int) -> bool:
        if node.implied is black:
            return False
        if over or not self.codes.owned[made]:
            return True
        mover = self.values.simulator.to_move(node.state)
        return black is (mover is Player.WHITE)

    def along(
        self, plays: Iterable[tuple[bool, Sequence[str]]], deadline: Deadline
    ) -> list[PlayDifference]:
        """A difference along some play, as far as its moves are legal and have codes.

        Each play comes with the half that seems to fail: from there on moves are made that lead to
        positions of that half, where there are such.  The longest part is asked for first: where
        most moves are fixed, values are quickly known.
        """
        parts: dict[tuple[str, ...], Any] = {}
        try:
            for half, play in plays:
                moves, states = self._legal_part(play, half)
                for made, state in enumerate(states[: self._last]):
                    missing = self.missing(state, moves[:made])
                    if missing is not None:
                        black = self.values.winner(state, made) is Player.BLACK
                        return [PlayDifference((*moves[:made], missing), black, None)]
                parts.update((moves[:made], state) for made, state in enumerate(states))
            for moves, state in sorted(parts.items(), key=lambda part: -len(part[0])):
                black = self.values.winner(state, len(moves)) is Player.BLACK
                if black not in self.halves:
                    continue
                limit = deadline.sooner_by_work(ALONG_SECONDS)
                answer = self.residuals.answer(self.codes.of_play(moves), len(moves), limit)
                if answer.truth is (not black):
                    return [PlayDifference(moves, black, answer.truth, answer.word)]
        except UndecidedError:
            return []  # the game's value was not found in time
        return []

    def confirmed(self, difference: PlayDifference, deadline: Deadline) -> PlayDifference:
        """The difference by what is known without a solver's word, where there is time for that.

        It is none any more where the word was wrong.
        """
        if not difference.word:
            return difference
        moves = difference.moves
        found = self.residuals.confirmed(self.codes.of_play(moves), len(moves), deadline)
        return replace(difference, formula=found.truth, word=found.word)

    def missing(self, state: Any, moves: Sequence[str]) -> str | None:
        """A legal move without a code, where the play of ``moves`` goes on in ``state``."""
        made = len(moves)
        if made >= self._last or self.values.ended(state, made) is not None:
            return None
        for move in self.values.legal(state):
            if self.codes.values(moves, move) is None and self._has_to_be_said(move, made):
                return move
        return None

    def _has_to_be_said(self, move: str, made: int) -> bool:
        return bool(made) or move not in self._equal_first

    def _legal_part(self, play: Sequence[str], half: bool) -> tuple[tuple[str, ...], list[Any]]:
        """The moves of a play up to one that is not legal or has no code, and others then."""
        values, simulator = self.values, self.values.simulator
        winner = Player.BLACK if half else Player.WHITE
        moves: tuple[str, ...] = ()
        states = [simulator.start()]
        while len(moves) < self._last and values.ended(states[-1], len(moves)) is None:
            state, made = states[-1], len(moves)
            coded = [m for m in values.legal(state) if self.codes.values(moves, m) is not None]
            if made < len(play) and tuple(play[:made]) == moves:
                coded = [m for m in coded if m == play[made]] or coded
            if not coded:
                break
            after = {m: simulator.play(state, m) for m in coded}
            good = (m for m in coded if values.winner(after[m], made + 1) is winner)
            chosen = next(good, coded[0])
            moves = (*moves, chosen)
            states.append(after[chosen])
        return moves, states


# All positions, or drawn ones, and what is said of them


IN_ORDER: Final = 0.8
"""The part of the time in which all positions are compared, the shortest plays first."""
_CONFIRM_SECONDS: Final = 5.0
"""The time to show without a solver's word what the formula is worth where it differs."""
_SHORTER: Final = 0.05
"""The part of that in which a play that is shorter than a known one is looked for."""


@dataclass(frozen=True)
class PositionsCompared:
    """What a comparison of positions came to."""

    positions: Positions
    tally: SearchTally
    drawn: PositionSample

    @property
    def differs(self) -> bool:
        return bool(self.tally.differences)

    @property
    def agrees(self) -> bool:
        return self.tally.settled and not self.differs

    def is_less_than(self, other: PositionsCompared) -> bool:
        """True if it says less of a formula that need not be wrong."""
        if self.differs or other.differs:
            return self.differs
        own, others = (one.tally.asked + one.drawn.positions for one in (self, other))
        return not self.agrees and own < others

    def agreement(self) -> Proved | Claimed | Sampled | None:
        """What is said where nothing differs; ``None`` where no position was decided."""
        words = self.positions.residuals.words
        if not self.tally.settled:
            told = self._sampled(words)
            return Sampled(told) if told else None
        count = counted(self.tally.positions, "position")
        told = f"formula and game agree after all plays of legal moves ({count})"
        if self.positions.going_on:
            told += ", with nobody stopping before the last one"
        if words:
            names = ", ".join(words)
            return Claimed(f"{told}, by the word of {names} for {sum(words.values())} of them")
        certificates = self.positions.residuals.certificates
        if certificates:
            some = sum(certificates.values())
            told += f"; {some} of them by certificates that were checked"
            told += f" ({', '.join(certificates)})"
        return Proved(told)

    def _sampled(self, words: Mapping[str, int]) -> str:
        """The positions in which formula and game agree, where they are not all."""
        parts = []
        if self.drawn.positions:
            parts.append(
                f"{counted(self.drawn.positions, 'position')} drawn at random and from both "
                f"players' strategies (Black wins {self.drawn.black})"
            )
        if self.tally.asked:
            parts.append(f"{counted(self.tally.asked, 'position')} after the shortest plays")
        told = ", and in ".join(parts)
        if told and words:
            told += f"; some of them by the word of {', '.join(words)}"
        return told


def compared(
    positions: Positions,
    game: TwoPlayerGame,
    failing: Sequence[tuple[bool, tuple[str, ...]]],
    deadline: Deadline,
    tell: Tell,
    most: int,
    patience: float,
) -> PositionsCompared:
    """Compare formula and game along plays that fail on scripts, at all positions, at drawn ones.

    ``most`` differences are looked for.  ``patience`` is the time where the deadline never comes.
    """
    first = deadline.share(IN_ORDER)
    along = positions.along(failing, first)
    tally = SearchTally(along)
    if len(along) < most:
        tally = positions.search(deadline=first, most=most, tell=tell)
        found = {one.moves: one for one in (*tally.differences, *along)}
        tally.differences = [*found.values()][:most]
    if tally.settled and not tally.differences and positions.residuals.confirm(deadline):
        tally = positions.search(deadline=deadline, most=most, tell=tell)
    drawn = PositionSample()
    if not tally.settled and not tally.differences:
        positions.values = GameValues.of_game(game, deadline=deadline)
        drawn = sample(positions, deadline, beyond=tally.plies, most=most, tell=tell)
        tally.differences = drawn.differences
    if tally.differences and tally.differences[0].formula is not None:
        # Shorter plays than the known ones are looked for, and no longer than a while.
        below = len(tally.differences[0].moves)
        limit = deadline.sooner_by_work(_SHORTER * patience)
        shorter = positions.search(deadline=limit, below=below, most=most, tell=tell)
        found = {one.moves: one for one in (*shorter.differences, *tally.differences)}
        tally.differences = [*found.values()][:most]
    limit = deadline.sooner_by_work(_CONFIRM_SECONDS)
    confirmed = (positions.confirmed(one, limit) for one in tally.differences)
    tally.differences = [one for one in confirmed if one.formula is not one.game]
    return PositionsCompared(positions, tally, drawn)


# Positions of a game that is too large for all of them, drawn from plays


_QUICK: Final = 0.1
"""Where a play takes less seconds, the next ones are compared a ply further back."""
_IDLE: Final = 100
"""After so many plays without a new position there are hardly any more."""
_FREE: Final = 20
"""So many positions of a winner are compared whatever the other one has; then twice as many."""


@dataclass
class PositionSample:
    """The positions that were compared, by their winner, and the differences among them."""

    black: int = 0
    white: int = 0
    differences: list[PlayDifference] = field(default_factory=list)

    @property
    def positions(self) -> int:
        """How many positions were compared."""
        return self.black + self.white


def sample(
    positions: Positions,
    deadline: Deadline,
    *,
    beyond: int = -1,
    most: int = 1,
    seed: int = 0,
    tell: Tell = nobody,
) -> PositionSample:
    """Compare in drawn positions until the deadline, or until ``most`` differences are found.

    Plays of at most ``beyond`` plies are known already.
    """
    drawing = _Drawing(positions, deadline, beyond, Random(seed))
    idle = 0
    for number, hero in zip(count(), cycle((None, Player.BLACK, Player.WHITE))):
        before = drawing.found.positions
        if deadline.over or idle >= _IDLE or len(drawing.found.differences) >= most:
            break
        tell(Progress("positions", f"{before} positions are drawn", number))
        started = worked()
        try:
            drawing.compare(hero)
        except UndecidedError:
            break  # the game's value was not found in time
        if worked() - started < _QUICK:
            drawing.reach += 1
        idle = 0 if drawing.found.positions > before else idle + 1
    return drawing.found


class _Drawing:
    def __init__(
        self, positions: Positions, deadline: Deadline, beyond: int, random: Random
    ) -> None:
        self.positions = positions
        self.found = PositionSample()
        self.reach = 1
        self._deadline = deadline
        self._beyond = beyond
        self._random = random
        self._seen: set[tuple[str, ...]] = set()

    def compare(self, hero: Player | None) -> None:
        """Draw a play, and compare along its last moves; the shortest difference is kept."""
        moves, states = self._play(hero)
        values = self.positions.values
        difference: PlayDifference | None = None
        for made, state in enumerate(states):
            missing = self.positions.missing(state, moves[:made])
            if missing is not None:
                black = values.winner(state, made) is Player.BLACK
                self._differs(PlayDifference((*moves[:made], missing), black, None))
                return
        for made in range(len(moves), max(self._beyond, len(moves) - self.reach), -1):
            play = moves[:made]
            if play in self._seen:
                continue
            black = values.winner(states[made], made) is Player.BLACK
            if black not in self.positions.halves or self._is_enough(black):
                continue
            self._seen.add(play)
            limit = self._deadline.sooner_by_work(ALONG_SECONDS)
            answer = self.positions.residuals.answer(
                self.positions.codes.of_play(play), made, limit
            )
            if answer.truth is None:
                break
            self.found.black += black
            self.found.white += not black
            if answer.truth is not black:
                difference = PlayDifference(play, black, answer.truth, answer.word)
        if difference is not None:
            self._differs(difference)

    def _differs(self, difference: PlayDifference) -> None:
        if difference not in self.found.differences:
            self.found.differences.append(difference)

    def _is_enough(self, black: bool) -> bool:
        """True if one winner has many more positions than the other one, who counts as well."""
        own, other = (self.found.black, self.found.white)[:: 1 if black else -1]
        return len(self.positions.halves) > 1 and own >= _FREE + 2 * other

    def _play(self, hero: Player | None) -> tuple[tuple[str, ...], list[Any]]:
        """The moves of a play, and the states from its start to its end."""
        values, codes = self.positions.values, self.positions.codes
        simulator, last = values.simulator, len(codes.readings)
        moves: list[str] = []
        states = [simulator.start()]
        while len(moves) < last and values.ended(states[-1], len(moves)) is None:
            state, made = states[-1], len(moves)
            coded = [m for m in values.legal(state) if codes.values(moves, m) is not None]
            if not coded:
                break
            self._random.shuffle(coded)
            chosen = coded[0]
            if simulator.to_move(state) is hero and made >= last - self.reach:
                won = (
                    m for m in coded if values.winner(simulator.play(state, m), made + 1) is hero
                )
                chosen = next(won, chosen)
            moves.append(chosen)
            states.append(simulator.play(state, chosen))
        return tuple(moves), states


_DEFINED: Final = re.compile(rb"\s*([^\s=#]+)\s*=")


def gate_lines(formula: Qbf, gates: Collection[int]) -> Mapping[int, int]:
    """The lines of those ``gates`` that a line of the formula's QCIR file begins with.

    Nothing of a formula in clauses, one without a file, and where the file is gone.
    """
    path = formula.path
    if path is None or path == STDIN or formula.unwritten:
        return {}
    try:
        lines = read_bytes(sample_path(path)).splitlines()
    except InputError:
        return {}  # it was read from there, and is no more
    wanted = {formula.name(gate).encode(): gate for gate in gates}
    found: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        match = _DEFINED.match(line)
        if match is not None and match[1] in wanted:
            found[wanted[match[1]]] = number
    return found


def comment_above(formula: Qbf, line: int) -> str:
    """The last comment above a line, all lines of it; the layout's lines are none."""
    above: list[tuple[int, str]] = []
    for number, text in formula.comments:
        said = text.strip()
        if number >= line or not said or said.startswith("@"):
            continue
        if above and above[-1][0] != number - 1:
            above = []
        above.append((number, said))
    return " ".join(text for _, text in above).rstrip(":")


# Gates that are enough for a formula to be false: a core of its expansion by SAT


_SOLVER: Final = "cadical195"
_MOST_INPUTS: Final = 100_000
"""Inputs of gates in an expansion: some tenths of a second."""
_SLICE: Final = 500


def deciding_gates(
    formula: Qbf, values: Mapping[int, bool], deadline: Deadline = NEVER
) -> tuple[int, ...]:
    """Gates, none of which can be left out, that make the formula false under ``values``.

    They are gates of what the values leave of the formula, and of all where nothing is left.  At
    the deadline some may be too many.  Nothing where the formula is true, where its expansion is
    too large, or where no core was found in time.
    """
    from qsage_validate.judging.residuals import expansion_size, trimmed

    formula = trimmed(formula)
    left = residual(formula, values)
    undecided = set(left.gates) - {abs(left.output)}
    ask = set(left.gates if undecided else formula.gates)
    if expansion_size(formula, values) > _MOST_INPUTS:
        return ()
    with Solver(_SOLVER) as solver:
        chosen = _load(solver, formula, values)
        of_gate = {literal: gate for gate, literal in chosen.items()}
        sure = [literal for gate, literal in chosen.items() if gate not in ask]
        for literal in sure:
            solver.add_clause([literal])
        asked = [chosen[gate] for gate in formula.gates if gate in ask]
        core = _core(solver, asked, deadline) or ()
        for literal in core:
            if literal in core:
                core = _core(solver, [x for x in core if x != literal], deadline) or core
        kept = {of_gate[literal] for literal in core}
    return tuple(gate for gate in formula.gates if gate in kept)


def _core(solver: Solver, assumed: Sequence[int], deadline: Deadline) -> list[int] | None:
    """Those of ``assumed`` that contradict each other; ``None`` where none were found."""
    while not deadline.over:
        solver.conf_budget(_SLICE)
        answer = solver.solve_limited(assumptions=assumed)
        if answer is not None:
            return None if answer else list(solver.get_core() or ())
    return None


def _load(solver: Solver, formula: Qbf, values: Mapping[int, bool]) -> dict[int, int]:
    """Add the clauses of the expansion; the result is the literal that assumes each gate."""
    from qsage_validate.judging.residuals import stages_of

    stages, gates = stages_of(formula, values)
    chosen = {gate: number for number, gate in enumerate(formula.gates, 2)}
    last = len(formula.gates) + 1
    solver.add_clause([1])
    known = {v: 1 if value else -1 for v, value in values.items()}

    def new() -> int:
        nonlocal last
        last += 1
        return last

    def copies(stage: int) -> None:
        if stage == len(stages):
            sign = 1 if formula.output > 0 else -1
            solver.add_clause([sign * known[abs(formula.output)]])
            return
        quantifier, variables = stages[stage]
        for value in (-1, 1) if quantifier is Quantifier.FORALL else (0,):
            known.update((v, value or new()) for v in variables)
            for number, gate in gates[stage].items():
                known[number] = new()
                inputs = [known[abs(x)] * (1 if x > 0 else -1) for x in gate.inputs]
                for clause in tseitin(known[number], replace(gate, inputs=tuple(inputs))):
                    solver.add_clause([-chosen[number], *clause])
            copies(stage + 1)

    copies(0)
    return chosen


# Differences between a formula and its game, for people


_MOST_LITERALS: Final = 8


def described(difference: PlayDifference, game: TwoPlayerGame) -> Finding:
    moves = difference.moves
    player = game.player_at(len(moves)) if moves else None
    last = moves[-1] if moves else None
    if difference.formula is None:
        text = f"{player}'s move {last} is legal by the rules, and has no code"
        kind, ply = FindingKind.LEGALITY_DIFFERS, len(moves) - 1
        return Finding(kind, ply, text, player, last, moves=moves)
    by = f" (by the word of {difference.word})" if difference.word else ""
    shown = " ".join(moves)
    fixed = f"with the moves {shown} fixed " if moves else ""
    winner = "Black wins" if difference.game else "Black does not win"
    value = "true" if difference.formula else "false"
    text = f"{fixed}the formula is {value}{by}, and {winner} by the rules"
    return Finding(FindingKind.END_DIFFERS, len(moves), text, player, last, moves=moves)


def shown(
    difference: PlayDifference,
    game: TwoPlayerGame,
    formula: Qbf,
    positions: Positions,
    deadline: Deadline = NEVER,
) -> Finding:
    """The same with the position, and gates that are enough where the formula is false.

    A formula that is true has no such gates: its existential variables make all of them true.
    """
    finding = described(difference, game)
    if difference.formula is None:
        return finding
    state = positions.values.after(difference.moves)
    board = state.board if isinstance(state, Position) else None
    gates: tuple[DecidingGate, ...] = ()
    why = "it is true by its own choices, and no gates alone decide that"
    if not difference.formula:
        values = positions.codes.of_play(difference.moves)
        found = deciding_gates(formula, values, deadline)
        lines = gate_lines(formula, found)
        gates = tuple(_placed(formula, gate, lines.get(gate)) for gate in found)
        why = "" if found else "no gates that are enough were found: too large, or time was up"
    return replace(finding, position=str(state), board=board, gates=gates, without_gates=why)


def _placed(formula: Qbf, gate: int, line: int | None) -> DecidingGate:

    if gate in formula.unwritten:
        return DecidingGate(_clause(formula, gate))
    comment = "" if line is None else comment_above(formula, line)
    return DecidingGate(formula.name(gate), line, comment)


def _clause(formula: Qbf, gate: int) -> str:
    """A gate that the file has no number for: a clause, or the conjunction of all clauses."""
    own = formula.gates[gate]
    if own.connective is Connective.AND and len(own.inputs) != 1:
        return "the conjunction of the clauses"
    literals = [("-" if x < 0 else "") + formula.name(abs(x)) for x in own.inputs]
    more = ["..."] if len(literals) > _MOST_LITERALS else []
    return f"the clause {' '.join(literals[:_MOST_LITERALS] + more)}"
