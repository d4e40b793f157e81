"""How Sphinx makes the site of the pages that pages.py wrote; scripts/site.sh runs it."""
import pathlib
import re

from pygments.lexers import PostgresLexer
from pygments.token import Comment

control = pathlib.Path(__file__).parents[2] / "pgfit.control"
version = release = re.search(r"default_version *= *'(.*)'", control.read_text())[1]

project = "pgfit"
html_title = f"pgfit {version}"
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 4
highlight_language = "text"
pygments_style = "friendly"
smartquotes = False
copybutton_selector = "div:not(.highlight-text) > div.highlight pre"  # statements, not what they print
suppress_warnings = ["misc.highlighting_failure"]  # SQL with dots for what is left out


class PsqlLexer(PostgresLexer):
    """SQL, between commands of psql."""

    tokens = {**PostgresLexer.tokens, "root": [(r"\\[^\n]*", Comment.Preproc), *PostgresLexer.tokens["root"]]}


def setup(app):
    app.add_lexer("sql", PsqlLexer)
