"""Odds of the first answer at the edges, against all designs at draws of one's own: errors in limits alone, in
objectives alone, in both, of rows; a single alternative, a single design, limits that no design meets in some draws."""

import itertools

import numpy as np
import pytest

from dse import Study
from dse.report.words.how_sure import how_sure_sentence
from dse.run.result.how_sure import read_how_sure

MODEL = '''
from dse import parameter, quantity

nodes = parameter(unit="1", doc="How many.")
cores = parameter(unit="1", doc="Of a node.")
hops = parameter(unit="1", doc="Of a network.")
rate = parameter(unit="flop/s", doc="Of a core.")
watts = parameter(unit="W", doc="Of a core.")


@quantity(unit="s", source="made up for a test")
def time(nodes, cores, hops, rate):
    """Work over rate, and messages."""
    return 1e15 / (nodes * cores * rate) + 0.37 * hops


@quantity(unit="W", source="made up for a test")
def power(nodes, cores, hops, watts):
    """Of cores and cards."""
    return nodes * (cores * watts + 41.0 / hops)
'''
PARTS = "name,rate [Gflop/s],watts [W],source\nlean,10,2,made up\nfat,13,3.1,made up\n"
HEAD = """
name = "edges"
question = "How many nodes?"
models = ["edges.py"]
"""
NODES, CORES = [40, 60, 90, 130, 200], [30, 50, 70, 110]
HOPS = {"tree": [1, 2, 3], "ring": [4, 6]}
DRAWS = 4000
HALF = (0.25, 0.25)  # to either side, of rate and of power
TWO = '[[objectives]]\nminimize = "time"\n[[objectives]]\nminimize = "power"\n'
TIME = '[[objectives]]\nminimize = "time"\n'
PART = '[space.axes]\npart = { part = "parts.csv" }\n'
FIXED = '[set]\nrate = "10 Gflop/s"\nwatts = "2 W"\n'
RATE, WATTS = 'rate = { within = "25 %" }\n', 'watts = { within = "25 %" }\n'
EACH = 'rate = { within = "25 %", each = "part" }\n'


def text(objectives, limits, unknowns, *, alternatives=("tree", "ring"), parts=False, single=False):
    constraints = "constraints = [" + ", ".join(f'"{name} <= {value} {unit}"' for name, value, unit in limits) + "]\n"
    nodes, cores = ([90], [70]) if single else (NODES, CORES)
    hops = {name: HOPS[name][:1] if single else HOPS[name] for name in alternatives}
    own = PART if parts else "[space.axes]\n"
    space = f"{own}nodes = {{ values = {nodes} }}\ncores = {{ values = {cores} }}\n"
    if len(hops) == 1:
        space += f"hops = {{ values = {next(iter(hops.values()))} }}\n"
    else:
        for name, values in hops.items():
            space += f"[space.alternatives.{name}.axes]\nhops = {{ values = {values} }}\n"
    uncertain = f"[uncertain]\n{unknowns}" if unknowns else ""
    set_values = "" if parts else FIXED
    return f"{HEAD}{constraints}{objectives}{set_values}{space}{uncertain}[trust]\ndraws = {DRAWS}\n"


def by_hand(objectives, limits, spread, *, hops, parts=False, single=False, each=False):
    """Probability of each value of nodes, cores, hops and part, by objective and of the knee, at draws of its own."""
    rows = [(10e9, 2.0), (13e9, 3.1)] if parts else [(10e9, 2.0)]
    nodes, cores = ([90], [70]) if single else (NODES, CORES)
    grid = np.array(list(itertools.product(range(len(rows)), nodes, cores, hops)), dtype=float)
    part, n, c, h = grid.T
    rate, watts = (np.array([row[place] for row in rows])[part.astype(int)] for place in (0, 1))
    rng = np.random.default_rng(77)
    kinds = [*objectives, *(["knee"] if len(objectives) > 1 else [])]
    counted = {kind: np.zeros(len(grid)) for kind in kinds}
    answered = 0
    for _ in range(DRAWS):
        fast = 1.0 + rng.uniform(-spread[0], spread[0], len(rows) if each else 1)[part.astype(int) if each else 0]
        drawn = {
            "time": 1e15 / (n * c * rate * fast) + 0.37 * h,
            "power": n * (c * watts * (1.0 + rng.uniform(-spread[1], spread[1])) + 41.0 / h),
        }
        met = np.ones(len(grid), dtype=bool)
        for name, most, _ in limits:
            met &= drawn[name] <= most * (1000.0 if name == "power" else 1.0)
        here = np.flatnonzero(met)
        if not len(here):
            continue
        answered += 1
        points = np.stack([drawn[name][here] for name in objectives], axis=1)
        beaten = (points[:, None] >= points[None]).all(-1) & (points[:, None] > points[None]).any(-1)
        on = ~beaten.any(axis=1)
        here, points = here[on], points[on]
        for place, name in enumerate(objectives):
            equal = here[points[:, place] == points[:, place].min()]
            counted[name][equal] += 1.0 / len(equal)
        if "knee" in counted:
            low, high = points.min(axis=0), points.max(axis=0)
            sums = ((points - low) / np.where(high > low, high - low, 1.0)).sum(axis=1)
            counted["knee"][here[sums.argmin()]] += 1.0
    return grid, {kind: own / max(1, answered) for kind, own in counted.items()}, answered / DRAWS


CASES = {
    "errors in a limit alone": (TIME, ["time"], [("power", 14, "kW")], WATTS, (0.0, 0.25), {}),
    "errors in objectives alone": (TWO, ["time", "power"], [], RATE + WATTS, HALF, {}),
    "errors in both": (
        TWO,
        ["time", "power"],
        [("power", 11, "kW"), ("time", 25, "s")],
        RATE + WATTS,
        (0.25, 0.25),
        {},
    ),
    "a limit often missed": (TIME, ["time"], [("power", 4.4, "kW"), ("time", 60, "s")], RATE + WATTS, HALF, {}),
    "one alternative": (TWO, ["time", "power"], [("power", 11, "kW")], RATE, (0.25, 0.0), {"alternatives": ("tree",)}),
    "one design": (TWO, ["time", "power"], [], RATE, (0.25, 0.0), {"alternatives": ("tree",), "single": True}),
    "errors of parts": (TWO, ["time", "power"], [("power", 14, "kW")], EACH, (0.25, 0.0), {"parts": True}),
}


@pytest.mark.parametrize("case", CASES)
def test_odds_equal_those_of_all_designs(case, tmp_path):
    objectives, names, limits, unknowns, spread, options = CASES[case]
    (tmp_path / "edges.py").write_text(MODEL)
    (tmp_path / "parts.csv").write_text(PARTS)
    (tmp_path / "edges.toml").write_text(text(objectives, limits, unknowns, **options))
    run = Study.load(str(tmp_path / "edges.toml")).run(str(tmp_path / "run"))
    sure = read_how_sure(run)
    assert (sure.way, sure.late, sure.draws) == ("bounds and rows", False, DRAWS)
    hops = [value for name in options.get("alternatives", HOPS) for value in HOPS[name]]
    hops = hops[:1] if options.get("single") else hops
    parts = options.get("parts", False)
    grid, counted, answered = by_hand(
        names, limits, spread, hops=hops, parts=parts, single=options.get("single", False), each=parts
    )
    near = 4.5 * np.sqrt(0.5 / DRAWS)
    assert [decided.quantity or "knee" for decided in sure.decided] == list(counted)
    for decided in sure.decided:
        assert decided.unanswered == pytest.approx(1.0 - answered, abs=near)
        own = counted[decided.quantity or "knee"]
        told = {choice.name: choice.values for choice in decided.what}
        for column, name in ((1, "nodes"), (2, "cores"), (3, "hops")):
            for value in set(grid[:, column]) if name in told else ():
                expected = own[grid[:, column] == value].sum()
                assert told[name].get(f"{value:g}", 0.0) == pytest.approx(expected, abs=near), (name, value)
        if parts:
            for row, name in enumerate(("lean", "fat")):
                assert told["part"].get(name, 0.0) == pytest.approx(own[grid[:, 0] == row].sum(), abs=near)


def test_without_any_error_nothing_is_called_sure(tmp_path):
    (tmp_path / "edges.py").write_text(MODEL)
    (tmp_path / "edges.toml").write_text(text(TWO, [("power", 11, "kW")], ""))
    run = Study.load(str(tmp_path / "edges.toml")).run(str(tmp_path / "run"))
    assert read_how_sure(run).decided == []
    assert how_sure_sentence(run).startswith("no error is known for time, power, which is not the same as being sure")
