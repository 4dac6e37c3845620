"""``qsage encode``: rules to QBF; and the subject of commands that take a formula or a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, cast

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit_json, narrate, narrate_file
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import (
    EncodingOption,
    FormulaOptions,
    JsonOption,
    PrenexOption,
    PrepareOption,
    StrictOption,
    prenex_order,
)
from qsage_validate.cli.parameters import REQUIRED, option, output_option
from qsage_validate.errors import Exit, InputError, UsageError, counted

if TYPE_CHECKING:
    from qsage_validate.api.formulas import Formula
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.formats.qdimacs import Placement
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.problems.load import Files, Problem


# The subject of a command that takes a formula or a game


def solver_of(path: str) -> Callable[..., Exit] | None:
    """What decides a formula of the format of a file; ``None`` where QBF solvers do."""
    from qsage_validate.formats.formula import formats
    from qsage_validate.formats.source import sniff
    from qsage_validate.registry import load

    own = sniff(path)
    place = next((one.solve for one in formats() if one.format is own), None)
    return None if place is None else cast("Callable[..., Exit]", load(place))


def game_formula(
    model: GameModel,
    words: Sequence[str],
    encoding: str | None,
    *,
    by_name: bool,
    files: Files | None = None,
) -> Formula:
    """The formula of a game that ``words`` mean; ``files`` say how it is played.

    ``by_name`` says that the words are the name of a game of the library and its options.  Raises
    ``UsageError`` for an encoding that is not one of the game's.
    """
    from qsage_validate.api.formulas import Formula
    from qsage_validate.api.games import Game
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.languages import load_game
    from qsage_validate.problems.load import BoardProblem, Files

    encoded = encode(model, encoding)
    named = (*words, *(() if encoding is None else ("--encoding", encoding)))
    played = replace(files or Files(), made_from=named)
    problem = BoardProblem(played, encoded.qbf, None, encoded.layout, load_game(encoded.model))
    return Formula(problem, Game(encoded.model, tuple(words), by_name=by_name), encoded)


def load_formula(path: str, model: ModelArguments, options: FormulaOptions) -> Problem:
    """Read a formula and, if there is one, its layout.

    Raises ``InputError``, and ``UsageError`` for options of games.  A meta file that only
    happens to lie beside the formula and does not fit is told of and not used.
    """
    from qsage_validate.formats.source import label
    from qsage_validate.problems.load import Files, load

    given = [k for k, v in model.options.items() if v is not None and v is not False]
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"found {names} with the formula {label(path)}, which is no game")
    files = Files(formula=path, meta=options.meta, prenex=prenex_order(options.prenex))
    try:
        problem = load(files)
    except InputError as error:
        # A layout in the formula itself, or one that was named, is an error.
        if options.meta is not None or error.file is None or not error.file.endswith(".meta"):
            raise
        narrate(f"{error}; the formula is taken without a layout")
        problem = load(replace(files, as_blocks=True))
    if problem.formula is not None and problem.formula.prenexed is not None:
        narrate(f"{label(path)}: {problem.formula.prenexed}")
    return problem


# ``--prepare``: a positional game without what cannot matter


@dataclass(frozen=True)
class Prepared:
    """A game and what preparation leaves of it; in a line for people, and by keys."""

    whole: GameModel
    left: GameModel
    line: str
    facts: dict[str, object]

    def tell(self) -> None:
        """Say what is left, once nothing speaks against the work that follows."""
        narrate(self.line)


def prepare_model(model: ModelArguments, encoding: str | None, *, encodes: bool) -> Prepared:
    """The model of a command, prepared for an encoding, or for a search.

    Without a name it is the usual encoding of positional games.  Raises ``UsageError`` for other
    games and encodings.
    """
    from qsage_validate.encodings.prepared import prepare, said
    from qsage_validate.encodings.registry import encoders, require_known
    from qsage_validate.games.positional.language import POSITIONAL

    known = encoders(POSITIONAL.name)
    wanted = encoding or next(iter(known))
    require_known(wanted, POSITIONAL.name)
    if wanted not in known:
        raise UsageError(
            f"found --prepare with the encoding {wanted}, expected one of positional games: "
            f"{', '.join(known)}"
        )
    whole = POSITIONAL.own(model.resolve(wanted), "--prepare with ")
    left = prepare(whole, wanted if encodes else None)
    return Prepared(whole, left, *said(whole, left))


# ``qsage encode``: rules to QBF


class FormulaFormat(str, Enum):
    QCIR = "qcir"
    QDIMACS = "qdimacs"


def format_of(path: str) -> FormulaFormat:
    """The format that the name of a file asks for."""
    from qsage_validate.formats.writing import is_clausal_name

    return FormulaFormat.QDIMACS if is_clausal_name(path) else FormulaFormat.QCIR


class Clauses(str, Enum):
    """How a circuit is made into clauses."""

    TSEITIN = "tseitin"
    POLARITY = "polarity"
    EARLY = "early"


def formula_text(
    qbf: Qbf,
    path: str,
    file_format: FormulaFormat | None = None,
    clauses: Clauses = Clauses.TSEITIN,
) -> str:
    """The text of a formula in ``file_format``, by default what the name of its file says."""
    if (file_format or format_of(path)) is not FormulaFormat.QDIMACS:
        from qsage_validate.formats.writing import qcir_text

        return qcir_text(qbf)
    from qsage_validate.encodings.layout_lines import comments_in_clauses
    from qsage_validate.formats.qdimacs import clausal_form, qbf_to_qdimacs, qdimacs_text

    if clauses is Clauses.TSEITIN:
        return qbf_to_qdimacs(qbf)
    placement: Placement = "early" if clauses is Clauses.EARLY else "innermost"
    form = clausal_form(qbf, polarity=True, placement=placement)
    # The variable of a gate need not equal the gate here.
    named = {v: name for v, name in qbf.names.items() if v not in qbf.gates}
    return qdimacs_text(form, comments_in_clauses(qbf, qbf.levels()), named)


@subcommand(
    "qsage encode httt --size 4x4 --shape tic --depth 5 -o tic.qcir",
    "qsage encode tic.qcir -o tic.qdimacs",
)
def command(
    model: ModelArguments = model_words(or_formula=True),
    output: str = output_option(
        "The formula's file, or '-'.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    file_format: FormulaFormat | None = option(
        "qcir or qdimacs; by default what the file's name says, else qcir.",
        None,
        "--format",
        panel="Output",
    ),
    encoding: EncodingOption = None,
    prepare: PrepareOption = False,
    clauses: Clauses | None = option(
        "In QDIMACS: tseitin (default); polarity: only the clauses that are needed "
        "(Plaisted and Greenbaum); early: gates beside their inputs besides.",
        panel="Output",
    ),
    memory: int | None = option(
        "Give up a game in GDL whose rules need more when grounded.", "MB", min=1, panel="Limits"
    ),
    prenex: PrenexOption = None,
    strict: StrictOption = False,
    json_output: JsonOption = False,
) -> Exit:
    """Write the formula that says: Black wins MODEL.

    For a formula: write it in prenex form, which certificates are about, or in clauses.
    """
    from qsage_validate.encodings.registry import encode
    from qsage_validate.formats.source import label
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.games.library.catalogue import name_of
    from qsage_validate.system.limits import memory_within

    path = formula_path(model)
    if path is not None and encoding is not None:
        raise UsageError("found --encoding with a formula, expected a game")
    if path is not None and prepare:
        raise UsageError("found --prepare with a formula, expected a positional game")
    read = FormulaOptions(prenex=prenex, strict=strict)
    if path is None:
        read.refuse("a game, expected a formula")
    with memory_within(memory):
        if path is not None:
            problem = load_formula(path, model, read)
            qbf = problem.qbf
            about: dict[str, object] = {"formula": label(path)}
            title = f"formula {label(path)}"
        else:
            facts_left: dict[str, object] = {}
            if prepare:
                prepared = prepare_model(model, encoding, encodes=True)
                game = prepared.left
                encoded = encode(game, encoding)
                prepared.tell()
                facts_left = prepared.facts
            else:
                game = model.resolve(encoding)
                encoded = encode(game, encoding)
            qbf = encoded.qbf
            about = {
                "game": name_of(game),
                "depth": encoded.model.depth,
                "encoding": encoded.layout.encoding,
                **facts_left,
            }
            title = "{encoding} encoding of {game}, depth {depth}".format(**about)
    chosen = file_format or format_of(output)
    if clauses is not None and chosen is FormulaFormat.QCIR:
        raise UsageError("found --clauses with a formula in QCIR, which is no clausal form")
    write_atomic(output, formula_text(qbf, output, chosen, clauses or Clauses.TSEITIN))
    facts = {
        "file": output,
        **about,
        "format": chosen.value,
        "scopes": len(qbf.merged_scopes()),
        "variables": qbf.num_variables,
        "gates": len(qbf.gates),
    }
    if json_output:
        emit_json(facts)
    size = (
        f"{counted(len(qbf.merged_scopes()), 'scope')}, {counted(qbf.num_variables, 'variable')}, "
        f"{counted(len(qbf.gates), 'gate')}"
    )
    narrate_file(output, f"{title}: {size}")
    return Exit.FINE
