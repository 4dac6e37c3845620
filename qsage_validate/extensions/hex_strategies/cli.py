"""``qsage hex-strategy``: a strategy's file is proved, compiled, or found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import (
    SearchLine,
    emit,
    emit_json,
    narrate,
    narrate_file,
)
from qsage_validate.cli.options import JsonOption, TimeoutOption
from qsage_validate.cli.parameters import argument, option, output_option
from qsage_validate.errors import Exit, UsageError, counted
from qsage_validate.extensions.hex_strategies.strategy import (
    HexStrategy,
    PatternFault,
    parse_strategy,
    read_strategy,
    structure_fault,
)
from qsage_validate.extensions.hex_strategies.walk import (
    POSITIONS,
    StrategyWalk,
    walk,
    winning_plan,
)
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import check_writable, write_atomic
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.encodings.encoding import Encoding


@subcommand(
    "qsage hex-strategy sample:hex-5x5.hexs",
    "qsage hex-strategy --find 4x4 --opening b3 --save found.hexs",
)
def command(
    *,
    file: str | None = argument(
        "The strategy's file ('-': standard input).", "[FILE]", default=None
    ),
    output: str | None = output_option(
        "Compile the strategy into a certificate, and prove it: AIGER, in ASCII when the name ends "
        "in .aag.",
        "CERT",
        "-o",
        "--output",
    ),
    formula: str | None = output_option("With -o: the formula, as QCIR.", "FORMULA"),
    encoding: str = option("The encoding of the formula.", "NAME", default="en-forward"),
    find: str | None = option("Find a strategy on a board of this size.", "WxH"),
    opening: str | None = option("With --find: Black's first stone (the centre).", "CELL"),
    save: str | None = output_option(
        "With --find: the file to write (else standard output).", "FILE"
    ),
    positions: int = option(
        "The most situations of a walk, links apart, decisions, and positions of a search.",
        "N",
        min=1,
        default=POSITIONS,
    ),
    timeout: TimeoutOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Prove, compile or find a strategy of Hex by patterns.

    A strategy's file has Black's opening and the local patterns by which Black answers ('qsage help
    hex-strategies'). It is checked in two ways: by the rules for patterns (structure), and by a
    walk through White's replies on the board. What is proved is the file.

    Exit code 0: proved, 1: refuted, 2: bad input, 3: undecided within the limits.
    """
    limits = Limits(Deadline.after(timeout), positions=positions)
    if (file is None) == (find is None):
        if file is None:
            raise UsageError("found no file, expected a file or --find")
        raise UsageError(f"found {file} with --find, expected one of them")
    for name, given, needs, there in (
        ("--opening", opening, "--find", find),
        ("--save", save, "--find", find),
        ("--output", output, "--formula", formula),
        ("--formula", formula, "--output", output),
    ):
        if given is not None and there is None:
            raise UsageError(f"found {name} without {needs}, expected both")
    for path in filter(None, (output, formula, save)):
        check_writable(path)
    text = ""
    if file is not None:
        strategy = read_strategy(file)
    else:
        from qsage_validate.extensions.hex_strategies.search import find_strategy

        with SearchLine(sys.stderr) as line:
            text = find_strategy(str(find), opening, limits, line.tell)
        strategy = parse_strategy(Source(text, f"hex {find}" if save in (None, "-") else save))
    fault, walked = structure_fault(strategy), walk(strategy, limits)
    facts = _facts(strategy, fault, walked)
    proved = fault is None and isinstance(walked, StrategyWalk)
    if find is not None and proved:
        if save is not None:
            write_atomic(save, text)
        elif not json_output:
            emit(text.rstrip("\n"))
    if json_output:
        emit_json(facts)
    elif find is None:
        for level in ("structure", "walk"):
            emit(f"{level:10}{facts[level]}")
        emit(_sentence(strategy, proved))
    else:
        narrate(_sentence(strategy, proved))
    if proved and output is not None and formula is not None:
        _compile(strategy, encoding, output, formula, limits)
    return Exit.FINE if proved else Exit.REFUTED


def _facts(
    strategy: HexStrategy, fault: PatternFault | None, walked: StrategyWalk | PatternFault
) -> dict[str, object]:
    count = len(strategy.patterns)
    follow = "its one pattern follows" if count == 1 else f"all {count:,} patterns follow"
    return {
        "file": strategy.path,
        "game": f"hex {strategy.width}x{strategy.height}",
        "opening": cell_name(*strategy.opening.move),
        "patterns": count,
        "plies": strategy.plies,
        "structure": _refuted(strategy, fault) or f"proved: {follow} from pairs, ANDs and ORs",
        "walk": _refuted(strategy, walked) or f"proved: {walked} are answered, and Black connects",
        "proved": fault is None and isinstance(walked, StrategyWalk),
    }


def _refuted(strategy: HexStrategy, found: PatternFault | StrategyWalk | None) -> str:
    return (
        f"refuted: {strategy.path}:{found.line}: {found.text}"
        if isinstance(found, PatternFault)
        else ""
    )


def _sentence(strategy: HexStrategy, proved: bool) -> str:
    name = f"hex {strategy.width}x{strategy.height}"
    opening = cell_name(*strategy.opening.move)
    if not proved:
        return f"{strategy.path}: refuted: the file does not prove that {opening} wins {name}"
    return (
        f"{strategy.path}: proved: by this file Black wins {name} with {opening} within "
        f"{counted(strategy.plies, 'ply')} (structure, walk)"
    )


def _compile(
    strategy: HexStrategy, encoding: str, output: str, formula: str, limits: Limits
) -> None:
    """Write formula and certificate, once the certificate is proved."""
    from qsage_validate.certificates.compiler import compile_plan
    from qsage_validate.certificates.routes import check_compiled
    from qsage_validate.certificates.writer import certificate_bytes, is_ascii_name
    from qsage_validate.encodings.registry import encode
    from qsage_validate.formats.writing import qcir_text
    from qsage_validate.games.positional.hex import hex_network

    model = hex_network(strategy.width, strategy.height, strategy.plies)
    encoded: Encoding = encode(model, encoding)
    plan = winning_plan(strategy, limits)
    made = compile_plan(encoded, plan)
    _, certificate = check_compiled(encoded, plan, made, limits.deadline)
    binary = not is_ascii_name(output)
    content = certificate_bytes(certificate, encoded.qbf, binary=binary)
    write_atomic(formula, qcir_text(encoded.qbf))
    write_atomic(output, content)
    decisions = sum(1 for _ in plan.nodes())
    narrate_file(
        output,
        f"Skolem certificate of {model.name} for Black, "
        f"{counted(certificate.aig.num_gates, 'AND gate')}, {counted(decisions, 'decision')}; "
        f"proved for {formula if formula != '-' else '<stdout>'}",
    )
