"""Ways to write a game's moves in bits, and where in a prefix they may stand."""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, permutations, product
from random import Random
from typing import Any, Final, NamedTuple

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.circuit.sat import Solver
from qsage_validate.encodings.layout import Bits, GridCoding, MoveCoding, Number, value_bits
from qsage_validate.encodings.list_codings import NumberedCoding, OneHotCoding
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging.python_rules import GameValues, Simulator, simulator_of
from qsage_validate.system.limits import NEVER, Deadline

# What the finder of readings knows of a game: who moves, which moves there are, some plays


PLAYS: Final = 60
"""The plays that readings are screened by: half of them won by each player, where there are."""
_TRIES: Final = 4000
# Where a player has won fewer plays at random, so many are looked for in so many seconds.
_FEW_WON: Final = 8
_SEARCH_SECONDS: Final = 4.0
_MOST_MOVES: Final = 4096

_GRID: Final = re.compile(r"([^\s(]*)\((\d{1,4}),(\d{1,4})\)")
_SQUARE: Final = re.compile(r"([a-z])(\d{1,3})")


@dataclass(frozen=True, slots=True)
class SketchedPlay:
    """A play to its end, with the winner."""

    moves: tuple[str, ...]
    black_wins: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """A move as an action on a square, both coordinates from 0."""

    action: str
    x: int
    y: int


@dataclass(frozen=True)
class Sketch:
    """A game as the finder sees it.

    ``movers`` has the player of each ply that some play came to, ``choices`` how many positions the
    legal moves there led to where most were seen.  ``moves`` are each player's moves in the game's
    own order, ``seen`` those that some play has made legal; ``open_moves`` those that are legal for
    somebody in the first position.
    """

    name: str
    movers: tuple[Player, ...]
    choices: tuple[int, ...]
    moves: Mapping[Player, tuple[str, ...]]
    open_moves: frozenset[str]
    plays: tuple[SketchedPlay, ...]
    simulator: Simulator
    rates: tuple[Mapping[str, float], ...] = ()
    """For each ply, how often Black wins after a move there, in random plays."""

    @property
    def without_last_whites(self) -> Sketch:
        """The same plays for formulas that leave out White's moves behind Black's last one."""
        last = max(
            (k for k, mover in enumerate(self.movers, 1) if mover is Player.BLACK), default=0
        )
        return self if last == len(self.movers) else replace(self, movers=self.movers[:last])

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        return len(self.movers)

    def with_plies(self, game: TwoPlayerGame) -> Sketch:
        """The sketch with all plies that the rules count, those too that no play comes to."""
        more = range(self.plies + 1, game.plies + 1)
        return replace(
            self,
            movers=(*self.movers, *map(game.player_at, more)),
            rates=(*self.rates, *({} for _ in more)),
        )

    def parts(self, player: Player) -> dict[str, Parts] | None:
        """Each move as an action on a square; ``None`` where some move is no such thing."""
        found: dict[str, Parts] = {}
        for move in self.moves[player]:
            parts = parts_of(move)
            if parts is None:
                return None
            found[move] = parts
        return found


def parts_of(move: str) -> Parts | None:
    """The action and the square of ``occupy(2,3)`` or ``b3``; ``None`` for other texts."""
    match = _GRID.fullmatch(move)
    if match is not None:
        return Parts(match[1], int(match[2]) - 1, int(match[3]) - 1)
    match = _SQUARE.fullmatch(move)
    return None if match is None else Parts("", ord(match[1]) - ord("a"), int(match[2]) - 1)


def sketch_of(
    game: TwoPlayerGame | Simulator,
    *,
    seed: int = 1,
    plays: int = PLAYS,
    deadline: Deadline = NEVER,
) -> Sketch:
    """Play at random, and take plays of both winners, the longer ones first.

    Raises ``UsageError`` where the player who makes a ply depends on the play.
    """
    simulator: Simulator = simulator_of(game) if isinstance(game, TwoPlayerGame) else game
    values = GameValues(simulator, deadline=deadline)
    rng = Random(seed)
    movers: dict[int, Player] = {}
    choices: dict[int, tuple[int, int]] = {}
    seen: dict[Player, dict[str, None]] = {player: {} for player in Player}
    found: dict[bool, dict[tuple[str, ...], None]] = {True: {}, False: {}}
    counts: list[dict[str, list[int]]] = []
    for _ in range(_TRIES):
        moves, winner = _random_play(values, rng, movers, choices, seen)
        for k, move in enumerate(moves):
            if k == len(counts):
                counts.append({})
            count = counts[k].setdefault(move, [0, 0])
            count[0] += winner is Player.BLACK
            count[1] += 1
        found[winner is Player.BLACK].setdefault(moves)
        if min(map(len, found.values())) >= 4 * plays or deadline.over:
            break
    for won, plays_of in found.items():
        if len(plays_of) < _FEW_WON and isinstance(game, TwoPlayerGame):
            plays_of.update(dict.fromkeys(_searched(game, values, won, deadline)))
    chosen = [_some(found[won], plays // 2, rng) for won in (True, False)]
    mixed = [
        SketchedPlay(moves, won) for pair in _zipped(chosen[0], chosen[1]) for won, moves in pair
    ]
    start = simulator.start()
    at_start = set(values.legal(start))
    if isinstance(game, TwoPlayerGame):
        own = {player: tuple(map(str, game.moves(player))) for player in Player}
        other = game.passed(game.initial)
        if other is not None and other.outcome is None:
            at_start |= {str(move) for move in other.legal_moves()}
    else:
        own = {player: tuple(texts) for player, texts in seen.items()}
    return Sketch(
        name=game.name if isinstance(game, TwoPlayerGame) else type(simulator).__name__,
        movers=tuple(movers[k] for k in range(len(movers))),
        choices=tuple(choices[k][1] for k in range(len(choices))),
        moves={player: texts[:_MOST_MOVES] for player, texts in own.items()},
        open_moves=frozenset(at_start),
        plays=tuple(mixed),
        simulator=simulator,
        rates=tuple({m: won / n for m, (won, n) in count.items()} for count in counts),
    )


def _random_play(
    values: GameValues,
    rng: Random,
    movers: dict[int, Player],
    choices: dict[int, tuple[int, int]],
    seen: Mapping[Player, dict[str, None]],
) -> tuple[tuple[str, ...], Player]:
    state: Any = values.simulator.start()
    moves: list[str] = []
    while True:
        winner = values.ended(state, len(moves))
        if winner is not None:
            return tuple(moves), winner
        player = values.simulator.to_move(state)
        if movers.setdefault(len(moves), player) is not player:
            raise UsageError(
                f"found ply {len(moves) + 1} made by either player, expected a game in which the "
                "number of the ply says who moves"
            )
        legal = values.legal(state)
        if len(legal) > choices.get(len(moves), (0, 0))[0]:
            after = {values.simulator.play(state, move) for move in legal}
            choices[len(moves)] = len(legal), len(after)
        for move in legal:
            seen[player].setdefault(move)
        moves.append(rng.choice(legal))
        state = values.simulator.play(state, moves[-1])


def _searched(
    game: TwoPlayerGame, values: GameValues, black_wins: bool, deadline: Deadline
) -> Iterator[tuple[str, ...]]:
    """Plays of one winner that are rare at random, with another first move each."""
    from qsage_validate.kernel.claims import Claim, ClaimsTimeoutError, first_failure
    from qsage_validate.kernel.game import TooLargeError
    from qsage_validate.kernel.player import FindingKind
    from qsage_validate.kernel.reading import Reading, Walk
    from qsage_validate.kernel.strategy import played
    from qsage_validate.validation.proofs import rules_of

    limit = deadline.sooner_by_work(_SEARCH_SECONDS)
    builder = AigBuilder()
    try:
        rules_in = rules_of(game, deadline=limit)
        if rules_in is None:
            return
        walk = Walk(rules_in(builder), Reading(()), Player.BLACK, lambda _: ())
    except TooLargeError:
        return
    black, steps = walk.won[Player.BLACK], []
    for step in walk.steps():
        steps.append(step)
        black = builder.or_(black, walk.won[Player.BLACK])
    left = black if black_wins else builder.and_(walk.playing, black ^ 1)
    for _ in range(_FEW_WON if steps else 0):
        claim = Claim(FindingKind.END_DIFFERS, len(steps), left, "a play")
        try:
            failure = first_failure(builder, [claim], deadline=limit)
        except ClaimsTimeoutError:
            return
        if failure is None:
            return
        moves: list[str] = []
        state: Any = values.simulator.start()
        for move in played(builder, steps, failure.inputs):
            if values.ended(state, len(moves)) is not None or move not in values.legal(state):
                break
            moves.append(move)
            state = values.simulator.play(state, move)
        winner = values.ended(state, len(moves))
        if winner is not None and (winner is Player.BLACK) is black_wins:
            yield tuple(moves)
        first = steps[0].made[steps[0].names.index(moves[0])] if moves else left
        left = builder.and_(left, first ^ 1)


def _some(plays: Iterable[tuple[str, ...]], count: int, rng: Random) -> list[tuple[str, ...]]:
    """Some plays: those of full length first, for the formula's values after them are quick."""
    mixed = list(plays)
    rng.shuffle(mixed)
    return sorted(mixed, key=len, reverse=True)[:count]


def _zipped(
    black: Sequence[tuple[str, ...]], white: Sequence[tuple[str, ...]]
) -> list[list[tuple[bool, tuple[str, ...]]]]:
    """Plays of both winners by turns."""
    longest = max(len(black), len(white))
    return [
        [(won, plays[k]) for won, plays in ((True, black), (False, white)) if k < len(plays)]
        for k in range(longest)
    ]


# Ways to write a move in bits: numbers in an order, actions with coordinates, a bit a move


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

    def with_patterns(self, patterns: Mapping[str, Pattern]) -> Code:
        """The moves with other bits: a list by their numbers, or as before by their literals."""
        if self.one_hot:
            order = sorted(patterns, key=lambda move: patterns[move].index(True))
            return replace(self, patterns=patterns, texts=tuple(order))
        texts: list[str | None] = [None] * (1 + max(map(_number, patterns.values()), default=-1))
        for move, bits in patterns.items():
            texts[_number(bits)] = move
        return Code("", patterns, tuple(range(self.width)), tuple(texts))

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
    guessed: bool = False
    """True if no order of the moves says their codes, which were found by the formula's values."""
    plies: Mapping[tuple[int, Player], Code] = field(default_factory=dict)
    """Codes of single plies, from 0, that are other ones than the player's."""

    def code(self, ply: int, player: Player) -> Code:
        """How the move of a ply, from 0, is written."""
        return self.plies.get((ply, player)) or self.codes[player]

    def exchanged(self, patterns: tuple[Pattern, Pattern], players: Sequence[Player]) -> MoveStyle:
        """The style in which two bit patterns of ``players`` have each other's moves."""
        one, other = patterns
        other_of = {one: other, other: one}
        codes = dict(self.codes)
        for player in players:
            own = codes[player]
            codes[player] = own.with_patterns(
                {move: other_of.get(bits, bits) for move, bits in own.patterns.items()}
            )
        return replace(self, codes=codes, guessed=True)


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


def _number(bits: Pattern) -> int:
    return sum(bit << place for place, bit in enumerate(reversed(bits)))


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


# Where the variables of the plies may stand in a prefix, the likely places first


Windows = tuple[tuple[int, ...], ...]
"""The variables of each ply, in the order of the formula."""

_MOST_SEQUENCES: Final = 48
_MOST_OFFSETS: Final = 12
_MOST_STATES: Final = 20_000

QUANTIFIER: Final[Mapping[Player, Quantifier]] = {
    Player.BLACK: Quantifier.EXISTS,
    Player.WHITE: Quantifier.FORALL,
}


class WindowPlaces(NamedTuple):
    """Windows with how unusual they are: scopes that are passed over, and bits inside scopes."""

    cost: int
    windows: Windows


def views(formula: Qbf) -> list[tuple[Scope, ...]]:
    """The prefix as the file has it, and with neighbours of one quantifier merged."""
    own = tuple(scope for scope in formula.scopes if scope.variables)
    merged = formula.merged_scopes()
    return [own] if own == merged else [own, merged]


def places(
    formula: Qbf,
    movers: Sequence[Player],
    widths: Mapping[Player, int],
    *,
    any_quantifier: bool = False,
) -> Iterator[WindowPlaces]:
    """Places for plies whose moves have ``widths`` bits, the usual ones first, each once."""
    seen: set[Windows] = set()
    found: list[WindowPlaces] = []
    for view in views(formula):
        for gap, sequence in sequences(view, movers, widths, any_quantifier=any_quantifier):
            for cost, windows in _offsets(view, movers, widths, sequence):
                if windows not in seen:
                    seen.add(windows)
                    found.append(WindowPlaces(4 * gap + cost, windows))
    yield from sorted(found, key=lambda place: place.cost)


def passed_over(formula: Qbf, windows: Windows) -> tuple[int, ...] | None:
    """A scope without a ply, left of a ply and large enough for a move, of either quantifier."""
    least = min(map(len, windows))
    used = {v for window in windows for v in window}
    passed: list[tuple[int, ...]] = []
    for scope in formula.merged_scopes():
        if used.intersection(scope.variables):
            if passed:
                return passed[0]
        elif len(scope.variables) >= least:
            passed.append(scope.variables)
    return None


def sequences(
    view: Sequence[Scope],
    movers: Sequence[Player],
    widths: Mapping[Player, int],
    *,
    any_quantifier: bool = False,
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Scopes for the plies, in order, with how many that would do are passed over.

    Neighbouring plies of one player may share a scope.
    """

    def fits(index: int, player: Player) -> bool:
        scope = view[index]
        right = any_quantifier or scope.quantifier is QUANTIFIER[player]
        return right and len(scope.variables) >= max(1, widths[player])

    tie = count()
    heap: list[tuple[int, int, int, tuple[int, ...]]] = [(0, 0, next(tie), ())]
    given = states = 0
    while heap and given < _MOST_SEQUENCES and states < _MOST_STATES:
        gap, _, _, chosen = heapq.heappop(heap)
        states += 1
        if len(chosen) == len(movers):
            given += 1
            yield gap, chosen
            continue
        ply = len(chosen)
        player = movers[ply]
        first = chosen[-1] + 1 if chosen else 0
        passed = gap
        if chosen and movers[ply - 1] is player:
            room = len(view[chosen[-1]].variables) - widths[player] * chosen.count(chosen[-1])
            if room >= widths[player]:
                heapq.heappush(heap, (passed, -ply - 1, next(tie), (*chosen, chosen[-1])))
        for index in range(first, len(view)):
            if fits(index, player):
                heapq.heappush(heap, (passed, -ply - 1, next(tie), (*chosen, index)))
                passed += 1


def _offsets(
    view: Sequence[Scope],
    movers: Sequence[Player],
    widths: Mapping[Player, int],
    sequence: Sequence[int],
) -> Iterator[tuple[int, Windows]]:
    """Windows in the scopes of ``sequence``.

    A player's moves stand behind as many other variables in each scope, but in the first one:
    there none belong to an earlier ply.  Variables that are left in the scopes of moves are
    unusual, those of White's more so; helpers often share the scope of the last ply.
    """
    choices: list[list[tuple[int, int]]] = []
    players = sorted(set(movers), key=movers.index)
    for player in players:
        room = [
            len(view[scope].variables) - widths[player] * sequence.count(scope)
            for scope, own in zip(sequence, movers, strict=True)
            if own is player
        ]
        first = min(room[0], _MOST_OFFSETS)
        rest = min([_MOST_OFFSETS, *room[1:]]) if room[1:] else 0
        pairs = [(a, a) for a in range(min(first, rest) + 1)] if room[1:] else []
        pairs += [(a, b) for a in range(first + 1) for b in range(rest + 1) if (a, b) not in pairs]
        choices.append(pairs)
    left = sum(
        (1 if own is Player.BLACK else 4)
        * min(4, len(view[scope].variables) - widths[own] * sequence.count(scope))
        for scope, own in zip(sequence[:-1], movers, strict=False)
    )
    for combined in product(*choices):
        cost = left + sum(a + (0 if a == b else 1 + abs(b - a)) for a, b in combined)
        offsets = dict(zip(players, combined, strict=True))
        windows: list[tuple[int, ...]] = []
        made: dict[Player, int] = dict.fromkeys(players, 0)
        before = -1
        end = 0
        for scope, player in zip(sequence, movers, strict=True):
            a, b = offsets[player]
            start = a if not made[player] else b
            if scope == before:
                start = end
            made[player] += 1
            end = start + widths[player]
            windows.append(view[scope].variables[start:end])
            before = scope
        if all(len(w) == widths[p] for w, p in zip(windows, movers, strict=True)):
            yield cost, tuple(windows)


# What the matrix says where some variables are fixed


_SOLVER: Final = "minisat22"

Copy = tuple[tuple[bool, ...], list[int]]
"""Values of the symbolic variables, and what is forced there."""


class Matrix:
    """The clauses of a formula; ``pool`` are its symbolic variables.

    A variable of ``outer`` stands left of them, and has one value in all copies.
    """

    def __init__(
        self,
        formula: Qbf,
        pool: Sequence[int],
        outer: Collection[int],
        deadline: Deadline,
        solver: Solver | None = None,
    ) -> None:
        self.formula, self.pool, self.outer, self.deadline = formula, pool, outer, deadline
        self.solver = solver or Solver(_SOLVER, bootstrap_with=formula.clauses())

    @cached_property
    def places(self) -> list[dict[int, bool]]:
        """All values of the symbolic variables."""
        values = product((False, True), repeat=len(self.pool))
        return [dict(zip(self.pool, one, strict=True)) for one in values]

    @cached_property
    def _of_outer(self) -> frozenset[int]:
        """The literals of outer variables."""
        return frozenset(x for v in self.outer for x in (v, -v))

    def over(self, pool: Sequence[int]) -> Matrix:
        """The same with fewer symbolic variables."""
        return Matrix(self.formula, pool, self.outer, self.deadline, self.solver)

    def forced(self, fixed: Mapping[int, bool], *, asserted: bool) -> list[int] | None:
        """The literals that follow by unit propagation; ``None`` where they contradict.

        Where ``asserted`` the matrix is true.
        """
        assumed = [*_literals(fixed), *[self.formula.output] * asserted]
        consistent, forced = self.solver.propagate(assumptions=assumed)
        return list(forced) if consistent else None

    def may_be(self, fixed: Mapping[int, bool], literals: Iterable[int] = ()) -> bool:
        """True if the matrix can be true with these values."""
        assumed = [*_literals(fixed), *literals, self.formula.output]
        return bool(self.solver.solve(assumptions=assumed))

    def copies(self, fixed: Mapping[int, bool]) -> tuple[dict[int, bool], list[Copy]] | None:
        """The outer variables that are forced, and what is forced for each symbolic value.

        What one copy forces of the outer variables the others know.  ``None`` at the deadline and
        where some copy is contradictory.
        """
        shared = dict(fixed)
        while not self.deadline.over:
            known, found = len(shared), list[Copy]()
            for place in self.places:
                forced = self.forced({**shared, **place}, asserted=True)
                if forced is None:
                    return None
                found.append((tuple(place.values()), forced))
                shared.update((abs(x), x > 0) for x in self._of_outer.intersection(forced))
            if len(shared) == known:
                return shared, found
        return None

    def impossible(self, fixed: Mapping[int, bool]) -> dict[int, bool] | None:
        """A symbolic value at which the matrix cannot be true; ``None`` where there is none."""
        return next((p for p in self.places if not self.may_be({**fixed, **p})), None)


def _literals(fixed: Mapping[int, bool]) -> list[int]:
    return [v if value else -v for v, value in fixed.items()]
