"""Whether the strategy of one formula wins in another one, too."""

from __future__ import annotations

from dataclasses import dataclass, field

from qsage_validate.api.formulas import Formula
from qsage_validate.api.strategies import Strategy, certify
from qsage_validate.api.values import FileSource, as_paths, parameter_words
from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.comparing.compare import (
    ComparedStrategy,
    compared,
    compared_both,
    compared_exactly,
    read_from,
    relation,
)
from qsage_validate.comparing.exact import QUESTIONS, ExactComparison, Loses
from qsage_validate.errors import Exit
from qsage_validate.system.limits import Deadline, Limits


@dataclass(frozen=True)
class Comparison:
    """The result of putting strategies into each other's formula.

    ``relation`` is ``wins``, ``loses`` or ``undecided`` for one strategy in one formula; of two
    formulas ``equivalent``, ``stronger``, ``weaker``, ``different`` or ``undecided``, the first
    one named first.  ``ok`` says that each strategy that was asked for wins.
    """

    relation: str
    ok: bool
    there: ComparedStrategy = field(repr=False)
    back: ComparedStrategy | None = field(repr=False, default=None)

    @property
    def reason(self) -> str:
        """The proof, or the play that is lost."""
        both = [self.there, *([] if self.back is None else [self.back])]
        return "; ".join(str(each.outcome) for each in both)

    @property
    def play(self) -> tuple[str, ...]:
        """A play that is lost, by its moves; empty where there is none."""
        both = [self.there, *([] if self.back is None else [self.back])]
        plays = [e.outcome.play for e in both if isinstance(e.outcome, Loses)]
        return tuple(plays[0]) if plays else ()

    @property
    def shared(self) -> str:
        """Over what they were compared: moves of one ply, equal names, or a list."""
        return self.there.shared

    def to_dict(self) -> dict[str, object]:
        """The fields, as JSON has them."""
        fields = {"relation": self.relation, "ok": self.ok, "reason": self.reason}
        return {**fields, "shared": self.shared, "play": list(self.play)}


@parameter_words
def compare(
    first: Strategy | Formula,
    second: Formula,
    *,
    shared: FileSource | None = None,
    solver: str | None = None,
    timeout: float | None = None,
) -> Comparison:
    """Whether a strategy wins in ``second``, too; of two formulas: each one's in the other.

    ``shared`` is a file of the variables that are the same in both; without it moves of one ply
    are, where both have layouts, else equal names.  ``qsage help compare`` has the
    theorems.  Raises ``InputError`` for a list that does not fit, ``UndecidedError`` where a
    strategy of a formula was not found in time.
    """
    options = RouteOptions(solver=solver, limits=Limits(Deadline.after(timeout)))
    with as_paths(shared=shared) as files:
        path = files["shared"]
        pairs = None if path is None else read_from(path)
        if isinstance(first, Strategy):
            there = compared(first.problem, second.problem, pairs, options)
            ok = there.outcome.exit_code is Exit.FINE
            return Comparison(there.outcome.word, ok, there)
        one, two = (certify(each, solver=solver, timeout=timeout) for each in (first, second))
        there, back = compared_both(one.problem, two.problem, pairs, options)
    found = relation(there.outcome, back.outcome)
    return Comparison(found.name.lower(), found.exit_code is Exit.FINE, there, back)


@parameter_words
def compare_exactly(
    first: Formula,
    second: Formula,
    *,
    shared: FileSource | None = None,
    solver: str | None = None,
    timeout: float | None = None,
    questions: int = QUESTIONS,
) -> ExactComparison:
    """Which first moves win in each formula, and which replies after each, one by one.

    ``shared`` as in ``compare``; where it is given, and without layouts, values of the first two
    blocks.  ``timeout`` (seconds) and ``questions`` are limits: what they leave open is ``None``.
    Raises ``InputError`` for a list that does not fit, ``UsageError`` for formulas whose first
    turns cannot be compared.
    """
    options = RouteOptions(solver=solver, limits=Limits(Deadline.after(timeout)))
    with as_paths(shared=shared) as files:
        path = files["shared"]
        pairs = None if path is None else read_from(path)
        problems = first.problem, second.problem
        return compared_exactly(*problems, pairs, options, questions=questions)
