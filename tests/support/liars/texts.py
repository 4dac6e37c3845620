"""Mutators of texts, of the game that an option names, and of what is asked."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from tests.support.liars.claims import Claims, read_pg
from tests.support.liars.described import Described
from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import UnreadableError
from tests.support.liars.grid import Grid, read_grid
from tests.support.liars.recipes import Game, changed_game, random_game

WAYS = ("drop", "double", "swap", "number", "character", "cut")


@mutator("text:any")
def any_text(draft: Draft, rng: Random) -> Draft | None:
    """A line or character of some file is damaged."""
    edit = ("any", rng.choice(WAYS), rng.getrandbits(32))
    return replace(draft, edits=(*draft.edits, edit), harmless=False)


def damaged(text: str, way: str, rng: Random) -> str:
    """A text with one fault."""
    lines = text.split("\n")
    k = rng.randrange(len(lines))
    if way == "drop":
        del lines[k]
    elif way == "double":
        lines.insert(k, lines[k])
    elif way == "swap":
        other = rng.randrange(len(lines))
        lines[k], lines[other] = lines[other], lines[k]
    elif way == "number":
        found = list(re.finditer(r"\d+", text))
        if found:
            one = rng.choice(found)
            new = str(max(0, int(one[0]) + rng.choice((-2, -1, 1, 2, 1000))))
            return text[: one.start()] + new + text[one.end() :]
    elif way == "cut":
        return text[: rng.randint(0, len(text))]
    elif text:
        place = rng.randrange(len(text))
        sign = rng.choice(["", " ", "\n", "0", "-", "(", ")", "x", "é", rng.choice(text)])
        return text[:place] + sign + text[place + 1 :]
    return "\n".join(lines)


def reread(files: dict[str, str], given: Game | None) -> Game | None:
    """The game of the files that an option names, as they are now.

    A game that cannot be read is one of which nothing may be said: it has no positions.
    """
    try:
        if isinstance(given, Grid):
            return read_grid(files["other-domain.ig"], files["other-problem.ig"])
        if isinstance(given, Claims):
            return read_pg(files["other.pg"])
    except (UnreadableError, ValueError, KeyError):
        return Described("", 0)
    if isinstance(given, Described) and "other.gdl" in files:
        return replace(given, text=files["other.gdl"])
    return given


@mutator("given:same")
def given_same(draft: Draft, rng: Random) -> Draft | None:
    """An option names the game that the formula was made of."""
    if draft.subject is None or not has_files(draft.subject.game):
        return None
    game = draft.subject.game
    # Encodings leave out White's turns behind Black's last one: then the plies differ.
    same = not (isinstance(game, Claims) and game.turns[: game.plies].endswith("W"))
    # A cover names White's moves by what they do in the formula: its game is not asked for again.
    same &= "encoding cover" not in draft.formula.layout()
    return replace(draft, given=game, harmless=draft.harmless and same)


def has_files(game: Game) -> bool:
    """Whether files say all of a game: PG has no word for a network that White connects."""
    return not (isinstance(game, Claims) and game.network is not None and game.network.white)


@mutator("given:changed")
def given_changed(draft: Draft, rng: Random) -> Draft | None:
    """An option names a game that differs a little."""
    if draft.subject is None or not has_files(draft.subject.game):
        return None
    return replace(draft, given=changed_game(draft.subject.game, rng), harmless=False)


@mutator("given:any")
def given_any(draft: Draft, rng: Random) -> Draft | None:
    """An option names any game of the kind."""
    if draft.subject is None:
        return None
    return replace(draft, given=random_game(draft.subject.game.kind, rng), harmless=False)


def _ask(level: str) -> None:
    @mutator(f"ask:{level}")
    def asked(draft: Draft, rng: Random) -> Draft | None:
        """A level is asked by its name."""
        return replace(draft, levels=(*draft.levels, level))


for _level in (
    "trace", "dependencies", "formula", "random", "all", "rules", "boards", "encoding",
    "assertions",
):  # fmt: skip
    _ask(_level)


@mutator("ask:options")
def options(draft: Draft, rng: Random) -> Draft | None:
    """Few plays, and a report that programs can read (mostly)."""
    found = ["--games", str(rng.choice((1, 5, 20))), "--seed", str(rng.randrange(9))]
    if rng.random() < 0.3:
        found += ["--illegal", rng.choice(("0", "0.5"))]
    if rng.random() < 0.1:
        found += ["--positions", str(rng.choice((1, 5)))]
    if rng.random() < 0.95:
        found.append("--json")
    return replace(draft, options=(*draft.options, *found))


@mutator("ask:dialect")
def dialect(draft: Draft, rng: Random) -> Draft | None:
    """The certificate is to be read as what it is not."""
    names = ("caqe", "pedant", "qaiger", "qbfcert-ascii", "qbfcert-binary")
    more = ("--dialect", rng.choice(names))
    return replace(draft, options=(*draft.options, *more), harmless=False)


@mutator("ask:minimal")
def minimal(draft: Draft, rng: Random) -> Draft | None:
    """Only the kernel is trusted."""
    return replace(draft, options=(*draft.options, "--trust", "minimal"))


@mutator("ask:proof")
def proof(draft: Draft, rng: Random) -> Draft | None:
    """Proofs for other checkers are written."""
    return replace(draft, options=(*draft.options, "--proof", "proofs"))
