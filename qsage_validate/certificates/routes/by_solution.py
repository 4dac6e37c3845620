"""From a solution file to the functions of the winner's first blocks.

The solution's replies in the winner's first plies are a plan that ends early.  Functions that are
compiled from it are right in these plies and arbitrary behind them, where they are cut off.
"""

from __future__ import annotations

from qsage_validate.certificates.compile.compiler import NotCompiledError, compile_plan
from qsage_validate.certificates.compile.plan import Plan, PlanNode
from qsage_validate.certificates.parts import first_blocks
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.games.protocol import Move, Position
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.solutions.lookup import Lookup
from qsage_validate.system.limits import NEVER, Deadline


def part_of(
    encoded: Encoding, solution: SolutionClaim, blocks: int, deadline: Deadline = NEVER
) -> CircuitCertificate:
    """The functions of the winner's first ``blocks``, of an encoding of the solution's model.

    Nothing is proved of them.  Raises ``UsageError`` for more blocks than there are,
    ``NotCompiledError`` for what no plan of the rules is compiled to, ``InputError`` where the
    solution has no reply and ``UndecidedError`` at the deadline.
    """
    game, winner = solution.game, solution.winner
    plies = range(1, game.plies)
    if winner in encoded.planned_on or any(
        game.player_at(k) is game.player_at(k + 1) for k in plies
    ):
        name = encoded.layout.encoding
        raise NotCompiledError(
            f"{game.name}: found the encoding {name} with a solution, expected one whose plies "
            "are the players' in turn"
        )
    lookup, known = Lookup(solution), dict[Position, PlanNode]()

    def node(position: Position, left: int) -> PlanNode:
        found = known.get(position)
        if found is None:
            deadline.check("the solution's replies were put together")
            move = lookup.reply(position)
            after = position.play(move)
            goals = game.witnesses(after, winner) if after.outcome else frozenset()
            found = PlanNode(position.ply, move, bool(goals), goals)
            known[position] = found
            if after.outcome is None and left > 1:
                found.table.update(replies(after, left - 1))
        return found

    def replies(position: Position, left: int) -> dict[Move, PlanNode]:
        after = {move: position.play(move) for move in position.legal_moves()}
        return {move: node(p, left) for move, p in after.items() if p.outcome is None}

    initial = game.initial
    if initial.outcome is not None:
        raise NotCompiledError(f"{game.name}: found a play that has ended before ply 1")
    # Each of the winner's plies has a block of its own, or several.
    if initial.to_move is winner:
        plan = Plan(winner, node(initial, blocks), {})
    else:
        plan = Plan(winner, None, replies(initial, blocks))
    return first_blocks(compile_plan(encoded, plan, None), encoded.qbf, blocks)
