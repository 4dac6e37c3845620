"""The counts of the package: what is an import, a line of code, a single importer."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.counts import counts, main

BIRD = '''"""What flies.

It has two wings.
"""

from qsage_validate.zoo.egg import (
    Egg,
    Shell,
)


class Bird:
    """Lays eggs."""

    # By night.
    def lay(self) -> Egg:
        from qsage_validate.zoo.egg import laid

        egg = laid(self)
        assert egg is not None
        return egg


class _Wing: ...
'''
EGG = "class Shell: ...\nclass Egg: ...\nclass _Wing: ...\n"
ZOO = {"zoo/__init__.py": '"""A zoo."""\n', "zoo/bird.py": BIRD, "zoo/egg.py": EGG}


def test_a_package_is_counted() -> None:
    found = counts(ZOO)
    assert (found.modules, found.lines) == (3, len(BIRD.splitlines()) + 4)
    assert found.code == 4 + 1 + 1 + 1 + 3 + 1 + 3
    assert found.imports == 5
    assert found.not_none == 1
    assert found.public_twice == {}
    assert found.private_twice == {"_Wing": ["zoo/bird.py", "zoo/egg.py"]}


def test_a_single_importer_is_one_beside_the_module() -> None:
    assert counts(ZOO).single == {"zoo/egg.py": "zoo/bird.py"}
    late = "def f():\n    from qsage_validate.zoo import egg\n    return egg\n"
    assert counts({**ZOO, "zoo/nest.py": late}).single == {}
    assert counts({"shop.py": BIRD, "zoo/egg.py": EGG}).single == {}


def test_the_counts_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("research.counts.PACKAGE", tmp_path / "qsage_validate")
    for name, text in ZOO.items():
        (tmp_path / "qsage_validate" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "qsage_validate" / name).write_text(text, encoding="utf-8")
    main(["--list"])
    told = capsys.readouterr().out
    assert "imports, share of code                  35.7%\n" in told
    assert "  _Wing: zoo/bird.py, zoo/egg.py\n" in told
    assert "\nsingle\n  zoo/egg.py: zoo/bird.py\n" in told
