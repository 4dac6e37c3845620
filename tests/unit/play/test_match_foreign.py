"""Plays of other tools' certificates: every real pair, with and without the rules."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from qsage_validate.arena.adversary import AdversaryReport, open_adversary
from qsage_validate.arena.open import open_engine
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import Dialect
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import Files, Problem, load, sorted_out
from qsage_validate.validation.finding import FindingKind
from tests.support.plies import indicators_of, with_indicators

TIC = ("httt", "4x4_5_tic.ig")
EL = ("httt", "3x3_5_el.ig")
DOMINO = ("httt", "3x3_3_domino.ig")
HELD_OUT = ("domineering", "4x2_5.ig")

# Formula, certificate (beside it if empty), and the game's files.
PAIRS = {
    "quabs tic": ("quabs/httt-4x4_5_tic.qcir", "", TIC),
    "quabs el": ("quabs/httt-3x3_5_el.qcir", "", EL),
    "quabs domino": ("quabs/httt-3x3_3_domino.qcir", "", DOMINO),
    "quabs domino ascii": (
        "quabs/httt-3x3_3_domino.qcir",
        "quabs/httt-3x3_3_domino.aag",
        DOMINO,
    ),
    "quabs connect": (
        "quabs/connect-c-3x3_3_connect2.qcir",
        "",
        ("connect-c", "3x3_3_connect2.ig"),
    ),
    "quabs connect ascii": (
        "quabs/connect-c-3x3_3_connect2.qcir",
        "quabs/connect-c-3x3_3_connect2.aag",
        ("connect-c", "3x3_3_connect2.ig"),
    ),
    "quabs hex": ("quabs/hex__hein_12_4x4-07.qcir", "", ("hex", "hein_12_4x4-07.pg")),
    "quabs domineering": ("quabs/domineering-2x2_2.qcir", "", ("domineering", "2x2_2.ig")),
    "quabs Herbrand": ("quabs/domineering__4x2_5.qcir", "", HELD_OUT),
    "qbfcert": ("qbfcert-ascii/httt-4x4_5_tic.qcir", "", TIC),
    "qbfcert clausal": ("qbfcert-ascii/httt-4x4_5_tic.qdimacs", "", TIC),
    "pedant tic": ("pedant-cnf/httt_4_4_tic/certificate.cnf", "", TIC),
    "pedant el": ("pedant-cnf/httt_3_3_el_grounded/certificate.cnf", "", EL),
}


def found(files: Files) -> Problem:
    """The problem of files, with the certificate that lies beside the formula."""
    return load(sorted_out(files))


@cache
def problem(
    shared_data: Path, pair: str, *, rules: bool = True, engine: OracleKind = OracleKind.AUTO
) -> Problem:
    formula, certificate, (folder, problem) = PAIRS[pair]
    files = shared_data / "certificates"
    bddl = shared_data / "bddl" / folder
    return found(
        Files(
            str(files / formula),
            str(files / certificate) if certificate else None,
            game=(str(bddl / "domain.ig"), str(bddl / problem)) if rules else (),
            engine=engine,
        )
    )


def attack(made: Problem, games: int, *, seed: int = 1, illegal: float = 0.0) -> AdversaryReport:
    return open_adversary(made, seed=seed, illegal=illegal).run(games)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("rules", [True, False], ids=["rules", "alone"])
def test_the_certificate_wins_every_play(shared_data: Path, pair: str, rules: bool) -> None:
    made = problem(shared_data, pair, rules=rules)
    report = attack(made, 30, illegal=0.2)
    assert report.clean, [finding.text for finding in report.findings]
    assert report.wins == 30
    assert report.results.flagged == report.results.tried
    # White never moves on 2x2.
    assert report.results.tried or pair == "quabs domineering"


@pytest.mark.parametrize("pair", PAIRS)
def test_a_person_can_play_it_to_its_end(shared_data: Path, pair: str) -> None:
    made = problem(shared_data, pair)
    match = PlayMatch(open_engine(made))
    assert match.facts.certificate_player is made.answering.kind.player
    generator = random.Random(2)
    while not match.over:
        move = match.random_move(generator)
        assert move is not None
        match.push(move)
    assert match.outcome is not None
    assert match.outcome.promised is True
    assert match.outcome.winner is match.facts.certificate_player
    assert match.findings == ()
    assert match.board is not None


@pytest.mark.parametrize("pair", ["quabs domino", "quabs connect", "quabs Herbrand", "quabs hex"])
def test_sat_and_simulation_play_alike(shared_data: Path, pair: str) -> None:
    reports = [
        attack(problem(shared_data, pair, engine=engine), 30, seed=4, illegal=0.3)
        for engine in (OracleKind.SAT, OracleKind.SIMULATION)
    ]
    assert reports[0].digest == reports[1].digest
    assert reports[0].results.tried == reports[1].results.tried


def test_the_person_is_black_against_a_herbrand_certificate(shared_data: Path) -> None:
    match = PlayMatch(open_engine(problem(shared_data, "quabs Herbrand")))
    assert match.person is Player.BLACK
    assert len(match.frames) == 1
    own, answer = match.push("vertical(1,1)")
    assert (own.player, answer.player) == (Player.BLACK, Player.WHITE)
    why = match.why_not(match.parse_move("vertical(1,1)"))
    assert why is not None
    assert "open(?x,?y) is false at (1,1)" in why.lines[1]
    # The constraint that breaks, and the symbolic square at which it does.
    assert why.evidence[0].false_at == ((1, 1),)


def test_every_black_move_meets_a_symbolic_square_that_falsifies_the_matrix(
    shared_data: Path,
) -> None:
    match = PlayMatch(open_engine(problem(shared_data, "quabs Herbrand")))
    while not match.over:
        match.push(match.legal_moves()[0])
    assert match.outcome is not None
    assert match.outcome.verdict is False
    assert "at the symbolic square (" in match.outcome.verdict_note


def test_the_rules_of_another_game_do_not_fit(shared_data: Path) -> None:
    formula = shared_data / "certificates" / PAIRS["quabs tic"][0]
    bddl = shared_data / "bddl" / "httt"
    files = Files(str(formula), game=(str(bddl / "domain.ig"), str(bddl / EL[1])))
    with pytest.raises(UsageError, match="its board is 3x3, expected 4x4"):
        found(files)


def test_the_rules_of_a_similar_game_refute_the_certificate(shared_data: Path) -> None:
    """Tic's certificate does not make Els: by those rules White holds out."""
    formula = shared_data / "certificates" / PAIRS["quabs tic"][0]
    bddl = shared_data / "bddl" / "httt"
    files = Files(str(formula), game=(str(bddl / "domain.ig"), str(bddl / "4x4_5_el.ig")))
    report = attack(found(files), 50)
    assert report.losses
    assert {finding.kind for finding in report.findings} >= {FindingKind.END_DIFFERS}
    assert all(finding.replay.startswith("qsage-play ") for finding in report.findings)


def test_options_that_do_not_fit_a_clause_set(shared_data: Path) -> None:
    made = problem(shared_data, "pedant tic", engine=OracleKind.SIMULATION)
    with pytest.raises(UsageError, match="only a SAT solver can answer a clause set"):
        PlayMatch(open_engine(made))
    silent = problem(shared_data, "quabs domino")
    assert silent.layout is not None
    assert [ply for ply, _ in indicators_of(silent.layout)] == [2]
    silent = replace(silent, layout=with_indicators(silent.layout, 2, None))
    with pytest.raises(UsageError, match="does not say where the formula keeps what is legal"):
        open_adversary(silent, seed=1, illegal=0.1)
    match = PlayMatch(open_engine(silent))
    taken = match.frames[1].move
    assert taken is not None
    # The rules still know what is illegal; the formula says nothing.
    why = match.why_not(match.parse_move(str(taken)))
    assert why is not None
    assert (why.formula_legal, why.rules_legal) == (None, False)
    assert "formula: says nothing about legality" in why.lines


def test_a_dialect_can_be_asked_for(shared_data: Path) -> None:
    formula = shared_data / "certificates" / PAIRS["quabs domino"][0]
    made = found(Files(str(formula), dialect=Dialect.CAQE))
    assert made.answering.dialect is Dialect.CAQE
    assert "--dialect caqe" in made.replay(["occupy(1,1)"])


def test_without_the_meta_file_it_is_the_game_of_variables(
    shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "certificates" / "quabs"
    for name in ("httt-3x3_3_domino.qcir", "httt-3x3_3_domino.aig"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    made = found(Files(str(tmp_path / "httt-3x3_3_domino.qcir")))
    assert made.layout is None
    assert attack(made, 100).clean
    with pytest.raises(UsageError, match="no layout says which moves are illegal"):
        open_adversary(made, seed=1, illegal=0.5)
    # With the game the moves are found out.
    made = found(
        Files(
            str(tmp_path / "httt-3x3_3_domino.qcir"),
            game=(
                str(shared_data / "bddl/httt/domain.ig"),
                str(shared_data / "bddl/httt/3x3_3_domino.ig"),
            ),
        )
    )
    (tmp_path / "certificate.cnf").write_bytes(
        (shared_data / "certificates/pedant-cnf/httt_4_4_tic/certificate.cnf").read_bytes()
    )
    with pytest.raises(UsageError, match="neither a formula nor a layout"):
        found(Files(certificate=str(tmp_path / "certificate.cnf")))
    (tmp_path / "alone.qcir").write_bytes((tmp_path / "httt-3x3_3_domino.qcir").read_bytes())
    with pytest.raises(UsageError, match="no certificate beside"):
        found(Files(str(tmp_path / "alone.qcir")))
    with pytest.raises(InputError, match=r"\(a certificate\?\), expected a formula"):
        found(Files(sample_path("sample:tic.aig")))
    with pytest.raises(UsageError, match="expected a formula and its certificate"):
        found(Files())
    assert made.layout is not None
    assert made.layout.is_found
    assert attack(made, 100).clean


def test_a_damaged_transition_is_found_by_the_rules(shared_data: Path, tmp_path: Path) -> None:
    """Two state variables are taken for each other, as by a wrong meta file."""
    source = shared_data / "certificates" / "quabs"
    stem = "httt-3x3_3_domino"
    meta = (source / f"{stem}.meta").read_text()
    assert "42 43\n44 45" in meta
    (tmp_path / "swapped.meta").write_text(meta.replace("42 43\n44 45", "44 45\n42 43"))
    bddl = shared_data / "bddl" / "httt"
    made = found(
        Files(
            str(source / f"{stem}.qcir"),
            meta=str(tmp_path / "swapped.meta"),
            game=(str(bddl / "domain.ig"), str(bddl / "3x3_3_domino.ig")),
        )
    )
    report = attack(made, 20)
    assert {finding.kind for finding in report.findings} == {FindingKind.BOARD_DIFFERS}
