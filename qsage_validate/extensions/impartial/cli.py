"""``qsage synthesize``: winning formulas and strategies of impartial games, found or proved."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from fnmatch import fnmatchcase
from os import path
from typing import TYPE_CHECKING, Any

from qsage_validate.cli import completion
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json, narrate
from qsage_validate.cli.options import JsonOption
from qsage_validate.cli.parameters import OptionGroup, argument, flag, option, output_option
from qsage_validate.errors import Exit, UsageError, counted, did_you_mean, one_line
from qsage_validate.system.limits import Deadline, Progress, nobody

if TYPE_CHECKING:
    from qsage_validate.extensions.impartial.model import ImpartialGame
    from qsage_validate.extensions.impartial.proofs import ClaimVerification
    from qsage_validate.extensions.impartial.report import Synthesis


@dataclass(frozen=True)
class CheckOptions(OptionGroup):
    """The options of a proof or refutation, in the place of a synthesis."""

    panel = "Proof"

    check: str | None = option("Prove or refute this winning formula: 'v % 4 != 0'.", "FORMULA")
    check_strategy: str | None = option(
        "With --check: prove or refute the rules in FILE too, one 'CONDITION -> ACTION(E, "
        "...)' a line.",
        "FILE",
    )


@dataclass(frozen=True)
class SearchOptions(OptionGroup):
    """How a formula is searched, or a given one proved, and for how long."""

    panel = "Limits"

    method: str = option(
        "hybrid (several techniques), synms (the SynMS paper's algorithms) or enum "
        "(enumeration by size).",
        "NAME",
        default="hybrid",
    )
    misere: bool = flag("Whoever makes the last move loses.")
    timeout: float = option(
        "Give up the formula after so many seconds, and the strategy after as many again.",
        "SECONDS",
        min=0,
        default=60.0,
    )
    memory: int | None = option("The memory of the SMT solver.", "MB", min=1)


@dataclass(frozen=True)
class WriteOptions(OptionGroup):
    """The files that the answer of a synthesis is written to."""

    panel = "Output"

    output: str | None = output_option(
        "Write a report: text, JSON, Python, SMT-LIB and the questions of the proofs.",
        "FOLDER",
        "-o",
        "--output",
    )
    python: str | None = output_option("Write the answer as Python.", "FILE")
    smtlib: str | None = output_option("Write the answer as SMT-LIB.", "FILE")


def _games(incomplete: str) -> list[str]:
    """The impartial games that are files of the package, and files."""
    from qsage_validate.extensions.impartial.families import names

    return [*completion.like(incomplete, names()), *completion.files(incomplete)]


@subcommand(
    "qsage synthesize take-away-3",
    "qsage synthesize take-away-3 --check 'v % 4 != 0'",
)
def command(
    *,
    game: str | None = argument(
        "A file of the game, or the name of one that comes along: odd-wythoff, "
        "subtract-a-square, take-away-3, two-heap-nim, two-row-chomp, wythoff-3, and those of "
        "--list.",
        "GAME",
        default=None,
        complete=_games,
    ),
    strategy: bool = flag("Synthesise a complete strategy as well."),
    checked: CheckOptions,
    search: SearchOptions,
    write: WriteOptions,
    quiet: bool = flag("No narration.", "-q", "--quiet"),
    list_games: bool = flag(
        "List the games of the benchmark's families; GAME is a pattern: 'mark*'.", "--list"
    ),
    show: bool = flag("Only print the game as a file."),
    published: bool = flag("A family's game as it was published, with its defects."),
    json_output: JsonOption = False,
) -> Exit:
    """Find the winning formula of an impartial game.

    Every answer is proved by an SMT solver and compared with backward induction. Exit code 0:
    proved, with the end of all plays; 1: refuted, or no winning formula exists; 3: undecided
    within the limits, or proved only if plays end.
    """
    if list_games:
        return _list(game or "*", json_output)
    if game is None:
        raise UsageError("found no game, expected a file, the name of one, or --list")
    if checked.check_strategy is not None and checked.check is None:
        raise UsageError("found --check-strategy without --check, expected the formula too")
    model = _load(game, published)
    if show:
        from qsage_validate.extensions.impartial.model import game_text

        emit(game_text(model).rstrip("\n"))
        return Exit.FINE
    if checked.check is not None:
        if strategy or any(astuple(write)):
            raise UsageError("found --check with options of a synthesis, expected --check alone")
        return _check(model, checked.check, checked.check_strategy, search, json_output)
    return _synthesise(model, strategy, search, write, quiet, json_output)


def _synthesise(
    game: ImpartialGame,
    strategy: bool,
    search: SearchOptions,
    write: WriteOptions,
    quiet: bool,
    json_output: bool,
) -> Exit:
    from qsage_validate.extensions.impartial.report import (
        SynthesisMethod,
        SynthesisOptions,
        synthesise,
    )

    try:
        method = SynthesisMethod(search.method.lower())
    except ValueError:
        names = [one.value for one in SynthesisMethod]
        near = did_you_mean(search.method, names)
        raise UsageError(
            f"found {search.method!r} for --method{near}, expected one of {', '.join(names)}"
        ) from None
    options = SynthesisOptions(method, strategy, search.misere, search.timeout, search.memory)
    return _report(synthesise(game, options, nobody if quiet else _told), write, json_output)


def _told(progress: Progress) -> None:
    """Narration, with candidates of any size in one line."""
    narrate(one_line(str(progress), 160))


def _load(game: str, published: bool) -> ImpartialGame:
    """The game of a file, or the one of that name."""
    from qsage_validate.extensions.impartial import families
    from qsage_validate.extensions.impartial.nim import PUBLISHED, REPAIRED
    from qsage_validate.extensions.impartial.parser import read_game

    if game == "-" or path.exists(game) or path.dirname(game) or "." in game:
        if published:
            raise UsageError("found --published with a file, expected the name of a family's game")
        return read_game(game)
    return families.load(game, PUBLISHED if published else REPAIRED)


def _list(pattern: str, json_output: bool) -> Exit:
    """The games of the families whose names match; exit code 2 when none does."""
    from qsage_validate.extensions.impartial.families import families

    found = [
        (family, game)
        for family in families()
        for game in family.games
        if fnmatchcase(game.name, pattern)
    ]
    if not found:
        raise UsageError(f"found no game called {pattern!r}, expected a pattern such as 'nim*'")
    if json_output:
        games = [
            {
                "name": game.name,
                "family": f"{family.number} {family.title}",
                "category": family.category,
                "parameters": [f"{name} {value}".strip() for name, value in game.parameters],
                "defect": game.defect or None,
            }
            for family, game in found
        ]
        emit_json({"games": games})
        return Exit.FINE
    width = max(len(game.name) for _, game in found)
    for family, game in found:
        defect = f"; repaired: {game.defect}" if game.defect else ""
        emit(f"{game.name:{width}}  {family.number} {family.title}{defect}")
    narrate(counted(len(found), "game") if len(found) > 1 else "1 game")
    return Exit.FINE


def _report(result: Synthesis, write: WriteOptions, json_output: bool) -> Exit:
    from qsage_validate.extensions.impartial import report
    from qsage_validate.extensions.impartial.report import Verdict
    from qsage_validate.formats.writing import write_atomic

    # What is written does not depend on anybody reading what is told.
    python, smtlib = write.python, write.smtlib
    names = None if write.output is None else report.write_folder(result, write.output)
    if result.found is not None:
        rules = report.proved_strategy(result)
        misere = result.options.misere
        if python is not None:
            text = report.python_module(result.game, result.found, rules, misere=misere)
            write_atomic(python, text)
        if smtlib is not None:
            write_atomic(smtlib, report.smtlib_module(result.game, result.found, rules))
    if json_output:
        emit_json(report.to_dict(result))
    else:
        emit(report.text(result))
    if names is not None:
        narrate(f"wrote {counted(len(names), 'file')} into {write.output}")
    if result.found is None and (python is not None or smtlib is not None):
        narrate("no formula was proved: no file was written for it")
    if result.verdict in (Verdict.IMPOSSIBLE, Verdict.CONTRADICTED):
        return Exit.REFUTED
    proved = result.found is not None and (result.strategy is None or result.strategy.proved)
    return Exit.FINE if proved else Exit.UNDECIDED


def _check(
    game: ImpartialGame,
    check: str,
    check_strategy: str | None,
    search: SearchOptions,
    json_output: bool,
) -> Exit:
    from qsage_validate.extensions.impartial.parser import parse_formula
    from qsage_validate.extensions.impartial.proofs import (
        ClaimStatus,
        Verifier,
        check_game,
        verify_strategy,
    )
    from qsage_validate.extensions.impartial.rules import ImpartialRules, box_states
    from qsage_validate.extensions.impartial.smt import SmtSolver
    from qsage_validate.extensions.impartial.strategy import parse_strategy
    from qsage_validate.extensions.impartial.termination import concluded, prove_termination
    from qsage_validate.extensions.impartial.termination import to_dict as termination_json
    from qsage_validate.formats.source import Source

    formula = parse_formula(check, game.variables, "--check")
    strategy = None
    if check_strategy is not None:
        source = Source.open(check_strategy)
        strategy = parse_strategy(source.text, game, source.path)
    rules = ImpartialRules(game, misere=search.misere)
    deadline = Deadline.after(search.timeout)
    with SmtSolver(search.memory) as solver:
        for warning in check_game(game, solver, deadline):
            narrate(f"warning: {warning.text}")
        termination = prove_termination(game, solver, deadline)
        verifier = Verifier(rules, solver, box_states(game, 300))
        found: list[tuple[str, ClaimVerification]] = []
        found.append(("formula", verifier.winning_formula(formula, deadline)))
        if strategy is not None and found[0][1].status is ClaimStatus.PROVED:
            found.append(("strategy", verify_strategy(verifier, formula, strategy, deadline)))
    found = [(what, concluded(verdict, termination)) for what, verdict in found]
    if json_output:
        data: dict[str, Any] = {what: _as_json(game, verdict) for what, verdict in found}
        emit_json({**data, "termination": termination_json(termination)})
    else:
        for what, verdict in found:
            emit(f"{what} {verdict.status.value}: {verdict.reason}")
        emit(str(termination))
    status = found[-1][1].status
    codes = {ClaimStatus.PROVED: Exit.FINE, ClaimStatus.REFUTED: Exit.REFUTED}
    return codes.get(status, Exit.UNDECIDED)


def _as_json(game: ImpartialGame, verdict: ClaimVerification) -> dict[str, Any]:
    state = None if verdict.state is None else game.state(verdict.state)
    return {
        "status": verdict.status.value,
        "reason": verdict.reason,
        "if_plays_end": verdict.if_plays_end,
        "constraint": verdict.constraint,
        "state": state,
    }
