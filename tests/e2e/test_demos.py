"""The scripts and notebooks of ``demos``: all of them run, and say what they are there to show."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.places import REPOSITORY

DEMOS: Final = REPOSITORY / "demos"
SCRIPTS: Final = {
    "agent": [
        "certify, encode, explain, play, solve, validate",
        "t.qcir with t.aag: valid: Black wins httt 3x3 domino within 3 plies",
        "play: Black wins",
        "a file elsewhere",
    ],
    "editor": [
        "wrong: [(74, \"found the connective 'nor', expected",
        "right: []\nvariable 5: exists",
        "black 1 stop",
    ],
    "encodings": ["lifted ", "cor ", "found winning sets of White's", "equivalent"],
    "nim": ["FoundLayout fits", "proved\nmoves  position", "refuted\nmoves", "True        False"],
    "own_game": [
        "5 plies: White wins\n7 plies: Black wins",
        'positions labelled "game" within 7 plies',
    ],
    "play": ["Black wins: reached its goal", "b2 is illegal", "findings: ()"],
    "prove": ["rules         proved", "encoding      proved", "Black wins breakthrough 2x4"],
    "wrong_strategy": ["refuted\ncertificate beaten", "illegal reply", "50 of 50 lost"],
}
# Rules, an encoder and its bug are more than a call or two.
ALONE = {"agent"}
"""Its library gives the standard error of its import to a program: not one that a test captures."""
LONGEST: Final = {"nim": 70, "editor": 40, "agent": 40}
# The package of an extra that a script needs.
NEEDS: Final = {"agent": ("mcp", "mcp"), "editor": ("pygls", "lsp")}
NOTEBOOKS: Final = {
    "fano-plane": ["7 Black", "<Report", "White Herbrand"],
    "play-a-proof": ["<svg", "Black wins: reached its goal", "is illegal", "encoding", "proved"],
    "results": ["<table>", "Counter({'false': 79, 'true': 21, 'timeout': 6})", "   600 s:  100"],
}


def shown(value: object) -> str:
    """A value as a notebook shows it, and as text."""
    forms = [getattr(value, name, None) for name in ("_repr_html_", "_repr_svg_")]
    return "\n".join([repr(value), *(str(form()) for form in forms if form is not None)])


def run_cells(cells: list[dict[str, Any]]) -> str:
    """What the code of a notebook prints and shows, run cell by cell in one namespace."""
    printed = io.StringIO()
    names: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<cell>", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
                print("" if value is None else shown(value))
    return printed.getvalue()


def test_every_demo_is_listed_and_tested() -> None:
    listed = (DEMOS / "README.md").read_text(encoding="utf-8")
    for path in DEMOS.iterdir():
        if path.suffix in (".py", ".ipynb", ".md") and path.name != "README.md":
            assert f"]({path.name})" in listed, path.name
    assert {path.stem for path in DEMOS.glob("*.py")} == set(SCRIPTS)
    assert {path.stem for path in DEMOS.glob("*.ipynb")} == set(NOTEBOOKS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for package, extra in [NEEDS[name]] if name in NEEDS else []:
        pytest.importorskip(package, reason=f"the extra {extra} is not installed")
    path = DEMOS / f"{name}.py"
    assert 10 <= len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST.get(name, 30)
    monkeypatch.chdir(tmp_path)
    if name in ALONE:
        command = [sys.executable, str(path)]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    else:
        runpy.run_path(str(path), run_name="__main__")
        printed = capsys.readouterr().out
    for expected in SCRIPTS[name]:
        assert expected in printed


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_is_kept_without_outputs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DEMOS)  # where Jupyter starts them
    notebook = json.loads(Path(f"{name}.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert all(cell["outputs"] == [] for cell in notebook["cells"] if "outputs" in cell)
    printed = run_cells(notebook["cells"])
    for expected in NOTEBOOKS[name]:
        assert expected in printed


def test_a_notebook_that_fails_is_seen() -> None:
    with pytest.raises(ZeroDivisionError):
        run_cells([{"cell_type": "code", "source": ["x = 0\n", "1 / x"]}])
