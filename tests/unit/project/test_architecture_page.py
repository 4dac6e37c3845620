"""The page on architecture names files, folders and classes that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from research.counts import tree
from tests.support.package_trees import PACKAGE, package_trees

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/explanation/architecture.md").read_text("utf-8")
FILES_TO_READ_FIRST = 10


def paths_in(text: str) -> Iterator[str]:
    """What stands in backticks and looks like a path: with a slash, or the name of a module."""
    for word in re.findall(r"`([^`\s]+)`", text):
        if "/" in word or word.endswith((".py", ".toml")):
            yield word


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def rows() -> dict[str, str]:
    """The table of layers: what is said of each."""
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section("Layers"), flags=re.MULTILINE))


def names_of(statement: ast.stmt) -> Iterator[str]:
    """The class, function or alias that a statement of a module defines."""
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
        yield statement.name
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def exists(word: str, *folders: Path) -> bool:
    return any((folder / word).exists() for folder in (*folders, PACKAGE, ROOT))


def test_the_tree_of_the_page_is_the_tree() -> None:
    """It had lost modules that came later: nothing held it to the folders."""
    (drawn,) = re.findall(r"```text\n(qsage_validate/\n.*?)\n```", section("The tree"), re.DOTALL)
    assert drawn == tree()


def test_every_path_of_the_page_exists() -> None:
    outside = PAGE.replace(section("Layers"), "")
    assert [word for word in paths_in(outside) if not exists(word)] == []


@pytest.mark.parametrize("layer", sorted(rows()))
def test_every_path_in_the_table_of_layers_exists(layer: str) -> None:
    room = PACKAGE / layer
    below = [folder for folder in room.rglob("*") if folder.is_dir()] if room.is_dir() else []
    assert [word for word in paths_in(rows()[layer]) if not exists(word, room, *below)] == []


def test_the_table_of_layers_has_each_room_of_the_package() -> None:
    packages = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    modules = {file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("__")}
    assert set(rows()) == packages | modules


def test_the_ten_files_are_named_at_the_beginning() -> None:
    listed = re.findall(r"^\d+\. `([^`]+)`:", section("Ten files to read first"), re.MULTILINE)
    assert len(set(listed)) == len(listed) == FILES_TO_READ_FIRST
    assert all((PACKAGE / name).is_file() for name in listed)
    assert re.findall(r"^## (.*)", PAGE, re.MULTILINE)[0] == "Ten files to read first"


def test_types_are_defined_where_the_page_says() -> None:
    named = re.findall(r"^- ((?:`\w+`(?:, | and )?)+) \(`([^`]+\.py)`\)", PAGE, re.MULTILINE)
    assert len(named) > 10
    for names, path in named:
        defined = {name for node in package_trees()[path].body for name in names_of(node)}
        assert set(re.findall(r"`(\w+)`", names)) <= defined, path
