"""Layouts: what the variables and gates of a formula mean, and the comments that say so."""
