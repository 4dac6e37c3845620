"""Verdicts of a validation: six types, so that none can be mistaken for another."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.errors import Conclusion, Exit, Proof, Refutation, Undecided
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class Proved(Proof):
    """The claim holds; ``reason`` says which check established it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refuted(Refutation):
    """The claim fails: ``findings`` (at least one) say where and how to replay it."""

    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        if not self.findings:
            raise ValueError("a refutation needs a finding")

    @property
    def reason(self) -> str:
        more = len(self.findings) - 1
        return self.findings[0].text + (f" (and {more} more)" if more else "")

    def __repr__(self) -> str:
        return f"<Refuted: {len(self.findings)} findings>"


@dataclass(frozen=True, slots=True)
class Sampled(Conclusion):
    """Some cases were tried and nothing was wrong with them; ``reason`` says how many of what.

    Nothing is proved by that.
    """

    word = "no fault found"
    exit_code = Exit.UNDECIDED

    reason: str

    def __str__(self) -> str:
        return f"{self.word} in {self.reason}"


@dataclass(frozen=True, slots=True)
class Claimed(Conclusion):
    """A solver, or a file, says that the claim holds; ``reason`` says who says what, unchecked.

    Nothing is proved by that.
    """

    word = "claimed"
    exit_code = Exit.UNDECIDED

    reason: str


@dataclass(frozen=True, slots=True)
class Unsupported(Conclusion):
    """The question cannot be asked of these files; ``reason`` says what is missing."""

    word = "unsupported"
    exit_code = Exit.BAD_INPUT

    reason: str


Verdict = Proved | Refuted | Sampled | Claimed | Undecided | Unsupported
