"""The levels of a validation, declared.

Nothing heavy is loaded here: completion and help ask for the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from qsage_validate.errors import UsageError, did_you_mean


class Level(Enum):
    """The levels of a validation, in the order in which they run.

    Each is declared with its name in reports (the value), its number in the design (1
    dependencies, 2 formula, 3 plays, 4 rules), its question, the place of the function that asks it
    of a ``ValidationRun``, and the name that ``--level`` takes where it is another one.  The
    function is loaded when the level runs; its result is ``None`` where the question cannot be
    asked.  A trace proves what level 2 proves, of the formula's truth without a certificate.

    Extensions add none: what a proved level implies is a theorem of ``report.py``.
    """

    _value_: str
    number: int
    question: str
    option: str
    place: str

    DEPENDENCIES = (
        "dependencies",
        1,
        "does each function read only variables left of its own?",
        "formula_level:dependencies_level",
    )
    FORMULA = (
        "formula",
        2,
        "does no choice of the opponent beat the functions?",
        "formula_level:formula_level",
    )
    RANDOM = (
        "random plays",
        3,
        "are random plays won as promised?",
        "random_plays:random_level",
        "random",
    )
    EXHAUSTIVE = (
        "all plays",
        3,
        "are all legal plays won as promised?",
        "exhaustive:exhaustive_level",
        "all",
    )
    RULES = (
        "rules",
        4,
        "does the strategy win every play by the rules? (by SAT)",
        "rules_level:rules_level",
    )
    BOARDS = (
        "boards",
        4,
        "are the formula's boards and legality those of the rules? (by SAT)",
        "rules_level:boards_level",
    )
    ENCODING = (
        "encoding",
        4,
        "is the formula true exactly when Black wins by the rules? (by SAT)",
        "rules_level:encoding_level",
    )
    ASSERTIONS = (
        "assertions",
        4,
        "does what is asserted hold in every play? (by SAT)",
        "rules_level:assertions_level",
    )
    TRACE = (
        "trace",
        2,
        "does each step of the solver's trace follow?",
        "formula_level:trace_level",
    )

    def __new__(cls, value: str, number: int, question: str, place: str, option: str = "") -> Level:
        level = object.__new__(cls)
        level._value_, level.number, level.question = value, number, question
        level.option, level.place = option or value, f"qsage_validate.proving.{place}"
        return level


LEVELS: Final[Mapping[str, Level]] = {level.option: level for level in (Level.TRACE, *Level)}
"""The levels by the names that ``--level`` takes."""


def levels_named(names: Iterable[str]) -> tuple[Level, ...]:
    """The levels of these names, or of one, in the order of a run; raises ``UsageError``.

    Those of reports are taken, too.
    """
    wanted, named = set(), {**{level.value: level for level in Level}, **LEVELS}
    for name in (names,) if isinstance(names, str) else names:
        if name not in named:
            known = ", ".join(LEVELS)
            near = did_you_mean(name, LEVELS)
            raise UsageError(f"found --level {name}{near}, expected one of {known}")
        wanted.add(named[name])
    return tuple(level for level in Level if level in wanted)
