"""The digest of a manifest or of a finished block, and the seal of the user who made it.

The digest shows that it is whole; anybody can compute it, so it says nothing of who wrote it. The seal says that: it
needs a key that this user alone can read. Without a key there is no seal, and no run is this user's.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

__all__ = ["DIGEST", "SEAL", "Sealer", "data_folder", "is_sealed", "manifest_digest", "seal_of"]

DIGEST, SEAL = "digest", "seal"
_KEY_BYTES = 32
_MANIFEST, _BLOCK = b"dse manifest\n", b"dse block\n"  # so that no seal of one kind is a seal of another


def manifest_digest(document: Mapping[str, object]) -> str:
    """Return the SHA-256 of a manifest as canonical JSON: sorted keys, shortest floats, without digest and seal."""
    rest = {key: value for key, value in document.items() if key not in (DIGEST, SEAL)}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def seal_of(digest: str) -> str | None:
    """Return this user's seal of a digest, None where no key can be kept; the key is made when it is first needed."""
    key = _key() or _made_key()
    return None if key is None else _sealed(key, digest)


class Sealer:
    """Seals finished blocks of searches: the key is read once, and made when it is first needed.

    Without a key that can be kept there are no seals, and no block is this user's.
    """

    def __init__(self) -> None:
        self._known, self._own = False, b""

    def _own_key(self) -> bytes:
        if not self._known:
            self._known, self._own = True, _key() or _made_key() or b""
        return self._own

    def seal(self, text: str) -> str:
        """Return the seal of a text; an empty one where no key can be kept."""
        key = self._own_key()
        return _sealed(key, text, _BLOCK) if key else ""

    def knows(self, text: str, seal: object) -> bool:
        """Say whether a seal of a text is this user's."""
        key = self._own_key()
        if not key or not isinstance(seal, str):
            return False
        return hmac.compare_digest(_sealed(key, text, _BLOCK).encode(), seal.encode("utf-8", "replace"))


def is_sealed(digest: str, seal: str | None) -> bool:
    """Say whether a seal is this user's."""
    key = _key()
    return key is not None and seal is not None and hmac.compare_digest(_sealed(key, digest).encode(), seal.encode())


def data_folder() -> Path | None:
    """Return where dse keeps what belongs to this user, whether it exists or not; None without a home."""
    given = os.environ.get("XDG_DATA_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "dse"
    try:
        return Path.home() / ".local" / "share" / "dse"
    except RuntimeError:
        return None


def _sealed(key: bytes, digest: str, purpose: bytes = _MANIFEST) -> str:
    return hmac.new(key, purpose + digest.encode(), hashlib.sha256).hexdigest()


def _key() -> bytes | None:
    """Return the key, if it is one that nobody else can know."""
    folder = data_folder()
    if folder is None:
        return None
    try:
        handle = os.open(folder / "key", os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077)
        key = os.read(handle, _KEY_BYTES + 1) if stat.S_ISREG(status.st_mode) and own else b""
    except OSError:
        return None
    finally:
        os.close(handle)
    return key if len(key) == _KEY_BYTES else None


def _made_key() -> bytes | None:
    """Make the key; of two processes that do so at once, both take the one that was there first."""
    folder = data_folder()
    if folder is None:
        return None
    temporary = folder / f".key.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(temporary, folder / "key")
    except OSError:
        return None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return _key()
