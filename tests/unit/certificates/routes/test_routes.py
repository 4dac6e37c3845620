"""Routes: which are tried, in which order, within which time; and the gate behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.certificates import routes
from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.candidates import Candidate, GivenUpError, of_the_rest
from qsage_validate.certificates.routes import (
    CheckFailedError,
    RouteOptions,
    certify_formula,
    route_names,
)
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import MissingExtraError, UndecidedError, UsageError
from qsage_validate.formats.qdimacs import parse_qdimacs
from qsage_validate.games.registry import find_command, resolve_command
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.solvers.backend import SolverMissingError
from qsage_validate.system.limits import NEVER, Deadline, Limits
from tests.support.certificate_truth import falsifying_choice
from tests.support.random_qbf import circuits, qbfs, truth

SMALL = parse_qdimacs("p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n")
LARGE = encode(resolve_command(["httt", "--size", "3x3", "--shape", "domino", "--depth", "3"]))

Route = Callable[[object, Limits], Candidate]


@given(st.one_of(qbfs(), circuits()), st.booleans())
def test_what_comes_out_is_proved_and_says_the_truth(formula: Qbf, minimise: bool) -> None:
    made = certify_formula(
        formula, RouteOptions(minimise=minimise, limits=Limits(Deadline.after(60)))
    )
    assert made.truth is truth(formula)
    assert (made.certificate.kind is CertificateKind.SKOLEM) is made.truth
    assert falsifying_choice(formula, made.certificate) is None
    assert made.route == "expansion"
    assert made.seconds() >= made.seconds("check") > 0


def test_a_game_is_searched_first() -> None:
    made = certify_formula(LARGE.qbf, encoding=LARGE)
    assert (made.route, made.by, made.truth) == ("search", "search", True)
    assert [name for name, _ in made.stages] == ["search", "compile", "check"]
    assert made.proved.kind is CertificateKind.SKOLEM


def test_the_search_of_another_formula_is_checked_on_the_one_given() -> None:
    output = LARGE.qbf.output
    other = replace(LARGE.qbf, comments=())
    made = certify_formula(other, RouteOptions("search"), encoding=LARGE)
    assert made.formula is other
    false = replace(LARGE.qbf, output=-output)
    with pytest.raises(CheckFailedError, match="the certificate by search does not hold"):
        certify_formula(false, RouteOptions("search"), encoding=LARGE)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All routes fail, and it is kept which were tried with how much time."""
    names: list[str] = []

    def failing(name: str) -> Route:
        def route(task: object, limits: Limits) -> Candidate:
            names.append(name)
            raise UndecidedError(f"{name} gave up")

        return route

    made = {name: failing(name) for name in routes._ROUTES}
    monkeypatch.setattr(routes, "_ROUTES", made)
    return names


@pytest.mark.parametrize(
    ("formula", "game", "options", "expected"),
    [
        (SMALL, False, RouteOptions(), ["expansion", "bloqqer", "trace"]),
        (LARGE.qbf, False, RouteOptions(), ["bloqqer", "trace", "expansion"]),
        (LARGE.qbf, True, RouteOptions(), ["search", "bloqqer", "trace"]),
        (LARGE.qbf, True, RouteOptions(solver="qute"), ["bloqqer", "trace"]),
        (LARGE.qbf, False, RouteOptions(solver="quabs"), ["tool"]),
        (LARGE.qbf, True, RouteOptions("trace"), ["trace"]),
    ],
)
def test_the_order(
    tried: list[str], formula: Qbf, game: bool, options: RouteOptions, expected: list[str]
) -> None:
    with pytest.raises(UndecidedError) as error:
        certify_formula(formula, options, encoding=LARGE if game else None)
    assert tried == expected
    whys = [f"{name}: {name} gave up" for name in expected]
    assert str(error.value) == ("; ".join(whys) if len(whys) > 1 else f"{expected[0]} gave up")


def test_each_route_gets_half_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def route(task: object, limits: Limits) -> Candidate:
        given.append(limits.deadline.left())
        raise UndecidedError("no")

    made = dict.fromkeys(routes._ROUTES, route)
    monkeypatch.setattr(routes, "_ROUTES", made)
    with pytest.raises(UndecidedError):
        certify_formula(SMALL, RouteOptions(limits=Limits(Deadline.after(1000))))
    first, second, last = given
    assert 499 < first <= 500
    assert 499 < second <= 500
    assert 999 < last <= 1000


def test_later_routes_tell_of_the_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(task: object, limits: Limits) -> Candidate:
        raise UndecidedError("no answer")

    def working(task: object, limits: Limits) -> Candidate:
        return Candidate(expand(SMALL), "hand", (("make", 0.5),))

    made = {**routes._ROUTES, "expansion": failing, "bloqqer": working}
    monkeypatch.setattr(routes, "_ROUTES", made)
    found = certify_formula(SMALL)
    assert (found.route, found.by) == ("bloqqer", "hand")
    assert list(map(str, found.attempts)) == ["expansion: no answer"]


def test_preprocessing_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_PATIENCE", 0.5)
    game = ("harary", "--size", "3x3", "--shape", "el", "--depth", "3")
    formula = encode(find_command(game), "cover").qbf
    made = certify_formula(formula)
    assert (made.route, made.truth) == ("trace", False)
    (attempt,) = made.attempts
    assert str(attempt).startswith("bloqqer: Bloqqer ")
    assert str(attempt).endswith(" was given up after 0.5 s")


def test_what_was_given_up_is_tried_again_with_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_PATIENCE", 0.02)
    tries: list[str] = []

    def preprocessing(task: routes._Task, limits: Limits) -> Candidate:
        tries.append(f"bloqqer {task.patience:g}")
        assert limits.deadline == NEVER
        if task.patience < 0.3:
            raise GivenUpError("given up")
        return Candidate(expand(SMALL), "hand", ())

    def slow(task: object, limits: Limits) -> Candidate:
        tries.append("trace")
        assert limits.deadline.left() <= 0.08
        while not limits.deadline.over:
            sleep(0.01)
        raise UndecidedError("no time")

    def failing(task: object, limits: Limits) -> Candidate:
        tries.append("expansion")
        raise UndecidedError("too large")

    made = {**routes._ROUTES, "expansion": failing, "bloqqer": preprocessing, "trace": slow}
    monkeypatch.setattr(routes, "_ROUTES", made)
    assert certify_formula(SMALL).route == "bloqqer"
    first, again = ["bloqqer 0.02", "trace"], ["bloqqer 0.08", "trace"]
    assert tries == ["expansion", *first, *again, "bloqqer 0.32"]


def test_a_wrong_certificate_is_an_alarm_and_nothing_else_is_tried(
    monkeypatch: pytest.MonkeyPatch, tried: list[str]
) -> None:
    def wrong(task: object, limits: Limits) -> Candidate:
        right = expand(SMALL)
        return Candidate(replace(right, functions={2: right.functions[2] ^ 1}), "hand", ())

    made = {**routes._ROUTES, "expansion": wrong}
    monkeypatch.setattr(routes, "_ROUTES", made)
    with pytest.raises(CheckFailedError, match="the certificate by hand does not hold: refuted"):
        certify_formula(SMALL)
    assert tried == []


def test_what_is_missing_is_told_rather_than_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(error: Exception) -> Route:
        def route(task: object, limits: Limits) -> Candidate:
            raise error

        return route

    extra = missing(MissingExtraError("a certificate", "solve"))
    program = missing(SolverMissingError("the solver depqbf is missing"))
    silent = missing(UndecidedError("no"))
    for table, kind in (
        ({"expansion": silent, "bloqqer": extra, "trace": extra}, MissingExtraError),
        ({"expansion": program, "bloqqer": program, "trace": program}, SolverMissingError),
        ({"expansion": silent, "bloqqer": program, "trace": silent}, UndecidedError),
    ):
        made = {**routes._ROUTES, **table}
        monkeypatch.setattr(routes, "_ROUTES", made)
        with pytest.raises(kind):
            certify_formula(SMALL)


def test_routes_that_do_not_fit() -> None:
    for options, message in (
        (RouteOptions("magic"), "unknown route 'magic'"),
        (RouteOptions("search"), "only rules can be searched"),
        (RouteOptions("expansion", solver="qute"), "found --solver with --route expansion"),
    ):
        with pytest.raises(UsageError, match=message):
            certify_formula(SMALL, options)
    assert route_names()[0] == "auto"


def test_no_time_at_all() -> None:
    with pytest.raises(UndecidedError, match="the time is over"):
        of_the_rest(Limits(Deadline.after(-1)))
    with pytest.raises(UndecidedError):
        certify_formula(LARGE.qbf, RouteOptions(limits=Limits(Deadline.after(0))))
