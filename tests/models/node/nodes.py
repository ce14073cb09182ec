"""Nodes to try the model on: a design in SI, a study around it, and rows of the tables as they stand in the files."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

from dse import Study

SPACES = Path(str(files("dse.spaces")))
KIB, MIB = 2.0**10, 2.0**20

CORE = {
    "technology": 22e-9,
    "temperature": 360.0,
    "nominal_frequency": 2.6e9,
    "frequency": 2.6e9,
    "cores": 4,
    "threads": 4,
    "issue_width": 4,
    "dispatch_width": 4,
    "integer_units": 3,
    "float_units": 2,
    "memory_units": 2,
    "control_units": 1,
    "vector_units": 0,
    "vector_width": 0,
    "front_end_stages": 7,
    "reorder_buffer": 128,
    "issue_queue": 54,
    "miss_registers": 10,
    "l1_size": 32 * KIB,
    "l2_size": 256 * KIB,
    "l3_size": 16 * MIB,
    "l1_latency_cycles": 4,
    "dram_latency": 83.46e-9,
    "l1_bandwidth": 1.6e11,
    "l3_bandwidth": 4e10,
}
DDR4 = {
    "dram_units": 2,
    "dram_unit_bandwidth": 25.6e9,
    "dram_unit_capacity": 8e9,
    "dram_activate_energy": 4.2e-9,
    "dram_read_energy": 8 * 5.44e-12,
    "dram_write_energy": 8 * 4.59e-12,
    "dram_read_io_energy": 8 * 1.16e-12,
    "dram_write_io_energy": 8 * 5.31e-12,
    "dram_active_power": 0.0624e-9,
    "dram_precharged_power": 0.0444e-9,
    "dram_refresh_power": 0.0107e-9,
}
DDR4_2400 = {
    "dram_channels": 4,
    "dram_ranks": 8,
    "dram_rank_capacity": 2.0**32,
    "dram_clock": 1.2e9,
    "dram_devices_per_rank": 8,
    "dram_width": 8,
    "dram_transfers_per_clock": 2,
    "dram_burst_length": 8,
    "dram_refresh_interval": 4680,
    "dram_refresh_cycles": 313,
    "dram_active_cycles": 39,
    "dram_precharge_cycles": 16,
    "dram_idd0": 60.75e-3,
    "dram_idd2n": 38.25e-3,
    "dram_idd3n": 44e-3,
    "dram_idd4r": 184.5e-3,
    "dram_idd4w": 168.75e-3,
    "dram_idd5b": 118e-3,
    "dram_supply": 1.2,
    "dram_read_pin_power": 3.7e-3,
    "dram_write_pin_power": 17e-3,
}
NODE = CORE | DDR4
INDEPENDENT = dict.fromkeys(("miss_registers", "l1_bandwidth", "l3_bandwidth"))
"""What the model of independent events does not read."""
UNITS = {
    **dict.fromkeys(("frequency", "nominal_frequency", "dram_clock"), "Hz"),
    **dict.fromkeys(("dram_latency", "catalogue_l3_latency", "l3_latency"), "s"),
    **dict.fromkeys(("l1_size", "l2_size", "l3_size", "dram_unit_capacity", "dram_rank_capacity"), "B"),
    **dict.fromkeys(("flit_size", "catalogue_l2_size", "catalogue_l3_size", "bytes_per_activation"), "B"),
    **dict.fromkeys(("l1_bandwidth", "l3_bandwidth", "dram_bandwidth", "dram_unit_bandwidth"), "B/s"),
    **dict.fromkeys(("dram_active_power", "dram_precharged_power", "dram_refresh_power"), "W/B"),
    **{name: "J/B" for name in DDR4 if name.endswith(("read_energy", "write_energy", "io_energy"))},
    **{name: "A" for name in DDR4_2400 if "idd" in name},
    **{name: "W" for name in DDR4_2400 if "pin_power" in name},
    "technology": "m",
    "temperature": "K",
    "dram_activate_energy": "J",
    "dram_supply": "V",
    "supply_voltage": "V",
    "voltage": "V",
    "remainder_power": "W",
    "stack_interface_energy": "J/B",
}
ALSO = (
    *("cycles_per_instruction", "node_power", "processor_power", "static_energy", "dynamic_energy", "chip_cost"),
    *("voltage", "dram_capacity", "dram_load", "l3_slice_size", "energy_per_program", "time_per_program"),
)


def written(name, value):
    """Return a value as a study writes it."""
    return f"{value!r} {UNITS[name]}" if name in UNITS and not isinstance(value, str) else value


def node_study(axes=None, use=None, *, node=NODE, profile="graph500-seq-csr", folder=None, also=ALSO, **changes):
    """Return a study around a node: axes are lists of values, or tables of an axis as a study has them."""
    axes = axes if axes is not None else {"cores": [node["cores"]]}
    fixed = {name: value for name, value in {**node, **changes}.items() if value is not None and name not in axes}
    measured = {} if profile.startswith("graph500") else {"branch_estimate": "constant"}  # synthetic ones name no rate
    document = {
        "name": "node",
        "models": ["processor", "node"],
        "objectives": [{"minimize": "run_time"}, {"minimize": "energy"}, {"minimize": "chip_area"}],
        "also": list(also),
        "tables": {"profile": {"file": f"profiles/{profile}.json"}},
        "use": {**measured, **(use or {})},
        "set": {name: written(name, value) for name, value in fixed.items()},
        "space": {
            "axes": {
                name: given if isinstance(given, dict) else {"values": [written(name, value) for value in given]}
                for name, given in axes.items()
            }
        },
    }
    return Study(document, folder=folder)


def evaluated(use=None, *, node=NODE, profile="graph500-seq-csr", also=ALSO, **changes):
    """Return every quantity of one node."""
    cores = changes.get("cores", node["cores"])
    return node_study({"cores": [cores]}, use, node=node, profile=profile, also=also, **changes).evaluate({})


def row(table, name):
    """Return a row of a table by name: numbers in the units of the file, by the heading without its unit."""
    lines = [line for line in (SPACES / table).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    (found,) = [one for one in csv.DictReader(lines) if one["name"] == name]
    return {heading.split(" [")[0]: float(text) if _is_number(text) else text for heading, text in found.items()}


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True
