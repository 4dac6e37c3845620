"""The sizes of the symbolic encodings: our formulas against the encoders, and the paper's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, with_winning_sets
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from research.benchmarks.symbolic_sizes import (
    CircuitSize,
    circuit_size,
    paper_size,
)

ALL = ("la", "ln", "li", "sa", "sn", "si")


def written(model: PositionalModel, encoding: str) -> CircuitSize:
    """The size of what the encoder makes."""
    qbf = encode(model, encoding).qbf
    inputs = sum(len(gate.inputs) for gate in qbf.gates.values())
    return CircuitSize(qbf.num_variables, len(qbf.gates), inputs)


@pytest.mark.parametrize("encoding", ALL)
@pytest.mark.parametrize(
    ("width", "height"), [(3, 1), (2, 2), (3, 3), (4, 2), (4, 4), (5, 3), (6, 6)]
)
def test_formulas_count_what_is_written(encoding: str, width: int, height: int) -> None:
    for depth in (3, 5, 7, 9, 11):
        if height <= (depth + 1) // 2 and depth <= width * height and (width, depth) != (6, 11):
            model = hex_network(width, height, depth)
            assert circuit_size(model, encoding) == written(model, encoding), depth


@pytest.mark.parametrize("encoding", ["la", "sa"])
@pytest.mark.parametrize("shape", ["domino", "tic", "el", "knobby"])
def test_sets_of_polyominoes_too(encoding: str, shape: str) -> None:
    for depth in (7, 9, 11):
        model = harary_model(shape, 4, 4, maker_breaker=True, plies=depth)
        assert circuit_size(model, encoding) == written(model, encoding)


@pytest.mark.parametrize("encoding", ALL)
def test_clauses_are_those_of_tseitin(encoding: str) -> None:
    model = hex_network(4, 4, 7)
    size, form = circuit_size(model, encoding), clausal_form(encode(model, encoding).qbf)
    assert len(form.clauses) == size.clauses
    assert sum(len(scope.variables) for scope in form.scopes) == size.clausal_variables


def test_a_graph_with_a_position_without_neighbours() -> None:
    network = Network((0b0010, 0b0101, 0b0010, 0), 0b0001, 0b0100)
    model = PositionalModel("graph", ("a", "b", "c", "d"), alternating(3), network=network)
    for encoding in ("ln", "sn", "li", "si"):
        assert circuit_size(model, encoding) == written(model, encoding)


@pytest.mark.parametrize("depth", [5, 7, 21, 45])
def test_table_4_by_our_counts(depth: int) -> None:
    """Table 4's variables differ as docs/explanation/positional-encodings.md tells."""
    eta, bits = 81, 7
    model = hex_network(9, 9, depth)
    sets = harary_model("tic", 9, 9, maker_breaker=True, plies=depth)
    # The table has 2 d state variables; the prefix has d + 1 states.
    for encoding, game in (("la", sets), ("ln", model)):
        size = circuit_size(replace(game, first_moves=0), encoding)
        assert size.variables == paper_size(encoding, eta, depth)[0] + 2
    for encoding, game in (("sa", sets), ("sn", model)):
        assert circuit_size(game, encoding).variables == paper_size(encoding, eta, depth)[0]
    # Squaring halves steps here, positions there: one more only where the stones are 2^k + 1.
    stones = (depth + 1) // 2
    more = int(stones - 1 & stones - 2 == 0)
    for encoding, extra in (("li", 2), ("si", 0)):
        ours = circuit_size(model, encoding).variables
        assert paper_size(encoding, eta, depth)[0] + extra - ours == more * (3 * bits + 1)


def test_table_4_has_pairs_of_moves_twice() -> None:
    """All pairs of moves, where the definition asks for those whose later move is Black's."""
    eta, depth = 361, 45
    bits, stones = 9, 23
    model = hex_network(19, 19, depth)
    size = circuit_size(model, "sn")
    gates = paper_size("sn", eta, depth)[1]
    assert gates is not None
    # Of the table: half the pairs too many, and no gate for a comparison as a whole.
    pairs = depth * (depth - 1) // 2
    black_pairs = (depth * depth - 1) // 4
    rest = gates - 2 * bits * (pairs - black_pairs) + black_pairs
    # Of the steps the table has "c lg eta" for each; they are eta disjunctions.
    steps = eta * (stones - 1)
    bounds = size.gates - rest - steps
    # What is left: a comparison with eta = 101101001 (base 2) for each of Black's moves, two
    # borders, the goal, the witness and the output.
    assert bounds == 6 * stones + 2 + 3


# Table 2, thousands of variables, of clauses (cut off, LN rounded).
TABLE_2 = {
    "ln": {45: (5, 22), 91: (9, 33), 181: (17, 54), 361: (32, 97)},
    "sn": {45: (53, 261), 91: (167, 720), 181: (560, 2182), 361: (2027, 7342)},
}


@pytest.mark.parametrize("encoding", TABLE_2)
def test_table_2_is_never_exceeded(encoding: str) -> None:
    for depth, (variables, clauses) in TABLE_2[encoding].items():
        size = circuit_size(hex_network(19, 19, depth), encoding)
        assert 0.6 * variables < size.clausal_variables / 1000 < variables
        assert 0.8 * clauses < size.clauses / 1000 < clauses


def test_table_2_follows_from_table_4_with_its_constants() -> None:
    """LN with c = 17; SN with two gates a step and number, and the gates that the row lacks."""
    eta = 361
    for depth, (variables, _) in TABLE_2["ln"].items():
        prefix, gates = paper_size("ln", eta, depth, constant=17)
        assert (prefix + (gates or 0)) // 1000 == variables
    for depth, (variables, _) in TABLE_2["sn"].items():
        prefix, gates = paper_size("sn", eta, depth)
        stones = (depth + 1) // 2
        lacking = (depth * depth - 1) // 4 + 6 * stones + 2 * eta * (stones - 1)
        assert abs(prefix + (gates or 0) + lacking - 1000 * variables) < 1000


def test_an_empty_19x19_board_at_full_depth_is_written() -> None:
    model = hex_network(19, 19, 361)
    for encoding in ("ln", "li"):
        qbf = encode(model, encoding).qbf
        assert circuit_size(model, encoding) == written(model, encoding)
        assert len(qbf.variables(Quantifier.FORALL)) >= 181 * 9
    model = hex_network(19, 19, 45)
    assert circuit_size(model, "sn") == written(model, "sn")


def test_what_has_no_formula_is_said() -> None:
    with pytest.raises(UsageError, match="expected one of: la, ln"):
        circuit_size(hex_network(3, 3, 5), "ea")
    with pytest.raises(UsageError, match="expected an empty board"):
        circuit_size(replace(hex_network(3, 3, 5), black=1), "ln")
    with pytest.raises(UsageError, match="expected one of: la"):
        paper_size("ea", 9, 5)
    with pytest.raises(UsageError, match="found winning sets, expected Black's network"):
        circuit_size(with_winning_sets(hex_network(3, 3, 5)), "ln")
