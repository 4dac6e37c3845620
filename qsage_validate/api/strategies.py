"""Strategies: certificates that are made, read, proved, attacked, played and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.api.formulas import Formula, encode, order_of, renamed, subject_of
from qsage_validate.api.games import Board, Game, game_of
from qsage_validate.api.values import (
    FileSource,
    as_paths,
    directed_graph,
    html_table,
    of_kind,
    parameter_words,
)
from qsage_validate.arena.program import DeclaredExplanation
from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.comparing.compare import (
    ComparedStrategy,
    compared,
    compared_both,
    compared_exactly,
    read_from,
    relation,
)
from qsage_validate.comparing.exact import QUESTIONS, ExactComparison, Loses
from qsage_validate.errors import Exit, UsageError
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect
from qsage_validate.problems.load import BoardProblem, Files, Problem, certified_by, sorted_out
from qsage_validate.problems.load import load as load_problem
from qsage_validate.registry import declared
from qsage_validate.registry import load as load_place
from qsage_validate.render.svg import escape
from qsage_validate.system.limits import Deadline, Limits, Tell, nobody

if TYPE_CHECKING:
    from qsage_validate import Explanation
    from qsage_validate.api.matches import Match
    from qsage_validate.api.reports import Attack, Report
    from qsage_validate.arena.strategy_tree import StrategyNode, StrategyTree
    from qsage_validate.certificates.routes import CertifiedFormula
    from qsage_validate.circuit.qbf import Qbf


_POSITIONS = 200_000


@dataclass(frozen=True)
class Strategy:
    """A strategy for one side of a formula: its certificate, or a solver that answers.

    Made by :func:`certify` and :func:`load`.  Files that :func:`load` reads are claims:
    :meth:`validate` says what of it is proved.
    """

    problem: Problem = field(repr=False)
    formula: Formula | None = field(repr=False, default=None)
    made: CertifiedFormula | None = field(repr=False, default=None)

    @property
    def player(self) -> Player:
        """Whose strategy it is: Black's of a Skolem certificate, White's of a Herbrand one."""
        return self.problem.answering.kind.player

    @property
    def kind(self) -> str:
        """``Skolem`` (the formula is claimed to be true) or ``Herbrand`` (false)."""
        return self.problem.answering.kind.value

    @property
    def gates(self) -> int | None:
        """The number of AND gates; ``None`` of a clause set."""
        certificate = self.problem.answering
        return certificate.aig.num_gates if isinstance(certificate, CircuitCertificate) else None

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the variables that have a function, in the order of the prefix.

        Skolem functions are those of existential variables, Herbrand functions of universal ones.
        Raises ``UsageError`` for a clause set, and without a formula.
        """
        _, _, functions = self._functions
        return tuple(functions)

    def values(self, choice: Mapping[str, bool]) -> dict[str, bool]:
        """The values of all functions where the opponent's variables have those of ``choice``.

        Variables that no function reads may be left out.  Raises ``UsageError`` for a variable
        that is missing, and for one that is not the opponent's.
        """
        from qsage_validate.circuit.aig import values_of

        formula, certificate, functions = self._functions
        theirs = [s for s in formula.scopes if s.quantifier is not certificate.kind.decides]
        known = [formula.name(v) for scope in theirs for v in scope.variables]
        read = [formula.name(v) for v in certificate.inputs]
        foreign = [name for name in choice if name not in known]
        missing = [name for name in read if name not in choice]
        if foreign:
            expected = f"expected the opponent's: {' '.join(known)}"
            raise UsageError(f"found a value for {foreign[0]}, {expected}")
        if missing:
            raise UsageError(f"found no value for {missing[0]}, expected one for {' '.join(read)}")
        inputs, literals = [choice[name] for name in read], list(functions.values())
        found = values_of(certificate.aig, inputs, literals)
        return dict(zip(functions, found, strict=True))

    @property
    def _functions(self) -> tuple[Qbf, CircuitCertificate, dict[str, int]]:
        """Formula and certificate, and the literal of each function by its variable's name."""
        formula, certificate = self.problem.formula, self.problem.answering
        if formula is None or not isinstance(certificate, CircuitCertificate):
            raise UsageError("found a clause set or no formula, expected functions as a circuit")
        own, scopes = certificate.functions, formula.scopes
        variables = (v for scope in scopes for v in scope.variables if v in own)
        return formula, certificate, {formula.name(v): own[v] for v in variables}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes before a play: the source of the layout, missing functions."""
        return self.problem.notes

    @parameter_words
    def validate(
        self,
        levels: str | Iterable[str] | None = None,
        *,
        games: int = 1000,
        seed: int = 0,
        illegal: float = 0.1,
        positions: int = _POSITIONS,
        jobs: int = 1,
        timeout: float | None = None,
        trust: str = "all",
        tell: Tell = nobody,
    ) -> Report:
        """Prove the strategy, attack it, and say what is wrong if something is.

        ``levels`` are names of ``qsage validate --level``, or one of them; all that apply by
        default.  ``games``, ``seed`` and ``illegal`` (how often an illegal move is tried) are for
        random plays, ``positions`` is the limit of the plays that are all tried; ``jobs`` are
        processes, ``timeout`` is in seconds for all of it.  With ``trust="minimal"`` the kernel
        alone is
        asked.  Raises ``UsageError`` for a level that is not known.
        """
        from qsage_validate.api.reports import Report
        from qsage_validate.problems.validated import command_of, file_facts, to_validate
        from qsage_validate.proving.levels import Level, levels_named
        from qsage_validate.proving.report import validate
        from qsage_validate.proving.run import ValidationOptions

        if trust not in ("all", "minimal"):
            raise UsageError(f"found trust={trust!r}, expected 'all' or 'minimal'")
        wanted = tuple(x for x in Level if x is not Level.TRACE)
        options = ValidationOptions(
            levels=wanted if levels is None else levels_named(levels),
            games=games,
            seed=seed,
            illegal=illegal,
            limits=Limits(Deadline.after(timeout), positions=positions),
            jobs=jobs,
            minimal=trust == "minimal",
        )
        problem = to_validate(self.problem)
        files = {fact.path: fact.to_dict() for fact in file_facts(problem.files)}
        facts = {"files": files, "command": command_of(problem.files), **problem.facts}
        problem = replace(problem, facts=facts)
        whole = validate(problem, options, tell=tell)
        if problem.files.made_from and problem.game is not None:
            whole = replace(whole, subject=problem.game.name)
        return Report(whole, problem)

    @parameter_words
    def explain(
        self,
        *,
        lookahead: int = 3,
        depth_limit: int | None = None,
        max_nodes: int | None = None,
        positions: int = 50_000,
        effort: int = 20_000,
        predicates: str | PathLike[str] | None = None,
        timeout: float | None = None,
        memory: int | None = None,
        tell: Tell = nobody,
    ) -> Explanation:
        """A small program, a decision tree over the board, by which the player wins; proved.

        Any move that wins may be chosen, not only the strategy's own.  ``lookahead`` is how many
        plies the words of the program look ahead, 0 to 3.  ``depth_limit`` and ``max_nodes`` say
        how much is shown: the whole is found and proved.  ``positions`` is the limit of the
        positions that the program meets, ``effort`` the conflicts of the SAT solver for the first
        proof that no smaller tree wins, ``predicates`` a file of questions of your own, ``timeout``
        the seconds for all of it, ``memory`` the megabytes of the search.

        Raises ``UndecidedError`` at a limit, ``InputError`` for a predicate that is not understood,
        ``UsageError`` for a formula without rules and a certificate with functions missing, and
        ``RefutedStrategyError`` where the strategy does not win.
        """
        found = next(iter(declared("explanations", DeclaredExplanation)), None)
        if found is None:
            raise UsageError("found explain(), expected an installed package that explains")
        explained: Explanation = load_place(found.strategy)(
            self,
            lookahead=lookahead,
            depth_limit=depth_limit,
            max_nodes=max_nodes,
            positions=positions,
            effort=effort,
            predicates=predicates,
            timeout=timeout,
            memory=memory,
            tell=tell,
        )
        return explained

    @parameter_words
    def play(self, *, blocks: bool = False) -> Match:
        """A play against the strategy, with you on the other side.

        With ``blocks`` it is the game of variables, block by block, even where a layout says what
        they mean.  Raises ``UsageError`` for functions that read what is chosen later.
        """
        from qsage_validate.api.matches import Match
        from qsage_validate.arena.lesson import teacher_of
        from qsage_validate.arena.open import open_engine

        problem = self.playable
        if blocks and isinstance(problem, BoardProblem):
            problem = problem.blocks()
        match = Match(open_engine(problem), teacher=lambda: teacher_of(problem))
        match.problem = problem
        return match

    def openspiel_bot(self) -> Any:
        """A ``pyspiel.Bot`` that plays the strategy (extra ``openspiel``).

        It plays states of ``game.to_openspiel()``, on which player 0 is Black.
        """
        from qsage_validate.api.matches import spiel_bot

        return spiel_bot(self.play(), self.player)

    @parameter_words
    def attack(self, games: int = 100, *, seed: int = 0, illegal: float = 0.0) -> Attack:
        """Random plays of the opponent's; ``illegal`` is how often an illegal move is tried.

        The same seed gives the same plays.  Raises ``UsageError`` where illegal moves are asked
        for and nothing says which moves are illegal.
        """
        from qsage_validate.api.reports import Attack
        from qsage_validate.arena.adversary import open_adversary

        return Attack(open_adversary(self.playable, seed=seed, illegal=illegal).run(games))

    def tree(self, depth: int | None = None, *, budget: int = 2_000) -> Tree:
        """The tree of the strategy: the opponent's moves with the reply to each.

        The tree is expanded on demand; ``depth`` (in moves of the opponent) and ``budget`` (in
        nodes) end what is counted, shown and exported.  Raises ``UsageError`` without a layout.
        """
        return Tree(self._tree, self._tree.root, depth, budget)

    def replies(self, moves: Sequence[str] = ()) -> Mapping[str, str | None]:
        """The reply to each legal move of the opponent's, after some of the opponent's ``moves``.

        ``None`` is the answer to a move that ends the play.  Raises ``UsageError`` where one of
        ``moves`` is illegal.
        """
        node = self._tree.at(moves)
        if node is None:
            raise UsageError(f"found the moves {' '.join(moves)}, expected legal ones")
        return {str(child.move): child.answer for child in self._tree.children(node)}

    @parameter_words
    def save(
        self,
        path: str | PathLike[str],
        *,
        dialect: str | None = None,
        formula: str | PathLike[str] | None = None,
    ) -> Strategy:
        """Write the certificate: AIGER, in ASCII where the name ends in ``.aag``.

        ``dialect`` is ``caqe`` (default), ``qbfcert-ascii`` or ``qbfcert-binary``.  With
        ``formula`` the formula is written too, in QCIR.  The strategy that is returned is the one
        in the files, which replays of plays name.  Raises ``UsageError`` for a clause set, and for
        a name in ``.aag`` or ``.aig`` that says another form than the dialect has.
        """
        from qsage_validate.certificates.reader import dialect_named
        from qsage_validate.certificates.writer import (
            certificate_bytes,
            check_name,
            is_ascii_name,
        )
        from qsage_validate.formats.writing import qcir_text, write_atomic

        name, certificate = fspath(path), self.problem.whole
        if not isinstance(certificate, CircuitCertificate):
            raise UsageError("found a clause set, expected functions as a circuit to write")
        qbf, files = self.problem.formula, self.problem.files
        chosen = None if dialect is None else dialect_named(dialect)
        check_name(name, chosen)
        content = certificate_bytes(
            certificate, qbf, dialect=chosen, binary=not is_ascii_name(name)
        )
        if formula is not None:
            if qbf is None:
                raise UsageError("found formula=, but there is no formula to write")
            write_atomic(fspath(formula), qcir_text(qbf))
            files = replace(files, formula=fspath(formula), made_from=(), game=())
        write_atomic(name, content)
        if files.formula is not None:
            files = replace(files, certificate=name)
        return replace(self, problem=replace(self.problem, files=files))

    def save_page(self, path: str | PathLike[str], *, timeout: float | None = 60.0) -> Report:
        """Write an HTML page in which the strategy plays; returns the validation on its top.

        The page is one file, and asks the network for nothing.  ``timeout`` is in seconds, for
        the validation.  Raises ``UsageError`` for what a page cannot play: a clause set, no
        layout, more than a million gates, more than 10,000 plays of White's certificate.
        """
        from qsage_validate.formats.writing import write_atomic
        from qsage_validate.proving.play_page import play_page

        report = self.validate(timeout=timeout)
        write_atomic(fspath(path), play_page(self.playable, report.whole))
        return report

    @cached_property
    def _tree(self) -> StrategyTree:
        from qsage_validate.arena.strategy_tree import tree_of

        return tree_of(self.playable.on_board)

    @cached_property
    def playable(self) -> Problem:
        """The problem, whose functions read only what is chosen before.

        Raises ``UsageError`` for functions that read what is chosen later.
        """
        from qsage_validate.kernel.certificate import wrong_dependency

        formula, certificate = self.problem.formula, self.problem.answering
        if formula is not None and isinstance(certificate, CircuitCertificate):
            wrong = wrong_dependency(certificate, formula)
            if wrong is not None:
                raise UsageError(f"found a certificate that cannot be played: {wrong}")
        return self.problem.with_checked_dependencies()

    def __repr__(self) -> str:
        return f"<Strategy {self.problem.title}>"

    def _repr_html_(self) -> str:
        rows = [("player", self.player.value), ("certificate", self.kind)]
        rows += [] if self.gates is None else [("AND gates", f"{self.gates:,}")]
        return html_table(["strategy", self.problem.title], rows)


class Tree:
    """A node of a strategy's tree: the opponent's ``move``, and what is answered to it.

    At the root there is no move.  Iterating gives the children.
    """

    def __init__(
        self, tree: StrategyTree, node: StrategyNode, depth: int | None, budget: int
    ) -> None:
        self._tree = tree
        self._node = node
        self._depth = depth
        self._budget = budget

    @property
    def move(self) -> str | None:
        """The opponent's move; ``None`` at the root."""
        return None if self._node.move is None else str(self._node.move)

    @property
    def answer(self) -> str | None:
        """The reply to it; ``None`` if the play has ended."""
        return self._node.answer

    @property
    def label(self) -> str:
        """Both, and how the play ends: ``a1 → b2, Black wins``."""
        return self._node.label

    @property
    def board(self) -> Board | None:
        """The board after the answer."""
        board = self._node.state.shown_board
        return None if board is None else Board.of(board)

    @property
    def children(self) -> tuple[Tree, ...]:
        """The opponent's legal moves from here, none below the depth that was asked for."""
        if self._depth == 0:
            return ()
        depth = None if self._depth is None else self._depth - 1
        own = self._tree.children(self._node)
        return tuple(Tree(self._tree, child, depth, self._budget) for child in own)

    @property
    def size(self) -> str:
        """``12 plays, 40 positions, to ply 5``; with ``at least`` where the budget ended it."""
        return self._tree.size(self._node, self._budget).text

    def walk(self) -> Iterator[tuple[int, Tree]]:
        """This node and those below with their depth, as many as the budget allows."""
        stack: list[tuple[int, Tree]] = [(0, self)]
        for _ in range(self._budget):
            if not stack:
                return
            depth, node = stack.pop()
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))

    def to_networkx(self) -> Any:
        """The nodes of :meth:`walk` as a ``networkx.DiGraph`` (extra ``frame``).

        Nodes are numbers with ``move``, ``answer`` and ``label``; the root is 0.
        """
        graph, path = directed_graph(), list[int]()
        for number, (depth, node) in enumerate(self.walk()):
            graph.add_node(number, move=node.move, answer=node.answer, label=node.label)
            path[depth:] = [number]
            if depth:
                graph.add_edge(path[depth - 1], number)
        return graph

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.children)

    def __str__(self) -> str:
        return "\n".join("  " * depth + node.label for depth, node in self.walk())

    def __repr__(self) -> str:
        return f"<Tree {self.label}: {self.size}>"

    def _repr_html_(self) -> str:
        parts, open_items = [], 0
        for depth, node in self.walk():
            parts.append("</details>" * (open_items - depth))
            parts.append(f"<details{' open' * (depth < 2)}><summary>{escape(node.label)}</summary>")
            open_items = depth + 1
        return f"<div>{''.join(parts)}{'</details>' * open_items}</div>"


@parameter_words
def certify(
    subject: Game | Formula | str,
    *,
    encoding: str | None = None,
    solver: str | None = None,
    route: str = "auto",
    minimise: bool = False,
    jobs: int = 1,
    timeout: float | None = None,
    memory: int | None = None,
    tell: Tell = nobody,
    **parameters: object,
) -> Strategy:
    """The winner's strategy, proved before it is handed out.

    A game may be given by its name and ``parameters``, ``certify("hex", size=3)``, and game and
    formula by a file: ``certify("f.qdimacs")``.  A game that is named without a depth is taken at
    its critical depth, as by ``qsage certify``.  For a game it
    is the certificate of its formula in ``encoding``, found by a search on the rules; for a
    formula, or with ``solver``, QBF solvers find it (``route`` as in ``qsage certify``).  With
    ``minimise`` the functions are made smaller.  ``timeout`` is in seconds for all of it,
    ``memory`` in megabytes.  Raises ``UndecidedError`` at a limit, ``MissingExtraError`` and
    ``SolverMissingError`` for what is not installed, ``CheckFailedError`` where a solver gave a
    strategy that does not win.
    """
    from qsage_validate.certificates.routes import RouteOptions, certify_formula

    limits = Limits(Deadline.after(timeout), memory)
    name, subject = subject, subject_of(subject, parameters)
    if isinstance(subject, Game):
        if isinstance(name, str) and subject.by_name:
            subject, encoding = _as_named(subject, name, parameters, encoding, limits, tell)
        subject = encode(subject, encoding)
    elif encoding is not None:
        raise UsageError("found encoding= with a formula, expected a game")
    made = certify_formula(
        subject.qbf,
        RouteOptions(route, solver, limits, minimise, jobs),
        encoding=subject.encoding,
        layout=subject.layout,
        tell=tell,
    )
    return Strategy(certified_by(subject.problem, made.certificate), subject, made)


def _as_named(
    game: Game,
    name: str,
    parameters: Mapping[str, object],
    encoding: str | None,
    limits: Limits,
    tell: Tell,
) -> tuple[Game, str | None]:
    """What ``qsage certify`` takes for a game's name: its critical depth, the quickest encoding."""
    from qsage_validate.games.registry import find_game
    from qsage_validate.solvers.deepening import at_critical_depth

    known = find_game(name)
    encoding = encoding or known.certified_by(parameters)
    if parameters.get("depth") is not None or all(o.name != "depth" for o in known.options):
        return game, encoding
    critical, found = at_critical_depth(game.for_encoding(encoding), limits=limits, tell=tell)
    if found.depth is None:
        return game, encoding
    # A game that is called as in another language counts a dropped first move, or does not.
    counted = critical.plies - game.at_depth(found.depth).for_encoding(encoding).plies
    return game_of(name, {**parameters, "depth": found.depth + counted}), encoding


@parameter_words
def load(
    formula: FileSource | Formula,
    certificate: FileSource | None = None,
    *,
    game: Game | None = None,
    meta: FileSource | None = None,
    dialect: str | None = None,
    prenex: str | None = None,
    solver: str | None = None,
    timeout: float | None = None,
) -> Strategy:
    """The strategy in a ``certificate`` of a ``formula``; without one, ``solver`` answers.

    Files are paths, bytes or open files: QCIR or QDIMACS, and AIGER or CNF as solvers write them
    (``dialect`` where it is not recognised).  For a path without a certificate, the certificate
    beside the formula is taken.  ``game`` has the rules with which plays are compared, where the
    formula does not carry its model; ``meta`` is a file of Q-sage with the layout.  With
    ``solver`` what the certificate has no function for is asked of a QBF solver, for ``timeout``
    seconds each time. Raises ``InputError`` for what is wrong in a file, with its place.
    """
    from qsage_validate.certificates.reader import dialect_named

    if isinstance(formula, Formula):
        formula = formula.problem.files.formula or formula.qcir().encode()
    chosen: Dialect | None = None if dialect is None else dialect_named(dialect)
    with as_paths(formula=formula, certificate=certificate, meta=meta) as paths:
        files = Files(
            formula=paths["formula"],
            certificate=paths["certificate"],
            meta=paths["meta"],
            dialect=chosen,
            unchecked_dependencies=True,
            prenex=order_of(prenex),
            solver=solver,
            seconds=timeout,
        )
        if solver is None:
            files = sorted_out(files)
        if game is None or game.by_name:
            # The layout chooses among the languages of a game by name.
            words = () if game is None else game.words
            problem = load_problem(replace(files, game=words))
        else:
            problem = load_problem(files, game.rules)
    problem = renamed(problem, formula, certificate, meta)
    if game is not None:
        problem = replace(problem, files=replace(problem.files, game=game.words))
    return Strategy(problem, None if problem.formula is None else Formula(problem, game))


# Strategies of one formula in another one


@dataclass(frozen=True)
class Comparison:
    """The result of putting strategies into each other's formula.

    ``relation`` is ``wins``, ``loses`` or ``undecided`` for one strategy in one formula; of two
    formulas ``equivalent``, ``stronger``, ``weaker``, ``different`` or ``undecided``, the first
    one named first.  ``ok`` says that each strategy that was asked for wins.
    """

    relation: str
    ok: bool
    there: ComparedStrategy = field(repr=False)
    back: ComparedStrategy | None = field(repr=False, default=None)

    @property
    def reason(self) -> str:
        """The proof, or the play that is lost."""
        both = [self.there, *([] if self.back is None else [self.back])]
        return "; ".join(str(each.outcome) for each in both)

    @property
    def play(self) -> tuple[str, ...]:
        """A play that is lost, by its moves; empty where there is none."""
        both = [self.there, *([] if self.back is None else [self.back])]
        plays = [e.outcome.play for e in both if isinstance(e.outcome, Loses)]
        return tuple(plays[0]) if plays else ()

    @property
    def shared(self) -> str:
        """Over what they were compared: moves of one ply, equal names, or a list."""
        return self.there.shared

    def to_dict(self) -> dict[str, object]:
        """The fields, as JSON has them."""
        fields = {"relation": self.relation, "ok": self.ok, "reason": self.reason}
        return {**fields, "shared": self.shared, "play": list(self.play)}


_FORMULA: Final = "a formula, as read_formula() and encode() give it"


@parameter_words
def compare(
    first: Strategy | Formula,
    second: Formula,
    *,
    shared: FileSource | None = None,
    solver: str | None = None,
    timeout: float | None = None,
) -> Comparison:
    """Whether a strategy wins in ``second``, too; of two formulas: each one's in the other.

    ``shared`` is a file of the variables that are the same in both; without it moves of one ply
    are, where both have layouts, else equal names.  ``qsage help compare`` has the
    theorems.  Raises ``InputError`` for a list that does not fit, ``UndecidedError`` where a
    strategy of a formula was not found in time.
    """
    options = RouteOptions(solver=solver, limits=Limits(Deadline.after(timeout)))
    with as_paths(shared=shared) as files:
        path = files["shared"]
        pairs = None if path is None else read_from(path)
        if isinstance(first, Strategy):
            other = of_kind(second, Formula, _FORMULA)
            there = compared(first.problem, other.problem, pairs, options)
            ok = there.outcome.exit_code is Exit.FINE
            return Comparison(there.outcome.word, ok, there)
        one, two = (certify(each, solver=solver, timeout=timeout) for each in (first, second))
        there, back = compared_both(one.problem, two.problem, pairs, options)
    found = relation(there.outcome, back.outcome)
    return Comparison(found.name.lower(), found.exit_code is Exit.FINE, there, back)


@parameter_words
def compare_exactly(
    first: Formula,
    second: Formula,
    *,
    shared: FileSource | None = None,
    solver: str | None = None,
    timeout: float | None = None,
    questions: int = QUESTIONS,
) -> ExactComparison:
    """Which first moves win in each formula, and which replies after each, one by one.

    ``shared`` as in ``compare``; where it is given, and without layouts, values of the first two
    blocks.  ``timeout`` (seconds) and ``questions`` are limits: what they leave open is ``None``.
    Raises ``InputError`` for a list that does not fit, ``UsageError`` for formulas whose first
    turns cannot be compared.
    """
    options = RouteOptions(solver=solver, limits=Limits(Deadline.after(timeout)))
    with as_paths(shared=shared) as files:
        path = files["shared"]
        pairs = None if path is None else read_from(path)
        problems = [of_kind(each, Formula, _FORMULA).problem for each in (first, second)]
        return compared_exactly(problems[0], problems[1], pairs, options, questions=questions)
