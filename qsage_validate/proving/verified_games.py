"""Games for the verified checker: rules unrolled, moves, and the claim about them.

Nothing rests on this: the verified checker makes the unrolling again from the game's text, and a
proof of other clauses is no proof there.  It is here so that proofs can be written where that
program is not.

The functions are taken from a certificate of any encoding by its layout, as the level *rules*
reads them (``kernel/strategy.py``).  Nothing rests on this: the functions have to win by the rules
in Coq.

They stand in a bundle beside the proof of the level *rules*, which is about our own circuit of the
rules.  Here the clauses are those of ``verified/theories/Unroll.v``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from qsage_validate.certificates.definitions import definitions
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.formats.pg import pg_text
from qsage_validate.games.bddl.model import Action, Condition, Model, SubCondition
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.kernel.composition import NotDefinitionalError
from qsage_validate.kernel.game import Rules, State, TooLargeError
from qsage_validate.kernel.obligation import Cnf
from qsage_validate.kernel.reading import Matcher, PlyReading, Reading, assignments
from qsage_validate.kernel.strategy import LooksRightError, MisreadError, StrategyProof
from qsage_validate.problems.load import Problem
from qsage_validate.proving.formula_cnf import (
    Derivation,
    NotProvedError,
    formula_cnf,
    formula_proof,
)
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.proofs import reading_of, rules_of

# The unrolling of a game, gate by gate as ``verified/theories/Unroll.v`` makes it


Atom = Hashable
Literal = tuple[Atom, bool]

_TRUE: Final = 1 << 40
"""The constant true among signed literals."""


@dataclass(frozen=True, slots=True)
class VerifiedMove:
    """A move of ``Games.v``: its text, what it needs, and what it sets."""

    name: str
    needs: tuple[Literal, ...]
    effects: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class VerifiedNetwork:
    """A network of ``Games.v`` over atoms."""

    cells: tuple[tuple[Atom, tuple[Atom, ...]], ...]
    source: tuple[Atom, ...]
    target: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class VerifiedRules:
    """A game of ``Games.v``; ``files`` has the texts that say it, by file name."""

    files: Mapping[str, str]
    start: tuple[Atom, ...]
    turns: tuple[Player, ...]
    moves: Mapping[Player, tuple[VerifiedMove, ...]]
    goals: Mapping[Player, tuple[tuple[Literal, ...], ...]]
    network: VerifiedNetwork | None
    goals_at_start: bool
    stuck_loses: bool


def rules_in_coq(game: TwoPlayerGame) -> VerifiedRules | str:
    """The rules that Coq's definitions give to a game's text; else why they do not cover it."""
    if isinstance(game, BddlGame):
        return _grid(game.model)
    if isinstance(game, PositionalGame):
        return _positional(game.model)
    return f"the rules in Coq are of positional games and of BDDL, not of {game.name}"


# -- Positional games ------------------------------------------------------------------------


def _positional(model: PositionalModel) -> VerifiedRules | str:
    try:
        pg = model.pg()
    except UsageError as error:
        return str(error)
    if pg.edges:
        return "the two borders of the network touch, which the rules in Coq do not read from PG"
    if not all((*model.black_wins, *model.white_wins)):
        return "a winning set is empty, which PG cannot say"
    black: Callable[[str], Atom] = lambda name: ("black", name)  # noqa: E731
    white: Callable[[str], Atom] = lambda name: ("white", name)  # noqa: E731

    def claims(own: Callable[[str], Atom]) -> tuple[VerifiedMove, ...]:
        return tuple(
            VerifiedMove(c, ((black(c), False), (white(c), False)), ((own(c), True),))
            for c in pg.positions
        )

    def sets(
        own: Callable[[str], Atom], rows: Iterable[Sequence[str]]
    ) -> tuple[tuple[Literal, ...], ...]:
        return tuple(tuple((own(c), True) for c in row) for row in rows)

    network = None
    if pg.neighbours:
        network = VerifiedNetwork(
            tuple((black(row[0]), tuple(map(black, row[1:]))) for row in pg.neighbours),
            tuple(map(black, pg.start_border)),
            tuple(map(black, pg.end_border)),
        )
    return VerifiedRules(
        files={"game.pg": pg_text(pg)},
        start=(*map(black, pg.black_initials), *map(white, pg.white_initials)),
        turns=model.turns[: model.plies],
        moves={Player.BLACK: claims(black), Player.WHITE: claims(white)},
        goals={Player.BLACK: sets(black, pg.black_wins), Player.WHITE: sets(white, pg.white_wins)},
        network=network,
        goals_at_start=True,
        stuck_loses=False,
    )


# -- BDDL ------------------------------------------------------------------------------------

_CONTENTS: Final = (Square.OPEN, Square.BLACK, Square.WHITE)


def _grid(model: Model) -> VerifiedRules | str:
    problem = model.problem
    width, height = problem.width, problem.height

    def square(part: SubCondition, x: int, y: int) -> tuple[int, int]:
        return part.x.at(x, width), part.y.at(y, height)

    def positions(parts: Condition) -> list[tuple[int, int]]:
        return [
            (x, y)
            for x in range(1, width + 1)
            for y in range(1, height + 1)
            if all(
                1 <= a <= width and 1 <= b <= height
                for a, b in (square(part, x, y) for part in parts)
            )
        ]

    def literals(condition: Condition, x: int, y: int) -> tuple[Literal, ...]:
        return tuple(
            ((part.predicate, *square(part, x, y)), not part.negated) for part in condition
        )

    def effects(condition: Condition, x: int, y: int) -> tuple[Literal, ...]:
        return tuple(
            ((content, *square(part, x, y)), content is part.predicate)
            for part in condition
            for content in _CONTENTS
        )

    def moves(action: Action) -> list[VerifiedMove]:
        found = []
        for x, y in positions((*action.precondition, *action.effect)):
            sets = effects(action.effect, x, y)
            if not any((atom, not value) in sets for atom, value in sets):
                needs = literals(action.precondition, x, y)
                found.append(VerifiedMove(f"{action.name}({x},{y})", needs, sets))
        return found

    contents: dict[tuple[int, int], Square] = {}
    for content, x, y in problem.initial:
        contents.setdefault((x, y), content)
    first = problem.first_player
    return VerifiedRules(
        files={"domain.bddl": str(model.domain), "problem.bddl": str(problem)},
        start=tuple(
            (contents.get((x, y), Square.OPEN), x, y)
            for x in range(1, width + 1)
            for y in range(1, height + 1)
        ),
        turns=tuple(first.other if k % 2 else first for k in range(problem.plies)),
        moves={
            player: tuple(m for action in model.domain.actions(player) for m in moves(action))
            for player in Player
        },
        goals={
            player: tuple(
                literals(goal, x, y) for goal in problem.goals(player) for x, y in positions(goal)
            )
            for player in Player
        },
        network=None,
        goals_at_start=False,
        stuck_loses=True,
    )


# -- The formula -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VerifiedUnrolling:
    """The formula, and the variable of each move at each ply: ``blocks[ply - 1][k]``."""

    rules: VerifiedRules
    formula: Qbf
    blocks: tuple[tuple[int, ...], ...]


UnrolledState = Mapping[Atom, int]


def unroll(rules: VerifiedRules) -> VerifiedUnrolling:
    """The unrolling with the numbers that ``Unroll.v`` gives to variables and gates."""
    return _Unroller(rules).result()


class _Unroller:
    def __init__(self, rules: VerifiedRules) -> None:
        self.rules = rules
        self.blocks: list[tuple[int, ...]] = []
        self.next = 1
        for player in rules.turns:
            count = len(rules.moves[player])
            self.blocks.append(tuple(range(self.next, self.next + count)))
            self.next += count
        self.gates: dict[int, Gate] = {}
        self.touched = {
            player: list(reversed(dict.fromkeys(a for m in moves for a, _ in m.effects)))
            for player, moves in rules.moves.items()
        }
        # For each atom that is touched, the moves that set it, and those that unset it.
        self.on: dict[Player, dict[Atom, list[int]]] = {}
        self.off: dict[Player, dict[Atom, list[int]]] = {}
        for player, moves in rules.moves.items():
            for table, wanted in ((self.on, True), (self.off, False)):
                own = table.setdefault(player, {})
                for k, move in enumerate(moves):
                    for atom in {a for a, value in move.effects if value is wanted}:
                        own.setdefault(atom, []).append(k)

    # -- gates

    def _junction(self, unit: int, literals: Iterable[int]) -> int:
        kept = []
        for literal in literals:
            if literal == -unit:
                return -unit
            if literal != unit:
                kept.append(literal)
        if not kept:
            return unit
        if len(kept) == 1:
            return kept[0]
        gate = self.next
        self.next += 1
        connective = Connective.AND if unit > 0 else Connective.OR
        self.gates[gate] = Gate(connective, tuple(kept))
        return gate

    def conj(self, *literals: int) -> int:
        return self._junction(_TRUE, literals)

    def disj(self, *literals: int) -> int:
        return self._junction(-_TRUE, literals)

    # -- the game

    def holds(self, state: UnrolledState, condition: Iterable[Literal]) -> int:
        return self.conj(
            *(state.get(a, -_TRUE) if value else -state.get(a, -_TRUE) for a, value in condition)
        )

    def first(self, bits: Iterable[int]) -> list[int]:
        seen, chosen = -_TRUE, []
        for bit in bits:
            chosen.append(self.conj(bit, -seen))
            seen = self.disj(seen, bit)
        return chosen

    def after(self, player: Player, chosen: Sequence[int], state: UnrolledState) -> UnrolledState:
        new = dict(state)
        on, off = self.on[player], self.off[player]
        for atom in self.touched[player]:
            unset = self.disj(*(chosen[k] for k in off.get(atom, ())))
            kept = self.conj(state.get(atom, -_TRUE), -unset)
            new[atom] = self.disj(kept, *(chosen[k] for k in on.get(atom, ())))
        return new

    def reached(self, player: Player, state: UnrolledState) -> int:
        network = self.rules.network
        if player is Player.BLACK and network is not None:
            return self._connected(network, state)
        return self.disj(*[self.holds(state, goal) for goal in self.rules.goals[player]])

    def _connected(self, network: VerifiedNetwork, state: UnrolledState) -> int:
        source = set(network.source)
        neighbours: dict[Atom, tuple[Atom, ...]] = {}
        for cell, near in network.cells:
            neighbours.setdefault(cell, near)
        passable = {cell: state.get(cell, -_TRUE) for cell, _ in network.cells}
        reach = {c: passable[c] if c in source else -_TRUE for c, _ in network.cells}
        for _ in network.cells:
            following = {}
            for cell, _ in network.cells:
                beside = [reach.get(n, -_TRUE) for n in neighbours[cell]]
                following[cell] = self.conj(passable[cell], self.disj(reach[cell], *beside))
            reach = following
        return self.disj(-_TRUE, *(reach.get(c, -_TRUE) for c in network.target))

    def play(self, ply: int, state: UnrolledState) -> int:
        if ply == len(self.rules.turns):
            return -_TRUE
        player = self.rules.turns[ply]
        chosen = self.first(self.blocks[ply])
        legal = [self.holds(state, move.needs) for move in self.rules.moves[player]]
        made = [self.conj(c, can) for c, can in zip(chosen, legal, strict=True)]
        moved = self.disj(*made)
        following = self.after(player, chosen, state)
        goal = self.reached(player, following)
        rest = self.play(ply + 1, following)
        if player is Player.BLACK:
            return self.conj(moved, self.disj(goal, rest))
        allowed = self.disj(-moved, self.conj(-goal, rest))
        stuck = _TRUE if self.rules.stuck_loses else -_TRUE
        return self.conj(self.disj(stuck, *legal), allowed)

    def result(self) -> VerifiedUnrolling:
        rules = self.rules
        start: UnrolledState = dict.fromkeys(rules.start, _TRUE)
        at_start = rules.goals_at_start
        black = self.reached(Player.BLACK, start) if at_start else -_TRUE
        white = self.reached(Player.WHITE, start) if at_start else -_TRUE
        play = self.play(0, start)
        output = self.disj(black, self.conj(-white, play))
        if abs(output) == _TRUE:
            connective = Connective.AND if output > 0 else Connective.OR
            self.gates[self.next] = Gate(connective, ())
            output = self.next
        quantifiers = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
        scopes = tuple(
            Scope(quantifiers[player], block)
            for player, block in zip(rules.turns, self.blocks, strict=True)
        )
        return VerifiedUnrolling(rules, Qbf(scopes, self.gates, output), tuple(self.blocks))


# A strategy's moves as functions of the opponent's: a certificate for the verified unrolling


class UncodedMoveError(Exception):
    """The opponent has a move by the rules that the formula has no code for; the text says it."""


@dataclass
class _Moves(StrategyProof):
    """The play by the rules under the unrolling's variables instead of the formula's.

    ``inputs`` are the unrolling's variables of the opponent's, in the order of the graph's inputs;
    ``replies`` has the literal of each of the hero's.
    """

    unrolling: VerifiedUnrolling = field(kw_only=True)
    inputs: list[int] = field(default_factory=list, init=False)
    replies: dict[int, int] = field(default_factory=dict, init=False)

    def _traverse(self) -> None:
        rules = self.rules
        state: State = rules.initial
        for ply, block in enumerate(self.unrolling.blocks, start=1):
            self._tell_state(state, ply - 1)
            legal = dict(zip(rules.moves(ply), rules.legal(state, ply), strict=True))
            # The unrolling may list moves that are never legal, and that the rules leave out.
            names = [m.name for m in self.unrolling.rules.moves[rules.mover(ply)]]
            reading = self.reading.ply(ply)
            if rules.mover(ply) is self.hero:
                made = self._reply(reading, legal)
                self.replies.update(
                    (v, made.get(name, FALSE)) for v, name in zip(block, names, strict=True)
                )
            else:
                made = self._choice(ply, reading, block, names, legal)
            state = rules.after(state, ply, [made.get(name, FALSE) for name in rules.moves(ply)])
        self._tell_state(state, rules.plies)

    def _reply(self, reading: PlyReading | None, legal: dict[str, int]) -> dict[str, int]:
        """Hero's move: what the certificate says if that is legal, else the first legal one."""
        builder = self.builder
        said: dict[str, int] = {}
        if reading is not None:
            match = Matcher(builder, [self._literal(v, reading) for v in reading.literals])
            said = {
                move: builder.or_all(map(match, patterns))
                for move, patterns in reading.codes.items()
            }
        made = {move: builder.and_(said.get(move, FALSE), can) for move, can in legal.items()}
        free = builder.or_all(made.values()) ^ 1
        for move, can in legal.items():
            if free == FALSE:
                break
            made[move] = builder.or_(made[move], builder.and_(free, can))
            free = builder.and_(free, can ^ 1)
        return made

    def _choice(
        self,
        ply: int,
        reading: PlyReading | None,
        block: Sequence[int],
        names: Sequence[str],
        legal: dict[str, int],
    ) -> dict[str, int]:
        """The opponent's move, the first true one of the block, put into the formula's code."""
        builder = self.builder
        chosen: dict[str, int] = {}
        seen = FALSE
        for variable, name in zip(block, names, strict=True):
            literal = builder.input()
            self.inputs.append(variable)
            chosen[name] = builder.and_(literal, seen ^ 1)
            seen = builder.or_(seen, literal)
        if reading is not None:
            codes: dict[str, dict[int, bool]] = {}
            for move, values in assignments(reading):
                if all(self._constants.get(v, value) == value for v, value in values.items()):
                    codes.setdefault(move, values)
            for name, can in legal.items():
                if name not in codes and can != FALSE:
                    raise UncodedMoveError(
                        f"the formula has no code for {name} at ply {ply}: it may be illegal "
                        "there, or as good as another move, which the rules in Coq do not say"
                    )
            for variable in {abs(v) for v in reading.literals}:
                if self._chosen.get(variable) == ply:
                    self.values.known[variable] = builder.or_all(
                        chosen.get(move, FALSE)
                        for move, values in codes.items()
                        if values.get(variable)
                    )
        return {name: builder.and_(chosen.get(name, FALSE), can) for name, can in legal.items()}

    def _tell_state(self, state: State, time: int) -> None:
        """As in ``StrategyProof``: what tells the position has the value of the rules."""
        if not self.reading.told or self.hero is Player.BLACK:
            return
        atoms = self.rules.atoms(state, time)
        for at, atom, literal in self.reading.told:
            variable = abs(literal)
            if at == time and variable in self.opponent and variable not in self._chosen:
                self.values.known.setdefault(variable, atoms.get(atom, FALSE) ^ (literal < 0))


def moves_certificate(
    formula: Qbf | None,
    certificate: CircuitCertificate,
    reading: Reading,
    rules: Rules,
    unrolling: VerifiedUnrolling,
    *,
    guess: bool = False,
) -> CircuitCertificate:
    """The functions of hero's variables of the unrolling.

    Raises as ``StrategyProof`` does, and ``UncodedMoveError``.
    """
    play = _Moves(formula, certificate, reading, rules, guess, unrolling=unrolling)
    builder: AigBuilder = play.builder
    variables = list(play.replies)
    built, outputs = builder.build([play.replies[v] for v in variables])
    # As a binary AIGER file has them: the clauses of a gate come in this order.
    left, right = built.fanin0, built.fanin1
    aig = Aig(built.num_inputs, np.maximum(left, right), np.minimum(left, right))
    return CircuitCertificate(
        kind=certificate.kind,
        aig=aig,
        inputs=tuple(play.inputs),
        functions=dict(zip(variables, outputs, strict=True)),
        dialect=Dialect.CAQE,
    )


# Proofs about games for the verified checker: the game's text, functions of moves, an LRAT proof


CERTIFICATE: Final = "game.aig"
CNF: Final = "game.cnf"
PROOF: Final = "game.lrat"
GAME_FILES: Final = ("game.pg", "domain.bddl", "problem.bddl")
"""The files that may tell a game to the verified checker."""

_MOST_VARIABLES: Final = 200_000
"""No unrolling with more moves at all plies together is made."""


_MOST_SECONDS: Final = 600.0
"""A proof for the rules in Coq that takes longer is left out of a bundle, which says so."""


class NoGameProofError(Exception):
    """There is no proof for the rules in Coq; the text says why."""


@dataclass(frozen=True, slots=True)
class GameCertificate:
    """The functions of one player's moves in the unrolling of a game."""

    unrolling: VerifiedUnrolling
    functions: CircuitCertificate

    @property
    def files(self) -> Mapping[str, str]:
        """The texts of the game, by file name."""
        return self.unrolling.rules.files

    @property
    def statement(self) -> str:
        """The theorem, in Coq's words and in ours."""
        value = "true" if self.functions.kind is CertificateKind.SKOLEM else "false"
        does = "wins" if self.functions.kind is CertificateKind.SKOLEM else "does not win"
        return f"black_wins = {value}: by the rules of {' and '.join(self.files)} Black {does}"

    def cnf(self) -> Cnf:
        """The clauses that the verified checker makes of them."""
        return formula_cnf(self.unrolling.formula, self.functions)


def circuit_of(problem: Problem) -> CircuitCertificate:
    """The certificate as functions; raises ``NoGameProofError`` for clauses that are none."""
    certificate = problem.answering
    if isinstance(certificate, CircuitCertificate):
        return certificate
    try:
        return definitions(certificate, problem.formula).circuit
    except NotDefinitionalError as error:
        raise NoGameProofError(f"the clauses are no definitions: {error}") from None


def game_certificate(
    problem: Problem, *, guess: bool = False, deadline: Deadline = NEVER
) -> GameCertificate:
    """The certificate's moves for the rules in Coq; raises ``NoGameProofError``."""
    layout, game = problem.layout, problem.game
    if problem.certificate is None or layout is None or game is None:
        raise NoGameProofError("there are no rules and no layout")
    rules = rules_in_coq(game)
    if isinstance(rules, str):
        raise NoGameProofError(rules)
    if sum(len(rules.moves[player]) for player in rules.turns) > _MOST_VARIABLES:
        raise NoGameProofError(f"the plies have more than {_MOST_VARIABLES:,} moves together")
    ours = rules_of(game, deadline=deadline)
    if ours is None:
        raise NoGameProofError("the game has no rules as a circuit")
    unrolling = unroll(rules)
    try:
        functions = moves_certificate(
            problem.formula,
            circuit_of(problem),
            reading_of(layout),
            ours(AigBuilder()),
            unrolling,
            guess=guess,
        )
    except (MisreadError, TooLargeError, UncodedMoveError) as error:
        raise NoGameProofError(str(error)) from None
    except LooksRightError as error:
        raise NoGameProofError(f"a reply at ply {error.ply} reads what comes later") from None
    return GameCertificate(unrolling, functions)


def prove_game(
    problem: Problem, *, deadline: Deadline = NEVER
) -> tuple[GameCertificate, bool, Derivation]:
    """The functions, the guess with which they win, and the proof.

    Raises ``NoGameProofError`` where the functions do not win, or the time is up.
    """
    for guess in (False, True):
        found = game_certificate(problem, guess=guess, deadline=deadline)
        try:
            _, derivation = formula_proof(
                found.unrolling.formula, found.functions, deadline=deadline
            )
        except NotProvedError:
            continue
        except UndecidedError as error:
            raise NoGameProofError(str(error)) from None
        return found, guess, derivation
    raise NoGameProofError("the moves that are read off do not win by the rules in Coq")


def write_game(
    folder: str, problem: Problem, *, deadline: Deadline | None = None
) -> dict[str, object]:
    """Write the files of a proof about a game; returns the entry of the manifest.

    Without a proof, within ``deadline`` or else ten minutes, the entry says why there is none.
    """
    limit = Deadline.after(_MOST_SECONDS) if deadline is None else deadline
    try:
        found, guess, derivation = prove_game(problem, deadline=limit)
    except NoGameProofError as error:
        return {"none": str(error)}
    for name, content in game_contents(found).items():
        _write(folder, name, content)
    _write(folder, PROOF, "".join(derivation.lines()).encode())
    return game_entry(found, guess=guess)


def game_entry(found: GameCertificate, *, guess: bool) -> dict[str, object]:
    """What the manifest says of a proof about a game."""
    return {
        "statement": found.statement,
        "game": list(found.files),
        "certificate": CERTIFICATE,
        "cnf": CNF,
        "proof": PROOF,
        "player": found.functions.kind.player.value,
        "guess": guess,
    }


def game_contents(found: GameCertificate) -> dict[str, bytes]:
    """The files of a proof about a game but for the proof, by name."""
    functions = certificate_bytes(found.functions, found.unrolling.formula, binary=True)
    return {
        **{name: text.encode() for name, text in found.files.items()},
        CERTIFICATE: functions,
        CNF: "".join(found.cnf().lines()).encode(),
    }


def _write(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
