"""The level "assertions": what is asserted holds in every play, or a shortest play breaks it.

The theorems are in ``kernel/assertions.py``; here their answers become a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.arena.strategy_tree import tree_of
from qsage_validate.arena.watch import broken_by_values, finding
from qsage_validate.certificates.check import circuit_of
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout, literal_value, variables_of
from qsage_validate.errors import Undecided
from qsage_validate.formats.assertions import guard
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.assertions import AssertionsProof, AssertionSubject, about_formula
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    dont_cares,
)
from qsage_validate.kernel.claims import ClaimsTimeoutError, Counterexample, evaluate
from qsage_validate.kernel.composition import NotDefinitionalError, compose
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.obligation import Obligation, joined
from qsage_validate.kernel.strategy import LooksRightError, MisreadError
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.reader import PlyCode
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody
from qsage_validate.validation.assertions import Asserted
from qsage_validate.validation.finding import (
    Evidence,
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Verdict,
)
from qsage_validate.validation.proofs import LevelAnswer, reading_of, rules_of

# The play in which functions lose their formula, loaded where they do


Replay = Callable[[Sequence[str]], str]


def falsified(
    formula: Qbf,
    certificate: Certificate,
    reason: str,
    choice: Mapping[int, bool],
    layout: Layout | None,
    replay: Replay | None,
    replay_blocks: Replay | None,
) -> Finding:
    values = play_values(formula, certificate, choice)
    moves, command = _play(formula, certificate.kind, values, layout, replay, replay_blocks)
    output = formula.output
    name = ("-" if output < 0 else "") + formula.name(abs(output))
    lost = certificate.kind is not CertificateKind.SKOLEM
    contradicts = not reason.startswith("the matrix")
    return Finding(
        FindingKind.CERTIFICATE_SILENT if contradicts else FindingKind.CERTIFICATE_BEATEN,
        len(moves),
        reason,
        player=certificate.kind.player.other,
        evidence=() if contradicts else (Evidence(output, name, lost, "output"),),
        moves=moves,
        replay=command,
    )


def is_legal_play(game: TwoPlayerGame, opponent: Player, moves: Sequence[str]) -> bool:
    """True if all moves of the opponent's are legal, up to an illegal reply or the play's end."""
    position = game.initial
    for text in moves:
        legal = {str(move): move for move in position.legal_moves()}
        if text not in legal:
            return position.outcome is not None or position.to_move is not opponent
        position = position.after(legal[text])
    return True


def legal_play(problem: BoardProblem, replay: Replay, deadline: Deadline) -> Finding | None:
    """A shortest play of legal moves of the opponent's in which the certificate is beaten.

    It is looked for in the first nodes of the strategy's tree, until the deadline.
    """
    tree = tree_of(problem)
    explored = tree.explore(tree.root, cancelled=lambda: deadline.over)
    lost = [node.state for node in explored.nodes if node.ended and node.kept is False]
    wanted = problem.answering.kind is CertificateKind.SKOLEM
    beaten = (s for s in tree.finished(lost) if s.end.verdict is not None)
    state = next((state for state in beaten if state.end.verdict is not wanted), None)
    if state is None:
        return None
    opponent = tree.player.other
    value = "true" if state.end.verdict else "false"
    own = [move for ply, move in enumerate(state.moves, start=1) if tree.mover(ply) is opponent]
    return Finding(
        FindingKind.CERTIFICATE_BEATEN,
        state.plies,
        f"{opponent} plays legal moves only, and the formula is {value}: {state.end.reason}",
        player=opponent,
        moves=state.moves,
        replay=replay(own),
    )


def lost_part(
    formula: Qbf,
    part: CircuitCertificate,
    choice: Mapping[int, bool],
    by: str,
    *,
    layout: Layout | None,
    replay: Replay,
    replay_blocks: Replay,
) -> Finding:
    """The finding for a part of a certificate that ``by`` beats, whatever the rest is.

    Its play ends where the part has no reply; what the opponent chooses up to there depends on
    nothing else.
    """
    values = play_values(formula, part, choice)
    open_ = frozenset(dont_cares(part, formula))
    moves, command = _play(formula, part.kind, values, layout, replay, replay_blocks, open_)
    value = "false" if part.kind is CertificateKind.SKOLEM else "true"
    detail = f"the formula is {value} under these functions, whatever the rest is: proved by {by}"
    player = part.kind.player.other
    return Finding(FindingKind.PART_LOSES, len(moves), detail, player, moves=moves, replay=command)


def _play(
    formula: Qbf,
    kind: CertificateKind,
    values: Mapping[int, bool],
    layout: Layout | None,
    replay: Replay | None,
    replay_blocks: Replay | None,
    open_: frozenset[int] = frozenset(),
) -> tuple[tuple[str, ...], str]:
    """The moves or blocks of a play, up to what is open, and the command that replays it."""
    moves, own = block_moves(formula, kind, values, open_)
    if layout is not None:
        moves, own_moves = game_moves(layout, kind, values, open_)
        if own_moves is None:
            replay = replay_blocks
        else:
            own = own_moves
    return moves, "" if replay is None else replay(own)


def play_values(
    formula: Qbf, certificate: Certificate, choice: Mapping[int, bool]
) -> dict[int, bool]:
    """The values of all variables and gates in the play in which ``choice`` is made."""
    composition = compose(circuit_of(certificate, formula), formula)
    names = [*formula.quantifiers(), *formula.gates]
    wanted = {v: composition.literals[v] for v in names}
    inputs = dict(enumerate((choice[v] for v in composition.opponent), start=1))
    return evaluate(composition.builder, wanted, inputs)


def block_moves(
    formula: Qbf,
    kind: CertificateKind,
    values: Mapping[int, bool],
    open_: frozenset[int] = frozenset(),
) -> tuple[tuple[str, ...], list[str]]:
    """The values of the blocks before the first that is open, and the opponent's among them."""
    moves: list[str] = []
    own: list[str] = []
    for scope in formula.merged_scopes():
        if not open_.isdisjoint(scope.variables):
            break
        text = " ".join(f"{formula.name(v)}={int(values[v])}" for v in scope.variables)
        moves.append(text)
        if scope.quantifier is not kind.decides:
            own.append(text)
    return tuple(moves), own


def game_moves(
    layout: Layout,
    kind: CertificateKind,
    values: Mapping[int, bool],
    open_: frozenset[int] = frozenset(),
) -> tuple[tuple[str, ...], list[str] | None]:
    """The moves and the opponent's among them, as a script for replaying has them.

    The play ends with a claim of a goal, or a move that the formula's indicators, which are
    the certificate's, refuse; or with bits that name no move: ``None`` when they are the
    opponent's, who cannot say so in a script; or before the first ply that is open.
    """
    code = PlyCode(layout)
    moves: list[str] = []
    own: list[str] = []
    for variables in layout.moves:
        if not open_.isdisjoint(variables_of(variables)):
            break
        answer = code.decode(variables.ply, values)
        if answer.stop and variables.stop_instead:
            break  # claimed before the ply, which does not happen
        if answer.move is None:
            moves.append(answer.problem)
            return tuple(moves), own if variables.player is kind.player else None
        mark = " !stop" if answer.stop else ""
        indicators = variables.indicators
        said = () if indicators is None else indicators.literals
        refused = not all(literal_value(values, literal) for literal in said)
        if variables.player is not kind.player and refused and not open_:
            mark = " !illegal"
        moves.append(f"{answer.move}{mark}")
        if variables.player is not kind.player:
            # Not every layout has indicators: what the formula accepts may still be illegal.
            own.append(f"{answer.move}{mark}")
        if mark:
            break
    return tuple(moves), own


# The level "assertions": what is asserted holds in every play, or a shortest play breaks it


HOLDS: Final = "holds"
VACUOUS: Final = "vacuous"
BROKEN: Final = "broken"
OPEN: Final = "undecided"


@dataclass(frozen=True, slots=True)
class AssertionAnswer:
    """The result of one assertion: ``HOLDS``, ``VACUOUS``, ``BROKEN`` or ``OPEN``, and why."""

    asserted: Asserted
    word: str
    why: str = ""
    found: Finding | None = None

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        one = self.asserted
        shown = {"place": one.place, "text": one.assertion.text, "verdict": self.word}
        return {**shown, "why": self.why} if self.why else {**shown}


@dataclass(frozen=True, slots=True)
class AssertionPart:
    """The answers about positions, or about the formula, and the claims behind them."""

    answers: tuple[AssertionAnswer, ...]
    obligation: Obligation | None = None


def prove_assertions(
    problem: Problem,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    rewrite: bool = True,
) -> tuple[LevelAnswer, tuple[AssertionAnswer, ...]]:
    """Prove all assertions of ``problem``, which has a certificate; one answer for each."""
    asserted = problem.assertions
    if problem.solving is not None:
        part = _open(asserted, "the certificate is a part: a solver answers the rest")
        return LevelAnswer(_verdict(part.answers)), part.answers
    kinds = [[one for one in asserted if (one.literals is None) is kind] for kind in (True, False)]
    parts = [
        prove(problem, own, deadline, tell, rewrite) if own else AssertionPart(())
        for prove, own in zip((_positions, _values), kinds, strict=True)
    ]
    in_words, in_values = (iter(part.answers) for part in parts)
    answers = tuple(next(in_words if one.literals is None else in_values) for one in asserted)
    verdict = _verdict(answers)
    obligation = None
    if isinstance(verdict, Proved):
        obligation = joined(part.obligation for part in parts if part.obligation is not None)
    return LevelAnswer(verdict, obligation), answers


def _verdict(answers: Sequence[AssertionAnswer]) -> Verdict:
    findings = tuple(answer.found for answer in answers if answer.found is not None)
    if findings:
        return Refuted(tuple(sorted(findings, key=lambda found: found.ply)))
    left = [answer for answer in answers if answer.word is OPEN]
    if left:
        more = "" if len(left) == 1 else f" (and {len(left) - 1} more)"
        return Undecided(f"{left[0].asserted}: {left[0].why}{more}")
    return Proved(said(answers))


def said(answers: Sequence[AssertionAnswer]) -> str:
    vacuous = sum(answer.word is VACUOUS for answer in answers)
    count = len(answers)
    number = "the assertion holds" if count == 1 else f"all {count} assertions hold"
    how = "" if not vacuous else ", vacuously" if vacuous == count else f", {vacuous} vacuously"
    return f"{number} in each play of the functions{how}"


def _open(asserted: Sequence[Asserted], why: str) -> AssertionPart:
    return AssertionPart(tuple(AssertionAnswer(one, OPEN, why) for one in asserted))


def _answered(
    about: AssertionSubject,
    asserted: Sequence[Asserted],
    why: str,
    unreached: Callable[[Asserted], str],
    shown: Callable[[Asserted, Counterexample], Finding],
) -> tuple[AssertionAnswer, ...]:
    """The answers; ``why`` says why nothing is proved, where something stood in the way."""
    answers = []
    for number, one in enumerate(asserted):
        broken = about.broken.get(number)
        if broken is not None:
            answers.append(AssertionAnswer(one, BROKEN, found=shown(one, broken)))
        elif why:
            answers.append(AssertionAnswer(one, OPEN, why))
        elif number in about.reached:
            answers.append(AssertionAnswer(one, HOLDS))
        else:
            answers.append(AssertionAnswer(one, VACUOUS, unreached(one)))
    return tuple(answers)


# -- Positions -------------------------------------------------------------------------------


def _positions(
    problem: Problem, asserted: Sequence[Asserted], deadline: Deadline, tell: Tell, rewrite: bool
) -> AssertionPart:
    """The answers for assertions about positions, by the rules."""
    layout, game, other = problem.layout, problem.game, problem.undecided_game
    if other is not None:
        layout, game = other.layout, other.game
    if layout is None or game is None:
        what = "layout tells moves" if layout is None else "rules are known"
        return _open(asserted, f"no {what}, so that plays have no positions to prove it of")
    try:
        certificate = _circuit(problem)
        return _by_rules(problem, certificate, layout, game, asserted, deadline, tell, rewrite)
    except NotDefinitionalError as error:
        return _open(asserted, f"the clauses are no definitions: {error}")
    except MisreadError as error:
        return _open(asserted, f"the layout ({layout.source}): {error}")
    except LooksRightError as error:
        name = _name(problem, error.variable)
        return _open(asserted, f"a reply at ply {error.ply} reads {name}, which is not chosen yet")
    except TooLargeError as error:
        return _open(asserted, str(error))


def _by_rules(
    problem: Problem,
    certificate: CircuitCertificate,
    layout: Layout,
    game: TwoPlayerGame,
    asserted: Sequence[Asserted],
    deadline: Deadline,
    tell: Tell,
    rewrite: bool,
) -> AssertionPart:
    rules_in = rules_of(game, deadline=deadline)
    if rules_in is None:
        return _open(asserted, f"the rules of {game.name} are no circuit")
    own = [one.assertion for one in asserted]
    rules = rules_in(AigBuilder(rewrite=rewrite))
    proof = AssertionsProof(problem.formula, certificate, reading_of(layout), rules, asserted=own)
    before = (*proof.undefined, *proof.claims)
    why = ""
    try:
        stopped = proof.about.ask(before, deadline=deadline, tell=tell)
        if stopped is not None:
            why = stopped.claim.text
    except ClaimsTimeoutError as error:
        why = f"time is up: {error}"

    def shown(one: Asserted, failure: Counterexample) -> Finding:
        return finding([(one, lambda name: None)], failure.claim.ply, proof.play(failure))

    answers = _answered(proof.about, asserted, why, _unreached, shown)
    return AssertionPart(answers, Obligation(proof.builder, (*before, *proof.about.holding)))


def _unreached(one: Asserted) -> str:
    """The reason why an assertion about positions holds vacuously."""
    if guard(one.assertion.condition) is not None:
        return "its guard holds in no such position"
    return "no play has such a position"


# -- Variables and gates ---------------------------------------------------------------------


def _values(
    problem: Problem, asserted: Sequence[Asserted], deadline: Deadline, tell: Tell, rewrite: bool
) -> AssertionPart:
    """The answers for assertions about variables and gates, for all values of the opponent's."""
    formula = problem.qbf
    try:
        certificate = _circuit(problem)
    except NotDefinitionalError as error:
        return _open(asserted, f"the clauses are no definitions: {error}")
    composition = compose(certificate, formula, rewrite=rewrite)
    names = {name: x for one in asserted for name, x in (one.literals or {}).items()}
    about = about_formula(composition, [one.assertion for one in asserted], names)
    why = ""
    try:
        about.ask(deadline=deadline, tell=tell)
    except ClaimsTimeoutError as error:
        why = f"time is up: {error}"

    def shown(one: Asserted, failure: Counterexample) -> Finding:
        choice = {v: failure.inputs[k] for k, v in enumerate(composition.opponent, start=1)}
        values = play_values(formula, certificate, choice)
        moves, own = block_moves(formula, certificate.kind, values)
        if problem.layout is not None:
            moves, _ = game_moves(problem.layout, certificate.kind, values)
        (found,) = broken_by_values([one], values, len(moves), moves)
        return found.with_replay(problem.replay_blocks(own))

    answers = _answered(about, asserted, why, lambda one: "its guard holds in no play", shown)
    return AssertionPart(answers, Obligation(about.builder, tuple(about.holding)))


def _circuit(problem: Problem) -> CircuitCertificate:
    certificate = problem.answering
    if isinstance(certificate, CircuitCertificate):
        return certificate
    return circuit_of(certificate, problem.qbf)


def _name(problem: Problem, variable: int) -> str:
    return str(variable) if problem.formula is None else problem.formula.name(variable)
