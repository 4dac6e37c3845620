"""The certificate check, levels 1 and 2: the functions are functions, and they win.

Level 1 (:func:`dependencies`): each function reads only variables left of its own.  Level 2
(:func:`check_matrix`): no assignment of the opponent's variables makes the matrix false (Skolem)
or true (Herbrand), which is a question for SAT solvers about certificate and negated matrix as
one graph (``circuit/cubes.py``), or about decision lists step by step
(``definitions.py``).  :func:`check` is both.  Variables without a function are don't-cares;
they are played as false, here as everywhere, so that what is proved is what is played.

A clause certificate is read as definitions first; where that fails nothing is proved: neither
what its functions read nor that they exist is known.  Where its clauses leave a variable open,
they must win with either value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from qsage_validate.circuit.aig import FALSE
from qsage_validate.circuit.cubes import Effort, satisfy_by_cubes
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.sat import Answer, Satisfiable, TimedOut
from qsage_validate.errors import Proof, Refutation, Undecided, counted
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dependency,
    dont_cares,
    wrong_dependencies,
)
from qsage_validate.kernel.composition import (
    Composition,
    Definitions,
    NotDefinitionalError,
    compose,
)
from qsage_validate.system.limits import NEVER, Deadline, Stopwatch, Tell, nobody

if TYPE_CHECKING:
    from qsage_validate.circuit.simplify import LemmaBatch


# Conflicts of the question behind lemmas, before it is asked without them.
_LEMMA_CONFLICTS: Final = 200_000
# Functions from proofs read all variables of clauses, whose puzzles on 4x4 have 160; those of
# our own compiler, which are no decision lists, read the opponent's moves.
INPUTS: Final = 100


@dataclass(frozen=True, slots=True)
class Lemma:
    """A clause that may help the check: it is proved before it is used.

    ``graph`` are literals of the certificate's graph, ``formula`` signed variables and gates of
    the formula.
    """

    graph: tuple[int, ...] = ()
    formula: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LemmaStep:
    """Lemmas that are proved together (see :class:`qsage_validate.circuit.simplify.LemmaBatch`).

    Each attempt says which gates of graph and formula are looked at as if they were inputs, and
    the numbers of earlier steps that help.
    """

    lemmas: tuple[Lemma, ...]
    attempts: tuple[tuple[Lemma, tuple[int, ...]], ...] = ((Lemma(), ()),)

    @property
    def parts(self) -> tuple[Lemma, ...]:
        """The parts of the step that name gates: the lemmas and the cuts."""
        return (*self.lemmas, *(cuts for cuts, _ in self.attempts))


@dataclass(frozen=True, slots=True)
class CheckEvidence:
    """The size of a check and its cost: numbers of gates, calls and conflicts.

    ``certificate`` are the gates in the file (of a clause set: of the circuit that its
    clauses define), ``composed`` those of certificate and matrix together in which equal
    gates are one, as far as the result needs them; where decision lists were followed, all gates.
    """

    certificate: int
    composed: int
    effort: Effort


@dataclass(frozen=True, slots=True)
class CertificateProved(Proof):
    """The certificate proves its formula true (Skolem) or false (Herbrand).

    ``dont_cares`` are the variables without a function, in the order of the prefix; the proof
    has them false.  ``open_variables`` are those that clauses leave open where it makes no
    difference.  ``gates`` is the size of the circuit that was proved constant.
    """

    kind: CertificateKind
    dont_cares: tuple[int, ...]
    gates: int
    seconds: float
    open_variables: tuple[int, ...] = ()
    evidence: CheckEvidence | None = None

    @property
    def notes(self) -> str:
        """Remarks on the functions, as the rest of a sentence."""
        note = ""
        if self.dont_cares:
            note += (
                f"; {counted(len(self.dont_cares), 'variable')} without a function played as false"
            )
        if self.open_variables:
            note += (
                f"; it wins with either value of {counted(len(self.open_variables), 'variable')}"
            )
            note += " that the clauses leave open"
        return note

    @property
    def reason(self) -> str:
        value = "true" if self.kind is CertificateKind.SKOLEM else "false"
        return f"the {self.kind.value} functions make the formula {value}{self.notes}"

    def __repr__(self) -> str:
        return f"<CertificateProved {self.kind.value}: {counted(self.gates, 'gate')}>"


@dataclass(frozen=True, slots=True)
class CertificateRefuted(Refutation):
    """The certificate is wrong; ``reason`` is a sentence fragment.

    ``choice`` is an assignment of all of the opponent's variables that beats it, ``None`` when
    it failed at level 1 already: then ``dependency`` says which function looks to its right.
    """

    reason: str
    choice: Mapping[int, bool] | None = None
    dependency: Dependency | None = None
    evidence: CheckEvidence | None = None

    def __post_init__(self) -> None:
        if (self.choice is None) == (self.dependency is None):
            raise ValueError("a refutation is either a choice or a dependency")


@dataclass(frozen=True, slots=True)
class CertificateUndecided(Undecided):
    """With what was looked at in vain."""

    evidence: CheckEvidence | None = None


CheckResult = CertificateProved | CertificateRefuted | CertificateUndecided


def check(
    formula: Qbf,
    certificate: Certificate,
    *,
    deadline: Deadline = NEVER,
    jobs: int = 1,
    lemmas: Sequence[LemmaStep] = (),
) -> CheckResult:
    """Check both levels; the SAT calls end at the deadline.

    The certificate's inputs and functions must be variables of the formula and of the right
    quantifiers (readers and compilers see to it): ``KeyError`` or ``ValueError`` otherwise.
    """
    try:
        wrong = dependencies(formula, certificate)
    except NotDefinitionalError as error:
        return CertificateUndecided(f"the clauses cannot be read as definitions: {error}")
    if wrong:
        return CertificateRefuted(wrong[0].text(formula), dependency=wrong[0])
    return check_matrix(formula, certificate, deadline=deadline, jobs=jobs, lemmas=lemmas)


def dependencies(formula: Qbf, certificate: Certificate) -> tuple[Dependency, ...]:
    """Level 1: the functions that look to their right.

    Raises :class:`NotDefinitionalError` when clauses are no definitions, and the errors of
    :func:`check`.
    """
    circuit = functions_of(certificate, formula).circuit
    _check_sides(formula, circuit)
    return wrong_dependencies(circuit, formula)


def check_matrix(
    formula: Qbf,
    certificate: Certificate,
    *,
    deadline: Deadline = NEVER,
    jobs: int = 1,
    tell: Tell = nobody,
    lemmas: Sequence[LemmaStep] = (),
) -> CheckResult:
    """Level 2, whatever the functions read; limits and errors are those of :func:`check`.

    The result, a refuting choice included, is the same for every number of ``jobs``
    (processes).
    """
    search = _CheckSearch(formula, deadline, jobs, tell)
    try:
        read = functions_of(certificate, formula)
    except NotDefinitionalError as error:
        return CertificateUndecided(f"the clauses cannot be read as definitions: {error}")
    circuit = read.circuit
    _check_sides(formula, circuit)
    search.certificate = circuit.aig.num_gates
    if circuit is certificate and not lemmas and search.follows_lists(circuit):
        free = dont_cares(circuit, formula)
        return CertificateProved(
            circuit.kind, free, search.composed, search.watch.seconds, (), search.evidence
        )
    openings_end = len(read.contradictions) + len(read.openings)
    composition = compose(
        circuit,
        formula,
        [
            *read.contradictions.values(),
            *read.openings.values(),
            *(x for step in lemmas for part in step.parts for x in part.graph),
        ],
        rewrite=not lemmas,
    )
    builder = composition.builder
    contradictions = composition.also[: len(read.contradictions)]
    openings = composition.also[len(read.contradictions) : openings_end]
    ambiguous = builder.or_all(openings)
    beaten = builder.or_all([_lost(composition, circuit.kind), *contradictions])
    goal = builder.and_(beaten, ambiguous ^ 1)
    answer = None
    if lemmas:
        answer = search.ask_with_lemmas(
            composition, goal, _steps(composition, lemmas, openings_end)
        )
    if answer is None and search.late:
        answer = TimedOut(search.watch.seconds)
    if answer is None:
        answer = search.ask(composition, goal)
    if isinstance(answer, Satisfiable):
        choice = dict(zip(composition.opponent, answer.inputs, strict=True))
        at_fault = _true(composition, contradictions, answer.inputs)
        reason = f"the matrix is {'false' if circuit.kind is CertificateKind.SKOLEM else 'true'}"
        if at_fault:
            variable = list(read.contradictions)[at_fault[0]]
            reason = f"the clauses of {variable} contradict each other"
        reason = f"{reason} under {_text(formula, choice)}"
        return CertificateRefuted(reason, choice, evidence=search.evidence)
    open_variables: tuple[int, ...] = ()
    if not isinstance(answer, TimedOut) and ambiguous != FALSE:
        answer = search.ask(composition, ambiguous)
        if isinstance(answer, Satisfiable):
            assert isinstance(certificate, ClauseCertificate), "circuits leave nothing open"
            first, *_ = _true(composition, openings, answer.inputs)
            open_variables = (list(read.openings)[first],)
            choice = dict(zip(composition.opponent, answer.inputs, strict=True))
            answer, doubt = _either_value_wins(search, certificate)
            if doubt:
                return CertificateUndecided(
                    f"the clauses have several solutions under {_text(formula, choice)}: "
                    f"they leave {open_variables[0]} open, {doubt}",
                    search.evidence,
                )
    if isinstance(answer, TimedOut):
        return CertificateUndecided(
            f"no answer within {deadline.seconds:g} seconds", search.evidence
        )
    free = dont_cares(certificate, formula)
    return CertificateProved(
        circuit.kind, free, search.composed, search.watch.seconds, open_variables, search.evidence
    )


def _either_value_wins(search: _CheckSearch, certificate: ClauseCertificate) -> tuple[Answer, str]:
    """Ask for a solution of the clauses that loses; if there is one, say why it proves nothing.

    An input of its own gives the value of each open variable, so that the graph has every
    solution.  If no solution loses and none is contradictory, the functions that are false
    where they are open win, and so do all other functions that satisfy the clauses.
    """
    from qsage_validate.certificates.definitions import definitions

    formula = search.formula
    read = definitions(certificate, formula, choose=True)
    composition = compose(read.circuit, formula, [*read.contradictions.values()])
    builder = composition.builder
    contradictory = builder.or_all(composition.also)
    lost = _lost(composition, certificate.kind)
    answer = search.ask(composition, builder.or_(lost, contradictory))
    if not isinstance(answer, Satisfiable):
        return answer, ""
    if _true(composition, composition.also, answer.inputs):
        return answer, "and one of its values leads to a contradiction"
    return answer, "and it loses with one of its values"


class _CheckSearch:
    """The SAT calls of one check, and their cost."""

    def __init__(self, formula: Qbf, deadline: Deadline, jobs: int, tell: Tell) -> None:
        self.formula = formula
        self.watch = Stopwatch()
        self.certificate = 0
        self.composed = 0
        self._deadline = deadline
        self._jobs = jobs
        self._tell = tell
        self._effort = Effort()

    @property
    def evidence(self) -> CheckEvidence:
        return CheckEvidence(self.certificate, self.composed, self._effort)

    @property
    def late(self) -> bool:
        return self._deadline.over

    def follows_lists(self, circuit: CircuitCertificate) -> bool:
        """True if decision lists proved the functions, step by step.

        Where the opponent has few variables, cases of their values are quicker.
        """
        if len(circuit.inputs) < INPUTS:
            return False
        from qsage_validate.certificates.definitions import proved_by_lists

        proved, effort = proved_by_lists(
            self.formula, circuit, deadline=self._deadline, tell=self._tell
        )
        self._effort += effort
        if proved:
            self.composed = circuit.aig.num_gates + len(self.formula.gates)
        return proved

    def ask(self, composition: Composition, literal: int) -> Answer:
        """The answer whether ``literal`` can be true; the inputs are the composition's."""
        aig, (moved,) = composition.builder.build([literal])
        self.composed = max(self.composed, aig.num_gates)
        answer, effort = satisfy_by_cubes(
            aig, moved, jobs=self._jobs, deadline=self._deadline, tell=self._tell
        )
        self._effort += effort
        return answer

    def ask_with_lemmas(
        self, composition: Composition, literal: int, steps: Sequence[LemmaBatch]
    ) -> Answer | None:
        """The same behind lemmas; ``None`` when these are no help."""
        from qsage_validate.circuit.simplify import LemmaBatch, LemmaMethod, satisfy_with_lemmas

        parts = [
            part for s in steps for part in (*s.lemmas, *(attempt.cuts for attempt in s.attempts))
        ]
        used = sorted({x & ~1 for part in parts for x in part})
        aig, (moved, *places) = composition.builder.build([literal, *used])
        self.composed = max(self.composed, int(np.count_nonzero(aig.cone([moved]))))
        place = dict(zip(used, places, strict=True))

        def placed(literals: Sequence[int]) -> tuple[int, ...]:
            return tuple(place[x & ~1] ^ (x & 1) for x in literals)

        answer, effort = satisfy_with_lemmas(
            aig,
            moved,
            [
                LemmaBatch(
                    tuple(map(placed, step.lemmas)),
                    tuple(LemmaMethod(placed(a.cuts), a.uses) for a in step.attempts),
                )
                for step in steps
            ],
            conflicts=_LEMMA_CONFLICTS,
            deadline=self._deadline,
        )
        calls = effort.proved + effort.refuted + effort.open + 1
        self._effort += Effort(calls, effort.conflicts)
        return answer


def circuit_of(certificate: Certificate, formula: Qbf) -> CircuitCertificate:
    """The functions as a graph; clauses are false where they leave a variable open.

    Raises :class:`NotDefinitionalError` when clauses are no definitions.
    """
    return functions_of(certificate, formula).circuit


def functions_of(certificate: Certificate, formula: Qbf) -> Definitions:
    """The functions as a graph, with what has to be false of clauses for them to be functions.

    Raises :class:`NotDefinitionalError` when clauses are no definitions.
    """
    if isinstance(certificate, ClauseCertificate):
        from qsage_validate.certificates.definitions import definitions

        return definitions(certificate, formula)
    return Definitions(certificate, {}, {})


def _lost(composition: Composition, kind: CertificateKind) -> int:
    """The literal that is true where the certificate loses."""
    return composition.matrix ^ (kind is CertificateKind.SKOLEM)


def _true(
    composition: Composition, literals: Sequence[int], inputs: Sequence[bool]
) -> Sequence[int]:
    """The indices of those ``literals`` that are true under ``inputs``, in order."""
    from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack

    aig, moved = composition.builder.build(literals)
    words = GraphSimulator(aig, moved).run(pack(np.array([inputs], dtype=np.bool_)))
    true: list[int] = np.flatnonzero(unpack(words, 1)[0]).tolist()
    return true


def _check_sides(formula: Qbf, circuit: CircuitCertificate) -> None:
    quantifiers = formula.quantifiers()
    for variable in circuit.inputs:
        if quantifiers[variable] is circuit.kind.decides:
            raise ValueError(f"the input {variable} is no variable of the opponent")
    for variable in circuit.functions:
        if quantifiers[variable] is not circuit.kind.decides:
            raise ValueError(f"the function of {variable} decides a variable of the opponent")


def _steps(composition: Composition, steps: Sequence[LemmaStep], first: int) -> list[LemmaBatch]:
    """The steps in literals of the composition, whose ``also`` has theirs from ``first`` on."""
    from qsage_validate.circuit.simplify import LemmaBatch, LemmaMethod

    literals = iter(composition.also[first:])

    def built(part: Lemma) -> tuple[int, ...]:
        named = (composition.literals[abs(v)] ^ (v < 0) for v in part.formula)
        return (*islice(literals, len(part.graph)), *named)

    found = []
    for step in steps:
        clauses = tuple(map(built, step.lemmas))
        attempts = tuple(LemmaMethod(built(cuts), uses) for cuts, uses in step.attempts)
        found.append(LemmaBatch(clauses, attempts))
    return found


def _text(formula: Qbf, choice: Mapping[int, bool]) -> str:
    literals = (("" if chosen else "-") + formula.name(v) for v, chosen in choice.items())
    return " ".join(literals) or "the empty assignment"
