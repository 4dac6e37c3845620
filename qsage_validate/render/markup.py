"""Text from files inside SVG and HTML: nothing of it can become markup."""

from __future__ import annotations

from html import escape as _escape

from qsage_validate.errors import visible


def escape(text: str) -> str:
    """``text`` for use between tags and inside quoted attributes.

    Control characters and lone surrogates, which XML does not allow, are shown as Python
    writes them.
    """
    return _escape(visible(text), quote=True)


def number(value: float) -> str:
    """A coordinate with at most two decimals and no superfluous zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
