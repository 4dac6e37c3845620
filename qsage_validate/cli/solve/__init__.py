"""``qsage solve``."""
