"""Who answers in a play, by the words of a command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from qsage_validate.cli.play import opponents
from qsage_validate.cli.play.command import command
from qsage_validate.cli.play.opponents import CertificateOpponent, opponent
from qsage_validate.cli.play.play_options import Asked, is_terminal
from qsage_validate.cli.play.searched import (
    HeapOpponent,
    ProgramOpponent,
    SearchOpponent,
    SolutionOpponent,
    SolverOpponent,
)
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import sample_path

TIC = sample_path("sample:tic")
EL = ("httt", "--size", "3x3", "--shape", "el")
DOMINO = ("--size", "3x3", "--shape", "domino", "--second", "--maker-breaker")


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


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        (("hex", "--size", "4x4", "--certify"), "en-forward"),
        (("hex-network", "--certify"), "en-forward"),
        (("hex", "--certify", "--encoding", "lifted"), "lifted"),
        (("hex", "--certify", "--depth", "9"), None),
        (("hex", "--one-row", "--certify"), None),
        (("hex", "--transversal", "--certify"), None),
        ((*EL, "--certify"), None),
    ],
)
def test_the_encoding_that_is_quickest_to_certify(
    words: Sequence[str], encoding: str | None
) -> None:
    found = opponent(asked(words))
    assert isinstance(found, CertificateOpponent)
    assert found.encoding == encoding


@pytest.mark.parametrize(
    ("words", "plies"),
    [
        (("hex", "--size", "3x3", "--certify"), 5),
        (("hex", "--size", "3x3", "--depth", "9", "--certify"), 9),
        # White's: nothing is won in fewer plies.
        (("breakthrough", "--size", "2x4", "--certify"), None),
        # A dropped first move counts in the depth of a grid, and not in that of a positional game.
        (("httt", *DOMINO, "--certify"), 4),
        (("httt", *DOMINO, "--encoding", "cor-lean"), 4),
    ],
)
def test_a_game_without_a_depth_is_certified_at_its_critical_one(
    words: Sequence[str], plies: int | None
) -> None:
    found = opponent(asked(words))
    assert isinstance(found, CertificateOpponent)
    assert found.game is not None
    certified = found.game.to_certify(found.encoding)
    assert certified.model.plies == (found.game.model.plies if plies is None else plies)
    # The words mean the same game when they are read again.
    again = opponent(asked((*certified.encoded_by(found.encoding), "--certify")))
    assert isinstance(again, CertificateOpponent)
    assert again.game is not None
    assert again.game.model.plies == certified.model.plies


@pytest.mark.parametrize(("term", "found"), [("xterm", True), ("dumb", False), ("", True)])
def test_a_terminal_without_a_cursor_has_the_prompt(
    monkeypatch: pytest.MonkeyPatch, term: str, found: bool
) -> None:
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(sys, name, SimpleNamespace(isatty=lambda: True))
    monkeypatch.setenv("TERM", term)
    assert is_terminal() is found
