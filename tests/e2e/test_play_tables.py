"""Positional games and games in GDL from the command line: certified, played, validated."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from tests.support.terminal import Terminal

from .conftest import Qsage

EL = ("harary", "--size", "3x3", "--shape", "el", "--maker-breaker", "--depth", "5")
HEX = ("hex-network", "--size", "3x3", "--depth", "5")


@pytest.fixture
def el(qsage: Qsage, tmp_path: Path) -> tuple[Path, Path]:
    """A formula in QCIR and its certificate: COR of a polyomino."""
    files = tmp_path / "el.qcir", tmp_path / "el.aig"
    ran = qsage("certify", *EL, "--encoding", "cor-ladder", "--formula", files[0], "-o", files[1])
    assert ran.code == Exit.FINE, ran.err
    return files


@pytest.fixture
def hexagons(qsage: Qsage, tmp_path: Path) -> tuple[Path, Path]:
    """A formula in QDIMACS, clause by clause, and its certificate: EN of Hex."""
    files = tmp_path / "hex.qdimacs", tmp_path / "hex.aig"
    ran = qsage("certify", *HEX, "--encoding", "en", "--formula", files[0], "-o", files[1])
    assert ran.code == Exit.FINE, ran.err
    return files


def test_a_script_plays_positions_by_name(qsage: Qsage, el: tuple[Path, Path]) -> None:
    formula, certificate = el
    ran = qsage("play", formula, "--cert", certificate, "--moves", "a1 c3")
    assert ran.code == Exit.FINE
    assert "ply 2, White: a1" in ran.out
    assert "  a b c\n1 . . .\n2 . B .\n3 . . ." in ran.out
    assert "Black wins: reached its goal" in ran.out


def test_an_occupied_position_is_refused_and_can_be_let_happen(
    qsage: Qsage, el: tuple[Path, Path]
) -> None:
    formula, certificate = el
    ran = qsage("play", formula, "--cert", certificate, "--moves", "b2")
    assert ran.code == Exit.BAD_INPUT
    assert "b2: Black has claimed it" in ran.out
    assert "formula: white 2 b2 legal" in ran.out
    last = ran.err.splitlines()[-1]
    assert last.endswith("b2 is illegal: Black has claimed it (b2! lets it happen)")
    ran = qsage("play", formula, "--cert", certificate, "--moves", "b2! b2!", "--json")
    assert ran.code == Exit.FINE
    assert json.loads(ran.out)["outcome"]["promised"] is True


def test_what_is_no_position_is_an_error_with_its_place(
    qsage: Qsage, el: tuple[Path, Path]
) -> None:
    formula, certificate = el
    ran = qsage("play", formula, "--cert", certificate, "--moves", "a1 d4")
    assert ran.code == Exit.BAD_INPUT
    assert "--moves:1:4: found 'd4', expected squares of the 3x3 board: a1 to c3" in ran.err


@pytest.mark.parametrize("name", ["el", "hexagons"])
def test_every_level_holds(qsage: Qsage, name: str, request: pytest.FixtureRequest) -> None:
    formula, certificate = request.getfixturevalue(name)
    ran = qsage("validate", formula, "--cert", certificate, "--games", "60", "--json")
    assert ran.code == Exit.FINE, ran.out
    report = json.loads(ran.out)
    proved = {level["level"]: level["verdict"] for level in report["levels"]}
    wanted = ("dependencies", "formula", "all plays", "rules", "boards")
    assert proved == {**dict.fromkeys(wanted, "proved"), "random plays": "sampled"}


@pytest.mark.parametrize("name", ["el", "hexagons"])
def test_random_adversaries_try_illegal_moves(
    qsage: Qsage, name: str, request: pytest.FixtureRequest
) -> None:
    formula, certificate = request.getfixturevalue(name)
    ran = qsage(
        "play", formula, "--cert", certificate, "--white", "random", "--games", "40",
        "--illegal", "0.5", "--json",
    )  # fmt: skip
    assert ran.code == Exit.FINE
    report = json.loads(ran.out)
    assert report["wins"] == 40
    assert report["illegal_tried"] == report["illegal_flagged"] > 10


def test_the_certificate_of_another_game_is_refuted_with_a_replay(
    qsage: Qsage, el: tuple[Path, Path], tmp_path: Path
) -> None:
    formula, certificate = el
    model = "harary --size 3x3 --shape tic --maker-breaker --depth 5"
    ran = qsage(
        "validate", formula, "--cert", certificate, "--model", model, "--level", "rules",
        "--level", "random", "--games", "20", "--json",
    )  # fmt: skip
    assert ran.code == Exit.REFUTED
    findings = [f for level in json.loads(ran.out)["levels"] for f in level.get("findings", ())]
    assert any("Black has not reached a goal" in finding["text"] for finding in findings)
    replays = [finding["replay"] for finding in findings if finding["replay"]]
    assert replays
    assert all("--moves" in replay and "--model" in replay for replay in replays)


def test_a_model_that_is_another_board_does_not_fit(qsage: Qsage, el: tuple[Path, Path]) -> None:
    formula, certificate = el
    model = "harary --size 4x4 --shape el --maker-breaker --depth 7"
    ran = qsage("play", formula, "--cert", certificate, "--model", model, "--moves", "a1")
    assert ran.code == Exit.BAD_INPUT
    assert "does not fit the layout" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_moves_that_are_none_of_the_game_are_played_without_rules(
    qsage: Qsage, tmp_path: Path
) -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    formula, certificate = tmp_path / "cover.qdimacs", tmp_path / "cover.aig"
    assert qsage("encode", *EL, "--encoding", "cover", "-o", formula).code == Exit.FINE
    ran = qsage("certify", formula, "--route", "bloqqer", "-o", certificate)
    assert ran.code == Exit.FINE, ran.err
    ran = qsage("validate", formula, "--cert", certificate, "--games", "20", "--json")
    assert ran.code == Exit.FINE, ran.out
    levels = {level["level"]: level["verdict"] for level in json.loads(ran.out)["levels"]}
    assert (levels["formula"], levels["random plays"]) == ("proved", "sampled")


INCONCLUSIVE = {
    "cover-played": ("false", "hex-network", "--size", "2x3", "--depth", "3"),
    "pairing": ("true", "harary", "--size", "2x2", "--shape", "domino", "--depth", "2"),
}
# White's functions name no move at all, and yet White holds by the rules: Black needs more plies.
MORE = {
    "cover-played": 'Black does not win the positional game of 6 positions labelled "hex 2x3" '
    "within 3 plies"
}


@pytest.mark.parametrize("encoding", INCONCLUSIVE)
def test_a_formula_that_says_nothing_of_the_game_is_proved_without_its_rules(
    qsage: Qsage, tmp_path: Path, encoding: str
) -> None:
    value, *game = INCONCLUSIVE[encoding]
    formula, certificate = tmp_path / "f.qcir", tmp_path / "f.aig"
    ran = qsage(
        "certify", *game, "--encoding", encoding, "--route", "expansion", "--json",
        "--formula", formula, "-o", certificate,
    )  # fmt: skip
    assert ran.code == Exit.FINE, ran.err
    why = f"the formula is {value}, of which no winner follows in {encoding}"
    assert why in ran.err
    made = json.loads(ran.out)
    assert (made["verdict"], made["winner"]) == (value, None)
    ran = qsage("validate", formula, "--cert", certificate, "--games", "20", "--json")
    assert ran.code == Exit.FINE, ran.out
    report = json.loads(ran.out)
    levels = {level["level"]: level for level in report["levels"]}
    assert levels["formula"]["verdict"] == "proved"
    assert levels["random plays"]["verdict"] == "sampled"
    said = f"the formula is {value}"
    assert report["claim"] == (f"{MORE[encoding]}; {said}" if encoding in MORE else said)
    if encoding in MORE:
        assert levels["rules"]["verdict"] == "proved"
    else:
        assert levels["rules"]["verdict"] == "not applicable"
        assert why in levels["rules"]["text"]
    ran = qsage("play", formula, "--cert", certificate, "--moves", "a1!")
    assert f"no rules: {why}" in ran.out
    ran = qsage("validate", formula, "--cert", certificate, "--games", "20", "--jobs", "2")
    assert ran.code == Exit.FINE, ran.out


@pytest.mark.parametrize("encoding", INCONCLUSIVE)
def test_no_winner_is_told_of_a_formula_that_does_not_say_it(
    qsage: Qsage, tmp_path: Path, encoding: str
) -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    value, *game = INCONCLUSIVE[encoding]
    formula = tmp_path / "f.qcir"
    assert qsage("encode", *game, "--encoding", encoding, "-o", formula).code == Exit.FINE
    said = Exit.TRUE if value == "true" else Exit.FALSE
    ran = qsage("solve", formula)
    assert ran.code == said
    assert ran.out.startswith(f"{value}: the formula is {value}, of which no winner follows in ")
    ran = qsage("solve", formula, "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["winner"], told["first_moves"]) == (said, None, [])
    ran = qsage("info", formula)
    assert f"says who wins: only when {'false' if value == 'true' else 'true'}" in ran.out
    # Of the game itself the same answer is none.
    assert qsage("solve", *game, "--encoding", encoding).code == Exit.UNDECIDED


@pytest.mark.parametrize("encoding", ["cor-lean", "cor", "cor+", "cor-ladder", "ea", "la", "sa"])
def test_white_may_reply_with_what_the_formula_ignores(
    qsage: Qsage, tmp_path: Path, encoding: str
) -> None:
    """Functions that are constant prove these formulas false, and hold by the rules too."""
    formula, certificate = tmp_path / "f.qdimacs", tmp_path / "f.aag"
    ran = qsage("encode", *EL[:-1], "3", "--encoding", encoding, "-o", formula)
    assert ran.code == Exit.FINE
    text = formula.read_text()
    codes = re.findall(r"^c .*move 2 white .* code \[(\d+)\.\.(\d+)\]", text, re.MULTILINE)
    assert codes, text[:300]
    bits = range(int(codes[0][0]), int(codes[0][1]) + 1)
    # White replies a1, whatever Black has claimed.
    lines = ["aag 0 0 0 5 0", *["0"] * 5, *(f"o{k} {v}" for k, v in enumerate(bits)), "o4 result"]
    certificate.write_text("\n".join(lines) + "\n")
    assert len(bits) == 4
    ran = qsage("validate", formula, "--cert", certificate, "--games", "50", "--json")
    assert ran.code == Exit.FINE, ran.out
    levels = {level["level"]: level["verdict"] for level in json.loads(ran.out)["levels"]}
    assert levels["rules"] == levels["all plays"] == "proved"
    assert levels["random plays"] == "sampled"
    ran = qsage("play", formula, "--cert", certificate, "--moves", "a1 b2")
    assert ran.code == Exit.FINE
    assert "It claims nothing, and any claim will do: a1: Black has claimed it." in ran.out
    assert "White wins: held out for 3 plies" in ran.out


@pytest.mark.parametrize("encoding", ["cor-lean", "cor", "cor+", "cor-ladder", "ea", "la", "sa"])
def test_what_is_no_strategy_by_the_rules_is_refuted_though_illegal_replies_are_not(
    qsage: Qsage, tmp_path: Path, encoding: str
) -> None:
    # White replies a1 for ever: Black wins within five plies.
    formula, certificate = tmp_path / "f.qdimacs", tmp_path / "f.aag"
    assert qsage("encode", *EL, "--encoding", encoding, "-o", formula).code == Exit.FINE
    code = re.search(r"^c .*move 2 white .* code \[(\d+)", formula.read_text(), re.MULTILINE)
    assert code is not None
    certificate.write_text(f"aag 0 0 0 1 0\n0\no0 {code[1]}\n")
    ran = qsage("validate", formula, "--cert", certificate, "--games", "50", "--level", "rules")
    assert ran.code == Exit.REFUTED
    assert "Black wins although the certificate says that Black does not" in " ".join(
        ran.out.split()
    )


def test_white_may_reply_with_what_a_formula_of_gdl_replaces(qsage: Qsage, tmp_path: Path) -> None:
    pytest.importorskip("clingo", reason="GDL needs the extra 'gdl'")
    formula, certificate = tmp_path / "f.qcir", tmp_path / "f.aag"
    ran = qsage("encode", "trails", "--depth", "3", "--encoding", "gdl", "-o", formula)
    assert ran.code == Exit.FINE
    (first, last), *_ = re.findall(
        r"^#@ move 2 white .* code \[(\d+) (\d+)\]", formula.read_text(), re.MULTILINE
    )
    # Number 3 of three moves: none, in whose place any legal one may stand.
    certificate.write_text(f"aag 0 0 0 2 0\n1\n1\no0 {first}\no1 {last}\n")
    ran = qsage("validate", formula, "--cert", certificate, "--games", "20", "--json")
    # White wins with whatever legal move stands there: all of them are tried.
    assert ran.code == Exit.FINE, ran.out
    levels = {level["level"]: level["verdict"] for level in json.loads(ran.out)["levels"]}
    assert levels["formula"] == levels["all plays"] == "proved"
    assert levels["random plays"] == "sampled"
    # A person chooses the move.
    ran = qsage("play", formula, "--cert", certificate, "--moves", "(go 1 2)")
    assert ran.code == Exit.UNDECIDED
    assert "any legal move of White's will do in its place" in ran.out
    assert "White is to move" in ran.err
    ran = qsage("play", formula, "--cert", certificate, "--moves", "(go 1 2); wait")
    assert "ply 2, White: wait" in ran.out
    assert "Black is to move" in ran.err


def test_black_may_waste_plies_that_she_does_not_need(qsage: Qsage, tmp_path: Path) -> None:
    """DepQBF's strategy claims what is claimed already, which COR+ ignores."""
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    formula, certificate = tmp_path / "f.qdimacs", tmp_path / "f.aig"
    domino = ("harary", "--size", "3x3", "--shape", "domino", "--maker-breaker", "--depth", "7")
    assert qsage("encode", *domino, "--encoding", "cor-lean", "-o", formula).code == Exit.FINE
    ran = qsage("certify", formula, "--route", "trace", "--solver", "depqbf", "-o", certificate)
    assert ran.code == Exit.FINE, ran.err
    ran = qsage("validate", formula, "--cert", certificate, "--games", "200")
    assert ran.code == Exit.FINE, ran.out
    assert "Black wins maker-breaker httt 3x3 domino within 7 plies" in " ".join(ran.out.split())


@pytest.mark.parametrize("encoding", ["ea", "en", "et"])
def test_white_reads_the_board_that_black_tells(
    qsage: Qsage, tmp_path: Path, encoding: str
) -> None:
    """DepQBF's functions of White's read Black's variables for the board, not only moves."""
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    formula, certificate = tmp_path / "f.qdimacs", tmp_path / "f.aig"
    game = ("hex-network", "--size", "2x3", "--depth", "5")
    assert qsage("encode", *game, "--encoding", encoding, "-o", formula).code == Exit.FINE
    ran = qsage("certify", formula, "--route", "trace", "--solver", "depqbf", "-o", certificate)
    assert ran.code == Exit.FINE, ran.err
    ran = qsage("validate", formula, "--cert", certificate, "--games", "100", "--json")
    assert ran.code == Exit.FINE, ran.out
    levels = {level["level"]: level["verdict"] for level in json.loads(ran.out)["levels"]}
    assert levels.pop("random plays") == "sampled"
    assert levels.pop("boards") == "not applicable"
    assert set(levels.values()) == {"proved"}
    assert len(levels) == 4
    ran = qsage("play", formula, "--cert", certificate, "--white", "random", "--games", "50")
    assert ran.code == Exit.FINE, ran.out


def test_what_no_play_tells_is_no_fault_of_a_certificate(qsage: Qsage, tmp_path: Path) -> None:
    """In COR White's functions read variables of Black's that are neither moves nor board."""
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    formula, certificate = tmp_path / "f.qdimacs", tmp_path / "f.aig"
    game = ("hex-network", "--size", "2x3", "--depth", "5")
    assert qsage("encode", *game, "--encoding", "cor-ladder", "-o", formula).code == Exit.FINE
    ran = qsage("certify", formula, "--route", "trace", "--solver", "depqbf", "-o", certificate)
    assert ran.code == Exit.FINE, ran.err
    ran = qsage("validate", formula, "--cert", certificate, "--games", "100", "--json")
    assert ran.code == Exit.FINE, ran.out
    levels = {level["level"]: level for level in json.loads(ran.out)["levels"]}
    assert levels["formula"]["verdict"] == "proved"
    assert levels["rules"]["verdict"] == "not applicable"
    assert "variables that are no moves" in levels["rules"]["text"]
    ran = qsage("play", formula, "--cert", certificate, "--moves", "a1")
    assert "White's functions read " in ran.out


def test_a_certificate_of_constants_alone_can_be_read_back(qsage: Qsage, tmp_path: Path) -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    formula, certificate = tmp_path / "f.qdimacs", tmp_path / "f.aig"
    ran = qsage("encode", *EL[:-1], "3", "--encoding", "sa", "-o", formula)
    assert ran.code == Exit.FINE
    # What Bloqqer finds here needs no function of White's at all.
    ran = qsage("certify", formula, "--route", "bloqqer", "-o", certificate)
    assert ran.code == Exit.FINE, ran.err
    ran = qsage("validate", formula, "--cert", certificate, "--games", "20")
    assert ran.code == Exit.FINE, ran.out + ran.err


def test_a_win_that_is_more_than_the_formula_says_is_proved_by_the_rules(
    qsage: Qsage, tmp_path: Path
) -> None:
    formula, certificate = tmp_path / "f.qcir", tmp_path / "f.aig"
    ran = qsage(
        "certify", "hex-network", "--size", "3x3", "--depth", "6", "--encoding", "pairing",
        "--formula", formula, "-o", certificate,
    )  # fmt: skip
    assert ran.code == Exit.FINE
    assert "no winner follows" not in ran.err
    ran = qsage("validate", formula, "--cert", certificate, "--games", "20")
    assert ran.code == Exit.FINE
    said = 'valid: Black wins the positional game of 9 positions labelled "hex 3x3" within 6 plies'
    assert said in " ".join(ran.out.split())


# Python 3.12 and later warn of forking while pytest-xdist's threads run.
@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_a_person_plays_hex_in_a_terminal(hexagons: tuple[Path, Path], tmp_path: Path) -> None:
    formula, certificate = hexagons
    words = ["qsage-play", str(formula), "--cert", str(certificate)]
    with Terminal(words, folder=tmp_path, columns=80, lines=24) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.wait_for("●  b2")
        terminal.send(":b2\r")
        terminal.wait_for("Illegal: b2: Black has claimed it")
        terminal.send("\x1b")
        terminal.send(":a1\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send(":c1\r")
        terminal.wait_for("Black wins: reached its goal, as the certificate promised")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
