"""What is a proof and what is none: by hand, and by damaging real traces."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from qsage_validate.certificates.by_proof import extract
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.qrp_check import QrpProved, QrpRefuted, check_qrp
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import Exit, InputError
from qsage_validate.formats.qdimacs import parse_qdimacs
from tests.support.random_qbf import random_clausal, truth
from tests.support.readers import parse_qrp
from tests.support.tracing import require_solvers, traced


def formula(prefix: str, *clauses: str) -> Qbf:
    """A formula from the lines of its file; ``prefix`` has its scopes separated by ``;``."""
    scopes = "".join(f"{scope.strip()} 0\n" for scope in prefix.split(";"))
    matrix = "".join(f"{clause} 0\n" for clause in clauses)
    return parse_qdimacs(f"p cnf 9 {len(clauses)}\n{scopes}{matrix}")


def qrp(*steps: str, true: bool = False) -> bytes:
    """A trace in the text of DepQBF."""
    lines = ["p qrp 9 9", *steps, f"r {'SAT' if true else 'UNSAT'}"]
    return "".join(f"{line}\n" for line in lines).encode()


MERGING = formula("e 1; a 2; e 3", "1 2 3", "-1 -2 3", "-3")
MERGED = qrp("1 1 2 3 0 0", "2 -1 -2 3 0 0", "3 -3 0 0", "4 2 -2 3 0 1 2 0", "5 0 4 3 0")

CUBES = formula("a 1; e 2; a 3", "-1 2 -3", "1 -2 -3")
MERGED_CUBES = qrp(
    "1 1 2 3 0 0", "2 -1 -2 3 0 0", "3 -3 0 0", "4 2 -2 3 0 1 2 0", "5 0 4 3 0", true=True
)

CHAIN = b"""e 1 0
a 2 0
e 3 0
1 0 1 2 3 0 0
2 0 -1 -2 3 0 0
3 0 -3 0 0
4 0 0 1 2 3 0
"""


@pytest.mark.parametrize(
    ("about", "data", "merged"),
    [(MERGING, MERGED, 1), (CUBES, MERGED_CUBES, 1), (MERGING, CHAIN, 0)],
    ids=["clauses", "cubes", "chain"],
)
def test_long_distance_resolution(about: Qbf, data: bytes, merged: int) -> None:
    trace = parse_qrp(data)
    result = check_qrp(about, trace)
    assert isinstance(result, QrpProved)
    assert result.exit_code is Exit.FINE
    assert result.true is truth(about)
    assert (result.leaves, result.merged) == (3, merged)
    certificate = extract(about, trace)
    assert isinstance(check(about, certificate), CertificateProved)
    # The merged variable copies the variable that was resolved on.
    assert certificate.functions == {2: 2}


def test_a_strategy_may_need_several_cases() -> None:
    # Variable 2 must equal 1, and 4 must equal 3, else the play is lost.
    about = formula("a 1; e 2; a 3; e 4", "-1 2", "1 -2", "-3 4", "3 -4")
    trace = qrp(
        "1 1 2 3 4 0 0",
        "2 1 2 -3 -4 0 0",
        "3 -1 -2 3 4 0 0",
        "4 -1 -2 -3 -4 0 0",
        "5 1 2 3 0 1 0",
        "6 1 0 5 2 0",
        "7 -1 -2 0 3 4 0",
        "8 -1 0 7 0",
        "9 0 6 8 0",
        true=True,
    )
    # Steps may reduce as they resolve (6), or leave it to a later one (7, 8).
    result = check_qrp(about, parse_qrp(trace))
    assert isinstance(result, QrpProved), result
    certificate = extract(about, parse_qrp(trace))
    assert isinstance(check(about, certificate), CertificateProved)


@pytest.mark.parametrize(
    ("about", "steps", "true", "message"),
    [
        (
            formula("a 2; e 1", "1 2", "-1 -2"),
            ("1 1 2 0 0", "2 -1 -2 0 0", "3 2 -2 0 1 2 0", "4 0 3 0"),
            False,
            "step 3 (line 4) merges the literals of 2, which is left of its pivot 1",
        ),
        (
            MERGING,
            ("1 1 2 0 0", "2 0 1 0"),
            False,
            "step 1 (line 2) has no antecedents and is no clause of the formula",
        ),
        (
            MERGING,
            ("1 1 3 0 0", "2 0 1 0"),
            False,
            "step 1 (line 2) has no antecedents and is no clause of the formula",
        ),
        (
            MERGING,
            ("1 1 2 3 0 0", "2 1 3 0 1 0", "3 0 2 0"),
            False,
            "step 2 (line 3) lacks the literal 2, which must not be reduced",
        ),
        (
            MERGING,
            ("1 1 2 3 0 0", "3 -3 0 0", "4 0 1 3 0"),
            False,
            "step 4 (line 4) lacks the literal 1, which is no pivot",
        ),
        (
            MERGING,
            ("1 1 2 3 0 0", "2 -1 -2 3 0 0", "4 2 -2 -3 0 1 2 0", "5 0 4 2 0"),
            False,
            "step 4 (line 4) lacks the literal 3, which is no pivot",
        ),
        (
            MERGING,
            ("1 1 2 3 0 0", "2 1 2 3 -3 0 1 0", "5 0 2 0"),
            False,
            "step 2 (line 3) has 3 in both signs",
        ),
        (
            MERGING,
            ("1 -3 0 0", "2 -1 -3 0 1 0", "5 0 2 0"),
            False,
            "step 2 (line 3) has the literal -1, which does not follow",
        ),
        (
            MERGING,
            ("1 -3 0 0", "2 2 -3 0 1 0", "5 0 2 0"),
            False,
            "step 2 (line 3) has the literal 2, which does not follow",
        ),
        (
            MERGING,
            ("1 1 2 3 0 0", "2 1 2 3 0 1 1 0", "5 0 2 0"),
            False,
            "step 2 (line 3) resolves what has no variable to resolve on",
        ),
        (
            formula("e 1 2", "1 2", "-1 -2"),
            ("1 1 2 0 0", "2 -1 -2 0 0", "3 0 1 2 0"),
            False,
            "step 3 (line 4) resolves what clashes in several variables (1, 2)",
        ),
        (
            CUBES,
            ("1 1 2 0 0", "2 -1 0 0", "3 0 1 2 0"),
            True,
            "step 2 (line 3) is an initial cube that does not satisfy the clause 1 -2 -3",
        ),
        (
            CUBES,
            ("1 1 2 -2 0 0", "2 1 0 1 0", "3 0 2 0"),
            True,
            "step 1 (line 2) is an initial cube with 2 in both signs",
        ),
        (
            formula("e 1", "1", ""),
            ("1 1 0 0", "2 0 1 0"),
            True,
            "step 1 (line 2) is an initial cube that does not satisfy the clause without literals",
        ),
        (
            formula("e 1", "1"),
            ("1 0 0",),
            False,
            "step 1 (line 2) has no antecedents and is no clause of the formula",
        ),
    ],
)
def test_what_is_no_proof(about: Qbf, steps: tuple[str, ...], true: bool, message: str) -> None:
    result = check_qrp(about, parse_qrp(qrp(*steps, true=true)))
    assert isinstance(result, QrpRefuted)
    assert result.exit_code is Exit.REFUTED
    assert str(result) == f"refuted: {message}"


def test_clauses_are_no_part_of_a_proof_by_cubes() -> None:
    data = b"a 1 0\ne 2 0\n1 0 2 0 0\n2 1 0 1 0\n"
    result = check_qrp(formula("a 1; e 2", "2"), parse_qrp(data))
    assert str(result) == "refuted: step 1 (line 3) is a clause in a proof by cubes"


def test_a_clause_may_be_listed_reduced() -> None:
    about = formula("e 1; a 2 3", "1 2 -3", "-1 2")
    trace = parse_qrp(qrp("1 1 2 0 0", "2 -1 0 0", "3 0 1 2 0"))
    assert isinstance(check_qrp(about, trace), QrpProved)
    certificate = extract(about, trace)
    assert isinstance(check(about, certificate), CertificateProved)


def test_variables_that_the_formula_lacks() -> None:
    trace = parse_qrp(qrp("1 1 8 0 0", "2 0 1 0"), "t")
    for use in (check_qrp, extract):
        with pytest.raises(InputError) as caught:
            use(MERGING, trace)
        message = "t:2: found variable 8 in step 1, expected a variable of the formula"
        assert str(caught.value) == message


def test_nothing_is_extracted_from_what_does_not_follow() -> None:
    trace = parse_qrp(qrp("1 1 2 3 0 0", "3 -3 0 0", "4 0 1 3 0"), "t")
    with pytest.raises(InputError, match=re.escape("t:4: found step 4, which lacks a literal")):
        extract(MERGING, trace)


def damage(rng: Random, data: bytes) -> bytes:
    """Change a literal, an antecedent or the result, or take a line out."""
    lines = data.decode().splitlines()
    steps = [k for k, line in enumerate(lines) if line[:1].isdigit()]
    k = rng.choice(steps)
    words = lines[k].split()
    match rng.randrange(5):
        case 0:
            at = rng.randrange(1, len(words))
            words[at] = str(-int(words[at]))
        case 1:
            del words[rng.randrange(1, len(words))]
        case 2:
            words.insert(rng.randrange(1, len(words)), str(rng.choice((1, -1, 2, -3, 4))))
        case 3:
            at = rng.randrange(1, len(words))
            if words[at] != "0":
                words[at] = str(rng.randrange(1, len(steps) + 1))
        case _:
            if lines[-1].startswith("r "):
                lines[-1] = "r UNSAT" if lines[-1] == "r SAT" else "r SAT"
    lines[k] = " ".join(words)
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("solver", ["depqbf", "qute"])
def test_no_damage_makes_a_proof_of_what_is_wrong(solver: str, tmp_path: Path) -> None:
    require_solvers()
    found = {"malformed": 0, "refuted": 0, "proved": 0}
    for seed in range(20):
        rng = Random(seed)
        about = random_clausal(rng)
        answer, path = traced(about, tmp_path, solver)
        data = path.read_bytes()
        for _ in range(12):
            try:
                trace = parse_qrp(damage(rng, data))
                result = check_qrp(about, trace)
            except InputError:
                found["malformed"] += 1
                continue
            if isinstance(result, QrpRefuted):
                found["refuted"] += 1
                continue
            assert isinstance(result, QrpProved)
            found["proved"] += 1
            assert result.true is answer
            assert isinstance(check(about, extract(about, trace)), CertificateProved)
    assert min(found.values()) > 10, found
