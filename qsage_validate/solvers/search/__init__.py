"""Who wins, by a search on the rules."""
