"""Solvers: search on the rules, and QBF solvers."""
