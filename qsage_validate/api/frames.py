"""Tables of results for notebooks; pandas and networkx are loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from qsage_validate.errors import MissingExtraError
from qsage_validate.render.svg import escape


def data_frame(rows: Iterable[Mapping[str, object]]) -> Any:
    """A ``pandas.DataFrame`` with a row for each of ``rows``; needs the extra ``frame``."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise MissingExtraError("to_frame()", "frame") from None
    return pandas.DataFrame.from_records(list(rows))


def directed_graph() -> Any:
    """An empty ``networkx.DiGraph``; needs the extra ``frame``."""
    try:
        networkx = import_module("networkx")
    except ImportError:
        raise MissingExtraError("to_networkx()", "frame") from None
    return networkx.DiGraph()


def html_table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A plain HTML table."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class RowTable:
    """Rows by column, as a notebook shows them."""

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
