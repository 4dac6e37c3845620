"""A program as a certificate: what it plays becomes a plan, and the plan functions.

The plan is made on a game in which the hero has one move, the program's.  So positions may share
decisions, as in every plan, but nothing else than the program's moves can come into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from qsage_validate.certificates.checker.check import CertificateProved
from qsage_validate.certificates.compile.compiler import compile_plan
from qsage_validate.certificates.compile.plan import Planner
from qsage_validate.certificates.routes.by_search import check_compiled
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import UsageError
from qsage_validate.explaining.program import Tree, chosen
from qsage_validate.explaining.situation import Made, Situation, made
from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.protocol import (
    Board,
    Game,
    Illegality,
    Move,
    Outcome,
    Player,
    Position,
    Witness,
)
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.system.limits import NEVER, Deadline


class ProgramGame(PlanningGame):
    """A game in which ``hero`` plays what a program says."""

    def __init__(self, game: Game, tree: Tree, hero: Player) -> None:
        self.game = game
        self.tree = tree
        self.hero = hero

    @property
    def plies(self) -> int:
        return self.game.plies

    @property
    def initial(self) -> ProgramPosition:
        return ProgramPosition(self, self.game.initial, None, None)

    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        assert isinstance(position, ProgramPosition), "a position of this game"
        return self.game.witnesses(position.position, player)


@dataclass(frozen=True, eq=False)
class ProgramPosition(Position):
    """A position of the game, with the last moves that the program may speak of."""

    program: ProgramGame
    position: Position
    theirs: Made | None
    ours: Made | None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProgramPosition):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Position, Made | None, Made | None]:
        return self.position, self.theirs, self.ours

    @property
    def ply(self) -> int:  # type: ignore[override]
        return self.position.ply

    @property
    def to_move(self) -> Player:
        return self.position.to_move

    @property
    def outcome(self) -> Outcome | None:
        return self.position.outcome

    @property
    def board(self) -> Board:
        return self.position.board

    def legal_moves(self) -> Sequence[Move]:
        if self.position.outcome is not None:
            return ()
        return self._moves

    @cached_property
    def _moves(self) -> Sequence[Move]:
        if self.to_move is not self.program.hero:
            return self.position.legal_moves()
        at = Situation(self.program.game, self.position, self.theirs, self.ours)
        choice = chosen(self.program.tree, at)
        return () if choice is None else (choice.move,)

    def after(self, move: Move) -> ProgramPosition:
        after = self.position.after(move)
        shown = made(self.program.game, self.position.board, move, after.board, self.to_move)
        own = self.to_move is self.program.hero
        return ProgramPosition(
            self.program, after, self.theirs if own else shown, shown if own else self.ours
        )

    def illegality(self, move: Move) -> Illegality | None:
        if move in self.legal_moves():
            return None
        return self.position.illegality(move) or Illegality(
            "the program", f"{move}: the program plays something else"
        )


def certified(
    tree: Tree, encoded: Encoding, game: Game, hero: Player, deadline: Deadline = NEVER
) -> tuple[CircuitCertificate, CertificateProved]:
    """The certificate that plays a program, and its proof on the encoding's formula.

    Raises ``UsageError`` for encodings whose strategies are others than those of the rules,
    ``UndecidedError`` at the deadline and ``CheckFailedError`` where the proof fails.
    """
    if hero in encoded.planned_on:
        raise UsageError(
            f"found the encoding {encoded.layout.encoding}, whose formula asks {hero} for more "
            "than moves, expected one that is about the rules alone"
        )
    program = ProgramGame(game, tree, hero)
    plan = Planner(program, hero, lambda _: True, deadline=deadline).build()
    initial = game.initial
    ended = game.witnesses(initial, hero) if initial.outcome else None
    made_of_it = compile_plan(encoded, plan, ended)
    proved, certificate = check_compiled(encoded, plan, made_of_it, deadline)
    return certificate, proved
