"""Assertions by SAT say what looking at all plays, one after the other, says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TypeVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.open import open_play_engine
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.formats.assertions import Condition, guard, parse_assertions, spellings, value
from qsage_validate.formats.source import Source
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BlockProblem, BoardProblem, Files, Problem
from qsage_validate.problems.searched import Solving
from qsage_validate.proving.assertions_level import BROKEN, HOLDS, OPEN, VACUOUS, prove_assertions
from qsage_validate.proving.exhaustive import exhaust
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import validate
from qsage_validate.proving.run import ValidationOptions
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.assertions import AssertionVocabulary
from qsage_validate.validation.finding import FindingKind, Proved, Refuted
from tests.support.certifying import certify_game
from tests.support.gdl_heap import heap
from tests.support.plays import BREAKTHROUGH, CONNECT, DOMINEERING, DOMINO, HELD, model_of
from tests.support.random_certificates import certified as random_certified
from tests.support.random_certificates import evaluate_aig

_P = TypeVar("_P", bound=Problem)


def with_assertions(problem: _P, text: str) -> _P:
    """The problem with the assertions of a text."""
    known = AssertionVocabulary(problem.formula, problem.layout, problem.game)
    return replace(problem, assertions=tuple(known.bound(parse_assertions(Source(text, "a")))))


# -- Variables and gates ---------------------------------------------------------------------


def all_values(formula: Qbf, certificate: CircuitCertificate) -> Iterator[dict[int, bool]]:
    """The values of all variables and gates, for each choice of the opponent's."""
    opponent = formula.variables(certificate.kind.decides.dual)
    for bits in product((False, True), repeat=len(opponent)):
        values = dict(zip(opponent, bits, strict=True))
        told = evaluate_aig(certificate.aig, [values[v] for v in certificate.inputs])
        for variable in formula.variables(certificate.kind.decides):
            literal = certificate.functions.get(variable, 0)
            values[variable] = told[literal]
        yield formula.evaluate(values)


def expected(readings: Sequence[tuple[bool, bool]]) -> str:
    """The answer where each choice has a value of the condition, and one of its guard."""
    if not all(holds for holds, _ in readings):
        return BROKEN
    return HOLDS if any(speaks for _, speaks in readings) else VACUOUS


def _means(condition: Condition, values: Mapping[int, bool]) -> bool:
    """A condition whose names are numbers, perhaps in parentheses."""

    def truth(name: str) -> bool:
        return next(values[int(spelling)] for spelling in spellings(name) if spelling.isdigit())

    return bool(value(condition, truth))


@given(random_certified(), st.data())
@settings(max_examples=60)
def test_clauses_and_conditions_mean_what_all_choices_show(
    pair: tuple[Qbf, CircuitCertificate], data: st.DataObject
) -> None:
    formula, certificate = pair
    numbers = st.sampled_from([*formula.quantifiers(), *formula.gates])
    literals = numbers.flatmap(lambda v: st.sampled_from((v, -v)))
    clauses = data.draw(st.lists(st.lists(literals, max_size=4), min_size=1, max_size=4))
    lines = [" ".join(map(str, [*clause, 0])) for clause in clauses]
    names = numbers.map(str)
    words = st.recursive(
        names,
        lambda inner: st.one_of(
            inner.map(lambda x: f"not ({x})"),
            st.tuples(inner, st.sampled_from(["and", "or", "implies"]), inner).map(
                lambda x: f"({x[0]}) {x[1]} ({x[2]})"
            ),
        ),
        max_leaves=6,
    )
    lines += [f"end: {text}" for text in data.draw(st.lists(words, max_size=3))]
    problem = BlockProblem(Files(formula="f"), formula, certificate)
    problem = with_assertions(problem, "\n".join(lines))
    result, answers = prove_assertions(problem)
    plays = list(all_values(formula, certificate))
    for one, answer in zip(problem.assertions, answers, strict=True):
        condition, asked = one.assertion.condition, guard(one.assertion.condition)

        readings = [
            (_means(condition, each), asked is None or _means(asked, each)) for each in plays
        ]
        assert answer.word == expected(readings), str(one)
    assert isinstance(result.verdict, Refuted if BROKEN in [a.word for a in answers] else Proved)


# -- Positions -------------------------------------------------------------------------------


def models() -> dict[str, tuple[GameModel, str | None]]:
    """Grids, lists of positions and fluents, won by Black and by White."""
    grids = (DOMINO, HELD, BREAKTHROUGH, CONNECT, DOMINEERING)
    found: dict[str, tuple[GameModel, str | None]] = {}
    found.update((" ".join(words), (model_of(words), None)) for words in grids)
    hexes, lost = hex_network(2, 2, 3), harary_model("el", 3, 3, maker_breaker=True, plies=3)
    for encoding in ("ea", "ln", "sn", "cor-lean", "la"):
        found[f"hex {encoding}"] = (hexes, encoding)
    for encoding in ("sa", "cor-ladder"):
        found[f"el {encoding}"] = (lost, encoding)
    found["heap"] = (heap(4, 4), None)
    found["heap second"] = (heap(4, 4, "second"), None)
    return found


MODELS = models()


@dataclass(frozen=True)
class Looked:
    """A position of a play: plies made, whether the play has ended there, and what holds."""

    plies: int
    over: bool
    atoms: frozenset[str]


@cache
def played(name: str) -> tuple[Problem, tuple[Looked, ...]]:
    """A certified game, and all positions of all plays of its certificate, one by one."""
    model, encoding = MODELS[name]
    made = certify_game(model, encoding)
    game = load_game(model)
    layout: Layout = made.encoding.layout
    files = Files(formula="game.qcir", certificate="game.aig")
    problem = BoardProblem(files, made.encoding.qbf, made.certificate, layout, game)
    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    return problem, tuple(_looked(play_engine, game, play_engine.start()))


def _looked(play_engine: PlayEngine, game: TwoPlayerGame, state: PlayState) -> Iterator[Looked]:
    position = state.position
    assert position is not None
    yield Looked(state.plies, position.outcome is not None, _atoms(game, position))
    if state.ending is not None:
        return
    following: list[PlayState] = []
    if play_engine.to_move(state) is play_engine.player:
        (state,) = play_engine.answer_all([state])
        following = [] if play_engine.is_open(state) else [state]
    if not following:
        following = [play_engine.play(state, move) for move in play_engine.legal_moves(state)]
    for each in following:
        yield from _looked(play_engine, game, each)


def _atoms(game: TwoPlayerGame, position: Position) -> frozenset[str]:
    outcome = position.outcome
    won = outcome is not None and outcome.winner is Player.BLACK
    return game.atoms(position) | ({"goal"} if won else frozenset())


def test_the_games_are_won_by_both() -> None:
    assert {played(name)[0].answering.kind for name in MODELS} == set(CertificateKind)


def conditions(words: Sequence[str]) -> st.SearchStrategy[str]:
    places = sorted({word.partition(" ")[2] for word in words if word.startswith("black ")})
    names = st.sampled_from(sorted(words)) | st.just("goal")
    if places:
        free = st.tuples(st.sampled_from(["open", "occupied"]), st.sampled_from(places))
        names |= free.map(" ".join)
    return st.recursive(
        names,
        lambda inner: st.one_of(
            inner.map(lambda x: f"not ({x})"),
            st.tuples(inner, st.sampled_from(["and", "or", "implies"]), inner).map(
                lambda x: f"({x[0]}) {x[1]} ({x[2]})"
            ),
        ),
        max_leaves=4,
    )


@pytest.mark.parametrize("name", MODELS)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_positions_mean_what_all_plays_show(name: str, data: st.DataObject) -> None:
    problem, looked = played(name)
    assert problem.game is not None
    times = st.sampled_from(
        ["always ", "end: ", *(f"ply {k}: " for k in range(problem.game.moves_made + 1))]
    )
    line = st.tuples(times, conditions(list(problem.game.words))).map("".join)
    text = "\n".join(data.draw(st.lists(line, min_size=1, max_size=4)))
    problem = with_assertions(problem, text)
    _, answers = prove_assertions(problem)
    for one, answer in zip(problem.assertions, answers, strict=True):
        assert answer.word == _by_looking(one.assertion.text, looked), str(one)
        if answer.found is not None:
            fewest = _first_break(one.assertion.text, looked)
            assert (answer.found.ply, len(answer.found.moves)) == (fewest, fewest)
    _compare_with_plays(problem, [answer.word for answer in answers])


def _spoken(text: str, looked: Sequence[Looked]) -> Iterator[tuple[int, bool, bool]]:
    """Where an assertion speaks: the plies, whether it holds, and whether its guard does."""
    (one,) = parse_assertions(Source(text, "a")).all
    asked = guard(one.condition)
    for each in looked:
        if one.end and not each.over:
            continue
        if one.ply is not None and one.ply != each.plies:
            continue

        def truth(name: str, atoms: frozenset[str] = each.atoms) -> bool:
            spelt = list(spellings(name))
            for spelling in spelt:
                kind, _, place = spelling.partition(" ")
                held = {f"black {place}", f"white {place}"} & atoms
                if kind in ("open", "occupied"):
                    return bool(held) is (kind == "occupied")
            return not atoms.isdisjoint(spelt)

        speaks = asked is None or bool(value(asked, truth))
        yield each.plies, bool(value(one.condition, truth)), speaks


def _by_looking(text: str, looked: Sequence[Looked]) -> str:
    return expected([(holds, speaks) for _, holds, speaks in _spoken(text, looked)])


def _first_break(text: str, looked: Sequence[Looked]) -> int:
    return min(plies for plies, holds, _ in _spoken(text, looked) if not holds)


def _compare_with_plays(problem: Problem, words: Sequence[str]) -> None:
    """The exhaustive adversary finds a broken assertion exactly where there is one."""
    result = exhaust(problem)
    if BROKEN not in words:
        assert isinstance(result.verdict, Proved), str(result.verdict)
        return
    assert isinstance(result.verdict, Refuted)
    assert {f.kind for f in result.findings} == {FindingKind.ASSERTION_BROKEN}


# -- What stands in the way ------------------------------------------------------------------


def test_without_time_nothing_is_proved_but_what_was_found_stands() -> None:
    problem, _ = played("hex ea")
    problem = with_assertions(problem, "always not white a1\nend: goal")
    result, answers = prove_assertions(problem, deadline=Deadline.after(0))
    assert [answer.word for answer in answers] == [OPEN, OPEN]
    assert "time is up" in str(result.verdict)


def test_without_rules_positions_are_not_proved() -> None:
    problem, _ = played("hex ea")
    assert problem.formula is not None
    text = f"always not (black a1 and white a1)\n{problem.formula.output} 0"
    problem = with_assertions(replace(problem, game=None), text)
    result, answers = prove_assertions(problem)
    assert [answer.word for answer in answers] == [OPEN, HOLDS]
    assert "no rules are known" in str(result.verdict)


def test_of_a_part_of_a_certificate_nothing_is_proved() -> None:
    problem, _ = played("hex ea")
    problem = with_assertions(problem, "end: goal\n1 -1 0")
    part = replace(problem, solving=cast(Solving, object()))
    result, answers = prove_assertions(part)
    assert [answer.word for answer in answers] == [OPEN, OPEN]
    assert "the certificate is a part" in str(result.verdict)


def test_a_level_is_run_where_something_is_asserted() -> None:
    problem, _ = played("hex ea")
    assert validate(problem, ValidationOptions(levels=(Level.ASSERTIONS,))).results == ()
    asserted = with_assertions(problem, "ply 3: black a1 and white a1 implies goal\nend: goal")
    report = validate(asserted, ValidationOptions(levels=(Level.ASSERTIONS,)))
    (result,) = report.results
    assert isinstance(result.verdict, Proved)
    assert report.last_line == (
        "game.qcir with game.aig: proved: all 2 assertions hold in each play of the functions, "
        "1 vacuously (assertions)"
    )
