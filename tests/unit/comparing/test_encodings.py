"""All encodings of a game: what takes without end leaves time for the others."""

from __future__ import annotations

from time import sleep
from typing import Any

import pytest

from qsage_validate.certificates.routes.routes import RouteOptions, certify_formula
from qsage_validate.comparing import compare
from qsage_validate.comparing.outcomes import Wins
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.games.registry import find_command
from qsage_validate.system.limits import Deadline, Limits


def test_an_encoding_that_takes_without_end_leaves_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(formula: Any, options: RouteOptions, *, encoding: Encoding) -> Any:
        if encoding.layout.encoding != "ea":
            return certify_formula(formula, options, encoding=encoding)
        while not options.limits.deadline.over:
            sleep(0.01)
        raise UndecidedError("no answer")

    monkeypatch.setattr(compare, "certify_formula", slow)
    model = find_command(("hex-network", "--size", "2x2", "--depth", "3"))
    options = RouteOptions(limits=Limits(Deadline.after(12)))
    table = compare.compare_encodings(model, ["ea", "cor-lean", "sn"], options)
    assert table.names == ("cor-lean", "sn")
    assert all(isinstance(cell, Wins) for cell in table.cells.values())
    assert table.undecided == {"ea": "no answer"}
    assert table.exit_code is Exit.UNDECIDED
