"""The claims of a layout, and the walk through all plays that they are asked in.

A layout is a claim of the file's.  Nothing that is proved with it rests on its being true: a
reading that is wrong makes a proof fail, or proves the same theorem by another strategy.

Literals are the formula's: signed numbers of variables or gates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.kernel.game import Rules, State
from qsage_validate.kernel.player import Player

# The claims of a layout: codes of moves, positions and legality in the formula


Pattern = tuple[bool | None, ...]
"""Values of the literals of a ply; ``None`` is either."""


@dataclass(frozen=True, slots=True)
class PlyReading:
    """A ply: who makes it, and which values of ``literals`` stand for which move.

    ``codes`` has for each move, by its text, the patterns that stand for it; patterns of two
    moves never fit the same values (they are numbers, or have one true value each).  ``stop``
    is true when the player claims to have won: after this ply, or with ``stop_instead`` before
    it, so that the ply does not happen.
    """

    ply: int
    player: Player
    literals: tuple[int, ...]
    codes: Mapping[str, Sequence[Pattern]]
    stop: int | None = None
    stop_instead: bool = False


@dataclass(frozen=True, slots=True)
class Says:
    """The formula says of an atom at a time: where ``when`` holds, ``then`` must hold.

    Demanded where the atom has the value ``value`` by the rules.  ``when`` and ``then`` are
    conjunctions of the formula's literals; ``when`` picks a place of a symbolic position.
    """

    time: int
    atom: str
    value: bool
    when: tuple[int, ...]
    then: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flags:
    """The formula takes White's move at a ply for legal exactly where all ``literals`` hold.

    ``move`` is the move that this is said of; ``None`` for whatever the ply's variables say.
    """

    ply: int
    move: str | None
    literals: tuple[int, ...]


class IllegalReplies(Enum):
    """The reading of a reply that is no legal move, in the strategy that is read off.

    ``ILLEGAL``: the strategy has none, and fails.  ``PASS``: it claims nothing, where that is
    never better than a move.  ``ANY``: it makes any legal move, and must win with each.
    """

    ILLEGAL = "illegal"
    PASS = "pass"
    ANY = "any"


@dataclass(frozen=True)
class Reading:
    """All claims of a layout.

    ``says`` and ``flags`` are about the formula's boards and legality.  ``told`` are variables
    that tell the position at a time, for an opponent who states what holds; ``granted`` are
    literals that such an opponent keeps true.  ``replies`` has for each player how replies that
    are no moves are read.  ``source`` says where the layout is from.
    """

    plies: tuple[PlyReading, ...]
    says: tuple[Says, ...] = ()
    flags: tuple[Flags, ...] = ()
    told: tuple[tuple[int, str, int], ...] = ()
    granted: tuple[int, ...] = ()
    replies: Mapping[Player, IllegalReplies] | None = None
    source: str = "the layout"

    def ply(self, number: int) -> PlyReading | None:
        """A ply by its number, from 1; ``None`` beyond the last one."""
        return self.plies[number - 1] if number <= len(self.plies) else None

    def reply(self, player: Player) -> IllegalReplies:
        return IllegalReplies.ILLEGAL if self.replies is None else self.replies[player]


class Matcher:
    """Literals for patterns over one row of literals.

    Halves of patterns that are equal become one literal, so that n moves with a variable each
    take n log n gates instead of n squared.
    """

    def __init__(self, builder: AigBuilder, literals: Sequence[int]) -> None:
        self._builder = builder
        self._literals = literals
        self._known: dict[tuple[int, Pattern], int] = {}

    def __call__(self, pattern: Pattern) -> int:
        """The literal that is true where the row has the values of the pattern."""
        if len(pattern) != len(self._literals):
            raise ValueError(f"a pattern of {len(pattern)} for {len(self._literals)} literals")
        return self._match(0, pattern)

    def _match(self, first: int, pattern: Pattern) -> int:
        if not pattern:
            return TRUE
        key = (first, pattern)
        found = self._known.get(key)
        if found is None:
            if len(pattern) == 1:
                literal = self._literals[first]
                found = TRUE if pattern[0] is None else literal ^ (not pattern[0])
            else:
                half = len(pattern) // 2
                left = self._match(first, pattern[:half])
                found = self._builder.and_(left, self._match(first + half, pattern[half:]))
            self._known[key] = found
        return found


def assignments(ply: PlyReading) -> Iterator[tuple[str, dict[int, bool]]]:
    """Each code of a ply as values of variables; codes that contradict themselves are left out."""
    for move, patterns in ply.codes.items():
        for pattern in patterns:
            values: dict[int, bool] = {}
            for literal, value in zip(ply.literals, pattern, strict=True):
                if value is None:
                    continue
                wanted = value != (literal < 0)
                if values.setdefault(abs(literal), wanted) != wanted:
                    break
            else:
                yield move, values


# A play of the rules, ply by ply, in which literals say who makes which move


LiteralsOf = Callable[[PlyReading], Sequence[int]]
"""The graph's literals of the variables of a ply, asked when the play has come to it."""


@dataclass(frozen=True, slots=True)
class WalkPly:
    """One ply.

    ``playing`` says that the play has come to this ply by legal moves and no player has won;
    ``codes`` has for each move that the reading knows whether its variables say it;
    ``names`` are the rules' moves, ``legal`` whether each is legal, ``made`` whether it is legal
    and made; ``moved`` that some move is made, or none has to be; ``failed`` that the variables say
    no move that the reading allows.  ``before`` and ``after`` are states, ``reading`` is ``None``
    where the layout has no such ply.
    """

    ply: int
    player: Player
    reading: PlyReading | None
    playing: int
    codes: Mapping[str, int]
    names: Sequence[str]
    legal: Sequence[int]
    made: Sequence[int]
    moved: int
    failed: int
    before: State
    after: State


class Walk:
    """The steps of all plays at once, from the first ply to the last of the rules.

    ``literals`` gives values to the variables of the layout's plies.  The plies of ``hero``, whose
    replies may be no moves, are read as ``reading.replies`` says; where the layout has no ply,
    each player makes any legal move.  After a step ``time`` and ``state`` are those before the next
    one; ``reached`` says that the play has come to this time, ``won`` that a player has won by now,
    and ``playing`` that no player has.
    """

    def __init__(self, rules: Rules, reading: Reading, hero: Player, literals: LiteralsOf) -> None:
        self.rules = rules
        self.reading = reading
        self.hero = hero
        self._literals = literals
        self.time = 0
        self.state: State = rules.initial
        self.reached = self.playing = TRUE
        self.won: Mapping[Player, int] = {}
        self._look()

    def _look(self) -> None:
        """Find out who has won at this time; the rest plays on."""
        and_ = self.rules.builder.and_
        won = self.rules.won(self.state, self.time)
        self.won = {player: and_(self.playing, literal) for player, literal in won.items()}
        for literal in won.values():
            self.playing = and_(self.playing, literal ^ 1)

    def steps(self) -> Iterator[WalkPly]:
        """Each ply in turn; ``time``, ``state``, ``playing`` and ``won`` are those after it."""
        for ply in range(1, self.rules.plies + 1):
            if self.playing == FALSE:
                return
            step = self._step(ply)
            self.time, self.state = ply, step.after
            self.reached = self.playing = self.rules.builder.and_(step.playing, step.moved)
            self._look()
            yield step

    def _step(self, ply: int) -> WalkPly:
        rules, and_, or_all = self.rules, self.rules.builder.and_, self.rules.builder.or_all
        player, state = rules.mover(ply), self.state
        names, legal = rules.moves(ply), rules.legal(state, ply)
        reading = self.reading.ply(ply)
        codes: dict[str, int] = {}
        if reading is not None:
            match = Matcher(rules.builder, self._literals(reading))
            codes = {move: or_all(map(match, patterns)) for move, patterns in reading.codes.items()}
        made: Sequence[int] = [
            and_(codes.get(n, FALSE), can) for n, can in zip(names, legal, strict=True)
        ]
        moved = or_all(made)
        failed = moved ^ 1
        passed: State | None = None
        replies = self.reading.reply(player) if player is self.hero else IllegalReplies.ILLEGAL
        if reading is None or replies is IllegalReplies.ANY:
            made, moved = self._any(legal, made, moved)
            failed = or_all(legal) ^ 1  # inputs that pick no legal move are no play
        elif replies is IllegalReplies.PASS:
            passed = rules.passed(state, ply)
        after = rules.after(state, ply, made)
        if passed is not None:
            ite = rules.builder.ite
            after = tuple(ite(moved, a, b) for a, b in zip(after, passed, strict=True))
            moved, failed = TRUE, FALSE
        return WalkPly(
            ply=ply,
            player=player,
            reading=reading,
            playing=self.playing,
            codes=codes,
            names=names,
            legal=legal,
            made=made,
            moved=moved,
            failed=failed,
            before=state,
            after=after,
        )

    def _any(
        self, legal: Sequence[int], made: Sequence[int], moved: int
    ) -> tuple[Sequence[int], int]:
        """The moves made, or any legal one if none is: inputs that are free choose it."""
        builder = self.rules.builder
        bits = [builder.input() for _ in range(max(len(legal) - 1, 0).bit_length())]
        match = Matcher(builder, bits)
        chosen = []
        for number, (can, own) in enumerate(zip(legal, made, strict=True)):
            pattern = tuple(bool(number >> place & 1) for place in range(len(bits)))
            free = builder.and_all((can, moved ^ 1, match(pattern)))
            chosen.append(builder.or_(own, free))
        return chosen, builder.or_all(chosen)
