"""A class name means one class, so that a reader who meets it need not look at the imports."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping

from tests.support.package_trees import package_trees

MOST_PRIVATE = 15
"""Private names that several modules may have, as ``_Reader``: nobody imports them."""

WRITTEN_OUT = "extensions/explain/standalone.py"
"""The text of this module is printed as a part of programs, which have names of their own."""


def places_of(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """The modules that define a class, by its name; nested classes are counted too."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and path != WRITTEN_OUT:
                places[node.name].append(path)
    return places


def repeated(places: Mapping[str, list[str]], *, private: bool) -> dict[str, list[str]]:
    return {
        name: paths
        for name, paths in places.items()
        if len(paths) > 1 and name.startswith("_") is private
    }


def test_public_class_names_are_defined_once() -> None:
    assert repeated(places_of(package_trees()), private=False) == {}


def test_few_private_class_names_are_defined_more_than_once() -> None:
    names = repeated(places_of(package_trees()), private=True)
    assert len(names) <= MOST_PRIVATE, names


def test_a_second_definition_is_found() -> None:
    trees = {
        "a.py": ast.parse("class Step: ...\nclass _Line: ..."),
        "b.py": ast.parse("class Walk:\n    class Step: ...\nclass _Line: ..."),
    }
    assert repeated(places_of(trees), private=False) == {"Step": ["a.py", "b.py"]}
    assert repeated(places_of(trees), private=True) == {"_Line": ["a.py", "b.py"]}


def test_the_module_that_is_written_out_exists() -> None:
    assert WRITTEN_OUT in package_trees()
