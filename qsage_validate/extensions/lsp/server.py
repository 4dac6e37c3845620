"""The language server: what an editor asks, answered by :mod:`documents`."""

from __future__ import annotations

import re
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from qsage_validate import __version__
from qsage_validate.errors import QsageError
from qsage_validate.extensions.lsp.documents import (
    DocumentFault,
    Occurrence,
    QcirText,
    faults,
    language_of,
)

# A longer text is looked at when it is opened and saved, and not while it is typed.
_TYPED: Final = 1 << 20
_SOURCE: Final = "qsage"
_REST_OF_WORD: Final = re.compile(r"\w+|\S|")


class QsageServer(LanguageServer):
    """One editor's server; it keeps the formula that was asked about last."""

    def __init__(self) -> None:
        super().__init__("qsage-lsp", __version__)
        self._last: tuple[str, int | None, QcirText] | None = None

    def check(self, uri: str, *, typed: bool = False) -> None:
        """Send the faults of a document; there are none of a language that is not ours."""
        document = self.workspace.get_text_document(uri)
        text = document.source
        if typed and len(text) > _TYPED:
            return
        language = language_of(document.path, document.language_id or "", text)
        found = [] if language is None else faults(language, text, document.path)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri,
                version=document.version,
                diagnostics=[_diagnostic(document, fault) for fault in found],
            )
        )

    def forget(self, uri: str) -> None:
        """Take back the faults of a document that is closed."""
        none = types.PublishDiagnosticsParams(uri=uri, diagnostics=[])
        self.text_document_publish_diagnostics(none)

    def formula(self, document: TextDocument) -> QcirText | None:
        """The formula of a document; ``None`` while it is none, of which the faults tell."""
        if self._last is not None and self._last[:2] == (document.uri, document.version):
            return self._last[2]
        text = document.source
        if language_of(document.path, document.language_id or "", text) != "qcir":
            return None
        try:
            found = QcirText(text, document.path)
        except QsageError:
            return None
        self._last = (document.uri, document.version, found)
        return found


def make_server() -> QsageServer:
    """A server with all that it answers."""
    server = QsageServer()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.check(params.text_document.uri, typed=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.workspace.get_text_document(params.text_document.uri)
        formula = server.formula(document)
        own = None if formula is None else formula.at(_offset(document, params.position))
        if formula is None or own is None:
            return None
        told = types.MarkupContent(types.MarkupKind.PlainText, "\n".join(formula.meaning(own.name)))
        return types.Hover(told, _range(document, own))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        document = server.workspace.get_text_document(params.text_document.uri)
        formula = server.formula(document)
        own = None if formula is None else formula.at(_offset(document, params.position))
        found = None if formula is None or own is None else formula.definition(own.name)
        return None if found is None else types.Location(document.uri, _range(document, found))

    return server


def serve() -> None:
    """Serve on standard input and output until the editor ends it."""
    make_server().start_io()


def _offset(document: TextDocument, at: types.Position) -> int:
    """The offset of an editor's position, which counts columns in units of its own."""
    text = document.source
    start = 0
    for _ in range(at.line):
        start = text.find("\n", start) + 1
        if not start:
            return len(text)
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    units = document.position_codec.client_num_units
    columns = 0
    for number, character in enumerate(line):
        if columns >= at.character:
            return start + number
        columns += units(character)
    return start + len(line)


def _position(document: TextDocument, offset: int) -> types.Position:
    # Not by the document's own functions: they take a form feed for the end of a line.
    text = document.source
    start = text.rfind("\n", 0, offset) + 1
    units = document.position_codec.client_num_units(text[start:offset])
    return types.Position(text.count("\n", 0, offset), units)


def _range(document: TextDocument, own: Occurrence) -> types.Range:
    return types.Range(_position(document, own.start), _position(document, own.end))


def _diagnostic(document: TextDocument, fault: DocumentFault) -> types.Diagnostic:
    text = document.source
    lines = text.split("\n")
    row = min(fault.line, len(lines)) - 1
    before = sum(len(line) + 1 for line in lines[:row])
    start = before + min(fault.column - 1, len(lines[row]))
    word = _REST_OF_WORD.match(text, start)
    severity = types.DiagnosticSeverity
    return types.Diagnostic(
        _range(document, Occurrence("", start, start if word is None else word.end())),
        fault.text,
        severity=severity.Warning if fault.warning else severity.Error,
        source=_SOURCE,
    )
