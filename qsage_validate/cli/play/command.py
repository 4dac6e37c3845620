"""``qsage play`` (``qsage-play``): play against a certificate, by hand, by script, at random."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import click

from qsage_validate.cli.commands import completion_options, run_words, subcommand
from qsage_validate.cli.common import narrate
from qsage_validate.cli.options import JsonOption
from qsage_validate.cli.play.play_options import (
    AnotherPlay,
    Asked,
    PlayMode,
    WebOptions,
    is_terminal,
)
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.formats.policy import is_confined


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
def command(*, asked: Asked, web: WebOptions, json_output: JsonOption = False) -> Exit:
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
    play = asked.play
    play.check(json_output)
    web.check()
    if is_confined():
        InputError.quotes = False
    if web.web:
        if play.mode is not PlayMode.BOARD or json_output:
            raise UsageError("found --web with a play that needs no board, expected one of them")
        from qsage_validate.cli.play.serving import serve

        return serve(web)

    behind, kept = None, not play.no_state
    try:
        if asked.named or play.mode is not PlayMode.BOARD or play.continued or not is_terminal():
            return _play(asked, json_output)
    except AnotherPlay as wish:
        from qsage_validate.cli.play.board import in_session

        if in_session():
            raise
        behind = wish.behind
    from qsage_validate.cli.play.board import from_the_start

    return from_the_start(play_words, theme=play.theme, kept=kept, behind=behind)


def _play(asked: Asked, json_output: bool) -> Exit:
    from qsage_validate.cli.play.opponents import opponent

    if not asked.named:
        from qsage_validate.formats.source import sample_path

        words = replace(asked.subject, words=(sample_path("sample:tic"),))
        asked = replace(asked, subject=words)
        narrate("this is sample:tic; qsage-play --help says what else can be played")
    return opponent(asked).play(asked.play, json_output)


program = copy(command)
program.params = [*command.params, *completion_options()]
