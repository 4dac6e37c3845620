"""Count what makes the package large to live in: modules, lines, imports, names.

    python research/counts.py [--list]

A line of code is one with a token that is neither a comment nor a docstring.  An import counts
with all of its lines.  ``--list`` names the modules with a single importer, which stands in their
own folder, and the classes whose names are defined more than once.
"""

from __future__ import annotations

import argparse
import ast
import io
import textwrap
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parents[1] / "qsage_validate"
WRITTEN_OUT: Final = "extensions/explain/standalone.py"
"""The text of this module is printed as a part of programs, which have names of their own."""

_NO_CODE: Final = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of a package; names are those of classes, by the modules that define them."""

    modules: int
    lines: int
    code: int
    imports: int
    not_none: int
    public_twice: Mapping[str, list[str]]
    private_twice: Mapping[str, list[str]]
    single: Mapping[str, str]
    """The modules with one importer, which is in the same folder, and that importer."""


def counts(texts: Mapping[str, str]) -> Counts:
    """The counts of the modules with these ``texts``, by path in the package (``cli/app.py``)."""
    trees = {path: ast.parse(text) for path, text in texts.items()}
    nodes = {path: list(ast.walk(tree)) for path, tree in trees.items()}
    code = {path: code_lines(text, trees[path]) for path, text in texts.items()}
    imported = [
        n for found in nodes.values() for n in found if isinstance(n, (ast.Import, ast.ImportFrom))
    ]
    places: dict[str, list[str]] = defaultdict(list)
    for path, found in nodes.items():
        for node in found:
            if isinstance(node, ast.ClassDef) and path != WRITTEN_OUT:
                places[node.name].append(path)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    return Counts(
        modules=len(texts),
        lines=sum(len(text.splitlines()) for text in texts.values()),
        code=sum(map(len, code.values())),
        imports=sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in imported),
        not_none=sum(_says_not_none(n) for found in nodes.values() for n in found),
        public_twice={name: where for name, where in twice.items() if not name.startswith("_")},
        private_twice={name: where for name, where in twice.items() if name.startswith("_")},
        single=single_importers(trees),
    )


def code_lines(text: str, tree: ast.Module) -> set[int]:
    """The numbers of the lines that have code."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, _Documented) and ast.get_docstring(node) is not None:
            text_of = node.body[0]
            found.difference_update(range(text_of.lineno, (text_of.end_lineno or 0) + 1))
    return found


def single_importers(trees: Mapping[str, ast.Module]) -> dict[str, str]:
    """The modules that one module alone imports, late or not, from the same folder."""
    names = {_name(path): path for path in trees}
    importers: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for module in _imported(tree):
            if names.get(module, path) != path:
                importers[names[module]].add(path)
    return {
        path: importer
        for path, (importer, *others) in sorted((p, sorted(i)) for p, i in importers.items())
        if not others and Path(path).parent == Path(importer).parent
        if Path(path).name != "__init__.py"
    }


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _name(path: str) -> str:
    return f"{PACKAGE.name}.{path[:-3].replace('/', '.')}".removesuffix(".__init__")


def _says_not_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) and ast.unparse(node.test).endswith("is not None")


def tree() -> str:
    """The folders with the modules of each behind it, as `architecture.md` has them."""
    lines = [f"{PACKAGE.name}/"]
    for folder in sorted(p for p in PACKAGE.rglob("*") if p.is_dir() and p.name != "__pycache__"):
        modules = sorted(p.stem for p in folder.glob("*.py") if p.name != "__init__.py")
        if not modules and not (folder / "__init__.py").is_file():
            continue
        place = folder.relative_to(PACKAGE)
        head = f"{'  ' * len(place.parts)}{place.name}/".ljust(22)
        text = " ".join(modules)
        own = textwrap.wrap(text, 100, initial_indent=head, subsequent_indent=" " * len(head))
        lines += own or [head.rstrip()]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the modules and the classes")
    parser.add_argument("--tree", action="store_true", help="draw the folders and no more")
    options = parser.parse_args(arguments)
    if options.tree:
        print(tree())
        return
    listed = options.list
    files = sorted(PACKAGE.rglob("*.py"))
    found = counts({p.relative_to(PACKAGE).as_posix(): p.read_text("utf-8") for p in files})
    print(f"modules                              {found.modules:8,}")
    print(f"lines                                {found.lines:8,}")
    print(f"lines of code                        {found.code:8,}")
    print(f"imports, share of code               {found.imports / found.code:8.1%}")
    print(f"modules with one importer, beside it {len(found.single):8,}")
    print(f"class names defined twice, public    {len(found.public_twice):8,}")
    print(f"class names defined twice, private   {len(found.private_twice):8,}")
    print(f"asserts 'is not None'                {found.not_none:8,}")
    if listed:
        for field in fields(Counts)[-3:]:
            print(f"\n{field.name}")
            for name, where in getattr(found, field.name).items():
                print(f"  {name}: {where if isinstance(where, str) else ', '.join(where)}")


if __name__ == "__main__":
    main()
