"""Smaller certificates: the gates that each technique leaves, alone and together.

    python research/benchmarks/minimise.py [--timeout SECONDS] [--only TEXT] [--json]

The samples of ``certificates/`` and, where they are (``$QSAGE_SHARED_DATA``, else beside the
checkout), certificates of QuAbS and in QBFcert's dialect.  Every technique starts from the file;
``all`` is ``qsage minimise``.  Seconds are those of this run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.learning import defined_gates, feature_circuit, learn
from qsage_validate.certificates.reader import read_certificate
from qsage_validate.certificates.smaller import judge, minimised
from qsage_validate.circuit.aig import AigBuilder, embed, strash
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.simplify import simplify, sweep
from qsage_validate.encodings.foreign import find_meta, layout_from_meta
from qsage_validate.encodings.layout import Layout
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import UndecidedError
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.meta import read_meta
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.system.limits import Deadline

ROOT = Path(__file__).resolve().parents[2]
TECHNIQUES = ("structure", "sweeping", "don't-cares", "learning", "all")


def cases() -> Iterator[tuple[Path, Path]]:
    """Formulas with their certificates; the larger of two files of one certificate is left out."""
    shared = Path(os.environ.get("QSAGE_SHARED_DATA") or ROOT.parent / "shared" / "data")
    for folder in (ROOT / "certificates", shared / "certificates" / "quabs"):
        for certificate in sorted(folder.glob("*.aig")):
            yield certificate.with_suffix(".qcir"), certificate
    for certificate in sorted((shared / "certificates" / "qbfcert-ascii").glob("*.aag")):
        yield certificate.with_suffix(".qcir"), certificate
        yield certificate.with_suffix(".qdimacs"), certificate


def layout_of(path: Path, formula: Qbf) -> Layout | None:
    """The layout in the formula's comments, or of the meta file beside it."""
    layout = layout_from_comments(formula)
    meta = find_meta(path)
    if layout is None and meta is not None:
        layout = layout_from_meta(read_meta(meta), formula)
    return layout


def techniques(
    formula: Qbf, certificate: CircuitCertificate, layout: Layout | None, seconds: float
) -> dict[str, Callable[[], int | None]]:
    """By name what gives the gates that a technique leaves; ``None`` when it does not end."""
    functions = list(certificate.functions.values())
    kind = certificate.kind
    opponent = formula.variables(kind.decides.dual)

    def structure() -> int:
        return strash(certificate.aig, functions)[0].num_gates

    def sweeping() -> int:
        return sweep(certificate.aig, functions, deadline=Deadline.after(seconds)).aig.num_gates

    def dont_cares() -> int:
        builder = AigBuilder(len(opponent))
        place = dict(zip(opponent, builder.inputs, strict=True))
        inputs = [place[v] for v in certificate.inputs]
        aig, built = builder.build(embed(builder, certificate.aig, inputs, functions))
        level = formula.levels()
        done = simplify(
            aig,
            built,
            judge(formula, kind, list(certificate.functions)),
            [level[v] for v in opponent],
            deadline=Deadline.after(seconds),
        )
        return done.aig.num_gates

    def learning() -> int | None:
        circuit = feature_circuit(
            formula, kind.decides, layout, defined_gates(formula, kind.decides)
        )
        learnt = learn(circuit, certificate, deadline=Deadline.after(seconds))
        return None if learnt.certificate is None else learnt.certificate.aig.num_gates

    def together() -> int:
        return minimised(
            formula, certificate, layout=layout, deadline=Deadline.after(seconds)
        ).gates

    return {
        "structure": structure,
        "sweeping": sweeping,
        "don't-cares": dont_cares,
        "learning": learning,
        "all": together,
    }


def measure(
    formula_path: Path, path: Path, seconds: float, wanted: Sequence[str]
) -> dict[str, object]:
    """One certificate: the gates before, and gates and seconds of each technique."""
    formula = read_formula(formula_path)
    certificate = read_certificate(path, formula)
    assert isinstance(certificate, CircuitCertificate)
    layout = layout_of(formula_path, formula)
    row: dict[str, object] = {
        "formula": f"{formula_path.parent.name}/{formula_path.name}",
        "kind": certificate.kind.value,
        "before": certificate.aig.num_gates,
    }
    for name, run in techniques(formula, certificate, layout, seconds).items():
        if name not in wanted:
            continue
        start = monotonic()
        try:
            row[name] = run()
        except UndecidedError:
            row[name] = None
        row[f"{name} s"] = round(monotonic() - start, 1)
    return row


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each technique")
    parser.add_argument("--only", default="", help="formulas whose path has this text")
    parser.add_argument(
        "--technique", action="append", choices=TECHNIQUES, help="only this; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    chosen = [pair for pair in cases() if arguments.only in str(pair[0])]
    rows = []
    for formula, certificate in chosen:
        print(f"{formula.name} …", file=sys.stderr)
        wanted = arguments.technique or TECHNIQUES
        rows.append(measure(formula, certificate, arguments.timeout, wanted))
    ratios = [int(str(r["before"])) / max(1, int(str(r["all"]))) for r in rows if r.get("all")]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
    if arguments.json:
        print(json.dumps({"minimised": rows, "mean_smaller": mean}))
        return
    columns = list(rows[0]) if rows else []
    table = Table(title=f"Minimised: {mean:.1f} times smaller in the geometric mean")
    for column in columns:
        table.add_column(column, justify="left" if column in ("formula", "kind") else "right")
    for row in rows:
        table.add_row(*("" if row[c] is None else str(row[c]) for c in columns))
    Console().print(table)


if __name__ == "__main__":
    main()
