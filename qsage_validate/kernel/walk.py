"""A play of the rules, ply by ply, in which literals say who makes which move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE
from qsage_validate.kernel.game import Rules, State
from qsage_validate.kernel.player import Player
from qsage_validate.kernel.reading import IllegalReplies, Matcher, PlyReading, Reading

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
