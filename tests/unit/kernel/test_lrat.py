"""The kernel's checker of LRAT proofs, against brute force and against proofs that are damaged."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, InputError
from qsage_validate.kernel.lrat import CheckedProof, ProofError, check_lrat, check_steps, read_cnf
from qsage_validate.kernel.obligation import Clause, Cnf
from qsage_validate.proving.formula_cnf import NotProvedError, refutation
from tests.support.lrat import refutes, satisfiable
from tests.support.rup import parse_cnf

# (1 or 2), (1 or -2), (-1 or 2), (-1 or -2): "1" follows, and then nothing is left.
CNF = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"
PROOF = "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"


def check(folder: Path, cnf: str, proof: str) -> CheckedProof:
    (folder / "a.cnf").write_text(cnf)
    (folder / "a.lrat").write_text(proof)
    return check_lrat(str(folder / "a.cnf"), str(folder / "a.lrat"))


def test_a_proof_is_accepted(tmp_path: Path) -> None:
    assert check(tmp_path, CNF, PROOF) == CheckedProof(clauses=4, steps=2, deletions=2)
    assert check(tmp_path, "p cnf 0 1\n0\n", "2 0 1 0\n") == CheckedProof(1, 1, 0)


@pytest.mark.parametrize(
    ("proof", "message"),
    [
        ("", "1: found the end of the proof, expected the empty clause"),
        ("5 1 0 1 2 0\n", "2: found the end of the proof"),
        ("5 0 3 4 0\n", "1: found hint 3, which forces nothing"),
        ("5 1 0 1 0\n", "1: found hints without a contradiction"),
        ("5 1 0 0\n", "1: found hints without a contradiction"),
        ("5 1 0 1 2 3 0\n", "1: found hints behind a contradiction"),
        ("5 1 0 1 1 2 0\n", "1: found hint 1, which forces nothing"),
        ("5 1 0 7 2 0\n", "1: found hint 7, expected the number of a clause that is there"),
        ("5 1 0 -1 2 0\n", "1: found hint -1, expected the number of a clause that is there"),
        ("5 1 0 5 0\n", "1: found hint 5, expected"),
        ("4 1 0 1 2 0\n", "1: found step 4, expected a number above 4"),
        ("5 1 0 1 2 0\n5 -1 0 3 4 0\n", "2: found step 5, expected a number above 5"),
        ("5 1 -1 0 1 0\n", "1: found a literal and its negation in a step"),
        ("4 d 9 0\n5 1 0 1 2 0\n", "1: found deletion of 9, expected a clause that is there"),
        ("4 d 1 1 0\n", "1: found deletion of 1,"),
        ("5 1 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n", "3: found hint 3, expected the number"),
        (PROOF + "7 1 0 1 0\n", "4: found '7 1 0 1 0', expected the end"),
    ],
)
def test_a_step_that_does_not_follow_is_told_with_its_line(
    tmp_path: Path, proof: str, message: str
) -> None:
    with pytest.raises(ProofError) as caught:
        check(tmp_path, CNF, proof)
    assert f"a.lrat:{message}" in str(caught.value)
    assert caught.value.exit_code is Exit.REFUTED
    assert f"{caught.value.line}: found {caught.value.found}, expected" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        *("x", "5", "5 1 0", "5 1 2 0", "5 1 0 1 0 2 0", "5 1 0 1 2", "5 d 1", "5 d 0 1 0", ""),
        *("5  1 0 1 0", "5 1_0 0 1 0", "+5 1 0 1 0", "5 1 0 1 0 ", "5 \u0661 0 1 0", "5 --1 0 1 0"),
        "c a comment",
    ],
)
def test_a_malformed_line_is_bad_input(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"a\.lrat:1: found .*, expected "):
        check(tmp_path, CNF, f"{line}\n")
    with pytest.raises(InputError, match=r"a\.lrat:3: found .*, expected "):
        check(tmp_path, CNF, PROOF.rstrip("\n"))  # no end of line, the file may be cut off


@pytest.mark.parametrize(
    ("cnf", "place"),
    [
        ("", "1: found nothing, expected p cnf VARIABLES CLAUSES"),
        ("c comment\n" + CNF, "1: found 'c comment', expected p cnf"),
        (CNF.replace("p cnf 2 4", "p cnf 2 5"), "5: found 4 clauses, expected 5 clauses"),
        (CNF.replace("p cnf 2 4", "p cnf 2 3"), "5: found 4 clauses, expected 3 clauses"),
        (CNF.replace("p cnf 2 4", "p cnf 1 4"), "2: found '1 2 0', expected variables up to 1"),
        (CNF.replace("1 -2 0", "1 -2"), "3: found '1 -2', expected one clause"),
        (CNF.replace("1 -2 0", "1 0 -2 0"), "3: found '1 0 -2 0', expected one clause"),
        (CNF.replace("1 -2 0", "1 x 0"), "3: found '1 x 0', expected numbers"),
        (CNF.replace("1 -2 0", "% 0"), "3: found '% 0', expected numbers"),
    ],
)
def test_a_malformed_cnf_is_bad_input(tmp_path: Path, cnf: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        check(tmp_path, cnf, PROOF)
    assert f"a.cnf:{place}" in str(caught.value)


def check_text(cnf: str, proof: str) -> CheckedProof:
    clauses = read_cnf("cnf", cnf.encode().splitlines(keepends=True))
    return check_steps(clauses, proof.encode().splitlines(keepends=True), "proof")


def random_clauses(rng: random.Random) -> tuple[int, list[Clause]]:
    variables = rng.randint(1, 8)
    clauses = []
    for _ in range(rng.randint(2, 6 * variables)):
        chosen = rng.sample(range(1, variables + 1), min(variables, rng.choice((1, 2, 3, 3, 3))))
        clauses.append(tuple(v * rng.choice((1, -1)) for v in chosen))
    return variables, clauses


def test_there_is_a_proof_exactly_when_nothing_satisfies_the_clauses() -> None:
    rng = random.Random(3)
    proved = 0
    for _ in range(400):
        variables, clauses = random_clauses(rng)
        cnf = Cnf(variables, clauses, (), ())
        if satisfiable(clauses):
            with pytest.raises(NotProvedError):
                refutation(cnf)
            continue
        text, proof = "".join(cnf.lines()), "".join(refutation(cnf).lines())
        check_text(text, proof)
        assert refutes(parse_cnf(text), proof)
        proved += 1
    assert proved > 100


def damaged(rng: random.Random, text: str) -> str:
    """``text`` with one word or line dropped, doubled, swapped or changed."""
    lines = [line.split() for line in text.splitlines()]
    row = rng.randrange(len(lines))
    at = rng.randrange(len(lines[row]))
    other = rng.randrange(len(lines))
    kind = rng.randrange(8)
    if kind == 0:
        del lines[row][at]
    elif kind == 1:
        lines[row].insert(at, lines[row][at])
    elif kind == 2 and lines[row][at].lstrip("-").isdigit():
        lines[row][at] = str(int(lines[row][at]) + rng.choice((-1, 1)))
    elif kind == 3 and lines[row][at].lstrip("-").isdigit():
        lines[row][at] = str(-int(lines[row][at]))
    elif kind == 4:
        del lines[row]
    elif kind == 5:
        lines[row], lines[other] = lines[other], lines[row]
    elif kind == 6:
        lines[row][at] = rng.choice(lines[other])
    else:
        lines.insert(other, list(lines[row]))
    return "".join(f"{' '.join(line)}\n" for line in lines)


def test_what_is_accepted_after_damage_is_still_unsatisfiable() -> None:
    """Proofs and clauses that are changed at random: never is a satisfiable CNF refuted."""
    rng = random.Random(11)
    verdicts = {"accepted": 0, "refuted": 0, "malformed": 0}
    while sum(verdicts.values()) < 3000:
        variables, clauses = random_clauses(rng)
        if satisfiable(clauses):
            continue
        cnf = Cnf(variables, clauses, (), ())
        text, proof = "".join(cnf.lines()), "".join(refutation(cnf).lines())
        for _ in range(12):
            broken, changed = proof, text
            for _ in range(rng.randint(1, 3)):
                if rng.random() < 0.3:
                    changed = damaged(rng, changed)
                else:
                    broken = damaged(rng, broken) if broken else "\n"
            try:
                check_text(changed, broken)
            except ProofError:
                verdicts["refuted"] += 1
            except InputError:
                verdicts["malformed"] += 1
            else:
                given = parse_cnf(changed)
                assert not satisfiable(given), (changed, broken)
                verdicts["accepted"] += 1
    assert min(verdicts.values()) > 50, verdicts
