"""All plays: counted right, merged soundly, refuted in the fewest plies, resumed after a stop."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.open import open_play_engine
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.routes import Certified
from qsage_validate.encodings.layout import StateView
from qsage_validate.errors import InputError, Undecided, UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import load_game
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BoardProblem, Files
from qsage_validate.proving import exhaustive
from qsage_validate.proving.exhaustive import ArrayWalker, exhaust
from qsage_validate.proving.random_plays import attack
from qsage_validate.proving.run import LevelInterrupted, LevelResult
from qsage_validate.proving.state_walker import StateWalker
from qsage_validate.proving.vector_walk import PlayLayer, replay_all
from qsage_validate.system.limits import Deadline, Limits, Progress
from qsage_validate.validation.finding import (
    Claimed,
    FindingKind,
    Proved,
    Refuted,
    Sampled,
    Unsupported,
)
from tests.support.certifying import certify_game
from tests.support.models import models
from tests.support.plays import (
    BREAKTHROUGH,
    CONNECT,
    DOMINEERING,
    DOMINO,
    EL,
    HELD,
    certified,
    with_flipped_fanin,
)

pytestmark = pytest.mark.slow

WIDE = ("connect-c", "--size=4x4", "--connect=3", "--depth=9")


def setup_for(
    made: Certified,
    certificate: CircuitCertificate | None = None,
    *,
    engine: OracleKind = OracleKind.AUTO,
    rules: bool = True,
) -> BoardProblem:
    return BoardProblem(
        Files(formula="game.qcir", certificate="game.aig", engine=engine),
        made.encoding.qbf,
        certificate if certificate is not None else made.certificate,
        made.encoding.layout,
        load_game(made.encoding.model) if rules else None,
    )


def plays_of(play_engine: PlayEngine) -> Counter[int]:
    """How many plays there are of each length, one after the other."""
    counts: Counter[int] = Counter()
    pending: list[PlayState] = [play_engine.start()]
    while pending:
        state = pending.pop()
        if state.ending is not None:
            counts[state.plies] += 1
        elif play_engine.to_move(state) is play_engine.player:
            pending += play_engine.answer_all([state])
        else:
            pending += [play_engine.play(state, move) for move in play_engine.legal_moves(state)]
    return counts


def by_ply(result: LevelResult) -> dict[int, int]:
    ended = result.evidence["plays ended by ply"]
    assert isinstance(ended, list)
    return {ply: count for ply, count in enumerate(ended) if count}


def unmerged(monkeypatch: pytest.MonkeyPatch) -> None:
    def texts(self: ArrayWalker, nodes: PlayLayer) -> Sequence[Hashable]:
        return self.texts(nodes)

    monkeypatch.setattr(ArrayWalker, "keys", texts)


def test_a_layout_with_fewer_plies_than_the_game_is_no_error() -> None:
    """Without a board it may leave out White's last ply: the walk on arrays asked for it."""
    problem = setup_for(certified(HELD))
    assert problem.layout is not None
    assert problem.game is not None
    fewer = replace(problem.layout, moves=problem.layout.moves[:-1], state=StateView())
    result = exhaust(replace(problem, layout=fewer))
    assert isinstance(result.verdict, Proved), str(result.verdict)
    assert max(by_ply(result)) == problem.game.plies


# -- counting -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [DOMINO, EL, BREAKTHROUGH, CONNECT, WIDE, HELD, DOMINEERING], ids=" ".join
)
def test_every_play_is_counted(words: tuple[str, ...]) -> None:
    problem = setup_for(certified(words))
    result = exhaust(problem)
    assert isinstance(result.verdict, Proved), str(result.verdict)
    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    plays = plays_of(play_engine)
    assert by_ply(result) == plays
    assert result.evidence["plays"] == result.evidence["plays begun"] == plays.total()
    assert result.evidence["finished"]


@given(models(max_side=3, max_depth=4))
@settings(max_examples=25, deadline=None)
def test_any_certified_model_is_won(model: Model) -> None:
    made = certify_game(model)
    if not made.encoding.layout.moves:
        return
    problem = setup_for(made)
    result = exhaust(problem)
    assert isinstance(result.verdict, Proved), str(result.verdict)
    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    assert by_ply(result) == plays_of(play_engine)


def test_merging_saves_positions_and_loses_no_play(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = setup_for(certified(WIDE))
    merged = exhaust(problem)
    unmerged(monkeypatch)
    apart = exhaust(problem)
    assert merged.evidence["plays ended by ply"] == apart.evidence["plays ended by ply"]
    assert apart.evidence["transpositions"] == 0
    more, less = apart.evidence["positions"], merged.evidence["positions"]
    assert isinstance(more, int)
    assert isinstance(less, int)
    assert less < more / 4


@pytest.mark.parametrize("engine", [OracleKind.SAT, OracleKind.AUTO], ids=["sat", "simulation"])
def test_without_arrays_the_results_are_the_same(
    engine: OracleKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = certified(EL)
    quick = exhaust(setup_for(made))
    monkeypatch.setattr("qsage_validate.proving.exhaustive.walks", lambda problem: False)
    slow = exhaust(setup_for(made, engine=engine))
    assert isinstance(slow.verdict, Proved)
    same = ("positions", "plays", "transpositions", "replies", "plays ended by ply")
    assert [slow.evidence[k] for k in same] == [quick.evidence[k] for k in same]
    assert slow.evidence["claims"] == ("sampled" if engine is OracleKind.SAT else "all")


def test_without_rules_the_formula_says_what_is_legal() -> None:
    made = certified(EL)
    result = exhaust(setup_for(made, rules=False))
    # The formula may be wrong about that: nothing is proved.
    assert isinstance(result.verdict, Sampled)
    assert "no rules are known" in str(result.verdict)
    # The formula does not end a play: only its claims do.
    assert result.evidence["plays"] == exhaust(setup_for(made)).evidence["plays"]


# -- refuting -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "stride"), [(DOMINO, 7), (CONNECT, 23), (EL, 61), (BREAKTHROUGH, 311)]
)
def test_faults_are_found_in_the_fewest_plies(
    words: tuple[str, ...], stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With merging or without, on arrays or not; and whatever random plays find."""
    made = certified(words)
    refuted = 0
    for gate in range(0, made.certificate.aig.num_gates, stride):
        problem = setup_for(made, with_flipped_fanin(made.certificate, gate))
        merged = exhaust(problem)
        with monkeypatch.context() as patched:
            unmerged(patched)
            apart = exhaust(problem)
        with monkeypatch.context() as patched:
            patched.setattr("qsage_validate.proving.exhaustive.walks", lambda problem: False)
            slow = exhaust(problem)
        assert type(merged.verdict) is type(apart.verdict) is type(slow.verdict)
        if not isinstance(merged.verdict, Refuted):
            assert isinstance(attack(problem, games=60, bias=False).verdict, Sampled)
            continue
        refuted += 1
        kinds = [{f.kind for f in r.findings} for r in (merged, apart, slow)]
        assert kinds[0] == kinds[1] == kinds[2]
        plies = {f.ply for r in (merged, apart, slow) for f in r.findings}
        assert len(plies) == 1
        assert {(f.kind, f.moves) for f in merged.findings} <= {
            (f.kind, f.moves) for f in apart.findings
        }
    assert refuted >= 3


def test_a_finding_can_be_replayed() -> None:
    made = certified(EL)
    problem = setup_for(made, with_flipped_fanin(made.certificate, 5))
    verdict = exhaust(problem).verdict
    assert isinstance(verdict, Refuted)
    finding = verdict.findings[0]
    own = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION)).opponent_moves(
        finding.moves
    )
    assert finding.replay == problem.replay(own)
    assert finding.replay.startswith("qsage-play game.qcir --cert game.aig --moves")


def test_another_game_is_told() -> None:
    made = certified(EL)
    other = load_game(certified(("httt", "--size=3x3", "--shape=tic", "--depth=5")).encoding.model)
    verdict = exhaust(replace(setup_for(made), game=other)).verdict
    assert isinstance(verdict, Refuted)
    assert {f.kind for f in verdict.findings} <= {FindingKind.FALSE_CLAIM, FindingKind.END_DIFFERS}


# -- limits, interruptions, checkpoints -----------------------------------------------------


def test_a_limit_says_what_was_covered() -> None:
    result = exhaust(setup_for(certified(WIDE)), limits=Limits(positions=10))
    assert isinstance(result.verdict, Undecided)
    assert "the limit of 10 positions is reached: ply " in str(result.verdict)
    assert "plays begun, all won so far" in str(result.verdict)
    assert not result.evidence["finished"]
    result = exhaust(setup_for(certified(WIDE)), limits=Limits(Deadline.after(0)))
    assert isinstance(result.verdict, Undecided)
    assert "time is up: ply 1 of 9: 1 position, 1 play begun" in str(result.verdict)
    with pytest.raises(UsageError, match="found a limit of 0 positions, expected 1 or more"):
        exhaust(setup_for(certified(EL)), limits=Limits(positions=0))


def test_without_a_layout_there_are_no_moves() -> None:
    made = certified(DOMINO)
    result = exhaust(setup_for(made).blocks())
    assert isinstance(result.verdict, Unsupported)


@pytest.mark.parametrize("words", [WIDE, HELD], ids=" ".join)
def test_it_goes_on_from_a_checkpoint(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after every few positions, in the middle of layers, by limits and by Ctrl-C."""
    problem = setup_for(certified(words))
    whole = exhaust(problem)
    monkeypatch.setattr(ArrayWalker, "batch", 3)
    monkeypatch.setattr(StateWalker, "batch", 3)
    file = str(tmp_path / "all.json")
    positions, interrupted = 1, 0
    for _ in range(200):
        calls = 0

        def interrupt(progress: Progress) -> None:
            nonlocal calls
            calls += 1
            if calls == 2:
                raise KeyboardInterrupt

        limits = Limits(positions=positions)
        try:
            result = exhaust(problem, limits=limits, tell=interrupt, checkpoint=file)
        except LevelInterrupted as error:
            result = error.partial
            interrupted += str(result.verdict).startswith("undecided: interrupted: ply ")
        if isinstance(result.verdict, Claimed):
            break
        assert Path(file).exists()
        positions += 5
    assert isinstance(result.verdict, Claimed)
    # Anyone could have written what was done before.
    assert re.search(
        r"all\.json says is right: \d+ positions are taken from it", str(result.verdict)
    )
    assert interrupted >= 3
    assert not Path(file).exists()
    assert result.evidence["taken from"] == file
    same = [k for k in whole.evidence if k not in ("finished", "taken from")]
    assert [result.evidence[k] for k in same] == [whole.evidence[k] for k in same]


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    exhaust(setup_for(certified(EL)), limits=Limits(positions=5), checkpoint=str(file))
    text = file.read_text()
    with pytest.raises(UsageError, match=r"the checkpoint .*all\.json is of other files"):
        exhaust(setup_for(certified(DOMINO)), checkpoint=str(file))
    damaged = with_flipped_fanin(certified(EL).certificate, 3)
    with pytest.raises(UsageError, match="is of other files"):
        exhaust(setup_for(certified(EL), damaged), checkpoint=str(file))
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda data: [], "1: found a list, expected an object"),
        (lambda data: data | {"format": "x"}, "12: found 'x', expected one of"),
        (lambda data: data | {"plies": 4}, "131: found '4', expected a whole number from"),
        (
            lambda data: data | {"todo": [["occupy(1,1)", -1]]},
            r"\d+: found a list, expected \[MOVES, PLAYS\]",
        ),
        (
            lambda data: data | {"positions": "many"},
            r"\d+: found a text for 'positions', expected a list",
        ),
        (lambda data: data | {"todo": [["nowhere", 1]]}, "1: found plays that are none"),
        (lambda data: data | {"todo": [["occupy(9,9)", 1]]}, "1: found plays that are none"),
        (lambda data: {k: v for k, v in data.items() if k != "ended"}, "1: found no 'ended'"),
    ],
)
def test_a_damaged_checkpoint_is_an_input_error(change: object, found: str, tmp_path: Path) -> None:
    assert callable(change)
    file, problem = tmp_path / "all.json", setup_for(certified(EL))
    exhaust(problem, limits=Limits(positions=5), checkpoint=str(file))
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    with pytest.raises(InputError, match=f"all.json:1:{found}"):
        exhaust(problem, checkpoint=str(file))


def test_files_that_are_no_checkpoints(tmp_path: Path) -> None:
    problem = setup_for(certified(DOMINO))
    file = tmp_path / "all.json"
    file.write_text("{")
    with pytest.raises(InputError, match=r"all\.json:1:2: found no JSON"):
        exhaust(problem, checkpoint=str(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=":1:1: found byte 0xff that is not UTF-8"):
        exhaust(problem, checkpoint=str(file))
    with pytest.raises(InputError, match="found a directory, expected a file"):
        exhaust(problem, checkpoint=str(tmp_path))
    missing = str(tmp_path / "no" / "where.json")
    with pytest.raises(InputError, match="expected a file that can be written"):
        exhaust(problem, limits=Limits(positions=1), checkpoint=missing)


def test_numbers_of_plays_are_shown_shortly() -> None:
    assert exhaustive.rounded(999_999_999) == "999,999,999"
    assert exhaustive.rounded(1_234_567_890) == "1.2e9"
    assert exhaustive.rounded(10**400) == "1.0e400"


def test_plays_are_replayed_as_they_were() -> None:
    made = certified(EL)
    play_engine = open_play_engine(setup_for(made), setup_for(made).oracle(OracleKind.SIMULATION))
    states = [play_engine.start()]
    while states[-1].ending is None:
        if play_engine.to_move(states[-1]) is play_engine.player:
            states.append(play_engine.answer_all([states[-1]])[0])
        else:
            states.append(play_engine.play(states[-1], play_engine.legal_moves(states[-1])[-1]))
    again = replay_all(play_engine, [states[-1].moves] * 2)
    assert [column[1] for column in again] == states
    with pytest.raises(ValueError, match="answers are others"):
        replay_all(play_engine, [("occupy(3,3)",)])
    with pytest.raises(ValueError, match="has ended"):
        replay_all(play_engine, [(*states[-1].moves, "occupy(1,1)")])
    assert made.certificate.kind is CertificateKind.SKOLEM
