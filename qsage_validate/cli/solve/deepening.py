"""``qsage solve --depth auto``: the critical depth of a game."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.cli.parameters import OptionGroup, option, output_option
from qsage_validate.cli.solve.farming import FarmOptions
from qsage_validate.cli.solve.first_moves import Named, by_encoding, by_search
from qsage_validate.cli.solve.method import SolveMethod, exit_of, word_of
from qsage_validate.errors import Exit, UsageError
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.solvers.answer_file import DeepeningFile, DepthAnswer
    from qsage_validate.solvers.deepening import Deepened
    from qsage_validate.solvers.search.solver import SearchSolver


@dataclass(frozen=True)
class DeepeningOptions(OptionGroup):
    """The options that go with ``--depth auto``; ``max_depth`` is in the count of ``#depth``."""

    panel = "Depth"

    max_depth: int | None = option("With --depth auto: no greater depth than this.", "N", min=1)
    resume: str | None = output_option(
        "With --depth auto, --jobs or --scheduler: keep what is known in FILE, and go on from it.",
        "FILE",
        panel=None,
    )
    winner: bool = option(
        "Who wins and nothing more: the critical depth is left open where it takes longer.",
        default=False,
    )
    alternate: bool = option(
        "With --depth auto, for positional games: ask by turns whether Black wins and "
        "whether White blocks by pairs.",
        default=False,
    )

    def check_deepens(self, deepens: bool, *, farms: bool) -> None:
        """Raise ``UsageError`` for an option that was given without ``--depth auto``.

        ``farms`` says that many processes search, which keep what they know as well.
        """
        if self.winner and self.alternate:
            raise UsageError("found --winner with --alternate, expected one of them")
        given = {
            "--resume": self.resume is not None and not farms,
            "--max-depth": self.max_depth is not None,
            "--alternate": self.alternate,
        }
        for name, there in given.items():
            if there and not deepens:
                raise UsageError(f"found {name} without --depth auto, which it belongs to")


def solve_to_critical_depth(
    model: GameModel,
    method: SolveMethod,
    encoding: str | None,
    options: DeepeningOptions,
    farm: FarmOptions,
    json_output: bool,
    solution: str | None = None,
    every: bool = False,
) -> Exit:
    """Deepen until Black wins, by the method given; ``solution`` is a file to write.

    With ``every``, all first moves that win within the critical depth are named.
    """
    from qsage_validate.solvers.answer_file import DeepeningFile
    from qsage_validate.solvers.deepening import deepen_by_search, depths_of

    resume, last = options.resume, options.max_depth
    farmed = farm.rests_on(resume)
    file = None if resume is None or farm.given else DeepeningFile(resume, model)
    plies = None if last is None else last - depths_of(model).depth(0)
    solvers: list[SearchSolver] = []
    with SearchLine(sys.stderr) as line:
        if method.searches:
            with farm.searching(method, line.tell, resume) as search:

                def search_kept(model: GameModel) -> SearchSolver:
                    solvers.append(search(model))
                    return solvers[-1]

                found = deepen_by_search(
                    model,
                    search_kept,
                    last=plies,
                    limits=method.limits,
                    file=file,
                    tell=line.tell,
                    winner_only=options.winner,
                )
        else:
            found = _ask(model, method, encoding, plies, file, line)
    named = _every_first_move(found, method, encoding) if every else None
    _tell(found, method, farmed, json_output, named)
    if solution is not None:
        from qsage_validate.cli.solutions import write_solution_at

        write_solution_at(solution, found, method.limits, *solvers)
    return exit_of(found.truth)


def _ask(
    model: GameModel,
    method: SolveMethod,
    encoding: str | None,
    last: int | None,
    file: DeepeningFile | None,
    line: SearchLine,
) -> Deepened:
    from qsage_validate.api.solving import first_move
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.protocol import Player
    from qsage_validate.solvers.answer_file import DepthAnswer
    from qsage_validate.solvers.deepening import deepen, depths_of
    from qsage_validate.solvers.qbf.solving import conclusive

    depths = depths_of(model)

    def ask(at_depth: GameModel, deadline: Deadline) -> DepthAnswer:
        depth = at_depth.depth
        plies = depth - depths.depth(0)
        encoded = encode(at_depth, encoding)
        solved = method.until(deadline).solve(
            encoded.qbf, lambda what: line.tell(Progress(f"depth {depth}", str(what)))
        )
        solved = conclusive(solved, encoded)
        if solved.truth is not None:
            line.clear()
            narrate(f"depth {depth}: {word_of(solved.truth)} ({solved.by}, {solved.seconds:.2f} s)")
        move = first_move(encoded.layout, solved.outer, Player.BLACK) if solved.truth else ""
        why = f"depth {depth}: {solved.by}: {solved.why}"
        by = f"{solved.by}, {encoded.layout.encoding}"
        return DepthAnswer(plies, solved.truth, by, solved.seconds, why, move)

    return deepen(model, ask, last=last, deadline=method.limits.deadline, file=file)


def _every_first_move(found: Deepened, method: SolveMethod, encoding: str | None) -> Named | None:
    """The first moves at the critical depth; ``None`` where none is known."""
    if found.truth is not True:
        return None if found.truth is None else Named((), whole=True)
    assert found.critical is not None, "asked for with the critical depth"
    model = found.depths.at(found.critical)
    if method.searches:
        return by_search(model, method)
    from qsage_validate.encodings.registry import encode

    return by_encoding(encode(model, encoding), True, method)


def _tell(
    found: Deepened, method: SolveMethod, farmed: str, json_output: bool, named: Named | None
) -> None:
    from qsage_validate.games.naming import name_of

    move = found.first_move
    if not json_output:
        told = f"first move {move}" if move else ""
        if named is not None:
            told = named.text()
        said = f"{found.sentence}{farmed}"
        emit(f"{said}; {told}" if told else said)
        words = method.engine_words(found.engine, found.nodes) if found.engine else ""
        if words:
            narrate(words)
        return
    truth = found.truth
    emit_json(
        {
            "game": name_of(found.model),
            "verdict": word_of(truth),
            "winner": None if truth is None else "black" if truth else "white",
            "reason": f"{found.sentence}{farmed}",
            "critical_plies": found.critical,
            "critical_depth": found.depth,
            "refuted_plies": found.refuted,
            "never": found.never,
            "bound": None if found.bound is None else found.bound.plies,
            "first_moves": [move] if move else [],
            **({} if named is None else named.facts),
            "engine": found.engine or None,
            "answers": [_answer(answer) for answer in found.answers],
        }
    )


def _answer(answer: DepthAnswer) -> dict[str, object]:
    return {
        "plies": answer.plies,
        "verdict": word_of(answer.truth),
        "by": answer.by,
        "taken_from": answer.taken_from or None,
        "seconds": round(answer.seconds, 3),
    }
