"""The evidence: experiments that are run, resumed, spread over machines, and made into tables."""

from typing import Final

from qsage_validate.registry import DeclaredCommand, PublicName

DECLARES: Final = {
    "commands": "qsage_validate.extensions.bench:COMMANDS",
    "names": "qsage_validate.extensions.bench:NAMES",
}
NAMES: Final = (
    PublicName("BenchResults", "qsage_validate.extensions.bench.campaign"),
    PublicName("read_results", "qsage_validate.extensions.bench.campaign"),
)
COMMANDS: Final = (
    DeclaredCommand(
        "bench",
        "Run experiments, and make tables and plots of their results.",
        f"{__name__}.cli",
    ),
)
