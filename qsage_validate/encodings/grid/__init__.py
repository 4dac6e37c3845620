"""The lifted encodings of grid games."""
