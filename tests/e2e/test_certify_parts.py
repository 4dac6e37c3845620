"""``qsage certify --blocks N`` writes the first blocks of a certificate, and says so inside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.certificates import routes
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.formats.aiger import parse_aiger

from .conftest import Qsage

pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")

EL = ("httt", "--size", "3x3", "--shape", "el")
DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", 3)
BOTH = ("--level", "dependencies", "--level", "formula")


@pytest.mark.parametrize("certificate", ["part.aig", "part.aag"])
@pytest.mark.parametrize("formula", ["f.qcir", "f.qdimacs"])
def test_the_first_blocks(qsage: Qsage, formula: str, certificate: str) -> None:
    whole = json.loads(qsage("certify", *DOMINO, "-o", "c.aig", "--formula", formula, "--json").out)
    done = qsage("certify", *DOMINO, "--blocks", 2, "-o", certificate, "--json")
    assert done.code == Exit.FINE
    assert done.err.startswith(f"{certificate}: the first 2 blocks of a Skolem certificate of ")
    facts = json.loads(done.out)
    assert (facts["blocks"], whole["blocks"]) == (2, None)
    assert facts["gates"] <= whole["gates"]
    assert parse_aiger(Path(certificate).read_bytes()).comments == (
        "part of a certificate: the first 2 of 4 blocks",
    )
    read = json.loads(qsage("validate", formula, "--cert", certificate, *BOTH, "--json").out)
    assert (read["verdict"], read["claim"]) == ("valid", "the formula is true")


def test_all_blocks_are_a_whole_certificate(qsage: Qsage) -> None:
    qsage("certify", *EL, "--depth", 5, "--blocks", 5, "-o", "c.aig")
    qsage("certify", *EL, "--depth", 5, "-o", "d.aig")
    assert Path("c.aig").read_bytes() == Path("d.aig").read_bytes()


def test_a_formula_and_its_solver(qsage: Qsage) -> None:
    """CAQE prints the outermost block: its word, and a second answer, are all that there is."""
    qsage("encode", *DOMINO, "-o", "f.qcir")
    for name, options in (("o.out", ("--as", "outer")), ("o.aag", ())):
        done = qsage("certify", "f.qcir", "--blocks", 1, "--solver", "caqe", "-o", name, *options)
        assert done.code == Exit.UNDECIDED
        assert "no certificate of all blocks: caqe writes neither traces nor" in done.err
        assert "on its word: nothing is proved" in done.err
        assert "not proved: by caqe" in Path(name).read_text(encoding="utf-8")
        read = json.loads(qsage("validate", "f.qcir", "--cert", name, *BOTH, "--json").out)
        assert (read["verdict"], read["claim"]) == ("valid", "the formula is true")
        assert read["facts"]["dialect"] == ("outer" if options else "caqe")
    facts = qsage("certify", "f.qcir", "--blocks", 1, "--solver", "caqe", "-o", "x.aag", "--json")
    assert json.loads(facts.out)["proved"] is False


def test_no_time_for_all_blocks(qsage: Qsage, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large to be certified in time may have an outermost block in time."""

    def late(*arguments: object, **options: object) -> None:
        raise UndecidedError("depqbf: no answer within 8 s")

    monkeypatch.setattr(routes, "certify_formula", late)
    done = qsage("certify", *DOMINO, "--blocks", 1, "-o", "part.aag")
    assert done.code == Exit.UNDECIDED
    assert "no certificate of all blocks: depqbf: no answer within 8 s\n" in done.err
    assert "on its word: nothing is proved" in done.err
    assert qsage("certify", *DOMINO, "--blocks", 2, "-o", "two.aag").code == Exit.UNDECIDED
    assert not Path("two.aag").exists()


def test_a_first_block_of_the_loser(qsage: Qsage) -> None:
    done = qsage("certify", *EL, "--depth", 3, "--blocks", 1, "--solver", "caqe", "-o", "x.aag")
    assert done.code == Exit.UNDECIDED
    assert "its outermost block is not White's, who wins: no value is chosen there" in done.err
    assert not Path("x.aag").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--blocks", 9), "found --blocks 9 for httt 3x3 el, expected at most 5"),
        (("--blocks", 2, "--solver", "caqe"), "the solver caqe writes no traces, expected one of"),
        (("--blocks", 2, "--as", "outer"), "found functions of inner blocks for the dialect"),
        (("--as", "outer"), "found functions of inner blocks for the dialect 'outer'"),
    ],
)
def test_what_does_not_fit(qsage: Qsage, options: tuple[object, ...], message: str) -> None:
    done = qsage("certify", *EL, "--depth", 5, "-o", "x.out", *options)
    assert done.code == Exit.BAD_INPUT
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not Path("x.out").exists()
