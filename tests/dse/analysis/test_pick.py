"""Picks equal a search of the whole space by hand, whether the frontier could answer or not."""

import numpy as np
import pytest

from dse import Run, Study
from dse.analysis.choose.choice import choose_design
from dse.analysis.choose.missed_limits import missed_limits
from dse.analysis.choose.pick import pick_design
from dse.errors import InputError

FROM_FRONTIER = {
    "hybrid-xeon-sp": [
        ("energy", "min", []),
        ("run_time", "min", []),
        ("energy", "min", ["run_time <= 20 s"]),
        ("energy", "min", ["run_time < 20 s", "energy <= 1 MJ"]),
        ("run_time", "min", ["energy <= 30 kJ"]),
        ("run_time", "min", ["30 kJ >= energy"]),
        ("energy", "min", ["run_time <= 2 * 10 s"]),
    ],
    "ska-correlator": [("total_power", "min", []), ("node_power", "min", ["total_power <= 4 MW"])],
    "ska-station": [
        ("station_power", "min", []),
        ("technology", "max", ["station_power <= 100 W"]),
        ("station_power", "min", ["technology >= 30 nm"]),
        ("station_power", "min", ["30 nm < technology"]),
    ],
}
AGAIN = {
    "hybrid-xeon-sp": [
        ("energy", "max", []),
        ("compute_time", "min", []),
        ("useful_computation_ratio", "max", ["run_time <= 20 s"]),
        ("energy", "min", ["run_time >= 20 s"]),
        ("energy", "min", ["run_time == 20 s or nodes == 4"]),
        ("energy", "min", ["20 s <= run_time"]),
        ("energy", "min", ["nodes <= 3"]),
        ("energy", "min", ["cores != 8", "run_time <= 20 s"]),
        ("run_time", "min", ["nodes * cores <= 30"]),
        ("energy", "min", ["run_time <= 2 * run_time - 20 s"]),
        ("energy", "min", ["run_time <= energy / 1 kW"]),
        ("nodes", "min", ["run_time <= 20 s"]),
        ("energy", "min", ["not run_time <= 20 s"]),
    ],
    "ska-correlator": [
        ("total_power", "min", ["run_time <= 0.48 s"]),
        ("energy", "min", []),
        ("run_time", "min", []),
        ("node_power", "max", ["total_power >= 4 MW"]),
    ],
    "ska-station": [("technology", "min", []), ("memory_share", "max", ["station_power >= 100 W"])],
}


@pytest.fixture(scope="module")
def runs():
    return {name: Study.load(name).run() for name in FROM_FRONTIER}


def every(study):
    """All quantities of all designs, with what a limit may say in Python."""
    found = []
    for record in study.compiled.quantities(np.arange(study.space.size)):
        count = len(record["positions"])
        system = study.compiled.systems[record["product"]]
        values = {
            k: np.broadcast_to(np.asarray(v).reshape(-1), count)
            for k, v in record["values"].items()
            if isinstance(v, np.ndarray)
        }
        feasible = np.all([values[c.quantity] for c in system.constraints], axis=0) if system.constraints else True
        found.append((record["positions"], values, np.broadcast_to(feasible, count)))
    return found


# Factors of the units the limits are written in.
PLAIN = [(" kJ", "e3"), (" MJ", "e6"), (" MW", "e6"), (" kW", "e3"), (" nm", "e-9"), (" W", ""), (" s", "")]


def holds(limit, values):
    for unit, factor in PLAIN:
        limit = limit.replace(unit, factor)
    if limit.startswith("not "):
        return ~eval(limit[4:], {}, dict(values))
    return np.any([eval(part, {}, dict(values)) for part in limit.split(" or ")], axis=0)


def by_hand(study, quantity, sense, limits):
    """Numbers and value of the best designs of the whole space."""
    numbers, values = [], []
    for positions, found, feasible in every(study):
        mask = feasible.copy()
        for limit in limits:
            mask &= holds(limit, found)
        numbers.append(positions[mask])
        values.append(found[quantity][mask])
    numbers, values = np.concatenate(numbers), np.concatenate(values)
    best = values.min() if sense == "min" else values.max()
    return set(numbers[values == best].tolist()), best


def cases(table):
    return [(name, *case) for name, some in table.items() for case in some]


@pytest.mark.parametrize(("name", "quantity", "sense", "limits"), cases(FROM_FRONTIER))
def test_the_frontier_answers(runs, name, quantity, sense, limits):
    told = pick_design(runs[name], quantity, sense=sense, where=limits)
    assert (told.searched_again, told.evaluated) == (False, 0)
    numbers, best = by_hand(runs[name].study, quantity, sense, limits)
    assert {d[quantity] for d in told.designs} == {best}
    assert {d["design"] for d in told.designs} <= numbers


@pytest.mark.parametrize(("name", "quantity", "sense", "limits"), cases(AGAIN))
def test_the_space_is_searched_again(runs, name, quantity, sense, limits):
    told = pick_design(runs[name], quantity, sense=sense, where=limits)
    assert told.searched_again is True
    assert told.evaluated > 0
    numbers, best = by_hand(runs[name].study, quantity, sense, limits)
    assert {d["design"] for d in told.designs} == numbers
    assert {d[quantity] for d in told.designs} == {best}


def test_it_says_why_it_searched_again(runs):
    run = runs["hybrid-xeon-sp"]
    told = pick_design(run, "energy", where=["run_time >= 20 s"]).reason
    assert told == (
        "'run_time >= 20 s' limits more than an objective on its bad side, so its answer may lie off the frontier"
    )
    told = pick_design(run, "compute_time").reason
    assert told == "'compute_time' is not an objective of the study that is minimised"
    again = pick_design(run, "energy", where=["run_time <= 20 s"])
    assert again.reason == "the frontier has the answer, nothing was searched again"


def test_what_a_pick_shows(runs):
    told = pick_design(runs["hybrid-xeon-sp"], "nodes", where=["run_time <= 20 s"]).designs[0]
    assert set(told) >= {"design", "nodes", "cores", "frequency", "run_time", "energy", "useful_computation_ratio"}


def test_nothing(runs):
    run = runs["hybrid-xeon-sp"]
    for limit, again in (("run_time <= 1 ms", False), ("nodes >= 1000", True)):
        told = pick_design(run, "energy", where=[limit])
        assert (told.found, told.designs, told.searched_again) == (False, [], again)


def test_a_quantity_the_run_did_not_compute(runs):
    """The models give it, so it can be asked for."""
    run = runs["ska-station"]
    text = run.study.text.replace('also = ["ppf_power", ', 'also = ["dbf_power", ')
    assert text != run.study.text
    small = Study.from_text(text, folder=run.study.folder).run()
    told = pick_design(small, "ppf_power", where=["memory_share <= 0.5"])
    numbers, best = by_hand(run.study, "ppf_power", "min", ["memory_share <= 0.5"])
    assert {d["design"] for d in told.designs} == numbers
    assert told.designs[0]["ppf_power"] == best


@pytest.mark.parametrize(
    ("quantity", "limits", "message"),
    [
        ("enrgy", [], "--min: unknown quantity 'enrgy'; allowed: .*; did you mean 'energy'\\?"),
        ("baselines", [], "--min: 'baselines' is no number; allowed: a quantity with a number"),
        (
            "energy",
            ["run_tme <= 1 s"],
            "--where: unknown quantity 'run_tme' in 'run_tme <= 1 s'; did you mean 'run_time'\\?",
        ),
        ("energy", ["run_time <= 1 J"], "--where: units do not fit in 'run_time <= 1 J': 's' against 'J'; allowed: .*"),
        ("energy", ["run_time"], "--where: 'run_time' is no condition; allowed: such as 'power <= 20 MW'"),
        ("energy", ["run_time <="], "--where: the expression 'run_time <=' ends too early"),
        ("energy", ["run_time <= 'x'"], "--where: a text and a number cannot be compared in .*"),
    ],
)
def test_questions_that_cannot_be_answered(runs, quantity, limits, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        pick_design(runs["hybrid-xeon-sp"], quantity, where=limits)


def test_a_run_on_disk_answers_too(tmp_path):
    Study.load("ska-correlator").run(tmp_path / "run")
    run = Run.load(tmp_path / "run")
    assert pick_design(run, "total_power", where=["run_time <= 0.48 s"]).searched_again is True


NAMES = {  # what is asked for, and the least of it by hand
    "a column that nothing reads": ("price", 7.0),
    "a column that a model reads": ("clock", 1.0),
    "an assumption": ("idle", 2.0),
    "an objective": ("time", 0.25),
    "another quantity": ("energy", 4.0),
    "a value of [set]": ("work", 1.0),
}


@pytest.fixture(scope="module")
def priced(tmp_path_factory):
    """A study whose catalogue has a column that nothing reads, and its run on disk."""
    folder = tmp_path_factory.mktemp("priced")
    (folder / "parts.csv").write_text("name,clock,price\none,1,30\ntwo,2,7\nthree,4,9\n")
    (folder / "m.py").write_text(
        "from dse import assumption, parameter, quantity\n"
        'clock = parameter(unit="1", doc="clock")\nwork = parameter(unit="1", doc="work")\n'
        'idle = assumption(2.0, unit="1", source="made up", doc="idle")\n\n\n'
        '@quantity(unit="1", source="made up")\ndef time(clock, work):\n    return work / clock\n\n\n'
        '@quantity(unit="1", source="made up")\ndef energy(idle, clock):\n    return 2.0 * idle * clock\n'
    )
    (folder / "m.toml").write_text(
        'name = "m"\nmodels = ["m.py"]\nalso = ["energy"]\n[[objectives]]\nminimize = "time"\n'
        '[set]\nwork = 1\n[space.axes]\npart = { part = "parts.csv" }\n'
    )
    Study.load(str(folder / "m.toml")).run(folder / "run")
    return Run.load(folder / "run")


@pytest.mark.parametrize("kind", NAMES)
def test_P1_the_same_names_after_min_and_in_where(priced, kind):
    name, least = NAMES[kind]
    assert pick_design(priced, name).designs[0][name] == least
    told = pick_design(priced, "time", where=[f"{name} <= {least}", f"{name} >= {least}"])
    assert told.found


@pytest.mark.parametrize("way", [{"quantity": "time"}, {"method": "knee"}])
def test_P1_a_faulty_limit_names_its_option(priced, way, monkeypatch):
    """Not a place in the file of the study, where it does not stand."""
    pick = pick_design if "quantity" in way else choose_design
    for limit in ("prise <= 5", "price <= 5 s", "2 <= 5"):
        with pytest.raises(InputError, match=r"^--where: ") as caught:
            pick(priced, *way.values(), where=[limit])
        assert "constraints[" not in str(caught.value)
        assert ".toml" not in str(caught.value)
    with pytest.raises(InputError, match=r"^--min: unknown quantity 'prise'.*did you mean 'price'"):
        pick_design(priced, "prise")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (["run_time <= 1 s"], [("run_time", "min", [])]),
        (["1 s >= run_time"], [("run_time", "min", [])]),
        (["run_time <= 5 s", "energy <= 4 kJ"], [("run_time", "min", ["energy"]), ("energy", "min", ["run_time"])]),
        (["compute_time <= 1 ms"], [("compute_time", "min", [])]),
        (["energy >= 1 GJ"], [("energy", "max", [])]),
        (["run_time == energy / 1 kW"], []),
    ],
)
def test_limits_that_nothing_meets_are_told_with_the_nearest_design(runs, where, expected):
    run = runs["hybrid-xeon-sp"]
    numbers = np.arange(run.study.space.size)
    record = run.study.compiled.quantities(numbers)[0]["values"]
    met = np.ones(len(numbers), dtype=bool)
    for constraint in run.study.compiled.systems[0].constraints:
        met &= np.broadcast_to(record[constraint.quantity].reshape(-1), len(numbers)).astype(bool)
    limits = {"run_time": 5.0, "energy": 4e3}
    misses = missed_limits(run, where)
    assert [miss.quantity for miss in misses] == [name for name, _, _ in expected]
    for miss, (name, sense, others) in zip(misses, expected, strict=True):
        here = met.copy()
        for other in others:
            here &= record[other].reshape(-1) <= limits[other]
        values = record[name].reshape(-1)[here]
        assert miss.value == (values.min() if sense == "min" else values.max())
        assert record[name].reshape(-1)[miss.design] == miss.value
