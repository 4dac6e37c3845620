"""The language server, asked by a client over standard input and output as an editor asks it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.api.formulas import encode
from qsage_validate.extensions.lsp.documents import LANGUAGES
from tests.support.commands import run_qsage
from tests.support.loops import running_loop
from tests.support.places import REPOSITORY

pytest.importorskip("pygls", reason="the extra lsp is not installed: no language server")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

pytestmark = pytest.mark.slow
QCIR = "#QCIR-G14\nforall(a)\nexists(b)\noutput(top)\nx = xor(a, b)\ntop = or(x, -x)\n"
DOMAIN = "#blackactions\n:action occupy\n:parameters (?x,?y)\n:precondition (open(?x,?y))\n"
PG = "#blackinitials\n#whiteinitials\n#times\nt1\n#blackturns\nt1\n#positions\na b\n#blackwins\na\n"
GDL = "(role black)\n(role white)\n(<= (next ?x) (does black))\n"

# Each language with a fault: the text, the line and column of the fault (from 1), and its words.
FAULTS = {
    "f.qcir": (QCIR.replace("xor(a, b)", "xor(a, c)"), (5, 12), "'c'"),
    "layout.qcir": ("#QCIR-G14\n#@ qsage-layout\n#@ mov 1\n" + QCIR[10:], (3, 1), "mov"),
    "d.bddl": (DOMAIN, (4, 28), "the end of the file"),
    "p.pg": (PG.replace("#blackwins\na\n", "#blackwins\nc\n"), (10, 1), "'c'"),
    "g.gdl": (GDL, (3, 15), "'does' with 1"),
    "a.assert": ("always black (1,1)\nend: goal and\n", (2, 14), "the end"),
}


class Editor(LanguageClient):
    """A client that keeps what the server says of each document."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.said: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.said.put_nowait(params)

    async def open(self, path: Path, text: str, language: str = "plaintext") -> list[Any]:
        item = types.TextDocumentItem(path.as_uri(), language, 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(path)

    async def diagnostics(self, path: Path) -> list[Any]:
        said = await self.said.get()
        assert said.uri == path.as_uri()
        return list(said.diagnostics)


Ask = Callable[[Callable[[Editor], Coroutine[Any, Any, None]]], None]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Runs what a client of one server does, which is started once."""

    async def start() -> Editor:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "qsage_validate", "lsp", cwd=str(REPOSITORY))
        await editor.initialize_async(types.InitializeParams(types.ClientCapabilities()))
        editor.initialized(types.InitializedParams())
        return editor

    async def end(editor: Editor) -> None:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()  # type: ignore[no-untyped-call]

    with running_loop() as run:
        editor = run(start())
        yield lambda work: run(work(editor))
        run(end(editor))


def place(text: str, word: str, nth: int = 0) -> types.Position:
    """The place of the nth occurrence of a word in a text without characters beyond ASCII."""
    start = [match.start() for match in re.finditer(re.escape(word), text)][nth]
    return types.Position(text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1)


def test_faults_stand_at_the_places_of_our_errors(ask: Ask, tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        for name, (text, (line, column), words) in FAULTS.items():
            (one,) = await editor.open(tmp_path / name, text)
            assert one.severity is types.DiagnosticSeverity.Error, name
            assert words in one.message, (name, one.message)
            assert "expected" in one.message, name
            start = one.range.start
            assert (start.line + 1, start.character + 1) == (line, column), (name, one.message)

    ask(work)


def test_a_fault_goes_when_it_is_mended_and_when_the_file_is_closed(
    ask: Ask, tmp_path: Path
) -> None:
    path = tmp_path / "über.qcir"
    wrong = QCIR.replace("exists(b)", "exists(b𝄞)  exists(b, b)")

    async def work(editor: Editor) -> None:
        (one,) = await editor.open(path, wrong)
        assert one.range.start == types.Position(2, 23)
        whole = types.TextDocumentContentChangeWholeDocument(QCIR)
        named = types.VersionedTextDocumentIdentifier(2, path.as_uri())
        editor.text_document_did_change(types.DidChangeTextDocumentParams(named, [whole]))
        assert await editor.diagnostics(path) == []
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(path.as_uri()))
        editor.text_document_did_close(closed)
        assert await editor.diagnostics(path) == []
        assert await editor.open(tmp_path / "notes.txt", "no language of ours") == []
        assert await editor.open(tmp_path / "empty.qcir", "") != []

    ask(work)


def test_meanings_and_definitions_in_a_formula_with_a_layout(ask: Ask, tmp_path: Path) -> None:
    text = encode("httt", size=(3, 3), shape="domino", depth=3).qcir()
    path = tmp_path / "d.qcir"
    own = types.TextDocumentIdentifier(path.as_uri())
    gate = re.search(r"^#@ gate (\d+) white 2 legal$", text, re.M)
    assert gate is not None

    async def work(editor: Editor) -> None:
        assert await editor.open(path, text) == []

        async def hover(at: types.Position) -> str | None:
            found = await editor.text_document_hover_async(types.HoverParams(own, at))
            return None if found is None else found.contents.value  # type: ignore[union-attr]

        async def definition(at: types.Position) -> Any:
            asked = types.DefinitionParams(own, at)
            return await editor.text_document_definition_async(asked)

        # A variable in the layout's own comment, and in the prefix.
        stop = place(text, "stop 5")
        stop.character += 5
        assert await hover(stop) == (
            "variable 5: exists, block 1 of 7 from the left\nblack 1 stop (by the layout)"
        )
        assert (await definition(stop)).range.start == place(text, "5)", 0)
        legal = place(text, f"{gate[1]} white 2 legal")
        told = await hover(legal)
        assert told is not None
        assert told.startswith(f"gate {gate[1]} = ")
        assert told.endswith("white 2 legal (by the layout)")
        found = await definition(legal)
        assert found.range.start == place(text, f"\n{gate[1]} = ", 0) or (
            text.splitlines()[found.range.start.line].startswith(f"{gate[1]} = ")
        )
        # The number of a ply is no variable, and neither is a word of a comment.
        ply = place(text, "move 1 black")
        ply.character += 5
        assert await hover(ply) is None
        assert await definition(types.Position(1, 3)) is None

    ask(work)


def test_a_name_in_the_formula_leads_to_its_gate_or_to_the_prefix(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "n.qcir"
    own = types.TextDocumentIdentifier(path.as_uri())

    async def work(editor: Editor) -> None:
        await editor.open(path, QCIR)
        for word, nth, target in (
            ("top", 0, ("top", 1)),
            ("-x", 0, ("x =", 0)),
            ("b)", 1, ("b", 0)),
        ):
            at = place(QCIR, word, nth)
            at.character += word.startswith("-")
            found = await editor.text_document_definition_async(types.DefinitionParams(own, at))
            assert isinstance(found, types.Location)
            assert found.range.start == place(QCIR, *target), word

    ask(work)


def test_assertions_know_the_names_of_the_formula_beside_them(ask: Ask, tmp_path: Path) -> None:
    encode("httt", size=(3, 3), shape="domino", depth=3).save(tmp_path / "d.qcir")

    async def work(editor: Editor) -> None:
        path = tmp_path / "d.assert"
        (one,) = await editor.open(path, "always not whit (1,1)\n")
        assert "did you mean 'white (1,1)'?" in one.message
        assert one.range.start.character == len("always not ")
        assert await editor.open(tmp_path / "other.assert", "always not whit (1,1)\n") == []

    ask(work)


def test_a_problem_in_bddl_is_checked_with_the_domain_beside_it(ask: Ask, tmp_path: Path) -> None:
    domain = f"{DOMAIN}:effect (black(?x,?y))\n#whiteactions\n"
    (tmp_path / "domain.bddl").write_text(domain)
    problem = "#boardsize\n2 2\n#init\n#depth\n3\n#blackgoals\n(white(?x,?y))\n#whitegoals\n"

    async def work(editor: Editor) -> None:
        found = await editor.open(tmp_path / "p.bddl", problem)
        assert found, "a goal without use is told"
        assert {one.severity for one in found} == {types.DiagnosticSeverity.Warning}

    ask(work)


def test_the_grammars_are_of_the_languages_and_their_patterns_are_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "colours"
    assert run_qsage(["lsp", "--write-grammars", str(folder)]) == 0
    told = json.loads((folder / "package.json").read_text())["contributes"]
    assert [one["id"] for one in told["languages"]] == list(LANGUAGES)
    for one in told["grammars"]:
        grammar = json.loads((folder / one["path"]).read_text())
        assert grammar["scopeName"] == one["scopeName"]
        for pattern in grammar["patterns"]:
            re.compile(pattern["match"].replace("(?i:", "(?:"))
    assert run_qsage(["lsp", "--write-grammars", str(folder)]) == 2


def test_the_grammar_of_qcir_colours_gates_quantifiers_and_comments() -> None:
    folder = REPOSITORY / "qsage_validate" / "extensions" / "lsp" / "editor" / "syntaxes"
    patterns = json.loads((folder / "qcir.tmLanguage.json").read_text())["patterns"]

    def first(line: str) -> str:
        found = [
            (m.start(), n) for n, p in enumerate(patterns) if (m := re.search(p["match"], line))
        ]
        pattern = patterns[min(found)[1]]
        names = pattern.get("captures", {}).values()
        return str(pattern.get("name") or next(iter(names))["name"])

    assert first("forall(1, 2)").startswith("storage.type.quantifier")
    assert first("g12 = and(-1, 2)").startswith("entity.name.function.gate")
    assert first("#@ move 1 black list 1 code [1]").startswith("keyword.control.layout")
    assert first("# a remark").startswith("comment.line")
