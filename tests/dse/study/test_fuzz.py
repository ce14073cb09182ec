"""Whatever a study document holds, building it ends well or with the one kind of error a user can read."""

import copy
import tomllib

import pytest
from example_counts import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy import MACHINES, MODEL, PARTS, REFERENCES, STUDY

from dse import Study
from dse.errors import InputError, ModelError
from dse.study.file.headings import bundled_studies

VALID = [
    tomllib.loads(STUDY),
    *[tomllib.loads(STUDY + REFERENCES)] * 3,
    *(tomllib.loads(path.read_text()) for path in bundled_studies().values()),
]
WORDS = [
    "",
    "1 GHz",
    "2",
    "nodes",
    "power <= 1 W",
    "model.py",
    "parts.csv",
    "../x.py",
    "x",
    "torus",
    "a b",
    "1e999 s",
    "-1",
]
KEYS = [
    "axes",
    "measured",
    "references",
    "values",
    "range",
    "step",
    "part",
    "where",
    "label",
    "unit",
    "linspace",
    "powers_of_two",
    "file",
    "set",
    "use",
]
SCALARS = st.one_of(
    st.sampled_from(WORDS),
    st.integers(-3, 70),
    st.sampled_from([10**400, -(10**30), 1e308, -1e308, 1e-320, float("nan"), float("inf"), 0.1, True, False]),
    st.text(max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*KEYS, *WORDS]), inner, max_size=3),
    max_leaves=6,
)


def places(document, path=()):
    """Every place of a document that can be changed."""
    children = document.items() if isinstance(document, dict) else enumerate(document)
    for key, child in children:
        yield (*path, key)
        if isinstance(child, (dict, list)):
            yield from places(child, (*path, key))


@st.composite
def documents(draw):
    document = copy.deepcopy(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(document))
        if not found:
            break
        *above, key = draw(st.sampled_from(found))
        parent = document
        for step in above:
            parent = parent[step]
        match draw(st.sampled_from(["delete", "replace", "rename", "add"])):
            case "delete":
                del parent[key]
            case "replace":
                parent[key] = draw(VALUES)
            case "rename" if isinstance(parent, dict):
                parent[draw(st.sampled_from([*KEYS, *WORDS]))] = parent.pop(key)
            case _ if isinstance(parent, dict):
                parent[draw(st.sampled_from([*KEYS, *WORDS]))] = draw(VALUES)
            case _:
                parent.append(draw(VALUES))
    return document


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("fuzz")
    (place / "model.py").write_text(MODEL)
    (place / "parts.csv").write_text(PARTS)
    (place / "machines.csv").write_text(MACHINES)
    return place


@pytest.mark.slow
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(document=documents())
def test_a_study_builds_or_says_what_is_wrong(folder, document):
    fault = ""
    try:
        study = Study(document, folder=folder, file="study.toml")
        assert study.compiled.space.size >= 1
        assert repr(study).startswith("<Study '")
        assert all(set(one.values).isdisjoint(one.lacking) for one in study.references)
    except InputError as error:
        fault = str(error)
    except ModelError:
        return
    assert not fault or fault.startswith("study.toml: ")
