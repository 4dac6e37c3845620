"""A formula and a game, from the search for a layout to the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain, product
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import FOUND, Bits, Layout, Ply
from qsage_validate.encodings.layout_lines import layout_comments
from qsage_validate.errors import QsageError, Undecided
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.readings import SEARCH_PART, FoundReadings, Standing, find_layout
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody
from qsage_validate.validation.finding import Proved, Refuted, Verdict
from qsage_validate.validation.fit import check_fit
from qsage_validate.validation.proofs import LevelAnswer

# The games of the catalogue that a formula may be about, by their size


_SIZES: Final = ("2x2", "2x3", "3x2", "3x3", "2x4", "4x4", "5x5")
_MOST_DEPTH: Final = 15


def models_of_size(formula: Qbf) -> Iterator[GameModel]:
    """Models with as many plies as the prefix may have, the smaller boards first."""
    scopes = formula.merged_scopes()
    universal = sum(scope.quantifier is Quantifier.FORALL for scope in scopes)
    turns = 2 * universal + 1
    depths = range(min(turns, _MOST_DEPTH), 0, -1)
    seen: set[tuple[str, ...]] = set()
    for size, depth in product(_SIZES, depths):
        for game in library_games():
            for name in game.names:
                try:
                    model = game.build(name, {"size": size, "depth": str(depth)})
                except QsageError:
                    continue  # the game has no such size or depth, or needs other options
                parts = tuple(model.parts().values())
                if parts not in seen and model.plies is not None:
                    seen.add(parts)
                    yield model


# The lines of a layout in the names of a formula's file


_LIST: Final = re.compile(r"\[[^\]]*\]")
_BOUNDS: Final = re.compile(r"( bounds )(-?\d+)")


def lines_in_names(layout: Layout, formula: Qbf, *, rules: bool = False) -> tuple[str, ...]:
    """The comment lines of a layout that was found, in the file's names for variables and gates.

    Without ``rules`` the lines of the model are left out.
    """
    lines = (x for x in layout_comments(layout) if rules or not x.startswith("@ model"))
    return tuple(_named(lines, layout, formula) if formula.names else lines)


def _named(lines: Iterator[str], layout: Layout, formula: Qbf) -> Iterator[str]:
    bits = iter([*chain.from_iterable(map(_groups, layout.moves))])
    axes = iter(axis.bits for axis in layout.state.axes)
    states = iter(layout.state.states)
    goals = iter(bits for one in fields(layout.goals) if (bits := getattr(layout.goals, one.name)))
    for line in lines:
        _, keyword, *rest = line.split(maxsplit=3)
        if keyword == "move":
            line = _LIST.sub(lambda _: _names(next(bits), formula), line)
            line, stop, number = line.partition(" stop ")
            yield f"{line}{stop}{_name(int(number), formula)}" if stop else line
        elif keyword == "symbolic":
            yield _LIST.sub(lambda _: _names(next(axes), formula), line)
        elif keyword == "state":
            own = _names(next(states), formula)
            yield f"@ state {rest[0]} {own[1:-1] if layout.state.is_board else own}"
        elif keyword == "gate":
            yield f"@ gate {_name(int(rest[0]), formula)} {rest[1]}"
        elif keyword == "goal":
            yield _LIST.sub(lambda _: _names(next(goals), formula), line)
        elif keyword == "indicators":
            ply = layout.moves[int(rest[0]) - 1]
            assert ply.indicators is not None, "the line is that of a ply's indicators"
            line, _, _ = line.partition("[")
            line = _BOUNDS.sub(lambda m: f"{m[1]}{_name(int(m[2]), formula)}", line)
            yield line + _names(ply.indicators.preconditions, formula)
        else:
            yield line


def _groups(ply: Ply) -> Sequence[Bits]:
    """The bit lists of a line, in their order."""
    return ply.vectors or ((ply.variables,) if ply.variables else ())


def _names(bits: Bits, formula: Qbf) -> str:
    return f"[{' '.join(_name(x, formula) for x in bits)}]"


def _name(literal: int, formula: Qbf) -> str:
    if not literal:
        return "0"
    return ("-" if literal < 0 else "") + formula.name(abs(literal))


# A formula and a game, from the search for a layout to the verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with the layout that it is about; ``None`` where no layout was found."""

    answer: LevelAnswer
    layout: Layout | None

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict


def judge_formula(
    formula: Qbf,
    game: TwoPlayerGame,
    layout: Layout | None = None,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    most_differences: int = 1,
) -> Judged:
    """Judge a formula by its layout, or by the one that is found.

    Raises ``UsageError`` where the game is not the layout's, or has no place in the formula.
    """
    if layout is None:
        limit = deadline.share(SEARCH_PART)
        found = find_layout(formula, game, deadline=limit, tell=tell)
        return judge_found(
            formula, found, deadline=deadline, tell=tell, most_differences=most_differences
        )
    check_fit(game, layout)
    answer = judge(
        formula, layout, game, deadline=deadline, tell=tell, most_differences=most_differences
    )
    return Judged(answer, layout)


def judge_found(
    formula: Qbf,
    found: FoundReadings,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    obligations: bool = False,
    most_differences: int = 1,
) -> Judged:
    """Judge a formula by the readings that were found.

    A proof by any reading is a proof.  A difference may be the reading's fault: it refutes where
    nothing is in doubt about the first reading, and no other one is left that fits every play.
    Otherwise the formula is undecided.  A solver's word that the search was content with is
    confirmed with all the time there is.  With ``obligations`` as :func:`judge` has it.
    """
    if not found.stands_out:
        return _undecided(f"no reading of the variables stands out: {found.why}", found, None)
    known = found.answer
    if known is not None and isinstance(known.verdict, Proved) and not obligations:
        return Judged(known, found.layout)
    ask: Callable[..., LevelAnswer] = partial(
        judge,
        formula,
        game=found.game,
        deadline=deadline,
        tell=tell,
        most_differences=most_differences,
        residuals=found.residuals,
    )
    tried = None if obligations else found.scripts
    first = Judged(ask(layout=found.layout, obligations=obligations, tried=tried), found.layout)
    if not isinstance(first.verdict, Refuted):
        return first
    for other in found.also:
        layout = found.layout_of(other.reading)
        again = Judged(ask(layout=layout), layout)
        if isinstance(again.verdict, Proved):
            return again
        if not isinstance(again.verdict, Refuted):
            text = f"it differs with {_moves(found.layout)}, and with {_moves(layout)}: "
            return _undecided(f"{text}{again.verdict.reason}", found, layout)
    if found.doubt:
        text = f"it differs with {_moves(found.layout)}, which may not be what the formula means: "
        return _undecided(text + found.doubt, found, found.layout)
    any_reading = found.standing is Standing.ANY
    rests_on = found.why if any_reading else f"with {_moves(found.layout)}"
    named = tuple(
        replace(finding, detail=f"{finding.detail} ({rests_on})")
        for finding in first.verdict.findings
    )
    evidence = {"any reading": any_reading, "rests on": found.why}
    answer = replace(first.answer, verdict=Refuted(named), evidence=evidence)
    return Judged(answer, found.layout)


def _undecided(why: str, found: FoundReadings, layout: Layout | None) -> Judged:
    return Judged(LevelAnswer(Undecided(f"{why} ({found.best_words})")), layout)


def _moves(layout: Layout) -> str:
    return layout.source.removeprefix(FOUND)
