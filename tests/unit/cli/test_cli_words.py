"""What commands say: squares as people say them, counts, files on standard output, forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qsage_validate as qs
from qsage_validate.api.strategies import Strategy
from qsage_validate.errors import Exit, UsageError, counted
from qsage_validate.problems.load import Files, load
from qsage_validate.solvers.search_engine import time_over
from tests.support.commands import run_qsage

DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("hex --size 3x3", "within 5 plies; first move b2\n"),
        ("hex --size 3x3 --depth auto", "not in fewer; first move b2\n"),
        ("hex --size 2x2 --first-moves all", "first moves that win: a2, b1\n"),
        ("domineering --size 3x3 --depth auto", "not in fewer; first move b1+b2\n"),
        ("connect-c --size 3x3 --connect 2 --depth 5", "; first move column a\n"),
        ("hex-network --size 2x2", "first move a2\n"),
    ],
)
def test_a_first_move_is_said_as_people_say_it(
    words: str, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(("solve", *words.split())) == Exit.TRUE
    assert capsys.readouterr().out.endswith(end)


def test_a_formula_of_a_game_has_the_moves_of_the_game(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(("encode", "hex", "--size", "2x2", "-o", "f.qcir")) == Exit.FINE
    assert run_qsage(("solve", "f.qcir", "--first-moves", "all", "--json")) == Exit.TRUE
    moves = ["occupy(1,2)", "occupy(2,1)"]
    assert json.loads(capsys.readouterr().out)["first_moves"] == moves
    assert run_qsage(("solve", "f.qcir", "--first-moves", "all")) == Exit.TRUE
    assert capsys.readouterr().out.endswith("first moves that win: a2, b1\n")


def test_numbers_and_their_nouns() -> None:
    assert [counted(n, "scope") for n in (0, 1, 2000)] == ["0 scopes", "1 scope", "2,000 scopes"]
    assert [counted(n, "ply") for n in (1, 2)] == ["1 ply", "2 plies"]
    assert [counted(n, "open reply") for n in (1, 2)] == ["1 open reply", "2 open replies"]
    assert [counted(n, "play") for n in (1, 2)] == ["1 play", "2 plays"]
    assert [counted(n, "row is", "rows are") for n in (1, 2)] == ["1 row is", "2 rows are"]
    assert [time_over(n) for n in (0.5, 1.0, 20)] == [
        "0.5 seconds are over",
        "1 second is over",
        "20 seconds are over",
    ]


def test_one_thing_is_no_plural(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("f.qcir").write_text("#QCIR-G14\nexists(1)\noutput(2)\n2 = and(1)\n")
    assert run_qsage(("encode", "f.qcir", "-o", "g.qcir")) == Exit.FINE
    assert capsys.readouterr().err == "g.qcir: formula f.qcir: 1 scope, 1 variable, 1 gate\n"
    assert run_qsage(("solve", "hex", "--size", "1x1", "--solution", "s")) == Exit.TRUE
    assert capsys.readouterr().err == "s: Black's reply in 1 position\n"
    assert run_qsage(("count", "hex", "--size", "2x2", "--positions", "1")) == Exit.UNDECIDED
    assert "more than 1 position\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("encode", *DOMINO, "-o", "-"),
        ("certify", *DOMINO, "--as", "qbfcert-ascii", "-o", "-"),
        ("export", "positions", *DOMINO, "-o", "-"),
        ("solve", *DOMINO, "--solution", "-"),
    ],
)
def test_standard_output_has_a_name(
    words: tuple[str, ...], folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run_qsage(words) in (Exit.FINE, Exit.TRUE)
    told = capfdbinary.readouterr().err.splitlines()
    assert told[-1].startswith(b"<stdout>: ")


WRONG = [
    ("c.aag", "qbfcert-binary", "a name in .aig"),
    ("c.aag.gz", "qbfcert-binary", "a name in .aig"),
    ("c.aig", "qbfcert-ascii", "a name in .aag"),
    ("c.aig.xz", "qbfcert-ascii", "a name in .aag"),
    ("c.aig", "outer", "another name: it has values, and no AIGER"),
]


@pytest.mark.parametrize(("name", "dialect", "expected"), WRONG)
def test_the_name_and_the_form_of_a_certificate_agree(
    name: str, dialect: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = f"found {name} for the dialect {dialect}, expected {expected}"
    make = ["certify", *DOMINO, "-o"]
    assert run_qsage((*make, "made.aig", "--formula", "f.qcir")) == Exit.FINE
    commands = [[*make, name], ["minimise", "f.qcir", "made.aig", "-o", name]]
    commands.append(["compare", "f.qcir", "f.qcir", "--cert", "made.aig", "-o", name])
    for command in commands[: 1 if dialect == "outer" else None]:
        capsys.readouterr()
        assert run_qsage((*command, "--as", dialect)) == Exit.BAD_INPUT
        assert capsys.readouterr().err == f"qsage: error: {said}\n"
    if dialect != "outer":
        with pytest.raises(UsageError, match=said):
            Strategy(load(Files("f.qcir", "made.aig"))).save(name, dialect=dialect)
    assert not Path(name).exists()


@pytest.mark.parametrize("dialect", ["qbfcert-ascii", "qbfcert-binary"])
def test_a_smaller_certificate_has_the_form_that_its_name_says(dialect: str, folder: Path) -> None:
    make = ("certify", *DOMINO, "-o", "c", "--formula", "f.qcir", "--as", dialect)
    assert run_qsage(make) == Exit.FINE
    for name, head in (("s.aag", b"aag "), ("s.aig", b"aig ")):
        smaller = ("minimise", "f.qcir", "c", "-o", name, "--timeout", "0.1")
        assert run_qsage(smaller) == Exit.FINE
        assert Path(name).read_bytes().startswith(head)
        assert run_qsage(("validate", "f.qcir", name, "--level", "formula")) == Exit.FINE


def test_info_knows_strategies_of_hex(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(("info", "sample:hex-5x5.hexs")) == Exit.FINE
    assert capsys.readouterr().out == (
        "file: sample:hex-5x5.hexs\nformat: Hex strategy\nbytes: 517\ngame: hex 5x5\n"
        "plies: 13\nwinner: black\nclaim: Black wins hex 5x5 with c3 within 13 plies\n"
        "opening: c3\npatterns: 3\n"
    )
    for words in (("validate",), ("solve",), ("explain",), ("export", "page", "-o", "p.html")):
        assert run_qsage((*words, "sample:hex-5x5.hexs")) == Exit.BAD_INPUT
        said = "a file of another kind (Hex strategy), expected a formula, or --strategy FILE\n"
        assert capsys.readouterr().err.endswith(f": found {said}")


@pytest.mark.parametrize("subject", [None, 3, ["hex"]])
def test_what_is_no_subject_is_told_in_python(subject: object) -> None:
    for ask in (qs.solve, qs.certify, qs.explain):
        with pytest.raises(UsageError, match="expected a game, a formula, a file or a game's name"):
            ask(subject)  # type: ignore[arg-type]
    for made in (qs.encode, qs.find_solution):
        with pytest.raises(UsageError, match="expected a game or a game's name"):
            made(subject)  # type: ignore[arg-type]


def test_a_game_by_name_is_explained_in_python() -> None:
    assert qs.explain("httt --size 3x3 --shape domino --depth 3", lookahead=1).depth == 1
    assert qs.find_solution("httt --size 2x2 --shape domino --depth 3").winner is qs.Player.BLACK


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("count {game} --nodes 9", "found --nodes with a game, expected a formula"),
        ("count {game} --strict", "found --strict with a game, expected a formula"),
        ("count sample:tic --positions 9", "found --positions with a formula, expected a game"),
        ("solve {game} --prenex up", "found --prenex with a game, expected a formula"),
        ("solve sample:tic --encoding lifted", "found --encoding with a formula, expected a game"),
        ("certify {game} -o c.aig --strict", "found --strict with a game, expected a formula"),
        ("certify sample:tic -o c.aig --encoding lifted", "found --encoding with a formula"),
        ("encode {game} -o f.qcir --strict", "found --strict with a game, expected a formula"),
        ("explain {game} --prenex up", "found --prenex with a game, expected a formula"),
        ("explain sample:tic --encoding lifted", "found --encoding with a formula, expected a"),
        ("info {game} --prenex down", "found --prenex with a game, expected a formula"),
        ("compare {game} --encodings all --dialect caqe", "found --dialect with --encodings"),
        ("play {game} --strict", "found --strict with httt, a game: expected it with a formula"),
        ("play {game} --certify --dialect caqe", "found --dialect with httt, a game: expected it"),
        ("play take-away-3 --prenex up", "found --prenex with an impartial game, which has no"),
    ],
)
def test_an_option_that_would_say_nothing_is_refused(
    words: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(words.format(game=" ".join(DOMINO)).split()) == Exit.BAD_INPUT
    out, err = capsys.readouterr()
    assert (out, list(folder.iterdir())) == ("", [])
    assert err.startswith(f"qsage: error: {message}")
    assert err.count("\n") == 1
