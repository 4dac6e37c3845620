"""The levels "rules" and "boards": certificate, layout and game handed to the kernel.

The theorems are in ``kernel/strategy.py`` and ``kernel/boards.py``; here their answers become
verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import Undecided
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.boards import Agrees, BoardsProof
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.claims import ClaimsTimeoutError
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.obligation import Obligation
from qsage_validate.kernel.reading import Reading
from qsage_validate.kernel.strategy import (
    LooksRightError,
    Lost,
    MisreadError,
    StrategyProof,
    Undefined,
    Won,
)
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.proofs.ground import RulesIn, rules_of
from qsage_validate.validation.proofs.readings import reading_of
from qsage_validate.validation.verdict import Proved, Refuted, Unsupported, Verdict


@dataclass(frozen=True, slots=True)
class LevelAnswer:
    """A verdict, and the claims behind it where it is a proof.

    ``guessed`` are the variables without a meaning in plays that a losing strategy reads: with
    other values it may win.  ``compared`` says what a proof has compared, where that differs;
    ``evidence`` is what its level's result tells beside the verdict.
    """

    verdict: Verdict
    obligation: Obligation | None = None
    guessed: tuple[int, ...] = ()
    compared: str = ""
    implies: tuple[bool, ...] = (True, False)
    evidence: Mapping[str, object] = field(default_factory=dict)


def prove_rules(
    formula: Qbf | None,
    layout: Layout,
    certificate: CircuitCertificate,
    game: TwoPlayerGame,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    rewrite: bool = True,
) -> LevelAnswer:
    """Prove that the strategy read off ``certificate`` wins every play of ``game``.

    Where replies read variables that no play gives a value to, both values are tried for them.
    """
    reading = reading_of(layout)

    def ask(rules_in: RulesIn, guess: bool) -> LevelAnswer:
        rules = rules_in(AigBuilder(rewrite=rewrite))
        try:
            proof = StrategyProof(formula, certificate, reading, rules, guess)
        except LooksRightError as error:
            name = str(error.variable) if formula is None else formula.name(error.variable)
            text = f"a reply reads {name}, which is not chosen before it"
            return LevelAnswer(Refuted((Finding(FindingKind.LOOKS_RIGHT, error.ply, text),)))
        return _strategy(proof, deadline, tell)

    def ask_both(rules_in: RulesIn) -> LevelAnswer:
        answer = ask(rules_in, False)
        if isinstance(answer.verdict, Refuted) and answer.guessed:
            other = ask(rules_in, True)
            if isinstance(other.verdict, Proved):
                return other
        return answer

    return _by_rules(ask_both, reading, game, deadline)


def _by_rules(
    ask: Callable[[RulesIn], LevelAnswer], reading: Reading, game: TwoPlayerGame, deadline: Deadline
) -> LevelAnswer:
    """The answer of ``ask`` for a game's rules; without an answer, the reason."""
    rules_in = rules_of(game, deadline=deadline)
    if rules_in is None:
        return LevelAnswer(Unsupported(f"the rules of {game.name} are no circuit"))
    try:
        return ask(rules_in)
    except MisreadError as error:
        finding = Finding(FindingKind.LAYOUT_DIFFERS, 0, f"{reading.source}: {error}")
        return LevelAnswer(Refuted((finding,)))
    except TooLargeError as error:
        return LevelAnswer(Undecided(str(error)))
    except ClaimsTimeoutError as error:
        return LevelAnswer(Undecided(f"time is up: {error}"))


def _strategy(proof: StrategyProof, deadline: Deadline, tell: Tell) -> LevelAnswer:
    result = proof.prove(deadline=deadline, tell=tell)
    if isinstance(result, Won):
        text = f"the strategy wins every play of {result.plies} plies: {result.claims} claims hold"
        claims = (*proof.undefined, *proof.claims)
        return LevelAnswer(Proved(text), Obligation(proof.builder, claims))
    if isinstance(result, Undefined):
        shown = " ".join(result.moves) or "the beginning"
        return LevelAnswer(Undecided(f"the rules do not say how the play goes on after {shown}"))
    return LevelAnswer(Refuted((_finding(result),)), guessed=result.guessed)


def _finding(lost: Lost) -> Finding:
    return Finding(lost.kind, lost.ply, lost.text, moves=lost.moves)


def prove_boards(
    formula: Qbf | None,
    layout: Layout,
    certificate: CircuitCertificate,
    game: TwoPlayerGame,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    rewrite: bool = True,
) -> LevelAnswer:
    """Prove that position and legality in the formula are those of the rules.

    Of plays in which Black follows ``certificate``; "not applicable" to one for White, and where
    the formula says nothing of either.
    """
    reading = reading_of(layout)

    def ask(rules_in: RulesIn) -> LevelAnswer:
        if certificate.kind.player is not Player.BLACK:
            why = "position and legality are Black's to state, and the certificate is White's"
            return LevelAnswer(Unsupported(why))
        proof = BoardsProof(formula, certificate, reading, rules_in, rewrite)
        result = proof.prove(deadline=deadline, tell=tell)
        if not isinstance(result, Agrees):
            return LevelAnswer(Refuted((_finding(result),)))
        if not result.claims:
            return LevelAnswer(Unsupported("the formula keeps no position and flags no move"))
        compared = _compared(result, layout)
        text = f"{compared.replace(' in the formula', '')}: {result.claims} claims hold"
        kept = Obligation(proof.builder, tuple(proof.claims))
        return LevelAnswer(Proved(text), kept, compared=compared)

    return _by_rules(ask, reading, game, deadline)


def _compared(result: Agrees, layout: Layout) -> str:
    """The claim of the boards level, as a sentence: no more than the layout names."""
    one_sided = layout.state.one_sided
    if result.position and result.legality and not one_sided:
        return "position and legality in the formula are those of the rules"
    parts = []
    if result.position:
        parts.append(
            "the position in the formula is no better for Black than that of the rules"
            if one_sided
            else "the position in the formula is that of the rules"
        )
    if result.legality:
        parts.append("legality in the formula is that of the rules")
    return ", and ".join(parts) or "Black's claims of a win are true"
