"""What the server does for a call: each function runs in a process of its own.

They take and return what JSON has.  ``sentence`` in a result is the line to quote: it says no more
than was proved.  The first argument is that of ``system.pool.run_job``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from qsage_validate.api.formulas import Formula, encode, read_formula
from qsage_validate.api.games import Game, game, game_from_files, game_names
from qsage_validate.api.solving import solve
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import (
    STDIN,
    Format,
    inputs_guarded,
    sample_path,
    sniff,
)

Facts = dict[str, object]
Options = Mapping[str, str | int | bool]
Send = Callable[[object], object]

_MOST: Final = 200
"""No more moves, findings or levels than these are told in a result."""

_FORMULAS: Final = (
    Format.QCIR,
    Format.QDIMACS,
    Format.AIGER_ASCII,
    Format.AIGER_BINARY,
)


def file_named(path: str) -> str:
    """The path of a file or sample; raises ``UsageError`` for the streams of the protocol."""
    if path == STDIN:
        raise UsageError("found '-', expected a file of the folder")
    return sample_path(path)


def _subject(name: str, options: Options, problem: str | None) -> Game | Formula:
    """The game of that name, or what is in a file: a game, or a formula."""
    if name in game_names():
        if problem is not None:
            raise UsageError(f"found a problem with {name}, expected one with a domain in BDDL")
        return game(name, **options)
    path = file_named(name)
    if problem is not None:
        return game_from_files(path, file_named(problem), **options)
    if sniff(path) in _FORMULAS:
        if options:
            raise UsageError(f"found the option {next(iter(options))} with a formula")
        return read_formula(path)
    return game_from_files(path, **options)


def _game(name: str, options: Options, problem: str | None) -> Game:
    found = _subject(name, options, problem)
    if isinstance(found, Formula):
        raise UsageError(f"found {name}, a formula, expected a game")
    return found


def encoded(
    send: Send, name: str, options: Options, problem: str | None, encoding: str | None, output: str
) -> Facts:
    """The formula that says that Black wins, written into a file."""
    with inputs_guarded():
        made = encode(_game(name, options, problem), encoding).save(file_named(output))
    return {"formula": output, "sentence": repr(made).strip("<>"), **made.stats}


def solved(
    send: Send,
    name: str,
    options: Options,
    problem: str | None,
    solver: str | None,
    all_first_moves: bool,
    seconds: float,
    megabytes: int,
) -> Facts:
    """Who wins a game, or the value of a formula."""
    found = solve(
        _subject(name, options, problem),
        solver=solver,
        all_first_moves=all_first_moves,
        timeout=seconds,
        memory=megabytes,
    )
    return {"sentence": found.reason, **found.to_dict()}


def certified(
    send: Send,
    name: str,
    options: Options,
    problem: str | None,
    encoding: str | None,
    solver: str | None,
    certificate: str,
    formula: str | None,
    seconds: float,
    megabytes: int,
) -> Facts:
    """The winner's strategy, proved against the formula, and written into files."""
    with inputs_guarded():
        made = certify(
            _subject(name, options, problem),
            encoding=encoding,
            solver=solver,
            timeout=seconds,
            memory=megabytes,
        )
        written = None if formula is None else file_named(formula)
        made.save(file_named(certificate), formula=written)
    return {
        "sentence": repr(made).strip("<>"),
        "certificate": certificate,
        "formula": name if formula is None else formula,
        "kind": made.kind,
        "player": made.player.value,
        "gates": made.gates,
    }


def _strategy(formula: str, certificate: str) -> Strategy:
    return load(file_named(formula), file_named(certificate))


def validated(
    send: Send, formula: str, certificate: str, levels: Sequence[str] | None, seconds: float
) -> Facts:
    """What is proved of a certificate, and what is wrong with it."""
    strategy = _strategy(formula, certificate)
    report = strategy.validate(list(levels) if levels else None, timeout=seconds)
    return {
        "sentence": report.summary,
        "verdict": report.verdict,
        "ok": report.ok,
        "statements": list(report.statements),
        "levels": {name: f"{level.word}: {level.said}" for name, level in report.levels.items()},
        "findings": [f.to_dict() for f in report.findings[:_MOST]],
        "formula": formula,
        "certificate": certificate,
    }


def played(send: Send, formula: str, certificate: str, moves: Sequence[str]) -> Facts:
    """A play against a certificate: the opponent's moves are made one after the other."""
    match = _strategy(formula, certificate).play()
    before = len(match.moves)
    for move in moves:
        before = len(match.moves)
        match.push(move)
    last = ", ".join(match.moves[before:])
    return {
        "sentence": match.result or f"the play goes on after {last}",
        "moves": list(match.moves),
        "answer": list(match.moves[before + 1 :] if moves else match.moves),
        "board": None if match.board is None else str(match.board),
        "you_are": match.person.value,
        "over": match.over,
        "legal_moves": [] if match.over else list(map(str, match.legal_moves()[:_MOST])),
        "findings": [finding.to_dict() for finding in match.findings[:_MOST]],
        "certificate": certificate,
    }


def explained(
    send: Send, formula: str, certificate: str, lookahead: int, seconds: float, megabytes: int
) -> Facts:
    """A small program by which a person can play as the certificate's player, proved."""
    strategy = _strategy(formula, certificate)
    found = strategy.explain(lookahead=lookahead, timeout=seconds, memory=megabytes)
    text = found.plain()
    return {
        "sentence": text.splitlines()[0],
        "text": text,
        "proved": found.proved,
        "nodes": found.nodes,
        "certificate": certificate,
    }
