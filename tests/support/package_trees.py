"""The modules of the package as syntax trees, parsed once for all tests that read them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import qsage_validate

PACKAGE = Path(qsage_validate.__file__).parent


@cache
def package_trees() -> Mapping[str, ast.Module]:
    """The tree of each module, by its path in the package (``circuit/aig.py``)."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
