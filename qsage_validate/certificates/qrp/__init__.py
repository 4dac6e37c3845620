"""Q-resolution proofs: their check and the functions in them."""
