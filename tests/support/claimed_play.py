"""A play of a positional game, as an encoding's completions and variables see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.encoding import Encoding, Goals, PlyLiterals
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player

BLACK, WHITE = Player.BLACK, Player.WHITE


@dataclass
class ClaimedPlay:
    """A number for each ply, with what comes of it by the rules.

    Illegal moves claim nothing.  ``winner`` is the first to reach a goal, White when nobody does;
    ``stones`` are the black and the white positions before each ply and in the end, as they are
    as long as the play goes on.
    """

    encoding: Encoding
    numbers: Sequence[int]
    winner: Player = field(init=False)
    won_after: int = field(init=False)
    stones: list[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        model = self.model
        black, white = model.black, model.white
        self.stones = [(black, white)]
        self.winner, self.won_after = WHITE, len(self.numbers)
        over = model.won_by_black(black)
        if over:
            self.winner, self.won_after = BLACK, 0
        over |= model.won_by_white(white)
        for table, number in zip(self.encoding.layout.moves, self.numbers, strict=True):
            bit = model.mask([table.moves[number]]) if number < len(table.moves) else 0
            bit &= ~(black | white)
            if table.player is BLACK:
                black |= bit
                if not over and model.won_by_black(black):
                    self.winner, self.won_after, over = BLACK, table.ply, True
            else:
                white |= bit
                over |= model.won_by_white(white)
            self.stones.append((black, white))

    @property
    def model(self) -> PositionalModel:
        """The model of the encoding, which may have fewer plies than the one it was made of."""
        assert isinstance(self.encoding.model, PositionalModel)
        return self.encoding.model

    @property
    def moves(self) -> list[int]:
        """The literals that fix the moves: bits of numbers, or one true one of each ply's."""
        literals: list[int] = []
        for table, number in zip(self.encoding.layout.moves, self.numbers, strict=True):
            if not table.coding.numbers:
                literals += [x if k == number else -x for k, x in enumerate(table.variables)]
            else:
                text = f"{number:0{len(table.variables)}b}" if table.variables else ""
                literals += [
                    x if sign == "1" else -x for x, sign in zip(table.variables, text, strict=True)
                ]
        return literals

    def defined(self) -> dict[int, bool]:
        """All variables, when Black stops as soon as the play is won."""
        play = _Literals(self)
        values = self.encoding.completions[BLACK](play)
        assert set(values.values()) <= {TRUE, FALSE}
        mine = {v: literal == TRUE for v, literal in values.items()}
        return {**mine, **{v: literal == TRUE for v, literal in play.literals.items()}}


class _Literals:
    """The play as constants of a graph; no move is made behind a stop."""

    def __init__(self, claimed: ClaimedPlay) -> None:
        self.builder = AigBuilder()
        self.hero = BLACK
        plies: list[PlyLiterals] = []
        literals: dict[int, int] = {}
        self.plies: Sequence[PlyLiterals] = plies
        self.literals: Mapping[int, int] = literals
        signs = {abs(x): TRUE if x > 0 else FALSE for x in claimed.moves}
        for table, number in zip(claimed.encoding.layout.moves, claimed.numbers, strict=True):
            stops = table.stop is not None and claimed.winner is BLACK
            stops = stops and claimed.won_after < table.ply
            variables = {v: signs[v] for v in table.variables}
            made = [TRUE if k == number and not stops else FALSE for k in range(len(table.moves))]
            if stops:
                variables.update(dict.fromkeys(() if table.coding.numbers else variables, FALSE))
            if table.stop is not None:
                variables[abs(table.stop)] = TRUE if stops is (table.stop > 0) else FALSE
            stop = TRUE if stops else FALSE
            plies.append(PlyLiterals(table.player, (), stop, variables, partial(list, made)))
            literals.update(variables)

    def witness(self, value: Callable[[Goals], int], width: int) -> tuple[int, ...]:
        raise AssertionError("these encodings ask for no witness")


def random_play(random: Random, encoding: Encoding, *, black_legal: bool) -> ClaimedPlay:
    """Black mostly claims open positions, or always; White writes any number."""
    model = encoding.model
    assert isinstance(model, PositionalModel)
    taken = model.black | model.white
    numbers: list[int] = []
    for table in encoding.layout.moves:
        if table.player is BLACK and (black_legal or random.random() < 0.9):
            names = [k for k, name in enumerate(table.moves) if not model.mask([name]) & taken]
            number = random.choice(names)
        else:
            width = len(table.variables)
            number = random.randrange(1 << width if table.coding.numbers else width)
        numbers.append(number)
        if number < len(table.moves):
            taken |= model.mask([table.moves[number]])
    return ClaimedPlay(encoding, numbers)


def truth_of(values: Mapping[int, bool], encoding: Encoding) -> bool:
    """The matrix under total values."""
    return encoding.qbf.truth(values)
