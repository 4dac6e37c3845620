"""Compiles a winning plan into a certificate for any encoding with tables of moves.

The plan's decisions become circuits over the opponent's move variables (``decisions.py``); what
else the certificate decides follows from the play, as the encoding says (``definitions``).

Nothing is asked of the hero where the opponent has lost by an illegal move; where the formula goes
on after one of White's, Black's play in mind does so as well (``play_in_mind.py``).  When that play
has ended, the hero claims to have won where the formula has a variable for it (``stop``), makes no
move in games in GDL, and otherwise claims the first open position of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from qsage_validate.certificates.compile.decisions import Column, Decisions
from qsage_validate.certificates.compile.plan import Moves, Plan, PlanNode
from qsage_validate.certificates.compile.play_in_mind import play_in_mind
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Connective
from qsage_validate.encodings.completion import PlyLiterals
from qsage_validate.encodings.encoding import TableEncoding
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import IllegalMoves, Ply
from qsage_validate.errors import QsageError
from qsage_validate.games.protocol import Move, Player, Witness
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect, Kind


class NotCompiledError(QsageError):
    """A winning plan is there, but the encoding is not one for which it can be compiled."""


def compile_table_plan(
    encoding: TableEncoding, plan: Plan, initially: frozenset[Witness] | None = None
) -> CircuitCertificate:
    """The certificate that plays ``plan``: Skolem when the hero is Black, else Herbrand.

    ``initially`` are the goals of the hero that hold at the start, where the play has ended
    there.  All variables that the certificate decides get a function.  The result is not checked
    here.  Raises :class:`NotCompiledError` for an encoding that says nothing about certificates
    of the hero.
    """
    hero = plan.hero
    if hero not in encoding.definitions:
        raise NotCompiledError(
            f"found the encoding {encoding.layout.encoding} for a win of {hero}'s, expected one "
            f"that has certificates for {hero}"
        )
    return _TableCompiler(encoding, plan, initially).certificate()


@dataclass(frozen=True, slots=True)
class _Claim:
    """A ply of the hero's: whether the play is over after it, and its nodes' witnesses."""

    over: int
    column: Column


@dataclass(slots=True)
class _Play:
    """What the definitions see of the compiler."""

    builder: AigBuilder
    plies: Sequence[PlyLiterals]
    hero: Player
    literals: Mapping[int, int]
    numbers: Callable[[Callable[[Witness], int], int], Bits]

    def witness(self, value: Callable[[Witness], int], width: int) -> Bits:
        return self.numbers(value, width)


def _one(witnesses: frozenset[Witness]) -> Witness:
    """The same one of some witnesses whatever is asked about it."""
    return min(witnesses, key=str)


def _made(reply: Move) -> Sequence[Move]:
    """The opponent's moves that are a reply, ply by ply."""
    return reply.moves if isinstance(reply, Moves) else (reply,)


def _within_first_moves(encoding: TableEncoding, plan: Plan) -> Plan:
    """The plan without replies to first moves that the formula leaves out for symmetry."""
    if plan.root is not None or not encoding.layout.moves:
        return plan
    kept = frozenset(encoding.layout.moves[0].moves)
    replies = {move: node for move, node in plan.replies.items() if str(_made(move)[0]) in kept}
    return replace(plan, replies=replies)


class _TableCompiler:
    """Goes through the plies one by one."""

    def __init__(
        self, encoding: TableEncoding, plan: Plan, initially: frozenset[Witness] | None
    ) -> None:
        self.encoding = encoding
        self.layout = encoding.layout
        self.qbf = encoding.qbf
        self.plan = plan = _within_first_moves(encoding, plan)
        self.hero = plan.hero
        self.kind = Kind.SKOLEM if self.hero is Player.BLACK else Kind.HERBRAND
        self.builder = AigBuilder()
        self.inputs = self.qbf.variables(self.kind.decides.dual)
        self.literals: dict[int, int] = {v: self.builder.input() for v in self.inputs}
        self.functions: dict[int, int] = {}
        self.plies: list[PlyLiterals] = []
        # For each of the opponent's plies since the hero's last one: the numbers of its moves.
        self._numbers: list[Mapping[str, int]] = []
        self._initially = initially
        self._claims: list[_Claim] = []
        # What is true when the play in mind is over before the current ply.
        self._over = FALSE if initially is None else TRUE
        self.mind = play_in_mind(encoding, self.builder)
        self._decisions = Decisions(self.builder, plan, self._number)

    def _witness(self, value: Callable[[Witness], int], width: int) -> Bits:
        """The number of a goal that the hero reaches, as ``width`` bits; zeros without one."""

        def number_of(node: PlanNode) -> int | None:
            return value(_one(node.witnesses)) if node.stop and node.witnesses else None

        if self._initially is not None:
            found = value(_one(self._initially)) if self._initially else 0
            return tuple(TRUE if found >> bit & 1 else FALSE for bit in reversed(range(width)))
        if not self._claims:
            return (FALSE,) * width
        number = self._claims[-1].column(number_of, width)
        for claim in reversed(self._claims[:-1]):
            if claim.over == FALSE:
                continue
            earlier = claim.column(number_of, width)
            number = tuple(
                self.builder.ite(claim.over, a, b) for a, b in zip(earlier, number, strict=True)
            )
        return number

    # -- literals ------------------------------------------------------------------------------

    def value(self, literal: int) -> int:
        """The graph's literal of a variable, or of a gate that is a constant of the formula."""
        name = abs(literal)
        if name in self.literals:
            return self.literals[name] ^ (literal < 0)
        gate = self.qbf.gates[name]
        if gate.inputs:
            raise ValueError(f"found gate {name} among the moves, expected variables")
        return (TRUE if gate.connective is Connective.AND else FALSE) ^ (literal < 0)

    def _define(self, variables: Sequence[int], literals: Sequence[int]) -> None:
        """Give the hero's variables their functions; a constant among them needs none."""
        for variable, literal in zip(variables, literals, strict=True):
            name, function = abs(variable), literal ^ (variable < 0)
            if name not in self.qbf.gates and self.mind.decides(name):
                self.functions[name] = self.literals[name] = function

    def _decoded(self, bits: Sequence[int], count: int) -> list[int]:
        """For each number a literal that says that the bits are this number."""
        tree = [TRUE]
        for bit in bits:
            tree = [
                self.builder.and_(node, bit ^ 1 ^ one) for node in tree for one in (FALSE, TRUE)
            ][: 2 * count]
        return tree[:count]

    def _encoded(self, made: Sequence[int]) -> Bits:
        """The number of the literal that is true, of which one is, as bits."""
        width = max(len(made) - 1, 0).bit_length()
        return tuple(
            self.builder.or_all(one for k, one in enumerate(made) if k >> bit & 1)
            for bit in reversed(range(width))
        )

    def _number(self, reply: Move) -> Sequence[int]:
        """The numbers of the opponent's moves since the hero's last ply, in their tables."""
        moves = zip(self._numbers, _made(reply), strict=True)
        return [numbers[str(move)] for numbers, move in moves]

    # -- the plies -----------------------------------------------------------------------------

    def _variables(self, table: Ply) -> dict[int, int]:
        named = [*map(abs, table.variables), *([] if table.stop is None else [abs(table.stop)])]
        return {v: self.literals[v] for v in named if v in self.literals}

    def _opponent_ply(self, table: Ply) -> tuple[Bits, ...]:
        """The opponent's move as it is written; the vector of the one in mind."""
        stop = FALSE if table.stop is None else self.value(table.stop)
        code = tuple(map(self.value, table.variables))
        if table.coding.numbers:
            made = self._decoded(code, len(table.moves))
        else:
            made = list(code)
            code = self._encoded(made)
        made = [self.builder.and_(literal, stop ^ 1) for literal in made]
        taken: Sequence[int] = made
        if self._goes_on(table.player):
            taken = self.mind.replaced(table, made)
            code = self._encoded(taken)
        self.mind.play(table, taken, self.literals)
        self.plies.append(PlyLiterals(table.player, made, stop, self._variables(table)))
        return (code,)

    def _goes_on(self, player: Player) -> bool:
        """Whether the formula goes on after an illegal move of the player's."""
        return self.encoding.layout.illegal_replies(player) is not IllegalMoves.LOSES

    def _hero_ply(self, table: Ply, before: tuple[Bits, ...]) -> None:
        builder = self.builder
        self._decisions.arrive(before)
        column = self._decisions.at_this_ply()
        number = {text: k for k, text in enumerate(table.moves)}
        width = max(len(table.moves) - 1, 0).bit_length()
        chosen = column(lambda node: number[str(node.move)], width)
        stop = FALSE
        made: Sequence[int] = self._decoded(chosen, len(table.moves))
        ended = self.mind.over(table)
        if ended is not None:
            made = [builder.and_(literal, ended ^ 1) for literal in made]
        elif table.stop is not None:
            stop = self._over
            made = [builder.and_(literal, stop ^ 1) for literal in made]
        elif self._over != FALSE:
            made = [
                builder.ite(self._over, instead, literal)
                for instead, literal in zip(self.mind.fallback(table), made, strict=True)
            ]
            chosen = self._encoded(made)
        ends = column(lambda node: int(node.stop), 1)[0] if self._decisions.nodes else FALSE
        self._over = builder.or_(self._over, ends)
        self._claims.append(_Claim(self._over, column))
        self._decisions.leave()
        if table.coding.numbers:
            padding = (FALSE,) * (len(table.variables) - width)
            self._define(table.variables, padding + chosen if table.variables else ())
        else:
            self._define(table.variables, made)
        if table.stop is not None:
            self._define([table.stop], [stop])
        self.mind.play(table, made, self.literals)
        self.plies.append(PlyLiterals(table.player, made, stop, self._variables(table)))

    def _behind(self, before: tuple[Bits, ...]) -> None:
        """What the hero decides behind the last ply, where that is anything: which goal it is."""
        self._decisions.arrive(before)
        if self._decisions.nodes:
            self._claims.append(_Claim(TRUE, self._decisions.at_this_ply()))

    def certificate(self) -> CircuitCertificate:
        """The certificate."""
        before: tuple[Bits, ...] = ()
        for table in self.layout.moves:
            if table.player is self.hero:
                self._hero_ply(table, before)
                before = ()
                self._numbers.clear()
            else:
                before += self._opponent_ply(table)
                self._numbers.append({text: k for k, text in enumerate(table.moves)})
        self._behind(before)
        play = _Play(self.builder, self.plies, self.hero, self.literals, self._witness)
        self.functions.update(self.encoding.definitions[self.hero](play))
        decided = self.qbf.variables(self.kind.decides)
        missing = [self.qbf.name(v) for v in decided if v not in self.functions]
        if missing:
            raise ValueError(f"no definition of {', '.join(missing[:8])}")
        aig, moved = self.builder.build([self.functions[v] for v in decided])
        functions: Mapping[int, int] = dict(zip(decided, moved, strict=True))
        return CircuitCertificate(self.kind, aig, self.inputs, functions, Dialect.CAQE)
