"""COR, COR+ and EN clause by clause: the published rules, grounded here once more.

The rules are those of the authors' generators (https://github.com/vale1410/
positional-games-qbf-encoding): ``sat2023/bule/cor.bul``, ``bule/pg143.bul``, and ``explicit.bul``
with ``level.bul``.  Variables have names here; the layout says which variable has which name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, with_winning_sets
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import Player
from tests.support.positional import targets_on

BLACK, WHITE = Player.BLACK, Player.WHITE

Literal = tuple[str, bool]
Clause = frozenset[Literal]

MODELS = [
    harary_model("el", 3, 3, plies=5),
    harary_model("tic", 4, 4, plies=7),
    harary_model("domino", 3, 2, maker_breaker=True, plies=3),
    hex_network(3, 3, 5),
    replace(harary_model("el", 3, 3, plies=5), turns=(WHITE, BLACK, BLACK, WHITE, BLACK)),
    replace(harary_model("el", 3, 3, plies=5), first_moves=mask_of((4, 8))),
]


def clause(*literals: str) -> Clause:
    """Names, those of false literals behind a ``~``."""
    return frozenset((name.removeprefix("~"), name[0] != "~") for name in literals)


def board(player: Player, v: int, time: int) -> str:
    return f"board({player.value},{v},{time})"


def other_number(ply: int, number: int, width: int) -> list[str]:
    """The literals that say that the move of a ply is another number."""
    return [f"{'~' * (number >> i & 1)}move({i},{ply})" for i in range(width)]


def corrective(model: PositionalModel, *, breaks: bool) -> Iterator[Clause]:
    """The rules of ``cor.bul``; with ``breaks`` those of ``pg143.bul``."""
    model = with_winning_sets(model)
    size, last = len(model.positions), len(model.turns)
    width = (size - 1).bit_length()
    first = list(members(model.first_moves)) or list(range(size))
    if not breaks or model.turns[0] is WHITE:
        first = list(range(size))
    order = [*first, *(v for v in range(size) if v not in first)]
    for v in range(size):
        yield from (clause("~" + board(player, v, 0)) for player in Player)
        if breaks:
            yield clause("~" + board(BLACK, v, 0), "~" + board(WHITE, v, 0))
    if breaks and model.turns[0] is BLACK:
        yield clause(*(board(BLACK, v, 1) for v in first))
    for t, mover in enumerate(model.turns, start=1):
        if t > 1:
            yield clause(f"time({t - 1})", f"~time({t})")
        for number, v in enumerate(order):
            yield clause("~" + board(BLACK, v, t), "~" + board(WHITE, v, t))
            for player in Player:
                before, after = board(player, v, t - 1), board(player, v, t)
                yield clause("~" + before, after)
                yield clause(f"time({t})", before, "~" + after)
                if player is not mover:
                    yield clause(before, "~" + after)
            if mover is WHITE:
                yield clause(
                    *other_number(t, number, width),
                    f"~time({t})",
                    board(BLACK, v, t - 1),
                    board(WHITE, v, t),
                )
                continue
            for digit in other_number(t, number, width):
                right = digit.removeprefix("~") if digit[0] == "~" else "~" + digit
                yield clause(board(BLACK, v, t - 1), "~" + board(BLACK, v, t), right)
    yield clause(*(f"win({k})" for k in range(len(model.black_wins))))
    for k, win in enumerate(model.black_wins):
        yield from (clause(f"~win({k})", board(BLACK, v, last)) for v in members(win))
        yield clause(f"win({k})", *("~" + board(BLACK, v, last) for v in members(win)))
    for win in model.white_wins:
        yield clause(*("~" + board(WHITE, v, last) for v in members(win)))


def names_of(encoding: Encoding) -> Mapping[int, str]:
    """The names of a formula's variables, by its layout; what is left are the goals."""
    layout, names = encoding.layout, {}
    assert isinstance(encoding.model, PositionalModel)
    places = {place: v for v, place in enumerate(encoding.model.positions)}
    for ply in layout.moves:
        for i, variable in enumerate(reversed(ply.coding.variables)):
            names[variable] = f"move({i},{ply.ply})"
        stop = ply.stop or layout.gates.get(f"black stopped before ply {ply.ply}")
        if stop is not None:
            assert stop < 0
            names[-stop] = f"time({ply.ply})"
    for time, row in enumerate(layout.state.states):
        for atom, variable in zip(layout.state.kinds, row, strict=False):
            player, place = atom.split()
            names[variable] = f"board({player},{places[place]},{time})"
    left = [v for s in encoding.qbf.scopes for v in s.variables if v not in names]
    return {**names, **{v: f"win({k})" for k, v in enumerate(left)}}


def clauses_of(encoding: Encoding, names: Mapping[int, str]) -> Counter[Clause]:
    return Counter(
        frozenset((names[abs(x)], x > 0) for x in literals)
        for literals in clausal_form(encoding.qbf).clauses
    )


@pytest.mark.parametrize("name", ["cor", "cor+"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m.name} {m.turns[0]}")
def test_the_corrective_clauses_are_the_published_ones(model: PositionalModel, name: str) -> None:
    encoding = encode(model, name)
    expected = Counter(corrective(model, breaks=name == "cor+"))
    assert clauses_of(encoding, names_of(encoding)) == expected


@pytest.mark.parametrize("name", ["cor", "cor+"])
@pytest.mark.parametrize("shape", sorted(targets_on(3, 3, most=4)))
def test_they_are_so_for_all_small_polyominoes(shape: str, name: str) -> None:
    model = harary_model(shape, 3, 3, plies=5)
    encoding = encode(model, name)
    expected = Counter(corrective(model, breaks=name == "cor+"))
    assert clauses_of(encoding, names_of(encoding)) == expected


def test_the_published_size_of_a_polyomino() -> None:
    """Elly on 5x5 at 11 plies, by the authors' generator."""
    qbf = encode(harary_model("elly", 5, 5, plies=11), "cor").qbf
    assert qbf.num_variables == 762
    assert len(clausal_form(qbf).clauses) == 3162


@pytest.mark.parametrize("name", ["cor", "cor+"])
def test_stones_to_begin_with_are_taken_out(name: str) -> None:
    """The same clauses as of the game whose sets have lost their owner's stones."""
    model = replace(harary_model("el", 3, 3, plies=5), black=1 << 4, white=1 << 0, first_moves=0)
    left = [v for v in range(9) if v not in (0, 4)]
    place = {v: k for k, v in enumerate(left)}

    def sets(own: tuple[int, ...], mine: int, others: int) -> tuple[int, ...]:
        kept = (mask_of(place[v] for v in members(s & ~mine)) for s in own if not s & others)
        return tuple(dict.fromkeys(kept))

    smaller = PositionalModel(
        "left",
        tuple(model.positions[v] for v in left),
        model.turns,
        sets(model.black_wins, model.black, model.white),
        sets(model.white_wins, model.white, model.black),
    )
    whole, small = encode(model, name), encode(smaller, name)
    assert clausal_form(whole.qbf) == clausal_form(small.qbf)
    assert whole.layout.moves == small.layout.moves


@pytest.mark.parametrize("size", [(2, 2, 3), (3, 3, 5), (3, 4, 7)])
def test_the_ways_of_en_have_their_backward_steps(size: tuple[int, int, int]) -> None:
    """What the published EN has besides its equations, and nothing else."""
    model = hex_network(*size)
    network = model.network
    assert network is not None
    positions = range(len(model.positions))
    depth = len(model.turns)
    steps = (depth + 1) // 2
    encoding, forward = encode(model, "en"), encode(model, "en-forward")
    assert encoding.qbf.scopes == forward.qbf.scopes
    variables = [v for s in encoding.qbf.scopes for v in s.variables]
    way = variables[-steps * len(positions) :]
    names = {v: str(v) for v in variables}
    names |= {v: f"path({k % len(positions)},{k // len(positions) + 1})" for k, v in enumerate(way)}

    def outside(border: int) -> list[int]:
        return [v for v in positions if not border >> v & 1]

    more = [clause(f"~path({v},1)") for v in outside(network.start)]
    more.append(clause(*(f"path({v},{steps})" for v in members(network.end))))
    more += [
        clause(f"~path({w},{t + 1})", *(f"path({v},{t})" for v in members(network.neighbours[w])))
        for t in range(1, steps)
        for w in outside(network.start)
    ]
    found = clauses_of(encoding, names) - clauses_of(forward, names)
    assert found == Counter(more)


def test_turns_of_others_are_the_published_ones_too() -> None:
    model = replace(harary_model("domino", 2, 2, plies=3), turns=(*alternating(3)[1:], BLACK))
    encoding = encode(model, "cor")
    assert clauses_of(encoding, names_of(encoding)) == Counter(corrective(model, breaks=False))
