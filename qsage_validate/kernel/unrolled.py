"""Games in GDL as the kernel has them: ground rules, one program for each round.

The semantics is Definition 1 of He, Saffidine and Thielscher 2024: what holds in a position and
what comes after it is the one model of a stratified program.  Here it is built as a circuit, bottom
up, an atom after those that it depends on.  A round is two plies, Black's part and White's, as in
Definition 5.

:class:`UnrolledGame` is plain data: it is the game of which something is proved.  That its
programs are the description's rules is the grounder's to warrant; that they have one meaning is
checked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.kernel.game import Rules, State, TooLargeError
from qsage_validate.kernel.player import Player
from qsage_validate.system.limits import NEVER, Deadline

MAX_GATES: Final = 5_000_000
"""The rules of no game are a circuit of more gates than this (about 1 GB)."""

BLACK, WHITE = Player.BLACK, Player.WHITE


@dataclass(frozen=True, slots=True)
class GroundRule:
    """``head`` holds where all of ``body`` do; a negative number is an atom that must not hold."""

    head: int
    body: tuple[int, ...]


Stratum = tuple[GroundRule, ...]
"""All rules of some atoms that may depend on each other, though not on each other's negation."""


@dataclass(frozen=True, slots=True)
class GroundOption:
    """A move of a role: its text, the atom that it is legal, and the atom that it is made."""

    text: str
    legal: int
    does: int


@dataclass(frozen=True)
class GroundProgram:
    """The rules of one round, over atoms that are numbered from 1 and named by ``atoms``.

    ``fluents`` has the atom of each fluent that can hold before the round, by its text;
    ``following`` that of each which can hold after it.  ``options`` are all moves that can be
    legal, one at least for each player unless no play gets through the round.  The play is over
    where ``terminal`` holds, and Black has won it where one of ``wins`` does; one of ``spoilt``
    says that the rules give a goal no meaning.

    ``position`` are rules about the position alone, ``outcome`` those about what is done in it.
    The fluents and the options' ``does`` have no rules.  Any other atom without rules is false.
    Raises ``ValueError`` where a rule depends on what a later stratum defines, or where a stratum
    depends on its own negation.
    """

    atoms: tuple[str, ...]
    fluents: Mapping[str, int]
    options: Mapping[Player, tuple[GroundOption, ...]]
    terminal: int
    wins: tuple[int, ...]
    spoilt: tuple[int, ...]
    following: Mapping[str, int]
    position: tuple[Stratum, ...]
    outcome: tuple[Stratum, ...]

    def __post_init__(self) -> None:
        if any(len({o.text for o in own}) < len(own) for own in self.options.values()):
            raise ValueError("two options of one text")
        does = {o.does for options in self.options.values() for o in options}
        base = {*self.fluents.values(), *does}
        if len(base) < len(self.fluents) + sum(map(len, self.options.values())):
            raise ValueError("an atom that is two fluents or moves")
        strata = (*self.position, *self.outcome)
        heads = {rule.head for stratum in strata for rule in stratum}
        if heads & base:
            raise ValueError(f"a rule for {self._name(min(heads & base))}, which is given")
        later = set(heads)
        for number, stratum in enumerate(strata):
            own = {rule.head for rule in stratum}
            if not own <= later:
                raise ValueError(f"rules for {self._name(min(own - later))} in two strata")
            later -= own
            unknown = later | does if number < len(self.position) else later
            for rule in stratum:
                for atom in rule.body:
                    if abs(atom) in unknown or (atom < 0 and -atom in own):
                        raise ValueError(
                            f"{self._name(rule.head)} depends on {self._name(abs(atom))}, which "
                            "is not known before it"
                        )
        wanted = {self.terminal, *self.wins, *self.spoilt, *self.following.values()}
        wanted |= {o.legal for options in self.options.values() for o in options}
        used = {abs(atom) for stratum in strata for rule in stratum for atom in rule.body}
        for atom in base | heads | wanted | used:
            if not 1 <= atom <= len(self.atoms):
                raise ValueError(f"the atom {atom} of {len(self.atoms)}")

    def _name(self, atom: int) -> str:
        return self.atoms[atom - 1] if 1 <= atom <= len(self.atoms) else f"atom {atom}"

    @property
    def num_rules(self) -> int:
        return sum(map(len, (*self.position, *self.outcome)))


@dataclass(frozen=True)
class UnrolledGame:
    """A game of ``rounds`` rounds, which begins with the fluents ``initial``.

    ``programs[t]`` is round ``t + 1``, and the last of ``rounds + 1`` says who has won after all.
    There may be fewer, where no play is longer.  Raises ``ValueError`` where a fluent would be lost
    between rounds.
    """

    name: str
    rounds: int
    initial: frozenset[str]
    programs: tuple[GroundProgram, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.programs) <= self.rounds + 1:
            raise ValueError(f"{len(self.programs)} programs for {self.rounds} rounds")
        before: Iterable[str] = self.initial
        for program in self.programs:
            lost = set(before) - program.fluents.keys()
            if lost:
                raise ValueError(f"{min(lost)} can hold and is no fluent of the next round")
            before = program.following


Literals = Mapping[int, int]
"""The graph's literal of each atom that is known; any other atom is false."""


class _Fluents(Mapping[str, int]):
    """The fluents that can hold at some time; any other text is one that never does."""

    def __init__(self, literals: Mapping[str, int]) -> None:
        self._literals = literals

    def __getitem__(self, text: str) -> int:
        return self._literals.get(text, FALSE)

    def __iter__(self) -> Iterator[str]:
        return iter(self._literals)

    def __len__(self) -> int:
        return len(self._literals)


class UnrolledRules(Rules):
    """The circuit of a game by rounds.

    At an even time a state has a literal for each fluent of the next round's program; at an odd
    time those of the time before and, for each option of Black's, whether it was chosen.  Raises
    ``TooLargeError`` from any method when the rules take more than ``max_gates`` gates or when
    the deadline passes.
    """

    def __init__(
        self,
        builder: AigBuilder,
        game: UnrolledGame,
        *,
        max_gates: int = MAX_GATES,
        deadline: Deadline = NEVER,
    ) -> None:
        self.builder = builder
        self.game = game
        self.plies = 2 * game.rounds + 1
        self._gates_left = max_gates
        self._max_gates = max_gates
        self._deadline = deadline
        self._positions: dict[tuple[int, State], Literals] = {}
        fluents = (text for program in game.programs for text in program.fluents)
        self._nothing = dict.fromkeys(fluents, FALSE)

    def mover(self, ply: int) -> Player:
        return BLACK if ply % 2 else WHITE

    def _program(self, time: int) -> GroundProgram | None:
        """The program of the round that a time is in; ``None`` where no play gets to."""
        number = time // 2
        return self.game.programs[number] if number < len(self.game.programs) else None

    def _options(self, ply: int) -> tuple[GroundOption, ...]:
        program = self._program(ply - 1)
        if program is None or ply == self.plies:
            return ()
        return program.options[self.mover(ply)]

    def moves(self, ply: int) -> Sequence[str]:
        return [option.text for option in self._options(ply)]

    @property
    def initial(self) -> State:
        fluents = self.game.programs[0].fluents
        return tuple(TRUE if text in self.game.initial else FALSE for text in fluents)

    # -- the program of a round --------------------------------------------------------------

    def _position(self, program: GroundProgram, state: State, time: int) -> Literals:
        """The atoms that hold at a time; of the state only the fluents are looked at."""
        fluents = state[: len(program.fluents)]
        key = (time // 2, fluents)
        if key not in self._positions:
            given = dict(zip(program.fluents.values(), fluents, strict=True))
            self._positions[key] = self._evaluate(program.position, given)
        return self._positions[key]

    def _evaluate(self, strata: Sequence[Stratum], known: Literals) -> Literals:
        """The atoms of all strata besides those that are known."""
        found = dict(known)
        first = self.builder.num_gates
        for stratum in strata:
            rules: dict[int, list[tuple[int, ...]]] = {}
            for rule in stratum:
                rules.setdefault(rule.head, []).append(rule.body)
            if any(atom in rules for bodies in rules.values() for body in bodies for atom in body):
                self._least_fixpoint(rules, found, first)
            else:
                found.update({head: self._any(bodies, found) for head, bodies in rules.items()})
            self._check_limits(first)
        self._gates_left -= self.builder.num_gates - first
        return found

    def _least_fixpoint(
        self,
        rules: Mapping[int, Sequence[tuple[int, ...]]],
        found: dict[int, int],
        first: int,
    ) -> None:
        """Atoms that depend on each other: stage by stage, from nothing.

        A stage says what follows from the stage before.  Negations are of known atoms, so a stage
        has all of the stage before; after as many stages as there are atoms nothing is new.
        """
        found.update(dict.fromkeys(rules, FALSE))
        for _ in rules:
            stage = {head: self._any(bodies, found) for head, bodies in rules.items()}
            if all(found[head] == literal for head, literal in stage.items()):
                return
            found.update(stage)
            self._check_limits(first)

    def _any(self, bodies: Iterable[tuple[int, ...]], known: Literals) -> int:
        and_all = self.builder.and_all
        return self.builder.or_all(
            and_all(known.get(abs(atom), FALSE) ^ (atom < 0) for atom in body) for body in bodies
        )

    def _check_limits(self, first: int) -> None:
        """Check the limits for the rules' gates; those made since ``first`` are not yet counted."""
        if self.builder.num_gates - first > self._gates_left:
            raise TooLargeError(f"the rules as a circuit have more than {self._max_gates:,} gates")
        if self._deadline.over:
            raise TooLargeError("time is up while the rules are made a circuit")

    # -- the game ----------------------------------------------------------------------------

    def legal(self, state: State, ply: int) -> Sequence[int]:
        program = self._program(ply - 1)
        if program is None:
            return []
        holds = self._position(program, state, ply - 1)
        return [holds.get(option.legal, FALSE) for option in self._options(ply)]

    def after(self, state: State, ply: int, made: Sequence[int]) -> State:
        program = self._program(ply - 1)
        if program is None or ply == self.plies:
            return ()
        # A single option is made, or else the state after it means nothing.
        done = (TRUE,) if len(made) == 1 else tuple(made)
        if self.mover(ply) is BLACK:
            return (*state, *done)
        known = dict(self._position(program, state, ply - 1))
        both = (*state[len(program.fluents) :], *done)
        options = (*program.options[BLACK], *program.options[WHITE])
        known.update((o.does, literal) for o, literal in zip(options, both, strict=True))
        holds = self._evaluate(program.outcome, known)
        following = self._program(ply)
        if following is None:
            return ()
        atoms = program.following
        return tuple(
            holds.get(atoms[text], FALSE) if text in atoms else FALSE for text in following.fluents
        )

    def won(self, state: State, time: int) -> Mapping[Player, int]:
        program = self._program(time)
        if program is None or time % 2:
            return dict.fromkeys(Player, FALSE)
        builder, holds = self.builder, self._position(program, state, time)
        over = holds.get(program.terminal, FALSE)
        win = builder.or_all(holds.get(atom, FALSE) for atom in program.wins)
        meant = self._spoilt(program, holds) ^ 1
        black = builder.and_all((over, win, meant))
        # When the rounds are over the play is, and whatever is no win of Black's is White's.
        ended = builder.or_(over, TRUE if time == self.plies - 1 else FALSE)
        return {BLACK: black, WHITE: builder.and_all((ended, black ^ 1, meant))}

    def _spoilt(self, program: GroundProgram, holds: Literals) -> int:
        """A literal that is true if the play is over with a goal that means nothing."""
        spoilt = self.builder.or_all(holds.get(atom, FALSE) for atom in program.spoilt)
        return self.builder.and_(holds.get(program.terminal, FALSE), spoilt)

    def atoms(self, state: State, time: int) -> Mapping[str, int]:
        program = self._program(time)
        found = dict(self._nothing)
        if program is not None:
            found.update(zip(program.fluents, state, strict=False))
        return _Fluents(found)

    def undefined(self, state: State, ply: int) -> int:
        """A role has no legal move, or both have a choice, or a goal means nothing.

        Where both have a choice the game is not turn-taking.
        """
        program = self._program(ply - 1)
        if program is None:
            return TRUE  # no play gets here; should one do, nothing is known of it
        builder, holds = self.builder, self._position(program, state, ply - 1)
        spoilt = self._spoilt(program, holds)
        if ply == self.plies:
            return spoilt
        options = [[holds.get(o.legal, FALSE) for o in program.options[p]] for p in Player]
        (some, more), (also, more_also) = map(self._counted, options)
        silent = builder.or_(builder.and_(some, also) ^ 1, builder.and_(more, more_also))
        return builder.or_(spoilt, builder.and_(silent, holds.get(program.terminal, FALSE) ^ 1))

    def _counted(self, literals: Sequence[int]) -> tuple[int, int]:
        """Two literals: at least one of the given literals is true; at least two are."""
        builder = self.builder
        layer = [(literal, FALSE) for literal in literals] or [(FALSE, FALSE)]
        while len(layer) > 1:
            pairs = zip(layer[::2], layer[1::2], strict=False)
            joined = [
                (builder.or_(a, b), builder.or_all((two_a, two_b, builder.and_(a, b))))
                for (a, two_a), (b, two_b) in pairs
            ]
            layer = joined + layer[len(joined) * 2 :]
        return layer[0]


__all__ = [
    "MAX_GATES",
    "GroundOption",
    "GroundProgram",
    "GroundRule",
    "Stratum",
    "UnrolledGame",
    "UnrolledRules",
]
