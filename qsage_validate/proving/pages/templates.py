"""What all pages have in common: their templates, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from qsage_validate.errors import Exit
from qsage_validate.proving.report import ValidationReport
from qsage_validate.render.svg import STYLE, escape

_TONES: Final = {Exit.FINE: "good", Exit.REFUTED: "bad"}


def tone(report: ValidationReport) -> str:
    """The class of a verdict: ``good``, ``bad``, or ``open``."""
    return _TONES.get(report.exit_code, "open")


def page(template: str, scripts: Sequence[str], values: Mapping[str, object]) -> str:
    """The page of a template in this folder; ``scripts`` are the names of its scripts.

    All that is shown is escaped, but for drawings. ``steps.js`` stands before them. The page
    asks the network for nothing: its content security policy allows its own scripts alone.
    """
    here = files(__package__)
    text = "\n".join(here.joinpath(name).read_text("utf-8") for name in ("steps.js", *scripts))
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    return (
        _environment()
        .get_template(template)
        .render(**values, script=Markup(text), policy=Markup(policy), board_style=Markup(STYLE))
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("qsage_validate.proving", "pages"),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else Markup(escape(str(value))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"count": "{:,}".format, "sentence": _sentence}
    return environment


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
