"""Pages in which certificates play, with the game's rules as a table: one game, or a class.

A page compares a play with it as the referee does: the position, the legal moves, the end.

The page asks the network for nothing, and its content security policy forbids it to.

White's functions (Herbrand) read variables of Black's that follow from the moves by the formula: to
find them takes a SAT solver, which a page has not.  So the answers to all plays of legal moves are
found here, and travel.

In the page for a class each game is a page in a frame of its own.  The frames travel in it, and
inherit its content security policy.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from markupsafe import Markup

from qsage_validate.arena.board_engine import goal_line
from qsage_validate.arena.frame import Names
from qsage_validate.arena.strategy_tree import Exploration, StrategyNode, StrategyTree, tree_of
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.encodings.layout import IllegalMoves, Layout, StateCode
from qsage_validate.errors import UsageError, one_line
from qsage_validate.formats.grid_names import named_cell, step_named
from qsage_validate.formats.source import label
from qsage_validate.games.bddl.pursuit import piece_of
from qsage_validate.games.protocol import (
    BoardPicture,
    MoveCondition,
    Player,
    Position,
    Square,
    TwoPlayerGame,
)
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.problems.validated import file_facts
from qsage_validate.proving.html_report import page, tone
from qsage_validate.proving.report import ValidationReport
from qsage_validate.render.svg import FORMS, board_svg, centres, escape, paints
from qsage_validate.strategies.reader import Assignment, LayoutMove, PlyCode, SquareXY
from qsage_validate.strategies.skolem import SkolemReader
from qsage_validate.validation.referee import Referee

# Answers to every play, for pages that cannot compute them


class NumberedTexts:
    """Texts by their numbers.  What is shown of them is cut, and differs where the texts do."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """The texts in one line each; where two would look alike, with a number behind them."""
        seen: set[str] = set()
        found = []
        for text in self._numbers:
            line = shown = one_line(text)
            count = 1
            while shown in seen:
                count += 1
                shown = f"{line} [{count}]"
            seen.add(shown)
            found.append(shown)
        return found


MOST_NODES: Final = 10_000
"""Plays after which the opponent is to move, or which have ended, for which answers travel."""


def told_answers(problem: BoardProblem, words: NumberedTexts) -> list[dict[str, object]]:
    """The answers to each play, from the start on.

    Each has ``answers`` (the moves of the certificate that lead there, as numbers of ``words``;
    ``None`` for one that is no move), ``next`` (the opponent's legal moves with the number of the
    play behind each), ``ending`` and, where the play has ended, whether it is ``kept``.

    Raises ``UsageError`` for more than ``MOST_NODES``.
    """
    tree = tree_of(problem)
    explored = tree.explore(tree.root, MOST_NODES)
    if not explored.exact:
        raise UsageError(
            f"found more than {MOST_NODES:,} plays against White's certificate, expected fewer for "
            "a page"
        )
    numbers = {node: number for number, node in enumerate(explored.nodes)}
    return [_told_node(node, tree.children(node), numbers, words) for node in explored.nodes]


def _told_node(
    node: StrategyNode,
    children: Iterable[StrategyNode],
    numbers: dict[StrategyNode, int],
    words: NumberedTexts,
) -> dict[str, object]:
    state, before = node.state, 0 if node.parent is None else node.parent.state.plies + 1
    ending = state.ending
    said = ""
    if ending is not None:
        said = f"{ending.winner} wins: {ending.reason}" if ending.winner else ending.reason
    made = state.moves[before:]
    return {
        "answers": [None if text == "?" else words.number(text) for text in made],
        "next": [[words.number(str(child.move)), numbers[child]] for child in children],
        "ending": said,
        "kept": node.kept,
    }


def told_plies(
    layout: Layout, player: Player, game: TwoPlayerGame, words: NumberedTexts
) -> list[dict[str, object]]:
    """The moves of each ply, as numbers, with the square that each names."""
    code = PlyCode(layout, game.square_of)
    found: list[dict[str, object]] = []
    for ply in layout.moves:
        moves = code.moves(ply.ply)
        found.append(
            {
                "mine": ply.player is player,
                "moves": [words.number(str(move)) for move in moves],
                "squares": [_square(move) for move in moves],
                "sets": [[] for _ in moves],
                "instead": False,
            }
        )
    return found


def _square(move: LayoutMove) -> str | None:
    return None if move.square is None else square_key(move.square)


def square_key(square: SquareXY) -> str:
    """A square as a page names it: by column and row."""
    return f"({square[0]},{square[1]})"


def told_drawn(game: TwoPlayerGame, words: NumberedTexts) -> dict[int, list[str]]:
    """The square and the stone of each atom that puts one stone on the board."""
    found = {}
    for atom in sorted(game.words):
        board = game.board_of([atom])
        stones = [k for k, square in enumerate(board.squares) if square is not Square.OPEN]
        if len(stones) == 1:
            square = stones[0] % board.width + 1, stones[0] // board.width + 1
            found[words.number(atom)] = [square_key(square), board[square].value]
    return found


# The rules of a small game as a table that travels in a page: each position that can be reached


MOST_POSITIONS: Final = 60_000
MOST_MOVES: Final = 200_000

_NONE: Final = -1


class TooManyPositionsError(Exception):
    """The rules have more positions, or moves, than travel; the message names the limit."""


def rules_table(
    game: TwoPlayerGame,
    layout: Layout,
    moves: Sequence[Sequence[LayoutMove]],
    words: NumberedTexts,
    *,
    whole: bool = False,
) -> dict[str, object]:
    """The table of a game; ``moves`` are those that the layout can say at each ply.

    Moves and atoms are the numbers of ``words``; a ``whole`` table has atoms that no formula keeps.

    Raises :class:`TooManyPositionsError` where the game is not small.
    """
    referee, table = Referee(game, layout), _Table(game, layout, words, whole=whole)
    table.explore()
    names = []
    for ply, own in zip(layout.moves, moves, strict=True):
        known = (referee.move(move, ply.player) for move in own)
        names.append([_NONE if m is None else words.number(str(m)) for m in known])
    sayable = {str(move) for move in moves[0]} if moves else set()
    left = {str(m) for m in game.initial.legal_moves()} - sayable
    exchanged = left & set(game.exchanged_first_moves(sayable)) if left else set()
    return {
        "positions": table.size,
        "table": table.packed(),
        "outcomes": [[winner, one_line(reason)] for winner, reason in table.outcomes],
        "names": names,
        "exchanged": sorted(map(words.number, exchanged)),
        "oneSided": layout.state.one_sided,
    }


class _Table:
    """The positions of a game, breadth first, as numbers.

    A position is: its outcome plus one, or 0; the number of its atoms, and these; the number of its
    legal moves, and of each the move, how it is said, and where it leads; where a pass leads.  What
    is new is written as 0, and what was seen as how many positions have been seen since; a pass has
    one more, for 0 is none.
    """

    def __init__(
        self, game: TwoPlayerGame, layout: Layout, words: NumberedTexts, *, whole: bool
    ) -> None:
        self._game, self._layout, self._words, self._whole = game, layout, words, whole
        self._passes = layout.illegal_replies(Player.BLACK) is IllegalMoves.IGNORED
        self._numbers: dict[Position, int] = {}
        self._rows: list[int] = []
        self._outcomes: dict[tuple[str, str], int] = {}
        state = layout.state
        places = state.places if state.is_board or state.position else ()
        self._said = {f"{kind} {p}" for kind in state.kinds for p in places} or set(state.kinds)

    @property
    def size(self) -> int:
        return len(self._numbers)

    @property
    def outcomes(self) -> Iterable[tuple[str, str]]:
        """The outcomes, by their numbers: the winner, and why."""
        return self._outcomes

    def packed(self) -> str:
        """All numbers, 32 bits each with the low ones first, deflated, in base64."""
        data = np.asarray(self._rows, dtype="<i4").tobytes()
        return base64.b64encode(zlib.compress(data, 9)).decode()

    def explore(self) -> None:
        """Go through all positions that can be reached."""
        self._numbers[self._game.initial] = 0
        line, made = [self._game.initial], 0
        for position in line:  # grows while it is gone through
            made += self._write(position, line)
            if len(line) > MOST_POSITIONS:
                raise TooManyPositionsError(f"more than {MOST_POSITIONS:,} positions")
            if made > MOST_MOVES:
                raise TooManyPositionsError(f"more than {MOST_MOVES:,} moves in its positions")

    def _write(self, position: Position, line: list[Position]) -> int:
        outcome, rows = position.outcome, self._rows
        if outcome is None:
            rows.append(0)
        else:
            told = (outcome.winner.value.capitalize(), outcome.reason)
            rows.append(1 + self._outcomes.setdefault(told, len(self._outcomes)))
        atoms = list(map(self._words.number, self._atoms_of(position)))
        rows += [len(atoms), *atoms]
        moves = () if outcome is not None else position.legal_moves()
        rows.append(len(moves))
        for move in moves:
            said = self._game.say(move, position.to_move, position.board)
            rows += [self._words.number(str(move)), self._words.number(said)]
            rows.append(self._place(position.after(move), line))
        passes = self._passes and outcome is None and position.to_move is Player.BLACK
        passed = self._game.passed(position) if passes else None
        rows.append(0 if passed is None else 1 + self._place(passed, line))
        return len(moves)

    def _place(self, position: Position, line: list[Position]) -> int:
        number = self._numbers.setdefault(position, len(line))
        if number == len(line):
            line.append(position)
            return 0
        return len(line) - number

    def _atoms_of(self, position: Position) -> list[str]:
        state = self._layout.state
        if self._whole:
            return sorted(self._game.atoms(position))
        if state.code is None:
            return sorted(self._game.atoms(position) & self._said)
        content = ((x, y, position.board[x, y]) for x, y in state.squares)
        return [f"{s.name.lower()} ({x},{y})" for x, y, s in content if s is not Square.OPEN]


# A certificate as one HTML page in which it plays: the circuit, its meaning and a small script


TEMPLATE: Final = "play.html.jinja"
SCRIPTS: Final = ("rules.js", "play.js", "begin.js")
MOST_GATES: Final = 1_000_000
# Values of the variables that nobody has chosen, for which a page evaluates a verdict.
_MOST_VALUES: Final = 1 << 10

_PLAYERS: Final = frozenset(player.value for player in Player)
# Stones, and the signs of the last move, by what the script calls them.
_PAINTS: Final = {
    "B": "black", "W": "white", "piece-B": "side", "piece-B-in": "side", "piece-W": "on-white",
    "piece-W-in": "side-white", "last-B": "on-black", "last-W": "on-white", "left": "left",
}  # fmt: skip


def play_page(problem: Problem, report: ValidationReport) -> str:
    """The page of a problem, with the verdict of its validation.

    Black's certificates travel as circuits, White's as their answers to every play: the rules have
    to be known for these.

    Raises ``UsageError`` for what a page cannot play: a clause set, a formula without a layout,
    more than ``MOST_GATES`` gates or ``MOST_NODES`` plays of White's.
    """
    return page(TEMPLATE, SCRIPTS, play_values(problem, report))


def play_values(problem: Problem, report: ValidationReport) -> dict[str, object]:
    """What the template of :func:`play_page` shows; raises ``UsageError`` as it does."""
    opponent = problem.answering.kind.player.other
    proved = bool(problem.files.made_from) or report.word in ("valid", "proved")
    title = problem.title_for_play(proved=proved)
    return {
        "title": one_line(f"{title}. You are {opponent}"),
        "goal": "" if problem.game is None else goal_line(problem.game, opponent),
        "details": problem.notes,
        "verdict": report.last_line,
        "tone": tone(report),
        "files": [replace(fact, path=label(fact.path)) for fact in file_facts(problem.files)],
        **board_values(problem),
    }


def board_values(problem: Problem) -> dict[str, object]:
    """What ``play_board.html.jinja`` shows, and ``data``, the table for the script.

    Raises ``UsageError`` as :func:`play_page` does.
    """
    words = NumberedTexts()
    told = problem.answering.kind is CertificateKind.HERBRAND
    drawing, data = _told(problem, words) if told else _data(problem, words)
    data["rules"], rules = _rules(problem, words, whole=told)
    if told and data["rules"] is None:
        raise UsageError(f"found a certificate of White's, expected small rules: {rules}")
    data["words"] = words.shown()
    # Inside a script element only "<" could end it; JSON has another way to write it.
    table = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return {
        "opponent": data["opponent"],
        "gates": data["gates"],
        "rules": rules,
        "drawing": Markup(drawing),
        "data": Markup(table),
    }


def _rules(
    problem: Problem, words: NumberedTexts, *, whole: bool
) -> tuple[dict[str, object] | None, str]:
    """The table of the rules, where it travels, and what the page says of the rules."""
    game, layout = problem.game, problem.layout
    if game is None or layout is None:
        return None, "The rules of the game are not asked."
    code = PlyCode(layout, game.square_of)
    moves = [code.moves(ply.ply) for ply in layout.moves]
    try:
        table = rules_table(game, layout, moves, words, whole=whole)
    except TooManyPositionsError as error:
        return None, f"The rules of the game, with {error}, are too large to travel."
    count = f"{table['positions']:,} positions"
    return table, f"Each step is compared with the rules of the game, which have {count}."


class _PageGraph:
    """The literals that a page asks for, which become one graph."""

    def __init__(self, oracle: SimulationOracle) -> None:
        self._oracle = oracle
        self._wanted: dict[int, int] = {}
        self.inputs = {variable: k for k, variable in enumerate(oracle.opponent, start=1)}

    def want(self, literal: int) -> int:
        """The place of a literal among the outputs, twice, plus one where it is negated."""
        place = self._wanted.setdefault(abs(literal), len(self._wanted))
        return 2 * place + (literal < 0)

    def sets(self, values: Mapping[int, bool]) -> list[list[int]]:
        """Values of the opponent's variables as pairs of input and value."""
        return [[self.inputs[v], int(value)] for v, value in values.items()]

    def build(self) -> tuple[str, int, list[int]]:
        """The gates (deflated, base64), their number, and the literal of each output."""
        aig, outputs = self._oracle.graph(list(self._wanted))
        aig, outputs = aig.restrict_to_cone(outputs)
        columns = np.stack([aig.fanin0, aig.fanin1], axis=1).astype("<i4")
        packed = zlib.compress(columns.tobytes(), 9)
        return base64.b64encode(packed).decode(), aig.num_gates, outputs


def _told(problem: Problem, words: NumberedTexts) -> tuple[str, dict[str, object]]:
    """The board and the table of a certificate of White's."""
    certificate, board_problem, game = problem.answering, problem.on_board, problem.game
    if not isinstance(certificate, CircuitCertificate):
        raise UsageError("found a clause set, expected functions as a circuit for a page")
    if game is None:
        raise UsageError("found a certificate of White's without rules, expected --model or --game")
    layout, player = board_problem.layout, certificate.kind.player
    blank, code = _blank(problem, layout), PlyCode(layout, game.square_of)
    sayings = _Sayings(problem, words)
    plies = told_plies(layout, player, game, words)
    data: dict[str, object] = {
        "player": player.value.capitalize(),
        "opponent": player.other.value.capitalize(),
        "inputs": 0,
        "gates": 0,
        "code": None,
        "states": [[] for _ in range(layout.plies + 1)],
        "stones": [],
        "plies": [
            ply | sayings.of(code, player, number) for number, ply in enumerate(plies, start=1)
        ],
        "nodes": told_answers(board_problem, words),
        "held": {},
        "drawn": told_drawn(game, words),
    }
    return _drawing(blank, data, sayings)


def _drawing(
    blank: BoardPicture | None, data: dict[str, object], sayings: _Sayings
) -> tuple[str, dict[str, object]]:
    """The board without stones, and the table with the places on it."""
    at = {} if blank is None else centres(blank)
    data["forms"] = {
        content.value: () if blank is None else FORMS.get(piece_of(blank, content), ())
        for content in (Square.BLACK, Square.WHITE)
    }
    data["paint"] = {name: paints(kind) for name, kind in _PAINTS.items()}
    data["conditions"] = sayings.conditions
    data["names"] = {} if blank is None else {square_key(s): blank.square_name(s) for s in at}
    data["centres"] = {square_key(square): centre for square, centre in at.items()}
    if blank is None:
        return "", data
    svg = board_svg(blank, title="The board", identifier="play", standalone=False)
    return svg.removesuffix("</svg>") + '<g id="stones"></g></svg>', data


def _data(problem: Problem, words: NumberedTexts) -> tuple[str, dict[str, object]]:
    certificate, layout = problem.answering, problem.on_board.layout
    if not isinstance(certificate, CircuitCertificate):
        raise UsageError("found a clause set, expected functions as a circuit for a page")
    oracle = SimulationOracle(certificate, problem.formula)
    game = problem.game
    square_of = named_cell if game is None else game.square_of
    reader = SkolemReader(layout, oracle, square_of)
    graph, names = _PageGraph(oracle), Names(layout, problem.formula)
    state = layout.state
    places = state.places if state.is_board or state.position else ()
    numbers = {kind: number for number, kind in enumerate(state.kinds)}
    states = [
        [[numbers[kind], graph.want(x)] for kind, x in reader.state(plies).items()]
        for plies in range(layout.plies + 1)
    ]
    taken = _taken(problem, reader)
    sayings = _Sayings(problem, words)
    plies = [
        _ply(reader, graph, names, words, ply, taken) | sayings.of(reader.code, reader.player, ply)
        for ply in range(1, layout.plies + 1)
    ]
    verdict = None if layout.verdict is None else graph.want(layout.verdict)
    circuit, gates, outputs = graph.build()
    if gates > MOST_GATES:
        raise UsageError(f"found {gates:,} gates, expected at most {MOST_GATES:,} for a page")

    rest: Iterable[int] = map(abs, state.position)
    if not state.is_board:
        rest = dict.fromkeys((*rest, *oracle.opponent))
    blank = _blank(problem, layout)
    squares = ((square_of(place), player) for place, player in taken.items())
    drawn = _drawn(layout, reader, board=blank)
    data: dict[str, object] = {
        "player": Player.BLACK.value.capitalize(),
        "opponent": Player.WHITE.value.capitalize(),
        "inputs": len(oracle.opponent),
        "gates": gates,
        "circuit": circuit,
        "outputs": outputs,
        "at": [graph.sets(at) for at in reader.at_places],
        "places": list(map(one_line, places)),
        # The atoms of each kind: one for each place, or one.
        "atoms": [
            [words.number(f"{k} {p}" if p else k) for p in places or ("",)] for k in state.kinds
        ],
        "on": [square_key(square) for square in state.squares],
        "stones": [
            [words.number(f"{player.value} {square_key(square)}") for player in Player]
            for square in state.squares
        ],
        "axes": [[_bit(graph, bit) for bit in axis.bits] for axis in state.axes],
        "code": _code(state.code),
        "states": states,
        "plies": plies,
        "verdict": verdict,
        "rest": [graph.inputs[v] for v in rest if v in graph.inputs],
        "symbolic": [graph.inputs[v] for v in map(abs, state.position) if v in graph.inputs],
        "most": 1 << 14 if state.is_board else _MOST_VALUES,
        "passes": layout.illegal_replies(Player.BLACK) is IllegalMoves.IGNORED,
        "claims": reader.claims_positions,
        "held": {square_key(at): _letter(player) for at, player in squares if at is not None},
        "drawn": {words.number(atom): place for atom, place in drawn.items()},
    }
    return _drawing(blank, data, sayings)


class _Sayings:
    """How moves are said, why they may be illegal, and the pieces of several squares they put down.

    ``conditions`` are those of the opponent's moves by their numbers: the square, the rule, and a
    sentence for each content that breaks it.
    """

    def __init__(self, problem: Problem, words: NumberedTexts) -> None:
        self._game, self._layout, self._words = problem.game, problem.on_board.layout, words
        self._referee = None if self._game is None else Referee(self._game, self._layout)
        self.conditions: dict[int, list[list[object]]] = {}

    def of(self, code: PlyCode, answers: Player, number: int) -> dict[str, object]:
        """The words of the moves of a ply where the position is not asked, and their pieces."""
        player = self._layout.moves[number - 1].player
        said, covers = [], {}
        for k, move in enumerate(code.moves(number)):
            known = None if self._referee is None else self._referee.move(move, player)
            text = str(move)
            if self._game is not None and known is not None:
                board = self._game.initial.board
                text = self._game.say(known, player, board)
                taken = step_named(text) if board.pieces is not None else None
                if taken is not None and len(taken[1]) > 1:
                    covers[k] = list(map(square_key, taken[1]))
                if player is not answers:
                    self._tell(self._words.number(str(move)), self._game.conditions(known, player))
            said.append(self._words.number(text))
        return {"said": said, "covers": covers}

    def _tell(self, move: int, conditions: Sequence[MoveCondition]) -> None:
        self.conditions[move] = [
            [None if c.square is None else square_key(c.square), c.rule, _by_sign(c.said)]
            for c in conditions
        ]


def _by_sign(said: Mapping[Square, str]) -> dict[str, str]:
    return {square.value: sentence for square, sentence in said.items()}


def _said(names: Names, literal: int, ply: int) -> str:
    """The name of a literal for people: its meaning, and its name in the file."""
    sign = "not " if literal < 0 else ""
    meaning = names.meaning(abs(literal), ply)[0]
    return one_line(f"{sign}{meaning} [{names.variable(abs(literal))}]")


def _letter(player: Player) -> str:
    return "B" if player is Player.BLACK else "W"


def _code(code: StateCode | None) -> str | None:
    return None if code is None else code.kinds[0]


def _blank(problem: Problem, layout: Layout) -> BoardPicture | None:
    """The board without stones; ``None`` where neither rules nor formula have one."""
    if problem.game is not None:
        board = problem.game.initial.board
        if board is not None:
            return replace(board, squares=(Square.OPEN,) * len(board.squares))
    if not layout.state.is_board:
        return None
    return BoardPicture(*layout.state.size, (Square.OPEN,) * len(layout.state.squares))


def _drawn(
    layout: Layout, reader: SkolemReader, *, board: BoardPicture | None
) -> dict[str, list[str]]:
    """The square and the stone of each atom that says of a position whose it is."""
    if board is None or layout.game != "positional":
        return {}
    found = {}
    for move in {m for ply in layout.moves for m in reader.code.moves(ply.ply)}:
        if move.square is not None:
            for player in Player:
                found[f"{player.value} {move}"] = [square_key(move.square), _letter(player)]
    return dict(sorted(found.items()))


def _taken(problem: Problem, reader: SkolemReader) -> dict[str, Player]:
    """The positions with a stone at the start, and whose, in games in which it stays there.

    A formula whose moves claim positions need not say so: it has no variables of such a stone.
    """
    if problem.game is None or not reader.claims_positions:
        return {}
    start = problem.game.atoms(problem.game.initial)
    stones = (atom.partition(" ") for atom in sorted(start))
    return {place: Player(who) for who, _, place in stones if who in _PLAYERS}


def _bit(graph: _PageGraph, literal: int) -> list[int]:
    """The input of a bit of the symbolic position, and whether it is negated; 0 for another."""
    return [graph.inputs.get(abs(literal), 0), int(literal < 0)]


def _ply(
    reader: SkolemReader,
    graph: _PageGraph,
    names: Names,
    words: NumberedTexts,
    number: int,
    taken: Collection[str],
) -> dict[str, object]:
    own = reader.layout.moves[number - 1]
    moves = reader.code.moves(number)
    mine = own.player is Player.BLACK
    ply: dict[str, object] = {
        "mine": mine,
        "moves": [words.number(str(move)) for move in moves],
        "squares": [None if m.square is None else square_key(m.square) for m in moves],
    }
    if mine:
        patterns = dict(own.coding.patterns())
        signs = {None: "-", True: "1", False: "0"}
        return ply | {
            "bits": [graph.want(x) for x in own.variables],
            "patterns": ["".join(signs[bit] for bit in patterns[str(m)]) for m in moves],
            "stop": None if own.stop is None else graph.want(own.stop),
            "instead": own.stop_instead,
        }
    rules: dict[str, int] = {}

    def rule(move: LayoutMove) -> int:
        mode, literals = reader.rule(number, move)
        told = [
            [graph.want(x), graph.sets(at), _said(names, x, number), int(black)]
            for x, at, black in literals
        ]
        key = json.dumps({"mode": mode, "literals": told})
        return rules.setdefault(key, len(rules))

    chosen = list(map(rule, moves))
    start = Assignment(number - 1)
    return ply | {
        "sets": [graph.sets(reader.with_move(start, move).choice) for move in moves],
        "rules": [json.loads(key) for key in rules],
        "rule": chosen,
        "taken": [k for k, move in enumerate(moves) if str(move) in taken],
    }


# One page for a class: several certificates that play, boards to print, a solution sheet


MOST_ANSWERS: Final = 2_000
"""Nodes of a strategy's tree from which a solution sheet is made."""

_MORE: Final = (
    f"The sheet is made of the first {MOST_ANSWERS:,} moves and answers; the game has them all."
)

_COPIES: Final = 4  # boards of a sheet to print


@dataclass(frozen=True, slots=True)
class ClassGame:
    """A certificate with its validation, as on a page of its own."""

    problem: Problem
    report: ValidationReport


def class_page(games: Sequence[ClassGame]) -> str:
    """The page of several certificates, in their order.

    Raises ``UsageError`` for what a page cannot play (see :func:`play_page`).
    """
    values = {
        "title": f"{len(games)} games against proofs" if len(games) > 1 else "A game and its proof",
        "games": [_game(number, game) for number, game in enumerate(games, start=1)],
    }
    return page("class.html.jinja", SCRIPTS, values)


def _game(number: int, own: ClassGame) -> dict[str, object]:
    problem = own.problem
    values = play_values(problem, own.report)
    tree = tree_of(problem.on_board)
    explored = tree.explore(tree.root, MOST_ANSWERS)
    board = None if problem.game is None else problem.game.initial.board
    game, person = problem.game, problem.answering.kind.player.other
    return {
        "title": values["title"],
        "page": page(TEMPLATE, SCRIPTS, values),
        "goal": "" if game is None else goal_line(game, person),
        "board": None if board is None else _sheet_board(number, board, str(values["title"])),
        "copies": _COPIES,
        "plies": tree.plies,
        "verdict": own.report.last_line,
        "begins": _begins(tree),
        "answers": Markup(_answers(tree.root, tree, explored)),
        "more": "" if explored.exact else _MORE,
    }


def _sheet_board(number: int, board: BoardPicture, title: str) -> Markup:
    """The board of the start; the copies of one sheet have the same title and description."""
    return Markup(board_svg(board, title=title, identifier=f"sheet-{number}", standalone=False))


def _begins(tree: StrategyTree) -> str:
    """Who begins, and with which moves if it is the certificate."""
    said = tree.root.said
    return f"{tree.player} begins: {', '.join(said)}." if said else f"{tree.player.other} begins."


def _answers(node: StrategyNode, tree: StrategyTree, explored: Exploration) -> str:
    """The answers below a node as a list; moves after which all is alike are one item."""
    alike: dict[str, dict[str, None]] = {}
    for child in () if node.ended or node in explored.frontier else tree.children(node):
        move, *replies = child.said
        ending = child.state.ending
        behind = f": <b>{escape(', '.join(replies))}</b>" if replies else ""
        if ending is not None:
            won = "" if ending.winner is None else f"{ending.winner} wins: "
            behind += f". {escape(one_line(won + ending.reason))}"
        # Several moves of the text form may be one to people: a column, in which a stone falls.
        alike.setdefault(behind + _answers(child, tree, explored), {})[move] = None
    items = (f"<li>{escape(', '.join(moves))}{behind}</li>" for behind, moves in alike.items())
    return f"<ul>{''.join(items)}</ul>" if alike else ""
