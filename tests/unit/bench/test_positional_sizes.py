"""Sizes of explicit and corrective encodings: by formulas, counted, and in the paper's tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, transversal_of, with_winning_sets
from qsage_validate.games.positional.model import PositionalModel, alternating
from research.benchmarks.clausal_size import size_of
from research.benchmarks.positional_paper import (
    TABLE_1,
    TABLE_2,
    TABLE_2_BLOQQER,
    TABLE_2_DEPTHS,
    TABLE_3,
    Instance,
)
from research.benchmarks.size_formulas import expected_size

MODELS = [
    hex_network(3, 3, 1),
    hex_network(2, 2, 3),
    hex_network(3, 4, 7),
    hex_network(4, 4, 7),
    replace(harary_model("el", 3, 3, plies=7), first_moves=0),
    replace(harary_model("tic", 4, 4, plies=9), first_moves=0),
    replace(harary_model("tic", 4, 4, maker_breaker=True, plies=9), first_moves=0),
]

CORRECTIVE = ("cor", "cor+", "cor-lean", "cor-ladder")

TWO_EACH = tuple(player for player in alternating(3) for _ in range(2))[:5]


def instance(model: PositionalModel) -> Instance:
    """The numbers that the paper's formulas take, of a model that is small enough to list."""
    wins = with_winning_sets(model).black_wins
    network = model.network
    return Instance(
        positions=len(model.positions),
        depth=model.plies,
        wins=len(wins),
        members=sum(win.bit_count() for win in wins),
        edges=0 if network is None else sum(row.bit_count() for row in network.neighbours),
        start=0 if network is None else network.start.bit_count(),
        end=0 if network is None else network.end.bit_count(),
    )


def encoded(model: PositionalModel, name: str) -> tuple[Encoding, PositionalModel]:
    """The encoding, and the model that its formulas speak of."""
    if name == "et" and model.network is not None:
        model = transversal_of(model)
    return encode(model, name), model


def goals(model: PositionalModel) -> list[str]:
    """The encodings with an explicit board that take a model."""
    networks = ["en", "en-forward", "et"] * (model.network is not None)
    return ["ea"] * model.maker_breaker + networks


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m.name} {m.plies}")
def test_formulas_have_the_expected_sizes(model: PositionalModel) -> None:
    for name in (*goals(model), *CORRECTIVE):
        encoding, meant = encoded(model, name)
        size = size_of(encoding.qbf)
        assert expected_size(meant, name) == (size.variables, size.clauses), name


@pytest.mark.parametrize("model", MODELS[1:], ids=lambda m: f"{m.name} {m.plies}")
def test_table_3_but_for_unit_clauses(model: PositionalModel) -> None:
    for name in goals(model):
        if name == "en":  # the table has the equations' clauses alone
            continue
        encoding, meant = encoded(model, name)
        size, numbers = size_of(encoding.qbf), instance(meant)
        board, goal = TABLE_3["board"], TABLE_3[name.removesuffix("-forward")]
        assert size.variables == board.variables(numbers) + goal.variables(numbers)
        printed = [
            sum(f(numbers) for f in (row.binary, row.ternary, row.long)) for row in (board, goal)
        ]
        # Clauses 14 and 18 are units, which the table has no column for.
        units = {"ea": 0, "en-forward": numbers.positions - numbers.end, "et": numbers.end}[name]
        assert size.units == units
        assert size.clauses == sum(printed) + units


def test_table_3_by_length() -> None:
    numbers = instance(hex_network(4, 4, 7))
    for name in ("ea", "et"):
        encoding, meant = encoded(hex_network(4, 4, 7), name)
        size, numbers = size_of(encoding.qbf), instance(meant)
        board, goal = TABLE_3["board"], TABLE_3[name]
        assert size.binary == board.binary(numbers) + goal.binary(numbers)
        assert size.ternary == board.ternary(numbers) + goal.ternary(numbers)
        assert size.long == board.long(numbers) + goal.long(numbers)
    # Clause 13 at the corner with two neighbours that is not at the end border has three
    # literals, for each of three steps, but is counted as a long one.
    numbers = instance(hex_network(4, 4, 7))
    size = size_of(encode(hex_network(4, 4, 7), "en-forward").qbf)
    assert size.ternary == TABLE_3["board"].ternary(numbers) + 3
    assert size.long == TABLE_3["board"].long(numbers) + TABLE_3["en"].long(numbers) - 3


def test_table_1_is_what_the_sizes_tend_to() -> None:
    board = hex_network(19, 19, 361)
    for name in ("en", "et"):
        model = transversal_of(board) if name == "et" else board
        network = model.network
        assert network is not None
        edges = sum(row.bit_count() for row in network.neighbours)
        numbers = Instance(361, 361, edges=edges)
        variables, clauses = expected_size(model, name)
        assert TABLE_1[name].alternations(361) == 361
        assert variables == pytest.approx(TABLE_1[name].variables(numbers), rel=0.05)
        # The suppressed terms are of the order of depth times positions: 2 to 6 of them for
        # each logarithm of eta, about 8.5.
        assert 1 < clauses / TABLE_1[name].elements(numbers) < 1.8


def test_table_2_empty_boards_of_19x19() -> None:
    for depth, en, et in zip(TABLE_2_DEPTHS, TABLE_2["en"], TABLE_2["et"], strict=True):
        board = hex_network(19, 19, depth)
        variables, clauses = expected_size(board, "en")
        assert variables // 1000 == en.variables
        assert clauses // 1000 == en.clauses
        # By its equations alone EN is smaller: the generator has backward steps besides.
        assert expected_size(board, "en-forward")[0] == variables
        assert expected_size(board, "en-forward")[1] // 1000 < en.clauses
        variables, clauses = expected_size(transversal_of(board), "et")
        assert (variables // 1000, clauses // 1000) == (et.variables, et.clauses)
    assert set(TABLE_2) == set(TABLE_2_BLOQQER)
    assert all(
        len(row) == len(TABLE_2_DEPTHS) for row in (*TABLE_2.values(), *TABLE_2_BLOQQER.values())
    )


@pytest.mark.parametrize("name", ["en", "et"])
def test_a_large_board_is_written_as_counted(name: str) -> None:
    encoding, model = encoded(hex_network(19, 19, 45), name)
    size = size_of(encoding.qbf)
    assert expected_size(model, name) == (size.variables, size.clauses)
    lengths = Counter(len(table.variables) for table in encoding.layout.moves)
    assert lengths == {9: 45}


@pytest.mark.parametrize(
    ("model", "name", "message"),
    [
        (harary_model("el", 3, 3, plies=5), "cor-lean", "without a choice of first moves"),
        (hex_network(3, 3).at_depth(4), "ea", "an odd depth"),
        (
            replace(hex_network(3, 3), turns=TWO_EACH),
            "en",
            "turns of one stone",
        ),
        (replace(hex_network(3, 3), black=1), "et", "an empty board"),
        (MODELS[-1], "en", "found no network"),
        (MODELS[0], "la", "expected one of: ea, en, en-forward, et, cor, cor+, cor-lean"),
    ],
)
def test_what_the_formulas_do_not_say(model: PositionalModel, name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        expected_size(model, name)
    assert message in str(caught.value)
