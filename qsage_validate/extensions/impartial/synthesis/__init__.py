"""Winning formulas and strategies of impartial games: verified, synthesised, printed."""
