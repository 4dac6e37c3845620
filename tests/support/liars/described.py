"""Games in GDL: rules read and followed naively, and small games at random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from tests.support.liars.formula import UnreadableError

Term = str | tuple["Term", ...]
Fact = tuple["Term", ...]
Literal = tuple[bool, Fact]
Rule = tuple[Fact, tuple[Literal, ...]]

_MOST = 3000
"""States that one game may have."""


@dataclass(frozen=True)
class Described:
    """A game in GDL with its question: does the role win within some rounds?"""

    text: str
    rounds: int
    win: int = 100
    role: str | None = None

    kind = "gdl"

    def files(self, stem: str) -> tuple[dict[str, str], list[str], str]:
        """Files of the game, the words that name it, and the option that takes them."""
        words = [f"{stem}.gdl", "--depth", str(self.rounds)]
        words += ["--win", str(self.win)] if self.win != 100 else []
        words += ["--role", self.role] if self.role is not None else []
        return {f"{stem}.gdl": self.text}, words, "--model"

    @property
    def plies(self) -> int:
        """The number of rounds."""
        return self.rounds

    def who(self) -> bool:
        """Whether Black wins."""
        return Machine(self).wins()


class Machine:
    """Follows the rules of a game."""

    def __init__(self, game: Described) -> None:
        self.game = game
        rules = [_rule(node) for node in _nodes(game.text)]
        self.strata = _strata(rules)
        named = (r[1] for r, body in rules if r[0] == "role" and len(r) == 2 and not body)
        self.roles = list(dict.fromkeys(named))
        if game.role is None:
            self.black = self.roles[0] if self.roles else ""
        else:
            self.black = game.role
        if len(self.roles) < 2 or self.black not in self.roles:
            raise UnreadableError("roles that are not ours")
        self.others = [r for r in self.roles if r != self.black]
        self._facts: dict[object, dict[tuple[str, int], set[Fact]]] = {}
        self.start = frozenset(f[1] for f in self.facts(frozenset(), {}).get(("init", 2), ()))

    def facts(
        self, state: frozenset[Term], moves: dict[Term, Term]
    ) -> dict[tuple[str, int], set[Fact]]:
        """All that holds in a state, with the moves of a round or none."""
        key = (state, tuple(sorted(moves.items(), key=str)))
        if key not in self._facts:
            if len(self._facts) > _MOST:
                raise UnreadableError("more states than are looked at")
            facts: dict[tuple[str, int], set[Fact]] = {}
            for fluent in state:
                facts.setdefault(("true", 2), set()).add(("true", fluent))
            for role, move in moves.items():
                facts.setdefault(("does", 3), set()).add(("does", role, move))
            for stratum in self.strata:
                while True:
                    new = [
                        fact
                        for head, body in stratum
                        for values in _solutions(body, facts, {})
                        if (fact := _filled(head, values)) not in facts.get(_key(fact), ())
                    ]
                    if not new:
                        break
                    for fact in new:
                        facts.setdefault(_key(fact), set()).add(fact)
            self._facts[key] = facts
        return self._facts[key]

    def moves(self, state: frozenset[Term], role: Term) -> list[Term]:
        """The legal moves of a role."""
        found = self.facts(state, {}).get(("legal", 3), set())
        return sorted({f[2] for f in found if f[1] == role}, key=str)

    def ended(self, state: frozenset[Term]) -> bool | None:
        """Whether Black has won in a terminal state; ``None`` in others."""
        facts = self.facts(state, {})
        if ("terminal",) not in facts.get(("terminal", 1), ()):
            return None
        goals = [int(str(f[2])) for f in facts.get(("goal", 3), ()) if f[1] == self.black]
        return max(goals, default=0) >= self.game.win

    def following(
        self, state: frozenset[Term], black: Term, others: tuple[Term, ...]
    ) -> frozenset[Term]:
        """The state behind a round; all roles but one are White together."""
        joint = dict(zip(self.others, others, strict=True))
        facts = self.facts(state, {self.black: black, **joint})
        return frozenset(f[1] for f in facts.get(("next", 2), ()))

    def wins(self) -> bool:
        """Whether Black wins within the rounds."""
        known: dict[tuple[frozenset[Term], int], bool] = {}

        def value(state: frozenset[Term], left: int) -> bool:
            ended = self.ended(state)
            if ended is not None:
                return ended
            if left == 0:
                return False
            key = (state, left)
            if key not in known:
                black = self.moves(state, self.black)
                white = list(product(*(self.moves(state, role) for role in self.others)))
                if not black or not white or (len(black) > 1 and len(white) > 1):
                    raise UnreadableError("a state without moves, or with two choices")
                known[key] = any(
                    all(value(self.following(state, b, w), left - 1) for w in white) for b in black
                )
            return known[key]

        return value(self.start, self.game.rounds)


# --- Rules ---------------------------------------------------------------------------------------


def _nodes(text: str) -> list[Term]:
    words = re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower())
    stack: list[list[Term]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            if len(stack) < 2:
                raise UnreadableError("parentheses")
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    if len(stack) != 1:
        raise UnreadableError("parentheses")
    return stack[0]


def _fact(node: Term) -> Fact:
    return (node,) if isinstance(node, str) else node


def _rule(node: Term) -> Rule:
    if isinstance(node, tuple) and node and node[0] == "<=":
        if len(node) < 2:
            raise UnreadableError("a rule without a head")
        return _fact(node[1]), tuple(_literal(part) for part in node[2:])
    return _fact(node), ()


def _literal(node: Term) -> Literal:
    if isinstance(node, tuple) and node and node[0] == "not" and len(node) == 2:
        return False, _fact(node[1])
    if isinstance(node, tuple) and (not node or node[0] in ("or", "and", "not")):
        raise UnreadableError("a formula that is not ours")
    return True, _fact(node)


def _key(fact: Fact) -> tuple[str, int]:
    return (str(fact[0]), len(fact))


def _strata(rules: list[Rule]) -> list[list[Rule]]:
    level = {_key(head): 0 for head, _ in rules}
    for _ in range(len(level) + 2):
        changed = False
        for head, body in rules:
            for positive, atom in body:
                least = level.get(_key(atom), 0) + (not positive)
                if least > level[_key(head)]:
                    level[_key(head)] = least
                    changed = True
        if not changed:
            break
    else:
        raise UnreadableError("rules that are not stratified")
    most = max(level.values(), default=0)
    return [[r for r in rules if level[_key(r[0])] == k] for k in range(most + 1)]


Values = dict[str, Term]


def _filled(term: Fact, values: Values) -> Fact:
    return tuple(_ground(part, values) for part in term)


def _ground(term: Term, values: Values) -> Term:
    if isinstance(term, tuple):
        return tuple(_ground(part, values) for part in term)
    if term.startswith("?"):
        if term not in values:
            raise UnreadableError(f"the variable {term} is not bound")
        return values[term]
    return term


def _match(pattern: Term, term: Term, values: Values) -> Values | None:
    if isinstance(pattern, str):
        if pattern.startswith("?"):
            if pattern in values:
                return values if values[pattern] == term else None
            return {**values, pattern: term}
        return values if pattern == term else None
    if isinstance(term, str) or len(pattern) != len(term):
        return None
    for p, t in zip(pattern, term, strict=True):
        found = _match(p, t, values)
        if found is None:
            return None
        values = found
    return values


def _solutions(
    body: tuple[Literal, ...], facts: dict[tuple[str, int], set[Fact]], values: Values
) -> Iterator[Values]:
    """The values that satisfy a body; negated literals and ``distinct`` come last."""
    order = sorted(body, key=lambda part: (not part[0], part[1][0] == "distinct"))

    def walk(k: int, values: Values) -> Iterator[Values]:
        if k == len(order):
            yield values
            return
        positive, atom = order[k]
        if atom[0] == "distinct":
            left, right = _filled(atom[1:], values)
            if (left != right) is positive:
                yield from walk(k + 1, values)
        elif positive:
            for fact in facts.get(_key(atom), ()):
                found = _match(atom, fact, values)
                if found is not None:
                    yield from walk(k + 1, found)
        elif _filled(atom, values) not in facts.get(_key(atom), ()):
            yield from walk(k + 1, values)

    # Positive literals bind the variables of the others.
    order.sort(key=lambda part: not part[0] or part[1][0] == "distinct")
    yield from walk(0, values)


# --- At random -----------------------------------------------------------------------------------

_SWAP = {"black": "white", "white": "black"}


def _take(rng: Random) -> str:
    """Cells are taken; who has some of them has won."""
    cells = "abcd"[: rng.choice((2, 3, 3))]
    moves = rng.choice((2, 3, 3, 4))
    turns = ["black" if k % 2 == 0 else "white" for k in range(moves)]
    if rng.random() < 0.3:
        turns = [rng.choice(("black", "white")) for _ in range(moves)]
    lines = ["(role black)", "(role white)", "(init (step 1))"]
    if rng.random() < 0.15:
        lines += ["(role green)", "(other black green)", "(other green black)"]
        lines += ["(other white green)", "(other green white)", "(goal green 0)"]
        turns[rng.randrange(moves)] = "green"
    lines += [f"(base (step {k}))" for k in range(1, moves + 2)]
    lines += [f"(cell {c})" for c in cells]
    lines += [f"(turn {k} {p})" for k, p in enumerate(turns, start=1)]
    lines += ["(other black white)", "(other white black)"]
    lines += [f"(succ {k} {k + 1})" for k in range(1, moves + 1)]
    lines.append("(<= (base (has ?r ?x)) (role ?r) (cell ?x))")
    lines.append("(<= (input ?r noop) (role ?r))")
    lines.append("(<= (input ?r (take ?x)) (role ?r) (cell ?x))")
    lines.append("(<= (taken ?x) (true (has ?r ?x)))")
    lines.append("(<= (control ?r) (true (step ?k)) (turn ?k ?r))")
    capture = rng.random() < 0.25
    if capture:
        lines.append("(<= (legal ?r (take ?x)) (control ?r) (cell ?x) (not (true (has ?r ?x))))")
    else:
        lines.append("(<= (legal ?r (take ?x)) (control ?r) (cell ?x) (not (taken ?x)))")
    if moves > len(cells) or capture or rng.random() < 0.4:
        # Somebody could be left without a move.
        lines.append("(<= (legal ?r noop) (control ?r))")
    lines.append("(<= (legal ?r noop) (role ?r) (other ?r ?s) (control ?s))")
    lines.append(f"(<= (legal ?r noop) (role ?r) (true (step {moves + 1})))")
    lines.append("(<= (next (has ?r ?x)) (does ?r (take ?x)))")
    keep = "(true (has ?r ?x))"
    if capture:
        lines.append(f"(<= (lost ?r ?x) {keep} (other ?r ?s) (does ?s (take ?x)))")
        lines.append(f"(<= (next (has ?r ?x)) {keep} (not (lost ?r ?x)))")
    else:
        lines.append(f"(<= (next (has ?r ?x)) {keep})")
    lines.append("(<= (next (step ?l)) (true (step ?k)) (succ ?k ?l))")
    for player in ("black", "white"):
        for _ in range(rng.choice((1, 1, 2)) if player == "black" else rng.choice((0, 0, 1))):
            own = rng.sample(cells, rng.choice((1, 2, 2)))
            body = " ".join(f"(true (has {player} {c}))" for c in own)
            if rng.random() < 0.2:
                body += f" (not (true (has {player} {rng.choice(cells)})))"
            lines.append(f"(<= (won {player}) {body})")
    lines += _ending(rng, moves)
    return "\n".join(lines) + "\n"


def _ending(rng: Random, moves: int) -> list[str]:
    # A relation without rules is none: somebody is always mentioned.
    lines = [f"(<= (won {p}) (true (step 99)))" for p in ("black", "white")]
    lines.append("(base (step 99))")
    lines.append(f"(<= terminal (true (step {moves + 1})))")
    if rng.random() < 0.8:
        lines.append("(<= terminal (won black))")
    lines.append("(<= terminal (won white))")
    lines.append("(<= (goal black 100) (won black) (not (won white)))")
    draw = rng.choice((0, 50, 50))
    if draw:
        lines.append(f"(<= (goal black {draw}) (not (won black)) (not (won white)))")
        lines.append("(<= (goal black 0) (won white))")
    else:
        lines.append("(<= (goal black 0) (not (won black)))")
        lines.append("(<= (goal black 0) (won white))")
    lines.append("(<= (goal white 0) (won black))")
    lines.append("(<= (goal white 100) (not (won black)))")
    return lines


def _walk(rng: Random) -> str:
    """Each player walks along arrows; where a token stands decides."""
    places = "pqrs"[: rng.choice((3, 4))]
    moves = rng.choice((2, 3, 3, 4))
    lines = ["(role black)", "(role white)", "(init (step 1))"]
    lines += [f"(base (step {k}))" for k in range(1, moves + 2)]
    lines += [f"(succ {k} {k + 1})" for k in range(1, moves + 1)]
    lines += ["(other black white)", "(other white black)"]
    lines += [f"(place {p})" for p in places]
    lines.append("(<= (base (at ?r ?p)) (role ?r) (place ?p))")
    lines.append("(<= (input ?r noop) (role ?r))")
    lines.append("(<= (input ?r (go ?p)) (role ?r) (place ?p))")
    for player in ("black", "white"):
        lines.append(f"(init (at {player} {rng.choice(places)}))")
        for p in places:
            out = rng.sample(places, rng.choice((1, 1, 2)))
            lines += [f"(arrow {player} {p} {q})" for q in out]
    lines += [f"(turn {k} {'black' if k % 2 else 'white'})" for k in range(1, moves + 1)]
    lines.append("(<= (control ?r) (true (step ?k)) (turn ?k ?r))")
    lines.append("(<= (legal ?r (go ?q)) (control ?r) (true (at ?r ?p)) (arrow ?r ?p ?q))")
    lines.append("(<= (legal ?r noop) (role ?r) (other ?r ?s) (control ?s))")
    lines.append(f"(<= (legal ?r noop) (role ?r) (true (step {moves + 1})))")
    lines.append("(<= (next (at ?r ?q)) (does ?r (go ?q)))")
    lines.append("(<= (next (at ?r ?p)) (true (at ?r ?p)) (does ?r noop))")
    lines.append("(<= (next (step ?l)) (true (step ?k)) (succ ?k ?l))")
    lines.append(f"(<= (won black) (true (at black {rng.choice(places)})))")
    if rng.random() < 0.5:
        lines.append("(<= (won white) (true (at black ?p)) (true (at white ?p)))")
    else:
        lines.append(f"(<= (won white) (true (at white {rng.choice(places)})))")
    lines += _ending(rng, moves)
    return "\n".join(lines) + "\n"


def _ruled(rng: Random) -> str:
    """Rules at random about a few facts: many moves and facts are possible nowhere.

    What an encoder and the rules know of that differs.
    """
    facts = [f"f{k}" for k in range(1, rng.choice((3, 4, 4)))]
    moves = {"black": ["a", "b", "(c 1)"], "white": ["a", "d", "(c 2)"]}
    lines = ["(role black)", "(role white)", "(init (control black))"]
    lines += [f"(init {fact})" for fact in facts if rng.random() < 0.5]

    def condition(least: int = 0) -> str:
        chosen = [f"(true {rng.choice(facts)})" for _ in range(rng.randrange(least, 3))]
        return " ".join(f"(not {one})" if rng.random() < 0.5 else one for one in chosen)

    for role, names in moves.items():
        other = _SWAP[role]
        lines.append(f"(<= (legal {role} {names[0]}) (true (control {role})))")
        for name in names[1 : rng.randrange(1, 4)]:
            lines.append(f"(<= (legal {role} {name}) (true (control {role})) {condition()})")
        lines.append(f"(<= (legal {role} noop) (true (control {other})))")
        lines.append(f"(<= (next (control {other})) (true (control {role})))")
    for fact in facts:
        for _ in range(rng.randrange(1, 3)):
            role = rng.choice(("black", "white"))
            does = f"(does {role} {rng.choice(moves[role])})"
            lines.append(f"(<= (next {fact}) {does if rng.random() < 0.6 else condition(1)})")
    lines.append(f"(<= terminal {condition(1)})")
    lines.append(f"(<= (won black) {condition(1)})")
    lines.append("(<= (goal black 100) (won black))")
    lines += ["(<= (goal black 0) (not (won black)))"] * (rng.random() < 0.7)
    lines += ["(<= (goal white 100) (not (won black)))", "(<= (goal white 0) (won black))"]
    return "\n".join(lines) + "\n"


def random_described(rng: Random) -> Described:
    """A small game in GDL."""
    while True:
        make = rng.choices((_take, _walk, _ruled), (50, 25, 25))[0]
        text = make(rng)
        win = 50 if rng.random() < 0.15 else 100
        role = "white" if rng.random() < 0.15 else None
        game = Described(text, rng.choice((1, 2, 3, 3, 4)), win, role)
        try:
            machine = Machine(game)
            if machine.ended(machine.start) is None:
                game.who()
                return game
        except UnreadableError:
            continue


def changed_described(game: Described, rng: Random) -> Described:
    """A game that differs a little."""
    for _ in range(20):
        way = rng.randrange(8)
        lines = game.text.splitlines()
        if way in (0, 1):
            other = replace(game, rounds=max(1, game.rounds + rng.choice((-2, -1, 1, 2))))
        elif way == 2:
            other = replace(game, win=rng.choice((50, 100)))
        elif way == 3:
            other = replace(game, role="white" if game.role is None else None)
        elif way == 4:
            lines = [
                re.sub(r"\b(black|white)\b", lambda m: _SWAP[m[1]], line)
                if line.startswith(("(<= (won", "(turn"))
                else line
                for line in lines
            ]
            other = replace(game, text="\n".join(lines) + "\n")
        elif way == 5:
            at = rng.randrange(len(lines))
            other = replace(game, text="\n".join(lines[:at] + lines[at + 1 :]) + "\n")
        elif way == 6:
            places = [k for k, line in enumerate(lines) if line.startswith("(turn")]
            if not places:
                continue
            at = rng.choice(places)
            old, new = ("black", "white") if "black" in lines[at] else ("white", "black")
            lines[at] = lines[at].replace(old, new)
            other = replace(game, text="\n".join(lines) + "\n")
        else:
            player = rng.choice(("black", "white"))
            atoms = re.findall(r"\(base \((\w+) |\((cell|place) (\w+)\)", game.text)
            names = [a[2] for a in atoms if a[2]]
            if not names:
                continue
            thing = "has" if "(cell " in game.text else "at"
            lines.append(f"(<= (won {player}) (true ({thing} {player} {rng.choice(names)})))")
            other = replace(game, text="\n".join(lines) + "\n")
        try:
            other.who()
        except UnreadableError:
            continue
        return other
    return game
