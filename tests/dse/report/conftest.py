"""Runs to report on: two studies of the project, and a tiny one whose every text is hostile."""

import pytest

from dse.api import Study

EVIL = "<script>alert(1)</script>"
IMAGE = "<img src=https://evil.example/x.png onerror=alert(2)>"
BREAK = "</script><!--<script>\u2028\u2029&amp; $plotly ${title}"

MODEL = f'''
from dse.authoring.declare.declaration import assumption, parameter, quantity

width = parameter(unit="1", doc="{EVIL}", above=0)
part_power = parameter(unit="W", doc="{IMAGE}", minimum=0)
mode = parameter(unit="text", doc="{EVIL}")
overhead = assumption(1000.0, unit="W", source="{IMAGE}", doc="{EVIL}")

@quantity(unit="W", source="{EVIL}")
def power(width, part_power, overhead):
    """{EVIL}."""
    return width * part_power * 1e6 + overhead

@quantity(unit="s", source="{IMAGE}", valid={{"width": (1, 2)}})
def time(width):
    """{IMAGE}."""
    return 1e-3 / width

@quantity(unit="1", source="{EVIL}")
def score(width, part_power):
    """{EVIL}."""
    return width - part_power
'''
PARTS = f'name,part_power [W],source,synthetic\n{EVIL},5,{IMAGE},yes\n"{IMAGE}",7,{EVIL},yes\n'


def hostile_study(folder, **changes):
    """Return a tiny study: power rises and time falls with the width, on two parts, of which the first is better."""
    (folder / "tiny.py").write_text(MODEL, encoding="utf-8")
    (folder / "parts & <b>.csv").write_text(PARTS, encoding="utf-8")
    plain = {
        "name": "tiny",
        "question": f"{EVIL} or {BREAK}?",
        "source": IMAGE,
        "models": ["tiny.py"],
        "objectives": [{"minimize": "power"}, {"minimize": "time"}],
        "constraints": [f"width <= 3 or width == 4 and power <= 1 W * {len(EVIL)}"],
        "space": {
            "axes": {"width": {"values": [1, 2, 3, 4]}, "part": {"part": "parts & <b>.csv", "label": "name"}},
        },
    }
    return Study({**plain, **changes}, folder=folder)


@pytest.fixture(scope="session")
def make_run(tmp_path_factory):
    """Search the tiny space."""
    folder = tmp_path_factory.mktemp("<b>study")
    return lambda out=None, **changes: hostile_study(folder, **changes).run(out)


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """The run of a study of the project, in a folder."""
    found = {}

    def run(name):
        if name not in found:
            found[name] = Study.load(name).run(tmp_path_factory.mktemp("runs") / name)
        return found[name]

    return run
