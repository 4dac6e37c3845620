"""Games in GDL as QBF: the general and the strictly turn-taking encoding.

Source: He, Saffidine and Thielscher 2024, section 3: rules (1) to (10) for the general encoding
(GE), rule (11) where the order of play is known (SE), moves of the opponents by a logarithmic
code.  The formula is true when Black's role wins within so many rounds, whatever all the other
roles do (with more than two roles: whatever they do together).

Only moves are variables: every other atom is a gate over them.

``gdl`` and ``gdl-strict`` are GE and SE as circuits over moves alone.  ``gdl-gn``, ``gdl-gt``,
``gdl-gd`` and ``gdl-sd`` are the paper's formulas: clauses over atoms, in a prefix by Definitions
6, 7 and 9 of He, Saffidine and Thielscher 2024 (:func:`clausal` makes them of the circuits).

A round is two plies, Black's part and White's.  Once the play has ended no move of Black's is
made.  Games of more roles are those of one role against all others (``model.py``).

In the clauses a gate's variable is existential and depends on the moves that its value depends on,
so it may stand in any block from that of these moves on; the definitions differ in how far to the
left an atom stands.  Gates that are no atoms stand last.  Constraints are clauses of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from typing import Any, Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import (
    Connective,
    Gate,
    Qbf,
    Quantifier,
    Scope,
    tseitin,
)
from qsage_validate.encodings.encoding import (
    Completion,
    Encoding,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
    nothing_else,
)
from qsage_validate.encodings.layout import IllegalMoves, Layout, Ply, StateView
from qsage_validate.encodings.list_codings import listed
from qsage_validate.errors import UsageError
from qsage_validate.extensions.gdl.model import (
    KEYWORDS,
    Atom,
    Clause,
    Dependencies,
    Description,
    GdlLiteral,
    GdlModel,
    Ground,
    Key,
    Term,
    Variable,
    check_description,
    role_names,
    term_order,
    term_text,
)
from qsage_validate.extensions.gdl.qasp import MAX_RULES, ClingoProgram, ProgramCircuit, ground
from qsage_validate.extensions.gdl.rules import rounds_game
from qsage_validate.formats.qdimacs import ClausalForm, clause_gates
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player

# Games in GDL as QBF: the general and the strictly turn-taking encoding


_TERMINATED = """
terminated(T) :- terminal(T), tdom(T).
terminated(T+1) :- terminated(T), tdom(T+1).
"""

_GENERAL = """
{does(P,M,T)} :- mdom(P,M,T).
acts(P,T) :- does(P,M,T).
:- mtdom(T), role(P), not terminated(T), not acts(P,T).
:- does(P,M,T), does(P,N,T), M < N.
:- does(P,M,T), not legal(P,M,T).
:- terminated(T), does(P,M,T).
{code(P,L,T)} :- ldom(P,L,T).
:- terminated(T), not terminated(T-1), T > 1, not won(T), tdom(T).
:- terminated(1), not won(1).
"""


class Variant(Enum):
    """The rules that the encoding uses; the values are the paper's names."""

    GENERAL = "GE"
    STRICT = "SE"


@dataclass(frozen=True)
class RoundVariables:
    """The variables and gates of one round.

    ``black`` has the literal of each move of Black's role; ``codes`` for each other role the
    bits, least significant first; ``others`` for each other role its moves in the order of the
    codes (move ``i`` has the code ``i``), with the literal that says that the move is made;
    ``free`` their variables, with which Black's side makes a legal one of them where the code
    names none (a move that is made in any case has none).  ``legal`` has for every role and move
    the literal that says that it is legal.
    """

    black: Mapping[Ground, int]
    codes: Mapping[Ground, tuple[int, ...]]
    others: Mapping[Ground, Mapping[Ground, int]]
    free: Mapping[Ground, Mapping[Ground, int]]
    legal: Mapping[Ground, Mapping[Ground, int]]


@dataclass(frozen=True)
class GdlEncoding:
    """The formula "Black's role wins within the rounds", and what is where in it.

    ``fluents[t]`` are the literals of the fluents that may be true before round ``t + 1``;
    ``ended[t]`` says that the play has ended by then, ``won[t]`` that the goal of Black's role is
    reached there (ended or not).  ``blocks[k]`` is the place of the scope
    ``k`` in the paper's prefix: block ``2t`` is its E_t, block ``2t - 1`` its U_t.  ``times``
    has the time of each gate that is an atom with a time (the earliest, where one gate is
    several atoms), at most the number of rounds.
    """

    qbf: Qbf
    description: Description
    black: Ground
    variant: Variant
    rounds: tuple[RoundVariables, ...]
    fluents: tuple[Mapping[Ground, int], ...]
    ended: tuple[int, ...]
    won: tuple[int, ...]
    blocks: tuple[int, ...]
    times: Mapping[int, int]


def encode_gdl(
    description: Description,
    rounds: int,
    *,
    black: str | None = None,
    win: int = 100,
    variant: Variant = Variant.GENERAL,
    max_rules: int = MAX_RULES,
) -> GdlEncoding:
    """Encode a game for ``rounds`` rounds; ``black`` names a role (default: the first).

    Raises ``InputError`` for a description that is not valid, ``UsageError`` for a role that
    there is not, for no rounds, and for ``STRICT`` where the order of play is not fixed;
    otherwise as :func:`~qsage_validate.extensions.gdl.qasp.ground`.
    """
    check_description(description)
    role = _role(description, black)
    if rounds < 1:
        raise UsageError(f"found {rounds} rounds, expected 1 or more")
    return _Encoder(description, rounds, role, win, variant, max_rules).encoding()


def _role(description: Description, black: str | None) -> Ground:
    roles = role_names(description)
    for role in roles:
        if black is None or term_text(role).lower() == black.lower():
            return role
    choices = " or ".join(map(term_text, roles))
    raise UsageError(f"found the role {quoted(black or '')}, expected {choices}")


Domain = Mapping[tuple[Ground, int], tuple[Ground, ...]]


class _Encoder:
    def __init__(
        self,
        description: Description,
        rounds: int,
        black: Ground,
        win: int,
        variant: Variant,
        max_rules: int,
    ) -> None:
        self.description = description
        self.roles = role_names(description)
        self.others = [role for role in self.roles if role != black]
        self.rounds = rounds
        self.black = black
        self.win = win
        self.variant = variant
        self.max_rules = max_rules
        self.extension = Extension(description)
        self.reader = Reader(description)
        self.base = (
            f"{self.extension.text}\n{_TERMINATED}\ntdom(1..{rounds + 1}). mtdom(1..{rounds}).\n"
        )

    def domains(self) -> Domain:
        """The moves of each role in each round that the grounder does not exclude.

        In the general encoding a role has the same moves in all rounds.
        """
        text = self.base + "{does(P,M,T)} :- legal(P,M,T), mtdom(T), not terminated(T).\n"
        program = ground(text, max_rules=self.max_rules)
        found: dict[tuple[Ground, int], set[Ground]] = {
            (role, t): set() for role in self.roles for t in range(1, self.rounds + 1)
        }
        for symbol in (*program.symbols.values(), *program.facts):
            if symbol.name == "legal" and len(symbol.arguments) == 3:
                role, move, time = symbol.arguments
                key = self.reader.ground(role), time.number
                if key in found:
                    found[key].add(self.reader.ground(move))
        if self.variant is Variant.STRICT:
            self.check_strict(found)
        else:
            for role in self.roles:
                every = set[Ground]().union(*(m for (r, _), m in found.items() if r == role))
                found.update({key: every for key in found if key[0] == role})
        return {key: tuple(sorted(moves, key=term_order)) for key, moves in found.items()}

    def check_strict(self, found: Mapping[tuple[Ground, int], set[Ground]]) -> None:
        """Rule (11) needs that in each round one role at most can have a choice."""
        for t in range(1, self.rounds + 1):
            choosing = [term_text(role) for role in self.roles if len(found[role, t]) > 1]
            if len(choosing) > 1:
                raise UsageError(
                    f"found a choice of {' and '.join(choosing)} in round {t} of "
                    f"{self.description.name}, as far as the rules tell, expected a strictly "
                    "turn-taking game (the general encoding takes any)"
                )

    def program(self, domains: Domain) -> str:
        term = self.extension.term
        lines = [self.base, _GENERAL, f":- not terminated({self.rounds + 1})."]
        lines.append(f"won(T) :- goal({term(self.black)},V,T), V = {self.win}..100.")
        for (role, t), moves in domains.items():
            lines += [f"mdom({term(role)},{term(move)},{t})." for move in moves]
            if role == self.black or not moves:
                continue
            bits = (len(moves) - 1).bit_length()
            lines += [f"ldom({term(role)},{bit},{t})." for bit in range(bits)]
            for code, move in enumerate(moves):
                arguments = f"{term(role)},{term(move)},{t}"
                body = [f"legal({arguments})", f"not terminated({t})"]
                for bit in range(bits):
                    sign = "" if code >> bit & 1 else "not "
                    body.append(f"{sign}code({term(role)},{bit},{t})")
                lines.append(f"does({arguments}) :- {', '.join(body)}.")
        return "\n".join(lines)

    def encoding(self) -> GdlEncoding:
        domains = self.domains()
        program = ground(self.program(domains), max_rules=self.max_rules)
        scopes, blocks, variables = self.prefix(program)
        builder = CircuitBuilder(sum(len(s.variables) for s in scopes) + 1)
        circuit = ProgramCircuit(program, builder, variables)
        output = circuit.verdict()
        table: dict[str, dict[tuple[Any, ...], int]] = {}
        for atom, symbol in program.symbols.items():
            key = self.key(symbol)
            table.setdefault(symbol.name, {})[key] = circuit.literal(atom)
        for symbol in program.facts:
            table.setdefault(symbol.name, {})[self.key(symbol)] = builder.true
        free = {
            self.key(program.symbols[atom]): variable
            for atom, variable in variables.items()
            if program.symbols[atom].name == "does"
        }
        names = {v: _variable_name(str(program.symbols[atom])) for atom, v in variables.items()}
        qbf = Qbf(scopes, builder.gates, output, names)
        times = self.times(program, circuit)
        return self.described(qbf, domains, table, free, builder.false, blocks, times)

    def key(self, symbol: Any) -> tuple[Any, ...]:
        """The arguments as terms of the description, the time as a number."""
        arguments = symbol.arguments
        if symbol.name in {"does", "true", "code", "terminated", "legal", "won"}:
            *terms, time = arguments
            return (*map(self.reader.ground, terms), time.number)
        return tuple(map(self.reader.ground, arguments))

    def prefix(
        self, program: ClingoProgram
    ) -> tuple[tuple[Scope, ...], tuple[int, ...], dict[int, int]]:
        """The scopes, their places, and the variable of each atom that is chosen."""
        choices = {a for rule in program.rules if rule.choice for a in rule.head}
        chosen = sorted(choices & program.symbols.keys())
        levels: list[list[int]] = [[] for _ in range(2 * self.rounds + 1)]
        for atom in chosen:
            symbol = program.symbols[atom]
            key = self.key(symbol)
            time = key[-1]
            if symbol.name == "code":
                levels[2 * time - 1].append(atom)
            else:
                levels[2 * time - 2 if key[0] == self.black else 2 * time].append(atom)
        variables: dict[int, int] = {}
        scopes = []
        for level, atoms in enumerate(levels):
            for atom in atoms:
                variables[atom] = len(variables) + 1
            quantifier = Quantifier.FORALL if level % 2 else Quantifier.EXISTS
            if atoms:
                scopes.append(Scope(quantifier, tuple(variables[a] for a in atoms)))
        return tuple(scopes), tuple(k for k, atoms in enumerate(levels) if atoms), variables

    def times(self, program: ClingoProgram, circuit: ProgramCircuit) -> dict[int, int]:
        """The time of each gate that is an atom with a time."""
        found: dict[int, int] = {}
        for atom, symbol in program.symbols.items():
            # The time is the last argument of all relations that can be more than facts.
            time = symbol.arguments[-1].number
            gate = abs(circuit.literal(atom))
            found[gate] = min(found.get(gate, self.rounds), time)
        return found

    def described(
        self,
        qbf: Qbf,
        domains: Domain,
        table: Mapping[str, Mapping[tuple[Any, ...], int]],
        free: Mapping[tuple[Any, ...], int],
        false: int,
        blocks: tuple[int, ...],
        times_of: Mapping[int, int],
    ) -> GdlEncoding:
        does, codes = table.get("does", {}), table.get("code", {})
        legal = table.get("legal", {})
        rounds = []
        for t in range(1, self.rounds + 1):
            moves = {
                role: {move: does.get((role, move, t), false) for move in domains[role, t]}
                for role in self.roles
            }
            bits = {
                role: tuple(
                    codes[role, str(bit), t]
                    for bit in range((len(domains[role, t]) - 1).bit_length())
                )
                for role in self.others
                if domains[role, t]
            }
            allowed = {
                role: {move: legal.get((role, move, t), false) for move in domains[role, t]}
                for role in self.roles
            }
            others = {role: moves[role] for role in self.others}
            own = {
                role: {m: free[role, m, t] for m in domains[role, t] if (role, m, t) in free}
                for role in self.others
            }
            rounds.append(RoundVariables(moves[self.black], bits, others, own, allowed))
        times = range(1, self.rounds + 2)
        fluents: list[dict[Ground, int]] = [{} for _ in times]
        for (fluent, t), literal in table.get("true", {}).items():
            fluents[t - 1][fluent] = literal
        won = tuple(table.get("won", {}).get((t,), false) for t in times)
        ended = tuple(table.get("terminated", {}).get((t,), false) for t in times)
        return GdlEncoding(
            qbf,
            self.description,
            self.black,
            self.variant,
            tuple(rounds),
            tuple(fluents),
            ended,
            won,
            blocks,
            times_of,
        )


def _variable_name(text: str) -> str:
    """A name that QCIR can have, unlike any other: ``does_xplayer_drop_3__5``.

    Letters and digits stay; the other characters are told apart by their numbers.
    """
    signs = {"(": "_", ",": "__", ")": "___", "_": "_u"}
    return "".join(
        c if c.isascii() and c.isalnum() else signs.get(c, f"_x{ord(c):x}_") for c in text
    ).rstrip("_")


# -- The temporal extension Ext(G) as a program for clingo -------------------------------------
#
# Definition 2 (after Thielscher 2009).  Relations that depend on ``true`` or ``does`` get the
# time as their last argument, ``next`` speaks of the time after, ``init`` of time 1.  Keywords keep
# their names; other relations are called ``t_name`` with the time and ``s_name`` without, so that
# no name can meet another.

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_]*", re.ASCII)

_TIMED: Final = frozenset({"legal", "goal", "terminal", "true", "does"})
_UNUSED: Final = frozenset({"base", "input"})


class Extension:
    """Ext(G) and the names in it; the description must be valid."""

    def __init__(self, description: Description) -> None:
        self.description = description
        graph = Dependencies(description.clauses)
        self._timed = graph.above({("true", 1), ("does", 2)})
        self._constants: dict[str, str] = {}

    @cached_property
    def text(self) -> str:
        """The rules; ``tdom`` and ``mtdom`` are to be added."""
        rules = (self.rule(clause) for clause in self.description.clauses)
        return "\n".join(rule for rule in rules if rule)

    def rule(self, clause: Clause) -> str:
        """A clause of the description as a rule; empty for a clause that no play needs."""
        head = clause.head
        if head.relation in _UNUSED and head.key == (head.relation, KEYWORDS[head.relation]):
            return ""
        body = [self.literal(literal) for literal in clause.body]
        if head.key == ("next", 1):
            text = f"true({self.term(head.arguments[0])},T+1)"
            body.append("mtdom(T)")
        elif head.key == ("init", 1):
            text = f"true({self.term(head.arguments[0])},1)"
        else:
            text = self.atom(head)
            if self.is_timed(head.key):
                body.append("tdom(T)")
        return f"{text} :- {', '.join(body)}." if body else f"{text}."

    def is_timed(self, key: Key) -> bool:
        """True if a relation depends on the time."""
        return key in self._timed or (key[0] in _TIMED and KEYWORDS.get(key[0]) == key[1])

    def literal(self, literal: GdlLiteral) -> str:
        """A condition; comparisons are clingo's own."""
        atom = literal.atom
        if isinstance(atom, Atom):
            return ("" if literal.positive else "not ") + self.atom(atom)
        sign = "!=" if literal.positive else "="
        return f"{self.term(atom.left)} {sign} {self.term(atom.right)}"

    def atom(self, atom: Atom) -> str:
        """An atom, at time ``T`` if it depends on the time."""
        timed = self.is_timed(atom.key)
        if KEYWORDS.get(atom.relation) == len(atom.arguments):
            name = atom.relation
        else:
            name = ("t_" if timed else "s_") + _name(atom.relation)
        arguments = [self.term(term) for term in atom.arguments] + ["T"] * timed
        return f"{name}({','.join(arguments)})" if arguments else name

    def term(self, term: Term) -> str:
        """A term; numbers stay numbers, what clingo could misread becomes a string."""
        if isinstance(term, Variable):
            return "V" + _name(term.name)
        if isinstance(term, tuple):
            functor = _functor(str(term[0]))
            return f"{functor}({','.join(map(self.term, term[1:]))})"
        if _NUMBER.fullmatch(term) or (_IDENTIFIER.fullmatch(term) and term != "not"):
            return term
        return '"' + term.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _functor(name: str) -> str:
    plain = _IDENTIFIER.fullmatch(name) and name != "not" and not name.startswith("f_")
    return name if plain else f"f_{_name(name)}"


def _name(name: str) -> str:
    """Letters, digits and underscores; other characters as their numbers between underscores."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


class Reader:
    """Terms of the description behind clingo's symbols; built from its own words."""

    def __init__(self, description: Description) -> None:
        words: dict[str, str] = {}
        for clause in description.clauses:
            for atom in (clause.head, *(x.atom for x in clause.body)):
                terms = atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right)
                for term in terms:
                    _collect(term, words)
        self._functors: Mapping[str, str] = words

    def ground(self, symbol: object) -> Ground:
        """The ground term of a ``clingo.Symbol``."""
        is_function = str(getattr(symbol, "type", "")).endswith("Function")
        arguments = getattr(symbol, "arguments", None) if is_function else None
        if arguments:
            name = str(getattr(symbol, "name", ""))
            return (self._functors.get(name, name), *map(self.ground, arguments))
        text = str(symbol)
        return _unquoted(text) if text.startswith('"') else text


def _unquoted(text: str) -> str:
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _collect(term: Term, words: dict[str, str]) -> None:
    if isinstance(term, tuple):
        words[_functor(str(term[0]))] = str(term[0])
        for part in term[1:]:
            _collect(part, words)


# GDL encodings as they are registered: formula, layout, and what follows from the moves


class Quantification(Enum):
    """The place of atoms in the prefix; the values are the paper's names."""

    NAIVE = "GN"
    TIME = "GT"
    DEPENDENCY = "GD"


def gdl_clauses(
    encoding: GdlEncoding,
    quantification: Quantification = Quantification.DEPENDENCY,
    *,
    also: Iterable[int] = (),
) -> ClausalForm:
    """The clauses of an encoding; its variables keep their numbers, gates too.

    Gates that no constraint needs are left out, except those in ``also``.
    """
    qbf = encoding.qbf
    constraints = _asserted(qbf)
    needed = _needed(qbf, (*also, *(abs(x) for clause in constraints for x in clause)))
    clauses = [
        tuple(clause)
        for number in qbf.gates
        if number in needed
        for clause in tseitin(number, qbf.gates[number])
    ]
    levels = _levels(encoding, quantification)
    blocks: dict[int, list[int]] = {}
    for scope, block in zip(qbf.scopes, encoding.blocks, strict=True):
        blocks.setdefault(block, []).extend(scope.variables)
    # The first block in which a value is fixed: a gate may stand in any block from there on, also
    # before gates that are its inputs.
    fixed = {v: block for block, numbers in blocks.items() for v in numbers}
    for number, gate in qbf.gates.items():
        inner = max((fixed[abs(x)] for x in gate.inputs), default=0)
        # A universal block is followed by an existential one.
        fixed[number] = inner + inner % 2
        if number in needed:
            blocks.setdefault(max(fixed[number], levels.get(number, 0)), []).append(number)
    scopes = tuple(
        Scope(Quantifier.FORALL if block % 2 else Quantifier.EXISTS, tuple(blocks[block]))
        for block in sorted(blocks)
    )
    prefix = Qbf(scopes, {}, qbf.output).merged_scopes()
    return ClausalForm(prefix, tuple(clauses) + tuple(constraints), qbf.max_variable)


def _levels(encoding: GdlEncoding, quantification: Quantification) -> dict[int, int]:
    """The block in which a gate stands at least.

    The definitions place the atoms of the ground program.  Gates that are no atoms are parts of
    rules: they stand last, as ``qasp2qbf`` has the variables that the translation to clauses adds.
    """
    last = 2 * len(encoding.rounds)
    if quantification is Quantification.NAIVE:
        found = dict.fromkeys(encoding.qbf.gates, last)
        # Moves of the others stand in the block of their round, rule (3) of Definition 6.
        for time, variables in enumerate(encoding.rounds, start=1):
            moves = (abs(x) for own in variables.others.values() for x in own.values())
            found.update(dict.fromkeys((x for x in moves if x in found), 2 * time))
        return found
    by_time = quantification is Quantification.TIME
    return {
        gate: (2 * encoding.times[gate] if by_time else 0) if gate in encoding.times else last
        for gate in encoding.qbf.gates
    }


def _asserted(qbf: Qbf) -> list[tuple[int, ...]]:
    """The clauses that say that the output is true, over variables and gates."""
    clauses: list[tuple[int, ...]] = []
    waiting = [qbf.output]
    while waiting:
        literal = waiting.pop()
        gate = qbf.gates.get(abs(literal))
        kind = None if gate is None else (gate.connective, literal > 0)
        if gate is not None and kind == (Connective.AND, True):
            waiting += gate.inputs
        elif gate is not None and kind == (Connective.OR, False):
            waiting += (-x for x in gate.inputs)
        elif gate is not None and kind == (Connective.OR, True):
            clauses.append(tuple(gate.inputs))
        elif gate is not None and kind == (Connective.AND, False):
            clauses.append(tuple(-x for x in gate.inputs))
        else:
            clauses.append((literal,))
    return list(dict.fromkeys(reversed(clauses)))


def _needed(qbf: Qbf, roots: Iterable[int]) -> set[int]:
    """The gates that the values of some literals depend on."""
    needed = {root for root in roots if root in qbf.gates}
    waiting = list(needed)
    while waiting:
        for literal in qbf.gates[waiting.pop()].inputs:
            if abs(literal) in qbf.gates and abs(literal) not in needed:
                needed.add(abs(literal))
                waiting.append(abs(literal))
    return needed


_NAMES: Final[Mapping[Variant, str]] = {Variant.GENERAL: "gdl", Variant.STRICT: "gdl-strict"}
_CLAUSAL: Final[Mapping[tuple[Variant, Quantification], str]] = {
    (Variant.GENERAL, Quantification.NAIVE): "gdl-gn",
    (Variant.GENERAL, Quantification.TIME): "gdl-gt",
    (Variant.GENERAL, Quantification.DEPENDENCY): "gdl-gd",
    (Variant.STRICT, Quantification.NAIVE): "gdl-sn",
    (Variant.STRICT, Quantification.TIME): "gdl-st",
    (Variant.STRICT, Quantification.DEPENDENCY): "gdl-sd",
}


@dataclass(frozen=True)
class GdlTables(Encoding):
    """An encoding with what it was made of: ``inner`` has the circuit."""

    inner: GdlEncoding = field(kw_only=True)


def clausal(
    encoding: GdlTables, quantification: Quantification = Quantification.DEPENDENCY
) -> GdlTables:
    """The same encoding with clauses for its formula, for solvers that read such.

    Variables and gates keep their numbers.  Gates that no constraint needs are left out, of the
    layout too, the constants apart.
    """
    inner = encoding.inner
    constant = [n for n, gate in inner.qbf.gates.items() if not gate.inputs]
    form = gdl_clauses(inner, quantification, also=constant)
    gates, output = clause_gates(form.clauses, form.max_variable + 1)
    qbf = Qbf(form.scopes, gates, output, inner.qbf.names)
    known = qbf.quantifiers()
    layout = replace(
        _layout(inner, lambda literal: literal if abs(literal) in known else 0),
        verdict=qbf.output,
        encoding=_CLAUSAL[inner.variant, quantification],
    )
    kept = [number for number in inner.qbf.gates if number in known]
    completions = {Player.BLACK: black_completion(inner, kept), Player.WHITE: nothing_else}
    return replace(encoding, qbf=qbf, layout=layout, completions=completions)


def tables(model: GdlModel, variant: Variant = Variant.GENERAL) -> GdlTables:
    """GE, rules (1) to (10), or SE, with rule (11).

    Raises as ``encode_gdl`` does, and ``NotTurnTakingError`` where a few random plays show that
    both roles have a choice (the formula would give White's moves the advantage to know Black's).
    """
    description = model.two_roles
    rounds_game(model).check_turns()
    inner = encode_gdl(description, model.rounds, black=model.role, win=model.win, variant=variant)
    return GdlTables(
        inner.qbf,
        _layout(inner, lambda literal: literal),
        model,
        {Player.BLACK: black_completion(inner, ()), Player.WHITE: nothing_else},
        partial(GdlInMind, inner),
        inner=inner,
    )


def _layout(inner: GdlEncoding, known: Callable[[int], int]) -> Layout:
    """The layout; ``known`` gives 0 for literals that the formula does not have."""
    moves: list[Ply] = []
    for number, variables in enumerate(inner.rounds):
        moves += _plies(inner, 2 * number + 1, variables, known)
    fluents = sorted({f for state in inner.fluents for f in state}, key=term_order)
    states: list[tuple[int, ...]] = []
    false = _false(inner.qbf)
    for state in inner.fluents:
        states += [tuple(known(state.get(f, false)) for f in fluents), ()]
    gates = {}
    for name, literals in (("ended", inner.ended), ("won", inner.won)):
        for time, literal in enumerate(literals):
            if known(literal):
                gates[f"{name} after {time}"] = known(literal)
    return Layout(
        tuple(moves),
        StateView(tuple(map(term_text, fluents)), tuple(states[:-1])),
        verdict=inner.qbf.output,
        gates=gates,
        encoding=_NAMES[inner.variant],
        game="gdl",
        illegal=IllegalMoves.REPLACED,
    )


def _plies(
    inner: GdlEncoding, ply: int, variables: RoundVariables, known: Callable[[int], int]
) -> list[Ply]:
    (white,) = variables.others
    return [
        listed(
            ply,
            Player.BLACK,
            tuple(map(term_text, variables.black)),
            literals=tuple(variables.black.values()),
            legal=tuple(map(known, variables.legal[inner.black].values())),
        ),
        listed(
            ply + 1,
            Player.WHITE,
            tuple(map(term_text, variables.others[white])),
            code=variables.codes.get(white, ())[::-1],
            legal=tuple(map(known, variables.legal[white].values())),
        ),
    ]


def _false(qbf: Qbf) -> int:
    """The literal of the constant false; 0 where the formula has no constant."""
    return next((-n for n, gate in qbf.gates.items() if not gate.inputs), 0)


ENCODERS: Final[Mapping[str, Callable[[GdlModel], Encoding]]] = {
    "gdl": tables,
    "gdl-strict": partial(tables, variant=Variant.STRICT),
    "gdl-gn": lambda model: clausal(tables(model), Quantification.NAIVE),
    "gdl-gt": lambda model: clausal(tables(model), Quantification.TIME),
    "gdl-gd": lambda model: clausal(tables(model), Quantification.DEPENDENCY),
    "gdl-sd": lambda model: clausal(tables(model, Variant.STRICT), Quantification.DEPENDENCY),
}


# -- What follows from a play: White's moves behind the codes, and all gates -------------------
#
# The general encoding lets a code name a move that is not legal, or none; Black's side then
# chooses a legal move for White (rules (3), (4) and (7) of the paper).  Here that choice is fixed:
# the first move of the table that is legal, as the formula's own gates say.


class GdlGates:
    """The gates of an encoding in a graph, round by round.

    ``literals`` maps the formula's variables to literals of the graph as far as they are known;
    :meth:`white` adds those of White's moves.
    """

    def __init__(
        self, encoding: GdlEncoding, builder: AigBuilder, literals: MutableMapping[int, int]
    ) -> None:
        self.encoding = encoding
        self.builder = builder
        self.literals = literals
        (self.role,) = encoding.rounds[0].others
        self._gates: Final[Mapping[int, Gate]] = encoding.qbf.gates

    def literal(self, formula: int) -> int:
        """The literal of a formula's literal all of whose variables are known."""
        self._build(abs(formula))
        return self.literals[abs(formula)] ^ (formula < 0)

    def _build(self, number: int) -> None:
        waiting = [number]
        while waiting:
            gate = waiting[-1]
            if gate in self.literals:
                waiting.pop()
                continue
            inputs = self._gates[gate].inputs
            missing = [abs(x) for x in inputs if abs(x) not in self.literals]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            known = [self.literals[abs(x)] ^ (x < 0) for x in inputs]
            conjunction = self._gates[gate].connective is Connective.AND
            build = self.builder.and_all if conjunction else self.builder.or_all
            self.literals[gate] = build(known)

    def white(self, time: int, named: Sequence[int]) -> list[int]:
        """White's move in round ``time`` (from 1): a literal for each move of the table.

        ``named`` has for each move the literal that the code names it.  No literal of the result
        is true once the play has ended.
        """
        builder, variables = self.builder, self.encoding.rounds[time - 1]
        legal = variables.legal[self.role]
        going = self.literal(-self.encoding.ended[time - 1])
        allowed = [builder.and_(going, self.literal(x)) for x in legal.values()]
        said = [builder.and_(a, b) for a, b in zip(named, allowed, strict=True)]
        free = builder.or_all(said) ^ 1
        made = []
        for literal, possible in zip(said, allowed, strict=True):
            made.append(builder.or_(literal, builder.and_(free, possible)))
            free = builder.and_(free, possible ^ 1)
        free_variables = variables.free[self.role]
        for move, value in zip(legal, made, strict=True):
            if move in free_variables:
                self.literals[free_variables[move]] = value
        return made


def black_completion(encoding: GdlEncoding, extra: Sequence[int]) -> Completion:
    """The completion for Black: the functions of White's moves and of the gates ``extra``."""

    def define(play: PlayLiterals) -> Mapping[int, int]:
        literals = dict(play.literals)
        completion = GdlGates(encoding, play.builder, literals)
        for time in range(1, len(encoding.rounds) + 1):
            completion.white(time, play.plies[2 * time - 1].made)
        return everything_else(completion, extra)

    return define


def everything_else(completion: GdlGates, extra: Sequence[int]) -> dict[int, int]:
    """White's moves and the gates ``extra``, after the last round."""
    encoding = completion.encoding
    moves = [v for one in encoding.rounds for v in one.free[completion.role].values()]
    found = {v: completion.literals[v] for v in moves}
    found.update((gate, completion.literal(gate)) for gate in extra)
    return found


class GdlInMind(ReferencePlay):
    """A game in GDL: the formula's own gates say what is legal and when the play has ended."""

    def __init__(self, encoding: GdlEncoding, builder: AigBuilder, hero: Player) -> None:
        self._known: dict[int, int] = {}
        self._variables = frozenset(encoding.qbf.levels())
        self._inner = encoding
        self._gates = GdlGates(encoding, builder, self._known)

    def over(self, ply: Ply) -> int | None:
        return self._gates.literal(self._inner.ended[(ply.ply - 1) // 2])

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        return self._gates.white(ply.ply // 2, made)

    def decides(self, variable: int) -> bool:
        return variable in self._variables

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        self._known.update((v, x) for v, x in known.items() if v in self._variables)
