"""Draw docstrings of the package at random, to be judged by a reader.

    python research/docstrings.py [--seed N] [--count N] [--room FOLDER]

Each one is printed with its place and the signature that it belongs to.  The reader asks of each:
does it say what a caller cannot see from the signature?  Modules, classes, functions and methods
are drawn alike; the number of all is printed last.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parents[1] / "qsage_validate"
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Place, signature and text of each docstring in a folder."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                line = 1 if isinstance(node, ast.Module) else node.lineno
                yield f"{name}:{line}", signature(node), text


def signature(node: Documented) -> str:
    """The first line of a definition; a module has none."""
    if isinstance(node, ast.Module):
        return "module"
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}({', '.join(map(ast.unparse, node.bases))})"
    returns = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def main(arguments: list[str] | None = None) -> None:
    """Draw, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--room", default="", help="a folder of the package, as arena")
    options = parser.parse_args(arguments)
    known = list(docstrings(PACKAGE / options.room))
    drawn = random.Random(options.seed).sample(known, min(options.count, len(known)))
    for place, said, text in sorted(drawn):
        print(f"{place}\n    {said}")
        print("".join(f"    | {line}\n" for line in text.splitlines()))
    print(f"{len(drawn)} of {len(known)} docstrings")


if __name__ == "__main__":
    main()
