"""HTML from texts that may hold anything: `tag` escapes all that is not `Html` already."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Html", "definitions", "escaped", "join", "safe_json", "table", "tag"]


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: object) -> Html:
    """Escape what is not HTML yet."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def join(pieces: Iterable[object], between: str = "\n") -> Html:
    """Escape the pieces and put them in a row."""
    return Html(escaped(between).join(escaped(piece) for piece in pieces))


def tag(name: str, *content: object, **attributes: object) -> Html:
    """Return an element; content and attributes are escaped, attributes that are None left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{join(content, '')}</{name}>")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], numeric: Sequence[int] = ()) -> Html:
    """Return a table in a box that scrolls; the columns in `numeric` are aligned to the right."""
    kind = ["n" if column in numeric else None for column in range(len(headings))]
    head = tag("tr", *(tag("th", text, scope="col", class_=k) for text, k in zip(headings, kind, strict=True)))
    body = (tag("tr", *(tag("td", text, class_=k) for text, k in zip(row, kind, strict=True))) for row in rows)
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll", tabindex=0)


def definitions(items: Mapping[str, object]) -> Html:
    """Return a list of terms and what is said of them."""
    return tag("dl", *(join([tag("dt", key), tag("dd", value)], "") for key, value in items.items()))


def safe_json(document: object) -> str:
    """Write JSON so that it can stand in a script element: no tag, no comment, no line separator."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
