"""Traces written in each dialect, and read back one line or byte at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.formats.qrp_steps import QrpDialect

LETTERS = {Quantifier.EXISTS: "e", Quantifier.FORALL: "a"}


class WrittenStep(NamedTuple):
    """A step with the file's own numbers."""

    id: int
    literals: tuple[int, ...]
    antecedents: tuple[int, ...] = ()


def trace_bytes(
    steps: Sequence[WrittenStep],
    *,
    true: bool,
    dialect: QrpDialect = QrpDialect.QRP,
    scopes: Sequence[Scope] = (),
) -> bytes:
    """The file that a solver would write."""
    if dialect is QrpDialect.BQRP:
        return _binary(steps, true, scopes)
    prefix = [f"{LETTERS[s.quantifier]} {' '.join(map(str, s.variables))} 0" for s in scopes]
    if dialect is QrpDialect.QUTE:
        lines = [f"{line} " for line in prefix]
        lines += [_line(step, f" {int(true)}") for step in steps]
        return "".join(f"{line}\n" for line in lines).encode()
    lines = ["p qrp 9 9", *prefix, *(_line(step) for step in steps)]
    return "".join(f"{x}\n" for x in [*lines, "r SAT" if true else "r UNSAT"]).encode()


def _line(step: WrittenStep, kind: str = "") -> str:
    literals = "".join(f" {x}" for x in (*step.literals, 0))
    return f"{step.id}{kind}{literals}" + "".join(f" {x}" for x in (*step.antecedents, 0))


def _binary(steps: Sequence[WrittenStep], true: bool, scopes: Sequence[Scope]) -> bytes:
    parts = [b"p bqrp 9 9\0"]
    for scope in scopes:
        letter = LETTERS[scope.quantifier].encode()
        parts += [b"\0", letter, *map(_number, scope.variables), b"\0"]
    for step in steps:
        codes = (2 * abs(x) + (x < 0) for x in step.literals)
        parts += [_number(step.id), *map(_number, codes), b"\0"]
        parts += [*map(_number, step.antecedents), b"\0"]
    return b"".join([*parts, b"\0r SAT\n" if true else b"\0r UNSAT\n"])


def _number(value: int) -> bytes:
    groups = [value & 127]
    while value := value >> 7:
        groups.append(value & 127)
    return bytes([*(g | 128 for g in groups[:-1]), groups[-1]])


def read_plainly(text: str) -> list[WrittenStep]:
    """The steps of a trace in text of DepQBF, as one would read them first."""
    steps = []
    for line in text.splitlines():
        if line[0].isdigit():
            numbers = [int(word) for word in line.split()]
            end = numbers.index(0)
            steps.append(
                WrittenStep(numbers[0], tuple(numbers[1:end]), tuple(numbers[end + 1 : -1]))
            )
    return steps
