"""Data says what differs: nobody asks of which kind a layout, a model or a search is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.support.package_trees import package_trees

KINDS = {
    "Layout": "encodings/layout.py",
    "Ply": "encodings/layout.py",
    "StateView": "encodings/layout.py",
    "GridCoding": "encodings/layout.py",
    "NumberedCoding": "encodings/list_codings.py",
    "OneHotCoding": "encodings/list_codings.py",
    "Encoding": "encodings/encoding.py",
    "PlayMatch": "play/match.py",
    "BoardEngine": "arena/board_engine.py",
    "BlockEngine": "arena/blocks.py",
    "HeapEngine": "extensions/impartial/problem.py",
    "HerbrandReader": "strategies/herbrand.py",
    "GdlModel": "extensions/gdl/model.py",
    "BddlPosition": "games/bddl/rules.py",
    "Bounds": "solvers/general_search.py",
    "PositionalEngine": "solvers/positional_search.py",
}
"""Classes of which nobody asks whether something is one, and the module that defines each."""


def questions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The classes that a module asks for, by ``isinstance`` or by a pattern, with the line."""
    for node in ast.walk(tree):
        asked: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass") and len(node.args) == 2:
                asked = [node.args[1]]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare) and _is_type_of(node.left):
            asked = list(node.comparators)
        for part in asked:
            for name in ast.walk(part):
                if isinstance(name, ast.Name):
                    yield name.lineno, name.id
                elif isinstance(name, ast.Attribute):
                    yield name.lineno, name.attr


def _is_type_of(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def test_nobody_asks_for_kinds() -> None:
    found = []
    for module, tree in package_trees().items():
        for line, name in questions(tree):
            if KINDS.get(name, module) != module:
                found.append(f"{module}:{line}: asks whether something is a {name}")
    assert not found, "\n".join(found)


def test_every_kind_is_defined_where_it_is_said() -> None:
    for name, module in KINDS.items():
        body = package_trees()[module].body
        assert name in {node.name for node in body if isinstance(node, ast.ClassDef)}


def test_every_way_to_ask_is_seen() -> None:
    text = (
        "isinstance(x, Layout)\n"
        "isinstance(x, (int, layout.Ply))\n"
        "isinstance(x, GridCoding | OneHotCoding)\n"
        "type(x) is StateView\n"
        "match x:\n    case NumberedCoding():\n        pass\n"
    )
    asked = {name for _, name in questions(ast.parse(text)) if name in KINDS}
    assert asked == {"Layout", "Ply", "StateView", "GridCoding", "NumberedCoding", "OneHotCoding"}
