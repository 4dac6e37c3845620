"""Lessons from a play: distances, threats, reasons, alternatives, drills."""
