"""The check of a solution file, and its replies in plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from qsage_validate.errors import Exit, InputError, Proof, Refutation
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.solutions.walk import LayerRules, PlainRules, Walked, fault_of, walk
from qsage_validate.system.limits import NEVER, Deadline, Stopwatch, Tell, nobody

# The proof of a solution: a theorem with its hypotheses, or a play that breaks the claim


def _grid(game: Any) -> LayerRules[Any, Any]:
    from qsage_validate.solutions.grid import MOST_SQUARES, GridRules

    return GridRules(game) if game.grounding.squares <= MOST_SQUARES else PlainRules(game)


_RULES: Final[Mapping[str, Callable[[Any], LayerRules[Any, Any]]]] = {"bddl": _grid}


def rules_for(game: TwoPlayerGame) -> LayerRules[Any, Any]:
    """The rules of a game as the walk asks for them: on arrays where it can be."""
    return _RULES.get(game.language, PlainRules)(game)


@dataclass(frozen=True, slots=True)
class CheckedSolution:
    """The result of a walk through a solution's plays; ``seconds`` are of wall time."""

    solution: SolutionClaim
    how: str
    walked: Walked
    seconds: float

    @property
    def proved(self) -> bool:
        """True if the claim holds, false if a play breaks it."""
        return self.walked.refuted is None

    @property
    def word(self) -> str:
        """``proved`` or ``refuted``."""
        return Proof.word if self.proved else Refutation.word

    @property
    def exit_code(self) -> Exit:
        """The exit code that says the same."""
        return Proof.exit_code if self.proved else Refutation.exit_code

    @property
    def play(self) -> tuple[str, ...]:
        """The moves of a play that breaks the claim; none where it is proved."""
        return () if self.walked.refuted is None else self.walked.refuted.moves

    @property
    def text(self) -> str:
        """The verdict in a sentence."""
        if self.walked.refuted is not None:
            return f"refuted: {self.walked.refuted.reason}"
        count = f"{self.walked.positions:,} position{'s' * (self.walked.positions != 1)}"
        return f"proved by exhaustive walk, {count}: {self.solution.claim}"

    @property
    def hypotheses(self) -> str:
        """The hypotheses of the proof: what was walked through, and by which rules."""
        game, winner = self.solution.game, self.solution.winner
        language = _SAID[game.language]
        end = "Black's win" if winner is Player.BLACK else "no win of Black's"
        return (
            f"{winner}'s {self.walked.replies:,} replies and every move of {winner.other}, by the "
            f"rules of the model in the file ({language}, {self.how}); the longest play has "
            f"{self.walked.longest} plies, and each ends with {end}"
        )

    def to_dict(self) -> dict[str, object]:
        """The fields of the result."""
        refuted = self.walked.refuted
        return {
            "game": self.solution.game.name,
            "winner": self.solution.winner.value,
            "plies": self.solution.game.plies,
            "verdict": self.word,
            "reason": self.text,
            "hypotheses": self.hypotheses if self.proved else None,
            "positions": self.walked.positions,
            "replies": self.walked.replies,
            "replies_in_file": self.solution.positions,
            "longest": self.walked.longest,
            "play": None if refuted is None else list(refuted.moves),
            "seconds": round(self.seconds, 3),
        }


_SAID: Final[Mapping[str, str]] = {
    "bddl": "BDDL",
    "positional": "a positional game",
    "gdl": "GDL",
}


def check(
    solution: SolutionClaim, *, deadline: Deadline = NEVER, tell: Tell = nobody
) -> CheckedSolution:
    """Walk through all plays of a solution's replies.

    Raises ``UndecidedError`` at the deadline, ``InputError`` for replies that are no moves.
    """
    watch = Stopwatch()
    rules = rules_for(solution.game)
    walked = walk(rules, solution.winner, rules.table(solution), deadline=deadline, tell=tell)
    return CheckedSolution(solution, rules.how, walked, watch.seconds)


# The reply of a solution in one position


class Lookup:
    """The replies of a solution by position; nothing of them is proved."""

    def __init__(self, solution: SolutionClaim) -> None:
        self.solution = solution
        self._rules: Any = rules_for(solution.game)
        self._table = self._rules.table(solution)

    def reply(self, position: Position) -> Move:
        """The winner's reply; raises ``InputError`` where there is none that is legal."""
        layer = self._rules.layer(position)
        answers = self._table(position.ply, layer)
        move: Move | None = self._rules.reply(answers, 0, self.solution.winner)
        fault = fault_of(position, 0, move)
        if move is None or (fault is not None and fault.move is None):
            reason = "" if fault is None else fault.reason
            raise InputError(self.solution.path, None, None, reason, "a legal reply")
        return move
