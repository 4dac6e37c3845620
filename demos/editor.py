"""What an editor is shown of a formula: the fault with its place, and what a gate means."""

import asyncio
import sys

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

import qsage_validate as qs

text = qs.encode("httt", size=(3, 3), shape="domino", depth=3).qcir()


async def main() -> None:
    editor, faults = LanguageClient("demo", "1"), asyncio.Queue[lsp.PublishDiagnosticsParams]()

    @editor.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
    def published(told: lsp.PublishDiagnosticsParams) -> None:
        faults.put_nowait(told)

    await editor.start_io(sys.executable, "-m", "qsage_validate", "lsp")
    await editor.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
    for name, content in (("wrong", text.replace("or(", "nor(", 1)), ("right", text)):
        item = lsp.TextDocumentItem(f"file:///{name}.qcir", "qcir", 1, content)
        editor.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        told = [(d.range.start.line + 1, d.message) for d in (await faults.get()).diagnostics]
        print(f"{name}: {told}")
    document, place = lsp.TextDocumentIdentifier("file:///right.qcir"), lsp.Position(8, 48)
    hover = await editor.text_document_hover_async(lsp.HoverParams(document, place))
    print(hover.contents.value if hover and isinstance(hover.contents, lsp.MarkupContent) else "")
    await editor.shutdown_async(None)
    editor.exit(None)
    await editor.stop()  # type: ignore[no-untyped-call]


asyncio.run(main())
