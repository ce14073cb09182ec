"""Any value at any place of a file is either read or refused in a sentence, never an exception of another kind."""

import contextlib
import copy
import json

import pytest
from example_counts import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pisa_files import current
from small_profiles import DOCUMENT

from dse.errors import InputError
from dse.models.workload.pisa.pisa import read_pisa
from dse.models.workload.profile.reading import parse_profile

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.lists(st.one_of(st.integers(-1, 3), st.text(max_size=2), st.lists(st.integers(0, 3), max_size=3)), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
)


def places(value, path=()):
    """Paths of everything inside a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def changed(document, path, value):
    whole = copy.deepcopy(document)
    holder = whole
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return whole


@settings(max_examples=examples(400))
@given(st.sampled_from(list(places(DOCUMENT))), ODD)
@example(("classes", 0, "mix", "int"), 10**5000)
def test_odd_values_in_profiles(path, value):
    with contextlib.suppress(InputError):
        parse_profile(changed(DOCUMENT, path, value))


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(st.sampled_from(list(places(current()))), ODD)
def test_odd_values_in_pisa_files(tmp_path_factory, path, value):
    file = tmp_path_factory.getbasetemp() / "odd.pisa"
    file.write_text(json.dumps(changed(current(), path, value)))
    with contextlib.suppress(InputError):
        read_pisa(file)
