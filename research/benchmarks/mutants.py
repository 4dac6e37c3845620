"""Single-line faults put into the package itself: does a test notice?

    python research/benchmarks/mutants.py [--only N] [--list] [--seconds S] [--json]
    python research/benchmarks/mutants.py --drawn N --state FILE [--seed S] [--budget S] [--costs FILE]

Package and tests are copied to a temporary folder.  The named tests have to pass there as they are;
then one fault at a time is put into the copy, and only its own tests run.  A fault is caught where
one of them fails, and missed where all pass, where none can be run, and at the time limit.  The
exit code is 1 when a fault is missed, 2 when a test fails without any fault.

With ``--drawn`` faults are drawn from the core by a grammar (``mutation.py``) until N of them were
noticed, and the quick tests of ``dev.py check`` are held against all of them (``tiers.py``).  The
exit code is 1 when a fault is noticed by a test that is marked ``full`` alone.  ``FILE`` keeps each
answer as it is found, so that an interrupted run goes on.

Source: DeMillo, Lipton, Sayward, "Hints on Test Data Selection" (Computer, 1978).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from rich.console import Console
from rich.table import Table

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from research.benchmarks.tiers import Copy, Nearness, file_costs, judged
from tests.support.tiers import full_tests

ROOT: Final = Path(__file__).resolve().parents[2]
COPIED: Final = ("qsage_validate", "tests", "research", "certificates", "pyproject.toml")
PACKAGE: Final = "qsage_validate"
UNIT: Final = "tests/unit"


@dataclass(frozen=True, slots=True)
class Fault:
    """In a file of the package ``old``, which it has once, becomes ``new``.

    ``tests`` are files, from the folder of the unit tests; one of them is to notice.
    """

    file: str
    what: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, text: str) -> str:
        """The file's text with the fault; raises ``ValueError`` unless it has ``old`` once."""
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"{self.file}: found {self.old!r} {count} times, expected it once")
        return text.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Run:
    """What some tests said: ``failed`` is the first that failed; ``why`` none could say."""

    failed: str
    why: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Examined:
    """What became of a fault: the test that caught it, or (``caught_by`` empty) why none did."""

    number: int
    file: str
    fault: str
    caught_by: str
    why: str
    seconds: float


FAULTS: Final = (
    # -- kernel
    Fault(
        "kernel/strategy.py",
        "no reply is ever illegal",
        "and_(step.playing, step.failed)",
        "and_(step.failed, step.failed ^ 1)",
        ("kernel/test_kernel_strategy.py",),
    ),
    Fault(
        "kernel/strategy.py",
        "a mirror image answers at every ply",
        "mirrored = step.ply == 1 and not sayable",
        "mirrored = not sayable",
        ("kernel/test_kernel_strategy.py", "kernel/test_kernel_liars.py"),
    ),
    Fault(
        "kernel/strategy.py",
        "a variable may stand in two plies with two values",
        "if len(found) > 1:",
        "if len(found) > 2:",
        ("kernel/test_kernel_strategy.py", "kernel/test_kernel_liars.py"),
    ),
    Fault(
        "kernel/lrat.py",
        "a step may take the last clause's number",
        "if name <= last:",
        "if name < last:",
        ("kernel/test_lrat.py",),
    ),
    Fault(
        "kernel/lrat.py",
        "a hint may leave two literals open",
        "if unit or literal in true:",
        "if literal in true:",
        ("kernel/test_lrat.py",),
    ),
    Fault(
        "kernel/obligation.py",
        "only the first claim is in the clauses",
        "tidy([literals[: len(wrong)]])",
        "tidy([literals[:1]])",
        ("kernel/test_obligation.py",),
    ),
    Fault(
        "kernel/obligation.py",
        "the first assumption is forgotten when obligations are joined",
        "built[len(wrong) :]",
        "built[len(wrong) + 1 :]",
        ("kernel/test_obligation.py",),
    ),
    Fault(
        "kernel/claims.py",
        "a claim that holds is handed on negated",
        "solver.add_clause([-wrong[0]])",
        "solver.add_clause([wrong[0]])",
        ("kernel/test_claims.py",),
    ),
    Fault(
        "kernel/claims.py",
        "each claim is a clause for the later ones",
        "if done + 1 == total:",
        "if done < total:",
        ("kernel/test_claims.py",),
    ),
    Fault(
        "kernel/claims.py",
        "late plies are asked about first",
        "for c in sorted(claims, key=lambda c: c.ply)",
        "for c in sorted(claims, key=lambda c: -c.ply)",
        ("kernel/test_claims.py",),
    ),
    # -- certificates
    Fault(
        "certificates/check.py",
        "the first function that looks right is overlooked",
        "wrong = dependencies(formula, certificate)",
        "wrong = dependencies(formula, certificate)[1:]",
        ("certificates/test_certificates_check.py",),
    ),
    Fault(
        "certificates/check.py",
        "clauses left open may contradict each other",
        "search.ask(composition, builder.or_(lost, contradictory))",
        "search.ask(composition, lost)",
        ("certificates/test_certificates_check.py",),
    ),
    Fault(
        "certificates/qrp_check.py",
        "literals left of the pivot may be merged",
        "clash & self.reduced & (pivot - 1)",
        "clash & self.reduced & pivot",
        ("certificates/qrp/test_trace_check.py",),
    ),
    Fault(
        "certificates/qrp_check.py",
        "a negative pivot does not keep what is left of it",
        "((positive | negative) & self.pivots).bit_length()",
        "(positive & self.pivots).bit_length()",
        ("certificates/qrp/test_trace_check.py",),
    ),
    Fault(
        "certificates/sat_oracle.py",
        "what a choice leaves open is true",
        "dict.fromkeys(self.opponent, False)",
        "dict.fromkeys(self.opponent, True)",
        ("certificates/test_certificates_oracles.py",),
    ),
    Fault(
        "problems/searched.py",
        "a solver's reply is kept for another last move",
        "key = (level, tuple(before))",
        "key = (level, tuple(before[:-1]))",
        ("certificates/oracles/test_solving_oracle.py",),
    ),
    Fault(
        "certificates/qrat.py",
        "an eliminated variable gets the other side's definition",
        "needed if positive else needed ^ 1, reach",
        "needed ^ 1 if positive else needed, reach",
        ("certificates/test_lifting.py",),
    ),
    # -- circuit
    Fault(
        "circuit/rewriting.py",
        "an exclusive disjunction with a constant has the wrong sign",
        "return -a if b else a",
        "return a if b else -a",
        ("circuit/test_residual.py",),
    ),
    Fault(
        "circuit/rewriting.py",
        "a choice with a constant has the wrong condition",
        "[-c if e else c, t]",
        "[c if e else -c, t]",
        ("circuit/test_residual.py",),
    ),
    Fault(
        "circuit/rewriting.py",
        "a negated quantifier stays what it is",
        "gate.quantifier if positive else gate.quantifier.dual",
        "gate.quantifier",
        ("circuit/test_prenex.py",),
    ),
    Fault(
        "circuit/rewriting.py",
        "a shared gate goes out as far as the last use of it lets it (same truth, other prefix)",
        "level_of[u] = max(level_of[u], level)",
        "level_of[u] = level",
        ("circuit/test_prenex.py",),
    ),
    Fault(
        "circuit/simulate.py",
        "the last word of each pass is left out",
        "part = slice(start, min(start + step, total))",
        "part = slice(start, min(start + step, total) - 1)",
        ("circuit/test_simulate.py",),
    ),
    # -- encodings
    Fault(
        "encodings/grid.py",
        "squares that no move touches may change",
        "return [*parts, self.circuit.or_(*touched, self._same(before, after))]",
        "return parts",
        ("encodings/grid/test_lifted_against_rules.py",),
    ),
    Fault(
        "encodings/grid.py",
        "Black may stop before her goal is reached",
        "self.circuit.or_(-move.stop, reached)",
        "self.circuit.or_(-move.stop, self.black_goal)",
        ("encodings/grid/test_lifted_against_rules.py",),
    ),
    Fault(
        "encodings/grid.py",
        "moves may reach one square over the board's edge",
        "high = min(high, size - 1 - coordinate.offset)",
        "high = min(high, size - coordinate.offset)",
        ("encodings/grid/test_guarded_encoding.py",),
    ),
    Fault(
        "encodings/list_codings.py",
        "of several moves that are chosen the first one counts",
        "if len(chosen) == 1:",
        "if chosen:",
        ("encodings/layout/test_table_comments.py", "play/test_table_match.py"),
    ),
    Fault(
        "encodings/layout_reader.py",
        "a variable may have a meaning in two lines",
        "if variable in self.placed:",
        "if self.placed.get(variable) == self.line:",
        ("encodings/layout/test_layout_comments.py", "encodings/layout/test_table_comments.py"),
    ),
    Fault(
        "encodings/layout_reader.py",
        "a number may have more bits than it needs",
        "if len(bits) != needed:",
        "if len(bits) < needed:",
        ("encodings/layout/test_layout_comments.py",),
    ),
    Fault(
        "encodings/layout.py",
        "a move may be off the board on one axis",
        "if x >= self.x.size or y >= self.y.size:",
        "if x >= self.x.size and y >= self.y.size:",
        ("encodings/layout/test_codings.py",),
    ),
    # -- validation
    Fault(
        "validation/referee.py",
        "the formula may accept illegal moves that the rules know",
        "if verdict.legal and not legal:",
        "if verdict.legal and known is None:",
        ("validation/test_referee.py",),
    ),
    Fault(
        "judging/codes.py",
        "a strategy's choice may stand left of what it looks at",
        "if earlier < ply and self.readings[earlier - 1].player is not player:",
        "if earlier < ply - 1 and self.readings[earlier - 1].player is not player:",
        ("judging/test_grid_formulas.py",),
    ),
    Fault(
        "judging/sandwich.py",
        "the first claim about all scripts is left out",
        "claim.wrong for claim in self.claims)",
        "claim.wrong for claim in self.claims[1:])",
        ("judging/test_completion.py",),
    ),
    Fault(
        "judging/sandwich.py",
        "a function may read what is not known where its variable stands",
        "if known[root >> 1] <= self._level(variable):",
        "if known[root >> 1] <= self._level(variable) + 1:",
        ("judging/test_grid_formulas.py",),
    ),
    Fault(
        "validation/referee.py",
        "mirror images stand for moves at every ply",
        "if missing and position == self.game.initial:",
        "if missing:",
        ("validation/test_referee.py",),
    ),
    # -- strategies
    Fault(
        "strategies/skolem.py",
        "White's goal matters only where she claims it at every ply",
        "return any(play.choice.get(abs(s), s < 0) != (s < 0) for s in stops)",
        "return all(play.choice.get(abs(s), s < 0) != (s < 0) for s in stops)",
        ("strategies/test_skolem_verdicts.py",),
    ),
    Fault(
        "strategies/herbrand.py",
        "a verdict takes indicators and goals as they were said",
        "return {v: value for v, value in play.choice.items() if v in earlier}",
        "return play.choice",
        ("strategies/test_herbrand_verdicts.py",),
    ),
    # -- arena
    Fault(
        "arena/adversary.py",
        "a claim is a finding where it was refuted",
        "if reading.value is (not self._play_engine.promised_verdict):",
        "if reading.value is self._play_engine.promised_verdict:",
        ("arena/test_adversary.py",),
    ),
    Fault(
        "arena/adversary.py",
        "an illegal move that the formula accepts is flagged",
        "return verdict is not None and not verdict.legal",
        "return verdict is not None and verdict.legal",
        ("arena/test_adversary.py",),
    ),
    Fault(
        "arena/play_engine.py",
        "a claim may be a variable of the certificate's",
        "return stop is not None and abs(stop) in self.reader.opponent",
        "return stop is not None",
        ("arena/test_play_engine.py",),
    ),
    Fault(
        "arena/play_engine.py",
        "a play is legal again after a legal move",
        "illegal = state.illegal or not self.is_legal(state, move)",
        "illegal = not self.is_legal(state, move)",
        ("arena/test_play_engine.py",),
    ),
    # -- formats
    Fault(
        "formats/qcir.py",
        "a quantifier gate loses the sign of what it quantifies",
        '* (-1 if body.startswith("-") else 1)',
        "* 1",
        ("formats/test_formats_qcir.py", "circuit/test_prenex.py"),
    ),
    Fault(
        "formats/aiger_ascii.py",
        "gates count as sorted where one side is",
        "if (before_left < own).all() and (before_right < own).all():",
        "if (before_left < own).all() or (before_right < own).all():",
        ("formats/test_formats_aiger.py",),
    ),
    Fault(
        "formats/aiger_ascii.py",
        "an output may be undefined",
        'self._check_defined(place, outputs[:, 0], output_starts, "an output")',
        "pass",
        ("formats/test_formats_aiger.py",),
    ),
    Fault(
        "formats/qdimacs.py",
        "of an exclusive disjunction one direction is kept",
        "uses = {literal, -literal} if both else {sign * literal}",
        "uses = {sign * literal}",
        ("formats/test_formats_qdimacs.py",),
    ),
    # -- solvers
    Fault(
        "solvers/qbf_solving.py",
        "a value that loses is the reply",
        "values = {open_[0]: True}",
        "values = {open_[0]: False}",
        ("solvers/qbf/test_replies.py",),
    ),
    Fault(
        "solvers/qbf_solving.py",
        "the last value is not confirmed",
        "return found if wins or self.decide(left)[0] is promised else None",
        "return found",
        ("solvers/qbf/test_replies.py",),
    ),
    Fault(
        "solvers/search.py",
        "Black's best move may lose two plies",
        "left = plies - 1 if player is BLACK else self._plies_left(after[0][1])",
        "left = plies + 1 if player is BLACK else self._plies_left(after[0][1])",
        ("solvers/search/test_search.py", "solvers/search/test_search_replies.py"),
    ),
    Fault(
        "solvers/search.py",
        "the move that is in the table is not looked at again",
        "if self._keeps(position.play(move), plies - 1, player):",
        "if move is not None:",
        ("solvers/search/test_search.py", "solvers/search/test_search_replies.py"),
    ),
    # -- games
    Fault(
        "games/positional/rules.py",
        "White's claims count as open",
        "self.game.model.all & ~(self.black | self.white)",
        "self.game.model.all & ~self.black",
        ("games/positional/test_positional_rules.py",),
    ),
    Fault(
        "games/positional/rules.py",
        "a symmetry may move White's first pieces",
        "for own in (self.model.black, self.model.white)):",
        "for own in (self.model.black,)):",
        ("games/positional/test_positional_rules.py",),
    ),
    Fault(
        "games/bddl/rules.py",
        "what a move takes away stays",
        "self.state & action.keep | action.put",
        "self.state | action.put",
        ("games/bddl/test_bddl_rules.py",),
    ),
    Fault(
        "games/bddl/rules.py",
        "White holds out one ply early",
        "if self.ply > game.plies:",
        "if self.ply >= game.plies:",
        ("games/bddl/test_bddl_rules.py",),
    ),
    # -- problems
    Fault(
        "problems/script_moves.py",
        "a claim with an illegal move is refused as illegal",
        'said in ("", "illegal", "stop!")',
        'said in ("", "illegal")',
        ("play/test_script.py",),
    ),
    Fault(
        "problems/load.py",
        "the symbolic position is not White's",
        "return frozenset(map(abs, (*moves, *layout.state.position)))",
        "return frozenset(map(abs, moves))",
        ("problems/test_load.py",),
    ),
    Fault(
        "strategies/guesses.py",
        "indicators have no value in a play",
        "played.update(map(abs, ply.indicators.literals))",
        "pass",
        ("problems/test_load.py",),
    ),
    Fault(
        "strategies/guesses.py",
        "the position that the rules tell has no value in a play",
        "played.update(told(layout, game))",
        "pass",
        ("problems/test_load.py",),
    ),
)


def copied(folder: Path) -> None:
    """Copy the package and its tests to ``folder``."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)


def run(tests: Sequence[str], folder: Path, seconds: float) -> Run:
    """Run test files of the copy in ``folder``, up to the first that fails."""
    # Without caches: a fault may leave a file's size and the second of its change as they were.
    # With CI the random tests ask the same questions each time.
    own = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile=unshrunk"]  # the first example that fails will do
    start = perf_counter()
    try:
        done = subprocess.run(
            [*command, *(f"{UNIT}/{test}" for test in tests)],
            cwd=folder,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run("", f"no answer within {seconds:g} seconds", perf_counter() - start)
    took = perf_counter() - start
    if done.returncode == 0:
        return Run("", "", took)
    # A file that cannot be imported has no test that fails.
    failed = re.search(rf"^(?:FAILED|ERROR) {UNIT}/(\S+?::.*?)(?: - .*)?$", done.stdout, re.M)
    if failed is None:
        return Run("", f"pytest ended with exit code {done.returncode}", took)
    return Run(failed[1], "", took)


def examine(number: int, fault: Fault, folder: Path, seconds: float) -> Examined:
    """Put a fault into the copy, run its tests, and take it out again."""
    path = folder / PACKAGE / fault.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(fault.apply(sound), encoding="utf-8")
    try:
        found = run(fault.tests, folder, seconds)
    finally:
        path.write_text(sound, encoding="utf-8")
    why = "" if found.failed else found.why or "all tests pass"
    return Examined(number, fault.file, fault.what, found.failed, why, round(found.seconds, 1))


def shown(rows: Sequence[Examined]) -> Table:
    """The table of what became of the faults."""
    caught = sum(bool(row.caught_by) for row in rows)
    table = Table(title=f"{caught} of {len(rows)} faults caught")
    for column in ("fault", "file", "what", "caught by", "s"):
        table.add_column(column, justify="right" if column in ("fault", "s") else "left")
    for row in rows:
        by = row.caught_by or f"MISSED: {row.why}"
        table.add_row(str(row.number), row.file, row.fault, by, f"{row.seconds:.1f}")
    return table


def compare_tiers(arguments: argparse.Namespace) -> int:
    """Judge drawn faults by both tiers of the tests, and count; returns the exit code."""
    outcomes: Counter[str] = Counter()
    costs = file_costs(arguments.costs) if arguments.costs else {}
    with tempfile.TemporaryDirectory() as name:
        copy = Copy.of(ROOT, Path(name))
        found = judged(
            copy,
            Nearness(copy.folder, costs, full_tests()),
            seed=arguments.seed,
            noticed=arguments.drawn,
            budget=arguments.budget,
            state=arguments.state,
        )
        for one in found:
            outcomes[one.outcome] += 1
            print(f"{one.outcome:6} {one.seconds:6.1f} s  {one.fault}  {one.by}", flush=True)
    noticed = outcomes["quick"] + outcomes["full"]
    print(f"{noticed} faults noticed by all tests, {outcomes['quick']} of them by the quick ones")
    print(f"left over: {outcomes['nobody']} noticed by no test, {outcomes['open']} open")
    for alone in copy.deselected:
        print(f"fails without any fault: {alone}")
    return 1 if outcomes["full"] else 0


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, action="append", help="a fault's number; repeatable")
    parser.add_argument("--list", action="store_true", help="print the faults and run nothing")
    parser.add_argument("--seconds", type=float, default=120.0, help="for the tests of each fault")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--drawn", type=int, metavar="N", help="draw faults until N are noticed")
    parser.add_argument("--seed", type=int, default=1, help="of the faults that are drawn")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keeps what is known of them")
    parser.add_argument("--costs", type=Path, metavar="FILE", help="what tests.support.costs wrote")
    parser.add_argument("--budget", type=float, default=600.0, help="processor seconds of a tier")
    arguments = parser.parse_args()
    if arguments.drawn is not None:
        if arguments.state is None:
            parser.error("found no --state, expected the file that keeps what is known")
        sys.exit(compare_tiers(arguments))
    numbered = dict(enumerate(FAULTS, start=1))
    unknown = [number for number in arguments.only or () if number not in numbered]
    if unknown:
        parser.error(f"found the fault {unknown[0]}, expected 1 to {len(FAULTS)}")
    chosen = {number: numbered[number] for number in arguments.only or numbered}
    if arguments.list:
        for number, fault in chosen.items():
            print(f"{number:3} {fault.file}: {fault.what} ({', '.join(fault.tests)})")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copied(folder)
        tests = sorted({test for fault in chosen.values() for test in fault.tests})
        print(f"{len(tests)} test files without a fault …", file=sys.stderr)
        sound = run(tests, folder, arguments.seconds * len(tests))
        if sound.failed or sound.why:
            print(f"without a fault: {sound.failed or sound.why}", file=sys.stderr)
            sys.exit(2)
        rows = []
        for number, fault in chosen.items():
            print(f"{number} {fault.file}: {fault.what} …", file=sys.stderr)
            rows.append(examine(number, fault, folder, arguments.seconds))
    if arguments.json:
        print(json.dumps({"faults": [asdict(row) for row in rows]}))
    else:
        Console().print(shown(rows))
    if not all(row.caught_by for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
