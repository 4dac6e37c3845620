"""Plays against certificates of formulas that list the moves of a ply."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from qsage_validate.arena.adversary import BoardAdversary
from qsage_validate.arena.board_engine import TableWords
from qsage_validate.arena.frame import Names
from qsage_validate.arena.program import letters_of
from qsage_validate.encodings.layout import Layout, StateView
from qsage_validate.encodings.list_codings import listed
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import MalformedMoveError, UsageError
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.cover_game import Pairing, open_sets
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.rules import PositionalPosition
from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square
from qsage_validate.play.console import PlainPlay
from qsage_validate.play.match import RefusedMoveError
from qsage_validate.play.report import run_script
from qsage_validate.play.transcript import play_transcript, transcript_of
from qsage_validate.problems.script_moves import script_moves
from qsage_validate.render.svg import steps_by_rules, steps_of_frames
from qsage_validate.strategies.reader import LayoutMove, Legality, PlyCode, split_moves
from qsage_validate.validation.finding import FindingKind
from qsage_validate.validation.fit import check_fit
from tests.support.by_name import resolve_model
from tests.support.certificate_strategy import CertificateStrategy
from tests.support.plays import with_function
from tests.support.plies import relisted
from tests.support.table_matches import (
    BLOCKED,
    EL,
    HELD,
    HEX,
    SETS,
    TRAILS,
    TRAILS_WON,
    certified,
    table_match,
    table_play_engine,
)

BLACK, WHITE = Player.BLACK, Player.WHITE
# Explicit, symbolic and no board at all.
BOARDS = ("ea", "la", "sa")


# -- moves and their codes ----------------------------------------------------------------------


def table_of(**changes: object) -> Layout:
    return Layout((relisted(listed(1, BLACK, ("a", "b", "c"), (1, 2)), **changes),))


def test_numbers_are_moves_and_numbers_behind_the_last_are_none() -> None:
    code = PlyCode(table_of())
    assert [str(move) for move in code.moves(1)] == ["a", "b", "c"]
    assert code.encode(1, LayoutMove("c")) == {1: True, 2: False}
    assert code.decode(1, {1: False, 2: True}).move == LayoutMove("b")
    unreadable = code.decode(1, {1: True, 2: True})
    assert unreadable.move is None
    assert unreadable.problem == "its bits say move 4 of 3"
    assert [str(move) for move in code.no_moves(1)] == ["@3"]
    assert code.encode(1, LayoutMove("@3")) == {1: True, 2: True}
    assert code.can_say(1, LayoutMove("@3"))
    assert not code.can_say(1, LayoutMove("@4"))
    assert not code.can_say(1, LayoutMove("@2"))
    assert code.find(1, "d") is None


def test_a_literal_for_each_move_is_true_for_one_only() -> None:
    code = PlyCode(table_of(code=(), literals=(1, -2, 3)))
    assert code.encode(1, LayoutMove("b")) == {1: False, 2: False, 3: False}
    assert code.decode(1, {1: False, 2: True, 3: True}).move == LayoutMove("c")
    twice = code.decode(1, {1: True, 2: True, 3: True})
    assert twice.problem == "it chooses 2 moves at once (a, c)"
    assert code.decode(1, {2: True}).problem == "it chooses 0 moves at once (none)"
    assert code.no_moves(1) == []


def test_negative_literals_and_a_stop_are_read() -> None:
    code = PlyCode(table_of(code=(-1, 2), stop=5))
    answer = code.decode(1, {1: True, 2: True, 5: True})
    assert answer.move == LayoutMove("b")
    assert answer.stop
    assert set(answer.values) == {1, 2, 5}


def test_moves_joined_by_blanks_are_told_apart() -> None:
    assert split_moves("b2 a1") == ["b2", "a1"]
    assert split_moves("(mark 1 1) noop (a (b c) d)") == ["(mark 1 1)", "noop", "(a (b c) d)"]


# -- a person's play ----------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", BOARDS)
def test_a_person_plays_positions_by_name_and_the_certificate_wins(encoding: str) -> None:
    match = table_match(EL, encoding)
    assert match.person is WHITE
    assert [str(move) for move in match.legal_moves()][:2] == ["a1", "a2"]
    assert len(match.legal_moves()) == 8
    while not match.over:
        match.push(str(match.legal_moves()[-1]))
    assert match.outcome is not None
    assert match.outcome.winner is BLACK
    assert match.outcome.promised
    assert match.outcome.verdict is True
    assert match.findings == ()
    assert len(match.frame.won) == 3
    board = match.frame.board
    assert board is not None
    assert all(board[square] is Square.BLACK for square in match.frame.won)


def test_a_claimed_position_is_refused_with_the_rule_and_the_formulas_literal() -> None:
    match = table_match(EL, "la")
    with pytest.raises(RefusedMoveError) as refused:
        match.push("b2")
    why = refused.value.why
    assert why.formula_legal is False
    assert why.rules_legal is False
    assert why.lines[0] == "b2: Black has claimed it"
    assert re.fullmatch(r"formula: state 1 black b2 \[-?\d+\]: true", why.lines[1])
    assert len(why.lines) == 2


@pytest.mark.parametrize("encoding", ["ea", "cor", "cor+", "cor-lean"])
def test_a_stone_of_a_board_bound_from_one_side_is_evidence(encoding: str) -> None:
    match = table_match(EL, encoding)
    assert certified(EL, encoding).encoding.layout.state.one_sided
    why = match.why_not(match.parse_move("b2"))
    assert why is not None
    assert why.formula_legal is False
    assert re.fullmatch(r"formula: state 1 black b2 \[-?\d+\]: true", why.lines[1])
    match.push("a1")
    own = match.why_not(match.parse_move("a1"))
    assert own is not None
    assert own.formula_legal is False
    assert re.fullmatch(r"formula: state 3 white a1 \[-?\d+\]: true", own.lines[1])
    assert match.why_not(match.legal_moves()[0]) is None


def test_a_formula_that_says_what_is_legal_is_asked_for_it() -> None:
    match = table_match(EL, "cor-ladder")
    why = match.why_not(match.parse_move("b2"))
    assert why is not None
    assert why.formula_legal is False
    assert why.evidence[0].name == "white 2 b2 legal"
    assert why.evidence[0].value is False
    assert match.why_not(match.parse_move("a1")) is None


def test_an_illegal_move_that_is_let_happen_does_nothing() -> None:
    match = table_match(EL, "ea")
    before = match.frame.board
    match.push("b2", force=True)
    assert match.frames[2].illegal is not None
    assert match.frames[2].board == before or match.frames[2].board is None
    while not match.over:
        match.push(str(match.legal_moves()[0]), force=True)
    assert match.outcome is not None
    assert match.outcome.promised
    assert match.findings == ()


def test_a_stateless_formula_flags_what_an_earlier_ply_has_claimed_and_still_wins() -> None:
    match = table_match(EL, "sa")
    why = match.why_not(match.parse_move("b2"))
    assert why is not None
    assert why.formula_legal is False
    assert why.lines == (
        "b2: Black has claimed it",
        "formula: black 1 is b2 [-1 2 -3 -4]: true",
    )
    match.push("b2", force=True)
    match.push("b2", force=True)
    assert match.outcome is not None
    assert match.outcome.verdict is True
    assert match.findings == ()


def test_stones_that_a_strategy_may_invent_do_not_flag_a_move() -> None:
    layout = certified(EL, "ea").encoding.layout
    # Of the board, "white a1" is read from the literal that says "black b2".
    names = list(layout.state.kinds)
    black, white = names.index("black b2"), names.index("white a1")
    states = [list(row) for row in layout.state.states]
    states[1][white], states[1][black] = states[1][black], 0
    state = replace(layout.state, states=tuple(map(tuple, states)))
    play_engine = table_play_engine(EL, "ea", layout=replace(layout, state=state))
    (after,) = play_engine.answer_all([play_engine.start()])
    (after,) = play_engine.examine_all([after])
    verdicts = play_engine.legality(after)
    assert verdicts is not None
    assert LayoutMove("a1") not in verdicts
    assert verdicts[LayoutMove("b2")] == Legality(False, earlier=1)
    assert after.findings == ()


def test_a_number_without_a_move_can_be_said_and_is_illegal() -> None:
    match = table_match(EL, "ea")
    why = match.why_not(match.parse_move("@9"))
    assert why is not None
    assert why.lines[0] == "@9: the number of no move: there are 9 moves, from 0"
    match.push("@15", force=True)
    assert match.findings == ()
    with pytest.raises(MalformedMoveError, match=r"found '@16', expected a move such as "):
        match.push("@16", force=True)


@pytest.mark.parametrize("text", ["occupy(9,9)", "", "b 2"])
def test_what_is_no_position_is_said_so(text: str) -> None:
    match = table_match(EL, "ea")
    with pytest.raises(MalformedMoveError, match=r"found .*, expected a move such as a1, a2, a3"):
        match.parse_move(text)


def test_case_and_blanks_around_a_move_do_not_matter() -> None:
    assert table_match(EL, "ea").parse_move(" A1 ") == LayoutMove("a1")


def test_a_click_on_a_square_means_the_position_there() -> None:
    match = table_match(HEX, "en")
    assert match.moves_at((3, 1)) == (LayoutMove("c1"),)
    assert match.moves_at((4, 1)) == ()
    assert match.touched(match.parse_move("c1")) == ((3, 1),)
    assert match.frame.board is not None
    assert match.frame.board.shape is Shape.HEXAGONS
    assert match.frame.board.square_name((3, 1)) == "c1"


def test_positions_that_are_no_cells_are_a_list() -> None:
    match = table_match(SETS, "ea")
    board = match.frame.board
    assert board is not None
    assert board.names == SETS.positions
    (move,) = match.moves_at((1, 4))
    assert str(move) == "bottom"
    match.push("bottom")
    assert match.over


def test_white_plays_a_herbrand_certificate_and_the_board_is_the_rules() -> None:
    match = table_match(HELD, "ea")
    assert match.person is BLACK
    match.push("a1")
    assert match.frame.board_by_rules
    match.push(str(match.legal_moves()[0]))
    assert match.outcome is not None
    assert match.outcome.winner is WHITE
    assert match.outcome.verdict is False


def test_pairs_are_those_by_which_white_blocks_and_are_said_in_the_prompt() -> None:
    match = table_match(BLOCKED, "la")
    assert match.facts.has_pairs
    assert match.pairs(match.frame)
    match.push("b2")
    position = match.frame.position
    assert isinstance(position, PositionalPosition)
    pairs = match.pairs(match.frame)
    assert pairs is not None
    numbers = BLOCKED.number
    made = Pairing(tuple((numbers[one.text], numbers[other.text]) for one, other in pairs))
    assert not list(open_sets(BLOCKED, made, position.black, position.white))
    console = Console(file=StringIO(), width=200)
    PlainPlay(match, console).do("pairs")
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert "  ".join(f"{one}-{other}" for one, other in pairs) in said
    assert "By these pairs White could block" in said
    letters = letters_of(pairs)
    assert all(said.count(f" {letter}") >= 2 for letter in letters.values())


def test_a_position_without_a_pairing_says_so_and_blacks_certificates_have_none() -> None:
    match = table_match(HELD, "la")
    assert match.facts.has_pairs
    assert match.pairs(match.frame) is None
    console = Console(file=StringIO(), width=200)
    PlainPlay(match, console).do("pairs")
    PlainPlay(table_match(EL, "la"), console).do("pairs")
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue().splitlines()
    assert said[0] == "No pairing is known here."
    assert said[1].startswith("pairs are of White's certificates")


def test_an_empty_line_at_the_prompt_plays_the_only_move() -> None:
    match = table_match(TRAILS_WON, "gdl")
    console = Console(file=StringIO(), width=200)
    play = PlainPlay(match, console)
    assert play.question == "White> "
    play.do("")
    assert match.frame.ply == 1, "there are two moves"
    play.do("go 1 2")
    assert play.question == "White [wait]> "
    play.do(" ")
    assert "wait" in [str(frame.move) for frame in match.frames if frame.player is WHITE]


def test_without_rules_the_formula_alone_is_played() -> None:
    match = table_match(EL, "la", rules=False)
    assert not match.facts.has_rules
    assert [str(move) for move in match.legal_moves()][:2] == ["a1", "a2"]
    assert "b2" not in map(str, match.legal_moves())
    while not match.over:
        match.push(str(match.legal_moves()[0]))
    assert match.outcome is not None
    assert match.outcome.winner is BLACK


def test_a_game_in_gdl_is_played_in_its_own_words() -> None:
    match = table_match(TRAILS, "gdl")
    assert match.facts.moves_by_line
    while not match.over:
        match.push(str(match.legal_moves()[0]))
    assert match.findings == ()
    assert match.outcome is not None
    assert match.outcome.promised
    words = [str(frame.move) for frame in match.frames if frame.move]
    again = table_match(TRAILS, "gdl")
    own = [m for f, m in zip(match.frames[1:], words, strict=True) if not f.by_certificate]
    assert run_script(again, "; ".join(f"{move}!" for move in own)) is None
    assert again.over


def test_transcripts_scripts_and_steps_have_the_games_words() -> None:
    match = table_match(EL, "la")
    match.push("a1")
    text = str(transcript_of(match))
    assert "a1" in text
    again = table_match(EL, "la")
    play_transcript(again, transcript_of(match))
    assert again.frame.board == match.frame.board
    steps = steps_of_frames(match.frames)
    assert [step.marks.last for step in steps] == [None, (2, 2), (1, 1), steps[3].marks.last]
    shown = steps_by_rules(load_game(EL), ["b2", "a1"])
    assert [step.marks.last for step in shown] == [None, (2, 2), (1, 1)]
    assert [move.text for move in script_moves("b2 a1! @9!")] == ["b2", "a1", "@9"]


def test_a_strategy_answers_moves_of_the_game() -> None:
    play_engine = table_play_engine(EL, "ea")
    game = load_game(EL)
    strategy = CertificateStrategy(play_engine.reader, game)
    first = strategy.reply([])
    assert game.initial.is_legal(first)
    position = game.initial.play(first)
    reply = strategy.reply([first, position.legal_moves()[0]])
    assert position.play(position.legal_moves()[0]).is_legal(reply)


def test_a_literal_that_plies_share_is_named_by_the_ply_at_hand() -> None:
    moves = ("a", "b", "c")
    tables = tuple(
        listed(ply, player, moves, (ply, 10 + ply), legal=(20, 21, 20 + ply))
        for ply, player in ((1, BLACK), (2, WHITE), (3, BLACK), (4, WHITE))
    )
    state = StateView(("x", "y"), ((30, 31), (30, 31), (30, 32)))
    names = Names(Layout(tables, state), None)
    assert names.meaning(20)[0] == "black 1 a legal"
    assert names.meaning(20, 4)[0] == "white 4 a legal"
    assert names.meaning(20, 4, "b")[0] == "white 4 a legal"
    assert names.meaning(-21, 2, "b")[0] == "not white 2 b legal"
    assert names.meaning(22, 4, "a")[0] == "white 2 c legal"
    assert names.meaning(30, 2)[0] == "state 2 x"
    assert names.meaning(30, 2, "a")[0] == "state 1 x"
    assert names.literals["white 4 a legal"] == 20
    assert str(names.false_value(20, ply=4, move="a")) == "white 4 a legal [20]: false"


def test_an_illegal_move_in_gdl_is_explained_by_the_ply_at_hand() -> None:
    match = table_match(TRAILS_WON, "gdl")
    play_engine = table_play_engine(TRAILS_WON, "gdl")
    ply = match.frame.ply + 1
    wrong = [m for m in play_engine.reader.code.moves(ply) if match.why_not(m) is not None]
    assert wrong
    for move in wrong:
        why = match.why_not(move)
        assert why is not None
        assert why.formula_legal is False
        assert [value.name for value in why.evidence] == [f"white {ply} {move} legal"]


def test_moves_are_read_alike_in_both_kinds_of_layouts() -> None:
    play_engine = table_play_engine(TRAILS, "gdl")
    layout = play_engine.layout
    assert layout is not None
    words = TableWords(layout, WHITE, play_engine.reader.code, play_engine.game)
    ply = next(table.ply for table in layout.moves if table.player is WHITE)
    text = str(play_engine.reader.code.moves(ply)[0])
    assert str(words.parse(text.upper(), ply, ())) == text


# -- the referee --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        (EL, "ea"),
        (EL, "cor-ladder"),
        (EL, "cor-lean"),
        (EL, "cor"),
        (EL, "cor+"),
        (EL, "la"),
        (EL, "sa"),
        (HEX, "ln"),
        (HEX, "sn"),
    ],
)
def test_random_plays_find_nothing_wrong_and_illegal_moves_are_flagged(
    model: PositionalModel, encoding: str
) -> None:
    report = BoardAdversary(table_play_engine(model, encoding), seed=1, illegal=0.4).run(60)
    assert report.clean
    assert report.results.tried > 10
    assert report.results.flagged == report.results.tried


def test_random_plays_against_white_find_nothing_wrong() -> None:
    report = BoardAdversary(table_play_engine(HELD, "la"), seed=1, illegal=0.3).run(40)
    assert report.clean
    assert report.results.tried


@pytest.mark.parametrize("encoding", ["cor-ladder", "la"])
def test_a_wrong_atom_is_named_with_its_literal(encoding: str) -> None:
    layout = certified(EL, encoding).encoding.layout
    state = layout.state
    if state.position:
        wrong = replace(state, kinds=tuple(reversed(state.kinds)))
    else:
        names = list(state.kinds)
        first, second = names.index("black b2"), names.index("black a1")
        names[first], names[second] = names[second], names[first]
        wrong = replace(state, kinds=tuple(names))
    play_engine = table_play_engine(EL, encoding, layout=replace(layout, state=wrong))
    start = play_engine.start()
    (after,) = play_engine.answer_all([start])
    (finding,) = after.findings
    assert finding.kind is FindingKind.BOARD_DIFFERS
    assert "'black b2' is false in the formula and true by the rules" in finding.detail
    assert (2, 2) in finding.squares
    assert any(e.literal in state.states[1] for e in finding.evidence)


def test_a_board_that_is_bound_from_one_side_may_hide_black_stones_only() -> None:
    layout = certified(EL, "ea").encoding.layout
    assert layout.state.one_sided
    names = list(layout.state.kinds)
    first, second = names.index("black b2"), names.index("black a1")
    names[first], names[second] = names[second], names[first]
    state = replace(layout.state, kinds=tuple(names))
    play_engine = table_play_engine(EL, "ea", layout=replace(layout, state=state))
    (after,) = play_engine.answer_all([play_engine.start()])
    (finding,) = after.findings
    assert finding.detail == "'black a1' is true in the formula and false by the rules"


def test_atoms_without_a_literal_are_not_compared() -> None:
    layout = certified(EL, "ea").encoding.layout
    states = tuple(tuple(0 for _ in row) for row in layout.state.states)
    state = replace(layout.state, states=states)
    play_engine = table_play_engine(EL, "ea", layout=replace(layout, state=state))
    (after,) = play_engine.answer_all([play_engine.start()])
    assert after.findings == ()
    assert after.reading.atoms is None
    assert after.shown_board is not None
    verdicts = play_engine.legality(after)
    assert verdicts is not None
    assert verdicts[LayoutMove("b2")] == Legality(False, earlier=1)


def test_a_wrong_literal_of_legality_is_found() -> None:
    layout = certified(EL, "ea").encoding.layout
    black = layout.state.states[1][0]
    # a1 is legal, so says the table, where Black has claimed it.
    moves = list(layout.moves)
    moves[1] = replace(moves[1], legal=(black, *(0 for _ in moves[1].moves[1:])))
    play_engine = table_play_engine(EL, "ea", layout=replace(layout, moves=tuple(moves)))
    (after,) = play_engine.answer_all([play_engine.start()])
    (state,) = play_engine.examine_all([after])
    (finding,) = state.findings
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    assert "the formula forbids a1, which the rules allow" in finding.detail


@pytest.mark.parametrize("passes", [False, True])
def test_an_illegal_reply_ends_the_play_or_is_a_pass_where_the_formula_ignores_it(
    passes: bool,
) -> None:
    made = certified(EL, "ea")
    third = made.encoding.layout.moves[2]
    certificate = made.certificate
    for variable, literal in zip(third.variables, (0, 1, 0, 0), strict=True):
        certificate = with_function(certificate, variable, literal)
    layout = replace(made.encoding.layout, black_passes=passes)
    play_engine = table_play_engine(EL, "ea", certificate=certificate, layout=layout)
    (state,) = play_engine.answer_all([play_engine.start()])
    (state,) = play_engine.answer_all([play_engine.play(state, LayoutMove("a1"))])
    if passes:
        assert state.remark == "It claims nothing, and any claim will do: b2: Black has claimed it."
        assert state.ending is None
        # The certificate says that the stone is there: its own board is wrong, its reply is not.
        assert {f.kind for f in state.findings} <= {FindingKind.BOARD_DIFFERS}
        (state,) = play_engine.answer_all([play_engine.play(state, LayoutMove("c3"))])
        (state,) = play_engine.finish_all([state])
        assert state.ending is not None
        assert state.ending.promised is False
        return
    assert state.findings[0].kind is FindingKind.ILLEGAL_REPLY
    assert state.findings[0].text.endswith("Black has claimed it") or "b2" in str(state.moves)
    assert state.ending is not None
    assert state.ending.winner is WHITE


def test_a_claim_that_comes_too_early_is_false() -> None:
    made = certified(EL, "ea")
    layout = made.encoding.layout
    # Black's last move bit of ply 3 is read as a stop that is always set.
    moves = list(layout.moves)
    moves[2] = replace(moves[2], stop=moves[2].variables[0])
    certificate = with_function(made.certificate, moves[2].variables[0], 1)
    changed = replace(layout, moves=tuple(moves))
    play_engine = table_play_engine(EL, "ea", certificate=certificate, layout=changed)
    (state,) = play_engine.answer_all([play_engine.start()])
    (state,) = play_engine.answer_all([play_engine.play(state, LayoutMove("a1"))])
    assert state.moves[-1] == "stop"
    assert FindingKind.FALSE_CLAIM in [finding.kind for finding in state.findings]
    assert state.ending is not None
    assert state.ending.winner is WHITE


# -- games and layouts that do not fit ----------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (HELD, "it has 3 plies, expected 5"),
        (harary_model("el", 2, 4, maker_breaker=True, plies=5), "found 'c1', expected one of"),
    ],
)
def test_another_game_does_not_fit(model: PositionalModel, message: str) -> None:
    layout = encode(EL, "ea").layout
    with pytest.raises(UsageError, match=re.escape(message)):
        check_fit(load_game(model), layout)


def test_a_game_on_a_grid_does_not_fit_a_table() -> None:
    layout = encode(EL, "ea").layout
    game = load_game(resolve_model(["httt"], {"size": "3x3", "shape": "el", "depth": "5"}))
    with pytest.raises(UsageError, match="it is a bddl game, expected a positional game"):
        check_fit(game, layout)


# -- positions in words -------------------------------------------------------------------------


def test_a_position_is_told_in_words_and_drawn_from_them() -> None:
    game = load_game(hex_network(2, 2, 3))
    position = game.initial.play(game.parse_move("a2", BLACK))
    position = position.play(game.parse_move("b1", WHITE))
    atoms = game.atoms(position)
    assert {"black a2", "white b1", "occupied a2", "open a1", "open b2"} <= atoms
    assert "black b1" not in atoms
    assert game.board_of(atoms) == position.board
    assert game.square_of("b1") == (2, 1)
    assert game.square_of("c9") is None


def test_a_state_in_gdl_is_told_by_its_fluents() -> None:
    game = load_game(TRAILS)
    position = game.initial
    for _ in range(4):
        position = position.play(position.legal_moves()[0])
    atoms = game.atoms(position)
    assert atoms
    assert game.board_of(atoms) == position.board


def test_a_state_without_a_grid_is_a_table_of_fluents() -> None:
    text = (
        "(role a) (role b) (init (heap 2)) (init (control a))"
        "(<= (legal ?p take) (true (control ?p)))"
        "(<= (legal ?p wait) (role ?p) (not (true (control ?p))))"
        "(<= (next (heap 1)) (true (heap 2))) (<= (next (heap 0)) (true (heap 1)))"
        "(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))"
        "(<= terminal (true (heap 0))) (goal a 100) (goal b 0)"
    )
    game = load_game(GdlModel(parse_description(text), 2))
    board = game.initial.board
    assert board.names == (
        "(control a)", "(control b)", "(heap 0)", "(heap 1)", "(heap 2)",
    )  # fmt: skip
    true = [name for y, name in enumerate(board.names, 1) if board[1, y] is Square.BLACK]
    assert true == ["(control a)", "(heap 2)"]
    assert board.square_name((1, 3)) == "(heap 0)"
    assert game.board_of(game.atoms(game.initial)) == board


def test_a_target_is_the_polyomino_of_the_winning_sets() -> None:
    assert load_game(EL).target in (("XX", "X."), ("XX", ".X"), ("X.", "XX"), (".X", "XX"))
    assert load_game(HEX).target == ()


def test_boards_name_their_squares() -> None:
    board = BoardPicture(2, 1, (Square.OPEN,) * 2, columns=("a", "b"))
    assert board.square_name((2, 1)) == "b1"
    assert BoardPicture(2, 1, (Square.OPEN,) * 2).square_name((2, 1)) == "(2,1)"
    assert board == BoardPicture(2, 1, (Square.OPEN,) * 2)
