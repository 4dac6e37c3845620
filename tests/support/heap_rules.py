"""Rules for the impartial games that come along, as a synthesis finds them, and plays of them."""

from __future__ import annotations

from pathlib import Path

from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.heap_game import HeapGame
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.parser import parse_game
from qsage_validate.extensions.impartial.problem import HeapProblem, RuleStrategy, open_heaps
from qsage_validate.extensions.impartial.rules import ImpartialRules, State
from qsage_validate.extensions.impartial.strategy import parse_strategy
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import PlayMatch
from tests.support.playthrough import playthrough

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "heaps"
COMMAND = "python -m tests.support.heap_rules"

RULES = {
    "take-away-3": "v % 4 = 1 -> take(1)\nv % 4 = 2 -> take(2)\nv % 4 = 3 -> take(3)\n",
    "two-heap-nim": "v1 < v2 -> right(v2 - v1)\nv1 > v2 -> left(v1 - v2)\n",
    "two-row-chomp": "v2 + 2 <= v1 -> upper(v2 + 2)\nv1 <= v2 -> lower(v1)\n",
    "odd-wythoff": (
        "v1 % 2 = 1 and v2 % 2 = 0 -> left(v1)\nv2 % 2 = 1 and v1 % 2 = 0 -> right(v2)\n"
        "v1 % 2 != 0 and v2 % 2 != 0 -> both(1)\n"
    ),
    "subtract-a-square": (
        "v % 5 = 1 or v % 5 = 3 -> take(1)\nv != 1 and (v % 5 = 1 or v % 5 = 4) -> take(4)\n"
    ),
}
MISERE = "v % 4 = 2 -> take(1)\nv % 4 = 3 -> take(2)\nv != 0 and v % 4 = 0 -> take(3)\n"
WRONG = RULES["take-away-3"].replace("take(2)", "take(1)")

# Heaps that grow: a move puts tokens from the first heap on the second one.
TRANSFER = parse_game(
    "(define (domain transfer) (:objects ?a ?b) (:tercondition (= ?a 0))\n"
    " (:constraint (and (>= ?a 0) (>= ?b 0)))\n"
    " (:action move :parameters (?k) :precondition (and (>= ?k 1) (>= ?a ?k))\n"
    "  :effect (and (assign ?a (- ?a ?k)) (assign ?b (+ ?b ?k))))\n"
    " (:action stop :parameters () :precondition (= ?b 7) :effect (assign ?a 0)))",
    "transfer.ig",
)

STARTS: dict[str, State] = {
    "odd-wythoff": (4, 3),
    "subtract-a-square": (11,),
    "take-away-3": (9,),
    "two-heap-nim": (4, 3),
    "two-row-chomp": (5, 4),
    "wythoff-3": (5, 2),
}


def problem(
    game: ImpartialGame | str, text: str | None = None, *, misere: bool = False
) -> HeapProblem:
    """A problem with the rules ``text``, or with those above."""
    name = game if isinstance(game, str) else game.name
    found = families.load(game) if isinstance(game, str) else game
    rules = ImpartialRules(found, misere=misere)
    strategy = parse_strategy(RULES[name] if text is None else text, found)
    return HeapProblem((name,), RuleStrategy.of_rules(rules, strategy), "rules of a test")


def match(
    name: str,
    start: State,
    text: str | None = None,
    *,
    first: Player | None = None,
    misere: bool = False,
) -> PlayMatch:
    """A play of a game that comes along."""
    made = problem(name, text, misere=misere)
    return PlayMatch(open_heaps(made, start, first or made.begins(start)))


def examples() -> list[tuple[str, bool]]:
    """The games of the golden playthroughs; true for misère play."""
    return [(name, misere) for name in families.names() for misere in (False, True)]


def golden(name: str, misere: bool) -> tuple[Path, str]:
    """The golden file of an example, and what it should hold."""
    file = GOLDEN / f"{name}{'-misere' if misere else ''}.txt"
    game = HeapGame(ImpartialRules(families.load(name), misere=misere), STARTS[name])
    text = playthrough(f"{name}{' --misere' if misere else ''}", game)
    return file, text.replace("python -m tests.support.playthrough", COMMAND)


def write_all() -> None:
    """Write all golden files anew."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, misere in examples():
        file, text = golden(name, misere)
        file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_all()
