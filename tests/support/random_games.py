"""Small random games of every language, from a seeded generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    BddlProblem,
    Condition,
    Coordinate,
    Domain,
    Model,
    SubCondition,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.library.grid import positional_domain
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from tests.support.positional import random_game, random_network_game

BLACK, WHITE = Player.BLACK, Player.WHITE
_PIECES: Final = (Square.BLACK, Square.WHITE)
_STEPS: Final = ((0, 0), (0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1))


def _part(random: Random, square: Square, step: tuple[int, int]) -> SubCondition:
    x, y = (Coordinate(Anchor.PARAMETER, k) for k in step)
    return SubCondition(square, x, y, random.random() < 0.1)


def _condition(random: Random, squares: tuple[Square, ...], most: int) -> Condition:
    steps = list(dict.fromkeys(random.choice(_STEPS) for _ in range(random.randint(1, most))))
    return tuple(_part(random, random.choice(squares), step) for step in steps)


def _action(random: Random, player: Player, number: int) -> Action:
    own = Square[player.name]
    before = _condition(random, (Square.OPEN, Square.OPEN, *Square), 2)
    steps = list(dict.fromkeys(random.choice(_STEPS) for _ in range(random.randint(1, 2))))
    after = []
    for dx, dy in steps:
        square = random.choice((own, own, own, *Square))
        x, y = (Coordinate(Anchor.PARAMETER, k) for k in (dx, dy))
        after.append(SubCondition(square, x, y))
    return Action(f"{player.value}-{number}", before, tuple(after))


def _goals(random: Random, player: Player, width: int, height: int) -> tuple[Condition, ...]:
    own = Square[player.name]
    goals: list[Condition] = []
    for _ in range(random.randint(0, 3)):
        if random.random() < 0.5:
            goals.append(_condition(random, (own, own, own, *Square), 3))
            continue
        cells = {
            (random.randint(1, width), random.randint(1, height))
            for _ in range(random.randint(1, 3))
        }
        goals.append(
            tuple(
                SubCondition(own, Coordinate(Anchor.ABSOLUTE, x), Coordinate(Anchor.ABSOLUTE, y))
                for x, y in sorted(cells)
            )
        )
    return tuple(goals)


def random_grid(random: Random) -> Model:
    """A game in BDDL of at most six squares; half of them are positional."""
    width, height = random.choice(((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (2, 3), (4, 1), (5, 1)))
    positional = random.random() < 0.5
    cells = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    stones = random.sample(cells, random.choice((0, 0, 0, 1, 2)) % (len(cells) + 1))
    initial = tuple((random.choice(_PIECES), x, y) for x, y in sorted(stones))
    domain = positional_domain() if positional else _domain(random)
    first = random.choice((BLACK, BLACK, WHITE))
    depth = random.randint(2, width * height + 3)
    black, white = (_goals(random, player, width, height) for player in (BLACK, WHITE))
    return Model(domain, BddlProblem(width, height, initial, depth, black, white, first), "random")


def _domain(random: Random) -> Domain:
    return Domain(
        *(
            tuple(_action(random, player, number) for number in range(random.randint(1, 3)))
            for player in (BLACK, WHITE)
        )
    )


def random_sets(random: Random) -> GameModel:
    """A positional game: winning sets, or a network."""
    size = random.randint(2, 7)
    if random.random() < 0.3:
        return random_network_game(random, size, short=random.choice((BLACK, WHITE)))
    return random_game(random, size)


def random_description(random: Random) -> str:
    """The text of a game in GDL of the roles a and b, who take turns; there is always a move."""
    facts = [f"f{k}" for k in range(random.randint(2, 4))]

    def literals(least: int, most: int) -> str:
        chosen = random.sample(facts, min(len(facts), random.randint(least, most)))
        return " ".join(
            f"(true {fact})" if random.random() < 0.6 else f"(not (true {fact}))" for fact in chosen
        )

    lines = ["(role a) (role b) (init (control a))"]
    lines += [f"(init {fact})" for fact in facts if random.random() < 0.3]
    moves = [f"m{k}" for k in range(random.randint(1, 3))]
    for role, other in ("ab", "ba"):
        lines.append(f"(<= (legal {role} noop) (true (control {other})))")
        lines.append(f"(<= (next (control {role})) (true (control {other})))")
        for number, move in enumerate(moves):
            needs = literals(0, 2) if number else ""
            lines.append(f"(<= (legal {role} {move}) (true (control {role})) {needs})")
    for fact in facts:
        for _ in range(random.randint(1, 2)):
            cause = f"(does {random.choice('ab')} {random.choice(moves)})"
            lines.append(f"(<= (next {fact}) {cause} {literals(0, 1)})")
        if random.random() < 0.8:
            stays = f"(not (does {random.choice('ab')} {random.choice(moves)}))"
            lines.append(f"(<= (next {fact}) (true {fact}) {random.choice((stays, ''))})")
    lines.append(f"(<= terminal {literals(1, 2)})")
    if random.random() < 0.3:
        lines.append(f"(<= terminal {literals(2, 3)})")
    lines.append(f"(<= (goal a 100) {literals(1, 2)})")
    lines.append("(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))")
    return "\n".join(lines)


def random_rounds(random: Random) -> GameModel:
    """A game in GDL of few rounds."""
    text = random_description(random)
    return GdlModel(parse_description(text), random.randint(1, 4), random.choice("ab"))


MODELS: Final[Mapping[str, Callable[[Random], GameModel]]] = {
    "bddl": random_grid,
    "positional": random_sets,
    "gdl": random_rounds,
}


def random_model(random: Random, language: str) -> tuple[GameModel, TwoPlayerGame]:
    """A model whose rules can be executed, with its game."""
    while True:
        model = MODELS[language](random)
        try:
            return model, load_game(model)
        except (UsageError, InputError):
            continue
