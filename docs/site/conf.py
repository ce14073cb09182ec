"""How Sphinx makes the site; docs/scripts/build_site.py lays out what it reads."""

from dse.version import __version__

project = "dse"
author = "The dse developers"
project_copyright = "The dse developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "dollarmath", "strikethrough"]
myst_heading_anchors = 4  # links to headings, as code hosts make them
napoleon_google_docstring = False
autodoc_typehints = "none"  # the docstrings say types with units
autodoc_member_order = "bysource"
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "dse: which machine should we build?"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_extra_path = ["_reports"]  # the reports of the gallery, as `dse report` wrote them
suppress_warnings = ["misc.highlighting_failure", "myst.strikethrough"]
