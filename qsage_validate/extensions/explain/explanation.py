"""An explanation of a strategy: how it is found, what is proved of it, how it is followed.

A play can follow the program: which of its questions led to a reply, and how it is listed.

Pairs of squares by which a player wins from the start are an answer of explanations (Hales and
Jewett 1963): where each winning set of Black's contains one of some disjoint pairs, White answers
in the pair that Black plays in.  Black's pairs, behind a first stone, are those of which any choice
completes a set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, pairwise
from typing import Any, Final

from qsage_validate.arena.frame import Frame
from qsage_validate.arena.program import ProgramLine
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.extensions.explain.answers import (
    Answer,
    AnswerFork,
    Leaf,
    Paired,
    Tree,
    chosen,
    nodes_of,
    vocabulary_of,
)
from qsage_validate.extensions.explain.finding import EFFORT, Finder, FoundProgram, Winning
from qsage_validate.extensions.explain.situation import (
    OWN,
    Choice,
    Made,
    Place,
    Question,
    Situation,
    made,
    places,
)
from qsage_validate.games.positional.cover_game import Pairing, PairingFinder, maker_pairing
from qsage_validate.games.positional.hex import with_winning_sets
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import BoardPicture, Player, Square, TwoPlayerGame
from qsage_validate.render.svg import Marks
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Limits, Progress, Stopwatch, Tell, nobody

# An explanation: a program with an example of each node, and how much of it is shown


ORDER: Final = (
    "The first move of several is the one whose square comes first, row by row from the top and "
    "each from the left; then the one that leaves the first square; then the first by name. "
    "A move by which nothing comes to a square is one to the square that it names."
)
SIGNS: Final = (
    "Each board is an example. A small letter is the last move, * the reply, x a reply that "
    "captures."
)
PICTURE_KEY: Final = (
    "Each board is an example: the ring is the last move, the coloured square is where the reply "
    "goes."
)


def positions_text(number: int, *, whole: bool = True) -> str:
    """A number of positions in words, a lower bound unless it is ``whole``."""
    if not whole and not number:
        return "none of the positions that were looked at"
    text = counted(number, "position")
    return text if whole else f"at least {text}"


def counted_nodes(number: int) -> str:
    return counted(number, "node")


@dataclass(frozen=True)
class ExplanationNode:
    """A node of an explanation.

    ``number`` counts from 1, depth first; ``side`` is the answer, to the question above, that leads
    here.  A fork has a ``question`` and children, yes first; a leaf has an ``answer``.  ``met`` are
    the situations that come here, the earliest first.  ``cut`` is the number of nodes below that
    are not shown.  All situations that come here are known where ``whole`` is true.
    """

    number: int
    depth: int
    side: bool | None
    question: Question | None
    answer: Answer | None
    met: Sequence[Situation] = field(repr=False)
    reply: Choice | None = field(repr=False)
    children: tuple[ExplanationNode, ...]
    cut: int = 0
    whole: bool = True

    @property
    def example(self) -> Situation:
        """The earliest situation that comes here."""
        return self.met[0]

    @property
    def count(self) -> str:
        """How many positions come here, in words."""
        return positions_text(len(self.met), whole=self.whole)

    @property
    def rows(self) -> list[str]:
        """The example of an answer as lines of text; none where nothing comes here."""
        told = "" if self.reply is None else f"{self.reply.made.text}; "
        return [*(" ".join(row) for row in example_rows(self)), f"{told}{self.count}"]

    @property
    def drawn(self) -> tuple[BoardPicture, Marks, str] | None:
        """The example's board with the last move and the reply; ``None`` where there is none."""
        if not self.met or self.reply is None:
            return None
        theirs, to = self.example.theirs, self.reply.made.to
        last = None if theirs is None else theirs.to
        marks = Marks(changed=() if to is None else (to,), last=last)
        return self.example.board, marks, self.reply.made.text

    @property
    def weight(self) -> int:
        """How many positions come here."""
        return len(self.met)

    @property
    def posed(self) -> tuple[BoardPicture, Marks] | None:
        """The example with the last move; ``None`` where nothing comes here."""
        if not self.met:
            return None
        theirs = self.example.theirs
        return self.example.board, Marks(last=None if theirs is None else theirs.to)

    @property
    def data(self) -> Mapping[str, object]:
        """The facts about what comes here, for JSON."""
        found: dict[str, object] = {"positions": len(self.met)}
        if self.met and not self.cut:
            found["example"] = str(self.example.position)
            found["reply"] = None if self.reply is None else self.reply.made.text
        return found

    def walk(self) -> Iterator[ExplanationNode]:
        """The node and those below, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def way(self, at: Situation) -> Iterator[ExplanationNode]:
        """The nodes on the way of a situation, from here to where it ends."""
        yield self
        if self.question is not None and self.children:
            yield from self.children[0 if self.question.holds(at) else 1].way(at)


@dataclass(frozen=True)
class ExplainedProgram:
    """A program that wins, with its plays.

    ``lookahead`` is how many plies the words look ahead; ``depth_limit`` and ``max_nodes`` say how
    much of it is shown.
    """

    game: TwoPlayerGame
    hero: Player
    found: FoundProgram
    lookahead: int
    seconds: float
    depth_limit: int | None = None
    max_nodes: int | None = None

    @property
    def tree(self) -> Tree:
        return self.found.tree

    @cached_property
    def root(self) -> ExplanationNode:
        """The first node that is shown, with those below."""
        shown = self._shown()
        numbers = count(1)

        def node(tree: Tree, way: tuple[bool, ...], met: Sequence[Situation]) -> ExplanationNode:
            number, side = next(numbers), way[-1] if way else None
            reply = chosen(self.tree, met[0]) if met else None
            every = self.found.whole
            found = ExplanationNode(number, len(way), side, None, None, met, reply, (), whole=every)
            if way not in shown:
                return replace(found, cut=nodes_of(tree))
            if isinstance(tree, Leaf):
                return replace(found, answer=tree.answer)
            sides: tuple[list[Situation], list[Situation]] = [], []
            for at in met:
                sides[not tree.question.holds(at)].append(at)
            yes, no = node(tree.yes, (*way, True), sides[0]), node(tree.no, (*way, False), sides[1])
            return replace(found, question=tree.question, children=(yes, no))

        return node(self.tree, (), self.found.situations)

    def _shown(self) -> frozenset[tuple[bool, ...]]:
        """The nodes that the limits allow, as their ways from the root, breadth first."""
        most = nodes_of(self.tree) if self.max_nodes is None else self.max_nodes
        waiting: deque[tuple[Tree, tuple[bool, ...]]] = deque([(self.tree, ())])
        shown = list[tuple[bool, ...]]()
        while waiting and len(shown) < most:
            tree, way = waiting.popleft()
            if self.depth_limit is not None and len(way) > self.depth_limit:
                break
            shown.append(way)
            if isinstance(tree, AnswerFork):
                waiting += [(tree.yes, (*way, True)), (tree.no, (*way, False))]
        return frozenset(shown)

    @property
    def whole(self) -> bool:
        """True if every node is shown."""
        return not any(node.cut for node in self.root.walk())

    def check_whole(self, ending: str) -> None:
        """Raise ``UsageError`` for a part of a program: other programs cannot play by it."""
        if not self.whole:
            raise UsageError(
                f"found --depth-limit or --max-nodes with a file that ends in {ending}, expected "
                "the whole program"
            )

    @cached_property
    def cut(self) -> tuple[int, int]:
        """The number of nodes that are not shown, and of the positions that come to these."""
        hidden = [node for node in self.root.walk() if node.cut]
        return sum(node.cut for node in hidden), sum(len(node.met) for node in hidden)

    @property
    def not_shown(self) -> str:
        """How much is left out, in a sentence; empty where all is shown."""
        if self.whole:
            return ""
        nodes, positions = self.cut
        known = positions_text(len(self.found.situations))
        seen = "" if self.found.whole else " that were looked at"
        return (
            f"Not shown: {nodes} of {counted_nodes(self.found.nodes)}, for {positions:,} of "
            f"{known}{seen}."
        )

    @property
    def footing(self) -> str:
        """How squares are called, and which move is the first one."""
        board = self.game.initial.board
        first, below = board.square_name((1, 1)), board.square_name((1, min(2, board.height)))
        return f"Square {first} is at the top left, {below} below it. {ORDER}"

    @property
    def signs(self) -> str:
        """The key to the signs on boards of text."""
        return SIGNS

    @property
    def picture_key(self) -> str:
        """The key to the signs on drawn boards."""
        return PICTURE_KEY

    @property
    def predicates(self) -> tuple[str, ...]:
        """The questions that are asked, each once."""
        asked = (str(tree.question) for _, tree in self.tree.walk() if isinstance(tree, AnswerFork))
        return tuple(dict.fromkeys(asked))

    @property
    def title(self) -> str:
        return f"{self.hero} wins {self.game.name} ({self.game.length})"

    @property
    def turn(self) -> str:
        return f"{self.hero} to move"

    @property
    def unit(self) -> str:
        """The word for what is counted at a node: positions, or states."""
        return "positions" if self.found.whole else "positions that were looked at"

    @property
    def measure(self) -> str:
        """The size in words, and what is known of smaller ones."""
        found = self.found
        nodes = counted_nodes(found.nodes)
        bound = (
            "no smaller tree of these words wins"
            if found.smallest
            else f"no tree of these words with fewer than {counted(found.lower_bound, 'node')} wins"
        )
        return f"{nodes}, depth {found.depth}; {bound}"


def example_rows(node: ExplanationNode) -> list[str]:
    """The example of a node as rows of signs, one for each square.

    ``B`` and ``W`` are stones, small where one has just come; ``*`` is where the reply goes, ``x``
    where it captures.
    """
    if node.reply is None and not node.met:
        return []
    at = node.example
    board = at.board
    signs = [square.value for square in board.squares]

    def sign(place: tuple[int, int] | None, text: str) -> None:
        if place is not None:
            signs[(place[1] - 1) * board.width + place[0] - 1] = text

    if at.theirs is not None and at.theirs.to is not None:
        shown = at.at(at.theirs.to)
        if shown is OWN[at.hero.other]:
            sign(at.theirs.to, shown.value.lower())
    if node.reply is not None and node.reply.made.to is not None:
        there = at.at(node.reply.made.to)
        sign(node.reply.made.to, "*" if there is Square.OPEN else "x")
    return ["".join(signs[y : y + board.width]) for y in range(0, len(signs), board.width)]


@dataclass(frozen=True)
class Followed:
    """A program with the plays of its certificate; ``explanation`` shows the whole of it."""

    explanation: ExplainedProgram

    @cached_property
    def lines(self) -> tuple[ProgramLine, ...]:
        """The program, line by line, as its text has them."""
        return tuple(_lines(self.explanation.root, ""))

    @property
    def first_question(self) -> str | None:
        """The question at the root; ``None`` where the program is a single answer."""
        question = self.explanation.root.question
        return None if question is None else str(question)

    def told(self, before: Sequence[Frame], reply: Frame) -> Frame:
        """The frame of a reply with its ``way`` and remarks; ``before`` are the frames before it.

        A ply that the certificate did not make, and one behind an illegal move, stays as it is.
        """
        at = self._situation(before)
        if at is None or not reply.by_certificate or reply.move is None:
            return reply
        way = tuple(self.explanation.root.way(at))
        asked = [f"{node.question}? {_yes(after)}" for node, after in pairwise(way)]
        answer, played = way[-1].answer, str(reply.move)
        assert answer is not None, "the whole program is followed"
        said, choice = str(answer), answer.choose(at)
        if choice is None or choice.made.text != played:
            said = f"the program says: {said}; the certificate plays {played}"
        numbers = tuple(node.number for node in way)
        return replace(reply, way=numbers, remarks=(*reply.remarks, *asked, said))

    def _situation(self, frames: Sequence[Frame]) -> Situation | None:
        """What the player of the program has before them; ``None`` where the rules were left."""
        game, hero = self.explanation.game, self.explanation.hero
        position = frames[-1].position
        if position is None or position.outcome is not None or position.to_move is not hero:
            return None
        last = dict[Player, Made]()
        for before, after in pairwise(frames):
            if before.position is None or after.position is None:
                return None
            if after.move is None or after.player is None:
                return None
            boards = before.position.board, after.position.board
            name = str(after.move)
            move = next(m for m in before.position.legal_moves() if str(m) == name)
            last[after.player] = made(game, boards[0], move, boards[1], after.player)
        return Situation(game, position, last.get(hero.other), last.get(hero))


def _yes(node: ExplanationNode) -> str:
    return "yes" if node.side else "no"


def _lines(node: ExplanationNode, indent: str) -> Iterator[ProgramLine]:
    if node.question is None:
        yield ProgramLine(f"{indent}{node.answer}", node.number)
        return
    yes, no = node.children
    yield ProgramLine(f"{indent}if {node.question}:", node.number, yes.number)
    yield from _lines(yes, indent + "  ")
    yield ProgramLine(f"{indent}else:", no.number)
    yield from _lines(no, indent + "  ")


# From a game to its explanation: search, vocabulary, learning


_CONFLICTS: Final = 20_000
_MOST_SETS: Final = 5_000


def _positional(game: Any) -> tuple[PositionalModel, list[Place]]:
    return game.model, list(game.arrangement.squares)


def _grid(game: Any) -> tuple[PositionalModel, list[Place]]:
    from qsage_validate.solvers.positional_search import positional_model_of

    return positional_model_of(game), places(game.initial.board)


_MODELS: Final[Mapping[str, Callable[[TwoPlayerGame], tuple[PositionalModel, list[Place]]]]] = {
    "positional": _positional,
    "bddl": _grid,
}
"""By language the positional model of a game, with the square of each position."""


def _white_pairs(model: PositionalModel) -> Pairing | None:
    return PairingFinder(model).find(model.black, model.white, conflicts=_CONFLICTS)


def _black_pairs(model: PositionalModel) -> Pairing | None:
    begins = model.turns[0] is Player.BLACK
    listed = with_winning_sets(model, _MOST_SETS)
    found = maker_pairing(listed, model.black, model.white, begins=begins)
    if found is None or not found.pairing.pairs:
        return None
    # A shorter play ends before all pairs are answered.
    stones = len(found.pairing.pairs) + int(begins)
    return found.pairing if stones <= model.moves_of(Player.BLACK) else None


_FINDERS: Final = {Player.WHITE: _white_pairs, Player.BLACK: _black_pairs}


def pairs_of(game: TwoPlayerGame, hero: Player) -> Paired | None:
    """A player's pairs in the initial position; ``None`` where none are found soon."""
    model_of = _MODELS.get(game.language)
    if model_of is None:
        return None
    try:
        model, squares = model_of(game)
        found = _FINDERS[hero](model) if model.turns else None
    except UsageError:
        # No positional game, or one whose winning sets are not listed.
        return None
    if found is None:
        return None
    board = game.initial.board
    partners: dict[Place, Place] = {}
    for one, other in found.pairs:
        partners |= {squares[one]: squares[other], squares[other]: squares[one]}
    names = (
        (board.square_name(squares[one]), board.square_name(squares[other]))
        for one, other in found.pairs
    )
    return Paired(partners, hero, tuple(names))


LOOKAHEAD: Final = 3

# A position of a program with its moves, as measured on CPython.
_BYTES_A_SITUATION: Final = 12_000


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """Options of an explanation.

    ``lookahead`` is how many plies the words may look ahead, ``effort`` the conflicts of the SAT
    solver for a proof that no smaller tree wins, ``questions`` gives the user's own for a game and
    its winner; the positions of ``limits`` are those of the program's plays, and programs that meet
    more are tried by SAT where their winner is one of ``by_sat``.
    """

    limits: Limits = Limits(positions=50_000)  # noqa: RUF009 (frozen)
    lookahead: int = LOOKAHEAD
    effort: int = EFFORT
    questions: Callable[[TwoPlayerGame, Player], Sequence[Question]] = lambda game, hero: ()
    depth_limit: int | None = None
    max_nodes: int | None = None
    by_sat: frozenset[Player] = frozenset(Player)


def _positions(limits: Limits) -> int | None:
    """How many positions of a program are looked at one by one: as many as the memory has room."""
    if limits.memory_mb is None:
        return limits.positions
    room = max(1, limits.memory_mb * 1_000_000 // _BYTES_A_SITUATION)
    return room if limits.positions is None else min(room, limits.positions)


def explain(
    game: TwoPlayerGame,
    encoded: Encoding | None,
    options: ExplainOptions = ExplainOptions(),
    *,
    hero: Player | None = None,
    tell: Tell = nobody,
) -> ExplainedProgram:
    """The smallest program by which the winner of ``game`` wins.

    ``encoded`` is the formula that it will be proved of, which may leave out first moves; ``hero``
    the player who is said to win.  Raises ``UndecidedError`` at a limit, ``UsageError`` where
    ``hero`` does not win or no move is made.
    """
    watch = Stopwatch()
    tell(Progress("search"))
    limits = options.limits
    search = search_for(game, limits=Limits(limits.deadline, limits.memory_mb), tell=tell)
    result = search.solve()
    winner = result.winner
    if winner is None:
        raise UndecidedError(result.reason)
    if hero is not None and hero is not winner:
        raise UsageError(
            f"found a strategy of {hero}'s for {game.name}, which {winner} wins: {result.reason}"
        )
    if game.initial.outcome is not None:
        raise UsageError(
            f"{game.name}: the play is over before the first move, nothing is to explain"
        )
    first_moves = None
    if encoded is not None and game.first_player is winner and encoded.layout.moves:
        first_moves = frozenset(encoded.layout.moves[0].moves)
    winning = Winning(winner, lambda position: search.winner(position) is winner, first_moves)
    words = vocabulary_of(
        game,
        winner,
        lookahead=options.lookahead,
        extra=options.questions(game, winner),
        pairs=pairs_of(game, winner),
    )
    finder = Finder(
        game,
        winner,
        words,
        winning,
        deadline=limits.deadline,
        effort=options.effort,
        positions=_positions(limits),
        by_sat=winner in options.by_sat,
        tell=tell,
    )
    found = finder.run()
    return ExplainedProgram(
        game,
        winner,
        found,
        options.lookahead,
        watch.seconds,
        options.depth_limit,
        options.max_nodes,
    )
