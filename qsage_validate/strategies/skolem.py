"""Reads plays of a Skolem certificate: it plays Black, all universals are the opponent's.

Every question is the certificate's value under a choice of the universals: White's moves so
far, later ones (and White's stop variables) false, and the symbolic position, which makes the
state variables speak of one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Final, TypeAlias

from qsage_validate.certificates.oracle import Oracle, ask
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout, bits_value, literal_value
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import Certificate, CertificateKind, CircuitCertificate
from qsage_validate.strategies.reader import (
    Assignment,
    BoardReading,
    CertificateReader,
    LayoutMove,
    Legality,
    PlyCode,
    RandomNumbers,
    SquareOf,
    Values,
    VerdictReading,
)

if TYPE_CHECKING:
    from qsage_validate.strategies.herbrand import Refutes


# Reads plays of a Skolem certificate: it plays Black, all universals are the opponent's


# How many values of the opponent's remaining variables a verdict is evaluated for: of the
# symbolic position and White's goal, or of variables whose meaning is unknown.
_MOST_GOALS: Final = 1 << 14
_MOST_VALUES: Final = 1 << 10
# How many are drawn where a verdict is only sampled.
_DRAWN: Final = 8
# Choices that are asked about at a time.
_ASKED: Final = 1 << 14


class SkolemReader(CertificateReader):
    """Black's replies, the positions and White's legality as the Skolem functions give them."""

    def __init__(self, layout: Layout, oracle: Oracle, square_of: SquareOf = named_cell) -> None:
        super().__init__(layout, Player.BLACK, oracle, square_of)

    @property
    def knows_legality(self) -> bool:
        return all(self._legality.tells(ply.ply) for ply in self.layout.of(Player.WHITE))

    @cached_property
    def _legality(self) -> FormulaLegality:
        return FormulaLegality(self.layout, self.code, self.state)

    @property
    def claims_positions(self) -> bool:
        """True if a move is illegal where an earlier ply has said the same one."""
        return self._legality.claims

    def rule(self, ply: int, move: LayoutMove) -> tuple[str, tuple[tuple[int, Values, bool], ...]]:
        """The way in which the formula decides the legality of a move of White's.

        ``all``: it is legal when all literals are true; ``never``: it is not legal; ``claimed``:
        it is illegal where an earlier ply says it or one of the marked literals is false, and
        otherwise the formula says nothing of it, as it does of every move that is ``silent``.
        Each literal has the values of the symbolic position at which it is read, and its mark.
        """
        return self._legality.rule(ply, move)

    @cached_property
    def at_places(self) -> tuple[dict[int, bool], ...]:
        """The values of the symbolic position on each place.

        An axis of length 1 may have an existential bit: it is not ours to choose.
        """
        return tuple(
            {v: value for v, value in at.items() if v in self.opponent}
            for at in self.layout.state.at_places
        )

    def boards(self, plays: Sequence[Assignment], wanted: Sequence[int] = ()) -> list[BoardReading]:
        kinds = self.state(plays[0].plies) if plays else {}
        choices = [{**play.choice, **at} for play in plays for at in self.at_places]
        rows = ask(self.oracle, choices, [*kinds.values(), *wanted]).tolist()
        return self.readings(list(kinds), wanted, rows)

    def legality(
        self, plays: Sequence[Assignment], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        if not plays:
            return []
        ply = plays[0].plies + 1
        if not self._legality.tells(ply):
            return [None] * len(plays)
        needed = [self._legality.literals(ply, move) for move in moves]
        questions: dict[tuple[int, int, tuple[tuple[int, bool], ...]], dict[int, bool]] = {}
        for number, play in enumerate(plays):
            for k, (move, own) in enumerate(zip(moves, needed, strict=True)):
                made = self.with_move(play, move).choice if own else {}
                for _, at in own:
                    questions.setdefault((number, k, tuple(at.items())), {**made, **at})
        column = {x: k for k, x in enumerate(dict.fromkeys(x for own in needed for x, _ in own))}
        table = ask(self.oracle, list(questions.values()), list(column)).tolist()
        rows = dict(zip(questions, table, strict=True))
        found: list[list[Legality | None] | None] = []
        for number, play in enumerate(plays):
            earlier = self._legality.earlier(play)
            told: list[Legality | None] = []
            for k, (move, own) in enumerate(zip(moves, needed, strict=True)):
                false = tuple(
                    x for x, at in own if not rows[number, k, tuple(at.items())][column[x]]
                )
                told.append(self._legality.verdict(ply, move, false, earlier))
            found.append(told)
        return found

    # -- the verdict ------------------------------------------------------------------------

    def rest(self, play: Assignment) -> list[int]:
        """The universals without a value that the verdict must not depend on.

        The symbolic position comes first.  White's goal follows if White has claimed one.  If the
        variables of the goal are unknown, all others follow, White's moves of later plies last.
        """
        goals = self.layout.goals
        rest: Sequence[int] = self.oracle.opponent
        if self.layout.state.is_board:
            named = (*goals.white_condition, *goals.white_x, *goals.white_y)
            rest = [abs(v) for v in named] if self._claims(play) else []
        wanted = dict.fromkeys((*map(abs, self.layout.state.position), *rest))
        return [v for v in wanted if v in self.opponent and v not in play.choice]

    def _claims(self, play: Assignment) -> bool:
        """True if White claimed the goal: only then White's goal variables matter."""
        stops = [ply.stop for ply in self.layout.of(Player.WHITE) if ply.stop]
        return any(play.choice.get(abs(s), s < 0) != (s < 0) for s in stops)

    def patterns(self, play: Assignment) -> list[dict[int, bool]]:
        """The values of :meth:`rest` that a verdict is evaluated for."""
        rest = self.rest(play)
        # Reversed, so that the first variables (the symbolic position) change the quickest.
        every = (bits[::-1] for bits in product((False, True), repeat=len(rest)))
        most = _MOST_GOALS if self.layout.state.is_board else _MOST_VALUES
        return [dict(zip(rest, bits, strict=True)) for bits in islice(every, most)]

    def verdicts(self, plays: Sequence[Assignment]) -> list[VerdictReading]:
        return self._verdicts(plays, list(map(self.patterns, plays)))

    def sample_verdicts(
        self, plays: Sequence[Assignment], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """Verdicts for a random goal of White's at every square, else for random values."""
        if not self.layout.state.is_board:
            drawn = [
                _distinct(self._drawn(self.rest(play), own) for _ in range(_DRAWN))
                for play, own in zip(plays, generators, strict=True)
            ]
            return self._verdicts(plays, drawn)
        if self.layout.verdict is None:
            return self.verdicts(plays)
        position = set(map(abs, self.layout.state.position))
        goals = [
            self._drawn([v for v in self.rest(play) if v not in position], own)
            for play, own in zip(plays, generators, strict=True)
        ]
        keys = [(play.key, tuple(goal.items())) for play, goal in zip(plays, goals, strict=True)]
        questions = {
            key: {**play.choice, **goal} for key, play, goal in zip(keys, plays, goals, strict=True)
        }
        places = self.at_places
        choices = [{**choice, **place} for choice in questions.values() for place in places]
        values = ask(self.oracle, choices, [self.layout.verdict])[:, 0]
        rows = dict(zip(questions, values.reshape(-1, len(places)).tolist(), strict=True))
        readings = []
        for key, goal in zip(keys, goals, strict=True):
            row: list[bool] = rows[key]
            note = "" if all(row) else self._describe({**goal, **places[row.index(False)]})
            readings.append(VerdictReading(all(row), note, exact=False))
        return readings

    @staticmethod
    def _drawn(variables: Sequence[int], generator: RandomNumbers) -> dict[int, bool]:
        return {v: generator.random() < 0.5 for v in variables}

    def _verdicts(
        self, plays: Sequence[Assignment], patterns: Sequence[list[dict[int, bool]]]
    ) -> list[VerdictReading]:
        literal = self.layout.verdict
        if literal is None:
            return [VerdictReading(None, "the layout names no verdict", exact=False)] * len(plays)
        readings: list[VerdictReading] = []
        pairs = list(zip(plays, patterns, strict=True))
        while pairs:
            count = max(1, _ASKED // max(1, len(pairs[0][1])))
            batch, pairs = pairs[:count], pairs[count:]
            choices = [{**play.choice, **own} for play, each in batch for own in each]
            values = iter(ask(self.oracle, choices, [literal])[:, 0].tolist())
            readings += [
                self._verdict(play, own, list(islice(values, len(own)))) for play, own in batch
            ]
        return readings

    def _verdict(
        self, play: Assignment, patterns: list[dict[int, bool]], values: list[bool]
    ) -> VerdictReading:
        every = 1 << len(self.rest(play))
        exact = len(patterns) >= every
        if not all(values):
            return VerdictReading(False, self._describe(patterns[values.index(False)]), exact)
        if every == 1:
            return VerdictReading(True, "", exact)
        number = f"all {every}" if exact else str(len(patterns))
        return VerdictReading(True, f"under {number} values of {self._what(play)}", exact)

    def _what(self, play: Assignment) -> str:
        position = set(map(abs, self.layout.state.position))
        parts = ["the symbolic position"] if position else []
        if self.layout.state.is_board:
            parts += ["White's goal"] if self._claims(play) else []
        elif not position.issuperset(self.rest(play)):
            parts.append("White's other variables")
        return " and ".join(parts)

    def _describe(self, pattern: Values) -> str:
        """The choices of White in a pattern that falsifies the verdict, in words."""
        state = self.layout.state
        if state.is_board:
            x, y = (axis.read(pattern) + 1 for axis in state.axes)
            goal = self._goal(pattern)
            return f"at the symbolic square ({x},{y})" + (
                f" for White's goal {goal}" if goal else ""
            )
        for name, at in zip(state.places, self.at_places, strict=False):
            if at and all(pattern.get(v) == value for v, value in at.items()):
                return f"at the symbolic position {name}"
        return ""

    def _goal(self, pattern: Mapping[int, bool]) -> str:
        goals = self.layout.goals
        names = (("condition", goals.white_condition), ("x", goals.white_x), ("y", goals.white_y))
        return ", ".join(
            f"{name} {bits_value(tuple(literal_value(pattern, b) for b in bits)) + 1}"
            for name, bits in names
            if any(abs(b) in pattern for b in bits)
        )


def _distinct(patterns: Iterable[dict[int, bool]]) -> list[dict[int, bool]]:
    """The patterns in their order, each once: what is drawn twice is looked at once."""
    return list({tuple(pattern.items()): pattern for pattern in patterns}.values())


Literals: TypeAlias = tuple[tuple[int, Values], ...]
"""Literals, each with the values of the symbolic position at which it is read."""


class FormulaLegality:
    """The literals for the legality of a move of White's, and the meaning of their values.

    A ply may have indicators for whatever is said, or a literal for each move; then that is all
    there is to ask.  In a positional game no position can be claimed twice:

    - a board that the formula keeps exactly says whether it is claimed;
    - of a board that is bound from one side, a black stone is never wrong, while all other
      literals may be: they are evidence, but do not decide;
    - an earlier ply whose variables say the position has claimed it, in formulas without a
      board too.

    ``kinds`` are the literals of the atoms after so many plies.
    """

    def __init__(
        self, layout: Layout, code: PlyCode, kinds: Callable[[int], Mapping[str, int]]
    ) -> None:
        self._layout = layout
        self._code = code
        self._kinds: Callable[[int], Mapping[str, int]] = cache(kinds)
        self._exact: Callable[[int], Mapping[str, Literals]] = cache(self._exact_of)

    def tells(self, ply: int) -> bool:
        """True if the formula says something about some moves of a ply."""
        if self._layout.moves[ply - 1].indicators is not None:
            return True
        return self._claims or any(self._exact(ply).values())

    @cached_property
    def _claims(self) -> bool:
        """True if moves are positions of the board, and no position is claimed twice.

        There are encodings of positional games in which moves are something else; they have
        other words for each player.
        """
        if self._layout.game != "positional":
            return False
        by_player = {
            player: {text for ply in self._layout.of(player) for text in ply.moves}
            for player in Player
        }
        return by_player[Player.WHITE] <= by_player[Player.BLACK]

    def literals(self, ply: int, move: LayoutMove) -> Literals:
        """The literals that are true when ``move`` is legal; they need not decide it."""
        indicators = self._layout.moves[ply - 1].indicators
        if indicators is not None:
            return tuple((literal, {}) for literal in indicators.literals)
        exact = self._exact(ply).get(str(move))
        return () if exact is None else exact or self._stones(ply, str(move))

    @property
    def claims(self) -> bool:
        """True if no position is claimed twice, so that earlier plies decide."""
        return self._claims

    def rule(self, ply: int, move: LayoutMove) -> tuple[str, tuple[tuple[int, Values, bool], ...]]:
        """The way in which :meth:`verdict` decides; see ``SkolemReader.rule``."""
        if not self.tells(ply):
            return "silent", ()
        literals, black = self.literals(ply, move), self._black(ply, str(move))
        told = tuple((x, at, x in black) for x, at in literals)
        if self._layout.moves[ply - 1].indicators is not None:
            return "all", told
        exact = self._exact(ply).get(str(move))
        return ("never" if exact is None else "all" if exact else "claimed"), told

    def _exact_of(self, ply: int) -> Mapping[str, Literals]:
        """The literals of each move that are all true exactly when it is legal; or none."""
        own = self._layout.moves[ply - 1]
        if own.legal:
            told: list[Literals] = [((literal, {}),) if literal else () for literal in own.legal]
        elif self._layout.state.one_sided:
            told = [()] * len(own.moves)
        else:
            stones = (self._stones(ply, name) for name in own.moves)
            told = [found if len(found) == len(Player) else () for found in stones]
        return dict(zip(own.moves, told, strict=True))

    def _stones(self, ply: int, name: str) -> Literals:
        """The literals by which a position is not black and not white, as far as there are any."""
        if self._layout.game != "positional":
            return ()
        kinds = self._kinds(ply - 1)
        if self._layout.state.position:
            at = self._at.get(name)
            texts = [] if at is None else [player.value for player in Player]
        else:
            at, texts = {}, [f"{player.value} {name}" for player in Player]
        return tuple((-kinds[text], at or {}) for text in texts if text in kinds)

    @cached_property
    def _at(self) -> Mapping[str, Values]:
        """The values of the symbolic position for each of its places."""
        state = self._layout.state
        return dict(zip(state.places, state.at_places, strict=False))

    def earlier(self, play: Assignment) -> Mapping[str, int]:
        """The positions that the variables of the plies so far claim, with the first such ply."""
        found: dict[str, int] = {}
        if self._claims:
            values = {**play.choice, **play.reply}
            for ply in range(1, play.plies + 1):
                answer = self._code.decode(ply, values)
                if answer.move is not None and not answer.stop:
                    found.setdefault(str(answer.move), ply)
        return found

    def verdict(
        self, ply: int, move: LayoutMove, false: tuple[int, ...], earlier: Mapping[str, int]
    ) -> Legality | None:
        """The formula's legality of ``move``; those of its literals that ``false`` lists are false.

        ``None``: nothing. A number behind the last move is no move for any formula.
        """
        if self._layout.moves[ply - 1].indicators is not None:
            return Legality(not false, false)
        exact = self._exact(ply).get(str(move))
        if exact is None:
            return Legality(False)
        if exact:
            return Legality(not false, false)
        claimed = earlier.get(str(move))
        is_black = any(x in false for x in self._black(ply, str(move)))
        if claimed is None and not is_black:
            return None
        return Legality(False, false, earlier=claimed)

    def _black(self, ply: int, name: str) -> tuple[int, ...]:
        """The literal that says that a position is not black, where there is one."""
        black = Player.BLACK.value
        literal = self._kinds(ply - 1).get(
            black if self._layout.state.position else f"{black} {name}"
        )
        return () if literal is None else (-literal,)


# The choice of the reader that a certificate's plays need


def reader_of(
    layout: Layout,
    certificate: Certificate,
    formula: Qbf | None,
    oracle: Oracle,
    game: TwoPlayerGame | None = None,
    refuter: Refutes | None = None,
) -> CertificateReader:
    """The reader of a certificate's plays; a Herbrand certificate needs its formula.

    The game says where moves are drawn whose texts have no coordinates; ``refuter`` gives the
    verdicts of a Herbrand certificate that lacks functions.
    """
    square_of = named_cell if game is None else game.square_of
    if certificate.kind is CertificateKind.SKOLEM:
        return SkolemReader(layout, oracle, square_of)
    assert isinstance(certificate, CircuitCertificate), "clause sets are Skolem"
    assert formula is not None, "checked when loading"
    from qsage_validate.strategies.herbrand import HerbrandReader

    return HerbrandReader(certificate, formula, layout, oracle, square_of, refuter=refuter)
