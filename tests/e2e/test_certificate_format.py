"""The files beside the specification of certificates get the answers that its table says."""

from __future__ import annotations

import csv
import re

import pytest

from qsage_validate.errors import Exit
from tests.conftest import REPOSITORY

from .conftest import Qsage

FOLDER = REPOSITORY / "certificates" / "conformance"
PAGE = REPOSITORY / "docs" / "reference" / "certificate-format.md"
CODES = {"proved": Exit.FINE, "refuted": Exit.REFUTED, "malformed": Exit.BAD_INPUT}
with (FOLDER / "cases.csv").open(encoding="utf-8") as table:
    CASES = list(csv.DictReader(table))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["certificate"]))
def test_the_answer_is_that_of_the_table(qsage: Qsage, case: dict[str, str]) -> None:
    files = (FOLDER / case["formula"], "--cert", FOLDER / case["certificate"])
    # A clause certificate that leaves a choice is refuted by a play, which has a seed.
    levels = ("--level", "formula", "--level", "random")
    done = qsage("validate", *files, "--level", "dependencies", *levels)
    assert done.code == CODES[case["answer"]], done.out + done.err


def test_every_file_and_every_rule_is_named() -> None:
    named = {case[kind] for case in CASES for kind in ("certificate", "formula")}
    assert named == {path.name for path in FOLDER.iterdir()} - {"cases.csv"}
    rules = set(re.findall(r"^\*\*([A-Z][0-9])\.", PAGE.read_text(), re.MULTILINE))
    assert {case["rule"] for case in CASES} <= rules
