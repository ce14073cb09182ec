"""Classes of threads in the terminal: who is alike, and how far the classes are apart."""

from __future__ import annotations

from typing import Any

from dse.cli.text.output import say, shown, table

__all__ = ["print_thread_classes"]

_MOST_NAMES = 4


def print_thread_classes(classes: dict[str, Any]) -> None:
    """Print classes of threads, as `dse.models.workload.locality.summary.summary` gives them."""
    say()
    say(
        f"threads alike: any two of a class correlate by {shown(classes['threshold'], '1')} at least in their reuse "
        f"distances, lines of {classes['line_bytes']} B",
        style="bold",
    )
    rows = []
    for entry in classes["classes"]:
        names = entry["threads"]
        more = f" … {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        within, apart = (shown(entry[key], "1") if entry[key] is not None else "–" for key in ("within", "to_others"))
        rows.append([", ".join(names[:_MOST_NAMES]) + more, str(len(names)), within, apart])
    table(["class", "threads", "least correlation within", "greatest to others"], rows, right=[1, 2, 3])
