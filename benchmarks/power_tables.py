"""How far off the power tables are between their rows: each inner row left out and read from its neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.machine import require, timed
from benchmarks.report import Column, Section, seconds
from dse.models.power import cache_energies, core_energies, router_energies
from dse.models.power.claims.interpolation import left_out
from dse.models.power.tables import power_table

DESIGNS = {"full": 1_000_000, "small": 100_000}


def percent(value: float) -> str:
    return f"{100 * value:.2g} %" if value < 0.0995 else f"{100 * value:.0f} %"


def rows_come_back() -> str:
    """Require that a look-up at every tabulated point gives the tabulated value itself."""
    cores = power_table("cores")
    nominal = (cores["device"] == "HP") & (cores["arrays"] == "energy-delay") & (cores["isa"] == "RISC")
    nominal &= (cores["temperature"] == 360.0) & (cores["threads"] == 1)
    voltages = {22: 0.8, 32: 0.9, 45: 1.0, 65: 1.1, 90: 1.2}
    wanted = np.array([voltages[round(node * 1e9)] for node in cores["technology"]])
    rows = cores.rows(nominal & np.isclose(cores["voltage"], wanted))
    given = {"technology": rows["technology"], "width": rows["width"], "l1_size": rows["l1_data"]}
    found = core_energies(**given, in_order=rows["order"] == "in-order")
    for name in ("area", "load_energy", "subthreshold_leakage", "pipeline_energy"):
        require(np.allclose(getattr(found, name), rows[name], rtol=1e-12, atol=0), f"cores: {name} on the rows")
    caches = power_table("caches")
    count = len(rows)
    for level in ("L2", "L3"):
        slices = caches.rows((caches["level"] == level) & (caches["device"] == "HP"))
        energies = cache_energies(level, size=slices["size"], technology=slices["technology"])
        same = np.allclose(energies.read_hit_energy, slices["read_hit_energy"], rtol=1e-12, atol=0)
        require(same, f"{level}: read energy on the rows")
        count += len(slices)
    routers = power_table("routers")
    hops = router_energies(ports=routers["ports"], flit=routers["flit"], technology=routers["technology"])
    require(np.allclose(hops.event_energy, routers["flit_energy"], rtol=1e-12, atol=0), "routers on the rows")
    return f"{count + len(routers)} rows of cores, caches and routers come back from a look-up, to 1e-12"


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Leave rows out, then time look-ups."""
    tell("rows")
    asserted = [rows_come_back()]
    tell("leaving rows out")
    records = []
    for one in left_out():
        errors = np.abs(one.errors)
        label = one.table if one.used else f"{one.table} (NOT used)"
        record = {"label": label, "value": one.value.replace("_", " "), "rows": len(errors)}
        record |= {"median": float(np.median(errors)), "p95": float(np.percentile(errors, 95))}
        records.append(record | {"most": float(errors.max())})
    many = DESIGNS[designs]
    tell("look-ups")
    rng = np.random.default_rng(7)
    nodes, widths = rng.choice([22e-9, 45e-9, 90e-9, 7e-9], many), rng.choice([2.0, 4.0, 6.0, 8.0], many)
    sizes, warmth = rng.choice([16384.0, 32768.0, 65536.0], many), rng.uniform(300.0, 400.0, many)
    given = {"technology": nodes, "width": widths, "l1_size": sizes, "temperature": warmth}
    of_cores = timed(lambda: core_energies(**given))[1]
    given = {"size": rng.uniform(2.0**18, 2.0**21, many), "technology": nodes, "temperature": warmth}
    of_caches = timed(lambda: cache_energies("L2", **given))[1]
    return Section(
        "power",
        "Interpolation in the power tables: error of each inner row, left out and read from its neighbours",
        [
            Column("label", "table"),
            Column("value", "value"),
            Column("rows", "rows"),
            Column("median", "median", percent),
            Column("p95", "95th percentile", percent),
            Column("most", "largest", percent),
        ],
        records,
        [],
        asserted,
        [
            "the tables are those of the models (own runs of McPAT 1.3), not synthetic",
            "neighbours are twice as far away as in use, so these errors are upper estimates",
            "technologies are never interpolated, widths only where a study allows it: their lines show why",
            f"{many:,} look-ups of different cores in {seconds(of_cores)}, of L2 caches in {seconds(of_caches)}; "
            "a study makes one per combination of its axes",
        ],
    )
