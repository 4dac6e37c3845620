"""Checks of what was synthesised, and that every play ends."""
