"""The input of a command, read from files: formula, certificate, layout and rules."""
