"""All plays of a certificate against the legal moves of its opponent, by the rules alone.

Shares with the compiler and the readers of certificates only the layout that says which variables
are whose move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack
from qsage_validate.encodings.layout import Bits, Layout, Ply
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate

Choice = NDArray[np.bool_]
"""The values of the opponent's variables; those of later moves are false."""


def lost_plays(
    layout: Layout, certificate: CircuitCertificate, game: TwoPlayerGame, most: int = 3000
) -> list[str]:
    """Plays that the certificate does not win, as texts; empty when it wins them all.

    At most ``most`` plays are looked at.
    """
    return _Walk(layout, certificate, game, most).lost


class _Walk:
    def __init__(
        self, layout: Layout, certificate: CircuitCertificate, game: TwoPlayerGame, most: int
    ) -> None:
        self.layout = layout
        self.game = game
        self.hero = certificate.kind.player
        self.place = {v: k for k, v in enumerate(certificate.inputs)}
        self.names = list(certificate.functions)
        self.simulator = GraphSimulator(certificate.aig, list(certificate.functions.values()))
        self.left = most
        self.lost: list[str] = []
        nothing = np.zeros(len(certificate.inputs), dtype=np.bool_)
        for table in layout.moves:  # a literal that says that nobody stops may be a variable
            if table.stop is not None and table.stop < 0 and -table.stop in self.place:
                nothing[self.place[-table.stop]] = True
        self.go(game.initial, nothing, "")

    def go(self, position: Position, choice: Choice, played: str) -> None:
        if position.outcome is not None:
            self.left -= 1
            if position.outcome.winner is not self.hero:
                self.lost.append(f"{played}: {position.outcome.winner} has won")
            return
        if position.ply > len(self.layout.moves):
            # Behind Black's last ply nothing can change who wins.
            if self.hero is Player.BLACK:
                self.lost.append(f"{played}: no win of Black's by the last ply")
            return
        table = self.layout.moves[position.ply - 1]
        assert table.player is position.to_move, played
        if table.player is self.hero:
            move = self.game.parse_move(self.answer(table, choice, played), self.hero)
            if position.is_legal(move):
                self.go(position.play(move), choice, f"{played} {move}")
            else:
                self.lost.append(f"{played} {move}: illegal")
            return
        for move in position.legal_moves():
            if self.left > 0 and str(move) in table.moves:
                self.go(
                    position.play(move), self.chosen(table, str(move), choice), f"{played} {move}"
                )

    def answer(self, table: Ply, choice: Choice, played: str) -> str:
        words = self.simulator.run(pack(choice[np.newaxis, :]))
        values = dict(zip(self.names, unpack(words, 1)[0].tolist(), strict=True))
        move, _ = table.coding.decode(values)
        assert move is not None, f"{played}: no move"
        return move

    def chosen(self, table: Ply, move: str, choice: Choice) -> Choice:
        number, after = table.moves.index(move), choice.copy()
        wanted: dict[int, bool] = {}
        if table.coding.numbers:
            wanted = _number(table.variables, number)
        else:
            wanted = {x: k == number for k, x in enumerate(table.variables)}
        for literal, value in wanted.items():
            if abs(literal) in self.place:
                after[self.place[abs(literal)]] = value != (literal < 0)
        return after


def _number(bits: Bits, number: int) -> dict[int, bool]:
    width = len(bits)
    return {x: bool(number >> (width - 1 - k) & 1) for k, x in enumerate(bits)}
