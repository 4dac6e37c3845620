"""A small game in GDL, which either player wins."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import parse_description

HEAP = """
(role first) (role second)
(init (heap {heap})) (init (control first))
{numbers}
(<= (legal ?p (take ?k)) (true (control ?p)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (heap ?m)) (does ?p (take ?k)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (heap 0)))
(<= (goal ?p 100) (role ?p) (true (heap 0)) (not (true (control ?p))))
(<= (goal ?p 0) (true (heap 0)) (true (control ?p)))
(<= (goal ?p 50) (role ?p) (not (true (heap 0))))
"""


def _filled(text: str, tokens: int) -> str:
    """The description with its heap, and the numbers that it needs, to four at least."""
    most = max(4, tokens)
    numbers = [f"(number {n})" for n in range(most + 1)]
    numbers += [f"(minus {n} {k} {n - k})" for k in (1, 2) for n in range(k, most + 1)]
    return text.format(heap=tokens, numbers=" ".join(numbers))


def heap(tokens: int, rounds: int, role: str | None = None) -> GdlModel:
    """In turn one or two tokens are taken; who takes the last has won."""
    text = _filled(HEAP, tokens)
    return GdlModel(parse_description(text, f"heap-{tokens}.gdl"), rounds, role)


def heap_with(allowed: Sequence[tuple[str, int, int]], tokens: int, rounds: int) -> GdlModel:
    """The same, where a role may take from so many tokens just what is listed."""
    rule = "(true (heap ?n)) (minus ?n ?k ?m))"
    facts = " ".join(f"(may {role} {have} {taken})" for role, have, taken in allowed)
    text = HEAP.replace(f"(true (control ?p)) {rule}", f"(true (control ?p)) (may ?p ?n ?k) {rule}")
    text = _filled(text, tokens) + facts
    return GdlModel(parse_description(text, f"heap-{tokens}.gdl"), rounds)
