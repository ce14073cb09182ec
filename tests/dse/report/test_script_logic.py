"""The logic of the page's scripts, tested by node without a browser: a case for each file of `scripts/`."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dse.report.html.static_files import script_names, static_text
from dse.report.record.encode import encode_array

TESTS = sorted(Path(__file__).with_name("scripts").glob("*.test.mjs"))

# Arrays that the scripts are to read as they were: constant, of every width, packed in bits, and of floats.
_random = np.random.default_rng(7)
ARRAYS = [
    np.array([1, 2, 300]),
    np.array([1, 2, 70_000]),
    np.array([0, 2**63 + 1], dtype=np.uint64),
    np.array([0, 1, 2], dtype=np.uint8),
    np.full(5, 3),
    np.array([0.5, -0.25, np.nan, np.inf]),
    np.full(3, np.nan),
    np.array([], dtype=np.int64),
    *(_random.integers(0, 2**width, 4096, dtype=np.uint64) for width in (1, 5, 9, 13, 17, 33, 53)),
]


def _node() -> str | None:
    """Return the node of playwright, or that on the path; None where there is none."""
    try:
        from playwright._impl._driver import compute_driver_executable
    except ImportError:
        return shutil.which("node")
    own = compute_driver_executable()
    own = own[0] if isinstance(own, tuple) else own
    return str(own) if Path(own).name.startswith("node") and Path(own).exists() else shutil.which("node")


def _written(value: float) -> str:
    """Write a number as JavaScript does."""
    if isinstance(value, int):
        return str(value)
    return {np.inf: "Infinity", -np.inf: "-Infinity"}.get(value, f"{value:.17g}" if value == value else "nan")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A file with the scripts of the page, in their order and from where it takes them, and arrays packed for it."""
    encoded = [
        {"values": [_written(value) for value in array.tolist()], "packed": encode_array(array, "f64")}
        for array in ARRAYS
    ]
    file = tmp_path_factory.mktemp("page") / "scripts.json"
    file.write_text(
        json.dumps(
            {
                "scripts": [[name.rpartition("/")[2], static_text(name).strip("\n")] for name in script_names()],
                "encoded": encoded,
            }
        )
    )
    return file


@pytest.mark.skipif(_node() is None, reason="needs node")
@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_logic(page, file):
    environment = {**os.environ, "PAGE_SCRIPTS": str(page), "NO_COLOR": "1"}
    command = [str(_node()), "--test-reporter=spec", str(file)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120
    )
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    assert "pass " in done.stdout, "the file has tests"
