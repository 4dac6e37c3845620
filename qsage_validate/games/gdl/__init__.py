"""The game description language GDL: reader, checks, reference semantics, the game protocol."""
