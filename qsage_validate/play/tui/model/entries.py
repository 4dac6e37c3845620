"""The entries of the start screen: games with their fields, samples, files of the folder, plays."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import visible
from qsage_validate.formats.source import unpacked_name
from qsage_validate.games.family import families
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.library.template import Flag, Template, TemplateOption, option_values
from qsage_validate.play.state import Recent

# Files of a folder that are looked at, and formulas that are offered.
_MOST_FILES: Final = 5_000
# What a line of the list has room for.
_TITLE: Final = 34
_MOST_FORMULAS: Final = 100
_FORMULAS: Final = (".qcir", ".qdimacs")

SEARCH: Final = ("a search", ())
CERTIFY: Final = ("its certificate, made and proved first", ("--certify",))

Way = tuple[str, tuple[str, ...]]
"""Who plays the other side: in words, and as options."""


@dataclass(frozen=True, slots=True)
class EntryField:
    """An option that can be filled in; ``fits`` says if a text is a value, ``flag`` has none."""

    flag: str
    help: str
    default: str
    fits: Callable[[str], bool]
    expected: str
    words: tuple[str, ...] = ()
    switch: bool = False


@dataclass(frozen=True, slots=True)
class StartEntry:
    """Something to play: ``words`` go behind ``qsage-play``, with those of fields and of the way.

    ``section`` is the heading that it stands under, ``rules`` one line, ``picture`` some lines.
    """

    section: str
    title: str
    words: tuple[str, ...]
    rules: str
    picture: str = ""
    fields: tuple[EntryField, ...] = ()
    ways: tuple[Way, ...] = ()

    def command(self, values: Mapping[str, str], way: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The words for what was filled in, by flag; defaults are left out but the size."""
        words = list(self.words)
        for field in self.fields:
            value = values.get(field.flag, field.default).strip()
            if field.switch:
                words += [field.flag] if value == "on" else []
            elif value and not field.flag.startswith("--"):
                words.append(value)
            elif value and (value != field.default or field.flag == "--size"):
                words += [field.flag, value]
        return (*words, *way)

    def mistake(self, values: Mapping[str, str]) -> str | None:
        """The first value that is none, as a sentence; ``None`` where all are."""
        if not self.words and not values.get("FILE", "").strip():
            return "found no file, expected one to open"
        for field in self.fields:
            value = values.get(field.flag, field.default).strip()
            if not field.switch and value and not field.fits(value):
                return f"found {field.flag} {value!r}, expected {field.expected}"
        return None


def shown_command(words: Sequence[str]) -> str:
    """The command line for ``words``, fit to be shown."""
    return visible(shlex.join(["qsage-play", *words]))


# -- games ----------------------------------------------------------------------------------

# One family after the other; a game that is in none is in the last one.
_FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "Lines and shapes": ("httt", "connect-c", "gomoku"),
    "Connections": ("hex",),
    "Races": ("breakthrough", "knightthrough"),
    "Last move wins": ("domineering", "konane", "cross-purposes"),
    "Pursuit": ("evader-pursuer", "evader-pursuer-dual"),
    "Other games": (),
}
_PICTURES: Final[Mapping[str, str]] = {
    "httt": "· ○ · ·\n· ● · ·\n○ ● · ·\n· ● · ·",
    "connect-c": "· · · ·\n· · ○ ·\n● ● ● ○\n○ ● ○ ●",
    "gomoku": "○ · ● ·\n· ● · ○\n● · ○ ·\n· · · ·",
    "hex": "⬡ ⬢ ⬡\n ⬡ ⬢ ·\n  · ⬢ ⬡",
    "breakthrough": "○ ○\n· ●\n○ ·\n● ●",
    "knightthrough": "○ ○ ○\n· ● ·\n· · ○\n● · ●",
    "domineering": "┃ ━━ ·\n┃ · ┃\n━━  ┃\n· ━━ ┃",
    "konane": "● ○ ● ○\n○ · ○ ●\n● ○ · ○\n○ ● ○ ●",
    "cross-purposes": "■ ▏ ■\n▔ ■ ·\n■ · ▁",
    "evader-pursuer": "★ · · ·\n· · · ·\n· ○ · ·\n· · · ●",
    "evader-pursuer-dual": "★ · · ·\n· · · ·\n· ● · ·\n· · · ○",
    "heaps": "  ●\n● ● ●\n● ● ● ●",
}
_SAMPLES: Final[Mapping[str, tuple[str, str, str]]] = {
    "tic": ("Tic on 4x4", "httt", "Black makes three in a row or column within 5 plies"),
    "connect3": ("Connect-3 on 4x4", "connect-c", "Black has three in a line within 9 plies"),
    "breakthrough": ("Breakthrough on 2x4", "breakthrough", "Black gets through within 8 plies"),
    "evader": ("Evader on 4x4", "evader-pursuer", "Black escapes to the corner within 3 plies"),
    "hex": ("Hex on 3x3", "hex", "Black connects top and bottom within 5 plies"),
    "domineering": ("Domineering on 4x4", "domineering", "White moves first and always can"),
}


def games(solvers: Sequence[str] = ()) -> tuple[StartEntry, ...]:
    """The games of the library by family; ``solvers`` are QBF solvers that may play."""
    ways = (SEARCH, CERTIFY, *((f"the solver {n}", ("--solver", n)) for n in solvers))
    found = []
    named = {name: family for family, names in _FAMILIES.items() for name in names}
    for family in _FAMILIES:
        for game in library_games():
            template = game.templates[0]
            if named.get(game.name, "Other games") == family:
                fields = tuple(_field(template, option) for option in template.options)
                picture = _PICTURES.get(game.name, "")
                title = _plain(game.name, game.help)
                found.append(
                    StartEntry(family, title, (game.name,), game.help, picture, fields, ways)
                )
    for name, _, rules in (game for own in families() for game in own.family.listed()):
        state = EntryField("--state", "the heaps, V=N ...", "", lambda text: "=" in text, "V=N ...")
        misere = EntryField("--misere", "who cannot move has won", "off", bool, "", switch=True)
        picture = _PICTURES["heaps"]
        title = _plain(name, rules)
        found.append(StartEntry("Heaps", title, (name,), rules, picture, (state, misere)))
    return tuple(found)


def _plain(name: str, rules: str) -> str:
    """A game's name as people say it: what its rules begin with, or the words of its name."""
    said, colon, _ = rules.partition(":")
    return said if colon and len(said) <= _TITLE else name.replace("-", " ").title()


def _said(title: str) -> str:
    """The game of a play's title, by its plain name: ``Hex 4x4`` for ``hex 4x4: ...``."""
    game = title.partition(":")[0]
    name, space, rest = game.partition(" ")
    known = {g.name: g.help for g in library_games()}
    known |= {g.name: g.rules for own in families() for g in own.family.listed()}
    return f"{_plain(name, known[name])}{space}{rest}" if name in known else game


def _field(template: Template, option: TemplateOption) -> EntryField:
    value = option_values(template.options, {}, template.name)[option.name]
    if isinstance(option.kind, Flag):
        return EntryField(option.flag, option.help, "off", bool, "", switch=True)
    kind = option.kind
    separator = "," if "," in kind.expected and "x" not in kind.expected else "x"
    default = separator.join(map(str, value)) if isinstance(value, tuple) else str(value)
    # A depth that is left alone follows the size.
    default = "" if option.name == "depth" else default
    return EntryField(
        option.flag,
        option.help,
        default,
        lambda text: kind.read(text) is not None,
        kind.expected,
        kind.words,
    )


def samples() -> tuple[StartEntry, ...]:
    """The formulas with certificates that come with the package."""
    return tuple(
        StartEntry("Samples", title, (f"sample:{name}",), f"{rules}; proved", _PICTURES[picture])
        for name, (title, picture, rules) in _SAMPLES.items()
    )


# -- files and plays ------------------------------------------------------------------------


def formulas(
    folder: str, beside: Callable[[str], str | None], solvers: Sequence[str] = ()
) -> tuple[StartEntry, ...]:
    """The formulas in a folder: with the certificate ``beside`` them, or against a solver."""
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e, _ in zip(entries, range(_MOST_FILES), strict=False)]
    except OSError:
        return ()
    found = []
    ways = tuple((f"the solver {n}", ("--solver", n)) for n in solvers)
    for name in sorted(names):
        path = os.path.join(folder, name)
        if (
            not unpacked_name(name).endswith(_FORMULAS)
            or name.startswith("-")
            or not os.path.isfile(path)
        ):
            continue
        certificate = beside(path)
        word = name if folder == os.curdir else path
        if certificate is not None:
            behind = os.path.basename(certificate)
            words = (word, "--cert", os.path.join(os.path.dirname(word), behind))
            rules = f"with its certificate {behind}"
            found.append(StartEntry("Certificates in this folder", name, words, rules))
        elif ways:
            rules = "no certificate beside it: a solver answers"
            found.append(StartEntry("Formulas in this folder", name, (word,), rules, ways=ways))
    found.sort(key=lambda entry: entry.section)
    return tuple(found[:_MOST_FORMULAS])


def any_file(solvers: Sequence[str] = ()) -> StartEntry:
    """A formula or game that is named by its file."""
    files = (
        EntryField("FILE", "formula, or game", "", os.path.isfile, "a file"),
        EntryField("--cert", "its certificate", "", os.path.isfile, "a file"),
    )
    ways: tuple[Way, ...] = (("its certificate, or a search", ()),)
    ways += tuple((f"the solver {n}", ("--solver", n)) for n in solvers)
    rules = "QCIR or QDIMACS with a certificate; a PG, .hex, SGF, GDL or impartial game"
    return StartEntry("Open a file", "by its name", (), rules, fields=files, ways=ways)


def recent(plays: Sequence[Recent]) -> tuple[StartEntry, ...]:
    """The plays that were begun last; those that were left or saved come back with their moves."""
    found = []
    for play in plays:
        words, rules = play.words, f"{play.title}; from the start"
        ply, when = 0, play.when or "lately"
        if play.play is not None and os.path.isfile(play.play):
            words, ply = (*words, "--continue", play.play), play.ply or 0
            rules = f"{play.title}; goes on from {play.play}"
        # The day alone stands in the list, which is narrow.
        game, day = _said(play.title), f" {when[5:10]}" if play.when else ""
        at = f"ply {ply}" if ply else "new"
        room = _TITLE - len(at) - len(day) - 1
        game = game if len(game) <= room else f"{game[: room - 1]}…"
        title = f"{game} {at}{day}"
        rules = f"{when}: {rules}"
        found.append(StartEntry("Recent and saved plays", title, words, rules))
    return tuple(found)
