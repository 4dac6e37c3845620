"""Encodings of games as QBF, with the layout that says what the variables mean."""
