"""What a result shows of itself in a notebook: lines and tables, every text escaped; no scripts and no styles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_heading", "html_lines", "html_table"]


def html_heading(text: object) -> str:
    """Return a line that says what the result is of."""
    return f"<p><b>{escape(str(text))}</b></p>"


def html_lines(lines: Iterable[object]) -> str:
    """Return a list; nothing where there are no lines."""
    items = "".join(f"<li>{escape(str(line))}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def html_table(headings: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose rows begin with what they are of; nothing where there are no rows.

    Examples
    --------
    >>> html_table(["", "time"], [["<A1>", "2 s"]]).partition("<tbody>")[2]
    '<tr><th>&lt;A1&gt;</th><td>2 s</td></tr></tbody></table>'
    """
    body = "".join(
        f"<tr><th>{escape(str(first))}</th>{''.join(f'<td>{escape(str(cell))}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    if not body:
        return ""
    head = "".join(f"<th>{escape(str(heading))}</th>" for heading in headings)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
