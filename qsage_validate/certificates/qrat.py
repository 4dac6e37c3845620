"""QRAT traces, and certificates through preprocessing: from its result back to the original.

A QRAT trace leads from a formula to a preprocessor's result.  Walked backwards it turns
Skolem functions of the result into Skolem functions of the original (Heule, Seidl and Biere,
*Efficient extraction of Skolem functions from QRAT proofs*, FMCAD 2014):

- An added clause is removed, and a removed universal literal returns to its clause: functions
  that satisfy all clauses satisfy every subset and every weaker clause.
- A deleted clause returns.  Where the deletion rested on a pivot, an existential literal,
  the pivot becomes true wherever the clause would be false without it.  This is a function of
  what the pivot may read when the rest of the clause is; else the pivot becomes true wherever
  what it may read of the clause is false and the clauses with its complement hold without it.

Which way is taken does not matter for what is true of the deletion, but for the size.  Names of
techniques are only used to leave out changes that cannot have an effect, and to define what was
eliminated at once.  What comes out is a claim like any other certificate: it must be checked.

Functions read what their structure reads: a variable is "left of" another when its function
reads only universals left of that, whatever the prefix says.  Universals that occur in no
clause any more are read by nothing, so that they do not separate scopes.

:class:`GrowingFunctions` and :class:`ClauseTable` are the state, which changes step by step.

*Format of traces*: Heule, Seidl and Biere, *A unified proof system for QBF preprocessing* (IJCAR
2014), as Bloqqer writes it.  ``l1 l2 … 0`` adds a clause, ``d l1 l2 … 0`` deletes one, and ``u l1
l2 … 0`` takes the universal literal ``l1`` out of one; where the step rests on a pivot that is
the first literal.  Behind the 0 Bloqqer names the technique.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Final, NamedTuple

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed
from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError, QsageError
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.formats.source import Path, byte_error, label, quoted, read_bytes
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect

# QRAT traces: what a preprocessor did to a formula, a line a step


class QratAction(Enum):
    """The action of a step; the values are the letters of the format."""

    ADD = ""
    DELETE = "d"
    REDUCE = "u"


class QratStep(NamedTuple):
    """One step: the clause in the trace's order, what the trace calls it, and its line.

    The clause of a ``REDUCE`` still has the removed literal, in first place.
    """

    action: QratAction
    literals: tuple[int, ...]
    technique: str
    line: int


@dataclass(frozen=True, slots=True)
class QratTrace:
    """The steps from a formula to what a preprocessor made of it."""

    steps: tuple[QratStep, ...]
    path: str | None = None

    def error(self, step: QratStep, found: str, expected: str) -> InputError:
        return InputError(self.path, step.line, None, found, expected)


_LINE: Final = re.compile(
    rb"[ \t]*(?:([du])[ \t]+)?((?:-?[1-9][0-9]{0,9}[ \t]+)*)0(?![^ \t\r])(.*)"
)
_LITERAL: Final = re.compile(rb"-?[1-9][0-9]{0,9}\Z")
_ACTIONS: Final = {None: QratAction.ADD, b"d": QratAction.DELETE, b"u": QratAction.REDUCE}
_MAX_VARIABLE: Final = (1 << 31) - 1


def read_qrat(path: Path) -> QratTrace:
    """Read a trace (compressed or not).  Raises :class:`InputError` with line and column."""
    return parse_qrat(read_bytes(path), label(path))


def parse_qrat(data: bytes | str, path: str | None = None) -> QratTrace:
    """The trace in ``data``; errors as in :func:`read_qrat`.

    Blank lines and lines that begin with ``c`` are skipped.  A trace without a line says that
    nothing was done.  The last line must be complete: programs that are killed cut it off.
    """
    raw = data.encode() if isinstance(data, str) else data
    techniques: dict[bytes, str] = {}
    match_line = _LINE.fullmatch
    steps = []
    offset = 0
    for number, line in enumerate(raw.split(b"\n"), start=1):
        match = match_line(line)
        if match is None:
            blank = line.strip()
            if blank and not blank.startswith(b"c"):
                raise _malformed(path, raw, offset, line)
            offset += len(line) + 1
            continue
        letter, clause, comment = match.groups()
        literals = tuple(map(int, clause.split()))
        if literals and max(*literals, -min(literals)) > _MAX_VARIABLE:
            raise byte_error(path, raw, offset, "a variable beyond 2147483647", "a literal")
        technique = techniques.get(comment)
        if technique is None:
            technique = comment.decode("utf-8", "replace").strip()
            techniques[comment] = technique
        if letter == b"u" and not literals:
            raise byte_error(path, raw, offset, "a reduction of no literal", "'u' and a clause")
        steps.append(QratStep(_ACTIONS[letter], literals, technique, number))
        offset += len(line) + 1
    if raw and not raw.endswith(b"\n"):
        raise byte_error(path, raw, len(raw), "the end of the file", "the end of a line")
    return QratTrace(tuple(steps), path)


def _malformed(path: str | None, data: bytes, offset: int, line: bytes) -> InputError:
    tokens = [(m.start(), m.group()) for m in re.finditer(rb"[^ \t\r]+", line)]
    if tokens and tokens[0][1] in (b"d", b"u"):
        del tokens[0]
    for start, token in tokens:
        if not _LITERAL.match(token):
            found = quoted(token.decode("utf-8", "replace"))
            return byte_error(path, data, offset + start, found, "a literal, or 0 to end a clause")
    end = offset + len(line.rstrip())
    return byte_error(path, data, end, "the end of the line", "a 0 that ends the clause")


def introduced_levels(scopes: Sequence[Scope], trace: QratTrace) -> dict[int, int]:
    """The scopes, as indices into ``scopes``, of variables that a trace introduces.

    ``scopes`` must alternate and be non-empty.  An expansion of the universal ``u`` makes a copy
    of each existential that depends on it, by two clauses that say "equal unless ``u``"; the
    copies are what those existentials are where ``u`` is false, so they depend on no variable
    to the right of any of them: they go to the leftmost scope of those copied together.  (The
    universal itself occurs nowhere any more, so that it may stay left of its copies.)  Other
    new variables, those that split long clauses, are innermost; the index is
    ``len(scopes)`` when the innermost scope is universal.
    """
    levels = {v: level for level, scope in enumerate(scopes) for v in scope.variables}
    innermost = len(scopes)
    if scopes and scopes[-1].quantifier is Quantifier.EXISTS:
        innermost -= 1
    known = len(levels)
    used = {abs(x) for x in set(chain.from_iterable(step.literals for step in trace.steps))}
    new = used.difference(levels)
    lowest = min(new, default=0)
    batch: list[int] = []
    leftmost = innermost
    previous: QratStep | None = None
    for step in trace.steps if new else ():
        copied = None
        if step.action is QratAction.ADD and previous is not None:
            copied = _copied(previous, step, levels)
        if copied is not None:
            copy, original = copied
            if not batch:
                leftmost = innermost
            batch.append(copy)
            levels[copy] = leftmost
            if levels[original] < leftmost:
                leftmost = levels[original]
                levels.update(dict.fromkeys(batch, leftmost))
            previous = None
            continue
        if previous is not None:
            batch.clear()
            _place(previous, levels, innermost)
            previous = None
        literals = step.literals
        if (
            step.action is QratAction.ADD
            and literals
            and (max(literals) >= lowest or -min(literals) >= lowest)
            and any(abs(literal) not in levels for literal in literals)
        ):
            previous = step
        else:
            batch.clear()
    if previous is not None:
        _place(previous, levels, innermost)
    return dict(list(levels.items())[known:])


def _place(step: QratStep, levels: dict[int, int], level: int) -> None:
    for literal in step.literals:
        levels.setdefault(abs(literal), level)


def _copied(first: QratStep, second: QratStep, known: dict[int, int]) -> tuple[int, int] | None:
    """Copy and original when two steps define a copy: ``-c u x`` and ``c u -x``."""
    if len(first.literals) != 3 or len(second.literals) != 3:
        return None
    copy = -first.literals[0]
    if abs(copy) in known or second.literals[0] != copy:
        return None
    one, other = set(first.literals[1:]), set(second.literals[1:])
    if len(one) != 2 or len(other) != 2 or len(one & other) != 1:
        return None
    (x,), (y,) = one - other, other - one
    return (abs(copy), abs(x)) if x == -y and abs(x) in known else None


# Certificates through preprocessing: from the preprocessed formula back to the original one


class GrowingFunctions:
    """A function of each variable as a literal of one graph, whose inputs are the universals.

    ``level`` has the index of each variable's scope.  A function reads universals of smaller
    levels only; the largest that it reads, by its structure, is its *reach* (-1: none).  A
    variable may be *open*: then any function will do for it, also for all clauses so far.
    """

    __slots__ = ("_reach", "_value", "builder", "level", "universals")

    def __init__(self, level: Mapping[int, int], universals: Sequence[int]) -> None:
        size = max(level, default=0) + 1
        self.level = [level.get(v, -1) for v in range(size)]
        self.universals = tuple(universals)
        self.builder = AigBuilder(len(universals))
        self._value: list[int | None] = [None] * size
        self._reach = [-1] * size
        for variable, literal in zip(universals, self.builder.inputs, strict=True):
            self.set(variable, literal, level[variable])

    def knows(self, variable: int) -> bool:
        """True if ``variable`` has a level."""
        return 0 < variable < len(self.level) and self.level[variable] >= 0

    def set(self, variable: int, literal: int, reach: int) -> None:
        """Give ``variable`` a function of a known reach."""
        self._value[variable] = literal
        self._reach[variable] = -1 if literal in (FALSE, TRUE) else reach

    def take(self, certificate: CircuitCertificate, variables: Iterable[int]) -> None:
        """The functions of ``variables`` in a certificate, the constant false for the others."""
        wanted = [v for v in variables if v in certificate.functions]
        for variable in variables:
            self.set(variable, FALSE, -1)
        inputs, reach = [], [-1]
        for variable in certificate.inputs:
            known = self.knows(variable)
            inputs.append(self.literal(variable) if known else FALSE)
            reach.append(self._reach[variable] if known else -1)
        left, right = certificate.aig.fanin0 >> 1, certificate.aig.fanin1 >> 1
        for a, b in zip(left.tolist(), right.tolist(), strict=True):
            x, y = reach[a], reach[b]
            reach.append(x if x > y else y)  # noqa: FURB136 (max() is three times slower)
        outputs = [certificate.functions[v] for v in wanted]
        literals = embed(self.builder, certificate.aig, inputs, outputs)
        for variable, output, literal in zip(wanted, outputs, literals, strict=True):
            self.set(variable, literal, reach[output >> 1])

    def is_open(self, variable: int) -> bool:
        """True if any function will do for ``variable``."""
        return self._value[variable] is None

    def literal(self, literal: int) -> int:
        """The function of a literal; a variable that was open is false from now on."""
        variable = literal if literal > 0 else -literal
        value = self._value[variable]
        if value is None:
            value = self._value[variable] = FALSE
        return value ^ (literal < 0)

    def reach(self, literals: Iterable[int]) -> int:
        """The largest level of the universals that any of ``literals`` reads."""
        return max((self._reach[abs(x)] for x in literals), default=-1)

    def is_outer(self, literal: int, variable: int) -> bool:
        return self._reach[abs(literal)] < self.level[variable]

    def falsity(self, literals: Iterable[int]) -> int:
        """The literal that all literals are false; clauses that begin alike share gates."""
        result = TRUE
        for literal in literals:
            result = self.builder.and_(result, self.literal(literal) ^ 1)
        return result

    def satisfy_freely(self, clause: Iterable[int]) -> bool:
        """Give an open variable of a clause the value that satisfies it, if there is one."""
        for literal in clause:
            if self._value[abs(literal)] is None:
                self.set(abs(literal), TRUE if literal > 0 else FALSE, -1)
                return True
        return False

    def make_true(self, literal: int, where: int, reach: int) -> None:
        """Extend the function of ``literal``: it becomes true where ``where`` is true, too."""
        new = self.builder.or_(self.literal(literal), where)
        variable = abs(literal)
        self.set(variable, new ^ (literal < 0), max(self._reach[variable], reach))

    def choose(self, condition: int, then: int, otherwise: int) -> None:
        """Make the variable ``then`` the literal ``otherwise`` where a literal is false.

        Where one of the two is open it becomes, or may stay, the other.
        """
        if self.is_open(abs(otherwise)):
            return
        new, reach = self.literal(otherwise), self._reach[abs(otherwise)]
        if not self.is_open(then):
            old = self.literal(then)
            if old == new:
                return
            new = self.builder.ite(self.literal(condition), old, new)
            reach = self.reach((then, otherwise, condition))
        self.set(then, new, reach)

    def certificate(self, variables: Iterable[int]) -> CircuitCertificate:
        """The Skolem functions of those of ``variables`` that are not open."""
        functions: dict[int, int] = {}
        for variable in variables:
            value = self._value[variable]
            if value is not None:
                functions[variable] = value
        aig, literals = self.builder.build(list(functions.values()))
        return CircuitCertificate(
            CertificateKind.SKOLEM,
            aig,
            self.universals,
            dict(zip(functions, literals, strict=True)),
            Dialect.QBFCERT_ASCII,
        )


Clause = tuple[int, ...]

# As many literals as Bloqqer looks at when it tests for hidden tautologies.
_HIDDEN_STEPS: Final = 64


class ClauseTable:
    """A multiset of clauses over the variables below ``size``.

    Equal clauses may differ in the order of their literals.
    """

    __slots__ = ("_next", "_numbers", "_occurrences")

    def __init__(self, size: int) -> None:
        self._next = 0
        self._numbers: dict[Clause, list[int]] = {}
        # By literal, negative ones from the end of the list: number of the clause -> clause.
        self._occurrences: list[dict[int, Clause]] = [{} for _ in range(2 * size)]

    def __contains__(self, clause: Clause) -> bool:
        return tuple(sorted(clause)) in self._numbers

    def add(self, clause: Clause) -> None:
        """Add a clause, once more if it is there already."""
        self._numbers.setdefault(tuple(sorted(clause)), []).append(self._next)
        for literal in clause:
            self._occurrences[literal][self._next] = clause
        self._next += 1

    def discard(self, clause: Clause) -> None:
        """Drop one of the clauses that equal ``clause``, if there is one."""
        key = tuple(sorted(clause))
        numbers = self._numbers.get(key)
        if numbers is None:
            return
        number = numbers.pop()
        if not numbers:
            del self._numbers[key]
        for literal in key:
            self._occurrences[literal].pop(number, None)

    def having(self, literal: int) -> Collection[Clause]:
        return self._occurrences[literal].values()

    def subsumes(self, clause: Clause) -> bool:
        """True if some clause is ``clause`` or a part of it."""
        if clause in self:
            return True
        own = set(clause)
        return any(own.issuperset(c) for x in clause for c in self.having(x))

    def forces(self, literal: int, false: Iterable[int]) -> bool:
        """True if one clause makes ``literal`` false once the literals ``false`` are."""
        allowed = {-literal, *false}
        return any(map(allowed.issuperset, self.having(-literal)))

    def makes_hidden_tautology(self, clause: Clause) -> bool:
        """True if unit propagation over the falsity of ``clause`` ends in a contradiction.

        It stops after some steps; Heule, Järvisalo and Biere, *Clause elimination procedures
        for CNF formulas* (LPAR 2010), hidden tautologies and asymmetric ones.
        """
        false = set(clause)
        stack = list(clause)
        for literal in stack:
            if len(stack) > _HIDDEN_STEPS + len(clause):
                return False
            for other_clause in self.having(literal):
                if len(other_clause) > len(false) + 1:
                    continue
                missing = 0
                for other in other_clause:
                    if other not in false:
                        if missing or -other in false:
                            break
                        missing = other
                else:
                    if not missing:
                        return True
                    false.add(-missing)
                    stack.append(-missing)
        return False


_ELIMINATION: Final = "var elimination"
_DEFINITION: Final = "expansion: removing var definition"
_EXTENSION: Final = "asymmetric or covered literal rm"
_HIDDEN: Final = "asymmetric taut or subs"
_EQUIVALENCE: Final = ("eq subst: rm first antecedent", "eq subst: rm second antecedent")
# The steps that may stand between the lines of one substitution of equivalent literals.
_SUBSTITUTION: Final = (
    *_EQUIVALENCE,
    "eq subst: adding resolvent",
    "trivial clause",
    "trivial clause assigned",
    "trivial clause complete",
    "universal pure",
    "universal reduction",
    "universal reduction subs",
    "univ pure subs",
    "unit by subst",
)

# Deletions of clauses that the others imply; the first literal is any, not a pivot.
_IMPLIED: Final = frozenset(
    (
        "unit propagation",
        "removed one literal from",
        "forward strengthening",
        "backward strengthening",
        "forward subsumed",
        "backward subsumption",
        "equivalence substitution",
        "expansion: rm orig clause",
        "expansion: subs clause",
        "universal reduction subs",
        "univ pure subs",
        "univ pure subs in fush node",
        "trivial clause assigned",
        "clause twice in input",
        "tautological clause",
        "splitting",
    )
)


class LiftingError(QsageError):
    """A trace that does not lead from the formula to the output."""


def lift(
    form: ClausalForm,
    trace: QratTrace,
    output: ClausalForm | None,
    certificate: CircuitCertificate | None = None,
) -> CircuitCertificate:
    """Skolem functions of ``form`` from those of ``output``, which ``trace`` leads to.

    ``output`` is what the preprocessor left over, in the numbering of ``form``, and
    ``certificate`` its Skolem certificate; without ``output`` (or with one without clauses) the
    preprocessor has shown by itself that the formula is true.  The output's prefix is not used.
    Steps from before the trace, in which the preprocessor strengthened or dropped clauses while it
    read them, need no lines.

    The functions are for the existentials of ``form``; those without one are don't-cares. The
    trace is not checked here: see :mod:`qsage_validate.certificates.check`. Raises
    :class:`LiftingError` when the trace is not about these formulas, and :class:`InputError` at a
    line with a variable that nothing introduces.
    """
    if certificate is not None and certificate.kind is not CertificateKind.SKOLEM:
        raise ValueError("only Skolem certificates can be lifted")
    lifter = _Lifter(form, trace)
    if output is not None:
        lifter.start(output, certificate)
    lifter.walk()
    for clause in sorted(form.clauses, key=len):
        if not lifter.clauses.subsumes(clause) and not lifter.keeps_unit(clause):
            raise LiftingError(
                f"found the clause {_text(clause)} in the formula, "
                "expected one that the trace begins with"
            )
    existentials = (s.variables for s in form.scopes if s.quantifier is Quantifier.EXISTS)
    return lifter.functions.certificate(chain.from_iterable(existentials))


class _Lifter:
    """The clauses and functions at one moment of the walk, which begins at the end."""

    def __init__(self, form: ClausalForm, trace: QratTrace) -> None:
        level = {v: k for k, scope in enumerate(form.scopes) for v in scope.variables}
        self._own = frozenset(level)
        level.update(introduced_levels(form.scopes, trace))
        _check_variables(form, trace, level)
        universals = [
            v for s in form.scopes if s.quantifier is Quantifier.FORALL for v in s.variables
        ]
        self._universal = frozenset(universals)
        self._steps = trace.steps
        self.functions = GrowingFunctions(level, universals)
        self.clauses = ClauseTable(max(level, default=0) + 1)
        # Steps from here on are of a variable that is defined already; and single ones.
        self._defined_from = len(trace.steps)
        self._defined: set[int] = set()

    def start(self, output: ClausalForm, certificate: CircuitCertificate | None) -> None:
        """Take the clauses and functions of the preprocessed formula."""
        used: dict[int, None] = {}
        for clause in output.clauses:
            if not all(self.functions.knows(abs(x)) for x in clause):
                raise LiftingError(
                    f"found the clause {_text(clause)} in the preprocessed formula, "
                    "expected variables of the formula and of the trace"
                )
            self.clauses.add(clause)
            used.update((abs(x), None) for x in clause)
        if certificate is not None:
            self.functions.take(certificate, [v for v in used if v not in self._universal])
        elif output.clauses:
            raise ValueError("the preprocessed formula has clauses and no certificate")

    def keeps_unit(self, clause: Clause) -> bool:
        """Satisfy an existential unit that the trace does not speak of, if it is one.

        Bloqqer propagates units while it reads, before its trace begins.  The first line of the
        trace may begin with a pivot from then: of the unit 8 it says ``d 10 8 0 unit``.
        """
        if len(clause) != 1 or abs(clause[0]) in self._universal:
            return False
        self.functions.set(abs(clause[0]), TRUE if clause[0] > 0 else FALSE, -1)
        self.clauses.add(clause)
        return True

    def walk(self) -> None:
        """Undo the steps, the last one first."""
        for index in range(len(self._steps) - 1, -1, -1):
            action, literals, _, _ = self._steps[index]
            if action is QratAction.ADD:
                self.clauses.discard(literals)
            elif action is QratAction.REDUCE:
                self.clauses.discard(literals[1:])
                self.clauses.add(literals)
            else:
                self._restore(index)
                self.clauses.add(literals)

    def _restore(self, index: int) -> None:
        """Change functions so that the clause of a deletion holds as well."""
        _, literals, technique, _ = self._steps[index]
        if index >= self._defined_from or index in self._defined or not literals:
            return
        pivot = literals[0]
        if abs(pivot) in self._universal or technique in _IMPLIED or (pivot,) in self.clauses:
            return
        if technique == _EXTENSION and self._is_asymmetric(index):
            return
        if technique == _HIDDEN and self.clauses.makes_hidden_tautology(literals):
            return
        if technique in _EQUIVALENCE and self._substitute(index):
            return
        if technique == _DEFINITION and self._merge_copy(index):
            return
        if technique == _ELIMINATION and self._define(index):
            return
        self._flip(literals)

    def _is_asymmetric(self, index: int) -> bool:
        """True if the literal that the step before has added follows from the clause's falsity."""
        if index == 0:
            return False
        own = set(self._steps[index].literals)
        added = [x for x in self._steps[index - 1].literals if x not in own]
        return len(added) == 1 and self.clauses.forces(added[0], own)

    def _flip(self, literals: Clause) -> None:
        functions = self.functions
        if functions.satisfy_freely(literals):
            return
        pivot, rest = literals[0], literals[1:]
        variable = abs(pivot)
        outer = [x for x in rest if functions.is_outer(x, variable)]
        where, reach = functions.falsity(outer), functions.reach(outer)
        if len(outer) < len(rest):
            for clause in self.clauses.having(-pivot):
                if where == FALSE:
                    return
                others = [x for x in clause if x != -pivot and functions.is_outer(x, variable)]
                holds = functions.builder.or_all(functions.literal(x) for x in others)
                where = functions.builder.and_(where, holds)
                reach = max(reach, functions.reach(others))
        if where != FALSE:
            functions.make_true(pivot, where, reach)

    def _merge_copy(self, index: int) -> bool:
        """At the second half of a copy's definition: the original is one or the other.

        ``d x -c u`` and ``d -x c u`` make ``x`` what it is where ``u``, else what ``c`` is.
        """
        if index == 0 or self._steps[index - 1].technique != _DEFINITION:
            return False
        second, first = self._steps[index].literals, self._steps[index - 1].literals
        if len(first) != 3 or len(second) != 3 or second[0] != -first[0]:
            return False
        shared = set(first) & set(second)
        if len(shared) != 1:
            return False
        (condition,) = shared
        copies = [x for x in first[1:] if x != condition]
        if -copies[0] not in second:
            return False
        original, copy = first[0], -copies[0]
        x, c, u = abs(original), abs(copy), abs(condition)
        outer = self.functions.is_outer
        if u not in self._universal or not outer(u, x) or not outer(c, x):
            return False
        self._defined_from = index - 1
        self.functions.choose(condition, x, c if (original < 0) == (copy < 0) else -c)
        return True

    def _substitute(self, index: int) -> bool:
        """At the end of a substitution: what was substituted is what stands for it.

        The clauses that make a class of literals equal are deleted as if its variables were
        eliminated one by one, but where a resolvent became a unit this is none: the unit would
        contradict what the last clauses ask for.  What is never a pivot represents the class.
        """
        steps = self._steps
        members: dict[int, list[tuple[int, bool, int]]] = {}
        pivots: set[int] = set()
        for at in range(index, -1, -1):
            action, literals, technique, _ = steps[at]
            if technique not in _SUBSTITUTION:
                break
            if action is QratAction.DELETE and technique in _EQUIVALENCE and len(literals) == 2:
                a, b = literals
                same = (a > 0) != (b > 0)
                members.setdefault(abs(a), []).append((abs(b), same, at))
                members.setdefault(abs(b), []).append((abs(a), same, at))
                pivots.add(abs(a))
        for representative in [v for v in members if v not in pivots]:
            equal = {representative: True}
            reached = [representative]
            indices = set()
            for variable in reached:
                for other, same, at in members[variable]:
                    indices.add(at)
                    if other not in equal:
                        equal[other] = equal[variable] == same
                        reached.append(other)
            others = reached[1:]
            # Copies may read anything: they are no variables of the formula.
            if not self._universal.isdisjoint(others) or not pivots.issuperset(others):
                continue
            if not all(self.functions.is_outer(representative, v) for v in self._own & {*others}):
                continue
            value, reach = (
                self.functions.literal(representative),
                self.functions.reach((representative,)),
            )
            for variable in others:
                self.functions.set(variable, value ^ (not equal[variable]), reach)
            self._defined |= indices
        return index in self._defined

    def _define(self, index: int) -> bool:
        """At the end of an elimination: define the variable by one side of its clauses.

        All resolvents hold, so that a function that is true exactly where a clause with the
        positive literal needs it satisfies the others too, and the reverse.  The side with
        fewer literals is taken.
        """
        functions = self.functions
        variable = abs(self._steps[index].literals[0])
        if self.clauses.having(variable) or self.clauses.having(-variable):
            return False
        sides: dict[bool, list[Clause]] = {False: [], True: []}
        first = index
        while first >= 0:
            step = self._steps[first]
            if step.action is not QratAction.DELETE or step.technique != _ELIMINATION:
                break
            if not step.literals or abs(step.literals[0]) != variable:
                break
            sides[step.literals[0] > 0].append(step.literals)
            first -= 1
        for positive in sorted(sides, key=lambda side: sum(map(len, sides[side]))):
            clauses = sides[positive]
            if not all(functions.is_outer(x, variable) for c in clauses for x in c[1:]):
                continue
            needed = FALSE
            reach = -1
            for clause in clauses:
                if functions.satisfy_freely(clause[1:]):
                    continue
                needed = functions.builder.or_(needed, functions.falsity(clause[1:]))
                reach = max(reach, functions.reach(clause[1:]))
            functions.set(variable, needed if positive else needed ^ 1, reach)
            self._defined_from = first + 1
            return True
        return False


def _check_variables(form: ClausalForm, trace: QratTrace, known: Container[int]) -> None:
    """Raise at the first step with a variable of nowhere.

    New variables are numbered behind the formula's, and each has a line, so that a larger number
    is an error; tables are sized by it.
    """
    most = form.max_variable + len(trace.steps)
    used = {abs(x) for x in set(chain.from_iterable(step.literals for step in trace.steps))}
    wrong = {v for v in used if v > most or v not in known}
    for step in trace.steps if wrong else ():
        for literal in step.literals:
            if abs(literal) in wrong:
                found = f"variable {abs(literal)}"
                raise trace.error(step, found, "a variable of the formula or a new one")


def _text(clause: Clause) -> str:
    return " ".join(map(str, clause)) or "without literals"
