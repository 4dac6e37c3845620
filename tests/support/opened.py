"""Pages of files in a Chromium, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.chromium import PROGRAM, Chromium, Page

NEEDS_CHROMIUM = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
"""Skips a test where there is no browser."""

CONTRASTS: Final = """(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length && c[3] !== 0) return c;
    }
    throw new Error("nothing is behind it");
  };
  const texts = [...document.querySelectorAll("body *")].filter((e) => !e.closest("svg, script") &&
    e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
  const worst = Math.min(...texts.map((e) => ratio(parse(getComputedStyle(e).color), behind(e))));
  const fill = (s) => parse(getComputedStyle(document.querySelector(s)).fill);
  const wood = fill(".qs-cell");
  const stroke = parse(getComputedStyle(document.querySelector(".qs-white")).stroke);
  const outline = [...document.querySelectorAll("button")].filter((e) => e.checkVisibility())
    .map((e) => ratio(parse(getComputedStyle(e).borderTopColor), behind(e.parentElement)));
  return {
    texts: texts.length, worst, black: ratio(fill(".qs-black"), wood),
    white: Math.max(ratio(fill(".qs-white"), wood), ratio(stroke, wood)),
    buttons: Math.min(...outline),
  };
})()"""
"""The lowest contrasts of a page: of its text, of stones on squares, of the outlines of buttons."""


class Opened:
    """A file in a tab of a browser, and what a person does there."""

    def __init__(
        self,
        browser: Chromium,
        path: Path,
        width: int = 1280,
        height: int = 1000,
        colours: str = "light",
    ) -> None:
        self.page: Page = browser.page()
        self.run = self.page.run
        self.page.send("Network.enable")
        self.page.send("Log.enable")
        self.page.size(width, height, mobile=width < 500)
        self.page.media(prefers_color_scheme=colours)
        self.browser, self.address = browser, path.as_uri()
        self._before = len(browser.events)
        self.page.open(self.address)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What the browser has told since the page was asked for."""
        return self.browser.events[self._before :]

    def text(self, id_: str) -> str:
        found: str = self.run(f"document.getElementById({json.dumps(id_)}).textContent")
        return found

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"
        )
        return found

    def square(self, x: int, y: int) -> None:
        """Click on a square of the board, with the mouse."""
        at = self.run(
            f"""(() => {{
              const [cx, cy] = JSON.parse(document.getElementById("data").textContent)
                .centres["({x},{y})"];
              const svg = document.querySelector("#board svg");
              svg.scrollIntoView({{ block: "center" }});
              const point = new DOMPoint(cx, cy).matrixTransform(svg.getScreenCTM());
              return [point.x, point.y];
            }})()"""
        )
        self.page.click(*at)

    def button(self, name: str) -> None:
        """Click on a button, with the mouse."""
        at = self.run(
            f"""(() => {{
              const button = [...document.querySelectorAll("button")]
                .find((e) => e.textContent === {json.dumps(name)} && e.offsetParent);
              button.scrollIntoView({{ block: "center" }});
              const box = button.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"""
        )
        self.page.click(*at)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.press(key)

    @property
    def focused(self) -> str:
        """The text of the element with the focus."""
        found: str = self.run("document.activeElement.textContent")
        return found

    def tab_to(self, name: str) -> None:
        """Press the tab key until an element has the focus."""
        for _ in range(12):
            if self.focused == name:
                return
            self.press("Tab")
        raise AssertionError(f"the tab key does not come to {name!r}")

    def node(self, role: str, name: str) -> dict[str, Any]:
        """The one node of the accessibility tree with a role and a name."""
        (found,) = (
            node
            for node in self.page.accessible()
            if (node["role"]["value"], node.get("name", {}).get("value")) == (role, name)
        )
        return found
