"""The command line: one module a subcommand, one place (``app``) that turns errors into lines.

A subcommand's module has a ``command``, made of a function: its parameters are declared by their
defaults, it writes data on standard output and narration on standard error, returns an ``Exit`` and
raises ``QsageError`` for what the user can mend.  What it needs it imports when it runs, so that
every ``--help`` is quick.
"""
