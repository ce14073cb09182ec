"""What a page may do: run its own scripts, told by their hashes, and nothing that comes from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

__all__ = ["content_policy"]


def content_policy(scripts: Iterable[bytes]) -> str:
    """Return the content security policy of a page on which these scripts, and no others, may run."""
    digests = (base64.b64encode(hashlib.sha256(script).digest()).decode("ascii") for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )
