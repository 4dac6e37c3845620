"""Smaller certificates."""
