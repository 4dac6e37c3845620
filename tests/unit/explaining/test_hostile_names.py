"""Names from files reach every form of an explanation as text, whatever is in them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from qsage_validate.errors import Exit
from tests.support.commands import run_qsage

NAMES = ('</script><b>"a', "a&b;'\\", 'c"d\\n', "|e|f;", "${g}")
ONE, TWO, THREE, FOUR, _ = NAMES
GAME = "\n".join(
    (
        "#blackinitials", "#whiteinitials", "#times", "t1 t2 t3", "#blackturns", "t1 t3",
        "#positions", " ".join(NAMES), "#blackwins",
        f"{ONE} {TWO}", f"{ONE} {THREE}", f"{ONE} {FOUR}", "",
    )
)  # fmt: skip
FORMS = ("txt", "json", "dot", "html", "svg", "py", "smt2", "lesson.html")


class Elements(HTMLParser):
    """The names of all elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self.seen.add(tag)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("hostile")
    (found / "h.pg").write_text(GAME, encoding="utf-8")
    for form in FORMS:
        words = ("explain", str(found / "h.pg"), "-o", str(found / f"x.{form}"))
        assert run_qsage(words) == Exit.FINE, form
    return found


def test_pages_and_drawings_have_no_elements_of_the_names(folder: Path) -> None:
    for form in ("html", "lesson.html"):
        page = Elements()
        page.feed((folder / f"x.{form}").read_text("utf-8"))
        assert "svg" in page.seen
        # A page of exercises has its own bold answers.
        assert page.seen.isdisjoint({"script", "b"} if form == "html" else {"script"})
    drawn = ElementTree.parse(folder / "x.svg").getroot()
    assert not [x for x in drawn.iter() if x.tag.rpartition("}")[2] in ("b", "script")]


def test_data_and_programs_can_be_read(folder: Path) -> None:
    assert json.loads((folder / "x.json").read_text("utf-8"))["proved"]
    ast.parse((folder / "x.py").read_text("utf-8"))
    done = subprocess.run(
        [sys.executable, str(folder / "x.py")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"reply: {ONE}" in done.stdout


def test_the_claim_is_proved_by_z3(folder: Path) -> None:
    z3 = pytest.importorskip("z3", reason="z3 is not installed (extra impartial)")
    claim = (folder / "x.smt2").read_text("utf-8")
    assert z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), claim).split() == ["unsat"]
