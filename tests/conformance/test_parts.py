"""Parts of certificates: cut from whole ones they are proved and played as these; liars are not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from qsage_validate.certificates.parts import first_blocks
from qsage_validate.certificates.reader import parse_certificate, read_certificate
from qsage_validate.certificates.routes import certify_encoding
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    Dialect,
    dont_cares,
)
from qsage_validate.problems.load import Files, game_of_layout
from qsage_validate.problems.searched import AUTO, Solving
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import ValidationReport, validate
from qsage_validate.proving.run import ValidationOptions
from qsage_validate.solvers.search import search_for
from qsage_validate.strategies.reader import PlyCode
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.validation.finding import FindingKind
from tests.support.fake_solvers import script
from tests.support.random_parts import random_part, under
from tests.support.random_qbf import random_qbf
from tests.support.search import winning_moves

pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")

BOTH = (Level.DEPENDENCIES, Level.FORMULA)
DIALECTS = (Dialect.CAQE, Dialect.QBFCERT_ASCII, Dialect.QBFCERT_BINARY)


def validated(
    formula: Path, part: Path, solver: str | None = None, levels: tuple[Level, ...] = BOTH
) -> ValidationReport:
    files = Files(str(formula), str(part), solver=solver)
    limits = Limits(Deadline.after(120), positions=200_000)
    return validate(load_to_validate(files), ValidationOptions(levels, games=50, limits=limits))


def cuts(folder: Path, formula: Qbf, whole: CircuitCertificate, only: Iterable[int]) -> list[Path]:
    """Files with the first blocks of a certificate, in dialects by turns."""
    paths = []
    for number, blocks in enumerate(only):
        part = first_blocks(whole, formula, blocks)
        assert part.first_blocks == blocks
        data = certificate_bytes(part, formula, dialect=DIALECTS[number % 3])
        again = parse_certificate(data, formula)
        assert isinstance(again, CircuitCertificate)
        assert (again.first_blocks, set(again.functions)) == (blocks, set(part.functions))
        path = folder / f"part{blocks}.aig"
        path.write_bytes(data)
        paths.append(path)
    return paths


def played(formula: Qbf, whole: CircuitCertificate, part: CircuitCertificate) -> None:
    """Plays that a part and a solver answer keep the value, with the whole's replies at first."""
    oracle = Solving.by("depqbf", 60).oracle(part, formula, None)
    full = Solving.by("depqbf", 60).oracle(whole, formula, None)
    rng = Random(len(part.functions))
    for _ in range(3):
        choice = {v: rng.random() < 0.5 for v in oracle.opponent}
        values = oracle.values(choice, formula.variables(whole.kind.decides))
        assert formula.truth({**choice, **values}) is whole.kind.truth
        assert oracle.values(choice, part.functions) == full.values(choice, part.functions)


def read_whole(formula: Path, certificate: Path) -> tuple[Qbf, CircuitCertificate]:
    qbf = read_formula(formula)
    whole = read_certificate(certificate, qbf)
    assert isinstance(whole, CircuitCertificate)
    return qbf, whole


SAMPLES = {
    "hex": (1, 2, 3),
    "tic": (1, 4),
    "evader": (1, 2),
    "breakthrough": (4,),
    "connect3": (6,),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(repository: Path, tmp_path: Path, name: str) -> None:
    formula = repository / "certificates" / f"{name}.qcir"
    qbf, whole = read_whole(formula, formula.with_suffix(".aig"))
    for path in cuts(tmp_path, qbf, whole, SAMPLES[name]):
        report = validated(formula, path)
        assert report.word == "valid"
        assert report.claim == "the formula is true"
        result = report.result(Level.FORMULA)
        assert result is not None
        part = read_certificate(path, qbf)
        assert isinstance(part, CircuitCertificate)
        assert result.evidence["functions of the file"] == len(part.functions)
        assert "functions are the file's" in str(result.verdict)
    played(qbf, whole, first_blocks(whole, qbf, SAMPLES[name][-1]))


OTHERS = [
    ("certificates/quabs/httt-3x3_3_domino.qcir", "httt-3x3_3_domino.aag", (1, 3)),
    ("certificates/quabs/connect-c-3x3_3_connect2.qcir", "connect-c-3x3_3_connect2.aig", (3,)),
    ("certificates/quabs/domineering__4x2_5.qcir", "domineering__4x2_5.aig", (1, 2)),
    ("sqval/LN_hein_04_3x3_05_SAT/qbf.qcir", "certificate.aag.xz", (1, 2, 3)),
    ("sqval/LN_hein_04_3x3_05_SAT/qbf.qdimacs", "certificate.aag.xz", (1,)),
    ("sqval/SN_hein_04_3x3_05_SAT/qbf.qdimacs", "certificate.aag", (1, 2)),
    ("sqval/LN_hein_04_3x3_03_UNSAT/qbf.qdimacs", "certificate.aag", (1,)),
]


@pytest.mark.parametrize(("name", "certificate", "only"), OTHERS, ids=[case[0] for case in OTHERS])
def test_certificates_of_others(
    shared_data: Path, tmp_path: Path, name: str, certificate: str, only: tuple[int, ...]
) -> None:
    formula = shared_data / name
    qbf, whole = read_whole(formula, formula.with_name(certificate))
    for path in cuts(tmp_path, qbf, whole, only):
        report = validated(formula, path)
        assert report.word == "valid"
        assert report.claim == f"the formula is {str(whole.kind.truth).lower()}"
    played(qbf, whole, first_blocks(whole, qbf, 1))


@pytest.mark.parametrize(
    ("game", "encoding"),
    [
        ("httt --size 2x2 --shape domino --maker-breaker --depth 3", "lifted"),
        ("hex --size 2x2 --depth 3", "lifted-guarded"),
        ("domineering --size 2x2 --depth 2", "lifted"),
        *(
            ("harary --size 3x3 --shape domino --maker-breaker --depth 3", encoding)
            for encoding in (
                "cor",
                "cor+",
                "cor-lean",
                "cor-ladder",
                "ea",
                "la",
                "sa",
                "sn-httt",
                "cover-played",
            )
        ),
    ],
)
def test_every_cut_of_an_encodings_strategy(tmp_path: Path, game: str, encoding: str) -> None:
    encoded = encode(find_command(game.split()), encoding)
    formula = tmp_path / "formula.qcir"
    formula.write_text(qcir_text(encoded.qbf), encoding="utf-8")
    whole = certify_encoding(encoded).certificate
    path = tmp_path / "whole.aig"
    path.write_bytes(certificate_bytes(whole, encoded.qbf))
    full = validated(formula, path, levels=tuple(Level))
    every = range(1, len(encoded.qbf.blocks(whole.kind.decides)))
    for part in cuts(tmp_path, encoded.qbf, whole, every):
        report = validated(formula, part, levels=tuple(Level))
        assert (report.word, report.claim) == (full.word, full.claim)
        assert [r.word for r in report.results] == [r.word for r in full.results]


# --- Liars ------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [AUTO, "depqbf", "caqe"])
def test_random_parts_against_the_definition(tmp_path: Path, solver: str) -> None:
    rng = Random(solver)
    formula, path = tmp_path / "formula.qcir", tmp_path / "part.aag"
    words: dict[bool, set[str]] = {True: set(), False: set()}
    for _ in range(60):
        qbf = random_qbf(rng, most=8)
        part = random_part(rng, qbf, rng.choice(list(CertificateKind)))
        own = qbf.blocks(part.kind.decides)
        if not own or own[0].isdisjoint(part.functions) or not dont_cares(part, qbf):
            continue
        formula.write_text(qcir_text(qbf), encoding="utf-8")
        path.write_bytes(certificate_bytes(part, qbf, binary=False))
        report = validated(formula, path, solver)
        keeps = under(qbf, part) is part.kind.truth
        words[keeps].add(report.word)
        if keeps:
            assert report.word in ("valid", "claimed")
            value = str(part.kind.truth).lower()
            assert report.claim in (
                f"the formula is {value}",
                "each function reads only variables left of its own",
            )
        else:
            assert report.word == "refuted"
    assert words[False] == {"refuted"}
    assert words[True] == ({"valid", "claimed"} if solver == "caqe" else {"valid"})


@pytest.mark.parametrize("solver", [AUTO, "caqe"])
def test_first_moves_of_hex_against_the_rules(
    repository: Path, tmp_path: Path, solver: str
) -> None:
    """Each first move as a part: proved where a search on the rules wins after it, else refuted."""
    formula = repository / "certificates" / "hex.qcir"
    qbf = read_formula(formula)
    layout = layout_from_comments(qbf)
    assert layout is not None
    game = game_of_layout(layout)
    assert game is not None
    code = PlyCode(layout)
    winning = {str(move) for move in winning_moves(search_for(game), game.initial)}
    path = tmp_path / "first.out"
    seen = set()
    for move in code.moves(1)[:: 1 if solver == "caqe" else 4]:
        literals = [v if value else -v for v, value in code.encode(1, move).items()]
        path.write_text(f"s cnf 1\nV {' '.join(map(str, literals))} 0\n", encoding="utf-8")
        report = validated(formula, path, solver)
        wins = str(move) in winning
        seen.add(wins)
        assert report.word == ("refuted" if not wins else "valid" if solver == AUTO else "claimed")
        if not wins:
            (finding,) = report.results[1].findings
            assert finding.kind is FindingKind.PART_LOSES
            assert ("what is left is in" in finding.detail) is (solver == "caqe")
    assert seen == {True, False}


def test_a_lying_solver_is_believed_in_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "solvers.ini").write_text("[liar]\nkind = caqe\nprogram = liar\n", encoding="utf-8")
    monkeypatch.setenv("QSAGE_SOLVERS", str(tmp_path / "solvers.ini"))
    formula, path = repository / "certificates" / "hex.qcir", tmp_path / "corner.out"
    path.write_text("s cnf 1\nV -1 -2 -3 -4 0\n", encoding="utf-8")
    assert validated(formula, path).word == "refuted"
    for answer, code, word in (("s cnf 1", 10, "claimed"), ("s cnf 0", 20, "refuted")):
        script(tmp_path, "liar", f"echo {answer}; exit {code}")
        report = validated(formula, path, "liar", tuple(Level))
        assert report.word == word
        assert report.claim == "the formula is true exactly when Black wins hex 3x3 within 5 plies"
        assert report.exit_code is (Exit.UNDECIDED if word == "claimed" else Exit.REFUTED)
