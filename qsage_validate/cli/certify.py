"""``qsage certify``: a game or a formula to a checked certificate."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, emit_json, narrate, narrate_file
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import (
    EncodingOption,
    FormulaOptions,
    JsonOption,
    LimitOptions,
    PrepareOption,
    parse_dialect,
)
from qsage_validate.cli.parameters import REQUIRED, option, output_option
from qsage_validate.errors import Exit, UndecidedError, UsageError

if TYPE_CHECKING:
    from qsage_validate.certificates.routes import CertifiedFormula, RouteOptions
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.encodings.layout import Layout
    from qsage_validate.kernel.certificate import CircuitCertificate, Dialect

# The part of the time in which all blocks are certified, before a solver is asked for one.
_SHARE: Final = 1 / 2


@subcommand(
    "qsage certify httt --size 4x4 --shape tic --depth 5 -o tic.aig --formula tic.qcir",
    "qsage certify sample:hex -o hex.aig",
)
def command(
    *,
    model: ModelArguments = model_words(or_formula=True),
    output: str = output_option(
        "The certificate's file: AIGER, in ASCII when its name ends in .aag.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    formula: str | None = output_option(
        "Write the formula too, as QCIR, or QDIMACS by its name; the certificate is "
        "then one of what is written.",
        "FILE",
    ),
    encoding: EncodingOption = None,
    prepare: PrepareOption = False,
    route: str = option(
        "auto (default), search, bloqqer, trace, tool or expansion (see 'qsage help solving').",
        "NAME",
        default="auto",
        panel="Solver",
    ),
    solver: str | None = option(
        "A QBF solver that writes traces or certificates.",
        "NAME",
        complete="solvers",
        panel="Solver",
    ),
    trace: str | None = option("A solver's trace, to make functions of.", "FILE", panel="Solver"),
    minimise: bool = option(
        "Make the certificate smaller, as 'qsage minimise'.", default=False, panel="Output"
    ),
    blocks: int | None = option(
        "Write the functions of the winner's first N blocks only; where no certificate can be made "
        "and N is 1, what a solver says of the outermost block (then nothing is proved).",
        "N",
        min=1,
        panel="Output",
    ),
    dialect: str | None = option(
        "The dialect to write: caqe (default), qbfcert-ascii, qbfcert-binary; outer: the outermost "
        "block's values.",
        "NAME",
        "--as",
        panel="Output",
    ),
    read: FormulaOptions,
    jobs: int = option(
        "Processes that check the certificate.", "N", min=1, default=1, panel="Limits"
    ),
    limits: LimitOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Decide a formula or a game, and write a certificate.

    The functions of the side that wins, Skolem (true, Black) or Herbrand (false, White), come
    from a search on the rules of a game, or from QBF solvers, by the routes that there are. They
    are written only after both levels of the check have proved them; see 'qsage validate'.
    With --prepare a game is certified without what cannot matter in it; the certificate is lifted
    to the formula of the whole game, and proved there.

    A solution file ('qsage solve --solution') in the place of a game gives its first --blocks,
    after a walk has proved the file.

    Exit code 0: written and proved, 1: refuted, 2: bad input, 3: undecided, or blocks were
    written on a solver's word or from a solution.
    """
    from qsage_validate.certificates.routes import RouteOptions
    from qsage_validate.system.limits import memory_within

    solution = _solution_file(model)
    path = None if solution is not None else formula_path(model)
    target = _Target(output, formula, parse_dialect(dialect, "--as"), blocks, json_output)
    if trace is not None and (route != "auto" or solver is not None):
        raise UsageError("found --trace with --route or --solver, expected one of them")
    route = route if trace is None else "trace"
    options = RouteOptions(route, solver, limits.begin(), minimise, jobs, given=trace)
    if solution is not None:
        read.refuse("a solution file, expected a formula")
        if blocks is None or solver is not None or route != "auto" or minimise or prepare:
            raise UsageError(
                f"found {solution}, a solution file, expected --blocks N with it and no --solver, "
                "--route, --minimise or --prepare"
            )
        from qsage_validate.cli.deepening import part_of_solution

        found = solution, encoding, blocks, options.limits.deadline, target.check
        return target.write_unproved(*part_of_solution(*found))
    model, deepens = model.without_depth()
    if deepens:
        raise UsageError("found --depth auto, expected a number (see 'qsage solve --depth auto')")
    if path is None:
        read.refuse("a game, expected a formula")
    else:
        from qsage_validate.cli.encode import solver_of

        for name in ["--encoding"] * (encoding is not None) + ["--prepare"] * prepare:
            raise UsageError(f"found {name} with a formula, expected a game")
        if (solve := solver_of(path)) is not None:
            no = {"--formula": formula, "--blocks": blocks, "--as": dialect, "--minimise": minimise}
            return solve(path, {"--solver": solver, **no}, limits, json_output, output=output)
    with memory_within(limits.memory):
        if path is not None:
            asked = _read(path, model, read)
        else:
            asked = _prepared(model, encoding) if prepare else _encoded(model, encoding, options)
    target.check(asked.qbf, asked.name)
    try:
        proved = _certified(asked, options, target)
    except UndecidedError as error:
        if blocks != 1:
            raise
        from qsage_validate.cli.deepening import part_by_solver

        narrate(f"no certificate of all blocks: {error}")
        # The formula's value is one question, the values of the outermost block another.
        seconds = None if limits.timeout is None else limits.timeout * _SHARE / 2
        return target.write_unproved(*part_by_solver(asked.qbf, asked.name, solver, seconds))
    written = target.write(proved.certificate, proved.formula)
    facts, text = _told(proved, written, target, asked)
    if json_output:
        emit_json(facts | asked.facts)
    narrate_file(output, text)
    return Exit.FINE


@dataclass(frozen=True)
class _Question:
    """The formula to be certified, and the game that it is known to be of.

    ``name`` is the game's if it ``is_game``, else that of the formula's file.  ``prepared`` is what
    is certified first, of what is left of the game.
    """

    qbf: Qbf
    layout: Layout | None
    name: str
    encoding: Encoding | None
    is_game: bool = False
    prepared: Encoding | None = None
    facts: dict[str, object] = field(default_factory=dict)

    @property
    def game(self) -> str | None:
        """The name of the game, also of one that a formula's comments have."""
        from qsage_validate.games.library.catalogue import name_of

        if self.is_game:
            return self.name
        return None if self.encoding is None else name_of(self.encoding.model)


def _read(path: str, model: ModelArguments, read: FormulaOptions) -> _Question:
    from qsage_validate.cli.encode import load_formula
    from qsage_validate.problems.validated import encoding_of

    problem = load_formula(path, model, read)
    return _Question(problem.qbf, problem.layout, problem.files.name, encoding_of(problem))


def _solution_file(model: ModelArguments) -> str | None:
    """The solution file that stands in the place of a game, if one does."""
    import os

    from qsage_validate.formats.source import STDIN, Format, sniff

    if len(model.words) != 1 or model.words[0] == STDIN or not os.path.isfile(model.words[0]):
        return None
    if sniff(model.words[0]) is not Format.SOLUTION:
        return None
    if model.flags:
        raise UsageError(f"found {model.flags[0]} with {model.words[0]}, which has its game")
    return model.words[0]


def _encoded(model: ModelArguments, encoding: str | None, options: RouteOptions) -> _Question:
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.library.catalogue import name_of

    encoding = encoding or model.certified_by()
    game = model.resolve(encoding)
    if model.lacks_depth:
        from qsage_validate.cli.deepening import with_critical_depth

        game, _ = with_critical_depth(model, game, encoding, options.limits)
    encoded = encode(game, encoding)
    return _Question(encoded.qbf, encoded.layout, name_of(game), encoded, is_game=True)


def _prepared(model: ModelArguments, encoding: str | None) -> _Question:
    from qsage_validate.cli.encode import prepare_model
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.library.catalogue import name_of

    prepared = prepare_model(model, encoding, encodes=True)
    whole, left = (encode(game, encoding) for game in (prepared.whole, prepared.left))
    prepared.tell()
    return _Question(
        whole.qbf, whole.layout, name_of(prepared.whole), whole, True, left, prepared.facts
    )


@dataclass(frozen=True)
class _Target:
    """The files to write: the certificate or its first ``blocks``, and perhaps the formula."""

    output: str
    formula: str | None
    dialect: Dialect | None
    blocks: int | None
    json_output: bool

    def check(self, qbf: Qbf, name: str) -> None:
        """Raise ``UsageError`` for more blocks than a player has, and for files that do not fit."""
        from qsage_validate.certificates.writer import check_name
        from qsage_validate.formats.writing import check_writable
        from qsage_validate.kernel.certificate import CertificateKind

        check_name(self.output, self.dialect)
        for path in filter(None, (self.output, self.formula)):
            check_writable(path)
        most = max(len(qbf.blocks(kind.decides)) for kind in CertificateKind)
        if self.blocks is not None and self.blocks > most:
            found = f"found --blocks {self.blocks} for {name}"
            raise UsageError(f"{found}, expected at most {most}: no player has more")

    def write(
        self, certificate: CircuitCertificate, qbf: Qbf, by: str | None = None
    ) -> CircuitCertificate:
        """Write the files; returns the certificate, or the part, that was written.

        ``by`` says on whose word values of the outermost block are written, unproved.
        """
        from qsage_validate.certificates.writer import certificate_bytes, is_ascii_name
        from qsage_validate.formats.writing import is_clausal_name, qcir_text, write_atomic

        # Both texts are made and proved to belong together before either file is touched.
        text = None
        if self.formula is not None and not is_clausal_name(self.formula):
            text = qcir_text(qbf)
        elif self.formula is not None:
            from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs

            text = qbf_to_qdimacs(qbf)
            clausal = parse_qdimacs(text)
            if by is None:
                from qsage_validate.certificates.rest import proved_clausal_form

                certificate = proved_clausal_form(certificate, qbf, clausal)
            qbf = clausal
        if by is None and self.blocks is not None:
            from qsage_validate.certificates.parts import first_blocks

            certificate = first_blocks(certificate, qbf, self.blocks)
        content = certificate_bytes(
            certificate,
            qbf,
            dialect=self.dialect,
            binary=not is_ascii_name(self.output),
            remarks=() if by is None else [f"not proved: by {by}"],
        )
        if self.formula is not None and text is not None:
            write_atomic(self.formula, text)
        write_atomic(self.output, content)
        return certificate

    def write_unproved(self, part: CircuitCertificate, qbf: Qbf, by: str, what: str) -> Exit:
        """Write first blocks that are right on the word of ``by``; ``what`` they are is told."""
        self.write(part, qbf, by)
        if self.json_output:
            emit_json(
                {
                    "certificate": self.output,
                    "formula": self.formula,
                    "verdict": "true" if part.kind.truth else "false",
                    "kind": part.kind.value,
                    "functions": len(part.functions),
                    "blocks": self.blocks,
                    "proved": False,
                    "by": by,
                }
            )
        narrate_file(self.output, f"{what}")
        return Exit.UNDECIDED


def _certified(asked: _Question, options: RouteOptions, target: _Target) -> CertifiedFormula:
    """The whole certificate; with ``--blocks 1`` half of the time is left for a solver."""
    from qsage_validate.certificates.routes import certify_formula, certify_prepared

    if target.blocks == 1:
        from qsage_validate.certificates.by_proof import writes_functions

        if options.solver is not None and not writes_functions(options.solver):
            raise UndecidedError(f"{options.solver} writes neither traces nor certificates")
        half = options.limits.deadline.share(_SHARE)
        options = replace(options, limits=replace(options.limits, deadline=half))
    with SearchLine(sys.stderr) as line:
        if asked.encoding is not None and asked.prepared is not None:
            return certify_prepared(asked.encoding, asked.prepared, options, tell=line.tell)
        return certify_formula(
            asked.qbf, options, encoding=asked.encoding, layout=asked.layout, tell=line.tell
        )


def _told(
    proved: CertifiedFormula, written: CircuitCertificate, target: _Target, asked: _Question
) -> tuple[dict[str, Any], str]:
    """What has been written, for programs and for people."""
    from qsage_validate.certificates.routes import SEARCH
    from qsage_validate.encodings.layout import inconclusive

    kind, verdict = proved.certificate.kind, "true" if proved.truth else "false"
    why_no_winner = None if proved.route == SEARCH else inconclusive(asked.layout, proved.truth)
    no_winner = asked.encoding is None or why_no_winner is not None
    facts = {
        "certificate": target.output,
        "formula": target.formula,
        "game": asked.game,
        "verdict": verdict,
        "winner": None if no_winner else kind.player.value,
        "kind": kind.value,
        "gates": written.aig.num_gates,
        "functions": len(proved.certificate.functions),
        "blocks": written.first_blocks,
        "dont_cares": len(proved.proved.dont_cares),
        "route": proved.route,
        "by": proved.by,
        "note": proved.note,
        "stages": [{"stage": name, "seconds": round(s, 3)} for name, s in proved.stages],
        "seconds": round(proved.seconds(), 3),
        "check_seconds": round(proved.seconds("check"), 3),
        "attempts": [{"route": a.route, "why": a.why} for a in proved.attempts],
    }
    whose = f" ({verdict})" if asked.encoding is None else f" for {kind.player}"
    note = "".join(f", {why}" for why in (proved.note, why_no_winner) if why)
    blocks = {None: "", 1: "the first block of a "}
    part = blocks.get(written.first_blocks, f"the first {written.first_blocks} blocks of a ")
    stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in proved.stages)
    return facts, (
        f"{part}{kind.value} certificate of {asked.name}{whose}, "
        f"{written.aig.num_gates:,} AND gates{note}; by {proved.by}: {stages}"
    )
