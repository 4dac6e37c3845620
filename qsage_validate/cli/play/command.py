"""``qsage play`` (``qsage-play``): play against a certificate, by hand, by script, at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from qsage_validate.cli.option_groups import OptionGroup, takes_groups
from qsage_validate.cli.options import DialectOptions, JsonOption, RulesOptions
from qsage_validate.cli.play.certified import GameOptions, certified, solved, uncertified
from qsage_validate.cli.play.heaps import HeapOptions, impartial_game, play_heaps
from qsage_validate.cli.play.modes import PlayOptions, play_problem
from qsage_validate.errors import Exit, UsageError

if TYPE_CHECKING:
    from qsage_validate.problems.files import Files

_PANEL = "How the certificate is asked"
_SOLVING = "Playing against a solver"


class Status(str, Enum):
    """The value of a formula."""

    TRUE = "true"
    FALSE = "false"


@dataclass(frozen=True)
class CertificateOptions(OptionGroup):
    """How the certificate is asked, and what of the formula is shown."""

    sat: Annotated[
        bool,
        typer.Option("--sat", help="Ask by SAT solver only.", rich_help_panel=_PANEL),
    ] = False
    simulation: Annotated[
        bool,
        typer.Option(
            "--simulation", help="Ask by evaluating the circuit only.", rich_help_panel=_PANEL
        ),
    ] = False
    bare: Annotated[
        bool,
        typer.Option("--bare", help="Play the formula's blocks, not the board of its layout."),
    ] = False
    peeking: Annotated[
        bool,
        typer.Option(
            "--peeking",
            help="Play a wrong certificate too, whose functions look to their right: they read "
            "false for what is not chosen yet.",
            rich_help_panel=_PANEL,
        ),
    ] = False

    def check(self) -> None:
        """Raise ``UsageError`` when both ways to ask were wanted."""
        if self.sat and self.simulation:
            raise UsageError("found --sat with --simulation, expected one of them")

    def of(self, files: Files) -> Files:
        """``files``, to be played as these options say."""
        from qsage_validate.certificates.oracles.choose import OracleKind

        kind = OracleKind.AUTO
        if self.sat or self.simulation:
            kind = OracleKind.SAT if self.sat else OracleKind.SIMULATION
        return replace(files, engine=kind, as_blocks=self.bare, unchecked_dependencies=self.peeking)


@dataclass(frozen=True)
class SolvingOptions(OptionGroup):
    """A solver that answers in the place of a certificate, or of what it lacks."""

    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|auto",
            help="Let a QBF solver answer what no certificate does (see 'qsage info --solvers'); "
            "auto: several at once. Without --cert it answers everything.",
            rich_help_panel=_SOLVING,
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="At most so long for each reply.",
            rich_help_panel=_SOLVING,
        ),
    ] = None
    status: Annotated[
        Status | None,
        typer.Option(
            help="The formula's value, where it is known; else it is found out first.",
            rich_help_panel=_SOLVING,
        ),
    ] = None
    blocks: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Use the certificate for its first N blocks only.",
            rich_help_panel=_SOLVING,
        ),
    ] = None

    def of(self, files: Files) -> Files:
        """``files``, played against the solver; raises ``UsageError`` without one."""
        given = {"--timeout": self.timeout, "--status": self.status, "--blocks": self.blocks}
        for option, value in given.items():
            if self.solver is None and value is not None:
                raise UsageError(f"found {option} without --solver, expected a solver that answers")
        status = None if self.status is None else self.status is Status.TRUE
        return replace(
            files, solver=self.solver, seconds=self.timeout, status=status, blocks=self.blocks
        )


@takes_groups
def command(
    *,
    formula: Annotated[
        str | None,
        typer.Argument(
            metavar="FORMULA|GAME",
            help="QCIR or QDIMACS; a clause certificate (Pedant) plays without one. Or a game, "
            "which is certified first: a PG, .hex or GDL file, or a name (see 'qsage games'); or "
            "an impartial game: its file or its name (take-away-3).",
        ),
    ] = None,
    cert: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The certificate; else the one beside FORMULA."),
    ] = None,
    rules: RulesOptions,
    read: DialectOptions,
    play: PlayOptions,
    certificate: CertificateOptions,
    solving: SolvingOptions,
    heaps: HeapOptions,
    game: GameOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Play against a certificate, which answers as the winning strategy that it is.

    Against a Skolem certificate you are White, against a Herbrand certificate Black. Board and
    replies come from the certificate; where the rules are known (from the formula itself or
    --game) every step is compared with them.

    A game without a certificate (--model 'harary --size 3x3', or a file with --depth) is searched,
    and the winner's certificate made and proved before the play begins.

    With --solver no certificate is needed: at each of its turns the solver is asked for the
    outermost block of what is left of the formula. Nothing is proved by such a play; a reply that
    contradicts the formula's value is a finding.

    An impartial game is played against winning rules, which play Black: a move is written
    take(2), and every reply is compared with the rules of the game and backward induction.

    Exit code 0: the play ended as promised, or was left; 1: something was found, or the
    promised win did not come; 2: bad input; 3: the moves ended before the play did.
    """
    certificate.check()
    play.check(json_output)
    impartial = impartial_game(formula)
    if impartial is not None:
        _check_impartial(cert, rules, read, certificate, solving)
        return play_heaps(impartial, str(formula), heaps, play, json_output)
    for option in heaps.given():
        raise UsageError(f"found {option}, but {formula or 'nothing'} is no impartial game")
    if play.white == "all":
        raise UsageError("found --white all, expected --white random: that is no impartial game")
    files = solving.of(certificate.of(rules.files(formula, cert, read)))
    if "-" in (formula, cert, rules.meta):
        raise UsageError("a play needs its files by name, not '-'")
    model = uncertified(formula, cert, files.game, game)
    if model is not None:
        ready = solved if solving.solver is not None else certified
        return play_problem(ready(model, game.encoding, files), play, json_output)
    from qsage_validate.problems.files import sorted_out
    from qsage_validate.problems.load import load

    files = files if solving.solver is not None else sorted_out(files)
    return play_problem(load(files), play, json_output)


def _check_impartial(
    cert: str | None,
    rules: RulesOptions,
    read: DialectOptions,
    certificate: CertificateOptions,
    solving: SolvingOptions,
) -> None:
    """Raise ``UsageError`` for options of formulas and certificates."""
    given = {
        "--cert": cert is not None,
        "--meta": rules.meta is not None,
        "--game or --model": rules.game is not None or rules.model is not None,
        "--dialect": read.dialect is not None,
        "--sat or --simulation": certificate.sat or certificate.simulation,
        "--bare or --peeking": certificate.bare or certificate.peeking,
        "--solver": solving.solver is not None,
    }
    for option, wrong in given.items():
        if wrong:
            raise UsageError(f"found {option} with an impartial game, which has no certificate")
