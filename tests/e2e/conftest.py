from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.support.commands import run_qsage


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


Qsage = Callable[..., Ran]


@pytest.fixture
def qsage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> Qsage:
    """Runs ``qsage`` in this process, in a directory of its own."""
    monkeypatch.chdir(str(tmp_path))

    def command(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run_qsage([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return command
