"""Compiles a winning plan into a certificate, whatever the encoding.

The plan's decisions become circuits over the opponent's move variables (:class:`Decisions`); what
else the certificate decides follows from the play, as the encoding says (``completions``).

Nothing is asked of the hero where the opponent has lost by an illegal move; where the formula goes
on after one of White's, Black's play in mind does so as well (``Encoding.mind``).  When that play
has ended, the hero claims to have won where the formula has a variable for it (``stop``), makes no
move in games in GDL, and otherwise claims the first open position of the list.  On a grid a claim
goes with the move that reaches the goal, and what follows it means nothing.

Who makes a certificate in another way (:class:`PlayInLiterals`) goes through the plies of an
encoding and says what the hero plays; what else the certificate decides follows in the same way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from qsage_validate.certificates.plan import Moves, Plan, PlanNode
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.decision import synthesise
from qsage_validate.circuit.qbf import Connective
from qsage_validate.encodings.encoding import Encoding, Goals, PlyLiterals
from qsage_validate.encodings.layout import Bits, IllegalMoves, MoveCoding, Ply
from qsage_validate.errors import QsageError
from qsage_validate.games.protocol import Move, Player
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect


class NotCompiledError(QsageError):
    """A winning strategy is there, but the encoding is not one for which it can be compiled."""


def require_completion(encoding: Encoding, hero: Player) -> None:
    """Raise :class:`NotCompiledError` where an encoding says nothing of a player's certificates."""
    if hero not in encoding.completions:
        raise NotCompiledError(
            f"found the encoding {encoding.layout.encoding} for a win of {hero}'s, expected one "
            f"that has certificates for {hero}"
        )


class PlayInLiterals(ABC):
    """The literals of a play, ply by ply; what completions see is this.

    ``literals`` are of the variables that are known, ``functions`` of those of the hero's;
    ``inputs`` are the opponent's variables.  ``mind`` is the play by the rules.
    """

    def __init__(self, encoding: Encoding, hero: Player, builder: AigBuilder) -> None:
        self.encoding = encoding
        self.layout = encoding.layout
        self.qbf = encoding.qbf
        self.hero = hero
        self.kind = CertificateKind.SKOLEM if hero is Player.BLACK else CertificateKind.HERBRAND
        self.builder = builder
        self.inputs = self.qbf.variables(self.kind.decides.dual)
        self.literals: dict[int, int] = {}
        self.functions: dict[int, int] = {}
        self.plies: list[PlyLiterals] = []
        self.mind = encoding.mind(builder, hero)

    def make_inputs(self) -> None:
        """Make the opponent's variables the inputs of the graph."""
        self.literals.update((v, self.builder.input()) for v in self.inputs)

    @abstractmethod
    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about the goals that the hero reaches, as ``width`` bits; zeros without one."""

    def value(self, literal: int) -> int:
        """The graph's literal of a variable, or of a gate that is a constant of the formula."""
        name = abs(literal)
        if name in self.literals:
            return self.literals[name] ^ (literal < 0)
        gate = self.qbf.gates[name]
        if gate.inputs:
            raise ValueError(f"found gate {name} among the moves, expected variables")
        return (TRUE if gate.connective is Connective.AND else FALSE) ^ (literal < 0)

    def define(self, variables: Sequence[int], literals: Sequence[int]) -> None:
        """Give the hero's variables their functions; a constant among them needs none."""
        for variable, literal in zip(variables, literals, strict=True):
            name, function = abs(variable), literal ^ (variable < 0)
            if name not in self.qbf.gates and self.mind.decides(name):
                self.functions[name] = self.literals[name] = function

    def decoded(self, coding: MoveCoding, numbers: Sequence[Bits]) -> list[int]:
        sizes = [number.size for number in coding.numbers] or [len(coding.moves)]
        trees = []
        for bits, count in zip(numbers, sizes, strict=True):
            tree = [TRUE]
            for bit in bits:
                tree = [
                    self.builder.and_(node, bit ^ 1 ^ one) for node in tree for one in (FALSE, TRUE)
                ][: 2 * count]
            trees.append(tree)
        if len(trees) == 1:
            return trees[0][: sizes[0]]
        return [
            self.builder.and_all(tree[k] for tree, k in zip(trees, coding.place(move), strict=True))
            for move in coding.moves
        ]

    def encoded(self, made: Sequence[int]) -> Bits:
        """The index of the one literal that is true, as bits."""
        width = bits_for(len(made))
        return tuple(
            self.builder.or_all(one for k, one in enumerate(made) if k >> bit & 1)
            for bit in reversed(range(width))
        )

    def played(
        self, ply: Ply, numbers: Sequence[Bits], stop: int, moves: Callable[[], Sequence[int]]
    ) -> PlyLiterals:
        """A ply with the variables of it that are known."""
        named = map(abs, ply.all_variables)
        known = {v: self.literals[v] for v in named if v in self.literals}
        return PlyLiterals(ply.player, numbers, stop, known, moves)

    def written(self, ply: Ply) -> PlyLiterals:
        """The opponent's move as it is written: none where the opponent stops instead."""
        builder, coding = self.builder, ply.coding
        stop = FALSE if ply.stop is None else self.value(ply.stop)
        literals = tuple(map(self.value, coding.variables))
        numbers = [tuple(map(self.value, number.bits)) for number in coding.numbers]
        numbers = numbers or [self.encoded(literals)]

        def moves() -> Sequence[int]:
            made = self.decoded(coding, numbers) if coding.numbers else literals
            return [builder.and_(literal, stop ^ 1) for literal in made]

        return self.played(ply, numbers, stop, moves)

    def complete(self) -> None:
        """Define what the hero decides besides the moves, once these are known."""
        self.functions.update(self.encoding.completions[self.hero](self))
        missing = [
            self.qbf.name(v)
            for v in self.qbf.variables(self.kind.decides)
            if v not in self.functions
        ]
        if missing:
            raise ValueError(f"no definition of {', '.join(missing[:8])}")

    def certificate(self, also: Sequence[int] = ()) -> tuple[CircuitCertificate, list[int]]:
        """The certificate, in a graph that has the literals ``also``; with these."""
        decided = self.qbf.variables(self.kind.decides)
        aig, moved = self.builder.build([*(self.functions[v] for v in decided), *also])
        functions: Mapping[int, int] = dict(zip(decided, moved, strict=False))
        made = CircuitCertificate(self.kind, aig, self.inputs, functions, Dialect.CAQE)
        return made, moved[len(decided) :]


def bits_for(size: int) -> int:
    """The bits of the numbers below ``size``."""
    return max(size - 1, 0).bit_length()


def compile_plan(
    encoding: Encoding, plan: Plan, initially: Goals | None = None
) -> CircuitCertificate:
    """The certificate that plays ``plan``: Skolem when the hero is Black, else Herbrand.

    ``initially`` are the goals of the hero that hold at the start, where the play has ended
    there.  All variables that the certificate decides get a function.  The result is not checked
    here.  Raises :class:`NotCompiledError` for an encoding that says nothing about certificates
    of the hero.
    """
    require_completion(encoding, plan.hero)
    compiler = Compiler(encoding, plan, initially)
    compiler.run()
    return compiler.certificate()[0]


GoalNumber = Callable[[Callable[[Goals], int], int], Bits]
"""Makes the circuit of a number about the goals that the hero has reached, in so many bits."""


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """The hero's move at a ply: its numbers, and whether the hero has won with it."""

    numbers: list[Bits]
    ends: Callable[[], int]
    goals: GoalNumber


@dataclass(frozen=True, slots=True)
class _Claim:
    """A ply of the hero's: whether the play is over after it, and the goals that are reached."""

    over: int
    goals: GoalNumber


def _made(reply: Move) -> Sequence[Move]:
    """The opponent's moves that are a reply, ply by ply."""
    return reply.moves if isinstance(reply, Moves) else (reply,)


def _within_first_moves(encoding: Encoding, plan: Plan) -> Plan:
    """The plan without replies to first moves that the formula leaves out for symmetry."""
    if plan.root is not None or not encoding.layout.moves:
        return plan
    kept = frozenset(encoding.layout.moves[0].moves)
    replies = {move: node for move, node in plan.replies.items() if str(_made(move)[0]) in kept}
    return replace(plan, replies=replies)


class HeroPlays(PlayInLiterals):
    """The plays of a strategy; what the hero plays is said ply by ply."""

    def __init__(
        self, encoding: Encoding, hero: Player, builder: AigBuilder, initially: Goals | None
    ) -> None:
        super().__init__(encoding, hero, builder)
        self.make_inputs()
        self._initially = initially
        self._claims: list[_Claim] = []
        # True when the play in mind is over before the current ply.
        self._over = FALSE if initially is None else TRUE

    @abstractmethod
    def _choose(self, ply: Ply) -> ChosenMove: ...

    def _leave(self) -> None:
        """Go on from the hero's ply."""

    @abstractmethod
    def _replied(
        self, ply: Ply, numbers: Sequence[Bits], made: Callable[[], Sequence[int]]
    ) -> None:
        """Take the opponent's move in mind: its numbers, and for each move a literal."""

    def _end(self) -> None:
        """Finish the play after its last ply."""

    # -- what the hero reaches -----------------------------------------------------------------

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about the goals that the hero reaches, as ``width`` bits; zeros without one."""
        if self._initially is not None:
            found = value(self._initially) if self._initially else 0
            return tuple(TRUE if found >> bit & 1 else FALSE for bit in reversed(range(width)))
        if not self._claims:
            return (FALSE,) * width
        number = self._claims[-1].goals(value, width)
        for claim in reversed(self._claims[:-1]):
            if claim.over == FALSE:
                continue
            earlier = claim.goals(value, width)
            number = tuple(
                self.builder.ite(claim.over, a, b) for a, b in zip(earlier, number, strict=True)
            )
        return number

    # -- the plies -----------------------------------------------------------------------------

    def _opponent_ply(self, ply: Ply) -> None:
        """The opponent's move as it is written; the numbers of the one in mind."""
        written = self.written(ply)
        numbers = written.numbers
        self.plies.append(written)
        if self.layout.illegal_replies(ply.player) is IllegalMoves.LOSES:
            self.mind.play(ply, written, self.literals)
            self._replied(ply, numbers, lambda: written.made)
            return
        taken = self.mind.replaced(ply, written.made)
        in_mind = self.encoded(taken)
        self.mind.play(ply, replace(written, moves=lambda: taken), self.literals)
        self._replied(ply, [in_mind], lambda: taken)

    def _hero_ply(self, ply: Ply) -> None:
        coding = ply.coding
        chosen = self._choose(ply)
        numbers = chosen.numbers
        if ply.stop_instead:
            made, numbers, stop = self._unless_over(ply, self.decoded(coding, numbers), numbers)
            moves: Callable[[], Sequence[int]] = lambda: made  # noqa: E731
            over = self._over = self.builder.or_(self._over, chosen.ends())
        else:
            moves = partial(self.decoded, coding, numbers)
            stop = over = chosen.ends() if ply.stop is not None else FALSE
        self._claims.append(_Claim(over, chosen.goals))
        for value, width in self.mind.witnesses:
            chosen.goals(value, width)
        self._leave()
        if coding.numbers:
            for number, bits in zip(coding.numbers, numbers, strict=True):
                padding = (FALSE,) * (len(number.bits) - len(bits))
                self.define(number.bits, padding + bits if number.bits else ())
        else:
            self.define(coding.variables, moves())
        if ply.stop is not None:
            self.define([ply.stop], [stop])
        played = self.played(ply, numbers, stop, moves)
        self.mind.play(ply, played, self.literals)
        self.plies.append(played)

    def _unless_over(
        self, ply: Ply, made: Sequence[int], numbers: list[Bits]
    ) -> tuple[Sequence[int], list[Bits], int]:
        """The move, and whether it is a claim instead, where the play may be over by now."""
        builder = self.builder
        ended = self.mind.over(ply)
        if ended is not None:
            return [builder.and_(literal, ended ^ 1) for literal in made], numbers, FALSE
        if ply.stop is not None:
            return [builder.and_(literal, self._over ^ 1) for literal in made], numbers, self._over
        if self._over == FALSE:
            return made, numbers, FALSE
        made = [
            builder.ite(self._over, instead, literal)
            for instead, literal in zip(self.mind.fallback(ply), made, strict=True)
        ]
        return made, [self.encoded(made)], FALSE

    def run(self) -> None:
        """Find the functions of all variables that the certificate decides."""
        for ply in self.layout.moves:
            if ply.player is self.hero:
                self._hero_ply(ply)
            else:
                self._opponent_ply(ply)
        self._end()
        self.complete()


class Compiler(HeroPlays):
    """The play of a plan."""

    def __init__(
        self,
        encoding: Encoding,
        plan: Plan,
        initially: Goals | None = None,
        *,
        rewrite: bool = True,
    ) -> None:
        self.plan = plan = _within_first_moves(encoding, plan)
        super().__init__(encoding, plan.hero, AigBuilder(rewrite=rewrite), initially)
        # The codings and numbers of the opponent's plies since the hero's last one.
        self._codings: list[MoveCoding] = []
        self._before: list[Bits] = []
        self.decisions = Decisions(self.builder, plan, self._numbers)

    def _numbers(self, reply: Move) -> Sequence[int]:
        """The numbers of the opponent's moves since the hero's last ply."""
        moves = zip(self._codings, _made(reply), strict=True)
        return [number for coding, move in moves for number in coding.place(str(move))]

    def _replied(
        self, ply: Ply, numbers: Sequence[Bits], made: Callable[[], Sequence[int]]
    ) -> None:
        self._before += numbers
        self._codings.append(ply.coding)

    def _choose(self, ply: Ply) -> ChosenMove:
        coding = ply.coding
        self.decisions.arrive(self._before)
        column = self.decisions.at_this_ply()
        sizes = [number.size for number in coding.numbers] or [len(coding.moves)]
        numbers = [
            column(_place_of(coding, index), bits_for(size)) for index, size in enumerate(sizes)
        ]
        nodes = bool(self.decisions.nodes)

        def ends() -> int:
            return column(_stops, 1)[0] if nodes or not ply.stop_instead else FALSE

        return ChosenMove(numbers, ends, _goals_in(column))

    def _leave(self) -> None:
        self.decisions.leave()
        self._before.clear()
        self._codings.clear()

    def _end(self) -> None:
        """Claim the goal that the hero chooses after the last ply, where there is a choice."""
        self.decisions.arrive(self._before)
        if self.decisions.nodes:
            self._claims.append(_Claim(TRUE, _goals_in(self.decisions.at_this_ply())))


def _goals_in(column: Column) -> GoalNumber:
    return lambda value, width: column(_number_of(value), width)


def _stops(node: PlanNode) -> int:
    return int(node.stop)


def _place_of(coding: MoveCoding, index: int) -> Callable[[PlanNode], int]:
    return lambda node: coding.place(str(node.move))[index]


def _number_of(value: Callable[[Goals], int]) -> Callable[[PlanNode], int | None]:
    """A number about the goals of a node; nothing where the play goes on."""
    return lambda node: value(node.witnesses) if node.stop and node.witnesses else None


Column = Callable[[Callable[[PlanNode], int | None], int], Bits]
"""Makes the circuit of a number that each node of a ply determines, in so many bits."""


@dataclass(frozen=True)
class Arrival:
    """One way to come to a decision: the class before, the opponent's move, the node."""

    code: int
    reply: Move | None
    node: PlanNode


class Decisions:
    """The hero's decisions, ply by ply.

    The *class* of a ply is the number of the plan node that is in force, in binary; it is a
    function of the class before and of the opponent's move in between.  ``numbers`` turns a
    move of the opponent into the numbers that its bit vectors stand for.
    """

    def __init__(
        self, builder: AigBuilder, plan: Plan, numbers: Callable[[Move], Sequence[int]]
    ) -> None:
        self.builder = builder
        self.numbers = numbers
        self._class: Bits = ()
        if plan.root is not None:
            self._arrivals = [Arrival(0, None, plan.root)]
        else:
            self._arrivals = [Arrival(0, move, node) for move, node in plan.replies.items()]
        self._inputs: Bits = ()
        self._groups: list[int] = []
        # The nodes that are in force after each of the hero's plies: their codes, the class.
        self.left: list[tuple[dict[PlanNode, int], Bits]] = []
        self._keys: list[tuple[int, PlanNode]] = []

    @property
    def nodes(self) -> list[PlanNode]:
        """The nodes that can be in force at the current ply."""
        return list(dict.fromkeys(arrival.node for arrival in self._arrivals))

    def arrive(self, opponent: Sequence[Bits]) -> None:
        """Come to the hero's next ply; ``opponent`` are the vectors of the move before it."""
        self._inputs = self._class + tuple(bit for vector in opponent for bit in vector)
        self._groups = [len(self._class), *map(len, opponent)]
        self._keys = [(self._key(arrival, opponent), arrival.node) for arrival in self._arrivals]

    def _key(self, arrival: Arrival, opponent: Sequence[Bits]) -> int:
        key = arrival.code
        if arrival.reply is not None:
            for vector, number in zip(opponent, self.numbers(arrival.reply), strict=True):
                key = key << len(vector) | number
        return key

    def column(self, value: Callable[[PlanNode], int | None], width: int) -> Bits:
        """A number that each node determines, as ``width`` bits; ``None`` is a don't-care."""
        return self.at_this_ply()(value, width)

    def at_this_ply(self) -> Column:
        """:meth:`column` for the current ply, also when the decisions have gone on."""
        inputs, keys, groups = self._inputs, self._keys, self._groups

        def column(value: Callable[[PlanNode], int | None], width: int) -> Bits:
            values = [(key, value(node)) for key, node in keys]
            return tuple(
                synthesise(
                    self.builder,
                    inputs,
                    {key: None if number is None else number >> bit & 1 for key, number in values},
                    groups,
                )
                for bit in range(width - 1, -1, -1)
            )

        return column

    def leave(self) -> None:
        """Go on from the hero's ply: the class bits of the nodes in force become inputs."""
        lasting = [node for node in self.nodes if node.table]
        weight = dict.fromkeys(lasting, 0)
        for arrival in self._arrivals:
            if arrival.node in weight:
                weight[arrival.node] += 1
        # Nodes with many arrivals get the small codes: their bits are false most of the time.
        lasting.sort(key=lambda node: -weight[node])
        codes = {node: code for code, node in enumerate(lasting)}
        self._class = self.column(codes.get, max(len(lasting) - 1, 0).bit_length())
        self.left.append((codes, self._class))
        self._arrivals = [
            Arrival(codes[node], reply, child)
            for node in lasting
            for reply, child in node.table.items()
        ]
