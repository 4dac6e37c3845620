"""Solution files: read back, cut, changed, forged, of another game; on the command line."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import qsage_validate as qs
from qsage_validate.errors import Exit, InputError, QsageError
from qsage_validate.games.registry import find_command
from qsage_validate.solutions.check import check
from qsage_validate.solutions.walk import as_bytes, read_solution, sealed
from qsage_validate.solvers.search_solution import find_solution
from research.benchmarks.fuzz import damaged
from tests.support.commands import run_play, run_qsage

DOMINEERING = "domineering --size 4x4 --depth 8"


@pytest.fixture(scope="module")
def content() -> bytes:
    """The file of a solution."""
    return as_bytes(find_solution(find_command(DOMINEERING.split())))


@pytest.fixture
def path(tmp_path: Path, content: bytes) -> Path:
    found = tmp_path / "d.solution"
    found.write_bytes(content)
    return found


def behind_the_sum(content: bytes) -> str:
    """What stands behind the first two lines."""
    return gzip.decompress(content).decode().split("\n", 2)[2]


def test_a_file_reads_back(path: Path, content: bytes) -> None:
    solution = read_solution(path)
    assert as_bytes(solution) == content
    assert solution.positions == 31
    unpacked = path.with_name("unpacked")
    unpacked.write_bytes(gzip.decompress(content))
    assert as_bytes(read_solution(unpacked)) == content


@pytest.mark.parametrize("words", ["harary --size 3x3 --shape el --depth 5", "trails --depth 3"])
def test_files_of_other_languages_read_back(words: str, tmp_path: Path) -> None:
    solution = find_solution(find_command(words.split()))
    solution.save(tmp_path / "s")
    again = read_solution(tmp_path / "s")
    assert (again.winner, again.replies) == (solution.winner, solution.replies)
    assert again.model.parts() == solution.model.parts()
    assert check(again).proved


def test_cut_and_changed_files_are_one_line(
    path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = gzip.decompress(content)
    wrong = {
        "no such file": None,
        "an empty file": b"",
        "damaged gzip data": content[: len(content) // 2],
        "unpacks to more than": gzip.compress(bytes(1 << 27)),
        "'#QCIR": b"#QCIR-G14 3\n",
        "version '2', expected version 1": plain.replace(b"solution 1", b"solution 2", 1),
        "the file was cut or changed": plain[:-40],
        "2:1: found 'sha256": plain.replace(b"vertical(1,2)\n", b"vertical(2,2)\n"),
        "the file was cut": b"qsage solution 1",
    }
    for expected, data in wrong.items():
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        for run, words in (
            (run_qsage, ["validate", "--solution", str(path)]),
            (run_play, ["--solution", str(path), "--moves", "horizontal(1,1)"]),
        ):
            code = run(words)
            told = capsys.readouterr()
            assert (code, told.out) == (Exit.BAD_INPUT, ""), expected
            assert expected in told.err
            assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("game bddl", "game chess", "3:6: found 'chess', expected one of"),
        ("winner black", "winner both", "4:8: found 'both', expected black or white"),
        ("plies 8", "plies 9", "5:7: found '9', expected 8, the plies of the model"),
        ("part name", "part nome", "6:6: found 'nome'"),
        ("part problem", "part domain", "found 'domain', expected one of"),
        (":effect (black", ":effect (blak", "expected"),
        ("ply 3 5", "ply 3 99999", "found '99999', expected a number from 1 to"),
        ("ply 3 5", "ply 3 4", "expected a line 'ply …'"),
        ("ply 3 5", "ply 99 5", "found '99', expected a number from 1 to 8"),
        ("ply 3 5", "ply 1 5", "found ply 1 a second time"),
        ("\nend\n", "\n", "expected a line 'ply …'"),
        ("\nend\n", "\nend\nmore", "found a line behind the end"),
        ("\tvertical(1,2)", " vertical(1,2)", "expected a position, a tab and a reply"),
        (
            "..../..../..../....\t",
            "..../..../..../....x\t",
            ":{line}:1: found the position '..../..../..../....x', expected boards of 4x4 squares",
        ),
        (
            "..../..../..../....\t",
            "..../..../..X./....\t",
            ":{line}:1: found the position '..../..../..X./",
        ),
        ("..../..../..../....\t", "..../..../....\t", "expected boards of 4x4 squares"),
        ("\tvertical(1,2)\n", "\tsideways(1,2)\n", ":{line}:21: found a reply that is no move"),
    ],
)
def test_a_forged_file_is_one_line(
    path: Path, content: bytes, old: str, new: str, expected: str
) -> None:
    """The sum is right, and what is wrong is told with its place."""
    text = behind_the_sum(content)
    assert old in text
    path.write_bytes(sealed(text.replace(old, new, 1).encode()))
    with pytest.raises(InputError) as caught:
        check(read_solution(path))
    line = text.partition(old)[0].count("\n") + 3
    assert expected.format(line=line) in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_malformed_in_a_late_ply_is_told_before_a_play(
    path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a loss of the winner's in each play that came there, and unseen in all others."""
    position, tab, move = behind_the_sum(content).splitlines()[-2].partition("\t")
    line = behind_the_sum(content).count("\n") + 1
    late = ((f"x{position[1:]}{tab}{move}", 1), (f"{position}{tab}side{move}", len(position) + 2))
    for wrong, column in late:
        text = behind_the_sum(content).replace(position + tab + move, wrong)
        path.write_bytes(sealed(text.encode()))
        for words in (["--white", "random", "--games", "9"], ["--moves", "horizontal(1,1)"]):
            assert run_play(["--solution", str(path), *words]) == Exit.BAD_INPUT
            told = capsys.readouterr()
            assert told.out == ""
            assert told.err.startswith(f"{path}:{line}:{column}: found ")
            assert told.err.count("\n") == 1


def test_a_wrong_reply_is_refuted_with_the_play(
    path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    text = behind_the_sum(content)
    path.write_bytes(sealed(text.replace("vertical(1,2)", "vertical(4,4)", 1).encode()))
    assert run_qsage(["validate", "--solution", str(path)]) == Exit.REFUTED
    assert capsys.readouterr().out.splitlines() == [
        "refuted: the reply in ply 1 is illegal: the move needs row 5, and the rows of the board "
        "are 1 to 4; vertical(4,4): ?y+1 leaves the board",
        "  play: no move",
    ]
    line = "WW../B.../B.../....\tvertical(3,2)"
    assert line in text
    path.write_bytes(sealed(text.replace(line, line[:-5] + "(1,2)", 1).encode()))
    assert run_qsage(["validate", "--solution", str(path)]) == Exit.REFUTED
    told = capsys.readouterr().out.splitlines()
    assert "the reply in ply 3 is illegal: Black already holds a2; vertical(1,2)" in told[0]
    assert told[1] == "  play: vertical(1,2) horizontal(1,1)"
    path.write_bytes(sealed(text.replace(line, line[:-5] + "(4,1)", 1).encode()))
    assert run_qsage(["validate", "--solution", str(path), "--json"]) == Exit.REFUTED
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "refuted"
    assert answer["play"][:3] == ["vertical(1,2)", "horizontal(1,1)", "vertical(4,1)"]
    assert answer["hypotheses"] is None


def test_a_file_of_another_game_is_refused(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "--solution", str(path), "--model"]
    assert run_qsage([*command, DOMINEERING]) == Exit.FINE
    assert "proved by exhaustive walk, 50 positions" in capsys.readouterr().out
    for words, expected in {
        "domineering --size 4x4 --depth 9": "at depth 8",
        "domineering --size 5x4 --depth 8": "expected one of domineering 5x4",
        "harary --size 3x3": "expected one of",
    }.items():
        assert run_qsage([*command, words]) == Exit.BAD_INPUT
        told = capsys.readouterr()
        assert expected in told.err
        assert told.err.count("\n") == 1


def test_options_that_do_not_go_with_a_solution(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ["validate", "sample:tic", "--solution", str(path)],
        ["validate", "--solution", str(path), "--level", "all"],
        ["validate", "--solution", str(path), "--proof", "p"],
        ["validate", "--solution", str(path), "--seed", "3"],
        ["validate", "--solution", str(path), "--dialect", "caqe"],
        ["certify", str(path), "--blocks", "1", "--strict", "-o", f"{path}.aag"],
        ["validate"],
        ["solve", "sample:tic", "--solution", str(path)],
        ["solve", "httt", "--solver", "depqbf", "--solution", str(path)],
        ["solve", "httt", "--encoding", "lifted", "--solution", str(path)],
        ["solve", "harary", "--depth", "auto", "--alternate", "--solution", str(path)],
        ["play", "httt", "--solution", str(path)],
        ["play", "--solution", str(path), "--solver", "depqbf"],
    ):
        before = path.read_bytes()
        assert run_qsage(words) == Exit.BAD_INPUT, words
        told = capsys.readouterr()
        assert "found" in told.err
        assert "expected" in told.err or "which has its game" in told.err
        assert told.err.count("\n") == 1
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("domineering --size 4x4 --depth auto", "Black wins domineering 4x4 within 8 plies"),
        ("domineering --size 4x4 --depth auto --winner", "Black wins domineering 4x4 within"),
        ("domineering --size 4x4 --depth 7", "Black does not win domineering 4x4 within 7 plies"),
        ("httt --size 3x3 --shape tic --depth auto", "Black wins httt 3x3 tic within 10 plies"),
        ("httt --size 3x3 --shape tic --depth 9", "Black does not win httt 3x3 tic within 9"),
    ],
)
def test_solve_writes_what_validate_proves(
    words: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s"
    assert run_qsage(["solve", *words.split(), "--solution", str(path)]) in (10, 20)
    assert "replies in" in capsys.readouterr().err
    assert run_qsage(["validate", "--solution", str(path)]) == Exit.FINE
    assert said in capsys.readouterr().out


def test_nothing_is_written_without_a_winner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s"
    path.write_text("before")
    for words in (
        "domineering --size 6x6 --depth 19 --timeout 0",
        "domineering --size 4x4 --depth auto --max-depth 3",
    ):
        command = ["solve", *words.split(), "--solution", str(path)]
        assert run_qsage(command) == Exit.UNDECIDED
        assert "is not written: nobody is known to win" in capsys.readouterr().err
        assert path.read_text() == "before"


def test_limits_of_a_walk(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "--solution", str(path)]
    assert run_qsage([*command, "--timeout", "0"]) == Exit.UNDECIDED
    assert capsys.readouterr().err.count("\n") == 1
    assert run_qsage([*command, "--memory", "4000"]) == Exit.FINE
    assert "proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "begins"), [("s.xz", b"\xfd7zXZ"), ("s.bz2", b"BZh"), ("s.gz", b"\x1f\x8b")]
)
def test_the_name_says_the_compression(path: Path, name: str, begins: bytes) -> None:
    solution = read_solution(path)
    solution.save(path.parent / name)
    assert (path.parent / name).read_bytes().startswith(begins)
    assert as_bytes(read_solution(path.parent / name)) == as_bytes(solution)


def test_info_says_what_the_file_claims(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["info", str(path)]) == Exit.FINE
    told = capsys.readouterr().out
    assert "format: solution file\n" in told
    claim = "game: domineering 4x4\ndepth: 8\nplies: 8\nwinner: black\n"
    assert f"{claim}claim: Black wins domineering 4x4 within 8 plies\npositions: 31\n" in told
    path.write_bytes(path.read_bytes()[:50])
    assert run_qsage(["info", str(path)]) == Exit.BAD_INPUT


def test_the_file_where_another_is_wanted(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["solve"], ["validate"], ["encode"]):
        more = ["-o", "nothing.qcir"] if words == ["encode"] else []
        assert run_qsage([*words, str(path), *more]) == Exit.BAD_INPUT
        told = capsys.readouterr().err
        assert "solution file" in told
        assert told.count("\n") == 1


def test_a_solution_plays(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--solution", str(path)]
    assert run_play([*command, "--white", "random", "--games", "30"]) == Exit.FINE
    assert "Black won 30, lost 0" in capsys.readouterr().out
    path.write_bytes(
        sealed(behind_the_sum(path.read_bytes()).replace("ply 3 5", "ply 4 5").encode())
    )
    assert run_play([*command, "--moves", "horizontal(1,1)"]) == Exit.REFUTED
    assert "FINDING" in (told := capsys.readouterr().out)
    assert "no reply for Black in WW../B.../B.../...., ply 3" in told


def test_damaged_content_is_a_line_or_a_verdict(path: Path, content: bytes) -> None:
    """Behind a right sum, so that the damage is met by what reads and walks."""
    text, lines, verdicts = behind_the_sum(content).encode(), 0, 0
    for number in range(400):
        path.write_bytes(sealed(damaged(text, random.Random(number))))
        try:
            check(read_solution(path))
            verdicts += 1
        except QsageError as error:
            assert "\n" not in str(error)  # noqa: PT017 (any of them)
            lines += 1
    assert lines > 100
    assert verdicts


def test_the_library(tmp_path: Path, content: bytes) -> None:
    solution = qs.find_solution(qs.game("domineering", size=(4, 4), depth=8))
    solution.save(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == content
    again = qs.load_solution(content)
    assert (
        repr(again) == "<Solution Black wins domineering 4x4 within 8 plies: 31 replies of Black>"
    )
    report = again.validate()
    assert report.proved
    assert (report.positions, report.longest, report.play) == (50, 7, ())
    assert report.to_dict()["verdict"] == "proved"
    match = again.play()
    while not match.over:
        match.push(str(match.legal_moves()[0]))
    assert match.result == "Black wins: White has no legal move"
    with pytest.raises(qs.InputError, match="<solution>:1:1: found"):
        qs.load_solution(b"x")
    with pytest.raises(qs.UndecidedError):
        qs.find_solution(again.game, timeout=0)


def test_a_play_against_a_missing_reply_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A position without a reply breaks the claim; it is no matter of a limit."""
    path = tmp_path / "short.solution"
    whole = find_solution(find_command(DOMINEERING.split()))
    last = max(whole.replies)
    kept = {ply: replies for ply, replies in whole.replies.items() if ply != last}
    replace(whole, replies=kept).save(path)
    words = ["--solution", str(path), "--white", "random", "--games", "20"]
    assert run_play(words) == Exit.REFUTED
    assert "found no reply for Black" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        "domineering --size 4x4",
        "domineering --size 4x4 --second",
        "breakthrough --size 2x6",
        "breakthrough --size 2x4 --second",
        "httt --size 3x3 --shape el",
        "httt --size 3x3 --shape tic",
        "connect-c --size 4x4 --connect 3",
        "harary --size 3x3 --shape el",
        "evader-pursuer-dual --size 3x3 --pursuer 2,3",
    ],
)
def test_the_critical_depth_and_its_solution_are_one_search(
    words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsage_validate.solvers import search_solution as solution
    from qsage_validate.solvers.search import search_for

    searched = []

    def search(*arguments: Any, **more: Any) -> Any:
        searched.append(arguments)
        return search_for(*arguments, **more)

    monkeypatch.setattr(solution, "search_for", search)
    file = tmp_path / "s.gz"
    words_ = ["solve", *words.split(), "--depth", "auto", "--solution", str(file), "--json"]
    assert run_qsage(words_) in (Exit.TRUE, Exit.FALSE)
    found = json.loads(capfd.readouterr().out)
    assert run_qsage(["validate", "--solution", str(file), "--json"]) == Exit.FINE
    checked = json.loads(capfd.readouterr().out)
    assert checked["winner"] == found["winner"]
    if found["winner"] == "black":
        assert checked["plies"] == found["critical_plies"]
    # Of a positional game's positions the depth is a part.
    assert len(searched) == (words.startswith("harary"))
