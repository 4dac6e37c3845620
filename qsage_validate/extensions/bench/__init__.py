"""The evidence: experiments that are run, resumed, spread over machines, and made into tables."""

from typing import Final

from qsage_validate.registry import PublicName

DECLARES: Final = {
    "commands": "qsage_validate.extensions.bench.cli:COMMANDS",
    "names": "qsage_validate.extensions.bench:NAMES",
}
NAMES: Final = (
    PublicName("BenchResults", "qsage_validate.extensions.bench.campaign"),
    PublicName("read_results", "qsage_validate.extensions.bench.campaign"),
)
