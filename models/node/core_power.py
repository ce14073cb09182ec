"""Area and power of the cores with their level 1 caches, from the tables, for the mix of instructions of a program.

The tables' width is the dispatch width of the processor model; what a study gives a core beyond that which comes with
its width is marked (`core_structures`). All energies are those at the nominal supply until `energy_factor` joins them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.models.node.core_structures import MARKS
from dse.models.node.inputs import FACTORS, MCPAT
from dse.models.power.activity import core_activity
from dse.models.power.core import CoreEnergies, core_energies
from dse.models.power.core import instruction_energy as mixed_energy
from dse.models.sources import ANGHEL_2017, EXABOUNDS

__all__: list[str] = []

_ACCESS = 16.0  # B that the tables' level 1 data cache reads at once
_LANE = 64.0  # bits

instruction_misses = assumption(
    0.0,
    unit="1",
    source="the processor models: instruction caches always hit",
    doc="Misses of the level 1 instruction cache per instruction",
    neglects="energy of misses of the instruction cache",
    minimum=0,
    maximum=1,
)

_ENERGIES = {
    "pipeline_energy": "pipeline_energy",
    **{f"{kind}_instruction_energy": f"{kind}_energy" for kind in ("integer", "multiply", "float", "load", "store")},
    "branch_instruction_energy": "branch_energy",
    **{name: name for name in ("mispredict_energy", "instruction_miss_energy", "write_miss_energy")},
    **{name: name for name in ("l1_read_energy", "l1_write_energy", "float_lane_energy")},
}
_POWERS = {
    "core_leakage": "subthreshold_leakage",
    "core_gate_leakage": "gate_leakage",
    "core_constant_power": "constant_power",
}


@quantity(unit="1", source="ours: the tables have scalar units, so each further 64 bits of a vector unit add one")
def further_lanes(vector_units, vector_width):
    """Lanes of the vector units beyond one each."""
    return vector_units * np.maximum(vector_width / _LANE - 1.0, 0.0)


@quantities(
    gives={"core_area": "m^2"}
    | dict.fromkeys(_POWERS, "W")
    | dict.fromkeys(_ENERGIES, "J")
    | {"core_outside_tables": "1"},
    source=f"{MCPAT}, HP transistors",
    valid=FACTORS | MARKS,
    points_only=True,
    dimensional=False,
    reason="a table over sizes in bytes",
)
def core_tables(
    technology,
    dispatch_width,
    in_order,
    charged_l1_size,
    temperature,
    further_lanes,
    window_power_not_modelled,
    queue_power_not_modelled,
    units_power_not_modelled,
    issue_power_not_modelled,
    miss_registers_power_not_modelled,
    ways_power_not_modelled,
):
    """Area, leakage, constant power and energies of one core with its level 1 caches at the nominal supply."""
    return _looked_up(technology, dispatch_width, in_order, charged_l1_size, temperature, further_lanes)


@once_per_combination
def _looked_up(technology, dispatch_width, in_order, charged_l1_size, temperature, further_lanes):
    core = core_energies(
        technology=technology,
        width=dispatch_width,
        in_order=np.greater(in_order, 0.0),
        l1_size=charged_l1_size,
        temperature=temperature,
        extra_float_units=further_lanes,
        extra_integer_units=further_lanes,
        allowed=True,
    )
    values = (getattr(core, name) for name in (*_POWERS.values(), *_ENERGIES.values()))
    return (core.area, *values, np.where(core.extrapolated, 1.0, 0.0))


@quantity(
    unit="1",
    name="wrong_path_instructions",
    source="ours: the front end is full of them when a misprediction is found; each takes the energy of a mean one",
    slot="wrong_path",
    provider="front-end",
    default=True,
)
def front_end_wrong_path(dispatch_width, front_end_stages):
    """Instructions fetched after each misprediction and thrown away."""
    return dispatch_width * front_end_stages


@quantity(
    unit="1",
    name="wrong_path_instructions",
    source=f"{EXABOUNDS}, as its input to McPAT",
    slot="wrong_path",
    provider="none",
)
def no_wrong_path(dispatch_width):
    """Instructions fetched after each misprediction and thrown away: not counted."""
    return 0.0 * dispatch_width


def _core(**given: Any) -> CoreEnergies:
    """Return a core of which only some fields are known."""
    return CoreEnergies(**(dict.fromkeys(CoreEnergies.__dataclass_fields__, np.nan) | given))


@quantity(
    unit="J",
    source=f"{ANGHEL_2017}, Section 4.3, with {MCPAT}; multiplications and divisions, lines that read misses bring, "
    "accesses wider than 16 B and the lanes of floating-point vectors counted",
)
def instruction_energy(
    memory_fraction,
    store_share,
    access_bytes,
    integer_fraction,
    integer_multiply_fraction,
    integer_divide_fraction,
    address_fraction,
    float_fraction,
    float_operations,
    control_fraction,
    misprediction_rate,
    wrong_path_instructions,
    instruction_misses,
    l1_hit_fraction,
    integer_instruction_energy,
    multiply_instruction_energy,
    float_instruction_energy,
    load_instruction_energy,
    store_instruction_energy,
    branch_instruction_energy,
    mispredict_energy,
    instruction_miss_energy,
    write_miss_energy,
    l1_read_energy,
    l1_write_energy,
    float_lane_energy,
):
    """Energy of a mean instruction in the core and its level 1 caches at the nominal supply, without the pipeline."""
    load, store = memory_fraction * (1.0 - store_share), memory_fraction * store_share
    named = memory_fraction + integer_fraction + address_fraction + float_fraction + control_fraction
    wider = np.maximum(access_bytes / _ACCESS - 1.0, 0.0)
    activity = core_activity(
        load=load,
        store=store,
        integer=integer_fraction,
        address=address_fraction,
        floating_point=float_fraction,
        control=control_fraction,
        multiply=integer_multiply_fraction + integer_divide_fraction,
        other=np.maximum(1.0 - named, 0.0),
        misses_per_control=misprediction_rate,
        wrong_path_per_miss=wrong_path_instructions,
        hit_fraction=l1_hit_fraction,
        instruction_misses=instruction_misses,
        extra_reads=load * wider,
        extra_writes=store * wider,
        float_lanes=np.maximum(float_operations - float_fraction, 0.0),
    )
    core = _core(
        integer_energy=integer_instruction_energy,
        multiply_energy=multiply_instruction_energy,
        float_energy=float_instruction_energy,
        load_energy=load_instruction_energy,
        store_energy=store_instruction_energy,
        branch_energy=branch_instruction_energy,
        mispredict_energy=mispredict_energy,
        instruction_miss_energy=instruction_miss_energy,
        write_miss_energy=write_miss_energy,
        l1_read_energy=l1_read_energy,
        l1_write_energy=l1_write_energy,
        float_lane_energy=float_lane_energy,
        integer_lane_energy=0.0,
    )
    return mixed_energy(core, activity)


@quantity(unit="W", source=MCPAT)
def cores_static_power(cores, core_leakage, leakage_factor, core_gate_leakage, gate_leakage_factor):
    """Leakage of all cores with their level 1 caches, at work or not."""
    return cores * (core_leakage * leakage_factor + core_gate_leakage * gate_leakage_factor)


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 4.8, with {MCPAT}", valid={"core_outside_tables": (0, 0)})
def cores_dynamic_energy(
    instructions,
    running_threads,
    instruction_energy,
    pipeline_energy,
    dispatch_width,
    core_constant_power,
    run_time,
    energy_factor,
    core_outside_tables,
):
    """Energy of the instructions of all threads, and of what works in a running core at any load."""
    work = instructions * (instruction_energy + pipeline_energy / dispatch_width)
    return running_threads * energy_factor * (work + core_constant_power * run_time)
