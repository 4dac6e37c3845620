"""Verdicts of a validation: five different values, none of which can be taken for another."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.errors import Exit
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class Proved:
    """The claim holds; ``how`` says which check established it."""

    how: str

    @property
    def exit_code(self) -> Exit:
        """0."""
        return Exit.FINE

    def __str__(self) -> str:
        return f"proved: {self.how}"


@dataclass(frozen=True, slots=True)
class Refuted:
    """The claim fails: ``findings`` (at least one) say where and how to replay it."""

    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        if not self.findings:
            raise ValueError("a refutation needs a finding")

    @property
    def exit_code(self) -> Exit:
        """1."""
        return Exit.REFUTED

    def __str__(self) -> str:
        more = len(self.findings) - 1
        return f"refuted: {self.findings[0].text}" + (f" (and {more} more)" if more else "")


@dataclass(frozen=True, slots=True)
class Sampled:
    """Some cases were tried and nothing was wrong with them; ``what`` says how many of what.

    Nothing is proved by that.
    """

    what: str

    @property
    def exit_code(self) -> Exit:
        """3."""
        return Exit.UNDECIDED

    def __str__(self) -> str:
        return f"no fault found in {self.what}"


@dataclass(frozen=True, slots=True)
class Undecided:
    """A limit was reached, or only a part was tried; ``why`` says which."""

    why: str

    @property
    def exit_code(self) -> Exit:
        """3."""
        return Exit.UNDECIDED

    def __str__(self) -> str:
        return f"undecided: {self.why}"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The question cannot be asked of these files; ``what`` says what is missing."""

    what: str

    @property
    def exit_code(self) -> Exit:
        """2."""
        return Exit.BAD_INPUT

    def __str__(self) -> str:
        return f"unsupported: {self.what}"


Verdict = Proved | Refuted | Sampled | Undecided | Unsupported
