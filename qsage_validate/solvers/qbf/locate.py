"""The places of solvers: PyQBF, the PATH, or a config file."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from qsage_validate.errors import install_line
from qsage_validate.solvers.qbf.backend import Missing, SolverProgram


def pyqbf_folder() -> Path | None:
    """The folder of the package PyQBF, without importing it; ``None`` where it is missing."""
    spec = find_spec("pyqbf")
    places = None if spec is None else spec.submodule_search_locations
    return Path(places[0]) if places else None


def pyqbf_version() -> str:
    """The version of PyQBF; ``unknown`` where it was installed without metadata."""
    try:
        return version("pyqbf")
    except PackageNotFoundError:
        return "unknown"


def pyqbf_program(name: str) -> SolverProgram | Missing:
    """The program ``name`` that PyQBF brings.

    PyQBF lies in a prefix of its own with a ``bin`` beside ``lib``; the script of the same
    name on the PATH only starts Python to run that, and is the second choice.
    """
    folder = pyqbf_folder()
    if folder is None:
        return Missing(install_line("solve"))
    for parent in folder.parents:
        path = parent / "bin" / name
        if _runs(path):
            return SolverProgram(str(path), f"of PyQBF {pyqbf_version()}")
    found = shutil.which(name)
    if found is not None:
        return SolverProgram(found, f"of PyQBF {pyqbf_version()}")
    return Missing(f"PyQBF {pyqbf_version()} brings no {name}; {install_line('solve')}")


def on_path(name: str) -> SolverProgram | Missing:
    """The program ``name`` on the PATH; its version is not asked for here."""
    found = shutil.which(name)
    return (
        Missing(f"no program {name!r} on the PATH") if found is None else SolverProgram(found, "")
    )


def at(path: Path) -> SolverProgram | Missing:
    """The program that a config file names."""
    if not path.is_file():
        return Missing(f"no file {path}")
    return SolverProgram(str(path), "") if _runs(path) else Missing(f"{path} is not executable")


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
