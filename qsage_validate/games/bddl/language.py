"""BDDL among the languages of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import PERCENT, Format, Source, quoted, sniff
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import Language
from qsage_validate.games.library.template import MAX_DEPTH, NumberKind
from qsage_validate.games.model_text import ModelParts

if TYPE_CHECKING:
    from qsage_validate.games.bddl.rules import BddlGame


class Bddl(Language[Model]):
    """Games on grids: a domain and a problem, in two files."""

    name: ClassVar[str] = "bddl"
    games: ClassVar[str] = "grid game (BDDL)"
    model = Model

    def owns(self, path: str) -> bool:
        return sniff(path) is Format.BDDL

    def read(self, files: Sequence[str], options: Mapping[str, object]) -> Model:
        from qsage_validate.games.bddl.parser import file_kind, read_model

        if len(files) == 1:
            found = f"found one file, {quoted(files[0])}, expected two: DOMAIN and PROBLEM"
            raise UsageError(found)
        domain, problem = files
        depth = _depth(options)
        kinds = [file_kind(Source.open(path, PERCENT).text) for path in (domain, problem)]
        if kinds == ["problem", "domain"]:
            raise UsageError(
                f"found the problem {quoted(domain)} before the domain {quoted(problem)}, "
                f"expected the domain first"
            )
        return read_model(domain, problem, depth)

    def from_parts(self, parts: ModelParts) -> Model:
        from qsage_validate.games.bddl.parser import parse_domain, parse_problem, require_valid

        domain = parse_domain(parts.text("domain"), parts.file_of("domain"))
        problem = parse_problem(parts.text("problem"), parts.file_of("problem"))
        model = Model(domain, problem, parts.get("name", "game").strip())
        require_valid(model)
        return model

    def rules(self, model: Model) -> BddlGame:
        from qsage_validate.games.bddl.rules import BddlGame

        return BddlGame(model)

    def warnings(self, model: Model) -> Sequence[str]:
        from qsage_validate.games.bddl.checks import check_model

        return tuple(map(str, check_model(model)))


def _depth(options: Mapping[str, object]) -> int | None:
    given = {
        name.lstrip("-").replace("-", "_"): value
        for name, value in options.items()
        if value is not None and value is not False
    }
    depth = given.pop("depth", None)
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"found {names} with a game read from files, expected --depth only")
    if depth is None:
        return None
    kind = NumberKind(1, MAX_DEPTH)
    value = kind.read(depth)
    if not isinstance(value, int):
        raise UsageError(f"found {quoted(str(depth))} for --depth, expected {kind.expected}")
    return value


BDDL: Final = Bddl()
