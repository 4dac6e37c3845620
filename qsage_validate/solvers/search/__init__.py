"""Search for the winner, on the rules."""
