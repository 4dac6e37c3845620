"""Parts of certificates cut from solutions: what they leave open can be chosen and proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.parts import joined, left_by
from qsage_validate.certificates.rest import part_of
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, InputError, UndecidedError
from qsage_validate.games.registry import find_command
from qsage_validate.solutions.walk import SolutionClaim
from qsage_validate.solvers.search_solution import find_solution
from qsage_validate.system.limits import Deadline
from tests.support.commands import run_qsage

GAMES = [
    "domineering --size 3x3 --depth 6",
    "httt --size 3x3 --shape el --depth 5",
    "httt --size 3x3 --shape tic --depth 4",
    "harary --size 3x3 --shape el --depth 5",
    "breakthrough --size 2x4 --depth 3",
]


def solution_of(words: str) -> SolutionClaim:
    return find_solution(find_command(words.split()))


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("words", GAMES)
def test_the_rest_can_be_chosen(words: str, blocks: int) -> None:
    """What a part leaves has the value promised: functions of it and of the part are proved."""
    solution = solution_of(words)
    encoded = encode(solution.model)
    part = part_of(encoded, solution, blocks)
    assert part.kind.player is solution.winner
    kept = frozenset[int]().union(*encoded.qbf.blocks(part.kind.decides)[:blocks])
    assert set(part.functions) <= kept
    assert part.functions
    rest = expand(left_by(encoded.qbf, part))
    assert rest.kind is part.kind
    whole = joined(encoded.qbf, part, rest)
    assert isinstance(check(encoded.qbf, whole), CertificateProved)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, part = tmp_path / "s", tmp_path / "part.aag"
    solution_of(GAMES[1]).save(path)
    command = ["certify", str(path), "-o", str(part)]
    for more, expected in {
        (): "expected --blocks N with it",
        ("--blocks", "1", "--solver", "caqe"): "expected --blocks N with it",
        ("--blocks", "1", "--size", "4x4"): "which has its game",
        ("--blocks", "9"): "expected at most",
        ("--blocks", "1", "--encoding", "cor"): "expected",
    }.items():
        assert run_qsage([*command, *more]) == Exit.BAD_INPUT
        told = capsys.readouterr().err
        assert expected in told
        assert told.count("\n") == 1
        assert not part.exists()
    assert run_qsage([*command, "--blocks", "1", "--json"]) == Exit.UNDECIDED
    told = json.loads(capsys.readouterr().out)
    assert (told["proved"], told["blocks"], told["kind"]) == (False, 1, "Skolem")
    assert "not proved: by a solution of" in part.read_text()
    # A file that is refuted gives nothing.
    part.unlink()
    SolutionClaim(find_command(GAMES[1].split()), solution_of(GAMES[1]).winner, {}).save(path)
    assert run_qsage([*command, "--blocks", "1"]) == Exit.REFUTED
    assert "refuted: no reply for Black" in capsys.readouterr().err
    assert not part.exists()


def test_limits_and_missing_replies() -> None:
    solution = solution_of(GAMES[0])
    encoded = encode(solution.model)
    with pytest.raises(UndecidedError, match="time is up"):
        part_of(encoded, solution, 1, Deadline.after(0))
    with pytest.raises(InputError, match="no reply for"):
        part_of(encoded, SolutionClaim(solution.model, solution.winner, {}), 1)
