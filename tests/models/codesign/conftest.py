"""`grid_runs`, importable by that name."""

import importlib.util
import shutil
import sys
from pathlib import Path

SPACES = Path(__file__).parents[3] / "spaces"
_RUNS = Path(__file__).parents[1] / "workload" / "laws" / "grid_runs.py"

if "grid_runs" not in sys.modules:
    spec = importlib.util.spec_from_file_location("grid_runs", _RUNS)
    module = importlib.util.module_from_spec(spec)
    sys.modules["grid_runs"] = module
    spec.loader.exec_module(module)


import pytest  # noqa: E402

STUDY = {
    "name": "one-machine",
    "models": ["codesign"],
    "objectives": [{"minimize": "system_time"}, {"minimize": "system_energy"}],
    "use": {"branch_estimate": "entropy", "switch_power": "per-port", "pattern": "uniform", "topology": "hyperx"},
    "tables": {"profile": {"file": "cg.laws.json"}},
    "set": {
        "problem_size": 2048,
        "branch_history": 12,
        "technology": "22 nm",
        "temperature": "360 K",
        "nominal_frequency": "2.6 GHz",
        "vector_units": 2,
        "vector_width": 128,
        "front_end_stages": 7,
        "issue_queue": 64,
        "l1_size": "32 KiB",
        "l1_latency_cycles": 4,
        "l2_size": "2 MiB",
        "l3_size": "32 MiB",
        "l3_bandwidth": "40 GiB/s",
        "dram_latency": "83.46 ns",
        "intra_node_latency": "400 ns",
        "port_power": "11.67 W",
        "node_link_bandwidth": "25 GB/s",
        "switch_link_bandwidth": "25 GB/s",
        "nodes_per_switch": 32,
        "dimension_1": 4,
        "dimension_2": 4,
        "dimension_3": 2,
        "frequency": "2.2 GHz",
        "cores": 16,
    },
    "space": {
        "axes": {
            "width": {"part": "node/widths.csv", "only": ["8-wide"]},
            "memory": {"part": "processor/dram-types.csv", "only": ["DDR5-4800"]},
            "dram_units": {"values": [2, 4, 8]},
        }
    },
}
"""1,024 nodes of 16 cores on a HyperX of 4 x 4 x 2 switches: 16,384 ranks of 524,288 cells each."""


@pytest.fixture
def folder(tmp_path):
    """A folder with the laws of cg (over cells)."""
    shutil.copy(SPACES / "codesign" / "cg.laws.json", tmp_path / "cg.laws.json")
    return tmp_path


@pytest.fixture(scope="session")
def foretold():
    """The profile at 2,048^3 cells and 16,384 ranks, as laws of n and ranks foretell it."""
    from grid_runs import files, of_cubes, run

    from dse.models.workload.extrapolation.profiles import extrapolate

    runs = [run("cg", *key) for key in files("cg", of_cubes)]
    return extrapolate(runs, {"n": 2048, "processes": 16384}).profile


@pytest.fixture
def plain(folder, foretold):
    """The folder, with that profile as a file beside the laws."""
    from dse.models.workload.profile.reading import write_profile

    write_profile(foretold, folder / "cg-2048-16384.json")
    return folder


@pytest.fixture
def load(folder):
    """Return the study with some keys changed, read from its folder."""
    from copy import deepcopy

    from dse.api import Study

    def changed(**changes):
        document = deepcopy(STUDY)
        for key, value in changes.items():
            if isinstance(value, dict) and isinstance(document.get(key), dict):
                document[key] = {**document[key], **value}
                document[key] = {name: one for name, one in document[key].items() if one is not None}
            else:
                document[key] = value
        return Study(document, folder=folder)

    return changed
