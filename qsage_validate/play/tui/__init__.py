"""The Textual interface: board, panes and prompt around a match.

Nothing here knows formulas, certificates or rules: ``requests`` ask the match in a worker
thread, ``situation`` is what comes back, and the widgets show it and post messages.
"""
