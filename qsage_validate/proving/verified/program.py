"""The program ``qsage-verified``: where it is, and one run of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.programs import Ended, run_program

NAME: Final = "qsage-verified"
VERSION: Final = "1"
HOW_TO_GET: Final = (
    f"{NAME} is neither on the PATH nor in verified/bin: 'python3 dev.py verified' in a checkout "
    "builds it (with ocamlfind; 'qsage help verified')"
)
_CHECKOUT: Final = Path(__file__).resolve().parents[3] / "verified" / "bin" / NAME


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """The program's answer: ``proved`` is ``None`` where it gave none, and ``text`` says why."""

    proved: bool | None
    text: str
    seconds: float
    cpu_seconds: float
    peak_mb: float


def find_program() -> str | None:
    """The program on the PATH, else that of the checkout, else ``None``."""
    found = shutil.which(NAME)
    if found is not None:
        return found
    return str(_CHECKOUT) if os.access(_CHECKOUT, os.X_OK) else None


def require_program() -> str:
    """The program; raises ``UsageError`` where there is none, or one of another version."""
    program = find_program()
    if program is None:
        raise UsageError(HOW_TO_GET)
    said = _version(program)
    if said != f"{NAME} {VERSION}":
        raise UsageError(f"found {program} that says {said!r}, expected {NAME} {VERSION}")
    return program


@cache
def _version(program: str) -> str:
    done = run_program([program, "--version"], deadline=Deadline.after(10))
    return done.stdout.decode(errors="replace").strip()


def ask(arguments: Sequence[str], *, deadline: Deadline = NEVER) -> VerifiedAnswer:
    """Run the program; an answer counts only where exit code and words agree.

    Raises ``UsageError`` as :func:`require_program` does.
    """
    done = run_program([require_program(), *arguments], deadline=deadline)
    lines = done.stdout.decode(errors="replace").splitlines()
    errors = done.stderr.decode(errors="replace").splitlines()
    last = lines[-1] if lines else ""
    proved: bool | None = None
    text = last
    if done.ended is Ended.EXITED and done.returncode == 0:
        proved = True
    elif done.ended is Ended.EXITED and done.returncode == 1 and last == "NOT PROVED":
        proved, text = False, "the proof is none of these clauses, or the functions read too much"
    elif done.ended is not Ended.EXITED:
        text = f"{NAME} {done.ended.value}"
    else:
        text = errors[-1] if errors else f"{NAME} exited with {done.returncode} and said nothing"
    return VerifiedAnswer(proved, text, done.seconds, done.cpu_seconds, done.peak_mb)
