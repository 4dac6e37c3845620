"""A random adversary in the game of blocks: random values for the opponent's variables."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence

from qsage_validate.arena.adversary import BATCH, KEPT_FINDINGS, AdversaryReport, Results
from qsage_validate.arena.draws import Draws
from qsage_validate.certificates.oracles.oracle import NoAnswerError, Oracle, ask
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import Certificate
from qsage_validate.validation.finding import Evidence, Finding, FindingKind


class BlockAdversary:
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
    ) -> None:
        self._formula = formula
        self._player = certificate.kind.player
        self._blocks = [
            scope.variables
            for scope in formula.merged_scopes()
            if scope.quantifier is not certificate.kind.decides
        ]
        self._oracle = oracle
        self._seed = seed
        self._replay = replay

    def run(
        self,
        games: int,
        *,
        batch: int = BATCH,
        progress: Callable[[int], None] = lambda done: None,
    ) -> AdversaryReport:
        """Play ``games`` plays; ``progress`` is told how many are done."""
        if games < 1:
            raise UsageError(f"found {games} games, expected 1 or more")
        results, digest = Results(), hashlib.sha256()
        began = time.perf_counter()
        for first in range(0, games, batch):
            numbers = range(first, min(first + batch, games))
            part = self.play(numbers)
            digest.update("".join(f"{text}\n" for text in part.texts).encode())
            part.texts.clear()
            results.add(part)
            progress(numbers.stop)
        wins = results.promised.count(True)
        return AdversaryReport(
            games=games,
            wins=wins,
            losses=games - wins,
            undecided=0,
            illegal_tried=0,
            illegal_flagged=0,
            findings=tuple(list(results.findings.values())[:KEPT_FINDINGS]),
            findings_total=len(results.findings),
            seed=self._seed,
            seconds=time.perf_counter() - began,
            digest=digest.hexdigest(),
        )

    def play(self, numbers: Iterable[int]) -> Results:
        """Play the plays of these numbers side by side; findings have their replay commands."""
        results = Results()
        choices = [self._draw(number) for number in numbers]
        for choice, won in zip(choices, self._won(choices), strict=True):
            moves = self._moves(choice)
            results.texts.append("; ".join(moves))
            results.promised.append(won is True)
            if won is not True:
                results.find([self._finding(moves, silent=won is None)])
        return results

    def _draw(self, number: int) -> dict[int, bool]:
        draws = Draws(self._seed, number)
        return {v: draws.random() < 0.5 for block in self._blocks for v in block}

    def _won(self, choices: Sequence[dict[int, bool]]) -> list[bool | None]:
        """Whether the certificate's side wins each play; ``None`` where it has no answer."""
        try:
            values = ask(self._oracle, choices, [self._formula.output])[:, 0].tolist()
        except NoAnswerError:
            if len(choices) == 1:
                return [None]
            return [won for choice in choices for won in self._won([choice])]
        return [value is (self._player is Player.BLACK) for value in values]

    def _moves(self, choice: dict[int, bool]) -> tuple[str, ...]:
        name = self._formula.name
        return tuple(
            " ".join(f"{name(v)}={int(choice[v])}" for v in block) for block in self._blocks
        )

    def _finding(self, moves: tuple[str, ...], *, silent: bool) -> Finding:
        plies, replay = len(self._formula.merged_scopes()), self._replay(moves)
        if silent:
            detail = "the certificate has no answer to these values"
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
