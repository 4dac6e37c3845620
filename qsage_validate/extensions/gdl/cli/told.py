"""What ``qsage info`` tells of games in GDL and of quantified logic programs."""

from __future__ import annotations

from qsage_validate.cli.info import formula_facts
from qsage_validate.extensions.gdl.encodings.qasp import parse_qasp
from qsage_validate.extensions.gdl.model import check_description, role_names
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.formats.source import PERCENT, SEMICOLON, Source


def description(data: bytes, name: str) -> dict[str, object]:
    """The facts of a game's description."""
    found = parse_description(Source.decode(data, name, SEMICOLON).text, name)
    check_description(found)
    return {
        "game": found.name,
        "roles": [str(role) for role in role_names(found)],
        "rules": len(found.rules),
    }


def program(data: bytes, name: str) -> dict[str, object]:
    """The facts of a quantified logic program, as the formula that it is."""
    qbf = parse_qasp(Source.decode(data, name, PERCENT))
    return formula_facts(qbf) | {"gates": len(qbf.gates)}
