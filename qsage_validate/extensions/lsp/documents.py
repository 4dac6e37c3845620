"""Texts in an editor: their language, their faults, and the names in a QCIR formula.

Nothing of the protocol is here.  Lines and columns count from 1, columns in characters, as they do
in every error of this package; offsets count from 0.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from qsage_validate.arena.frame import NamedGroup, Names
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import InputError, QsageError, UsageError
from qsage_validate.formats.formula import formats, read_formula
from qsage_validate.formats.policy import be_strict, tolerating
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.source import Format, Source, sniff_bytes
from qsage_validate.formats.writing import write_atomic

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.games.bddl.parser import Diagnostic

LANGUAGES: Final = ("qcir", "bddl", "pg", "gdl", "assertions")
"""What an editor calls the languages: the ``languageId`` of a document."""

_ENDINGS: Final = {
    ".qcir": "qcir",
    ".bddl": "bddl",
    ".pg": "pg",
    ".gdl": "gdl",
    ".kif": "gdl",
    ".assert": "assertions",
}
_FORMATS: Final = {
    Format.QCIR: "qcir",
    Format.BDDL: "bddl",
    Format.PG: "pg",
    Format.GDL: "gdl",
}


@dataclass(frozen=True, slots=True)
class DocumentFault:
    """Something wrong at a place of a document; a warning changes nothing of what it means."""

    line: int
    column: int
    text: str
    warning: bool = False


def language_of(path: str, said: str, text: str) -> str | None:
    """The language of a document: by its name's ending, its content, or what the editor ``said``.

    ``None`` for any other language.
    """
    by_ending = _ENDINGS.get(os.path.splitext(path)[1].lower())
    by_content = _FORMATS.get(sniff_bytes(text[: 1 << 17].encode("utf-8", "replace")))
    return by_ending or by_content or (said if said in LANGUAGES else None)


def faults(language: str, text: str, path: str) -> list[DocumentFault]:
    """The faults of a document in the order of the checks, errors before warnings.

    Readers end at the first error, so that there is one, or several from the checks of a whole
    game.  What is beside the file is read too: the formula ``x.qcir`` of the assertions
    ``x.assert``, and ``domain.ig`` or ``domain.bddl`` of a problem in BDDL.
    """
    check = _CHECKS[language]
    try:
        with tolerating(lambda fault: None):
            found = list(check(text, path))
    except QsageError as error:
        return [_fault(error, path)]
    if found:
        return found
    try:
        with tolerating(lambda fault: None):
            be_strict()
            list(check(text, path))
    except InputError as error:
        return [_fault(error, path, warning=True)]
    return []


def _fault(error: QsageError, path: str, *, warning: bool = False) -> DocumentFault:
    """An error as a fault; one of another file stands in the first line, with all it says."""
    if not isinstance(error, InputError) or error.file not in (path, None):
        return DocumentFault(1, 1, str(error), warning)
    said = f"found {error.found}, expected {error.expected}"
    return DocumentFault(error.line or 1, error.column or 1, said, warning)


def _qcir(text: str, path: str) -> Iterable[DocumentFault]:
    layout_from_comments(parse_qcir(text, path))
    return ()


def _pg(text: str, path: str) -> Iterable[DocumentFault]:
    from qsage_validate.formats.pg import parse_pg
    from qsage_validate.games.positional.language import model_of_pg

    model_of_pg(parse_pg(text, path))
    return ()


def _gdl(text: str, path: str) -> Iterable[DocumentFault]:
    # The extension that reads GDL declares how its files are told of.
    reader = next((one for one in formats() if one.format is Format.GDL), None)
    if reader is None:
        raise UsageError("found GDL, expected the extension gdl to read it")
    reader.facts(text.encode(), path)
    return ()


def _bddl(text: str, path: str) -> Iterable[DocumentFault]:
    from qsage_validate.games.bddl.checks import check_model
    from qsage_validate.games.bddl.model import Model
    from qsage_validate.games.bddl.parser import file_kind, parse_domain, parse_problem

    if file_kind(text) == "domain":
        parse_domain(text, path)
        return ()
    problem = parse_problem(text, path)
    folder = os.path.dirname(path)
    beside = (os.path.join(folder, f"domain{end}") for end in (".ig", ".bddl"))
    domain = next(filter(os.path.isfile, beside), None)
    if domain is None:
        return ()
    source = Source.open(domain)
    model = Model(parse_domain(source.text, source.path), problem, os.path.basename(path))
    return [_of_model(one, path) for one in check_model(model)]


def _of_model(one: Diagnostic, path: str) -> DocumentFault:
    from qsage_validate.games.bddl.parser import Severity

    return _fault(one.error(), path, warning=one.severity is Severity.WARNING)


def _assertions(text: str, path: str) -> Iterable[DocumentFault]:
    from qsage_validate.formats.assertions import parse_assertions
    from qsage_validate.problems.load import game_of_layout
    from qsage_validate.validation.assertions import AssertionVocabulary

    read = parse_assertions(Source(text, path))
    beside = f"{os.path.splitext(path)[0]}.qcir"
    if os.path.isfile(beside):
        formula = read_formula(beside)
        layout = layout_from_comments(formula)
        game = None if layout is None else game_of_layout(layout)
        AssertionVocabulary(formula, layout, game).bound(read)
    return ()


_CHECKS: Final[Mapping[str, Callable[[str, str], Iterable[DocumentFault]]]] = {
    "qcir": _qcir,
    "bddl": _bddl,
    "pg": _pg,
    "gdl": _gdl,
    "assertions": _assertions,
}


# The names in a formula


_COMMENT: Final = re.compile(r"#[^\r\n]*")
# Names in code and in the layout's brackets.
_WORD: Final = re.compile(r"[^\s#(),;=\[\]-][^\s#(),;=\[\]]*")
# In a comment of the layout literals stand in brackets, and behind some words.
_LITERALS: Final = re.compile(
    r"\[[^\]\n]*\]|\b(?:gate|verdict|stop|bounds)[ \t]+-?\S+|\bstate[ \t]+\d+[^\n]*"
)
_LAYOUT: Final = re.compile(r"#[ \t]*@[ \t]*(?!model\b)[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in a text, between two offsets."""

    name: str
    start: int
    end: int


class QcirText:
    """A formula with the places of its names; raises ``InputError`` for what is no formula."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._code = _COMMENT.sub(lambda match: " " * len(match[0]), text)
        self._formula = parse_qcir(text, path)
        layout = layout_from_comments(self._formula)
        self._names = None if layout is None else Names(layout, self._formula)
        self._known = {self._formula.name(v): v for v in _variables(self._formula)}

    def at(self, offset: int) -> Occurrence | None:
        """The variable or gate whose name is written at ``offset``."""
        start = self._text.rfind("\n", 0, offset) + 1
        end = self._text.find("\n", offset)
        line = self._text[start : end if end >= 0 else len(self._text)]
        inside = [(0, len(self._code[start : start + len(line)].rstrip()))]
        if (comment := _LAYOUT.search(line)) is not None:
            inside += [part.span() for part in _LITERALS.finditer(line, comment.start())]
        for match in _WORD.finditer(line):
            first, last = start + match.start(), start + match.end()
            if not first <= offset <= last or match[0] not in self._known:
                continue
            if any(low <= match.start() and match.end() <= high for low, high in inside):
                return Occurrence(match[0], first, last)
        return None

    def definition(self, name: str) -> Occurrence | None:
        """Where a gate is defined, or a variable quantified: ``None`` for one that is neither."""
        written = rf"(?<![^\s(),;=-]){re.escape(name)}(?![^\s(),;=])"
        match = re.search(rf"{written}(?=\s*=)", self._code) or re.search(written, self._code)
        return None if match is None else Occurrence(name, match.start(), match.end())

    def meaning(self, name: str) -> list[str]:
        """What is known of a variable or gate, a sentence each: what it is, what it means."""
        variable = self._known[name]
        formula = self._formula
        gate = formula.gates.get(variable)
        if gate is None:
            told = self._quantified(name, variable)
        else:
            inputs = ", ".join(f"{'-' if x < 0 else ''}{formula.name(abs(x))}" for x in gate.inputs)
            told = f"gate {name} = {gate.connective.value}({_shortened(inputs)})"
        return [told, *self._meanings(variable)]

    def _quantified(self, name: str, variable: int) -> str:
        scopes = self._formula.merged_scopes()
        level = next(k for k, scope in enumerate(scopes) if variable in scope.variables)
        quantifier = scopes[level].quantifier.value
        return f"variable {name}: {quantifier}, block {level + 1} of {len(scopes)} from the left"

    def _meanings(self, variable: int) -> Iterator[str]:
        if self._names is None:
            return
        found = [name for name, literal in self._names.literals.items() if abs(literal) == variable]
        for name in found or [self._names.meaning(variable)[0]]:
            if found or self._names.meaning(variable)[1] is not NamedGroup.GATE:
                literal = self._names.literals.get(name, variable)
                yield f"{'not ' if literal < 0 else ''}{name} (by the layout)"


def _variables(formula: Qbf) -> Iterator[int]:
    for scope in formula.scopes:
        yield from scope.variables
    yield from formula.gates


def _shortened(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


# What editors need besides


def write_editor_files(folder: str) -> list[str]:
    """Write the grammars into a new folder, an extension of VS Code; returns the files' names.

    Raises ``UsageError`` for a folder that is there and not empty, ``InputError`` where nothing can
    be written.
    """
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise UsageError(f"found {folder}, expected a new folder")
    own = files(__package__) / "editor"
    contents = {"package.json": (own / "package.json").read_bytes()}
    for one in LANGUAGES:
        name = f"{one}.tmLanguage.json"
        contents[os.path.join("syntaxes", name)] = (own / "syntaxes" / name).read_bytes()
    try:
        os.makedirs(os.path.join(folder, "syntaxes"), exist_ok=True)
    except OSError as error:
        found = f"an error: {error.strerror}"
        raise InputError(folder, None, None, found, "a folder that can be made") from None
    written = [os.path.join(folder, name) for name in contents]
    for name, content in zip(written, contents.values(), strict=True):
        write_atomic(name, content)
    return written
