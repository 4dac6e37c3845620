"""People and machines at the board: terminal interface, prompt, scripts, adversaries."""
