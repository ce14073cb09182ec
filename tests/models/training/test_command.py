"""`dse training`, its pictures and its page."""

import json

import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.authoring.picture import Box, Line, draw
from dse.cli.main import main
from dse.models.training.cli.drawing import draw_cut_per_scale, draw_memory, draw_rate, draw_step
from dse.models.training.cli.page import counts_around, measured_rates
from dse.models.training.cut.cuts import MEMORY_PARTS, STEP_PARTS, Task, best_cuts, best_per_scale
from dse.report.run_page.page import write_report

ASKED = ("--architecture", "megatron-1.7b", "--device", "A100 80 GB", "--devices", "32", "--batch", "512")
TASK = Task("megatron-1.7b", "A100 80 GB", 512, stack="unfused")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["training", *arguments])
    return ended.value.code, capsys.readouterr()


def test_the_best_cuts_as_json(capsys):
    code, shown = run(capsys, *ASKED, "--rows", "3", "--json")
    assert code == 0
    told = json.loads(shown.out)
    times = [cut["step_time"] for cut in told["cuts"]]
    assert times == sorted(times)
    assert len(times) == 3
    for cut in told["cuts"]:
        assert sum(cut[part] for part in STEP_PARTS) == pytest.approx(cut["step_time"], rel=1e-12)
        assert sum(cut[part] for part in MEMORY_PARTS) == pytest.approx(cut["training_memory"], rel=1e-12)
        assert cut["training_memory"] <= cut["usable_device_memory"]


def test_what_is_said_and_the_page(capsys, tmp_path):
    page = tmp_path / "training.html"
    code, shown = run(capsys, *ASKED, "--report", str(page))
    assert code == 0
    assert "usable of each device: 76 GB" in shown.out
    text = page.read_text(encoding="utf-8")
    assert text.count('class="plotly-graph-div"') == 4
    assert "not an MLPerf metric" in text


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("megatron-1.7b", "megatron-1.6b"), "megatron-1.7b"),
        (("A100 80 GB", "A100 90 GB"), "did you mean 'A100 80 GB'"),
        (("512", "0"), "batch"),
        (("32", "31"), "batch: 512: no row is left"),
    ],
)
def test_wrong_input_ends_with_2(capsys, changed, message):
    code, shown = run(capsys, *(changed[1] if one == changed[0] else one for one in ASKED))
    assert code == 2
    assert message in shown.err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--precision", "fp16", "precision: 'fp16'; allowed: bf16, fp8, fp4"),
        ("--precision", "fp8", "has no fp8; allowed: bf16"),
        ("--stack", "fuse", "did you mean 'fused'"),
        ("--zero", "4", "zero: '4'; allowed: 0, 1, 2, 3"),
    ],
)
def test_wrong_options_end_with_2(capsys, option, value, message):
    code, shown = run(capsys, *ASKED, option, value)
    assert code == 2
    assert message in shown.err


def test_a_model_that_fits_nowhere_is_refused(capsys):
    code, shown = run(capsys, "--architecture", "megatron-1t", *ASKED[2:4], "--devices", "8", "--batch", "512")
    assert code == 2
    assert "no cut of megatron-1t over 8 devices fits" in shown.err


def test_the_picture_of_a_design():
    parts = {"pipeline_time": 8.0, "bubble_time": 1.0, "last_head_time": 0.0, "data_exchange_time": 0.5}
    parts |= {"optimizer_time": 0.5, "state_memory": 30e9, "embedding_memory": 1e9, "activation_memory": 25e9}
    parts |= {"logit_memory": 4e9, "device_memory_capacity": 80e9, "usable_device_memory": 76e9}
    (picture,) = load_model("training").pictures
    drawing = draw(picture, parts)
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Box)]
    assert [round(box.width) for box in boxes] == [416, 52, 26, 26, 195, 6, 162, 26]
    (edge,) = (shape for shape in drawing.shapes if isinstance(shape, Line))
    assert edge.x0 == pytest.approx(20.0 + 520.0 * 0.95)
    assert "filling and draining 1 s" in drawing.caption
    assert "head" not in drawing.caption


def test_a_run_draws_it(tmp_path):
    page = write_report(Study.load("training-llama-405b").run(trust=False), tmp_path / "report.html")
    assert "A step and the memory of a device" in page.read_text(encoding="utf-8")


def test_rates_of_published_runs():
    """Operations per device become tokens: 8,192 devices at 430 Tflop/s, 6 P and half of the scores a token."""
    found = measured_rates("llama3.1-405b")
    assert [devices for devices, _ in found["llama-3-paper, H100 SXM"]] == [8192, 16384]
    each = 6 * 405849243648 + 6 * 8192 * 16384 * 126
    assert found["llama-3-paper, H100 SXM"][0][1] == pytest.approx(430e12 * 8192 / each, rel=1e-12)
    assert found["mlperf-405b, H100 SXM"] == [(512, pytest.approx(1152 * 8192 / 55.1989, rel=1e-12))]


def test_the_pictures_hold_the_cuts():
    cuts = best_cuts(TASK, 32, rows=4)
    step, memory = draw_step(cuts), draw_memory(cuts)
    assert [trace.name for trace in memory.data] == ["states of layers", "states of tables", "activations", "logits"]
    for figure, whole, scale in ((step, "step_time", 1.0), (memory, "training_memory", 1e9)):
        for place, cut in enumerate(cuts):
            total = sum(trace.x[place] for trace in figure.data) * scale
            assert total == pytest.approx(cut.values[whole], rel=1e-9)
            assert figure.data[0].y[place] == cut.label
    scales = best_per_scale(TASK, counts_around(32))
    assert [cut.devices for cut in scales] == [2, 4, 8, 16, 32, 64, 128, 256, 512]
    measured = measured_rates("megatron-1.7b")
    rate = draw_rate(scales, measured)
    ((devices, published),) = measured["sc21-1, A100 80 GB"]
    assert (devices, published) == (32, pytest.approx(512 * 2048 / 3.528, rel=1e-12))
    assert (rate.data[-1].x[0], rate.data[-1].y[0]) == (devices, published)
    assert [trace.name for trace in draw_cut_per_scale(scales).data] == ["tensor", "pipeline", "data", "context"]


SEVERAL = ("--architecture", "megatron-1.7b", "--devices", "32", "--batch", "512", "--device")


def test_several_devices_are_a_table_the_fastest_first(capsys):
    """Each row is the best of a command of its own."""
    code, shown = run(capsys, *SEVERAL, "A100 80 GB", "--device", "H100 SXM", "--rows", "1", "--json")
    assert code == 0
    machines = json.loads(shown.out)["machines"]
    for machine in machines:
        (cut,) = best_cuts(Task("megatron-1.7b", machine["device"], 512), 32, 1)
        assert machine["cuts"] == [{"parallelism": cut.label, **cut.values}]
        assert (machine["devices"], machine["refusal"]) == (32, None)
    code, shown = run(capsys, *SEVERAL, "A100 80 GB", "--device", "H100 SXM")
    assert code == 0
    assert shown.out.index("H100 SXM") < shown.out.index("A100 80 GB"), "which takes longer"


def test_a_device_that_cannot_says_why_beside_those_that_can(capsys):
    code, shown = run(capsys, *SEVERAL, "A100 80 GB", "--device", "H100 SXM", "--precision", "fp8")
    assert code == 0
    assert "32 x A100 80 GB: the device 'A100 80 GB' has no fp8" in " ".join(shown.out.split())
    code, shown = run(capsys, *SEVERAL, "A100 40 GB", "--device", "A100 80 GB", "--precision", "fp8")
    assert (code, shown.out) == (2, "")


@pytest.mark.parametrize("more", [("--device", "H100"), ("--device", "H100 SXM", "--report", "page.html")])
def test_what_several_devices_refuse(capsys, more):
    code, shown = run(capsys, *SEVERAL, "A100 80 GB", *more)
    assert (code, shown.out) == (2, "")
    assert ("did you mean 'H100 SXM'" in shown.err) == ("--report" not in more)
