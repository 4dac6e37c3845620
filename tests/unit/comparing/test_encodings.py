"""All encodings of a game: what takes without end leaves time for the others."""

from __future__ import annotations

from time import sleep
from typing import Any

import pytest

from qsage_validate.certificates.routes import RouteOptions, certify_formula
from qsage_validate.comparing import compare
from qsage_validate.comparing.exact import Wins, shared_names
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.registry import find_command
from qsage_validate.system.limits import Deadline, Limits
from tests.support.commands import run_qsage


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
    table = compare.compare_encodings(dict.fromkeys(["ea", "cor-lean", "sn"], model), options)
    assert table.names == ("cor-lean", "sn")
    assert all(isinstance(cell, Wins) for cell in table.cells.values())
    assert table.undecided == {"ea": "no answer"}
    assert table.exit_code is Exit.UNDECIDED


def test_encodings_of_a_grid_game_and_of_a_positional_one_agree(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hex_game = ("hex", "--size", "2x2", "--depth", "3")
    assert run_qsage(["compare", *hex_game, "--encodings", "lifted,cor-lean"]) == Exit.FINE
    assert capsys.readouterr().out.endswith("both agree: each strategy wins in every formula\n")


def test_one_variable_is_singular() -> None:
    first = parse_qcir("#QCIR-G14\nexists(x)\nforall(y)\noutput(x)\n")
    second = parse_qcir("#QCIR-G14\nexists(x)\nforall(z)\noutput(x)\n")
    assert shared_names(first, second).source == "1 variable of equal name"
