"""A solver's answers and certificates, checked on the pack by one command."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from research.pack import check, make

NAME = "hex-network_2x2_d3_pairing"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pack")
    make.fill(made, [each for each in make.instances() if each.name == NAME])
    return made


def the_value(folder: Path) -> bool:
    (row,) = check.rows(folder, "")
    return row["value"] == "true"


def test_a_right_solver(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = 10 if the_value(folder) else 20
    solver = f"sh -c 'cp {folder}/{NAME}.aig {{certificate}}; exit {code}'"
    words = [str(folder), "--command", solver, "--circuits", "-o", str(tmp_path / "table.csv")]
    assert check.main(words) == 0
    assert "1 formula; answers: 1 right; certificates: 1 proved" in capsys.readouterr().out
    with (tmp_path / "table.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["name"], row["answer"], row["certificate"]) == (NAME, "right", "proved")


@pytest.mark.parametrize(
    ("line", "answer", "certificate", "code"),
    [
        ("exit WRONG", "wrong", "none", 1),
        ("exit 0", "none", "none", 0),
        ("exit RIGHT", "right", "none", 0),
        ("echo nonsense > {certificate}; exit RIGHT", "right", "malformed", 1),
        ("printf '%s\\n' 'aag 0 0 0 1 0' RESULT 'o0 result' > {certificate}; exit RIGHT", "right",
         "refuted", 1),
    ],
)  # fmt: skip
def test_other_solvers(
    line: str,
    answer: str,
    certificate: str,
    code: int,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    right, wrong = (10, 20) if the_value(folder) else (20, 10)
    line = line.replace("RIGHT", str(right)).replace("WRONG", str(wrong))
    script = folder / "solver.sh"
    # The functions that are all false, of the side that wins.
    script.write_text(
        line.replace("RESULT", "1" if right == 10 else "0").replace("{certificate}", "$1")
    )
    words = [str(folder), "--command", f"sh {script} {{certificate}}"]
    assert check.main(words) == code
    said = capsys.readouterr().out
    assert f"{NAME}: answer {answer}, certificate {certificate}" in said


def test_no_formulas_are_an_error(folder: Path, tmp_path: Path) -> None:
    for words in (
        [str(tmp_path), "--command", "true"],
        [str(folder), "--command", "true", "--only", "nothing"],
        [str(folder)],
        [str(folder), "--command", "exit 0", "-o", str(tmp_path)],
        [str(folder), "--command", "exit 0", "-o", str(tmp_path / "none" / "table.csv")],
    ):
        with pytest.raises(SystemExit, match="2"):
            check.main(words)
