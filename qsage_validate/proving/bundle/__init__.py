"""Proofs for other checkers."""
