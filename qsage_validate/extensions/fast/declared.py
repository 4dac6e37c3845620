"""Which games are searched more quickly, and by what; nothing else is loaded."""

from typing import Final

from qsage_validate.solvers.search_engine import DeclaredEngine

ENGINES: Final = (
    DeclaredEngine(
        languages=("bddl", "gdl"),
        general=f"{__package__}.engines:general",
        stage=f"{__package__}.engines:stage",
        check=f"{__package__}.numba_cache:check_compiled",
        farm=f"{__package__}.farm:farmed",
    ),
)
