"""The order of the players' choices: the part of level 4 that no scripted play can show.

A scripted play (:mod:`qsage_validate.validation.proofs.encoding`) fixes all choices at once, so it
says nothing of their order.  This module compares the formula's prefix with the order of the
plies.  The layout is a claim: it says which variables are the bits of a ply, its stop, a claimed
goal and the symbolic square.  :func:`read_prefix` gives the roles that it claims, and the
findings that show it, or the prefix, to be wrong.

The conditions (``docs/explanation/proved.md`` gives their purpose):

1. The layout is this game's: the same board, at least as many plies, each made by the same
   player, and a value of the bits for each action and square.
2. Each bit of a ply, stop, bit of a claimed goal and bit of the symbolic square is a variable of
   its own, Black's existential, White's and the square's universal.
3. Black's bits of ply i stand left of White's bits and stop of each later ply, and left of
   White's claim when White may still stop: Black does not see what White will do.
4. Black's bits and stop of a ply stand right of White's bits of all earlier plies, and so does
   Black's claim for the last ply at which Black may make it: Black sees what White has done.
5. The symbolic square stands right of all choices of Black's: the board is looked at after them.

A bit of a number that can have one value only means nothing, like every variable that the layout
gives no role: a choice of whoever chooses it, without a place in the order.  A variable that no
gate of the output needs can stand anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.arithmetic import width_for
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.validation.finding import Finding

_BEFORE_ALL = -1


@dataclass(frozen=True, slots=True)
class Role:
    """Literals of the formula that mean one thing.

    ``what`` is "ply 2", "stop of ply 2", "claim of a goal" or "the symbolic square", for which
    ``player`` is ``None``.
    """

    player: Player | None
    what: str
    literals: Bits

    @property
    def name(self) -> str:
        """The name of the role in a finding."""
        return self.what if self.player is None else f"{self.player}'s {self.what}"

    @property
    def chooser(self) -> Quantifier:
        """The quantifier that its variables must have."""
        return Quantifier.EXISTS if self.player is Player.BLACK else Quantifier.FORALL

    @property
    def variables(self) -> Bits:
        """The variables, without signs."""
        return tuple(map(abs, self.literals))


@dataclass(frozen=True)
class Prefix:
    """A prefix, read by the roles that the layout claims.

    ``moves`` and ``stops`` are by ply, of the game's plies alone; ``claims`` are the goals that
    each player claims.  ``meaningless`` are literals of the layout without meaning.  ``findings``
    is empty when all that the module's docstring asks for is so.
    """

    formula: Qbf
    moves: Mapping[int, Role]
    stops: Mapping[int, Role]
    claims: Mapping[Player, Role]
    square: Role
    meaningless: Bits
    findings: tuple[Finding, ...] = field(default=())

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """All choices of the players, ply by ply; the symbolic square is none."""
        plies = sorted(self.moves)
        both = [*(self.moves[ply] for ply in plies), *(self.stops[ply] for ply in plies)]
        return (*both, *self.claims.values())

    @cached_property
    def scripted(self) -> frozenset[int]:
        """The variables that a scripted play fixes."""
        return frozenset(v for role in self.roles for v in role.variables)

    @cached_property
    def needed(self) -> frozenset[int]:
        """The variables of the prefix that some gate of the output reads."""
        return needed_variables(self.formula)

    @cached_property
    def levels(self) -> dict[int, int]:
        """The level of each variable that is needed: only these have a place in the order."""
        return {v: level for v, level in self.formula.levels().items() if v in self.needed}

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The universal variables without a role, in the order of the prefix."""
        known = self.scripted | set(self.square.variables)
        return tuple(v for v in self.formula.variables(Quantifier.FORALL) if v not in known)

    @cached_property
    def helpers(self) -> tuple[int, ...]:
        """The existential variables without a role, in the order of the prefix."""
        return tuple(v for v in self.formula.variables(Quantifier.EXISTS) if v not in self.scripted)

    @cached_property
    def shared(self) -> frozenset[int]:
        """The helpers that have one value for all squares: left of each bit of the square."""
        square = [self.levels[v] for v in self.square.variables if v in self.levels]
        first = min(square, default=len(self.formula.scopes))
        return frozenset(v for v in self.helpers if self.levels.get(v, _BEFORE_ALL) < first)

    def known_at(self, variable: int) -> int:
        """The level such that whatever stands right of it may depend on ``variable``.

        A universal variable is known right of its own place.  A choice of Black's is known right
        of what Black's strategy looks at: White's bits of earlier plies.
        """
        for role in self.roles:
            if role.player is Player.BLACK and variable in role.variables:
                return max((self._last(r) for r in self._seen_by(role)), default=_BEFORE_ALL)
        return self.levels.get(variable, _BEFORE_ALL)

    def _seen_by(self, role: Role) -> list[Role]:
        """White's bits that a choice of Black's depends on."""
        last = next(
            (p for by_ply in (self.moves, self.stops) for p, r in by_ply.items() if r is role),
            self._last_claim(Player.BLACK),
        )
        return [r for ply, r in self.moves.items() if ply < last and r.player is Player.WHITE]

    def _last_claim(self, player: Player) -> int:
        """The last ply at which a player may claim a goal; 0 where there is none.

        A stop is a claim; so is Black's last ply of the game.
        """
        stopping = [p for p, r in self.stops.items() if r.player is player and r.literals]
        last = max(self.moves, default=0)
        if last and player is Player.BLACK and self.moves[last].player is player:
            stopping.append(last)
        return max(stopping, default=0)

    def _last(self, role: Role) -> int:
        return max((self.levels.get(v, _BEFORE_ALL) for v in role.variables), default=_BEFORE_ALL)

    # -- The order --------------------------------------------------------------------------

    def disorder(self) -> Iterator[Finding]:
        """Choices that stand where they see too much, or too little."""
        white_stops = self._last_claim(Player.WHITE)
        for ply, mine in self.moves.items():
            if mine.player is not Player.BLACK:
                continue
            hidden = [
                role
                for later in self.moves
                if later > ply
                for role in (self.moves[later], self.stops[later])
                if role.player is Player.WHITE
            ]
            if white_stops > ply:
                hidden.append(self.claims[Player.WHITE])
            for theirs in hidden:
                yield from self._not_right(
                    mine, theirs, f"the formula's {Player.BLACK} sees a choice that comes later"
                )
        for mine in self.roles:
            if mine.player is not Player.BLACK:
                continue
            for theirs in self._seen_by(mine):
                yield from self._not_right(
                    theirs, mine, f"the formula's {Player.BLACK} does not see an earlier choice"
                )
            yield from self._not_right(
                mine, self.square, f"the formula's {Player.BLACK} sees which square is looked at"
            )

    def _not_right(self, first: Role, second: Role, so: str) -> Iterator[Finding]:
        """The finding that some variable of ``first`` stands right of one of ``second``."""
        early = [v for v in second.variables if v in self.levels]
        start = min((self.levels[v] for v in early), default=len(self.formula.scopes))
        late = [v for v in first.variables if self.levels.get(v, _BEFORE_ALL) > start]
        if late:
            end = max(self.levels[v] for v in late)
            early = [v for v in early if self.levels[v] < end]
            text = (
                f"{first.name} ({self.placed(late)}) stands right of "
                f"{second.name} ({self.placed(early)}): {so}"
            )
            yield _finding(FindingKind.PREFIX_DIFFERS, text)

    def placed(self, variables: Sequence[int]) -> str:
        """Variables and where they stand (blocks count from 1)."""
        blocks = sorted({self.levels[v] + 1 for v in variables})
        names = " ".join(self.formula.name(v) for v in variables)
        kind = "block" if len(blocks) == 1 else "blocks"
        return f"{names} in {kind} {' '.join(map(str, blocks))}"


def needed_variables(formula: Qbf) -> frozenset[int]:
    """The variables of the prefix that the output reads, through gates of any depth."""
    seen: set[int] = set()
    open_ends = [abs(formula.output)]
    while open_ends:
        variable = open_ends.pop()
        if variable not in seen:
            seen.add(variable)
            gate = formula.gates.get(variable)
            open_ends.extend(() if gate is None else map(abs, gate.inputs))
    return frozenset(seen & formula.quantifiers().keys())


def read_prefix(formula: Qbf, layout: Layout, game: BddlGame) -> Prefix:
    """The roles that the layout claims, with the findings against it and against the prefix."""
    wrong = tuple(_wrong_game(layout, game))
    prefix = _roles(formula, layout, game)
    if wrong:
        return replace(prefix, findings=wrong)
    wrong = (*_unsayable(layout, game), *_misplaced(prefix))
    # Without a meaning of its own for each variable their order means nothing, either.
    return replace(prefix, findings=wrong or tuple(prefix.disorder()))


def _finding(kind: FindingKind, text: str) -> Finding:
    return Finding(kind, 0, text)


def _axes(move: Ply, layout: Layout) -> tuple[tuple[str, Bits, int], ...]:
    """The numbers of a ply: name, bits, and how many values mean something."""
    width, height = layout.state.size
    # Names that occur twice are one action.
    return (
        ("action", move.action, len(set(layout.actions[move.player]))),
        ("x", move.x, width),
        ("y", move.y, height),
    )


def _roles(formula: Qbf, layout: Layout, game: BddlGame) -> Prefix:
    moves: dict[int, Role] = {}
    stops: dict[int, Role] = {}
    meaningless: list[int] = []
    for move in layout.moves[: game.plies]:
        axes = _axes(move, layout)
        bits = tuple(bit for _, bits, values in axes if values > 1 for bit in bits)
        meaningless += [bit for _, bits, values in axes if values <= 1 for bit in bits]
        stop = () if move.stop is None else (move.stop,)
        moves[move.ply] = Role(move.player, f"ply {move.ply}", bits)
        stops[move.ply] = Role(move.player, f"stop of ply {move.ply}", stop)
    square: list[int] = []
    for axis in layout.state.axes:
        (square if axis.size > 1 else meaningless).extend(axis.bits)
    claimed = {p: tuple(bit for bits in layout.goals.claim(p) for bit in bits) for p in Player}
    claims = {p: Role(p, "claim of a goal", bits) for p, bits in claimed.items()}
    symbolic = Role(None, "the symbolic square", tuple(square))
    return Prefix(formula, moves, stops, claims, symbolic, tuple(meaningless))


def _wrong_game(layout: Layout, game: BddlGame) -> Iterator[Finding]:
    """The findings about the layout's board, plies, players and actions, against the game."""
    problem = game.model.problem
    texts = []
    width, height = layout.state.size
    if (width, height) != (problem.width, problem.height):
        texts.append(
            f"the layout's board is {width}x{height}, the game's {problem.width}x{problem.height}"
        )
    if len(layout.moves) < game.plies:
        texts.append(f"the layout has {len(layout.moves)} plies, the game {game.plies}")
    for number, move in enumerate(layout.moves, start=1):
        if move.ply != number:
            texts.append(f"the layout calls ply {number} ply {move.ply}")
        player = game.model.player_at(number)
        if number <= game.plies and move.player is not player:
            texts.append(f"the layout gives ply {number} to {move.player}, the rules to {player}")
    if game.plies:
        for player in Player:
            names = layout.actions[player]
            texts += [
                f"the layout has no action {action.name} of {player}'s"
                for action in game.model.domain.actions(player)
                if action.name not in names
            ]
    return (_finding(FindingKind.LAYOUT_DIFFERS, text) for text in texts)


def _unsayable(layout: Layout, game: BddlGame) -> Iterator[Finding]:
    """Numbers of a ply that its bits are too few for."""
    for move in layout.moves[: game.plies]:
        for name, bits, values in _axes(move, layout):
            if width_for(values) > len(bits):
                text = (
                    f"ply {move.ply} has {len(bits)} {name} bit{'s' * (len(bits) != 1)} "
                    f"for {values} values: some moves have no code"
                )
                yield _finding(FindingKind.LAYOUT_DIFFERS, text)


def _misplaced(prefix: Prefix) -> Iterator[Finding]:
    """Roles of gates, of variables that have another role, and of the wrong quantifier."""
    formula = prefix.formula
    quantifiers = formula.quantifiers()
    seen: dict[int, Role] = {}
    for role in (*prefix.roles, prefix.square):
        for variable in role.variables:
            name = formula.name(variable)
            if variable in seen:
                other = seen[variable]
                text = f"variable {name} is {role.name}"
                text += " twice" if role is other else f", and {other.name} as well"
                yield _finding(FindingKind.LAYOUT_DIFFERS, text)
            seen[variable] = role
            quantifier = quantifiers.get(variable)
            if quantifier is None:
                text = f"{role.name} ({name}) is a gate, which nobody chooses"
                yield _finding(FindingKind.LAYOUT_DIFFERS, text)
            elif quantifier is not role.chooser and variable in prefix.needed:
                kinds = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}
                text = (
                    f"{role.name} ({prefix.placed((variable,))}) is "
                    f"{kinds[quantifier]}, expected {kinds[role.chooser]}"
                )
                yield _finding(FindingKind.PREFIX_DIFFERS, text)
