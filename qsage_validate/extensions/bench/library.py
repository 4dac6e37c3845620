"""Results of ``qsage bench`` in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.api.values import FileSource, RowTable, as_paths, shown
from qsage_validate.extensions.bench import campaign

if TYPE_CHECKING:
    from qsage_validate.extensions.bench.experiment import RunRecord


@dataclass(frozen=True)
class BenchResults(RowTable):
    """The runs of a file of results: ``experiment`` is their name, ``warning`` what is torn."""

    experiment: str
    warning: str | None = None

    def __repr__(self) -> str:
        return f"<BenchResults {self.experiment}, {len(self)} runs>"


def read_results(path: FileSource) -> BenchResults:
    """The runs that ``qsage bench`` has written to a JSONL file, a row for each.

    The columns are those of the run (``instance``, ``configuration``, ``limit_seconds``, …), of
    its result (``status``, ``seconds``, …), the ``machine`` and the time (``when``, UTC).  Raises
    ``InputError`` with the line of what is malformed.
    """
    with as_paths(results=path) as files:
        found = campaign.read_results(files["results"] or "")
    warning = found.warning
    if warning is not None and found.path != shown("results", path):
        warning = warning.replace(found.path, shown("results", path) or "", 1)
    return BenchResults(tuple(map(_row, found.records)), found.experiment, warning)


def _row(record: RunRecord) -> Mapping[str, object]:
    fields = record.to_dict()
    run, result = fields.pop("run"), fields.pop("result")
    del fields["kind"]
    assert isinstance(run, dict), "a record has its run"
    assert isinstance(result, dict), "a record has its result"
    limits = {"limit_seconds": run.pop("seconds"), "limit_mb": run.pop("memory_mb")}
    return {**run, "configuration": record.run.configuration, **limits, **result, **fields}
