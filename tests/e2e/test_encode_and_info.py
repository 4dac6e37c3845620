"""``qsage encode`` writes formulas, ``qsage info`` tells what files are, ``qsage games`` lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.cli.model_arguments import template_options
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import Exit
from qsage_validate.formats.formula import read_formula
from qsage_validate.games.library.catalogue import library_games

from .conftest import Qsage

DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")


@pytest.mark.parametrize(("name", "kind"), [("f.qcir", "QCIR"), ("f.qdimacs", "QDIMACS")])
def test_the_name_chooses_the_format_and_the_layout_travels(
    qsage: Qsage, name: str, kind: str
) -> None:
    done = qsage("encode", *DOMINO, "-o", name)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"{name}: lifted encoding of httt 3x3 domino, depth 3: ")
    facts = json.loads(qsage("info", name, "--json").out)
    assert facts["format"] == kind
    assert facts["layout"]["game"] == "httt 3x3 domino"
    assert (facts["layout"]["board"], facts["layout"]["plies"]) == ("3x3", 3)
    assert facts["layout"]["rules"] is True
    assert [s["quantifier"] for s in facts["scopes"][:2]] == ["exists", "forall"]


def test_an_option_overrides_the_name(qsage: Qsage) -> None:
    qsage("encode", *DOMINO, "--format", "qdimacs", "-o", "f.qcir")
    assert Path("f.qcir").read_text().splitlines()[-1].endswith(" 0")


def test_both_formats_say_the_same(qsage: Qsage) -> None:
    qsage("encode", *DOMINO, "-o", "f.qcir")
    qsage("encode", *DOMINO, "-o", "f.qdimacs")
    circuit, clauses = read_formula("f.qcir"), read_formula("f.qdimacs")
    assert layout_from_comments(circuit) == layout_from_comments(clauses)
    quantifiers = circuit.quantifiers()
    assert {v: q for v, q in clauses.quantifiers().items() if v in quantifiers} == quantifiers


def test_the_formula_goes_to_standard_output(qsage: Qsage) -> None:
    done = qsage("encode", *DOMINO, "-o", "-")
    qsage("encode", *DOMINO, "-o", "f.qcir")
    assert done.code == 0
    assert done.out == Path("f.qcir").read_text()


def test_two_files_with_another_depth(qsage: Qsage, tmp_path: Path) -> None:
    qsage("encode", *DOMINO, "-o", "f.qcir")
    layout = layout_from_comments(read_formula("f.qcir"))
    assert layout is not None
    Path("domain.ig").write_text(layout.model["domain"])
    Path("problem.ig").write_text(layout.model["problem"])
    assert qsage("encode", "domain.ig", "problem.ig", "-o", "same.qcir").code == 0
    same, first = Path("same.qcir").read_text(), Path("f.qcir").read_text()
    title = "3x3 domino"
    assert [line for line in same.splitlines() if not line.startswith("#")] == [
        line for line in first.splitlines() if not line.startswith("#")
    ]
    assert title not in same
    done = qsage("encode", "domain.ig", "problem.ig", "--depth", "5", "-o", "5.qcir", "--json")
    assert json.loads(done.out)["depth"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "found the unknown game 'chess'"),
        (["httt", "--size", "4x"], "found '4x' for --size, expected WIDTHxHEIGHT"),
        (["httt", "--connect", "3"], "found --connect for httt, expected one of --size"),
        (["httt", "--shape", "cross"], "unknown polyomino 'cross'"),
        (["httt", "--depth", "0"], "found '0' for --depth"),
        (["domain.ig"], "domain.ig: found no such file, expected a readable file"),
        (
            ["a", "b", "c"],
            "found 3 words, expected a file (PG, .hex, SGF, GDL), DOMAIN and",
        ),
        (["httt", "--encoding", "grounded"], "unknown encoding 'grounded'"),
        (["httt", "--format", "pdf"], "'pdf'"),
        (["httt", "--json"], None),
    ],
)
def test_what_does_not_fit_is_one_line_and_nothing_is_written(
    qsage: Qsage, arguments: list[str], message: str | None
) -> None:
    output = "-" if message is None else "f.qcir"
    done = qsage("encode", *arguments, "-o", output)
    assert done.code == Exit.BAD_INPUT
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert (message or "found --json with output to '-'") in done.err
    assert list(Path().iterdir()) == []


def test_a_model_is_not_overwritten(qsage: Qsage) -> None:
    Path("domain.ig").write_text("#blackactions\n#whiteactions\n")
    Path("problem.ig").write_text("x")
    done = qsage("encode", "domain.ig", "problem.ig", "-o", "./problem.ig")
    assert done.code == Exit.BAD_INPUT
    assert "would overwrite problem.ig" in done.err
    assert Path("problem.ig").read_text() == "x"


def test_every_option_of_every_game_is_offered(qsage: Qsage) -> None:
    text = qsage("encode", "--help").out
    for option in template_options().values():
        assert option.flag in text


def test_games_are_listed_with_options_and_defaults(qsage: Qsage) -> None:
    text = qsage("games").out
    listed = json.loads(qsage("games", "--json").out)["games"]
    assert [game["name"] for game in listed] == [game.name for game in library_games()]
    for game in listed:
        assert game["name"] in text
        given = {o["option"]: o["default"] for o in game["options"] if o["default"] is not None}
        words = [word for pair in given.items() for word in pair]
        done = qsage("encode", game["name"], *words, "-o", "f.qcir", "--json")
        assert done.code == 0, done.err
    assert qsage("games", "connect_c").out.startswith("connect-c\n")
    assert qsage("games", "go").code == Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f:1:1: found an empty file"),
        (b"hello\n", "f:1:1: found a file of no known format"),
        (b"\x7fELF\0\0\0", "f:1:1: found a file of no known format"),
        (b"exists(1)\noutput(2)\n", "f:2:8: found "),
        (b"aag 4000000000 4000000000 0 0 0\n", "f:1:"),
        (b"#boardsize\n0 3\n#init\n", "f:2:1: found '0'"),
    ],
)
def test_files_that_are_nothing_are_one_line(qsage: Qsage, content: bytes, message: str) -> None:
    Path("f").write_bytes(content)
    done = qsage("info", "f")
    assert done.code == Exit.BAD_INPUT
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith(message)


FOREIGN: dict[str, dict[str, object]] = {
    "quabs/httt-4x4_5_tic.qcir": {"format": "QCIR", "variables": 63, "gates": 382},
    "quabs/httt-4x4_5_tic.aig": {"dialect": "caqe", "kind": "Skolem", "gates": 290816},
    "quabs/domineering__4x2_5.aig": {"dialect": "caqe", "kind": "Herbrand", "gates": 772},
    "quabs/httt-3x3_3_domino.aag": {"format": "AIGER (ASCII)", "kind": "Skolem"},
    "quabs/httt-4x4_5_tic.meta": {"format": "Q-sage meta file", "board": "4x4", "depth": 5},
    "qbfcert-ascii/httt-4x4_5_tic.qdimacs": {"format": "QDIMACS", "clauses": 1187},
    "qbfcert-ascii/httt-4x4_5_tic.aag": {"dialect": "qbfcert-ascii", "gates": 108788},
    "pedant-cnf/httt_4_4_tic/certificate.cnf": {"dialect": "pedant", "kind": "Skolem"},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_other_tools(qsage: Qsage, shared_data: Path, name: str) -> None:
    facts = json.loads(qsage("info", shared_data / "certificates" / name, "--json").out)
    assert {key: facts[key] for key in FOREIGN[name]} == FOREIGN[name]


def test_a_layout_is_found_in_the_meta_file_beside_the_formula(
    qsage: Qsage, shared_data: Path
) -> None:
    formula = shared_data / "certificates" / "quabs" / "httt-4x4_5_tic.qcir"
    layout = json.loads(qsage("info", formula, "--json").out)["layout"]
    assert (layout["encoding"], layout["board"], layout["plies"]) == ("Q-sage", "4x4", 5)
    assert layout["rules"] is False
    Path("f.qcir").write_bytes(formula.read_bytes())
    assert json.loads(qsage("info", "f.qcir", "--json").out)["layout"] == "none"
    Path("f.meta").write_bytes(formula.with_name("hex__hein_12_4x4-07.meta").read_bytes())
    done = qsage("info", "f.qcir", "--json")
    assert done.code == 0
    assert json.loads(done.out)["layout"].startswith("none (f.meta:")


def test_a_certificate_with_its_formula(qsage: Qsage, shared_data: Path) -> None:
    folder = shared_data / "certificates" / "qbfcert-ascii"
    certificate, formula = folder / "httt-4x4_5_tic.aag", folder / "httt-4x4_5_tic.qcir"
    facts = json.loads(qsage("info", certificate, "--formula", formula, "--json").out)
    assert (facts["kind"], facts["plays"]) == ("Skolem", "black")
    assert (facts["functions"], facts["other_functions"], facts["dont_cares"]) == (43, 382, 1)
    wrong = folder.parent / "quabs" / "hex__hein_12_4x4-07.qcir"
    done = qsage("info", certificate, "--formula", wrong)
    assert done.code == Exit.BAD_INPUT
    assert done.err.count("\n") == 1


def test_a_game_in_gdl(qsage: Qsage) -> None:
    from qsage_validate.extensions.gdl import library

    text = (Path(library.__file__).parent / "trails.gdl").read_text("utf-8")
    Path("trails.gdl").write_text(text)
    facts = json.loads(qsage("info", "trails.gdl", "--json").out)
    assert (facts["format"], facts["roles"]) == ("GDL", ["blue", "red"])
    Path("trails.gdl").write_text(text + "\n(<= (legal red ?x)")
    done = qsage("info", "trails.gdl")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("trails.gdl:")


def test_a_positional_game(qsage: Qsage) -> None:
    times = "#times\nt1 t2 t3\n#blackturns\nt1 t3\n"
    Path("f.pg").write_text(f"{times}#blackwins\na b\n")
    done = qsage("info", "f.pg")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("f.pg:")
    Path("f.pg").write_text(f"{times}#positions\na b c\n#blackwins\na b\na c\n")
    facts = json.loads(qsage("info", "f.pg", "--json").out)
    assert (facts["format"], facts["positions"]) == ("positional game", 3)
    assert (facts["plies"], facts["blacks_winning_sets"]) == (3, 2)
