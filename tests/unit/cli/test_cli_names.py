"""Names and options: what is unknown gets a suggestion, and one thing has one spelling."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, did_you_mean
from qsage_validate.extensions.impartial.families import load
from qsage_validate.extensions.impartial.model import game_text
from qsage_validate.proving.levels import Level, levels_named
from tests.support.commands import run_qsage

TAKE = game_text(load("take-away-3"))
DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solve", "Knight-trough"), "'Knight-trough' (did you mean 'knightthrough'?), expected"),
        (("solve", "httt", "--shape", "elli"), "polyomino 'elli' (did you mean 'elly'?), exp"),
        (("solve", "harary", "--shape", "snaki"), "polyomino 'snaki' (did you mean 'snaky'?), exp"),
        (("solve", "httt", "--shape", "el", "--bord", "2"), "No such option '--bord'"),
        (
            ("encode", "httt", "-o", "f", "--encoding", "liftd"),
            "(did you mean 'lifted'?), expected",
        ),
        (("solve", "httt", "--solver", "CAQ"), "solver 'CAQ' (did you mean 'caqe'?), expected"),
        (("solve", "sample:tic", "--preprocess", "blocker"), "(did you mean 'bloqqer'?), expected"),
        (("validate", "sample:tic", "--level", "rule"), "rule (did you mean 'rules'?), expected"),
        (("validate", "sample:tic", "sample:tic.aig", "--dialect", "pedent"), "mean 'pedant'?"),
        (("certify", *DOMINO, "-o", "c", "--as", "caqu"), "for --as (did you mean 'caqe'?), exp"),
        (("certify", *DOMINO, "-o", "c", "--route", "serch"), "'serch' (did you mean 'search'?)"),
        (("compare", "httt", "--encodings", "lifd"), "4x4 tic (did you mean 'lifted'?), expec"),
        (("bench", "hexx"), "experiment 'hexx', expected one of"),
        (("bench", "tabel"), "experiment 'tabel' (did you mean 'table'?), expected one of"),
        (
            ("bench", "table2", "--preprocess", "blocker"),
            "'blocker' (did you mean 'bloqqer'?), exp",
        ),
        (("verify", "d", "--checker", "drattrim"), "(did you mean 'drat-trim'?), expected"),
        (("synthesize", "takeaway-3"), "'takeaway-3' (did you mean 'take-away-3'?), expected"),
        (("synthesize", "wythoff-3", "--method", "enumm"), "(did you mean 'enum'?), expected one"),
        (("compar",), "No such command 'compar'. Did you mean 'compare'?"),
    ],
)
def test_a_wrong_name_gets_what_was_meant(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(words) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert said in err, err
    assert err.count("\n") == 1


def test_what_is_like_nothing_gets_no_suggestion() -> None:
    assert did_you_mean("chess", ["hex", "httt", "harary"]) == ""
    assert did_you_mean("HEXX", ["hex", "httt"]) == " (did you mean 'hex'?)"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [("sample:tic.aig",), ("--cert", "sample:tic.aig")])
def test_certificates_stand_behind_the_formula_or_by_name(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = ("--level", "dependencies", "--level", "formula")
    assert run_qsage(("validate", "sample:tic", *words, *levels)) == Exit.FINE
    assert run_qsage(("minimise", "sample:tic", *words, "-o", "c", "--timeout", "0.1")) == Exit.FINE
    assert (folder / "c").stat().st_size > 0
    capsys.readouterr()
    assert run_qsage(("info", "sample:tic", *words, "--json")) == Exit.FINE
    by_formula = ("info", "sample:tic.aig", "--formula", "sample:tic", "--json")
    assert run_qsage(by_formula) == Exit.FINE
    one, other = map(json.loads, capsys.readouterr().out.splitlines())
    assert one == other
    assert one["kind"] == "Skolem"
    play = ("sample:tic", *words, "--moves", "occupy(1,1) occupy(3,3)", "--json")
    assert run_qsage(("play", *play)) == Exit.FINE
    assert json.loads(capsys.readouterr().out)["outcome"]["promised"]


@pytest.mark.parametrize("command", ["validate", "minimise", "info", "play"])
def test_two_certificates_are_refused(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (command, "sample:tic", "sample:tic.aig", "--cert", "c.aag")
    more = ("-o", "c.aig") if command == "minimise" else ()
    assert run_qsage((*words, *more)) == Exit.BAD_INPUT
    said = "found sample:tic.aig with --cert c.aag, expected one of them"
    assert capsys.readouterr().err == f"qsage: error: {said}\n"
    assert not list(folder.iterdir())


def test_minimise_needs_a_certificate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(("minimise", "sample:tic", "-o", "c")) == Exit.BAD_INPUT
    assert "found no certificate, expected FORMULA CERT" in capsys.readouterr().err


def test_a_comparison_writes_in_a_dialect(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for encoding, more in (("lifted", ()), ("lifted-guarded", ("--formula", "other.qcir"))):
        words = ("certify", *DOMINO, "--encoding", encoding, "-o", f"{encoding}.aig")
        assert run_qsage((*words, *(more or ("--formula", "first.qcir")))) == Exit.FINE
    compare = ("compare", "first.qcir", "other.qcir", "--cert", "lifted.aig")
    assert run_qsage((*compare, "-o", "there.aig", "--as", "qbfcert-binary")) == Exit.FINE
    capsys.readouterr()
    assert run_qsage(("info", "other.qcir", "there.aig", "--json")) == Exit.FINE
    assert json.loads(capsys.readouterr().out)["dialect"] == "qbfcert-binary"
    assert run_qsage((*compare, "--as", "caqe")) == Exit.BAD_INPUT
    assert "found --as without -o" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["solve", "certify -o c", "encode -o f", "compare --encodings all"]
)
@pytest.mark.parametrize("name", ["take-away-3", "Two_Heap_Nim", "mark-2-2"])
def test_an_impartial_game_is_told_where_to_go(
    command: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage((*command.split(), name)) == Exit.BAD_INPUT
    plain = name.lower().replace("_", "-")
    assert capsys.readouterr().err == (
        f"qsage: error: found {name!r}, an impartial game, expected one on a board or in GDL: "
        f"'qsage synthesize {plain}' solves it, 'qsage explain {plain}' explains it, "
        f"'qsage play {plain}' plays it\n"
    )
    assert not list(folder.iterdir())


def test_impartial_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(("games",)) == Exit.FINE
    listed = capsys.readouterr().out.partition("impartial games (")[2]
    assert "\n  take-away-3        state v; moves take\n" in listed
    assert "\n  two-row-chomp " in listed
    assert run_qsage(("games", "hex")) == Exit.FINE
    assert "impartial" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("httt", "--size", "3x3", "--shape", "el"), {"kind": "grid", "board": "3x3", "plies": 9}),
        (("httt", "--torus"), {"kind": "positional", "positions": 16}),
        (("hex", "--second", "--depth", "8"), {"first_player": "white", "depth": 8, "plies": 7}),
        (("trails", "--depth", "4"), {"kind": "gdl", "plies": 8, "roles": ["blue", "red"]}),
    ],
)
def test_info_takes_a_game_as_other_commands_do(
    words: tuple[str, ...], facts: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(("info", *words, "--json")) == Exit.FINE
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in facts} == facts


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("htt",), "found the unknown game 'htt' (did you mean 'httt'?)"),
        (("httt", "--names"), "found --names with httt, a game: expected a formula"),
        (("httt", "--cert", "sample:tic.aig"), "found --cert with httt, a game: expected a"),
        (("sample:tic", "--size", "4"), "found 'sample:tic.qcir' (QCIR), expected a file (PG, "),
        (("httt", "hex"), "found no such file"),
        (("sample:tic.aig", "--prenex", "up"), "found --prenex with AIGER"),
        (("sample:tic", "a", "b"), "found 3 words, expected FORMULA CERT"),
        (("--cert", "sample:tic.aig"), "found --cert without FILE, expected FORMULA CERT"),
    ],
)
def test_info_tells_what_does_not_fit(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(("info", *words)) == Exit.BAD_INPUT
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("command", [("solve",), ("certify", "-o", "c.aag"), ("encode", "-o", "f")])
def test_the_file_of_an_impartial_game_gets_the_commands_for_it(
    command: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "take.ig").write_text(TAKE)
    assert run_qsage([*command, "take.ig"]) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert err == (
        "qsage: error: found 'take.ig', an impartial game, expected one on a board or in GDL: "
        "'qsage synthesize take.ig' solves it, 'qsage explain take.ig' explains it, "
        "'qsage play take.ig' plays it\n"
    )


def test_info_knows_the_file_of_an_impartial_game(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "take.ig").write_text(TAKE)
    (folder / "take.ig.gz").write_bytes(gzip.compress(TAKE.encode()))
    for name in ("take.ig", "take.ig.gz"):
        assert run_qsage(["info", name, "--json"]) == Exit.FINE
        found = json.loads(capsys.readouterr().out)
        assert (found["format"], found["game"]) == ("impartial game", "take-away-3")
        assert (found["state"], found["moves"]) == (["v"], ["take"])
    assert run_qsage(["info", "take.ig", "--names"]) == Exit.BAD_INPUT
    assert run_qsage(["info", "sample:tic", "take.ig"]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == (
        "qsage: error: found take.ig, an impartial game, expected a formula with --names\n"
        "qsage: error: found take.ig, an impartial game, expected a certificate\n"
    )


def test_levels_are_called_as_reports_print_them(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("validate", "sample:tic", "sample:tic.aig", "--games", "9")
    assert run_qsage([*words, "--level", "all plays", "--level", "random plays"]) == Exit.FINE
    assert capsys.readouterr().out.count(" plays ") > 2
    assert levels_named(level.value for level in Level) == tuple(Level)


def test_summaries_of_experiments_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["bench", "--help"]) == Exit.FINE
    out = capsys.readouterr().out
    assert "..." not in out.partition("Commands:")[2]
    assert "four encodings, minimax, and BDDL." in " ".join(out.split())


def test_an_empty_default_is_not_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["games", "trails"]) == Exit.FINE
    out = capsys.readouterr().out
    role = next(line for line in out.splitlines() if "--role" in line)
    assert role.endswith("a role of the game")
    assert "(default 100)" in out
