"""Every encoding of every registered game, against the rules."""

from __future__ import annotations

import csv
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from qsage_validate.circuit.qbf import Connective
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import parse_domain, parse_problem, read_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from qsage_validate.judging.encoding import judge
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.validation.finding import Proved
from qsage_validate.validation.proofs import prove_rules
from tests.support.by_name import grid_templates, resolve_model
from tests.support.certificate_truth import falsifying_choice
from tests.support.certifying import certify_game
from tests.support.minimax import minimax

# Small instances of every game, at depths at which Black wins and at which it does not.
INSTANCES = [
    "httt --shape domino --size 3x3 --depth 3",
    "httt --shape domino --size 2x2 --depth 1",
    "httt --shape el --size 3x3 --depth 5",
    "httt --shape el --size 3x3 --depth 3",
    "httt --shape tic --size 3x3 --depth 5",
    "httt --shape tic --size 5x3 --depth 4",
    "connect-c --connect 2 --size 2x2 --depth 3",
    "connect-c --connect 2 --size 3x3 --depth 2",
    "connect-c --connect 3 --size 3x3 --depth 5",
    "breakthrough --size 2x4 --depth 5",
    "breakthrough --size 2x4 --second --depth 9",
    "breakthrough --size 3x4 --depth 4",
    "knightthrough --size 3x4 --depth 1",
    "knightthrough --size 3x4 --depth 3 --second",
    "knightthrough --size 3x5 --depth 2",
    "evader-pursuer --size 4x4 --pursuer 2,3 --depth 3",
    "evader-pursuer --size 4x4 --pursuer 1,2 --depth 5",
    "evader-pursuer-dual --size 4x4 --pursuer 1,2 --depth 3",
    "evader-pursuer-dual --size 4x4 --pursuer 2,3 --depth 5",
    "gomoku --size 3x3 --connect 2 --depth 3",
    "gomoku --size 3x3 --connect 3 --depth 5",
    "konane --size 3x4 --depth 4",
    "konane --size 4x4 --second --depth 6",
    "cross-purposes --stacks X.X./..../.X.X/.... --depth 4",
    "cross-purposes --stacks X..X/..../..../X..X --depth 5",
    "domineering --size 2x2 --depth 2",
    "domineering --size 3x3 --depth 4",
    "domineering --size 2x3 --depth 3",
    "domineering --size 4x2 --depth 5",
    "domineering --size 3x3 --second --depth 4",
    "hex --size 2x2 --depth 3",
    "hex --size 3x3 --second --depth 8",
    "hex --size 3x3 --depth 5",
]


@cache
def _model(words: str) -> Model:
    name, *rest = words.split()
    options: dict[str, object] = {}
    for word in rest:
        if word.startswith("--"):
            options[word[2:]] = True
        else:
            options[list(options)[-1]] = word
    return resolve_model([name], options)


@pytest.fixture(params=INSTANCES)
def model(request: pytest.FixtureRequest) -> Model:
    return _model(request.param)


@pytest.fixture(params=sorted(encoders("bddl")))
def encoding(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_every_game_has_instances() -> None:
    """A template that is registered and not here fails; both verdicts occur for each."""
    for template in grid_templates():
        mine = [_model(words) for words in INSTANCES if words.split()[0] == template.name]
        winners = {minimax(BddlGame(each)) for each in mine if each.problem.width < 5}
        assert winners == set(Player), template.name


def test_the_formula_is_the_rules_and_the_certificate_the_winners(
    model: Model, encoding: str
) -> None:
    """By minimax, by the proofs of certificate, strategy and encoding, and by the file."""
    game, winner = BddlGame(model), minimax(BddlGame(model))
    certified = certify_game(model, encoding)
    made, certificate = certified.encoding, certified.certificate
    # The formula's truth is minimax's: shown by a certificate of whoever wins.
    assert certified.winner is winner
    assert certificate.kind is (
        CertificateKind.SKOLEM if winner is Player.BLACK else CertificateKind.HERBRAND
    )
    assert falsifying_choice(made.qbf, certificate) is None
    # Board, legality and end are the rules' in all plays, with the certificate and without.
    strategy = prove_rules(made.qbf, made.layout, certificate, game).verdict
    assert isinstance(strategy, Proved), str(strategy)
    verdict = judge(made.qbf, made.layout, game).verdict
    assert isinstance(verdict, Proved), str(verdict)
    # Layout and model travel inside the file.
    layout = layout_from_comments(parse_qcir(qcir_text(made.qbf)))
    assert layout is not None
    assert layout == made.layout
    assert parse_domain(layout.model["domain"]) == model.domain
    assert parse_problem(layout.model["problem"]) == model.problem
    assert layout.model["name"] == model.name
    # There are only gates that every circuit solver takes, and those that the layout names.
    assert {g.connective for g in made.qbf.gates.values()} <= {Connective.AND, Connective.OR}
    known = set(made.qbf.gates) | set(made.qbf.levels())
    assert {abs(x) for x in layout.gates.values()} <= known


def test_size_is_linear_in_the_depth() -> None:
    """Four plies more cost the same at any depth (the paper's section 4)."""
    sizes = [
        len(encode(_model(f"httt --shape tic --size 4x4 --depth {depth}")).qbf.gates)
        for depth in (5, 9, 13, 17)
    ]
    steps = {b - a for a, b in pairwise(sizes)}
    assert len(steps) == 1


def test_size_is_logarithmic_in_the_board() -> None:
    """Doubling both sides of the board adds a constant number of gates a ply."""
    sizes = [
        len(encode(_model(f"httt --shape tic --size {n}x{n} --depth 5")).qbf.gates)
        for n in (4, 8, 16, 32)
    ]
    steps = [b - a for a, b in pairwise(sizes)]
    assert max(steps) <= 1.2 * min(steps)


def test_foreign_models_encode_to_their_rules(shared_data: Path) -> None:
    """Models made by others encode to what their rules say."""
    root = shared_data / "bddl"
    for family, problem in (("httt", "3x3_5_el.ig"), ("hex", "hein_12_4x4-07.pg")):
        model = read_model(root / family / "domain.ig", root / family / problem)
        encoded = encode(model)
        verdict = judge(encoded.qbf, encoded.layout, BddlGame(model)).verdict
        assert isinstance(verdict, Proved), str(verdict)


def test_no_larger_than_the_encodings_of_others(shared_data: Path) -> None:
    """On every model of the paper's benchmark."""
    with (shared_data / "baselines.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 50
    for row in rows:
        folder = shared_data / "bddl" / row["family"]
        encoded = encode(read_model(folder / "domain.ig", folder / row["model"]))
        assert len(encoded.qbf.gates) <= int(row["qcir_gates"]), row["model"]
