"""Encodings of positional games, by paper."""
