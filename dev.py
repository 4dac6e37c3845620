#!/usr/bin/env python3
"""Work on the project with nothing but Python 3.10 or later.

python3 dev.py play [ARGS]        play against the shipped sample (or qsage-play ARGS)
python3 dev.py check [ARGS]       run the gate: lint, types, layers, samples, documents, quick tests
python3 dev.py check --full       the same with all tests, as in CI
python3 dev.py artifact [-o FILE] make one ZIP for reviewers, with wheels, in dist/
python3 dev.py pack [-o FILE]     make the archive of formulas for authors of solvers, in dist/
python3 dev.py install EXTRA ...  add extras of pyproject.toml: solve, gdl, impartial, ...
python3 dev.py regenerate         make the samples and the README's picture anew
python3 dev.py verified           build the checker that is verified in Coq, in verified/bin
python3 dev.py docs               build the documents as a site in build/site
python3 dev.py run PROGRAM [ARGS] run a program of the environment: qsage, python, pytest, ...

Each command first makes a virtual environment in .venv, or renews it when pyproject.toml or
constraints.txt have changed. No program outside the checkout is changed. What 'play' keeps (the
last plays, the theme) is where the platform keeps the state of programs; --no-state keeps nothing.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036 - this file is what tells people with an older one
    sys.exit(f"dev.py: found Python {sys.version.split()[0]}, expected 3.10 or later")

import contextlib
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "qsage-stamp"
UNFINISHED = "unfinished\n"
# What each of the two environments has beyond the core.
EXTRAS = {
    "play": "",
    "dev": "[dev,docs,gdl,impartial,fast,cluster,plot,frame,web,lsp,mcp,count]",
}
PINS = ("--constraint", str(ROOT / "constraints.txt"))
SOLVERS = "[solve]"  # compiled when installed: takes minutes, and a C++ compiler
SITE = "build/site"
QUICK = ("-m", "not full")
CACHE = "build/tests"
# So many tests that failed run once more, one after the other: limits of time are short for a
# test beside which all processors work.
MOST_ALONE = 5

# What the gate consists of; nothing else says so. The tests come last, their summary with them.
# Without --full they are those that tests/full.txt does not name.
GATE = (
    ("format", ("ruff", "format", "--check", ".")),
    ("lint", ("ruff", "check", ".")),
    ("types", ("mypy",)),
    ("layers", ("lint-imports",)),
    ("samples", ("python", "certificates/regenerate.py", "--check")),
    ("picture", ("python", "docs/picture.py", "--check")),
    ("documents", ("python", "-m", "sphinx", "-WEnq", "--keep-going", "-c", "docs", ".", SITE)),
    # Each file stays in one process, which makes what its tests share once.
    (
        "tests",
        (
            *("pytest", "-nauto", "--maxprocesses=8", "--dist=loadfile", "--no-loadscope-reorder"),
            # What crashed a process is run again in the next one, and ends that as well.
            "--max-worker-restart=1",
            f"--override-ini=cache_dir={CACHE}",
        ),
    ),
)


class DevError(Exception):
    """Something that a person can mend; the text is one line."""


def say(text: str) -> None:
    """Narrate on standard error."""
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


def environment() -> dict[str, str]:
    """The variables for programs of the environment, as its activation would set them."""
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "PIP_USER")}
    variables["VIRTUAL_ENV"] = str(VENV)
    variables["PATH"] = os.pathsep.join((str(BIN), variables.get("PATH", os.defpath)))
    return variables


def fingerprint(purpose: str) -> str:
    """What the environment was made from: interpreter, place, requirements."""
    digest = hashlib.sha256(f"{sys.version}\n{sys.base_prefix}\n{ROOT}\n".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return f"{purpose} {digest.hexdigest()}\n"


def prepare(purpose: str) -> None:
    """Make sure that the environment is there, with what ``purpose`` requires.

    The environment for "dev" has everything, so it serves for "play" as well, and the one for
    "play" is added to; any other one is made anew.
    """
    made = STAMP.read_text() if STAMP.is_file() and PYTHON.exists() else UNFINISHED
    if made in {fingerprint(purpose), fingerprint("dev")}:
        return
    if VENV.exists() and not STAMP.is_file():
        raise DevError(f"{VENV} was not made by this script: move it away, then run this again")
    say(f"preparing .venv for Python {sys.version.split()[0]}; this takes about a minute")
    if made != fingerprint("play"):
        if VENV.exists():
            shutil.rmtree(VENV)
        VENV.mkdir()
    STAMP.write_text(UNFINISHED)
    install = (*make_installer(), "--quiet", *PINS)
    # The build runs in the environment itself, so that its tool is pinned like the rest.
    run((*install, "setuptools"))
    run((*install, "--no-build-isolation", "--editable", f"{ROOT}{EXTRAS[purpose]}"))
    if purpose == "dev":
        add_solvers(install)
    STAMP.write_text(fingerprint(purpose))


def add_solvers(install: Sequence[str]) -> None:
    """Install the QBF solvers where they can be built; tests that need them are skipped else."""
    say("building the QBF solvers: some minutes, the first time")
    # One file at a time is what builds do unless they are told otherwise.
    jobs = str(os.cpu_count() or 1)
    os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", jobs)
    os.environ.setdefault("MAKEFLAGS", f"-j{jobs}")
    try:
        run((*install, "--editable", f"{ROOT}{SOLVERS}"))
    except DevError as error:
        say(f"no QBF solvers, so their tests will be skipped ({error})")


def make_installer() -> tuple[str, ...]:
    """Make the virtual environment; returns the command that installs into it."""
    # Not sys.executable: that may be the interpreter of the environment that is made anew.
    interpreter = getattr(sys, "_base_executable", sys.executable)
    create = (interpreter, "-m", "venv")
    if importlib.util.find_spec("ensurepip"):
        run((*create, str(VENV)))
        return (str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install")
    # Debian's Python comes without ensurepip; uv or a pip elsewhere can install into .venv.
    run((*create, "--without-pip", str(VENV)))
    if uv := shutil.which("uv"):
        return (uv, "pip", "install", "--python", str(PYTHON))
    pip = (interpreter, "-m", "pip", "--disable-pip-version-check", "--python", str(PYTHON))
    if subprocess.run((*pip, "--version"), capture_output=True, check=False).returncode == 0:
        return (*pip, "install")
    raise DevError(
        f"this Python has neither ensurepip nor pip: install python3.{sys.version_info.minor}-venv "
        "(so it is called on Debian and Ubuntu), then run this again"
    )


def run(command: Sequence[str]) -> None:
    """Run a command that has to succeed."""
    code = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
    if code:
        raise DevError(f"failed with exit code {code}: {' '.join(command)}")


def program(name: str) -> str:
    """The path of a program of the environment, or of the machine."""
    found = shutil.which(name, path=environment()["PATH"])
    if found is None:
        raise DevError(f"no program {name!r} in {BIN}")
    return found


def hand_over(command: Sequence[str]) -> int:
    """Become ``command`` (where the system can), so that it has the terminal to itself."""
    path, variables = program(command[0]), environment()
    if os.name != "nt":
        sys.stdout.flush()
        os.execve(path, (path, *command[1:]), variables)
    return subprocess.run((path, *command[1:]), env=variables, check=False).returncode


def play(arguments: Sequence[str]) -> int:
    """Open the interface, on the sample unless something else is named."""
    prepare("play")
    return hand_over(("qsage-play", *(arguments or ("sample:tic",))))


def install(extras: Sequence[str]) -> int:
    """Add extras of pyproject.toml to the environment."""
    if not extras:
        raise DevError("found no extra, expected one: python3 dev.py install EXTRA ...")
    prepare("play")
    say(f"adding {', '.join(extras)}; the QBF solvers (solve) take some minutes to build")
    run((*make_installer(), *PINS, "--editable", f"{ROOT}[{','.join(extras)}]"))
    return 0


def check(arguments: Sequence[str]) -> int:
    """Run every step of the gate, also after one has failed, and say what failed.

    The steps before the tests run side by side, as many as there are processors; each is told with
    its output when it and those before it have ended.  Tests that are named run whatever they cost.
    """
    named = any((ROOT / argument.partition("::")[0]).exists() for argument in arguments)
    quick = QUICK if "--full" not in arguments and not named else ()
    arguments = [*quick, *(argument for argument in arguments if argument != "--full")]
    prepare("dev")
    # As in CI wherever it runs: property tests ask the same questions each time.
    variables = {"CI": "true", **environment()}
    # Compiled once: pytest rewrites the tests for 10 s in each of its processes.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)

    def step(command: Sequence[str], output: int | None = None) -> tuple[int, bytes, float]:
        started = time.monotonic()
        whole = (program(command[0]), *command[1:])
        errors = None if output is None else subprocess.STDOUT
        done = subprocess.run(
            whole, cwd=ROOT, env=variables, stdout=output, stderr=errors, check=False
        )
        return done.returncode, done.stdout or b"", time.monotonic() - started

    def alone() -> int:
        """Run the tests that failed once more without others beside them."""
        tests = list(json.loads(failures.read_text())) if failures.exists() else []
        if not 0 < len(tests) <= MOST_ALONE:
            return 1
        names = " ".join(tests)
        print(f"check: failed beside other tests, run alone: {names}", flush=True)
        code, _, _ = step(("pytest", *tests))
        if not code:
            print(f"check: passed alone, failed beside other tests: {names}", flush=True)
        return code

    failures = ROOT / CACHE / "v" / "cache" / "lastfailed"
    failures.unlink(missing_ok=True)
    failed = []
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        *first, tests = GATE
        begun = [pool.submit(step, command, subprocess.PIPE) for _, command in first]
        ended = (future.result() for future in begun)
        for name, command in GATE:
            last = (name, command) == tests
            whole = (*command, *arguments) if last else command
            print(f"check: {name}: {shlex.join(whole)}", flush=True)
            code, output, seconds = step(whole) if last else next(ended)
            if last and code == 1:
                code = alone()
            sys.stdout.buffer.write(output)
            if code:
                failed.append(name)
            print(
                f"check: {name} " + ("FAILED" if code else f"passed in {seconds:.0f} s"), flush=True
            )
    finally:
        pool.shutdown(cancel_futures=True)
    print(f"check: FAILED: {', '.join(failed)}" if failed else "check: all passed", flush=True)
    return 1 if failed else 0


def regenerate(arguments: Sequence[str]) -> int:
    """Make anew what the gate compares."""
    if arguments:
        raise DevError(f"found {arguments[0]!r}, expected no arguments of regenerate")
    prepare("dev")
    for _, command in GATE:
        if command[-1] == "--check" and command[0] == "python":
            run((program("python"), *command[1:-1]))
    return 0


def docs(arguments: Sequence[str]) -> int:
    """Build the site as the gate does: a warning or a link that leads nowhere is an error."""
    if arguments:
        raise DevError(f"found {arguments[0]!r}, expected no arguments of docs")
    prepare("dev")
    (command,) = (command for name, command in GATE if name == "documents")
    run((program(command[0]), *command[1:]))
    say(f"the site begins at {ROOT / SITE / 'index.html'}")
    return 0


def verified(arguments: Sequence[str]) -> int:
    """Build the verified checker; where Coq is there, prove it and extract it first."""
    if arguments:
        raise DevError(f"found {arguments[0]!r}, expected no arguments of verified")
    if not shutil.which("ocamlfind"):
        raise DevError(
            "found no ocamlfind: 'apt-get install --no-install-recommends ocaml-nox ocaml-findlib' "
            "brings it on Debian and Ubuntu, and with coq instead the proofs are checked as well"
        )
    coq = shutil.which("coqc") is not None
    say("proving, extracting and building" if coq else "no coqc: building without the proofs")
    run(("sh", str(ROOT / "verified" / "build.sh"), *(["coq"] if coq else [])))
    say(f"built {ROOT / 'verified' / 'bin' / 'qsage-verified'}")
    return 0


def artifact(arguments: Sequence[str]) -> int:
    """Make the ZIP for reviewers."""
    prepare("dev")
    return hand_over(("python", str(ROOT / "research" / "artifact" / "make.py"), *arguments))


def pack(arguments: Sequence[str]) -> int:
    """Make the archive for authors of solvers."""
    prepare("dev")
    return hand_over(("python", str(ROOT / "research" / "pack" / "make.py"), *arguments))


def run_program(arguments: Sequence[str]) -> int:
    """Run a program of the environment in the current directory."""
    if not arguments:
        raise DevError("found no program, expected one: python3 dev.py run PROGRAM [ARGS]")
    prepare("dev")
    return hand_over(arguments)


COMMANDS = {
    "play": play,
    "check": check,
    "install": install,
    "artifact": artifact,
    "pack": pack,
    "regenerate": regenerate,
    "docs": docs,
    "verified": verified,
    "run": run_program,
}


def main() -> int:
    """Run the command that the arguments name; returns the exit code."""
    name, *arguments = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help", "help"):
        print(__doc__, end="")
        return 0
    try:
        command = COMMANDS.get(name)
        if command is None:
            raise DevError(f"found {name!r}, expected one of {', '.join(COMMANDS)}")
        return command(arguments)
    except (DevError, OSError) as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            say("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main())
