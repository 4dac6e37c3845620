"""Plays in blocks of variables, without a board: the engine and the adversary.

The blocks are the merged scopes of the prefix.  The verdict is the matrix under all values.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product

from qsage_validate.arena.adversary import Adversary, Draws, PlayResults
from qsage_validate.arena.board_engine import Engine, Facts
from qsage_validate.arena.frame import (
    BlockMove,
    Frame,
    FrameValue,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedGroup,
    PlayState,
    WhyNot,
)
from qsage_validate.arena.watch import broken_by_values
from qsage_validate.certificates.oracles.oracle import NoAnswerError, Oracle, ask
from qsage_validate.certificates.oracles.sat import Refuter
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import MalformedMoveError, UndecidedError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import Certificate, CircuitCertificate
from qsage_validate.strategies.reader import Assignment
from qsage_validate.validation.assertions import Asserted
from qsage_validate.validation.finding import Evidence, Finding, FindingKind

# A play without any layout: the person and the certificate give values, block by block


# How many assignments of a block are listed as moves.
_LISTED = 64
_PAIR = re.compile(r"(.+?)\s*=\s*([01]|true|false)", re.IGNORECASE)


class BlockEngine(Engine):
    """The game of variables: any prenex formula and any certificate for it."""

    def __init__(
        self,
        formula: Qbf,
        certificate: Certificate,
        oracle: Oracle,
        title: str,
        notes: Iterable[str] = (),
        *,
        solves: bool = False,
        asserted: Sequence[Asserted] = (),
    ) -> None:
        """An engine that ``solves`` gives no hints: they come from the certificate's functions.

        Assertions about variables and gates (``asserted``) are checked at the end of a play.
        """
        self._hints = not solves
        self._asserted = asserted
        self._formula = formula
        self._certificate = certificate
        self._player = certificate.kind.player
        self._oracle = oracle
        self._blocks = formula.merged_scopes()
        name = formula.name
        sets = formula.depends.items()
        sees = [
            f"{name(v)} sees {' '.join(map(name, sorted(s))) or 'nothing'}"
            for v, s in islice(sets, _LISTED)
        ]
        self.facts = Facts(
            title=title,
            certificate_player=self._player,
            plies=len(self._blocks),
            has_board=False,
            has_rules=False,
            notes=(*notes, *sees),
            answers="solver" if solves else "certificate",
            moves_by_line=True,
        )

    # -- moves ------------------------------------------------------------------------------

    def _block(self, frame: Frame) -> tuple[int, ...]:
        """The variables that the person gives values to now; empty when the play is over."""
        return () if frame.over else self._blocks[frame.ply].variables

    def legal(self, frame: Frame) -> Sequence[MatchMove]:
        # The first variables change the quickest.
        every = product((False, True), repeat=len(self._block(frame)))
        return tuple(self._move(bits[::-1], frame.ply) for bits in islice(every, _LISTED))

    def random(self, frame: Frame, generator: random.Random) -> MatchMove | None:
        values = tuple(generator.random() < 0.5 for _ in self._block(frame))
        return self._move(values, frame.ply)

    def _move(self, values: tuple[bool, ...], ply: int) -> BlockMove:
        variables = self._blocks[ply].variables
        names = tuple(self._formula.name(v) for v in variables)
        return BlockMove(variables, values, names)

    def parse(self, frame: Frame, text: str) -> MatchMove:
        """The values that ``text`` gives; variables that it does not name are 0.

        ``7=1 8=0``, signed names (``7 -8``), or one digit for each variable (``10``), where
        the block has more than one variable.
        """
        variables, ply = self._block(frame), frame.ply
        names = {text: v for text, v in self._formula.by_text().items() if v in variables}
        words = text.replace(",", " ").split()
        if len(words) == 1 and words[0] not in names and re.fullmatch("[01]+", words[0]):
            if len(words[0]) != len(variables):
                raise MalformedMoveError(
                    f"found {len(words[0])} digits, expected {len(variables)}, one for each of "
                    f"{self._names_text(frame)}"
                )
            return self._move(tuple(digit == "1" for digit in words[0]), ply)
        values = dict.fromkeys(variables, False)
        for word in re.sub(r"\s*=\s*", "=", " ".join(words)).split():
            if word == "-":
                continue
            pair = _PAIR.fullmatch(word)
            name, value = word.removeprefix("-"), not word.startswith("-")
            if pair is not None:
                name, value = pair[1], pair[2].lower() in ("1", "true")
            if name not in names:
                raise MalformedMoveError(
                    f"found {word!r}, expected values for {self._names_text(frame)}, like "
                    f"{next(iter(names), 'x')}=1"
                )
            values[names[name]] = value
        return self._move(tuple(values.values()), ply)

    def _names_text(self, frame: Frame) -> str:
        names = [self._formula.name(v) for v in self._block(frame)]
        return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        """Every assignment is legal; raises ``MalformedMoveError`` for one of another block."""
        if not isinstance(move, BlockMove) or move.variables != self._block(frame):
            raise MalformedMoveError(f"{move}: expected values for {self._names_text(frame)}")
        return None

    @cached_property
    def _refuter(self) -> Refuter | None:
        if not self._hints or not isinstance(self._certificate, CircuitCertificate):
            return None
        return Refuter(self._certificate, self._formula)

    def hint(self, frame: Frame) -> Hint | None:
        """Winning values if there are any, by SAT; ``None`` for certificates made of clauses."""
        if self._refuter is None:
            return None
        found, block = self._refuter.refutation(frame.choice, {}), self._block(frame)
        if found is None:
            move = self._move((False,) * len(block), frame.ply)
            return Hint(move, "no values win any more: the certificate answers all of them")
        move = self._move(tuple(found[v] for v in block), frame.ply)
        return Hint(move, f"{move} refutes the certificate")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> Frame:
        return self._step(Frame(PlayState(Assignment())))

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        assert isinstance(move, BlockMove), "checked by why_not"
        choice = {**frame.choice, **move.assignment()}
        return self._step(self._frame(frame, move, choice, frame.reply))

    def reply(self, frame: Frame) -> Frame | None:
        last = frame
        if last.over or self._blocks[last.ply].quantifier is not self._certificate.kind.decides:
            return None
        block = self._blocks[last.ply].variables
        began = time.perf_counter()
        try:
            found = self._answers(last.choice, block)
        except NoAnswerError as error:
            return self._silent(last, error)
        except UndecidedError as error:
            return last.ended(MatchOutcome(None, f"no answer in time: {error}", undecided=True))
        move = self._move(tuple(found[v] for v in block), last.ply)
        frame = self._frame(last, move, last.choice, {**last.reply, **found}, by_certificate=True)
        return self._step(replace(frame, seconds=time.perf_counter() - began))

    def _answers(self, choice: Mapping[int, bool], block: Sequence[int]) -> dict[int, bool]:
        """The values of a block; functions with a dependency set (DQBF) are shown that alone."""
        asked: dict[frozenset[int] | None, list[int]] = {}
        for variable in block:
            asked.setdefault(self._formula.depends.get(variable), []).append(variable)
        found: dict[int, bool] = {}
        for own, variables in asked.items():
            shown = {v: x for v, x in choice.items() if own is None or v in own}
            found |= self._oracle.values(shown, variables)
        return found

    def _frame(
        self,
        before: Frame,
        move: BlockMove,
        choice: Mapping[int, bool],
        reply: Mapping[int, bool],
        *,
        by_certificate: bool = False,
    ) -> Frame:
        assignment = Assignment(before.ply + 1, choice, reply)
        return Frame(
            PlayState(assignment, moves=(*before.play.moves, str(move)), last=move),
            player=self._player if by_certificate else self._player.other,
            by_certificate=by_certificate,
            values=self._values(move),
        )

    def _step(self, frame: Frame) -> Frame:
        return self._finished(frame) if frame.ply == len(self._blocks) else frame

    def _values(self, move: BlockMove) -> tuple[FrameValue, ...]:
        return tuple(
            FrameValue(name, name, variable, value, NamedGroup.BLOCK)
            for variable, name, value in zip(move.variables, move.names, move.values, strict=True)
        )

    def _finished(self, frame: Frame) -> Frame:
        formula = self._formula
        values = formula.evaluate({**frame.choice, **frame.reply})
        verdict = values[abs(formula.output)] != (formula.output < 0)
        promised = verdict is (self._player is Player.BLACK)
        winner = self._player if promised else self._player.other
        name = formula.name(abs(formula.output))
        signed = f"-{name}" if formula.output < 0 else name
        value = FrameValue("verdict", signed, formula.output, verdict, NamedGroup.VERDICT)
        reason = f"the matrix is {'true' if verdict else 'false'}"
        findings: tuple[Finding, ...] = ()
        if not promised:
            evidence = Evidence(formula.output, signed, verdict, "output")
            findings = (self._finding(FindingKind.VERDICT_DIFFERS, frame, reason, (evidence,)),)
        findings += broken_by_values(self._asserted, values, frame.ply, frame.play.moves)
        outcome = MatchOutcome(winner, reason, promised, verdict, f"output {signed}")
        return replace(frame, values=(*frame.values, value)).ended(outcome, *findings)

    def _silent(self, frame: Frame, error: NoAnswerError) -> Frame:
        finding = self._finding(FindingKind.CERTIFICATE_SILENT, frame, str(error))
        reason = "the certificate has no answer"
        return frame.ended(MatchOutcome(self._player.other, reason, False), finding)

    def _finding(
        self, kind: FindingKind, frame: Frame, detail: str, evidence: tuple[Evidence, ...] = ()
    ) -> Finding:
        return Finding(kind, frame.ply, detail, evidence=evidence, moves=frame.play.moves)


# Random plays of values, block by block, without a board


class BlockAdversary(Adversary):
    """Gives random values to all of the opponent's variables, play after play.

    The certificate's functions look only to their left, so that it makes no difference that
    the values of all blocks are drawn at once.
    """

    def __init__(
        self,
        formula: Qbf,
        certificate: Certificate,
        oracle: Oracle,
        *,
        seed: int,
        replay: Callable[[Sequence[str]], str],
        replies: Sequence[int] = (),
        asserted: Sequence[Asserted] = (),
    ) -> None:
        """``replies`` are asked for, where the oracle that solves has no function for them.

        Assertions about variables and gates (``asserted``) are checked in every play.
        """
        super().__init__(seed)
        self._formula = formula
        self._player = certificate.kind.player
        self._blocks = [
            scope.variables
            for scope in formula.merged_scopes()
            if scope.quantifier is not certificate.kind.decides
        ]
        self._oracle = oracle
        self._plies = len(formula.merged_scopes())
        named = (x for one in asserted for x in (one.literals or {}).values())
        self._asserted = asserted
        self._asked = tuple(dict.fromkeys((*replies, *map(abs, named), abs(formula.output))))
        self._replay = replay

    def play(self, numbers: Sequence[int]) -> PlayResults:
        """Play the plays of these numbers side by side; findings have their replay commands."""
        results = PlayResults()
        choices = [self._draw(number) for number in numbers]
        for choice, found in zip(choices, self._values(choices), strict=True):
            moves = self._moves(choice)
            results.texts.append("; ".join(moves))
            won = None if isinstance(found, UndecidedError) else self._won(found)
            results.promised.append(won)
            if won is False:
                results.findings.add([self._finding(moves, found)])
            if isinstance(found, Mapping):
                broken = broken_by_values(self._asserted, found, self._plies, moves)
                results.findings.add(f.with_replay(self._replay(moves)) for f in broken)
        return results

    def _draw(self, number: int) -> dict[int, bool]:
        draws = Draws(self.seed, number)
        return {v: draws.random() < 0.5 for block in self._blocks for v in block}

    def _values(
        self, choices: Sequence[dict[int, bool]]
    ) -> list[Mapping[int, bool] | NoAnswerError | UndecidedError]:
        """The values of each play that are asked for, or the reason why there is no answer."""
        try:
            rows = ask(self._oracle, choices, self._asked).tolist()
        except (NoAnswerError, UndecidedError) as error:
            if len(choices) == 1:
                return [error]
            return [found for choice in choices for found in self._values([choice])]
        return [dict(zip(self._asked, row, strict=True)) for row in rows]

    def _won(self, found: Mapping[int, bool] | NoAnswerError) -> bool:
        if isinstance(found, NoAnswerError):
            return False
        output = self._formula.output
        return (found[abs(output)] != (output < 0)) is (self._player is Player.BLACK)

    def _moves(self, choice: dict[int, bool]) -> tuple[str, ...]:
        name = self._formula.name
        return tuple(
            " ".join(f"{name(v)}={int(choice[v])}" for v in block) for block in self._blocks
        )

    def _finding(self, moves: tuple[str, ...], lost: object) -> Finding:
        plies, replay = self._plies, self._replay(moves)
        if isinstance(lost, NoAnswerError):
            from qsage_validate.problems.searched import ContradictionError

            detail = "the certificate has no answer to these values"
            if isinstance(lost, ContradictionError):
                detail = str(lost)
            kind = FindingKind.CERTIFICATE_SILENT
            return Finding(kind, plies, detail, player=self._player, moves=moves, replay=replay)
        output, value = self._formula.output, self._player is not Player.BLACK
        name = ("-" if output < 0 else "") + self._formula.name(abs(output))
        return Finding(
            FindingKind.VERDICT_DIFFERS,
            plies,
            f"the matrix is {str(value).lower()}",
            player=self._player.other,
            evidence=(Evidence(output, name, value, "output"),),
            moves=moves,
            replay=replay,
        )
