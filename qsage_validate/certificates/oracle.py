"""The question that a certificate answers: the values of everything under an opponent's choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import Exit, QsageError, one_line

Choice = Mapping[int, bool]


class Oracle(Protocol):
    """Answers under total or partial choices of the opponent's variables.

    A choice maps opponent variables to values; those that are left out are fixed to false, so
    that an answer is one play and not a mixture of several.  What may be asked for: the
    variables of the prefix, the gates of the matrix (by the formula's own definitions) and
    other names that the certificate has functions for; where such a name is a gate of the
    formula as well, the formula's gate is meant.
    """

    @property
    def opponent(self) -> tuple[int, ...]:
        """The variables that a choice may set, in the order of the prefix."""
        ...

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        """The values of ``wanted`` (QBF variables or gates of the matrix) under ``choice``.

        Don't-cares of the certificate read as false.  Raises ``KeyError`` for a variable that
        neither formula nor certificate has, and for a choice of a variable that is not the
        opponent's; :class:`NoAnswerError` when the certificate has no answer.
        """
        ...

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        """The values of ``wanted`` under each choice, shape ``(len(choices), len(wanted))``.

        Errors as for :meth:`values`.
        """
        ...


def ask(
    oracle: Oracle, choices: Sequence[Mapping[int, bool]], literals: Sequence[int]
) -> NDArray[np.bool_]:
    """The values of signed ``literals`` under each choice.

    Shape ``(len(choices), len(literals))``; errors as for ``Oracle.values``.
    """
    variables = list(dict.fromkeys(abs(literal) for literal in literals))
    if not choices or not variables:
        return np.zeros((len(choices), len(literals)), dtype=np.bool_)
    table = oracle.many(choices, variables)
    column = {variable: k for k, variable in enumerate(variables)}
    chosen: NDArray[np.bool_] = table[:, [column[abs(literal)] for literal in literals]]
    return chosen ^ np.asarray([literal < 0 for literal in literals], dtype=np.bool_)


class NoAnswerError(QsageError):
    """The oracle has no answer to a choice of the opponent's; the text says why."""

    exit_code = Exit.REFUTED


def no_answer(path: str | None, choice: Choice) -> NoAnswerError:
    """The error of a certificate whose clauses cannot be satisfied under a choice."""
    literals = " ".join(str(v if value else -v) for v, value in sorted(choice.items()))
    return NoAnswerError(
        one_line(f"{path or 'the certificate'}: its clauses leave no answer to {literals}")
    )
