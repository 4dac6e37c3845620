"""The finder of readings: it finds what a formula means, or says that it does not know."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from random import Random

import pytest

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.foreign import layout_from_meta
from qsage_validate.encodings.layout_lines import with_layout
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.formats.meta import read_meta
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_qdimacs
from qsage_validate.games.bddl.language import BDDL
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.judged import judge_formula, judge_found
from qsage_validate.judging.move_codes import sketch_of, styles
from qsage_validate.judging.readings import FoundReadings, Standing, find_layout
from qsage_validate.system import limits
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import Proved, Refuted
from research.benchmarks import strangers_truth
from tests.support.places import REPOSITORY
from tests.support.scrambled import Chosen, Claiming, clausified, numbered, one_hot, renamed

CLAIMING = Claiming(
    ("a1", "a2", "a3", "b1", "b2", "b3"),
    (frozenset({"a1", "a2"}), frozenset({"a2", "b2", "b3"}), frozenset({"b1", "a3"})),
    5,
)
ROWS = ("a1", "b1", "a2", "b2", "a3", "b3")
ENCODERS: Mapping[str, Callable[[], Qbf]] = {
    "numbers": lambda: numbered(CLAIMING),
    "from 1": lambda: numbered(CLAIMING, first=1),
    "least significant bit first": lambda: numbered(CLAIMING, lsb=True),
    "row by row": lambda: numbered(CLAIMING, order=ROWS),
    "flags": lambda: numbered(CLAIMING, flags=2),
    "a first ply that does nothing": lambda: numbered(CLAIMING, dummy=True),
    "hidden variables": lambda: numbered(CLAIMING, hidden_white=True, flags=1),
    "a variable for each move": lambda: one_hot(CLAIMING),
}
FILES: Mapping[str, Callable[[Qbf], Qbf]] = {
    "as written": lambda formula: formula,
    "renamed": lambda formula: renamed(formula, Random(7)),
    "Tseitin": clausified,
    "Plaisted-Greenbaum": lambda formula: clausified(formula, polarity=True),
    "early": lambda formula: clausified(formula, polarity=True, placement="early"),
}


@cache
def claiming() -> TwoPlayerGame:
    return load_game(find_command(_written(CLAIMING)))


def _written(game: Claiming) -> list[str]:
    import tempfile

    folder = Path(tempfile.mkdtemp())
    (folder / "claiming.pg").write_text(game.pg())
    return [str(folder / "claiming.pg")]


def proved(formula: Qbf, game: TwoPlayerGame, found: FoundReadings) -> bool:
    answer = judge(formula, found.layout, game, deadline=Deadline.after(600))
    return isinstance(answer.verdict, Proved)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_right_formulas_are_read_and_proved(encoder: str, file: str) -> None:
    formula = FILES[file](ENCODERS[encoder]())
    found = find_layout(formula, claiming())
    assert found.standing in (Standing.FITS, Standing.PROVED)
    assert found.readings[0].fits
    assert proved(formula, claiming(), found)


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_scopes_are_read_or_left_open(seed: int) -> None:
    formula = renamed(numbered(CLAIMING), Random(seed), within=True)
    found = find_layout(formula, claiming())
    assert found.standing in (Standing.FITS, Standing.PROVED, Standing.OPEN)
    if found.stands_out:
        assert proved(formula, claiming(), found)


def test_some_shuffled_scopes_are_read() -> None:
    formulas = [renamed(numbered(CLAIMING), Random(seed), within=True) for seed in range(4)]
    assert any(find_layout(formula, claiming()).stands_out for formula in formulas)


def no_b2_at_first(circuit: CircuitBuilder, chosen: Chosen) -> int:
    return -chosen[0]["b2"]


def test_a_wrong_formula_is_judged_by_the_likely_reading() -> None:
    formula = numbered(CLAIMING, wrong=no_b2_at_first)
    found = find_layout(formula, claiming())
    assert found.stands_out
    assert found.readings[0].reading.style.words == "numbers in the game's order"
    verdict = judge(formula, found.layout, claiming()).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.findings[0].moves[0] == "b2"


def test_a_search_for_other_codes_that_is_cut_short_refutes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With two numbers exchanged nearly all plays agree: a little further all might."""
    monkeypatch.setattr(f"{find_layout.__module__}._RECODED_EFFORT", 800)
    found = find_layout(numbered(CLAIMING, wrong=no_b2_at_first), claiming())
    assert found.standing is Standing.OPEN


HEX = Claiming(
    ("a1", "a2", "b1", "b2"),
    (frozenset({"a1", "a2"}), frozenset({"b1", "b2"}), frozenset({"b1", "a2"})),
    3,
)
PAIRS = Claiming(
    ("a1", "a2", "a3", "b1", "b2", "b3"),
    (frozenset({"a1", "a2"}), frozenset({"a2", "b2"}), frozenset({"b1", "a3"})),
    3,
)
# Numbers that no list of the game says.
OTHER_ORDERS = (
    (HEX, ("a2", "a1", "b1", "b2"), "a1 is 1, a2 is 0"),
    (HEX, ("a1", "a2", "b2", "b1"), "b1 is 3, b2 is 2"),
    (PAIRS, ("a1", "a2", "b3", "b1", "b2", "a3"), "a3 is 5, b3 is 2"),
)


@pytest.mark.parametrize(
    ("game", "order", "words"), OTHER_ORDERS, ids=[" ".join(one[1]) for one in OTHER_ORDERS]
)
def test_right_formulas_may_number_the_moves_in_another_order(
    game: Claiming, order: tuple[str, ...], words: str
) -> None:
    formula = numbered(game, order=order)
    rules = load_game(find_command(_written(game)))
    found = find_layout(formula, rules)
    assert isinstance(judge_found(formula, found).verdict, Proved)
    assert found.readings[0].reading.style.words == f"numbers in the game's order, but {words}"


@pytest.mark.parametrize(
    ("blacks", "whites", "words"),
    [
        ("a1 a2 a3 b2 b1 b3", "a1 a2 a3 b1 b2 b3", "Black b1 is 4, Black b2 is 3"),
        ("a1 a2 a3 b1 b2 b3", "a1 a2 b2 b1 a3 b3", "White a3 is 4, White b2 is 2"),
    ],
)
def test_one_player_may_number_the_moves_in_another_order(
    blacks: str, whites: str, words: str
) -> None:
    formula = numbered(PAIRS, order=blacks.split(), whites=whites.split())
    found = find_layout(formula, load_game(find_command(_written(PAIRS))))
    assert isinstance(judge_found(formula, found).verdict, Proved)
    assert found.readings[0].reading.style.words == f"numbers in the game's order, but {words}"


def test_variables_in_another_order_than_in_the_file_are_told() -> None:
    formula = numbered(HEX)
    found = find_layout(formula, load_game(find_command(_written(HEX))))
    assert found.layout.source == "found: moves as numbers in the game's order"
    first, *rest = formula.scopes
    turned = replace(first, variables=first.variables[::-1])
    found = find_layout(
        replace(formula, scopes=(turned, *rest)), load_game(find_command(_written(HEX)))
    )
    assert found.layout.source.endswith(", with variables of a ply exchanged")


def test_moves_that_lead_to_one_position_need_no_codes_of_their_own() -> None:
    """A stone at the bottom of a column comes there by a move for each row."""
    words = ["connect-c", "--connect", "2", "--size", "3x3", "--depth", "3"]
    assert sketch_of(load_game(find_command(words))).choices[0] == 3


@pytest.mark.parametrize("seed", range(4))
def test_other_orders_with_bits_in_any_order_are_not_refuted(seed: int) -> None:
    rng = Random(seed)
    order = tuple(rng.sample(HEX.positions, 4))
    formula = renamed(numbered(HEX, order=order, flags=seed % 2), rng, within=True)
    rules = load_game(find_command(_written(HEX)))
    assert not isinstance(judge_formula(formula, rules).verdict, Refuted)


@pytest.mark.parametrize("encoder", ["least significant bit first", "row by row"])
def test_a_search_whose_time_is_up_refutes_no_right_formula(
    encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock jumps at some moment of the search; the level has all the time it wants."""
    formula = ENCODERS[encoder]()
    for most in (2**k for k in range(1, 13)):
        calls = count(1)
        with monkeypatch.context() as patched:
            for name in ("now", "worked"):
                clock = getattr(limits, name)
                jump = partial(_jumping, clock, calls, most)
                patched.setattr(limits, name, jump)
            try:
                found = find_layout(formula, claiming(), deadline=Deadline.after(100))
            except UndecidedError:
                continue
        assert not isinstance(judge_found(formula, found).verdict, Refuted)


def _jumping(clock: Callable[[], float], calls: Iterator[int], most: int) -> float:
    return clock() + (1e6 if next(calls) > most else 0.0)


def test_a_formula_without_the_games_value_is_wrong_whatever_it_means() -> None:
    def never(circuit: CircuitBuilder, chosen: Chosen) -> int:
        return circuit.false

    pairs = tuple(frozenset({"a2", other}) for other in ("a1", "b1", "b2"))
    forked = Claiming(CLAIMING.positions, pairs, 5)
    formula = renamed(numbered(forked, wrong=never), Random(1), within=True)
    found = find_layout(formula, load_game(find_command(_written(forked))))
    assert found.standing is Standing.ANY
    assert "whatever its variables mean" in found.why


def test_the_game_of_another_size_is_named_with_its_count() -> None:
    small = numbered(Claiming(("a1", "a2", "b1"), (frozenset({"a1", "a2"}),), 3))
    with pytest.raises(UsageError, match=r"no reading of .* it has \d"):
        find_layout(small, claiming())
    variables = tuple(range(1, 40))
    flat = Qbf(
        (Scope(Quantifier.EXISTS, variables), Scope(Quantifier.FORALL, (40, 41, 42, 43, 44, 45))),
        {},
        1,
    )
    with pytest.raises(UsageError, match=r"its 5 turns need .* the formula has 2"):
        find_layout(flat, claiming())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("p cnf 0 0\n", "it has 0: it is the constant true"),
        ("p cnf 0 1\n0\n", "it has 0: it is the constant false"),
        (
            "c ren 2 -> 1\nc ren 5 -> 2\np cnf 2 1\ne 1 0\na 2 0\n1 2 0\n",
            "by its comments (ren ... -> ...) a preprocessor took away variables 1, 3, 4",
        ),
    ],
)
def test_what_a_preprocessor_took_away_is_told(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        find_layout(parse_qdimacs(text), claiming())


def test_the_layout_travels_in_the_file() -> None:
    for encoder in ("from 1", "a variable for each move"):
        formula = ENCODERS[encoder]()
        found = find_layout(formula, claiming())
        read = layout_from_comments(with_layout(formula, found.layout))
        assert read is not None
        assert [ply.coding for ply in read.moves] == [ply.coding for ply in found.layout.moves]


def test_styles_of_a_grid_with_several_actions_say_each_move_once() -> None:
    game = load_game(find_command(["breakthrough", "--size", "2x4", "--depth", "5"]))
    sketch = sketch_of(game)
    assert sketch.movers[0] is Player.BLACK
    for style in styles(sketch):
        for code in style.codes.values():
            assert len(set(code.patterns.values())) == len(code.patterns), style.words
            coding = code.coding(range(1, code.width + 1))
            said = dict(coding.patterns())
            for move, pattern in code.patterns.items():
                bits = tuple(pattern[place] for place in code.places)
                assert said[move] == bits, (style.words, move)


# --- Formulas of others ---------------------------------------------------------------------------

SHARED = Path(os.environ.get("QSAGE_SHARED_DATA") or REPOSITORY.parent / "shared" / "data")
FOLDER = SHARED / "strangers"
needs_data = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the formulas of others' encoders are not in the shared data"
)
RIGHT = ("pg", "eg", "ntpg", "ibign", "cpg")
WRONG = ("cp", "gg", "ggt", "iw", "nt", "pgt", "cgcp")


def _stranger(name: str) -> tuple[Qbf, TwoPlayerGame]:
    puzzle = "hein_04_3x3-03"
    formula = parse_qcir((FOLDER / "hex" / f"{name}_{puzzle}.qcir").read_text())
    return formula, load_game(find_command([str(FOLDER / "hex" / f"{puzzle}.pg")]))


@needs_data
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", RIGHT)
def test_right_encodings_of_hex_are_proved(name: str, file: str) -> None:
    formula, game = _stranger(name)
    formula = FILES[file](formula)
    found = find_layout(formula, game)
    assert found.standing in (Standing.FITS, Standing.PROVED)
    assert proved(formula, game, found)


@needs_data
@pytest.mark.parametrize("name", ["ibign", "ntpg"])
def test_right_encodings_of_hex_are_read_with_their_bits_in_any_order(name: str) -> None:
    """An order of bits may have the right codes for first moves, and wrong ones for the others.

    Another one may agree with all random plays.  Both right formulas were refuted once.
    """
    own = strangers_truth.read_formula(FOLDER / "hex" / f"{name}_hein_04_3x3-03.qcir")
    formula = parse_qcir(strangers_truth.permuted(own, 1)[0].text())
    game = _stranger(name)[1]
    found = find_layout(formula, game)
    assert found.readings[0].fits
    assert proved(formula, game, found)


@needs_data
@pytest.mark.parametrize("name", WRONG)
def test_wrong_encodings_of_hex_are_refuted(name: str) -> None:
    formula, game = _stranger(name)
    found = find_layout(formula, game)
    assert found.stands_out
    verdict = judge(formula, found.layout, game, deadline=Deadline.after(600)).verdict
    assert isinstance(verdict, Refuted)


@needs_data
@pytest.mark.parametrize("name", ["ib", "nib", "dnib", "bwnib"])
@pytest.mark.parametrize("instance", ["3x3_3_el", "dom23"])
def test_encodings_of_grids_are_read_as_their_meta_files_say(name: str, instance: str) -> None:
    folder = FOLDER / "grid"
    formula = parse_qcir((folder / f"{name}_{instance}.qcir").read_text())
    files = [str(folder / f"{instance}.{part}.ig") for part in ("domain", "problem")]
    game = load_game(BDDL.read(files, {}))
    found = find_layout(formula, game)
    assert found.stands_out
    said = layout_from_meta(read_meta(folder / f"{name}_{instance}.meta"), formula)
    for own, other in zip(found.layout.moves, said.moves, strict=False):
        assert (own.x, own.y) == (other.x, other.y)
    assert proved(formula, game, found)
