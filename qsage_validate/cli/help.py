"""``qsage help``: the pages of the documents, which travel with the package."""

from __future__ import annotations

import os

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json
from qsage_validate.cli.options import JsonOption
from qsage_validate.cli.parameters import argument
from qsage_validate.errors import Exit, UsageError, did_you_mean

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


@subcommand("qsage help", "qsage help solving")
def command(
    topic: str | None = argument("A page; the list of them if left out.", "TOPIC", default=None),
    json_output: JsonOption = False,
) -> Exit:
    """Show a page of the documents, or the list of them.

    Pages are written in Markdown, and messages name them. The options of a command are in
    'qsage COMMAND --help'.
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
        near = did_you_mean(topic, known)
        raise UsageError(f"found the unknown topic {topic!r}{near}, expected one of 'qsage help'")
    if json_output:
        emit_json({"topic": topic, "text": _read(path)})
    else:
        emit(_read(path).rstrip("\n"))
    return Exit.FINE
