"""The HTML report of a validation, opened in a Chromium: steps, keys, sizes, colours, print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qsage_validate.api.strategies import load
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.formats.source import sample_path
from qsage_validate.kernel.certificate import CircuitCertificate
from tests.support.chromium import Chromium, chromium
from tests.support.opened import CONTRASTS, NEEDS_CHROMIUM, Opened
from tests.support.plays import with_flipped_fanin

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def refuted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a certificate for Hex with one gate's input negated."""
    folder = tmp_path_factory.mktemp("report")
    strategy = load(sample_path("sample:hex"), sample_path("sample:hex.aig"))
    certificate = strategy.problem.certificate
    assert isinstance(certificate, CircuitCertificate)
    wrong = with_flipped_fanin(certificate, 6)
    (folder / "wrong.aag").write_bytes(
        certificate_bytes(wrong, strategy.problem.formula, binary=False)
    )
    report = load(sample_path("sample:hex"), str(folder / "wrong.aag")).validate()
    assert report.verdict == "refuted"
    report.save_html(folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def fine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    load(sample_path("sample:tic"), sample_path("sample:tic.aig")).validate().save_html(path)
    return path


_FIRST = "document.querySelector('.stepped')"
_SEEN = (
    f"[...{_FIRST}.querySelectorAll('figure')].filter((e) => e.checkVisibility())"
    ".map((e) => e.querySelector('figcaption').firstChild.textContent.trim())"
)


def test_the_report_begins_with_the_verdict_and_the_step_that_is_wrong(
    browser: Chromium, refuted: Path
) -> None:
    opened = Opened(browser, refuted)
    assert opened.run(_SEEN) == ["5. Black occupy(2,3)"]
    # Verdict, play and board are seen without scrolling.
    for selector in (".verdict", ".stepped .steps", ".stepped figure:not([hidden]) svg"):
        box = opened.run(f"document.querySelector('{selector}').getBoundingClientRect().bottom")
        assert 0 < box < 1000, selector
    seen = opened.texts(".stepped figure:not([hidden]) .wrong")
    assert any("end is not the promised win" in text for text in seen)


def test_steps_by_the_mouse_and_by_keys(browser: Chromium, refuted: Path) -> None:
    opened = Opened(browser, refuted)
    opened.button("Back")
    assert opened.run(_SEEN) == ["4. White occupy(1,3)"]
    assert opened.texts(".stepped .steps .note")[0] == "step 4 of 5"
    # A screen reader is told of the step, and sees the one board.
    status = next(n for n in opened.page.accessible() if n["role"]["value"] == "status")
    assert status
    assert opened.texts(".stepped [role=status]")[0].strip() == "4. White occupy(1,3)"
    pictures = [
        n["name"]["value"] for n in opened.page.accessible() if n["role"]["value"] == "image"
    ]
    assert [name for name in pictures if name.startswith("4. White occupy(1,3)")]
    assert not [name for name in pictures if name.startswith("3. Black")]
    opened.press("ArrowLeft", "ArrowLeft")
    assert opened.run(_SEEN) == ["2. White occupy(2,1)"]
    opened.press("Home")
    assert opened.run(_SEEN) == ["Start"]
    # The button that cannot be used keeps the focus, and does nothing.
    opened.press("Enter")
    assert opened.focused == "Back"
    assert opened.run(_SEEN) == ["Start"]
    opened.press("End")
    assert opened.run(_SEEN) == ["5. Black occupy(2,3)"]
    opened.button("All steps")
    assert len(opened.run(_SEEN)) == 6
    opened.button("All steps")
    assert opened.run(_SEEN) == ["5. Black occupy(2,3)"]
    # A step ends it, too.
    opened.button("All steps")
    opened.button("Back")
    assert opened.run(_SEEN) == ["4. White occupy(1,3)"]


def test_print_and_pages_without_scripts_have_all_steps(browser: Chromium, refuted: Path) -> None:
    opened = Opened(browser, refuted)
    opened.page.send("Emulation.setEmulatedMedia", media="print")
    assert len(opened.run(_SEEN)) == 6
    assert opened.run("document.querySelector('.steps').checkVisibility()") is False
    without = browser.page()
    without.send("Emulation.setScriptExecutionDisabled", value=True)
    without.open(refuted.as_uri())
    shown = [n for n in without.accessible() if n["role"]["value"] == "image"]
    names = {node["name"]["value"].partition(" ")[0] for node in shown}
    assert names >= {"Start", "1.", "2.", "3.", "4.", "5."}


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_cut_off_at_any_width(
    browser: Chromium, refuted: Path, fine: Path, width: int
) -> None:
    for path in (refuted, fine):
        opened = Opened(browser, path, width, 844)
        assert opened.run("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_contrast_by_light_and_dark(browser: Chromium, refuted: Path, colours: str) -> None:
    opened = Opened(browser, refuted, colours=colours)
    found = opened.run(CONTRASTS)
    assert found["texts"] > 50
    assert found["worst"] >= 4.5
    assert min(found["black"], found["white"], found["buttons"]) >= 3


def test_nothing_is_asked_of_the_network_and_nothing_complains(
    browser: Chromium, fine: Path
) -> None:
    opened = Opened(browser, fine)
    opened.button("Next")
    assert opened.run(_SEEN) == ["1. Black occupy(2,2)"]
    asked = [e for e in opened.events if e.get("method") == "Network.requestWillBeSent"]
    assert [e["params"]["request"]["url"] for e in asked] == [opened.address]
    complaints = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
    assert not [e for e in opened.events if e.get("method") in complaints]
