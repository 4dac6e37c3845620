"""Critical depths: one question after the other."""
