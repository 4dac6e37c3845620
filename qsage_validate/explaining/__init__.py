"""Strategies that people can read: a decision tree over the board, learned and proved."""
