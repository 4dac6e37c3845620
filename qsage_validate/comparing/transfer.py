"""The functions of one formula's certificate, put into another formula over shared variables.

The shared variables that the certificate decides become gates of the second formula: its residual
formula says that the rest of its player's variables can be chosen such that the strategy wins. A
certificate of the residual formula, together with the functions, is a certificate of the second
formula, and is checked as such.

A function may read variables of the opponent that are not shared. They are the opponent's in the
residual formula as well, in an outermost block of their own: the strategy wins when it wins for
every value of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from qsage_validate.certificates.checker.check import CertificateProved, CertificateRefuted, check
from qsage_validate.certificates.routes.by_search import CheckFailedError
from qsage_validate.certificates.routes.rest import Beaten, complete, evaluate
from qsage_validate.certificates.routes.routes import RouteOptions
from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder, embed, strash
from qsage_validate.circuit.decision import MOST_TABULATED, tabulated
from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.circuit.sat import Solver, Unsatisfiable, satisfy
from qsage_validate.comparing.shared import Loses, Shared, Transfer, Wins
from qsage_validate.errors import Undecided, UndecidedError, UsageError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect


def transfer(
    certificate: CircuitCertificate, second: Qbf, shared: Shared, options: RouteOptions
) -> Transfer:
    """The result of using a certificate's strategy in ``second`` over the shared variables.

    ``options`` say how the rest is found.  Raises ``UsageError`` when no shared variable is one
    that the certificate decides, and the errors of ``certify_formula`` where there are no solvers.
    """
    part = _part(certificate, second, shared)
    if isinstance(part, Loses):
        return part
    formula, strategy = part[0], _smaller(part[1])
    rest = [v for v in formula.variables(strategy.kind.decides) if v not in strategy.functions]
    if not rest:
        checked = check(formula, strategy, deadline=options.limits.deadline)
        if isinstance(checked, CertificateProved):
            return Wins("the functions are all that it needs (proved by SAT)", strategy)
        if not isinstance(checked, CertificateRefuted):
            return Undecided(f"whether the functions win: {checked.reason}")
        assert checked.choice is not None, "what the functions read was looked at before"
        return _lost(formula, strategy, checked.choice, "")
    try:
        found = complete(formula, strategy, options, as_it_is=True)
    except UndecidedError as error:
        return Undecided(f"whether the rest can be chosen: {error}")
    if isinstance(found, Beaten):
        saved = can_hold(found.left, found.choice, strategy.kind)
        how = "against some choice of the other variables" if saved else "whatever the rest is"
        return _lost(formula, strategy, found.choice, f" {how}")
    checked = check(formula, found.certificate)
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the joined certificate does not hold: {checked}")
    count = f"{len(rest)} other variable{'s' * (len(rest) > 1)}"
    how = f"with functions of {count} by {found.by} (checked by SAT)"
    return Wins(how, found.certificate)


# --- The strategy in the second formula -------------------------------------------------------


def _part(
    certificate: CircuitCertificate, second: Qbf, shared: Shared
) -> tuple[Qbf, CircuitCertificate] | Loses:
    """The second formula with a block of the variables that are not shared, and the functions."""
    kind, quantifiers = certificate.kind, second.quantifiers()
    decided = {v: w for v, w in shared.first_of.items() if quantifiers[v] is kind.decides}
    if not decided:
        raise UsageError(
            f"none of the shared variables is {kind.player}'s: the strategy says nothing of the "
            "second formula"
        )
    functions = {v: certificate.functions.get(w, FALSE) for v, w in decided.items()}
    second_of = {w: v for v, w in shared.first_of.items()}
    read = _inputs_of(certificate.aig, functions.values())
    number = max(second.max_variable, 0)
    inputs: dict[int, int] = {}
    unshared: list[int] = []
    for index in sorted(read):
        variable = second_of.get(certificate.inputs[index - 1])
        if variable is None:
            number += 1
            variable = number
            unshared.append(variable)
        inputs[index] = variable
    formula = second
    if unshared:
        outermost = Scope(kind.decides.dual, tuple(unshared))
        formula = replace(second, scopes=(outermost, *second.scopes))
    return _within_prefix(certificate, formula, functions, inputs)


def _within_prefix(
    certificate: CircuitCertificate,
    formula: Qbf,
    functions: Mapping[int, int],
    inputs: Mapping[int, int],
) -> tuple[Qbf, CircuitCertificate] | Loses:
    """The functions over what stands left of them in the prefix.

    An input further right is no matter where the function does not depend on it.
    """
    levels = formula.levels()
    builder = AigBuilder(len(inputs))
    literal_of = dict(zip(inputs, builder.inputs, strict=True))
    built: dict[int, int] = {}
    for variable, function in functions.items():
        right = {
            k
            for k in _inputs_of(certificate.aig, [function])
            if levels[inputs[k]] > levels[variable]
        }
        for k in sorted(right):
            if _depends(certificate.aig, function, k):
                return Loses(
                    f"the function of {formula.name(variable)} reads {formula.name(inputs[k])}, "
                    "which is chosen later there"
                )
        literals = [
            FALSE if k in right else literal_of.get(k, FALSE)
            for k in range(1, certificate.aig.num_inputs + 1)
        ]
        (built[variable],) = embed(builder, certificate.aig, literals, [function])
    aig, moved = builder.build(list(built.values()))
    return formula, CircuitCertificate(
        certificate.kind,
        aig,
        tuple(inputs.values()),
        dict(zip(built, moved, strict=True)),
        Dialect.CAQE,
    )


def _smaller(strategy: CircuitCertificate) -> CircuitCertificate:
    """An equivalent graph, rebuilt from truth tables where there are few inputs."""
    if strategy.aig.num_inputs > MOST_TABULATED:
        return strategy
    aig, moved = tabulated(strategy.aig, list(strategy.functions.values()))
    if aig.num_gates >= strategy.aig.num_gates:
        return strategy
    return replace(strategy, aig=aig, functions=dict(zip(strategy.functions, moved, strict=True)))


def _inputs_of(aig: Aig, outputs: Iterable[int]) -> set[int]:
    """The inputs that literals reach once constants and equal gates are simplified."""
    small, moved = strash(aig, list(outputs))
    reached = {literal >> 1 for literal in moved}
    reached.update((small.fanin0 >> 1).tolist())
    reached.update((small.fanin1 >> 1).tolist())
    return {k for k in reached if 1 <= k <= small.num_inputs}


def _depends(aig: Aig, function: int, index: int) -> bool:
    """True if a function depends on an input: it has two values for some values of the others."""
    builder = AigBuilder(aig.num_inputs)
    values = []
    for constant in (FALSE, FALSE ^ 1):
        literals = list(builder.inputs)
        literals[index - 1] = constant
        values += embed(builder, aig, literals, [function])
    graph, (different,) = builder.build([builder.xor(*values)])
    return not isinstance(satisfy(graph, different), Unsatisfiable)


# --- The play in which the second formula is lost ---------------------------------------------


def _lost(
    formula: Qbf, strategy: CircuitCertificate, choice: Mapping[int, bool], how: str
) -> Loses:
    values = {**choice, **evaluate(strategy, choice)}
    play: list[str] = []
    replies: list[str] = []
    for scope in formula.merged_scopes():
        known = [v for v in scope.variables if v in values]
        text = " ".join(f"{'' if values[v] else '-'}{formula.name(v)}" for v in known)
        if not known:
            continue
        play.append(text)
        if scope.quantifier is not strategy.kind.decides:
            replies.append(text)
    truth = "false" if strategy.kind is CertificateKind.SKOLEM else "true"
    return Loses(
        f"the second formula is {truth} in this play{how}",
        tuple(play),
        tuple(replies),
        values,
        strategy,
    )


def can_hold(formula: Qbf, values: Mapping[int, bool], kind: CertificateKind) -> bool:
    """True if some values of all other variables give the matrix the value that ``kind`` wants."""
    goal = formula.output if kind is CertificateKind.SKOLEM else -formula.output
    with Solver("minicard", bootstrap_with=list(formula.clauses())) as solver:
        fixed = [v if value else -v for v, value in values.items()]
        return bool(solver.solve(assumptions=[*fixed, goal]))
