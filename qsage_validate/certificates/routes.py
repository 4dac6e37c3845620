"""Ways to a certificate of any formula, and the one gate through which all of them lead.

One way is the game's: search, plan, circuit, SAT check.  The search uses no knowledge of stones
and no depths that can be raised.  Small games are searched to the end, larger ones to a deadline.

Every route makes a claim; what :func:`certify_formula` hands out has been proved by
:func:`~qsage_validate.certificates.check.check` on the formula as it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final

from qsage_validate.certificates.candidates import Candidate, GivenUpError, of_the_rest
from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateUndecided,
    CheckResult,
    check,
)
from qsage_validate.certificates.compiler import NotCompiledError, compile_plan
from qsage_validate.certificates.plan import Plan, Planner
from qsage_validate.circuit.aig import FALSE
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import (
    Exit,
    MissingExtraError,
    QsageError,
    UndecidedError,
    UsageError,
    counted,
    did_you_mean,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import languages
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.registry import load
from qsage_validate.solvers.search import SearchResult, SearchSolver, search_for
from qsage_validate.system.limits import NEVER, Deadline, Limits, Progress, Stopwatch, Tell, nobody

if TYPE_CHECKING:
    from qsage_validate.games.positional.cover_game import PlanningGame

# The winner of a game by a search of its positions, each once: for games made for planning


# Positions between two looks at the clock.
_TICK = 256


class PlainSearch:
    """The winners of a game's positions, kept; ``UndecidedError`` at the deadline."""

    def __init__(self, game: PlanningGame, deadline: Deadline = NEVER) -> None:
        self.game = game
        self.deadline = deadline
        self._winners: dict[Position, Player] = {}
        self._looked_at = 0

    def winner(self, position: Position) -> Player:
        if position.outcome is not None:
            return position.outcome.winner
        found = self._winners.get(position)
        if found is None:
            found = self._winners[position] = self._look(position)
        return found

    def _look(self, position: Position) -> Player:
        self._looked_at += 1
        if self._looked_at % _TICK == 0:
            self.deadline.check("the game of the formula was searched")
        settled = self.game.settled(position)
        if settled is not None:
            return settled
        mover = position.to_move
        after = [position.play(move) for move in position.legal_moves()]
        # Plays that end at once are the cheapest ones to look at.
        after.sort(key=lambda one: one.outcome is None)
        return mover if any(self.winner(one) is mover for one in after) else mover.other


# From a game to a checked certificate: search, plan, circuit, SAT check


# Certificates with more gates are worth lemmas; below, to prove these takes longer.
_LARGE: Final = 4000
# Which part of the time a large certificate is tried as it stands before it is compiled again
# with lemmas, and the seconds of that where there is no limit.  Black's, whose matrix says of
# each ply that it is right, are soon proved behind lemmas or not at all; White's seldom are.
_AS_IT_STANDS: Final = {Player.BLACK: (1 / 3, 20.0), Player.WHITE: (1 / 2, 60.0)}
# Which part of the rest lemmas get.
_LEMMAS: Final = 2 / 3


class CheckFailedError(QsageError):
    """A certificate that was made here does not pass the check, and is not handed out."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True, slots=True)
class Certified:
    """A formula, a proved certificate of it, and the cost of making it.

    ``decisions`` counts the nodes of the plan; the seconds are wall-clock time.
    """

    encoding: Encoding
    certificate: CircuitCertificate
    check: CertificateProved
    search: SearchResult
    decisions: int
    search_seconds: float
    compile_seconds: float
    check_seconds: float

    @property
    def winner(self) -> Player:
        """The player whose strategy the certificate is."""
        return self.certificate.kind.player


def certify_encoding(
    encoded: Encoding,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
) -> Certified:
    """Find out who wins the game of an encoding, and certify it.

    ``tell`` hears of the stages ``"search"``, ``"plan"``, ``"compile"`` and ``"check"``.

    Raises ``UndecidedError`` at a limit, and ``CheckFailedError`` when the result does not
    pass levels 1 and 2 of the check: then nothing may be written.
    """
    deadline, watch = limits.deadline, Stopwatch()
    tell(Progress("search"))
    # The encoding's own model: its plies are those of the formula.
    game: TwoPlayerGame = load_game(encoded.model)
    solver = search_for(game, limits=limits, tell=tell)
    result = solver.solve()
    if result.winner is None:
        raise UndecidedError(result.reason)
    search_seconds = watch.lap()
    tell(Progress("plan"))
    planned: TwoPlayerGame | PlanningGame = game
    if result.winner in encoded.planned_on:
        planned = own = encoded.planned_on[result.winner]()
        plan = _own_plan(encoded, own, result.winner, deadline)
    else:
        plan = _plan(encoded, game, solver, result.winner, deadline)
    initial = planned.initial
    ended = planned.witnesses(initial, plan.hero) if initial.outcome else None
    tell(Progress("compile"))
    certificate = compile_plan(encoded, plan, ended)
    compile_seconds = watch.lap()
    tell(Progress("check"))
    checked, certificate = check_compiled(encoded, plan, certificate, deadline)
    decisions = sum(1 for _ in plan.nodes())
    seconds = search_seconds, compile_seconds, watch.lap()
    return Certified(encoded, certificate, checked, result, decisions, *seconds)


def check_compiled(
    encoded: Encoding, plan: Plan, certificate: CircuitCertificate, deadline: Deadline = NEVER
) -> tuple[CertificateProved, CircuitCertificate]:
    """The proof of a certificate that was compiled from a plan, and what was proved.

    Raises ``UndecidedError`` at the deadline and ``CheckFailedError`` where it does not hold.
    """
    if encoded.layout.state.is_board and certificate.aig.num_gates > _LARGE:
        checked, certificate = _check_large(encoded, plan, certificate, deadline)
    else:
        checked = check(encoded.qbf, certificate, deadline=deadline)
    return _proved_by_search(encoded, checked), certificate


def _proved_by_search(encoded: Encoding, checked: CheckResult) -> CertificateProved:
    name = encoded.model.name
    if isinstance(checked, CertificateUndecided):
        raise UndecidedError(f"the certificate of {name} was not fully checked: {checked}")
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate of {name} does not hold: {checked}")
    return checked


def _plan(
    encoded: Encoding, game: TwoPlayerGame, solver: SearchSolver, winner: Player, deadline: Deadline
) -> Plan:
    def won(position: Position) -> bool:
        return solver.winner(position) is winner

    wins = _within_first_moves(encoded, game, won) if game.first_player is winner else won
    declared = languages().get(game.language)
    if winner is Player.BLACK and declared is not None and declared.planner is not None:
        own: Plan | None = load(declared.planner)(game, wins, solver.best_move, deadline)
        if own is not None:
            return own
    return Planner(game, winner, wins, deadline=deadline).build()


def _own_plan(encoded: Encoding, game: PlanningGame, hero: Player, deadline: Deadline) -> Plan:
    """The plan of a winner whose strategies are planned on a game that is not the rules."""
    search = PlainSearch(game, deadline)
    if search.winner(game.initial) is not hero:
        name = encoded.layout.encoding
        raise NotCompiledError(
            f"{encoded.model.name}: found a win of {hero}'s that is none of those that the "
            f"encoding {name} is about, expected another encoding to certify it"
        )
    wins: Callable[[Position], bool] = lambda position: search.winner(position) is hero  # noqa: E731
    return Planner(game, hero, wins, deadline=deadline).build()


def _within_first_moves(
    encoded: Encoding, game: TwoPlayerGame, wins: Callable[[Position], bool]
) -> Callable[[Position], bool]:
    """``wins`` without the first moves that the encoding leaves out, for reasons of symmetry."""
    initial = game.initial
    if initial.outcome is not None or not encoded.layout.moves:
        return wins
    kept = set(encoded.layout.moves[0].moves)
    left_out = {initial.play(m) for m in initial.legal_moves() if str(m) not in kept}
    return lambda position: position not in left_out and wins(position)


def _check_large(
    encoding: Encoding, plan: Plan, certificate: CircuitCertificate, deadline: Deadline
) -> tuple[CheckResult, CircuitCertificate]:
    """The check of a large certificate, as it stands and behind lemmas; with what was checked.

    A certificate compiled with lemmas has its functions once more in a larger graph, gate by
    gate: what is proved of one holds for the other.
    """
    part, most = _AS_IT_STANDS[certificate.kind.player]
    first = deadline.share(part).or_after(most)
    found = check(encoding.qbf, certificate, deadline=first)
    if not isinstance(found, CertificateUndecided):
        return found, certificate
    from qsage_validate.certificates.lemmas import compile_with_lemmas

    certificate, larger, lemmas = compile_with_lemmas(encoding, plan)
    found = check(encoding.qbf, larger, deadline=deadline.share(_LEMMAS), lemmas=lemmas)
    if isinstance(found, CertificateUndecided):
        found = check(encoding.qbf, certificate, deadline=deadline)
    return found, certificate


# Ways to a certificate of any formula, and the one gate through which all of them lead


AUTO: Final = "auto"
SEARCH: Final = "search"
EXPANSION: Final = "expansion"

# Expansion of so small formulas takes no time, and no other program.
_SMALL_VARIABLES: Final = 24
_SMALL_GATES: Final = 2_000

# Preprocessing, which can take without end, has so many seconds before the other routes are tried,
# which then have as many; then all have more.
_PATIENCE: Final = 10.0
_MORE: Final = 4


@dataclass(frozen=True, slots=True)
class RouteOptions:
    """Options for finding a certificate.

    ``solver`` is the QBF solver (``None``: what is there); ``limits`` of time are for all
    of it, the check included, of memory for each program and for the search's table;
    ``jobs`` are processes of the check; ``bloqqer`` are options of the preprocessor; ``given`` is
    the file of a trace for the route of that name.
    """

    route: str = AUTO
    solver: str | None = None
    limits: Limits = Limits()  # noqa: RUF009 (frozen)
    minimise: bool = False
    jobs: int = 1
    bloqqer: Mapping[str, int] | None = None
    given: str | None = None


@dataclass(frozen=True, slots=True)
class RouteAttempt:
    """A route that did not lead to a certificate, and why."""

    route: str
    why: str

    def __str__(self) -> str:
        return f"{self.route}: {self.why}"


@dataclass(frozen=True, slots=True)
class CertifiedFormula:
    """A formula, a certificate that was proved for it, and how it came about.

    ``by`` names the programs; ``stages`` has what each stage took, in seconds of wall time, the
    check among them; ``attempts`` are the routes that were tried before.
    """

    formula: Qbf
    certificate: CircuitCertificate
    proved: CertificateProved
    route: str
    by: str
    stages: tuple[tuple[str, float], ...]
    attempts: tuple[RouteAttempt, ...] = ()
    note: str = ""

    @property
    def truth(self) -> bool:
        """The truth value that the certificate proves."""
        return self.certificate.kind.decides.value == "exists"

    def seconds(self, *stages: str) -> float:
        """The seconds of the stages of these names together; without names, of all stages."""
        return sum(s for name, s in self.stages if not stages or name in stages)

    def __repr__(self) -> str:
        return f"<CertifiedFormula {self.certificate!r} by {self.by}>"


@dataclass(frozen=True)
class _Task:
    formula: Qbf
    encoding: Encoding | None
    layout: Layout | None
    options: RouteOptions
    quick: bool
    tell: Tell
    patience: float


def certify_formula(
    formula: Qbf,
    options: RouteOptions = RouteOptions(),
    *,
    encoding: Encoding | None = None,
    layout: Layout | None = None,
    tell: Tell = nobody,
) -> CertifiedFormula:
    """Decide ``formula`` and give a proved certificate of the answer.

    ``encoding`` says that the formula is that of a game, which the route ``search`` needs;
    ``layout`` what its variables mean, which makes minimised functions shorter.
    ``tell`` hears what begins, and how far a search is.

    Raises ``UsageError`` for routes and solvers that do not fit, ``SolverMissingError`` and
    ``MissingExtraError`` for what is not there, ``UndecidedError`` at a limit, and
    ``CheckFailedError`` when a certificate was made that does not hold.
    """
    small = options.route == AUTO and formula.num_variables <= _SMALL_VARIABLES
    known = layout if layout is not None or encoding is None else encoding.layout
    patient = options.route != AUTO or options.limits.deadline.at < inf
    patience = inf if patient else _PATIENCE
    task = _Task(formula, encoding, known, options, small, tell, patience)
    names = _order(task, options)
    attempts: dict[str, RouteAttempt] = {}
    failures: dict[str, QsageError] = {}
    while names:
        again: list[str] = []
        for rank, name in enumerate(names):
            limits = options.limits
            if rank < len(names) - 1:  # half of the time; the last one has all of it
                limits = replace(limits, deadline=limits.deadline.share(1 / 2))
            if again:
                limits = replace(limits, deadline=limits.deadline.sooner(task.patience))
            try:
                found = _ROUTES[name](task, limits)
                checked = replace(options, limits=limits) if again else options
                return _proved(task, name, found, checked, tuple(attempts.values()))
            except (UsageError, CheckFailedError):
                raise  # a wrong certificate is an alarm, not a reason to try something else
            except QsageError as error:
                attempts[name], failures[name] = RouteAttempt(name, str(error)), error
                if isinstance(error, GivenUpError) or (again and limits.deadline.over):
                    again.append(name)
        names = [] if options.limits.deadline.over else again
        task = replace(task, patience=task.patience * _MORE)
    raise _failure([*attempts.values()], [*failures.values()])


def certify_prepared(
    whole: Encoding,
    prepared: Encoding,
    options: RouteOptions = RouteOptions(),
    *,
    tell: Tell = nobody,
) -> CertifiedFormula:
    """Certify ``prepared``, and lift the certificate to ``whole``, where it is proved.

    ``prepared`` encodes what preparation leaves of the game of ``whole``
    (:func:`~qsage_validate.encodings.prepared.prepare`), in the same encoding.  Raises
    as :func:`certify_formula` does, and ``UsageError`` where a network has too many ways to list.
    """
    from qsage_validate.certificates.lemmas import lift

    plain = replace(options, minimise=False)
    found = certify_formula(prepared.qbf, plain, encoding=prepared, tell=tell)
    watch = Stopwatch()
    tell(Progress("lift"))
    lifted = lift(found.certificate, prepared, whole)
    stages = (*found.stages, ("lift", watch.seconds))
    candidate = Candidate(lifted, f"{found.by} on the prepared game", stages, None, found.note)
    task = _Task(whole.qbf, whole, whole.layout, options, False, tell, inf)
    return _proved(task, found.route, candidate, options, found.attempts)


def route_names() -> tuple[str, ...]:
    return (AUTO, *_ROUTES)


# --- Which routes, and for how long -----------------------------------------------------------


def _order(task: _Task, options: RouteOptions) -> list[str]:
    """The routes to try, one after the other."""
    if options.route not in route_names():
        choices = ", ".join(route_names())
        near = did_you_mean(options.route, route_names())
        raise UsageError(f"unknown route {options.route!r}{near}, expected one of: {choices}")
    if options.route != AUTO:
        if options.route == SEARCH and task.encoding is None:
            raise UsageError(
                "found --route search for a formula, expected a game: only rules can be searched"
            )
        if options.solver is not None and options.route in (SEARCH, EXPANSION):
            raise UsageError(f"found --solver with --route {options.route}, which uses none")
        return [options.route]
    if options.solver is not None:
        from qsage_validate.certificates.by_proof import is_tool

        return ["tool"] if is_tool(options.solver) else ["bloqqer", "trace"]
    if task.encoding is not None:
        return [SEARCH, "bloqqer", "trace"]
    if task.quick:
        return [EXPANSION, "bloqqer", "trace"]
    return ["bloqqer", "trace", EXPANSION]


def _failure(attempts: list[RouteAttempt], failures: list[QsageError]) -> QsageError:
    if len(failures) == 1:
        return failures[0]
    from qsage_validate.solvers.backend import SolverMissingError

    missing = [e for e in failures if isinstance(e, MissingExtraError | SolverMissingError)]
    for error in missing:
        if isinstance(error, MissingExtraError) or len(missing) == len(failures):
            return error
    return UndecidedError("; ".join(map(str, attempts)))


# --- The gate ---------------------------------------------------------------------------------


def _proved(
    task: _Task,
    route: str,
    candidate: Candidate,
    options: RouteOptions,
    attempts: tuple[RouteAttempt, ...],
) -> CertifiedFormula:
    stages = list(candidate.stages)
    certificate, proved = candidate.certificate, candidate.proved
    if not certificate.functions:
        # All are don't-cares, played as false: a file that says nothing at all is not believed.
        own = task.formula.variables(certificate.kind.decides)
        certificate, proved = replace(certificate, functions=dict.fromkeys(own, FALSE)), None
    if proved is None:
        task.tell(Progress("check"))
        proved = _check(task.formula, certificate, candidate.by, options)
        stages.append(("check", proved.seconds))
    if options.minimise:
        from qsage_validate.certificates.smaller import minimised

        task.tell(Progress("minimise"))
        deadline = options.limits.deadline
        found = minimised(task.formula, certificate, layout=task.layout, deadline=deadline)
        certificate, proved = found.certificate, found.proof
        stages.append(("minimise", found.seconds))
    by, note = candidate.by, candidate.note
    return CertifiedFormula(
        task.formula, certificate, proved, route, by, tuple(stages), attempts, note
    )


def _check(
    formula: Qbf, certificate: CircuitCertificate, by: str, options: RouteOptions
) -> CertificateProved:
    checked = check(formula, certificate, deadline=options.limits.deadline, jobs=options.jobs)
    if isinstance(checked, CertificateUndecided):
        raise UndecidedError(f"the certificate by {by} was not fully checked: {checked}")
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate by {by} does not hold: {checked}")
    return checked


# --- The routes -------------------------------------------------------------------------------
# Each loads what it alone needs: a search no solvers, readers of traces and liftings.


def _search(task: _Task, limits: Limits) -> Candidate:
    assert task.encoding is not None, "the order has looked"
    certified = certify_encoding(task.encoding, limits=of_the_rest(limits), tell=task.tell)
    stages = (
        ("search", certified.search_seconds),
        ("compile", certified.compile_seconds),
        ("check", certified.check_seconds),
    )
    same = certified.encoding.qbf == task.formula
    proved = certified.check if same else None
    note = f"a move chosen in {counted(certified.decisions, 'case')}"
    return Candidate(certified.certificate, SEARCH, stages, proved, note)


def _bloqqer(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.by_proof import by_preprocessing

    return by_preprocessing(
        task.formula,
        limits,
        solver=task.options.solver,
        tell=task.tell,
        options=task.options.bloqqer,
        patience=task.patience,
    )


def _trace(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.by_proof import by_trace

    solver, given = task.options.solver, task.options.given
    return by_trace(task.formula, limits, solver=solver, tell=task.tell, trace=given)


def _tool(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.by_proof import by_tool

    return by_tool(task.formula, limits, solver=task.options.solver, tell=task.tell)


def _expansion(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.by_expansion import MAX_GATES, expand

    task.tell(Progress("expanding"))
    watch = Stopwatch()
    most = _SMALL_GATES if task.quick else MAX_GATES
    certificate = expand(task.formula, deadline=limits.deadline, max_gates=most)
    return Candidate(certificate, EXPANSION, (("expand", watch.seconds),))


_ROUTES: Mapping[str, Callable[[_Task, Limits], Candidate]] = {
    SEARCH: _search,
    "bloqqer": _bloqqer,
    "trace": _trace,
    "tool": _tool,
    EXPANSION: _expansion,
}
