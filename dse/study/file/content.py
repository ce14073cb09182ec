"""What of a study's document decides its answer: all but the keys that only say how it is shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

__all__ = ["VIEW_KEYS", "content_digest", "text_digest"]

VIEW_KEYS = ("question", "source", "labels", "answer", "uncertain", "trust")


def content_digest(document: Mapping[str, object]) -> str:
    """Return the SHA-256 of a study's document as canonical JSON, without what only says how it is shown.

    Comments and formatting are no part of a document. The order of tables at its top is none of its content; the order
    within them is: it numbers the designs. The budget of a search is none: a search that it ends goes on with another.

    Examples
    --------
    >>> study = {"name": "a", "question": "Which?", "objectives": [{"minimize": "time"}]}
    >>> content_digest(study) == content_digest({**study, "question": "What?"})
    True
    """
    kept = {key: document[key] for key in sorted(document) if key not in VIEW_KEYS}
    search = kept.get("search")
    if isinstance(search, Mapping) and "budget" in search:  # how far a search gets at once is not what it finds
        kept["search"] = {key: value for key, value in search.items() if key != "budget"}
        kept = {key: value for key, value in kept.items() if key != "search" or value}
    return text_digest(json.dumps(kept, separators=(",", ":"), default=str))


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text: what runs of older versions hold of their study."""
    return hashlib.sha256(text.encode()).hexdigest()
