"""Text from files inside SVG and HTML: nothing of it can become markup."""

from __future__ import annotations

from html import escape as _escape


def escape(text: str) -> str:
    """``text`` for use between tags and inside quoted attributes.

    Control characters and lone surrogates, which XML does not allow, are shown as Python
    writes them.
    """
    shown = "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
    return _escape(shown, quote=True)


def number(value: float) -> str:
    """A coordinate with at most two decimals and no superfluous zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
