"""Games in GDL, late in their plays: formulas and certificates against the definition.

Winnability is read off Definition 5 of He, Saffidine and Thielscher 2024 here, on the state
machine, with all other roles on one side.  Positions come from random plays, and are made into
games of their own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from qsage_validate.certificates.routes import Certified
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.machine import State, StateMachine
from qsage_validate.extensions.gdl.model import (
    Atom,
    Description,
    GdlModel,
    GdlRule,
    Ground,
    term_order,
    term_text,
)
from qsage_validate.extensions.gdl.parser import read_description
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from tests.support.certifying import certify_game
from tests.support.depqbf import depqbf_truth
from tests.support.table_plays import lost_plays

pytest.importorskip("clingo", reason="grounding needs clingo")

# Each game with the rounds that its plays begin before.
GAMES = {
    "trails": (4, 6),
    "tic-tac-toe": (3, 5),
    "connect-3-4x4": (6, 8),
    "gttt-4x4-1-1-elly": (5, 7),
    "gttt-4x4-2-2-elly": (4, 6),
    "break-through-2x5": (6, 9),
    "dots-and-boxes-2x2": (8, 10),
}
MORE_ROLES = {
    "multiplayer/tic-tac-toe-3player-3x3": (4, 5),
    "multiplayer/connect-3-3player-4x4": (6, 8),
}
STRICT = sorted(set(GAMES) - {"dots-and-boxes-2x2"})


def description_of(shared_data: Path, name: str) -> Description:
    if name == "trails":
        return library.load(name)
    return read_description(shared_data / "gdl" / f"{name}.gdl")


def starting_in(description: Description, state: State) -> Description:
    """The same game from another position."""
    kept = [rule for rule in description.rules if rule.head.relation != "init"]
    facts = [GdlRule(Atom("init", (fluent,))) for fluent in sorted(state, key=term_order)]
    return Description((*kept, *facts), description.source)


def played(description: Description, rounds: int, rng: random.Random) -> State | None:
    """The state after a random play; ``None`` where the play has ended by then."""
    machine = StateMachine(description)
    state = machine.initial
    for _ in range(rounds):
        if machine.terminal(state):
            return None
        joint = {role: rng.choice(machine.legal(state, role)) for role in machine.roles}
        state = machine.successor(state, joint)
    return None if machine.terminal(state) else state


def winnable(description: Description, role: str, rounds: int) -> bool:
    """Definition 5, with the moves of all other roles chosen after the role's own."""
    machine = StateMachine(description)
    (own,) = (r for r in machine.roles if term_text(r) == role)
    others = [r for r in machine.roles if r != own]

    @cache
    def wins(state: State, left: int) -> bool:
        if machine.terminal(state):
            return 100 in machine.goals(state, own)
        return left > 0 and any(safe(state, move, left) for move in machine.legal(state, own))

    def safe(state: State, move: Ground, left: int) -> bool:
        joints = product(*(machine.legal(state, r) for r in others))
        return all(
            wins(
                machine.successor(state, {own: move, **dict(zip(others, j, strict=True))}), left - 1
            )
            for j in joints
        )

    return wins(machine.initial, rounds)


def positions(
    description: Description, span: Sequence[int], count: int, rng: random.Random
) -> Iterator[Description]:
    while count:
        state = played(description, rng.randint(*span), rng)
        if state is not None:
            count -= 1
            yield starting_in(description, state)


def questions(description: Description, name: str, count: int) -> Iterator[tuple[GdlModel, bool]]:
    """Positions, roles and bounds, with what the definition says of them."""
    rng = random.Random(name)
    span = (GAMES | MORE_ROLES)[name]
    roles = [term_text(role) for role in StateMachine(description).roles]
    for game in positions(description, span, count, rng):
        for role in roles:
            rounds = rng.randint(1, 4)
            yield GdlModel(game, rounds, role), winnable(game, role, rounds)


def either(asked: Iterable[tuple[GdlModel, bool]]) -> Iterator[tuple[GdlModel, bool]]:
    """A question of either answer, the first."""
    seen = set()
    for model, expected in asked:
        if expected not in seen:
            seen.add(expected)
            yield model, expected
        if len(seen) == 2:
            return
    raise AssertionError(f"found only questions with the answer {seen}")


def check_certificate(model: GdlModel, encoding: str, expected: bool) -> Certified:
    """The winner's certificate, which is checked when it is made, wins by the rules too."""
    certified = certify_game(model, encoding)
    assert certified.winner is (Player.BLACK if expected else Player.WHITE)
    layout = certified.encoding.layout
    assert lost_plays(layout, certified.certificate, load_game(model), most=300) == []
    return certified


@pytest.mark.parametrize("name", GAMES)
def test_certificates_agree_with_the_definition(shared_data: Path, name: str) -> None:
    for model, expected in either(questions(description_of(shared_data, name), name, 12)):
        check_certificate(model, "gdl", expected)


@pytest.mark.parametrize("name", STRICT)
def test_certificates_of_the_strict_encoding_agree(shared_data: Path, name: str) -> None:
    for model, expected in questions(description_of(shared_data, name), name, 1):
        check_certificate(model, "gdl-strict", expected)
        check_certificate(model, "gdl-sd", expected)


@pytest.mark.parametrize("name", GAMES)
def test_formulas_agree_with_the_definition(shared_data: Path, name: str) -> None:
    for model, expected in questions(description_of(shared_data, name), name, 1):
        for encoding in ("gdl", "gdl-gn", "gdl-gt", "gdl-gd"):
            assert depqbf_truth(encode(model, encoding).qbf) is expected, (encoding, model.rounds)


@pytest.mark.parametrize("name", MORE_ROLES)
def test_one_role_against_all_others_agrees_with_paranoid_minimax(
    shared_data: Path, name: str
) -> None:
    for model, expected in either(questions(description_of(shared_data, name), name, 12)):
        check_certificate(model, "gdl", expected)
        check_certificate(model, "gdl-gd", expected)


def test_a_game_without_a_fixed_order_has_no_strict_encoding(shared_data: Path) -> None:
    model = GdlModel(description_of(shared_data, "dots-and-boxes-2x2"), 6)
    for encoding in ("gdl-strict", "gdl-sd"):
        with pytest.raises(UsageError, match="expected a strictly turn-taking game"):
            encode(model, encoding)


def test_all_files_of_the_collection_are_games_and_formulas(shared_data: Path) -> None:
    files = [*(shared_data / "gdl").glob("*.gdl"), *(shared_data / "gdl/multiplayer").glob("*.gdl")]
    assert len(files) == 49
    for file in files:
        model = GdlModel(read_description(file), 1)
        formula = encode(model)
        game = load_game(model)
        table = formula.layout.moves[0]
        assert {str(m) for m in game.initial.legal_moves()} <= set(table.moves), file.name
