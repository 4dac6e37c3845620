"""What pyproject.toml and constraints.txt say fits together and covers the package."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from qsage_validate import __version__
from tests.conftest import REPOSITORY

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
PINS = [
    Requirement(line)
    for line in (REPOSITORY / "constraints.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
DEPENDENCIES = [
    Requirement(text)
    for text in (
        *PROJECT["project"]["dependencies"],
        *(
            t
            for x, ts in PROJECT["project"]["optional-dependencies"].items()
            if x != "all"
            for t in ts
        ),
    )
]


def pinned(name: str, python: str) -> list[str]:
    """The versions that the constraints allow for a package on a Python."""
    environment = {"python_version": python}
    return [
        next(iter(pin.specifier)).version
        for pin in PINS
        if canonicalize_name(pin.name) == canonicalize_name(name)
        and (pin.marker is None or pin.marker.evaluate(environment))
    ]


def test_the_constraints_are_exact_and_name_no_host() -> None:
    for pin in PINS:
        assert pin.url is None
        (specifier,) = pin.specifier
        assert specifier.operator == "=="


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("dependency", DEPENDENCIES, ids=lambda d: d.name)
def test_every_dependency_is_pinned_once_to_a_version_that_it_allows(
    dependency: Requirement, python: str
) -> None:
    if dependency.marker is not None and not dependency.marker.evaluate({"python_version": python}):
        return
    (version,) = pinned(dependency.name, python)
    assert dependency.specifier.contains(version, prereleases=True)


@pytest.mark.parametrize("python", PYTHONS)
def test_no_package_is_pinned_twice(python: str) -> None:
    for pin in PINS:
        assert len(pinned(pin.name, python)) <= 1


def test_the_supported_pythons_are_those_that_are_declared() -> None:
    prefix = "Programming Language :: Python :: 3."
    declared = [c for c in PROJECT["project"]["classifiers"] if c.startswith(prefix)]
    assert [c.removeprefix("Programming Language :: Python :: ") for c in declared] == [*PYTHONS]
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"


def test_every_data_file_of_the_package_is_installed() -> None:
    package = REPOSITORY / "qsage_validate"
    covered = {
        path
        for pattern in PROJECT["tool"]["setuptools"]["package-data"]["qsage_validate"]
        for path in package.glob(pattern)
    }
    data = {
        path
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }
    assert data <= covered
    assert package / "py.typed" in covered


def test_every_folder_of_code_is_a_package() -> None:
    package = REPOSITORY / "qsage_validate"
    for source in package.rglob("*.py"):
        assert (source.parent / "__init__.py").exists(), source.parent


def test_the_entry_points_exist() -> None:
    from qsage_validate.cli import start

    scripts = PROJECT["project"]["scripts"]
    assert set(scripts) == {"qsage", "qsage-play", "qsage-validate"}
    for target in scripts.values():
        module, _, function = target.partition(":")
        assert module == start.__name__
        assert callable(getattr(start, function))


def test_the_version_is_one_and_has_its_entry_in_the_changelog() -> None:
    Version(__version__)
    text = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## \[([^\]]+)\]", text, re.M)
    assert headings[0] == "Unreleased" or headings[0] == __version__


def test_nothing_in_the_checkout_knows_where_it_was_made() -> None:
    """No file names a home directory or a temporary one of the machine that it was made on."""
    wrong = []
    for path in tracked_texts():
        text = path.read_text("utf-8", errors="replace")
        if re.search(r"(?<![\w.])/(?:home|root|Users)/\w", text):
            wrong.append(path.relative_to(REPOSITORY).as_posix())
    assert wrong == []


def tracked_texts() -> list[Path]:
    folders = ("qsage_validate", "tests", "docs", "demos", "research", "certificates")
    suffixes = {
        ".py",
        ".md",
        ".toml",
        ".txt",
        ".svg",
        ".qcir",
        ".csv",
        ".css",
        ".jinja",
        ".tcss",
        ".ig",
    }
    return [
        path
        for folder in folders
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in suffixes and path.name != Path(__file__).name
    ]
