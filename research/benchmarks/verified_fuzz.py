"""The verified checker against brute force: random formulas and games, right and wrong functions.

    python research/benchmarks/verified_fuzz.py [--cases N] [--seed N] [--kind formula|nested|game ...]

Nothing false may be proved.  A checker that rejects everything would be sound: so whatever the
functions and what they read allow has to be proved.  The truth of formulas is found by trying all
values, that of games by the executable rules of qsage-validate, which share nothing with the rules
in Coq.  The proofs are CaDiCaL's, for the clauses that the program itself writes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import PrenexOrder, Quantifier, Scope
from qsage_validate.errors import UsageError
from qsage_validate.formats.qcir import parse_nested, parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    BddlProblem,
    Condition,
    Coordinate,
    Domain,
    Model,
    SubCondition,
)
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, Position, Square, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.kernel.obligation import Cnf
from qsage_validate.proving.formula_cnf import NotProvedError, refutation
from qsage_validate.proving.theorems import find_program, uses_text
from qsage_validate.proving.verified_games import VerifiedUnrolling, rules_in_coq, unroll
from tests.support.nested_truth import nested_truth, random_nested_qcir

Gate = tuple[int, str, list[int]]


class DisagreementError(Exception):
    """The program and brute force say different things; the text has the files."""


class Runner:
    """Runs the program on files of one folder."""

    def __init__(self, folder: str, program: str) -> None:
        self.folder = folder
        self.program = program

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, content: str | bytes) -> str:
        data = content.encode() if isinstance(content, str) else content
        Path(self.path(name)).write_bytes(data)
        return self.path(name)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments], capture_output=True, text=True, check=False
        )

    def proved(self, subject: Sequence[str], certificate: str, flags: Sequence[str]) -> bool:
        """Write the clauses, refute them if that can be, and ask for the theorem."""
        cnf, proof = self.path("c.cnf"), self.path("p.lrat")
        done = self.run(*subject, certificate, "--cnf", cnf, *flags)
        if done.returncode != 0:
            raise DisagreementError(f"no clauses: {done.stderr}")
        self.refutable = True
        lines = Path(cnf).read_text().splitlines()
        clauses = [tuple(map(int, line.split()[:-1])) for line in lines[1:]]
        try:
            steps = refutation(Cnf(int(lines[0].split()[2]), clauses, (), ()))
            Path(proof).write_text("".join(steps.lines()))
        except NotProvedError:
            self.refutable = False
            # Lies: a proof of nothing, one of an empty clause without hints, one that jumps.
            Path(proof).write_text(
                random.choice(["", f"{len(clauses) + 1} 0 0\n", f"{len(clauses) + 1} 0 1 2 3 0\n"])
            )
        done = self.run(*subject, certificate, proof, *flags)
        if done.returncode not in (0, 1) or (done.returncode == 0) != done.stdout.startswith(
            "PROVED"
        ):
            raise DisagreementError(f"no verdict: {done.stdout}{done.stderr}")
        return done.returncode == 0


# -- Formulas --------------------------------------------------------------------------------


def value(kind: str, xs: Sequence[bool]) -> bool:
    """The value of a gate."""
    if kind == "and":
        return all(xs)
    if kind == "or":
        return any(xs)
    return xs[0] != xs[1] if kind == "xor" else xs[1] if xs[0] else xs[2]


def matrix(gates: Sequence[Gate], out: int, given: dict[int, bool]) -> bool:
    """The value of a circuit."""
    values = dict(given)
    for name, kind, inputs in gates:
        values[name] = value(kind, [values[abs(x)] == (x > 0) for x in inputs])
    return values[abs(out)] == (out > 0)


def truth(
    prefix: Sequence[tuple[str, int]], at: Callable[[dict[int, bool]], bool], given: dict[int, bool]
) -> bool:
    """The value of a formula, by trying all."""
    if len(given) == len(prefix):
        return at(given)
    quantifier, variable = prefix[len(given)]
    both = (truth(prefix, at, {**given, variable: b}) for b in (False, True))
    return any(both) if quantifier == "e" else all(both)


def formula_case(rng: random.Random, runner: Runner) -> str:
    """One random formula with a random certificate of each player; returns what it was."""
    count = rng.randint(1, 5)
    names = rng.sample(range(1, 10), count)
    prefix = [(rng.choice("ea"), v) for v in names]
    kind = rng.choice(["qcir", "qdimacs", "dqdimacs"])

    def lit(pool: list[int]) -> int:
        return rng.choice(pool) * rng.choice((1, -1))

    gates: list[Gate] = []
    sets: dict[int, set[int]] = {}
    called = False

    def text_of(n: int) -> str:
        return f"v{n}" if called and n % 2 else str(n)

    def sign(x: int) -> str:
        return ("-" if x < 0 else "") + text_of(abs(x))

    if kind == "qcir":
        pool = list(names)
        for g in range(20, 20 + rng.randint(1, 4)):
            connective = rng.choice(["and", "or", "xor", "ite"])
            arity = {"xor": 2, "ite": 3}.get(connective) or rng.randint(0, 3)
            gates.append((g, connective, [lit(pool) for _ in range(arity)]))
            pool.append(g)
        out = lit(pool)
        free = 0
        while free < count and prefix[free][0] == "e" and rng.random() < 0.3:
            free += 1
        called = rng.random() < 0.3
        words = {"e": "exists", "a": "forall"}
        lines = [f"free({text_of(v)})" for _, v in prefix[:free]]
        lines += [f"{words[q]}({text_of(v)})" for q, v in prefix[free:]]
        lines += [f"output({sign(out)})"]
        lines += [f"{text_of(g)} = {k}({', '.join(map(sign, i))})" for g, k, i in gates]
        subject = runner.write("f.qcir", "#QCIR-G14\n" + "\n".join(lines) + "\n")
    else:
        clauses = [
            [lit(names) for _ in range(rng.choice((0, 1, 2, 2, 3, 3)))]
            for _ in range(rng.randint(0, 5))
        ]
        gates = [(100 + k, "or", c) for k, c in enumerate(clauses)]
        out = 100 + len(clauses)
        gates.append((out, "and", [g for g, _, _ in gates]))
        lines = [f"p cnf 9 {len(clauses)}"]
        if kind == "qdimacs":
            lines += [f"{q} {v} 0" for q, v in prefix]
        else:
            opponent = [v for q, v in prefix if q == "a"]
            lines += [f"a {v} 0" for v in opponent]
            for v in (v for q, v in prefix if q == "e"):
                if rng.random() < 0.7:
                    sets[v] = set(rng.sample(opponent, rng.randint(0, len(opponent))))
                    lines.append(f"d {' '.join(map(str, (v, *sorted(sets[v]))))} 0")
                else:
                    sets[v] = set(opponent)
                    lines.append(f"e {v} 0")
        lines += [" ".join(map(str, (*c, 0))) for c in clauses]
        # A formula without 'd' lines is read as QDIMACS: then its prefix is that of the file.
        if kind == "dqdimacs":
            order = [v for v in names if ("a", v) in prefix] + list(sets)
            prefix = [(next(q for q, w in prefix if w == v), v) for v in order]
        subject = runner.write("f." + kind, "\n".join(lines) + "\n")
    is_dqbf = kind == "dqdimacs" and any(line.startswith("d ") for line in lines)
    case = FormulaCase(kind, [subject], prefix, gates, out, text_of, sets if is_dqbf else None)
    for own in "ea":
        if not (is_dqbf and own == "a"):
            ask_about(case, own, case.random_functions(own, rng), runner)
    return kind


@dataclass
class FormulaCase:
    """A formula in numbers; ``subject`` are its files, ``sets`` dependency sets if it has any."""

    kind: str
    subject: list[str]
    prefix: list[tuple[str, int]]
    gates: list[Gate]
    out: int
    text_of: Callable[[int], str]
    sets: dict[int, set[int]] | None = None

    def truth(self) -> bool:
        """The value of a formula without dependency sets."""
        return truth(self.prefix, lambda r: matrix(self.gates, self.out, r), {})

    def of(self, own: str) -> list[int]:
        """A player's variables, from left to right."""
        return [v for q, v in self.prefix if q == own]

    def may_read(self, own: str) -> dict[int, set[int]]:
        """What each function of a player may read."""
        if self.sets is not None:
            return self.sets
        left: set[int] = set()
        found = {}
        for q, v in self.prefix:
            if q == own:
                found[v] = set(left)
            else:
                left.add(v)
        return found

    def random_functions(self, own: str, rng: random.Random) -> Functions:
        """Functions of a few gates, some of which read what they may not."""
        made = Functions([v for q, v in self.prefix if q != own])
        for _ in range(rng.randint(0, 3)):
            a, b = (rng.choice(list(made.reads)) + rng.randint(0, 1) for _ in range(2))
            made.conj(a, b)
        may = self.may_read(own)
        for v in self.of(own):
            allowed = [x for x in made.reads if made.reads[x] <= may[v]]
            if rng.random() < 0.9:
                pool = allowed if rng.random() < 0.85 else list(made.reads)
                made.functions[v] = rng.choice(pool) + rng.randint(0, 1)
        return made

    def best_functions(self, own: str) -> Functions:
        """Functions that win if any do: a table of the opponent's values for each variable."""
        made = Functions([v for q, v in self.prefix if q != own])
        cases: dict[int, list[int]] = {v: [] for v in self.of(own)}

        def go(given: dict[int, bool], literal: int) -> None:
            if len(given) == len(self.prefix):
                return
            q, v = self.prefix[len(given)]
            if q != own:
                for b in (False, True):
                    go({**given, v: b}, made.conj(literal, made.input(v) ^ (not b)))
                return
            wins = truth(
                self.prefix, lambda r: matrix(self.gates, self.out, r), {**given, v: True}
            ) == (own == "e")
            if wins:
                cases[v].append(literal)
            go({**given, v: wins}, literal)

        go({}, 1)
        for v, literals in cases.items():
            none = 1
            for literal in literals:
                none = made.conj(none, literal ^ 1)
            made.functions[v] = none ^ 1
        return made


class Functions:
    """Functions as an and-inverter graph, and what each of its gates reads."""

    def __init__(self, inputs: Sequence[int]) -> None:
        self.inputs = list(inputs)
        self.gates: list[tuple[int, int, int]] = []
        self.reads: dict[int, set[int]] = {0: set()}
        self.reads.update({2 * (k + 1): {v} for k, v in enumerate(inputs)})
        self.functions: dict[int, int] = {}

    def input(self, variable: int) -> int:
        return 2 * (self.inputs.index(variable) + 1)

    def conj(self, a: int, b: int) -> int:
        gate = 2 * (len(self.inputs) + 1 + len(self.gates))
        self.gates.append((gate, a, b))
        self.reads[gate] = self.reads[a & ~1] | self.reads[b & ~1]
        return gate

    def text(self, text_of: Callable[[int], str]) -> str:
        """The file, in ASCII AIGER."""
        size = len(self.inputs) + len(self.gates)
        lines = [f"aag {size} {len(self.inputs)} 0 {len(self.functions)} {len(self.gates)}"]
        lines += [str(2 * (k + 1)) for k in range(len(self.inputs))]
        lines += [str(f) for f in self.functions.values()]
        lines += [f"{g} {a} {b}" for g, a, b in self.gates]
        lines += [f"i{k} {text_of(v)}" for k, v in enumerate(self.inputs)]
        lines += [f"o{k} {text_of(v)}" for k, v in enumerate(self.functions)]
        return "\n".join(lines) + "\n"

    def values(self, choice: Sequence[bool], mine: Sequence[int]) -> dict[int, bool]:
        """The values of all variables under a choice of the opponent's."""
        values = {0: False} | {2 * (k + 1): b for k, b in enumerate(choice)}

        def at(literal: int) -> bool:
            return values[literal & ~1] != bool(literal & 1)

        for gate, a, b in self.gates:
            values[gate] = at(a) and at(b)
        given = dict(zip(self.inputs, choice, strict=True))
        return given | {v: v in self.functions and at(self.functions[v]) for v in mine}


def ask_about(
    case: FormulaCase,
    own: str,
    made: Functions,
    runner: Runner,
    *,
    said: bool | None = None,
    honest: bool = True,
) -> None:
    """Ask whether ``own`` wins a formula with functions, and compare the answer.

    ``said`` is the formula's truth, where it is not that of the prefix.  What is right has to be
    proved only if all else that the program is told is ``honest``.
    """
    if said is None and case.sets is None:
        said = case.truth()
    mine = case.of(own)
    # Functions that win are seldom found at random: constants are tried until some do.
    wins = all(
        matrix(case.gates, case.out, made.values(c, mine)) == (own == "e")
        for c in itertools.product((False, True), repeat=len(made.inputs))
    )
    may = case.may_read(own)
    right = all(made.reads[f & ~1] <= may[v] for v, f in made.functions.items())
    certificate = runner.write("c.aag", made.text(case.text_of))
    flags = [] if own == "e" else ["--herbrand"]
    proved = runner.proved(case.subject, certificate, flags)
    if proved and said is not None and said != (own == "e"):
        raise DisagreementError("a false theorem about a formula")
    if (proved and not (wins and right)) or (honest and proved != (wins and right)):
        raise DisagreementError(f"proved: {proved}; wins: {wins}; reads what it may: {right}")
    if runner.refutable != wins:
        raise DisagreementError("the clauses are not those of the functions")
    outcome = "proved" if proved else "wins" if wins else "loses"
    STATISTICS[case.kind if honest else f"{case.kind}, lies", own, outcome] += 1


def nested_case(rng: random.Random, runner: Runner) -> str:
    """A formula with quantifier gates, and a prenex form of it, which may be a wrong one."""
    while True:
        text = random_nested_qcir(rng)
        form = parse_qcir(text, order=rng.choice(list(PrenexOrder)))
        if form.num_variables <= 8:
            break
    nested = parse_nested(text)
    if nested is None:
        return "nested"
    said = nested_truth(text)
    uses = uses_text(nested, form)
    honest = rng.random() < 0.7
    if not honest:
        # Lies: quantifiers in another order or others, uses that are none.
        scopes = [Scope(s.quantifier, (v,)) for s in form.scopes for v in s.variables]
        lines = uses.splitlines()
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.6 and scopes:
                k = rng.randrange(len(scopes))
                if rng.random() < 0.5:
                    scopes.insert(rng.randrange(len(scopes)), scopes.pop(k))
                else:
                    scopes[k] = Scope(scopes[k].quantifier.dual, scopes[k].variables)
            else:
                k = rng.randrange(len(lines))
                words, other = lines[k].split(" "), rng.choice(lines).split(" ")
                words[rng.randrange(len(words))] = rng.choice([*other, "+", "-", "0"])
                lines[k] = " ".join(words)
        form = replace(form, scopes=tuple(scopes))
        uses = "\n".join(lines) + "\n"
    subject = [runner.write("f.qcir", text), "--prenex", runner.write("p.qcir", qcir_text(form))]
    subject.append(runner.write("p.uses", uses))
    case = FormulaCase(
        "nested",
        subject,
        [("ea"[s.quantifier is Quantifier.FORALL], v) for s in form.scopes for v in s.variables],
        [(g, gate.connective.value, list(gate.inputs)) for g, gate in form.gates.items()],
        form.output,
        form.name,
    )
    for own in "ea":
        best = rng.random() < 0.7
        made = case.best_functions(own) if best else case.random_functions(own, rng)
        if (
            not honest
            and runner.run(
                *subject,
                runner.write("c.aag", made.text(form.name)),
                "--cnf",
                runner.path("c.cnf"),
                *([] if own == "e" else ["--herbrand"]),
            ).returncode
            == 2
        ):
            STATISTICS["nested, lies", own, "refused"] += 1
            continue
        ask_about(case, own, made, runner, said=said, honest=honest)
    return "nested"


# -- Games -----------------------------------------------------------------------------------


def random_positional(rng: random.Random) -> PositionalModel:
    """A positional game of few cells: any turns, first stones, sets or a network."""
    size = rng.randint(2, 4)
    everything = (1 << size) - 1

    def mask() -> int:
        return rng.randint(1, everything)

    plies = rng.randint(1, 4)
    turns = tuple(rng.choice(list(Player)) for _ in range(plies))
    stones = rng.sample(range(size), rng.randint(0, 1))
    black = sum(1 << k for k in stones if rng.random() < 0.5)
    white = sum(1 << k for k in stones) & ~black
    network = None
    sets: tuple[int, ...] = tuple(mask() for _ in range(rng.randint(0, 3)))
    if rng.random() < 0.4:
        edges = [(a, b) for a, b in itertools.combinations(range(size), 2) if rng.random() < 0.5]
        neighbours = tuple(
            sum(1 << (b if a == k else a) for a, b in edges if k in (a, b)) for k in range(size)
        )
        network, sets = Network(neighbours, mask(), mask()), ()
    return PositionalModel(
        "random",
        tuple(f"p{k}" if rng.random() < 0.5 else f"q{k}" for k in range(size)),
        turns,
        sets,
        tuple(mask() for _ in range(rng.choice((0, 0, 1, 2)))),
        black,
        white,
        network,
    )


def random_grid(rng: random.Random) -> Model:
    """A game in BDDL on a board of a few squares, with any actions and goals."""
    width, height = rng.choice([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1)])

    def coordinate(size: int) -> Coordinate:
        anchor = rng.choice([Anchor.PARAMETER] * 3 + list(Anchor))
        if anchor is Anchor.PARAMETER:
            return Coordinate(anchor, rng.choice((0, 0, 0, 1, -1)))
        return Coordinate(anchor, rng.randint(1, size) if anchor is Anchor.ABSOLUTE else 0)

    def condition(least: int, *, negative: bool) -> Condition:
        return tuple(
            SubCondition(
                rng.choice(list(Square)),
                coordinate(width),
                coordinate(height),
                negative and rng.random() < 0.3,
            )
            for _ in range(rng.randint(least, 2))
        )

    def actions() -> tuple[Action, ...]:
        return tuple(
            Action(f"act-{k}", condition(0, negative=True), condition(1, negative=False))
            for k in range(rng.randint(1, 2))
        )

    squares = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    placed = rng.sample(squares, rng.randint(0, len(squares)))
    return Model(
        Domain(actions(), actions()),
        BddlProblem(
            width,
            height,
            tuple((rng.choice((Square.BLACK, Square.WHITE)), x, y) for x, y in placed),
            rng.randint(1, 4),
            tuple(condition(1, negative=True) for _ in range(rng.randint(0, 2))),
            tuple(condition(1, negative=True) for _ in range(rng.randint(0, 2))),
            rng.choice(list(Player)),
        ),
    )


def black_wins(position: Position, known: dict[str, bool]) -> bool:
    """The winner by the executable rules, by trying all."""
    key = str(position)
    if key not in known:
        outcome = position.outcome
        if outcome is not None:
            known[key] = outcome.winner is Player.BLACK
        else:
            following = (black_wins(position.after(m), known) for m in position.legal_moves())
            black = position.to_move is Player.BLACK
            known[key] = any(following) if black else all(following)
    return known[key]


class Strategy:
    """Replies for each line of the opponent's legal moves, and their functions."""

    def __init__(
        self,
        game: TwoPlayerGame,
        unrolling: VerifiedUnrolling,
        hero: Player,
        rng: random.Random,
        faults: float,
    ) -> None:
        self.unrolling = unrolling
        self.hero = hero
        self.rng = rng
        self.faults = faults
        self.known: dict[str, bool] = {}
        self.builder = AigBuilder()
        self.inputs: list[int] = []
        self.chosen: dict[int, dict[str, int]] = {}
        self.replies: dict[int, list[int]] = {}
        self.wins = True
        rules = unrolling.rules
        for ply, block in enumerate(unrolling.blocks):
            if rules.turns[ply] is hero:
                self.replies.update((v, []) for v in block)
                continue
            seen = FALSE
            for variable, move in zip(block, rules.moves[hero.other], strict=True):
                literal = self.builder.input()
                self.inputs.append(variable)
                self.chosen.setdefault(ply, {})[move.name] = self.builder.and_(literal, seen ^ 1)
                seen = self.builder.or_(seen, literal)
        self._play(game.initial, 0, 1)

    def _play(self, position: Position, ply: int, line: int) -> None:
        outcome = position.outcome
        if outcome is not None:
            self.wins = self.wins and outcome.winner is self.hero
            return
        moves = list(position.legal_moves())
        if position.to_move is not self.hero:
            for move in moves:
                literal = self.chosen[ply][str(move)]
                self._play(position.after(move), ply + 1, self.builder.and_(line, literal))
            return
        good = [
            m
            for m in moves
            if black_wins(position.after(m), self.known) is (self.hero is Player.BLACK)
        ]
        move = self.rng.choice(moves if not good or self.rng.random() < self.faults else good)
        names = [m.name for m in self.unrolling.rules.moves[self.hero]]
        number = names.index(str(move))
        for k, variable in enumerate(self.unrolling.blocks[ply]):
            if k == number:
                self.replies[variable].append(line)
        self._play(position.after(move), ply + 1, line)

    def certificate(self) -> CircuitCertificate:
        """The functions."""
        variables = list(self.replies)
        wanted = [self.builder.or_all(self.replies[v]) for v in variables]
        aig, outputs = self.builder.build(wanted)
        kind = CertificateKind.SKOLEM if self.hero is Player.BLACK else CertificateKind.HERBRAND
        functions = dict(zip(variables, outputs, strict=True))
        return CircuitCertificate(kind, aig, tuple(self.inputs), functions, Dialect.CAQE)


def game_case(rng: random.Random, runner: Runner) -> str:
    """One random game with a strategy of the winner's, and a worse one of each player."""
    while True:
        try:
            game: TwoPlayerGame
            if rng.random() < 0.5:
                game = PositionalGame(random_positional(rng))
            else:
                game = BddlGame(random_grid(rng))
            break
        except UsageError:
            continue
    rules = rules_in_coq(game)
    if isinstance(rules, str):
        STATISTICS["game", "not in Coq", ""] += 1
        return "game"
    unrolling = unroll(rules)
    subject = [runner.write(name, text) for name, text in rules.files.items()]
    winner = Player.BLACK if black_wins(game.initial, {}) else Player.WHITE
    for hero, faults in ((winner, 0.0), (rng.choice(list(Player)), 0.7)):
        strategy = Strategy(game, unrolling, hero, rng, faults)
        functions = strategy.certificate()
        certificate = runner.write("g.aig", certificate_bytes(functions, unrolling.formula))
        flags = [] if hero is Player.BLACK else ["--herbrand"]
        proved = runner.proved(subject, certificate, flags)
        if proved and hero is not winner:
            raise DisagreementError(f"proved that {hero} wins, by the rules {winner} does")
        if proved != strategy.wins:
            raise DisagreementError(f"proved: {proved}; the strategy wins: {strategy.wins}")
        STATISTICS["game " + game.language, hero.value, "proved" if proved else "loses"] += 1
    return "game"


KINDS = {"formula": formula_case, "nested": nested_case, "game": game_case}
STATISTICS: Counter[tuple[str, str, str]] = Counter()


def main() -> int:
    """Run the cases; the exit code is 1 after a disagreement, whose files are kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    options = parser.parse_args()
    program = find_program()
    if program is None:
        print("verified_fuzz.py: found no qsage-verified: python3 dev.py verified", file=sys.stderr)
        return 2
    kinds = options.kind or list(KINDS)
    with tempfile.TemporaryDirectory(prefix="qsage-fuzz-") as folder:
        runner = Runner(folder, program)
        for case in range(options.cases):
            rng = random.Random(f"{options.seed} {case}")
            kind = kinds[case % len(kinds)]
            try:
                KINDS[kind](rng, runner)
            except DisagreementError as error:
                print(f"case {case} of seed {options.seed} ({kind}): {error}")
                for name in sorted(os.listdir(folder)):
                    content = Path(folder, name).read_bytes()
                    print(f"--- {name}\n{content.decode(errors='replace')}")
                return 1
    for key in sorted(STATISTICS):
        print(" ".join(filter(None, key)), STATISTICS[key])
    print(f"{options.cases} cases: no disagreement")
    return 0


if __name__ == "__main__":
    sys.exit(main())
