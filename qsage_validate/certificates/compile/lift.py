"""Lifts a certificate of a prepared positional game to a formula of the whole game.

Section 4.1 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023 leaves out positions that
matter to nobody, and first moves as good as others.  Whoever wins what is left wins the whole
game by the same strategy: the winner has a play of the prepared game in mind.

* A move of the opponent's that the play in mind does not know, or that it takes for illegal, is
  another one in mind, the first open position of the list.  So in mind the opponent has at least
  the stones that the opponent has, and the winner has the same.
* Black's first move, where the prepared formula has another one of its class under the symmetries
  of the whole game only, is turned to that one; so are all moves from then on, and replies are
  turned back.
* A formula ends with Black's last ply, and where few positions are left that may be early.  Behind
  it White claims what is left, as in mind, and then what was left out last (``claims_in_time``).

The functions of the prepared certificate are put behind the moves in mind.  They may read what
the opponent decides besides moves in the prepared formula; that follows from the moves, as the
prepared encoding says.  Nothing here is believed: the result is checked on the whole formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from qsage_validate.certificates.compile.compiler import PlayInLiterals, require_completion
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed, strash
from qsage_validate.encodings.encoding import (
    Encoding,
    Goals,
    PlyLiterals,
    completed,
    first_true,
    held,
)
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Ply, listed
from qsage_validate.encodings.positional.open_game import claims_in_time
from qsage_validate.games.positional.hex import with_winning_sets
from qsage_validate.games.positional.language import POSITIONAL
from qsage_validate.games.positional.model import (
    Arrangement,
    PositionalModel,
    find_symmetries,
    keeping_stones,
)
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate


def lift(
    certificate: CircuitCertificate, prepared: Encoding, whole: Encoding
) -> CircuitCertificate:
    """The certificate of ``whole`` that plays as ``certificate`` of ``prepared`` does.

    Both are encodings of one name, of a positional game and of what preparation leaves of it.
    The result is not checked here.  Raises ``NotCompiledError`` for an encoding that says nothing
    about certificates of the winner, and ``UsageError`` where a goal has to be named and there
    are too many ways of a network to list them.
    """
    require_completion(whole, certificate.kind.player)
    lifting = _Lifting(certificate, prepared, whole)
    lifting.run()
    return lifting.certificate()[0]


@dataclass(frozen=True)
class _View:
    """What positions are called in mind where the literal ``taken`` holds."""

    taken: int
    in_mind: Mapping[str, str]

    @cached_property
    def really(self) -> Mapping[str, str]:
        """What a position in mind is called on the board."""
        return {there: here for here, there in self.in_mind.items()}


class _Lifting(PlayInLiterals):
    """The play of the whole game, with the one in mind beside it."""

    def __init__(
        self, certificate: CircuitCertificate, prepared: Encoding, whole: Encoding
    ) -> None:
        super().__init__(whole, certificate.kind.player, AigBuilder())
        self.make_inputs()
        self.inner = _Inner(certificate, prepared, self.builder)
        self.model = POSITIONAL.own(whole.model)
        size = len(self.model.positions)
        self.black, self.white = held(self.model.black, size), held(self.model.white, size)
        self._views = [_View(TRUE, {name: name for name in self.model.positions})]
        self._stopped = FALSE

    def run(self) -> None:
        """Find the functions of all variables that the certificate decides."""
        inner = self.inner.layout.moves
        for index, ply in enumerate(self.layout.moves):
            in_mind = inner[index] if index < len(inner) else None
            if ply.player is self.hero:
                self._hero_ply(ply, in_mind)
            else:
                self._opponent_ply(ply, in_mind)
        self.complete()

    # -- plies ---------------------------------------------------------------------------------

    def _opponent_ply(self, ply: Ply, in_mind: Ply | None) -> None:
        written = self.written(ply)
        self.plies.append(written)
        taken = self.mind.replaced(ply, written.made)
        self.mind.play(ply, replace(written, moves=lambda: taken), self.literals)
        self._lay(ply, taken)
        made = dict(zip(ply.moves, written.made, strict=True))
        if ply.ply == 1 and in_mind is not None:
            self._choose_view(made, in_mind)
        known = self.inner.behind(ply) if in_mind is None else in_mind
        there = self._by_view([(view.taken, view.really) for view in self._views], made, known)
        if in_mind is None:
            self.inner.go_on(known, there)
        else:
            self.inner.opponent(in_mind, there)

    def _hero_ply(self, ply: Ply, in_mind: Ply | None) -> None:
        coding = ply.coding
        if in_mind is None:
            made = self._behind(ply)
        else:
            own = dict(zip(in_mind.moves, self.inner.hero_move(in_mind), strict=True))
            made = self._by_view([(view.taken, view.in_mind) for view in self._views], own, ply)
        if ply.stop is not None:
            self._stopped = self.builder.or_(self._stopped, self._stops(in_mind))
            made = [self.builder.and_(literal, self._stopped ^ 1) for literal in made]
            self.define([ply.stop], [self._stopped])
        numbers = [self.encoded(made)] if coding.numbers else []
        for number, bits in zip(coding.numbers, numbers, strict=True):
            padding = (FALSE,) * (len(number.bits) - len(bits))
            self.define(number.bits, padding + bits if number.bits else ())
        if not coding.numbers:
            self.define(coding.variables, made)
        played = self.played(ply, numbers, self._stopped, lambda: made)
        self.mind.play(ply, played, self.literals)
        self.plies.append(played)
        self._lay(ply, made)

    def _lay(self, ply: Ply, made: Sequence[int]) -> None:
        """Lay stones where they may be laid: a certificate may claim what is taken."""
        own, other = self.black, self.white
        if ply.player is Player.WHITE:
            own, other = other, own
        for name, literal in zip(ply.moves, made, strict=True):
            v = self.model.number[name]
            own[v] = self.builder.or_(own[v], self.builder.and_(literal, other[v] ^ 1))

    def _behind(self, ply: Ply) -> list[int]:
        """The move at a ply that the prepared formula does not have."""
        own = self.inner.any_open(ply)
        left = self._by_view([(view.taken, view.in_mind) for view in self._views], own, ply)
        order = [name for name in self._order if name in set(ply.moves)]
        others = dict(zip(order, self.mind.fallback(_listed(ply, order)), strict=True))
        none = self.builder.or_all(own.values()) ^ 1
        return [
            self.builder.or_(literal, self.builder.and_(none, others.get(name, FALSE)))
            for name, literal in zip(ply.moves, left, strict=True)
        ]

    @cached_property
    def _order(self) -> tuple[str, ...]:
        return claims_in_time(self.model, self.layout.encoding)

    def _stops(self, in_mind: Ply | None) -> int:
        """The literal that Black stops before a ply: Black has won by then, here or in mind."""
        if in_mind is None:
            return TRUE
        won = self.builder.or_all(completed(self.builder, self._sets.black_wins, self.black))
        return self.builder.or_(won, self.inner.stop(in_mind))

    @cached_property
    def _sets(self) -> PositionalModel:
        return with_winning_sets(self.model)

    # -- symmetries ----------------------------------------------------------------------------

    def _by_view(
        self, views: Sequence[tuple[int, Mapping[str, str]]], made: Mapping[str, int], ply: Ply
    ) -> list[int]:
        """For each move of a ply the literal that it is made, under its name in the view taken."""
        builder = self.builder
        return [
            builder.or_all(
                builder.and_(taken, made.get(names[move], FALSE)) for taken, names in views
            )
            for move in ply.moves
        ]

    def _choose_view(self, made: Mapping[str, int], in_mind: Ply) -> None:
        """Turn a first move that is not one of the prepared formula's to one that is."""
        names, known = self.model.positions, frozenset(in_mind.moves)
        left = frozenset(POSITIONAL.own(self.inner.encoding.model).positions)
        missing = [name for name in made if name in left and name not in known]
        if not missing:
            return
        found = find_symmetries(self.model, Arrangement.of(names))
        turned = FALSE
        for symmetry in keeping_stones(self.model, found):
            in_mind_of = {name: names[symmetry.images[k]] for k, name in enumerate(names)}
            fits = [name for name in missing if in_mind_of[name] in known]
            missing = [name for name in missing if name not in fits]
            if fits:
                taken = self.builder.or_all(made[name] for name in fits)
                turned = self.builder.or_(turned, taken)
                self._views.append(_View(taken, in_mind_of))
        self._views[0] = replace(self._views[0], taken=turned ^ 1)

    # -- goals ---------------------------------------------------------------------------------

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about one of the goals that preparation left, with Black's first stones."""
        if self.hero is Player.WHITE:
            return (FALSE,) * width
        numbers = [value(frozenset({goal | self.model.black})) for goal in self._goals]
        first = first_true(self.builder, completed(self.builder, self._goals, self.black))
        return tuple(
            self.builder.or_all(
                literal for literal, n in zip(first, numbers, strict=True) if n >> bit & 1
            )
            for bit in reversed(range(width))
        )

    @cached_property
    def _goals(self) -> list[int]:
        """The goals that are left, in the numbers of the whole game."""
        left = with_winning_sets(POSITIONAL.own(self.inner.encoding.model))
        return [self.model.mask(left.names(goal)) for goal in left.black_wins]


class _Inner(PlayInLiterals):
    """The play in mind, in the literals of the graph of the whole game's."""

    def __init__(
        self, certificate: CircuitCertificate, prepared: Encoding, builder: AigBuilder
    ) -> None:
        super().__init__(prepared, certificate.kind.player, builder)
        self.strategy = certificate

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        return (FALSE,) * width

    def opponent(self, ply: Ply, made: Sequence[int]) -> None:
        """Go on by a move of the opponent's, one of the ply's moves or none of them."""
        taken = self.mind.replaced(ply, made)
        self._enter(ply, taken)
        self.go_on(ply, taken)

    def hero_move(self, ply: Ply) -> Sequence[int]:
        """Go on by the certificate's move; returns a literal for each of the ply's moves."""
        self._read(ply.all_variables)
        if ply.coding.numbers:
            numbers = [tuple(map(self.value, number.bits)) for number in ply.coding.numbers]
            made = self.decoded(ply.coding, numbers)
        else:
            made = [self.value(literal) for literal in ply.coding.variables]
        self.go_on(ply, made)
        return made

    def behind(self, ply: Ply) -> Ply:
        return _listed(ply, POSITIONAL.own(self.encoding.model).positions)

    def any_open(self, ply: Ply) -> Mapping[str, int]:
        """Go on behind the last ply by the first open position that is left, if any."""
        behind = self.behind(ply)
        made = self.mind.fallback(behind)
        self.go_on(behind, made)
        return dict(zip(behind.moves, made, strict=True))

    def stop(self, ply: Ply) -> int:
        """The literal that the hero stops instead of the ply."""
        return FALSE if ply.stop is None else self.value(ply.stop)

    def go_on(self, ply: Ply, made: Sequence[int]) -> None:
        """Go on by a move: a literal for each of the ply's moves."""
        numbers = [tuple(map(self.value, number.bits)) for number in ply.coding.numbers]
        played = self.played(ply, numbers, self.stop(ply), lambda: made)
        self.mind.play(ply, played, self.literals)
        self.plies.append(played)

    def _enter(self, ply: Ply, made: Sequence[int]) -> None:
        """Write a move of the opponent's, who never stops, to its variables."""
        vectors = [number.bits for number in ply.coding.numbers] or [ply.coding.variables]
        bits = self.encoded(made) if ply.coding.numbers else tuple(made)
        for variables in vectors:
            padding = (FALSE,) * (len(variables) - len(bits))
            for variable, bit in zip(variables, padding + bits if variables else (), strict=True):
                self.literals[abs(variable)] = bit ^ (variable < 0)
        if ply.stop is not None:
            self.literals[abs(ply.stop)] = FALSE ^ (ply.stop < 0)

    def _read(self, variables: Sequence[int]) -> None:
        """The values of some of the hero's variables by the certificate."""
        names = [abs(v) for v in variables if abs(v) not in self.qbf.gates]
        functions = {v: self.strategy.functions.get(v, FALSE) for v in names}
        aig = self.strategy.aig
        # What is not known yet stands further right in the prefix.
        known = self._known() if self._asks_for_more(list(functions.values())) else self.literals
        inputs = [known.get(v, FALSE) for v in self.strategy.inputs]
        self.literals.update(
            zip(names, embed(self.builder, aig, inputs, list(functions.values())), strict=True)
        )

    def _asks_for_more(self, functions: Sequence[int]) -> bool:
        """True if functions read a variable of the opponent's that is no move."""
        small, moved = strash(self.strategy.aig, functions)
        reached = {literal >> 1 for literal in moved}
        reached.update((small.fanin0 >> 1).tolist(), (small.fanin1 >> 1).tolist())
        inputs = enumerate(self.strategy.inputs, start=1)
        return any(k in reached and v not in self.literals for k, v in inputs)

    def _known(self) -> Mapping[int, int]:
        """The literals of all that the opponent decides, as far as the play has gone."""
        opponent = self.hero.other
        if opponent not in self.encoding.completions:
            return self.literals
        rest = self.layout.moves[len(self.plies) :]
        return _SoFar(self, rest, opponent).known()


def _listed(ply: Ply, moves: Sequence[str]) -> Ply:
    """A ply of the same player's, with other moves."""
    return listed(ply.ply, ply.player, tuple(moves))


class _SoFar:
    """A play that has not ended, as one in which nothing is claimed at the other plies."""

    def __init__(self, play: _Inner, rest: Sequence[Ply], opponent: Player) -> None:
        self.builder = play.builder
        self.hero = opponent
        self._completion = play.encoding.completions[opponent]
        unknown = {abs(v): FALSE for v in play.qbf.levels() if v not in play.literals}
        self.literals: Mapping[int, int] = {**unknown, **play.literals}
        nothing = [
            PlyLiterals(
                ply.player,
                [(FALSE,) * len(number.bits) for number in ply.coding.numbers],
                FALSE,
                {},
                lambda ply=ply: [FALSE] * len(ply.moves),  # type: ignore[misc]
            )
            for ply in rest
        ]
        self.plies = [*play.plies, *nothing]

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """Zeros: the opponent reaches nothing."""
        return (FALSE,) * width

    def known(self) -> Mapping[int, int]:
        """The literals of all variables: those of moves, and what follows of them."""
        return {**self.literals, **self._completion(self)}
