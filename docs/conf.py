"""The site: Sphinx with MyST and furo, built by ``python3 dev.py docs``.

The source folder is the whole checkout, so that a link from a page to a demo, to the samples or to
the kernel's walk leads to a page of the site, as it does in the repository.
"""

from __future__ import annotations

import sys
from pathlib import Path

from qsage_validate import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "qsage-validate"
copyright = "the qsage-validate developers, MIT licence"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "reference_pages"]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "demos/**",
    "certificates/README.md",
    "research/benchmarks/README.md",
    "research/experiments/README.md",
    "qsage_validate/kernel/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = [".venv", ".git", "build", "tests", "**/__pycache__"]

# A reference in a docstring must lead somewhere. Types in signatures are exempt: those of Python
# are documented elsewhere, and private ones nowhere.
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"

# The copy button takes what is typed: no prompts, and no output.
copybutton_prompt_text = r"\$ |> |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True

smartquotes = False  # options begin with two hyphens
html_theme = "furo"
html_title = "qsage-validate"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_root"]
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
