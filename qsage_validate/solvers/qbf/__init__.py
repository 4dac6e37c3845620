"""QBF solvers as programs: registry, limits, portfolio, preprocessing."""
