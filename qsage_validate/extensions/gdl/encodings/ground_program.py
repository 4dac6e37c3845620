"""Ground logic programs: grounding by clingo, and programs as circuits.

A stratified program has one stable model for each choice.  Where no atom depends on itself, an
atom is true in it just when some body of it is (Clark's completion, exact for tight programs);
where some do, after finitely many stages.  So each atom is a gate over the choices, and no
variable is needed besides these.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from qsage_validate.circuit.qbf import CircuitBuilder
from qsage_validate.errors import MissingExtraError, QsageError, UndecidedError
from qsage_validate.extensions.gdl.dependencies import components
from qsage_validate.system.memory import MEMORY_MB

MAX_GATES: Final = 5_000_000
"""No circuit of a program is larger than this."""

MAX_RULES: Final = 3_000_000
"""No more ground rules than this are taken (some 2 GB)."""

_RULES_PER_MB: Final = 1500


@dataclass(frozen=True, slots=True)
class ClingoRule:
    """``head :- body`` over numbered atoms; no head is a constraint, a choice may hold or not."""

    choice: bool
    head: tuple[int, ...]
    body: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WeightRule:
    """``head :- bound <= sum of the weights of the literals that hold``; otherwise alike."""

    choice: bool
    head: tuple[int, ...]
    bound: int
    body: tuple[tuple[int, int], ...]


@dataclass
class ClingoProgram:
    """Ground rules; ``symbols`` are clingo's symbols of atoms, ``facts`` the true ones.

    ``numbers`` has the number of every atom that clingo names, whether it is shown or not.
    ``weights`` are rules with sums, ``others`` the names of statements that are no rules.
    """

    rules: list[ClingoRule] = field(default_factory=list)
    weights: list[WeightRule] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    symbols: dict[int, Any] = field(default_factory=dict)
    facts: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)


def ground(
    text: str, *, max_rules: int = MAX_RULES, message: Callable[[str], None] | None = None
) -> ClingoProgram:
    """Ground a program with clingo; ``message`` is told what clingo says about it.

    Raises ``MissingExtraError`` without clingo, ``UndecidedError`` for more than ``max_rules``
    rules or more than :func:`grounding_within` allows, ``RuntimeError`` for a text that is no
    program.
    """
    try:
        import clingo
    except ModuleNotFoundError:
        raise MissingExtraError("grounding logic programs", "gdl") from None
    memory = MEMORY_MB.get()
    if memory is not None:
        max_rules = min(max_rules, memory * _RULES_PER_MB)
    program = ClingoProgram()

    class Watcher(clingo.Observer):  # type: ignore[misc]  # clingo has no types here
        def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
            program.rules.append(ClingoRule(choice, tuple(head), tuple(body)))
            # Grounding goes on for as long as there are rules: what explodes is stopped here.
            if len(program.rules) > max_rules:
                raise _TooManyError

        def weight_rule(
            self, choice: bool, head: Sequence[int], lower_bound: int, body: Any
        ) -> None:
            pairs = tuple((literal, weight) for literal, weight in body)
            program.weights.append(WeightRule(choice, tuple(head), lower_bound, pairs))

        def minimize(self, *_: object) -> None:
            program.others.append("#minimize")

        def external(self, *_: object) -> None:
            program.others.append("#external")

        def theory_atom(self, *_: object) -> None:
            program.others.append("a theory atom")

        def output_atom(self, symbol: Any, atom: int) -> None:
            if atom:
                program.symbols[atom] = symbol
            else:
                program.facts.append(symbol)

    told: list[str] = []
    control = clingo.Control(logger=lambda _, text: told.append(text), message_limit=20)
    control.register_observer(Watcher())
    try:
        control.add("base", [], text)
        control.ground([("base", [])])
        program.numbers.update((atom.symbol, atom.literal) for atom in control.symbolic_atoms)
    except _TooManyError:
        raise _exploded(max_rules, memory) from None
    except MemoryError:
        raise UndecidedError("undecided: no memory is left for the grounding") from None
    except RuntimeError as error:
        if "bad_alloc" in str(error):
            raise UndecidedError("undecided: no memory is left for the grounding") from None
        raise
    finally:
        if message is not None:
            for said in told:
                message(said)
    return program


class _TooManyError(Exception):
    """Stops a grounding; caught within this module."""


def _exploded(max_rules: int, memory: int | None) -> UndecidedError:
    within = "" if memory is None else f", about what fits into {memory:,} MB"
    return UndecidedError(f"undecided: the grounding has more than {max_rules:,} rules{within}")


class ProgramCircuit:
    """The atoms of a ground program as literals of a circuit.

    ``chosen`` has a variable for each named atom in the head of a choice.  Atoms that depend on
    each other positively (connection over a board, say) are built in stages: a stage says what
    follows from the stage before, the first that nothing holds, and after as many stages as
    there are such atoms nothing more can follow.  Raises ``QsageError`` for atoms that depend on
    their own negation, ``UndecidedError`` for more than ``max_gates`` gates.
    """

    def __init__(
        self,
        program: ClingoProgram,
        builder: CircuitBuilder,
        chosen: Mapping[int, int],
        *,
        max_gates: int = MAX_GATES,
    ) -> None:
        self.builder = builder
        self.constraints = [rule.body for rule in program.rules if not rule.head]
        self._max_gates = max_gates
        self._bodies: dict[int, list[tuple[int, ...]]] = {}
        self._choices: dict[int, list[tuple[int, ...]]] = {}
        edges: dict[int, list[int]] = {}
        for rule in program.rules:
            bodies = self._choices if rule.choice else self._bodies
            for atom in rule.head:
                bodies.setdefault(atom, []).append(rule.body)
                edges.setdefault(atom, []).extend(map(abs, rule.body))
            for atom in rule.body:
                # An atom that no rule derives is false; it must be known all the same.
                edges.setdefault(abs(atom), [])
        self._chosen = chosen
        self._symbols = program.symbols
        self._literals: dict[int, int] = {}
        self.recursive = 0
        """The number of atoms that are built in stages."""
        for component in components(edges):
            (atom,) = component if len(component) == 1 else (0,)
            if atom and atom not in edges[atom]:
                self._literals[atom] = self._gate(atom, self._literals)
            else:
                self._build_in_stages(sorted(component))
            if len(builder.gates) > max_gates:
                raise UndecidedError(f"undecided: the formula has more than {max_gates:,} gates")

    def literal(self, atom: int) -> int:
        """The literal of an atom (or of its negation, for a negative number)."""
        literal = self._literals[abs(atom)]
        return literal if atom > 0 else -literal

    def verdict(self) -> int:
        """The literal that says that no constraint is violated."""
        clauses = [self.builder.or_(*(-self.literal(x) for x in body)) for body in self.constraints]
        return self.builder.and_(*clauses)

    def _build_in_stages(self, atoms: Sequence[int]) -> None:
        own = set(atoms)
        for atom in atoms:
            bodies = (*self._bodies.get(atom, ()), *self._choices.get(atom, ()))
            if any(-x in own for body in bodies for x in body):
                name = self._symbols.get(atom, f"atom {atom}")
                raise QsageError(f"found {name}, which depends on its own negation")
        self.recursive += len(atoms)
        stage = dict.fromkeys(atoms, self.builder.false)
        for _ in atoms:
            known = ChainMap(stage, self._literals)
            after = {atom: self._gate(atom, known) for atom in atoms}
            if after == stage:
                break
            if len(self.builder.gates) > self._max_gates:
                raise UndecidedError(
                    f"undecided: the formula has more than {self._max_gates:,} gates"
                )
            stage = after
        self._literals.update(stage)

    def _gate(self, atom: int, literals: Mapping[int, int]) -> int:
        builder = self.builder

        def conjunction(body: tuple[int, ...]) -> int:
            return builder.and_(*(literals[x] if x > 0 else -literals[-x] for x in body))

        parts = [conjunction(body) for body in self._bodies.get(atom, ())]
        choices = self._choices.get(atom)
        if choices is not None:
            allowed = builder.or_(*map(conjunction, choices))
            # What the grounder found to be a fact after all has lost its name, and its choice.
            parts.append(builder.and_(allowed, self._chosen.get(atom, builder.true)))
        return builder.or_(*parts)
