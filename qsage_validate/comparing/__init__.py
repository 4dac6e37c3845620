"""Formulas against each other: does the strategy of one win in the other?"""
