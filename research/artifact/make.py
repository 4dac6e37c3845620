"""Makes the artifact: one ZIP for reviewers, with all that an offline installation needs.

    python3 dev.py artifact [-o FILE] [--extras NAMES]

In it: the sources of the last commit, wheels for this Python and this system (PyQBF, which has the
QBF solvers of ``solve``, as the wheel that is compiled here), results and samples, LICENSE, README
and three scripts. What is not committed is not in it.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from qsage_validate import __version__

ROOT = Path(__file__).resolve().parents[2]
NAME = f"qsage-validate-{__version__}-artifact"
EXTRAS = ("solve", "gdl", "impartial", "plot", "frame")
SCRIPTS = ("install.sh", "smoke.sh", "tables.sh", "measure.py")


def git(*arguments: str) -> bytes:
    """What git prints about the checkout."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def pip(*arguments: str) -> None:
    """Run pip; its exit code has to be 0."""
    subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments], check=True
    )


def fill(folder: Path, extras: tuple[str, ...]) -> None:
    """Put everything into ``folder``."""
    source, wheels, data = (folder / name for name in ("source", "wheels", "data"))
    archive = folder / "source.tar"
    archive.write_bytes(git("archive", "--format=tar", "HEAD"))
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(source)
    archive.unlink()
    pins = ("--constraint", str(source / "constraints.txt"), "--quiet")
    # Hypothesis makes the random games and formulas of two tables.
    package = f"{source}[{','.join(extras)}]"
    pip(
        "wheel",
        *pins,
        "--wheel-dir",
        str(wheels),
        "setuptools",
        "hypothesis",
        "pexpect",
        "pyte",
        package,
    )
    shutil.rmtree(source / "build", ignore_errors=True)
    for left in source.glob("*.egg-info"):
        shutil.rmtree(left)
    data.mkdir()
    for pattern in ("research/experiments/*.jsonl*", "certificates/*.qcir", "certificates/*.aig"):
        for path in source.glob(pattern):
            shutil.copy(path, data)
    for name in SCRIPTS:
        shutil.copy(source / "research" / "artifact" / name, folder)
    shutil.copy(source / "LICENSE", folder)
    text = (source / "research" / "artifact" / "README.md").read_text("utf-8")
    built = f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}"
    commit = git("rev-parse", "HEAD").decode().strip()
    (folder / "README.md").write_text(
        f"{text}\n## Built\n\nFrom commit `{commit}`; the wheels are for {built}.\n", "utf-8"
    )


def main() -> int:
    """Make the ZIP; returns the exit code: 2, and a line, when git or pip cannot do their part."""
    try:
        return make()
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        print(f"artifact: {error}", file=sys.stderr)
        return 2


def make() -> int:
    """Make the ZIP."""
    parser = argparse.ArgumentParser(description="Make one ZIP for reviewers.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist" / f"{NAME}.zip")
    parser.add_argument("--extras", default=",".join(EXTRAS), help="which extras it installs")
    arguments = parser.parse_args()
    if git("status", "--porcelain", "--untracked-files=no"):
        print("artifact: what is not committed is left out", file=sys.stderr)
    with TemporaryDirectory() as place:
        folder = Path(place) / NAME
        folder.mkdir()
        fill(folder, tuple(filter(None, arguments.extras.split(","))))
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        written = Path(place) / "artifact.zip"
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(place))
        shutil.move(written, arguments.output)
    megabytes = arguments.output.stat().st_size / (1 << 20)
    print(f"{arguments.output}: {megabytes:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
