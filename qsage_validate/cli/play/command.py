"""``qsage play`` (``qsage-play``): play against a certificate, by hand, by script, at random."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import click

from qsage_validate.cli import completion
from qsage_validate.cli.commands import run_words, subcommand
from qsage_validate.cli.common import narrate
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    AssertOption,
    CertOptions,
    DialectOptions,
    JsonOption,
    RulesOptions,
)
from qsage_validate.cli.parameters import OptionGroup, flag, option
from qsage_validate.cli.play.games import (
    GameOptions,
    certified,
    explained,
    from_solution,
    named_game,
    searched,
    solved,
)
from qsage_validate.cli.play.heap_options import HeapOptions
from qsage_validate.cli.play.play_options import PlayMode, PlayOptions, is_terminal
from qsage_validate.cli.play.web import WebOptions
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.formats.policy import is_confined
from qsage_validate.registry import load as load_place

if TYPE_CHECKING:
    from qsage_validate.problems.files import Files

_PANEL = "How the certificate is asked"
_SOLVING = "Playing against a solver"
SEARCH = "search"


class FormulaStatus(str, Enum):
    """The value of a formula."""

    TRUE = "true"
    FALSE = "false"


@dataclass(frozen=True)
class CertificateOptions(OptionGroup):
    """Options for reading the certificate and for showing the formula."""

    sat: bool = flag("Ask by SAT solver only.", panel=_PANEL)
    simulation: bool = flag("Ask by evaluating the circuit only.", panel=_PANEL)
    bare: bool = flag("Play the formula's blocks, not the board of its layout.")
    peeking: bool = flag(
        "Play a wrong certificate too, whose functions look to their right: they read "
        "false for what is not chosen yet.",
        panel=_PANEL,
    )

    def check(self) -> None:
        """Raise ``UsageError`` when both ways to ask were wanted."""
        if self.sat and self.simulation:
            raise UsageError("found --sat with --simulation, expected one of them")

    def of(self, files: Files) -> Files:
        """``files``, to be played as these options say."""
        from qsage_validate.certificates.oracles.choose import OracleKind

        kind = OracleKind.AUTO
        if self.sat or self.simulation:
            kind = OracleKind.SAT if self.sat else OracleKind.SIMULATION
        return replace(files, engine=kind, as_blocks=self.bare, unchecked_dependencies=self.peeking)


@dataclass(frozen=True)
class SolvingOptions(OptionGroup):
    """A solver that answers in the place of a certificate, or of what it lacks."""

    solver: str | None = option(
        "Let a QBF solver answer what no certificate does (see 'qsage info --solvers'); "
        "auto: several at once. Without --cert it answers everything. A game is played against "
        "the search unless a solver is named.",
        "NAME|auto",
        complete=completion.solvers,
        panel=_SOLVING,
    )
    timeout: float | None = option(
        "At most so long for each reply.", "SECONDS", min=0, panel=_SOLVING
    )
    status: FormulaStatus | None = option(
        "The formula's value, where it is known; else it is found out first.", panel=_SOLVING
    )
    blocks: int | None = option(
        "Use the certificate for its first N blocks only.", "N", min=1, panel=_SOLVING
    )

    def of(self, files: Files) -> Files:
        """``files``, played against the solver; raises ``UsageError`` without one."""
        given = {"--timeout": self.timeout, "--status": self.status, "--blocks": self.blocks}
        if self.solver == SEARCH:
            raise UsageError("found --solver search with a formula, expected a QBF solver")
        for name, value in given.items():
            if self.solver is None and value is not None:
                raise UsageError(f"found {name} without --solver, expected a solver that answers")
        status = None if self.status is None else self.status is FormulaStatus.TRUE
        return replace(
            files, solver=self.solver, seconds=self.timeout, status=status, blocks=self.blocks
        )


def play_words(words: Sequence[str]) -> Exit:
    """Play what these words mean behind ``qsage-play``; raises what goes wrong."""
    try:
        return Exit(run_words(command, words, "qsage-play"))
    except click.ClickException as error:
        raise UsageError(error.format_message()) from None


@subcommand(
    "qsage-play httt --size 3x3 --shape el --depth 5",
    "qsage-play sample:tic --moves 'occupy(1,1)'",
)
def command(
    *,
    subject: ModelArguments = model_words(
        optional_words="QCIR or QDIMACS, and its certificate; a clause certificate (Pedant) plays "
        "alone. Or a game, played against a search: two BDDL files, a PG, .hex or GDL file, or a "
        "name (see 'qsage games'); or an impartial game: its file or its name (take-away-3); or a "
        "sample (sample:hex). Without one it is sample:tic."
    ),
    cert: str | None = option("The certificate; else the one beside FORMULA.", "FILE"),
    rules: RulesOptions,
    read: DialectOptions,
    assertions: AssertOption = (),
    play: PlayOptions,
    certificate: CertificateOptions,
    solving: SolvingOptions,
    heaps: HeapOptions,
    game: GameOptions,
    web: WebOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Play against a certificate: its strategy answers.

    Without arguments, on a terminal, a start screen offers games, samples, files and plays. With
    --web the same is shown in a browser, in each of its tabs.

    Against a Skolem certificate you are White, against a Herbrand certificate Black. Board and
    replies come from the certificate; where the rules are known (from the formula itself or
    --game) every step is compared with them.

    A game (httt --size 3x3, or a file) needs no formula: a search plays the winner's side, or that
    of --side. With --certify the winner's certificate is made and proved before the play begins.
    With --explain it is the certificate of a small program, and each reply is explained.

    With --solution the replies in a solution file answer; nothing is searched.

    With --solver no certificate is needed: at each of its turns the solver is asked for the
    outermost block of what is left of the formula. Nothing is proved by such a play; a reply that
    contradicts the formula's value is a finding.

    An impartial game is played against winning rules, which play Black: a move is written
    take(2), and every reply is compared with the rules of the game and backward induction.

    Exit code 0: the play ended as promised, or was left; 1: something was found, or the
    promised win did not come; 2: bad input; 3: the moves or the time ended before the play did.
    """
    certificate.check()
    play.check(json_output)
    web.check()
    if is_confined():
        InputError.quotes = False
    if web.web:
        if play.mode is not PlayMode.BOARD or json_output:
            raise UsageError("found --web with a play that needs no board, expected one of them")
        from qsage_validate.cli.play.serving import serve

        return serve(web)
    from qsage_validate.cli.play.waiting import AnotherPlay

    try:
        return _begin(
            subject,
            cert,
            rules,
            read,
            assertions,
            play,
            certificate,
            solving,
            heaps,
            game,
            json_output,
        )
    except AnotherPlay as wish:
        from qsage_validate.cli.play.session import from_the_start, in_session

        if in_session():
            raise
        kept = not play.no_state
        return from_the_start(play_words, theme=play.theme, kept=kept, behind=wish.behind)


program = copy(command)
program.params = [*command.params, *completion.options()]


def _begin(
    subject: ModelArguments,
    cert: str | None,
    rules: RulesOptions,
    read: DialectOptions,
    assertions: tuple[str, ...],
    play: PlayOptions,
    certificate: CertificateOptions,
    solving: SolvingOptions,
    heaps: HeapOptions,
    game: GameOptions,
    json_output: bool,
) -> Exit:
    """Choose what is played, and how."""
    from qsage_validate.cli.play.modes import play_explained, play_problem

    named_here = (
        *subject.words,
        *subject.flags,
        *game.given_options(),
        cert,
        rules.model,
        *rules.paths,
    )
    by_board = play.mode is PlayMode.BOARD and is_terminal()
    if by_board and not any(named_here) and play.continued is None:
        from qsage_validate.cli.play.session import from_the_start

        return from_the_start(play_words, theme=play.theme, kept=not play.no_state)
    if not any(named_here):
        from qsage_validate.formats.source import sample_path

        subject = ModelArguments((sample_path("sample:tic"),), subject.options)
        narrate("this is sample:tic; qsage-play --help says what else can be played")
    subject, cert, behind = _taken_apart(subject, cert)
    if behind and (rules.game is not None or rules.model is not None):
        raise UsageError(f"found {' '.join(behind)} with --game or --model, expected one game")
    formula = subject.words[0] if len(subject.words) == 1 else None
    of_formulas = {
        "--cert": cert is not None,
        "--meta": rules.meta is not None,
        "--dialect": read.dialect is not None,
        "--sat or --simulation": certificate.sat or certificate.simulation,
        "--bare or --peeking": certificate.bare or certificate.peeking,
        "--status": solving.status is not None,
        "--blocks": solving.blocks is not None,
        "--assert": bool(assertions),
    }
    if game.solution is not None:
        more = dict.fromkeys((*subject.words, *subject.flags, *heaps.given_options()), True)
        more |= {name: name != "--solution" for name in game.given_options()}
        more |= {"--game or --model": bool(rules.game or rules.model)}
        more |= {"--solver": solving.solver is not None, "--explain": play.explain}
        _refuse(of_formulas | more, "--solution, which has its game")
        path = game.solution
        from qsage_validate.cli.play.searched import play_searched

        return play_searched(lambda: from_solution(path), path, play, json_output)
    from qsage_validate.games.family import families

    family = next((own for own in families() if own.has(formula)), None)
    if family is not None:
        given = rules.game is not None or rules.model is not None
        options = {"--game or --model": given, "--solver": solving.solver is not None}
        options |= {"--explain": play.explain}
        options |= dict.fromkeys((*subject.flags[:1], *game.given_options()), True)
        _refuse(of_formulas | options, f"an {family.name} game, which has no formula")
        code: Exit = load_place(family.play)(str(formula), heaps, play, json_output)
        return code
    for name in heaps.given_options():
        raise UsageError(f"found {name}, but {formula or 'nothing'} is no impartial game")
    if play.white == "all":
        raise UsageError("found --white all, expected --white random: that is no impartial game")
    if "-" in (formula, cert, rules.meta, *assertions):
        raise UsageError("a play needs its files by name, not '-'")
    files = certificate.of(rules.files(formula, cert, read))
    if behind:
        from qsage_validate.problems.files import beside

        files = replace(files, game=behind)
        if cert is None and solving.solver is None and beside(str(formula)) is None:
            solving = replace(solving, solver="auto")
    named = named_game(subject, cert, files.game, game)
    made = game.needs_formula or play.explain
    if named is not None and not made and solving.solver in (None, SEARCH):
        _refuse(of_formulas, "a game that is searched, which has no formula (see --certify)")
        found = named
        what = " ".join(found.words)
        from qsage_validate.cli.play.searched import play_searched

        return play_searched(
            lambda: searched(found, game.side, solving.timeout), what, play, json_output
        )
    if game.side is not None:
        raise UsageError("found --side, which is for a search: a formula's value says who wins")
    if game.certify and solving.solver is not None:
        raise UsageError("found --certify with --solver, expected one of them")
    if play.explain and solving.solver is not None:
        raise UsageError("found --explain with --solver, expected one of them")
    if play.explain and files.as_blocks:
        raise UsageError("found --explain with --bare, expected a board")
    files = replace(solving.of(files), assertions=assertions)
    what = files.name if named is None else " ".join(named.words)
    if solving.solver is not None:
        return play_problem(lambda: solved(files, named, game.encoding), what, play, json_output)
    if play.explain:
        return play_explained(
            partial(explained, named, game.encoding, files), what, play, json_output
        )
    if named is not None:
        own = named
        return play_problem(lambda: certified(own, game.encoding, files), what, play, json_output)
    from qsage_validate.problems.files import sorted_out
    from qsage_validate.problems.load import load

    files = sorted_out(files)

    return play_problem(lambda: load(files), what, play, json_output)


def _taken_apart(
    subject: ModelArguments, cert: str | None
) -> tuple[ModelArguments, str | None, tuple[str, ...]]:
    """Takes the certificate and the words of a game from behind a formula.

    Two files of which the first is no formula are those of a game.
    """
    if len(subject.words) < 2 or not os.path.isfile(subject.words[0]):
        return subject, cert, ()
    from qsage_validate.formats.source import Format, sniff
    from qsage_validate.games.languages import language_of
    from qsage_validate.games.registry import is_game_name
    from qsage_validate.judging.python_rules import names_python_rules

    formula, *behind = subject.words
    formulas = (Format.QCIR, Format.QDIMACS, Format.AIGER_ASCII, Format.AIGER_BINARY)
    if sniff(formula) not in formulas:
        return subject, cert, ()
    first = behind[0]
    is_rules = names_python_rules(behind) or (
        language_of(first) is not None if os.path.isfile(first) else is_game_name(first)
    )
    if not is_rules:
        cert = CertOptions(behind.pop(0), cert).path
    game = (*behind, *subject.flags) if behind else ()
    options = {} if behind else subject.options
    return replace(subject, words=(formula,), options=options), cert, game


def _refuse(given: Mapping[str, bool], what: str) -> None:
    """Raise ``UsageError`` for options that ``what`` has no use for."""
    for name, wrong in given.items():
        if wrong:
            raise UsageError(f"found {name} with {what}")
