from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.formats.meta import (
    ActionVariables,
    MetaFile,
    parse_meta,
    read_meta,
)

TEXT = """\
% written by hand
#boardsize
4 1
#depth
2
#blackactions
occupy(?x,?y)
% the other side
#whiteactions
up(?x,?y)
down(?x,?y)
#actionvars
[1] [2,3] [ ]
[4,5]  [ 6 , 7 ] []  % White
#symbolicpos
[8,9] [ ]
#statevars
10 11
12 13
14 15

#goalvar
16
"""


def test_sections() -> None:
    assert parse_meta(TEXT) == MetaFile(
        width=4,
        height=1,
        depth=2,
        black_actions=("occupy(?x,?y)",),
        white_actions=("up(?x,?y)", "down(?x,?y)"),
        moves=(ActionVariables((1,), (2, 3), ()), ActionVariables((4, 5), (6, 7), ())),
        symbolic_x=(8, 9),
        symbolic_y=(),
        states=((10, 11), (12, 13), (14, 15)),
        goal=16,
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("#boardsize\n4 1\n", "", 21, 3, "the end of the file, expected a section '#boardsize'"),
        ("#boardsize\n", "4 4\n#boardsize\n", 2, 1, "'4 4', expected a section"),
        ("#boardsize", "#bordsize", 2, 1, "section '#bordsize', expected one of #boardsize"),
        ("#goalvar", "#depth", 22, 1, "a second #depth"),
        ("4 1", "4", 3, 2, "the end of the line, expected 2 numbers"),
        ("4 1", "4 1 1", 3, 5, "'1', expected 2 numbers"),
        ("4 1", "4 x", 3, 3, "'x', expected a number"),
        ("4 1", "0 1", 3, 1, "0, expected width and height from 1"),
        ("4 1", "4 99999999999", 3, 3, "'99999999999', expected a number"),
        ("4 1\n", "4 1\n2 2\n", 4, 1, "'2 2', expected 1 line in #boardsize"),
        ("4 1\n", "", 2, 1, "0 lines in #boardsize, expected 1"),
        ("[1] [2,3] [ ]", "[1] [2,3]", 13, 10, "the end of the line, expected the y bits"),
        ("[1] [2,3] [ ]", "[1] 2 [ ]", 13, 5, "'2 [ ]', expected the x bits"),
        ("[1] [2,3] [ ]", "[1] [2,] [ ]", 13, 8, "'', expected a number"),
        ("[1] [2,3] [ ]", "[1] [2,0] [ ]", 13, 8, "0, expected a variable"),
        ("[1] [2,3] [ ]", "[1] [2,3] [ ] [4]", 13, 15, "'[4]', expected 3 lists"),
        ("[1] [2,3] [ ]\n", "", 19, 1, "'14 15', expected 2 lines in #statevars"),
        ("#depth\n2", "#depth\n7", 12, 1, "2 lines in #actionvars, expected one for each of 7"),
        ("14 15\n", "", 19, 6, "2 lines in #statevars, expected 3"),
        ("14 15\n", "14 15\n16 17\n", 21, 1, "'16 17', expected 3 lines in #statevars"),
        ("14 15", "14 0", 20, 4, "0, expected the two state variables from 1"),
    ],
)
def test_errors_name_the_place(old: str, new: str, line: int, column: int, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError) as error:
        parse_meta(TEXT.replace(old, new, 1), "file.meta")
    assert message in str(error.value)
    assert (error.value.line, error.value.column) == (line, column)


BITS = st.lists(st.integers(1, 10**6), max_size=3).map(tuple)


@st.composite
def metas(draw: st.DrawFn) -> MetaFile:
    plies = draw(st.integers(0, 4))
    signature = st.from_regex(r"[a-z][a-z-]{0,6}\(\?x,\?y\)", fullmatch=True)
    pair = st.tuples(st.integers(1, 99), st.integers(1, 99))
    return MetaFile(
        width=draw(st.integers(1, 20)),
        height=draw(st.integers(1, 20)),
        depth=plies + draw(st.integers(0, 1)),
        black_actions=tuple(draw(st.lists(signature, max_size=3))),
        white_actions=tuple(draw(st.lists(signature, max_size=3))),
        moves=tuple(ActionVariables(draw(BITS), draw(BITS), draw(BITS)) for _ in range(plies)),
        symbolic_x=draw(BITS),
        symbolic_y=draw(BITS),
        states=tuple(draw(pair) for _ in range(plies + 1)),
        goal=draw(st.none() | st.integers(1, 99)),
    )


def meta_text(meta: MetaFile) -> str:
    """The text of a meta file; :func:`parse_meta` reads the same value back."""

    def bits(vector: tuple[int, ...]) -> str:
        return f"[{','.join(map(str, vector))}]" if vector else "[ ]"

    lines = ["#boardsize", f"{meta.width} {meta.height}", "#depth", str(meta.depth)]
    lines += ["#blackactions", *meta.black_actions, "#whiteactions", *meta.white_actions]
    lines.append("#actionvars")
    lines += [" ".join((bits(m.action), bits(m.x), bits(m.y))) for m in meta.moves]
    lines += ["#symbolicpos", f"{bits(meta.symbolic_x)} {bits(meta.symbolic_y)}", "#statevars"]
    lines += [f"{first} {second}" for first, second in meta.states]
    lines += ["#goalvar", str(meta.goal or 0)]
    return "\n".join(lines) + "\n"


@given(meta=metas())
@settings(max_examples=60)
def test_what_is_written_is_read(meta: MetaFile) -> None:
    assert parse_meta(meta_text(meta)) == meta


def test_real_files(shared_data: Path) -> None:
    folder = shared_data / "certificates"
    files = sorted([*folder.glob("*/*.meta"), *folder.glob("*/*/viz_meta_out")])
    assert len(files) == 10
    for path in files:
        meta = read_meta(path)
        assert len(meta.states) == meta.depth + 1
        assert meta_text(meta).split() == path.read_text().split()
