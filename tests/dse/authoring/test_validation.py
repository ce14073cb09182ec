"""How well a law held: what its text may be, and the line it stands in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.watch.validation import LONGEST, refuse_faulty_validation, validation_lines
from dse.errors import InputError


@given(st.text(st.characters(min_codepoint=0, max_codepoint=0x2FF), max_size=LONGEST + 20))
def test_what_can_be_printed_on_one_short_line_is_allowed(text):
    printable = all(ord(letter) >= 32 and not 0x7F <= ord(letter) <= 0x9F for letter in text)
    if len(text) <= 200 and printable:
        refuse_faulty_validation(text)
    else:
        with pytest.raises(InputError):
            refuse_faulty_validation(text)


def test_messages():
    with pytest.raises(InputError, match=r"^has 201 characters; allowed: at most 200$"):
        refuse_faulty_validation("x" * 201)
    with pytest.raises(InputError, match=r"has the control character U\+000A; allowed: text that can be printed"):
        refuse_faulty_validation("two\nlines")


def test_lines_name_axis_and_part():
    """Of the parts with a text only, in the order of the texts."""
    parts = {"nodes": "4", "device": "MI300A", "memory": "HBM3"}
    held = {"memory": "1 machine: +3 %", "device": "2 machines: -9.0 to +10.5 %"}
    assert validation_lines(parts, held) == [
        "memory HBM3: 1 machine: +3 %",
        "device MI300A: 2 machines: -9.0 to +10.5 %",
    ]
    assert validation_lines(parts, {}) == []
