"""What the lies are about: small games, and the product's formulas of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType

from tests.support.liars.bdd import TooLargeError
from tests.support.liars.claims import Claims, changed_claims, random_claims, read_pg
from tests.support.liars.described import Described, changed_described, random_described
from tests.support.liars.formula import Formula, UnreadableError, read_formula, solve
from tests.support.liars.grid import Grid, changed_grid, random_grid, read_grid
from tests.support.liars.product import ask, folder, put

Game = Grid | Claims | Described

ENCODINGS: dict[str, tuple[str, ...]] = {
    "bddl": ("lifted", "lifted", "lifted-guarded"),
    "positional": (
        "cor-lean", "cor", "cor+", "cor-ladder", "ea", "en", "et", "la", "ln", "sa", "sn", "li",
        "si", "cover", "cover-played", "pairing",
    ),
    "gdl": ("gdl", "gdl", "gdl-strict", "gdl-gn", "gdl-gt", "gdl-gd", "gdl-sd"),
}  # fmt: skip
"""The encodings by the kind of game; those named twice are tried twice as often."""

MOST_LITERALS = 280
"""Larger formulas take too long."""


@dataclass(frozen=True)
class Subject:
    """A game and the product's formula of it."""

    game: Game
    encoding: str
    formula: Formula


def random_game(kind: str, rng: Random) -> Game:
    """A small game of a kind."""
    make: dict[str, Callable[[Random], Game]] = {
        "bddl": random_grid,
        "positional": random_claims,
        "gdl": random_described,
    }
    return make[kind](rng)


def changed_game(game: Game, rng: Random) -> Game:
    """A game that differs a little."""
    if isinstance(game, Grid):
        return changed_grid(game, rng)
    if isinstance(game, Claims):
        return changed_claims(game, rng)
    return changed_described(game, rng)


NAMED = (
    "hex-network --size 2x2 --depth 3",
    "hex-network --size 2x2 --transversal --depth 3",
    "hex-network --size 1x3 --transversal --depth 1",
    "hex-network --size 2x1 --transversal --depth 2",
    "harary --size 2x2 --shape domino --depth 2",
    "harary --size 2x2 --shape domino --torus --depth 3",
    "harary --size 3x1 --shape domino --stones 2 --depth 3",
    "harary --size 2x2 --shape domino --second --depth 4",
    "harary --size 3x1 --shape domino --maker-breaker --stones 2 --first-stones 1 --depth 3",
)
"""Positional games by name: networks that White connects, tori, turns of two stones."""


def _named_subject(rng: Random) -> Subject | None:
    encoding = rng.choice(ENCODINGS["positional"])
    formula = _encoded(rng.choice(NAMED).split(), encoding, (), 6_000)
    game = None if formula is None else own_game(formula)
    return None if formula is None or game is None else Subject(game, encoding, formula)


def encoded(
    game: Game, encoding: str, form: tuple[str, ...] = (), nodes: int = 6_000
) -> Formula | None:
    """The product's formula of a game; ``None`` where it refuses, or where it is too large."""
    files, words, _ = game.files("g")
    return _encoded(words, encoding, form, nodes, files)


def _encoded(
    words: Sequence[str],
    encoding: str,
    form: tuple[str, ...],
    nodes: int,
    files: Mapping[str, str] = MappingProxyType({}),
) -> Formula | None:
    name = "f.qcir" if form == () else "f.qdimacs"
    with folder() as where:
        put(where, files)
        said = ask(["encode", *words, "--encoding", encoding, *form, "-o", name], where)
        if said.code not in (0, 1, 2, 3):
            raise AssertionError(f"qsage encode {words}: {said.err}")
        if said.code != 0:
            return None
        text = (where / name).read_text(encoding="utf-8")
    try:
        formula = read_formula(text)
        if len(formula.literals) + len(formula.clauses or ()) > MOST_LITERALS:
            return None
        solve(formula, limit=nodes)
    except TooLargeError:
        return None
    return formula


def random_subject(kind: str, rng: Random) -> Subject:
    """A game of a kind with its formula."""
    while True:
        if kind == "positional" and rng.random() < 0.15:
            named = _named_subject(rng)
            if named is not None:
                return named
        game = random_game(kind, rng)
        encoding = rng.choice(ENCODINGS[kind])
        clausal = rng.random() < 0.25
        form: tuple[str, ...] = ()
        if clausal:
            form = ("--clauses", rng.choice(("tseitin", "polarity", "early")))
        formula = encoded(game, encoding, form)
        if formula is not None:
            return Subject(game, encoding, formula)


def model_lines(game: Game, name: str = "g") -> list[str]:
    """The game as lines of a layout, without ``@``."""
    parts: list[tuple[str, str]] = [("name", name)]
    if isinstance(game, Grid):
        parts += [("domain", line) for line in game.domain().splitlines()]
        parts += [("problem", line) for line in game.problem().splitlines()]
    elif isinstance(game, Claims):
        parts += [("pg", line) for line in game.pg().splitlines()]
        if game.network is not None and game.network.white:
            parts.append(("notes", "short white"))
    else:
        parts += [("rounds", str(game.rounds)), ("win", str(game.win))]
        parts += [] if game.role is None else [("role", game.role)]
        parts += [("gdl", line) for line in game.text.splitlines()]
    return [f"model {part} | {line}".rstrip() for part, line in parts]


def own_game(formula: Formula) -> Game | None:
    """The game of the model lines of a file."""
    parts: dict[str, list[str]] = {}
    kind = ""
    for line in formula.layout():
        words = line.split(None, 1)
        if words[0] == "game" and len(words) > 1:
            kind = words[1].strip()
        if words[0] == "model" and len(words) > 1:
            part, bar, rest = words[1].partition("|")
            if not bar:
                raise UnreadableError(f"the line {line!r}")
            parts.setdefault(part.strip(), []).append(rest.removeprefix(" "))
    # The line of the game may be missing: its parts say what it is.
    text = {part: "\n".join(lines) for part, lines in parts.items()}
    try:
        if kind in ("", "bddl") and "domain" in text:
            return read_grid(text["domain"], text["problem"])
        if kind in ("", "positional") and "pg" in text:
            return read_pg(text["pg"], text.get("notes", ""))
        if kind in ("", "gdl") and "gdl" in text:
            role = text["role"].strip() if "role" in text else None
            return Described(text["gdl"], int(text["rounds"]), int(text.get("win", "100")), role)
    except (KeyError, ValueError):
        raise UnreadableError("a model that is not complete") from None
    return None


@cache
def who(game: Game) -> bool:
    """Whether Black wins a game, by brute force; :class:`UnreadableError` for what is none."""
    try:
        return game.who()
    except (IndexError, KeyError, ValueError, RecursionError):
        raise UnreadableError("a game that cannot be played") from None
