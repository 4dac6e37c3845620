"""Plays at a prompt."""
