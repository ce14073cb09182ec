"""The parts of a frontier that say how well their laws held: each once, and how many designs have none."""

import json
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.report.html.static_files import static_text
from dse.report.record.encode import encode_array
from dse.report.words.validated_parts import validated_parts

HELD = {"cpu": {"a": "1 machine", "b": "", "c": "3 machines"}, "net": {"x": "", "y": "none"}}
COLUMNS = {"cpu": "cpu_validation", "net": "net_validation"}


def frontier(designs):
    columns = {axis: [design[place] for design in designs] for place, axis in enumerate(HELD)}
    columns |= {COLUMNS[axis]: [HELD[axis].get(part, "") for part in columns[axis]] for axis in HELD}
    return SimpleNamespace(frontier=pd.DataFrame(columns, dtype=object), validation_columns=COLUMNS)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", ""]), st.sampled_from(["x", "y"])), max_size=12), st.data())
def test_as_one_would_count_them(designs, data):
    """An empty part is an axis that another alternative has."""
    rows = data.draw(st.none() | st.lists(st.sampled_from(range(len(designs))), unique=True) if designs else st.none())
    taken = designs if rows is None else [designs[row] for row in rows]
    lines, without = validated_parts(frontier(designs), rows)
    expected = {
        f"{axis} {part}: {HELD[axis][part]}"
        for design in taken
        for axis, part in zip(HELD, design, strict=True)
        if HELD[axis].get(part)
    }
    assert set(lines) == expected
    assert len(lines) == len(expected)
    assert without == sum(not any(HELD[axis].get(part) for axis, part in zip(HELD, d, strict=True)) for d in taken)


def test_a_run_without_such_a_column():
    run = SimpleNamespace(frontier=pd.DataFrame({"design": [0, 1]}), validation_columns={})
    assert validated_parts(run) == ((), 2)


def test_the_same_part_of_two_catalogues_may_have_two_texts():
    frame = pd.DataFrame({"cpu": ["a", "a", "a"], "cpu_validation": ["one", "other", "one"]})
    run = SimpleNamespace(frontier=frame, validation_columns={"cpu": "cpu_validation"})
    assert validated_parts(run).lines == ("cpu a: one", "cpu a: other")


# ---- what the page does with them -----------------------------------------------------------------------------------

EVIL = '=HYPERLINK("x"), </script>'


def payload():
    """The record of a page with two parts, of an axis that varies and of one that does not."""
    clock = {"name": "cpu", "unit": "text", "scale": 1, "shown": "", "doc": "", "texts": ["a", "b", "c"]}
    whole = {"n": 3, "c": 0}
    axis = {**clock, "values": None, "codes": encode_array(np.array([0, 1, 2])), "of": ""}
    sure = {**axis, "name": "cpu_confidence", "texts": ["low"], "codes": whole, "of": "cpu"}
    told = [
        {**one, "codes": encode_array(np.array(codes))}
        for one, codes in (
            ({"axis": "cpu", "name": COLUMNS["cpu"], "parts": ["a", "c"], "texts": ["1 machine", EVIL]}, [0, 2, 1]),
            ({"axis": "net", "name": COLUMNS["net"], "parts": ["y"], "texts": ["none"]}, [0, 0, 0]),
        )
    ]
    return {
        "kinds": whole,
        "violated": whole,
        "products": whole,
        "numbers": encode_array(np.array([7, 8, 9])),
        "places": encode_array(np.array([1, 2, 3])),
        "rows": {"drawn": 3, "frontier": 3, "details": 0},
        "axes": [axis, sure],
        "objectives": [],
        "validations": told,
        "pictures": [],
        "extras": [],
        "extrapolated": {"texts": [""], "codes": whole},
        "details": None,
        "constraints": [],
        "exact": True,
    }


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_page_tells_them_of_a_design_and_exports_them():
    """Also those of an axis that does not vary; the export has a column beside the part and its confidence."""
    scripts = [static_text(name) for name in ("data/model.js", "data/text.js")]
    program = (
        f"globalThis.document = {{ getElementById: () => ({{ textContent: {json.dumps(json.dumps(payload()))} }}) }};\n"
        + "\n".join(scripts)
        + "\nconsole.log(JSON.stringify([[0, 1, 2].map(model.validation), csv([0, 1, 2]),"
        "model.dims.map((dim) => dim.name), model.confidences.map((dim) => dim.name)]));"
    )
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True, timeout=120)
    told, exported, dims, confidences = json.loads(done.stdout)
    assert told == [["cpu a: 1 machine", "net y: none"], ["net y: none"], [f"cpu c: {EVIL}", "net y: none"]]
    assert exported.splitlines() == [
        "design,status,cpu,cpu_confidence,cpu_validation,extrapolated",
        "7,frontier,a,low,1 machine,",
        "8,frontier,b,low,,",
        '9,frontier,c,low,"\'=HYPERLINK(""x""), </script>",',
    ]
    assert (dims, confidences) == (["cpu"], ["cpu_confidence"])
