"""Verdicts: the sentence, and the part of it that follows the word."""

from __future__ import annotations

from qsage_validate.errors import Exit
from qsage_validate.validation.finding import Sampled


def test_sampled_says_what_was_tried_and_gives_it_as_its_reason() -> None:
    verdict = Sampled("1,000 plays")
    assert str(verdict) == "no fault found in 1,000 plays"
    assert verdict.reason == "1,000 plays"
    assert verdict.exit_code is Exit.UNDECIDED
