"""Ctrl-C, as it arrives; nothing is imported here, for it may come while anything is."""

from __future__ import annotations


def was_interrupt(error: BaseException) -> bool:
    """True for a Ctrl-C, also one that came while a class was made.

    Before 3.12 Python wraps what is raised in ``__set_name__`` in a ``RuntimeError``.
    """
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)
