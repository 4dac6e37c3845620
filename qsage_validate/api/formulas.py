"""Formulas, and the encodings that make them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, overload

from qsage_validate.api.games import Game, Rules, game_from_files, game_of, made_from, rules_of
from qsage_validate.api.values import (
    FileSource,
    as_paths,
    data_frame,
    html_table,
    of_kind,
    parameter_words,
    shown,
)
from qsage_validate.circuit.qbf import PrenexOrder, Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.formats.source import open_input, sample_path
from qsage_validate.games.protocol import Player
from qsage_validate.judging.judged import judge_formula
from qsage_validate.judging.python_rules import GameValues
from qsage_validate.problems.load import BoardProblem, Files, Problem, load
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import Refuted, Verdict

if TYPE_CHECKING:
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.judging.readings import FoundReadings


# Formulas: a game's encoding, or a file


@dataclass(frozen=True)
class Formula:
    """A quantified Boolean formula, perhaps with a layout: what its variables mean.

    Made by :func:`encode` and :func:`read_formula`.  Black is the player of the existential
    variables, White of the universal ones; the formula is true where Black wins.
    """

    problem: Problem = field(repr=False)
    game: Game | None = field(repr=False, default=None)
    encoding: Encoding | None = field(repr=False, default=None)

    @property
    def qbf(self) -> Qbf:
        """The formula itself: scopes, gates, names."""
        return self.problem.qbf

    @property
    def layout(self) -> Layout | None:
        """The meaning of variables and gates; ``None`` if the file has no layout."""
        return self.problem.layout

    @cached_property
    def stats(self) -> Mapping[str, int]:
        """``scopes``, ``variables`` and ``gates``, counted; ``plies`` where a layout says them."""
        plies = {} if self.layout is None else {"plies": self.layout.plies}
        qbf = self.qbf
        scopes, gates = len(qbf.merged_scopes()), len(qbf.gates)
        return {"scopes": scopes, "variables": qbf.num_variables, "gates": gates, **plies}

    def qcir(self) -> str:
        """The text in QCIR-G14, the layout in its comments."""
        from qsage_validate.formats.writing import qcir_text

        return qcir_text(self.qbf)

    def qdimacs(self) -> str:
        """The text in QDIMACS: the Tseitin transformation of the circuit."""
        from qsage_validate.formats.qdimacs import qbf_to_qdimacs

        return qbf_to_qdimacs(self.qbf)

    def save(self, path: str | PathLike[str]) -> Formula:
        """Write the formula: QDIMACS where the name ends in ``.qdimacs`` or ``.cnf``, else QCIR.

        All of the file is written or nothing.  The formula that is returned is the one in the file,
        which replays of plays name.  Raises ``InputError`` where the file cannot be written.
        """
        from qsage_validate.formats.writing import is_clausal_name, write_atomic

        name = fspath(path)
        clausal = is_clausal_name(name)
        write_atomic(name, self.qdimacs() if clausal else self.qcir())
        if clausal:
            return read_formula(name)
        files = replace(self.problem.files, formula=name, made_from=(), game=())
        return replace(self, problem=replace(self.problem, files=files))

    def find_layout(self, game: Rules, *, timeout: float | None = None) -> FoundLayout:
        """Find out which variables are the moves of ``game``, in at most ``timeout`` seconds.

        Raises ``UsageError`` with a count that does not fit where it has no place for moves.
        """
        from qsage_validate.judging.readings import find_layout

        found = find_layout(self.qbf, rules_of(game), deadline=Deadline.after(timeout))
        return FoundLayout(found, self)

    @property
    def _name(self) -> str:
        return self.problem.files.name if self.game is None else self.game.name

    def __repr__(self) -> str:
        counts = ", ".join(f"{number:,} {name}" for name, number in self.stats.items())
        return f"<Formula {self._name}: {counts}>"

    def _repr_html_(self) -> str:
        return html_table(
            ["formula", self._name], ((name, f"{number:,}") for name, number in self.stats.items())
        )


def subject_of(subject: Game | Formula | str, parameters: Mapping[str, object]) -> Game | Formula:
    """A game or a formula: itself, by its file or ``sample:NAME``, or a game's name.

    ``parameters`` are those of a game that is named; raises ``UsageError`` for others.
    """
    from qsage_validate.games.languages import language_of

    if isinstance(subject, str):
        path = sample_path(subject)
        if not os.path.exists(path):
            if os.sep in path or "." in path:
                open_input(path).close()  # says that there is no such file
            return game_of(subject, parameters)
        if language_of(path) is not None:
            return game_from_files(subject, **parameters)
        subject = read_formula(subject)
    if isinstance(subject, Formula) and parameters:
        raise UsageError(f"found {next(iter(parameters))}= with a formula, expected a game")
    if isinstance(subject, Formula):
        return subject
    found = of_kind(subject, Game, "a game, a formula, a file or a game's name")
    return game_of(found, parameters)


@dataclass(frozen=True)
class FoundLayout:
    """What the search for a formula's layout has found.

    Made by :meth:`Formula.find_layout`.  A layout that is found is a guess: a wrong one proves
    nothing.
    """

    found: FoundReadings = field(repr=False)
    _formula: Formula = field(repr=False)

    @property
    def standing(self) -> str:
        """How well the layout is supported.

        ``proved``, ``fits``, ``any``, ``board``, ``best`` or ``open``.
        """
        return self.found.standing.value

    @property
    def why(self) -> str:
        """What ``standing`` rests on, in words."""
        return self.found.why

    @property
    def layout(self) -> Layout | None:
        """The layout by which the formula is judged; ``None`` where none stands out."""
        return self.found.layout if self.found.stands_out else None

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings, the best first, each with the plays after which formula and game agree."""
        return tuple(
            f"{self.found.layout_of(one.reading).source.removeprefix('found: ')} ({one.words})"
            for one in self.found.readings
        )

    @property
    def formula(self) -> Formula:
        """The formula with the layout, to save or to validate.

        Raises ``UndecidedError`` where no layout stands out.
        """
        from qsage_validate.encodings.layout_lines import with_layout

        layout = self.layout
        if layout is None:
            raise UndecidedError(f"no layout stands out: {self.why}")
        problem = self._formula.problem
        written = with_layout(self._formula.qbf, layout)
        own = BoardProblem(problem.files, written, None, layout, self.found.game)
        return replace(self._formula, problem=own)

    def __repr__(self) -> str:
        best = self.readings[0] if self.readings else "none"
        return f"<FoundLayout {self.standing}: {best}>"

    def _repr_html_(self) -> str:
        return html_table(["reading"], ((reading,) for reading in self.readings))


@parameter_words
def encode(game: Game | str, encoding: str | None = None, **parameters: object) -> Formula:
    """The formula that is true exactly when Black wins ``game`` within its depth.

    A game may be given by its name and ``parameters``: ``encode("hex", size=3)``.
    ``encoding`` is one of ``game.encodings`` (COVER and its like are true only where Black wins,
    see ``qsage help encodings``).  Raises ``UsageError`` for another name.
    """
    from qsage_validate.encodings.registry import encode as encode_model
    from qsage_validate.games.languages import load_game

    game = game_of(game, parameters)
    model = game.for_encoding(encoding)
    made = encode_model(model, encoding)
    rules = game.rules if model is game.model else load_game(model)
    words = [*game.words, *(() if encoding is None else ("--encoding", encoding))]
    problem = BoardProblem(Files(made_from=made_from(words)), made.qbf, None, made.layout, rules)
    return Formula(problem, game, made)


@parameter_words
def read_formula(
    formula: FileSource, *, meta: FileSource | None = None, prenex: str | None = None
) -> Formula:
    """A formula in QCIR or QDIMACS, with the layout in its comments or in a ``meta`` file.

    Files are paths, bytes or open files.  ``prenex`` is ``"up"`` or ``"down"`` for QCIR files with
    quantifier gates.  Raises ``InputError`` for what is wrong in a file, with its place.
    """
    order = order_of(prenex)
    with as_paths(formula=formula, meta=meta) as files:
        problem = load(Files(formula=files["formula"], meta=files["meta"], prenex=order))
    return Formula(renamed(problem, formula, meta=meta))


def order_of(prenex: str | None) -> PrenexOrder | None:
    """The order in which quantifiers are brought out; raises ``UsageError``."""
    orders = {order.value: order for order in PrenexOrder}
    if prenex is not None and prenex not in orders:
        raise UsageError(f"found prenex={prenex!r}, expected one of {', '.join(orders)}")
    return None if prenex is None else orders[prenex]


def renamed(
    problem: Problem,
    formula: FileSource | None,
    certificate: FileSource | None = None,
    meta: FileSource | None = None,
) -> Problem:
    """The problem whose files are called as the caller knows them."""
    files = replace(
        problem.files,
        formula=shown("formula", formula) or problem.files.formula,
        certificate=shown("certificate", certificate) or problem.files.certificate,
        meta=shown("meta", meta) or problem.files.meta,
    )
    return replace(problem, files=files)


# Whether somebody's formula is the formula of a game, position by position


@dataclass(frozen=True)
class Difference:
    """A play of legal moves after which a formula has not the game's value.

    ``position`` is the text of the position.  ``game`` says whether Black wins there, ``formula``
    the formula's value with the moves fixed; it is ``None`` where the last move has no code.
    """

    moves: tuple[str, ...]
    position: str
    game: bool
    formula: bool | None
    text: str = field(repr=False, default="")

    def as_row(self) -> dict[str, object]:
        """The cells of a table."""
        return {
            "moves": " ".join(self.moves),
            "position": self.position,
            "Black wins": self.game,
            "formula": self.formula,
        }


class Differences(Sequence[Difference]):
    """A table of differences, the shortest play first."""

    def __init__(self, rows: Sequence[Difference]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> Difference: ...
    @overload
    def __getitem__(self, index: slice) -> Differences: ...
    def __getitem__(self, index: int | slice) -> Difference | Differences:
        found = self._rows[index]
        return found if isinstance(found, Difference) else Differences(found)

    def __len__(self) -> int:
        return len(self._rows)

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each difference (extra ``frame``)."""
        return data_frame(row.as_row() for row in self)

    def __str__(self) -> str:
        return "\n".join(_columns(["moves", "position", "Black wins", "formula"], self._cells()))

    def __repr__(self) -> str:
        return f"<Differences {len(self)}>"

    def _repr_html_(self) -> str:
        return html_table(["moves", "position", "Black wins", "formula"], self._cells())

    def _cells(self) -> list[list[str]]:
        return [[str(cell) for cell in row.as_row().values()] for row in self]


def _columns(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    for row in (head, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


@dataclass(frozen=True)
class EncodingReport:
    """Whether a formula has the game's value after each play of legal moves, under a layout.

    ``verdict`` is ``proved``, ``refuted``, ``claimed``, ``no fault found`` or ``undecided``, and
    ``text`` says why.  ``layout`` is the one by which the formula was judged; ``None`` where none
    was found.
    """

    outcome: Verdict = field(repr=False)
    layout: Layout | None = field(repr=False)
    differences: Differences = field(repr=False)

    @property
    def verdict(self) -> str:
        """One word."""
        return self.outcome.word

    @property
    def text(self) -> str:
        """The reason of the verdict."""
        return self.outcome.reason

    @property
    def ok(self) -> bool:
        """Whether the formula is proved to be the game's."""
        return self.verdict == "proved"

    def __repr__(self) -> str:
        return f"<EncodingReport {self.verdict}: {counted(len(self.differences), 'difference')}>"

    def _repr_html_(self) -> str:
        return (
            html_table([f"EncodingReport {self.verdict}: {self.text}"], [])
            + self.differences._repr_html_()
        )


@parameter_words
def validate_encoding(
    formula: Formula | FileSource,
    game: Rules | None = None,
    *,
    timeout: float | None = None,
    differences: int = 1,
) -> EncodingReport:
    """Decide whether ``formula`` is the formula of ``game``, position by position.

    The formula's layout is taken, or else found.  Without ``game`` the rules are those in the
    formula's file.  ``differences`` is how many of them are looked for, ``timeout`` the seconds for
    all.  The verdict is ``undecided`` where no layout stands out.  Raises ``UsageError`` where no
    game is known, or where the formula has no place for moves.
    """
    own = formula if isinstance(formula, Formula) else read_formula(formula)
    rules = own.problem.game if game is None else rules_of(game)
    if rules is None:
        raise UsageError("found no rules in the formula's file, expected game=")
    if differences < 1:
        raise UsageError(f"found differences={differences}, expected 1 or more")
    judged = judge_formula(
        own.qbf,
        rules,
        own.layout,
        deadline=Deadline.after(timeout),
        most_differences=differences,
    )
    verdict = judged.verdict
    rows = []
    if isinstance(verdict, Refuted):
        values = GameValues.of_game(rules)
        rows = [_row(finding.moves, finding.text, values) for finding in verdict.findings]
    return EncodingReport(verdict, judged.layout, Differences(rows))


def _row(moves: tuple[str, ...], text: str, values: GameValues) -> Difference:
    state = values.after(moves)
    black = values.winner(state, len(moves)) is Player.BLACK
    return Difference(moves, str(state), black, None if "has no code" in text else not black, text)
