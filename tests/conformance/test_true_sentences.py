"""Sentences are about the game whose rules were asked, and nothing right is refuted: as outsiders

found that they were not.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.library.catalogue import labelled, library_games, name_of
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.registry import find_command
from tests.support.answer_files import resealed
from tests.support.commands import run_play, run_qsage

# -- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("httt --size 3x3 --shape el", "httt 3x3 el"),
        ("httt --size 3x3 --shape el --depth 3", "httt 3x3 el"),
        ("httt --size 3x3 --shape el --maker-breaker", "httt 3x3 el --maker-breaker"),
        ("harary --size 3x3 --shape tic --torus", "httt 3x3 torus tic"),
        ("gomoku --size 4x3 --connect 3 --second", "gomoku 4x3 connect 3 --second"),
        ("evader-pursuer --size 4x4 --pursuer 2,3", "evader-pursuer 4x4 2,3"),
        ("hex-network --size 2x3 --transversal", "hex 2x3 transversal"),
        ("trails --role blue", "trails --role blue"),
    ],
)
def test_a_game_of_the_library_is_called_by_its_name(words: str, name: str) -> None:
    model = find_command(words.split())
    assert load_game(model).name == name
    assert load_game(model_from_parts(model.language, model.parts())).name == name


def test_no_game_of_the_library_is_called_like_another() -> None:
    named: dict[str, GameModel] = {}
    for template in (template for game in library_games() for template in game.templates):
        for example in template.examples:
            model = template.build(example)
            other = named.setdefault(name_of(model), model)
            same = other.language != model.language or other.parts() == model.parts()
            assert same or other.depth != model.depth, name_of(model)


@pytest.mark.parametrize(
    "name", ["hex 4x4", "httt 3x3 tic", "httt 1000x1000 el", "el", "httt 3x3 el: proved", "", "\n"]
)
def test_any_other_name_is_a_label(name: str) -> None:
    model = replace(harary_model("el", 3, 3, plies=5), name=name)
    assert name_of(model) == f"the positional game of 9 positions {labelled(name)}"


def test_a_label_ends_where_its_quotation_mark_is() -> None:
    assert labelled('a" proved: "\x1b[1m\\') == 'labelled "a\\" proved: \\"\\\\x1b[1m\\\\"'


def test_a_label_is_quoted_wherever_a_game_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["httt", "--size", "3x3", "--shape", "el", "--depth", "5"]
    assert run_qsage(["certify", *words, "-o", "c.aig", "--formula", "f.qcir"]) == 0
    text = Path("f.qcir").read_text()
    assert "#@ model name | httt 3x3 el\n" in text
    Path("f.qcir").write_text(text.replace("name | httt 3x3 el", "name | hex 4x4"))
    commands = [
        ["validate", "f.qcir", "c.aig", "--level", "rules", "--proof", "p"],
        ["verify", "p"],
        ["verify", "p", "--json"],
        ["info", "f.qcir"],
        ["explain", "f.qcir", "--cert", "c.aig"],
        ["export", "page", "f.qcir", "c.aig", "-o", "page.html"],
    ]
    for command in commands:
        capsys.readouterr()
        assert run_qsage(command) == 0, command
        out = capsys.readouterr().out
        said = Path("page.html").read_text() if command[0] == "export" else out
        quoted = said.replace('\\"', '"').replace("&quot;", '"')
        assert 'the 3x3 grid game labelled "hex 4x4"' in quoted, command
        assert quoted.count("hex 4x4") == quoted.count('labelled "hex 4x4"'), command


STONES = """\
#blackinitials
#whiteinitials
#times
t1 t2 t3
#blackturns
t1 t3
#positions
a b c
#blackwins
a b
b c
#whitewins
"""


@pytest.mark.parametrize(
    "words",
    [
        "encode 'hex 4x4.pg' -o f.qcir",
        "certify 'hex 4x4.pg' -o c.aag --formula f.qcir",
        "solve 'hex 4x4.pg'",
        "solve 'hex 4x4.pg' --depth auto",
        "solve 'hex 4x4.pg' --solver depqbf",
        "info f.qcir",
        "explain 'hex 4x4.pg'",
        "validate f.qcir --level encoding",
    ],
)
def test_a_file_is_not_called_like_the_game_that_it_is_named_after(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "depqbf" in words:
        pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")
    monkeypatch.chdir(tmp_path)
    Path("hex 4x4.pg").write_text(STONES)
    assert run_qsage(["encode", "hex 4x4.pg", "-o", "f.qcir"]) == 0
    for more in ([], ["--json"]):
        if words.startswith("explain") and more:
            continue
        capsys.readouterr()
        assert run_qsage([*shlex.split(words), *more]) in (0, 10), (words, capsys.readouterr().err)
        said = capsys.readouterr()
        quoted = (said.out + said.err).replace('\\"', '"').replace("hex 4x4.pg", "")
        label = 'the positional game of 3 positions labelled "hex 4x4"'
        assert quoted.count("hex 4x4") == quoted.count(label), quoted
        assert label in quoted or (words.startswith("solve") and not more), quoted


# -- games in GDL ----------------------------------------------------------------------------

FINER = """\
(role x)
(init f0) (init f1) (init cx)
(<= (legal x a) (true cx))
(<= (legal x (b 1)) (true cx) (true f0) (not (true f1)))
(<= (legal x ?m) (named ?m) (true f0) (not (true f1)))
(named c)
(<= (next f0) (does x a) (not (true f0)) (not (true f1)))
(<= (next cx) (true cx))
(<= terminal (true f0))
(<= good (true f1))
(<= (goal x 100) good)
"""
STUCK = """\
(role x) (role o)
(init f2) (init cx)
(<= (legal x b) (true cx) (true f1))
(<= (legal o a) (true co))
(<= (legal x noop) (true co))
(<= (legal o noop) (true cx))
(<= (next f1) (does o a))
(<= (next f1) (true f1))
(<= (next f2) (true f2))
(<= (next cx) (true co))
(<= (next co) (true cx))
(<= terminal (true f2) (true f1))
(<= (goal x 100) (true f1))
"""


def test_rules_with_fewer_moves_than_the_formula_has_codes_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("clingo", reason="grounding needs clingo")
    monkeypatch.chdir(tmp_path)
    Path("small.gdl").write_text(FINER)
    words = ["certify", "small.gdl", "--depth", "3", "-o", "c.aag", "--formula", "f.qcir"]
    assert run_qsage(words) == 0
    for more in ([], ["--model", "small.gdl --depth 3"]):
        capsys.readouterr()
        assert run_qsage(["validate", "f.qcir", "c.aag", "--json", *more]) == 0
        read = json.loads(capsys.readouterr().out)
        assert (read["verdict"], read["statements"][0]["winner"]) == ("valid", "black")


def test_a_role_without_a_move_ends_no_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("clingo", reason="grounding needs clingo")
    monkeypatch.chdir(tmp_path)
    Path("stuck.gdl").write_text(STUCK)
    words = ["stuck.gdl", "--depth", "2", "--encoding", "gdl-strict"]
    assert run_qsage(["certify", *words, "-o", "c.aag", "--formula", "f.qcir"]) == 0
    capsys.readouterr()
    assert run_qsage(["validate", "f.qcir", "c.aag", "--json"]) == 3
    read = json.loads(capsys.readouterr().out)
    verdicts = {level["level"]: level["verdict"] for level in read["levels"]}
    assert verdicts["formula"] == "proved"
    assert "found no legal move of x" in str(read["levels"])


def test_rules_that_cannot_be_used_are_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["harary", "--size", "2x2", "--shape", "domino", "--encoding", "cor"]
    assert run_qsage(["certify", *words, "-o", "c.aig", "--formula", "f.qcir"]) == 0
    text = Path("f.qcir").read_text()
    Path("f.qcir").write_text(text.replace("#@ list 1 a1 a2", "#@ list 1 a1 elsewhere"))
    assert Path("f.qcir").read_text() != text
    run_qsage(["validate", "f.qcir", "c.aig", "--level", "rules"])
    said = " ".join(capsys.readouterr().out.split())
    assert "the rules of the formula's model could not be used: 'elsewhere' is no move" in said


# -- names that differ by case, and names with the signs of scripts ----------------------------

CASES = """\
#blackinitials
#whiteinitials
#times
t1 t2 t3
#blackturns
t1 t3
#positions
a A b B
#blackwins
a A
a b
a B
#whitewins
"""


@pytest.mark.parametrize(
    ("assertion", "code"),
    [
        ("ply 1: black a", 0),
        ("ply 1: Black a", 0),
        ("ply 1: black A", 1),
        ("ply 1: open A", 0),
        ("ply 1: OPEN a", 1),
        ("ply 1: occupied A", 1),
    ],
)
def test_names_of_positions_differ_by_case(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    assertion: str,
    code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.pg").write_text(CASES)
    assert run_qsage(["certify", "c.pg", "-o", "c.aag", "--formula", "c.qcir"]) == 0
    Path("a.txt").write_text(f"{assertion}\n")
    words = ["validate", "c.qcir", "c.aag", "--assert", "a.txt", "--level", "assertions"]
    assert run_qsage([*words, "--level", "all"]) == code
    capsys.readouterr()
    assert run_qsage(["info", "--names", "c.qcir"]) == 0
    assert {"    black a", "    black A"} <= set(capsys.readouterr().out.splitlines())


@pytest.mark.parametrize("name", ["b!b", "b!", "!", 'b"', "b;", "b!!", "b!stop", '"', "\\"])
def test_a_wrong_certificate_is_refuted_whatever_moves_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.pg").write_text(CASES.replace("a A b B", f"a A b {name}").replace("a B", f"a {name}"))
    words = ["certify", "c.pg", "--encoding", "ea", "-o", "c.aag", "--formula", "c.qcir"]
    assert run_qsage(words) == 0
    lines = Path("c.aag").read_text().splitlines()
    inputs, outputs = int(lines[0].split()[2]), int(lines[0].split()[4])
    # Black always claims the first position.
    lines[1 + inputs : inputs + outputs] = ["0"] * (outputs - 1)
    Path("c.aag").write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    assert run_qsage(["validate", "c.qcir", "c.aag", "--json"]) == 1
    read = json.loads(capsys.readouterr().out)
    assert read["verdict"] == "refuted"
    for finding in (finding for level in read["levels"] for finding in level.get("findings", ())):
        program, *words = shlex.split(finding["replay"])
        assert program == "qsage-play"
        assert run_play(words) == 1, finding["replay"]


# -- what rests on a file --------------------------------------------------------------------


def test_answers_that_were_edited_are_refused_and_kept_ones_are_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["solve", "httt", "--size", "3x3", "--shape", "el", "--depth", "auto"]
    words += ["--resume", "r.json"]
    assert run_qsage(words) == 10
    assert "Black wins within 5 plies and not in fewer; first move" in capsys.readouterr().out
    content = json.loads(Path("r.json").read_text())
    assert run_qsage(words) == 10
    assert "this rests on answers in r.json, which are not checked" in capsys.readouterr().out
    won = next(answer for answer in content["answers"] if answer["truth"])
    del won["first_move"]
    content["answers"] = [won | {"plies": 2, "truth": False}, won | {"plies": 3}]
    Path("r.json").write_text(json.dumps(content))
    assert run_qsage(words) == 2
    assert "the answers were cut or changed" in capsys.readouterr().err
    # Whoever makes the digest anew is believed, and the answer says whom it believes.
    Path("r.json").write_text(json.dumps(resealed(content)))
    assert run_qsage(words) == 10
    out = capsys.readouterr().out
    assert out.startswith(
        "Black wins within 3 plies and not in fewer; this rests on answers in r.json"
    )
    content["answers"][1] |= {"first_move": "e2e4; White wins chess"}
    Path("r.json").write_text(json.dumps(resealed(content)))
    assert run_qsage(words) == 2
    assert "found the first move 'e2e4; White wins chess', expected" in capsys.readouterr().err


def test_a_wrong_certificate_with_an_edited_checkpoint_is_not_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.pg").write_text(CASES)
    words = ["certify", "c.pg", "--encoding", "ea", "-o", "c.aag", "--formula", "c.qcir"]
    assert run_qsage(words) == 0
    lines = Path("c.aag").read_text().splitlines()
    inputs, outputs = int(lines[0].split()[2]), int(lines[0].split()[4])
    lines[1 + inputs : inputs + outputs] = ["0"] * (outputs - 1)
    Path("c.aag").write_text("\n".join(lines) + "\n")
    checked = ["validate", "c.qcir", "c.aag", "--level", "all", "--checkpoint", "c.json"]
    assert run_qsage([*checked, "--positions", "1"]) == 3
    content = json.loads(Path("c.json").read_text())
    Path("c.json").write_text(json.dumps(content | {"todo": [], "ended": [0, 0, 0, 7]}))
    capsys.readouterr()
    assert run_qsage(checked) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "claimed (all plays)" in out
    assert "is taken from it, and not checked again" in out
    for change in ({"ply": 3}, {"todo": [["", 1]], "ply": 2}):
        Path("c.json").write_text(json.dumps(content | change))
        assert run_qsage(checked) == 2
        assert "plays that are none" in capsys.readouterr().err
