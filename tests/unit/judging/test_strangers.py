"""Formulas that others' encoders wrote: right ones are proved, wrong ones refuted by a play."""

from __future__ import annotations

import csv
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.foreign import layout_from_meta
from qsage_validate.encodings.layout import GoalVariables, StateView
from qsage_validate.formats.meta import read_meta
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.judging.boards import with_board
from qsage_validate.judging.codes import Codes
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.judged import judge_formula
from qsage_validate.judging.move_codes import sketch_of
from qsage_validate.judging.python_rules import GameValues, simulator_of
from qsage_validate.problems.load import Files, load
from qsage_validate.validation.finding import Proved, Refuted, Verdict
from tests.support.depqbf import depqbf_truth
from tests.support.readers import read_qcir
from tests.support.strangers import numbered_layout

pytestmark = pytest.mark.slow

ENCODINGS = ("pg", "eg", "cpg", "ibign", "ntpg", "cp", "gg", "ggt", "iw", "cgcp", "nt", "pgt")


@pytest.mark.parametrize("puzzle", ["hein_04_3x3-03", "hein_04_3x3-05", "hein_09_4x4-05"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_hex(shared_data: Path, encoding: str, puzzle: str) -> None:
    """As an independent judge found; the play is held against minimax and DepQBF."""
    folder = shared_data / "strangers"
    if not folder.is_dir():
        pytest.skip("the shared data has no strangers")
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        expected = {row["formula"]: row["verdict"] for row in csv.DictReader(file)}
    name = f"{encoding}_{puzzle}.qcir"
    formula = read_qcir(folder / "hex" / name)
    game = load_game(find_command([str(folder / "hex" / f"{puzzle}.pg")]))
    assert isinstance(game, PositionalGame)
    layout = numbered_layout(formula, game)
    verdict = judge(formula, layout, game, patience=300).verdict
    if expected[name] == "right":
        assert isinstance(verdict, Proved), str(verdict)
        return
    assert isinstance(verdict, Refuted), str(verdict)
    moves = verdict.findings[0].moves
    wins = GameValues(simulator_of(game)).value(moves)
    values = Codes(formula, layout, game.plies).of_play(moves)
    assert depqbf_truth(residual(formula, values)) is not wins
    assert ("and Black wins" in verdict.findings[0].text) is wins


GRIDS = ("tic", "domino", "dom23", "ep", "3x3_3_el", "bsp24")


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("encoding", ["ib", "nib", "dnib", "bwnib"])
def test_grids(shared_data: Path, encoding: str, name: str) -> None:
    """``ib`` and ``nib`` were refuted once, and ``bsp24``, in which White begins, did not fit.

    ``ib_bsp24`` is not the formula of its game: its first ply of Black's is a move, where the other
    three have one that does nothing.  In ``nib_bsp24`` a false stop of Black's makes White's later
    moves illegal, which wins: it is proved of plays in which nobody stops.
    """
    folder = shared_data / "strangers" / "grid"
    if not folder.is_dir():
        pytest.skip("the shared data has no strangers")
    stem = f"{encoding}_{name}"
    formula = read_qcir(folder / f"{stem}.qcir")
    layout = layout_from_meta(read_meta(folder / f"{stem}.meta"), formula)
    game = BddlGame(read_model(folder / f"{name}.domain.ig", folder / f"{name}.problem.ig"))
    verdict = judge(formula, layout, game, patience=600).verdict
    if stem == "ib_bsp24":
        assert isinstance(verdict, Refuted)
        assert "the layout gives ply 1 to Black, the rules to White" in str(verdict)
    else:
        assert isinstance(verdict, Proved), str(verdict)


@pytest.mark.parametrize("name", ["tic", "domino", "bsp24"])
def test_goals_and_indicators_are_found_as_the_meta_file_says(shared_data: Path, name: str) -> None:
    """Without them the proof of ``bwnib`` on whole scripts had no suggestion for its helpers."""
    folder = shared_data / "strangers" / "grid"
    if not folder.is_dir():
        pytest.skip("the shared data has no strangers")
    formula = read_qcir(folder / f"bwnib_{name}.qcir")
    said = layout_from_meta(read_meta(folder / f"bwnib_{name}.meta"), formula)
    game = BddlGame(read_model(folder / f"{name}.domain.ig", folder / f"{name}.problem.ig"))
    plies = (replace(ply, stop=None, indicators=None) for ply in said.moves)
    alone = replace(said, moves=tuple(plies), state=StateView(), goals=GoalVariables())
    found = with_board(alone, formula, sketch_of(game), game)
    assert found.goals == said.goals
    assert [ply.indicators for ply in found.moves] == [ply.indicators for ply in said.moves]
    assert [ply.stop for ply in found.moves] == [ply.stop for ply in said.moves]


def test_a_meta_file_fits_a_game_in_which_white_begins(shared_data: Path) -> None:
    """``ib_bsp24`` has no gate that makes its first ply a dummy: the rules say so.

    The game was refused as one that does not fit the meta file.
    """
    folder = shared_data / "strangers" / "grid"
    if not folder.is_dir():
        pytest.skip("the shared data has no strangers")
    rules = (str(folder / "bsp24.domain.ig"), str(folder / "bsp24.problem.ig"))
    problem = load(Files(formula=str(folder / "ib_bsp24.qcir"), game=rules))
    assert problem.layout is not None
    assert (problem.layout.plies, problem.layout.moves[0].player) == (8, Player.WHITE)


def test_a_move_before_the_first_ply_makes_a_formula_wrong(shared_data: Path) -> None:
    """``ib_bsp24``, its first ply a helper: White has won, and it is true by DepQBF."""
    folder = shared_data / "strangers" / "grid"
    if not folder.is_dir():
        pytest.skip("the shared data has no strangers")
    formula, meta = read_qcir(folder / "ib_bsp24.qcir"), read_meta(folder / "ib_bsp24.meta")
    game = BddlGame(read_model(folder / "bsp24.domain.ig", folder / "bsp24.problem.ig"))
    layout = layout_from_meta(meta, formula, first_player=game.first_player)
    moves = ["right-diagonal(1,2)", "forward(1,3)", "left-diagonal(2,3)"]
    values = GameValues(simulator_of(game))
    assert values.ended(values.after(moves), len(moves)) is Player.WHITE
    fixed: dict[int, bool] = {}
    for ply, move in zip(layout.moves, moves, strict=False):
        fixed |= ply.coding.encode(move)
    assert depqbf_truth(residual(formula, fixed))


@pytest.mark.parametrize(
    ("name", "folder", "kind"),
    [
        ("httt/4x4_9_tippy", "httt", Proved),
        ("C4/4x4_9_connect3", "connect-c", Proved),
        ("D/6x6_11", "domineering", Proved),
        ("D/4x5_11", "domineering", Proved),
        ("httt/3x3_9_fatty", "httt", Proved),
        ("httt/4x4_15_fatty", "httt", Refuted),
    ],
)
def test_reference_files_of_grids(
    shared_data: Path, name: str, folder: str, kind: type[Verdict]
) -> None:
    """Nothing is said of the variables; none of these was decided once.

    Hardly any play of ``D/4x5_11`` comes to its last plies.  In those of ``fatty`` Black may always
    say that a square of White's lies beyond the border; on 3x3 White need not claim anything.
    """
    archive = shared_data / "strangers" / "bwnib.tar.xz"
    if not archive.is_file():
        pytest.skip("the shared data has no reference files")
    with tarfile.open(archive) as files:
        file = files.extractfile(f"{name}_bwnib.qcir")
        assert file is not None
        formula = parse_qcir(file.read().decode())
    rules = shared_data / "bddl" / folder
    problem = rules / f"{name.rpartition('/')[2]}.ig"
    game = BddlGame(read_model(rules / "domain.ig", problem))
    found = judge_formula(formula, game)
    assert isinstance(found.verdict, kind), str(found.verdict)
    if isinstance(found.verdict, Refuted):
        assert found.layout is not None
        moves = found.verdict.findings[0].moves
        wins = GameValues(simulator_of(game)).value(moves)
        values = Codes(formula, found.layout, game.plies).of_play(moves)
        assert depqbf_truth(residual(formula, values)) is not wins
