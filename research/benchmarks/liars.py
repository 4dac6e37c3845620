"""Lies about small games, told to ``qsage validate``, and what it makes of them.

    python research/benchmarks/liars.py [--cases N] [--seed S] [--jobs J] [--class NAME]
                               [--checkpoint FILE] [--page] [--keep FOLDER] [--json]

Files of small games are changed at random (``tests/support/liars``); the truth is known by brute
force that shares nothing with the product.  The law: no sentence about formula or game is printed
that brute force denies, and nothing is refuted that nobody has changed.  A case that breaks the law
is shrunk and written to a folder of its own in ``--keep``; the exit code is then 1.

Refused files are asked about again in another form, so that there are more cases than ``--cases``.
With ``--checkpoint``, finished pieces are kept in FILE, and a run goes on from there; with
``--page`` it prints the table of these and runs nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.liars.campaign import CLASSES, Counts, as_json, from_json, keep, run, table

PIECE = 60
"""Seeds of a piece, which have a subject in common."""


@dataclass(frozen=True)
class Piece:
    """Some seeds of a class."""

    name: str
    first: int
    count: int

    @property
    def key(self) -> str:
        """What the checkpoint calls it."""
        return f"{self.name} {self.first} {self.count}"


def pieces(names: Sequence[str], cases: int, seed: int) -> list[Piece]:
    """The pieces of a campaign: as many cases of each class; ``seed`` is where its seeds begin."""
    each = -(-cases // len(names))
    start = seed * 1_000_020  # a multiple of PIECE, so that no subject is made twice
    return [
        Piece(name, start + at, min(PIECE, each - at))
        for at in range(0, each, PIECE)
        for name in names
    ]


def tell(piece: Piece) -> tuple[Piece, Counts]:
    """The cases of a piece."""
    return piece, run(piece.name, range(piece.first, piece.first + piece.count))


@contextmanager
def _told(todo: Sequence[Piece], jobs: int) -> Iterator[Iterator[tuple[Piece, Counts]]]:
    """The counts of some pieces, as they come."""
    if jobs == 1:
        yield map(tell, todo)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(tell, piece) for piece in todo]
        yield (future.result() for future in as_completed(waiting))


def resumed(path: Path | None) -> dict[str, Counts]:
    """The pieces that a checkpoint has."""
    found: dict[str, Counts] = {}
    if path is not None and path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            key, bar, rest = line.partition("|")
            if bar and rest.endswith("}"):  # the last line may be cut off
                found[key] = from_json(rest)
    return found


def campaign(
    names: Sequence[str],
    cases: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    checkpoint: Path | None = None,
    page: bool = False,
) -> dict[str, Counts]:
    """The counts by class; with ``page`` of the pieces alone that the checkpoint has."""
    known = resumed(checkpoint)
    counts = {name: Counts() for name in names}
    todo: list[Piece] = []
    for piece in pieces(names, cases, seed):
        if piece.key in known:
            counts[piece.name].add(known[piece.key])
        else:
            todo.append(piece)
    if page:
        return counts
    started = time.monotonic()
    with _told(todo, jobs) as results:
        for done, (piece, own) in enumerate(results, start=1):
            counts[piece.name].add(own)
            if checkpoint is not None:
                with checkpoint.open("a", encoding="utf-8") as file:
                    file.write(f"{piece.key}|{as_json(own)}\n")
            for slip in own.slips:
                print(
                    f"slipped: {slip.name} {slip.seed} {slip.attempt}: {slip.broken[0]}", flush=True
                )
            seconds = time.monotonic() - started
            print(f"{done} of {len(todo)} pieces, {seconds:,.0f} s", file=sys.stderr)
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign; 1 when something slipped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--class", dest="names", action="append", choices=list(CLASSES))
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    names = options.names or list(CLASSES)
    counts = campaign(
        names,
        options.cases,
        seed=options.seed,
        jobs=options.jobs,
        checkpoint=options.checkpoint,
        page=options.page,
    )
    if options.json:
        print(json.dumps({name: json.loads(as_json(own)) for name, own in counts.items()}))
    else:
        print(table(counts))
    slips = [slip for own in counts.values() for slip in own.slips]
    if options.keep is not None:
        for slip in slips:
            print(keep(options.keep, slip.name, slip.seed, slip.attempt), file=sys.stderr)
    return 1 if slips else 0


if __name__ == "__main__":
    sys.exit(main())
