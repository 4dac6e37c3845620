"""The config file of further solvers, and the list of what is here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import InputError
from qsage_validate.solvers.backend import Missing, SolverFormat, TraceKind
from qsage_validate.solvers.backends import backends, config_path, parse_config
from tests.support.commands import run_qsage
from tests.support.fake_solvers import script, small_formula

KINDS = frozenset({"caqe", "generic"})


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "solvers.ini"
    monkeypatch.setenv("QSAGE_SOLVERS", str(path))
    return path


def test_a_solver_of_ones_own(config: Path, tmp_path: Path) -> None:
    script(tmp_path, "mine", 'test "$1" = "--x y" && echo SAT && exit 10')
    config.write_text(
        "# ours\n[Mine]\nkind = depqbf\nprogram = mine\narguments = '--x y'\n"
        "[other]\nkind = generic\nprogram = /none/such\nformats = qcir, qdimacs\n",
        encoding="utf-8",
    )
    known = backends()
    mine, other = known["mine"], known["other"]
    assert mine.accepts == {SolverFormat.QDIMACS}
    assert mine.traces == {TraceKind.QRP, TraceKind.BINARY_QRP}
    assert mine.solve(small_formula(), workdir=tmp_path).truth is True
    assert other.accepts == {SolverFormat.QDIMACS, SolverFormat.QCIR}
    assert other.availability() == Missing("no file /none/such")
    assert "depqbf" in known


def test_a_program_without_the_right_to_run(config: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("", encoding="ascii")
    config.write_text("[mine]\nkind = caqe\nprogram = mine\n", encoding="utf-8")
    missing = backends()["mine"].availability()
    assert isinstance(missing, Missing)
    assert missing.reason.endswith("mine is not executable")


def test_where_the_file_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QSAGE_SOLVERS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_path() is None
    (tmp_path / "qsage").mkdir()
    usual = tmp_path / "qsage" / "solvers.ini"
    usual.write_text("", encoding="ascii")
    assert config_path() == usual


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("kind = caqe\n", 1, "a section"),
        ("[a]\nkind = caqe\nprogram = p\n[a]\n", 4, "each solver once"),
        ("[a]\nkind = caqe\nkind = caqe\n", 3, "each key once"),
        ("[a]\nrubbish\n", 2, "KEY = VALUE"),
        ("[a]\nkind = caqe\n", 1, "without program"),
        ("\n[a]\nprogram = p\n", 2, "without kind"),
        ("[a]\nkind = none\nprogram = p\n", 2, "one of caqe, generic"),
        ("[a]\nkind = generic\nprogram = p\n", 1, "qdimacs, qcir"),
        ("[a]\nkind = caqe\nprogram = p\nformats = cnf\n", 4, "qdimacs, qcir"),
        ("[a]\nkind = caqe\nprogram = p\narguments = 'x\n", 4, "words"),
        ("[a]\nkind = caqe\nprogram = p\nargs = x\n", 4, "one of kind, program"),
        ("[a b]\nkind = caqe\nprogram = p\n", 1, "a name of letters"),
    ],
)
def test_errors_name_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        parse_config(text, "solvers.ini", KINDS)
    assert raised.value.line == line
    assert str(raised.value).startswith(f"solvers.ini:{line}:1: found ")


def test_the_list(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = script(tmp_path, "mine", "echo 'caqe version 5.1.2'")
    config.write_text("[mine]\nkind = caqe\nprogram = mine\n", encoding="utf-8")
    assert run_qsage(["info", "--solvers", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["config"] == str(config)
    by_name = {entry["name"]: entry for entry in told["solvers"]}
    assert {"search", "depqbf", "quabs", "bloqqer", "hqspre", "mine"} <= by_name.keys()
    assert by_name["mine"]["version"] == "5.1.2"
    assert by_name["mine"]["program"] == str(program)
    assert by_name["search"]["accepts"] == ["game model"]
    assert all((e["missing"] is None) is e["available"] for e in by_name.values())
    assert run_qsage(["info", "--solvers"]) == 0
    text = capsys.readouterr().out
    assert "  mine" in text
    assert "preprocessors:" in text


def test_info_wants_one_thing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["info"]) == 2
    assert run_qsage(["info", "--solvers", "x.qcir"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2


def test_a_malformed_config_is_one_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text("[mine]\n", encoding="utf-8")
    assert run_qsage(["info", "--solvers"]) == 2
    assert capsys.readouterr().err.startswith(f"{config}:1:1: found the solver 'mine' without")
