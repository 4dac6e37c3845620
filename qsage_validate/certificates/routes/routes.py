"""Ways to a certificate of any formula, and the one gate through which all of them lead.

Every route makes a claim; what :func:`certify_formula` hands out has been proved by
:func:`~qsage_validate.certificates.checker.check.check` on the formula as it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from qsage_validate.certificates.checker.check import CertificateProved, CertificateUndecided, check
from qsage_validate.certificates.routes.by_search import CheckFailedError, certify_encoding
from qsage_validate.certificates.routes.clausal import Candidate, GivenUpError, of_the_rest
from qsage_validate.circuit.aig import FALSE
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import (
    MissingExtraError,
    QsageError,
    UndecidedError,
    UsageError,
    did_you_mean,
)
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.system.limits import Limits, Progress, Stopwatch, Tell, nobody

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
    ``jobs`` are processes of the check; ``bloqqer`` are options of the preprocessor.
    """

    route: str = AUTO
    solver: str | None = None
    limits: Limits = Limits()  # noqa: RUF009 (frozen)
    minimise: bool = False
    jobs: int = 1
    bloqqer: Mapping[str, int] | None = None


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
    solver: str | None
    quick: bool
    bloqqer: Mapping[str, int] | None
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
    task = _Task(formula, encoding, known, options.solver, small, options.bloqqer, tell, patience)
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
    (:func:`~qsage_validate.encodings.positional.open_game.prepare`), in the same encoding.  Raises
    as :func:`certify_formula` does, and ``UsageError`` where a network has too many ways to list.
    """
    from qsage_validate.certificates.compile.lift import lift

    plain = replace(options, minimise=False)
    found = certify_formula(prepared.qbf, plain, encoding=prepared, tell=tell)
    watch = Stopwatch()
    tell(Progress("lift"))
    lifted = lift(found.certificate, prepared, whole)
    stages = (*found.stages, ("lift", watch.seconds))
    candidate = Candidate(lifted, f"{found.by} on the prepared game", stages, None, found.note)
    task = _Task(whole.qbf, whole, whole.layout, options.solver, False, options.bloqqer, tell, inf)
    return _proved(task, found.route, candidate, options, found.attempts)


def route_names() -> tuple[str, ...]:
    """The names that ``RouteOptions.route`` may have."""
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
        from qsage_validate.certificates.routes.by_proof import is_tool

        return ["tool"] if is_tool(options.solver) else ["bloqqer", "trace"]
    if task.encoding is not None:
        return [SEARCH, "bloqqer", "trace"]
    if task.quick:
        return [EXPANSION, "bloqqer", "trace"]
    return ["bloqqer", "trace", EXPANSION]


def _failure(attempts: list[RouteAttempt], failures: list[QsageError]) -> QsageError:
    if len(failures) == 1:
        return failures[0]
    from qsage_validate.solvers.qbf.backend import SolverMissingError

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
        from qsage_validate.certificates.minimise.minimise import minimised

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
    proved, note = certified.check if same else None, f"{certified.decisions} decisions"
    return Candidate(certified.certificate, SEARCH, stages, proved, note)


def _bloqqer(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.routes.by_proof import by_preprocessing

    return by_preprocessing(
        task.formula,
        limits,
        solver=task.solver,
        tell=task.tell,
        options=task.bloqqer,
        patience=task.patience,
    )


def _trace(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.routes.by_proof import by_trace

    return by_trace(task.formula, limits, solver=task.solver, tell=task.tell)


def _tool(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.routes.by_proof import by_tool

    return by_tool(task.formula, limits, solver=task.solver, tell=task.tell)


def _expansion(task: _Task, limits: Limits) -> Candidate:
    from qsage_validate.certificates.routes.by_expansion import MAX_GATES, expand

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
