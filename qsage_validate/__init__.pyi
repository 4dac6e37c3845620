from qsage_validate.api.formulas import Difference as Difference
from qsage_validate.api.formulas import Differences as Differences
from qsage_validate.api.formulas import EncodingReport as EncodingReport
from qsage_validate.api.formulas import Formula as Formula
from qsage_validate.api.formulas import FoundLayout as FoundLayout
from qsage_validate.api.formulas import encode as encode
from qsage_validate.api.formulas import read_formula as read_formula
from qsage_validate.api.formulas import validate_encoding as validate_encoding
from qsage_validate.api.games import Board as Board
from qsage_validate.api.games import Game as Game
from qsage_validate.api.games import GameTable as GameTable
from qsage_validate.api.games import ValueTable as ValueTable
from qsage_validate.api.games import game as game
from qsage_validate.api.games import game_from_files as game_from_files
from qsage_validate.api.games import game_from_text as game_from_text
from qsage_validate.api.games import game_names as game_names
from qsage_validate.api.matches import Match as Match
from qsage_validate.api.reports import Attack as Attack
from qsage_validate.api.reports import Report as Report
from qsage_validate.api.solving import Result as Result
from qsage_validate.api.solving import Solution as Solution
from qsage_validate.api.solving import SolutionReport as SolutionReport
from qsage_validate.api.solving import find_solution as find_solution
from qsage_validate.api.solving import load_solution as load_solution
from qsage_validate.api.solving import solve as solve
from qsage_validate.api.strategies import Comparison as Comparison
from qsage_validate.api.strategies import Strategy as Strategy
from qsage_validate.api.strategies import Tree as Tree
from qsage_validate.api.strategies import certify as certify
from qsage_validate.api.strategies import compare as compare
from qsage_validate.api.strategies import compare_exactly as compare_exactly
from qsage_validate.api.strategies import load as load
from qsage_validate.certificates.routes import CheckFailedError as CheckFailedError
from qsage_validate.comparing.exact import ExactComparison as ExactComparison
from qsage_validate.errors import AmbiguousMoveError as AmbiguousMoveError
from qsage_validate.errors import IllegalMoveError as IllegalMoveError
from qsage_validate.errors import InputError as InputError
from qsage_validate.errors import MalformedMoveError as MalformedMoveError
from qsage_validate.errors import MissingExtraError as MissingExtraError
from qsage_validate.errors import QsageError as QsageError
from qsage_validate.errors import UndecidedError as UndecidedError
from qsage_validate.errors import UsageError as UsageError
from qsage_validate.extensions.bench.campaign import BenchResults as BenchResults
from qsage_validate.extensions.bench.campaign import read_results as read_results
from qsage_validate.extensions.explain.certificate import Explanation as Explanation
from qsage_validate.extensions.explain.certificate import (
    RefutedStrategyError as RefutedStrategyError,
)
from qsage_validate.extensions.explain.certificate import explain as explain
from qsage_validate.games.protocol import Player as Player
from qsage_validate.games.protocol import Position as Position
from qsage_validate.judging.python_rules import Simulator as Simulator
from qsage_validate.solvers.backend import SolverMissingError as SolverMissingError
from qsage_validate.validation.finding import Finding as Finding

__all__: list[str]
__version__: str
