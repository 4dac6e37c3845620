"""What pyproject.toml cannot say: samples and documents go into the package, the README out.

setuptools runs this when it builds; everything else is in pyproject.toml.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SAMPLES = sorted(
    p
    for p in (ROOT / "certificates").iterdir()
    if p.suffix in (".qcir", ".aig", ".pg", ".hexs", ".gz")
)
# The pages that 'qsage help' shows; those that Sphinx fills are left to 'qsage COMMAND --help'.
PAGES = sorted(
    p
    for kind in ("tutorials", "how-to", "explanation", "reference", "results")
    for p in (ROOT / "docs" / kind).glob("*.md")
    if p.stem != "index" and "{eval-rst}" not in p.read_text("utf-8")
)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")


def long_description(readme: str, repository: str | None) -> str:
    """``readme`` with links and pictures that hold outside of the checkout.

    They lead to the ``repository``, the address of project.urls in pyproject.toml. Without one,
    links become their text and pictures are left out: no index has the files.
    """

    def moved(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        if repository is None:
            return "" if picture else text
        return f"{picture}[{text}]({repository}/{'raw' if picture else 'blob'}/main/{target})"

    return _LINK.sub(moved, readme)


class WithSamples(build_py):
    """Copies samples and documents into the package: a checkout has them in folders of its own."""

    def _samples(self) -> dict[str, Path]:
        package = Path(self.build_lib, "qsage_validate")
        samples = {str(package / "samples" / path.name): path for path in SAMPLES}
        return samples | {str(package / p.relative_to(ROOT)): p for p in PAGES}

    def run(self) -> None:
        super().run()
        # An editable installation is the checkout.
        for target, path in {} if self.editable_mode else self._samples().items():
            self.mkpath(str(Path(target).parent))
            shutil.copyfile(path, target)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """The files of the package, samples and documents among them."""
        return [*super().get_outputs(include_bytecode), *self._samples()]


def _repository() -> str | None:
    found = re.search(r'^Repository = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    return None if found is None else found.group(1)


if __name__ == "__main__":
    setup(
        cmdclass={"build_py": WithSamples},
        long_description=long_description((ROOT / "README.md").read_text("utf-8"), _repository()),
        long_description_content_type="text/markdown",
    )
