"""A strategy played by the rules of the second formula's game, against every play.

A move that the strategy's formula does not have is reflected: an encoding may leave out first
moves that a symmetry of the game exchanges with others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from qsage_validate.certificates.compile.plan import Moves, Plan, PlanNode
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.comparing.words import Mirrors, Words, check_length
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Game, Move, Position
from qsage_validate.problems.load import Problem
from qsage_validate.strategies.reader import CertificateReader
from qsage_validate.strategies.readers import reader_of
from qsage_validate.strategies.readings import Answer, Assignment, LayoutMove
from qsage_validate.system.limits import Deadline

MOST_TURNS = 100_000
"""Strategies with more replies than this are not written down play by play."""

CanSay: TypeAlias = Callable[[int, Move], bool]
"""True if the second formula has a code for a move at a ply (counted from 1)."""


class BrokenOffError(Exception):
    """The strategy does not win by the rules of the second formula's game, or says nothing.

    ``play`` are the moves up to there, in the words of that game; ``moveless`` says that the
    strategy names none there, ``silent`` that the first formula cannot say the opponent's.
    """

    def __init__(
        self, why: str, play: Sequence[Move], *, silent: bool = False, moveless: bool = False
    ) -> None:
        super().__init__(why)
        self.why = why
        self.play = tuple(play)
        self.silent = silent
        self.moveless = moveless


@dataclass(frozen=True, slots=True)
class _Line:
    """A play so far: for the rules, for the certificate, and in which words it is asked."""

    position: Position
    seen: Assignment
    moves: tuple[Move, ...]
    words: Words


@dataclass(slots=True)
class _Turn:
    """A turn of the hero's, and where the decision that is made there belongs."""

    line: _Line
    table: dict[Move, PlanNode]
    key: Move


class Unrolling:
    """Plays every play of the opponent's by the rules against a certificate.

    Raises ``UsageError`` for games of different length.
    """

    def __init__(self, problem: Problem, game: Game, can_say: CanSay, deadline: Deadline) -> None:
        assert problem.layout is not None, "the caller has looked"
        check_length(problem.layout, problem.game, game)
        oracle = problem.oracle(OracleKind.SIMULATION)
        self._reader: CertificateReader = reader_of(
            problem.layout, problem.answering, problem.formula, oracle, problem.game
        )
        self._layout = problem.layout
        self._hero = problem.answering.kind.player
        self._game = game
        self._can_say = can_say
        self._deadline = deadline
        self._mirrors = Mirrors(self._reader.code, game)
        self._words = self._mirrors.plain
        self._nodes: list[PlanNode] = []
        self._mirrored: dict[str, str] = {}

    @property
    def note(self) -> str:
        """The first moves that were seen in a mirror, as the rest of a sentence."""
        if not self._mirrored:
            return ""
        pairs = ", ".join(f"{move} as {image}" for move, image in self._mirrored.items())
        return f", in the mirror: {pairs}"

    def plan(self) -> Plan:
        """The plan; raises ``BrokenOffError`` where the strategy does not win by the rules."""
        initial = self._game.initial
        if initial.outcome is not None:
            self._check_end(initial, ())
            return Plan(self._hero, None, {})
        first: dict[Move, PlanNode] = {}
        turns = self._turns(_Line(initial, self._reader.start(), (), self._words), first)
        while turns:
            self._deadline.check("the strategy was played by the rules")
            if len(self._nodes) > MOST_TURNS:
                raise UndecidedError(f"the strategy has more than {MOST_TURNS:,} replies")
            turns = self._answered(turns)
        self._merge(first)
        if initial.to_move is self._hero:
            return Plan(self._hero, first[Moves(())], {})
        return Plan(self._hero, None, first)

    def asked(self, play: Sequence[Move]) -> tuple[str, ...]:
        """The opponent's moves of a play as the first formula says them, as far as it can."""
        said: list[str] = []
        words = self._words
        for own, move in zip(self._layout.moves, play, strict=False):
            if own.player is self._hero:
                continue
            words = self._telling(move) if own.ply == 1 else words
            found = words.say(own.ply, move)
            if found is None:
                break
            said.append(str(found))
        return tuple(said)

    # -- mirrors -----------------------------------------------------------------------------------

    def _telling(self, first: Move) -> Words:
        """The words in which the first formula can be told of the opponent's first move."""
        words = self._mirrors.telling(first)
        if words is not self._words:
            self._mirrored[str(first)] = str(words.say(1, first))
        return words

    def _saying(self, first: LayoutMove) -> Words:
        """The words in which the second formula can say the hero's first move."""
        plain = self._words.read(first, self._hero)
        if plain is None or self._can_say(1, plain):
            return self._words
        for words in self._mirrors.others:
            move = words.read(first, self._hero)
            if move is not None and self._can_say(1, move):
                self._mirrored[str(move)] = str(first)
                self._words = words  # there is one first move
                return words
        return self._words

    # -- the tree ----------------------------------------------------------------------------------

    def _check_end(self, position: Position, play: Sequence[Move]) -> None:
        outcome = position.outcome
        if outcome is not None and outcome.winner is not self._hero:
            raise BrokenOffError(
                f"by the rules {self._hero} does not win this play: {outcome.reason}", play
            )

    def _turns(self, line: _Line, table: dict[Move, PlanNode]) -> list[_Turn]:
        """The hero's next turns: one for each of the opponent's sequences of moves."""
        pending = [line]
        found: list[_Line] = []
        while pending:
            before = pending.pop()
            if before.position.to_move is self._hero:
                found.append(before)
                continue
            ply = before.seen.plies + 1
            for move in before.position.legal_moves():
                if ply == 1 and not self._can_say(1, move):
                    continue  # the second formula asks no answer to it
                words = self._telling(move) if ply == 1 else before.words
                moves, after = (*before.moves, move), before.position.play(move)
                if after.outcome is not None:
                    self._check_end(after, moves)
                    continue
                said = words.say(ply, move) if ply <= self._layout.plies else None
                if said is None:
                    why = f"the first formula cannot say {move} at ply {ply}"
                    raise BrokenOffError(why, moves, silent=True)
                seen = self._reader.with_move(before.seen, said)
                pending.append(_Line(after, seen, moves, words))
        made = [each.moves[len(line.moves) :] for each in found]
        single = all(len(moves) == 1 for moves in made)
        turns = [
            _Turn(each, table, moves[0] if single else Moves(moves))
            for each, moves in zip(found, made, strict=True)
        ]
        return turns[::-1]

    def _answered(self, turns: list[_Turn]) -> list[_Turn]:
        following: list[_Turn] = []
        turns.sort(key=lambda turn: turn.line.seen.plies)
        for plies, group in groupby(turns, key=lambda turn: turn.line.seen.plies):
            same = list(group)
            if plies >= self._layout.plies:
                why = "the play goes on behind the last ply of the first formula"
                raise BrokenOffError(why, same[0].line.moves, silent=True)
            answers = self._reader.answers([turn.line.seen for turn in same])
            for turn, answer in zip(same, answers, strict=True):
                following += self._decided(turn, answer)
        return following

    def _decided(self, turn: _Turn, answer: Answer) -> list[_Turn]:
        """The turns that follow an answer, which becomes a node of the plan."""
        line = turn.line
        place = f"ply {line.seen.plies + 1}"
        if answer.move is None:
            why = f"the reply at {place} is no move: {answer.problem}"
            raise BrokenOffError(why, line.moves, moveless=True)
        claim = f"at {place} the strategy claims to have won, which it has not"
        if answer.stop and self._layout.moves[line.seen.plies].stop_instead:
            raise BrokenOffError(claim, line.moves, moveless=True)
        words = line.words if line.seen.plies else self._saying(answer.move)
        move = words.read(answer.move, self._hero)
        if move is None:
            why = f"the reply {answer.move} at {place} is no move of {self._game.name}"
            raise BrokenOffError(why, line.moves, moveless=True)
        moves = (*line.moves, move)
        if not line.position.is_legal(move):
            raise BrokenOffError(f"the reply {move} at {place} is illegal by the rules", moves)
        after = line.position.play(move)
        self._check_end(after, moves)
        over = after.outcome is not None
        if answer.stop and not over:
            raise BrokenOffError(claim, moves, moveless=True)
        reached = self._game.witnesses(after, self._hero) if over else frozenset()
        node = PlanNode(line.position.ply, move, bool(reached), reached)
        self._nodes.append(node)
        turn.table[turn.key] = node
        if over:
            return []
        seen = self._reader.with_answer(line.seen, answer)
        return self._turns(_Line(after, seen, moves, words), node.table)

    def _merge(self, first: dict[Move, PlanNode]) -> None:
        """Make equal decisions one, from the last ply on."""
        known: dict[object, PlanNode] = {}
        kept: dict[int, PlanNode] = {}

        def moved(table: dict[Move, PlanNode]) -> None:
            table.update({move: kept[id(node)] for move, node in table.items()})

        for node in reversed(self._nodes):
            moved(node.table)
            replies = frozenset((move, id(child)) for move, child in node.table.items())
            key = (node.ply, node.move, node.stop, node.witnesses, replies)
            kept[id(node)] = known.setdefault(key, node)
        moved(first)
