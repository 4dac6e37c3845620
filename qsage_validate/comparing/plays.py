"""The strategy of one formula, played by the rules and written down in another encoding.

Where both formulas have layouts, what they share are moves: those of one ply. The strategy is
asked for its reply after every play of the opponent's by the rules, and the tree of its replies is
compiled for the second encoding, which says how all else follows from the moves. So it does not
matter how either formula writes its moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import TypeAlias

from qsage_validate.certificates.checker.check import CertificateProved, CertificateRefuted, check
from qsage_validate.certificates.compile.compiler import NotCompiledError, compile_plan
from qsage_validate.certificates.compile.plan import Moves, Plan, PlanNode
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.certificates.routes.rest import certified, evaluate
from qsage_validate.certificates.routes.routes import RouteOptions
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.residual import residual
from qsage_validate.comparing.outcomes import Loses, Transfer, Wins
from qsage_validate.comparing.shared import Shared
from qsage_validate.comparing.transfer import can_hold, transfer
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import MalformedMoveError, Undecided, UndecidedError, UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Game, Move, Player, Position
from qsage_validate.kernel.certificate import CircuitCertificate, Kind
from qsage_validate.problems.load import Problem
from qsage_validate.strategies.reader import CertificateReader
from qsage_validate.strategies.readers import reader_of
from qsage_validate.strategies.readings import Assignment, LayoutMove, PlyCode
from qsage_validate.system.limits import Deadline

MOST_TURNS = 100_000
"""Strategies with more replies than this are not written down play by play."""


def transfer_by_plays(
    first: Problem, formula: Qbf, encoding: Encoding, options: RouteOptions
) -> Transfer:
    """Whether the strategy of ``first`` wins in ``formula``, over the moves.

    ``encoding`` says what the variables of ``formula`` mean and how what is no move follows from
    the moves; its own formula need not be ``formula``, which may be a faulty one.
    Raises ``UsageError`` for games of different length.
    """
    game = load_game(encoding.model)
    hero = first.answering.kind.player
    try:
        plan = _Unrolling(first, game, hero, options.limits.deadline).plan()
        _check_words(plan, encoding)
        ended = game.witnesses(game.initial, hero) if game.initial.outcome else None
        certificate = compile_plan(encoding, plan, ended)
    except _BrokenOffError as error:
        return _broken_off(error, formula, encoding, game, hero, options)
    except (UndecidedError, NotCompiledError) as error:
        return Undecided(str(error))
    checked = check(formula, certificate, deadline=options.limits.deadline)
    if isinstance(checked, CertificateProved):
        how = f"the rest as {encoding.layout.encoding} defines it (proved by SAT)"
        return Wins(f"{_count(plan)} replies, {how}", certificate)
    if not isinstance(checked, CertificateRefuted) or checked.choice is None:
        return Undecided(f"the strategy in the second formula: {checked.reason}")
    moves = _with_moves_alone(certificate, encoding)
    values = {**checked.choice, **evaluate(moves, checked.choice)}
    if not can_hold(formula, values, certificate.kind):
        truth = "false" if certificate.kind.truth else "true"
        lost = Loses(
            f"the second formula is {truth} in this play, whatever the rest is",
            values=values,
            certificate=certificate,
        )
    else:
        identity = Shared(
            {v: v for v in (*moves.inputs, *moves.functions)}, "the variables of the moves"
        )
        decided = transfer(moves, formula, identity, options)
        if not isinstance(decided, Loses):
            return decided
        lost = replace(decided, certificate=certificate)
    return _in_moves(lost, encoding, game, hero)


def _check_words(plan: Plan, encoding: Encoding) -> None:
    """Raise ``UndecidedError`` for moves that the second formula leaves out."""
    code = PlyCode(encoding.layout)
    for node in plan.nodes():
        said = [(node.ply, node.move)]
        for reply in node.table:
            made = reply.moves if isinstance(reply, Moves) else (reply,)
            said += enumerate(made, start=node.ply + 1)
        for ply, move in said:
            if code.find(ply, str(move)) is None:
                raise UndecidedError(f"the second formula cannot say {move} at ply {ply}")


def _count(plan: Plan) -> str:
    return f"{sum(1 for _ in plan.nodes()):,}"


def _with_moves_alone(certificate: CircuitCertificate, encoding: Encoding) -> CircuitCertificate:
    """The functions of the hero's plies."""
    own = certificate.functions
    kept = {v for ply in encoding.layout.moves for v in map(abs, ply.all_variables) if v in own}
    return replace(certificate, functions={v: f for v, f in own.items() if v in kept})


def replies_in_first(first: Problem, encoding: Encoding, lost: Loses) -> list[str]:
    """The opponent's moves of a lost play as the first formula says them, as far as it can."""
    assert first.layout is not None, "the caller has looked"
    game, own = load_game(encoding.model), first.game
    code = PlyCode(first.layout) if own is None else PlyCode(first.layout, own.square_of)
    words, hero = Words(code, game), first.answering.kind.player
    plies = [ply.ply for ply in encoding.layout.moves if ply.player is not hero]
    said = (words.to_first(ply, text) for ply, text in zip(plies, lost.replies, strict=False))
    return [str(move) for move in takewhile(lambda move: move is not None, said)]


# --- A lost play in moves ---------------------------------------------------------------------


def _in_moves(lost: Loses, encoding: Encoding, game: Game, hero: Player) -> Loses:
    """The play of some values in moves, up to its end by the rules."""
    code = PlyCode(encoding.layout)
    position = game.initial
    play: list[str] = []
    replies: list[str] = []
    for ply in encoding.layout.moves:
        answer = code.decode(ply.ply, lost.values)
        if position.outcome is not None:
            break
        text = "no move" if answer.move is None else str(answer.move)
        play.append(f"{text}!stop" if answer.stop else text)
        if ply.player is not hero and answer.move is not None:
            replies.append(text)
        move = None if answer.move is None else _parsed(game, text, ply.player)
        if move is None or answer.stop or not position.is_legal(move):
            break
        position = position.play(move)
    return replace(lost, play=tuple(play), replies=tuple(replies))


def _parsed(game: Game, text: str, player: Player) -> Move | None:
    try:
        return game.parse_move(text, player)
    except MalformedMoveError:
        return None


# --- The strategy by the rules ----------------------------------------------------------------


class _BrokenOffError(Exception):
    """The strategy does not win by the rules of the second formula's game, or says nothing.

    ``play`` are the moves up to there, in the words of that game; ``moveless`` says that the
    strategy names none there, ``silent`` that the first formula cannot say the opponent's.
    """

    def __init__(
        self, why: str, play: Sequence[str], *, silent: bool = False, moveless: bool = False
    ) -> None:
        super().__init__(why)
        self.why = why
        self.play = tuple(play)
        self.silent = silent
        self.moveless = moveless


def _broken_off(
    error: _BrokenOffError,
    formula: Qbf,
    encoding: Encoding,
    game: Game,
    hero: Player,
    options: RouteOptions,
) -> Transfer:
    """What the second formula makes of a play in which the strategy fails by the rules."""
    if error.silent:
        return Undecided(error.why)
    code = PlyCode(encoding.layout)
    plies = encoding.layout.moves
    replies = tuple(
        text for ply, text in zip(plies, error.play, strict=False) if ply.player is not hero
    )
    if error.moveless:
        return Loses(error.why, error.play, replies)
    values: dict[int, bool] = {}
    for ply, text in zip(plies, error.play, strict=False):
        said = code.find(ply.ply, text)
        if said is None:
            return Undecided(f"{error.why}; ply {ply.ply} of the second formula cannot say {text}")
        values |= code.encode(ply.ply, said)
        if ply.stop is not None:
            values[abs(ply.stop)] = ply.stop < 0
    kind = Kind.SKOLEM if hero is Player.BLACK else Kind.HERBRAND
    quantified = formula.quantifiers()
    fixed = {v: value for v, value in values.items() if v in quantified}
    try:
        made = certified(residual(formula, fixed), options)
    except UndecidedError as undecided:
        return Undecided(f"{error.why}; what the second formula makes of it: {undecided}")
    if made.certificate.kind is kind:
        return Undecided(f"{error.why}; after these moves the second formula can still be won")
    return Loses(f"{error.why}; the second formula is lost by it", error.play, replies, values)


_Sequence: TypeAlias = tuple[tuple[Move, ...], Position, Assignment, tuple[str, ...]]
"""Moves of the opponent's, where they lead by the rules and for the certificate, all words."""


@dataclass(slots=True)
class _Turn:
    """A turn of the hero's, and where the decision that is made there belongs."""

    position: Position
    line: Assignment
    history: tuple[str, ...]
    table: dict[Move, PlanNode]
    key: Move


class _Unrolling:
    """Plays every play of the opponent's by the rules against a certificate."""

    def __init__(self, problem: Problem, game: Game, hero: Player, deadline: Deadline) -> None:
        assert problem.layout is not None, "the caller has looked"
        if problem.layout.plies != game.plies:
            raise UsageError(
                f"found a strategy of {problem.layout.plies} plies for a game of {game.plies}, "
                "expected games of one length"
            )
        certificate = problem.answering
        oracle = problem.oracle(OracleKind.SIMULATION)
        self.reader: CertificateReader = reader_of(
            problem.layout, certificate, problem.formula, oracle, problem.game
        )
        self.game = game
        self.hero = hero
        self.deadline = deadline
        self.words = Words(self.reader.code, game)
        self.nodes: list[PlanNode] = []

    def plan(self) -> Plan:
        """The plan; raises ``_BrokenOffError`` where the strategy does not win by the rules."""
        initial = self.game.initial
        if initial.outcome is not None:
            self._check_end(initial, ())
            return Plan(self.hero, None, {})
        first: dict[Move, PlanNode] = {}
        turns = self._turns(initial, self.reader.start(), (), first)
        while turns:
            self.deadline.check("the strategy was played by the rules")
            if len(self.nodes) > MOST_TURNS:
                raise UndecidedError(f"the strategy has more than {MOST_TURNS:,} replies")
            turns = self._answered(turns)
        self._merge(first)
        if initial.to_move is self.hero:
            return Plan(self.hero, first[Moves(())], {})
        return Plan(self.hero, None, first)

    def _check_end(self, position: Position, history: tuple[str, ...]) -> None:
        outcome = position.outcome
        if outcome is not None and outcome.winner is not self.hero:
            raise _BrokenOffError(
                f"by the rules {self.hero} does not win this play: {outcome.reason}", history
            )

    def _turns(
        self,
        position: Position,
        line: Assignment,
        history: tuple[str, ...],
        table: dict[Move, PlanNode],
    ) -> list[_Turn]:
        """The hero's next turns: one for each of the opponent's sequences of moves."""
        pending: list[_Sequence] = [((), position, line, history)]
        found: list[_Sequence] = []
        while pending:
            made, before, so_far, said = pending.pop()
            if before.to_move is self.hero:
                found.append((made, before, so_far, said))
                continue
            for move in before.legal_moves():
                texts = (*said, str(move))
                after = before.play(move)
                if after.outcome is not None:
                    self._check_end(after, texts)
                    continue
                layout_move = self.words.to_first(so_far.plies + 1, str(move))
                if layout_move is None:
                    why = f"the first formula cannot say {move} at ply {so_far.plies + 1}"
                    raise _BrokenOffError(why, texts, silent=True)
                pending.append(
                    ((*made, move), after, self.reader.with_move(so_far, layout_move), texts)
                )
        single = all(len(made) == 1 for made, *_ in found)
        return [
            _Turn(before, so_far, said, table, made[0] if single else Moves(made))
            for made, before, so_far, said in reversed(found)
        ]

    def _answered(self, turns: list[_Turn]) -> list[_Turn]:
        following: list[_Turn] = []
        turns.sort(key=lambda turn: turn.line.plies)
        for plies, group in groupby(turns, key=lambda turn: turn.line.plies):
            same = list(group)
            for turn, answer in zip(same, self.reader.answers([t.line for t in same]), strict=True):
                place = f"ply {plies + 1}"
                if answer.move is None:
                    why = f"the reply at {place} is no move: {answer.problem}"
                    raise _BrokenOffError(why, turn.history, moveless=True)
                if answer.stop:
                    why = f"at {place} the strategy claims to have won, which it has not"
                    raise _BrokenOffError(why, turn.history, moveless=True)
                move = self.words.to_second(answer.move, self.hero)
                if move is None:
                    why = f"the reply {answer.move} at {place} is no move of {self.game.name}"
                    raise _BrokenOffError(why, turn.history, moveless=True)
                history = (*turn.history, str(move))
                if not turn.position.is_legal(move):
                    why = f"the reply {move} at {place} is illegal by the rules"
                    raise _BrokenOffError(why, history)
                after = turn.position.play(move)
                self._check_end(after, history)
                over = after.outcome is not None
                reached = self.game.witnesses(after, self.hero) if over else frozenset()
                node = PlanNode(turn.position.ply, move, bool(reached), reached)
                self.nodes.append(node)
                turn.table[turn.key] = node
                if not over:
                    line = self.reader.with_answer(turn.line, answer)
                    following += self._turns(after, line, history, node.table)
        return following

    def _merge(self, first: dict[Move, PlanNode]) -> None:
        """Make equal decisions one, from the last ply on."""
        known: dict[object, PlanNode] = {}
        kept: dict[int, PlanNode] = {}

        def moved(table: dict[Move, PlanNode]) -> None:
            table.update({move: kept[id(node)] for move, node in table.items()})

        for node in reversed(self.nodes):
            moved(node.table)
            replies = frozenset((move, id(child)) for move, child in node.table.items())
            key = (node.ply, node.move, node.stop, node.witnesses, replies)
            kept[id(node)] = known.setdefault(key, node)
        moved(first)


class Words:
    """Moves of the second game in the first formula's words and back: by text, else by square."""

    def __init__(self, code: PlyCode, game: Game) -> None:
        self._code = code
        self._game = game
        self._by_square: dict[Player, Mapping[object, Move | None]] = {}

    def to_first(self, ply: int, move: str) -> LayoutMove | None:
        """What the first formula calls a move at a ply."""
        found = self._code.find(ply, move)
        square = self._game.square_of(move)
        if found is not None or square is None:
            return found
        same = [m for m in self._code.moves(ply) if m.square == square]
        return same[0] if len(same) == 1 else None

    def to_second(self, move: LayoutMove, player: Player) -> Move | None:
        """The move of the second game that is meant."""
        found = _parsed(self._game, str(move), player)
        if found is not None or move.square is None:
            return found
        if player not in self._by_square:
            by_square: dict[object, Move | None] = {}
            for each in self._game.moves(player):
                square = self._game.square_of(str(each))
                by_square[square] = None if square in by_square else each
            self._by_square[player] = by_square
        return self._by_square[player].get(move.square)
