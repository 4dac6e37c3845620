"""Who answers in a play, by the words of a command line."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from qsage_validate.cli.play import opponents
from qsage_validate.cli.play.asked import Asked
from qsage_validate.cli.play.command import command
from qsage_validate.cli.play.opponents import (
    CertificateOpponent,
    HeapOpponent,
    ProgramOpponent,
    SearchOpponent,
    SolutionOpponent,
    SolverOpponent,
    opponent,
)
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import sample_path

TIC = sample_path("sample:tic")
EL = ("httt", "--size", "3x3", "--shape", "el")


def asked(words: Sequence[str]) -> Asked:
    with command.make_context("qsage-play", list(words)) as context:
        found: Asked = Asked.gather(dict(context.params))
    return found


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ((TIC,), CertificateOpponent),
        ((TIC, sample_path("sample:tic.aig")), CertificateOpponent),
        ((*EL, "--certify"), CertificateOpponent),
        ((*EL, "--encoding", "lifted"), CertificateOpponent),
        ((TIC, "--solver", "depqbf", "--blocks", "1"), SolverOpponent),
        ((*EL, "--solver", "auto"), SolverOpponent),
        ((sample_path("sample:puzzle"), sample_path("sample:puzzle.pg")), SolverOpponent),
        (EL, SearchOpponent),
        ((*EL, "--solver", "search", "--side", "black"), SearchOpponent),
        (("--model", "httt --size 3x3"), SearchOpponent),
        (("--solution", "el.solution"), SolutionOpponent),
        ((TIC, "--explain"), ProgramOpponent),
        ((*EL, "--explain"), ProgramOpponent),
        (("take-away-3", "--state", "v=6"), HeapOpponent),
    ],
)
def test_each_way_to_play_has_its_opponent(words: Sequence[str], kind: type) -> None:
    assert type(opponent(asked(words))) is kind


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((TIC, "--sat", "--simulation"), "found --sat with --simulation, expected one of them"),
        ((*EL, "--certify", "--solver", "caqe"), "found --certify with --solver, expected one of"),
        ((TIC, "--explain", "--bare"), "found --explain with --bare, expected a board"),
        (
            (sample_path("sample:puzzle"), sample_path("sample:puzzle.pg"), "--explain"),
            "found --explain with --solver, expected one of them",
        ),
        ((TIC, "--solver", "search"), "found --solver search with a formula, expected a QBF"),
        ((TIC, "--timeout", "1"), "found --timeout without --solver, expected a solver that"),
        ((TIC, "--side", "black"), "found --side with"),
        ((TIC, "--state", "v=3"), "found --state, but"),
        ((*EL, "--cert", "c.aig"), "found --cert with httt"),
        (("--solution", "s", "--bound", "3"), "found --bound with --solution, which has its game"),
        (("--solution", "s", *EL), "found httt with --solution, which has its game"),
        (("take-away-3", "--model", "hex"), "found --model with an impartial game, which has no"),
    ],
)
def test_what_does_not_go_together_is_refused(words: Sequence[str], said: str) -> None:
    with pytest.raises(UsageError) as found:
        opponent(asked(words))
    assert said in str(found.value)


def test_the_rules_about_options_name_options() -> None:
    known = {name for parameter in command.params for name in parameter.opts}
    named = {name for names in opponents._NOT_WITH.values() for name in names}
    assert named | {name for row in opponents._NOT_BOTH for name in row[:2]} <= known
