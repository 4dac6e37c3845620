"""``qsage info --solvers``: what there is to solve with."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from qsage_validate.cli.common import emit, emit_json
from qsage_validate.errors import Exit

if TYPE_CHECKING:
    from qsage_validate.solvers.qbf.inventory import Entry


def tell_solvers(json_output: bool) -> Exit:
    """Tell of every solver and preprocessor, as text or as JSON ``{"solvers": [...]}``."""
    from qsage_validate.solvers.qbf.config import config_path
    from qsage_validate.solvers.qbf.inventory import inventory

    entries = inventory()
    if json_output:
        path = config_path()
        config = None if path is None else str(path)
        records = [{"available": e.missing is None, **asdict(e)} for e in entries]
        emit_json({"config": config, "solvers": records})
    else:
        emit("\n".join(_lines(entries)))
    return Exit.FINE


def _lines(entries: tuple[Entry, ...]) -> list[str]:
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
