"""Functions of helpers of which nothing is known: found from the claim, and checked like others."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from qsage_validate.certificates import by_expansion
from qsage_validate.circuit.aig import FALSE, TRUE, values_of
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.layout import UNKNOWN, Layout, Ply
from qsage_validate.encodings.list_codings import NumberedCoding, OneHotCoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Undecided
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.judging import encoding as judging_encoding
from qsage_validate.judging import sandwich
from qsage_validate.judging.codes import Codes
from qsage_validate.judging.encoding import OnScripts, judge, try_scripts
from qsage_validate.judging.sandwich import Lower, Scripts
from qsage_validate.judging.suggestions import NoSuggestions
from qsage_validate.kernel.claims import Claim, ClaimsTimeoutError, Counterexample
from qsage_validate.kernel.player import FindingKind
from qsage_validate.system.limits import NEVER, Deadline, nobody
from qsage_validate.validation.finding import Proved, Refuted, Verdict
from qsage_validate.validation.proofs import rules_of
from research.benchmarks.models import Case
from tests.support.position_truth import right_after_each_play

WORDS = ("httt --shape domino --size 2x3 --depth 3", "connect-c --connect 2 --size 2x2 --depth 3")


def with_wrong(kind: str, layout: Layout) -> Layout:
    """The layout with digits of the helpers of one kind inverted."""
    if kind == "indicators":
        moves = []
        for ply in layout.moves:
            own = ply.indicators
            if own is not None:
                flipped = tuple(-x for x in own.preconditions)
                ply = replace(ply, indicators=replace(own, preconditions=flipped))
            moves.append(ply)
        return replace(layout, moves=tuple(moves))
    bits = tuple(-x for x in getattr(layout.goals, kind))
    return replace(layout, goals=replace(layout.goals, **{kind: bits}))


def moves_alone(layout: Layout) -> Layout:
    """What a stranger's layout says: the moves and the game, nothing of the helpers."""
    moves = tuple(replace(ply, stop=None, indicators=None, legal=()) for ply in layout.moves)
    return Layout(moves=moves, actions=layout.actions, game=layout.game, model=layout.model)


@pytest.mark.parametrize("words", WORDS)
def test_helpers_without_a_suggestion_get_functions(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stops, claims, indicators and states of a formula of which the moves alone are known."""
    model = Case(words, words).model()
    encoding = encode(model)
    layout = moves_alone(encoding.layout)
    verdict = judge(encoding.qbf, layout, BddlGame(model)).verdict
    assert isinstance(verdict, Proved), str(verdict)
    assert "on all scripts" in verdict.reason
    monkeypatch.setattr(sandwich, "completion", lambda *_: {})
    assert not isinstance(judge(encoding.qbf, layout, BddlGame(model), patience=0).verdict, Proved)


def test_a_claim_without_scripts_needs_no_functions() -> None:
    """White's only code says a move that is never legal, so no script is White's."""
    formula = parse_qcir(
        "#QCIR-G14\nexists(1)\nforall(2, 4)\nexists(3)\noutput(5)\n"
        "6 = or(3, -3)\n5 = and(1, -4, 6)\n"
    )
    codings = [OneHotCoding(("occupy(1,1)",), (v,)) for v in (1, 2, 3)]
    players = (Player.BLACK, Player.WHITE, Player.BLACK)
    plies = (Ply(k, *one) for k, one in enumerate(zip(players, codings, strict=True), start=1))
    words = "httt --shape domino --size 2x2 --depth 3"
    game = BddlGame(Case(words, words).model())
    verdict = judge(formula, Layout(moves=tuple(plies), game="bddl"), game).verdict
    assert isinstance(verdict, Refuted), str(verdict)


def test_functions_of_the_last_half_are_checked_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """To compare positions instead would show less; where the time is up that is told."""
    model = Case(WORDS[0], WORDS[0]).model()
    encoding = encode(model)
    layout, game = moves_alone(encoding.layout), BddlGame(model)
    left: list[float] = []
    last = 0

    failure = Scripts.failure

    def noted(script: Scripts, deadline: Deadline) -> Counterexample | None:
        left.append(deadline.left())
        if len(left) == last:
            raise ClaimsTimeoutError(0)
        return failure(script, deadline)

    monkeypatch.setattr(Scripts, "failure", noted)
    seconds = 1e6
    assert isinstance(
        judge(encoding.qbf, layout, game, deadline=Deadline.after(seconds)).verdict, Proved
    )
    assert max(left[:-1]) <= 0.6 * seconds < 0.8 * seconds < left[-1]
    last = len(left)
    left.clear()
    doubts = try_scripts(encoding.qbf, layout, game).doubts
    assert doubts == ["time is up: functions of its helpers were found, and not checked"]


def _with_claims(*claims: tuple[int, int]) -> Lower:
    """A script with claims of these plies and literals alone."""
    model = Case(WORDS[0], WORDS[0]).model()
    encoding = encode(model)
    game = BddlGame(model)
    rules_in = rules_of(game)
    assert rules_in is not None
    script = Lower(Codes(encoding.qbf, encoding.layout, game.plies), rules_in, NoSuggestions(""))
    script.claims = [Claim(FindingKind.END_DIFFERS, ply, wrong, "") for ply, wrong in claims]
    script.assumed = []
    return script


def test_the_first_claim_that_fails_in_a_script_is_told() -> None:
    """All are asked at once, whatever their order; the play is told up to the first one."""
    failure = _with_claims((3, TRUE), (2, TRUE), (1, FALSE)).failure(NEVER)
    assert failure is not None
    assert failure.claim.ply == 2


@pytest.mark.parametrize("wrong", range(3))
def test_no_claim_is_left_out(wrong: int) -> None:
    failure = _with_claims(*((ply, TRUE if ply == wrong else FALSE) for ply in range(3))).failure(
        NEVER
    )
    assert failure is not None
    assert failure.claim.ply == wrong
    assert _with_claims(*((ply, FALSE) for ply in range(3))).failure(NEVER) is None


@pytest.mark.parametrize("half", [False, True])
def test_a_half_that_is_not_the_last_one_keeps_its_part(
    half: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is checked for longer would leave nothing for the other half, and for positions."""
    model = Case(WORDS[0], WORDS[0]).model()
    encoding = encode(model)
    left: list[float] = []

    def completed(*shown: bool) -> None:
        judgement = judging_encoding._Judgement(
            encoding.qbf,
            encoding.layout,
            BddlGame(model),
            Deadline.after(1e6),
            nobody,
            1,
            60.0,
            cores=False,
            residuals=None,
            shown={*shown},
        )
        script: Any = SimpleNamespace(half=half, complete=lambda _: True)
        judgement._completed(script, Deadline.after(1e3))

    def noted(_: object, script: object, deadline: Deadline) -> None:
        left.append(deadline.left())

    monkeypatch.setattr(judging_encoding._Judgement, "_failure", noted)
    completed()
    completed(not half)
    assert left[0] <= 1e3
    assert left[1] > 0.8e6


def test_a_path_of_which_nothing_is_known_gets_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Black's connection stands left of the position that White names; some paths are enough."""
    for name in ("_BLOCK_GROWTH", "_FEW"):
        monkeypatch.setattr(by_expansion, name, 0)
    game = find_command(["hex-network", "--size", "2x2", "--depth", "3"])
    encoding = encode(game, "en")
    layout = replace(encoding.layout, encoding=UNKNOWN)

    def asked() -> Verdict:
        return try_scripts(encoding.qbf, layout, load_game(game)).verdict

    assert isinstance(asked(), Proved)
    monkeypatch.setattr(sandwich, "_MOST_GATES", 10)
    verdict = asked()
    assert isinstance(verdict, Undecided)
    assert "no functions of them were found" in verdict.reason


def test_what_is_told_of_whites_last_move() -> None:
    """Of a variable between White's move and Black's next one; nothing of others."""
    words = "httt --shape domino --size 2x3 --depth 3"
    encoding = encode(Case(words, words).model())
    game = BddlGame(Case(words, words).model())
    layout = moves_alone(encoding.layout)
    black, white, _ = layout.moves
    helper = max(encoding.qbf.gates) + 1
    scopes = [*encoding.qbf.scopes]
    behind = next(k for k, s in enumerate(scopes) if set(white.variables) <= {*s.variables}) + 1
    scopes.insert(behind, Scope(Quantifier.EXISTS, (helper,)))
    formula = replace(encoding.qbf, scopes=tuple(scopes))
    rules = rules_of(game)
    assert rules is not None
    script = Lower(Codes(formula, layout, game.plies), rules, NoSuggestions())
    assert not script.told(black.variables[0])
    assert not script.told(scopes[-1].variables[-1])
    legal, move, other = script.told(helper)
    aig, told = script.builder.build([legal, move, other])
    places = {x: k for k, x in enumerate(script.builder.inputs)}
    rng, seen = Random(3), set[tuple[bool, ...]]()
    for first in black.moves:
        for _ in range(12):
            values = [rng.random() < 0.5 for _ in places]
            for variable, value in black.coding.encode(first).items():
                values[places[script.literals[variable]]] = value
            own = {v: values[places[script.literals[v]]] for v in white.variables}
            said = [m for m in white.moves if white.coding.encode(m).items() <= own.items()]
            start = game.initial
            (opening,) = (m for m in start.legal_moves() if str(m) == first)
            possible = {str(m) for m in start.after(opening).legal_moves()}
            is_legal = bool(possible.intersection(said))
            found = tuple(values_of(aig, values, told))
            assert found == (is_legal, bool(said), is_legal or not said)
            seen.add(found)
    assert len(seen) == 3


@pytest.mark.parametrize("by_values", [False, True])
@pytest.mark.parametrize("words", WORDS)
def test_no_functions_prove_a_wrong_formula(
    words: str, by_values: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_values:
        for name in ("_BLOCK_GROWTH", "_FEW"):
            monkeypatch.setattr(by_expansion, name, 0)
    model = Case(words, words).model()
    encoding = encode(model)
    layout, game = moves_alone(encoding.layout), BddlGame(model)
    wrong = 0
    for number, gate in [*encoding.qbf.gates.items()][-12:]:
        flipped = tuple(-x for x in gate.inputs)
        gates = {**encoding.qbf.gates, number: replace(gate, inputs=flipped)}
        formula = replace(encoding.qbf, gates=gates)
        if not right_after_each_play(formula, layout, game):
            wrong += 1
            assert not isinstance(judge(formula, layout, game, patience=1).verdict, Proved)
    assert wrong


def test_a_board_helps_where_the_layout_lists_the_moves() -> None:
    """States and indicators are suggested of moves that have a number each, too."""
    model = Case(WORDS[0], WORDS[0]).model()
    encoding = encode(model)
    plies = []
    for ply in encoding.layout.moves:
        names: list[str | None] = [None] * (1 << len(ply.variables))
        for move in ply.moves:
            code = ply.coding.encode(move)
            names[sum(code[v] << k for k, v in enumerate(reversed(ply.variables)))] = move
        texts = tuple(f"@{k}" if name is None else name for k, name in enumerate(names))
        plies.append(replace(ply, coding=NumberedCoding(texts, ply.variables)))
    layout = replace(encoding.layout, moves=tuple(plies))
    verdict = judge(encoding.qbf, layout, BddlGame(model)).verdict
    assert isinstance(verdict, Proved), str(verdict)
    assert "on all scripts" in verdict.reason


@pytest.mark.parametrize("kind", ["counterexample", "black_x", "indicators"])
def test_a_wrong_suggestion_is_replaced(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who made the formula may have numbered the parts of a goal in another way.

    Q-sage's formulas have numbers for claims beyond the border, and were proved on no script.
    """
    model = Case(WORDS[1], WORDS[1]).model()
    encoding, game = encode(model), BddlGame(model)
    layout = with_wrong(kind, encoding.layout)

    def asked(formula: Qbf) -> Verdict:
        return try_scripts(formula, layout, game).verdict

    verdict = asked(encoding.qbf)
    assert isinstance(verdict, Proved), str(verdict)
    wrong = 0
    for number, gate in [*encoding.qbf.gates.items()][-8:]:
        flipped = replace(gate, inputs=tuple(-x for x in gate.inputs))
        formula = replace(encoding.qbf, gates={**encoding.qbf.gates, number: flipped})
        if not right_after_each_play(formula, encoding.layout, game):
            wrong += 1
            assert not isinstance(asked(formula), Proved)
    assert wrong
    monkeypatch.setattr(Lower, "misled", lambda *_: set())
    assert not isinstance(asked(encoding.qbf), Proved)


def test_the_digits_of_a_number_are_replaced_together() -> None:
    """Parts 1 and 2 of White's goal have each other's numbers: one digit alone is of no help."""
    words = "connect-c --connect 3 --size 3x3 --depth 7"
    model = Case(words, words).model()
    encoding, game = encode(model), BddlGame(model)
    goals = encoding.layout.goals
    first, second = goals.counterexample
    layout = replace(encoding.layout, goals=replace(goals, counterexample=(second, first)))
    assert isinstance(try_scripts(encoding.qbf, layout, game).verdict, Proved)


def test_a_layout_that_cannot_be_proves_nothing_on_scripts() -> None:
    """Black's first ply is said to be White's; the search for layouts asks for scripts alone."""
    model = Case(WORDS[0], WORDS[0]).model()
    encoding = encode(model)
    first, *others = encoding.layout.moves
    layout = replace(encoding.layout, moves=(replace(first, player=Player.WHITE), *others))
    verdict = try_scripts(encoding.qbf, layout, BddlGame(model)).verdict
    assert isinstance(verdict, Refuted)
    assert "gives ply 1 to White" in str(verdict)


def test_what_was_cut_by_the_time_is_tried_again_with_more() -> None:
    model = Case(WORDS[0], WORDS[0]).model()
    encoding, game = encode(model), BddlGame(model)
    tried = try_scripts(encoding.qbf, encoding.layout, game, deadline=Deadline.after(0.0))
    assert isinstance(tried.verdict, Undecided)
    assert tried.cut

    def judged(tried: OnScripts) -> Verdict:
        return judge(encoding.qbf, encoding.layout, game, patience=0.0, tried=tried).verdict

    again = judged(tried)
    assert isinstance(again, Proved)
    assert "on all scripts" in again.reason
    assert not isinstance(judged(replace(tried, cut=False)), Proved)
