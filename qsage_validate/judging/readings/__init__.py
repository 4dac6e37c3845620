"""What the variables of a formula mean: readings guessed, screened by values, and ordered.

A reading is only a guess: what a formula has to do with a game under it is decided by the level
*encoding*, which proves nothing under a wrong one.
"""
