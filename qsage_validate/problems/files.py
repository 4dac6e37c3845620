"""The files and options that say what a problem is."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace

from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.circuit.qbf import PrenexOrder
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import Format, label, read_bytes, sniff, unknown_format
from qsage_validate.kernel.certificate import Dialect

_CERTIFICATE_SUFFIXES = (".aig", ".aag", ".cert.aig", ".cert.aag", ".cnf", ".cert.cnf")
_COMPRESSED = ("", ".gz", ".xz", ".bz2")


@dataclass(frozen=True, slots=True)
class Files:
    """The files and options that say what is played.

    ``formula`` may be missing or be itself a clause certificate; ``certificate``, ``meta`` may
    be found beside it; ``game`` are the words after ``--game``: two files, or a game by name
    with its options.  ``as_blocks`` asks for the formula's blocks even where a layout is known,
    ``unchecked_dependencies`` for certificates whose functions look to their right as well: they
    read false for what is not chosen yet.  ``made_from`` are the words of a game from which
    formula and certificate were made for this play alone.  ``prenex`` is where the quantifiers of
    quantifier gates go, ``None`` where the prefix becomes shorter.  ``solver`` answers what no
    certificate does, within ``seconds`` for each reply; ``status`` is the formula's value where it
    is known; of the certificate only the functions of its first ``blocks`` are used.
    ``assertions`` are files with what is to hold in every play.  ``explained`` says that the
    certificate of a program is played in the place of the one that is named.
    """

    formula: str | None = None
    certificate: str | None = None
    meta: str | None = None
    game: tuple[str, ...] = ()
    dialect: Dialect | None = None
    engine: OracleKind = OracleKind.AUTO
    as_blocks: bool = False
    unchecked_dependencies: bool = False
    made_from: tuple[str, ...] = ()
    prenex: PrenexOrder | None = None
    solver: str | None = None
    seconds: float | None = None
    status: bool | None = None
    blocks: int | None = None
    assertions: tuple[str, ...] = ()
    explained: bool = False

    @property
    def name(self) -> str:
        """The name of the inputs in a report: by the files, or by the words of the game."""
        named = [label(path) for path in (self.formula, self.certificate) if path is not None]
        words = (word for word in self.made_from if word not in ("--model", "--game"))
        return " with ".join(dict.fromkeys(named)) or " ".join(words)

    def command(self, *arguments: str) -> str:
        """The command line that plays these files with more ``arguments``."""
        words = ["qsage-play", *self.made_from]
        if not self.made_from:
            words += [] if self.formula is None else [label(self.formula)]
            words += [] if self.certificate is None else ["--cert", label(self.certificate)]
        words += [] if self.meta is None else ["--meta", self.meta]
        if len(self.game) == 2:
            words += ["--game", *self.game]
        elif self.game:
            words += ["--model", shlex.join(self.game)]
        words += [] if self.prenex is None else ["--prenex", self.prenex.value]
        words += [] if self.solver is None else ["--solver", self.solver]
        words += [] if self.seconds is None else ["--timeout", f"{self.seconds:g}"]
        words += [] if self.status is None else ["--status", str(self.status).lower()]
        words += [] if self.blocks is None else ["--blocks", str(self.blocks)]
        words += [] if self.dialect is None else ["--dialect", self.dialect.value]
        words += [word for path in self.assertions for word in ("--assert", path)]
        words += [] if self.engine is OracleKind.AUTO else [f"--{self.engine.value}"]
        words += ["--bare"] * self.as_blocks + ["--peeking"] * self.unchecked_dependencies
        words += ["--explain"] * self.explained
        return shlex.join([*words, *arguments])

    def __repr__(self) -> str:
        return f"<Files {self.name}>"


def sorted_out(files: Files) -> Files:
    """The files with the certificate in its place, found beside the formula if need be.

    Raises ``UsageError`` where there is none.
    """
    one = files.formula if files.certificate in (None, files.formula) else None
    if one is not None and sniff(one) is Format.PEDANT:
        # A clause certificate defines what it needs of the formula itself.
        return replace(files, certificate=one, formula=None)
    if files.certificate is None and files.formula is not None:
        if sniff(files.formula) is Format.UNKNOWN:
            expected = "a formula (QCIR, QDIMACS or QAIGER)"
            raise unknown_format(read_bytes(files.formula), label(files.formula), expected)
        found = beside(files.formula)
        if found is None:
            raise UsageError(f"no certificate beside {files.formula}: name it with --cert FILE")
        return replace(files, certificate=found)
    if files.certificate is None:
        raise UsageError("expected a formula and its certificate: FORMULA --cert FILE")
    return files


def beside(formula: str) -> str | None:
    """The certificate that has the formula's name."""
    name = formula
    for suffix in _COMPRESSED[1:]:
        name = name.removesuffix(suffix)
    stem = os.path.splitext(name)[0]
    for suffix in _CERTIFICATE_SUFFIXES:
        for compressed in _COMPRESSED:
            candidate = stem + suffix + compressed
            if candidate != formula and os.path.isfile(candidate):
                return candidate
    return None
