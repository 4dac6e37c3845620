"""Solution files: a reply for each position that the winner meets, and the walk through them."""
