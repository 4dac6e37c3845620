"""Find, prove, attack and play winning strategies of two-player games through QBF."""

__version__ = "0.1.0"
