"""The public library: what ``import qsage_validate as qs`` offers.

The names are loaded from here when they are used (``qsage_validate/__init__.py``).  Their modules
are no interface: import the names from ``qsage_validate``.
"""
