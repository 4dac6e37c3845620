"""``qsage bench``."""
