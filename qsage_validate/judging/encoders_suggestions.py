"""What an encoder of this package suggests, loaded for other games than those on a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.decision import first_true
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import Goals, PlayLiterals, PlyLiterals, completed
from qsage_validate.encodings.layout import Bits, Layout, Ply, value_bits
from qsage_validate.games.protocol import Player
from qsage_validate.judging.codes import BLACK, Cover
from qsage_validate.judging.sandwich import Scripts
from qsage_validate.judging.suggestions import NO_CODES, NoSuggestions
from qsage_validate.kernel.reading import Matcher, PlyReading, WalkPly

if TYPE_CHECKING:
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.games.positional.model import PositionalModel


@dataclass(frozen=True)
class _LiteralPlay:
    """A play in literals, as completions see it (``PlayLiterals``)."""

    builder: AigBuilder
    plies: Sequence[PlyLiterals]
    literals: Mapping[int, int]
    goals: Callable[[], Sequence[tuple[Goals, int]]]
    hero: Player = BLACK

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """The number about the first goal that Black has reached in the end."""
        bits: list[int] = [FALSE] * width
        for goals, first in self.goals():
            for place, one in enumerate(value_bits(value(goals), width)):
                if one:
                    bits[place] = self.builder.or_(bits[place], first)
        return tuple(bits)


class EncodersSuggestions(NoSuggestions):
    """The values that an encoder of this package gives to Black's helpers.

    In COVER, White names positions of the cover only, or none: the script chooses a move of the
    rules, and the formula's variables are given what COVER calls it, a function of the play so far.
    """

    def __init__(self, layout: Layout, encoding: Encoding) -> None:
        super().__init__()
        self.layout = layout
        self.encoding = encoding

    def begin(self, script: Scripts) -> None:
        super().begin(script)
        self._plies: list[PlyLiterals] = []
        self._first_black: Mapping[str, int] = {}
        self._last: WalkPly | None = None

    def own(self, ply: PlyReading) -> Mapping[int, int]:
        """After a win what certificates that are compiled have there."""
        script, one = self.script, self.layout.moves[ply.ply - 1]
        over = script.over
        if not script.half:
            return NO_CODES
        fresh = [v for v in dict.fromkeys(map(abs, ply.literals)) if v not in script.literals]
        own = {v: script.input(script.known_after(v)) for v in fresh}
        builder = script.builder
        if one.stop is None and one.coding.numbers and over != FALSE:
            state = script.rules.initial if self._last is None else self._last.after
            can = dict(
                zip(script.rules.moves(ply.ply), script.rules.legal(state, ply.ply), strict=True)
            )
            instead = first_true(builder, [can.get(move, FALSE) for move in one.moves])
            fallback = self._code(one, instead)
            own = {v: builder.ite(over, fallback.get(v, FALSE), x) for v, x in own.items()}
        elif not one.coding.numbers:
            own = {v: builder.and_(x, over ^ 1) for v, x in own.items()}
        if one.stop is not None and abs(one.stop) not in script.literals:
            own[abs(one.stop)] = over ^ (one.stop < 0)
        return own

    def _code(self, ply: Ply, made: Sequence[int]) -> dict[int, int]:
        """The values of a ply's variables that say the one move which is made."""
        found: dict[int, list[int]] = {}
        for move, literal in zip(ply.moves, made, strict=True):
            for variable, value in ply.coding.encode(move).items():
                found.setdefault(variable, []).extend([literal] * value)
        return {v: self.script.builder.or_all(literals) for v, literals in found.items()}

    def step(self, step: WalkPly, won: Mapping[Player, int]) -> None:
        self._last = step
        if step.reading is None or not self.script.half:
            return
        script, one = self.script, self.layout.moves[step.ply - 1]
        stops = step.player is BLACK and one.stop is not None
        stop = script.bits([one.stop])[0] if stops and one.stop is not None else FALSE
        said = [script.builder.and_(step.codes.get(m, FALSE), stop ^ 1) for m in one.moves]
        numbers = [tuple(script.bits(number.bits)) for number in one.coding.numbers]
        known = {
            abs(v): script.literals[abs(v)] for v in one.all_variables if abs(v) in script.literals
        }
        self._plies.append(PlyLiterals(step.player, numbers, stop, known, lambda: said))

    def _goals(self, model: PositionalModel) -> list[tuple[Goals, int]]:
        """Black's winning sets, each with the literal that it is the first that Black has."""
        from qsage_validate.games.positional.hex import with_winning_sets

        builder, rules = self.script.builder, self.script.rules
        wins = with_winning_sets(model).black_wins
        state = rules.initial if self._last is None else self._last.after
        atoms = rules.atoms(state, rules.plies)
        stones = [atoms[f"black {name}"] for name in model.positions]
        found = first_true(builder, completed(builder, wins, stones))
        return [(frozenset({win}), first) for win, first in zip(wins, found, strict=True)]

    def functions(self) -> Mapping[int, int]:
        from qsage_validate.games.positional.model import PositionalModel

        script, model = self.script, self.encoding.model
        if not script.half:
            return {}

        def goals() -> Sequence[tuple[Goals, int]]:
            return self._goals(model) if isinstance(model, PositionalModel) else ()

        other = self.encoding.qbf.variables(Quantifier.FORALL)
        literals = {**dict.fromkeys(other, FALSE), **script.literals}
        play: PlayLiterals = _LiteralPlay(script.builder, self._plies, literals, goals)
        values = self.encoding.completions[BLACK](play)
        # In clausal form gates are variables, with the numbers of the gates.
        gates = {**literals, **values}
        self.encoding.qbf.add_to(script.builder, gates)
        return {**gates, **values}

    # -- COVER ------------------------------------------------------------------------------

    def renames(self, ply: PlyReading) -> bool:
        from qsage_validate.games.positional.cover_game import OUT_OF_COVER

        return not self.script.half and OUT_OF_COVER in self.layout.moves[ply.ply - 1].moves

    def renamed(self, ply: PlyReading) -> Sequence[int]:
        from qsage_validate.games.positional.cover_game import OUT_OF_COVER, in_the_cover

        script, one = self.script, self.layout.moves[ply.ply - 1]
        bits = [script.input() for _ in ply.literals]
        match = Matcher(script.builder, bits)
        cover = self._covered()
        for variable in one.coding.variables:
            script.literals[abs(variable)] = FALSE
        for name, (pattern,) in ply.codes.items():
            chosen = match(pattern)
            inside = cover.get(name, FALSE)
            for text, so in ((in_the_cover(name), inside), (OUT_OF_COVER, inside ^ 1)):
                here = script.builder.and_(chosen, so)
                code = one.coding.encode(text) if one.coding.can_say(text) else {}
                for variable in (v for v, value in code.items() if value):
                    own = script.literals[variable]
                    script.literals[variable] = script.builder.or_(own, here)
        return bits

    def _covered(self) -> Mapping[str, int]:
        """For each position the literal that it is in the cover of Black's first stones."""
        from qsage_validate.games.positional.model import PositionalModel

        script, model = self.script, self.encoding.model
        if not isinstance(model, PositionalModel):
            return {}
        if not self._first_black:
            last = self._last
            state = script.rules.initial if last is None else last.after
            atoms = script.rules.atoms(state, 0 if last is None else last.ply)
            self._first_black = {name: atoms[f"black {name}"] for name in model.positions}
        return Cover(model).around(self._first_black, script.builder.or_all)
