"""Models and layouts in the form that the kernel asks for.

This is where a model becomes the game of which something is proved: the grounding of a grid
game (``games/bddl/ground.py``), the sets and the network of a positional game, the clauses of a
game in GDL.  Nothing here is shared with the encodings.

The theorems are in ``kernel/strategy.py`` and ``kernel/strategy.py``; here their answers become
verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import IllegalMoves, Layout, Ply, StateCode, StateView
from qsage_validate.errors import Undecided, counted
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.masks import members
from qsage_validate.games.model_text import languages
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.claims import ClaimsTimeoutError
from qsage_validate.kernel.game import (
    Conjunction,
    Connection,
    GroundGame,
    GroundMove,
    GroundRules,
    Rules,
    TooLargeError,
)
from qsage_validate.kernel.obligation import Obligation
from qsage_validate.kernel.player import FindingKind
from qsage_validate.kernel.reading import Flags, IllegalReplies, Pattern, PlyReading, Reading, Says
from qsage_validate.kernel.strategy import (
    Agrees,
    BoardsProof,
    LooksRightError,
    Lost,
    MisreadError,
    StrategyProof,
    Undefined,
    Won,
)
from qsage_validate.registry import load
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody
from qsage_validate.validation.finding import Finding, Proved, Refuted, Unsupported, Verdict

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame


# Games as the kernel has them: their rules as circuits


RulesIn = Callable[[AigBuilder], Rules]
"""Makes the circuit of one game inside a graph."""


def rules_of(game: TwoPlayerGame, *, deadline: Deadline = NEVER) -> RulesIn | None:
    """The rules of a game as a circuit; ``None`` for a kind of game that has none.

    Making it raises ``TooLargeError`` where the game is too large for that.
    """
    place = languages()[game.language].circuit if game.language in languages() else None
    found: RulesIn | None = None if place is None else load(place)(game, deadline)
    return found


def grid_rules(game: TwoPlayerGame, deadline: Deadline) -> RulesIn | None:
    if not isinstance(game, BddlGame):
        return None
    grid = ground_grid(game)
    return lambda builder: GroundRules(builder, grid)


def positional_rules(game: TwoPlayerGame, deadline: Deadline) -> RulesIn | None:
    """The rules of a positional game as a circuit; of COVER and PAIRING there are none."""
    from qsage_validate.games.positional.rules import PositionalGame

    if not isinstance(game, PositionalGame):
        return None
    claims = ground_positional(game)
    return lambda builder: GroundRules(builder, claims)


def conjunction(care: int, value: int) -> Conjunction:
    """The conjunction that holds in the states of a grid in which ``state & care == value``."""
    return tuple(
        k + 1 if value >> k & 1 else -k - 1 for k in range(care.bit_length()) if care >> k & 1
    )


def ground_grid(game: BddlGame) -> GroundGame:
    """A grid game; its atoms are ``black (2,3)``, ``white (2,3)`` and ``occupied (2,3)``."""
    grounding = game.grounding
    squares = [
        f"({x},{y})" for y in range(1, grounding.height + 1) for x in range(1, grounding.width + 1)
    ]
    bits = range(3 * grounding.squares)
    everything = (1 << 3 * grounding.squares) - 1
    return GroundGame(
        name=game.name,
        atoms=tuple(f"{kind} {s}" for kind in ("black", "white", "occupied") for s in squares),
        initial=tuple(bool(grounding.initial >> k & 1) for k in bits),
        movers=tuple(game.player_at(ply) for ply in range(1, game.plies + 1)),
        moves={
            player: tuple(
                GroundMove(
                    str(game.move_table[player][action.number]),
                    conjunction(action.care, action.value),
                    conjunction(everything & ~action.keep, action.put),
                )
                for action in grounding.actions[player]
            )
            for player in Player
        },
        goals={
            player: tuple(conjunction(g.care, g.value) for g in grounding.goals[player])
            for player in Player
        },
        stuck_loses=True,
    )


def ground_positional(game: PositionalGame) -> GroundGame:
    """A positional game; its atoms are ``black b2`` and ``white b2``, and what follows of them."""
    from qsage_validate.games.positional.model import find_symmetries

    model = game.model
    size = len(model.positions)
    own = {Player.BLACK: 1, Player.WHITE: size + 1}
    wins = {Player.BLACK: model.black_wins, Player.WHITE: model.white_wins}
    network = model.network
    connection = None
    if network is not None:
        connection = Connection(
            cells=tuple(range(1, size + 1)),
            neighbours=tuple(tuple(members(row)) for row in network.neighbours),
            start=tuple(members(network.start)),
            end=tuple(members(network.end)),
            joined=network.joined,
            cut=network.short is Player.WHITE,
        )
    return GroundGame(
        name=game.name,
        atoms=tuple(f"{p.value} {name}" for p in Player for name in model.positions),
        initial=tuple(
            bool(mask >> k & 1) for mask in (model.black, model.white) for k in range(size)
        ),
        movers=tuple(model.turns[: model.plies]),
        moves={
            player: tuple(
                GroundMove(name, (-k - 1, -size - k - 1), (own[player] + k,))
                for k, name in enumerate(model.positions)
            )
            for player in Player
        },
        goals={
            player: tuple(tuple(own[player] + k for k in members(mask)) for mask in wins[player])
            for player in Player
        },
        connection=connection,
        from_start=True,
        passing=True,
        also={
            **{f"open {n}": ((-k - 1, -size - k - 1),) for k, n in enumerate(model.positions)},
            **{f"occupied {n}": ((k + 1,), (size + k + 1,)) for k, n in enumerate(model.positions)},
        },
        symmetries=tuple(
            (*(k + 1 for k in p.images), *(size + k + 1 for k in p.images))
            for p in find_symmetries(model, game.arrangement)
        ),
    )


# The claims of a layout in the form for the kernel


_REPLIES = {
    IllegalMoves.LOSES: IllegalReplies.ILLEGAL,
    IllegalMoves.IGNORED: IllegalReplies.PASS,
    IllegalMoves.REPLACED: IllegalReplies.ANY,
}


def reading_of(layout: Layout) -> Reading:
    state = layout.state
    indicated = [ply.indicators for ply in layout.moves if ply.indicators is not None]
    return Reading(
        plies=tuple(map(_ply, layout.moves)),
        says=tuple(_atoms_say(state) if state.code is None else _squares_say(state, state.code)),
        flags=tuple(flags for ply in layout.of(Player.WHITE) for flags in _flags(ply)),
        told=tuple(_told(state)) if state.lists_atoms else (),
        granted=tuple(literal for own in indicated for literal in own.literals),
        replies={player: _REPLIES[layout.illegal_replies(player)] for player in Player},
        source=f"the layout ({layout.source})",
    )


def _ply(ply: Ply) -> PlyReading:
    codes: dict[str, list[Pattern]] = {}
    for move, pattern in ply.coding.patterns():
        codes.setdefault(move, []).append(pattern)
    return PlyReading(ply.ply, ply.player, ply.variables, codes, ply.stop, ply.stop_instead)


def _flags(ply: Ply) -> Iterator[Flags]:
    if ply.indicators is not None:
        yield Flags(ply.ply, None, ply.indicators.literals)
    elif ply.legal:
        for move, literal in zip(ply.moves, ply.legal, strict=True):
            if literal:
                yield Flags(ply.ply, move, (literal,))


def _atoms_say(state: StateView) -> Iterator[Says]:
    places: list[tuple[str, tuple[int, ...]]] = [("", ())]
    if state.position:
        (axis,) = state.axes
        places = [(f" {place}", axis.equals(n)) for n, place in enumerate(state.places)]
    for time, literals in enumerate(state.states):
        for kind, literal in zip(state.kinds, literals, strict=False):
            if not literal:
                continue
            for place, when in places:
                atom = f"{kind}{place}"
                for value in (True, False):
                    if state.wrong(atom, by_formula=not value):
                        then = (literal if value else -literal,)
                        yield Says(time, atom, value, when, then)


def _squares_say(state: StateView, code: StateCode) -> Iterator[Says]:
    # On an axis of length 1 the bits mean nothing.
    columns, rows = (
        [() if axis.size == 1 else axis.equals(number) for number in range(axis.size)]
        for axis in state.axes
    )
    for time, (first, white) in enumerate(state.states):
        is_open = first if code is StateCode.OPEN_WHITE else -first
        for x, column in enumerate(columns, start=1):
            for y, row in enumerate(rows, start=1):
                when, square = column + row, f"({x},{y})"
                yield Says(time, f"black {square}", True, when, (-is_open, -white))
                yield Says(time, f"white {square}", True, when, (-is_open, white))
                yield Says(time, f"occupied {square}", False, when, (is_open,))


def _told(state: StateView) -> Iterator[tuple[int, str, int]]:
    for time, literals in enumerate(state.states):
        for atom, literal in zip(state.kinds, literals, strict=False):
            if literal:
                yield time, atom, literal


# The levels "rules" and "boards": certificate, layout and game handed to the kernel


@dataclass(frozen=True, slots=True)
class LevelAnswer:
    """A verdict, and the claims behind it where it is a proof.

    ``guessed`` are the variables without a meaning in plays that a losing strategy reads: with
    other values it may win.  ``compared`` says what a proof has compared, where that differs;
    ``evidence`` is what its level's result tells beside the verdict.
    """

    verdict: Verdict
    obligation: Obligation | None = None
    guessed: tuple[int, ...] = ()
    compared: str = ""
    implies: tuple[bool, ...] = (True, False)
    evidence: Mapping[str, object] = field(default_factory=dict)


def prove_rules(
    formula: Qbf | None,
    layout: Layout,
    certificate: CircuitCertificate,
    game: TwoPlayerGame,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    rewrite: bool = True,
) -> LevelAnswer:
    """Prove that the strategy read off ``certificate`` wins every play of ``game``.

    Where replies read variables that no play gives a value to, both values are tried for them.
    """
    reading = reading_of(layout)

    def ask(rules_in: RulesIn, guess: bool) -> LevelAnswer:
        rules = rules_in(AigBuilder(rewrite=rewrite))
        try:
            proof = StrategyProof(formula, certificate, reading, rules, guess)
        except LooksRightError as error:
            name = str(error.variable) if formula is None else formula.name(error.variable)
            text = f"a reply reads {name}, which is not chosen before it"
            return LevelAnswer(Refuted((Finding(FindingKind.LOOKS_RIGHT, error.ply, text),)))
        return _strategy(proof, deadline, tell)

    def ask_both(rules_in: RulesIn) -> LevelAnswer:
        answer = ask(rules_in, False)
        if isinstance(answer.verdict, Refuted) and answer.guessed:
            other = ask(rules_in, True)
            if isinstance(other.verdict, Proved):
                return other
        return answer

    return _by_rules(ask_both, reading, game, deadline)


def _by_rules(
    ask: Callable[[RulesIn], LevelAnswer], reading: Reading, game: TwoPlayerGame, deadline: Deadline
) -> LevelAnswer:
    """The answer of ``ask`` for a game's rules; without an answer, the reason."""
    rules_in = rules_of(game, deadline=deadline)
    if rules_in is None:
        return LevelAnswer(Unsupported(f"the rules of {game.name} are no circuit"))
    try:
        return ask(rules_in)
    except MisreadError as error:
        finding = Finding(FindingKind.LAYOUT_DIFFERS, 0, f"{reading.source}: {error}")
        return LevelAnswer(Refuted((finding,)))
    except TooLargeError as error:
        return LevelAnswer(Undecided(str(error)))
    except ClaimsTimeoutError as error:
        return LevelAnswer(Undecided(f"time is up: {error}"))


def _strategy(proof: StrategyProof, deadline: Deadline, tell: Tell) -> LevelAnswer:
    result = proof.prove(deadline=deadline, tell=tell)
    if isinstance(result, Won):
        hold = counted(result.claims, "claim holds", "claims hold")
        text = f"the strategy wins every play of {counted(result.plies, 'ply')}: {hold}"
        claims = (*proof.undefined, *proof.claims)
        return LevelAnswer(Proved(text), Obligation(proof.builder, claims))
    if isinstance(result, Undefined):
        shown = " ".join(result.moves) or "the beginning"
        return LevelAnswer(Undecided(f"the rules do not say how the play goes on after {shown}"))
    return LevelAnswer(Refuted((_finding(result),)), guessed=result.guessed)


def _finding(lost: Lost) -> Finding:
    return Finding(lost.kind, lost.ply, lost.text, moves=lost.moves)


def prove_boards(
    formula: Qbf | None,
    layout: Layout,
    certificate: CircuitCertificate,
    game: TwoPlayerGame,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    rewrite: bool = True,
) -> LevelAnswer:
    """Prove that position and legality in the formula are those of the rules.

    Of plays in which Black follows ``certificate``; "not applicable" to one for White, and where
    the formula says nothing of either.
    """
    reading = reading_of(layout)

    def ask(rules_in: RulesIn) -> LevelAnswer:
        if certificate.kind.player is not Player.BLACK:
            why = "position and legality are Black's to state, and the certificate is White's"
            return LevelAnswer(Unsupported(why))
        proof = BoardsProof(formula, certificate, reading, rules_in, rewrite)
        result = proof.prove(deadline=deadline, tell=tell)
        if not isinstance(result, Agrees):
            return LevelAnswer(Refuted((_finding(result),)))
        if not result.claims:
            return LevelAnswer(Unsupported("the formula keeps no position and flags no move"))
        compared = _compared(result, layout)
        hold = counted(result.claims, "claim holds", "claims hold")
        text = f"{compared.replace(' in the formula', '')}: {hold}"
        kept = Obligation(proof.builder, tuple(proof.claims))
        return LevelAnswer(Proved(text), kept, compared=compared)

    return _by_rules(ask, reading, game, deadline)


def _compared(result: Agrees, layout: Layout) -> str:
    """The claim of the boards level, as a sentence: no more than the layout names."""
    one_sided = layout.state.one_sided
    if result.position and result.legality and not one_sided:
        return "position and legality in the formula are those of the rules"
    parts = []
    if result.position:
        parts.append(
            "the position in the formula is no better for Black than that of the rules"
            if one_sided
            else "the position in the formula is that of the rules"
        )
    if result.legality:
        parts.append("legality in the formula is that of the rules")
    return ", and ".join(parts) or "Black's claims of a win are true"
