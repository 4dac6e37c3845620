"""Level 4 without a certificate: the prefix and the layout, and what a formula's value says."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.foreign import layout_from_meta
from qsage_validate.encodings.layout import Bits, GridCoding, Indicators, Layout, Number, on_grid
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.list_codings import NumberedCoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError, Undecided
from qsage_validate.formats.meta import read_meta
from qsage_validate.formats.qdimacs import Placement, clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import model_from_parts
from qsage_validate.games.protocol import Player, Square
from qsage_validate.judging.codes import needed_variables
from qsage_validate.judging.encoding import judge, try_scripts
from qsage_validate.kernel.player import FindingKind
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import blame
from qsage_validate.proving.run import LevelResult
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.finding import Finding, Proved, Refuted, Verdict
from research.benchmarks.models import Case
from research.benchmarks.prefix_faults import faulty_layouts, faulty_prefixes
from tests.support.depqbf import depqbf_truth
from tests.support.minimax import minimax, minimax_from
from tests.support.plies import with_bits, with_indicators, with_width
from tests.support.position_truth import right_after_each_play
from tests.support.qbf_truth import qbf_truth
from tests.support.readers import read_qcir

DOMINO = "httt --shape domino --size 3x3 --depth 3"
TINY = "httt --shape domino --size 2x2 --depth 3"

SMALL = [
    "httt --shape domino --size 2x2 --depth 1",
    TINY,
    "httt --shape domino --size 3x3 --depth 2",
    "connect-c --connect 2 --size 2x2 --depth 3",
    "domineering --size 2x2 --depth 2",
    "domineering --size 2x3 --depth 3",
    "hex --size 2x2 --depth 3",
]


@cache
def _encoded(words: str, encoding: str = "lifted") -> Encoding:
    return encode(Case(words, words).model(), encoding)


def _model(encoded: Encoding) -> Model:
    assert isinstance(encoded.model, Model)
    return encoded.model


def _verdict(
    encoded: Encoding,
    qbf: Qbf | None = None,
    layout: Layout | None = None,
    patience: float = 30.0,
) -> Verdict:
    game = BddlGame(_model(encoded))
    return judge(qbf or encoded.qbf, layout or encoded.layout, game, patience=patience).verdict


def _judged(formula: Qbf, layout: Layout, game: BddlGame, patience: float = 30.0) -> Verdict:
    return judge(formula, layout, game, patience=patience).verdict


def _first(verdict: Verdict) -> Finding:
    assert isinstance(verdict, Refuted), str(verdict)
    return verdict.findings[0]


def _black_wins(model: Model) -> bool:
    return minimax(BddlGame(model)) is Player.BLACK


def _with_output(
    qbf: Qbf, quantifier: Quantifier, connective: Connective, *, first: bool
) -> tuple[Qbf, int]:
    """A formula with a variable more, tied to the output, at one of the ends of its prefix."""
    variable = qbf.max_variable + 1
    alone = (Scope(quantifier, (variable,)),)
    gates = {**qbf.gates, variable + 1: Gate(connective, (qbf.output, variable))}
    scopes = alone + qbf.scopes if first else qbf.scopes + alone
    return replace(qbf, scopes=scopes, gates=gates, output=variable + 1), variable


# --- The order of the prefix -----------------------------------------------------------------


def test_white_before_black_is_refuted() -> None:
    """White wins 3x3 Tic within 5 plies; the formula whose Black sees her moves first is true."""
    encoded = _encoded("httt --shape tic --size 3x3 --depth 5")
    universal = [s for s in encoded.qbf.scopes if s.quantifier is Quantifier.FORALL]
    existential = [s for s in encoded.qbf.scopes if s.quantifier is Quantifier.EXISTS]
    assert not _black_wins(_model(encoded))
    finding = _first(_verdict(encoded, replace(encoded.qbf, scopes=(*universal, *existential))))
    assert finding.kind is FindingKind.END_DIFFERS
    assert "the formula is true" in finding.text
    assert finding.text.endswith("and Black does not win by the rules")


def _is_shown(formula: Qbf, encoded: Encoding, verdict: Verdict) -> bool:
    """True if the formula has the other value after the play that is shown, by DepQBF."""
    finding = _first(verdict)
    assert finding.kind is FindingKind.END_DIFFERS
    fixed: dict[int, bool] = {}
    game = BddlGame(_model(encoded))
    position = game.initial
    for move, ply in zip(finding.moves, encoded.layout.moves, strict=False):
        fixed |= ply.coding.encode(move)
        position = position.play(game.parse_move(move, ply.player))
    wins = minimax_from(position) is Player.BLACK
    told = f"the formula is {'false' if wins else 'true'}" in finding.text
    return told and depqbf_truth(residual(formula, fixed)) is not wins


def test_a_blind_choice_is_refuted() -> None:
    """Black's claim before White's move: she would have to know where she wins."""
    encoded = _encoded(DOMINO)
    claim = encoded.layout.goals
    bits = claim.black_condition + claim.black_x + claim.black_y
    rest = [
        replace(s, variables=tuple(v for v in s.variables if v not in bits))
        for s in encoded.qbf.scopes
    ]
    formula = replace(encoded.qbf, scopes=(Scope(Quantifier.EXISTS, bits), *rest))
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_a_choice_that_sees_the_square_is_refuted() -> None:
    """The symbolic square before Black's moves: she would play another move on each square."""
    encoded = _encoded(DOMINO)
    board = encoded.layout.state
    bits = board.x + board.y
    rest = [s for s in encoded.qbf.scopes if s.variables != bits]
    formula = replace(encoded.qbf, scopes=(Scope(Quantifier.FORALL, bits), *rest))
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_whites_claim_may_be_early_where_it_is_about_nothing() -> None:
    """White cannot have won in 5 plies: the formula is right wherever White's claim stands.

    The order of claim and plies was a fault in itself once; only values are now.
    """
    encoded = _encoded("httt --shape tic --size 3x3 --depth 5")
    claim = encoded.layout.goals.white_x
    blocks = encoded.qbf.merged_scopes()
    rest = [replace(s, variables=tuple(v for v in s.variables if v not in claim)) for s in blocks]
    for place in (0, 1, 4):
        scopes = (*rest[:place], Scope(Quantifier.FORALL, claim), *rest[place:])
        assert isinstance(_verdict(encoded, replace(encoded.qbf, scopes=scopes)), Proved)


def test_indicators_stand_right_of_what_they_speak_of() -> None:
    """An indicator before White's move has one value for all of her moves."""
    encoded = _encoded(DOMINO)
    indicators = encoded.layout.moves[1].indicators
    assert indicators is not None
    assert indicators.bounds is not None
    bits = (indicators.bounds, *indicators.preconditions)
    rest = [s for s in encoded.qbf.scopes if s.variables != bits]
    formula = replace(encoded.qbf, scopes=(Scope(Quantifier.EXISTS, bits), *rest))
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_states_have_one_value_left_of_the_square() -> None:
    """States before the symbolic square: the same on all squares, and no board any more."""
    encoded = _encoded(DOMINO)
    board = encoded.layout.state
    states = [s for s in encoded.qbf.scopes if s.variables in board.states]
    rest = [s for s in encoded.qbf.scopes if s not in states]
    formula = replace(encoded.qbf, scopes=(*rest[:-1], *states, rest[-1]))
    assert formula.scopes[-1].variables == board.x + board.y
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_a_square_that_is_split_is_read_to_its_last_bit() -> None:
    """States between the bits of the square know a column and not a row."""
    encoded = _encoded(DOMINO)
    board = encoded.layout.state
    before = encoded.qbf.scopes[:7]
    assert before[-1].variables == (27,)
    states = tuple(Scope(Quantifier.EXISTS, state) for state in board.states)
    scopes = (
        *before,
        Scope(Quantifier.FORALL, board.x),
        *states,
        Scope(Quantifier.FORALL, board.y),
    )
    formula = replace(encoded.qbf, scopes=scopes)
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_variables_that_no_gate_needs_stand_anywhere() -> None:
    """Of either kind, at either end."""
    encoded = _encoded(TINY)
    variable = encoded.qbf.max_variable + 1
    for quantifier in Quantifier:
        alone = (Scope(quantifier, (variable,)),)
        for scopes in (alone + encoded.qbf.scopes, encoded.qbf.scopes + alone):
            formula = replace(encoded.qbf, scopes=scopes)
            assert variable not in needed_variables(formula)
            assert isinstance(_verdict(encoded, formula), Proved)


# --- The kind of quantifiers -----------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False])
def test_a_universal_variable_more_counts_for_both_values(first: bool) -> None:
    """F and u is false, whatever F is: where Black wins it shows, how soon depends on the time."""
    encoded = _encoded(DOMINO)
    formula, variable = _with_output(encoded.qbf, Quantifier.FORALL, Connective.AND, first=first)
    finding = _first(_verdict(encoded, formula))
    assert finding.kind is FindingKind.END_DIFFERS
    assert "the formula is false" in finding.text
    assert finding.text.endswith("and Black wins by the rules")
    negated = formula.gates[formula.output].inputs[0], -variable
    gates = {**formula.gates, formula.output: Gate(Connective.AND, negated)}
    finding = _first(_verdict(encoded, replace(formula, gates=gates)))
    assert "the formula is false" in finding.text
    assert finding.text.endswith("and Black wins by the rules")


def _or_unequal(qbf: Qbf, scopes: tuple[Scope, ...], left: int, right: int) -> Qbf:
    """The formula, or two variables of ``scopes`` are unequal."""
    gate = max(qbf.max_variable, left, right) + 1
    unequal = Gate(Connective.XOR, (left, right))
    gates = {**qbf.gates, gate: unequal, gate + 1: Gate(Connective.OR, (qbf.output, gate))}
    return replace(qbf, scopes=scopes, gates=gates, output=gate + 1)


def test_a_universal_variable_left_of_a_move_does_not_see_it() -> None:
    """White wins, and loses by a bit of Black's that may be unequal to what White has chosen."""
    encoded = _encoded("httt --shape domino --size 3x3 --depth 2")
    variable, bit = encoded.qbf.max_variable + 1, encoded.layout.moves[0].variables[0]
    scopes = (Scope(Quantifier.FORALL, (variable,)), *encoded.qbf.scopes)
    formula = _or_unequal(encoded.qbf, scopes, variable, bit)
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_a_universal_variable_sees_what_stands_left_of_it() -> None:
    """An existential variable has one value for both of a universal one on its right."""
    encoded = _encoded("httt --shape domino --size 3x3 --depth 2")
    variable = encoded.qbf.max_variable + 1
    own = (
        Scope(Quantifier.EXISTS, (variable,)),
        Scope(Quantifier.FORALL, (variable + 1,)),
    )
    formula = _or_unequal(encoded.qbf, (*encoded.qbf.scopes, *own), variable, variable + 1)
    verdict = _verdict(encoded, formula)
    assert isinstance(verdict, Proved), str(verdict)
    assert "all scripts" in verdict.reason
    formula = _or_unequal(encoded.qbf, (*encoded.qbf.scopes, *own[::-1]), variable, variable + 1)
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_an_existential_variable_left_of_a_move_does_not_see_it() -> None:
    """Black wins, and loses by a bit of White's that may be equal to what Black has chosen."""
    encoded = _encoded("httt --shape domino --size 2x2 --depth 3")
    variable, bit = encoded.qbf.max_variable + 1, encoded.layout.moves[1].variables[0]
    gates = {
        **encoded.qbf.gates,
        variable + 1: Gate(Connective.XOR, (variable, bit)),
        variable + 2: Gate(Connective.AND, (encoded.qbf.output, variable + 1)),
    }
    scopes = (Scope(Quantifier.EXISTS, (variable,)), *encoded.qbf.scopes)
    formula = replace(encoded.qbf, scopes=scopes, gates=gates, output=variable + 2)
    assert _is_shown(formula, encoded, _verdict(encoded, formula))


def test_a_harmless_universal_variable_is_proved() -> None:
    """F or u is F."""
    encoded = _encoded(TINY)
    formula, _ = _with_output(encoded.qbf, Quantifier.FORALL, Connective.OR, first=False)
    assert isinstance(_verdict(encoded, formula), Proved)


def test_an_existential_variable_more_may_take_any_value() -> None:
    """F or e is true, and no formula of a game."""
    encoded = _encoded("httt --shape domino --size 2x2 --depth 1")
    formula, _ = _with_output(encoded.qbf, Quantifier.EXISTS, Connective.OR, first=False)
    finding = _first(_verdict(encoded, formula))
    assert finding.kind is FindingKind.END_DIFFERS
    assert "the formula is true, and Black does not win" in finding.text


@pytest.mark.parametrize("words", ["hex --size 2x2 --depth 3", "domineering --size 2x3 --depth 3"])
def test_each_flipped_choice_is_judged_by_its_values(words: str) -> None:
    """Each variable of a move, a claim or the square, flipped inside its block.

    Not each of these formulas is wrong: where a ply is another player's only in part, all values
    may be right still, and then that is what is proved.
    """
    encoded = _encoded(words)
    game = BddlGame(_model(encoded))
    flipped = dict(faulty_prefixes(encoded.qbf, random.Random(0), moved=0))
    claim, board = encoded.layout.goals, encoded.layout.state
    chosen = [v for ply in encoded.layout.moves for v in ply.variables]
    chosen += (*claim.black_condition, *claim.black_x, *claim.black_y, *board.x, *board.y)
    verdicts = set()
    for variable in chosen:
        formula = flipped[f"variable {variable} flipped, before its block"]
        right = right_after_each_play(formula, encoded.layout, game)
        verdict = _verdict(encoded, formula)
        assert isinstance(verdict, Proved if right else Refuted), (variable, str(verdict))
        assert right or _is_shown(formula, encoded, verdict)
        verdicts.add(right)
    assert verdicts == {True, False}


def _with_existential(encoded: Encoding, variable: int, literal: int) -> Qbf:
    """The formula with a variable of White's existential, and with a literal of it demanded."""
    flipped = dict(faulty_prefixes(encoded.qbf, random.Random(0), moved=0))
    formula = flipped[f"variable {variable} flipped, before its block"]
    gate = formula.max_variable + 1
    gates = {**formula.gates, gate: Gate(Connective.AND, (formula.output, literal))}
    return replace(formula, gates=gates, output=gate)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_bit_of_whites_that_black_chooses_implies_nothing(sign: int) -> None:
    """Black wins after one move, and the formula is true: it is false after some moves of White's.

    Their bit is decided by the formula, and no value after them follows from the one before.
    """
    encoded = _encoded(TINY)
    bit = encoded.layout.moves[1].variables[0]
    formula = _with_existential(encoded, bit, sign * bit)
    assert depqbf_truth(formula)
    verdict = _verdict(encoded, formula)
    assert _is_shown(formula, encoded, verdict)
    assert len(_first(verdict).moves) >= 2


def test_a_bit_of_blacks_that_white_chooses_implies_nothing() -> None:
    """F or u has the value of F where u is left to White, and is true where Black's code has u.

    Black has lost before the last ply, and the formula is false there, but not behind it.
    """
    encoded = _encoded("domineering --size 2x3 --depth 3")
    formula, bit = _with_output(encoded.qbf, Quantifier.FORALL, Connective.OR, first=False)
    layout = _widened(encoded.layout, 3, (-bit, *encoded.layout.moves[2].coding.numbers[-2].bits))
    finding = _first(_verdict(encoded, formula, layout))
    assert "the formula is true, and Black does not win" in finding.text
    assert len(finding.moves) == 3


def test_a_bit_that_the_formula_decides_may_be_in_a_code() -> None:
    """Q-sage has an existential bit for White's only action, which a gate makes false.

    The codes say what the formula decides, and then all positions are right; with the other value
    in the codes no position after them is.
    """
    encoded = _encoded("hex --size 2x2 --depth 3")
    bit = encoded.qbf.max_variable + 1
    layout = _widened(encoded.layout, 2, (bit, *encoded.layout.moves[1].coding.numbers[-2].bits))
    scope = Scope(Quantifier.EXISTS, (bit,))
    for literal, expected in ((-bit, Proved), (bit, Refuted)):
        gates = {
            **encoded.qbf.gates,
            bit + 1: Gate(Connective.AND, (encoded.qbf.output, literal)),
        }
        for scopes in ((scope, *encoded.qbf.scopes), (*encoded.qbf.scopes, scope)):
            formula = replace(encoded.qbf, scopes=scopes, gates=gates, output=bit + 1)
            verdict = _verdict(encoded, formula, layout)
            assert isinstance(verdict, expected), str(verdict)


def test_bits_without_meaning_may_be_of_any_kind() -> None:
    """A bit for a single action is nobody's choice, but it must not decide anything."""
    encoded = _encoded(DOMINO)
    bit = encoded.qbf.max_variable + 1
    moves = (with_bits(encoded.layout.moves[0], action=(bit,)), *encoded.layout.moves[1:])
    layout = replace(encoded.layout, moves=moves)
    for quantifier in Quantifier:
        formula = replace(encoded.qbf, scopes=(Scope(quantifier, (bit,)), *encoded.qbf.scopes))
        assert isinstance(_verdict(encoded, formula, layout), Proved)
    # Black's may have to be 0, and nothing is won by a 1.
    exists = (Scope(Quantifier.EXISTS, (bit,)), *encoded.qbf.scopes)
    for connective, literal, expected in (
        (Connective.AND, -bit, Proved),
        (Connective.OR, bit, Refuted),
    ):
        gates = {**encoded.qbf.gates, bit + 1: Gate(connective, (encoded.qbf.output, literal))}
        formula = replace(encoded.qbf, scopes=exists, gates=gates, output=bit + 1)
        assert isinstance(_verdict(encoded, formula, layout), expected)


def test_moves_on_a_grid_may_be_numbers() -> None:
    """The board helps to prove a formula whatever the codes of its moves are."""
    encoded = _encoded(TINY)
    squares = tuple(f"occupy({x},{y})" for x in (1, 2) for y in (1, 2))
    moves = tuple(
        replace(ply, coding=NumberedCoding(squares, (*ply.x, *ply.y)))
        for ply in encoded.layout.moves
    )
    layout = replace(encoded.layout, moves=moves)
    assert layout.state.is_board
    verdict = _verdict(encoded, layout=layout, patience=0)
    assert isinstance(verdict, Proved), str(verdict)


# --- Layouts that lie ------------------------------------------------------------------------


def _widened(layout: Layout, ply: int, x: Bits) -> Layout:
    return _moved(layout, ply, coding=with_bits(layout.moves[ply - 1], x=x).coding)


def _moved(layout: Layout, ply: int, **changes: object) -> Layout:
    moves = tuple(replace(m, **changes) if m.ply == ply else m for m in layout.moves)  # type: ignore[arg-type]
    return replace(layout, moves=moves)


LIES: dict[str, tuple[Callable[[Layout], Layout], str]] = {
    "player": (
        lambda layout: _moved(layout, 2, player=Player.BLACK),
        "the layout gives ply 2 to Black, the rules to White",
    ),
    "number": (
        lambda layout: replace(layout, moves=(*layout.moves[:2], replace(layout.moves[2], ply=4))),
        "the layout calls ply 3 ply 4",
    ),
    "twice": (
        lambda layout: _widened(layout, 1, (1, 1)),
        "variable 1 is Black's ply 1, twice",
    ),
    "two roles": (
        lambda layout: _widened(layout, 1, (1, 14)),
        "variable 14 is Black's ply 1, and Black's ply 3 as well",
    ),
    "gate": (
        lambda layout: _widened(layout, 1, (1, 197)),
        "Black's ply 1 (197) is a gate, which nobody chooses",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_layouts_that_lie_are_refuted_by_name(lie: str) -> None:
    encoded = _encoded(DOMINO)
    change, text = LIES[lie]
    finding = _first(_verdict(encoded, layout=change(encoded.layout)))
    assert finding.kind is FindingKind.LAYOUT_DIFFERS
    assert finding.text == f"layout differs: {text}"


def test_a_move_without_a_code_is_named() -> None:
    """One bit for the three columns of White's ply."""
    encoded = _encoded(DOMINO)
    finding = _first(_verdict(encoded, layout=_widened(encoded.layout, 2, (6,))))
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    assert finding.text.endswith("is legal by the rules, and has no code")


@pytest.mark.parametrize("ply", [1, 2, 3])
def test_a_formula_that_leaves_out_a_column_is_refuted(ply: int) -> None:
    """It is right after all plays that it can say: that legal moves have no code is the fault."""
    encoded = _encoded(TINY)
    (bit,) = encoded.layout.moves[ply - 1].x
    assert not isinstance(bit, bool)
    scopes = tuple(
        replace(scope, variables=tuple(v for v in scope.variables if v != bit))
        for scope in encoded.qbf.scopes
    )
    gates = {bit: Gate(Connective.OR, ()), **encoded.qbf.gates}
    formula = replace(encoded.qbf, scopes=scopes, gates=gates)
    layout = _widened(encoded.layout, ply, ())
    finding = _first(_verdict(encoded, formula, layout))
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    assert finding.text.endswith("is legal by the rules, and has no code")


NO_MOVES: dict[str, Callable[[Layout], Layout]] = {
    "board": lambda layout: with_width(layout, 4),
    "action": lambda layout: replace(layout, actions={**layout.actions, Player.WHITE: ("pass",)}),
    "stop of two roles": lambda layout: _moved(layout, 1, stop=14),
    "stop that is a gate": lambda layout: _moved(layout, 1, stop=197),
}


@pytest.mark.parametrize("what", NO_MOVES)
def test_what_is_no_move_may_be_called_anything(what: str) -> None:
    """Boards, stops and lists of actions are not claimed: only the moves' variables are."""
    encoded = _encoded(DOMINO)
    verdict = _verdict(encoded, layout=NO_MOVES[what](encoded.layout))
    assert isinstance(verdict, Proved), str(verdict)


def test_a_layout_may_name_the_first_plies_only() -> None:
    """What it leaves out are helpers: the formula is right after the plays of two plies."""
    encoded = _encoded(TINY)
    layout = replace(encoded.layout, moves=encoded.layout.moves[:-1])
    verdict = _verdict(encoded, layout=layout)
    assert isinstance(verdict, Proved), str(verdict)


def test_a_layout_that_lies_is_to_blame_itself() -> None:
    """A right formula is not called wrong for its layout."""
    lying = _verdict(_encoded(DOMINO), layout=LIES["player"][0](_encoded(DOMINO).layout))
    text = blame([LevelResult(Level.ENCODING, lying, 0.0)], None, None, 0)
    assert text == "the layout is wrong: it does not fit the formula or the game"


def test_plies_beyond_the_game_cannot_win() -> None:
    """The formula of 3 plies is true; in the game of 2 plies Black does not win."""
    encoded = _encoded(TINY)
    shorter = replace(_model(encoded), problem=replace(_model(encoded).problem, depth=2))
    assert _black_wins(_model(encoded))
    assert not _black_wins(shorter)
    finding = _first(_judged(encoded.qbf, encoded.layout, BddlGame(shorter)))
    assert finding.kind is FindingKind.END_DIFFERS
    assert finding.moves == (), "the shortest play that shows it"
    assert "the formula is true, and Black does not win" in finding.text


def test_a_spare_ply_that_does_nothing_is_proved() -> None:
    """Formulas of even depth may have a last ply of Black's that means nothing."""
    encoded = _encoded("domineering --size 2x2 --depth 2")
    spare = encoded.qbf.max_variable + 1
    formula = replace(
        encoded.qbf, scopes=(*encoded.qbf.scopes, Scope(Quantifier.EXISTS, (spare, spare + 1)))
    )
    width, height = encoded.layout.state.size
    x, y = Number((spare,), width), Number((spare + 1,), height)
    coding = GridCoding(encoded.layout.actions[Player.BLACK], (), x, y)
    last = on_grid(3, Player.BLACK, coding)
    layout = replace(encoded.layout, moves=(*encoded.layout.moves, last))
    assert isinstance(_verdict(encoded, formula, layout), Proved)


def test_a_spare_ply_that_wins_is_refuted() -> None:
    """White wins in two plies; with a third one of Black's the formula is true."""
    encoded = _encoded("httt --shape domino --size 3x3 --depth 2")
    spare = encoded.qbf.max_variable + 1
    scopes = (*encoded.qbf.scopes, Scope(Quantifier.EXISTS, (spare, spare + 1)))
    gates = {**encoded.qbf.gates, spare + 2: Gate(Connective.OR, (encoded.qbf.output, spare))}
    formula = replace(encoded.qbf, scopes=scopes, gates=gates, output=spare + 2)
    x, y = Number((spare,), 2), Number((spare + 1,), 2)
    coding = GridCoding(encoded.layout.actions[Player.BLACK], (), x, y)
    last = on_grid(3, Player.BLACK, coding)
    layout = replace(encoded.layout, moves=(*encoded.layout.moves, last))
    assert _is_shown(formula, encoded, _verdict(encoded, formula, layout))


def test_a_stop_that_knows_the_moves_behind_it_is_no_difference() -> None:
    """Black wins if she has stopped and White makes one certain move then, which White need not.

    With the moves of a play fixed, and the stop before them not, the formula is true.
    """
    encoded = _encoded(DOMINO)
    # White wins this game of two plies.
    game = BddlGame(_model(_encoded("httt --shape domino --size 3x3 --depth 2")))
    layout = replace(encoded.layout, moves=encoded.layout.moves[:2])
    stop, coding = layout.moves[0].stop, layout.moves[1].coding
    assert stop is not None
    code = [v if value else -v for v, value in coding.encode("occupy(2,2)").items()]
    scopes, gate = encoded.qbf.scopes, encoded.qbf.max_variable + 1
    sly = Qbf(scopes, {gate: Gate(Connective.AND, (stop, *code))}, gate)
    verdict = judge(sly, layout, game).verdict
    assert isinstance(verdict, Proved), str(verdict)
    assert "nobody stopping before the last one" in verdict.reason
    plain = Qbf(scopes, {gate: Gate(Connective.AND, (stop,))}, gate)
    assert isinstance(judge(plain, layout, game).verdict, Refuted)
    unnamed = replace(layout, moves=tuple(replace(ply, stop=None) for ply in layout.moves))
    finding = _first(judge(sly, unnamed, game).verdict)
    assert len(finding.moves) == 2
    assert finding.moves[1] == "occupy(2,2)"


@pytest.mark.parametrize(("move", "shown"), [("forward(1,3)", True), ("forward(1,2)", False)])
def test_a_stop_that_makes_a_later_move_illegal_is_no_difference(move: str, shown: bool) -> None:
    """Black wins if she stops after her first move and White makes ``move`` at ply 4.

    The first of these is legal only after a move of White's that comes after the stop, and so
    White never makes it behind a stop; the second one White may make.
    """
    encoded = _encoded("breakthrough --size 2x4 --depth 4")
    first, last = encoded.layout.moves[0], encoded.layout.moves[3]
    assert first.stop is not None
    code = (v if value else -v for v, value in last.coding.encode(move).items())
    sly = encoded.qbf.max_variable + 1
    gates = {
        **encoded.qbf.gates,
        sly: Gate(Connective.AND, (first.stop, *code)),
        sly + 1: Gate(Connective.OR, (encoded.qbf.output, sly)),
    }
    formula = replace(encoded.qbf, gates=gates, output=sly + 1)
    verdict = _verdict(encoded, formula, patience=0)
    assert isinstance(verdict, Proved) is shown, str(verdict)
    if shown:
        assert "with nobody stopping before the last move" in verdict.reason


def test_a_win_that_is_never_believed_need_not_be_claimed() -> None:
    """White's claims always fail; but where White has a square of 3x3, Black gets none."""
    encoded = _encoded("httt --shape fatty --size 3x3 --depth 9")
    refuted = {abs(g) for name, g in encoded.layout.gates.items() if name.endswith("has not won")}
    assert refuted
    gates = {**encoded.qbf.gates, **dict.fromkeys(refuted, Gate(Connective.AND, ()))}
    verdict = _verdict(encoded, replace(encoded.qbf, gates=gates), patience=0)
    assert isinstance(verdict, Proved), str(verdict)


def test_claims_are_asked_for_longer_while_none_has_failed() -> None:
    encoded = _encoded(DOMINO)
    game = BddlGame(_model(encoded))
    over = Deadline.after(0)
    asked = encoded.qbf, encoded.layout, game
    short = try_scripts(*asked, deadline=over)
    assert isinstance(short.verdict, Undecided)
    assert short.cut
    assert isinstance(try_scripts(*asked, deadline=over, hopeful=NEVER).verdict, Proved)
    # Once a script has failed, nothing is asked for longer than the deadline.
    wrong = replace(encoded.qbf, output=-encoded.qbf.output)
    failing = try_scripts(wrong, encoded.layout, game, deadline=over, hopeful=NEVER)
    assert isinstance(failing.verdict, Undecided)
    assert failing.failing
    assert {doubt.partition(":")[0] for doubt in failing.doubts} == {"time is up"}


def test_a_game_without_plies_is_never_won() -> None:
    """A formula for it must be false."""
    encoded = _encoded("httt --shape domino --size 2x2 --depth 1")
    problem = replace(_model(encoded).problem, depth=1, first_player=Player.WHITE)
    none = replace(_model(encoded), problem=problem)
    assert none.problem.plies == 0
    sound = encode(none)
    assert isinstance(_verdict(sound), Proved)
    true = Gate(Connective.AND, ())
    formula = replace(sound.qbf, gates={1: true}, output=1)
    finding = _first(_verdict(sound, formula))
    assert finding.kind is FindingKind.END_DIFFERS
    assert finding.moves == ()


def test_indicators_that_are_moves_change_no_play() -> None:
    """What the layout calls an indicator never gets a value where a player chooses it."""
    encoded = _encoded(DOMINO)
    white = encoded.layout.moves[1]
    indicators = Indicators(white.x[0], (white.x[1], *white.y))
    layout = with_indicators(encoded.layout, 2, indicators)
    # White loses by her first column in this formula, and by nothing in the game.
    variable = encoded.qbf.max_variable + 1
    never = Gate(Connective.OR, (encoded.qbf.output, *white.x))
    formula = replace(encoded.qbf, gates={**encoded.qbf.gates, variable: never}, output=variable)
    assert not isinstance(_verdict(encoded, formula, layout), Proved)
    always = Gate(Connective.AND, (encoded.qbf.output, white.x[0]))
    formula = replace(encoded.qbf, gates={**encoded.qbf.gates, variable: always}, output=variable)
    assert isinstance(_verdict(encoded, formula, layout), Refuted)


def test_bits_that_a_number_does_not_need_are_taken_as_they_are() -> None:
    """Too many bits are no error: what they add are moves off the board."""
    encoded = _encoded(TINY)
    bit = encoded.qbf.max_variable + 1
    black, white = encoded.layout.moves[:2]
    layout = _widened(encoded.layout, 1, (bit, *black.x))
    scopes = (Scope(Quantifier.EXISTS, (bit,)), *encoded.qbf.scopes)
    gates = {**encoded.qbf.gates, bit + 1: Gate(Connective.AND, (encoded.qbf.output, -bit))}
    formula = replace(encoded.qbf, scopes=scopes, gates=gates, output=bit + 1)
    assert isinstance(_verdict(encoded, formula, layout), Proved)
    layout = _widened(encoded.layout, 2, (bit, *white.x))
    scopes = tuple(
        replace(s, variables=(*s.variables, bit)) if white.x[0] in s.variables else s
        for s in encoded.qbf.scopes
    )
    # The bit makes no difference, and a code with it is no move.
    assert isinstance(_verdict(encoded, replace(encoded.qbf, scopes=scopes), layout), Proved)


# --- Against the truth -----------------------------------------------------------------------


def _variants(model: Model) -> Iterator[Model]:
    """The model, and the same board with a piece more or less: its formula has the same prefix."""
    yield model
    problem = model.problem
    taken = {(x, y) for _, x, y in problem.initial}
    for x in range(1, problem.width + 1):
        for y in range(1, problem.height + 1):
            for square in (Square.BLACK, Square.WHITE):
                if (x, y) not in taken:
                    initial = (*problem.initial, (square, x, y))
                    yield replace(model, problem=replace(problem, initial=initial))
    for number in range(len(problem.initial)):
        initial = problem.initial[:number] + problem.initial[number + 1 :]
        yield replace(model, problem=replace(problem, initial=initial))


@pytest.mark.parametrize(
    ("words", "encoding"),
    [*((words, "lifted") for words in SMALL), (TINY, "lifted-guarded")],
)
def test_a_prefix_that_is_proved_leaves_the_truth(words: str, encoding: str) -> None:
    """Of the game, and of one with a piece more or less."""
    models = list(_variants(_model(_encoded(words))))
    counts: Counter[str] = Counter()
    for model in (models[0], random.Random(6).choice(models[1:])):
        encoded, winner = encode(model, encoding), _black_wins(model)
        faults = list(faulty_prefixes(encoded.qbf, random.Random(5), moved=15))
        for name, formula in random.Random(7).sample(faults, min(24, len(faults))):
            verdict = _verdict(encoded, formula, patience=0.3)
            counts[type(verdict).__name__] += 1
            if isinstance(verdict, Proved):
                assert depqbf_truth(formula) is winner, name
        assert counts["Proved"]
    assert counts["Refuted"]


def test_second_opinion_on_the_truth() -> None:
    """A search over all values says the same of small formulas as the solver does."""
    encoded = _encoded("domineering --size 2x2 --depth 2")
    faults = list(faulty_prefixes(encoded.qbf, random.Random(7), moved=10))
    proved = 0
    for name, formula in random.Random(8).sample(faults, 30):
        truth = qbf_truth(formula)
        assert truth is depqbf_truth(formula), name
        if isinstance(_verdict(encoded, formula, patience=0.3), Proved):
            proved += 1
            assert truth is _black_wins(_model(encoded)), name
    assert proved


@pytest.mark.parametrize("seed", range(4))
def test_several_faults_at_once(seed: int) -> None:
    """Faults of faults, of formulas of one game that are said to be another's."""
    rng = random.Random(seed)
    tried = 0
    for _ in range(50):
        encoded = _encoded(rng.choice(SMALL), rng.choice(["lifted", "lifted-guarded"]))
        formula = encoded.qbf
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            formula = rng.choice(list(faulty_prefixes(formula, rng, moved=20)))[1]
        layout: Layout | None = encoded.layout
        if rng.random() < 0.4:
            lines = rng.choice(list(faulty_layouts(formula, encoded.layout, rng)))[1]
            comments = tuple(enumerate((f" {line}" for line in lines), start=2))
            try:
                layout = layout_from_comments(replace(formula, comments=comments))
            except InputError:
                continue
        if layout is None:
            continue
        model = (
            rng.choice(list(_variants(_model(encoded)))) if rng.random() < 0.5 else _model(encoded)
        )
        tried += 1
        if isinstance(_judged(formula, layout, BddlGame(model), patience=0.3), Proved):
            assert depqbf_truth(formula) is _black_wins(model)
    assert tried > 20


@pytest.mark.parametrize("words", [TINY, "hex --size 2x2 --depth 3"])
def test_no_layout_proves_another_games_winner(words: str) -> None:
    """A layout is a witness: whatever it says, the formula's value is the winner's."""
    encoded = _encoded(words)
    winner = _black_wins(_model(encoded))
    others = [m for m in _variants(_model(encoded)) if _black_wins(m) is not winner]
    assert others
    game = BddlGame(others[0])
    own = BddlGame(_model(encoded))
    read = proved = 0
    faults = [
        f
        for f in faulty_layouts(encoded.qbf, encoded.layout, random.Random(4))
        if not f[0].startswith("'gate ")
    ]
    for name, lines in random.Random(3).sample(faults, len(faults) // 3):
        comments = tuple(enumerate((f" {line}" for line in lines), start=2))
        try:
            layout = layout_from_comments(replace(encoded.qbf, comments=comments))
        except InputError:
            continue
        if layout is not None:
            read += 1
            assert not isinstance(_judged(encoded.qbf, layout, game, patience=0.3), Proved), name
            proved += isinstance(_judged(encoded.qbf, layout, own, patience=0.3), Proved)
    assert read > 20
    assert 0 < proved < read


# --- Clauses ---------------------------------------------------------------------------------


@pytest.mark.parametrize("placement", get_args(Placement))
@pytest.mark.parametrize("polarity", [False, True])
def test_clauses_of_each_form_are_proved_on_whole_scripts(
    polarity: bool, placement: Placement
) -> None:
    """Helpers that are gates in the circuit have the functions that the clauses say."""
    for words in SMALL:
        encoded = _encoded(words)
        form = clausal_form(encoded.qbf, polarity=polarity, placement=placement)
        verdict = _verdict(encoded, parse_qdimacs(qdimacs_text(form)))
        assert isinstance(verdict, Proved), f"{words}: {verdict}"
        assert "all scripts" in verdict.reason, words


# --- Formulas of others ----------------------------------------------------------------------


def _read(path: Path) -> tuple[Qbf, Layout, BddlGame]:
    formula = read_qcir(path)
    layout = layout_from_comments(formula)
    assert layout is not None
    model = model_from_parts(layout.game, layout.model)
    assert isinstance(model, Model)
    return formula, layout, BddlGame(model)


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("04-encoding-universal/dom.qcir", None),
        ("04-encoding-universal/dom_u.qcir", FindingKind.END_DIFFERS),
        ("06-spare-ply/depth2.qcir", FindingKind.END_DIFFERS),
    ],
)
def test_liars(shared_data: Path, file: str, kind: FindingKind | None) -> None:
    """Formulas of which something false was said; the first one is sound."""
    verdict = _judged(*_read(shared_data / "liars" / file))
    if kind is None:
        assert isinstance(verdict, Proved)
    else:
        assert _first(verdict).kind is kind


def test_a_flipped_claim_is_refused_where_it_is_read(shared_data: Path) -> None:
    """The layout's lines say whose variables they name."""
    with pytest.raises(InputError, match="universal variable 20"):
        _read(shared_data / "liars" / "04-encoding-universal" / "flip.qcir")


def test_formulas_of_others_are_proved(shared_data: Path) -> None:
    """Q-sage's files keep the order of plies; those of even depth have a spare last ply."""
    formulas = sorted((shared_data / "certificates" / "quabs").glob("*.qcir"))
    assert len(formulas) >= 7
    for path in formulas:
        stem = path.stem.replace("__", "-", 1)
        family = next(f for f in ("connect-c", "domineering", "hex", "httt") if stem.startswith(f))
        folder = shared_data / "bddl" / family
        (problem,) = folder.glob(stem.removeprefix(f"{family}-") + ".*")
        formula = read_qcir(path)
        layout = layout_from_meta(read_meta(path.with_suffix(".meta")), formula)
        game = BddlGame(read_model(folder / "domain.ig", problem))
        verdict = _judged(formula, layout, game)
        assert isinstance(verdict, Proved), f"{path.name}: {verdict}"
