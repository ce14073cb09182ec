"""The bottleneck plots of a core: every bound and every part, at its place, and no label on another."""

import itertools
import math
import random
import re

import pytest
from example_counts import examples

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.authoring.picture import Box, Dot, Line, Text, draw
from dse.errors import ModelError
from dse.models.processor.core.independent import common_integer_unit_bound, common_parallelism_bound
from dse.models.processor.pictures import draw_independent_bottlenecks, draw_interaction_bottlenecks
from dse.report.record.collect import page_view
from dse.report.run_page.page import write_report

PICTURES = (draw_interaction_bottlenecks, draw_independent_bottlenecks)

# Table 4.2 of the thesis, E5-2697 v3; its first profile, with bounds as the specification prints them (G-B3).
WINDOW = {
    "issue_bound": 8,
    "miss_register_bound": 10.1822,
    "parallelism_bound": 5.3187,
    "memory_parallelism_bound": 1.2472,
    "integer_parallelism_bound": 23.7457,
    "control_parallelism_bound": 27.788,
    "float_parallelism_bound": 6013.28,
    "memory_unit_bound": 15.7757,
    "integer_unit_bound": 6.7099,
    "float_unit_bound": 49786,
    "control_unit_bound": 9.6646,
    "vector_unit_bound": 11439.07,
}
THROUGHPUT = {
    "dispatch_bound": 4,
    "l1_bandwidth_bound": 130.34,
    "l3_bandwidth_bound": 15.3471,
    "dram_bandwidth_bound": 4342.24,
}


def interaction(queue=0.0, buffer=0.006298, branches=0.218053, **rates):
    """The quantities of a core, from its bounds in instructions per cycle."""
    assert rates.keys() <= WINDOW.keys() | THROUGHPUT.keys()
    given = {name: 1 / rates.get(name, rate) for name, rate in (WINDOW | THROUGHPUT).items()}
    base = max(given[name] for name in WINDOW)
    stalled = base + queue + buffer
    steady = max(stalled, *(given[name] for name in THROUGHPUT))
    return given | {
        "full_window_cycles": base,
        "issue_queue_stalls": queue,
        "reorder_buffer_stalls": buffer,
        "stalled_cycles": stalled,
        "steady_cycles": steady,
        "throughput_limit_cycles": steady - stalled,
        "branch_cycles": branches,
        "cycles_per_instruction": steady + branches,
    }


NAMES = ("integer", "float", "memory", "control")
CORE = {"integer_units": 4.0, "float_units": 2.0, "memory_units": 2.0, "control_units": 2.0, "issue_width": 8.0}
CORE |= {"common_integer_ilp": 5.8, "common_float_ilp": 0.0, "common_memory_ilp": 1.2, "common_control_ilp": 2.0}


def independent(fetches=0.0, **changes):
    """The quantities of a core whose events add up, from its units and the parallelism by type."""
    core = CORE | changes
    ready = common_parallelism_bound(*(core[f"common_{name}_ilp"] for name in NAMES))
    given = {"issue_bound": 1 / core["issue_width"], "common_parallelism_bound": ready}
    for name in NAMES:
        bound = common_integer_unit_bound(core[f"common_{name}_ilp"], core[f"{name}_units"], ready)
        given[f"common_{name}_unit_bound"] = float(bound)
    parts = {"execution_cycles": max(given.values()), "l1_hit_cycles": 0.32, "l1_miss_cycles": 0.56}
    parts |= {"l2_miss_cycles": 0.43, "l3_miss_cycles": 0.013, "fetch_miss_cycles": fetches}
    parts |= {"branch_refill_cycles": 0.043}
    return given | parts | {"cycles_per_instruction": sum(parts.values())}


def texts(drawing, kind=None):
    return [shape.text for shape in drawing.shapes if isinstance(shape, Text) and kind in (None, shape.kind)]


def stems(drawing):
    """Labels of the stems with the number they stand at, read off the axis."""
    (axis,) = (s for s in drawing.shapes if isinstance(s, Line) and s.y0 == s.y1)
    below = [s for s in drawing.shapes if isinstance(s, Text) and s.y == axis.y0 + 15]
    marks = [s.x0 for s in drawing.shapes if isinstance(s, Line) and s.kind == "rule" and s.x0 == s.x1]
    ticks = sorted(zip(marks, (float(s.text) for s in below), strict=True))
    (x0, first), (x1, last) = ticks[0], ticks[-1]
    found = {}
    for label in drawing.shapes:
        if isinstance(label, Text) and label.y < axis.y0:
            (pole,) = (s for s in drawing.shapes if isinstance(s, Line) and label.y - 10 < s.y1 < label.y)
            found[label.text] = first * (last / first) ** ((pole.x0 - x0) / (x1 - x0))
    return found


def check_layout(drawing):
    """No text meets another, nor a stem of another; all of it is inside."""
    boxes = []
    for shape in drawing.shapes:
        if isinstance(shape, Text):
            width = 0.55 * shape.size * len(shape.text)
            left = {"start": shape.x, "middle": shape.x - width / 2, "end": shape.x - width}[shape.anchor]
            boxes.append((left, shape.y - 0.75 * shape.size, left + width, shape.y + 0.2 * shape.size))
    for left, top, right, bottom in boxes:
        assert left >= 0
        assert top >= 0
        assert right <= drawing.width
        assert bottom <= drawing.height
    for one, other in itertools.combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1], (one, other)
    for line in (s for s in drawing.shapes if isinstance(s, Line)):
        x0, x1 = sorted((line.x0, line.x1))
        y0, y1 = sorted((line.y0, line.y1))
        for left, top, right, bottom in boxes:
            assert x1 <= left or x0 >= right or y1 <= top or y0 >= bottom, (line, (left, top, right, bottom))


# ---- what it reads --------------------------------------------------------------------------------------------------


def test_pictures_read_quantities_of_the_model():
    model = load_model("processor")
    known = {*model.parameters, *model.assumptions, *(name for f in model.functions for name in f.gives)}
    maxima = {name for f in model.functions if f.rate for name in f.max_of}
    sums = {f.provider: set(f.sum_of) for f in model.functions if "cycles_per_instruction" in f.gives}
    for shown in PICTURES:
        assert set(shown.needs) | set(shown.optional) <= known
        assert shown.slot == "processor_model"
        assert sums.pop(shown.providers[0]) <= set(shown.needs)
    assert not sums
    assert len(maxima) == 22
    assert maxima <= {name for shown in PICTURES for name in shown.needs}


# ---- events that interact -------------------------------------------------------------------------------------------


def test_published_bounds_stand_at_their_places():
    drawing = draw_interaction_bottlenecks(**interaction())
    found = stems(drawing)
    assert list(found) == [
        "0.975 achieved",
        "1.24 with stalls",
        "1.25 memory parallelism, binding",
        "4 dispatch width",
        "5.32 parallelism",
        "6.71 integer units",
        "8 issue width",
        "9.66 control units",
        "10.2 miss registers",
        "15.3 L3 bandwidth",
        "15.8 memory units",
        "23.7 integer parallelism",
        "27.8 control parallelism",
        "130 L1 bandwidth",
        "4\u202f342 DRAM bandwidth",
        "6\u202f013 float parallelism",
        "11\u202f439 vector units",
        "49\u202f786 float units",
    ]
    for label, place in found.items():
        assert place == pytest.approx(float(label.split(" ")[0].replace("\u202f", "")), rel=0.005)
    assert not any("no limit" in text for text in texts(drawing))
    caption = "0.975 instructions per cycle; binding at 1.25: memory parallelism; most cycles: base (78\u00a0%)"
    assert drawing.caption == caption
    check_layout(drawing)


def test_every_bound_is_named():
    """Once, drawn or not."""
    drawing = draw_interaction_bottlenecks(**interaction())
    (kinds,) = re.findall(r"with 0.975 achieved and the bounds (.*)\. Below", drawing.description)
    assert len(kinds.split(", ")) == len(WINDOW) + len(THROUGHPUT) + 1
    assert "1.25 memory parallelism (binding)" in kinds


@pytest.mark.parametrize(
    ("changes", "binding"),
    [
        ({}, ["memory parallelism"]),
        ({"l3_bandwidth_bound": 0.5}, ["L3 bandwidth"]),
        ({"dispatch_bound": 1.24}, ["memory parallelism"]),  # stalls are longer than that
        ({"issue_bound": 1, "memory_unit_bound": 1}, ["issue width", "memory units"]),
        ({"issue_bound": 1, "dispatch_bound": 1, "buffer": 0}, ["issue width", "dispatch width"]),
        ({"dispatch_bound": 1, "dram_bandwidth_bound": 1}, ["dispatch width", "DRAM bandwidth"]),
    ],
)
def test_what_binds(changes, binding):
    drawing = draw_interaction_bottlenecks(**interaction(**changes))
    marked = [re.sub(r"^\S+ |, binding$", "", text) for text in texts(drawing, "binding")]
    assert marked == binding
    assert sum(isinstance(s, Line) and s.kind == "binding" for s in drawing.shapes) == len(binding)
    assert f": {' and '.join(binding)}; most cycles" in drawing.caption
    check_layout(drawing)


def test_no_bound_where_nothing_is_used():
    given = interaction() | {"float_unit_bound": 0.0, "vector_unit_bound": 0.0}
    drawing = draw_interaction_bottlenecks(**given)
    assert not any("vector" in label for label in stems(drawing))
    assert "no limit: float units, vector units" in " ".join(texts(drawing, "word"))
    assert "; no limit: float units, vector units. Below" in drawing.description


def test_bounds_far_away_stand_on_the_same_axis():
    achieved = 1 / interaction()["cycles_per_instruction"]
    found = stems(draw_interaction_bottlenecks(**interaction(float_unit_bound=1e12 * achieved)))
    assert len(found) == len(WINDOW) + len(THROUGHPUT) + 2
    assert max(found.values()) == pytest.approx(1e12 * achieved, rel=1e-6)


def test_all_bounds_alike():
    """One axis of a decade, however near the bounds are."""
    drawing = draw_interaction_bottlenecks(**interaction(buffer=0, **dict.fromkeys(WINDOW | THROUGHPUT, 2)))
    assert len(texts(drawing, "binding")) == 16
    achieved, *others = stems(drawing).values()
    assert achieved == pytest.approx(1 / 0.718053)
    assert others == pytest.approx([2] * 16)
    poles = [s.x0 for s in drawing.shapes if isinstance(s, Line) and s.kind in ("achieved", "binding")]
    assert (poles[-1] - poles[0]) / math.log10(2 * 0.718053) == pytest.approx(400)
    assert not any("no limit" in text for text in texts(drawing))
    check_layout(drawing)


def test_the_parts_of_the_bar():
    drawing = draw_interaction_bottlenecks(**interaction(queue=0.1, l3_bandwidth_bound=0.9))
    bar = [s for s in drawing.shapes if isinstance(s, Box)]
    assert [s.kind for s in bar] == ["base", "issue queue", "reorder buffer", "dispatch and bandwidth", "branches"]
    for one, other in itertools.pairwise(bar):
        assert one.x + one.width / 2 == pytest.approx(other.x - other.width / 2)
    length = sum(s.width for s in bar)
    shares = [s.width / length for s in bar]
    cycles = [0.801770, 0.1, 0.006298, 1 / 0.9 - 0.908068, 0.218053]
    assert shares == pytest.approx([part / sum(cycles) for part in cycles], abs=1e-4)
    told = texts(drawing, "word")[-5:]
    assert told[-1] == "0.802 base (60\u00a0%)"
    assert told[2] == "0.00630 reorder buffer (0.5\u00a0%)"
    assert "cycles per instruction: 1.33" in texts(drawing, "heading")
    assert not any(text.startswith("no cycles") for text in told)
    check_layout(drawing)


def test_parts_without_cycles_are_named():
    drawing = draw_interaction_bottlenecks(**interaction(buffer=0, branches=0))
    told = " ".join(texts(drawing, "word"))
    assert told.endswith("no cycles: issue queue, reorder buffer, dispatch and bandwidth, branches")
    assert not any("with stalls" in label for label in stems(drawing))
    assert drawing.caption.endswith("most cycles: base (100\u00a0%)")


def test_stalls_of_a_core_in_order():
    drawing = draw_interaction_bottlenecks(**interaction(queue=0.5, buffer=0), in_order=1.0)
    assert "0.500 stalls in order (33\u00a0%)" in texts(drawing)


# ---- independent events ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "binding"),
    [
        ({}, "6.21 integer units"),
        ({"integer_units": 8.0}, "8 issue width"),
        ({"integer_units": 8.0, "control_units": 3.0, "issue_width": 16.0}, "9 parallelism"),
        ({"control_units": 0.5}, "2.25 control units"),
    ],
)
def test_what_binds_execution(changes, binding):
    given = independent(**changes)
    drawing = draw_independent_bottlenecks(**given)
    assert texts(drawing, "binding") == [f"{binding}, binding execution"]
    assert float(binding.split()[0]) == pytest.approx(1 / given["execution_cycles"], rel=0.005)
    assert "float units" in " ".join(texts(drawing, "word"))  # which nothing uses
    names = ["execution", "L1 hits", "L1 misses", "L2 misses", "L3 misses", "branches"]
    assert [s.kind for s in drawing.shapes if isinstance(s, Box)] == names
    check_layout(drawing)


def test_instruction_fetches_have_a_part_of_the_bar():
    drawing = draw_independent_bottlenecks(**independent(fetches=0.2))
    assert "instruction fetches" in [s.kind for s in drawing.shapes if isinstance(s, Box)]
    assert "no cycles" not in " ".join(texts(drawing))


# ---- whatever the numbers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(examples(60)))
def test_labels_never_meet(seed):
    chance = random.Random(seed)
    spread = chance.choice([0.01, 0.3, 1, 3, 8])
    middle = 10 ** chance.uniform(-4, 4)

    def some(names, most=1.0):
        return {name: middle * math.exp(most * chance.gauss(0, spread)) for name in names}

    queue, buffer, branches = (chance.choice([0, 1e-6, 1, 30]) * chance.random() / middle for _ in range(3))
    rates = some(WINDOW | THROUGHPUT)
    drawing = draw_interaction_bottlenecks(**interaction(queue, buffer, branches, **rates))
    check_layout(drawing)
    assert sum(isinstance(s, Dot) for s in drawing.shapes) == 1
    drawing = draw_independent_bottlenecks(**independent(**some(n for n in CORE if n != "issue_width")))
    check_layout(drawing)


@pytest.mark.parametrize("cycles", [math.inf, math.nan])
def test_no_picture_without_a_number(cycles):
    for shown, given in zip(PICTURES, (interaction(), independent()), strict=True):
        with pytest.raises(ModelError, match=rf"fails: {cycles} cycles per instruction"):
            draw(shown, given | {"cycles_per_instruction": cycles})


# ---- on the page ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("cores")
    names = "draw_independent_bottlenecks, draw_interaction_bottlenecks"
    (found / "pictures.py").write_text(f"from dse.models.processor.pictures import {names}\n", encoding="utf-8")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["interaction", "independent"])
@pytest.mark.parametrize("profile", ["graph500-seq-csr", "graph500-seq-list"])
def test_designs_on_the_page(folder, provider, profile):
    wide = {"vector_width": 256, "front_end_stages": 7, "issue_queue": 60, "cores": 14, "threads": 14}
    units = dict.fromkeys(("float_units", "memory_units", "control_units"), 2) | {"integer_units": 4, "issue_width": 8}
    caches = {"l1_size": "32 KiB", "l1_latency_cycles": 4, "l2_latency_cycles": 12, "l3_latency": "14 ns"}
    other = {"dispatch_width": 4, "vector_units": 2, "miss_registers": 10, "l1_bandwidth": "160 GiB/s"}
    other |= {"l3_bandwidth": "40 GiB/s", "dram_bandwidth": "64 GB/s"}
    document = {
        "name": "cores",
        "models": ["processor", "pictures.py"],
        "objectives": [{"minimize": "run_time"}, {"minimize": "l3_size"}],
        "use": {"processor_model": provider},
        "tables": {"profile": {"file": f"profiles/{profile}.json"}},
        "set": wide | units | caches | {"dram_latency": "83 ns"} | (other if provider == "interaction" else {}),
        "space": {
            "axes": {
                "frequency": {"values": ["2.6 GHz"]},
                "reorder_buffer": {"values": [192]},
                "l2_size": {"values": ["256 KiB"]},
                "l3_size": {"values": ["0 B", "8 MiB", "35 MiB"]},
            }
        },
    }
    run = Study(document, folder=folder).run(trust=False)
    view = page_view(run)
    assert view.looks == len(view.pictures) == len(run.frontier)
    for picture in view.pictures:
        check_layout(picture.drawing)
        cycles = float(re.search(r"^\S+", picture.drawing.caption)[0]) ** -1
        row = run.frontier.set_index("design").loc[int(view.numbers[picture.rows[0]])]
        (record,) = run.study.compiled.quantities([int(row.name)])
        assert cycles == pytest.approx(float(record["values"]["cycles_per_instruction"].reshape(-1)[0]), rel=0.005)
    page = write_report(run, folder / "page.html").read_text(encoding="utf-8")
    assert page.count("Bottlenecks of a core</h3>") == len(run.frontier)
