"""Faulty encodings against the sound one: which does a strategy tell apart?

    python research/benchmarks/compare_faults.py [--only TEXT] [--seconds N] [--gates N]

Every fault of ``research/benchmarks/faults.py`` in the lifted encoding of small boards, and in each other
encoding gates that are constant or negated: those that the layout names, and some drawn by chance.
Asked are the sound formula's strategy in the faulty formula, and a strategy of the faulty formula,
made by solvers, in the sound one. One line a fault; then a table that counts them.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.certificates.routes import RouteOptions, certify_encoding, certify_formula
from qsage_validate.comparing.compare import FormulaRelation, relation
from qsage_validate.comparing.exact import Loses, Transfer
from qsage_validate.comparing.plays import ComparedSide, transfer_by_plays
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import QsageError, Undecided
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.registry import find_command
from qsage_validate.problems import load as problems
from qsage_validate.problems.load import Files
from qsage_validate.system.limits import Deadline, Limits
from research.benchmarks.faults import MODELS, SEED, damage, faulty_encodings


def back(faulty: Encoding, sound: Encoding, options: RouteOptions) -> Transfer:
    """What a strategy of the faulty formula does in the sound one."""
    try:
        made = certify_formula(faulty.qbf, options, layout=faulty.layout)
    except QsageError as error:
        return Undecided(f"no strategy of the faulty formula: {error}")
    own = problems.of(faulty, made.certificate, Files())
    return transfer_by_plays(own.on_board, ComparedSide.of(sound), options)


LIFTED = {
    "Domino 3x3, 3 plies": MODELS["domino"],
    "Domineering 2x2, 3 plies": "domineering --size 2x2 --depth 3",
    "Connect-2 2x2, 3 plies": "connect-c --connect 2 --size 2x2 --depth 3",
    "Breakthrough 2x4, 3 plies": "breakthrough --size 2x4 --depth 3",
    "Evader 3x3, 3 plies": "evader-pursuer --size 3x3 --pursuer 2,3 --depth 3",
}
HEX = "hex-network --size 2x2 --depth 3"
MAKER = "harary --size 3x3 --shape el --maker-breaker --depth 3"
HEX_ENCODINGS = (
    "cor-lean",
    "cor-ladder",
    "cor",
    "cor+",
    "ea",
    "en",
    "et",
    "la",
    "ln",
    "sa",
    "sn",
    "li",
    "si",
)
GATES = {
    ("Domino 3x3, 3 plies", "lifted-guarded"): MODELS["domino"],
    **{("Hex 2x2, 3 plies", name): HEX for name in (*HEX_ENCODINGS, "cover-played")},
    ("El 3x3, 3 plies, maker-breaker", "sn-httt"): MAKER,
}


def faulty_gates(sound: Encoding, drawn: int) -> Iterator[tuple[str, Encoding]]:
    """The encoding with a gate constant or negated: each with a name, and ``drawn`` by chance."""
    gates = {f"gate '{name}'": literal for name, literal in sound.layout.gates.items()}
    named = {abs(literal) for literal in gates.values()}
    others = [number for number in sound.qbf.gates if number not in named]
    for number in sorted(Random(SEED).sample(others, min(drawn, len(others)))):
        gates[f"gate {number}"] = number
    for text, literal in gates.items():
        for how in ("dropped", "negated"):
            damaged = damage(sound.qbf, literal, how)
            if damaged is not sound.qbf:
                yield f"{text} {how}", replace(sound, qbf=damaged)


def subjects(drawn: int) -> Iterator[tuple[str, Encoding, Iterator[tuple[str, Encoding]]]]:
    """Each case with its sound encoding and the faulty ones."""
    for name, words in LIFTED.items():
        model = find_command(tuple(shlex.split(words)))
        assert isinstance(model, Model), "the lifted encoding is of grid games"
        yield f"{name}: lifted", encode(model, "lifted"), faulty_encodings(model)
    for (name, encoding), words in GATES.items():
        sound = encode(find_command(tuple(shlex.split(words))), encoding)
        yield f"{name}: {encoding}", sound, faulty_gates(sound, drawn)


def main() -> None:
    """Print a line for each fault, and the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each question")
    parser.add_argument("--gates", type=int, default=4, help="gates that are drawn by chance")
    arguments = parser.parse_args()
    table: dict[str, Counter[str]] = {}
    for name, sound, faults in subjects(arguments.gates):
        if arguments.only not in name:
            continue
        certified = certify_encoding(sound)
        own = problems.of(sound, certified.certificate, Files())
        counted = table.setdefault(name, Counter())
        for fault, faulty in faults:

            def options() -> RouteOptions:
                return RouteOptions(limits=Limits(Deadline.after(arguments.seconds)))

            there = transfer_by_plays(own.on_board, ComparedSide.of(sound, faulty.qbf), options())
            here = back(faulty, sound, options())
            word = relation(there, here).name.lower()
            counted[word] += 1
            plays = [" ".join(x.play) or x.why for x in (there, here) if isinstance(x, Loses)]
            cells = (name, fault, there.word, here.word, word, "; ".join(plays))
            print("| " + " | ".join(cells) + " |", flush=True)
            for outcome in (there, here):
                if isinstance(outcome, Undecided):
                    print(f"undecided: {outcome}", file=sys.stderr)
    words = [each.name.lower() for each in FormulaRelation]
    print(f"| case | faults | {' | '.join(words)} |")
    sums = {"all": sum(table.values(), Counter[str]())}
    for name, counted in {**table, **sums}.items():
        row = (name, counted.total(), *(counted[word] for word in words))
        print("| " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    main()
