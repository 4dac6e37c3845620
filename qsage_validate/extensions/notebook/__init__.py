"""A board for notebooks that can be clicked: the exported page as a widget."""

from typing import Final

DECLARES: Final = {"boards": "qsage_validate.extensions.notebook.widget:BOARDS"}
