"""The judge of formulas: whether a formula has the game's value after every play."""
