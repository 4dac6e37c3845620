"""Tables: the games of the library, and results of ``qsage bench``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qsage_validate.api.frames import data_frame, html_table
from qsage_validate.api.sources import FileSource, as_paths, shown
from qsage_validate.games.library.template import LibraryGame

if TYPE_CHECKING:
    from qsage_validate.bench.run import Record


@dataclass(frozen=True)
class _Table:
    rows: tuple[Mapping[str, object], ...]

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> list[dict[str, object]]:
        """The rows, as JSON has them."""
        return [dict(row) for row in self.rows]

    def to_frame(self) -> Any:
        """The rows as a ``pandas.DataFrame`` (extra ``frame``)."""
        return data_frame(self.rows)

    def _repr_html_(self) -> str:
        columns = list(dict.fromkeys(key for row in self.rows for key in row))
        return html_table(columns, ([row.get(c, "") for c in columns] for row in self.rows))


class GameTable(_Table):
    """The games by name; iterating gives their rows."""

    @classmethod
    def of(cls, games: Sequence[LibraryGame]) -> GameTable:
        """A row for each game: ``name``, ``parameters``, ``about``."""
        return cls(
            tuple(
                {
                    "name": game.name,
                    "parameters": ", ".join(option.name for option in game.options),
                    "about": game.help,
                }
                for game in games
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names that :func:`game` takes."""
        return tuple(str(row["name"]) for row in self.rows)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __repr__(self) -> str:
        return f"<GameTable {', '.join(self.names)}>"


@dataclass(frozen=True)
class BenchResults(_Table):
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
    from qsage_validate.bench.results import read_results as read

    with as_paths(results=path) as files:
        found = read(files["results"] or "")
    warning = found.warning
    if warning is not None and found.path != shown("results", path):
        warning = warning.replace(found.path, shown("results", path) or "", 1)
    return BenchResults(tuple(map(_row, found.records)), found.experiment, warning)


def _row(record: Record) -> Mapping[str, object]:
    fields = record.as_json()
    run, result = fields.pop("run"), fields.pop("result")
    del fields["kind"]
    assert isinstance(run, dict), "a record has its run"
    assert isinstance(result, dict), "a record has its result"
    limits = {"limit_seconds": run.pop("seconds"), "limit_mb": run.pop("memory_mb")}
    return {**run, "configuration": record.run.configuration, **limits, **result, **fields}
