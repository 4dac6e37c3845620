"""DQBFs: expansion, certificates and plays, and what is asked of prefixes alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.errors import Exit, UndecidedError, UsageError
from qsage_validate.extensions.dqbf import expansion
from qsage_validate.extensions.dqbf.expansion import expand, parse_dqbf
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    Dialect,
    wrong_dependencies,
)
from qsage_validate.problems.load import Files, load
from qsage_validate.system.limits import Deadline
from research.benchmarks import dqbf
from tests.support.commands import run_play, run_qsage

# 3 is to be 2 and sees 1 alone, 4 is to be 1 and sees 2 alone: false, and true with a prefix.
CROSSED = b"p cnf 4 4\na 1 2 0\nd 3 1 0\nd 4 2 0\n3 -2 0\n-3 2 0\n4 -1 0\n-4 1 0\n"
# The example of Pedant's README.
PEDANT = b"p cnf 5 3\na 1 2 0\ne 3 0\nd 4 1 0\nd 5 2 0\n-1 4 0\n2 -5 0\n1 -2 3 4 0\n"
# 3 is 2 and 4 is 1.
PEEKING = b"aag 2 2 0 2 0\n2\n4\n4\n2\ni0 1\ni1 2\no0 3\no1 4\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, data in (
        ("crossed.dqdimacs", CROSSED),
        ("pedant.dqdimacs", PEDANT),
        ("peeking.aag", PEEKING),
    ):
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_random_formulas_against_brute_force() -> None:
    told: list[str] = []
    assert dqbf.main(["--formulas", "40", "--seed", "2026"], told.append) == 0, told
    counts = dict(line.split(": ") for line in told)
    for kind in ("true", "false, but true with a prefix", "false, with Herbrand functions"):
        assert int(counts[kind]) > 0, told
    for dialect in ("caqe aag", "pedant aag", "pedant aig", "pedant cnf"):
        assert all(f"{dialect}, {answer}" in counts for answer in ("proved", "refuted", "peeking"))


def test_a_fault_of_the_check_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the sets, functions that read too much would pass."""
    told: list[str] = []
    monkeypatch.setattr(dqbf, "parse_dqbf", lambda data: _with_a_prefix(parse_dqbf(data)))
    assert dqbf.main(["--formulas", "20", "--seed", "2026"], told.append) == 1
    assert any("expected CertificateRefuted" in line for line in told)


def _with_a_prefix(formula: Qbf) -> Qbf:
    return Qbf(formula.scopes, formula.gates, formula.output)


def test_a_set_for_each_variable() -> None:
    """The set of a scope is what stands left of it, a set of its own may lack some of that."""
    scopes = (
        Scope(Quantifier.FORALL, (1, 2)),
        Scope(Quantifier.EXISTS, (5, 6, 7)),
        Scope(Quantifier.FORALL, (3,)),
        Scope(Quantifier.EXISTS, (8, 9)),
    )
    depends = {6: frozenset({1}), 7: frozenset[int](), 9: frozenset({2, 3})}
    formula = Qbf(scopes, {}, 5, depends=depends)
    allowed = {5: {1, 2}, 6: {1}, 7: set[int](), 8: {1, 2, 3}, 9: {2, 3}}
    builder = AigBuilder(3)
    one, two, three = builder.inputs
    read = {
        (1,): one, (2,): two, (3,): three, (): 0,
        (1, 2): builder.and_(one, two), (1, 3): builder.xor(one, three),
        (2, 3): builder.or_(two ^ 1, three), (1, 2, 3): builder.ite(one, two, three),
    }  # fmt: skip
    aig, moved = builder.build(list(read.values()))
    for variables, literal in zip(read, moved, strict=True):
        functions = dict.fromkeys(allowed, literal)
        certificate = CircuitCertificate(
            CertificateKind.SKOLEM, aig, (1, 2, 3), functions, Dialect.CAQE
        )
        found = {d.variable: d.reads for d in wrong_dependencies(certificate, formula)}
        assert found.keys() == {v for v, own in allowed.items() if not own >= set(variables)}
        assert all(found[v] in set(variables) - allowed[v] for v in found)


def test_solve_says_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(("solve", "pedant.dqdimacs")) == Exit.TRUE
    assert capsys.readouterr().out.startswith("true (expansion: ")
    assert run_qsage(("solve", "crossed.dqdimacs", "--competition")) == Exit.FALSE
    assert capsys.readouterr().out == "s cnf 0\n"
    assert run_qsage(("solve", "pedant.dqdimacs", "--json")) == Exit.TRUE
    assert '"verdict": "true"' in capsys.readouterr().out
    assert run_qsage(("solve", "pedant.dqdimacs", "--solver", "depqbf")) == Exit.BAD_INPUT
    assert "found --solver with dependency sets" in capsys.readouterr().err


def test_a_certificate_is_written_and_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(("certify", "pedant.dqdimacs", "-o", "p.aig")) == Exit.FINE
    assert "Skolem functions of pedant.dqdimacs, true" in capsys.readouterr().err
    assert run_qsage(("validate", "pedant.dqdimacs", "p.aig", "--trust", "minimal")) == Exit.FINE
    out = capsys.readouterr().out
    assert "each function reads only variables of its" in out
    assert "valid: the formula is true (dependencies, formula)" in out


def test_false_formulas_have_herbrand_functions_of_the_prefix_or_none(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(("certify", "crossed.dqdimacs", "-o", "c.aag")) == Exit.UNDECIDED
    assert "the formula is false, and no functions show it" in capsys.readouterr().err
    assert not (files / "c.aag").exists()
    (files / "f.dqdimacs").write_bytes(b"p cnf 3 3\na 1 2 0\nd 3 1 0\n3 1 0\n3 -1 0\n-3 2 0\n")
    assert run_qsage(("certify", "f.dqdimacs", "-o", "f.aag")) == Exit.FINE
    assert "Herbrand functions of f.dqdimacs, false" in capsys.readouterr().err
    assert run_qsage(("validate", "f.dqdimacs", "f.aag")) == Exit.FINE
    assert "valid: the formula is false (dependencies, formula)" in capsys.readouterr().out


def test_functions_that_read_too_much_are_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("validate", "crossed.dqdimacs", "peeking.aag")
    assert run_qsage(words) == Exit.REFUTED
    assert "a function of 3 that reads 2" in capsys.readouterr().out
    assert run_qsage((*words, "--level", "formula")) == Exit.UNDECIDED
    assert "they prove nothing" in capsys.readouterr().out


def test_a_play_shows_each_function_its_set_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("crossed.dqdimacs", "--cert", "peeking.aag", "--moves", "11")
    assert run_play(words) == Exit.BAD_INPUT
    assert "expected one that reads only variables of its dependency set" in capsys.readouterr().err
    # What a function may not see is false for it: 3 would be 1 if it saw 2.
    assert run_play((*words, "--peeking")) == Exit.REFUTED
    out = capsys.readouterr().out
    assert "3 sees 1\n  4 sees 2" in out
    assert "ply 2, Black: 3=0 4=0" in out
    assert "the matrix is false" in out


@pytest.mark.parametrize(
    "words",
    [
        ("minimise", "pedant.dqdimacs", "p.aag", "-o", "q.aag"),
        ("encode", "pedant.dqdimacs", "-o", "q.qdimacs"),
        ("certify", "pedant.dqdimacs", "-o", "q.aag", "--blocks", "1"),
        ("certify", "pedant.dqdimacs", "-o", "q.aag", "--formula", "q.qcir"),
        ("solve", "pedant.dqdimacs", "--first-moves", "all"),
        ("solve", "pedant.dqdimacs", "--portfolio"),
        ("export", "page", "pedant.dqdimacs", "--cert", "p.aag", "-o", "q.html"),
        ("explain", "pedant.dqdimacs", "--cert", "p.aag"),
        ("compare", "pedant.dqdimacs", "pedant.dqdimacs", "--cert", "p.aag"),
        ("validate", "pedant.dqdimacs"),
        ("validate", "pedant.dqdimacs", "p.aag", "--proof", "q"),
        ("validate", "pedant.dqdimacs", "p.aag", "--solver", "auto"),
        ("validate", "pedant.dqdimacs", "--trace", "p.aag"),
        ("play", "pedant.dqdimacs", "--solver", "auto"),
        ("play", "pedant.dqdimacs", "--cert", "p.aag", "--explain", "--moves", "00"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_needs_a_prefix_refuses_sets(
    words: tuple[str, ...], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(("certify", "pedant.dqdimacs", "-o", "p.aag")) == Exit.FINE
    assert run_qsage(words) == Exit.BAD_INPUT
    last = capsys.readouterr().err.splitlines()[-1]
    assert "with dependency sets" in last or "found dependency sets" in last, last
    assert not list(files.glob("q*"))


def test_a_part_of_a_certificate_is_refused(files: Path) -> None:
    text = b"s cnf 1\nV 3 0\n"
    (files / "part.out").write_bytes(text)
    (files / "outer.dqdimacs").write_bytes(b"p cnf 3 1\ne 3 0\na 1 0\nd 2 1 0\n1 2 3 0\n")
    with pytest.raises(UsageError, match="a part of a certificate with dependency sets"):
        load(Files("outer.dqdimacs", "part.out", sets=True))
    with pytest.raises(UsageError, match="found dependency sets"):
        load(Files("outer.dqdimacs", "part.out"))


def test_limits_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = parse_dqbf(PEDANT)
    with pytest.raises(UndecidedError, match="the time for the expansion is over"):
        expand(formula, deadline=Deadline.after(0))
    monkeypatch.setattr(expansion, "MAX_GATES", -1)
    with pytest.raises(UndecidedError, match="needs more than -1 gates"):
        expand(formula)


def test_a_matrix_that_is_constant() -> None:
    assert not expand(parse_dqbf(b"p cnf 2 1\na 1 0\nd 2 1 0\n0\n")).truth
    found = expand(parse_dqbf(b"p cnf 2 0\na 1 0\nd 2 1 0\n"))
    assert found.truth
    assert (found.instances, found.choices) == (1, 2)
