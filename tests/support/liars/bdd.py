"""Binary decision diagrams, as small as they can be: the judge of formulas and functions."""

from __future__ import annotations

from collections.abc import Iterable

FALSE, TRUE = 0, 1


class TooLargeError(Exception):
    """A formula is beyond brute force."""


class Diagrams:
    """Reduced ordered diagrams; a function is the number of its node, a variable its level.

    Level 0 is at the top; ``reads`` has a bit for each level that a function depends on.  More
    than ``limit`` nodes raise :class:`TooLargeError`.
    """

    def __init__(self, limit: int = 40_000) -> None:
        self.limit = limit
        self.level = [1 << 30, 1 << 30]
        self.low = [FALSE, TRUE]
        self.high = [FALSE, TRUE]
        self.reads = [0, 0]
        self._node: dict[tuple[int, int, int], int] = {}
        self._not: dict[int, int] = {}
        self._and: dict[tuple[int, int], int] = {}
        self._ite: dict[tuple[int, int, int], int] = {}

    def node(self, level: int, low: int, high: int) -> int:
        """The function that is ``high`` where the variable is true, else ``low``."""
        if low == high:
            return low
        key = (level, low, high)
        found = self._node.get(key)
        if found is None:
            found = self._node[key] = len(self.level)
            if found > self.limit:
                raise TooLargeError(f"more than {self.limit} nodes")
            self.level.append(level)
            self.low.append(low)
            self.high.append(high)
            self.reads.append(self.reads[low] | self.reads[high] | 1 << level)
        return found

    def set_limit(self, limit: int) -> None:
        """Another limit; raises :class:`TooLargeError` when there are more nodes already."""
        self.limit = limit
        if len(self.level) > limit + 1:
            raise TooLargeError(f"more than {limit} nodes")

    def copy(self) -> Diagrams:
        """The same functions; what is added to the one is not in the other."""
        other = Diagrams(self.limit)
        for name in ("level", "low", "high", "reads", "_node", "_not", "_and", "_ite"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def variable(self, level: int) -> int:
        """The variable of a level, as a function."""
        return self.node(level, FALSE, TRUE)

    def ite(self, test: int, then: int, other: int) -> int:
        """``then`` where ``test`` holds, else ``other``."""
        if test == TRUE:
            return then
        if test == FALSE:
            return other
        if then == other:
            return then
        if then == TRUE and other == FALSE:
            return test
        key = (test, then, other)
        found = self._ite.get(key)
        if found is None:
            level, low, high = self.level, self.low, self.high
            top = min(level[test], level[then], level[other])
            t0, t1 = (low[test], high[test]) if level[test] == top else (test, test)
            a0, a1 = (low[then], high[then]) if level[then] == top else (then, then)
            b0, b1 = (low[other], high[other]) if level[other] == top else (other, other)
            found = self.node(top, self.ite(t0, a0, b0), self.ite(t1, a1, b1))
            self._ite[key] = found
        return found

    def not_(self, f: int) -> int:
        """The negation."""
        if f <= TRUE:
            return 1 - f
        found = self._not.get(f)
        if found is None:
            found = self.node(self.level[f], self.not_(self.low[f]), self.not_(self.high[f]))
            self._not[f] = found
            self._not[found] = f
        return found

    def and_(self, f: int, g: int) -> int:
        """The conjunction of two functions."""
        if f > g:
            f, g = g, f
        if f <= TRUE:
            return g if f else FALSE
        if f == g:
            return f
        found = self._and.get((f, g))
        if found is None:
            level, low, high = self.level, self.low, self.high
            a, b = level[f], level[g]
            if a == b:
                found = self.node(a, self.and_(low[f], low[g]), self.and_(high[f], high[g]))
            elif a < b:
                found = self.node(a, self.and_(low[f], g), self.and_(high[f], g))
            else:
                found = self.node(b, self.and_(f, low[g]), self.and_(f, high[g]))
            self._and[f, g] = found
        return found

    def all_of(self, fs: Iterable[int]) -> int:
        """The conjunction."""
        result = TRUE
        for f in fs:
            result = self.and_(result, f)
        return result

    def any_of(self, fs: Iterable[int]) -> int:
        """The disjunction."""
        return self.not_(self.all_of(map(self.not_, fs)))

    def xor(self, f: int, g: int) -> int:
        """The exclusive disjunction."""
        return self.ite(f, self.not_(g), g)

    def fixed(self, f: int, level: int, value: bool) -> int:
        """``f`` with a variable fixed."""
        known: dict[int, int] = {}
        levels, lows, highs, reads = self.level, self.low, self.high, self.reads

        def walk(g: int) -> int:
            if not reads[g] >> level & 1:
                return g
            if levels[g] == level:
                return highs[g] if value else lows[g]
            found = known.get(g)
            if found is None:
                found = known[g] = self.node(levels[g], walk(lows[g]), walk(highs[g]))
            return found

        return walk(f)
