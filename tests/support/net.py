"""A net under what must not change: bytes, digests, verdicts, options, exit codes.

Each case is asked of the commands, in this process and in a folder of its own, so that nothing
here depends on where a module is.  What is known to hold is in ``tests/golden/net``, a file a
topic; ``python -m tests.support.net`` writes the files anew, ``python -m tests.support.net
certificates`` only that topic.  The difference to the committed files is what changed.

Nothing in the files may depend on the machine, the version of Python or the SAT solver.  So hashes
are of what is made without a solver, and damaged certificates are such that each solver finds the
same play: another gate may have many counterexamples.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click
from click.types import FloatParamType, IntParamType

from qsage_validate.cli.app import PROGRAMS
from qsage_validate.cli.commands import commands_below
from qsage_validate.errors import Exit
from tests.support.commands import run_qsage

GOLDEN: Final = Path(__file__).resolve().parent.parent / "golden" / "net"
COMMAND: Final = "python -m tests.support.net"
SAMPLES: Final = Path(__file__).resolve().parent.parent.parent / "certificates"

Value = Any  # what JSON can hold
Case = Callable[[], Value]


# -- commands ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Value]:
        """The JSON object that it has printed."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def last(self) -> str:
        """The last line on standard error."""
        return self.err.strip().rpartition("\n")[2]


def qsage(words: str | Sequence[str]) -> Ran:
    """Run ``qsage`` in this process; words that are one text are parted at blanks."""
    # With bytes below, for formulas that go to standard output.
    printed, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(printed, "utf-8", newline="")
    arguments = words.split() if isinstance(words, str) else list(words)
    with redirect_stdout(out), redirect_stderr(err):
        code = run_qsage(arguments)
    out.flush()
    return Ran(int(code), printed.getvalue().decode(), err.getvalue())


@contextmanager
def folder(files: Mapping[str, bytes] | None = None) -> Iterator[None]:
    """Be in a new folder with the games' files and ``files``."""
    before = Path.cwd()
    with TemporaryDirectory() as parent:
        # Games in BDDL are called by their folder.
        own = Path(parent, "net")
        own.mkdir()
        for file, text in GAMES.items():
            Path(own, file).write_text(text, encoding="utf-8", newline="\n")
        for file, content in (files or {}).items():
            Path(own, file).write_bytes(content)
        os.chdir(own)
        try:
            yield
        finally:
            os.chdir(before)


def sha(path: str) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


# -- games -------------------------------------------------------------------------------------

# Games from files: of each format one, with what no game by name has.
GAMES: Final[Mapping[str, str]] = {
    "domain.ig": """\
#blackactions
:action occupyOnTop
:parameters (?x,?y)
:precondition (open(?x,?y) NOT(open(?x,?y+1)))
:effect (black(?x,?y))
:action occupyBottom
:parameters (?x,?y)
:precondition (open(?x,ymax))
:effect (black(?x,ymax))
#whiteactions
:action occupyOnTop
:parameters (?x,?y)
:precondition (open(?x,?y) NOT(open(?x,?y+1)))
:effect (white(?x,?y))
:action push
:parameters (?x,?y)
:precondition (black(?x,?y) open(?x+1,?y))
:effect (open(?x,?y) white(?x+1,?y))
""",
    "problem.ig": """\
#boardsize 3 2
#init
(black(1,2)white(2,2))
#depth
3
#blackgoals
(black(?x,?y)black(?x,?y+1))
(black(?x,?y)NOT(white(?x+1,?y))black(?x+1,?y+1))
#whitegoals
(white(3,1))
""",
    "begun.pg": """\
%%  size:3x3 GTTT(2,1) torus:false swap:true
#version
PG 1.0
#times
t1 t2 t3 t4 t5
#blackturns
t2 t3
#positions
a1 a2 a3 b1 b2 b3 c1 c2 c3
#blackinitials
b2
#whiteinitials
c3
#blackwins
a1 a2 a3
a1 b1 c1
b1 b2 b3
a3 b2 c1
#whitewins
a1 b1
c1 c2 c3
""",
    "mixed.pg": """\
#times
t1 t2 t3 t4 t5
#blackturns
t1 t3 t5
#positions
a b c d e f
#blackwins
a b c
a d
b e f
#whitewins
b d
c e f
d e
""",
    "graph.pg": """\
#times
t1 t2 t3
#blackturns
t1 t3
#positions
north left right south
#neighbours
north left right
left north south
right north south
south left right
#startboarder
north
#endboarder
south
""",
    "pairs.pg": """\
#times
t1 t2
#blackturns
t1
#positions
a b c d
#blackwins
a b
c d
""",
    "won.pg": """\
#times
t1
#blackturns
t1
#positions
a b c
#blackinitials
a b
#neighbours
a b
b a
c
#startboarder
a
#endboarder
b
""",
    "puzzle.hex": "%puzzle\n3\nb[a1] w[b1]\n\nw[c2] % last\n",
    "heap.gdl": """\
(role first) (role second)
(init (heap 4)) (init (control first))
(number 0) (number 1) (number 2) (number 3) (number 4)
(minus 1 1 0) (minus 2 1 1) (minus 3 1 2) (minus 4 1 3) (minus 2 2 0) (minus 3 2 1) (minus 4 2 2)
(<= (legal ?p (take ?k)) (true (control ?p)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (heap ?m)) (does ?p (take ?k)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (heap 0)))
(<= (goal ?p 100) (role ?p) (true (heap 0)) (not (true (control ?p))))
(<= (goal ?p 0) (true (heap 0)) (true (control ?p)))
(<= (goal ?p 50) (role ?p) (not (true (heap 0))))
""",
    "take.rules": "v % 4 = 1 -> take(1)\nv % 4 = 2 -> take(2)\nv % 4 = 3 -> take(3)\n",
    "wrong.rules": "v % 4 = 1 -> take(1)\nv % 4 = 2 -> take(1)\nv % 4 = 3 -> take(3)\n",
}

EL: Final = "harary --size 3x3 --shape el --maker-breaker --depth 5"
EL_HELD: Final = "harary --size 3x3 --shape el --maker-breaker --depth 3"
HEX: Final = "hex-network --size 3x3 --depth 5"
HEX_HELD: Final = "hex-network --size 3x3 --depth 3"
CUT: Final = "hex-network --size 2x2 --transversal --depth 3"
# White has one pairing only, whatever a SAT solver would choose.
PAIRS: Final = "pairs.pg"
STONES: Final = "harary --size 3x3 --shape domino --torus --stones 2 --first-stones 1 --depth 4"
HEAP: Final = "heap.gdl --depth 4"
HEAP_SECOND: Final = "heap.gdl --depth 4 --role second"

# The models of each kind of games, which all of its encoders are asked to encode.
MODELS: Final[Mapping[str, Sequence[str]]] = {
    "grid": (
        "httt --shape domino --size 3x3 --depth 3",
        "httt --shape el --size 3x3 --depth 3",
        "connect-c --connect 2 --size 3x3 --depth 3 --maker-breaker",
        "breakthrough --size 2x4 --second --depth 9",
        "knightthrough --size 3x4 --depth 3 --second",
        "evader-pursuer --size 4x4 --pursuer 1,2 --depth 5",
        "evader-pursuer-dual --size 4x4 --pursuer 1,2 --depth 3",
        "domineering --size 3x3 --second --depth 4",
        "hex --size 3x3 --depth 5",
        "hex --size 2x2 --one-row --depth 3",
        "domain.ig problem.ig",
    ),
    "positional": (
        EL,
        EL_HELD,
        "harary --size 3x3 --shape tic --depth 5",
        STONES,
        "hex-network --size 2x2 --depth 3",
        HEX,
        CUT,
        "begun.pg",
        "mixed.pg",
        "graph.pg",
        "puzzle.hex --depth 5",
        "won.pg",
        PAIRS,
    ),
    "gdl": (HEAP, HEAP_SECOND, "trails --depth 5"),
}


@cache
def encoders() -> dict[str, list[str]]:
    """The names of the registered encoders by the kind of games."""
    known = qsage("games --encodings --json").data["encodings"]
    return {kind: list(names) for kind, names in known.items()}


# -- encoders ----------------------------------------------------------------------------------

# Each text that the command makes of one formula.
TEXTS: Final[Mapping[str, str]] = {
    "qcir": "-o f.qcir",
    "qdimacs": "-o f.qdimacs",
    "qdimacs, polarity": "-o f.qdimacs --clauses polarity",
    "qdimacs, early": "-o f.qdimacs --clauses early",
}


def encoder_cases() -> dict[str, Case]:
    """The texts of each encoder for each model of its kind."""
    return {
        f"{encoding}: {model}": partial(encoded, encoding, model)
        for kind, names in encoders().items()
        for encoding in names
        for model in MODELS[kind]
    }


def encoded(encoding: str, model: str) -> Value:
    """The hash of each text, and its layout; or why the encoder does not take the model."""
    found: dict[str, Value] = {}
    with folder():
        for name, words in TEXTS.items():
            done = qsage(f"encode {model} --encoding {encoding} {words}")
            if done.code:
                return {"exit code": done.code, "said": done.last}
            found[name] = sha(words.split()[1])
        for name in ("qcir", "qdimacs"):
            # What is read again from the comments.
            found[f"{name}, layout"] = qsage(f"info f.{name} --json").data["layout"]
    return found


# -- certificates ------------------------------------------------------------------------------

# What each encoder's certificates are compiled for: a win of Black's and one of White's.
CERTIFIED: Final[Mapping[str, Sequence[str]]] = {
    "grid": (
        *MODELS["grid"][:4],
        "evader-pursuer --size 4x4 --pursuer 1,2 --depth 5",
        "domineering --size 3x3 --second --depth 4",
        "domain.ig problem.ig",
    ),
    "positional": (EL, EL_HELD, HEX, HEX_HELD, CUT, STONES, "begun.pg", "mixed.pg"),
    "gdl": (HEAP, HEAP_SECOND),
}

# How a certificate is written: the files' names and options by what they show.
WRITTEN: Final[Mapping[str, str]] = {
    "in binary": "-o c.aig --formula f.qcir",
    "of clauses": "-o c.aag --formula f.qdimacs",
    "as of Qbfcert": "-o c.aag --formula f.qdimacs --as qbfcert-ascii",
    "as of Qbfcert, binary": "-o c.aig --formula f.qdimacs --as qbfcert-binary",
}
PLAIN: Final = "-o c.aag --formula f.qcir"

# Models that are read from the comments of their formulas.
FROM_FORMULAS: Final = (
    MODELS["grid"][1],
    "breakthrough --size 2x4 --second --depth 9 --encoding lifted-guarded",
    EL,
    f"{HEX_HELD} --encoding sn",
    f"{HEAP_SECOND} --encoding gdl-gd",
)


def certificate_cases() -> dict[str, Case]:
    """Certificates by search: of each encoder, and in all ways of writing."""
    cases: dict[str, Case] = {
        f"{encoding}: {model}": partial(certified, f"{model} --encoding {encoding}", PLAIN)
        for kind, names in encoders().items()
        for encoding in names
        for model in CERTIFIED[kind]
    }
    for name, words in WRITTEN.items():
        for model in (MODELS["grid"][0], MODELS["grid"][1], EL, EL_HELD):
            cases[f"{name}: {model}"] = partial(certified, model, words)
    cases[f"pairing: {PAIRS}"] = partial(certified, f"{PAIRS} --encoding pairing", PLAIN)
    for model in FROM_FORMULAS:
        cases[f"of a formula: {model}"] = partial(certified, "f.qcir", "-o c.aag", model)
    return cases


def certified(model: str, words: str, formula: str = "") -> Value:
    """The hashes of certificate and formula, and what is said of them.

    Of the model in a formula's own comments, where ``model`` is a file: encoded is ``formula``.
    """
    with folder():
        if formula:
            assert qsage(f"encode {formula} -o {model}").code == 0
        done = qsage(f"certify {model} --route search {words} --json")
        if done.code:
            return {"exit code": done.code, "said": done.last}
        facts = done.data
        said = ("game", "verdict", "winner", "kind", "gates", "functions", "dont_cares", "note")
        files = {key: facts[key] for key in ("certificate", "formula") if facts[key]}
        return {key: facts[key] for key in said} | {key: sha(f) for key, f in files.items()}


@cache
def made(model: str) -> Mapping[str, bytes]:
    """The files ``f.qcir`` and ``c.aag`` of a model, or of a sample by its name."""
    if not model.count(" "):
        names = {"f.qcir": f"{model}.qcir", "c.aag": f"{model}.aig"}
        return {name: (SAMPLES / file).read_bytes() for name, file in names.items()}
    with folder():
        done = qsage(f"certify {model} --route search {PLAIN}")
        assert done.code == 0, done.err
        return {name: Path(name).read_bytes() for name in ("f.qcir", "c.aag")}


# -- adversaries -------------------------------------------------------------------------------

HELD: Final = "domineering --size 3x3 --second --depth 4"
CERTIFICATES: Final = (
    "tic",
    "breakthrough",
    "evader",
    HELD,
    f"{HEX} --encoding cor-lean",
    f"{EL} --encoding la",
    f"{EL} --encoding sn-httt",
    f"{EL_HELD} --encoding ea",
    f"{HEAP} --encoding gdl",
    f"{HEAP_SECOND} --encoding gdl-gd",
)
# Where a layout is missing, blocks are played.
_COMMENTS = re.compile(rb"^(#@|# @|c @).*\n", re.MULTILINE)
# What differs from run to run and from machine to machine.
_TIMES = frozenset({"seconds", "plays per second", "plays_per_second"})


def adversary_cases() -> dict[str, Case]:
    """Random plays and all plays, against certificates of each kind."""
    cases: dict[str, Case] = {}
    for model in CERTIFICATES:
        for seed in (0, 1):
            words = f"--level random --games 60 --seed {seed} --illegal 0.3"
            cases[f"random, seed {seed}: {model}"] = partial(plays, model, words)
        cases[f"all: {model}"] = partial(plays, model, "--level all")
        cases[f"play: {model}"] = partial(opponent, model, "--illegal 0.2")
    for model in ("tic", HELD, f"{EL} --encoding la"):
        cases[f"play, blocks: {model}"] = partial(opponent, model, "--bare")
    for rules in ("take.rules", "wrong.rules"):
        for words in ("random --games 30 --seed 1", "all --bound 12"):
            cases[f"heaps, {rules}: {words}"] = partial(heaps, f"--rules {rules} --white {words}")
    return cases


def plays(model: str, words: str) -> Value:
    """The evidence of one level of plays."""
    with folder(made(model)):
        done = qsage(f"validate f.qcir --cert c.aag {words} --json")
        (level,) = done.data["levels"]
        return {"exit code": done.code, "text": level["text"]} | untimed(level["evidence"])


def opponent(model: str, words: str) -> Value:
    """The report of a random opponent in ``qsage play``."""
    with folder(made(model)):
        files = "f.qcir --cert c.aag --white random --games 40 --seed 3"
        done = qsage(f"play {files} {words} --json")
        return {"exit code": done.code} | untimed(done.data)


def heaps(words: str) -> Value:
    """The report of an opponent of rules of an impartial game."""
    with folder():
        done = qsage(f"play take-away-3 {words} --json")
        return {"exit code": done.code} | untimed(done.data)


def untimed(value: Value) -> Value:
    """The same without times, at any depth."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if key not in _TIMES}
    return [untimed(item) for item in value] if isinstance(value, list) else value


# -- the command line --------------------------------------------------------------------------


def command_cases() -> dict[str, Case]:
    """The arguments and options of each command."""
    return {
        name: partial(parameters, command)
        for start in PROGRAMS
        for name, command in commands(start, PROGRAMS[start])
    }


def commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command and all commands below it, by their names on the command line."""
    command = getattr(command, "loaded", command)
    yield name, command
    for word, inner in sorted(commands_below(command).items()):
        yield from commands(f"{name} {word}", inner)


def parameters(command: Any) -> Value:
    """What each option and argument is: all but its help, which may be worded better."""
    found: dict[str, str] = {}
    for parameter in command.params:
        kind = parameter.type
        is_argument = parameter.param_type_name == "argument"
        said = {
            "argument": parameter.metavar if is_argument else None,
            "choices": "|".join(getattr(kind, "choices", ())) or None,
            "default": None if parameter.required else parameter.default,
            "flag": getattr(parameter, "is_flag", False),
            "max": getattr(kind, "max", None),
            "min": getattr(kind, "min", None),
            "multiple": parameter.multiple,
            "required": parameter.required,
            "type": _NUMBERS.get(type(kind)),
            "words": parameter.nargs if parameter.nargs != 1 else None,
        }
        found[" / ".join(parameter.opts)] = ", ".join(
            key if value is True else f"{key} {json.dumps(value)}"
            for key, value in said.items()
            if value is not None and value is not False and value != ()
        )
    return found


_NUMBERS: Final[Mapping[object, str]] = {
    click.IntRange: "int",
    IntParamType: "int",
    click.FloatRange: "float",
    FloatParamType: "float",
}


# -- exit codes --------------------------------------------------------------------------------

EXITS: Final[Sequence[str]] = (
    "",
    "--version",
    "games",
    "games --encodings",
    "chess",
    "info f.qcir",
    "info c.aag",
    "info nowhere.qcir",
    "info",
    "encode",
    "encode hex --size 2x2 --depth 3 -o out.qcir",
    "encode hex --size 2x2 --depth 3 -o -",
    "encode hex --size 2x2 --depth 3 -o - --json",
    "encode hex --size 2x2 --depth 0 -o out.qcir",
    "encode hex --size 2x2 --depth three -o out.qcir",
    "encode hex --size 0x2 -o out.qcir",
    "encode hex --shape tic -o out.qcir",
    "encode chess -o out.qcir",
    "encode hex --size 2x2 --depth 3 --encoding cor-ladder -o out.qcir",
    "encode domineering --size 2x2 --depth 3 --encoding cor-ladder -o out.qcir",
    "encode hex --size 2x2 --depth 3 --encoding none -o out.qcir",
    "encode hex --size 2x2 --depth 3 --clauses early -o out.qcir",
    "encode domain.ig problem.ig -o problem.ig",
    "encode problem.ig domain.ig -o out.qcir",
    "solve hex-network --size 2x2 --depth 3",
    "solve hex-network --size 2x2 --depth 1",
    "solve hex-network --size 2x2 --depth auto",
    "solve hex-network --size 6x6 --depth 30 --timeout 0",
    "certify hex --size 2x2 --depth 3 --route search -o out.aig",
    "certify hex --size 2x2 --depth 3 --route none -o out.aig",
    "certify hex --size 2x2 --depth auto -o out.aig",
    "certify f.qcir -o f.qcir",
    "minimise f.qcir c.aag -o out.aag",
    "minimise f.qcir c.aag -o f.qcir",
    "play f.qcir --cert c.aag --moves occupy(3,3)",
    "play f.qcir --cert c.aag --moves occupy(9,9)",
    "play f.qcir --cert c.aag --moves nonsense",
    "play f.qcir --cert c.aag --sat --simulation",
    "play f.qcir --cert c.aag --white random --games 3",
    "play f.qcir --cert c.aag --white random --games 0",
    "play f.qcir --cert other.aag --moves occupy(1,1)",
    "play take-away-3 --rules take.rules --state v=6 --moves take(1)",
    "play take-away-3 --rules take.rules --state v=6 --moves take(4)",
    "play take-away-3 --rules wrong.rules --white all --bound 9",
    "validate f.qcir --cert c.aag --level rules",
    "validate f.qcir --cert c.aag --level random --games 5",
    "validate f.qcir --cert c.aag --level nonsense",
    "validate f.qcir --cert c.aag --timeout 0",
    "validate f.qcir --cert damaged.aag --level all",
    "validate f.qcir --cert damaged.aag --level formula",
    "validate f.qcir --cert short.aag",
    "validate short.qcir --cert c.aag",
    "validate f.qcir --level formula",
    "validate f.qcir --cert nowhere.aag",
    "validate - --cert c.aag",
    "validate f.qcir --cert c.aag --report f.qcir",
    "validate f.qcir --cert c.aag --games 0",
    "synthesize nowhere.ig",
    "bench table nowhere.csv",
    "bench none",
)


def exit_cases() -> dict[str, Case]:
    """The exit codes of command lines, good and bad."""
    return {f"qsage {words}".rstrip(): partial(ended, words) for words in EXITS}


def ended(words: str) -> Value:
    """The exit code; of bad input also the line that is said."""
    certificate = made(MODELS["grid"][0])
    formula, functions = certificate["f.qcir"], certificate["c.aag"]
    files = {
        **certificate,
        "damaged.aag": with_gate(functions, 3),
        "short.aag": functions[: len(functions) // 2],
        "short.qcir": formula[: formula.rindex(b"exists(") + 9],
        "other.aag": made(MODELS["grid"][1])["c.aag"],
    }
    with folder(files):
        done = qsage(words)
        # Click words its own complaints anew now and then.
        ours = done.code == Exit.BAD_INPUT and "--help)" not in done.err
        return {"exit code": done.code} | ({"said": done.last} if ours else {})


def with_gate(certificate: bytes, number: int) -> bytes:
    """An ASCII AIGER file with the first input of a gate negated; gates are counted from 0."""
    lines = certificate.decode().split("\n")
    _, _, inputs, _, outputs, gates = lines[0].split()
    assert 0 <= number < int(gates)
    row = 1 + int(inputs) + int(outputs) + number
    gate, left, right = lines[row].split()
    return "\n".join([*lines[:row], f"{gate} {int(left) ^ 1} {right}", *lines[row + 1 :]]).encode()


# -- validation --------------------------------------------------------------------------------

CERT: Final = "f.qcir --cert c.aag"
# Herbrand functions are beaten by many values of variables that no play has: levels of plays.
PLAYED: Final = f"{CERT} --level dependencies --level random --level all --level rules"
SMALL: Final = "hex --size 2x2 --depth 3"
SMALL_NETWORK: Final = "hex-network --size 2x2 --depth 3 --encoding cor-lean"
VALID: Final = (
    "tic",
    "evader",
    HELD,
    f"{HEX} --encoding cor-lean",
    f"{EL} --encoding la",
    f"{EL_HELD} --encoding ea",
    f"{HEX_HELD} --encoding sn",
    f"{HEAP} --encoding gdl",
    f"{HEAP_SECOND} --encoding gdl-gd",
)

# What a solver has chosen where nothing depends on it.
_CHOSEN: Final = (
    (re.compile(r" under( -?\d+)+"), " under …"),
    (re.compile(r" with \d+ = [01](, \d+ = [01])*(, …)?;"), " with …;"),
)


def validation_cases() -> dict[str, Case]:
    """Certificates that hold, and such as were damaged in one place."""

    def damaged(model: str, change: Callable[[bytes], bytes], words: str = CERT) -> Case:
        def files() -> Mapping[str, bytes]:
            sound = made(model)
            return {**sound, "c.aag": change(sound["c.aag"])}

        return partial(validated, words, files)

    def layout(model: str, line: bytes, instead: bytes, words: str = CERT) -> Case:
        def files() -> Mapping[str, bytes]:
            sound = made(model)
            assert line in sound["f.qcir"]
            return {**sound, "f.qcir": sound["f.qcir"].replace(line, instead, 1)}

        return partial(validated, words, files)

    cases = {f"valid: {model}": partial(validated, CERT, partial(made, model)) for model in VALID}
    return cases | {
        "valid, the formula alone": partial(validated, "f.qcir", partial(made, SMALL)),
        "valid, without a layout": partial(validated, CERT, bare),
        "wrong gate, Black, symbolic square": damaged(SMALL, partial(with_gate, number=3)),
        "wrong gate, Black, a goal": damaged(MODELS["grid"][0], partial(with_gate, number=12)),
        "wrong gate, Black, listed moves": damaged(SMALL_NETWORK, partial(with_gate, number=0)),
        "wrong gate, Black, lifted": damaged(f"{EL} --encoding la", partial(with_gate, number=17)),
        "wrong gate, Black, GDL": damaged(f"{HEAP} --encoding gdl", partial(with_gate, number=1)),
        "wrong function, White, a board": damaged(HELD, with_function, PLAYED),
        "wrong function, White, GDL": damaged(
            f"{HEAP_SECOND} --encoding gdl", with_function, PLAYED
        ),
        "a function that looks ahead": partial(validated, CERT, looking_ahead),
        "a certificate of what is false": partial(validated, CERT, false_answer),
        "rules of another game": partial(
            validated,
            f"{CERT} --level all --level random --model '{MODELS['grid'][1]}'",
            partial(made, MODELS["grid"][0]),
        ),
        "rules of another network": partial(
            validated,
            f"{CERT} --model 'hex-network --size 2x2 --transversal --depth 3'",
            partial(made, SMALL_NETWORK),
        ),
        "a layout with another mover": layout(SMALL, b"move 2 white", b"move 2 black"),
        "a layout that lacks a claim": layout(SMALL_NETWORK, b" stop 15", b""),
        "a layout that cannot be read": layout(SMALL_NETWORK, b"move 2 white", b"move 2 grey"),
    }


def validated(words: str, files: Callable[[], Mapping[str, bytes]]) -> Value:
    """What ``qsage validate`` says of files: all but times, sizes and versions.

    The evidence of levels is left out, where it is not in their words: it tells how the SAT solver
    went about it.  What plays have as evidence is among the adversaries.
    """
    with folder(files()):
        done = qsage(shlex.split(f"validate {words} --games 20 --json"))
        if done.code == Exit.BAD_INPUT:
            return {"exit code": done.code, "said": done.last}
        said = done.data
        return {
            "exit code": done.code,
            "verdict": said["verdict"],
            "summary": said["summary"],
            "blame": said["blame"],
            "contradictions": [shown(finding) for finding in said["contradictions"]],
            "facts": {k: v for k, v in said["facts"].items() if k not in ("files", "version")},
            **{f"statement: {each['text']}": each for each in said["statements"]},
            **{
                f"level: {each['level']}": [chosen(each["text"]), *map(shown, each["findings"])]
                for each in said["levels"]
            },
        }


def shown(finding: dict[str, Value]) -> Value:
    """A finding, as a person sees it."""
    return {key: finding[key] for key in ("moves", "replay")} | {"text": chosen(finding["text"])}


def chosen(text: str) -> str:
    """The text without values that a solver has chosen."""
    for pattern, instead in _CHOSEN:
        text = pattern.sub(instead, text)
    return text


def bare() -> Mapping[str, bytes]:
    """The small game's files, without the comments that say what the variables are."""
    sound = made(SMALL)
    return {**sound, "f.qcir": _COMMENTS.sub(b"", sound["f.qcir"])}


def looking_ahead() -> Mapping[str, bytes]:
    """A formula and a function for its first variable that reads the second one."""
    return {
        "f.qcir": b"#QCIR-G14\nexists(1)\nforall(2)\noutput(3)\n3 = xor(1, -2)\n",
        "c.aag": b"aag 1 1 0 2 0\n2\n2\n1\ni0 2\no0 1\no1 result\n",
    }


def false_answer() -> Mapping[str, bytes]:
    """A formula that is false, and a "Skolem certificate" of nothing but zeros."""
    with folder():
        done = qsage("encode connect-c --connect 2 --size 2x2 --depth 1 -o f.qcir")
        assert done.code == 0, done.err
        formula = Path("f.qcir").read_bytes()
    numbers = [
        number.strip().decode()
        for block in re.findall(rb"^forall\((.*)\)$", formula, re.MULTILINE)
        for number in block.split(b",")
    ]
    size = len(numbers)
    lines = [f"aag {size} {size} 0 2 0", *(str(2 * k) for k in range(1, size + 1)), "0", "1"]
    lines += [f"i{k} {number}" for k, number in enumerate(numbers)] + ["o0 1", "o1 result", ""]
    return {"f.qcir": formula, "c.aag": "\n".join(lines).encode()}


def with_function(certificate: bytes) -> bytes:
    """An ASCII AIGER file with the first function negated."""
    lines = certificate.decode().split("\n")
    row = 1 + int(lines[0].split()[2])
    lines[row] = str(int(lines[row]) ^ 1)
    return "\n".join(lines).encode()


# -- what the net is made of -------------------------------------------------------------------

TOPICS: Final[Mapping[str, Callable[[], Mapping[str, Case]]]] = {
    "encoders": encoder_cases,
    "certificates": certificate_cases,
    "adversaries": adversary_cases,
    "command-line": command_cases,
    "exit-codes": exit_cases,
    "validation": validation_cases,
}


@cache
def golden(topic: str) -> dict[str, Value]:
    """What is known to hold of a topic, by case."""
    found = json.loads((GOLDEN / f"{topic}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def write(topic: str) -> None:
    """Write the file of a topic anew."""
    values = {name: case() for name, case in TOPICS[topic]().items()}
    text = ",\n".join(f"{compact(name)}: {{\n{entries(values[name])}}}" for name in sorted(values))
    GOLDEN.mkdir(parents=True, exist_ok=True)
    (GOLDEN / f"{topic}.json").write_text(f"{{\n{text}\n}}\n", encoding="utf-8", newline="\n")


def entries(value: dict[str, Value]) -> str:
    """The entries of a case, a line each, so that a difference shows what it is about."""
    return "".join(
        f"  {compact(key)}: {compact(value[key])}{',' if more else ''}\n"
        for more, key in zip(range(len(value) - 1, -1, -1), sorted(value), strict=True)
    )


def compact(value: Value) -> str:
    """A value as JSON in one line."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


if __name__ == "__main__":
    for asked in sys.argv[1:] or TOPICS:
        write(asked)
