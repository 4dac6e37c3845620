"""Validation as a referee does it: levels, evidence, blame, reports."""
