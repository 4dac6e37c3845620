"""The search of positional games."""
