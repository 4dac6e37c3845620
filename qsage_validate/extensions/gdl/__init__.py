"""The Game Description Language: games of any kind in rounds, their rules and encodings."""

from typing import Final

DECLARES: Final = {
    "languages": "qsage_validate.extensions.gdl.declared:LANGUAGES",
    "games": "qsage_validate.extensions.gdl.declared:GAMES",
    "encodings": "qsage_validate.extensions.gdl.encodings:ENCODINGS",
    "formats": "qsage_validate.extensions.gdl.cli:FORMATS",
}
