"""A language server: faults, meanings and definitions in an editor, and grammars for colours."""

from typing import Final

DECLARES: Final = {"commands": "qsage_validate.extensions.lsp.cli:COMMANDS"}
