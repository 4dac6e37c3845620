"""Positional games: PG read and played by the definitions, and small games at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from tests.support.liars.formula import UnreadableError

Sets = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class Network:
    """Who is Short connects ``start`` with ``end``."""

    edges: frozenset[frozenset[str]]
    start: frozenset[str]
    end: frozenset[str]
    joined: bool = False
    white: bool = False

    def connected(self, through: frozenset[str]) -> bool:
        """Whether the borders are connected within some positions."""
        if self.joined:
            return True
        reached = set(self.start & through)
        waiting = list(reached)
        while waiting:
            p = waiting.pop()
            for edge in self.edges:
                if p in edge:
                    (q,) = edge - {p}
                    if q in through and q not in reached:
                        reached.add(q)
                        waiting.append(q)
        return bool(reached & self.end)


@dataclass(frozen=True)
class Claims:
    """A positional game; ``turns`` says B or W for each stone."""

    positions: tuple[str, ...]
    turns: str
    black_wins: Sets
    white_wins: Sets
    black: frozenset[str] = frozenset()
    white: frozenset[str] = frozenset()
    network: Network | None = None

    kind = "positional"

    # -- Text

    def pg(self) -> str:
        """The PG file."""
        times = [f"t{k}" for k in range(1, len(self.turns) + 1)]
        black = [t for t, p in zip(times, self.turns, strict=True) if p == "B"]
        lines = ["#blackinitials", *sorted(self.black), "#whiteinitials", *sorted(self.white)]
        lines += ["#times", " ".join(times), "#blackturns", " ".join(black)]
        lines += ["#positions", " ".join(self.positions)]
        if self.network is None:
            lines += ["#blackwins", *(" ".join(sorted(s)) for s in self.black_wins)]
        else:
            net = self.network
            lines.append("#neighbours")
            for p in self.positions:
                others = sorted(q for e in net.edges if p in e for q in e - {p})
                lines.append(" ".join((p, *others)))
            lines += ["#startboarder", " ".join(sorted(net.start))]
            lines += ["#endboarder", " ".join(sorted(net.end))]
        lines += ["#whitewins", *(" ".join(sorted(s)) for s in self.white_wins)]
        return "\n".join(lines) + "\n"

    def files(self, stem: str) -> tuple[dict[str, str], list[str], str]:
        """Files of the game, the words that name it, and the option that takes them."""
        return {f"{stem}.pg": self.pg()}, [f"{stem}.pg"], "--model"

    # -- Play

    @property
    def open(self) -> frozenset[str]:
        """The positions that can be claimed."""
        return frozenset(self.positions) - self.black - self.white

    @property
    def plies(self) -> int:
        """How many stones are placed at most."""
        return min(len(self.turns), len(self.open))

    def black_to_move(self, ply: int) -> bool:
        """Who makes the ply, from 1."""
        return self.turns[ply - 1] == "B"

    def won(self, stones: frozenset[str], black: bool) -> bool:
        """Whether a player has reached a goal."""
        if not black:
            return any(s <= stones for s in self.white_wins)
        if self.network is None:
            return any(s <= stones for s in self.black_wins)
        if self.network.white:
            return not self.network.connected(frozenset(self.positions) - stones)
        return self.network.connected(stones)

    def outcome(self, black: frozenset[str], white: frozenset[str], ply: int) -> bool | None:
        """Whether Black has won before a ply; ``None`` while it goes on."""
        last_black = ply == 1 or self.black_to_move(ply - 1)
        for player in (last_black, not last_black):
            if self.won(black if player else white, player):
                return player
        return False if ply > self.plies else None

    def black_wins_play(self, black: frozenset[str], white: frozenset[str], ply: int) -> bool:
        """Who wins from a position on."""
        ended = self.outcome(black, white, ply)
        if ended is not None:
            return ended
        free = frozenset(self.positions) - black - white
        if self.black_to_move(ply):
            return any(self.black_wins_play(black | {p}, white, ply + 1) for p in sorted(free))
        return all(self.black_wins_play(black, white | {p}, ply + 1) for p in sorted(free))

    def who(self) -> bool:
        """Whether Black wins."""
        return self.black_wins_play(self.black, self.white, 1)


def read_pg(text: str, notes: str = "") -> Claims:
    """The game of a PG file and the notes that PG has no words for."""
    sections: dict[str, list[list[str]]] = {}
    rows: list[list[str]] | None = None
    for line in text.splitlines():
        words = line.split("%", 1)[0].split()
        if not words:
            continue
        if words[0].startswith("#"):
            if words[0][1:] in sections or len(words) > 1:
                raise UnreadableError(f"the section {line!r}")
            rows = sections[words[0][1:]] = []
        elif rows is None:
            raise UnreadableError(f"the line {line!r}")
        else:
            rows.append(words)
    if "blackgoal" in sections or "positions" not in sections or "times" not in sections:
        raise UnreadableError("a PG file that is not ours")

    def flat(name: str) -> list[str]:
        return [w for row in sections.get(name, []) for w in row]

    positions = tuple(flat("positions"))
    turns = set(flat("blackturns"))
    network = None
    if "neighbours" in sections:
        edges = frozenset(frozenset((row[0], q)) for row in sections["neighbours"] for q in row[1:])
        network = Network(edges, frozenset(flat("startboarder")), frozenset(flat("endboarder")))
    elif "edges" in sections:
        (source,), (target,) = flat("source"), flat("target")
        pairs = [frozenset(row) for row in sections["edges"]]
        ends = {source, target}
        near = {e: frozenset(q for pair in pairs if e in pair for q in pair - ends) for e in ends}
        network = Network(
            frozenset(pair for pair in pairs if not pair & ends),
            near[source],
            near[target],
            joined=any(pair == ends for pair in pairs),
        )
    black_wins = [frozenset(row) for row in sections.get("blackwins", [])]
    white_wins = [frozenset(row) for row in sections.get("whitewins", [])]
    for note in notes.splitlines():
        words = note.split()
        if words == ["short", "white"] and network is not None:
            network = replace(network, white=True)
        elif words[:2] == ["won", "black"]:
            black_wins.append(frozenset())
        elif words[:2] == ["won", "white"]:
            white_wins.append(frozenset())
        elif words and words != ["hexagons"]:
            raise UnreadableError(f"the note {note!r}")
    return Claims(
        positions,
        "".join("B" if t in turns else "W" for t in flat("times")),
        tuple(black_wins),
        tuple(white_wins),
        frozenset(flat("blackinitials")),
        frozenset(flat("whiteinitials")),
        network,
    )


# --- At random -----------------------------------------------------------------------------------


def _sets(rng: Random, positions: tuple[str, ...], least: int, most: int) -> Sets:
    found = {
        frozenset(rng.sample(positions, min(len(positions), rng.choice((1, 2, 2, 2, 3)))))
        for _ in range(rng.randint(least, most))
    }
    return tuple(sorted(found, key=sorted))


def _network(rng: Random, positions: tuple[str, ...]) -> Network:
    while True:
        pairs = [frozenset((p, q)) for p in positions for q in positions if p < q]
        edges = frozenset(e for e in pairs if rng.random() < 0.5)
        size = max(1, len(positions) // 3)
        network = Network(
            edges,
            frozenset(rng.sample(positions, rng.randint(1, size))),
            frozenset(rng.sample(positions, rng.randint(1, size))),
        )
        if network.connected(frozenset(positions)):
            return network


def random_claims(rng: Random) -> Claims:
    """A small positional game."""
    positions = tuple("abcdef"[: rng.choice((3, 3, 4, 4, 5))])
    plies = rng.choice((1, 2, 3, 3, 3, 4, 5)) if len(positions) < 5 else rng.choice((1, 2, 3))
    way = rng.random()
    if way < 0.65:
        turns = ("BW" * 3)[:plies]
    elif way < 0.75:
        turns = ("WB" * 3)[: max(2, plies)]
    else:
        # Somebody must be asked about: a game in which Black never moves has no formula.
        turns = "".join(rng.choice("BW") for _ in range(plies - 1)) + "B"
        turns = "".join(rng.sample(turns, plies))
    stones = rng.sample(positions, rng.choice((0, 0, 0, 1, 2)))
    split = rng.randint(0, len(stones))
    if rng.random() < 0.35:
        return Claims(
            positions,
            turns,
            (),
            (),
            frozenset(stones[:split]),
            frozenset(stones[split:]),
            _network(rng, positions),
        )
    white = _sets(rng, positions, 1, 2) if rng.random() < 0.4 else ()
    return Claims(
        positions,
        turns,
        _sets(rng, positions, 0 if rng.random() < 0.1 else 1, 3),
        white,
        frozenset(stones[:split]),
        frozenset(stones[split:]),
    )


def changed_claims(game: Claims, rng: Random) -> Claims:
    """A game that differs a little."""

    def sets(old: Sets) -> Sets:
        way = rng.randrange(3)
        if way == 0 and old:
            gone = rng.randrange(len(old))
            return old[:gone] + old[gone + 1 :]
        if way == 1 and old:
            at = rng.randrange(len(old))
            less = old[at] - {rng.choice(sorted(old[at]))} if old[at] else old[at]
            return tuple(dict.fromkeys((*old[:at], *([less] if less else []), *old[at + 1 :])))
        return tuple(dict.fromkeys((*old, *_sets(rng, game.positions, 1, 1))))

    way = rng.randrange(9)
    net = game.network
    if way == 0 and net is None:
        return replace(game, black_wins=sets(game.black_wins))
    if way == 1 and net is None:
        return replace(game, white_wins=sets(game.white_wins))
    if way in (2, 3):
        size = len(game.turns) + rng.choice((-2, -1, 1, 2))
        last = game.turns[-1:]
        more = "BWBW" if last == "W" else "WBWB"
        return replace(game, turns=(game.turns + more)[: max(1, size)])
    if way == 4:
        return replace(game, turns=game.turns.translate(str.maketrans("BW", "WB")))
    if way == 5:
        at = rng.randrange(len(game.turns))
        other = "W" if game.turns[at] == "B" else "B"
        return replace(game, turns=game.turns[:at] + other + game.turns[at + 1 :])
    if way == 6:
        free = sorted(game.open)
        if free and rng.random() < 0.7:
            p = rng.choice(free)
            if rng.random() < 0.5:
                return replace(game, black=game.black | {p})
            return replace(game, white=game.white | {p})
        return replace(game, black=frozenset(), white=frozenset())
    if way == 7:
        extra = next(p for p in "abcdefgh" if p not in game.positions)
        if rng.random() < 0.5:
            wins = game.white_wins if net is not None else (*game.white_wins, frozenset({extra}))
            return replace(game, positions=(*game.positions, extra), white_wins=wins)
        return replace(game, positions=(*game.positions, extra))
    if net is not None:
        edge = frozenset(rng.sample(game.positions, 2))
        return replace(game, network=replace(net, edges=net.edges ^ {edge}))
    return replace(game, black_wins=game.white_wins or game.black_wins, white_wins=game.black_wins)
