"""Layouts that are wrong by grammar: lines dropped, doubled, renumbered, given to the other player.

A mutation changes the lines of one file as somebody would who writes layouts by hand, or who
wants to deceive: the words stay words of the language, what they say does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[Random, list[str], "Words"], list[str] | None]

_LAYOUT = re.compile(r"(#@|c #@|c @) ")
_LIST = re.compile(r"\[[^\]]*\]")
_NUMBER = re.compile(r"(?<![\w.*/-])-?[0-9]+(?![\w.*/-])")
_KEYWORDS = (
    *("encoding", "game", "board", "actions", "move", "indicators", "goal", "symbolic", "state"),
    *("verdict", "gate", "model", "list", "atoms", "conclusive", "illegal", "move-s", "Move"),
)
_VALUES = (
    *("conclusive true", "conclusive false", "illegal ignored", "illegal replaced"),
    *("illegal loses", "illegal loses black-passes", "illegal ignored black-passes"),
    *("game bddl", "game positional", "game gdl", "verdict output", "verdict 1", "state 0 []"),
    *("qsage-layout", "qsage-layout 1", "qsage-layout 3", "indicators 1 preconditions []"),
    *("goal black-condition []", "goal counterexample []", "actions black", "actions white"),
    *("board 1 1", "board 2 2", "board 0 3", "symbolic x [] y [] code open-white"),
    *("model name | x", "model role | x", "model rounds | 0", "model win | 7", "model notes | x"),
    *("model pg | #times", "model domain | :action", "model problem | #depth", "model gdl | ("),
)


class Words:
    """What the mutations of a formula may write: its numbers, and some that it does not have."""

    def __init__(self, text: str) -> None:
        numbers = {int(word) for word in re.findall(r"(?<![\w-])[0-9]{1,6}(?!\w)", text)}
        self.numbers = sorted(numbers) or [1]

    def literal(self, random: Random) -> str:
        """A literal: mostly of the file, now and then of no file."""
        if random.random() < 0.2:
            largest = self.numbers[-1]
            odd = (0, largest + 1, largest + 2, 999_999_999, 10**12)
            return str(random.choice((-1, 1)) * random.choice(odd))
        return str(random.choice((-1, 1, 1)) * random.choice(self.numbers))


def layout_rows(lines: Sequence[str]) -> list[int]:
    """The numbers, from 0, of the lines that are layout or, in a meta file, content."""
    found = [k for k, line in enumerate(lines) if _LAYOUT.match(line)]
    return found or [k for k, line in enumerate(lines) if line.strip()]


def mutated(random: Random, text: str, changes: int = 1) -> str:
    """``text`` with some of its layout's lines changed."""
    lines = text.split("\n")
    words = Words(text)
    done = 0
    while done < changes:
        after = random.choice(_MUTATIONS)(random, lines, words)
        if after is not None and after != lines:
            lines = after
            done += 1
    return "\n".join(lines)


def _row(random: Random, lines: list[str], fits: str = "") -> int | None:
    """The number of a line; lines of the model, of which there are many, are taken rarely."""
    rows = [k for k in layout_rows(lines) if re.search(fits, lines[k])]
    if random.random() < 0.8:
        rows = [k for k in rows if "@ model" not in lines[k]] or rows
    return random.choice(rows) if rows else None


def _with(lines: list[str], row: int, *instead: str) -> list[str]:
    return [*lines[:row], *instead, *lines[row + 1 :]]


def _head(line: str) -> tuple[str, str]:
    match = _LAYOUT.match(line)
    return (match.group(), line[match.end() :]) if match else ("", line)


def _drop(random: Random, lines: list[str], _: Words) -> list[str] | None:
    row = _row(random, lines)
    return None if row is None else _with(lines, row)


def _drop_alike(random: Random, lines: list[str], _: Words) -> list[str] | None:
    """All lines with one keyword, or all of one part of a model."""
    row = _row(random, lines)
    if row is None:
        return None
    prefix = " ".join(lines[row].split()[: random.choice((2, 3))])
    return [line for line in lines if not line.startswith(prefix)]


def _double(random: Random, lines: list[str], _: Words) -> list[str] | None:
    row = _row(random, lines)
    return None if row is None else _with(lines, row, lines[row], lines[row])


def _swap(random: Random, lines: list[str], _: Words) -> list[str] | None:
    one, other = _row(random, lines), _row(random, lines)
    if one is None or other is None:
        return None
    after = list(lines)
    after[one], after[other] = after[other], after[one]
    return after


def _player(random: Random, lines: list[str], _: Words) -> list[str] | None:
    row = _row(random, lines, r"\b(black|white)")
    if row is None:
        return None
    other = {"black": "white", "white": "black"}
    if random.random() < 0.15:
        rows = [k for k in layout_rows(lines) if "@ move" in lines[k]]
    else:
        rows = [row]
    after = list(lines)
    for k in rows:
        after[k] = re.sub(r"\b(black|white)", lambda m: other[m[1]], lines[k], count=1)
    return after


def _number(random: Random, lines: list[str], words: Words) -> list[str] | None:
    """Another literal for a literal, or a number that is one off."""
    row = _row(random, lines, r"[0-9]")
    if row is None:
        return None
    head, rest = _head(lines[row])
    places = list(_NUMBER.finditer(rest))
    if not places:
        return None
    match = random.choice(places)
    value = int(match.group())
    near = (str(-value), str(value + 1), str(value - 1), str(value + 2), "0" + match.group())
    new = random.choice((*near, words.literal(random), words.literal(random)))
    return _with(lines, row, head + rest[: match.start()] + new + rest[match.end() :])


def _bits(random: Random, lines: list[str], words: Words) -> list[str] | None:
    """A bit list that is shorter, longer, empty, turned round, or another line's."""
    row = _row(random, lines, r"\[[^\]]*\]")
    if row is None:
        return None
    line = lines[row]
    match = random.choice(list(_LIST.finditer(line)))
    inner = match.group()[1:-1]
    comma = "," if "," in inner or not _LAYOUT.match(line) else " "
    parts = [part for part in re.split(r"[\s,]+", inner) if part]
    at = random.randrange(len(parts) + 1)
    choices: list[list[str]] = [
        [*parts[:at], words.literal(random), *parts[at:]],
        [*parts[:at], *parts[at + 1 :]],
        [*parts[:at], *parts[at : at + 1] * 2, *parts[at + 1 :]],
        parts[::-1],
        [],
        [*parts[:at], f"{words.literal(random)}*3", *parts[at:]],
        [*parts[:at], f"{words.literal(random)}..{words.literal(random)}", *parts[at:]],
    ]
    other = _row(random, lines, r"\[[^\]]*\]")
    if other is not None:
        found = random.choice(_LIST.findall(lines[other]))
        choices.append([found[1:-1]])
    new = comma.join(random.choice(choices))
    return _with(lines, row, f"{line[: match.start()]}[{new}]{line[match.end() :]}")


def _word(random: Random, lines: list[str], words: Words) -> list[str] | None:
    """A word dropped, doubled or replaced by one of another line."""
    row, other = _row(random, lines), _row(random, lines)
    if row is None or other is None:
        return None
    head, rest = _head(lines[row])
    parts = rest.split(" ")
    at = random.randrange(len(parts))
    new = random.choice(
        ([], parts[at : at + 1] * 2, [random.choice(lines[other].split() or [""])], ["a", "b"])
    )
    return _with(lines, row, head + " ".join([*parts[:at], *new, *parts[at + 1 :]]))


def _keyword(random: Random, lines: list[str], _: Words) -> list[str] | None:
    row = _row(random, lines)
    if row is None:
        return None
    head, rest = _head(lines[row])
    return _with(lines, row, f"{head}{random.choice(_KEYWORDS)} {rest.partition(' ')[2]}")


def _value(random: Random, lines: list[str], _: Words) -> list[str] | None:
    """A line more, or in the place of the one that says such a thing."""
    row = _row(random, lines)
    if row is None:
        return None
    head = _head(lines[row])[0]
    line = random.choice(_VALUES)
    same = [k for k in layout_rows(lines) if lines[k].startswith(f"{head}{line.split()[0]} ")]
    if same and random.random() < 0.7:
        return _with(lines, random.choice(same), head + line)
    return _with(lines, row, lines[row], head + line)


def _stop(random: Random, lines: list[str], words: Words) -> list[str] | None:
    """A stop for a ply, or another one."""
    row = _row(random, lines, r"@ move ")
    if row is None or "@ move " not in lines[row]:
        return None
    line = re.sub(r" stop \S+", "", lines[row])
    if random.random() < 0.3:
        return _with(lines, row, line)
    return _with(lines, row, f"{line} stop {words.literal(random)}")


def _ending(random: Random, lines: list[str], _: Words) -> list[str] | None:
    row = _row(random, lines)
    if row is None:
        return None
    line = lines[row]
    cut = random.randrange(len(line)) if line else 0
    return _with(lines, row, random.choice((line[:cut], line + " one-sided", line + " x")))


def _one_ply_less(random: Random, lines: list[str], _: Words) -> list[str] | None:
    """The last ply left out with what belongs to it."""
    plies = [k for k in layout_rows(lines) if re.search(r"@ move [0-9]", lines[k])]
    if not plies:
        return None
    last = lines[plies[-1]].split()[lines[plies[-1]].split().index("move") + 1]
    gone = re.compile(rf"@ (move|state|indicators) {last}\b")
    return [line for line in lines if not gone.search(line)]


_MUTATIONS: tuple[Mutation, ...] = (
    *(_drop, _drop_alike, _double, _swap, _player, _player, _number, _number, _number, _bits),
    *(_bits, _bits, _word, _keyword, _value, _value, _stop, _ending, _one_ply_less),
)
