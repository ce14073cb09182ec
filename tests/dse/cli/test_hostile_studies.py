"""S7: study files that are no studies are refused soon, and large spaces are no trouble."""

import os

import pytest
from toy import STUDY, edited

MANY = "[set]\n" + "".join(f"k{n} = 1\n" for n in range(50_000))
FILES = {
    "nested lists": ("a = " + "[" * 100_000 + "]" * 100_000, "is nested too deeply"),
    "a key of 200,000 parts": (".".join(["a"] * 200_000) + " = 1", "line 1: is nested too deeply"),
    "a table of 200,000 parts": ("[" + ".".join(["a"] * 200_000) + "]", "line 1: is nested too deeply"),
    "five megabytes": ("#" + "x" * 5_000_000, "has 5000001 bytes; allowed: at most 4194304"),
    "fifty thousand keys": (edited(STUDY, ("[set]\n", MANY)), "set.k0: "),
}


@pytest.mark.parametrize("name", FILES)
def test_S7_a_hostile_study_file_is_refused(toy, dse, name):
    """A key of 200,000 parts took minutes to read."""
    text, message = FILES[name]
    (toy / "toy.toml").write_text(text)
    result = dse("check", "toy.toml")
    assert (result.code, result.out) == (2, "")
    assert message in result.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_S7_a_named_pipe_is_no_study(toy, dse):
    os.mkfifo(toy / "pipe.toml")
    assert dse("check", "pipe.toml").code == 2
