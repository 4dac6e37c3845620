"""``qsage compare``: does the winning strategy of one formula win in another?"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import (
    SearchLine,
    emit,
    emit_json,
    narrate_file,
)
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    DialectOptions,
    JsonOption,
    LimitOptions,
    parse_dialect,
    prenex_order,
)
from qsage_validate.cli.parameters import flag, option, output_option
from qsage_validate.errors import Exit, Undecided, UsageError, counted, did_you_mean
from qsage_validate.system.limits import Progress

if TYPE_CHECKING:
    from qsage_validate.certificates.routes import RouteOptions
    from qsage_validate.comparing.compare import ComparedStrategy, EncodingTable
    from qsage_validate.comparing.exact import ExactTurn
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.kernel.certificate import Dialect
    from qsage_validate.problems.load import Problem


@subcommand(
    "qsage compare httt --size 3x3 --shape el --depth 5 --encodings all",
    "qsage compare sample:tic sample:tic --cert sample:tic.aig",
)
def command(
    *,
    model: ModelArguments = model_words(or_formula=True),
    cert: str | None = option(
        "The certificate of FIRST; without one both are made.", "FILE", panel="Files"
    ),
    shared: str | None = option(
        "The variables that are the same in both: names, or pairs 5=17. Else moves of one "
        "ply where layouts say them, else equal names.",
        "FILE",
        panel="Files",
    ),
    encodings: str | None = option(
        "Of a game: compare these of its encodings, separated by commas, or 'all'.",
        "NAMES",
        panel="Game",
    ),
    written: str | None = option(
        "With -o: the dialect to write; else caqe.", "NAME", "--as", panel="Output"
    ),
    output: str | None = output_option(
        "With --cert: write the strategy as a certificate of SECOND, won or lost.",
        "FILE",
        "-o",
        "--output",
    ),
    exact: bool = flag(
        "Ask a solver which first moves win in each formula, and which replies after each; "
        "without moves, which values of the first two blocks."
    ),
    questions: int | None = option("With --exact: ask at most so many.", min=1),
    solver: str | None = option(
        "A QBF solver that writes traces or certificates.",
        "NAME",
        complete="solvers",
        panel="Solver",
    ),
    read: DialectOptions,
    limits: LimitOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Say whether the strategy of FIRST wins in SECOND, too.

    FIRST and SECOND are the files of two formulas: 'qsage compare FIRST SECOND'.

    With --cert that one strategy is asked for; without, both formulas get one, and each is tried
    in the other formula: equivalent, stronger, weaker or different. For a game by name or file,
    with --encodings: a strategy of each encoding in the formula of each other one. With --exact:
    the moves that win, one by one.

    Exit code 0: it wins there (all do), 1: it does not, with the play that is lost, 3: undecided.
    """
    from qsage_validate.certificates.routes import RouteOptions

    options = RouteOptions(solver=solver, limits=limits.begin())
    given = {"--cert": cert, "--shared": shared, "-o": output, "--exact": exact or None}
    if questions is not None and not exact:
        raise UsageError("found --questions without --exact, which asks them")
    if written is not None and output is None:
        raise UsageError("found --as without -o, expected a file to write")
    if encodings is not None:
        _refuse(given, "--encodings, which makes its own strategies")
        read.refuse("--encodings, which makes its own formulas")
        return _table(model, encodings, options, json_output=json_output)
    if exact:
        _refuse(
            {k: v for k, v in given.items() if k in ("--cert", "-o")}, "--exact, which has none"
        )
    if len(model.words) != 2:
        raise UsageError(
            f"found {counted(len(model.words), 'word')}, expected two formulas, "
            "or a game with --encodings"
        )
    chosen = {f"--{k.replace('_', '-')}": v or None for k, v in model.options.items()}
    _refuse(chosen, "formulas, which are no games")
    if output is not None and cert is None:
        raise UsageError("found -o without --cert, whose strategy it would be")
    if read.dialect is not None and cert is None:
        raise UsageError("found --dialect without --cert, whose dialect it would be")
    if "-" in (*model.words, cert, shared):
        raise UsageError("a comparison needs its files by name, not '-'")
    if exact:
        return _exact(model.words, shared, read, options, questions, json_output=json_output)
    target = None if output is None else _StrategyTarget(output, parse_dialect(written, "--as"))
    if target is not None:
        from qsage_validate.certificates.writer import check_name

        check_name(target.output, target.dialect)
    return _formulas(model.words, cert, shared, target, read, options, json_output=json_output)


@dataclass(frozen=True)
class _StrategyTarget:
    """The file that a strategy is written to, and its dialect."""

    output: str
    dialect: Dialect | None


def _refuse(given: Mapping[str, object], beside: str) -> None:
    """Raise ``UsageError`` for options that do not go with ``beside``."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"found {name} with {beside}")


def _formulas(
    words: tuple[str, ...],
    cert: str | None,
    shared: str | None,
    target: _StrategyTarget | None,
    read: DialectOptions,
    options: RouteOptions,
    *,
    json_output: bool,
) -> Exit:
    from qsage_validate.comparing.compare import (
        certified_problem,
        compared,
        compared_both,
        read_from,
        relation,
    )
    from qsage_validate.problems.load import Files, load

    order = prenex_order(read.prenex)
    first, second = (Files(formula=word, prenex=order) for word in words)
    pairs = None if shared is None else read_from(shared)
    if cert is not None:
        problem = load(replace(first, certificate=cert, dialect=parse_dialect(read.dialect)))
        other = load(second)
        found = compared(problem, other, pairs, options)
        written = "" if target is None else _write(target, found, other)
        _tell(found, words[0], words[1], json_output=json_output, more=written)
        return found.outcome.exit_code
    with SearchLine(sys.stderr) as line:
        line.tell(Progress("a strategy of the first formula"))
        one = certified_problem(load(first), options)
        line.tell(Progress("a strategy of the second formula"))
        two = certified_problem(load(second), options)
        there, back = compared_both(one, two, pairs, options)
    result = relation(there.outcome, back.outcome)
    if json_output:
        emit_json(
            {
                "relation": result.name.lower(),
                "first": _facts(there, words[0], words[1]) | {"value": _value(one)},
                "second": _facts(back, words[1], words[0]) | {"value": _value(two)},
            }
        )
        return result.exit_code
    _tell(there, words[0], words[1], json_output=False)
    _tell(back, words[1], words[0], json_output=False)
    emit(result.value)
    return result.exit_code


def _value(problem: Problem) -> bool:
    return problem.answering.kind.truth


def _facts(found: ComparedStrategy, first: str, second: str) -> dict[str, object]:
    outcome = found.outcome
    facts: dict[str, object] = {
        "strategy": first,
        "formula": second,
        "shared": found.shared,
        "outcome": outcome.word,
        "reason": outcome.reason,
    }
    play = getattr(outcome, "play", ())
    return facts | ({"play": list(play), "replays": list(found.replays)} if play else {})


def _tell(
    found: ComparedStrategy, first: str, second: str, *, json_output: bool, more: str = ""
) -> None:
    """Print whether a strategy wins in the other formula, or the play that it loses."""
    from qsage_validate.comparing.exact import Loses

    if json_output:
        emit_json(_facts(found, first, second))
        return
    emit(f"{first} in {second}: {found.outcome} ({found.shared})")
    outcome = found.outcome
    if isinstance(outcome, Loses) and outcome.play:
        between = "; " if any(" " in text for text in outcome.play) else " "
        emit(f"  play: {between.join(outcome.play)}")
        for replay in (*found.replays, *([more] if more else [])):
            emit(f"  replay: {replay}")


def _write(target: _StrategyTarget, found: ComparedStrategy, second: Problem) -> str:
    """Write the strategy in the second formula; returns the command that replays a lost play."""
    from qsage_validate.certificates.writer import certificate_bytes, is_ascii_name
    from qsage_validate.comparing.compare import replay_in_second
    from qsage_validate.comparing.exact import Loses
    from qsage_validate.formats.writing import write_atomic

    output = target.output
    certificate = None if isinstance(found.outcome, Undecided) else found.outcome.certificate
    if certificate is None:
        narrate_file(output, "not written: no functions for the second formula were made")
        return ""
    binary = not is_ascii_name(output)
    write_atomic(
        output,
        certificate_bytes(certificate, second.formula, dialect=target.dialect, binary=binary),
    )
    narrate_file(output, f"the strategy as a certificate of {second.files.name}")
    if not isinstance(found.outcome, Loses) or not found.replays:
        return ""
    return replay_in_second(second, output, found.outcome)


# --- Move by move ------------------------------------------------------------------------------


def _exact(
    words: tuple[str, ...],
    shared: str | None,
    read: DialectOptions,
    options: RouteOptions,
    questions: int | None,
    *,
    json_output: bool,
) -> Exit:
    from qsage_validate.comparing.compare import compared_exactly, read_from
    from qsage_validate.comparing.exact import QUESTIONS
    from qsage_validate.problems.load import Files, load

    order = prenex_order(read.prenex)
    first, second = (load(Files(formula=word, prenex=order)) for word in words)
    pairs = None if shared is None else read_from(shared)
    with SearchLine(sys.stderr) as line:
        most = questions or QUESTIONS
        found = compared_exactly(first, second, pairs, options, questions=most, tell=line.tell)
    if json_output:
        emit_json(found.to_dict())
        return found.exit_code
    turn, *replies = found.turns
    answers = {reply.play[0]: _winning(reply) for reply in replies}
    word = {None: "?", True: "wins", False: "loses"}
    rows = [
        (name, word[first], word[second], answers.get(name, ""))
        for name, (first, second) in turn.wins.items()
    ]
    _align([(str(turn.player), *words, "replies that win"), *rows])
    emit(found.sentence)
    return found.exit_code


def _winning(turn: ExactTurn) -> str:
    """The replies that win: in both formulas, or in each; and how many are open."""
    known = [any(pair[which] is not None for pair in turn.wins.values()) for which in (0, 1)]
    if turn.open and not any(known):
        return f"all {len(turn.wins)} open" if len(turn.wins) > 1 else "1 open"
    sides = [" ".join(turn.winning(which)) or "none" for which in (0, 1)]
    text = sides[0] if sides[0] == sides[1] else " | ".join(sides)
    return f"{text}, {turn.open} of {len(turn.wins)} open" if turn.open else text


def _align(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns, each as wide as it has to be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        emit("  ".join(f"{cell:{n}}" for cell, n in zip(row, widths, strict=True)).rstrip())


# --- All encodings of a game ------------------------------------------------------------------


def _table(
    model: ModelArguments, encodings: str, options: RouteOptions, *, json_output: bool
) -> Exit:
    from qsage_validate.comparing.compare import compare_encodings
    from qsage_validate.encodings.registry import encoders, language_of_encoding
    from qsage_validate.games.conversion import conversion, converted

    names = [name.strip() for name in encodings.split(",")]
    resolved = model.resolve(next(filter(language_of_encoding, names), None))
    known = encoders(resolved.language)
    names = list(known) if encodings == "all" else list(dict.fromkeys(names))
    models: dict[str, GameModel] = {}
    for name in names:
        target = language_of_encoding(name)
        if name in known or target is None:
            models[name] = resolved
        else:
            models[name] = model.resolve(name)
            way = conversion(models[name].language, target)
            # A game in GDL has two plies for each: strategies of games of one length are compared.
            if way is not None and way.plies == 1:
                models[name] = converted(models[name], target)
        known_of = encoders(models[name].language)
        if name not in known_of:
            raise UsageError(
                f"found the encoding {name!r} for {resolved.name}{did_you_mean(name, known_of)}, "
                f"expected some of {', '.join(known_of)}"
            )
    if len(names) < 2:
        raise UsageError(f"found {counted(len(names), 'encoding')}, expected two or more, or 'all'")
    with SearchLine(sys.stderr) as line:
        table = compare_encodings(models, options, line.tell)
    if json_output:
        emit_json(
            {
                "game": resolved.name,
                "encodings": list(table.names),
                "outcomes": [
                    {"strategy": a, "formula": b, "outcome": cell.word, "reason": cell.reason}
                    for (a, b), cell in table.cells.items()
                ],
                "left_out": table.left_out,
                "undecided": table.undecided,
                "wrong": table.wrong,
            }
        )
        return table.exit_code
    _show(table)
    return table.exit_code


def _show(table: EncodingTable) -> None:
    names = table.names
    rows = [(a, *("own" if a == b else table.cells[a, b].word for b in names)) for a in names]
    _align([("strategy of", *names), *rows])
    for (row, column), cell in table.cells.items():
        if cell.exit_code is not Exit.FINE:
            play = " ".join(getattr(cell, "play", ()))
            emit(f"{row} in {column}: {cell}" + (f"; play: {play}" if play else ""))
    for name, why in table.wrong.items():
        emit(f"{name}: wrong: {why}")
    for name, why in table.undecided.items():
        emit(f"{name}: undecided: {why}")
    for name, why in table.left_out.items():
        emit(f"{name}: left out: {why}")
    if table.exit_code is Exit.FINE:
        all_of = "both" if len(table.names) == 2 else f"all {len(table.names)}"
        emit(f"{all_of} agree: each strategy wins in every formula")
