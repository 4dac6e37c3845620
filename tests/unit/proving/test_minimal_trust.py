"""The kernel alone says no more than the default: it trusts less."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from qsage_validate.certificates.reader import parse_certificate
from qsage_validate.formats.formula import read_formula
from qsage_validate.proving.formula_level import check_formula
from qsage_validate.validation.finding import Proved, Refuted

MATRICES = ("2 0", "1 2 0", "-1 2 0\n1 -2 0", "1 2 0\n2 3 0", "3 0\n2 -3 0", "2 -2 0")


def _formula(path: Path, clauses: str) -> None:
    count = clauses.count("\n") + 1
    path.write_text(f"p cnf 3 {count}\na 1 0\ne 2 3 0\n{clauses}\n")


def _words(formula: Path, clauses: list[str]) -> tuple[str, str]:
    qbf = read_formula(str(formula))
    text = f"p cnf 5 {sum(c.count(' 0') for c in clauses)}\n" + "".join(clauses)
    certificate = parse_certificate(text.encode(), qbf, path="c.cnf")
    words = []
    for minimal in (True, False):
        verdict = check_formula(qbf, certificate, minimal=minimal).verdict
        words.append("proved" if isinstance(verdict, Proved) else
                     "refuted" if isinstance(verdict, Refuted) else "undecided")  # fmt: skip
    return words[0], words[1]


def _block(variable: int, clauses: str) -> str:
    return f"c Model for variable {variable}.\n{clauses}\n"


@pytest.mark.parametrize(
    ("clauses", "minimal", "default"),
    [
        ("2 -1 0\n-2 1 0", "proved", "proved"),
        ("2 -1 0", "undecided", "undecided"),  # open, and one of its values loses
        ("2 0\n-2 1 0", "refuted", "refuted"),  # contradictory
        ("2 0\n-2 0", "refuted", "refuted"),
        ("-2 -1 0\n2 1 0", "refuted", "refuted"),
    ],
)
def test_clauses_that_are_open_or_contradictory(
    tmp_path: Path, clauses: str, minimal: str, default: str
) -> None:
    _formula(tmp_path / "f.qdimacs", MATRICES[2])
    blocks = [_block(2, clauses), _block(3, "3 0")]
    assert _words(tmp_path / "f.qdimacs", blocks) == (minimal, default)


def test_random_clauses(tmp_path: Path) -> None:
    rng = random.Random(0)
    seen = set()
    for number in range(150):
        _formula(tmp_path / "f.qdimacs", rng.choice(MATRICES))
        blocks = []
        for variable, others in ((2, (1,)), (3, (1, 2))):
            lines = []
            for _ in range(rng.randrange(1, 4)):
                more = [rng.choice((-1, 1)) * v for v in others if rng.random() < 0.6]
                lines.append(" ".join(map(str, (*more, rng.choice((-1, 1)) * variable, 0))))
            blocks.append(_block(variable, "\n".join(lines)))
        minimal, default = _words(tmp_path / "f.qdimacs", blocks)
        seen.add((minimal, default))
        assert minimal in (default, "undecided"), (number, blocks)
    assert {("proved", "proved"), ("refuted", "refuted"), ("undecided", "proved")} <= seen
