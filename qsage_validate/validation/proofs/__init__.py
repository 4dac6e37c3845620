"""Proofs by SAT that formula, certificate and rules agree."""
