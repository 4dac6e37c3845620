"""A random adversary in the game of blocks: random values for the opponent's variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qsage_validate.arena.adversary import Adversary, Results
from qsage_validate.arena.draws import Draws
from qsage_validate.certificates.oracles.oracle import NoAnswerError, Oracle, ask
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import Certificate
from qsage_validate.problems.solving import ContradictionError
from qsage_validate.validation.finding import Evidence, Finding, FindingKind


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
        by_blocks: bool = False,
    ) -> None:
        """``by_blocks`` asks for every reply: an oracle that solves has no function for them."""
        super().__init__(seed)
        self._formula = formula
        self._player = certificate.kind.player
        self._blocks = [
            scope.variables
            for scope in formula.merged_scopes()
            if scope.quantifier is not certificate.kind.decides
        ]
        self._oracle = oracle
        replies = formula.variables(certificate.kind.decides) if by_blocks else ()
        self._asked = (*replies, formula.output)
        self._replay = replay

    def play(self, numbers: Sequence[int]) -> Results:
        """Play the plays of these numbers side by side; findings have their replay commands."""
        results = Results()
        choices = [self._draw(number) for number in numbers]
        for choice, won in zip(choices, self._won(choices), strict=True):
            moves = self._moves(choice)
            results.texts.append("; ".join(moves))
            undecided = isinstance(won, UndecidedError)
            results.promised.append(None if undecided else won is True)
            if won is not True and not undecided:
                results.findings.add([self._finding(moves, won)])
        return results

    def _draw(self, number: int) -> dict[int, bool]:
        draws = Draws(self.seed, number)
        return {v: draws.random() < 0.5 for block in self._blocks for v in block}

    def _won(
        self, choices: Sequence[dict[int, bool]]
    ) -> list[bool | NoAnswerError | UndecidedError]:
        """Whether the certificate's side wins each play, or why it has no answer."""
        try:
            values = ask(self._oracle, choices, self._asked)[:, -1].tolist()
        except (NoAnswerError, UndecidedError) as error:
            if len(choices) == 1:
                return [error]
            return [won for choice in choices for won in self._won([choice])]
        return [value is (self._player is Player.BLACK) for value in values]

    def _moves(self, choice: dict[int, bool]) -> tuple[str, ...]:
        name = self._formula.name
        return tuple(
            " ".join(f"{name(v)}={int(choice[v])}" for v in block) for block in self._blocks
        )

    def _finding(self, moves: tuple[str, ...], lost: object) -> Finding:
        plies, replay = len(self._formula.merged_scopes()), self._replay(moves)
        if isinstance(lost, NoAnswerError):
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
