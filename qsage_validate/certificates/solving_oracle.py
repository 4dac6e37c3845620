"""An oracle without a certificate, or with a part of one: a QBF solver answers the rest.

The strategy is made while it is played.  When the values of a block of the certificate's side
are asked for, the formula in which all earlier blocks have their values is handed to the solver,
and what it answers is kept: the same choice is answered in the same way again.  Blocks whose turn
has not come stay open; the variables of the innermost block, and gates, follow by one SAT call
under the values chosen so far.  Its model keeps the formula's value, so that variables which are
functions of earlier blocks (states) have the values that any certificate gives them.

A block may have variables that follow from earlier blocks (indicators) beside a move that has to be
chosen.  These are read before the move is known: a variable whose other value falsifies the matrix
under some values of the opponent's later variables has this value in every winning strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracle import Choice, Oracle
from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.circuit.sat import Solver
from qsage_validate.kernel.certificate import CertificateKind

AskBlock = Callable[[Qbf], Mapping[int, bool]]
"""Winning values of the outermost block of a residual formula."""

Decide = Callable[[Qbf], bool]
"""The value of a formula."""


class SolvingOracle:
    """Implements :class:`~qsage_validate.certificates.oracle.Oracle` by solving.

    ``kind`` is that of the certificate that would be played: ``SKOLEM`` for a true formula.
    ``ask`` finds winning values of an outermost block and raises what it likes when there are
    none; the error goes to the caller.  ``decide`` gives the value of what a play leaves.
    ``part`` answers the variables ``known``: a certificate with functions for some of them.
    ``follows`` are variables that may follow from earlier blocks; ``probes`` are values of later
    variables of the opponent's under which that is looked at.
    """

    def __init__(
        self,
        formula: Qbf,
        kind: CertificateKind,
        ask: AskBlock,
        *,
        decide: Decide,
        part: Oracle | None = None,
        known: frozenset[int] = frozenset(),
        follows: frozenset[int] = frozenset(),
        probes: Sequence[Choice] = ({},),
    ) -> None:
        self._formula = formula
        self._kind = kind
        # A play and its inspector ask from threads of their own.  A SAT solver serves one at a
        # time; a QBF solver takes long, and other questions do not wait for it.
        self._lock, self._asking = Lock(), Lock()
        self._ask = ask
        self._decide = decide
        self._part = part
        self._known = known
        self._follows = follows
        self._probes = tuple(probes)
        self._implied: dict[tuple[int, tuple[bool, ...]], Mapping[int, bool]] = {}
        self._scopes = formula.merged_scopes()
        self._level = formula.levels()
        self.opponent = formula.variables(kind.decides.dual)
        self._replies: dict[tuple[int, tuple[bool, ...]], Mapping[int, bool]] = {}
        self._prefix = tuple(self._level)
        # The choices in the whole prefix, a byte for a variable; gates follow from it.
        self._chosen: dict[bytes, bytes] = {}

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        names = tuple(wanted)
        fixed = self._fixed(self._total(choice), names)
        if all(name in fixed for name in names):
            return {name: fixed[name] for name in names}
        with self._lock:
            true = self._model(fixed)
        found: dict[int, bool] = {}
        for name in names:
            if name not in self._level and name not in self._formula.gates:
                raise KeyError(name)
            found[name] = name in true
        return found

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        rows = np.zeros((len(choices), len(wanted)), dtype=np.bool_)
        for row, choice in zip(rows, choices, strict=True):
            values = self.values(choice, wanted)
            row[:] = [values[name] for name in wanted]
        return rows

    def refutation(
        self, fixed: Mapping[int, bool], reply: Mapping[int, bool]
    ) -> dict[int, bool] | None:
        """The opponent's values ``fixed`` where the formula loses its value by them, else ``None``.

        ``reply`` are the answers that were played; all other variables are open.
        """
        left = residual(self._formula, {**fixed, **reply})
        return None if self._decide(left) is self._kind.truth else dict(fixed)

    def _total(self, choice: Choice) -> dict[int, bool]:
        total = dict.fromkeys(self.opponent, False)
        for variable, value in choice.items():
            if variable not in total:
                raise KeyError(variable)
            total[variable] = value
        return total

    def _deepest(self, names: Iterable[int]) -> int:
        """The innermost level that needs a solver; -1 if none does."""
        last = len(self._scopes) - 1
        levels = (self._level[v] for v in names if v in self._level and v not in self._known)
        return max((level for level in levels if self._is_own(level) and level < last), default=-1)

    def _is_own(self, level: int) -> bool:
        return self._scopes[level].quantifier is self._kind.decides

    def _fixed(self, total: Mapping[int, bool], names: tuple[int, ...]) -> dict[int, bool]:
        """All of the opponent's values, and the own ones that are known or wanted."""
        fixed, deepest = dict(total), self._deepest(names)
        if self._part is not None:
            with self._lock:
                fixed.update(self._part.values(total, self._known))
        before: list[bool] = []
        for level, scope in enumerate(self._scopes):
            if not self._is_own(level):
                before.extend(total[v] for v in scope.variables)
                continue
            if level == len(self._scopes) - 1:
                break
            key = (level, tuple(before))
            if key not in self._replies:
                if level >= deepest:
                    fixed.update(self._implied_at(key, scope, fixed))
                    here = (v for v in names if self._level.get(v) == level)
                    if level > deepest or all(v in fixed for v in here):
                        break
                with self._asking:
                    if key not in self._replies:
                        self._replies[key] = self._reply(level, scope, fixed)
            fixed.update(self._replies[key])
        return fixed

    def _implied_at(
        self, key: tuple[int, tuple[bool, ...]], scope: Scope, fixed: Mapping[int, bool]
    ) -> Mapping[int, bool]:
        """The values of variables of a block that follow from the blocks before it."""
        if key in self._implied:
            return self._implied[key]
        open_ = {v for v in scope.variables if v in self._follows}
        found: dict[int, bool] = {}
        # Later functions of a part may depend on what is probed.
        given = {v: x for v, x in fixed.items() if v not in self._known or self._level[v] <= key[0]}
        for probe in self._probes if open_ else ():
            later = {v: x for v, x in probe.items() if self._level[v] > key[0]}
            assumed = [v if value else -v for v, value in {**given, **later}.items()]
            with self._lock:
                if not self._solver.solve(assumptions=[*assumed, self._keeps]):
                    break  # The value is lost: there is no winning strategy.
                model = frozenset(self._solver.get_model() or ())
                for name in tuple(open_):
                    other = -name if name in model else name
                    if not self._solver.solve(assumptions=[*assumed, self._keeps, other]):
                        found[name] = name in model
                        open_.discard(name)
            if not open_:
                break
        self._implied[key] = found
        return found

    @property
    def _keeps(self) -> int:
        """The literal that says that the formula keeps its value."""
        return self._formula.output if self._kind.truth else -self._formula.output

    def _reply(self, level: int, scope: Scope, fixed: Mapping[int, bool]) -> Mapping[int, bool]:
        open_ = [v for v in scope.variables if v not in self._known]
        if not open_:
            return {}
        earlier = {
            v: fixed[v]
            for v, own in self._level.items()
            if own < level or (own == level and v in self._known)
        }
        values = self._ask(residual(self._formula, earlier))
        return {v: values[v] for v in open_}

    @cached_property
    def _solver(self) -> Solver:
        solver = Solver(name="minisat22")
        solver.append_formula(list(self._formula.clauses()))
        solver.add_clause([self._formula.max_variable + 1])  # declares every variable
        # Undecided variables are false, as in a certificate's don't-cares.
        solver.set_phases([-v for v in range(1, self._formula.max_variable + 1)])
        return solver

    def _model(self, fixed: Mapping[int, bool]) -> frozenset[int]:
        """The variables and gates that are true, under the same values the same ones again."""
        key = bytes(fixed.get(v, 2) for v in self._prefix)
        chosen = self._chosen.get(key)
        if chosen is None:
            assumed = [v if value else -v for v, value in fixed.items()]
            # Where the value cannot be kept, the gates show it: the verdict is wrong.
            found = self._solver.solve(assumptions=[*assumed, self._keeps])
        else:
            assumed = [v if bit else -v for v, bit in zip(self._prefix, chosen, strict=True)]
            found = False
        if not found:
            assert self._solver.solve(assumptions=assumed), "gates are defined"
        true = frozenset(x for x in self._solver.get_model() or () if x > 0)
        if chosen is None:
            self._chosen[key] = bytes(v in true for v in self._prefix)
        return true
