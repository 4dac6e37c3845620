"""Layout comments that do not fit their formula are told by their line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qsage_validate.encodings.layout import Layout
from qsage_validate.encodings.layout_comments import layout_from_comments
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.strategies.line import BoardCode
from tests.conftest import REPOSITORY

SAMPLE = (REPOSITORY / "certificates" / "tic.qcir").read_text("utf-8")
SYMBOLIC = "symbolic x [39 40] y [41 42]"
WHITE = "move 2 white action [] x [6 7]"


def layout_with(old: str, new: str) -> Layout:
    assert SAMPLE.count(old) == 1
    layout = layout_from_comments(parse_qcir(SAMPLE.replace(old, new), "f.qcir"))
    assert layout is not None
    return layout


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (SYMBOLIC, "symbolic x [1 40] y [41 42]", "variable 1 once more"),
        (SYMBOLIC, "symbolic x [39 -39] y [41 42]", "variable 39 once more"),
        (SYMBOLIC, "symbolic x [43 40] y [41 42]", "the existential variable 43"),
        (WHITE, "move 2 white action [] x [43 7]", "the existential variable 43"),
        ("move 1 black action [] x [1 2]", "move 1 black action [] x [6 2]", "the uni"),
        (SYMBOLIC, "symbolic x [39] y [41 42]", "1 bit for 4 columns"),
        ("verdict 275", "verdict 276", "literal 276"),
        ("board 4 4", "board 4 " + "1" * 5000, "'1111"),
        ("qsage-layout 1", "qsage-layout 2", "layout version '2'"),
    ],
)
def test_what_does_not_fit_is_one_short_line(old: str, new: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        layout_with(old, new)
    assert str(caught.value).startswith("f.qcir:")
    assert f"found {found}" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_board_of_absurd_size_is_refused_before_its_squares_are_made() -> None:
    layout = layout_with("board 4 4", "board 4 4")
    assert BoardCode(layout).squares[-1] == (4, 4)
    with pytest.raises(UsageError, match="1025x1024"):
        BoardCode(replace(layout, width=1025, height=1024))
