"""A checker of DRUP proofs that shares nothing with what it checks: unit propagation, forwards."""

from __future__ import annotations

from collections import defaultdict

Clause = tuple[int, ...]


def parse_cnf(text: str) -> list[Clause]:
    """The clauses of a DIMACS file; raises ``ValueError`` when the header is not true of them."""
    numbers: list[int] = []
    header: list[str] = []
    for line in text.splitlines():
        if line.startswith("p"):
            header = line.split()
        elif not line.startswith("c"):
            numbers += map(int, line.split())
    clauses = _clauses(numbers)
    variables = max((abs(x) for x in numbers), default=0)
    if header[:2] != ["p", "cnf"] or variables > int(header[2]) or len(clauses) != int(header[3]):
        raise ValueError("the header is not true")
    return clauses


def parse_drat(text: str) -> list[tuple[bool, Clause]]:
    """The steps of a proof: whether each is a deletion, and its clause."""
    steps = []
    for line in text.splitlines():
        words = line.split()
        delete = words[:1] == ["d"]
        (clause,) = _clauses([int(word) for word in words[delete:]])
        steps.append((delete, clause))
    return steps


def _clauses(numbers: list[int]) -> list[Clause]:
    if numbers and numbers[-1]:
        raise ValueError("the last clause is not ended")
    clauses: list[Clause] = []
    clause: list[int] = []
    for number in numbers:
        if number:
            clause.append(number)
        else:
            clauses.append(tuple(dict.fromkeys(clause)))
            clause = []
    return clauses


class RupChecker:
    """Clauses with two watched literals; what propagation assigns for good is never undone."""

    def __init__(self, clauses: list[Clause]) -> None:
        self.refuted = False
        self._true: set[int] = set()
        self._trail: list[int] = []
        self._watched: defaultdict[int, list[list[int]]] = defaultdict(list)
        self._live: defaultdict[Clause, list[list[int]]] = defaultdict(list)
        for clause in clauses:
            self._add(clause)

    def follows(self, clause: Clause) -> bool:
        """Whether propagation refutes the complement of ``clause``; it is then added."""
        if self.refuted:
            return True
        mark = len(self._trail)
        follows = not all(self._assign(-x) for x in clause) or not self._propagate(mark)
        for literal in self._trail[mark:]:
            self._true.discard(literal)
        del self._trail[mark:]
        if follows:
            self._add(clause)
        return follows

    def delete(self, clause: Clause) -> bool:
        """Forget a clause; whether there was one.  Units stay, as in other checkers."""
        found = self._live.get(tuple(sorted(clause)))
        if not found:
            return False
        # The reason of an assignment must stay.
        if len(clause) > 1 and not any(x in self._true for x in clause):
            found.pop().clear()
        return True

    def _add(self, clause: Clause) -> None:
        # Literals that are not false are watched.
        literals = sorted(clause, key=lambda x: -x in self._true)
        self._live[tuple(sorted(clause))].append(literals)
        if len(literals) > 1:
            self._watched[literals[0]].append(literals)
            self._watched[literals[1]].append(literals)
        unit = len(literals) < 2 or -literals[1] in self._true
        if unit and not (literals and literals[0] in self._true):
            mark = len(self._trail)
            if not literals or not self._assign(literals[0]) or not self._propagate(mark):
                self.refuted = True

    def _assign(self, literal: int) -> bool:
        if -literal in self._true:
            return False
        if literal not in self._true:
            self._true.add(literal)
            self._trail.append(literal)
        return True

    def _propagate(self, at: int) -> bool:
        """Assign what follows from the trail; ``False`` when that is a contradiction."""
        while at < len(self._trail):
            false = -self._trail[at]
            at += 1
            watching, self._watched[false] = self._watched[false], []
            for index, clause in enumerate(watching):
                if not clause:
                    continue  # deleted
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], clause[0]
                other = next((k for k in range(2, len(clause)) if -clause[k] not in self._true), 0)
                if clause[0] not in self._true and other:
                    clause[1], clause[other] = clause[other], clause[1]
                    self._watched[clause[1]].append(clause)
                    continue
                self._watched[false].append(clause)
                if not self._assign(clause[0]):
                    self._watched[false] += watching[index + 1 :]
                    return False
        return True


def accepts(cnf: str, drat: str) -> bool:
    """Whether the proof shows that the clauses are unsatisfiable."""
    checker = RupChecker(parse_cnf(cnf))
    for delete, clause in parse_drat(drat):
        if not (checker.delete(clause) if delete else checker.follows(clause)):
            return False
        if checker.refuted:
            return True
    return False
