"""Tables of machines for tests: rows of the project's own, edited."""

import csv
import io
from importlib.resources import files
from pathlib import Path

TABLE = Path(str(files("dse.spaces"))) / "machines" / "systems.csv"


def rows(path=TABLE):
    """Rows of a table as dictionaries, without its remarks."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def row(machine, /, **changes):
    """One row, edited; a None takes the column away."""
    (found,) = [one for one in rows() if one["name"] == machine]
    found = found | {heading: value for heading, value in changes.items() if value is not None}
    return {
        heading: value for heading, value in found.items() if heading not in changes or changes[heading] is not None
    }


def written(*some, folder, name="mine.csv"):
    """Write a table of rows and return its path."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(some[0]), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(some)
    path = folder / name
    path.write_bytes(text.getvalue().encode())
    return path
