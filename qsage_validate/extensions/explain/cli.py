"""``qsage explain``: a winning strategy as a small program that people can play by."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qsage_validate.api.formulas import Formula
from qsage_validate.arena.program import Programmed
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.cli.encode import game_formula, load_formula
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import (
    EncodingOption,
    FormulaOptions,
    JsonOption,
    LimitOptions,
    prenex_order,
)
from qsage_validate.cli.parameters import OptionGroup, flag, option, output_option
from qsage_validate.errors import Exit, UndecidedError, UsageError
from qsage_validate.extensions.explain.certificate import check_winning, explained, form_of
from qsage_validate.extensions.explain.explanation import ExplainOptions, Followed, counted_nodes
from qsage_validate.games.family import families
from qsage_validate.system.limits import NEVER, watching

if TYPE_CHECKING:
    from qsage_validate.extensions.explain.certificate import Explanation
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.games.protocol import Player
    from qsage_validate.problems.load import Files
    from qsage_validate.system.limits import Deadline


# ``qsage explain``: a winning strategy as a small program that people can play by


@dataclass(frozen=True)
class ShownOptions(OptionGroup):
    """How much is shown, and where it is written."""

    panel = "Output"

    output: str | None = output_option(
        "Write the explanation: text, JSON, Graphviz, a page, a drawing, Python, SMT-LIB or a page "
        "of exercises, by the ending (.txt, .json, .dot, .html, .svg, .py, .smt2, .lesson.html).",
        "FILE",
        "-o",
        "--output",
    )
    certificate: str | None = output_option(
        "Write the program's certificate: AIGER, in ASCII when its name ends in .aag.",
        "FILE",
        "--write-certificate",
    )
    formula: str | None = output_option("Write its formula, as QCIR.", "FILE", "--write-formula")
    no_boards: bool = flag("No boards in the text.")
    depth_limit: int | None = option(
        "Show no node below this depth; the whole is found and proved.", "N", min=0
    )
    max_nodes: int | None = option("Show no more than so many nodes.", "N", min=1)


@dataclass(frozen=True)
class LearningOptions(OptionGroup):
    """The words of the program, and the limits of learning it."""

    panel = "Limits"

    lookahead: int = option(
        "How many plies the program's words look ahead: 1 lets it say 'wins at once', 2 'White "
        "cannot win at once', 3 'Black can win at the next turn, whatever White plays'.",
        "N",
        min=0,
        max=3,
        default=3,
    )
    predicates: str | None = option(
        "Questions of your own, a line each: 'near: theirs at (1,1) or theirs at (1,2)'.",
        "FILE",
    )
    effort: int = option(
        "Conflicts of the SAT solver for a proof that no smaller program wins.",
        "N",
        min=1,
        default=20_000,
    )
    positions: int = option(
        "How many positions of a program are tried one by one; more are left to SAT.",
        "N",
        min=1,
        default=50_000,
    )


@subcommand(
    "qsage explain httt --size 4x4 --shape tic --depth 5",
    "qsage explain sample:tic --cert sample:tic.aig",
)
def command(
    *,
    model: ModelArguments = model_words(or_formula=True),
    cert: str | None = option(
        "A certificate of FORMULA: it is proved first, and the program is for its player.",
        "FILE",
        panel="Files",
    ),
    encoding: EncodingOption = None,
    read: FormulaOptions,
    learning: LearningOptions,
    limits: LimitOptions,
    shown: ShownOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Show a strategy as a small program that people can play by.

    The rules of an impartial game (take-away-3) are found and proved by an SMT solver.

    The program is a decision tree: questions about the board and the last moves, and what to play.
    The smallest tree is looked for that wins against all moves; any winning move may be chosen. It
    is then compiled into a certificate, which is proved against the formula and the rules.

    Exit code 0: found and proved, 1: CERT does not hold, 2: bad input, 3: undecided, 130:
    interrupted.
    """
    only = model.words[0] if len(model.words) == 1 else None
    if only is not None and any(own.has(only) for own in families()):
        named = {
            "--cert": cert,
            "--encoding": encoding,
            "--write-certificate": shown.certificate,
            "--write-formula": shown.formula,
            "--depth-limit": shown.depth_limit,
            "--max-nodes": shown.max_nodes,
        }
        given = [name for name, value in named.items() if value is not None]
        given += [*model.flags, *read.given_options(), *learning.given_options()]
        return _heaps(only, given, limits, shown, json_output)
    path = formula_path(model)
    form = _form(shown)
    if path is None:
        read.refuse("a game, expected a formula")
        if cert is not None:
            raise UsageError("found --cert with a game, expected a formula")
    elif encoding is not None:
        raise UsageError("found --encoding with a formula, expected a game")
    within = replace(limits.begin(), positions=learning.positions)
    options = ExplainOptions(
        within,
        learning.lookahead,
        learning.effort,
        depth_limit=shown.depth_limit,
        max_nodes=shown.max_nodes,
    )
    if shown.formula is not None and shown.certificate is None:
        raise UsageError("found --write-formula without --write-certificate, expected both")
    hero = None
    with SearchLine(sys.stderr) as line:
        if path is None:
            words = (*model.words, *model.flags)
            by_name = not model.files
            formula = game_formula(model.resolve(encoding), words, encoding, by_name=by_name)
        else:
            formula = _formula(path, model, read, cert)
            if cert is not None:
                hero = check_winning(formula.problem, within.deadline)
        any_encoding = path is None and encoding is None
        found = explained(
            formula, options, hero, line.tell, learning.predicates, any_encoding=any_encoding
        )
    _write(found, shown, form, within.deadline)
    if json_output:
        emit_json(found.to_dict())
    elif form is None:
        emit((found.plain() if shown.no_boards else found.text).rstrip("\n"))
    if not json_output:
        for statement in found.report.statements:
            emit(f"Proved: {statement}.")
        if not found.proved:
            emit(f"Not proved: {found.report.summary}")
    return found.report.whole.exit_code


def _form(shown: ShownOptions) -> str | None:
    """The form of the file that is written."""
    form = None if shown.output is None else form_of(shown.output)
    return "plain" if form == "txt" and shown.no_boards else form


def _heaps(
    name: str,
    of_boards: Sequence[str],
    limits: LimitOptions,
    shown: ShownOptions,
    json_output: bool,
) -> Exit:
    """Explain the impartial game ``name``, which takes no options ``of_boards``."""
    from qsage_validate.extensions.explain.heaps import explain_heaps
    from qsage_validate.extensions.explain.shown import explanation_text
    from qsage_validate.extensions.impartial.cli_play import impartial_game
    from qsage_validate.extensions.impartial.report import SynthesisOptions
    from qsage_validate.formats.writing import write_atomic

    if of_boards:
        raise UsageError(f"found {of_boards[0]} with an impartial game, expected a board's game")
    form = _form(shown)
    options = SynthesisOptions(
        strategy=True, seconds=limits.timeout, memory_mb=limits.memory, together=True
    )
    with SearchLine(sys.stderr) as line:
        found = explain_heaps(impartial_game(name), options, line.tell)
    if form is not None and shown.output is not None:
        write_atomic(shown.output, found.in_form(form))
    if json_output:
        emit_json(found.to_dict())
        return Exit.FINE
    if form is None:
        emit(explanation_text(found, boards=not shown.no_boards).rstrip("\n"))
    for statement in found.statements:
        emit(f"Proved: {statement}.")
    return Exit.FINE


def _formula(path: str, model: ModelArguments, read: FormulaOptions, cert: str | None) -> Formula:
    """The formula of a file, with the certificate that was named."""
    from qsage_validate.problems.load import Files, load

    if cert is None:
        return Formula(load_formula(path, model, read))
    files = Files(path, cert, read.meta, prenex=prenex_order(read.prenex))
    return Formula(load(replace(files, unchecked_dependencies=True)))


def _write(found: Explanation, shown: ShownOptions, form: str | None, until: Deadline) -> None:
    """Write the files that were asked for; none where one of them cannot be made."""
    from qsage_validate.formats.writing import write_atomic

    content = None if form is None else found.in_form(form, until)
    if shown.certificate is not None:
        found.save_certificate(shown.certificate, shown.formula)
    if content is not None and shown.output is not None:
        write_atomic(shown.output, content)


# ``qsage play --explain``: plays against the certificate of a program that is found first


def game(
    model: GameModel, words: tuple[str, ...], encoding: str | None, *, by_name: bool, files: Files
) -> Programmed:
    """The program by which a game's winner wins, found and proved now.

    ``files`` say how it is played.  Raises ``UsageError`` and ``UndecidedError`` as ``qsage
    explain`` does.
    """
    formula = game_formula(model, words, encoding, by_name=by_name, files=files)
    return _explained(formula, None, any_encoding=encoding is None)


def formula(files: Files) -> Programmed:
    """The program for the winner of a formula's game, whose certificate is proved first.

    Raises ``RefutedStrategyError`` where that does not win, and as :func:`game`.
    """
    from qsage_validate.problems.load import load, sorted_out

    problem = load(replace(sorted_out(files), explained=True))
    return _explained(Formula(problem), check_winning(problem))


def _explained(formula: Formula, hero: Player | None, *, any_encoding: bool = False) -> Programmed:
    task = watching()
    deadline = NEVER if task is None else task.deadline(None)
    usual = ExplainOptions()
    options = replace(usual, limits=replace(usual.limits, deadline=deadline))
    with SearchLine(sys.stderr) as line:
        found = explained(formula, options, hero, line.tell, any_encoding=any_encoding)
    if not found.proved:
        raise UndecidedError(found.report.summary)
    narrate(f"a program of {counted_nodes(found.nodes)} for {found.player} was found and proved")
    return Programmed(found.problem, Followed(found.whole))
