"""One role against all the others together: a game of one or more roles as a game of two.

A single-player game becomes one against a role that can only wait: reachability.  For more roles
there is the paranoid assumption (He, Saffidine and Thielscher 2024, section 5; Saito and Winands
2010): all other roles play together against one.  The description is rewritten: its own ``role``,
``legal``, ``does`` and ``goal`` get other names, and two new roles move in their place, one as the
role that is asked about, the other with joint moves ``(together M N ...)``.  So whatever takes a
game of two roles takes these, and a state has the same fluents as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import ClassVar, Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.gdl.model import (
    Atom,
    Description,
    Distinct,
    Formula,
    GdlAnd,
    GdlNot,
    GdlOr,
    GdlRule,
    Ground,
    Term,
    Variable,
    check_description,
    role_names,
    term_text,
)
from qsage_validate.formats.source import quoted

NOBODY: Final = "nobody"
"""The other role of a single-player game."""

WAIT: Final = "wait"
"""The one move of that role."""

JOINT: Final = "together"
"""The functor of a joint move; its arguments are the moves of the other roles in their order."""

OTHERS: Final = "others"
"""The role that makes joint moves."""

_RENAMED: Final = ("role", "legal", "does", "goal", "base", "input")


def against_all(description: Description, role: str | None = None) -> Description:
    """The game of ``role`` (default: the first) against all others; two roles stay as they are.

    One role alone plays against nobody, who waits.

    Raises ``InputError`` for a description that is not valid, and ``UsageError`` for a role that
    there is not.
    """
    check_description(description)
    roles = role_names(description)
    wanted = term_text(roles[0]) if role is None else role
    black = next((r for r in roles if term_text(r).lower() == wanted.lower()), None)
    if black is None:
        *names, last = map(term_text, roles)
        choices = f"{', '.join(names)} or {last}" if names else last
        raise UsageError(f"found the role {quoted(wanted)}, expected {choices}")
    if len(roles) == 2:
        return description
    return _Rewriter(description, black, [r for r in roles if r != black]).description()


class _Rewriter:
    def __init__(self, description: Description, black: Ground, others: list[Ground]) -> None:
        self.given = description
        self.black = black
        self.others = others
        words = {word for rule in description.rules for word in _words(rule)}
        self.names = {name: _fresh(f"{name}_of_all", words) for name in _RENAMED}
        self.joint = _fresh(JOINT if others else WAIT, words)
        self.together = _fresh(OTHERS if others else NOBODY, words)

    def description(self) -> Description:
        rules = (*map(self.rule, self.given.rules), *self.added())
        return Description(rules, self.given.source)

    def rule(self, rule: GdlRule) -> GdlRule:
        return GdlRule(self.atom(rule.head), tuple(map(self.formula, rule.body)), rule.offset)

    def atom(self, atom: Atom) -> Atom:
        return Atom(self.names.get(atom.relation, atom.relation), atom.arguments, atom.offset)

    def formula(self, formula: Formula) -> Formula:
        match formula:
            case Atom():
                return self.atom(formula)
            case GdlNot(part):
                return GdlNot(self.formula(part), formula.offset)
            case GdlAnd(parts):
                return GdlAnd(tuple(map(self.formula, parts)), formula.offset)
            case GdlOr(parts):
                return GdlOr(tuple(map(self.formula, parts)), formula.offset)
        return formula

    def added(self) -> list[GdlRule]:
        """The two roles, what they may do, and what that means."""
        moves = tuple(Variable(f"m{number}") for number in range(1, len(self.others) + 1))
        joint: Term = (self.joint, *moves) if moves else self.joint
        move, value = Variable("m"), Variable("v")
        others = self.together
        legal, does, goal = (self.names[name] for name in ("legal", "does", "goal"))
        allowed = tuple(Atom(legal, (role, m)) for role, m in zip(self.others, moves, strict=True))
        joined = Atom("does", (others, joint))
        rules = [
            GdlRule(Atom("role", (self.black,))),
            GdlRule(Atom("role", (others,))),
            GdlRule(Atom("legal", (self.black, move)), (Atom(legal, (self.black, move)),)),
            GdlRule(Atom("legal", (others, joint)), allowed),
            GdlRule(Atom(does, (self.black, move)), (Atom("does", (self.black, move)),)),
            GdlRule(Atom("goal", (self.black, value)), (Atom(goal, (self.black, value)),)),
        ]
        rules += [
            GdlRule(Atom(does, (role, m)), (joined,))
            for role, m in zip(self.others, moves, strict=True)
        ]
        offset = self.given.rules[0].offset
        return [GdlRule(rule.head, rule.body, offset) for rule in rules]


def _fresh(name: str, words: set[str]) -> str:
    while name in words:
        name += "_"
    return name


def _words(rule: GdlRule) -> list[str]:
    """The relations, functors and constants of a rule, in lower case."""
    found: list[str] = []
    waiting: list[object] = [rule.head, *rule.body]
    while waiting:
        match waiting.pop():
            case Atom(relation, arguments):
                found.append(relation.lower())
                waiting += arguments
            case Distinct(left, right):
                waiting += (left, right)
            case GdlNot(part):
                waiting.append(part)
            case GdlAnd(parts) | GdlOr(parts):
                waiting += parts
            case tuple(parts):
                waiting += parts
            case str(word):
                found.append(word.lower())
    return found


@dataclass(frozen=True)
class GdlModel:
    """A description with the question that is asked of it.

    ``rounds`` is the bound, ``role`` the role of Black (``None``: the first role), ``win`` the
    smallest goal that counts as a win (Definition 5 of He, Saffidine and Thielscher 2024).
    """

    language: ClassVar[str] = "gdl"

    description: Description
    rounds: int
    role: str | None = None
    win: int = 100

    @property
    def name(self) -> str:
        """The game's name, for people."""
        return self.description.name

    @property
    def in_words(self) -> str:
        return "game in GDL"

    @property
    def squares(self) -> int:
        """None: a description has no squares."""
        return 0

    @property
    def question(self) -> Mapping[str, object]:
        """The role that Black is, where it is named, and another goal than 100 that wins."""
        role: dict[str, object] = {} if self.role is None else {"role": self.role}
        return role | ({} if self.win == 100 else {"win": self.win})

    @property
    def depth(self) -> int:
        return self.rounds

    @property
    def plies(self) -> int:
        """Two a round, Black's part and White's."""
        return 2 * self.rounds

    def at_depth(self, depth: int) -> GdlModel:
        return replace(self, rounds=depth)

    def parts(self) -> dict[str, str]:
        """The name, the question and the description."""
        parts = {"name": self.name, "rounds": str(self.rounds), "win": str(self.win)}
        parts |= {} if self.role is None else {"role": self.role}
        return parts | {"gdl": self.description.text().rstrip("\n")}

    def fingerprint(self) -> str:
        """The digest of the description, the role and the goal that wins."""
        text = f"{self.description.text()}{self.role} {self.win}"
        return sha256(text.encode()).hexdigest()

    @cached_property
    def two_roles(self) -> Description:
        """The description of the role's game against all the others together.

        With two roles it is the description itself.  Raises ``InputError`` for one that is not
        valid.
        """
        return against_all(self.description, self.role)
