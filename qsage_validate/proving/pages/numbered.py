"""The words of a page: moves and atoms as numbers, so that no two are taken for one."""

from __future__ import annotations

from qsage_validate.errors import one_line


class NumberedTexts:
    """Texts by their numbers.  What is shown of them is cut, and differs where the texts do."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """The texts in one line each; where two would look alike, with a number behind them."""
        seen: set[str] = set()
        found = []
        for text in self._numbers:
            line = shown = one_line(text)
            count = 1
            while shown in seen:
                count += 1
                shown = f"{line} [{count}]"
            seen.add(shown)
            found.append(shown)
        return found
