"""Strategies compared by plays, and moved into formulas that write their moves differently.

The shared variables that the certificate decides become gates of the second formula: its residual
formula says that the rest of its player's variables can be chosen such that the strategy wins. A
certificate of the residual formula, together with the functions, is a certificate of the second
formula, and is checked as such.

A function may read variables of the opponent that are not shared. They are the opponent's in the
residual formula as well, in an outermost block of their own: the strategy wins when it wins for
every value of them.

Where both formulas have layouts, what they share are moves: those of one ply. The strategy is
asked for its reply after every play of the opponent's by the rules. The tree of its replies is
compiled where the second formula's encoding is known, which says how all else follows from the
moves. Else, and where the compiled functions do not win, the tree is a constraint: in the plays by
the rules the player makes these moves, all other values are open, and solvers decide. So it does
not matter how either formula writes its moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from qsage_validate.certificates.check import CertificateProved, CertificateRefuted, check
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.compiler import NotCompiledError, compile_plan
from qsage_validate.certificates.plan import Moves, Plan, PlanNode
from qsage_validate.certificates.rest import Beaten, certified, complete, evaluate
from qsage_validate.certificates.routes import CheckFailedError, RouteOptions, certify_formula
from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder, embed, strash
from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.circuit.sat import Solver, Unsatisfiable
from qsage_validate.circuit.simplify import MOST_TABULATED, satisfy, tabulated
from qsage_validate.comparing.exact import (
    Loses,
    Mirrors,
    Shared,
    SharedWords,
    Spelling,
    Transfer,
    Wins,
    check_length,
    values_of,
)
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import Undecided, UndecidedError, UsageError, counted
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Move, Position, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.problems.load import BoardProblem
from qsage_validate.strategies.reader import (
    Assignment,
    CertificateReader,
    LayoutMove,
    StrategyAnswer,
    Values,
)
from qsage_validate.strategies.skolem import reader_of
from qsage_validate.system.limits import Deadline

# The functions of one formula's certificate, put into another formula over shared variables


def transfer(
    certificate: CircuitCertificate, second: Qbf, shared: Shared, options: RouteOptions
) -> Transfer:
    """The result of using a certificate's strategy in ``second`` over the shared variables.

    ``options`` say how the rest is found.  Raises ``UsageError`` when no shared variable is one
    that the certificate decides, and the errors of ``certify_formula`` where there are no solvers.
    """
    part = _part(certificate, second, shared)
    if isinstance(part, Loses):
        return part
    formula, strategy = part[0], _smaller(part[1])
    rest = [v for v in formula.variables(strategy.kind.decides) if v not in strategy.functions]
    if not rest:
        checked = check(formula, strategy, deadline=options.limits.deadline)
        if isinstance(checked, CertificateProved):
            return Wins("the functions are all that it needs (proved by SAT)", strategy)
        if not isinstance(checked, CertificateRefuted) or checked.choice is None:
            return Undecided(f"whether the functions win: {checked.reason}")
        return _lost(formula, strategy, checked.choice, "")
    try:
        found = complete(formula, strategy, options, as_it_is=True)
    except UndecidedError as error:
        return Undecided(f"whether the rest can be chosen: {error}")
    if isinstance(found, Beaten):
        saved = can_hold(found.left, found.choice, strategy.kind)
        how = "against some choice of the other variables" if saved else "whatever the rest is"
        return _lost(formula, strategy, found.choice, f" {how}")
    checked = check(formula, found.certificate)
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the joined certificate does not hold: {checked}")
    count = counted(len(rest), "other variable")
    how = f"with functions of {count} by {found.by} (checked by SAT)"
    return Wins(how, found.certificate)


# --- The strategy in the second formula -------------------------------------------------------


def _part(
    certificate: CircuitCertificate, second: Qbf, shared: Shared
) -> tuple[Qbf, CircuitCertificate] | Loses:
    """The second formula with a block of the variables that are not shared, and the functions."""
    kind, quantifiers = certificate.kind, second.quantifiers()
    decided = {v: w for v, w in shared.first_of.items() if quantifiers[v] is kind.decides}
    if not decided:
        raise UsageError(
            f"none of the shared variables is {kind.player}'s: the strategy says nothing of the "
            "second formula"
        )
    functions = {v: certificate.functions.get(w, FALSE) for v, w in decided.items()}
    second_of = {w: v for v, w in shared.first_of.items()}
    read = _inputs_of(certificate.aig, functions.values())
    number = max(second.max_variable, 0)
    inputs: dict[int, int] = {}
    unshared: list[int] = []
    for index in sorted(read):
        variable = second_of.get(certificate.inputs[index - 1])
        if variable is None:
            number += 1
            variable = number
            unshared.append(variable)
        inputs[index] = variable
    formula = second
    if unshared:
        outermost = Scope(kind.decides.dual, tuple(unshared))
        formula = replace(second, scopes=(outermost, *second.scopes))
    return _within_prefix(certificate, formula, functions, inputs)


def _within_prefix(
    certificate: CircuitCertificate,
    formula: Qbf,
    functions: Mapping[int, int],
    inputs: Mapping[int, int],
) -> tuple[Qbf, CircuitCertificate] | Loses:
    """The functions over what stands left of them in the prefix.

    An input further right is no matter where the function does not depend on it.
    """
    levels = formula.levels()
    builder = AigBuilder(len(inputs))
    literal_of = dict(zip(inputs, builder.inputs, strict=True))
    built: dict[int, int] = {}
    for variable, function in functions.items():
        right = {
            k
            for k in _inputs_of(certificate.aig, [function])
            if levels[inputs[k]] > levels[variable]
        }
        for k in sorted(right):
            if _depends(certificate.aig, function, k):
                return Loses(
                    f"the function of {formula.name(variable)} reads {formula.name(inputs[k])}, "
                    "which is chosen later there"
                )
        literals = [
            FALSE if k in right else literal_of.get(k, FALSE)
            for k in range(1, certificate.aig.num_inputs + 1)
        ]
        (built[variable],) = embed(builder, certificate.aig, literals, [function])
    aig, moved = builder.build(list(built.values()))
    return formula, CircuitCertificate(
        certificate.kind,
        aig,
        tuple(inputs.values()),
        dict(zip(built, moved, strict=True)),
        Dialect.CAQE,
    )


def _smaller(strategy: CircuitCertificate) -> CircuitCertificate:
    """An equivalent graph, rebuilt from truth tables where there are few inputs."""
    if strategy.aig.num_inputs > MOST_TABULATED:
        return strategy
    aig, moved = tabulated(strategy.aig, list(strategy.functions.values()))
    if aig.num_gates >= strategy.aig.num_gates:
        return strategy
    return replace(strategy, aig=aig, functions=dict(zip(strategy.functions, moved, strict=True)))


def _inputs_of(aig: Aig, outputs: Iterable[int]) -> set[int]:
    """The inputs that literals reach once constants and equal gates are simplified."""
    small, moved = strash(aig, list(outputs))
    reached = {literal >> 1 for literal in moved}
    reached.update((small.fanin0 >> 1).tolist())
    reached.update((small.fanin1 >> 1).tolist())
    return {k for k in reached if 1 <= k <= small.num_inputs}


def _depends(aig: Aig, function: int, index: int) -> bool:
    """True if a function depends on an input: it has two values for some values of the others."""
    builder = AigBuilder(aig.num_inputs)
    values = []
    for constant in (FALSE, FALSE ^ 1):
        literals = list(builder.inputs)
        literals[index - 1] = constant
        values += embed(builder, aig, literals, [function])
    graph, (different,) = builder.build([builder.xor(*values)])
    return not isinstance(satisfy(graph, different), Unsatisfiable)


# --- The play in which the second formula is lost ---------------------------------------------


def _lost(
    formula: Qbf, strategy: CircuitCertificate, choice: Mapping[int, bool], how: str
) -> Loses:
    values = {**choice, **evaluate(strategy, choice)}
    play: list[str] = []
    replies: list[str] = []
    for scope in formula.merged_scopes():
        known = [v for v in scope.variables if v in values]
        text = " ".join(f"{'' if values[v] else '-'}{formula.name(v)}" for v in known)
        if not known:
            continue
        play.append(text)
        if scope.quantifier is not strategy.kind.decides:
            replies.append(text)
    truth = "false" if strategy.kind is CertificateKind.SKOLEM else "true"
    return Loses(
        f"the second formula is {truth} in this play{how}",
        tuple(play),
        tuple(replies),
        values,
        strategy,
    )


def can_hold(formula: Qbf, values: Mapping[int, bool], kind: CertificateKind) -> bool:
    """True if some values of all other variables give the matrix the value that ``kind`` wants."""
    goal = formula.output if kind is CertificateKind.SKOLEM else -formula.output
    with Solver("minicard", bootstrap_with=list(formula.clauses())) as solver:
        fixed = [v if value else -v for v, value in values.items()]
        return bool(solver.solve(assumptions=[*fixed, goal]))


# The strategy of one formula, played by the rules and written down in another one


MOST_TURNS = 100_000


CanSay: TypeAlias = Callable[[int, Move], bool]


class BrokenOffError(Exception):
    """The strategy does not win by the rules of the second formula's game, or says nothing.

    ``play`` are the moves up to there, in the words of that game; ``moveless`` says that the
    strategy names none there that the second formula can say, ``silent`` that the first formula
    cannot say the opponent's.
    """

    def __init__(
        self, why: str, play: Sequence[Move], *, silent: bool = False, moveless: bool = False
    ) -> None:
        super().__init__(why)
        self.why = why
        self.play = tuple(play)
        self.silent = silent
        self.moveless = moveless


@dataclass(frozen=True, slots=True)
class _Line:
    """The beginning of a play: a position of the rules, and a certificate's assignment."""

    position: Position
    seen: Assignment
    moves: tuple[Move, ...]
    words: SharedWords


@dataclass(slots=True)
class _Turn:
    """A turn of the hero's, and where the decision that is made there belongs."""

    line: _Line
    table: dict[Move, PlanNode]
    key: Move


class PlayUnrolling:
    """Plays every play of the opponent's by the rules against a certificate.

    Raises ``UsageError`` for games of different length.
    """

    def __init__(
        self, problem: BoardProblem, game: TwoPlayerGame, can_say: CanSay, deadline: Deadline
    ) -> None:
        check_length(problem.layout, problem.game, game)
        oracle = problem.oracle(OracleKind.SIMULATION)
        self._reader: CertificateReader = reader_of(
            problem.layout, problem.answering, problem.formula, oracle, problem.game
        )
        self._layout = problem.layout
        self._hero = problem.answering.kind.player
        self._game = game
        self._can_say = can_say
        self._deadline = deadline
        self._mirrors = Mirrors(self._reader.code, game)
        self._words = self._mirrors.plain
        self._nodes: list[PlanNode] = []
        self._mirrored: dict[str, str] = {}

    @property
    def note(self) -> str:
        """The first moves that were seen in a mirror, as the rest of a sentence."""
        if not self._mirrored:
            return ""
        pairs = ", ".join(f"{move} as {image}" for move, image in self._mirrored.items())
        return f", in the mirror: {pairs}"

    def plan(self) -> Plan:
        """The plan; raises ``BrokenOffError`` where the strategy does not win by the rules."""
        initial = self._game.initial
        if initial.outcome is not None:
            self._check_end(initial, ())
            return Plan(self._hero, None, {})
        first: dict[Move, PlanNode] = {}
        turns = self._turns(_Line(initial, self._reader.start(), (), self._words), first)
        while turns:
            self._deadline.check("the strategy was played by the rules")
            if len(self._nodes) > MOST_TURNS:
                raise UndecidedError(f"the strategy has more than {MOST_TURNS:,} replies")
            turns = self._answered(turns)
        self._merge(first)
        if initial.to_move is self._hero:
            return Plan(self._hero, first[Moves(())], {})
        return Plan(self._hero, None, first)

    def asked(self, play: Sequence[Move]) -> tuple[str, ...]:
        """The opponent's moves of a play as the first formula says them, as far as it can."""
        said: list[str] = []
        words = self._words
        for own, move in zip(self._layout.moves, play, strict=False):
            if own.player is self._hero:
                continue
            words = self._telling(move) if own.ply == 1 else words
            found = words.say(own.ply, move)
            if found is None:
                break
            said.append(str(found))
        return tuple(said)

    # -- mirrors -----------------------------------------------------------------------------------

    def _telling(self, first: Move) -> SharedWords:
        """The words in which the first formula can be told of the opponent's first move."""
        words = self._mirrors.telling(first)
        if words is not self._words:
            self._mirrored[str(first)] = str(words.say(1, first))
        return words

    def _saying(self, first: LayoutMove) -> SharedWords:
        """The words in which the second formula can say the hero's first move."""
        plain = self._words.read(first, self._hero)
        if plain is None or self._can_say(1, plain):
            return self._words
        for words in self._mirrors.others:
            move = words.read(first, self._hero)
            if move is not None and self._can_say(1, move):
                self._mirrored[str(move)] = str(first)
                self._words = words  # there is one first move
                return words
        return self._words

    # -- the tree ----------------------------------------------------------------------------------

    def _check_end(self, position: Position, play: Sequence[Move]) -> None:
        outcome = position.outcome
        if outcome is not None and outcome.winner is not self._hero:
            raise BrokenOffError(
                f"by the rules {self._hero} does not win this play: {outcome.reason}", play
            )

    def _turns(self, line: _Line, table: dict[Move, PlanNode]) -> list[_Turn]:
        """The hero's next turns: one for each of the opponent's sequences of moves."""
        pending = [line]
        found: list[_Line] = []
        while pending:
            before = pending.pop()
            if before.position.to_move is self._hero:
                found.append(before)
                continue
            ply = before.seen.plies + 1
            for move in before.position.legal_moves():
                if ply == 1 and not self._can_say(1, move):
                    continue  # the second formula asks no answer to it
                words = self._telling(move) if ply == 1 else before.words
                moves, after = (*before.moves, move), before.position.play(move)
                if after.outcome is not None:
                    self._check_end(after, moves)
                    continue
                said = words.say(ply, move) if ply <= self._layout.plies else None
                if said is None:
                    why = f"the first formula cannot say {move} at ply {ply}"
                    raise BrokenOffError(why, moves, silent=True)
                seen = self._reader.with_move(before.seen, said)
                pending.append(_Line(after, seen, moves, words))
        made = [each.moves[len(line.moves) :] for each in found]
        single = all(len(moves) == 1 for moves in made)
        turns = [
            _Turn(each, table, moves[0] if single else Moves(moves))
            for each, moves in zip(found, made, strict=True)
        ]
        return turns[::-1]

    def _answered(self, turns: list[_Turn]) -> list[_Turn]:
        following: list[_Turn] = []
        turns.sort(key=lambda turn: turn.line.seen.plies)
        for plies, group in groupby(turns, key=lambda turn: turn.line.seen.plies):
            same = list(group)
            if plies >= self._layout.plies:
                why = "the play goes on behind the last ply of the first formula"
                raise BrokenOffError(why, same[0].line.moves, silent=True)
            answers = self._reader.answers([turn.line.seen for turn in same])
            for turn, answer in zip(same, answers, strict=True):
                following += self._decided(turn, answer)
        return following

    def _decided(self, turn: _Turn, answer: StrategyAnswer) -> list[_Turn]:
        """The turns that follow an answer, which becomes a node of the plan."""
        line = turn.line
        place = f"ply {line.seen.plies + 1}"
        if answer.move is None:
            why = f"the reply at {place} is no move: {answer.problem}"
            raise BrokenOffError(why, line.moves, moveless=True)
        claim = f"at {place} the strategy claims to have won, which it has not"
        if answer.stop and self._layout.moves[line.seen.plies].stop_instead:
            raise BrokenOffError(claim, line.moves, moveless=True)
        words = line.words if line.seen.plies else self._saying(answer.move)
        move = words.read(answer.move, self._hero)
        if move is None:
            why = f"the reply {answer.move} at {place} is no move of {self._game.name}"
            raise BrokenOffError(why, line.moves, moveless=True)
        moves = (*line.moves, move)
        if not line.position.is_legal(move):
            why = f"the reply {move} at {place} is illegal by the rules"
            if self._can_say(line.position.ply, move):
                raise BrokenOffError(why, moves)
            why += ", and the second formula cannot say it"
            raise BrokenOffError(why, line.moves, moveless=True)
        after = line.position.play(move)
        self._check_end(after, moves)
        over = after.outcome is not None
        if answer.stop and not over:
            raise BrokenOffError(claim, moves, moveless=True)
        reached = self._game.witnesses(after, self._hero) if over else frozenset()
        node = PlanNode(line.position.ply, move, bool(reached), reached)
        self._nodes.append(node)
        turn.table[turn.key] = node
        if over:
            return []
        seen = self._reader.with_answer(line.seen, answer)
        return self._turns(_Line(after, seen, moves, words), node.table)

    def _merge(self, first: dict[Move, PlanNode]) -> None:
        """Make equal decisions one, from the last ply on."""
        known: dict[object, PlanNode] = {}
        kept: dict[int, PlanNode] = {}

        def moved(table: dict[Move, PlanNode]) -> None:
            table.update({move: kept[id(node)] for move, node in table.items()})

        for node in reversed(self._nodes):
            moved(node.table)
            replies = frozenset((move, id(child)) for move, child in node.table.items())
            key = (node.ply, node.move, node.stop, node.witnesses, replies)
            kept[id(node)] = known.setdefault(key, node)
        moved(first)


@dataclass(frozen=True)
class ComparedSide:
    """A formula whose layout's moves are those of a game; its encoding, where that is known.

    The formula may be a faulty one: ``encoding`` says what its variables should mean.
    """

    formula: Qbf
    layout: Layout
    game: TwoPlayerGame
    encoding: Encoding | None = None

    @classmethod
    def of(cls, encoding: Encoding, formula: Qbf | None = None) -> ComparedSide:
        """The formula of an encoding, or another one with its variables."""
        game = load_game(encoding.model)
        return cls(encoding.qbf if formula is None else formula, encoding.layout, game, encoding)


def transfer_by_plays(first: BoardProblem, second: ComparedSide, options: RouteOptions) -> Transfer:
    """The result of using the strategy of ``first`` in the formula of ``second``, over the moves.

    Raises ``UsageError`` for games of different length.
    """
    return _Transfer(first, second, options).outcome()


class _Transfer:
    def __init__(self, first: BoardProblem, second: ComparedSide, options: RouteOptions) -> None:
        self.formula, self.game, self.encoding = second.formula, second.game, second.encoding
        self.plies = second.layout.moves
        self.spelling = Spelling(second.layout, second.game)
        self.options = options
        self.kind = first.answering.kind
        self.hero = self.kind.player
        self.unrolling = PlayUnrolling(first, self.game, self._can_say, options.limits.deadline)

    def outcome(self) -> Transfer:
        try:
            plan = self.unrolling.plan()
            for node in plan.nodes():
                self._said(node.ply, node.move)
            return self._compiled(plan) or self._constrained(plan)
        except BrokenOffError as error:
            return self._broken_off(error)
        except UndecidedError as error:
            return Undecided(str(error))

    # -- the second formula's words ----------------------------------------------------------------

    def _can_say(self, ply: int, move: Move) -> bool:
        return self.spelling.literals(ply, move) is not None

    def _said(self, ply: int, move: Move) -> list[int]:
        """The literals that are true where a move is said; raises ``UndecidedError``."""
        found = self.spelling.literals(ply, move)
        if found is None:
            raise UndecidedError(f"the second formula cannot say {move} at ply {ply}")
        return found

    # -- written down by the encoding --------------------------------------------------------------

    def _compiled(self, plan: Plan) -> Transfer | None:
        """The plan as a certificate of the encoding; ``None`` where that settles nothing."""
        if self.encoding is None:
            return None
        initial = self.game.initial
        ended = self.game.witnesses(initial, self.hero) if initial.outcome else None
        try:
            certificate = compile_plan(self.encoding, plan, ended)
        except NotCompiledError:
            return None
        checked = check(self.formula, certificate, deadline=self.options.limits.deadline)
        if isinstance(checked, CertificateProved):
            rest = f"the rest as {self.encoding.layout.encoding} defines it (proved by SAT)"
            return Wins(f"{self._count(plan)}, {rest}", certificate)
        if not isinstance(checked, CertificateRefuted):
            return Undecided(f"the strategy in the second formula: {checked.reason}")
        choice = checked.choice
        lost = None if choice is None else self._lost(plan, lambda _: choice)
        if lost is not None and not lost.saved:
            return replace(lost.outcome, certificate=certificate)
        decided = self._constrained(plan)
        return replace(decided, certificate=certificate) if isinstance(decided, Loses) else decided

    def _count(self, plan: Plan) -> str:
        return f"{counted(sum(1 for _ in plan.nodes()), 'reply')}{self.unrolling.note}"

    # -- decided by solvers ------------------------------------------------------------------------

    def _constrained(self, plan: Plan) -> Transfer:
        """The result of the plan's moves with functions found for all other variables."""
        circuit = CircuitBuilder(self.formula.max_variable + 1)
        kept = circuit.and_(*self._kept(plan, circuit))
        wanted = self.formula.output if self.kind.truth else -self.formula.output
        output = circuit.and_(wanted, kept) * (1 if self.kind.truth else -1)
        gates = {**self.formula.gates, **circuit.gates}
        formula = replace(self.formula, gates=gates, output=output, comments=())
        try:
            made = certify_formula(formula, self.options)
        except UndecidedError as error:
            return Undecided(f"whether the rest can be chosen: {error}")
        found = made.certificate
        if found.kind is not self.kind:
            return self._lost(plan, lambda own: evaluate(found, own)).outcome
        checked = check(self.formula, found)
        if not isinstance(checked, CertificateProved):
            raise CheckFailedError(f"a certificate with these moves does not hold: {checked}")
        return Wins(f"{self._count(plan)}, the rest by {made.by} (checked by SAT)", found)

    def _kept(self, plan: Plan, circuit: CircuitBuilder) -> Iterator[int]:
        """The literals that are true if the player makes the plan's moves in plays by the rules."""
        reached: dict[int, list[int]] = {}

        def reach(table: Mapping[Move, PlanNode], ply: int, before: int) -> None:
            for reply, node in table.items():
                said = [before]
                for number, move in enumerate(_made(reply), start=ply):
                    stop = self.plies[number - 1].stop
                    said += [*self._said(number, move), *([] if stop is None else [-stop])]
                reached.setdefault(id(node), []).append(circuit.and_(*said))

        if plan.root is not None:
            reached[id(plan.root)] = [circuit.true]
        reach(plan.replies, 1, circuit.true)
        nodes = {id(node): node for node in plan.nodes()}
        for node in sorted(nodes.values(), key=lambda node: node.ply):
            here = circuit.or_(*reached[id(node)])
            ply = self.plies[node.ply - 1]
            own = self._said(node.ply, node.move)
            if ply.stop is not None and (ply.stop_instead or node.table):
                own.append(-ply.stop)
            yield circuit.or_(-here, circuit.and_(*own))
            reach(node.table, node.ply + 1, here)

    # -- lost plays --------------------------------------------------------------------------------

    def _lost(self, plan: Plan, opponent: Callable[[Values], Values]) -> _LostPlay:
        """The play of the plan against an opponent, a function of the player's moves so far."""
        position, node, table = self.game.initial, plan.root, plan.replies
        own: dict[int, bool] = {}
        made: list[Move] = []
        moves: list[Move] = []
        play: list[str] = []
        replies: list[str] = []
        for ply in self.plies:
            if position.outcome is not None:
                break
            if ply.player is self.hero:
                node = node or table.get(made[0] if len(made) == 1 else Moves(tuple(made)))
                node = node or table.get(Moves(tuple(made)))
                if node is None:
                    break
                move = node.move
                own |= values_of(self._said(ply.ply, node.move))
                play.append(str(self.spelling.words.say(ply.ply, node.move)))
                table, node, made = node.table, None, []
            else:
                answer = self.spelling.code.decode(ply.ply, opponent(own))
                text = "no move" if answer.move is None else str(answer.move)
                play.append(f"{text}!stop" if answer.stop else text)
                if answer.move is not None:
                    replies.append(text)
                said = answer.move
                read = None if said is None else self.spelling.words.read(said, ply.player)
                if answer.stop or read is None:
                    break
                move = read
                made.append(move)
            moves.append(move)
            if not position.is_legal(move):
                break
            position = position.play(move)
        values = {**opponent(own), **own}
        saved = can_hold(self.formula, values, self.kind)
        truth = "false" if self.kind.truth else "true"
        rest = "against some choice of the other variables" if saved else "whatever the rest is"
        why = f"the second formula is {truth} in this play, {rest}"
        asked = self.unrolling.asked(moves)
        return _LostPlay(Loses(why, tuple(play), tuple(replies), values, asked=asked), saved)

    def _broken_off(self, error: BrokenOffError) -> Transfer:
        """The second formula's result for a play in which the strategy fails by the rules."""
        if error.silent:
            return Undecided(error.why)
        fixed: list[int] = []
        play: list[str] = []
        for ply, move in zip(self.plies, error.play, strict=False):
            literals = self.spelling.literals(ply.ply, move)
            play.append(str(self.spelling.words.say(ply.ply, move) or move))
            if literals is None and not error.moveless:
                why = f"{error.why}; ply {ply.ply} of the second formula cannot say {move}"
                return Undecided(why)
            fixed += [*(literals or ()), *([] if ply.stop is None else [-ply.stop])]
        replies = [
            text for ply, text in zip(self.plies, play, strict=False) if ply.player is not self.hero
        ]
        lost = Loses(error.why, tuple(play), tuple(replies), asked=self.unrolling.asked(error.play))
        if error.moveless:
            return lost
        quantified = self.formula.quantifiers()
        found = {v: value for v, value in values_of(fixed).items() if v in quantified}
        try:
            made = certified(residual(self.formula, found), self.options)
        except UndecidedError as undecided:
            return Undecided(f"{error.why}; what the second formula makes of it: {undecided}")
        if made.certificate.kind is self.kind:
            return Undecided(f"{error.why}; after these moves the second formula can still be won")
        return replace(lost, why=f"{error.why}; the second formula is lost by it", values=found)


@dataclass(frozen=True, slots=True)
class _LostPlay:
    """A play that the opponent wins; ``saved``: not against every choice of what is no move."""

    outcome: Loses
    saved: bool


def _made(reply: Move) -> Sequence[Move]:
    """The opponent's moves that are a reply, ply by ply."""
    return reply.moves if isinstance(reply, Moves) else (reply,)
