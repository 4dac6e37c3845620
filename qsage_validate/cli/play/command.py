"""``qsage play`` (``qsage-play``): play against a certificate, by hand, by script, at random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from qsage_validate.cli.option_groups import OptionGroup, takes_groups
from qsage_validate.cli.options import DialectOptions, JsonOption, RulesOptions
from qsage_validate.cli.play.certified import GameOptions, certified, uncertified
from qsage_validate.cli.play.heaps import HeapOptions, impartial_game, play_heaps
from qsage_validate.cli.play.modes import PlayOptions, play_problem
from qsage_validate.errors import Exit, UsageError

if TYPE_CHECKING:
    from qsage_validate.problems.files import Files

_PANEL = "How the certificate is asked"


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

    An impartial game is played against winning rules, which play Black: a move is written
    take(2), and every reply is compared with the rules of the game and backward induction.

    Exit code 0: the play ended as promised, or was left; 1: something was found, or the
    promised win did not come; 2: bad input; 3: the moves ended before the play did.
    """
    certificate.check()
    play.check(json_output)
    impartial = impartial_game(formula)
    if impartial is not None:
        _check_impartial(cert, rules, read, certificate)
        return play_heaps(impartial, str(formula), heaps, play, json_output)
    for option in heaps.given():
        raise UsageError(f"found {option}, but {formula or 'nothing'} is no impartial game")
    if play.white == "all":
        raise UsageError("found --white all, expected --white random: that is no impartial game")
    files = certificate.of(rules.files(formula, cert, read))
    if "-" in (formula, cert, rules.meta):
        raise UsageError("a play needs its files by name, not '-'")
    model = uncertified(formula, cert, files.game, game)
    if model is not None:
        return play_problem(certified(model, game.encoding, files), play, json_output)
    from qsage_validate.problems.files import sorted_out
    from qsage_validate.problems.load import load

    return play_problem(load(sorted_out(files)), play, json_output)


def _check_impartial(
    cert: str | None,
    rules: RulesOptions,
    read: DialectOptions,
    certificate: CertificateOptions,
) -> None:
    """Raise ``UsageError`` for options of formulas and certificates."""
    given = {
        "--cert": cert is not None,
        "--meta": rules.meta is not None,
        "--game or --model": rules.game is not None or rules.model is not None,
        "--dialect": read.dialect is not None,
        "--sat or --simulation": certificate.sat or certificate.simulation,
        "--bare or --peeking": certificate.bare or certificate.peeking,
    }
    for option, wrong in given.items():
        if wrong:
            raise UsageError(f"found {option} with an impartial game, which has no certificate")
