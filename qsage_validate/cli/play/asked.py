"""What a person asks for on the command line of ``qsage play``: the game, and who answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    AssertOption,
    CertOptions,
    DialectOptions,
    RulesOptions,
    names_rules,
)
from qsage_validate.cli.parameters import OptionGroup, flag, option
from qsage_validate.cli.play.play_options import PlayOptions

if TYPE_CHECKING:
    from qsage_validate.problems.load import Files

SEARCH: Final = "search"
_ASKING: Final = "How the certificate is asked"
_SOLVING: Final = "Playing against a solver"
_HEAPS: Final = "Impartial games"
_GAMES: Final = "Games without a formula"


class FormulaStatus(str, Enum):
    """The value of a formula."""

    TRUE = "true"
    FALSE = "false"


class GameSide(str, Enum):
    """A side of a game."""

    BLACK = "black"
    WHITE = "white"


@dataclass(frozen=True)
class CertificateOptions(OptionGroup):
    """Options for reading the certificate and for showing the formula."""

    sat: bool = flag("Ask by SAT solver only.", panel=_ASKING)
    simulation: bool = flag("Ask by evaluating the circuit only.", panel=_ASKING)
    bare: bool = flag("Play the formula's blocks, not the board of its layout.")
    peeking: bool = flag(
        "Play a wrong certificate too, whose functions look to their right: they read "
        "false for what is not chosen yet.",
        panel=_ASKING,
    )


@dataclass(frozen=True)
class SolvingOptions(OptionGroup):
    """A solver that answers in the place of a certificate, or of what it lacks."""

    panel = _SOLVING

    solver: str | None = option(
        "Let a QBF solver answer what no certificate does (see 'qsage info --solvers'); "
        "auto: several at once. Without --cert it answers everything. A game is played against "
        "the search unless a solver is named.",
        "NAME|auto",
        complete="solvers",
    )
    timeout: float | None = option("At most so long for each reply.", "SECONDS", min=0)
    status: FormulaStatus | None = option(
        "The formula's value, where it is known; else it is found out first."
    )
    blocks: int | None = option("Use the certificate for its first N blocks only.", "N", min=1)


@dataclass(frozen=True)
class HeapOptions(OptionGroup):
    """The options that are about impartial games."""

    panel = _HEAPS

    rules: str | None = option(
        "The rules to play against: lines 'CONDITION -> ACTION(E, ...)', or what qsage "
        "synthesize -o has written. Else they are synthesised.",
        "FILE",
    )
    state: str | None = option("The state to begin in; else one is drawn by --seed.", "'V=N …'")
    begins: str | None = option(
        "Who begins; the rules play Black. Else whoever lets the rules win.", "black|white"
    )
    misere: bool = flag("Whoever makes the last move loses.")
    bound: int | None = option(
        "The largest value of a variable in states that are drawn or tried (20).", "N", min=0
    )


@dataclass(frozen=True)
class GameOptions(OptionGroup):
    """Options for a game without a formula."""

    panel = _GAMES

    side: GameSide | None = option("Which side the search plays; else the one that wins.")
    certify: bool = flag("Make and prove the winner's certificate first, and play against that.")
    encoding: str | None = option(
        "The encoding of the formula that is certified, or given to --solver.", "NAME"
    )
    solution: str | None = option(
        "Play against a solution file ('qsage solve --solution'), in the place of a game.", "FILE"
    )
    strategy: str | None = option(
        "Play against a strategy's file, in the place of a game (see 'qsage help hex-strategies').",
        "FILE",
    )


@dataclass(frozen=True, kw_only=True)
class Asked(OptionGroup):
    """The play that is asked for."""

    subject: ModelArguments = model_words(
        optional_words="QCIR or QDIMACS, and its certificate; a clause certificate (Pedant) plays "
        "alone. Or a game, played against a search: two BDDL files, a PG, .hex or GDL file, or a "
        "name (see 'qsage games'); or an impartial game: its file or its name (take-away-3); or a "
        "sample (sample:hex). Without one it is sample:tic."
    )
    cert: str | None = option("The certificate; else the one beside FORMULA.", "FILE")
    rules: RulesOptions
    read: DialectOptions
    assertions: AssertOption = ()
    play: PlayOptions
    certificate: CertificateOptions
    solving: SolvingOptions
    heaps: HeapOptions
    game: GameOptions

    @property
    def named(self) -> bool:
        """Whether anything is named that can be played."""
        named = (*self.subject.words, *self.subject.flags, *self.game.given_options(), self.cert)
        return any((*named, self.rules.model, *self.rules.paths))

    @property
    def formula(self) -> str | None:
        """The only word about what is played, which may be a formula's file."""
        return self.subject.words[0] if len(self.subject.words) == 1 else None

    def given(self) -> Iterator[str]:
        """The options about who answers that were given, by their names."""
        if self.cert is not None:
            yield "--cert"
        if self.assertions:
            yield "--assert"
        if self.play.explain:
            yield "--explain"
        groups = (self.rules, self.read, self.certificate, self.solving, self.heaps, self.game)
        for group in groups:
            yield from group.given_options()

    def taken_apart(self) -> tuple[Asked, tuple[str, ...]]:
        """This with the certificate from behind the formula, and the words of a game there.

        Two files of which the first is no formula are those of a game.
        """
        subject = self.subject
        if len(subject.words) < 2 or not os.path.isfile(subject.words[0]):
            return self, ()
        from qsage_validate.formats.source import FORMULAS, sniff

        formula, *behind = subject.words
        if sniff(formula) not in FORMULAS:
            return self, ()
        cert = self.cert
        if not names_rules(behind):
            cert = CertOptions(behind.pop(0), cert).path
        game = (*behind, *subject.flags) if behind else ()
        options = {} if behind else subject.options
        words = replace(subject, words=(formula,), options=options)
        return replace(self, subject=words, cert=cert), game

    def files(self) -> Files:
        """The files of the formula, and how they are played; raises ``UsageError``."""
        from qsage_validate.certificates.choose_oracle import OracleKind

        by, solving = self.certificate, self.solving
        kind = OracleKind.SAT if by.sat else OracleKind.SIMULATION
        return replace(
            self.rules.files(self.formula, self.cert, self.read),
            engine=kind if by.sat or by.simulation else OracleKind.AUTO,
            as_blocks=by.bare,
            unchecked_dependencies=by.peeking,
            solver=None if solving.solver == SEARCH else solving.solver,
            seconds=solving.timeout,
            status=None if solving.status is None else solving.status is FormulaStatus.TRUE,
            blocks=solving.blocks,
            assertions=self.assertions,
            sets=not self.play.explain,
        )
