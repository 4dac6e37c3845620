"""The options that several commands have, one by one and in groups."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

from qsage_validate.cli.parameters import OptionGroup, argument, flag, option
from qsage_validate.errors import UsageError
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qsage_validate.circuit.qbf import PrenexOrder
    from qsage_validate.kernel.certificate import Dialect
    from qsage_validate.problems.load import Files


class Prenex(str, Enum):
    """Where the quantifiers of quantifier gates go."""

    UP = "up"
    DOWN = "down"


JsonOption = Annotated[
    bool, flag("Print one JSON object on standard output.", "--json", panel="Output")
]
DialectOption = Annotated[
    str | None,
    option(
        "How the certificate is to be read, if not as recognised: caqe, outer, pedant, qaiger, "
        "qbfcert-ascii or qbfcert-binary.",
        "NAME",
        panel="Files",
        complete="dialects",
    ),
]
PrenexOption = Annotated[
    Prenex | None,
    option(
        "Where quantifier gates (QCIR) go in the prefix: up, as far out as they can, or down; "
        "by default what gives fewer scopes.",
        panel="Files",
    ),
]


def _be_strict(strict: bool) -> bool:
    if strict:
        from qsage_validate.formats.policy import be_strict

        be_strict()
    return strict


StrictOption = Annotated[
    bool,
    flag(
        "Refuse a QDIMACS file whose header has wrong numbers, which is read with a warning.",
        panel="Files",
        callback=_be_strict,
    ),
]
MetaOption = Annotated[
    str | None, option("Q-sage's meta file; else the one beside FORMULA.", "FILE", panel="Files")
]
AssertOption = Annotated[
    tuple[str, ...],
    option(
        "What must hold in every play: clauses (DIMACS) over variables and gates, or lines "
        "like 'always not (black b2 and white b2)'. May be repeated.",
        "FILE",
        "--assert",
        panel="Files",
    ),
]
EncodingOption = Annotated[
    str | None,
    option(
        "The encoding of a game (see 'qsage games --encodings').",
        "NAME",
        panel="Game",
        complete="encodings",
    ),
]
PrepareOption = Annotated[
    bool,
    flag(
        "Leave out first what cannot matter in a positional game: positions, winning sets, "
        "first moves.",
        panel="Game",
    ),
]
TimeoutOption = Annotated[
    float | None,
    option("Give up after so many seconds.", "SECONDS", min=0, panel="Limits"),
]


@dataclass(frozen=True)
class FormulaOptions(OptionGroup):
    """How a formula without a certificate is read."""

    meta: MetaOption = None
    prenex: PrenexOption = None
    strict: StrictOption = False


@dataclass(frozen=True)
class CertOptions(OptionGroup):
    """The certificate of a formula: behind it, or by ``--cert``."""

    behind: str | None = argument(
        "The certificate, as by --cert.", "CERT", default=None, complete="files"
    )
    cert: str | None = option("The certificate.", "FILE", panel="Files")

    @property
    def path(self) -> str | None:
        """The certificate's file; raises ``UsageError`` when two were named."""
        if self.behind is not None and self.cert is not None:
            from qsage_validate.formats.source import label

            raise UsageError(
                f"found {label(self.behind)} with --cert {label(self.cert)}, expected one of them"
            )
        return self.behind or self.cert


def names_rules(words: Sequence[str]) -> bool:
    """True if the words behind a formula are its game's, and no certificate's file comes first."""
    from qsage_validate.games.languages import language_of
    from qsage_validate.games.registry import is_game_name
    from qsage_validate.judging.python_rules import names_python_rules

    if names_python_rules(words):
        return True
    first = words[0]
    return language_of(first) is not None if os.path.isfile(first) else is_game_name(first)


@dataclass(frozen=True)
class DialectOptions(OptionGroup):
    """How a certificate and its formula are read."""

    dialect: DialectOption = None
    prenex: PrenexOption = None
    strict: StrictOption = False


@dataclass(frozen=True)
class RulesOptions(OptionGroup):
    """The game of a formula: a meta file, or rules by files or by name."""

    panel = "Game"

    meta: MetaOption = None
    game: tuple[str, str] | None = option("The rules (BDDL) to compare with.", "DOMAIN PROBLEM")
    model: str | None = option(
        "The rules by name and options, 'httt --size 4x4 --depth 5', or one file: PG, GDL.",
        "'MODEL'",
    )

    @property
    def paths(self) -> tuple[str | None, ...]:
        """The files that are read; ``None`` for one that was not named."""
        return (self.meta, *(self.game or ()))

    def words(self) -> tuple[str, ...]:
        """The words of ``--game`` or ``--model``; raises ``UsageError`` when both were given."""
        if self.game is not None and self.model is not None:
            raise UsageError("found --game with --model, expected one of them")
        if self.model is None:
            return self.game or ()
        try:
            return tuple(shlex.split(self.model))
        except ValueError as error:
            raise UsageError(f"found {self.model!r} for --model: {error}, expected words") from None

    def files(self, formula: str | None, cert: str | None, read: DialectOptions) -> Files:
        """These rules with a formula and its certificate; raises ``UsageError``."""
        from qsage_validate.problems.load import Files

        words, dialect = self.words(), parse_dialect(read.dialect)
        prenex = prenex_order(read.prenex)
        return Files(formula, cert, self.meta, words, dialect, prenex=prenex)


@dataclass(frozen=True)
class LimitOptions(OptionGroup):
    """The limits of solvers and searches."""

    panel = "Limits"

    timeout: TimeoutOption = None
    memory: int | None = option(
        "Memory of each program, and of the table of a search.", "MB", min=1
    )

    def begin(self) -> Limits:
        """These limits; the time begins now."""
        return Limits(Deadline.after(self.timeout), self.memory)


def prenex_order(option: Prenex | None) -> PrenexOrder | None:
    from qsage_validate.circuit.qbf import PrenexOrder

    return None if option is None else PrenexOrder(option.value)


def parse_dialect(name: str | None, option: str = "--dialect") -> Dialect | None:
    """The dialect named by ``option``; raises ``UsageError`` with the names that there are."""
    if name is None:
        return None
    from qsage_validate.certificates.reader import dialect_named

    return dialect_named(name, option)
