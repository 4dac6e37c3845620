"""Faulty encodings against the sound one: which does a strategy tell apart?

    python benchmarks/compare_faults.py [--model NAME] [--seconds N]

Every fault of ``benchmarks/faults.py`` on the encoding: the sound formula's strategy in the faulty
formula, and a strategy of the faulty formula, made by solvers, in the sound one. One line a fault;
the last line counts them.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.faults import MODELS, faulty_encodings
from qsage_validate.certificates.routes.routes import RouteOptions, certify_formula
from qsage_validate.comparing.compare import relation
from qsage_validate.comparing.outcomes import Loses, Transfer
from qsage_validate.comparing.plays import Side, transfer_by_plays
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import QsageError, Undecided
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.registry import find_command
from qsage_validate.problems import load as problems
from qsage_validate.problems.files import Files
from qsage_validate.system.limits import Deadline, Limits
from tests.support.certifying import certify_game


def back(faulty: Encoding, sound: Encoding, options: RouteOptions) -> Transfer:
    """What a strategy of the faulty formula does in the sound one."""
    try:
        made = certify_formula(faulty.qbf, options, layout=faulty.layout)
    except QsageError as error:
        return Undecided(f"no strategy of the faulty formula: {error}")
    own = problems.of(faulty, made.certificate, Files())
    return transfer_by_plays(own, Side.of(sound), options)


def main() -> None:
    """Print a line for each fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=sorted(MODELS), action="append")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each question")
    arguments = parser.parse_args()
    counted: Counter[str] = Counter()
    for name in arguments.model or MODELS:
        model = find_command(tuple(shlex.split(MODELS[name])))
        assert isinstance(model, Model), "faults are put into the encoding of grid games"
        sound = certify_game(model)
        own = problems.of(sound.encoding, sound.certificate, Files())
        for fault, faulty in faulty_encodings(model):

            def options() -> RouteOptions:
                return RouteOptions(limits=Limits(Deadline.after(arguments.seconds)))

            there = transfer_by_plays(own, Side.of(sound.encoding, faulty.qbf), options())
            here = back(faulty, sound.encoding, options())
            word = relation(there, here).name.lower()
            counted[word] += 1
            plays = [" ".join(x.play) or x.why for x in (there, here) if isinstance(x, Loses)]
            cells = (name, fault, there.word, here.word, word, "; ".join(plays))
            print("| " + " | ".join(cells) + " |", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counted.most_common()))


if __name__ == "__main__":
    main()
