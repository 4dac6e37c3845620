"""The families of impartial games that the published benchmark consists of, made anew."""
