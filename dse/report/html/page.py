"""A page of text, tables and plotly figures: one HTML file that needs no network.

Plotly is embedded; the scripts of the figures are the only ones the page allows to run, by their hashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from string import Template

from dse.report.html.policy import content_policy
from dse.report.html.static_files import style_of
from dse.report.html.tags import Html, escaped, join
from dse.run.disk.folder import RunFolder

__all__ = ["write_figures_page"]

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
<header>
$header
</header>
<main>
$main
</main>
</body>
</html>
""")


def write_figures_page(
    path: str | Path,
    *,
    title: str,
    header: Iterable[Html],
    main: Iterable[Html],
    figures: Iterable[str],
    style: str = "",
) -> Path:
    """Write a page.

    Parameters
    ----------
    path : path
        The file to write.
    title : str
        Escaped here.
    header, main : iterable of Html
        Safe already.
    figures : iterable of str
        Those pieces of `main` that plotly wrote: their scripts may run, no others.
    style : str
        CSS beside that of all pages.

    Returns
    -------
    Path
        The file.
    """
    target = Path(path)
    scripts = [
        script for figure in figures for script in re.findall(r"<script[^>]*>(.*?)</script>", figure, flags=re.DOTALL)
    ]
    page = _PAGE.substitute(
        policy=content_policy(script.encode() for script in scripts),
        title=escaped(title),
        style="".join(style_of("figures")) + style,
        header=join(header),
        main=join(main),
    )
    return RunFolder(target.parent).write_text(target.name, page)
