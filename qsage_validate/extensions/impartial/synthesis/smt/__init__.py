"""Questions to z3, in a process of its own."""
