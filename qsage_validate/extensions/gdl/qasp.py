"""Quantified logic programs: ground, read and written.

A stratified program has one stable model for each choice.  Where no atom depends on itself, an
atom is true in it just when some body of it is (Clark's completion, exact for tight programs);
where some do, after finitely many stages.  So each atom is a gate over the choices, and no
variable is needed besides these.

Definition 3 of He, Saffidine and Thielscher 2024 (after Fandinno et al. 2021): a program with a
prefix over its atoms, given by facts as the translator ``qasp2qbf`` takes them:

- ``_exists(N, A)`` and ``_forall(N, A)``: the atom ``A`` is quantified at level ``N``, odd levels
  being existential and even ones universal; ``_quantify(N, A)`` leaves that to ``N``.

An innermost stable model is sought.  Every atom is true just when some body of it is (Clark's
completion).  Atoms that depend on each other positively need more: where nothing else ties them,
they are built in stages, otherwise each has a rank, and an atom needs a body whose atoms of the
same component have smaller ranks (Janhunen and Niemelä 2011).  Atoms that are functions of others
are gates; the rest, quantified or not, are variables.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.errors import InputError, MissingExtraError, QsageError, UndecidedError
from qsage_validate.extensions.gdl.model import components
from qsage_validate.formats.source import PERCENT, Path, Source, quoted
from qsage_validate.system.limits import MEMORY_MB

# Ground logic programs: grounding by clingo, and programs as circuits


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


# Quantified logic programs as formulas


_QUANTIFIERS: Final[Mapping[str, Quantifier | None]] = {
    "_exists": Quantifier.EXISTS,
    "_forall": Quantifier.FORALL,
    "_quantify": None,
}
_PLACE = re.compile(r"<block>:(\d+):(\d+)[^ ]*: error: (.*)")


def read_qasp(path: Path) -> Qbf:
    """The formula of the quantified logic program in ``path`` (``-`` is standard input).

    Raises ``InputError`` for what is no program, for a prefix that contradicts itself, and for
    programs with disjunctions, optimisation or sums in recursion; ``MissingExtraError`` without
    clingo, ``UndecidedError`` for groundings and formulas that are too large.
    """
    return parse_qasp(Source.open(path, PERCENT))


def parse_qasp(source: Source) -> Qbf:
    """The formula of a program; errors as in :func:`read_qasp`."""
    source.check_not_empty("a logic program with _exists or _forall")
    told: list[str] = []
    try:
        program = ground(source.text, message=told.append)
    except RuntimeError as error:
        raise _error_of(source, told, str(error)) from None
    prefix = _prefix(source, program)
    return _Translation(source, program, prefix).formula()


def _error_of(source: Source, told: Sequence[str], text: str) -> InputError:
    """The error that clingo reports, with its place in the file."""
    for line in told:
        match = _PLACE.match(line)
        if match is not None:
            what = " ".join([match[3].removesuffix(":"), *line.split("\n")[1:2]])
            found = " ".join(what.replace("[#inc_base];", "").split()).rstrip(".")
            return source.line_error(int(match[1]), found, "a logic program", int(match[2]))
    return InputError(source.path, None, None, text, "a logic program")


# --- The prefix ---------------------------------------------------------------------------------


def _prefix(source: Source, program: ClingoProgram) -> dict[Any, tuple[int, Quantifier]]:
    """Level and quantifier of each quantified atom, as clingo's symbol."""
    facts = {n for rule in program.rules if not rule.body and not rule.choice for n in rule.head}
    prefix: dict[Any, tuple[int, Quantifier]] = {}
    for symbol, number in program.numbers.items():
        if symbol.name not in _QUANTIFIERS or len(symbol.arguments) != 2:
            continue

        def wrong(found: str, expected: str) -> InputError:
            return InputError(source.path, None, None, found, expected)

        if number not in facts:
            raise wrong(f"{symbol}, which is no fact", "a prefix that the grounder decides")
        level, atom = symbol.arguments
        text = str(level)
        if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 30):
            raise wrong(f"the level {quoted(text)} in {symbol}", "a positive number")
        quantifier = Quantifier.EXISTS if int(text) % 2 else Quantifier.FORALL
        said = _QUANTIFIERS[symbol.name]
        if said is not None and said is not quantifier:
            kind = "odd" if said is Quantifier.EXISTS else "even"
            raise wrong(f"the level {text} in {symbol}", f"an {kind} level")
        if str(atom.type).endswith("Function") is False or not atom.name:
            raise wrong(f"{quoted(str(atom))} in {symbol}", "an atom")
        known = prefix.setdefault(atom, (int(text), quantifier))
        if known != (int(text), quantifier):
            raise wrong(f"{atom} at the levels {known[0]} and {text}", "one level for an atom")
    if not prefix:
        raise InputError(
            source.path, None, None, "no quantified atom", "facts _exists(N,A) and _forall(N,A)"
        )
    return prefix


# --- The matrix ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Body:
    """A way to derive an atom: literals that all hold, or a sum; and whether it is a choice."""

    choice: bool
    rule: ClingoRule | WeightRule

    @property
    def literals(self) -> tuple[int, ...]:
        body = self.rule.body
        return tuple(x if isinstance(x, int) else x[0] for x in body)


class _Translation:
    def __init__(
        self, source: Source, program: ClingoProgram, prefix: Mapping[Any, tuple[int, Quantifier]]
    ) -> None:
        self.source = source
        self.program = program
        self.bodies: dict[int, list[_Body]] = {}
        self.constraints: list[_Body] = []
        self.edges: dict[int, list[int]] = {}
        self._collect()
        self.names = {number: symbol for symbol, number in program.numbers.items()}
        # Atoms that the program does not have are false, and are named by numbers of their own.
        fresh = count(max([0, *self.edges, *self.names]) + 1)
        self.quantified: dict[int, tuple[int, Quantifier]] = {}
        for symbol, place in sorted(prefix.items(), key=lambda item: (item[1][0], str(item[0]))):
            number = program.numbers.get(symbol)
            if number is None:
                number = next(fresh)
                self.names[number] = symbol
            self.quantified[number] = place
            self.edges.setdefault(number, [])

    def _collect(self) -> None:
        rules: Iterable[ClingoRule | WeightRule] = (*self.program.rules, *self.program.weights)
        for rule in rules:
            if len(rule.head) > 1 and not rule.choice:
                raise self._unsupported("a disjunction in a head")
            body = _Body(rule.choice, rule)
            if not rule.head:
                self.constraints.append(body)
            for atom in rule.head:
                self.bodies.setdefault(atom, []).append(body)
                self.edges.setdefault(atom, []).extend(map(abs, body.literals))
            for literal in body.literals:
                self.edges.setdefault(abs(literal), [])
        for name in self.program.others:
            if name != "#external":
                raise self._unsupported(name)

    def _unsupported(self, what: str) -> InputError:
        return InputError(
            self.source.path, None, None, what, "a program of normal rules, choices and constraints"
        )

    # -- variables ----------------------------------------------------------------------------

    def formula(self) -> Qbf:
        order = components(self.edges)
        variables: dict[int, int] = {}
        staged: set[frozenset[int]] = set()
        ranked: dict[int, tuple[frozenset[int], tuple[int, ...]]] = {}
        following = count(1)
        levels: dict[int, list[int]] = {}
        quantifiers: dict[int, Quantifier] = {}
        for atom, (level, quantifier) in self.quantified.items():
            variables[atom] = next(following)
            levels.setdefault(level, []).append(variables[atom])
            quantifiers[level] = quantifier
        inner: list[int] = []
        for component in order:
            if not self._is_cycle(component):
                (atom,) = component
                if atom not in variables and any(b.choice for b in self.bodies.get(atom, ())):
                    variables[atom] = next(following)
                    inner.append(variables[atom])
                continue
            if self._can_be_staged(component, variables):
                staged.add(component)
                continue
            for atom in sorted(component):
                if atom not in variables:
                    variables[atom] = next(following)
                    inner.append(variables[atom])
            for positive in self._positive_components(component):
                width = max((len(positive) - 1).bit_length(), 1)
                for atom in sorted(positive):
                    bits = tuple(next(following) for _ in range(width))
                    ranked[atom] = positive, bits
                    inner += bits
        scopes = [Scope(quantifiers[n], tuple(levels[n])) for n in sorted(levels)]
        scopes.append(Scope(Quantifier.EXISTS, tuple(inner)))
        builder = CircuitBuilder(next(following))
        output = _Matrix(self, builder, variables, staged, ranked).build(order)
        names = {v: _name(str(self.names[a])) for a, v in variables.items() if a in self.names}
        doubled = {n for n in names.values() if list(names.values()).count(n) > 1}
        names = {v: n for v, n in names.items() if n not in doubled}
        merged = Qbf(tuple(scopes), {}, output).merged_scopes()
        return Qbf(merged, builder.gates, output, names, path=self.source.path)

    def _is_cycle(self, component: frozenset[int]) -> bool:
        if len(component) > 1:
            return True
        (atom,) = component
        return atom in self.edges[atom]

    def _can_be_staged(self, component: frozenset[int], variables: Mapping[int, int]) -> bool:
        """True if its atoms are functions of others: none is negated, chosen or quantified."""
        for atom in component:
            if atom in variables:
                return False
            for body in self.bodies.get(atom, ()):
                own = [x for x in body.literals if abs(x) in component]
                if body.choice or any(x < 0 for x in own):
                    return False
                if own and isinstance(body.rule, WeightRule):
                    return False
        return True

    def _positive_components(self, component: frozenset[int]) -> Iterator[frozenset[int]]:
        edges: dict[int, list[int]] = {atom: [] for atom in sorted(component)}
        for atom, below in edges.items():
            for body in self.bodies.get(atom, ()):
                below += [x for x in body.literals if x > 0 and x in component]
        for found in components(edges):
            atom = min(found)
            if len(found) > 1 or atom in edges[atom]:
                yield found


@dataclass
class _Matrix:
    """The circuit of a program over variables for some of its atoms."""

    translation: _Translation
    builder: CircuitBuilder
    variables: Mapping[int, int]
    staged: set[frozenset[int]]
    ranked: Mapping[int, tuple[frozenset[int], tuple[int, ...]]]
    literals: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bodies = self.translation.bodies

    def build(self, order: Sequence[frozenset[int]]) -> int:
        """The literal that says that the variables are a stable model's."""
        builder = self.builder
        conjuncts: list[int] = []
        for component in order:
            self.literals.update((a, self.variables[a]) for a in component if a in self.variables)
            if component in self.staged:
                self._stages(sorted(component))
                continue
            for atom in sorted(component):
                if atom in self.variables:
                    conjuncts += self._completion(atom)
                else:
                    ways = [self._body(body, self.literals) for body in self.bodies.get(atom, ())]
                    self.literals[atom] = builder.or_(*ways)
            if len(builder.gates) > MAX_GATES:
                raise UndecidedError(f"undecided: the formula has more than {MAX_GATES:,} gates")
        conjuncts += [-self._body(c, self.literals) for c in self.translation.constraints]
        return builder.and_(*conjuncts)

    def _literal(self, number: int, literals: Mapping[int, int]) -> int:
        return literals[number] if number > 0 else -literals[-number]

    def _body(self, body: _Body, literals: Mapping[int, int]) -> int:
        rule = body.rule
        if isinstance(rule, ClingoRule):
            return self.builder.and_(*(self._literal(x, literals) for x in rule.body))
        pairs = [(self._literal(x, literals), weight) for x, weight in rule.body]
        return self._at_least(pairs, rule.bound)

    def _at_least(self, pairs: Sequence[tuple[int, int]], bound: int) -> int:
        """The literal that the weights of true literals reach a bound (a decision diagram)."""
        builder = self.builder
        left = [0]
        for _, weight in reversed(pairs):
            left.append(left[-1] + weight)
        left.reverse()
        known: dict[tuple[int, int], int] = {}

        def reached(place: int, missing: int) -> int:
            if missing <= 0:
                return builder.true
            if missing > left[place]:
                return builder.false
            if (place, missing) not in known:
                literal, weight = pairs[place]
                without = reached(place + 1, missing)
                # More is never worse, so the branch without needs no guard.
                with_it = builder.and_(literal, reached(place + 1, missing - weight))
                known[place, missing] = builder.or_(with_it, without)
            return known[place, missing]

        # Depth by depth from the end, so that no recursion is deep.
        if len(pairs) > 200:
            for place in range(len(pairs) - 1, -1, -200):
                for missing in range(1, min(bound, left[place]) + 1):
                    reached(place, missing)
        return reached(0, bound)

    def _completion(self, atom: int) -> list[int]:
        """The conditions that tie an atom with a variable to its bodies."""
        builder, value = self.builder, self.literals[atom]
        derive: list[int] = []
        support: list[int] = []
        for body in self.bodies.get(atom, ()):
            holds = self._body(body, self.literals)
            if not body.choice:
                derive.append(holds)
            support.append(builder.and_(holds, *self._lower(atom, body)))
        conjuncts = [builder.implies(holds, value) for holds in derive]
        conjuncts.append(builder.implies(value, builder.or_(*support)))
        return conjuncts

    def _lower(self, atom: int, body: _Body) -> list[int]:
        """The ranks of a body's atoms of the same component are below the atom's own."""
        if atom not in self.ranked:
            return []
        component, bits = self.ranked[atom]
        below = [x for x in body.literals if x > 0 and x in component]
        if below and isinstance(body.rule, WeightRule):
            raise self.translation._unsupported("a sum over atoms that depend on it")
        return [self._less(self.ranked[x][1], bits) for x in below]

    def _less(self, left: Sequence[int], right: Sequence[int]) -> int:
        """The literal that ``left`` is the smaller number; most significant bits first."""
        builder, found = self.builder, self.builder.false
        for a, b in zip(reversed(left), reversed(right), strict=True):
            found = builder.or_(builder.and_(-a, b), builder.and_(builder.iff(a, b), found))
        return found

    def _stages(self, atoms: Sequence[int]) -> None:
        """The least fixed point of atoms that depend on each other positively only."""
        stage = dict.fromkeys(atoms, self.builder.false)
        for _ in atoms:
            known = self.literals | stage
            after = {
                atom: self.builder.or_(*(self._body(b, known) for b in self.bodies[atom]))
                for atom in atoms
            }
            if after == stage:
                break
            if len(self.builder.gates) > MAX_GATES:
                raise UndecidedError(f"undecided: the formula has more than {MAX_GATES:,} gates")
            stage = after
        self.literals.update(stage)


def _name(text: str) -> str:
    """An atom as a word that QCIR can have."""
    signs = {"(": "_", ",": "_", ")": ""}
    word = "".join(
        c if c.isascii() and (c.isalnum() or c == "_") else signs.get(c, "_") for c in text
    )
    return f"p{word}" if not word[:1].isalpha() else word
