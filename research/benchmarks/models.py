"""The models that benchmarks speak of, and the figures of other tools beside which they stand.

The figures of Q-sage's encodings and of QuAbS with certification were measured on a machine
with two cores; they are for comparison only.
"""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.games.bddl.model import Model
from tests.support.by_name import resolve_model


@dataclass(frozen=True)
class Case:
    """A model by its command line; ``None`` where there is no figure (or no answer in 60 s).

    ``foreign_gates`` are the gates of Q-sage's QCIR, ``quabs_ands`` and ``quabs_seconds`` the
    certificate that QuAbS finds for it.
    """

    name: str
    words: str
    foreign_gates: int | None = None
    quabs_ands: int | None = None
    quabs_seconds: float | None = None

    def model(self) -> Model:
        """The model, from the project's own templates."""
        name, *rest = self.words.split()
        options: dict[str, object] = {}
        for word in rest:
            if word.startswith("--"):
                options[word[2:]] = True
            else:
                options[list(options)[-1]] = word
        return resolve_model([name], options)


CASES = (
    Case("Domino 3x3 d3", "httt --shape domino --size 3x3 --depth 3", 269, 8_000, 0.024),
    Case("Tic 4x4 d5", "httt --shape tic --size 4x4 --depth 5", 382, 290_816, 0.898),
    Case("El 3x3 d5", "httt --shape el --size 3x3 --depth 5", 436, 360_931, 1.023),
    Case("El 4x4 d5", "httt --shape el --size 4x4 --depth 5", 401, 627_255, 2.17),
    Case("Elly 4x4 d7", "httt --shape elly --size 4x4 --depth 7", 631),
    Case("Tippy 3x3 d9", "httt --shape tippy --size 3x3 --depth 9", 707, 10_724_094, 36.3),
    Case("Tippy 4x4 d9", "httt --shape tippy --size 4x4 --depth 9", 656),
    Case("Connect-2 3x3 d3", "connect-c --connect 2 --size 3x3 --depth 3", 386, 15_802, 0.058),
    Case("Connect-3 4x4 d9", "connect-c --connect 3 --size 4x4 --depth 9", 868),
    Case(
        "Breakthrough 2nd 2x4",
        "breakthrough --size 2x4 --second --depth 9",
        743,
        985_099,
        2.854,
    ),
    Case("Breakthrough 2nd 2x5", "breakthrough --size 2x5 --second --depth 11", 1020),
    Case("Breakthrough 2x6 d15", "breakthrough --size 2x6 --depth 15", 1494),
    Case("Domineering 4x4 d8", "domineering --size 4x4 --depth 8", 510, 711_450, 2.748),
    Case("Domineering 3x5 d8", "domineering --size 3x5 --depth 8", 566, 1_138_680, 2.984),
    Case("Domineering 5x4 d10", "domineering --size 5x4 --depth 10", 699),
    Case("Evader 4x4 d3", "evader-pursuer --size 4x4 --pursuer 2,3 --depth 3", 530, 33_872, 0.173),
    Case("Evader 8x8 d7", "evader-pursuer --size 8x8 --pursuer 3,4 --depth 7", 1590),
    Case("Evader dual 8x8 d6", "evader-pursuer-dual --size 8x8 --pursuer 2,3 --depth 7", 1478),
)
