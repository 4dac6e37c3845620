"""Injected faults are noticed by some level, or shown to change nothing."""

from __future__ import annotations

from functools import cache

import pytest

from qsage_validate.encodings.registry import encode
from qsage_validate.games.bddl.rules import BddlGame
from research.benchmarks.faults import KINDS, MODELS, Outcome, faulty_encodings, run
from research.benchmarks.models import Case
from research.benchmarks.scripts import scripted_differences

# Smaller than the benchmark's, which has more games and notices the same faults.  Those of the
# layout are many: one game has them all.
_MODELS = {
    "domino": "httt --shape domino --size 2x3 --depth 3",
    "domineering": MODELS["domineering"],
    "breakthrough": "breakthrough --size 2x4 --depth 3",
}
_KINDS = {
    "domino": KINDS,
    "domineering": tuple(kind for kind in KINDS if kind != "layout"),
    "breakthrough": tuple(kind for kind in KINDS if kind != "layout"),
}


@cache
def _outcomes(name: str) -> list[Outcome]:
    # Prefixes that are proved may have to be solved.
    pytest.importorskip("pyqbf", reason="needs the extra 'solve'")
    return list(run(name, _MODELS[name], _KINDS[name]))


@pytest.mark.parametrize("name", _KINDS)
def test_no_fault_slips_through(name: str) -> None:
    """All kinds of faults on three small games; the benchmark has more."""
    outcomes = _outcomes(name)
    kinds = set(_KINDS[name]) | ({"layout, other game"} if name == "domino" else set())
    assert {outcome.kind for outcome in outcomes} == kinds
    assert [o for o in outcomes if o.slipped] == []


def test_prefixes_are_told_apart() -> None:
    """Most faults of the prefix are not proved on scripts; what is proved has the game's values."""
    outcomes = [o for name in _KINDS for o in _outcomes(name) if o.kind == "prefix"]
    on_scripts = [o for o in outcomes if "agree on all scripts" in o.evidence]
    assert len(on_scripts) < len(outcomes) * 0.25
    assert all(o.equivalent for o in outcomes if not o.noticed)
    assert any("the formula is" in o.evidence for o in outcomes if o.noticed)


def test_layouts_of_another_winner_prove_nothing() -> None:
    """Both levels that speak of the game notice each, or the reader refuses the lines."""
    outcomes = [o for o in _outcomes("domino") if o.kind == "layout, other game"]
    assert len(outcomes) > 500
    assert {o.noticed for o in outcomes} == {("reader",), ("rules", "encoding")}


def test_the_encoding_is_blamed_with_a_play() -> None:
    """A fault of the encoding that matters is shown by moves, or at the start."""
    noticed = [o for o in _outcomes("domino") if o.kind == "encoding" and "encoding" in o.noticed]
    assert len(noticed) > 40
    shown = [o for o in noticed if "occupy(" in o.evidence or "at the start:" in o.evidence]
    assert len(shown) > len(noticed) * 0.9


def test_most_faults_matter() -> None:
    """Equivalent mutants are the exception: the suite is not made of harmless changes."""
    every = [o for name in _KINDS for o in _outcomes(name)]
    outcomes = [o for o in every if not o.kind.startswith("layout")]
    assert sum(o.equivalent for o in outcomes) < len(outcomes) / 4


def test_kinds_of_faults_are_told_apart() -> None:
    """A peeking function fails level 1, a wrong one level 2, a wrong formula against the rules."""
    outcomes = {o.fault: o for o in _outcomes("domino")}
    peeking = [o for fault, o in outcomes.items() if fault.endswith("peeks")]
    assert peeking
    assert all(o.noticed[0] == "dependencies" for o in peeking)
    assert outcomes["Black's move negated"].noticed[-1] == "encoding"
    assert outcomes["claims a Herbrand certificate"].noticed == ("formula",)


def test_second_opinion_on_sound_and_damaged_formulas() -> None:
    """Plays walked one by one agree with a sound formula and not with a damaged one."""
    model = Case("domino", _MODELS["domino"]).model()
    sound, game = encode(model), BddlGame(model)
    assert not scripted_differences(sound.qbf, sound.layout, game, 300, 1)
    damaged = dict(faulty_encodings(model))["Black's goal dropped"]
    assert scripted_differences(damaged.qbf, damaged.layout, game, 300, 1)
