"""``qsage demo``: a tour of the commands on the samples, in a folder that is removed again."""

from __future__ import annotations

import os
import shlex
import sys
from importlib.util import find_spec
from typing import Final, NamedTuple

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit
from qsage_validate.cli.parameters import flag
from qsage_validate.errors import Exit, MissingExtraError
from qsage_validate.system.folders import marked_folder


class _DemoStep(NamedTuple):
    text: str
    command: str
    code: Exit = Exit.FINE
    needs: str = ""  # the module without which the command is shown but not run


_STEPS: Final = (
    _DemoStep(
        "A solver says: Black wins Tic on a 4x4 board within 5 plies. This search agrees.",
        "qsage solve httt --size 4x4 --shape tic --depth 5",
        Exit.TRUE,
    ),
    _DemoStep(
        "sample:tic is a formula that says so, and sample:tic.aig a certificate: Black's strategy.",
        "qsage info sample:tic sample:tic.aig",
    ),
    _DemoStep(
        "Is the certificate right, and the formula the game? Each level proves or refutes a part.",
        "qsage validate sample:tic sample:tic.aig",
    ),
    _DemoStep(
        "The certificate plays Black, and White's moves are drawn here; they can be yours.",
        "qsage-play sample:tic --white random --games 1 --export play.svg",
    ),
    _DemoStep(
        "A game of one's own: the formula, and a certificate that is proved before it is written.",
        "qsage certify httt --size 3x3 --shape el --depth 5 -o el.aig --formula el.qcir",
    ),
    _DemoStep(
        "Does that strategy win with another shape? No: a play shows it (exit code 1).",
        "qsage encode httt --size 3x3 --shape tic --depth 5 -o tic.qcir",
    ),
    _DemoStep("", "qsage compare el.qcir tic.qcir --cert el.aig", Exit.REFUTED),
    _DemoStep(
        "Impartial games have winning formulas for all of their infinitely many positions.",
        "qsage synthesize take-away-3 --strategy -q",
        needs="z3",
    ),
)
_END = "What next? 'qsage-play' is a play at the board; 'qsage --help' lists the commands."


@subcommand("qsage demo", "qsage demo --no-pause")
def command(
    no_pause: bool = flag("Do not wait for Enter between the steps."),
) -> Exit:
    """Show what the commands do, step by step, on the samples.

    Files are written into a temporary folder. Between the steps it waits for Enter at a terminal.
    Exit code 0: every command ended as it was to.
    """
    pauses = not no_pause and sys.stdin.isatty() and sys.stdout.isatty()
    before = os.getcwd()
    with marked_folder() as folder:
        os.chdir(folder)
        try:
            for number, step in enumerate(_STEPS):
                if step.needs and find_spec(step.needs) is None:
                    emit(f"\n{step.text}\n{MissingExtraError(f'{step.command!r}', 'impartial')}")
                    continue
                code = _run(step, pauses and number > 0)
                if code != step.code:
                    return code
        finally:
            os.chdir(before)
    emit(f"\n{_END}")
    return Exit.FINE


def _run(step: _DemoStep, pauses: bool) -> Exit:
    """Show and run one command; ``pauses`` waits before it."""
    from qsage_validate.cli.app import PROGRAMS, run

    if pauses:
        input("\n[Enter] ")
    emit(f"\n{step.text}\n$ {step.command}" if step.text else f"$ {step.command}")
    sys.stdout.flush()
    program, *words = shlex.split(step.command)
    return Exit(run(PROGRAMS[program], words, program))
