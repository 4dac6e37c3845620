"""Ways to write a move in bits: numbers in an order, actions with coordinates, a bit a move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Final

from qsage_validate.encodings.encoding import width_for
from qsage_validate.encodings.layout.codings import (
    Bits,
    GridCoding,
    MoveCoding,
    Number,
    NumberedCoding,
    OneHotCoding,
    value_bits,
)
from qsage_validate.games.protocol import Player
from qsage_validate.judging.readings.sketch import Parts, Sketch

Pattern = tuple[bool, ...]

_MOST_LITERALS: Final = 512

LSB: Final = ", least significant bit first"
"""How the words of a style end whose numbers begin with their least significant bit."""


@dataclass(frozen=True)
class Code:
    """A way in which the moves of a player are written in ``width`` bits.

    ``patterns[move]`` are the bits in the order in which their variables stand in the formula;
    ``places`` has for each of the coding's literals its place there: the most significant bit of
    each number first.  ``numbers`` are the sizes of the numbers, action first, where moves are
    actions on a grid; else ``texts`` is the list that is numbered, ``None`` where a number has no
    move, or has a literal for each move.
    """

    words: str
    patterns: Mapping[str, Pattern] = field(compare=False)
    places: tuple[int, ...]
    texts: tuple[str | None, ...] = ()
    one_hot: bool = False
    grid: tuple[tuple[str, ...], tuple[int, int], tuple[int, int]] | None = None

    @property
    def width(self) -> int:
        return len(self.places)

    def fixed(self, variables: Sequence[int], move: str) -> dict[int, bool]:
        """The values of ``variables``, in the formula's order, that say ``move``."""
        return dict(zip(variables, self.patterns[move], strict=True))

    def coding(self, variables: Sequence[int]) -> MoveCoding:
        bits: Bits = tuple(variables[place] for place in self.places)
        if self.one_hot:
            return OneHotCoding(tuple(text for text in self.texts if text is not None), bits)
        if self.grid is not None:
            actions, (width, height), (x, y) = self.grid
            rest = len(bits) - x - y
            return GridCoding(
                actions,
                bits[:rest],
                Number(bits[rest : rest + x], width),
                Number(bits[rest + x :], height),
            )
        named = [f"@{k}" if text is None else text for k, text in enumerate(self.texts)]
        return NumberedCoding(tuple(named), bits)


@dataclass(frozen=True)
class MoveStyle:
    """A way to write moves that both players share; a player without plies has no code."""

    words: str
    codes: Mapping[Player, Code]
    rank: int = 0
    """How unusual it is: usual ones are tried first."""


def styles(sketch: Sketch, *, ordered: bool = True) -> list[MoveStyle]:
    """All styles, the usual ones first; without ``ordered`` one for each that bits permute."""
    found: dict[object, MoveStyle] = {}
    for style in _styles(sketch, ordered):
        key = tuple(
            (player, tuple(sorted(code.patterns.items())))
            for player, code in sorted(style.codes.items(), key=lambda pair: pair[0].value)
        )
        if key not in found or style.rank < found[key].rank:
            found[key] = style
    return sorted(found.values(), key=lambda style: style.rank)


def _styles(sketch: Sketch, ordered: bool) -> Iterator[MoveStyle]:
    players = sorted(set(sketch.movers), key=lambda player: player.value)
    orders = list(_orders(sketch, players))
    # What is written alike is called by its coordinates in games on a grid.
    yield from _on_squares(sketch, players, ordered)
    for rank, (words, lists) in enumerate(orders):
        for first, lsb in product((0, 1), (False, True) if ordered else (False,)):
            codes = {player: _numbered(lists[player], first, lsb) for player in players}
            text = f"numbers {words}" + (", from 1" if first else "") + _significance(lsb)
            yield MoveStyle(text, codes, 4 * rank + 2 * first + lsb)
    for rank, (words, lists) in enumerate(orders):
        if max(map(len, lists.values()), default=0) <= _MOST_LITERALS:
            codes = {player: _one_hot(lists[player]) for player in players}
            yield MoveStyle(f"one variable for each move, {words}", codes, 6 + rank)


def _significance(lsb: bool) -> str:
    return LSB if lsb else ""


def _orders(
    sketch: Sketch, players: Sequence[Player]
) -> Iterator[tuple[str, dict[Player, tuple[str, ...]]]]:
    """Orders in which moves may be listed, with words for them."""
    own = {player: sketch.moves[player] for player in players}
    orders = {"in the game's order": own}
    parts = {player: sketch.parts(player) for player in players}
    if all(found is not None for found in parts.values()):
        known = {player: found or {} for player, found in parts.items()}

        def by(player: Player, row_first: bool) -> tuple[str, ...]:
            actions = list(dict.fromkeys(p.action for p in known[player].values()))

            def key(move: str) -> tuple[int, int, int]:
                part = known[player][move]
                place = (part.y, part.x) if row_first else (part.x, part.y)
                return (actions.index(part.action), *place)

            return tuple(sorted(own[player], key=key))

        orders["row by row"] = {player: by(player, True) for player in players}
        orders["column by column"] = {player: by(player, False) for player in players}
    seen = list[dict[Player, tuple[str, ...]]]()
    for without in (False, True):
        for words, lists in orders.items():
            texts = lists
            if without:
                texts = {
                    player: tuple(m for m in texts[player] if m in sketch.open_moves)
                    for player in players
                }
            if texts not in seen and all(texts.values()):
                seen.append(texts)
                taken = ", without those that are taken at the start" if without else ""
                yield words + taken, texts


def _numbered(texts: Sequence[str], first: int, lsb: bool) -> Code:
    width = width_for(len(texts) + first)
    listed: list[str | None] = [*([None] * first), *texts]
    patterns = {
        text: _bits(number, width, lsb) for number, text in enumerate(listed) if text is not None
    }
    places = tuple(range(width))
    return Code("", patterns, places[::-1] if lsb else places, tuple(listed))


def _bits(number: int, width: int, lsb: bool) -> Pattern:
    bits = value_bits(number, width)
    return bits[::-1] if lsb else bits


def _one_hot(texts: Sequence[str]) -> Code:
    patterns = {
        text: tuple(k == number for k in range(len(texts))) for number, text in enumerate(texts)
    }
    return Code("", patterns, tuple(range(len(texts))), tuple(texts), one_hot=True)


_NAMES: Final = ("action", "column", "row")


def _on_squares(sketch: Sketch, players: Sequence[Player], ordered: bool) -> Iterator[MoveStyle]:
    """Actions and coordinates, in every order of the three numbers."""
    parts = {player: sketch.parts(player) for player in players}
    if any(found is None for found in parts.values()):
        return
    known = {player: found or {} for player, found in parts.items()}
    every = [part for found in known.values() for part in found.values()]
    if not every:
        return
    width, height = 1 + max(p.x for p in every), 1 + max(p.y for p in every)
    actions = {
        player: tuple(dict.fromkeys(part.action for part in known[player].values()))
        for player in players
    }
    several = any(len(names) > 1 for names in actions.values())
    rank = 0
    for order in permutations(range(3)) if ordered else [(0, 1, 2)]:
        if not several and order[0] != 0:
            continue
        for first, lsb in product((0, 1), (False, True) if ordered else (False,)):
            codes = {
                player: _squares(known[player], actions[player], (width, height), order, first, lsb)
                for player in players
            }
            names = [_NAMES[k] for k in order if k or several]
            text = " and ".join((", ".join(names[:-1]), names[-1]))
            text += (", from 1" if first else "") + _significance(lsb)
            yield MoveStyle(text, codes, (0 if _is_grid(every) else 10) + rank)
            rank += 1


def _is_grid(parts: Sequence[Parts]) -> bool:
    """True for the moves of grid games, which are mostly written as action and coordinates."""
    return any(part.action for part in parts)


def _squares(
    parts: Mapping[str, Parts],
    actions: tuple[str, ...],
    size: tuple[int, int],
    order: Sequence[int],
    first: int,
    lsb: bool,
) -> Code:
    sizes = (len(actions), *size)
    widths = [0 if n == 1 else width_for(n + (first if k else 0)) for k, n in enumerate(sizes)]
    starts: dict[int, int] = {}
    at = 0
    for k in order:
        starts[k] = at
        at += widths[k]
    patterns: dict[str, Pattern] = {}
    for move, part in parts.items():
        values = (actions.index(part.action), part.x + first, part.y + first)
        bits = [_bits(values[k] if widths[k] else 0, widths[k], lsb) for k in order]
        patterns[move] = tuple(bit for group in bits for bit in group)
    places: list[int] = []
    for k in range(3):
        own = range(starts[k], starts[k] + widths[k])
        places += reversed(own) if lsb else own
    if not first and all(part.action for part in parts.values()):
        return Code("", patterns, tuple(places), grid=(actions, size, (widths[1], widths[2])))
    # Squares without an action, or from 1: a list with a gap for each number that is no move.
    total = sum(widths)
    texts: list[str | None] = [None] * (1 << total)
    for move, pattern in patterns.items():
        number = 0
        for place in places:
            number = 2 * number + pattern[place]
        texts[number] = move
    while texts and texts[-1] is None:
        texts.pop()
    return Code("", patterns, tuple(places), tuple(texts))
