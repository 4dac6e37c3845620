"""Source that is made of a game takes no text of its file: constants stay constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import run_qsage

HOSTILE = [
    "'+__import__",
    '"or"1',
    "\\",
    "a'b",
    '"""',
    "{0}",
    "%s",
    "#",
    "f'{x}'",
    "lambda:0",
    "None",
]


def game(name: str) -> str:
    return (
        f"(role b) (role w)\n(init (on {name}))\n(<= (legal ?r {name}) (role ?r))\n"
        f"(<= (next (off {name})) (does w {name}) (true (on {name})))\n"
        f"(<= terminal (true (off {name})))\n(<= (goal b 100) terminal)\n"
        f"(<= (goal w 0) terminal)\n"
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_constants_of_a_description_are_never_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answers = []
    for constant in ("plain", name):
        Path("g.gdl").write_text(game(constant))
        code = run_qsage(["solve", "g.gdl", "--depth", "3"])
        out, err = capsys.readouterr()
        answers.append((code, out.replace(constant, "X"), err.replace(constant, "X")))
    assert "internal error" not in answers[1][2]
    assert answers[1] == answers[0] or answers[1][0] == 2


@pytest.mark.parametrize("name", ["v);x", "v'", "__import__('os')", "v\\n", "class", "import"])
def test_names_of_an_impartial_game_are_never_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.ig"
    path.write_text(
        f"(define (domain d) (:objects ?{name}) (:action take :parameters (?k) :precondition "
        f"(and (> ?k 0) (<= ?k 3) (<= ?k ?{name})) :effect (assign ?{name} (- ?{name} ?k))))\n"
    )
    python = tmp_path / "answer.py"
    code = run_qsage(["synthesize", str(path), "--python", str(python)])
    assert "internal error" not in capsys.readouterr().err
    if code == 0:
        compile(python.read_text(), "answer.py", "exec")
    else:
        assert code in (1, 2, 3)
