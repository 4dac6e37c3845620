"""Find, prove, attack, compare and play winning strategies of two-player games through QBF.

``import qsage_validate as qs``: ``qs.game`` names a game, ``qs.solve`` says who wins it,
``qs.encode`` makes its formula and ``qs.certify`` the winner's strategy; ``qs.load`` reads a
strategy from files.  What a strategy can do is in its methods: ``validate``, ``attack``, ``play``,
``tree``, ``replies``, ``save``.  The names in ``__all__`` are the public interface; they are
loaded when they are used, and everything else is private.  Extensions add theirs.
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"

# Where each public name is; __init__.pyi says the same to type checkers, and a test holds them
# equal.
_MODULES = {
    "api.games": (
        *("Board", "Game", "GameTable", "ValueTable"),
        *("game", "game_from_files", "game_from_text", "game_names"),
    ),
    "api.formulas": (
        *("Difference", "Differences", "EncodingReport", "Formula", "FoundLayout"),
        *("encode", "read_formula", "validate_encoding"),
    ),
    "api.solving": (
        *("Result", "Solution", "SolutionReport"),
        *("find_solution", "load_solution", "solve"),
    ),
    "api.strategies": (
        *("Comparison", "Strategy", "Tree"),
        *("certify", "compare", "compare_exactly", "load"),
    ),
    "api.matches": ("Match",),
    "api.reports": ("Attack", "Report"),
    "games.protocol": ("Player", "Position"),
    "judging.python_rules": ("Simulator",),
    "comparing.exact": ("ExactComparison",),
    "validation.finding": ("Finding",),
    "errors": (
        "AmbiguousMoveError",
        "IllegalMoveError",
        "InputError",
        "MalformedMoveError",
        "MissingExtraError",
        "QsageError",
        "UndecidedError",
        "UsageError",
    ),
    "certificates.routes": ("CheckFailedError",),
    "solvers.backend": ("SolverMissingError",),
}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "__all__":
        value: object = sorted({*_MODULE_OF, *_of_extensions()})
    elif name[0] != "_" and (module := _MODULE_OF.get(name) or _of_extensions().get(name)):
        value = getattr(_import_module(module), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _of_extensions() -> dict[str, str]:
    from qsage_validate.registry import PublicName, declared

    return {one.name: one.module for one in declared("names", PublicName)}


def __dir__() -> list[str]:
    return [*_MODULE_OF, *_of_extensions(), "__all__", "__version__"]
