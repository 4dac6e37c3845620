"""Files as people have them: by the commands, with the right answer or one line that helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

SAMPLES = Path(__file__).parents[2] / "certificates"
NO_FORMAT = {
    "graph.g6": "J`?J?qCiAg?\nK`?LBAWUCgI_\n",
    "indented.qdimacs": "   p  cnf 2 1\n1 -2 0\n",
    "no-header.cnf": "1 -2 0\n3 2 0\n",
    "prose.txt": "Dear all,\nthe formula is exists(x) and so on.\n",
    "go.txt": "Black: D4 (a star point)\n",
}
TIC = (str(SAMPLES / "tic.qcir"), str(SAMPLES / "tic.aig"))


@pytest.mark.parametrize("name", NO_FORMAT)
@pytest.mark.parametrize(
    "words",
    [
        ("info", "FILE"),
        ("solve", "FILE"),
        ("certify", "FILE", "-o", "c.aag"),
        ("validate", "FILE", TIC[1]),
        ("validate", TIC[0], "FILE"),
        ("validate", "FILE"),
        ("encode", "FILE", "-o", "f.qcir"),
        ("compare", "FILE", TIC[0], "--exact"),
        ("compare", TIC[0], "FILE", "--exact"),
        ("explain", "FILE", "-o", "x.txt"),
        ("minimise", TIC[0], "FILE", "-o", "c.aag"),
        ("minimise", "FILE", TIC[1], "-o", "c.aag"),
        ("play", "FILE"),
        ("play", "FILE", "--cert", TIC[1]),
        ("play", TIC[0], "--cert", "FILE"),
        ("export", "page", "FILE", TIC[1], "-o", "p.html"),
        ("validate", *TIC, "--model", "FILE"),
        ("info", TIC[1], "--formula", "FILE"),
    ],
)
def test_a_file_of_no_known_format_is_named_so(
    qsage: Qsage, name: str, words: tuple[str, ...]
) -> None:
    Path(name).write_text(NO_FORMAT[name])
    done = qsage(*(name if word == "FILE" else word for word in words))
    assert done.code == Exit.BAD_INPUT
    assert done.err.count("\n") == 1
    assert "a file of no known format" in done.err
    assert sorted(path.name for path in Path().iterdir()) == [name]


def test_what_is_missing_is_said(qsage: Qsage) -> None:
    for name in ("indented.qdimacs", "no-header.cnf"):
        Path(name).write_text(NO_FORMAT[name])
        assert "'p cnf VARIABLES CLAUSES'" in qsage("solve", name).err


def test_wrong_header_counts_are_a_line_and_the_answer(qsage: Qsage) -> None:
    Path("f.qdimacs").write_text("c reduced\np cnf 300 9100\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n")
    line = "f.qdimacs:2:1: found a header of 9,100 clauses, expected 2, as in the file\n"
    done = qsage("solve", "f.qdimacs")
    assert (done.code, done.err) == (10, f"warning: {line}")
    assert done.out.startswith("true")
    for words in (("solve",), ("info",), ("certify", "-o", "c.aag"), ("encode", "-o", "g.qcir")):
        done = qsage(words[0], "f.qdimacs", *words[1:], "--strict")
        assert (done.code, done.out, done.err) == (Exit.BAD_INPUT, "", line)
    # The next command is not strict because this one was.
    assert qsage("info", "f.qdimacs").code == 0


OLD = "M\xfcller".encode("latin-1")
TEXTS = {
    "f.qcir": b"#QCIR-G14\n# OLD\nexists(a)\noutput(a)\n",
    "f.qdimacs": b"c OLD\np cnf 2 1\ne 1 2 0\n1 -2 0\n",
    "f.aag": b"aag 1 1 0 1 0\n2\n2\ni0 0 x\nc\nOLD\n",
    "f.pg": b"% OLD\n#times\nt1\n#blackturns\nt1\n#positions\na b % OLD\n#blackwins\na\n",
    "f.gdl": b"; OLD\n(role b) (init on) (legal b noop) (<= terminal (true on)) (goal b 100)\n",
    "f.hex": b"% OLD\n2 b[a1]\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_comments_may_be_of_old_encodings_and_a_mark_may_begin_a_file(
    qsage: Qsage, name: str
) -> None:
    for data in (TEXTS[name], b"\xef\xbb\xbf" + TEXTS[name]):
        Path(name).write_bytes(data.replace(b"OLD", OLD))
        done = qsage("info", name)
        assert (done.code, done.err) == (0, "")
    Path(name).write_bytes(OLD + b"\n" + TEXTS[name])
    done = qsage("info", name)
    assert done.code == Exit.BAD_INPUT
    assert done.err.count("\n") == 1


def test_positions_of_hex_out_of_sgf(qsage: Qsage) -> None:
    Path("f.sgf").write_text("(;FF[4]GM[11]SZ[2];B[b1])")
    assert qsage("solve", "f.sgf").out.startswith("Black wins within 2 plies")
    Path("f.sgf").write_text("(;FF[4]GM[11]SZ[2]PL[W])")
    assert qsage("solve", "f.sgf").out.startswith("White wins")
    assert "format: Hex board (SGF)" in qsage("info", "f.sgf").out
    assert "ply 1, White: a2\n" in qsage("play", "f.sgf", "--moves", "b1").out
    Path("f.sgf").write_text("(;FF[4]GM[1]SZ[19])")
    done = qsage("solve", "f.sgf")
    assert done.err == "f.sgf:1:11: found the game GM[1], expected Hex, GM[11]\n"
    assert "(SGF)" in qsage("validate", "f.sgf", TIC[1]).err


def test_names_come_back_from_clauses(qsage: Qsage) -> None:
    Path("f.qcir").write_text(
        "exists(row, col)\nforall(reply)\noutput(win)\nwin = or(row, hit)\nhit = and(col, -reply)\n"
    )
    assert qsage("encode", "f.qcir", "-o", "f.qdimacs").code == 0
    assert qsage("certify", "f.qdimacs", "-o", "c.aag").code == 0
    assert "row" in Path("c.aag").read_text()
    for formula in ("f.qdimacs", "f.qcir"):
        assert qsage("validate", formula, "c.aag").code in (0, 2)
    assert qsage("validate", "f.qdimacs", "c.aag").code == 0
    # A tool that knows the numbers alone is understood as well.
    numbers = Path("c.aag").read_text().replace(" row", " 1").replace(" col", " 2")
    Path("n.aag").write_text(numbers.replace(" reply", " 3"))
    assert qsage("validate", "f.qdimacs", "n.aag").code == 0


def test_free_variables_are_named(qsage: Qsage) -> None:
    Path("f.qdimacs").write_text("p cnf 3 1\na 1 0\n1 2 3 0\n")
    told = "free variables: 2, read as existential and outermost: 2, 3\n"
    assert told in qsage("info", "f.qdimacs").out


@pytest.mark.parametrize("name", ["header-counts", "latin1", "qaiger"])
def test_the_files_of_outsiders(qsage: Qsage, shared_data: Path, name: str) -> None:
    for path in sorted((shared_data / "outside" / name).iterdir()):
        expected = {"f.qaig": 20, "bom.aag": 2}.get(path.name, 10)
        assert qsage("solve", str(path)).code == expected


def test_values_of_outermost_blocks_of_outsiders(qsage: Qsage, shared_data: Path) -> None:
    folder = shared_data / "outside/outer-block"
    for name, code in (("qute", 0), ("quantor", 0), ("cnf", 0), ("wrong", 1)):
        formula, values = folder / "f.qdimacs", folder / f"{name}.out"
        assert qsage("validate", str(formula), str(values)).code == code
