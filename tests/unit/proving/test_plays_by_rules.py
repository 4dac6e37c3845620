"""In plays the rules decide: a layout that lies about them can only make a play fail.

The layouts are those of honest encodings with one claim changed, and small files of which each
line is a claim.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.arena.open import open_engine, open_play_engine
from qsage_validate.arena.strategy_tree import tree_of
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.circuit.aig import FALSE, TRUE
from qsage_validate.encodings.layout import IllegalMoves, Layout, Ply
from qsage_validate.errors import InputError, MalformedMoveError, UsageError
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.report import exit_code, run_script
from qsage_validate.play.transcript import play_transcript, transcript_of
from qsage_validate.problems.load import BoardProblem, Files, load
from qsage_validate.proving.exhaustive import exhaust
from qsage_validate.proving.random_plays import attack
from qsage_validate.proving.run import LevelResult
from qsage_validate.proving.vector_walk import merging_for
from qsage_validate.strategies.reader import LayoutMove
from qsage_validate.system.limits import Limits
from qsage_validate.validation.finding import (
    Claimed,
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Sampled,
)
from qsage_validate.validation.fit import check_fit
from tests.support.plays import DOMINEERING, DOMINO
from tests.support.plays import EL as GRID_EL
from tests.support.plays import HELD as GRID_HELD
from tests.support.plays import certified as certified_grid
from tests.support.plies import relisted, with_bits
from tests.support.table_matches import EL, HELD, TRAILS, certified

BLACK, WHITE = Player.BLACK, Player.WHITE


def setup_for(
    model: PositionalModel | GdlModel,
    encoding: str,
    *,
    layout: Layout | None = None,
    game: TwoPlayerGame | None = None,
    certificate: CircuitCertificate | None = None,
    unassigned: tuple[int, ...] = (),
) -> BoardProblem:
    made = certified(model, encoding)
    return BoardProblem(
        Files(formula="game.qcir", certificate="game.aig"),
        made.encoding.qbf,
        certificate or made.certificate,
        layout or made.encoding.layout,
        game or load_game(model),
        unassigned=unassigned,
    )


def table_of(model: PositionalModel | GdlModel, encoding: str) -> Layout:
    return certified(model, encoding).encoding.layout


def with_ply(layout: Layout, ply: int, **changed: object) -> Layout:
    """The layout with another table for a ply."""
    moves = list(layout.moves)
    moves[ply - 1] = relisted(moves[ply - 1], **changed)
    return replace(layout, moves=tuple(moves))


def constant(certificate: CircuitCertificate, values: dict[int, bool]) -> CircuitCertificate:
    """The certificate with constants for some functions."""
    made = {v: TRUE if value else FALSE for v, value in values.items()}
    return replace(certificate, functions={**certificate.functions, **made})


def first_finding(result: LevelResult) -> Finding:
    assert isinstance(result.verdict, Refuted), str(result.verdict)
    return result.verdict.findings[0]


def kinds(result: LevelResult) -> set[FindingKind]:
    return {finding.kind for finding in result.findings}


# -- moves for which the layout has no code -------------------------------------------------


def without(table: Ply, move: str) -> dict[str, object]:
    """What of a table of numbers changes where its last move is left out."""
    assert table.variables
    assert table.moves[-1] == move
    return {"moves": table.moves[:-1], "legal": table.legal[:-1]}


@pytest.mark.parametrize(
    ("model", "encoding", "ply"),
    [(EL, "ea", 2), (EL, "cor-lean", 4), (HELD, "ea", 3), (HELD, "la", 3), (None, "gdl", 4)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_legal_move_without_a_code_is_found(
    model: PositionalModel | None, encoding: str, ply: int
) -> None:
    expect_no_code(fork("(step 3)") if model is None else model, encoding, ply)


def expect_no_code(model: PositionalModel | GdlModel, encoding: str, ply: int) -> None:
    """All plays find that the last move of a ply has lost its code; random plays as well."""
    honest = table_of(model, encoding)
    table = honest.moves[ply - 1]
    layout = with_ply(honest, ply, **without(table, table.moves[-1]))
    problem = setup_for(model, encoding, layout=layout)
    finding = first_finding(exhaust(problem))
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    opponent = problem.answering.kind.player.other
    text = f"{opponent}'s move {table.moves[-1]} is legal by the rules and the layout has no code"
    assert text in finding.detail
    assert finding.ply == len(finding.moves) == ply - 1
    # Random plays come there as well, and stop there if nothing else is to be played.
    assert FindingKind.LEGALITY_DIFFERS in kinds(attack(problem, games=60, bias=False))
    assert isinstance(exhaust(setup_for(model, encoding)).verdict, Proved)


def test_the_replay_of_a_move_without_a_code_shows_it() -> None:
    honest = table_of(EL, "ea")
    layout = with_ply(honest, 2, **without(honest.moves[1], "c3"))
    problem = setup_for(EL, "ea", layout=layout)
    (finding,) = exhaust(problem).findings
    assert finding.replay.endswith("--moves ''")
    match = PlayMatch(open_engine(problem))
    assert finding.text in [found.text for found in match.findings]
    assert exit_code(match) == 1
    with pytest.raises(MalformedMoveError, match=r"c3, a move for which the layout .* has no code"):
        match.push("c3")
    with pytest.raises(MalformedMoveError, match="a1 to c3"):
        match.push("z9")
    tree = tree_of(problem)
    assert finding.kind in [found.kind for found in tree.root.findings]


@pytest.mark.parametrize("arrays", [True, False])
def test_a_square_that_bits_cannot_name_is_found(
    arrays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = certified_grid(GRID_EL)
    honest = made.encoding.layout
    moves = list(honest.moves)
    moves[1] = with_bits(moves[1], x=moves[1].x[1:])  # one bit for three columns
    problem = BoardProblem(
        Files(formula="game.qcir", certificate="game.aig"),
        made.encoding.qbf,
        made.certificate,
        replace(honest, moves=tuple(moves)),
        load_game(made.encoding.model),
    )
    if not arrays:
        monkeypatch.setattr("qsage_validate.proving.exhaustive.walks", lambda problem: False)
    finding = first_finding(exhaust(problem))
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    texts = [found.detail for found in exhaust(problem).findings]
    assert any("occupy(3,1) is legal by the rules and the layout has no code" in t for t in texts)
    assert FindingKind.LEGALITY_DIFFERS in kinds(attack(problem, games=20))


def grid_setup(words: tuple[str, ...], layout: Layout | None = None) -> BoardProblem:
    made = certified_grid(words)
    return BoardProblem(
        Files(formula="game.qcir", certificate="game.aig"),
        made.encoding.qbf,
        made.certificate,
        layout or made.encoding.layout,
        load_game(made.encoding.model),
    )


def test_squares_that_need_no_bits_are_no_difference() -> None:
    # White's dominoes lie across two columns: by the rules they begin in the first one.
    words = ("domineering", "--size=2x3", "--depth=4")
    layout = certified_grid(words).encoding.layout
    moves = tuple(with_bits(m, x=()) if m.player is WHITE else m for m in layout.moves)
    honest, short = grid_setup(words), grid_setup(words, replace(layout, moves=moves))
    assert honest.answering.kind is CertificateKind.SKOLEM
    for problem in (honest, short):
        assert isinstance(exhaust(problem).verdict, Proved)
        assert isinstance(attack(problem, games=50, illegal=0.3).verdict, Sampled)


@pytest.mark.parametrize("number", [0, 2])
def test_a_gate_in_the_place_of_a_variable_ends_in_a_finding(number: int) -> None:
    layout = certified_grid(GRID_HELD).encoding.layout
    assert layout.verdict is not None
    moves = list(layout.moves)
    moves[number] = with_bits(moves[number], x=(layout.verdict, *moves[number].x[1:]))
    problem = grid_setup(GRID_HELD, replace(layout, moves=tuple(moves)))
    assert problem.answering.kind is CertificateKind.HERBRAND
    assert not isinstance(exhaust(problem).verdict, Proved)


def test_no_move_with_a_code_is_left() -> None:
    honest = table_of(EL, "ea")
    layout = with_ply(honest, 2, moves=honest.moves[1].moves[:1])
    problem = setup_for(EL, "ea", layout=layout)
    # Black's first move is the only one that White has a code for.
    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    (state,) = play_engine.answer_all([play_engine.start()])
    first = LayoutMove(state.moves[0])
    layout = with_ply(honest, 2, moves=(str(first),))
    problem = setup_for(EL, "ea", layout=layout)
    result = exhaust(problem)
    assert kinds(result) == {FindingKind.LEGALITY_DIFFERS}
    assert "and 2 more" in first_finding(result).detail
    assert FindingKind.LEGALITY_DIFFERS in kinds(attack(problem, games=5))


@pytest.mark.parametrize("encoding", ["cor-ladder", "cor-lean"])
def test_first_moves_that_symmetry_leaves_out_need_no_code(encoding: str) -> None:
    problem = setup_for(HELD, encoding)
    layout = problem.layout
    assert layout is not None
    assert set(layout.moves[0].moves) == {"a1", "a2", "b2"}
    assert isinstance(exhaust(problem).verdict, Proved)
    # Only the middle stands for itself: of the edges and corners one of each must be there.
    short = with_ply(layout, 1, moves=("a1", "a2"))
    finding = first_finding(exhaust(setup_for(HELD, encoding, layout=short)))
    assert (
        finding.detail == "Black's move b2 is legal by the rules and the layout has no code for it"
    )


def test_symmetry_of_the_board_is_none_of_the_game_with_a_stone() -> None:
    layout = table_of(HELD, "cor-ladder")
    stone = replace(HELD, white=1, first_moves=0)  # White has a1: corners are no longer alike
    game = load_game(replace(stone, turns=HELD.turns))
    finding = first_finding(exhaust(setup_for(HELD, "cor-ladder", layout=layout, game=game)))
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    # The diagonal through a1 is the only symmetry that is left.
    assert "Black's move a3 is legal by the rules" in finding.detail
    assert "(nor for b3, c1, c2, c3)" in finding.detail


# -- whose ply it is ------------------------------------------------------------------------


@pytest.mark.parametrize("ply", [1, 2, 3, 4, 5])
def test_each_ply_is_its_player_s(ply: int) -> None:
    honest = table_of(EL, "ea")
    player = honest.moves[ply - 1].player
    wrong = with_ply(honest, ply, player=player.other)
    with pytest.raises(UsageError, match=f"{player} makes ply {ply}, expected {player.other}"):
        check_fit(load_game(EL), wrong)


@pytest.mark.parametrize("words", [GRID_EL, DOMINEERING], ids=" ".join)
def test_each_ply_of_a_grid_is_its_player_s(words: tuple[str, ...]) -> None:
    made = certified_grid(words)
    layout, game = made.encoding.layout, load_game(made.encoding.model)
    check_fit(game, layout)
    for number, variables in enumerate(layout.moves, start=1):
        moves = list(layout.moves)
        moves[number - 1] = replace(variables, player=variables.player.other)
        with pytest.raises(UsageError, match=r"begins|spare|plies|makes ply"):
            check_fit(game, replace(layout, moves=tuple(moves)))


def test_the_layout_is_compared_with_the_position_at_each_ply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layout = with_ply(table_of(EL, "ea"), 2, player=BLACK)
    monkeypatch.setattr("qsage_validate.validation.referee.check_fit", lambda game, layout: None)
    with pytest.raises(UsageError, match=r"gives ply 2 after \w\d to Black, expected White"):
        exhaust(setup_for(EL, "ea", layout=layout))


# -- plies that the layout does not have ----------------------------------------------------


@pytest.mark.parametrize("encoding", ["ea", "cor-ladder", "cor-lean", "la", "sa"])
def test_black_moves_once_more_than_the_formula_knows(encoding: str) -> None:
    short = harary_model("tic", 3, 3, maker_breaker=True, plies=3)  # White keeps tic away
    held = replace(short, turns=(BLACK, WHITE, BLACK))
    result = exhaust(setup_for(held, encoding))
    assert isinstance(result.verdict, Proved), str(result.verdict)
    # Black's second stone in a row is one more than White was asked about.
    longer = load_game(replace(held, turns=(BLACK, WHITE, BLACK, BLACK), first_moves=0))
    result = exhaust(setup_for(held, encoding, game=longer))
    finding = first_finding(result)
    assert finding.kind is FindingKind.END_DIFFERS
    assert finding.ply == 4
    assert "Black wins (reached its goal)" in finding.detail
    problem = setup_for(held, encoding, game=longer)
    random = attack(problem, games=400, bias=False)
    assert kinds(random) == {FindingKind.END_DIFFERS}
    # The replay plays the last move, which no variable knows.
    script = finding.replay.partition("--moves ")[2].strip("'")
    match = PlayMatch(open_engine(problem))
    assert run_script(match, script) is None
    assert match.over
    assert finding.text in [found.text for found in match.findings]
    assert match.facts.plies == 4


def test_white_s_last_ply_may_be_missing() -> None:
    longer = load_game(replace(HELD, turns=(BLACK, WHITE, BLACK, WHITE), first_moves=0))
    result = exhaust(setup_for(HELD, "ea", game=longer))
    assert isinstance(result.verdict, Proved), str(result.verdict)
    ended = result.evidence["plays ended by ply"]
    assert isinstance(ended, list)
    honest = exhaust(setup_for(HELD, "ea")).evidence["plays"]
    assert isinstance(honest, int)
    # After each play White makes each of six moves.
    assert ended == [0, 0, 0, 0, 6 * honest]
    assert isinstance(attack(setup_for(HELD, "ea", game=longer), games=30).verdict, Sampled)


def test_black_must_have_won_before_a_missing_ply_of_white_s() -> None:
    longer = load_game(replace(EL, turns=(*EL.turns, WHITE), first_moves=0))
    assert isinstance(exhaust(setup_for(EL, "ea", game=longer)).verdict, Proved)
    certificate = certified(EL, "ea").certificate
    last = table_of(EL, "ea").moves[4]
    broken = constant(certificate, {abs(v): v < 0 for v in last.variables})  # always the first move
    result = exhaust(setup_for(EL, "ea", game=longer, certificate=broken))
    assert isinstance(result.verdict, Refuted)


def test_black_must_win_with_any_move_at_a_missing_ply() -> None:
    # Two stones a turn: with the second one anywhere Black has won, or only in one place.
    wins = {True: (0b0011, 0b0101, 0b1001), False: (0b0011,)}
    for anywhere, sets in wins.items():
        one = PositionalModel("one", ("a", "b", "c", "d"), (BLACK,), (0b0001,))
        game = load_game(PositionalModel("one", one.positions, (BLACK, BLACK), sets))
        result = exhaust(setup_for(one, "ea", game=game))
        if anywhere:
            assert isinstance(result.verdict, Proved)
            assert result.evidence["plays"] == 3
        else:
            assert kinds(result) == {FindingKind.END_DIFFERS}
            assert len(result.findings) == 2  # with c, and with d
            found = attack(setup_for(one, "ea", game=game), games=20)
            assert kinds(found) == {FindingKind.END_DIFFERS}


def test_a_person_chooses_for_the_certificate_where_any_move_will_do() -> None:
    one = PositionalModel("one", ("a", "b", "c", "d"), (BLACK,), (0b0001,))
    game = load_game(PositionalModel("one", one.positions, (BLACK, BLACK), (0b0011, 0b0101)))
    problem = setup_for(one, "ea", game=game)
    (finding,) = exhaust(problem).findings
    assert finding.replay.endswith("--moves 'd!'")
    match = PlayMatch(open_engine(problem))
    assert not match.over
    assert match.mover is BLACK
    assert match.person is WHITE
    assert match.frame.remarks == ("The layout has no ply 2: any legal move of Black's will do.",)
    assert [str(move) for move in match.legal_moves()] == ["b", "c", "d"]
    assert not match.can_claim()
    assert match.hint() is not None
    with pytest.raises(UsageError, match="cannot be let happen"):
        match.push("a", force=True)
    (frame,) = match.push("d")
    assert frame.player is BLACK
    assert not frame.by_certificate
    assert match.outcome is not None
    assert match.outcome.promised is False
    again = PlayMatch(open_engine(problem))
    play_transcript(again, transcript_of(match))
    assert again.over
    match.undo()
    match.push("c")
    assert match.outcome is not None
    assert match.outcome.promised is True


@pytest.mark.parametrize("arrays", [True, False])
def test_a_spare_ply_of_a_grid_is_not_played(arrays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = certified_grid(DOMINO)
    model = made.encoding.model
    assert isinstance(model, Model)
    shorter = load_game(replace(model, problem=replace(model.problem, depth=2)))
    problem = BoardProblem(
        Files(formula="game.qcir", certificate="game.aig"),
        made.encoding.qbf,
        made.certificate,
        made.encoding.layout,
        shorter,
    )
    if not arrays:
        monkeypatch.setattr("qsage_validate.proving.exhaustive.walks", lambda problem: False)
        monkeypatch.setattr("qsage_validate.proving.random_plays.walks", lambda problem: False)
    # The formula is true, for Black wins with a third ply that the game does not have.
    for result in (exhaust(problem), attack(problem, games=20)):
        assert FindingKind.END_DIFFERS in kinds(result)
        assert "White wins (held out for 2 plies)" in str(result.verdict)


LIARS = (
    ("01-missing-white-move", "A", None, FindingKind.LEGALITY_DIFFERS),
    ("01-missing-white-move", "G", None, FindingKind.LEGALITY_DIFFERS),
    ("01-missing-white-move", "X", "Y", FindingKind.LEGALITY_DIFFERS),
    ("08-table-fewer-plies", "E", None, FindingKind.END_DIFFERS),
    ("08-table-fewer-plies", "X1", "Y2", FindingKind.END_DIFFERS),
    ("08-table-fewer-plies", "X2", "Y2", FindingKind.END_DIFFERS),
    # What follows is honest.
    ("01-missing-white-move", "X", None, None),
    ("08-table-fewer-plies", "X1", "X2", None),
    ("08-table-fewer-plies", "X2", None, None),
)


@pytest.mark.parametrize(("folder", "name", "model", "kind"), LIARS)
def test_the_files_that_lied(
    shared_data: Path, folder: str, name: str, model: str | None, kind: FindingKind | None
) -> None:
    files = shared_data / "liars" / folder
    if not files.is_dir():
        pytest.skip(f"no folder liars/{folder} among the files of other tools")
    problem = load(
        Files(
            formula=str(files / f"{name}.qcir"),
            certificate=str(files / f"{name}.aag"),
            game=() if model is None else (str(files / f"{model}.pg"),),
        )
    )
    result, random = exhaust(problem), attack(problem, games=100)
    if kind is None:
        assert isinstance(result.verdict, Proved)
        assert isinstance(random.verdict, Sampled)
        return
    assert kinds(result) == {kind}
    assert kind in kinds(random)
    for finding in (*result.findings, *random.findings):
        assert "--moves" in finding.replay


# -- replies that are no legal move ---------------------------------------------------------


def always_illegal(
    model: GdlModel | PositionalModel, encoding: str, ply: int, move: str
) -> CircuitCertificate:
    """White's certificate with one reply at a ply, whatever was played."""
    made = certified(model, encoding)
    table = made.encoding.layout.moves[ply - 1]
    number = table.moves.index(move)
    bits = [bool(number >> k & 1) for k in range(len(table.variables) - 1, -1, -1)]
    values = {abs(v): bit != (v < 0) for v, bit in zip(table.variables, bits, strict=True)}
    return constant(made.certificate, values)


def test_there_is_no_pass_in_gdl() -> None:
    for illegal in (IllegalMoves.IGNORED, IllegalMoves.LOSES):
        layout = replace(table_of(TRAILS, "gdl"), illegal=illegal)
        broken = a_reply_that_is_illegal(TRAILS)
        problem = setup_for(TRAILS, "gdl", layout=layout, certificate=broken)
        assert kinds(exhaust(problem)) == {FindingKind.ILLEGAL_REPLY}
        assert FindingKind.ILLEGAL_REPLY in kinds(attack(problem, games=10))


def a_reply_that_is_illegal(model: GdlModel) -> CircuitCertificate:
    """White's certificate with an illegal first reply."""
    game = load_game(model)
    position = game.initial.play(game.initial.legal_moves()[0])
    legal = {str(move) for move in position.legal_moves()}
    table = table_of(model, "gdl").moves[1]
    wrong = next(move for move in table.moves if move not in legal)
    return always_illegal(model, "gdl", 2, wrong)


FORK = (
    "(role black) (role white) (init (control black)) (init (step 1))"
    "(base (step 1)) (base (step 2)) (base (step 3)) (base (control black)) (base (control white))"
    "(base good) (base bad) (base never)"
    "(input black noop) (input white noop) (input black go) (input black stay)"
    "(input white left) (input white right)"
    "(<= (legal black go) (true (control black))) (<= (legal black stay) (true (control black)))"
    "(<= (legal white noop) (true (control black)))"
    "(<= (legal white left) (true (control white))) (<= (legal white right) (true (control white)))"
    "(<= (legal black noop) (true (control white)))"
    "(<= (next (control white)) (true (control black)))"
    "(<= (next (control black)) (true (control white)))"
    "(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))"
    "(<= (next bad) (does white left)) (<= (next good) (does white right))"
    "(<= terminal (true (step 3)))"
    "(<= (goal black 100) (true LOST)) (<= (goal black 0) (not (true LOST)))"
    "(<= (goal white 100) (not (true LOST))) (<= (goal white 0) (true LOST))"
)


def fork(lost: str) -> GdlModel:
    """White goes left or right; a fluent says where that loses."""
    return GdlModel(parse_description(FORK.replace("LOST", lost)), 2)


def test_a_replaced_reply_must_win_with_any_legal_move() -> None:
    layout = table_of(fork("bad"), "gdl")
    assert layout.illegal is IllegalMoves.REPLACED
    broken = always_illegal(fork("bad"), "gdl", 4, "noop")
    problem = setup_for(fork("bad"), "gdl", certificate=broken)
    result = exhaust(problem)
    # Of White's two legal moves one loses: that is found, and the other one is no excuse.
    # (The formula sees it too: its verdict is wrong in the same plays.)
    assert kinds(result) == {FindingKind.END_DIFFERS, FindingKind.VERDICT_DIFFERS}
    ends = [f for f in result.findings if f.kind is FindingKind.END_DIFFERS]
    assert {finding.moves[-1] for finding in ends} == {"left"}
    assert FindingKind.END_DIFFERS in kinds(attack(problem, games=40))
    # The replay says what was chosen in White's place.
    finding = ends[0]
    script = finding.replay.partition("--moves ")[2].strip("'")
    match = PlayMatch(open_engine(problem))
    assert run_script(match, script) is None
    assert finding.text in [found.text for found in match.findings]
    frame = next(f for f in match.frames if f.remarks)
    assert "any legal move of White's will do in its place" in frame.remarks[0]
    again = PlayMatch(open_engine(problem))
    play_transcript(again, transcript_of(match))
    assert again.over
    # Where both win, the promise is kept by any.
    safe = always_illegal(fork("never"), "gdl", 4, "noop")
    won = exhaust(setup_for(fork("never"), "gdl", certificate=safe))
    assert isinstance(won.verdict, Proved), str(won.verdict)
    assert won.evidence["plays"] == 2 * 2
    tree = tree_of(problem)
    sizes = tree.size(tree.root)
    assert str(sizes.text)


def test_a_claim_that_replies_are_replaced_is_believed_of_white_alone() -> None:
    layout = replace(table_of(EL, "ea"), illegal=IllegalMoves.REPLACED, black_passes=False)
    made = certified(EL, "ea")
    third = layout.moves[2]
    broken = constant(made.certificate, {abs(v): v > 0 for v in third.variables})  # the last number
    problem = setup_for(EL, "ea", layout=layout, certificate=broken)
    illegal = {FindingKind.ILLEGAL_REPLY, FindingKind.UNREADABLE_REPLY}
    assert kinds(exhaust(problem)) & illegal


def test_a_pass_that_is_no_number_can_be_played_on_from() -> None:
    # Under 'ignored' White's number behind the last move is a pass: a person plays on.
    layout = table_of(HELD, "ea")
    assert layout.illegal is IllegalMoves.IGNORED
    second = layout.moves[1]
    broken = constant(certified(HELD, "ea").certificate, {abs(v): v > 0 for v in second.variables})
    problem = setup_for(HELD, "ea", certificate=broken)
    match = PlayMatch(open_engine(problem))
    match.push("a1")
    assert match.frame.move is None
    assert not match.over
    assert match.legal_moves()
    match.push("b1")
    assert match.over


# -- claims of having won -------------------------------------------------------------------


def test_the_opponent_s_stop_ends_no_play() -> None:
    honest = exhaust(setup_for(EL, "ea"))
    layout = table_of(EL, "ea")
    assert layout.verdict is not None
    # The verdict is no variable of White's, and true in all these plays.
    lying = with_ply(with_ply(layout, 2, stop=layout.verdict), 4, stop=layout.verdict)
    result = exhaust(setup_for(EL, "ea", layout=lying))
    assert isinstance(result.verdict, Proved), str(result.verdict)
    assert result.evidence["plays"] == honest.evidence["plays"]
    # A wrong certificate is refuted all the same.
    last = layout.moves[4]
    broken = constant(certified(EL, "ea").certificate, {abs(v): v < 0 for v in last.variables})
    refuted = exhaust(setup_for(EL, "ea", layout=lying, certificate=broken))
    assert FindingKind.END_DIFFERS in kinds(refuted)


def test_a_win_of_the_opponent_s_is_not_claimed_with_what_is_no_variable_of_its_own() -> None:
    # Black's table of the only ply, whose stop is a variable of White's.
    one = PositionalModel("one", ("a", "b", "c"), (BLACK, WHITE, BLACK), (0b110,))
    layout = table_of(one, "ea")
    white = layout.moves[1].variables[0]
    lying = with_ply(with_ply(layout, 1, stop=white), 3, stop=white)
    wins = load_game(replace(one, black_wins=(0b001,)))
    result = exhaust(setup_for(one, "ea", layout=lying, game=wins))
    finding = first_finding(result)
    assert finding.kind is FindingKind.END_DIFFERS
    assert finding.moves == ("a",)


def test_the_certificate_s_stop_is_a_claim() -> None:
    layout = table_of(EL, "ea")
    assert layout.verdict is not None
    lying = with_ply(layout, 1, stop=layout.verdict)
    problem = setup_for(EL, "ea", layout=lying)
    for result in (exhaust(problem), attack(problem, games=5)):
        assert FindingKind.FALSE_CLAIM in kinds(result)


# -- what was covered -----------------------------------------------------------------------


def test_random_plays_prove_nothing() -> None:
    verdict = attack(setup_for(EL, "ea"), games=10).verdict
    assert isinstance(verdict, Sampled)
    assert str(verdict) == "no fault found in 10 random plays"
    assert verdict.exit_code == 3


def test_all_plays_prove_nothing_without_rules() -> None:
    problem = replace(setup_for(EL, "ea"), game=None)
    verdict = exhaust(problem).verdict
    assert isinstance(verdict, Sampled), str(verdict)
    assert "no rules are known" in str(verdict)


def test_beginnings_are_kept_apart_where_a_variable_has_two_roles() -> None:
    problem = setup_for(EL, "ea")
    layout = problem.layout
    assert layout is not None
    oracle = SimulationOracle(certified(EL, "ea").certificate, problem.formula)
    assert merging_for(layout, oracle) is not None
    both = with_ply(layout, 4, code=layout.moves[1].variables)
    assert merging_for(both, oracle) is None
    result = exhaust(setup_for(EL, "ea", layout=both))
    assert result.evidence["merged"] is False
    grid = certified_grid(GRID_EL)
    board = grid.encoding.layout
    assert board is not None
    oracle = SimulationOracle(grid.certificate, grid.encoding.qbf)
    assert merging_for(board, oracle) is not None
    moves = list(board.moves)
    moves[1] = with_bits(moves[1], x=board.state.x)
    assert merging_for(replace(board, moves=tuple(moves)), oracle) is None


def test_a_checkpoint_with_an_illegal_move_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plays.json"
    problem = setup_for(EL, "ea")
    exhaust(problem, limits=Limits(positions=3), checkpoint=str(path))
    text = path.read_text(encoding="utf-8")
    first = next(iter(PlayMatch(open_engine(problem)).frames[1:])).move
    # White "claims" the position that Black has.
    for other in ("a1", "c3"):
        if f'"{first} {other}"' in text:
            path.write_text(text.replace(f'"{first} {other}"', f'"{first} {first}"'))
            break
    else:
        pytest.fail("the checkpoint has no play to forge")
    with pytest.raises(InputError, match="illegal move"):
        exhaust(problem, checkpoint=str(path))


def test_a_checkpoint_of_other_rules_in_gdl_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plays.json"
    problem = setup_for(fork("(step 3)"), "gdl")
    exhaust(problem, limits=Limits(positions=2), checkpoint=str(path))
    # The same words and the same first position, but Black does not win at the end.
    other = load_game(fork("(step 2)"))
    assert str(other.initial) == str(load_game(fork("(step 3)")).initial)
    with pytest.raises(UsageError, match="is of other files"):
        exhaust(replace(problem, game=other), checkpoint=str(path))
    assert isinstance(exhaust(problem, checkpoint=str(path)).verdict, Claimed)


# -- values that no play gives --------------------------------------------------------------


def test_a_finding_says_whether_its_play_rests_on_a_guess(tmp_path: Path) -> None:
    formula = tmp_path / "guess.qcir"
    formula.write_text(
        "#QCIR-G14\n"
        "#@ qsage-layout\n#@ encoding mine\n#@ game positional\n#@ list 1 a b c d\n"
        "#@ move 1 black list 1 code [1 2]\n#@ move 2 white list 1 code [4 5]\n"
        "#@ move 3 black list 1 code [6 7]\n#@ verdict 8\n#@ illegal ignored\n"
        "#@ model name | three\n"
        "#@ model pg | #times\n#@ model pg | t1 t2 t3\n#@ model pg | #blackturns\n"
        "#@ model pg | t1 t3\n#@ model pg | #positions\n#@ model pg | a b c d\n"
        "#@ model pg | #blackwins\n#@ model pg | a b\n#@ model pg | #whitewins\n"
        "exists(1, 2, 3)\nforall(4, 5)\nexists(6, 7)\noutput(8)\n8 = or()\n",
        encoding="ascii",
    )
    cases = {
        # White plays the number that variable 3, which is no move, has twice: a or d.
        "reads": ("6 6", True),
        # White plays b where Black played a, whatever 3 is: no guess (then 0 1 is code b).
        "ignores": ("0 1", False),
    }
    for name, (outputs, guesses) in cases.items():
        aag = tmp_path / f"{name}.aag"
        high, low = outputs.split()
        aag.write_text(
            f"aag 5 5 0 2 0\n2\n4\n6\n8\n10\n{high}\n{low}\n"
            "i0 1\ni1 2\ni2 3\ni3 6\ni4 7\no0 4\no1 5\n",
            encoding="ascii",
        )
        problem = load(Files(formula=str(formula), certificate=str(aag))).on_board
        assert problem.answering.kind is CertificateKind.HERBRAND
        assert problem.unassigned == ((3,) if guesses else ())
        result = exhaust(problem)
        # The formula is false whatever is played; by the rules Black wins now and then.
        assert {f.kind for f in result.findings} == {FindingKind.END_DIFFERS}
        assert all(f.guessed == ((3,) if guesses else ()) for f in result.findings)
        sampled = attack(problem, games=40, bias=False).findings
        assert sampled
        assert all(f.guessed == ((3,) if guesses else ()) for f in sampled)
