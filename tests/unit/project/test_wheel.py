"""What is built: the wheel works in an empty folder, the source distribution is the checkout."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from qsage_validate import errors
from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow

_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
_BUILD = "from setuptools import build_meta as b; b.build_sdist('made'); b.build_wheel('made')"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with wheel and source distribution, built from a copy of the checkout."""
    checkout = tmp_path_factory.mktemp("build") / "checkout"
    shutil.copytree(REPOSITORY, checkout, ignore=_LEFT_OUT)
    shutil.copytree(REPOSITORY / ".github", checkout / ".github")
    subprocess.run([sys.executable, "-c", _BUILD], cwd=checkout, check=True, capture_output=True)
    return checkout / "made"


@pytest.fixture(scope="module")
def installed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked: pip does no more with one of Python alone."""
    folder = tmp_path_factory.mktemp("installed")
    (wheel,) = made.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run(installed: Path, folder: Path, statements: str) -> subprocess.CompletedProcess[str]:
    """Run Python in ``folder`` with the package that is in ``installed``."""
    return subprocess.run(
        [sys.executable, "-c", statements],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["qsage-play", "--moves", "occupy(1,1)"], "ply 3, Black: b3"),
        (["qsage", "play", "sample:hex", "--moves", "(1,1)"], "ply 3, Black: a3"),
        (
            ["qsage", "validate", "sample:hex", "--cert", "sample:hex.aig", "--level", "rules"],
            "sample:hex.qcir with sample:hex.aig: valid",
        ),
    ],
)
def test_the_samples_are_there_without_a_checkout(
    installed: Path, tmp_path: Path, words: list[str], expected: str
) -> None:
    name, *rest = words
    program = "import sys; from qsage_validate.cli.start import main"
    done = run(installed, tmp_path, f"{program}; sys.argv[1:] = {rest!r}; main({name!r})")
    assert expected in done.stdout, done.stderr
    assert not any(tmp_path.iterdir())


def test_a_missing_extra_is_installed_as_the_wheel_was(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "from qsage_validate import errors as e; print(e.__file__)")
    assert Path(done.stdout.strip()).is_relative_to(installed)
    done = run(
        installed, tmp_path, "from qsage_validate.errors import *; print(install_line('gdl'))"
    )
    assert done.stdout == "pip install 'clingo>=5.8'\n"  # unpacked: nobody has recorded whence


def test_a_missing_extra_names_the_file_that_the_wheel_came_from(
    installed: Path, made: Path, tmp_path: Path
) -> None:
    (wheel,) = made.glob("*.whl")
    copied = tmp_path / "site"
    shutil.copytree(installed, copied)
    (record,) = copied.glob("*.dist-info")
    statements = "from qsage_validate.errors import *; print(install_line('gdl'))"
    for url, line in (
        (wheel.as_uri(), f"pip install '{wheel}[gdl]'\n"),
        ("file:///no/such.whl", "pip install 'clingo>=5.8'\n"),
        ("https://a.org/q.whl", "pip install 'qsage-validate[gdl] @ https://a.org/q.whl'\n"),
    ):
        (record / "direct_url.json").write_text(json.dumps({"url": url, "archive_info": {}}))
        assert run(copied, tmp_path, statements).stdout == line
    (record / "direct_url.json").unlink()
    (record / "INSTALLER").write_text("pip\n")
    assert run(copied, tmp_path, statements).stdout == "pip install 'qsage-validate[gdl]'\n"


def test_the_pages_that_messages_name_are_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    program = "import sys; from qsage_validate.cli.start import main"
    said = f"{program}; sys.argv[1:] = ['help', 'solving']; main('qsage')"
    assert run(installed, tmp_path, said).stdout.startswith("# Solving and certifying\n")
    named = set()
    for path in (REPOSITORY / "qsage_validate").rglob("*.py"):
        named |= set(re.findall(r"'qsage help (\S+)'", path.read_text("utf-8")))
    assert len(named) > 3
    listed = run(installed, tmp_path, f"{program}; sys.argv[1:] = ['help']; main('qsage')").stdout
    assert named <= {line.split()[0] for line in listed.splitlines()}


def test_a_missing_extra_is_installed_as_the_checkout_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dev.py").touch()
    monkeypatch.setattr(errors, "__file__", str(tmp_path / "qsage_validate" / "errors.py"))
    assert errors.install_line("gdl") == f"pip install -e '{tmp_path}[gdl]'"
    monkeypatch.chdir(tmp_path)
    assert errors.install_line("gdl") == "pip install -e '.[gdl]'"
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert errors.install_line("gdl") == "python3 dev.py install gdl"
    monkeypatch.chdir("/")
    assert errors.install_line("gdl") == f"python3 {tmp_path}/dev.py install gdl"


def test_the_source_distribution_has_tests_documents_and_samples(made: Path) -> None:
    (archive,) = made.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    for folder in ("tests", "docs", "demos", "certificates", "research", "qsage_validate"):
        here = {
            path.relative_to(REPOSITORY).as_posix()
            for path in (REPOSITORY / folder).rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }
        assert here <= names, sorted(here - names)
    assert {"setup.py", "dev.py", "constraints.txt", "CITATION.cff", "research/paper.md"} <= names


def description() -> ModuleType:
    """``setup.py``, which does nothing when it is imported."""
    spec = importlib.util.spec_from_file_location("setup", REPOSITORY / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_description_has_no_link_into_the_checkout(made: Path) -> None:
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith("METADATA"))
        text = archive.read(name).decode()
    assert "Description-Content-Type: text/markdown" in text
    assert "\n# qsage-validate\n" in text
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert [t for t in targets if "://" not in t and not t.startswith("#")] == []


def test_with_an_address_links_and_pictures_lead_there() -> None:
    text = "![B](docs/a.svg) [x](docs/x.md#y) [z](https://z.org) [up](#up)"
    moved = description().long_description
    assert moved(text, "https://h.org/q") == (
        "![B](https://h.org/q/raw/main/docs/a.svg) [x](https://h.org/q/blob/main/docs/x.md#y) "
        "[z](https://z.org) [up](#up)"
    )
    assert moved(text, None) == " x [z](https://z.org) [up](#up)"
