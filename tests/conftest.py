from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator
from contextlib import nullcontext
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.support.stuck import ending_within
from tests.support.tiers import full_tests, names_of

REPOSITORY = Path(__file__).resolve().parent.parent
COLLECTED: pytest.StashKey[dict[str, bool]] = pytest.StashKey()
"""All tests that this process has collected, and whether the quick gate leaves them out."""

# Started in the background, or by nohup, the suite is told to ignore these signals, and so would be
# the programs that it starts and interrupts.
for _number, _action in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _action)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


_GATE = os.environ.get("CI") is not None
# Times say nothing on a shared machine; a failing example is printed so that it can be replayed.
settings.register_profile(
    "qsage",
    deadline=None,
    print_blob=True,
    # The gate asks the same questions each time, and fewer; runs by hand go on exploring.
    derandomize=_GATE,
    max_examples=50 if _GATE else 100,
    suppress_health_check=[HealthCheck.too_slow],
)
# For those who ask only whether something fails: small examples of it take minutes to find.
settings.register_profile(
    "unshrunk", settings.get_profile("qsage"), phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("qsage")


def pytest_xdist_auto_num_workers() -> int:
    """Half as many processes again as there are cores: tests that start programs often wait."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) * 3 // 2)


LOG: pytest.StashKey[int] = pytest.StashKey()
"""A descriptor of standard error, which is not captured."""


def pytest_configure(config: pytest.Config) -> None:
    capture = config.pluginmanager.getplugin("capturemanager")
    with nullcontext() if capture is None else capture.global_and_fixture_disabled():
        config.stash[LOG] = os.dup(2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that hangs fails, and the others are run."""
    with ending_within(log=item.config.stash[LOG]):
        return (yield)


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What searches and spawns runs last: ``tests/conformance``, ``tests/e2e``, marked files.

    What the quick gate leaves out gets its mark.
    """
    full = full_tests()
    for item in items:
        if not full.keys().isdisjoint(names_of(item.nodeid)):
            item.add_marker("full")
        config.stash.setdefault(COLLECTED, {})[item.nodeid] = (
            item.get_closest_marker("full") is not None
        )
        if item.nodeid.startswith(("tests/conformance/", "tests/e2e/")):
            item.add_marker("slow")
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


def pytest_collection_finish() -> None:
    """The garbage collector need not look at some thousand tests again and again."""
    gc.collect()
    gc.freeze()
    # Formulas are many small objects that die at once, hardly any of them in circles.
    gc.set_threshold(20_000)


# To make a numbered folder, pytest reads the names of all others: of some thousand, each time.
_NUMBERS = count()


@pytest.fixture(scope="session")
def _states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for the states of all tests."""
    return tmp_path_factory.mktemp("s")


@pytest.fixture(autouse=True)
def state_folder(_states: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a test's plays keep what they keep; not there before they do."""
    parent = _states / str(next(_NUMBERS))
    parent.mkdir()
    folder = parent / "qsage"
    monkeypatch.setenv("QSAGE_STATE", str(folder))
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Formulas, certificates and games of other tools, which are not part of this project.

    They are looked for in ``$QSAGE_SHARED_DATA``, else beside the checkout.
    """
    path = Path(os.environ.get("QSAGE_SHARED_DATA") or REPOSITORY.parent / "shared" / "data")
    if not path.is_dir():
        pytest.skip("no files of other tools: set QSAGE_SHARED_DATA to their folder")
    return path
