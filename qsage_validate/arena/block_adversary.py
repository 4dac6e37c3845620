"""Random plays of values, block by block, without a board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from qsage_validate.arena.adversary import Adversary, Draws, PlayResults
from qsage_validate.certificates.oracles.oracle import NoAnswerError, Oracle, ask
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import Certificate
from qsage_validate.validation.finding import Evidence, Finding, FindingKind

if TYPE_CHECKING:
    from qsage_validate.validation.assertions import Asserted


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
        from qsage_validate.arena.watch import broken_by_values

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
            from qsage_validate.problems.solving import ContradictionError

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
