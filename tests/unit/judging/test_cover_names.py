"""COVER's names for White's moves, and its formulas after plays under these names."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.circuit.qbf import Connective, Gate
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Undecided
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.judging.codes import Codes, cover_of
from qsage_validate.judging.encoding import judge
from qsage_validate.validation.finding import Proved, Refuted


def test_names_depend_on_blacks_first_stone_alone() -> None:
    """Dominoes on 3x3: the cover of a corner are its two neighbours and itself."""
    encoded = encode(harary_model("domino", 3, 3, maker_breaker=True, plies=5), "cover")
    cover = cover_of(encoded.layout)
    assert cover is not None
    assert cover.called("a2", ["a1"]) == "a2 in the cover"
    assert cover.called("c3", ["a1"]) == "out of cover"
    assert cover.called("c3", ["a1", "a2", "c2"]) == "out of cover"
    codes = Codes(encoded.qbf, encoded.layout, 5)
    assert codes.values(["a1"], "c3") == codes.values(["a1"], "b3")
    assert codes.values(["a1"], "c3") != codes.values(["c2"], "c3")


def test_a_fault_of_cover_is_refuted_by_a_play() -> None:
    model = replace(hex_network(2, 3, plies=5), first_moves=0)
    model = replace(model, white=model.mask(["a1"]))
    encoded = encode(model, "cover")
    game = load_game(model)
    assert isinstance(judge(encoded.qbf, encoded.layout, game).verdict, Proved)
    true = Gate(Connective.AND, ())
    formula = replace(encoded.qbf, gates={**encoded.qbf.gates, encoded.qbf.output: true})
    verdict = judge(formula, encoded.layout, game).verdict
    assert isinstance(verdict, Refuted)
    assert "the formula is true, and Black does not win" in verdict.findings[0].text
    never = replace(
        encoded.qbf, gates={**encoded.qbf.gates, encoded.qbf.output: Gate(Connective.OR, ())}
    )
    assert isinstance(judge(never, encoded.layout, game).verdict, Proved), "it claims nothing"


def test_without_its_model_nobody_knows_the_names() -> None:
    model = hex_network(2, 2, plies=3)
    encoded = encode(model, "cover")
    layout = replace(encoded.layout, model={})
    assert cover_of(layout) is None
    verdict = judge(encoded.qbf, layout, load_game(model)).verdict
    assert isinstance(verdict, Undecided), str(verdict)
