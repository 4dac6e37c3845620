"""Formulas in Q-sage's manner: no layout, and a meta file beside them; and changed meta files."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import Formula, layout_line
from tests.support.liars.grid import Grid


@mutator("make:meta")
def make_meta(draft: Draft, rng: Random) -> Draft | None:
    """The layout of a formula of a grid game becomes a meta file; the game is given."""
    formula = draft.formula
    if draft.subject is None or not isinstance(draft.subject.game, Grid) or formula.clauses:
        return None
    game = draft.subject.game
    lines = formula.layout()
    moves = [x for x in lines if x.startswith("move ")]
    states = [x.split()[2:] for x in lines if x.startswith("state ")]
    symbolic = next((x for x in lines if x.startswith("symbolic ")), "")
    axes = re.findall(r"[xy] \[([^\]]*)\]", symbolic)
    if (
        not moves
        or " black " not in moves[-1]
        or len(states) <= len(moves)
        or len(axes) != 2
        or not symbolic.endswith("open-white")
    ):
        return None
    text = ["#boardsize", f"{game.width} {game.height}", "#depth", str(len(moves))]
    text += ["#blackactions", *(f"{a.name}(?x,?y)" for a in game.black_actions)]
    text += ["#whiteactions", *(f"{a.name}(?x,?y)" for a in game.white_actions), "#actionvars"]
    for move in moves:
        bits = re.findall(r"(?:action|x|y) \[([^\]]*)\]", move)
        text.append(" ".join(f"[{','.join(b.split())}]" for b in bits))
    text += ["#symbolicpos", " ".join(f"[{','.join(a.split())}]" for a in axes), "#statevars"]
    occupied: set[int] = set()
    for first, second in states:
        text.append(f"{abs(int(first))} {abs(int(second))}")
        occupied.add(abs(int(first)))
    text += ["#goalvar", "0"]
    universal = formula.universal
    if any(universal.get(v, True) for v in occupied):
        return None  # gates, which are no variables of Q-sage's
    others = tuple(c for c in formula.comments if layout_line(c) is None)
    changed = replace(_negated(formula, occupied), comments=others)
    given = game if rng.random() < 0.9 else None
    return replace(draft, formula=changed, meta="\n".join(text) + "\n", given=given, harmless=False)


def _negated(formula: Formula, variables: set[int]) -> Formula:
    """The formula in which some variables mean the opposite."""

    def literal(x: int) -> int:
        return -x if abs(x) in variables else x

    gates = {g: (name, tuple(map(literal, xs))) for g, (name, xs) in formula.gates.items()}
    return replace(formula, gates=gates, output=literal(formula.output))


def _set(draft: Draft, lines: list[str]) -> Draft:
    return replace(draft, meta="\n".join(lines) + "\n", harmless=False)


@mutator("meta:line")
def line(draft: Draft, rng: Random) -> Draft | None:
    """A line goes, comes twice, or changes places with another one."""
    if draft.meta is None:
        return None
    lines = draft.meta.splitlines()
    content = [k for k, x in enumerate(lines) if not x.startswith("#")]
    k, other = rng.choice(content), rng.choice(content)
    way = rng.randrange(3)
    if way == 0:
        del lines[k]
    elif way == 1:
        lines.insert(k, lines[k])
    else:
        lines[k], lines[other] = lines[other], lines[k]
    return _set(draft, lines)


@mutator("meta:swap-moves")
def swap_moves(draft: Draft, rng: Random) -> Draft | None:
    """Two lines of a section change places."""
    if draft.meta is None:
        return None
    lines = draft.meta.splitlines()
    section = rng.choice(("#actionvars", "#statevars", "#blackactions"))
    start = lines.index(section) + 1
    end = next(k for k in range(start, len(lines) + 1) if k == len(lines) or lines[k][0] == "#")
    if end - start < 2:
        return None
    a, b = rng.sample(range(start, end), 2)
    lines[a], lines[b] = lines[b], lines[a]
    return _set(draft, lines)


@mutator("meta:number")
def number(draft: Draft, rng: Random) -> Draft | None:
    """A number becomes another one: often another variable of the same quantifier."""
    if draft.meta is None:
        return None
    found = list(re.finditer(r"\d+", draft.meta))
    one = rng.choice(found)
    universal = draft.formula.universal
    old = int(one[0])
    like = [v for v, kind in universal.items() if kind is universal.get(old)]
    if like and rng.random() < 0.7:
        new = rng.choice(like)
        # The other place of that variable gets the old one, so that none is twice.
        text = re.sub(
            r"\d+",
            lambda m: str({old: new, new: old}.get(int(m[0]), int(m[0]))),
            draft.meta[draft.meta.index("#actionvars") :],
        )
        head = draft.meta[: draft.meta.index("#actionvars")]
        return replace(draft, meta=head + text, harmless=False)
    new = rng.choice([*draft.formula.literals, max(0, old - 1), old + 1])
    text = draft.meta[: one.start()] + str(new) + draft.meta[one.end() :]
    return replace(draft, meta=text, harmless=False)


@mutator("meta:shorter")
def shorter(draft: Draft, rng: Random) -> Draft | None:
    """The last moves and states go, or a bit list is turned round."""
    if draft.meta is None:
        return None
    lines = draft.meta.splitlines()
    if rng.random() < 0.5:
        section = rng.choice((("#symbolicpos", "#goalvar"), ("#symbolicpos",), ("#goalvar",)))
        for _ in range(rng.choice((1, 2))):
            for name in section:
                at = lines.index(name) - 1
                if not lines[at].startswith("#"):
                    del lines[at]
    else:
        places = [k for k, x in enumerate(lines) if "," in x and "[" in x]
        if not places:
            return None
        k = rng.choice(places)
        lines[k] = re.sub(
            r"\[([^\]]*)\]", lambda m: f"[{','.join(reversed(m[1].split(',')))}]", lines[k]
        )
    return _set(draft, lines)
