"""Boards and plays as text and SVG."""
