"""``qsage layout``: which variables of a formula are the moves of a game?"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate, narrate_file
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import JsonOption, PrenexOption, TimeoutOption, prenex_order
from qsage_validate.cli.parameters import flag, output_option
from qsage_validate.errors import Exit, UndecidedError, UsageError, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.layout import Layout
    from qsage_validate.games.protocol import TwoPlayerGame
    from qsage_validate.judging.readings import FoundReadings
    from qsage_validate.system.limits import Deadline, Tell
    from qsage_validate.validation.finding import Finding, Verdict

_SHOWN = 3
_SECONDS_A_GAME = 10.0
_SECONDS = 60.0
"""The time for all games of the catalogue where none was set."""


@subcommand(
    "qsage layout sample:puzzle sample:puzzle.pg",
    "qsage layout sample:puzzle sample:puzzle.pg -o read.qcir",
)
def command(
    *,
    subject: ModelArguments = model_words(
        optional_words="The formula (QCIR or QDIMACS), and the game: its name (see 'qsage games'), "
        "a PG or GDL file, or DOMAIN and PROBLEM.",
        file="FORMULA",
    ),
    any_game: bool = flag("Try the games of the catalogue that have the formula's size."),
    write: bool = flag("Write the layout into the formula's file, as comments."),
    output: str | None = output_option(
        "Write the formula with its layout to another file.", "FILE", "-o", "--output"
    ),
    prenex: PrenexOption = None,
    timeout: TimeoutOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Find out which variables of FORMULA are the moves of a game.

    Readings are guessed from the prefix and the game, thrown out by the formula's values after
    random plays, and what is left is judged like any encoding: a wrong reading proves nothing. The
    layout is printed as the comments that say it, with the board and the gates of legal moves where
    the formula has them.

    Exit code 0: a reading fits, and nothing speaks against the formula, 1: the formula differs from
    the game under the reading that stands out, 2: bad input, 3: no reading stands out.
    """
    from qsage_validate.encodings.layout_reader import layout_from_comments
    from qsage_validate.formats.formula import read_formula
    from qsage_validate.formats.source import label
    from qsage_validate.judging.readings import find_layout
    from qsage_validate.system.limits import Deadline

    if not subject.words:
        raise UsageError("found no FORMULA, expected one, and a game")
    file, *words = subject.words
    if bool(words) is any_game:
        given = "a game with --any-game" if any_game else "no game"
        raise UsageError(f"found {given}, expected FORMULA and a game, or --any-game")
    if write and output is not None:
        raise UsageError("found --write with -o, expected one of them")
    deadline = Deadline.after(timeout)
    formula = read_formula(file, prenex_order(prenex))
    named = write or output is not None
    if named and layout_from_comments(formula) is not None:
        raise UsageError(f"{label(file)} has a layout, expected a file without one to write to")
    if write:
        _check_plain(file)
    with SearchLine(sys.stderr) as line:
        if any_game:
            found = _any_game(formula, deadline.or_after_work(_SECONDS), line.tell)
        else:
            game, parts = _rules(replace(subject, words=tuple(words)))
            found = find_layout(formula, game, model=parts, deadline=deadline, tell=line.tell)
        verdict = _judged(formula, found, deadline, line.tell)
        layouts = _layouts(formula, found, deadline)
        line.clear()
    name = label(file)
    if json_output:
        emit_json(_json(name, formula, found, layouts, verdict))
    else:
        _show(name, formula, found, layouts, verdict)
    if named and found.stands_out:
        _write(file, output, formula, layouts[0])
    return _exit(found, verdict)


def _rules(subject: ModelArguments) -> tuple[TwoPlayerGame, Mapping[str, str]]:
    """The game behind a formula, and its model's text where there is one."""
    from qsage_validate.games.languages import load_game
    from qsage_validate.judging.python_rules import names_python_rules, python_game

    if names_python_rules(subject.words):
        return python_game([*subject.words, *subject.flags]), {}
    model = subject.resolve()
    return load_game(model), model.parts()


def _judged(formula: Qbf, found: FoundReadings, deadline: Deadline, tell: Tell) -> Verdict | None:
    """The verdict on the formula by the reading that stands out."""
    from qsage_validate.judging.judged import judge_found

    if not found.stands_out:
        return None
    return judge_found(formula, found, deadline=deadline, tell=tell).verdict


def _any_game(formula: Qbf, deadline: Deadline, tell: Tell) -> FoundReadings:
    """The first game of the catalogue for which a reading is found, the best one otherwise."""
    from qsage_validate.games.languages import load_game
    from qsage_validate.judging.judged import models_of_size
    from qsage_validate.judging.readings import find_layout

    best: FoundReadings | None = None
    open_games = False
    for model in models_of_size(formula):
        if deadline.over:
            break
        try:
            limit = deadline.sooner_by_work(_SECONDS_A_GAME)
            game, parts = load_game(model), model.parts()
            found = find_layout(formula, game, model=parts, deadline=limit, tell=tell)
        except UsageError:
            continue  # the formula has no place for its moves
        except UndecidedError:
            open_games = True  # no reading of this game in its part of the time
            continue
        if found.stands_out and found.readings[0].fits and found.telling:
            return found
        if best is None or _rank(found) > _rank(best):
            best = found
    if best is None and (open_games or deadline.over):
        raise UndecidedError("no game of the catalogue was decided in time")
    if best is None:
        raise UsageError("found no game of the formula's size in the catalogue, expected a game")
    return best


def _rank(found: FoundReadings) -> tuple[bool, float]:
    """A game for which a reading stands out comes first, then the better agreement."""
    return found.stands_out, found.readings[0].share


def _exit(found: FoundReadings, verdict: Verdict | None) -> Exit:
    if verdict is None or (found.doubt and verdict.exit_code is Exit.UNDECIDED):
        return Exit.UNDECIDED
    if verdict.exit_code is not Exit.UNDECIDED:
        return verdict.exit_code
    # Nothing speaks against the formula under a reading that fits each play.
    return Exit.FINE if found.readings[0].fits else Exit.UNDECIDED


def _layouts(formula: Qbf, found: FoundReadings, deadline: Deadline) -> list[Layout]:
    """The layouts of the readings that are shown; of one that stands out with its board."""
    if found.stands_out:
        first = found.whole_layout(formula, deadline)
        return [first, *(found.layout_of(one.reading) for one in found.readings[1:_SHOWN])]
    return [found.layout_of(one.reading) for one in found.readings[:_SHOWN]]


def _comments(formula: Qbf, layout: Layout, *, rules: bool = False) -> tuple[str, ...]:
    """A layout as the comments of the formula's kind of file."""
    from qsage_validate.judging.judged import lines_in_names

    sign = "c #" if formula.unwritten else "#"
    return tuple(f"{sign}{line}" for line in lines_in_names(layout, formula, rules=rules))


def _show(
    name: str,
    formula: Qbf,
    found: FoundReadings,
    layouts: Sequence[Layout],
    verdict: Verdict | None,
) -> None:
    from qsage_validate.encodings.layout import FOUND
    from qsage_validate.render.console import finding_lines

    shown = found.readings[:1] if found.stands_out else found.readings[:_SHOWN]
    for one, layout in zip(shown, layouts, strict=False):
        narrate(f"{name}: {layout.source.removeprefix(FOUND)}: {one.words} agree")
        for line in _comments(formula, layout):
            emit(line)
    narrate(f"{name}: {_sentence(found)}")
    if verdict is not None:
        narrate(f"{name}: {verdict!s}")
        for finding in _findings(verdict)[:1]:
            for line in finding_lines(finding):
                narrate(f"  {line}")


def _sentence(found: FoundReadings) -> str:
    tried = counted(found.tried, "reading was tried", "readings were tried")
    count = f"{tried}, with {counted(found.plays, 'play')} of {found.game.name}"
    if found.also:
        others = "; ".join(one.reading.style.words for one in found.also[:_SHOWN])
        count += f"; {len(found.also)} more fit as well ({others})"
    return f"{found.why} ({count})"


def _json(
    name: str,
    formula: Qbf,
    found: FoundReadings,
    layouts: Sequence[Layout],
    verdict: Verdict | None,
) -> dict[str, object]:
    readings = [
        {
            "reading": one.reading.style.words,
            "agreed": sum(one.agreed.values()),
            "plays": sum(one.asked.values()),
            "layout": list(_comments(formula, layout)),
        }
        for one, layout in zip(found.readings, layouts, strict=False)
    ]
    told: dict[str, object] = {
        "formula": name,
        "game": found.game.name,
        "found": found.stands_out,
        "why": found.why,
        "tried": found.tried,
        "readings": readings,
        "also": [one.reading.style.words for one in found.also],
    }
    if verdict is not None:
        told["verdict"] = verdict.word
        told["text"] = str(verdict)
        told["differences"] = [finding.to_dict() for finding in _findings(verdict)]
    return told


def _findings(verdict: Verdict) -> tuple[Finding, ...]:
    from qsage_validate.validation.finding import Refuted

    return verdict.findings if isinstance(verdict, Refuted) else ()


def _check_plain(file: str) -> None:
    """Raise ``UsageError`` for a formula into which nothing can be written."""
    from qsage_validate.formats.source import STDIN, label
    from qsage_validate.formats.unpacking import compression

    plain = file != STDIN
    if plain:
        with open(file, "rb") as opened:
            plain = compression(opened.read(16)) is None
    if not plain:
        raise UsageError(f"found --write with {label(file)}, expected a plain file, or -o FILE")


def _write(file: str, output: str | None, formula: Qbf, layout: Layout) -> None:
    """The formula's text with the lines of the layout and the rules."""
    from qsage_validate.formats.source import label, read_bytes
    from qsage_validate.formats.writing import write_atomic

    lines = _comments(formula, layout, rules=True)
    text = read_bytes(file).decode()
    head, newline, rest = text.partition("\n")
    block = "\n".join(lines)
    # The first line of QCIR says what the file is.
    first = head.startswith("#QCIR")
    whole = f"{head}{newline}{block}\n{rest}" if first else f"{block}\n{text}"
    target = file if output is None else output
    write_atomic(target, whole, continued=output is None)
    narrate_file(label(file) if output is None else output, "the layout is written")
