"""From files to what a command is about: formula, certificate, layout and rules."""
