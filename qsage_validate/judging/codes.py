"""The moves of a formula: the variables of each ply, and the values that say each move.

A layout is believed in nothing else here, and what it says is a claim: with a wrong one a proof
fails, or is a proof all the same.  Bits that mean nothing (of the only action, of an axis of length
1) are no variables of a ply, nor are stops, claims and indicators: they are the formula's business.

The cover are the shapes around Black's stones after Black's first move, so that what a move is
called depends on the play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import InputError, UsageError
from qsage_validate.games.languages import model_from_parts
from qsage_validate.games.masks import members
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.player import FindingKind
from qsage_validate.kernel.reading import PlyReading
from qsage_validate.kernel.strategy import constants
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.proofs import reading_of

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel


# What COVER calls White's moves: each position of the cover, and one move for all the others


class Cover:
    """The covers of a game on positions."""

    def __init__(self, model: PositionalModel) -> None:
        from qsage_validate.games.positional.cover_game import shapes_of
        from qsage_validate.games.positional.hex import with_winning_sets

        self._model = with_winning_sets(model)
        self._shapes = shapes_of(self._model)

    def around(
        self, black: Mapping[str, int], any_of: Callable[[Iterable[int]], int]
    ) -> dict[str, int]:
        """For each position whether it is in the cover, by where Black's stones are.

        Both are truth values, or literals, of which ``any_of`` makes a disjunction.
        """
        names = self._model.positions
        around: dict[str, list[int]] = {name: [] for name in names}
        for shape in self._shapes:
            own = [names[v] for v in members(shape)]
            touched = any_of([black[name] for name in own])
            for name in own:
                around[name].append(touched)
        return {name: any_of(touched) for name, touched in around.items()}

    def called(self, move: str, before: Sequence[str]) -> str:
        """The name of White's move after a play that Black has begun."""
        from qsage_validate.games.positional.cover_game import OUT_OF_COVER, in_the_cover

        names, stones = self._model.positions, self._model.black
        black = {name: name in before[:1] or stones >> v & 1 for v, name in enumerate(names)}
        inside = self.around(black, any).get(move, False)
        return in_the_cover(move) if inside else OUT_OF_COVER


def cover_of(layout: Layout) -> Cover | None:
    """The covers of the layout's game, where its moves are called by them."""
    if layout.game != "positional":
        return None
    from qsage_validate.games.positional.cover_game import OUT_OF_COVER
    from qsage_validate.games.positional.model import PositionalModel

    if not any(OUT_OF_COVER in ply.moves for ply in layout.moves):
        return None
    try:
        model = model_from_parts(layout.game, layout.model)
        return Cover(model) if isinstance(model, PositionalModel) else None
    except (InputError, UsageError):
        return None  # without the model nobody knows what the names mean


# The moves of a formula: the variables of each ply, and the values that say each move


BLACK, WHITE = Player.BLACK, Player.WHITE
LEFT: Final = -1
"""A level left of the whole prefix."""
CHOOSERS: Final[Mapping[Player, Quantifier]] = {BLACK: Quantifier.EXISTS, WHITE: Quantifier.FORALL}
NO_STOPS: Final[Mapping[int, int]] = {}
_KINDS: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


class Codes:
    """The first ``plies`` plies of a layout, as far as they say moves.

    ``readings`` are the plies; ``variables`` those of each that the formula quantifies;
    ``owned[k]`` says that they have, at ply ``k + 1``, the quantifier of the ply's player.
    ``levels`` is the level in the prefix of each variable that the output needs.

    With ``going_on`` a ply says as well that nobody has stopped before it, where the layout names
    variables for that (``stops``).
    """

    def __init__(self, formula: Qbf, layout: Layout, plies: int, *, going_on: bool = False) -> None:

        self.formula = formula
        self.layout = layout
        self.constants = constants(formula)
        self.readings = tuple(map(_meaningful, reading_of(layout).plies[:plies]))
        self.quantifiers = formula.quantifiers()
        needed = needed_variables(formula)
        self.levels = {v: level for v, level in formula.levels().items() if v in needed}
        self.variables = [
            tuple(dict.fromkeys(v for v in map(abs, ply.literals) if v in self.quantifiers))
            for ply in self.readings
        ]
        self.stops = self._stops()
        if going_on:
            self.variables = [
                (*own, *stops) for own, stops in zip(self.variables, self.stops, strict=True)
            ]
        self._going_on = going_on
        self.ply_of = {v: k for k, own in enumerate(self.variables, 1) for v in own}
        self.owned = [
            all(self.quantifiers[v] is CHOOSERS[ply.player] for v in own if v in self.levels)
            for ply, own in zip(self.readings, self.variables, strict=True)
        ]
        self._cover = cover_of(layout)
        self._known: list[dict[str, Mapping[int, bool] | None]] = [{} for _ in self.readings]

    # -- values -----------------------------------------------------------------------------

    @property
    def depend_on_the_play(self) -> bool:
        """True if what a move is called depends on the moves before it."""
        return self._cover is not None

    def values(self, before: Sequence[str], move: str) -> Mapping[int, bool] | None:
        """The values that say a move after a play, of the next ply's variables, or ``None``."""
        ply, known = self.readings[len(before)], self._known[len(before)]
        if self._cover is not None:
            from qsage_validate.games.positional.cover_game import OUT_OF_COVER

            if OUT_OF_COVER in ply.codes:
                move = self._cover.called(move, before)
        if move not in known:
            found = self._values(ply, move)
            going = self.stops[len(before)] if self._going_on else {}
            known[move] = None if found is None else {**going, **found}
        return known[move]

    def _stops(self) -> list[dict[int, bool]]:
        """For each ply the values which say that the play goes on to it.

        The player before has not stopped, and with stops in a ply's place its own player has not.
        """
        moves = {v for own in self.variables for v in own}
        found: list[dict[int, bool]] = [{} for _ in self.readings]
        for k, ply in enumerate(self.readings):
            at = k if ply.stop_instead else k + 1
            if ply.stop is None or at >= len(found):
                continue
            variable = abs(ply.stop)
            if variable in self.quantifiers and variable not in moves:
                found[at][variable] = ply.stop < 0
        return found

    def stops_seen_by(self, player: Player) -> dict[int, int]:
        """The literals that say that the other player stops, each with the ply behind which.

        They are that player's choices, and stand left of the later moves of ``player``, who sees
        them.
        """
        known = {v for stops in self.stops for v in stops if v in self.levels}
        found: dict[int, int] = {}
        for ply in self.readings:
            at, variable = ply.ply - ply.stop_instead, abs(ply.stop or 0)
            if ply.stop is None or variable not in known or ply.player is player:
                continue
            later = (v for v, k in self.ply_of.items() if k > at and v in self.levels)
            own = (v for v in later if self.readings[self.ply_of[v] - 1].player is player)
            chosen = self.quantifiers[variable] is CHOOSERS[ply.player]
            if chosen and all(self.levels[v] >= self.levels[variable] for v in own):
                found[ply.stop] = at
        return found

    def _values(self, ply: PlyReading, move: str) -> Mapping[int, bool] | None:
        for pattern in ply.codes.get(move, ()):
            values: dict[int, bool] = {}
            fits = True
            for literal, value in zip(ply.literals, pattern, strict=True):
                bit, variable = bool(value) != (literal < 0), abs(literal)
                known = self.constants.get(variable)
                fits &= known is None or known is bit
                fits &= values.setdefault(variable, bit) is bit
            if fits:
                return {v: x for v, x in values.items() if v in self.quantifiers}
        return None

    def of_play(self, moves: Sequence[str]) -> dict[int, bool]:
        """The values that say a play, as far as its moves have codes."""
        found: dict[int, bool] = {}
        for made, move in enumerate(moves[: len(self.readings)]):
            found.update(self.values(moves[:made], move) or {})
        return found

    # -- what cannot be so ------------------------------------------------------------------

    def misread(self, movers: Sequence[Player]) -> Iterator[Finding]:
        """Plies of the wrong player, and variables that are none or are said to be two things."""
        seen: dict[int, PlyReading] = {}
        for number, (ply, mover) in enumerate(zip(self.readings, movers, strict=False), start=1):
            if ply.ply != number:
                yield _differs(f"the layout calls ply {number} ply {ply.ply}")
            if ply.player is not mover:
                yield _differs(
                    f"the layout gives ply {number} to {ply.player}, the rules to {mover}"
                )
            for variable in map(abs, ply.literals):
                name, what = self.formula.name(variable), f"{ply.player}'s ply {ply.ply}"
                if variable in self.constants:
                    continue
                if variable in seen:
                    other = seen[variable]
                    also = "twice" if other is ply else f"and {what} as well"
                    yield _differs(f"variable {name} is {other.player}'s ply {other.ply}, {also}")
                seen[variable] = ply
                if variable not in self.quantifiers:
                    yield _differs(f"{what} ({name}) is a gate, which nobody chooses")

    def disorder(self, half: bool) -> str:
        """Why a half cannot be shown on whole scripts: the prefix is in another order.

        The strategy that is composed with the helpers' functions is White's where Black is to lose
        (``half`` is false), else Black's: its choices must stand right of all that it looks at.
        """
        player = BLACK if half else WHITE
        for variable, ply in self.ply_of.items():
            own, level = self.readings[ply - 1], self.levels.get(variable)
            if level is None:
                continue
            found, expected = self.quantifiers[variable], CHOOSERS[own.player]
            if found is not expected:
                return f"{self._placed(variable)} is {_KINDS[found]}, expected {_KINDS[expected]}"
            if own.player is not player:
                continue
            for other in self._seen(ply, player):
                if self.levels.get(other, LEFT) > level:
                    sees = "does not see an earlier choice" if half else "sees a later choice"
                    return (
                        f"{self._placed(variable)} stands left of {self._placed(other)}: the "
                        f"formula's {BLACK} {sees}"
                    )
        return ""

    def _placed(self, variable: int) -> str:
        ply = self.readings[self.ply_of[variable] - 1]
        name, block = self.formula.name(variable), self.levels[variable] + 1
        return f"{ply.player}'s ply {ply.ply} ({name} in block {block})"

    def known_after(self, variable: int, stops: Mapping[int, int] = NO_STOPS) -> int:
        """The level such that what stands right of it may depend on a choice of the strategy's.

        The choice is a function of the other player's earlier ones, with the ``stops``.
        """
        ply = self.ply_of[variable]
        seen = self._seen(ply, self.readings[ply - 1].player, stops)
        return max((self.levels.get(other, LEFT) for other in seen), default=LEFT)

    def _seen(self, ply: int, player: Player, stops: Mapping[int, int] = NO_STOPS) -> Iterator[int]:
        """The variables that a player's strategy looks at at a ply."""
        for other, earlier in self.ply_of.items():
            if earlier < ply and self.readings[earlier - 1].player is not player:
                yield other
        yield from (abs(literal) for literal, at in stops.items() if at < ply)


def _meaningful(ply: PlyReading) -> PlyReading:
    """The ply without the literals that mean nothing, whatever the move."""
    patterns = [pattern for own in ply.codes.values() for pattern in own]
    kept = [k for k in range(len(ply.literals)) if any(p[k] is not None for p in patterns)]
    if len(kept) == len(ply.literals):
        return ply
    codes = {
        move: [tuple(pattern[k] for k in kept) for pattern in own]
        for move, own in ply.codes.items()
    }
    literals = tuple(ply.literals[k] for k in kept)
    return PlyReading(ply.ply, ply.player, literals, codes, ply.stop, ply.stop_instead)


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


def _differs(text: str) -> Finding:
    return Finding(FindingKind.LAYOUT_DIFFERS, 0, text)
