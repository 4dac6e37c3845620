"""A play of given codes, as an encoding's completions see it; and whether they do what they say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.circuit.sat import Unsatisfiable
from qsage_validate.circuit.simplify import satisfy
from qsage_validate.encodings.encoding import Encoding, Goals, PlyLiterals
from qsage_validate.games.protocol import Player

_DECIDES = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}


@dataclass
class ConcretePlay:
    """Moves are constants; the opponent's other variables are inputs of the graph."""

    encoding: Encoding
    codes: Sequence[int]
    hero: Player
    reached: Hashable = 0
    builder: AigBuilder = field(default_factory=AigBuilder)
    literals: Mapping[int, int] = field(default_factory=dict)
    plies: Sequence[PlyLiterals] = ()

    def __post_init__(self) -> None:
        for table, code in zip(self.encoding.layout.moves, self.codes, strict=True):
            self._move(table.player, table.variables, len(table.moves), code)
        others = set(self.encoding.qbf.variables(_DECIDES[self.hero].dual)) - set(self.literals)
        self.fix({variable: self.builder.input() for variable in sorted(others)})

    def fix(self, literals: Mapping[int, int]) -> None:
        """Enter the literals of some variables."""
        self.literals = {**self.literals, **literals}

    def _move(self, player: Player, bits: Sequence[int], count: int, code: int) -> None:
        text = f"{code:0{len(bits)}b}"
        variables = {v: int(sign) for v, sign in zip(bits, text, strict=True)}
        self.fix(variables)
        numbers = tuple(variables.values())
        made = [TRUE if k == code else FALSE for k in range(count)]
        self.plies = [*self.plies, PlyLiterals(player, [numbers], FALSE, variables, lambda: made)]

    def witness(self, value: Callable[[Goals], int], width: int) -> tuple[int, ...]:
        text = f"{value(frozenset((self.reached,))):0{width}b}"
        assert len(text) == width
        return tuple(map(int, text))

    def keeps_its_promise(self) -> bool:
        """Whether the matrix comes out for the hero, whatever the opponent's variables are.

        Also that exactly the hero's variables are defined, none by what is decided later.
        """
        qbf = self.encoding.qbf
        defined: Mapping[int, int] = self.encoding.completions[self.hero](self)
        mine = set(qbf.variables(_DECIDES[self.hero])) - set(self.literals)
        assert set(defined) == mine
        levels = qbf.levels()
        inputs = {self.literals[v]: levels[v] for v in levels if v in self.literals}
        for variable, literal in defined.items():
            needed = _support(self.builder, literal)
            assert all(inputs[x] < levels[variable] for x in needed if x in inputs)
        output = qbf.add_to(self.builder, {**self.literals, **defined})
        bad = output ^ 1 if self.hero is Player.BLACK else output
        graph, (literal,) = self.builder.build([bad])
        return isinstance(satisfy(graph, literal), Unsatisfiable)


def _support(builder: AigBuilder, literal: int) -> set[int]:
    """The inputs that a literal's gates read, as positive literals."""
    seen: set[int] = set()
    waiting = [literal & ~1]
    found: set[int] = set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        fanins = builder.fanins(here)
        if fanins is None:
            found.add(here)
        else:
            waiting += [x & ~1 for x in fanins]
    return found - {FALSE}
