"""``qsage play``."""
