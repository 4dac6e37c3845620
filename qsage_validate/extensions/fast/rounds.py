"""The search of a game in rounds, loaded with numba alone: a ``SearchEngine`` in slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from types import ModuleType
from typing import Any

import numpy as np

from qsage_validate.extensions.fast.arrays import DONE, FAR, MAX_WORDS, WORD, Words, words_of
from qsage_validate.extensions.fast.engine import Runner
from qsage_validate.extensions.gdl.masks import Cases, MaskEffect, MaskKernel, NoTurnsError
from qsage_validate.games.kernel import ALWAYS, Kernel, State
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.solvers.search_engine import (
    MAX_PLIES,
    NEVER,
    NOT_WITHIN,
    WIN,
    LimitError,
    ManyReplies,
)

BLACK, WHITE = Player.BLACK, Player.WHITE


def _unwatched() -> None: ...


class CompiledRounds:
    """The compiled search of one game; ``memory_mb`` is the size of the table at most.

    Raises ``UsageError`` for a table that does not fit in the memory, ``TooLargeError`` for a game
    whose states do not fit in the words; a search raises it for the effect of a move that is too
    large, and ``NoTurnsError``.
    """

    deepens = False
    at_once = True
    many: ManyReplies | None = None
    for_ever = True
    replaces = True
    name = "compiled"

    def __init__(self, kernel: MaskKernel, *, memory_mb: int | None = None) -> None:
        masks = kernel.masks
        self.kernel: Kernel = kernel
        self._rounds = kernel
        self.watch: Callable[[], None] = _unwatched
        self._size = max(1, -(-len(masks.fluents) // WORD))
        if self._size > MAX_WORDS:
            raise TooLargeError(f"a state of {len(masks.fluents)} fluents")
        self._machine = _machine()
        self._runner = Runner(self._size, self._size, self._machine.CONTROLS, memory_mb)
        self._effects: list[MaskEffect] = []
        black, white = (len(masks.moves[player]) for player in (BLACK, WHITE))
        self._pairs = np.full(black * white, -1, dtype=np.int64)
        legal = [*masks.legal[BLACK], *masks.legal[WHITE]]
        self._fixed: dict[str, Any] = {
            "legal_starts": _starts(map(len, legal)),
            **self._cases("legal", legal),
            "black": black,
            "white": white,
            **self._cases("win", [masks.wins]),
            "symmetries": self._symmetries(masks.symmetries),
        }
        for pair in sorted(masks.pairs or ()):
            self._learn(pair[0] * white + pair[1])
        self._rules = self._arrays()
        self._history = np.zeros(black + white, dtype=np.int64)

    @property
    def nodes(self) -> int:
        """The number of states that were visited."""
        return self._runner.nodes

    @property
    def positions(self) -> int:
        """The number of states in the table."""
        return self._runner.filled

    def frames(self, plies: int) -> int:
        """A few: the stack of the search is its own."""
        return 100

    def depths(self, player: Player, last: int) -> Iterable[int]:
        """The plies at which Black claims a win: a whole number of rounds."""
        return range(1 if player is BLACK else 2, last + 1, 2)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``; a limit beyond ``MAX_PLIES``."""
        if plies < 1:
            return NOT_WITHIN
        if plies > 2 * MAX_PLIES:
            raise LimitError(f"the search goes {MAX_PLIES} rounds deep")
        if isinstance(state, int):
            return self._search(state, (plies - 1) // 2)
        # White looks at all moves, for one that decides for ever.
        worst = WIN
        for _, after, won in self._rounds.successors(state, WHITE):
            assert isinstance(after, int), "a state before a round"
            result = NEVER if won else self._search(after, (plies - 2) // 2) if plies > 1 else 0
            if result != WIN:
                worst = min(worst, result)
                if worst == NEVER:
                    break
        return worst

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the table does not tell."""
        if isinstance(state, int):
            return self._known(state, (plies - 1) // 2)
        found = []
        for _, after, won in self._rounds.successors(state, WHITE):
            assert isinstance(after, int), "a state before a round"
            found.append(False if won else self._known(after, (plies - 2) // 2))
        if False in found:
            return False
        return None if None in found else True

    def hint(self, state: State, player: Player, plies: int) -> None:
        """Always ``None``: the caller finds deciding moves by the table's entries after them."""

    # -- the machine -------------------------------------------------------------------------

    def _search(self, state: int, rounds: int) -> int:
        winner = self._rounds.end(state)
        if winner is not None:
            return WIN if winner is BLACK else NEVER
        return NOT_WITHIN if rounds < 1 else self._run(state, rounds)

    def _known(self, state: int, rounds: int) -> bool | None:
        winner = self._rounds.end(state)
        if winner is not None:
            return winner is BLACK
        if rounds < 1:
            return False
        words = np.zeros(3 * self._size, dtype=np.int64)
        words[: self._size] = words_of(state, self._size)
        runner = self._runner
        arguments = runner.words, self._rules, runner.table, words
        entry = int(runner.call(self._machine.find_round, *arguments))
        if entry == 0:
            return None
        if rounds >= entry & FAR:
            return True
        lose = entry >> 16 & FAR
        return False if rounds <= (ALWAYS if lose == FAR else lose) else None

    def _run(self, state: int, rounds: int) -> int:
        machine, runner = self._machine, self._runner
        frames = machine.round_frames(self._rules, self._size, rounds)
        frames.states[: self._size] = words_of(state, self._size)
        runner.control[machine.LEFT] = rounds
        runner.begin()
        while True:
            why = runner.slice(machine.run_rounds, self._rules, frames, self._history)
            if why == DONE:
                return runner.result
            if why == machine.NO_TURNS:
                raise NoTurnsError
            if why == machine.NEEDS_EFFECT:
                self._learn(int(runner.control[machine.NEEDED]))
                self._rules = self._arrays()
            else:
                self.watch()

    # -- the rules ---------------------------------------------------------------------------

    def _learn(self, pair: int) -> None:
        """Take the effect of a joint move among the rules."""
        black, white = divmod(pair, self._fixed["white"])
        self._pairs[pair] = len(self._effects)
        self._effects.append(self._rounds.masks.effect(black, white))

    def _arrays(self) -> Any:
        effects = self._effects
        depends = [one for effect in effects for one in effect.depends]
        return self._machine.RoundRules(
            **self._fixed,
            pairs=self._pairs,
            keep=self._flat(effect.keep for effect in effects),
            put=self._flat(effect.put for effect in effects),
            depends_starts=_starts(len(effect.depends) for effect in effects),
            depends_bit=self._flat(bit for bit, _ in depends),
            case_starts=_starts(len(cases) for _, cases in depends),
            **self._cases("case", (cases for _, cases in depends)),
            end_starts=_starts(len(effect.ends) for effect in effects),
            **self._cases("end", (effect.ends for effect in effects)),
        )

    def _flat(self, masks: Iterable[int]) -> Words:
        return np.array([w for mask in masks for w in words_of(mask, self._size)], dtype=np.int64)

    def _cases(self, name: str, parts: Iterable[Cases]) -> dict[str, Words]:
        cases = [case for part in parts for case in part]
        return {
            f"{name}_care": self._flat(care for care, _ in cases),
            f"{name}_value": self._flat(value for _, value in cases),
        }

    def _symmetries(self, maps: Iterable[tuple[int, ...]]) -> Words:
        """The image of each byte under each symmetry, which says where the bits go."""
        maps = list(maps)
        count = -(-len(self._rounds.masks.fluents) // 8)
        tables = np.zeros((len(maps), count, 256, self._size), dtype=np.int64)
        for number, places in enumerate(maps):
            for byte in range(count):
                images = [1 << to for to in places[8 * byte : 8 * byte + 8]]
                union = [0]
                for image in images:
                    union += [entry | image for entry in union]
                union += union * (256 // len(union) - 1)
                tables[number, byte] = [words_of(mask, self._size) for mask in union]
        return tables


def _starts(counts: Iterable[int]) -> Words:
    return np.array([0, *accumulate(counts)], dtype=np.int64)


def _machine() -> ModuleType:
    from qsage_validate.extensions.fast import rounds_machine

    return rounds_machine
