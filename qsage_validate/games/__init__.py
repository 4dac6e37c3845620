"""Games as executable rules."""
