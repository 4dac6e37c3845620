"""The play in which functions lose their formula, loaded where they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qsage_validate.arena.strategy_tree import tree_of
from qsage_validate.certificates.checker.check import (
    circuit_of,
)
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.codings import literal_value
from qsage_validate.encodings.layout.layout import Layout, variables_of
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    dont_cares,
)
from qsage_validate.kernel.claims import evaluate
from qsage_validate.kernel.composition import compose
from qsage_validate.problems.load import BoardProblem
from qsage_validate.strategies.reader import PlyCode
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import (
    Evidence,
    Finding,
    FindingKind,
)

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
