"""What answers in a play, whatever is played: a board, blocks of variables, heaps."""
