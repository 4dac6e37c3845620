"""``qsage info``: what a file is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    FormulaOptions,
    JsonOption,
    Prenex,
    PrenexOption,
    StrictOption,
    prenex_order,
)
from qsage_validate.cli.parameters import flag, option
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.formats.formula import formats as declared_formats
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.source import (
    PERCENT,
    STDIN,
    Format,
    Source,
    label,
    read_bytes,
    sniff,
    sniff_bytes,
    unknown_format,
)
from qsage_validate.games.family import families
from qsage_validate.registry import declared, declares, load

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf, Scope
    from qsage_validate.encodings.layout import Layout
    from qsage_validate.formats.qrp_steps import BytesOf
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.solvers.backends import InventoryEntry


Facts = dict[str, object]


_MOST_NAMES: Final = 40


@subcommand(
    "qsage info sample:tic sample:tic.aig",
    "qsage info httt --size 4x4 --shape tic",
)
def command(
    *,
    subject: ModelArguments = model_words(
        optional_words="Any file ('-' is standard input), and the certificate of a formula behind "
        "it. Or a game: its name (see 'qsage games'), or DOMAIN and PROBLEM.",
        file="FILE",
    ),
    cert: str | None = option("The certificate.", "FILE", panel="Files"),
    formula: str | None = option("The formula that FILE is a certificate for.", "FILE"),
    solvers: bool = flag("Tell instead which solvers and preprocessors are here."),
    names: bool = flag("Of a formula, tell besides what assertions can name."),
    prenex: PrenexOption = None,
    strict: StrictOption = False,
    json_output: JsonOption = False,
) -> Exit:
    """Tell what FILE is: format, kind, variables, gates, layout.

    With a certificate, too: what that certificate of the formula FILE is.

    For a game: its board or positions, how long it is, and its encodings.

    With --solvers: what there is to solve with, and how to get what is missing.
    """
    words = subject.words
    if solvers:
        if words or formula is not None or cert is not None:
            raise UsageError("found --solvers with a file, expected one of them")
        return tell_solvers(json_output)
    if not words:
        if cert is not None:
            raise UsageError("found --cert without FILE, expected FORMULA CERT")
        raise UsageError("found no FILE, expected one, or --solvers")
    if _means_game(subject):
        if cert is not None or formula is not None or names:
            wrong = "--names" if names else "--formula" if cert is None else "--cert"
            raise UsageError(f"found {wrong} with {' '.join(words)}, a game: expected a formula")
        FormulaOptions(prenex=prenex, strict=strict).refuse("a game, expected a formula")
        _show(_game(subject), json_output)
        return Exit.FINE
    if len(words) > 2 or (len(words) == 2 and cert is not None):
        if cert is None or len(words) > 2:
            raise UsageError(f"found {len(words)} words, expected FORMULA CERT")
        found = f"{label(words[1])} with --cert {label(cert)}"
        raise UsageError(f"found {found}, expected one of them")
    file, certificate = words[0], cert if len(words) == 1 else words[1]
    if certificate is not None:
        if formula is not None:
            raise UsageError("found --cert with --formula, expected FORMULA CERT")
        file, formula = certificate, file
    return _tell_file(file, formula, prenex, names=names, json_output=json_output)


def _means_game(subject: ModelArguments) -> bool:
    """Whether the words are a game by name, or DOMAIN and PROBLEM, or a file with its options."""
    words = subject.words
    if len(words) == 1:
        (word,) = words
        is_path = word == STDIN or os.sep in word or "." in word or os.path.exists(word)
        return bool(subject.flags) or not is_path
    if subject.flags:
        return True
    there = len(words) == 2 and all(map(os.path.isfile, words))
    return there and all(sniff(word) is Format.BDDL for word in words)


def _game(subject: ModelArguments) -> Facts:
    """The facts of a model: those of the files that it would be written as."""
    from qsage_validate.encodings.registry import encoders
    from qsage_validate.games.library.catalogue import name_of
    from qsage_validate.games.model_text import kind_of

    model = subject.resolve()
    facts: Facts = {"game": name_of(model), "kind": kind_of(model.language)}
    described: dict[str, Callable[[bytes, str], Facts]] = {
        "domain": _bddl,
        "problem": _bddl,
        "pg": _pg,
    }
    described |= {own.part: own.facts for own in declared_formats() if own.part is not None}
    for part, text in model.parts().items():
        if part in described:
            facts |= described[part](f"{text}\n".encode(), part)
    facts.pop("part", None)
    known = {"game": name_of(model), "depth": model.depth, "plies": model.plies}
    return facts | known | {"encodings": list(encoders(model.language))}


def _tell_file(
    file: str, formula: str | None, prenex: Prenex | None, *, names: bool, json_output: bool
) -> Exit:
    from qsage_validate.formats.qrp_steps import bytes_of
    from qsage_validate.games.positional.language import is_positional_file, read_positional

    content = bytes_of(file)
    name = label(file)
    found = sniff_bytes(content.read(0, 1 << 16))
    if found in (Format.QRP, Format.BQRP, Format.QUTE):
        _show({"file": name, "format": found.value} | _trace(content), json_output)
        return Exit.FINE
    data = content.data if content.data is not None else read_bytes(file)
    describe: Mapping[Format, Callable[[bytes, str], Facts]] = {
        Format.QCIR: lambda data, name: _qcir(data, name, prenex, names),
        Format.QDIMACS: lambda data, name: _qdimacs(data, name, names),
        Format.AIGER_ASCII: _aiger,
        Format.AIGER_BINARY: _aiger,
        Format.PEDANT: _pedant,
        Format.OUTER_BLOCK: _outer_block,
        Format.META: _meta,
        Format.BDDL: _bddl,
        Format.PG: _pg,
        Format.SOLUTION: _solution,
        **{own.format: own.facts for own in declared_formats()},
        **({Format.HEX_STRATEGY: _hex_strategy} if declares("strategies") else {}),
    }
    if found in (Format.UNKNOWN, Format.SGF) and is_positional_file(file):
        kind = "Hex board" if found is Format.UNKNOWN else "Hex board (SGF)"
        facts: Facts = {"file": name, "format": kind, "bytes": len(data)}
        _show(facts | _positional(read_positional(file)), json_output)
        return Exit.FINE
    known = families() if found is Format.UNKNOWN else ()
    for own in (own for own in known if own.recognises(data)):
        if names or formula is not None:
            wanted = "a formula with --names" if formula is None else "a certificate"
            raise UsageError(f"found {name}, an {own.name} game, expected {wanted}")
        facts = {"file": name, "format": f"{own.name} game", "bytes": len(data)}
        _show(facts | dict(own.family.facts(data, name)), json_output)
        return Exit.FINE
    if found not in describe:
        traces = (Format.QRP, Format.BQRP, Format.QUTE)
        formats = ", ".join(f.value for f in (*describe, *traces))
        if found is Format.UNKNOWN:
            raise unknown_format(data, name, f"one of {formats}")
        raise InputError(name, 1, 1, f"a {found.value}", f"one of {formats}")
    if names and found not in (Format.QCIR, Format.QDIMACS):
        raise UsageError(f"found --names with {found.value}, expected it with a formula")
    if prenex is not None and formula is None and found is not Format.QCIR:
        raise UsageError(f"found --prenex with {found.value}, expected it with {Format.QCIR.value}")
    facts = {"file": name, "format": found.value, "bytes": len(data)}
    if formula is None:
        facts |= describe[found](data, name)
    else:
        facts |= _certificate(data, name, formula, prenex)
    _show(facts, json_output)
    return Exit.FINE


def _show(facts: Facts, json_output: bool) -> None:
    if json_output:
        from qsage_validate.formats.json_text import snake_case

        emit_json(snake_case(facts))
    else:
        emit("\n".join(_lines(facts)))


def _lines(facts: Facts, indent: str = "") -> list[str]:
    """The facts as lines ``name: value``; what has parts of its own is indented."""
    lines = []
    for key, value in facts.items():
        if isinstance(value, dict):
            lines += [f"{indent}{key}:", *_lines(value, indent + "  ")]
        elif isinstance(value, list):
            lines += [f"{indent}{key}:", *(f"{indent}  {_item(item)}" for item in value)]
        elif isinstance(value, bool):
            lines.append(f"{indent}{key}: {'yes' if value else 'no'}")
        elif isinstance(value, int):
            lines.append(f"{indent}{key}: {value:,}")
        else:
            lines.append(f"{indent}{key}: {value}")
    return lines


def _item(item: object) -> str:
    return " ".join(map(str, item.values())) if isinstance(item, dict) else str(item)


def _qcir(data: bytes, name: str, prenex: Prenex | None, names: bool) -> Facts:
    from qsage_validate.formats.qcir import parse_qcir

    qbf = parse_qcir(data, name, prenex_order(prenex))
    gates = Counter(gate.connective.value for gate in qbf.gates.values())
    return (
        formula_facts(qbf)
        | {"gates": len(qbf.gates), "connectives": dict(gates)}
        | _layout(qbf, names)
    )


def _qdimacs(data: bytes, name: str, names: bool) -> Facts:
    from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs

    qbf = parse_qdimacs(data, name)
    clauses = {"clauses": len(clausal_form(qbf).clauses)}
    return formula_facts(qbf) | clauses | _layout(qbf, names)


def formula_facts(qbf: Qbf) -> Facts:
    """The facts of a formula: its variables and its prefix."""
    prenex_fact = {} if qbf.prenexed is None else {"prenex": str(qbf.prenexed)}
    free = {} if not qbf.free else {"free variables": _listed(qbf, qbf.free)}
    scopes = _scopes(qbf.merged_scopes())
    return {**prenex_fact, "variables": qbf.num_variables, **free, "scopes": scopes}


def _listed(qbf: Qbf, variables: Sequence[int]) -> str:
    """``3, read as existential and outermost: x, y, z``; of many the first ones."""
    names = ", ".join(qbf.name(v) for v in variables[:_MOST_NAMES])
    more = ", …" if len(variables) > _MOST_NAMES else ""
    return f"{len(variables):,}, read as existential and outermost: {names}{more}"


def _scopes(scopes: Iterable[Scope]) -> list[Facts]:
    return [{"quantifier": s.quantifier.value, "variables": len(s.variables)} for s in scopes]


def _layout(qbf: Qbf, names: bool) -> Facts:
    """The layout in the formula's comments, else in a meta file that lies beside it."""
    from qsage_validate.encodings.foreign import find_meta, layout_from_meta
    from qsage_validate.encodings.layout_reader import layout_from_comments
    from qsage_validate.formats.meta import read_meta

    layout: Layout | None = layout_from_comments(qbf)
    if layout is None and qbf.path is not None and (meta := find_meta(qbf.path)) is not None:
        try:
            layout = layout_from_meta(read_meta(meta), qbf)
        except InputError as error:
            return {"layout": f"none ({error})"}
    facts: Facts = {"layout": "none" if layout is None else _layout_facts(layout)}
    return facts | (_names(qbf, layout) if names else {})


def _names(qbf: Qbf, layout: Layout | None) -> Facts:
    """The names that assertions can use: positions, and the variables and gates that have names."""
    from qsage_validate.problems.load import game_of_layout
    from qsage_validate.validation.assertions import AssertionVocabulary

    game = None if layout is None else game_of_layout(layout)
    known = AssertionVocabulary(qbf, layout, game)
    told: Facts = {}
    if layout is not None:
        goal = [] if game is None else ["goal"]
        told = {"plies": f"0 to {known.plies}", "positions": [*known.words, *goal]}
    numbers = [name for name in known.literals if name.isdigit()]
    texts = [f"{name} = {x}" for name, x in known.literals.items() if not name.isdigit()]
    told["variables and gates"] = [*texts, f"and {len(numbers)} by their numbers"]
    return {"names": told}


def _layout_facts(layout: Layout) -> Facts:
    from qsage_validate.games.languages import model_from_parts
    from qsage_validate.games.library.catalogue import labelled, name_of
    from qsage_validate.games.model_text import has_rules

    facts: Facts = {"source": layout.source}
    if has_rules(layout.game, layout.model):
        facts["game"] = name_of(model_from_parts(layout.game, layout.model))
    elif "name" in layout.model:
        facts["game"] = labelled(layout.model["name"])
    facts["encoding"] = layout.encoding
    if layout.state.is_board:
        facts["board"] = "x".join(map(str, layout.state.size))
    else:
        facts["moves"] = max((len(table.moves) for table in layout.moves), default=0)
        if len(layout.conclusive) == 1:
            facts["says who wins"] = f"only when {'true' if layout.conclusive[0] else 'false'}"
    return facts | {
        "plies": layout.plies,
        "first player": layout.moves[0].player.value if layout.moves else "nobody",
        "rules": has_rules(layout.game, layout.model),
        "named gates": len(layout.gates),
    }


def _aiger(data: bytes, name: str) -> Facts:
    from qsage_validate.certificates.reader import parse_certificate, recognise
    from qsage_validate.formats.aiger import parse_aiger
    from qsage_validate.kernel.certificate import Dialect

    file = parse_aiger(data, name)
    facts: Facts = {
        "inputs": len(file.inputs),
        "outputs": len(file.outputs),
        "gates": file.aig.num_gates,
        "symbols": len(file.input_symbols) + len(file.output_symbols),
    }
    try:
        recognition = recognise(file, None)
    except InputError as error:
        return facts | {"certificate": f"no ({error.found})"}
    facts |= {"dialect": recognition.dialect.value, "because": recognition.reason}
    if recognition.dialect is not Dialect.CAQE:
        return facts | {"kind": "told by the formula's prefix (--formula FILE)"}
    return facts | {"kind": parse_certificate(data, None, path=name).kind.value}


def _pedant(data: bytes, name: str) -> Facts:
    from qsage_validate.formats.qdimacs import parse_pedant
    from qsage_validate.kernel.certificate import CertificateKind, Dialect

    file = parse_pedant(data, name)
    return {
        "variables": file.max_variable,
        "clauses": file.num_clauses,
        "functions": len(file.defined),
        "dialect": Dialect.PEDANT.value,
        "kind": CertificateKind.SKOLEM.value,
    }


def _outer_block(data: bytes, name: str) -> Facts:
    from qsage_validate.formats.qdimacs import parse_outer_block
    from qsage_validate.kernel.certificate import Dialect

    file = parse_outer_block(data, name)
    result: Facts = {} if file.truth is None else {"result": str(file.truth).lower()}
    return result | {"values": len(file.values), "dialect": Dialect.OUTER.value}


def _certificate(data: bytes, name: str, formula: str, prenex: Prenex | None) -> Facts:
    """The facts that need the formula: sides, don't-cares, functions that it does not name."""
    from qsage_validate.certificates.reader import parse_certificate
    from qsage_validate.kernel.certificate import CircuitCertificate

    qbf = read_formula(formula, prenex_order(prenex))
    certificate = parse_certificate(data, qbf, path=name)
    decided, lacking = qbf.variables(certificate.kind.decides), "don't-cares"
    if isinstance(certificate, CircuitCertificate):
        functions = len(certificate.functions)
        facts: Facts = {
            "inputs": len(certificate.inputs),
            "gates": certificate.aig.num_gates,
            "functions": functions,
            "other functions": len(certificate.extra),
        }
        if certificate.first_blocks is not None:
            blocks = len(qbf.blocks(certificate.kind.decides))
            lacking = "open"
            facts["a part"] = f"of the first {certificate.first_blocks} of {blocks} blocks"
    else:
        functions = sum(v in certificate.defined for v in decided)
        facts = {"variables": certificate.max_variable, "functions": functions}
    return facts | {
        lacking: len(decided) - functions,
        "dialect": certificate.dialect.value,
        "kind": certificate.kind.value,
        "plays": certificate.kind.player.value,
    }


def _trace(content: BytesOf) -> Facts:
    """The facts of a solver's trace, which may be larger than memory."""
    import numpy as np

    from qsage_validate.formats.qrp import index_qrp
    from qsage_validate.kernel.certificate import CertificateKind

    trace = index_qrp(content)
    needed = trace.needed()
    lengths = np.diff(trace.first)
    kind = CertificateKind.SKOLEM if trace.true else CertificateKind.HERBRAND
    return {
        "bytes": content.size,
        "result": "true" if trace.true else "false",
        "certificate": f"{kind.value} functions",
        "scopes": _scopes(trace.scopes),
        "steps": trace.num_steps,
        "needed steps": len(needed),
        "initial clauses or cubes": int(np.count_nonzero(lengths[needed] == 0)),
    }


def _meta(data: bytes, name: str) -> Facts:
    from qsage_validate.formats.meta import parse_meta

    meta = parse_meta(Source.decode(data, name, PERCENT).text, name)
    return {
        "board": f"{meta.width}x{meta.height}",
        "depth": meta.depth,
        "black actions": list(meta.black_actions),
        "white actions": list(meta.white_actions),
        "goal variable": "none" if meta.goal is None else meta.goal,
    }


def _bddl(data: bytes, name: str) -> Facts:
    from qsage_validate.games.bddl.parser import file_kind, parse_domain, parse_problem

    text = Source.decode(data, name, PERCENT).text
    if file_kind(text) == "domain":
        domain = parse_domain(text, name)
        return {
            "part": "domain",
            "black actions": [action.name for action in domain.black_actions],
            "white actions": [action.name for action in domain.white_actions],
        }
    problem = parse_problem(text, name)
    return {
        "part": "problem",
        "board": f"{problem.width}x{problem.height}",
        "initial pieces": len(problem.initial),
        "depth": problem.depth,
        "first player": problem.first_player.value,
        "black goals": len(problem.black_goals),
        "white goals": len(problem.white_goals),
    }


def _pg(data: bytes, name: str) -> Facts:
    from qsage_validate.formats.pg import parse_pg
    from qsage_validate.games.positional.language import model_of_pg

    return _positional(model_of_pg(parse_pg(Source.decode(data, name, PERCENT).text, name)))


def _solution(data: bytes, name: str) -> Facts:
    from qsage_validate.solutions.walk import parse_solution

    solution = parse_solution(data, name)
    return {
        "game": solution.game.name,
        "depth": solution.model.depth,
        "plies": solution.game.plies,
        "winner": solution.winner.value,
        "claim": solution.claim,
        "positions": solution.positions,
    }


def _hex_strategy(data: bytes, name: str) -> Facts:
    from qsage_validate.problems.searched import DeclaredStrategies

    facts: Facts = load(declared("strategies", DeclaredStrategies)[0].told)(data, name)
    return facts


def _positional(model: PositionalModel) -> Facts:
    return {
        "positions": len(model.positions),
        "plies": len(model.turns),
        "black stones": model.black.bit_count(),
        "white stones": model.white.bit_count(),
        "black's winning sets": len(model.black_wins),
        "white's winning sets": len(model.white_wins),
        "network": model.network is not None,
    }


def tell_solvers(json_output: bool) -> Exit:
    """Tell of every solver and preprocessor, as text or as JSON ``{"solvers": [...]}``."""
    from qsage_validate.solvers.backends import config_path, inventory

    entries = inventory()
    if json_output:
        path = config_path()
        config = None if path is None else str(path)
        records = [{"available": e.missing is None, **asdict(e)} for e in entries]
        emit_json({"config": config, "solvers": records})
    else:
        emit("\n".join(_solver_lines(entries)))
    return Exit.FINE


def _solver_lines(entries: tuple[InventoryEntry, ...]) -> list[str]:
    width = max(len(entry.name) for entry in entries)
    lines = []
    for role, heading in (("solver", "solvers:"), ("preprocessor", "preprocessors:")):
        lines.append(heading)
        for entry in entries:
            if entry.role != role:
                continue
            if entry.missing is None:
                state = f"available ({entry.version})" if entry.version else "available"
            else:
                state = f"missing: {entry.missing}"
            reads = f"reads {', '.join(entry.accepts)}"
            gives = f"; gives {', '.join(entry.produces)}" if entry.produces else ""
            lines.append(f"  {entry.name:<{width}}  {state}")
            lines.append(f"  {'':<{width}}  {entry.help}; {reads}{gives}")
    return lines
