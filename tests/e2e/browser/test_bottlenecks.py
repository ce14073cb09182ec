"""What holds a core back, on the page: every bound a stem on one axis, in the picture and in the panel."""

import math
import re

import pytest

from dse.api import Study

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

CORE = {"frequency": "2.6 GHz", "cores": 14, "threads": 1, "issue_width": 8, "integer_units": 4, "float_units": 2}
CORE |= {"memory_units": 2, "control_units": 2, "vector_width": 256, "front_end_stages": 7, "reorder_buffer": 192}
CORE |= {"issue_queue": 54, "l1_size": "32 KiB", "l1_latency_cycles": 4, "l2_latency_cycles": 12}
CORE |= {"l3_latency": "13.85 ns", "dram_latency": "83.46 ns"}
MORE = {"dispatch_width": 4, "miss_registers": 10, "l1_bandwidth": "160 GiB/s", "l3_bandwidth": "40 GiB/s"}
MORE |= {"vector_units": 2, "dram_bandwidth": "59.7 GiB/s"}
MODELS = ("interaction", "independent")


@pytest.fixture(scope="module")
def cores():
    """A study of each model."""
    axes = {"l2_size": {"values": ["256 KiB", "1 MiB"]}, "l3_size": {"values": ["8 MiB", "35 MiB"]}}
    return {
        model: Study(
            {
                "name": f"core-{model}",
                "models": ["processor"],
                "objectives": [{"minimize": "run_time"}, {"minimize": "l3_size"}],
                "use": {"processor_model": model},
                "tables": {"profile": {"file": "profiles/graph500-seq-csr.json"}},
                "set": CORE | (MORE if model == "interaction" else {}),
                "space": {"axes": axes},
            }
        )
        for model in MODELS
    }


def number(text):
    return float(re.sub(r"[\u202f\u00a0]", "", text))


@pytest.mark.parametrize("model", MODELS)
def test_the_panel_agrees_with_explain(show, cores, artefacts, model):
    page = show(cores[model])
    design = int(page.run.frontier["design"].iloc[0])
    (told,) = page.run.explain(0).rates
    page.click_design(design)
    page.open_tab("bounds")
    axis = page.tab.locator("#detail .rates")
    assert axis.count() == 1
    rows = axis.locator(".bound")
    names = rows.locator(".what").all_inner_texts()
    values = [number(text) for text in rows.locator("b").all_inner_texts()]
    ranks = rows.locator(".rank").all_inner_texts()
    assert names == [page.run.label(name) for name in (told["quantity"], *(b["quantity"] for b in told["bounds"]))]
    assert values == pytest.approx([told["achieved"], *(bound["value"] for bound in told["bounds"])], rel=1e-3)
    assert ranks[0] == "achieved"
    for rank, bound in zip(ranks[1:], told["bounds"], strict=True):
        assert (rank == "binds") == bound["binds"]
        if rank != "binds":
            assert number(rank.removesuffix(" ×")) == pytest.approx(bound["value"] / told["achieved"], rel=0.01)
    # One logarithmic axis: lengths of stems go with the logarithms, and a line stands where it is achieved.
    width = [
        float(style)
        for style in axis.locator(".stem i").evaluate_all("all => all.map((i) => parseFloat(i.style.width))")
    ]
    (first, begin), (last, end) = (values[0], width[0]), (values[-1], width[-1])
    assert end == pytest.approx(100)
    for value, at in zip(values, width, strict=True):
        expected = begin + (end - begin) * math.log(value / first) / math.log(last / first)
        assert at == pytest.approx(expected, abs=0.05)
    marks = axis.locator(".stem em").evaluate_all("all => all.map((mark) => parseFloat(mark.style.left))")
    assert marks == pytest.approx([begin] * len(values))
    assert "instructions per cycle" in page.detail
    assert f"{page.run.label('steady_cycles')} the largest bound" not in page.detail
    axis.screenshot(path=artefacts / f"bottlenecks-panel-{model}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("model", MODELS)
def test_the_picture_has_a_labelled_stem_for_every_bound(show, cores, artefacts, model, scheme):
    page = show(cores[model], color_scheme=scheme)
    (told,) = page.run.explain(0).rates
    drawn = page.tab.locator(".pictures .picture .drawing > svg")
    assert drawn.count() == len(page.run.frontier)
    design = int(page.run.frontier["design"].iloc[0])
    picture = page.tab.locator(".picture", has=page.tab.locator(f"h3:has-text('Design {design}:')"))
    texts = [re.sub(r"\u202f", "", text) for text in picture.locator("svg text").all_text_contents()]
    found = [re.fullmatch(r"([\d.]+) (\D.*)", text) for text in texts]
    stems = [(float(match[1]), match[2]) for match in found if match and "%" not in match[2]]
    expected = [told["achieved"], *(bound["value"] for bound in told["bounds"])]
    assert [value for value, _ in stems] == pytest.approx(expected, rel=5e-3)
    assert stems[0][1] == "achieved"
    binding = [place for place, (_, words) in enumerate(stems[1:]) if "binding" in words]
    assert binding == [place for place, bound in enumerate(told["bounds"]) if bound["binds"]]
    assert texts.count("instructions per cycle") == 1
    page.open_more("pictures")
    picture.screenshot(path=artefacts / f"bottlenecks-picture-{model}-{scheme}.png")


def test_any_design_has_its_axis_on_the_panel(show, cores):
    """Pictures are of the frontier; the panel has the axis of every design."""
    page = show(cores["interaction"])
    other = next(number for number in range(4) if number not in set(page.run.frontier["design"]))
    page.tab.evaluate(
        "n => model.select([...Array(model.count).keys()].find((i) => model.number(i) === String(n)))", other
    )
    assert page.detail.startswith(f"Design {other} ")
    assert "dominated" in page.detail
    assert page.tab.locator("#detail .rates .bound.binds .what").text_content() == page.run.label(
        "memory_parallelism_bound"
    )
