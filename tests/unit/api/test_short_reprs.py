"""Whatever a user of the library can reach by attributes is one short line in a console."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from enum import Enum

import qsage_validate as qs

_LONGEST = 160
_PLAIN = (str, bytes, int, float, type(None), type, Enum)


def reached(value: object, name: str, depth: int) -> Iterator[tuple[str, object]]:
    """The objects of this package behind a value: by public attributes, and first elements."""
    if isinstance(value, _PLAIN) or inspect.isroutine(value):
        return
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (tuple, list, frozenset, set)):
        for element in list(value)[:1]:
            yield from reached(element, f"{name}[0]", depth)
        return
    if not type(value).__module__.startswith("qsage_validate"):
        return
    yield name, value
    if not depth:
        return
    for attribute in dir(value):
        if attribute.startswith("_"):
            continue
        try:
            found = getattr(value, attribute)
        except qs.QsageError:  # as of a strategy that a solver completes
            continue
        yield from reached(found, f"{name}.{attribute}", depth - 1)


def test_every_object_that_can_be_reached_is_one_short_line() -> None:
    grid, listed = qs.game("hex", size=(3, 3)), qs.game("harary", size=(3, 3), depth=3)
    strategy, other = qs.certify(grid), qs.certify(listed)
    match, formula = strategy.play(), strategy.formula
    match.push(match.legal_moves()[0])
    solution = qs.find_solution(qs.game("domineering", size=(2, 2), depth=3))
    values: dict[str, object] = {
        "game": grid,
        "listed": listed,
        "games": qs.game_names(),
        "result": qs.solve(grid),
        "formula": formula,
        "strategy": strategy,
        "other": other,
        "match": match,
        "tree": strategy.tree(1),
        "report": strategy.validate(["dependencies", "formula"]),
        "attack": strategy.attack(10),
        "solution": solution,
        "solved": solution.validate(),
        "comparison": qs.compare(qs.encode(listed), qs.encode(listed)),
        "hint": match.hint(),
        "why": match.why_not(match.moves[0]),
        "picks": match.picks(),
        "transcript": match.transcript(),
        "finding": qs.validate_encoding(
            "sample:puzzle-wrong", qs.game_from_files("sample:puzzle.pg")
        ),
    }
    long = {
        f"{name} ({type(found).__qualname__}): {len(text)} characters, {text[:60]!r}"
        for start, value in values.items()
        for name, found in reached(value, start, 2)
        if len(text := repr(found)) > _LONGEST or "\n" in text
    }
    assert not long, "\n".join(sorted(long))


def test_one_move_is_one() -> None:
    assert repr(qs.certify("hex", size=2).play()).endswith(": 1 move, White to move>")
