"""Plays against a certificate: random ones, all of them."""
