"""Kernels of devices: made-up counters in the formats of Nsight Compute and rocprof, and the roof that binds."""

import csv
import json

import numpy as np
import pytest

from dse import Study
from dse.cli.main import main
from dse.errors import InputError
from dse.models.workload.counters.device_kernels import read_kernels

OP = "smsp__sass_thread_inst_executed_op_"
COUNTED = {
    f"{OP}dadd_pred_on.sum": ("inst", "1,000"),
    f"{OP}dmul_pred_on.sum": ("inst", "2,000"),
    f"{OP}dfma_pred_on.sum": ("inst", "3,500"),
    **{f"{OP}{letter}{what}_pred_on.sum": ("inst", "0") for letter in "fh" for what in ("add", "mul", "fma")},
    "l1tex__t_bytes.sum": ("Kbyte", "40"),
    "lts__t_bytes.sum": ("Kbyte", "20"),
    "dram__bytes.sum": ("byte", "8,000"),
    "gpu__time_duration.sum": ("usecond", "5"),
    "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", "25"),
}
ROCPROF = {
    **{f"SQ_INSTS_VALU_{what}_F{bits}": 0 for what in ("ADD", "MUL", "FMA") for bits in (16, 32, 64)},
    **{"SQ_INSTS_VALU_ADD_F64": 10, "SQ_INSTS_VALU_FMA_F64": 20},
    **{"TCC_EA_RDREQ_sum": 100, "TCC_EA_RDREQ_32B_sum": 40, "TCC_EA_WRREQ_sum": 50, "TCC_EA_WRREQ_64B_sum": 30},
    **{"TCP_TOTAL_CACHE_ACCESSES_sum": 7, "TCC_REQ_sum": 9, "OccupancyPercent": 50, "BeginNs": 1000, "EndNs": 3000},
}


def nsight(counted=COUNTED, launches=2):
    lines = ["==PROF== Connected to process 1", '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
    for launch in range(launches):
        lines += [f'"{launch}","triad(double*)","{name}","{unit}","{value}"' for name, (unit, value) in counted.items()]
    return "\n".join(lines) + "\n"


def rocprof(row=ROCPROF):
    return ",".join(["KernelName", *row]) + "\n" + ",".join(["triad", *map(str, row.values())]) + "\n"


def test_nsight_adds_up_launches_and_counts_fused_operations_twice():
    (kernel,) = read_kernels(nsight(), "a.csv")
    assert kernel["name"] == "triad(double*)"
    assert kernel["launches"] == 2
    assert kernel["kernel_double_operations [flop]"] == 2 * (1000 + 2000 + 2 * 3500)
    assert kernel["kernel_level_1_bytes [B]"] == 2 * 40e3
    assert kernel["kernel_memory_bytes [B]"] == 2 * 8000
    assert kernel["kernel_occupancy"] == pytest.approx(0.25)
    assert kernel["measured_seconds [s]"] == pytest.approx(1e-5)


def test_rocprof_counts_waves_of_64_lanes_and_requests_of_two_sizes():
    (kernel,) = read_kernels(rocprof(), "a.csv")
    assert kernel["kernel_double_operations [flop]"] == 64 * (10 + 2 * 20)
    assert kernel["kernel_memory_bytes [B]"] == 64 * 60 + 32 * 40 + 64 * 30 + 32 * 20
    assert kernel["kernel_occupancy"] == 0.5
    assert kernel["measured_seconds [s]"] == pytest.approx(2e-6)


@pytest.mark.parametrize("name", ["dram__bytes.sum", f"{OP}hfma_pred_on.sum", "gpu__time_duration.sum"])
def test_a_counter_that_is_missing_is_named(name):
    with pytest.raises(InputError, match=f"no counter {name.replace('.', '[.]')}"):
        read_kernels(nsight({key: value for key, value in COUNTED.items() if key != name}), "a.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (nsight(COUNTED | {"dram__bytes.sum": ("furlong", "1")}), "unit 'furlong' of dram__bytes"),
        (nsight(COUNTED | {"dram__bytes.sum": ("byte", "n/a")}), "dram__bytes.sum is 'n/a'"),
        (rocprof(ROCPROF | {"OccupancyPercent": 0}), "occupancy is 0"),
        (rocprof({key: value for key, value in ROCPROF.items() if key != "TCC_REQ_sum"}), "no counter TCC_REQ_sum"),
        ("a,b\n1,2\n", "no column of kernels"),
    ],
)
def test_what_is_wrong_is_named(text, message):
    with pytest.raises(InputError, match=message):
        read_kernels(text, "a.csv")


def study(axes, **values):
    given = {
        "kernel_single_operations": 0,
        "kernel_half_operations": 0,
        "kernel_double_rate": "10e12 flop/s",
        "kernel_single_rate": "20e12 flop/s",
        "kernel_half_rate": "40e12 flop/s",
        "kernel_level_1_bandwidth": "20 TB/s",
        "kernel_level_2_bandwidth": "5 TB/s",
        "kernel_memory_bandwidth": "2 TB/s",
    } | values
    lines = ['name = "k"', 'models = ["processor"]', "[[objectives]]", 'minimize = "device_seconds"']
    lines += ["[use]", 'processor_model = "roofline"', "[set]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in given.items() if value is not None]
    return "\n".join([*lines, "[space.axes]", axes, ""])


@pytest.mark.parametrize(
    ("operations", "moved", "occupancy", "seconds"),
    [
        (1e12, "0 B", 1.0, 0.1),  # operations bind: 1e12 / 1e13
        (1e12, "1 TB", 0.9, 0.5),  # memory binds: 1e12 / 2e12
        (1e12, "1 TB", 0.25, 1.0),  # half of the occupancy that reaches the roofs
    ],
)
def test_the_roof_that_binds(tmp_path, operations, moved, occupancy, seconds):
    path = tmp_path / "k.toml"
    values = {"kernel_double_operations": operations, "kernel_memory_bytes": moved}
    values |= {"kernel_level_1_bytes": "0 B", "kernel_level_2_bytes": "0 B"}
    path.write_text(study(f"kernel_occupancy = {{ values = [{occupancy}] }}", **values), encoding="utf-8")
    frontier = Study.load(path).run(trust=False).frontier
    assert frontier["device_seconds"].tolist() == pytest.approx([seconds])


def test_kernels_that_were_imported_are_a_part_axis(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ncu.csv").write_text(nsight(), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["profile", "import", "ncu.csv", "kernels.csv"])
    assert ended.value.code == 0
    capsys.readouterr()
    (row,) = csv.DictReader((tmp_path / "kernels.csv").read_text(encoding="utf-8").splitlines())
    absent = dict.fromkeys(("kernel_single_operations", "kernel_half_operations"))
    (tmp_path / "k.toml").write_text(study('kernel = { part = "kernels.csv" }', **absent), encoding="utf-8")
    seconds = Study.load("k.toml").run(trust=False).frontier["device_seconds"].tolist()
    binding = max(20000 / 1e13, 80e3 / 20e12, 40e3 / 5e12, 16e3 / 2e12)
    assert seconds == pytest.approx([binding / (0.25 / 0.5)])
    assert float(row["measured_seconds [s]"]) == pytest.approx(1e-5)
    assert np.isfinite(seconds).all()
