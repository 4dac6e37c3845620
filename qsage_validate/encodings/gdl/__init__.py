"""The encodings of games in GDL."""
