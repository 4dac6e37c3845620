"""A program as a certificate: what it plays becomes a plan, and the plan functions.

The plan is made on a game in which the hero has one move, the program's.  So positions may share
decisions, as in every plan, but nothing else than the program's moves can come into it.  Where the
program meets too many positions, its questions become gates over the formula's moves instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from qsage_validate.certificates.compiler import (
    ChosenMove,
    HeroPlays,
    NotCompiledError,
    bits_for,
    compile_plan,
    require_completion,
)
from qsage_validate.certificates.plan import Planner
from qsage_validate.certificates.routes import check_compiled
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.encoding import Encoding, Goals
from qsage_validate.encodings.layout import Bits, Ply
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.explain.answers import Tree, chosen
from qsage_validate.extensions.explain.circuits import (
    Spot,
    StoneAtoms,
    SymbolicGame,
    Unrolled,
    circuit_of,
    played_by,
)
from qsage_validate.extensions.explain.finding import FoundProgram
from qsage_validate.extensions.explain.situation import Made, Situation, made
from qsage_validate.games.bddl.rules import BddlGame, GoalInstance
from qsage_validate.games.masks import members
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    Outcome,
    PlanningGame,
    Player,
    Position,
    TwoPlayerGame,
    Witness,
)
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.game import GroundRules
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.proofs import conjunction


class ProgramGame(PlanningGame):
    """A game in which ``hero`` plays what a program says."""

    def __init__(self, game: TwoPlayerGame, tree: Tree, hero: Player) -> None:
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
    def board(self) -> BoardPicture:
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


class ProgramPlays(HeroPlays):
    """All plays of a program in the literals of a formula: its certificate, without a plan.

    Raises :class:`NotCompiledError` for a formula whose plies are not those of the rules, and where
    it asks for a goal of which the rules do not tell whether it holds.
    """

    def __init__(
        self,
        encoding: Encoding,
        game: TwoPlayerGame,
        found: FoundProgram,
        hero: Player,
        deadline: Deadline,
    ) -> None:
        super().__init__(encoding, hero, AigBuilder(), None)
        self._tree, self._game, self._deadline = found.tree, game, deadline
        rules = circuit_of(game, self.builder, deadline)
        stones = StoneAtoms.of_rules(game, rules, found.situations)
        self._plays = Unrolled(SymbolicGame(rules, stones, deadline), hero)
        movers = [ply.player for ply in self.layout.moves]
        if movers != [rules.mover(ply) for ply in range(1, rules.plies + 1)]:
            raise NotCompiledError(
                f"found the encoding {self.layout.encoding}, whose plies are not those of the rules"
            )

    def _choose(self, ply: Ply) -> ChosenMove:
        self._deadline.check("the program was compiled")
        coding, plays = ply.coding, self._plays
        texts = plays.table.rules.moves(plays.spot.time + 1)
        played = played_by(self._tree, plays.view)
        by_text = {texts[number]: literal for number, literal in played.items()}
        made = [by_text.get(str(move), FALSE) for move in coding.moves]
        going = plays.play(played)
        after = plays.spot
        if coding.numbers:
            numbers = [
                self._bits(made, [coding.place(move)[index] for move in coding.moves], number.size)
                for index, number in enumerate(coding.numbers)
            ]
        else:
            numbers = [self.encoded(made)]
        won = self.builder.and_(going, self._reached(after))
        return ChosenMove(
            numbers, lambda: won, lambda value, width: self._goal(after, value, width)
        )

    def _reached(self, spot: Spot) -> int:
        """The hero's goal holds: it is claimed, and that the opponent is stuck is not."""
        rules = spot.table.rules
        if isinstance(rules, GroundRules):
            return rules.goal(spot.state, self.hero)
        return spot.won[self.hero]

    def _bits(self, made: Sequence[int], places: Sequence[int], size: int) -> Bits:
        return tuple(
            self.builder.or_all(one for one, k in zip(made, places, strict=True) if k >> bit & 1)
            for bit in reversed(range(bits_for(size)))
        )

    def _goal(self, spot: Spot, value: Callable[[Goals], int], width: int) -> Bits:
        none, found = TRUE, [FALSE] * width
        for witness, holds in self._goals(spot):
            number = value(frozenset([witness]))
            first = self.builder.and_(none, holds)
            none = self.builder.and_(none, holds ^ 1)
            for k in range(width):
                if number >> (width - 1 - k) & 1:
                    found[k] = self.builder.or_(found[k], first)
        return tuple(found)

    def _goals(self, spot: Spot) -> Iterator[tuple[Witness, int]]:
        """The hero's goals, and whether they hold."""
        if isinstance(self._game, BddlGame):
            for goal in self._game.grounding.goals[self.hero]:
                bits = conjunction(goal.care, goal.value)
                holds = (spot.state[abs(bit) - 1] ^ (bit < 0) for bit in bits)
                yield GoalInstance(goal.condition, goal.x, goal.y), self.builder.and_all(holds)
        elif isinstance(self._game, PositionalGame) and self._game.model.network is None:
            stones, model = spot.board[self.hero], self._game.model
            number = {place: k for k, place in enumerate(spot.table.places)}
            squares = self._game.arrangement.squares
            for wins in model.black_wins if self.hero is Player.BLACK else model.white_wins:
                held = (stones[number[squares[v]]] for v in members(wins))
                yield wins, self.builder.and_all(held)
        else:
            raise NotCompiledError(
                f"found the encoding {self.layout.encoding}, which asks for the goal that is "
                f"reached in {self._game.name}"
            )

    def _replied(
        self, ply: Ply, numbers: Sequence[Bits], made: Callable[[], Sequence[int]]
    ) -> None:
        plays = self._plays
        literals = dict(zip(map(str, ply.coding.moves), made(), strict=True))
        plays.play(
            {
                step.number: self.builder.and_(literals.get(step.text, FALSE), step.legal)
                for step in plays.spot.steps
            }
        )


def _by_gates(
    found: FoundProgram, encoded: Encoding, game: TwoPlayerGame, hero: Player, deadline: Deadline
) -> CircuitCertificate:
    """The certificate of a program that meets too many positions to make a plan of them."""
    require_completion(encoded, hero)
    plays = ProgramPlays(encoded, game, found, hero, deadline)
    plays.run()
    certificate, _ = plays.certificate()
    return certificate


def certificate_of(
    found: FoundProgram,
    encoded: Encoding,
    game: TwoPlayerGame,
    hero: Player,
    deadline: Deadline = NEVER,
) -> CircuitCertificate:
    """The certificate that plays a program; one of gates is still to be proved.

    Raises ``UsageError`` for encodings whose strategies are others than those of the rules,
    ``UndecidedError`` at the deadline and ``CheckFailedError`` where the proof fails.
    """
    if hero in encoded.planned_on:
        raise UsageError(
            f"found the encoding {encoded.layout.encoding}, whose formula asks {hero} for more "
            "than moves, expected one that is about the rules alone"
        )
    if not found.whole:
        try:
            return _by_gates(found, encoded, game, hero, deadline)
        except NotCompiledError as error:
            raise UndecidedError(
                f"undecided: the program meets more than {len(found.situations):,} positions, and "
                f"{error}; --positions raises the limit"
            ) from None
    program = ProgramGame(game, found.tree, hero)
    plan = Planner(program, hero, lambda _: True, deadline=deadline).build()
    initial = game.initial
    ended = game.witnesses(initial, hero) if initial.outcome else None
    made_of_it = compile_plan(encoded, plan, ended)
    # Its check makes a large one smaller.
    _, certificate = check_compiled(encoded, plan, made_of_it, deadline)
    return certificate
