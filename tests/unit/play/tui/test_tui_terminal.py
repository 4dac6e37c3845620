"""What was typed on a terminal when the board is left."""

from __future__ import annotations

import os
import tty
from collections.abc import Iterator

import pytest

pytest.importorskip("termios", reason="there are no pseudo-terminals")
from qsage_validate.play.tui.terminal import drop_keys


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal in the modes of an app."""
    outside, inside = os.openpty()
    tty.setraw(inside)
    yield outside, inside
    os.close(outside)
    os.close(inside)


@pytest.mark.parametrize(
    ("typed", "interrupted"), [(b"", False), (b"xq\x1b[A", False), (b"xq\x03x", True)]
)
def test_what_nobody_has_read_is_dropped_but_for_ctrl_c(
    typed: bytes, interrupted: bool, terminal: tuple[int, int]
) -> None:
    """It was dropped with the other keys, and the next screen came up."""
    outside, inside = terminal
    os.write(outside, typed)
    assert drop_keys(inside) is interrupted
    os.set_blocking(inside, False)
    with pytest.raises(BlockingIOError):
        os.read(inside, 1)


def test_a_terminal_that_is_gone_has_no_keys(terminal: tuple[int, int]) -> None:
    _, inside = terminal
    gone = os.dup(inside)
    os.close(gone)
    assert not drop_keys(gone)
