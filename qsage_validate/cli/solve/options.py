"""The options of commands that run solvers, and what their words mean."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer


class Preprocessor(str, Enum):
    """What a formula goes through before a clause solver gets it."""

    BLOQQER = "bloqqer"
    NONE = "none"


TimeoutOption = Annotated[
    float | None, typer.Option(min=0, metavar="SECONDS", help="Give up after so many seconds.")
]
MemoryOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="MB", help="Memory of each program, and of the table of a search."),
]
SolverOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="A QBF solver (see 'qsage info --solvers'), or 'search'."),
]
PreprocessOption = Annotated[
    Preprocessor | None,
    typer.Option(help="What a formula goes through first; default: bloqqer, where it is there."),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The encoding of a game (see 'qsage games --encodings')."),
]
