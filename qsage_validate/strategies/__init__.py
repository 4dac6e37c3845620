"""Strategies: whatever answers the opponent's moves."""
