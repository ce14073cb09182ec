"""Study files as dse writes them: what is read again is what was written."""

import tomllib

import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse import Study
from dse.study.file.reading import bundled_studies, read_toml
from dse.study.file.toml_text import toml_text

SHIPPED = bundled_studies()


def order(value):
    """A document as lists, in which the order of keys counts."""
    if isinstance(value, dict):
        return [(key, order(item)) for key, item in value.items()]
    return [order(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", SHIPPED)
def test_the_studies_that_come_with_dse(name):
    text, document = read_toml(SHIPPED[name])
    written = toml_text(document, ["A comment."], lambda kind, name: f"{kind}: {name}")
    again = tomllib.loads(written)
    assert again == document
    for place in ("axes", "alternatives", "choices"):
        assert order(again["space"].get(place)) == order(document["space"].get(place)), "designs keep their numbers"
    study = Study(document, folder=SHIPPED[name].parent, text=text)
    assert study.to_toml() == text
    assert Study.from_text(written, folder=study.folder).spec == study.spec


def test_it_reads_as_those_that_are_written_by_hand():
    document = {
        "name": "x",
        "constraints": [f"power_of_the_machine_{number} <= 20 MW" for number in range(4)],
        "set": {"work": 1e13},
        "space": {
            "axes": {"nodes": {"values": [1, 2]}},
            "alternatives": {"2D torus": {"axes": {"width": {"range": [1, 8]}}, "use": {"network": "torus"}}},
        },
        "search": {"jobs": 2},
    }
    text = toml_text(document, ["Made up."], lambda kind, name: {"work": "Cycles [1]"}.get(name, ""))
    assert (
        text
        == """# Made up.

name = "x"
constraints = [
    "power_of_the_machine_0 <= 20 MW",
    "power_of_the_machine_1 <= 20 MW",
    "power_of_the_machine_2 <= 20 MW",
    "power_of_the_machine_3 <= 20 MW",
]

[set]
work = 10000000000000.0  # Cycles [1]

[space.axes]
nodes = { values = [1, 2] }

[space.alternatives."2D torus"]
axes = { width = { range = [1, 8] } }
use = { network = "torus" }

[search]
jobs = 2
"""
    )


NAMES = st.text(min_size=0, max_size=8)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
SCALARS = st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=6
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=4)
SPACE = st.fixed_dictionaries(
    {},
    optional={
        "axes": TABLES,
        "exclude": st.lists(TEXTS, max_size=3),
        "alternatives": st.dictionaries(NAMES, TABLES, max_size=3),
        "choices": st.dictionaries(NAMES, st.dictionaries(NAMES, TABLES, max_size=3), max_size=3),
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {"name": TEXTS, "space": SPACE},
    optional={
        "set": TABLES,
        "objectives": st.lists(TABLES, max_size=3),
        "quantities": VALUES,
        "index": st.dictionaries(NAMES, st.dictionaries(NAMES, TABLES, max_size=2), max_size=2),
        "references": VALUES,
    },
)


@given(DOCUMENTS, st.dictionaries(NAMES, VALUES, max_size=3))
@settings(max_examples=examples(100), deadline=None)
def test_any_document(document, more):
    document = more | document
    text = toml_text(document, remark=lambda kind, name: name.replace("\x7f", "") if name.isprintable() else "")
    again = tomllib.loads(text)
    assert again == document
    assert repr(again["space"].get("axes")) == repr(document["space"].get("axes"))
