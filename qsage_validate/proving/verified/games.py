"""Proofs about games for the verified checker: the game's text, functions of moves, an LRAT proof.

They stand in a bundle beside the proof of the level *rules*, which is about our own circuit of the
rules.  Here the clauses are those of ``verified/theories/Unroll.v``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from qsage_validate.certificates.checker.definitions import definitions
from qsage_validate.certificates.checker.functions import NotDefinitionalError
from qsage_validate.certificates.files.writer import certificate_bytes
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.errors import UndecidedError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.obligation import Cnf
from qsage_validate.kernel.strategy import LooksRightError, MisreadError
from qsage_validate.problems.load import Problem
from qsage_validate.proving.bundle.formula_cnf import formula_cnf, formula_proof
from qsage_validate.proving.bundle.lrat_proof import Derivation, NotProvedError
from qsage_validate.proving.verified.moves import UncodedMoveError, moves_certificate
from qsage_validate.proving.verified.unrolling import VerifiedUnrolling, rules_in_coq, unroll
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.proofs.ground import rules_of
from qsage_validate.validation.proofs.readings import reading_of

CERTIFICATE: Final = "game.aig"
CNF: Final = "game.cnf"
PROOF: Final = "game.lrat"
GAME_FILES: Final = ("game.pg", "domain.bddl", "problem.bddl")
"""The files that may tell a game to the verified checker."""

_MOST_VARIABLES: Final = 200_000
"""No unrolling with more moves at all plies together is made."""


_MOST_SECONDS: Final = 600.0
"""A proof for the rules in Coq that takes longer is left out of a bundle, which says so."""


class NoGameProofError(Exception):
    """There is no proof for the rules in Coq; the text says why."""


@dataclass(frozen=True, slots=True)
class GameCertificate:
    """The functions of one player's moves in the unrolling of a game."""

    unrolling: VerifiedUnrolling
    functions: CircuitCertificate

    @property
    def files(self) -> Mapping[str, str]:
        """The texts of the game, by file name."""
        return self.unrolling.rules.files

    @property
    def statement(self) -> str:
        """The theorem, in Coq's words and in ours."""
        value = "true" if self.functions.kind is CertificateKind.SKOLEM else "false"
        does = "wins" if self.functions.kind is CertificateKind.SKOLEM else "does not win"
        return f"black_wins = {value}: by the rules of {' and '.join(self.files)} Black {does}"

    def cnf(self) -> Cnf:
        """The clauses that the verified checker makes of them."""
        return formula_cnf(self.unrolling.formula, self.functions)


def circuit_of(problem: Problem) -> CircuitCertificate:
    """The certificate as functions; raises ``NoGameProofError`` for clauses that are none."""
    certificate = problem.answering
    if isinstance(certificate, CircuitCertificate):
        return certificate
    try:
        return definitions(certificate, problem.formula).circuit
    except NotDefinitionalError as error:
        raise NoGameProofError(f"the clauses are no definitions: {error}") from None


def game_certificate(
    problem: Problem, *, guess: bool = False, deadline: Deadline = NEVER
) -> GameCertificate:
    """The certificate's moves for the rules in Coq; raises ``NoGameProofError``."""
    layout, game = problem.layout, problem.game
    if problem.certificate is None or layout is None or game is None:
        raise NoGameProofError("there are no rules and no layout")
    rules = rules_in_coq(game)
    if isinstance(rules, str):
        raise NoGameProofError(rules)
    if sum(len(rules.moves[player]) for player in rules.turns) > _MOST_VARIABLES:
        raise NoGameProofError(f"the plies have more than {_MOST_VARIABLES:,} moves together")
    ours = rules_of(game, deadline=deadline)
    if ours is None:
        raise NoGameProofError("the game has no rules as a circuit")
    unrolling = unroll(rules)
    try:
        functions = moves_certificate(
            problem.formula,
            circuit_of(problem),
            reading_of(layout),
            ours(AigBuilder()),
            unrolling,
            guess=guess,
        )
    except (MisreadError, TooLargeError, UncodedMoveError) as error:
        raise NoGameProofError(str(error)) from None
    except LooksRightError as error:
        raise NoGameProofError(f"a reply at ply {error.ply} reads what comes later") from None
    return GameCertificate(unrolling, functions)


def prove_game(
    problem: Problem, *, deadline: Deadline = NEVER
) -> tuple[GameCertificate, bool, Derivation]:
    """The functions, the guess with which they win, and the proof.

    Raises ``NoGameProofError`` where the functions do not win, or the time is up.
    """
    for guess in (False, True):
        found = game_certificate(problem, guess=guess, deadline=deadline)
        try:
            _, derivation = formula_proof(
                found.unrolling.formula, found.functions, deadline=deadline
            )
        except NotProvedError:
            continue
        except UndecidedError as error:
            raise NoGameProofError(str(error)) from None
        return found, guess, derivation
    raise NoGameProofError("the moves that are read off do not win by the rules in Coq")


def write_game(
    folder: str, problem: Problem, *, deadline: Deadline | None = None
) -> dict[str, object]:
    """Write the files of a proof about a game; returns the entry of the manifest.

    Without a proof, within ``deadline`` or else ten minutes, the entry says why there is none.
    """
    limit = Deadline.after(_MOST_SECONDS) if deadline is None else deadline
    try:
        found, guess, derivation = prove_game(problem, deadline=limit)
    except NoGameProofError as error:
        return {"none": str(error)}
    for name, text in found.files.items():
        _write(folder, name, text.encode())
    _write(
        folder,
        CERTIFICATE,
        certificate_bytes(found.functions, found.unrolling.formula, binary=True),
    )
    _write(folder, CNF, "".join(found.cnf().lines()).encode())
    _write(folder, PROOF, "".join(derivation.lines()).encode())
    return {
        "statement": found.statement,
        "game": list(found.files),
        "certificate": CERTIFICATE,
        "cnf": CNF,
        "proof": PROOF,
        "player": found.functions.kind.player.value,
        "guess": guess,
    }


def _write(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
