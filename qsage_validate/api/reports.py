"""Reports of validations and of attacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from qsage_validate.api.values import data_frame, html_table
from qsage_validate.arena.adversary import AdversaryReport
from qsage_validate.errors import Exit, counted
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.proving import report
from qsage_validate.proving.run import LevelResult
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True)
class Report:
    """The verdict and findings of each level of a validation, and the sentences that follow.

    ``qsage help proved`` says what each sentence means and what it rests on.
    """

    whole: report.ValidationReport = field(repr=False)
    problem: Problem = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether something is proved, nothing refuted and nothing left undecided."""
        return self.whole.exit_code is Exit.FINE

    @property
    def verdict(self) -> str:
        """``valid``, ``proved``, ``refuted``, ``sampled``, ``undecided`` or ``interrupted``."""
        return self.whole.word

    @property
    def summary(self) -> str:
        """One line to quote; it says no more than the levels that passed."""
        return self.whole.last_line

    @property
    def statements(self) -> tuple[str, ...]:
        """The sentences that are proved, and the one about samples."""
        return tuple(statement.text for statement in self.whole.conclusions.statements)

    @property
    def levels(self) -> Mapping[str, LevelResult]:
        """The results by level, each with ``word``, ``said``, ``seconds`` and ``findings``."""
        return {result.level.value: result for result in self.whole.results}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, each with ``text``, ``moves`` and ``replay``; empty if there are none."""
        return tuple(f for result in self.whole.results for f in result.findings)

    def to_dict(self) -> dict[str, object]:
        """Everything, as ``qsage validate --json`` writes it."""
        return self.whole.to_dict()

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each level (extra ``frame``)."""
        return data_frame(result.to_dict() for result in self.whole.results)

    def html(self) -> str:
        """The self-contained page that ``qsage validate --report`` writes."""
        return report_page(self.whole, self.problem, self.problem.game)

    def save_html(self, path: str | PathLike[str]) -> None:
        """Write :meth:`html` to a file, all of it or nothing."""
        from qsage_validate.formats.writing import write_atomic

        write_atomic(fspath(path), self.html().encode())

    def __repr__(self) -> str:
        return f"<Report {self.summary}>"

    def _repr_html_(self) -> str:
        rows = [(r.level.value, r.word, f"{r.seconds:.2f}", r.said) for r in self.whole.results]
        title = html_table([self.summary], [])
        return title + html_table(["level", "verdict", "seconds", "evidence"], rows)


def report_page(
    whole: report.ValidationReport, problem: Problem | None, game: TwoPlayerGame | None
) -> str:
    """The report as an HTML page, with the first refuting play where there is a certificate."""
    from qsage_validate.proving.html_report import html_report, statistics_of

    played = problem
    if problem is None or problem.certificate is None or problem.solving is not None:
        played = None
    numbers = statistics_of(played) if isinstance(played, BoardProblem) else None
    return html_report(whole, played, numbers, game=game)


@dataclass(frozen=True)
class Attack:
    """The results of random plays, which find faults and prove nothing."""

    report: AdversaryReport = field(repr=False)

    @property
    def games(self) -> int:
        """The number of plays."""
        return self.report.games

    @property
    def wins(self) -> int:
        """The plays that the strategy won as promised."""
        return self.report.wins

    @property
    def losses(self) -> int:
        """The plays that it did not win as promised."""
        return self.report.losses

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The first hundred of what was found."""
        return self.report.findings

    @property
    def ok(self) -> bool:
        """Whether every play was won as promised and nothing was found."""
        return self.report.clean

    def to_dict(self) -> dict[str, object]:
        """Everything, as ``qsage play --white random --json`` writes it."""
        return self.report.to_dict()

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each finding (extra ``frame``)."""
        return data_frame(finding.to_dict() for finding in self.findings)

    def __repr__(self) -> str:
        found = self.report.findings_total
        return (
            f"<Attack {counted(self.games, 'game')}: {self.wins} won, {self.losses} lost, "
            f"{counted(found, 'finding')}>"
        )

    def _repr_html_(self) -> str:
        return html_table(["", ""], ((k, v) for k, v in self.to_dict().items() if k != "findings"))
