"""Take screens anew: all of them, or those that are named. `.venv/bin/python tests/screens/regenerate.py [NAME …]`."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
from pathlib import Path


def main(names: list[str]) -> int:
    """Write the golden files, and say which are others now; a file without a screen goes."""
    with tempfile.TemporaryDirectory() as base:
        os.environ["XDG_DATA_HOME"] = str(Path(base) / "data")  # the user's own key and leave are not touched
        from screens import GOLDEN, Place, golden, screens

        table = screens()
        known = [screen.name for screen in table]
        if unknown := [name for name in names if name not in known]:
            near = difflib.get_close_matches(unknown[0], known)
            print(f"no screen is called {', '.join(unknown)}{'; near: ' + ', '.join(near) if near else ''}")
            return 2
        place, changed = Place(Path(base)), []
        GOLDEN.mkdir(exist_ok=True)
        for screen in table:
            if names and screen.name not in names:
                continue
            now = place.take(screen)
            if now != golden(screen):
                screen.file.write_text(now, encoding="utf-8", newline="\n")
                changed.append(screen.name)
        if not names:
            for file in sorted(GOLDEN.glob("*")):
                if file.stem not in known:
                    file.unlink()
                    changed.append(f"{file.stem} (removed)")
    print(f"{len(names or table)} screens taken; changed: {', '.join(changed) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
