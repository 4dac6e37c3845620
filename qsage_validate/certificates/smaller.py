"""Smaller certificates of the same formula.

In this order, each stage taking what is smallest so far:

``structure``
    cone of influence, constants, equal gates (``circuit/aig.py``);
``definitions``
    in the project's own encodings only Black's moves are kept, and everything else is built as
    the encoding defines it (:func:`rebuild`);
``learning``
    short functions learnt from the certificate's plays (``learning.py``), for all
    variables, or, where that is too much, for all but a player's moves: these stay, and
    everything that follows from them is found anew;
``sweeping``
    gates that are equal under all inputs become one (``circuit/simplify.py``);
``don't-cares``
    gates whose values do not matter, because the play is over or a move was illegal, are
    replaced by simpler ones (``circuit/simplify.py``).

Nothing is handed out that has not passed both levels of
:func:`~qsage_validate.certificates.check.check`; where nothing smaller passes, the original is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateRefuted,
    check,
    circuit_of,
)
from qsage_validate.certificates.learning import (
    FeatureCircuit,
    LearningStyle,
    defined_gates,
    feature_circuit,
    learn,
)
from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder, embed, strash
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.simplify import FailureError, Judge, simplify, sweep
from qsage_validate.encodings.encoding import Goals, PlyLiterals
from qsage_validate.encodings.grid import grid_completions, read
from qsage_validate.encodings.layout import Bits, Layout, Ply
from qsage_validate.errors import Exit, QsageError, UndecidedError, counted
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import parse_domain, parse_problem
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    Dialect,
)
from qsage_validate.kernel.composition import NotDefinitionalError
from qsage_validate.system.limits import NEVER, Deadline, Progress, Stopwatch, Tell, nobody, telling

# Seconds for all stages together when there is no deadline.
_SECONDS: Final = 60.0
# The share of what is left of the time that one stage may take.
_LEARNING: Final = 0.5
_RELEARNING: Final = 0.3
_KEEPING: Final = 0.3
_SWEEPING: Final = 0.3
# The share that is left for the last check.
_CHECKING: Final = 0.1
# The share that the check of the original may take.
_PREMISE: Final = 0.25
# Small checks are made even when the time is over.
_LEAST_SECONDS: Final = 0.1
# Larger certificates are swept, and learnt in part, when they cannot be learnt as a whole;
# smaller ones are freed of don't-cares before anything is learnt from them.
_SMALL: Final = 1200
# A certificate that is learnt may be this much larger at first: its don't-cares are to go yet.
_LARGER: Final = 4
# Styles of learning that are tried one after the other while there is time.
_STYLES: Final = (
    LearningStyle(),
    LearningStyle(thrift=0.3, seed=1),
    LearningStyle(thrift=3.0, seed=2),
)


class WrongCertificateError(QsageError):
    """The certificate that shall become smaller does not prove the formula's value."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True, slots=True)
class MinimiseStage:
    """The result of a stage: the remaining gates, and a note."""

    name: str
    gates: int
    seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Minimised:
    """The smallest certificate that was found and proved.

    ``smaller`` says whether it has fewer gates than the ``original`` number; it is a certificate
    in any case.  ``dropped`` counts the functions of gates that the formula defines itself
    (Tseitin variables of another form of it): the result does not have them.
    """

    certificate: CircuitCertificate
    original: int
    stages: tuple[MinimiseStage, ...]
    proof: CertificateProved
    smaller: bool
    dropped: int
    seconds: float

    @property
    def gates(self) -> int:
        return self.certificate.aig.num_gates


def minimised(
    formula: Qbf,
    certificate: Certificate,
    *,
    layout: Layout | None = None,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> Minimised:
    """Make ``certificate`` smaller until the deadline, for a minute where there is none.

    ``layout`` says which variables mean coordinates and moves; it makes functions shorter and
    is not needed.  ``tell`` hears the stage and what it has come to.

    Raises :class:`WrongCertificateError` when ``certificate`` does not hold, and
    ``UndecidedError`` when that is not known in time and nothing smaller was proved either.
    """
    watch = Stopwatch()
    try:
        circuit = circuit_of(certificate, formula)
    except NotDefinitionalError as error:
        raise UndecidedError(f"the clauses cannot be read as definitions: {error}") from None
    work = _Work(formula, circuit, layout, deadline.or_after(_SECONDS), tell)
    work.run()
    if work.proof is None:
        raise UndecidedError(
            "nothing smaller was found, and it is not known whether the certificate holds"
        )
    return Minimised(
        work.proved,
        circuit.aig.num_gates,
        tuple(work.stages),
        work.proof,
        work.proved.aig.num_gates < circuit.aig.num_gates,
        len(circuit.extra),
        watch.seconds,
    )


class _Work:
    """``best`` is the smallest certificate so far, ``proved`` the smallest that was checked."""

    def __init__(
        self,
        formula: Qbf,
        original: CircuitCertificate,
        layout: Layout | None,
        deadline: Deadline,
        tell: Tell,
    ) -> None:
        self.formula = formula
        self.kind = original.kind
        self._original = original
        # Suggestions of a layout: functions of the columns and rows of a board.
        self.layout = layout if layout is not None and layout.state.is_board else None
        self.stages: list[MinimiseStage] = []
        self._last = deadline
        self._deadline = deadline.share(1 - _CHECKING)
        self._tell = tell
        self._circuit: FeatureCircuit | None = None
        # Gates without don't-cares that could be found.
        self._settled: CircuitCertificate | None = None
        self.best = self.proved = self._structure()
        self.proof = self._premise()

    def run(self) -> None:
        rebuilt = (
            self.layout is not None and not self._deadline.over and self._definitions(self.layout)
        )
        if rebuilt and self._large:
            self._sweep()
        if not self._large:
            self._dont_cares(self.best, _LEARNING)
        for style in _STYLES:
            if self._deadline.over or not self.best.aig.num_gates:
                break
            share = _LEARNING if self._large else _RELEARNING
            learnt = self._learn(style, share)
            if learnt is None and self._large and not rebuilt:
                learnt = self._learn(style, _KEEPING, keep=self._moves())
                if learnt is None:
                    self._sweep()
            if learnt is None:
                break  # there is more to be had from the rest of the time
            self._dont_cares(learnt, _LEARNING)
        self._dont_cares(self.best, 1.0)
        self._check()

    @property
    def _large(self) -> bool:
        return self.best.aig.num_gates > _SMALL

    # -- Stages

    def _structure(self) -> CircuitCertificate:
        watch = Stopwatch()
        original = self._original
        aig, literals = strash(original.aig, list(original.functions.values()))
        functions = dict(zip(original.functions, literals, strict=True))
        # Clauses, and what looked like QAIGER's, are written in CAQE's dialect.
        readable = original.dialect in (Dialect.QBFCERT_ASCII, Dialect.QBFCERT_BINARY)
        smaller = replace(
            original,
            aig=aig,
            functions=functions,
            extra={},
            path=None,
            dialect=original.dialect if readable else Dialect.CAQE,
        )
        self.stages.append(MinimiseStage("structure", aig.num_gates, watch.seconds))
        return smaller

    def _premise(self) -> CertificateProved | None:
        """The proof of the merged certificate, which proves the original, too; else ``None``.

        The check of a large certificate may take too long; the result is checked in any case.
        """
        watch = self._begin("check")
        limit = self._last.share(_PREMISE).later(_LEAST_SECONDS)
        result = check(self.formula, self.best, deadline=limit)
        if isinstance(result, CertificateRefuted):
            raise WrongCertificateError(f"the certificate does not hold: {result.reason}")
        note = "" if isinstance(result, CertificateProved) else str(result)
        self.stages.append(MinimiseStage("check", self.best.aig.num_gates, watch.seconds, note))
        return result if isinstance(result, CertificateProved) else None

    def _definitions(self, layout: Layout) -> bool:
        """True if the certificate was rebuilt from its moves."""
        watch = self._begin("definitions")
        rebuilt = rebuild(self.formula, layout, self.best)
        if rebuilt is None:
            return False
        why = ""
        if rebuilt.aig.num_gates < self.best.aig.num_gates:
            # These functions have not been proved yet, and all that follows builds on them.
            limit = self._deadline.share(_KEEPING).later(_LEAST_SECONDS)
            result = check(self.formula, rebuilt, deadline=limit)
            if isinstance(result, CertificateProved):
                self.proved, self.proof = rebuilt, result
            else:
                rebuilt, why = None, str(result)
        self._end("definitions", watch, rebuilt, why)
        if rebuilt is None or rebuilt is not self.proved:
            return False
        self.best = rebuilt
        return True

    def _sweep(self) -> None:
        watch = self._begin("sweeping")
        functions = self.best.functions
        done = sweep(
            self.best.aig,
            list(functions.values()),
            deadline=self._deadline.share(_SWEEPING),
            tell=telling(self._tell, "sweeping"),
        )
        self._end(
            "sweeping",
            watch,
            self._with(done.aig, self.best.inputs, dict(zip(functions, done.outputs, strict=True))),
        )

    def _learn(
        self, style: LearningStyle, share: float, keep: Collection[int] = ()
    ) -> CircuitCertificate | None:
        name = "learning with moves kept" if keep else "learning"
        watch = self._begin(name)
        if self._circuit is None:
            definitions = defined_gates(self.formula, self.kind.decides)
            self._circuit = feature_circuit(
                self.formula, self.kind.decides, self.layout, definitions
            )
        learnt = learn(
            self._circuit,
            self.best,
            style=style,
            keep=keep,
            deadline=self._deadline.share(share),
            give_up=_LARGER * self.best.aig.num_gates,
            tell=telling(self._tell, name),
        )
        if learnt.wrong:
            raise WrongCertificateError("the certificate does not hold: it loses a play")
        found = learnt.certificate
        if found is not None:
            found = self._with(found.aig, found.inputs, dict(found.functions))
        self._end(name, watch, found, learnt.why)
        return found

    def _dont_cares(self, certificate: CircuitCertificate, share: float) -> None:
        if self._deadline.over or certificate is self._settled:
            return
        watch = self._begin("don't-cares")
        aig, functions = _in_prefix_order(certificate, self.formula)
        opponent = self.formula.variables(self.kind.decides.dual)
        level = self.formula.levels()
        try:
            done = simplify(
                aig,
                list(functions.values()),
                judge(self.formula, self.kind, list(functions)),
                [level[v] for v in opponent],
                deadline=self._deadline.share(share),
                tell=telling(self._tell, "don't-cares"),
            )
        except FailureError:
            raise WrongCertificateError(
                "the certificate does not hold: it loses a random play"
            ) from None
        smaller = self._with(done.aig, opponent, dict(zip(functions, done.functions, strict=True)))
        self._end("don't-cares", watch, smaller)
        if done.finished and (self.best is smaller or self.best is certificate):
            self._settled = self.best

    def _moves(self) -> frozenset[int]:
        """The variables that stay: the player's moves, else all but those of the last scope."""
        decided = self.formula.variables(self.kind.decides)
        if self.layout is not None:
            moves = {abs(v) for ply in self.layout.moves for v in ply.all_variables}
            return frozenset(v for v in decided if v in moves)
        level = self.formula.levels()
        last = max((level[v] for v in decided), default=0)
        return frozenset(v for v in decided if level[v] < last)

    # -- Bookkeeping

    def _with(
        self, aig: Aig, inputs: tuple[int, ...], functions: dict[int, int]
    ) -> CircuitCertificate:
        return replace(self.proved, aig=aig, inputs=inputs, functions=functions)

    def _begin(self, name: str) -> Stopwatch:
        self._tell(Progress(name, counted(self.best.aig.num_gates, "gate")))
        return Stopwatch()

    def _end(
        self, name: str, watch: Stopwatch, found: CircuitCertificate | None, why: str = ""
    ) -> None:
        """Keep what was found when it is smaller."""
        if found is not None and found.aig.num_gates < self.best.aig.num_gates:
            self.best = found
        gates = self.best.aig.num_gates if found is None else found.aig.num_gates
        self.stages.append(MinimiseStage(name, gates, watch.seconds, why))

    def _check(self) -> None:
        """Believe the smallest certificate when the check does."""
        if self.best is self.proved:
            return  # proved, or too large to be proved in much more time than is left
        watch = self._begin("check")
        result = check(self.formula, self.best, deadline=self._last.later(_LEAST_SECONDS))
        if isinstance(result, CertificateProved):
            self.proved, self.proof = self.best, result
        note = "" if isinstance(result, CertificateProved) else str(result)
        self.stages.append(MinimiseStage("check", self.proved.aig.num_gates, watch.seconds, note))


def judge(formula: Qbf, kind: CertificateKind, decided: list[int]) -> Judge:
    """The circuit that is true where functions of ``decided`` lose.

    Its inputs are the opponent's variables, then those of ``decided``.

    Variables that are not ``decided`` are false, as in the check.
    """
    opponent = formula.variables(kind.decides.dual)
    builder = AigBuilder(len(opponent) + len(decided))
    literals = dict(zip((*opponent, *decided), builder.inputs, strict=True))
    for variable in formula.variables(kind.decides):
        literals.setdefault(variable, FALSE)
    output = formula.add_to(builder, literals)
    aig, (failure,) = builder.build([output ^ (kind is CertificateKind.SKOLEM)])
    return Judge(aig, failure)


def _in_prefix_order(certificate: CircuitCertificate, formula: Qbf) -> tuple[Aig, dict[int, int]]:
    """The functions over all of the opponent's variables, in the order of the prefix."""
    opponent = formula.variables(certificate.kind.decides.dual)
    builder = AigBuilder(len(opponent))
    place = dict(zip(opponent, builder.inputs, strict=True))
    functions = certificate.functions
    inputs = [place[v] for v in certificate.inputs]
    built = embed(builder, certificate.aig, inputs, list(functions.values()))
    aig, literals = builder.build(built)
    return aig, dict(zip(functions, literals, strict=True))


_ENCODINGS = frozenset({"lifted", "lifted-guarded"})


def rebuild(
    formula: Qbf, layout: Layout, certificate: CircuitCertificate
) -> CircuitCertificate | None:
    """The certificate with its moves and claims kept and everything else defined anew.

    In the project's own encodings every other variable of Black's follows from the moves
    (``encodings/grid_state.py``): what the indicators say, what stands on the symbolic
    square, which part of White's goal is missing.

    ``None`` where no definition of the rest is known: for encodings of other tools, for layouts
    without a model, and for Herbrand certificates, whose other functions are themselves choices.
    Whether the result holds is the caller's to check: a certificate may do what the definitions
    do not, where the formula lets it.
    """
    parts = layout.model
    if layout.encoding not in _ENCODINGS or not {"domain", "problem"} <= parts.keys():
        return None
    if certificate.kind is not CertificateKind.SKOLEM:
        return None
    model = Model(
        parse_domain(parts["domain"], "the formula's model (domain)"),
        parse_problem(parts["problem"], "the formula's model (problem)"),
        parts.get("name", "game").strip(),
    )
    play = _CertificatePlay(formula, layout, certificate)
    completed = grid_completions(layout, model)[Player.BLACK](play)
    decided = formula.variables(certificate.kind.decides)
    functions = {v: play.kept.get(v, completed.get(v, FALSE)) for v in decided}
    aig, outputs = play.builder.build(list(functions.values()))
    return replace(
        certificate,
        aig=aig,
        inputs=formula.variables(certificate.kind.decides.dual),
        functions=dict(zip(functions, outputs, strict=True)),
        extra={},
    )


class _CertificatePlay:
    """The play of a certificate; ``kept`` are its functions of Black's moves and claims."""

    hero = Player.BLACK

    def __init__(self, formula: Qbf, layout: Layout, certificate: CircuitCertificate) -> None:
        opponent = formula.variables(certificate.kind.decides.dual)
        self.builder = AigBuilder(len(opponent))
        own = dict(zip(opponent, self.builder.inputs, strict=True))
        named = {v for bits in layout.goals.claim(Player.BLACK) for v in bits}
        named |= {v for ply in layout.moves for v in ply.all_variables}
        kept = sorted({abs(v) for v in named} & set(certificate.functions))
        built = embed(
            self.builder,
            certificate.aig,
            [own[v] for v in certificate.inputs],
            [certificate.functions[v] for v in kept],
        )
        self.kept = dict(zip(kept, built, strict=True))
        self.literals: Mapping[int, int] = own | self.kept
        self.plies = [self._ply(ply) for ply in layout.moves]

    def _ply(self, ply: Ply) -> PlyLiterals:
        numbers = [read(self.literals, number.bits) for number in ply.coding.numbers]
        (stop,) = (FALSE,) if ply.stop is None else read(self.literals, (ply.stop,))
        return PlyLiterals(ply.player, numbers, stop, {}, tuple)

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """Nothing: the claims are the certificate's own."""
        return (FALSE,) * width
