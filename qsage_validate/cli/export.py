"""``qsage export``: certificates and games in forms for people without this program."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.cli import completion
from qsage_validate.cli.commands import CommandGroup, subcommand
from qsage_validate.cli.common import check_streams, emit_json, narrate
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    CertOptions,
    DialectOptions,
    JsonOption,
    RulesOptions,
    TimeoutOption,
)
from qsage_validate.cli.parameters import (
    REQUIRED,
    argument,
    option,
    output_option,
)
from qsage_validate.errors import Exit, UsageError


@subcommand(
    "qsage export page sample:hex sample:hex.aig -o play.html",
    "qsage export page sample:tic --cert sample:tic.aig -o play.html",
)
def page(
    *,
    formula: str = argument("QCIR or QDIMACS.", "FORMULA", complete=completion.files),
    certificate: CertOptions,
    output: str = output_option("The page: HTML.", "FILE", "-o", "--output", default=REQUIRED),
    rules: RulesOptions,
    dialect: DialectOptions,
    timeout: float = option(
        "How long to prove what stands on top.", "SECONDS", min=0.1, default=60.0, panel="Limits"
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Write a page in which a certificate plays, for any browser.

    The page needs no network: the circuit of certificate and formula travels in it. It shows
    replies, legal and illegal moves with the reasons, and the verdict of each play. On top stand
    the aim, the verdict of 'qsage validate' and, folded, the SHA-256 of both files. Black's
    certificates (Skolem) of formulas with a layout can travel, up to a million gates; of White's
    (Herbrand) the answers to all plays of a small game do. The rules of a small game travel as a
    table, with which the page compares each step.

    Exit code 0: written and proved, 1: written and refuted, 2: bad input, 3: written and
    undecided, 130: interrupted.
    """
    from qsage_validate.api.strategies import Strategy
    from qsage_validate.problems.load import load

    if certificate.path is None:
        raise UsageError("found no certificate, expected FORMULA CERT, or FORMULA --cert CERT")
    check_streams(output, json_output)
    files = rules.files(formula, certificate.path, dialect)
    # A function that looks to its right is found by the validation.
    strategy = Strategy(load(replace(files, unchecked_dependencies=True)))
    report = strategy.save_page(output, timeout=timeout).whole
    if json_output:
        emit_json({"page": output, "verdict": report.word, "summary": report.last_line})
    narrate(f"{output}: {report.last_line}")
    return report.exit_code


@subcommand(
    "qsage export positions httt --size 3x3 --shape el --depth 5 -o table.csv",
    "qsage export positions hex --size 3x3 -o table.npz",
)
def positions(
    *,
    model: ModelArguments = model_words(),
    output: str = output_option(
        "The table: CSV, arrays of numpy where the name ends in .npz, '-' for standard output.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    most: int = option(
        "Give up a game with more positions.",
        "N",
        "--positions",
        min=1,
        default=1_000_000,
        panel="Limits",
    ),
    timeout: TimeoutOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Write every position of a game with its winner, the plies left, and the best moves.

    The table is made from the rules alone, from the last plies back. The winner's best moves win
    soonest, the loser's lose latest. Columns: position, ply, to_move, winner, distance, best_moves
    (separated by semicolons). In .npz these are arrays of one length, with 'board' (0 open,
    1 Black, -1 White) and 'best' (a column for each of 'moves').

    Exit code 0: written, 2: bad input, 3: undecided (a limit), 130: interrupted.
    """
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.position_table import table_file, valued_positions
    from qsage_validate.system.limits import Deadline, Limits

    check_streams(output, json_output)
    game = load_game(model.resolve())
    table = valued_positions(game, Limits(Deadline.after(timeout), positions=most))
    write_atomic(output, table_file(output, table))
    start = table[0]
    if json_output:
        facts = {"positions": len(table), "winner": start.winner.value, "plies": start.distance}
        emit_json({"table": output, "game": game.name, **facts})
    narrate(
        f"{output}: {len(table):,} positions of {game.name}; {start.winner} wins in "
        f"{game.span(start.distance)} from the first"
    )
    return Exit.FINE


command = CommandGroup(
    "qsage export page sample:hex sample:hex.aig -o play.html",
    "qsage export positions hex --size 3x3 -o table.csv",
    help="Write a page that plays a proof, or a table of positions.",
    commands=[page, positions],
)
