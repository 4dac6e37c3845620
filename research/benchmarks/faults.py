"""Faults put into encodings, prefixes, layouts, certificates, models and answers.

    python research/benchmarks/faults.py [--model NAME] [--kind KIND] [--json]

Every fault is noticed by a level of the validation, or shown to change nothing (an equivalent
mutant); the last line counts them, and the exit code is 1 when one slips through.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

from qsage_validate.encodings.grid import GridInMind, grid_completions

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder, embed
from qsage_validate.circuit.qbf import Connective, Gate, Qbf
from qsage_validate.circuit.sat import Unsatisfiable
from qsage_validate.circuit.simplify import satisfy
from qsage_validate.encodings import grid
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import Layout, Ply
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError
from qsage_validate.games.bddl.model import Action, Anchor, Condition, Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player, Square
from qsage_validate.judging.encoding import judge
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.solvers.search import search_for
from qsage_validate.validation.finding import Proved, Refuted, Verdict
from qsage_validate.validation.proofs import prove_rules
from research.benchmarks.models import Case
from research.benchmarks.prefix_faults import faulty_layouts, faulty_prefixes
from research.benchmarks.scripts import same_plays, scripted_differences
from tests.support.certifying import certify_game
from tests.support.position_truth import right_after_each_play

SEED = 7
SCRIPTS = 400
PATIENCE = 2.0
"""The seconds for positions, of one formula; what is not decided then counts as noticed."""
WITH_POSITIONS = 6
"""Of so many faulty prefixes or layouts one is compared position by position."""

KINDS = ("encoding", "prefix", "layout", "certificate", "model", "solver")

MODELS = {
    "domino": "httt --shape domino --size 3x3 --depth 3",
    "tic": "httt --shape tic --size 4x4 --depth 5",
    "breakthrough": "breakthrough --size 2x4 --second --depth 9",
    "connect": "connect-c --connect 3 --size 3x3 --depth 5",
    "domineering": "domineering --size 3x3 --depth 4",
    "evader": "evader-pursuer --size 4x4 --pursuer 2,3 --depth 3",
}


@dataclass(frozen=True)
class Outcome:
    """What became of a fault: which levels noticed, with the first line of their evidence.

    ``equivalent``: a level that proves something proves what is true all the same; ``slipped``:
    it proves what is not.
    """

    model: str
    kind: str
    fault: str
    noticed: tuple[str, ...]
    evidence: str
    equivalent: bool = False
    slipped: bool = False


# --- Faults of the encoding ------------------------------------------------------------------

Encoder = grid.LiftedEncoder
Method = Callable[..., Any]


def _wrapped(name: str, change: Callable[[Any, Any, tuple[Any, ...]], Any]) -> Any:
    """A patch of an encoder's method: ``change(encoder, result, arguments)`` is the result."""
    original: Method = getattr(Encoder, name)

    def method(self: Any, *arguments: Any) -> Any:
        return change(self, original(self, *arguments), arguments)

    return patch.object(Encoder, name, method)


def _off_by_one(name: str, position: int, by: int) -> Any:
    """A patch of an arithmetic function: its number at ``position`` is off."""
    original: Callable[..., Any] = getattr(grid, name)

    def function(*arguments: Any) -> Any:
        changed = list(arguments)
        changed[position] += by
        return original(*changed)

    return patch.object(grid, name, function)


def _drop_preconditions(model: Model, player: Player) -> Model:
    """What the encoder sees when it forgets a player's preconditions."""
    return _map_actions(model, player, lambda a: replace(a, precondition=a.precondition[:1] * 0))


def _map_actions(model: Model, player: Player, change: Callable[[Action], Action]) -> Model:
    actions = tuple(change(a) for a in model.domain.actions(player))
    if player is Player.BLACK:
        return replace(model, domain=replace(model.domain, black_actions=actions))
    return replace(model, domain=replace(model.domain, white_actions=actions))


def _transition_without(part: str) -> Any:
    def change(encoder: Any, result: list[int], arguments: tuple[Any, ...]) -> list[int]:
        *effects, frame = result
        return {"effects": [frame], "frame": effects}[part]

    return _wrapped("_transition", change)


def _transition_negated(part: str) -> Any:
    def change(encoder: Any, result: list[int], arguments: tuple[Any, ...]) -> list[int]:
        *effects, frame = result
        return {"effects": [-effects[0], *effects[1:], frame], "frame": [*effects, -frame]}[part]

    return _wrapped("_transition", change)


def _side(move: Ply) -> str:
    return str(move.player.value)


def _without_stop(player: Player) -> Any:
    """A player's stop has no meaning: nothing is asked of it."""

    def change(encoder: Any, move: Ply) -> Ply:
        return replace(move, stop=None) if move.player is player else move

    original_black, original_white = Encoder._black_ply, Encoder._white_ply

    @contextmanager
    def patched() -> Iterator[None]:
        def black(self: Any, move: Ply, following: int | None) -> int:
            return original_black(self, change(self, move), following)

        def white(self: Any, move: Ply, following: int | None) -> int:
            return original_white(self, change(self, move), following)

        with patch.object(Encoder, "_black_ply", black), patch.object(Encoder, "_white_ply", white):
            yield

    return patched()


def _negate(encoder: Any, result: int, arguments: tuple[Any, ...]) -> int:
    return -result


def _true(encoder: Any, result: int, arguments: tuple[Any, ...]) -> int:
    literal: int = encoder.circuit.true
    return literal


def _definitions(change: Callable[[Any, int, int], tuple[int, int]]) -> Any:
    return _wrapped(
        "_white_indicators", lambda encoder, result, _: change(encoder, result[0], result[1])
    )


ENCODING_FAULTS: dict[str, Callable[[], Any]] = {
    "initial state dropped": lambda: _wrapped("_initial_state", _true),
    "initial state negated": lambda: _wrapped("_initial_state", _negate),
    "Black's move dropped": lambda: _wrapped("_black_move", _true),
    "Black's move negated": lambda: _wrapped("_black_move", _negate),
    "bounds dropped": lambda: _wrapped("_bounds", lambda e, r, _: ()),
    "bounds negated": lambda: _wrapped("_bounds", lambda e, r, _: tuple(-x for x in r)),
    "effects dropped": lambda: _transition_without("effects"),
    "effects negated": lambda: _transition_negated("effects"),
    "frame dropped": lambda: _transition_without("frame"),
    "frame negated": lambda: _transition_negated("frame"),
    "White's effects dropped": lambda: _wrapped("_white_effects", _true),
    "White's effects negated": lambda: _wrapped("_white_effects", _negate),
    "indicators dropped": lambda: _definitions(lambda e, d, legal: (e.circuit.true, legal)),
    "indicators negated": lambda: _definitions(lambda e, d, legal: (-d, legal)),
    "legality dropped": lambda: _definitions(lambda e, d, legal: (d, e.circuit.true)),
    "legality negated": lambda: _definitions(lambda e, d, legal: (d, -legal)),
    "Black's goal dropped": lambda: _wrapped("_black_goal", _true),
    "Black's goal negated": lambda: _wrapped("_black_goal", _negate),
    "goal counter-example dropped": lambda: _wrapped("_white_goal_refuted", _true),
    "goal counter-example negated": lambda: _wrapped("_white_goal_refuted", _negate),
    "propagation to the last step dropped": lambda: _propagation(_true),
    "propagation to the last step negated": lambda: _propagation(_negate),
    "Black's game-stop ignored": lambda: _without_stop(Player.BLACK),
    "White's game-stop ignored": lambda: _without_stop(Player.WHITE),
    "adder off by one": lambda: _off_by_one("add_constant", 2, 1),
    "adder off by minus one": lambda: _off_by_one("add_constant", 2, -1),
    "comparator off by one": lambda: _off_by_one("less_than", 2, 1),
    "comparator off by minus one": lambda: _off_by_one("less_than", 2, -1),
    "lower bound off by one": lambda: _off_by_one("in_range", 2, 1),
    "lower bound off by minus one": lambda: _off_by_one("in_range", 2, -1),
    "upper bound off by one": lambda: _off_by_one("in_range", 3, 1),
    "upper bound off by minus one": lambda: _off_by_one("in_range", 3, -1),
}


def _propagation(change: Callable[[Any, int, tuple[Any, ...]], int]) -> Any:
    """Only the comparison with the goal copy is changed, not the frame's."""

    def only_last(encoder: Any, result: int, arguments: tuple[Any, ...]) -> int:
        left, right = arguments
        last = encoder.states[-1]
        if right != last or left == last or left == encoder.states[-2]:
            return result
        return change(encoder, result, arguments)

    return _wrapped("_same", only_last)


def _swapped_contents() -> Any:
    def change(encoder: Any, result: int, arguments: tuple[Any, ...]) -> int:
        part, (is_open, is_white) = arguments
        if part.predicate.name == "WHITE":
            return result
        black = encoder.circuit.and_(-is_open, -is_white)
        literal = black if part.predicate.name == "OPEN" else is_open
        return int(-literal if part.negated else literal)

    return _wrapped("_content", change)


ENCODING_FAULTS["open and black swapped"] = _swapped_contents


def faulty_encodings(model: Model) -> Iterator[tuple[str, Encoding]]:
    """The encoding with each fault in turn."""
    for name, fault in ENCODING_FAULTS.items():
        with fault():
            yield name, encode(model)
    for player in Player:
        forgetful = _drop_preconditions(model, player)
        if player is Player.WHITE:
            # The layout keeps the indicators that White's moves have by the rules.
            continue
        encoded = encode(forgetful)
        named = replace(
            encoded,
            model=model,
            completions=grid_completions(encoded.layout, model),
            mind=partial(GridInMind, encoded.layout, model),
        )
        yield f"{player}'s preconditions dropped", named
    sound = encode(model)
    for name, literal in sound.layout.gates.items():
        for how in ("dropped", "negated"):
            yield (
                f"gate '{name}' {how}",
                replace(sound, qbf=damage(sound.qbf, literal, how)),
            )


def damage(qbf: Qbf, literal: int, how: str) -> Qbf:
    """The formula with a gate that is constantly true, or negated."""
    variable = abs(literal)
    if variable not in qbf.gates:
        return qbf
    gates = {}
    following = qbf.max_variable + 1
    for number, gate in qbf.gates.items():
        if number == variable and how == "dropped":
            gate = Gate(Connective.AND if literal > 0 else Connective.OR, ())
        elif number == variable:
            gates[following] = gate
            gate = Gate(Connective.AND, (-following,))
        gates[number] = gate
    return replace(qbf, gates=gates)


def same_matrix(left: Qbf, right: Qbf) -> bool:
    """Whether two matrices over the same prefix are equal, by SAT."""
    if left.scopes != right.scopes:
        return False
    builder = AigBuilder()
    literals = {v: builder.input() for v in left.levels()}
    a, b = left.add_to(builder, dict(literals)), right.add_to(builder, dict(literals))
    aig, (literal,) = builder.build([builder.xor(a, b)])
    return isinstance(satisfy(aig, literal), Unsatisfiable)


# --- Faults of the certificate ---------------------------------------------------------------


def faulty_certificates(
    formula: Qbf, certificate: CircuitCertificate, flips: int = 60
) -> Iterator[tuple[str, CircuitCertificate]]:
    """Flipped gates, swapped and constant functions, functions that peek, and missing ones."""
    rng = random.Random(SEED)
    aig = certificate.aig
    for gate in sorted(rng.sample(range(aig.num_gates), min(flips, aig.num_gates))):
        fanin0 = aig.fanin0.copy()
        fanin0[gate] ^= 1
        damaged = replace(certificate, aig=Aig(aig.num_inputs, fanin0, aig.fanin1))
        yield f"gate {gate} flipped", damaged
    variables = list(certificate.functions)
    for a, b in pairwise(variables):
        functions = dict(certificate.functions)
        functions[a], functions[b] = functions[b], functions[a]
        yield f"functions of {a} and {b} swapped", replace(certificate, functions=functions)
    for variable in variables:
        for value in (0, 1):
            functions = {**certificate.functions, variable: value}
            yield (
                f"function of {variable} constant {value}",
                replace(certificate, functions=functions),
            )
        functions = {v: f for v, f in certificate.functions.items() if v != variable}
        yield f"function of {variable} missing", replace(certificate, functions=functions)
    levels = formula.levels()
    for variable in variables:
        right = [k for k, v in enumerate(certificate.inputs) if levels[v] > levels[variable]]
        if right:
            functions = {**certificate.functions, variable: 2 * (right[0] + 1)}
            yield f"function of {variable} peeks", replace(certificate, functions=functions)


def same_functions(left: CircuitCertificate, right: CircuitCertificate) -> bool:
    """Whether two certificates have equal functions (missing ones are false), by SAT."""
    builder = AigBuilder(left.aig.num_inputs)
    variables = sorted(set(left.functions) | set(right.functions))

    def functions(certificate: CircuitCertificate) -> list[int]:
        outputs = [certificate.functions.get(v, FALSE) for v in variables]
        return embed(builder, certificate.aig, builder.inputs, outputs)

    different = builder.or_all(
        builder.xor(a, b) for a, b in zip(functions(left), functions(right), strict=True)
    )
    aig, (literal,) = builder.build([different])
    return isinstance(satisfy(aig, literal), Unsatisfiable)


# --- Faults of the model ---------------------------------------------------------------------


def faulty_models(model: Model) -> Iterator[tuple[str, Model]]:
    """Other games that look like this one: they are told apart from the model of reference."""
    problem, domain = model.problem, model.domain
    if problem.black_goals != problem.white_goals:
        swapped = replace(problem, black_goals=problem.white_goals, white_goals=problem.black_goals)
        yield "goals swapped", replace(model, problem=swapped)
    for player in Player:
        for number, action in enumerate(domain.actions(player)):
            if len(domain.actions(player)) > 1:
                rest = domain.actions(player)[:number] + domain.actions(player)[number + 1 :]
                changed = (
                    replace(domain, black_actions=rest)
                    if player is Player.BLACK
                    else replace(domain, white_actions=rest)
                )
                yield f"{player}'s {action.name} missing", replace(model, domain=changed)
        yield (
            f"a precondition of {player}'s missing",
            _map_actions(
                model,
                player,
                lambda a: replace(a, precondition=a.precondition[:-1] or a.precondition),
            ),
        )
        yield f"{player}'s moves mirrored", _map_actions(model, player, _mirrored)
    for number in range(len(problem.black_goals)):
        goals = problem.black_goals[:number] + problem.black_goals[number + 1 :]
        yield (
            f"Black's goal {number} missing",
            replace(model, problem=replace(problem, black_goals=goals)),
        )
    if problem.initial:
        yield (
            "a piece missing",
            replace(model, problem=replace(problem, initial=problem.initial[1:])),
        )


def _mirrored(action: Action) -> Action:
    def mirror(condition: Condition) -> Condition:
        return tuple(
            replace(part, y=replace(part.y, offset=-part.y.offset))
            if part.y.anchor is Anchor.PARAMETER
            else part
            for part in condition
        )

    return replace(action, precondition=mirror(action.precondition), effect=mirror(action.effect))


# --- Running them ----------------------------------------------------------------------------


def _evidence(verdict: Verdict) -> str:
    if isinstance(verdict, Refuted):
        finding = verdict.findings[0]
        return f"{finding.text} [{' '.join(finding.moves)}]"
    return str(verdict)


def run(name: str, words: str, kinds: Sequence[str] = KINDS) -> Iterator[Outcome]:
    """All faults of one model, or those of some kinds."""
    subject = _Subject(name, Case(name, words).model())
    for kind in kinds:
        yield from _RUNS[kind](subject)


class _Subject:
    """A model with its sound formula and a certificate of it."""

    def __init__(self, name: str, model: Model) -> None:
        self.name = name
        self.model = model
        self.game = BddlGame(model)
        done = certify_game(model)
        self.sound, self.certificate = done.encoding, done.certificate
        self.winner = self.certificate.kind.player
        if search_for(self.game).solve().winner is not self.winner:
            raise AssertionError(f"{name}: certificate and search find different winners")


def _run_encodings(subject: _Subject) -> Iterator[Outcome]:
    sound, game = subject.sound, subject.game
    for fault, encoded in faulty_encodings(subject.model):
        verdict = _judged(encoded.qbf, encoded.layout, game)
        proved = isinstance(verdict, Proved)
        noticed = [] if proved else ["encoding"]
        if encoded.qbf.scopes == sound.qbf.scopes:
            result = check(encoded.qbf, subject.certificate)
            if not isinstance(result, CertificateProved):
                noticed.insert(0, "formula")
        # The proof says that the formula is as good as before.  Believe it when the matrix is
        # the same, or when plays that are walked one by one say so, too: of scripts, or of legal
        # moves, after each of which a QBF solver gives the formula's value.
        equivalent = proved and (
            same_matrix(encoded.qbf, sound.qbf)
            or not scripted_differences(encoded.qbf, encoded.layout, game, SCRIPTS, SEED)
            or right_after_each_play(encoded.qbf, encoded.layout, game)
        )
        yield Outcome(
            subject.name,
            "encoding",
            fault,
            tuple(noticed),
            _evidence(verdict),
            equivalent,
            slipped=proved and not equivalent,
        )


def _judged(formula: Qbf, layout: Layout, game: BddlGame, patience: float = PATIENCE) -> Verdict:
    return judge(formula, layout, game, patience=patience).verdict


def _run_prefixes(subject: _Subject) -> Iterator[Outcome]:
    """A prefix that is proved must leave the formula the values that the game has."""
    sound = subject.sound
    # Most are proved on whole scripts, or not at all; positions are compared of some.
    for number, (fault, formula) in enumerate(faulty_prefixes(sound.qbf, random.Random(SEED))):
        by_positions = number % WITH_POSITIONS == 0
        patience = PATIENCE if by_positions else 0.0
        verdict = _judged(formula, sound.layout, subject.game, patience)
        proved = isinstance(verdict, Proved)
        equivalent = proved and right_after_each_play(formula, sound.layout, subject.game)
        noticed = () if proved else ("encoding",)
        yield Outcome(
            subject.name,
            "prefix",
            fault,
            noticed,
            _evidence(verdict),
            equivalent,
            slipped=proved and not equivalent,
        )


def _run_layouts(subject: _Subject) -> Iterator[Outcome]:
    """A layout that lies never proves anything of a game that another player wins."""
    sound = subject.sound
    games = [("layout", subject.game)]
    games += [("layout, other game", game) for game in _other_games(subject)]
    for kind, game in games:
        known: dict[str, tuple[tuple[str, ...], str]] = {}
        for fault, lines in faulty_layouts(sound.qbf, sound.layout, random.Random(SEED)):
            comments = tuple(enumerate((f" {line}" for line in lines), start=2))
            formula = replace(sound.qbf, comments=comments)
            try:
                layout = layout_from_comments(formula)
            except InputError as error:
                yield Outcome(subject.name, kind, fault, ("reader",), str(error))
                continue
            if layout is None:
                yield Outcome(subject.name, kind, fault, ("reader",), "no layout")
                continue
            # No level looks at the names of gates.
            key = str(replace(layout, gates={}, verdict=None, encoding=""))
            if key not in known:
                patience = 0.0 if len(known) % WITH_POSITIONS else PATIENCE
                known[key] = _levels(formula, layout, subject.certificate, game, patience)
            noticed, evidence = known[key]
            equivalent = kind == "layout" and len(noticed) < 2
            slipped = kind != "layout" and len(noticed) < 2
            yield Outcome(
                subject.name, kind, f"{game.name}: {fault}", noticed, evidence, equivalent, slipped
            )


def _levels(
    formula: Qbf,
    layout: Layout,
    certificate: CircuitCertificate,
    game: BddlGame,
    patience: float,
) -> tuple[tuple[str, ...], str]:
    """Which of the two levels that say something of the game do not prove it."""
    verdicts = {
        "rules": prove_rules(formula, layout, certificate, game).verdict,
        "encoding": _judged(formula, layout, game, patience),
    }
    noticed = tuple(level for level, v in verdicts.items() if not isinstance(v, Proved))
    return noticed, "; ".join(map(_evidence, verdicts.values()))


def _other_games(subject: _Subject) -> list[BddlGame]:
    """A game of the same depth and one of another, on the same board, that the other player wins.

    Pieces and goals are more or less, whatever comes first.
    """
    found: dict[bool, BddlGame] = {}
    for other in _changed_problems(subject.model):
        same_depth = other.problem.depth == subject.model.problem.depth
        if same_depth in found or not other.problem.plies:
            continue
        game = BddlGame(other)
        if search_for(game).solve().winner is subject.winner.other:
            found[same_depth] = game
    return list(found.values())


def _changed_problems(model: Model) -> Iterator[Model]:
    problem = model.problem
    taken = {(x, y) for _, x, y in problem.initial}
    for x in range(1, problem.width + 1):
        for y in range(1, problem.height + 1):
            for square in (Square.BLACK, Square.WHITE):
                if (x, y) not in taken:
                    initial = (*problem.initial, (square, x, y))
                    yield replace(model, problem=replace(problem, initial=initial))
    for number in range(len(problem.initial)):
        initial = problem.initial[:number] + problem.initial[number + 1 :]
        yield replace(model, problem=replace(problem, initial=initial))
    yield replace(model, problem=replace(problem, black_goals=()))
    yield replace(model, problem=replace(problem, white_goals=()))
    for depth in range(1, problem.depth + 3):
        if depth != problem.depth:
            yield replace(model, problem=replace(problem, depth=depth))


def _run_certificates(subject: _Subject) -> Iterator[Outcome]:
    sound, certificate = subject.sound, subject.certificate
    for fault, damaged in faulty_certificates(sound.qbf, certificate):
        result = check(sound.qbf, damaged)
        noticed = []
        if not isinstance(result, CertificateProved):
            level = "dependencies" if getattr(result, "dependency", None) else "formula"
            noticed.append(level)
        strategy = prove_rules(sound.qbf, sound.layout, damaged, subject.game).verdict
        if not isinstance(strategy, Proved):
            noticed.append("rules")
        # A changed certificate that still proves the formula is a certificate, too.
        equivalent = not noticed and (
            same_functions(certificate, damaged) or isinstance(result, CertificateProved)
        )
        yield Outcome(
            subject.name,
            "certificate",
            fault,
            tuple(noticed),
            str(result),
            equivalent,
            slipped=not noticed and not equivalent,
        )


def _run_models(subject: _Subject) -> Iterator[Outcome]:
    """The formula of another game, validated against the game that it was said to be."""
    for fault, other in faulty_models(subject.model):
        encoded = encode(other)
        verdict = _judged(encoded.qbf, encoded.layout, subject.game)
        proved = isinstance(verdict, Proved)
        # Other rules may have the value of these after each of their plays: it is what is proved.
        equivalent = proved and (
            same_plays(BddlGame(other), subject.game)
            or right_after_each_play(encoded.qbf, encoded.layout, subject.game)
        )
        yield Outcome(
            subject.name,
            "model",
            fault,
            () if proved else ("encoding",),
            _evidence(verdict),
            equivalent,
            slipped=proved and not equivalent,
        )


def _run_answers(subject: _Subject) -> Iterator[Outcome]:
    yield _wrong_answer(subject.name, subject.sound, subject.certificate)


_RUNS: dict[str, Callable[[_Subject], Iterator[Outcome]]] = {
    "encoding": _run_encodings,
    "prefix": _run_prefixes,
    "layout": _run_layouts,
    "certificate": _run_certificates,
    "model": _run_models,
    "solver": _run_answers,
}


def _wrong_answer(name: str, sound: Encoding, certificate: CircuitCertificate) -> Outcome:
    """A certificate of the other kind: somebody claims the opposite of the truth."""
    other = (
        CertificateKind.HERBRAND
        if certificate.kind is CertificateKind.SKOLEM
        else CertificateKind.SKOLEM
    )
    inputs = sound.qbf.variables(other.decides.dual)
    nothing = np.zeros(0, dtype=np.int32)
    claimed = replace(
        certificate,
        kind=other,
        aig=Aig(len(inputs), nothing, nothing),
        inputs=inputs,
        functions=dict.fromkeys(sound.qbf.variables(other.decides), FALSE),
    )
    result = check(sound.qbf, claimed)
    proved = isinstance(result, CertificateProved)
    noticed = () if proved else ("formula",)
    fault = f"claims a {other.value} certificate"
    return Outcome(name, "solver", fault, noticed, str(result), slipped=proved)


def table(outcomes: Sequence[Outcome]) -> Table:
    """Faults by model and kind, over the levels that noticed them."""
    levels = ("reader", "dependencies", "formula", "rules", "encoding")
    result = Table(title="Faults and the levels that notice them")
    for column in ("model", "kind", "faults", *levels, "equivalent", "slipped"):
        result.add_column(column, justify="left" if column in ("model", "kind") else "right")
    for key in dict.fromkeys((o.model, o.kind) for o in outcomes):
        mine = [o for o in outcomes if (o.model, o.kind) == key]
        counts = [sum(level in o.noticed for o in mine) for level in levels]
        rest = [sum(o.equivalent for o in mine), sum(o.slipped for o in mine)]
        result.add_row(*key, *map(str, [len(mine), *counts, *rest]))
    return result


def main() -> int:
    """Print the table; 1 when a fault slipped through."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=sorted(MODELS), action="append")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--json", action="store_true", help="print every fault as JSON")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    for name in arguments.model or MODELS:
        outcomes += run(name, MODELS[name], arguments.kind or KINDS)
    slipped = [o for o in outcomes if o.slipped]
    if arguments.json:
        print(json.dumps([asdict(o) for o in outcomes]))
        return bool(slipped)
    console = Console(width=max(Console().width, 110))
    console.print(table(outcomes))
    for outcome in outcomes:
        if outcome.equivalent and outcome.kind in ("encoding", "model"):
            console.print(f"equivalent: {outcome.model}: {outcome.kind}: {outcome.fault}")
    for outcome in slipped:
        console.print(f"slipped: {outcome.model}: {outcome.fault}: {outcome.evidence}")
    total, equivalent = len(outcomes), sum(o.equivalent for o in outcomes)
    console.print(f"{total} faults, {equivalent} equivalent, {len(slipped)} slipped through")
    return bool(slipped)


if __name__ == "__main__":
    sys.exit(main())
