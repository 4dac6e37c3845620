"""What tests cost in processor time, which other work on the machine hardly changes.

    python -m pytest -p tests.support.costs --costs FILE ...

Each test adds a line to ``FILE``: a JSON list of its name and the seconds of processor time of its
setup, its call and its teardown, with the processes that it started.  What a session, a module or a
class shares is in the setup of the first test that asks for it.
"""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator

import pytest

_SPENT: pytest.StashKey[list[float]] = pytest.StashKey()


def processor_seconds() -> float:
    """The processor time of this process and all below it, ended or not (these on Linux only)."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
    return used + sum(map(_ticks, _below(os.getpid()))) / os.sysconf("SC_CLK_TCK")


def _below(process: int) -> Iterator[int]:
    """The processes below ``process`` that have not been waited for."""
    for thread in _names(f"/proc/{process}/task"):
        for child in map(int, _text(f"/proc/{process}/task/{thread}/children").split()):
            yield child
            yield from _below(child)


def _ticks(process: int) -> int:
    """The processor time of a process and of those that it has waited for, in the clock's ticks."""
    return sum(map(int, _text(f"/proc/{process}/stat").rpartition(")")[2].split()[11:15]))


# Without pathlib: a test's own version of it may be in place still.
def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # the process has ended, or this system has no such folder
        return []


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as lines:
            return lines.read()
    except OSError:
        return ""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", help="add each test's processor time to FILE")


def _phase(item: pytest.Item) -> Iterator[None]:
    before = processor_seconds()
    try:
        return (yield)
    finally:
        item.stash.setdefault(_SPENT, []).append(round(processor_seconds() - before, 3))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    return (yield from _phase(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from _phase(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    try:
        return (yield from _phase(item))
    finally:
        file = item.config.getoption("costs")
        if file is not None:
            with open(file, "a", encoding="utf-8") as out:
                out.write(json.dumps([item.nodeid, *item.stash[_SPENT]]) + "\n")
