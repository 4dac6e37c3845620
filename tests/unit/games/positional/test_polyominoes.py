from __future__ import annotations

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.games.positional.harary import (
    find,
    fits,
    free_polyominoes,
    harary_model,
    is_connected,
    named,
    placements,
)
from qsage_validate.games.positional.polyominoes import cells_of, drawing_of, orientations
from tests.support.positional import targets_on

FREE = (1, 1, 2, 5, 12, 35, 108, 369)
"""How many free polyominoes there are (OEIS A000105)."""
FIXED = (1, 2, 6, 19, 63, 216, 760, 2725)
"""How many there are when reflections and rotations count (OEIS A001168)."""


@pytest.mark.parametrize("count", range(1, 9))
def test_enumeration(count: int) -> None:
    free = free_polyominoes(count)
    assert len(free) == FREE[count - 1]
    assert sum(len(orientations(cells)) for cells in free) == FIXED[count - 1]
    assert all(is_connected(cells) and len(cells) == count for cells in free)


def test_names() -> None:
    names = named()
    assert len(names) == sum(FREE[:6])
    assert len(set(names.values())) == len(names)
    assert [len(names[n]) for n in ("elam", "domino", "tic", "tippy", "w", "snaky")] == [
        1, 2, 3, 4, 5, 6,
    ]  # fmt: skip
    assert all(not name[0].isdigit() for name, cells in names.items() if len(cells) < 6)
    for name, cells in names.items():
        assert find(name) == find(name.upper()) == (name, cells)
        for form in orientations(cells):
            # A single X is the letter.
            assert name == "elam" or find(drawing_of(form)) == (name, cells)
    assert find("X")[0] == "x"
    assert find("XXXXXXX") == ("X/X/X/X/X/X/X", find("XXXXXXX")[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("snake", r"polyomino 'snake' \(did you mean 'snaky'\?\), expected a drawing"),
        ("", "the unknown polyomino"),
        ("...", "the unknown polyomino"),
        ("X./.X", "X./.X, which is in pieces"),
    ],
)
def test_no_polyominoes(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find(text)
    with pytest.raises(UsageError, match="of 11 cells, expected 1 to 10"):
        free_polyominoes(11)


def test_those_that_fit_on_four_by_four() -> None:
    """Up to six cells they are 49, Elam among them; without a bound on the cells many more."""
    by_cells = [sum(len(c) == n for c in targets_on(4, 4).values()) for n in range(1, 7)]
    assert by_cells == [1, 1, 2, 5, 11, 29]
    assert "snaky" not in targets_on(4, 4)
    assert "snaky" in targets_on(5, 5)
    # All of two to six cells: the 55 of the older 110 instances on two kinds of boards.
    assert len(targets_on(6, 6)) - 1 == 55
    assert fits(cells_of("XXXX"), 1, 4)
    assert not fits(cells_of("XXXX/X..."), 1, 4)


def test_placements() -> None:
    # A domino lies in so many places: 3 x 4 x 2 on the board, 4 x 4 x 2 on the torus.
    assert len(list(placements(cells_of("XX"), 4, 4))) == 24
    assert len(list(placements(cells_of("XX"), 4, 4, torus=True))) == 32
    # On two columns both ways around are the same domino.
    assert len(list(placements(cells_of("XX"), 2, 2, torus=True))) == 4
    # Going around, a row of four closes on a torus of four, and does not fit on one of three.
    assert len(list(placements(cells_of("XXXX"), 4, 4, torus=True))) == 8
    assert list(placements(cells_of("XXXX"), 3, 3, torus=True)) == []
    model = harary_model("tippy", 3, 2, maker_breaker=True)
    assert {model.names(w) for w in model.black_wins} == {
        ("a1", "b1", "b2", "c2"),
        ("a2", "b1", "b2", "c1"),
    }
    assert model.name == "maker-breaker httt 3x2 tippy"
