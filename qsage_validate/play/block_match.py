"""A play without any layout: the person and the certificate give values, block by block.

The blocks are the merged scopes of the prefix.  The verdict is the matrix under all values.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product

from qsage_validate.arena.frame import (
    BlockMove,
    Frame,
    Group,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedValue,
    SquareXY,
    WhyNot,
)
from qsage_validate.certificates.oracles.oracle import NoAnswerError, Oracle
from qsage_validate.certificates.oracles.refuter import Refuter
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import MalformedMoveError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import Certificate, CircuitCertificate
from qsage_validate.play.match import Match
from qsage_validate.validation.finding import Evidence, Finding, FindingKind

# How many assignments of a block are listed as moves.
_LISTED = 64
_PAIR = re.compile(r"(.+?)\s*=\s*([01]|true|false)", re.IGNORECASE)


class BlockMatch(Match):
    """The game of variables: any prenex formula and any certificate for it."""

    def __init__(
        self,
        formula: Qbf,
        certificate: Certificate,
        oracle: Oracle,
        title: str,
        notes: Iterable[str] = (),
    ) -> None:
        """Begin a play; the certificate gives its values first if the first block is its own."""
        super().__init__()
        self._formula = formula
        self._certificate = certificate
        self._oracle = oracle
        self._title = title
        self._notes = tuple(notes)
        self._blocks = formula.merged_scopes()
        self._decides = certificate.kind.decides
        start = Frame(0, None, None, False, None, None)
        self._rounds.append(self._answered(start))

    @property
    def title(self) -> str:
        return self._title

    @property
    def certificate_player(self) -> Player:
        return self._certificate.kind.player

    @property
    def plies(self) -> int:
        return len(self._blocks)

    @property
    def has_board(self) -> bool:
        return False

    @property
    def has_rules(self) -> bool:
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        return self._notes

    # -- moves ------------------------------------------------------------------------------

    @property
    def block(self) -> tuple[int, ...]:
        """The variables that the person gives values to now; empty when the play is over."""
        return () if self.over else self._blocks[self.frame.ply].variables

    def legal_moves(self) -> Sequence[MatchMove]:
        if self.over:
            return ()
        variables = self.block
        # The first variables change the quickest.
        every = (bits[::-1] for bits in product((False, True), repeat=len(variables)))
        return tuple(self._move(bits) for bits in islice(every, _LISTED))

    def random_move(self, generator: random.Random) -> MatchMove | None:
        if self.over:
            return None
        return self._move(tuple(generator.random() < 0.5 for _ in self.block))

    def _move(self, values: tuple[bool, ...], ply: int | None = None) -> BlockMove:
        variables = self._blocks[self.frame.ply if ply is None else ply].variables
        names = tuple(self._formula.name(v) for v in variables)
        return BlockMove(variables, values, names)

    def parse_move(self, text: str) -> MatchMove:
        """The values that ``text`` gives; variables that it does not name are 0.

        ``7=1 8=0``, signed names (``7 -8``), or one digit for each variable (``10``), where
        the block has more than one variable.
        """
        variables = self.block
        names = {self._formula.name(v): v for v in variables}
        words = text.replace(",", " ").split()
        if len(words) == 1 and words[0] not in names and re.fullmatch("[01]+", words[0]):
            if len(words[0]) != len(variables):
                raise MalformedMoveError(
                    f"found {len(words[0])} digits, expected {len(variables)}, one for each of "
                    f"{self._names_text()}"
                )
            return self._move(tuple(digit == "1" for digit in words[0]))
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
                    f"found {word!r}, expected values for {self._names_text()}, like "
                    f"{next(iter(names), 'x')}=1"
                )
            values[names[name]] = value
        return self._move(tuple(values.values()))

    def _names_text(self) -> str:
        names = [self._formula.name(v) for v in self.block]
        return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")

    def why_not(self, move: MatchMove) -> WhyNot | None:
        """Every assignment is legal; raises ``MalformedMoveError`` for one of another block."""
        if not isinstance(move, BlockMove) or move.variables != self.block:
            raise MalformedMoveError(f"{move}: expected values for {self._names_text()}")
        return None

    def touched(self, move: MatchMove) -> tuple[SquareXY, ...]:
        return ()

    @cached_property
    def _refuter(self) -> Refuter | None:
        if not isinstance(self._certificate, CircuitCertificate):
            return None
        return Refuter(self._certificate, self._formula)

    def hint(self) -> Hint | None:
        """Winning values if there are any, by SAT; ``None`` for certificates made of clauses."""
        if self.over or self._refuter is None:
            return None
        found = self._refuter.refutation(self.frame.choice)
        if found is None:
            move = self._move((False,) * len(self.block))
            return Hint(move, "no values win any more: the certificate answers all of them")
        move = self._move(tuple(found[v] for v in self.block))
        return Hint(move, f"{move} refutes the certificate")

    # -- playing ----------------------------------------------------------------------------

    def _advance(self, move: MatchMove, why: WhyNot | None, claim: bool) -> tuple[Frame, ...]:
        assert isinstance(move, BlockMove), "checked by why_not"
        before = self.frame
        own = Frame(
            ply=before.ply + 1,
            player=self.person,
            move=move,
            by_certificate=False,
            board=None,
            position=None,
            values=self._values(move),
            choice={**before.choice, **move.assignment()},
            reply=before.reply,
        )
        return self._answered(own)

    def _answered(self, frame: Frame) -> tuple[Frame, ...]:
        """``frame`` and the certificate's blocks behind it, to the person's turn or the end."""
        frames = [frame]
        while True:
            last = frames[-1]
            if last.ply == len(self._blocks):
                frames[-1] = self._finished(last)
                return tuple(frames)
            block = self._blocks[last.ply]
            if block.quantifier is not self._decides:
                return tuple(frames)
            began = time.perf_counter()
            try:
                found = self._oracle.values(last.choice, block.variables)
            except NoAnswerError as error:
                frames[-1] = self._silent(last, error)
                return tuple(frames)
            move = self._move(tuple(found[v] for v in block.variables), last.ply)
            frames.append(
                Frame(
                    ply=last.ply + 1,
                    player=self.certificate_player,
                    move=move,
                    by_certificate=True,
                    board=None,
                    position=None,
                    values=self._values(move),
                    seconds=time.perf_counter() - began,
                    choice=last.choice,
                    reply={**last.reply, **found},
                )
            )

    def _values(self, move: BlockMove) -> tuple[NamedValue, ...]:
        return tuple(
            NamedValue(name, name, variable, value, Group.BLOCK)
            for variable, name, value in zip(move.variables, move.names, move.values, strict=True)
        )

    def _finished(self, frame: Frame) -> Frame:
        formula = self._formula
        verdict = formula.truth({**frame.choice, **frame.reply})
        promised = verdict is (self.certificate_player is Player.BLACK)
        winner = self.certificate_player if promised else self.person
        name = formula.name(abs(formula.output))
        signed = f"-{name}" if formula.output < 0 else name
        value = NamedValue("verdict", signed, formula.output, verdict, Group.VERDICT)
        reason = f"the matrix is {'true' if verdict else 'false'}"
        findings: tuple[Finding, ...] = ()
        if not promised:
            evidence = Evidence(formula.output, signed, verdict, "output")
            findings = (self._finding(FindingKind.VERDICT_DIFFERS, frame, reason, (evidence,)),)
        return _with(
            frame,
            MatchOutcome(winner, reason, promised, verdict, f"output {signed}"),
            findings,
            (*frame.values, value),
        )

    def _silent(self, frame: Frame, error: NoAnswerError) -> Frame:
        finding = self._finding(FindingKind.CERTIFICATE_SILENT, frame, str(error))
        reason = "the certificate has no answer"
        outcome = MatchOutcome(self.person, reason, False, None)
        return _with(frame, outcome, (finding,), frame.values)

    def _finding(
        self, kind: FindingKind, frame: Frame, detail: str, evidence: tuple[Evidence, ...] = ()
    ) -> Finding:
        blocks = self._blocks[: frame.ply]
        values = {**frame.choice, **frame.reply}
        moves = tuple(
            str(self._move(tuple(values[v] for v in block.variables), k))
            for k, block in enumerate(blocks)
        )
        return Finding(kind, frame.ply, detail, evidence=evidence, moves=moves)


def _with(
    frame: Frame,
    outcome: MatchOutcome,
    findings: tuple[Finding, ...],
    values: tuple[NamedValue, ...],
) -> Frame:
    """A frame with the end of the play."""
    return replace(frame, outcome=outcome, findings=frame.findings + findings, values=values)
