"""The report of a validation: what each level found, and the sentences that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import Exit, Undecided, one_line
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import LevelResult
from qsage_validate.proving.statements import Conclusions, Statement, StatementSubject
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.verdict import Claimed, Proved, Refuted, Sampled

_UNPROVED: Final = (StatementSubject.SAMPLE, StatementSubject.CLAIM)


@dataclass(frozen=True)
class ValidationReport:
    """A validation: what was checked, what follows, and who is to blame.

    ``conclusions`` are the sentences that the proved levels imply; ``blame`` is a sentence
    fragment that names model, encoding, solver's answer or certificate, empty when nothing is
    wrong; ``interrupted`` says that levels are missing.
    """

    subject: str
    results: tuple[LevelResult, ...]
    conclusions: Conclusions = field(default_factory=Conclusions)
    blame: str = ""
    interrupted: bool = False
    facts: Mapping[str, object] = field(default_factory=dict)

    def result(self, level: Level) -> LevelResult | None:
        """The result of one level, if it was run."""
        return next((r for r in self.results if r.level is level), None)

    @property
    def contradictions(self) -> tuple[Finding, ...]:
        """Findings about levels whose verdicts contradict each other."""
        return self.conclusions.contradictions

    def _has(self, kind: type) -> bool:
        return any(isinstance(result.verdict, kind) for result in self.results)

    @property
    def exit_code(self) -> Exit:
        """Refuted before undecided before fine; what was not proved at all is undecided."""
        if self.interrupted:
            return Exit.INTERRUPTED
        if self.contradictions or self._has(Refuted):
            return Exit.REFUTED
        if self._has(Undecided) or self._has(Claimed) or not self._has(Proved):
            return Exit.UNDECIDED
        return Exit.FINE

    @property
    def word(self) -> str:
        """The verdict of the whole in a word.

        ``valid``: something is proved about formula or game; ``proved``: only about the functions
        or the boards; ``claimed``: a solver says what was asked, unchecked; ``sampled``: plays
        were tried, nothing is proved.
        """
        if self.interrupted:
            return "interrupted"
        code = self.exit_code
        if code is Exit.REFUTED:
            return "refuted"
        if code is Exit.FINE:
            return "valid" if any(map(_weighty, self.conclusions.statements)) else "proved"
        if self._has(Undecided):
            return "undecided"
        return "claimed" if self._has(Claimed) else "sampled" if self._has(Sampled) else "undecided"

    @property
    def sentences(self) -> tuple[Statement, ...]:
        """The statements that no stronger one makes superfluous; of what is proved alone."""
        asserted = [
            s for s in self.conclusions.statements if s.about is StatementSubject.ASSERTIONS
        ]
        apart = (*_UNPROVED, StatementSubject.ASSERTIONS)
        said = [s for s in self.conclusions.statements if s.about not in apart]
        weighty = [s for s in said if _weighty(s)]
        if any(s.about is StatementSubject.GAME for s in weighty):
            weighty = [s for s in weighty if s.about is not StatementSubject.ENCODING]
        return (*(weighty or said), *asserted)

    @property
    def claim(self) -> str:
        """The proved sentences in words; empty if nothing is proved."""
        return "; ".join(statement.text for statement in self.sentences)

    @property
    def last_line(self) -> str:
        """One line that a person can quote; it says no more than the levels that passed."""
        return f"{one_line(self.subject, 4000)}: {'; '.join(self._parts())}"

    def _levels(self, kind: type) -> str:
        names = [r.level.value for r in self.results if isinstance(r.verdict, kind)]
        return ", ".join(names) or "nothing"

    def _parts(self) -> Iterator[str]:
        word, proved = self.word, self._levels(Proved)
        if word == "interrupted":
            yield f"interrupted; proved so far: {proved}"
        elif word == "refuted":
            blame = f": {self.blame}" if self.blame else ""
            levels = f" ({self._levels(Refuted)})" if self._has(Refuted) else ""
            yield f"refuted{levels}{blame}"
            if any(r.level is Level.ENCODING and r.findings for r in self.results):
                yield from (s.text for s in self.sentences if s.about is StatementSubject.ENCODING)
        elif word in ("valid", "proved"):
            yield f"{word}: {self.claim} ({proved})"
        elif word == "claimed":
            yield f"claimed ({self._levels(Claimed)}); proved: {proved}"
        elif self._has(Undecided):
            yield f"undecided ({self._levels(Undecided)}); proved: {proved}"
        elif not self._has(Sampled):
            yield "nothing could be checked"
        if word not in ("interrupted", "refuted"):
            statements = self.conclusions.statements
            yield from (s.text for s in statements if s.about in _UNPROVED)

    def to_dict(self) -> dict[str, object]:
        """Everything, for ``--json``."""
        from qsage_validate.system.json_keys import snake_key

        return {
            "subject": self.subject,
            "claim": self.claim,
            "verdict": self.word,
            "summary": self.last_line,
            "statements": [statement.to_dict() for statement in self.conclusions.statements],
            "contradictions": [finding.to_dict() for finding in self.contradictions],
            "blame": self.blame,
            "levels": [result.to_dict() for result in self.results],
            # The names of files below are not ours.
            "facts": {snake_key(name): fact for name, fact in self.facts.items()},
        }

    def __repr__(self) -> str:
        return f"<ValidationReport {self.last_line}>"


def _weighty(statement: Statement) -> bool:
    return statement.about in (
        StatementSubject.GAME,
        StatementSubject.FORMULA,
        StatementSubject.ENCODING,
    )
