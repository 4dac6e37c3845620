"""The board in a browser, behind ``qsage play --web``: the libraries of its server load late."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from qsage_validate.cli.common import narrate
from qsage_validate.cli.play.play_options import HOST, PORT, WebOptions
from qsage_validate.errors import Exit, MissingExtraError, UsageError

if TYPE_CHECKING:
    import socket

_OPTIONS = ("--port", "--host")


def serve(options: WebOptions) -> Exit:
    """Serve the board of this command line until a signal ends it.

    Raises ``MissingExtraError``, ``UsageError`` for an address that cannot be had, and what the
    signal means.
    """
    from qsage_validate.system.programs import check_pseudo_terminals

    check_pseudo_terminals()
    if find_spec("textual_serve") is None:
        raise MissingExtraError("the board in a browser", "web")
    from qsage_validate.play.web import BoardServer, is_loopback

    host = options.host or HOST
    listening = _listen(host, PORT if options.port is None else options.port)
    own = own_words(sys.argv)
    words = [sys.executable, "-m", "qsage_validate", "play", *own]
    server = BoardServer(words, listening, host, _confinement(own))
    if not is_loopback(host):
        narrate(
            f"qsage: warning: other machines reach {host}, and nothing is encrypted: who reads "
            "the address on the way plays here, and can read and write in this folder as you"
        )
    narrate(f"the board is at {server.address} (Ctrl-C ends it)")
    server.run()
    if server.ended_by in (None, signal.SIGINT):
        raise KeyboardInterrupt
    raise SystemExit(128 + server.ended_by)


def _confinement(words: Sequence[str]) -> Mapping[str, str]:
    """The variables that confine the board to this folder, and to the files that were named."""
    from qsage_validate.formats.policy import confinement
    from qsage_validate.play.state import Store

    values = [part for word in words for part in (word, word.partition("=")[2]) if part]
    # The command line of a game is one word.
    parts = [part for value in values for part in (value, *_split(value))]
    named = {part for part in parts if os.path.isfile(part)}
    if os.environ.get("QSAGE_SOLVERS"):
        named.add(os.environ["QSAGE_SOLVERS"])
    folder = Store.usual().folder
    kept = [] if folder is None or "--no-state" in words else [folder]
    return confinement(os.curdir, sorted(named), kept)


def _split(word: str) -> list[str]:
    try:
        return shlex.split(word)
    except ValueError:
        return []


def own_words(arguments: Sequence[str]) -> list[str]:
    """The words of a command line behind ``qsage play`` without those about the browser."""
    program, *words = arguments
    if os.path.splitext(os.path.basename(program))[0] != "qsage-play":
        words = words[1:]
    found: list[str] = []
    takes_value = False
    for index, word in enumerate(words):
        if word == "--":
            return [*found, *words[index:]]
        if takes_value:
            takes_value = False
        elif word in _OPTIONS:
            takes_value = True
        elif word != "--web" and not word.startswith(tuple(f"{name}=" for name in _OPTIONS)):
            found.append(word)
    return found


def _listen(host: str, port: int) -> socket.socket:
    import socket

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"found --host {host}, which has no address: {error.strerror}") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        raise UsageError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return listening
