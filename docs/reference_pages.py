"""Directives for the reference: the commands with their options, the public names, the keys.

They read the program itself, so that no page can say what is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc, isclass
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import qsage_validate
from qsage_validate.cli.app import PROGRAMS
from qsage_validate.cli.commands import commands_below, records_of
from qsage_validate.extensions.teaching.board import KEYS as DRILL_KEYS
from qsage_validate.play.tui.model.actions import ACTIONS
from qsage_validate.play.tui.start import KEYS as START_KEYS

# Languages of code blocks that Pygments has no lexer for.
_PLAIN = ("bddl", "impartial", "qcir")
_EXCEPTIONS = "Exceptions"


class Commands(SphinxDirective):
    """Each command of ``qsage``: usage, what it does, its arguments and its options."""

    def run(self) -> list[nodes.Node]:
        below = commands_below(PROGRAMS["qsage"])
        return [self._section("qsage", name, command) for name, command in below.items()]

    def _section(self, parent: str, name: str, command: Any) -> nodes.section:
        command = getattr(command, "loaded", command)
        path = f"{parent} {name}"
        context = command.make_context(path, [], resilient_parsing=True)
        section = nodes.section(ids=[nodes.make_id(path)], names=[path])
        section += nodes.title("", "", nodes.literal(text=path))
        usage = " ".join((path, *command.collect_usage_pieces(context)))
        section += nodes.literal_block(usage, usage, language="text")
        examples = "\n".join(command.examples)
        section += nodes.literal_block(examples, examples, language="text")
        section += list(_paragraphs(command.help or ""))
        for heading, records in records_of(command, context).items():
            section += nodes.rubric(text=heading)
            section += _definitions(records)
        for subname, subcommand in commands_below(command).items():
            section += self._section(path, subname, subcommand)
        self.state.document.note_implicit_target(section)
        return section


def _paragraphs(text: str) -> Iterator[nodes.paragraph]:
    for part in re.split(r"\n\s*\n", cleandoc(text)):
        yield nodes.paragraph("", "", *_inline(" ".join(part.replace("\b", "").split())))


def _inline(text: str) -> Iterator[nodes.Node]:
    """The text of a help, in which commands stand in single quotes."""
    for index, part in enumerate(re.split(r"(?<!\w)'([^']+)'", text)):
        yield nodes.literal(text=part) if index % 2 else nodes.Text(part)


def _definitions(records: list[tuple[str, str]]) -> nodes.definition_list:
    return nodes.definition_list(
        "",
        *(
            nodes.definition_list_item(
                "",
                nodes.term("", "", nodes.literal(text=written)),
                nodes.definition("", nodes.paragraph("", "", *_inline(text))),
            )
            for written, text in records
        ),
    )


class PublicNames(SphinxDirective):
    """Every name of ``qsage_validate.__all__`` with its docstring."""

    def run(self) -> list[nodes.Node]:
        kinds: dict[str, list[str]] = {"Functions": [], "Classes": [], _EXCEPTIONS: []}
        for name in qsage_validate.__all__:
            value = getattr(qsage_validate, name)
            kind = "Functions"
            if isclass(value):
                kind = _EXCEPTIONS if issubclass(value, Exception) else "Classes"
            kinds[kind].append(name)
        found: list[nodes.Node] = []
        for kind, names in kinds.items():
            section = nodes.section(ids=[nodes.make_id(kind)], names=[kind.lower()])
            section += nodes.title("", kind)
            section += self.parse_text_to_nodes("\n".join(_described(kind, n) for n in names))
            self.state.document.note_implicit_target(section)
            found.append(section)
        return found


def _described(kind: str, name: str) -> str:
    directive = {"Functions": "autofunction", _EXCEPTIONS: "autoexception"}.get(kind, "autoclass")
    members = "   :members:\n   :inherited-members: ABC, Enum\n" if kind == "Classes" else ""
    return f".. {directive}:: qsage_validate.{name}\n{members}"


class Keys(SphinxDirective):
    """What a key does on the board, in the order of the bar."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(_table((a.key, a.title, a.help) for a in ACTIONS))


class StartKeys(SphinxDirective):
    """What a key does on the start screen."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(_table(START_KEYS))


class DrillKeys(SphinxDirective):
    """What a key does in a drill."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(_table(DRILL_KEYS))


def _table(keys: Iterable[tuple[str, str, str]]) -> str:
    rows = "".join(
        f"   * - ``{key}``\n     - {title}\n     - {text}\n" for key, title, text in keys
    )
    return f".. list-table::\n   :header-rows: 1\n\n   * - key\n     - action\n     - help\n{rows}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and languages that are shown as they are."""
    app.add_directive("qsage-commands", Commands)
    app.add_directive("qsage-names", PublicNames)
    app.add_directive("qsage-keys", Keys)
    app.add_directive("qsage-start-keys", StartKeys)
    app.add_directive("qsage-drill-keys", DrillKeys)
    for language in _PLAIN:
        app.add_lexer(language, TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
