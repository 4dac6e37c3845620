"""Findings that are alike, told together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from qsage_validate.proving.run import LevelResult
from qsage_validate.validation.finding import Finding, FindingKind


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """All findings of one kind.

    ``levels`` are the levels that found them, each with its number; ``findings`` are the different
    ones, the shortest play first: what several levels found alike is one.
    """

    kind: FindingKind
    levels: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]


def groups_of(found: Iterable[tuple[LevelResult, Finding]]) -> tuple[FindingGroup, ...]:
    """The findings by their kinds, in the order in which the kinds were first seen."""
    levels: dict[FindingKind, Counter[str]] = {}
    different: dict[FindingKind, dict[tuple[str, tuple[str, ...]], Finding]] = {}
    for result, finding in found:
        levels.setdefault(finding.kind, Counter())[result.level.value] += 1
        own = different.setdefault(finding.kind, {})
        own.setdefault((finding.text, finding.moves), finding)
    return tuple(
        FindingGroup(
            kind,
            tuple(number.items()),
            # Findings without a play are about all of it.
            tuple(sorted(different[kind].values(), key=lambda own: len(own.moves))),
        )
        for kind, number in levels.items()
    )
