"""Readable playthroughs of the games: what each position is, allows and forbids.

``python -m tests.support.playthrough`` writes those of all templates anew into
``tests/golden/games``; the difference to the committed ones is what changed in the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Position, TwoPlayerGame
from tests.support.by_name import TEMPLATES
from tests.support.perft import perft

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "games"
COMMAND = "python -m tests.support.playthrough"

_PLAYS = 2
_PERFT_PLIES = 3
_SHOWN = 12


def examples() -> Iterator[tuple[str, str, Mapping[str, str | bool]]]:
    """The golden file's name, the template's name and the options of each example."""
    for template in TEMPLATES:
        for number, options in enumerate(template.examples, start=1):
            yield f"{template.name}-{number}", template.name, options


def words(name: str, options: Mapping[str, str | bool]) -> str:
    """The game as it is written on the command line."""
    parts = [name]
    for option, value in options.items():
        flag = "--" + option.replace("_", "-")
        parts += [flag] if value is True else [flag, str(value)]
    return " ".join(parts)


def playthrough(command: str, game: TwoPlayerGame) -> str:
    """The text for one game."""
    lines = [
        f"# Written by: {COMMAND}",
        f"game: {command}",
        f"name: {game.name}",
        f"plies: {game.plies}, {game.first_player} first",
        "symmetries: " + (", ".join(s.name for s in game.symmetries()) or "none"),
    ]
    lines += [
        f"after {row.ply} plies: {row.plays} plays, {row.positions} positions, "
        f"won by Black {row.black}, by White {row.white}"
        for row in perft(game, _PERFT_PLIES)
    ]
    for play in range(_PLAYS):
        lines += ["", f"play {play + 1}"]
        position: Position = game.initial
        while position.outcome is None:
            lines += _position(game, position)
            moves = position.legal_moves()
            # Spread over the list, and the same on every Python.
            move = moves[(7 * position.ply + 5 * play + 3) % len(moves)]
            lines.append(f"  > {move}")
            position = position.play(move)
        lines += [*_board(position), f"  {position.outcome.winner}: {position.outcome.reason}"]
    return "\n".join(lines) + "\n"


def _board(position: Position) -> list[str]:
    return [f"  {row}" for row in str(position.board).split("/")]


def _position(game: TwoPlayerGame, position: Position) -> list[str]:
    moves = position.legal_moves()
    shown = " ".join(map(str, moves[:_SHOWN])) + (" …" if len(moves) > _SHOWN else "")
    lines = [f"ply {position.ply}, {position.to_move} to move", *_board(position)]
    lines.append(f"  {len(moves)} legal: {shown}")
    reasons = [position.illegality(move) for move in game.moves(position.to_move)]
    illegal = [reason.text for reason in reasons if reason is not None]
    lines += [f"  illegal: {text}" for text in illegal[:: max(1, len(illegal) // 2)][:2]]
    return lines


def write_all() -> None:
    """Writes all golden files, and removes those of examples that are no more."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    known = set()
    for file, name, options in examples():
        template = next(t for t in TEMPLATES if t.name == name)
        path = GOLDEN / f"{file}.txt"
        text = playthrough(words(name, options), load_game(template.build(options)))
        path.write_text(text, encoding="utf-8", newline="\n")
        known.add(path)
    for path in set(GOLDEN.glob("*.txt")) - known:
        path.unlink()


if __name__ == "__main__":
    write_all()
