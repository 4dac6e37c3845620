"""The search on the rules beside a plain minimax that remembers positions.

    python research/benchmarks/search.py [--timeout SECONDS] [--data FOLDER] [--json]
    python research/benchmarks/search.py --boards [WORDS ...] [--before CHECKOUT] [--timeout SECONDS]
    python research/benchmarks/search.py --engines [WORDS ...] [--timeout SECONDS]
    python research/benchmarks/search.py --compiled [WORDS ...] [--timeout SECONDS]
    python research/benchmarks/search.py --openings [WORDS ...] [--timeout SECONDS]
    python research/benchmarks/search.py --jobs [WORDS ...] [--timeout SECONDS]
    python research/benchmarks/search.py --paper [--before CHECKOUT] [--timeout SECONDS]

Both solve each model of ``research/benchmarks/models.py``, in one run; the plain way is a few lines on
the same rules and gives up after the time limit.  With ``--data`` the models are those of a
folder of BDDL files, each game in a folder of its own with its ``domain.ig``; then the search
runs alone.  The program fails (exit code 1) when the two ways do not agree.

With ``--boards`` both questions are asked of larger boards: who wins at the last depth, and in how
few plies, in seconds of processor time.  With ``--paper`` the instances of Table 2 of the BDDL
paper are solved at their depths.  With ``--engines`` who wins is asked of the compiled engine and
of the search in Python, and with ``--compiled`` both questions of the compiled engine alone; what
making or loading the machine code takes is left out.  With ``--openings`` both engines say who wins
after each first move, one of those that symmetries exchange, in seconds of processor time for all
of them; ``--timeout`` is for each move.  With ``--jobs`` who wins is asked of one
search, and of one and two processes with its tasks: seconds of the clock, of processor time, and
positions looked at.  With ``--before`` another checkout does the same.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.errors import UndecidedError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.solvers.search import (
    EngineChoice,
    SearchResult,
    SearchSolver,
    search_for,
)
from qsage_validate.solvers.search_engine import WIN
from qsage_validate.system.limits import Deadline, Limits
from research.benchmarks.models import CASES


class TooLongError(Exception):
    """The plain way has used up its time."""


def plain(game: TwoPlayerGame, seconds: float) -> Player:
    """Minimax on positions, each decided once; raises ``TooLongError``."""
    deadline = time.monotonic() + seconds
    known: dict[Position, Player] = {}

    def winner(position: Position) -> Player:
        if position.outcome is not None:
            return position.outcome.winner
        if position not in known:
            if time.monotonic() > deadline:
                raise TooLongError
            mover = position.to_move
            wins = any(winner(position.play(move)) is mover for move in position.legal_moves())
            known[position] = mover if wins else mover.other
        return known[position]

    return winner(game.initial)


_WARM = 1.0


def measure(name: str, model: Model, timeout: float, *, beside: bool) -> dict[str, object]:
    """One model."""
    game = load_game(model)
    result = SearchSolver(game, limits=Limits(Deadline.after(timeout))).solve()
    if result.seconds < _WARM:  # modules are loaded at the first game of a kind
        result = SearchSolver(load_game(model), limits=Limits(Deadline.after(timeout))).solve()
    row: dict[str, object] = {
        "model": name,
        "winner": None if result.winner is None else result.winner.value,
        "critical plies": result.critical_plies,
        "nodes": result.nodes,
        "table": result.positions,
        "seconds": round(result.seconds, 4),
    }
    if beside:
        start = time.monotonic()
        try:
            winner = plain(load_game(model), timeout)
        except TooLongError:
            row["plain seconds"] = f"> {timeout:g}"
            row["quicker"] = f"> {timeout / max(result.seconds, 1e-4):.0f}"
        else:
            seconds = time.monotonic() - start
            row["plain seconds"] = round(seconds, 4)
            row["quicker"] = round(max(seconds, 1e-4) / max(result.seconds, 1e-4), 3)
            row["agree"] = result.winner in (None, winner)
    return row


OPENINGS = ("hex --size 4x4", "hex --size 5x5", "hex-network --size 6x6")

BOARDS = (
    "domineering --size 5x5",
    "domineering --size 6x6",
    "connect-c --size 4x4 --connect 4",
    "connect-c --size 5x5 --connect 4",
    "connect-c --size 6x6 --connect 3",
    "breakthrough --size 3x5",
    "breakthrough --size 3x6",
    "httt --size 4x4 --shape fatty",
    "httt --size 5x5 --shape skinny",
    "hex --size 5x5",
)

ENGINES = (
    "domineering --size 6x6",
    "domineering --size 7x7",
    "connect-c --size 5x5 --connect 4",
    "connect-c --size 6x5 --connect 4",
    "breakthrough --size 4x5",
    "breakthrough --size 3x7",
)

JOBS = (
    "domineering --size 6x6 --depth 19",
    "domineering --size 7x7 --depth 25",
    "connect-c --size 5x5 --connect 4 --depth 25",
    "breakthrough --size 4x5 --depth 25",
)

# What a process of its own runs: the seconds and the question, and on its input lines of words.
_CHILD = """
import json, sys, time
from qsage_validate.games.languages import load_game
from qsage_validate.games.registry import resolve_command
from qsage_validate.solvers.deepening import depths_of
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Limits, Deadline
seconds, question = float(sys.argv[1]), sys.argv[2]
for line in sys.stdin:
    model = resolve_command(line.split())
    if question != "given":
        model = depths_of(model).at(depths_of(model).last())
    game = load_game(model)
    more = {"winner_only": True} if question == "winner" else {}
    started = time.process_time()
    found = search_for(game, limits=Limits(Deadline.after(seconds))).solve(**more)
    print(json.dumps({
        "winner": None if found.winner is None else found.winner.value,
        "critical plies": found.critical_plies,
        "nodes": found.nodes,
        "seconds": round(time.process_time() - started, 3),
    }), flush=True)
"""


def ask(
    words: Sequence[str], timeout: float, question: str, checkout: Path
) -> list[dict[str, object]]:
    """One question about some models in a process of its own, by the code of a checkout."""
    command = [sys.executable, "-c", _CHILD, str(timeout), question]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(
        command,
        input="\n".join(words),
        cwd=checkout,  # before PYTHONPATH, with -c
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def engines(words: Sequence[str], timeout: float) -> list[dict[str, object]]:
    """Who wins, by the compiled engine and by the search in Python."""
    rows: list[dict[str, object]] = []
    for line in words:
        game = _at_the_end(line)
        row: dict[str, object] = {"model": line}
        for choice in (EngineChoice.FAST, EngineChoice.PURE):
            name = "compiled" if choice is EngineChoice.FAST else "pure"
            found, seconds = _searched(game, choice, timeout, winner_only=True)
            winner = None if found.winner is None else found.winner.value
            row["agree"] = row.get("winner") in (None, winner) or winner is None
            row["winner"] = row.get("winner") or winner
            row[f"{name}, s"] = seconds if winner else f"> {seconds}"
            row[f"{name}, nodes"] = found.nodes
        rows.append(row)
    return rows


def compiled(words: Sequence[str], timeout: float) -> Iterator[dict[str, object]]:
    """Both questions, asked of the compiled engine alone: the depth only where Black wins."""
    for line in words:
        game = _at_the_end(line)
        found, seconds = _searched(game, EngineChoice.FAST, timeout, winner_only=True)
        row: dict[str, object] = {
            "model": line,
            "winner": None if found.winner is None else found.winner.value,
            "s": f"{'' if found.winner else '> '}{seconds}",
            "nodes": found.nodes,
        }
        if found.winner is Player.BLACK:
            found, seconds = _searched(game, EngineChoice.FAST, timeout, winner_only=False)
            row["critical"] = found.critical_plies
            row["critical, s"] = f"{'' if found.winner else '> '}{seconds}"
            row["critical, nodes"] = found.nodes
        yield row


def _at_the_end(line: str) -> TwoPlayerGame:
    """A grid game at its last depth; the machine code for it is made or loaded."""
    from qsage_validate.extensions.fast.engine import CompiledEngine
    from qsage_validate.games.bddl.rules import BddlGame
    from qsage_validate.games.registry import resolve_command
    from qsage_validate.solvers.deepening import depths_of

    depths = depths_of(resolve_command(line.split()))
    last = depths.last()
    assert last is not None, "a game whose plays end"
    game = load_game(depths.at(last))
    assert isinstance(game, BddlGame), "a grid game"
    engine = CompiledEngine(game.kernel(), with_bounds=False)
    engine.search(engine.kernel.initial, game.first_player, 3)
    return game


def _searched(
    game: TwoPlayerGame, choice: EngineChoice, timeout: float, *, winner_only: bool
) -> tuple[SearchResult, float]:
    """The answer of an engine, and its seconds of processor time."""
    solver = search_for(game, engine=choice)
    solver.limits = Limits(Deadline.after(timeout))
    started = time.process_time()
    found = solver.solve(winner_only=winner_only)
    return found, round(time.process_time() - started, 2)


def openings(words: Sequence[str], timeout: float) -> Iterator[dict[str, object]]:
    """Who wins after each first move, by both engines."""
    for line in words:
        row: dict[str, object] = {"model": line}
        for choice, name in ((EngineChoice.FAST, "compiled"), (EngineChoice.PURE, "pure")):
            row |= _openings(line, choice, name, timeout, row)
        yield row


def _openings(
    line: str, choice: EngineChoice, name: str, timeout: float, known: dict[str, object]
) -> dict[str, object]:
    from qsage_validate.games.registry import find_command

    game = load_game(find_command(line.split()))
    solver = search_for(game, engine=choice)
    kernel = solver.engine.kernel
    first = game.first_player
    afters = {kernel.key(after): after for _, after, _ in kernel.successors(kernel.initial, first)}
    if choice is EngineChoice.FAST:  # the machine code is made or loaded
        search_for(load_game(find_command(["hex", "--size", "2x2"])), engine=choice).solve()
    wins = still_open = 0
    started = time.process_time()
    for after in afters.values():
        solver.limits = Limits(Deadline.after(timeout))
        try:
            wins += (solver.within(after, first.other, game.plies - 1) == WIN) is (
                first is Player.BLACK
            )
        except UndecidedError:
            still_open += 1
    seconds = round(time.process_time() - started, 2)
    row: dict[str, object] = {"moves": len(afters)}
    if not still_open:
        row["winning"] = wins
        row["agree"] = known.get("winning") in (None, wins)
        row["winner"] = (first if wins else first.other).value
    row[f"{name}, s"] = f"{'> ' if still_open else ''}{seconds}"
    row[f"{name}, nodes"] = solver.nodes
    return row


def jobs(words: Sequence[str], timeout: float) -> list[dict[str, object]]:
    """Who wins, by one search and by processes that share its tasks."""
    rows: list[dict[str, object]] = []
    for line in words:
        row: dict[str, object] = {"model": line}
        for name, more in (("alone", []), ("1", ["--jobs", "1"]), ("2", ["--jobs", "2"])):
            command = [str(Path(sys.executable).with_name("qsage")), "solve", *line.split()]
            command += ["--winner", "--engine", "fast", "--timeout", str(timeout), "--json", *more]
            before, started = os.times(), time.monotonic()
            done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
            seconds, after = time.monotonic() - started, os.times()
            found = json.loads(done.stdout)
            used = after.children_user + after.children_system
            used -= before.children_user + before.children_system
            winner = found["winner"]
            row["agree"] = winner is None or row.get("winner") in (None, winner)
            row["winner"] = row.get("winner") or winner
            row[f"{name}, s"] = f"{'' if winner else '> '}{seconds:.1f}"
            row[f"{name}, processor s"] = round(used, 1)
            row[f"{name}, nodes"] = found["nodes"]
        rows.append(row)
    return rows


def paper_words() -> list[str]:
    """The instances of Table 2, at the depths of the table."""
    here = Path(__file__).resolve().parents[2]
    words = []
    for line in (here / "tests/data/critical_depths.csv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, options, depth, _, _ = line.split(";")
            said = " ".join(f"--{option.replace('=', ' ')}" for option in options.split())
            words.append(f"{name} {said} --depth {depth}")
    return words


def boards(words: Sequence[str], timeout: float, before: Path | None) -> list[dict[str, object]]:
    """Both questions about each board, beside another checkout's answer to the second."""
    here = Path(__file__).resolve().parents[2]
    winners = ask(words, timeout, "winner", here)
    critical = ask(words, timeout, "critical", here)
    rows: list[dict[str, object]] = []
    for model, first, second in zip(words, winners, critical, strict=True):
        row: dict[str, object] = {"model": model, "winner": second["winner"] or first["winner"]}
        row |= {"who wins, s": _seconds(first), "nodes": first["nodes"]}
        row |= {"critical": second["critical plies"], "critical, s": _seconds(second)}
        rows.append(row)
    if before is not None:
        _compare(rows, ask(words, timeout, "critical", before))
    return rows


def paper(timeout: float, before: Path | None) -> list[dict[str, object]]:
    """The instances of the paper at their depths, beside another checkout."""
    here = Path(__file__).resolve().parents[2]
    words = paper_words()
    rows: list[dict[str, object]] = [
        {"model": model, "winner": found["winner"], "s": _seconds(found), "nodes": found["nodes"]}
        for model, found in zip(words, ask(words, timeout, "given", here), strict=True)
    ]
    if before is not None:
        _compare(rows, ask(words, timeout, "given", before))
    return rows


def _seconds(found: dict[str, object]) -> object:
    return found["seconds"] if found["winner"] else f"> {found['seconds']}"


def _compare(rows: list[dict[str, object]], earlier: list[dict[str, object]]) -> None:
    for row, found in zip(rows, earlier, strict=True):
        row["before, s"], row["before, nodes"] = _seconds(found), found["nodes"]
        row["agree"] = found["winner"] in (None, row["winner"])


def models(folder: Path | None) -> Iterator[tuple[str, Model]]:
    """What is measured."""
    if folder is None:
        yield from ((case.name, case.model()) for case in CASES)
        return
    for domain in sorted(folder.glob("*/domain.ig")):
        for problem in sorted(domain.parent.iterdir()):
            if problem != domain:
                model = read_model(domain, problem)
                yield model.name, model


def main() -> int:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each solving")
    parser.add_argument("--data", type=Path, help="folder of folders with domain.ig and problems")
    parser.add_argument("--boards", nargs="*", metavar="WORDS", help="both questions of boards")
    parser.add_argument("--engines", nargs="*", metavar="WORDS", help="both engines of the search")
    parser.add_argument("--compiled", nargs="*", metavar="WORDS", help="the compiled engine alone")
    parser.add_argument("--openings", nargs="*", metavar="WORDS", help="all first moves")
    parser.add_argument("--jobs", nargs="*", metavar="WORDS", help="one search and processes")
    parser.add_argument("--paper", action="store_true", help="the instances of Table 2")
    parser.add_argument("--before", type=Path, help="another checkout that does the same")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    if arguments.boards is not None:
        rows = boards(arguments.boards or BOARDS, arguments.timeout, arguments.before)
    elif arguments.engines is not None:
        rows = engines(arguments.engines or ENGINES, arguments.timeout)
    elif arguments.compiled is not None:
        rows = list(compiled(arguments.compiled or ENGINES, arguments.timeout))
    elif arguments.openings is not None:
        rows = list(openings(arguments.openings or OPENINGS, arguments.timeout))
    elif arguments.jobs is not None:
        rows = jobs(arguments.jobs or JOBS, arguments.timeout)
    elif arguments.paper:
        rows = paper(arguments.timeout, arguments.before)
    else:
        rows = [
            measure(name, model, arguments.timeout, beside=arguments.data is None)
            for name, model in models(arguments.data)
        ]
    ratios = [q for row in rows if isinstance(q := row.get("quicker"), float)]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    if arguments.json:
        print(json.dumps({"search": rows, "mean_quicker": mean}))
    else:
        undecided = sum(row.get("winner") is None for row in rows)
        table = Table(title=f"Search: {len(rows)} models, {undecided} undecided")
        columns = [c for c in dict.fromkeys(c for row in rows for c in row) if c != "agree"]
        for column in columns:
            table.add_column(column, justify="left" if column in ("model", "winner") else "right")
        for row in rows:
            cells = (row.get(column) for column in columns)
            table.add_row(*("" if cell is None else str(cell) for cell in cells))
        Console().print(table)
    return 0 if all(row.get("agree", True) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
