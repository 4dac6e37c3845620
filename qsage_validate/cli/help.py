"""What there is: ``qsage help``, ``qsage games``, and a tour of the commands, ``qsage demo``."""

from __future__ import annotations

import os
import shlex
import sys
from importlib.util import find_spec
from typing import Final, NamedTuple

import click

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json
from qsage_validate.cli.options import JsonOption
from qsage_validate.cli.parameters import argument, flag
from qsage_validate.errors import Exit, MissingExtraError, UsageError, did_you_mean
from qsage_validate.games.family import families
from qsage_validate.games.library.template import (
    Flag,
    LibraryGame,
    SquareName,
    TemplateOption,
    option_values,
)
from qsage_validate.games.model_text import kind_of, languages
from qsage_validate.system.programs import marked_folder

# ``qsage help``: the pages of the documents, which travel with the package


_KINDS = ("tutorials", "how-to", "explanation", "reference", "results")


def pages() -> dict[str, str]:
    """The files of the pages by their topics, those of one kind side by side.

    An installed package has them in a folder of its own, a checkout in ``docs``.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.join(package, "docs")
    if not os.path.isdir(folder):
        folder = os.path.join(os.path.dirname(package), "docs")
    found: dict[str, str] = {}
    for kind in _KINDS:
        inside = os.path.join(folder, kind)
        for name in sorted(os.listdir(inside) if os.path.isdir(inside) else ()):
            topic, ending = os.path.splitext(name)
            # Sphinx fills some pages: their content is in 'qsage COMMAND --help'.
            if ending == ".md" and topic not in ("index", "commands", "keys", "python"):
                key = f"{kind}/{topic}" if topic in found else topic
                found[key] = os.path.join(inside, name)
    return found


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _topics(incomplete: str) -> list[str]:
    return [topic for topic in pages() if topic.startswith(incomplete)]


@subcommand("qsage help", "qsage help solving")
def command(
    topic: str | None = argument(
        "A page, or else a command; the list of pages if left out.",
        "TOPIC",
        default=None,
        complete=_topics,
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Show a page of the documents, or the list of them.

    Pages are written in Markdown, and messages name them. The options of a command are in
    'qsage COMMAND --help', which is shown where no page has its name.
    """
    known = pages()
    if topic is None:
        titles = {name: _read(path).partition("\n")[0].lstrip("# ") for name, path in known.items()}
        if json_output:
            emit_json({"topics": titles})
        else:
            width = max(map(len, titles), default=0)
            emit("\n".join(f"{name:{width}}  {title}" for name, title in titles.items()))
        return Exit.FINE
    path = known.get(topic.removesuffix(".md"))
    if path is None:
        program = click.get_current_context().find_root()
        asked = program.command.get_command(program, topic)  # type: ignore[attr-defined]
        if asked is not None and not json_output:
            asked.make_context(topic, ["--help"], parent=program)
        near = did_you_mean(topic, known)
        raise UsageError(f"found the unknown topic {topic!r}{near}, expected one of 'qsage help'")
    if json_output:
        emit_json({"topic": topic, "text": _read(path)})
    else:
        emit(_read(path).rstrip("\n"))
    return Exit.FINE


# ``qsage games``: the games that have a name, and their options


@subcommand(
    "qsage games",
    "qsage games httt",
)
def games_command(
    name: str | None = argument(
        "One game; all of them if left out.", "GAME", default=None, complete="games"
    ),
    encodings: bool = flag("List instead the encodings of each kind of game."),
    json_output: JsonOption = False,
) -> Exit:
    """List the games by name with their options; or the encodings.

    Impartial games come last; they are for 'qsage synthesize' and 'qsage play'.
    """
    from qsage_validate.games.library.catalogue import library_games
    from qsage_validate.games.registry import find_game

    if encodings:
        if name is not None:
            raise UsageError(f"found {name} with --encodings, expected one of them")
        return _tell_encodings(json_output)
    chosen = library_games() if name is None else (find_game(name),)
    listed = {
        own: [] if name is not None else [(game.name, game.help) for game in own.family.listed()]
        for own in families()
    }
    if json_output:
        rows = {
            own.name: [{"name": each, "help": text} for each, text in games]
            for own, games in listed.items()
        }
        emit_json({"games": [_as_json(game) for game in chosen], **rows})
        return Exit.FINE
    texts = [_as_text(game) for game in chosen]
    for own, games in listed.items():
        if games:
            width = max(len(each) for each, _ in games)
            lines = [f"  {each:{width}}  {text}" for each, text in games]
            texts.append("\n".join([own.about, *lines, f"  {own.more}"]))
    emit("\n\n".join(texts))
    return Exit.FINE


def _tell_encodings(json_output: bool) -> Exit:
    from qsage_validate.encodings.registry import encoders

    known = {own.kind: encoders(language) for language, own in languages().items()}
    if json_output:
        emit_json({"encodings": known})
        return Exit.FINE
    texts = []
    for kind, names in known.items():
        width = max(map(len, names), default=0)
        lines = [f"  {name:{width}}  {text}" for name, text in names.items()]
        texts.append("\n".join([f"{kind} games (the first is the usual one)", *lines]))
    emit("\n\n".join(texts))
    return Exit.FINE


def default_text(game: LibraryGame, option: TemplateOption) -> str:
    """The default of an option, as it would be written on the command line."""
    template = next(t for t in game.templates if option in t.options)
    value = option_values(template.options, {}, game.name)[option.name]
    if isinstance(value, tuple):
        return (",".join if isinstance(option.kind, SquareName) else "x".join)(map(str, value))
    return str(value)


def _expected(game: LibraryGame, option: TemplateOption) -> str:
    """The values of an option, and the additional ones of templates that take more."""
    found = {
        o.kind.expected: kind_of(template.language)
        for template in game.templates
        for o in template.options
        if o.name == option.name
    }
    first, *others = found
    return "; ".join([first, *(f"with {found[other]} encodings {other}" for other in others)])


def _as_text(game: LibraryGame) -> str:
    name, *others = game.names
    lines = [name + (f" (or {', '.join(others)})" if others else ""), f"  {game.help}"]
    for option in game.options:
        kind = game.only_in(option)
        text = f"  {option.flag}: {option.help}" + (f" ({kind} encodings)" if kind else "")
        if not isinstance(option.kind, Flag):
            default = default_text(game, option)
            text += f", {_expected(game, option)}" + (f" (default {default})" if default else "")
        lines.append(text)
    return "\n".join(lines)


def _as_json(game: LibraryGame) -> dict[str, object]:
    return {
        "name": game.name,
        "other_names": list(game.names[1:]),
        "help": game.help,
        "options": [
            {
                "option": option.flag,
                "help": option.help,
                "expected": _expected(game, option),
                "default": None if isinstance(option.kind, Flag) else default_text(game, option),
                "encodings": game.only_in(option) or None,
            }
            for option in game.options
        ],
    }


# ``qsage demo``: a tour of the commands on the samples, in a folder that is removed again


class _DemoStep(NamedTuple):
    text: str
    command: str
    code: Exit = Exit.FINE
    needs: str = ""  # the module without which the command is shown but not run


_STEPS: Final = (
    _DemoStep(
        "A solver says: Black wins Tic on a 4x4 board within 5 plies. This search agrees.",
        "qsage solve httt --size 4x4 --shape tic --depth 5",
        Exit.TRUE,
    ),
    _DemoStep(
        "sample:tic is a formula that says so, and sample:tic.aig a certificate: Black's strategy.",
        "qsage info sample:tic sample:tic.aig",
    ),
    _DemoStep(
        "Is the certificate right, and the formula the game? Each level proves or refutes a part.",
        "qsage validate sample:tic sample:tic.aig",
    ),
    _DemoStep(
        "The certificate plays Black, and White's moves are drawn here; they can be yours.",
        "qsage-play sample:tic --white random --games 1 --export play.svg",
    ),
    _DemoStep(
        "A game of one's own: the formula, and a certificate that is proved before it is written.",
        "qsage certify httt --size 3x3 --shape el --depth 5 -o el.aig --formula el.qcir",
    ),
    _DemoStep(
        "Does that strategy win with another shape? No: a play shows it (exit code 1).",
        "qsage encode httt --size 3x3 --shape tic --depth 5 -o tic.qcir",
    ),
    _DemoStep("", "qsage compare el.qcir tic.qcir --cert el.aig", Exit.REFUTED),
    _DemoStep(
        "Impartial games have winning formulas for all of their infinitely many positions.",
        "qsage synthesize take-away-3 --strategy -q",
        needs="z3",
    ),
)
_END = "What next? 'qsage-play' is a play at the board; 'qsage --help' lists the commands."


@subcommand("qsage demo", "qsage demo --no-pause")
def demo_command(
    no_pause: bool = flag("Do not wait for Enter between the steps."),
) -> Exit:
    """Show what the commands do, step by step, on the samples.

    Files are written into a temporary folder. Between the steps it waits for Enter at a terminal.
    Exit code 0: every command ended as it was to.
    """
    pauses = not no_pause and sys.stdin.isatty() and sys.stdout.isatty()
    before = os.getcwd()
    with marked_folder() as folder:
        os.chdir(folder)
        try:
            for number, step in enumerate(_STEPS):
                if step.needs and find_spec(step.needs) is None:
                    emit(f"\n{step.text}\n{MissingExtraError(f'{step.command!r}', 'impartial')}")
                    continue
                code = _run(step, pauses and number > 0)
                if code != step.code:
                    return code
        finally:
            os.chdir(before)
    emit(f"\n{_END}")
    return Exit.FINE


def _run(step: _DemoStep, pauses: bool) -> Exit:
    """Show and run one command; ``pauses`` waits before it."""
    from qsage_validate.cli.app import PROGRAMS, run

    if pauses:
        input("\n[Enter] ")
    emit(f"\n{step.text}\n$ {step.command}" if step.text else f"$ {step.command}")
    sys.stdout.flush()
    program, *words = shlex.split(step.command)
    return Exit(run(PROGRAMS[program], words, program))
