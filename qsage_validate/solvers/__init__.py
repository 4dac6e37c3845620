"""Who wins: search on the rules, and QBF solvers."""
