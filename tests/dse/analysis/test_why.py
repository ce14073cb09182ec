"""Why a part is not on the frontier, and what decides: against a look at every design, in plain loops."""

import itertools
import math
import statistics

import numpy as np
import pytest

from dse.analysis.why.break_even import proved_direction
from dse.analysis.why.break_even_map import break_even_map
from dse.analysis.why.distance import beaten, distance
from dse.analysis.why.membership import membership
from dse.analysis.why.parameter_place import parameter_place
from dse.analysis.why.space_part import complement_of, own_frontier, part_of
from dse.analysis.why.space_sensitivity import estimated_shares, space_sensitivity
from dse.analysis.why.variance_shares import VarianceShares
from dse.analysis.why.why import absence, decisive
from dse.api import Study
from dse.errors import InputError
from dse.evaluation.problem import Objective
from dse.report.words.why import describe_absence, describe_break_even

MODEL = '''"""A made-up machine."""

import numpy as np

from dse import assumption, parameter, quantity

nodes = parameter(unit="1", doc="Nodes", minimum=1, integer=True)
frequency = parameter(unit="Hz", doc="Clock", above=0)
speed = parameter(unit="1", doc="Operations a cycle", above=0)
device_power = parameter(unit="W", doc="Power of a device", minimum=0)
detour = parameter(unit="1", doc="How much longer messages take", minimum=0)
work = assumption(1e10, unit="1", source="invented", doc="Operations of the job", above=0)
price = assumption(10.0, unit="1", source="invented", doc="Price of a device", above=0)
extra = assumption(2.0, unit="1", source="invented", doc="Price of what only one kind has", minimum=0)
memory_power = assumption(40.0, unit="W", source="invented", doc="Power of the memory of a node", minimum=0)
idle = assumption(5.0, unit="W", source="invented", doc="Power at rest", minimum=0)


@quantity(unit="s", source="invented")
def time(nodes, frequency, speed, detour, work):
    """Time of the job."""
    return work / (nodes * frequency * speed) + 0.02 * detour * np.sqrt(nodes)


@quantity(unit="W", source="invented")
def power(nodes, device_power, frequency, idle, memory_power):
    """Power of the machine."""
    return nodes * (idle + memory_power + device_power * (frequency / 1e9))


@quantity(unit="1", source="invented", slot="kind", provider="plain", default=True, name="cost")
def plain_cost(nodes, price, speed):
    """Cost of the machine."""
    return nodes * price * speed


@quantity(unit="1", source="invented", slot="kind", provider="dear", name="cost")
def dear_cost(nodes, price, speed, extra):
    """Cost of the machine with more in it."""
    return nodes * (price * speed + extra)
'''

PARTS = """name,speed,device_power [W],source
small,1,20,me
large,4,130,me
old,1,100,me
"""

STUDY = """name = "made-up"
question = "Which?"
models = ["model.py"]
constraints = ["power <= 3 kW"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[[objectives]]
minimize = "cost"

[space.axes]
nodes = { values = [2, 4, 8, 16, 32] }
frequency = { values = ["1 GHz", "1.5 GHz", "2 GHz"] }
device = { part = "parts.csv" }

[space.alternatives.lean]
use = { kind = "plain" }
set = { detour = 1, idle = "5 W" }

[space.alternatives.rich]
use = { kind = "dear" }
set = { extra = 3, detour = 1.5, idle = "8 W" }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("why")
    (folder / "model.py").write_text(MODEL)
    (folder / "parts.csv").write_text(PARTS)
    (folder / "made-up.toml").write_text(STUDY)
    return Study.load(folder / "made-up.toml")


@pytest.fixture(scope="module")
def run(study):
    return study.run()


def looked_at(study):
    """Every design: objectives, whether it is feasible, and what it is."""
    numbers = np.arange(study.space.size)
    values = np.empty((len(numbers), len(study.compiled.objectives)))
    feasible = np.ones(len(numbers), dtype=bool)
    for record in study.compiled.quantities(numbers):
        at = record["positions"]
        for place, objective in enumerate(study.compiled.objectives):
            values[at, place] = np.broadcast_to(record["values"][objective.quantity], len(at))
        for constraint in study.compiled.systems[record["product"]].constraints:
            feasible[at] &= np.broadcast_to(record["values"][constraint.quantity], len(at))
    named = [study.space.parameters(int(number)) for number in numbers]
    return values.tolist(), feasible.tolist(), named


def beats(one, other):
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


def frontier_of(points):
    return [one for one in points if not any(beats(other, one) for other in points)]


def chosen(named, **wanted):
    return [all(own.get(key) == value for key, value in wanted.items()) for own in named]


PARTS_OF = [
    ("device = old", {"device": "old"}),
    ("alternative = rich", {"alternative": "rich"}),
    ("frequency = 1.5 GHz", {"frequency": "1.5 GHz"}),
    ("nodes = 32", {"nodes": "32"}),
    ("design = 47", None),
]


@pytest.mark.parametrize(("text", "wanted"), PARTS_OF)
def test_factors_against_every_design(study, run, text, wanted):
    values, feasible, named = looked_at(study)
    inside = chosen(named, **wanted) if wanted is not None else [n == 47 for n in range(len(named))]
    whole = frontier_of([v for v, fine in zip(values, feasible, strict=True) if fine])
    own = [v for v, fine, here in zip(values, feasible, inside, strict=True) if fine and here]
    told = absence(run, text)
    assert told.designs == sum(inside)
    assert told.feasible == len(own)
    factor = min(max(min(d / f for d, f in zip(one, other, strict=True)) for other in whole) for one in own)
    assert told.distance["factor"] == pytest.approx(factor, rel=1e-12)
    for place, objective in enumerate(study.compiled.objectives):
        singly = []
        for one in own:
            as_good = [o for o in whole if all(o[k] <= one[k] for k in range(3) if k != place)]
            singly.append(max([1.0, *(one[place] / other[place] for other in as_good)]))
        single = told.distance["single"][objective.quantity]
        assert single["factor"] == pytest.approx(min(singly), rel=1e-12)
        assert inside[single["design"]]
    on = sum(v in whole for v, fine, here in zip(values, feasible, inside, strict=True) if fine and here)
    assert told.on_frontier == on
    assert told.distance["factor"] >= 1
    factors = [max(min(d / f for d, f in zip(one, other, strict=True)) for other in whole) for one in values]
    least = [n for n, one in enumerate(factors) if feasible[n] and inside[n] and one == told.distance["factor"]]
    assert told.distance["design"] == least[0], "of equal ones the first"
    assert told.distance["factor"] == 1 or not on


def test_the_factor_is_the_least_that_suffices(study, run):
    """Objectives divided by a little more: nothing beats the design; by a little less: something does."""
    told = absence(run, "alternative = rich").distance
    frontier = run.frontier[["time", "power", "cost"]].to_numpy(float)
    (record,) = study.compiled.quantities([told["design"]])
    here = np.array([[float(record["values"][name].reshape(-1)[0]) for name in ("time", "power", "cost")]])
    objectives = study.compiled.objectives
    assert told["factor"] > 1
    assert not beaten(here / (told["factor"] * (1 + 1e-9)), frontier, objectives)[0]
    assert beaten(here / (told["factor"] * (1 - 1e-9)), frontier, objectives)[0]


def test_a_maximised_objective_and_one_that_is_not_positive():
    both = [Objective("rate", "max"), Objective("cost", "min")]
    told = distance(np.array([[2.0, 3.0]]), np.array([7]), np.array([[4.0, 2.0], [1.0, 0.5]]), both)
    assert told["factor"] == pytest.approx(1.5), "twice the rate, or two thirds of the cost"
    assert told["single"] == {
        "rate": {"factor": 2.0, "design": 7},
        "cost": {"factor": 1.5, "design": 7},
    }
    told = distance(np.array([[2.0, 0.0]]), np.array([7]), np.array([[4.0, -2.0]]), both)
    assert told["factor"] is None
    assert told["single"]["cost"] == {"difference": 2.0, "design": 7}
    assert told["single"]["rate"]["factor"] == 2.0


def test_parts_and_what_is_beside_them_are_the_whole(study):
    every = np.arange(study.space.size)
    for text in ("device = large", "alternative = lean", "frequency = 2 GHz"):
        part = part_of(study, text)
        rest = complement_of(part)
        own, other = (one.numbers(np.arange(one.size)) for one in (part, rest))
        assert sorted([*own, *other]) == every.tolist()
        assert part.holds(own).all()
        assert not part.holds(other).any()
        assert own_frontier(part).designs == len(own)
    assert complement_of(part_of(study, "design = 3")) is None


BAD = [
    ("device", "'device' is no part of the space"),
    ("device = olt", "did you mean 'old'?"),
    ("devise = old", "did you mean 'device'?"),
    ("alternative = reich", "did you mean 'rich'?"),
    ("design = 90", "there is no design 90; allowed: 0 to 89"),
    ("design = one", "there is no design one"),
    ("frequency = 1.5", "has no unit"),
    ("nodes = 3", "'nodes' has no value 3"),
    ("kind = plane", "did you mean 'plain'?"),
]


@pytest.mark.parametrize(("text", "told"), BAD)
def test_parts_that_are_none(study, text, told):
    with pytest.raises(InputError) as error:
        part_of(study, text)
    assert told in str(error.value)


# ---- break-even ------------------------------------------------------------------------------------------------------


def is_on(study, wanted, column=None, **values):
    """Whether a part is on the frontier, by a look at every design of the study with other values."""
    variant = study.with_(set=values) if values else study
    found, feasible, named = looked_at(variant)
    whole = frontier_of([v for v, fine in zip(found, feasible, strict=True) if fine])
    inside = chosen(named, **wanted)
    return any(v in whole for v, fine, here in zip(found, feasible, inside, strict=True) if fine and here)


def bisected(off, on, probe):
    while abs(on - off) > 1e-6 * max(abs(on), abs(off)):
        middle = (on + off) / 2
        off, on = (off, middle) if probe(middle) else (middle, on)
    return on


def test_a_break_even_that_signs_prove(study, run):
    """Only the rich ones pay the extra: without it they cost the same, and ties are on the frontier."""
    part, place = part_of(study, "alternative = rich"), parameter_place(study, "extra")
    assert (place.value, place.products) == (3.0, {1})
    assert proved_direction(part, place, 0.3, 30.0) == (-1, "")
    told = absence(run, "alternative = rich", parameter="extra").break_even
    assert (told.proved, told.value, told.present) == (True, None, 3.0), "a tenth of it is still too dear"
    assert told.factor > 1
    assert told.low == pytest.approx(0.3)


def test_a_break_even_of_a_column_of_a_part(study, run, tmp_path):
    told = absence(run, "device = old", parameter="device_power[old]")
    even = told.break_even
    assert told.on_frontier == 0
    assert even.proved
    assert even.why_not == ""

    def probe(watts):
        (tmp_path / "model.py").write_text(MODEL)
        (tmp_path / "parts.csv").write_text(PARTS.replace("old,1,100", f"old,1,{watts!r}"))
        (tmp_path / "made-up.toml").write_text(STUDY)
        return is_on(Study.load(tmp_path / "made-up.toml"), {"device": "old"})

    assert not probe(100.0)
    assert even.value == pytest.approx(bisected(100.0, 10.0, probe), rel=1e-5)
    assert even.change == pytest.approx((even.value - 100) / 100)
    assert probe(even.value), "the value itself is one at which it is on the frontier"
    assert study.space.parameters(even.design)["device"] == "old"
    assert told.named[even.design]["device"] == "old"


def test_a_break_even_that_is_scanned(study, run):
    """The memory is in all designs, so nothing is proved, and every change that is seen is told."""
    told = absence(run, "nodes = 32", parameter="memory_power")
    even = told.break_even
    assert told.on_frontier == 0
    assert not even.proved
    assert even.why_not == "memory_power reaches other designs too"
    values = (4.0, 19.9, 20.1, 29.0, 99.0)
    probed = {value: is_on(study, {"nodes": "32"}, memory_power=f"{value!r} W") for value in values}
    assert set(probed.values()) == {False, True}, "else nothing is tried"
    for value, on in probed.items():
        assert on == any(low * (1 - 1e-5) <= value <= high * (1 + 1e-5) for low, high in even.intervals)
    # 32 small devices at 1.5 GHz draw as much as the 8 large ones that beat them in time: 32 (35 + m) = 8 (200 + m).
    assert even.value == pytest.approx(20.0, rel=1e-5)
    assert is_on(study, {"nodes": "32"}, memory_power=f"{even.value!r} W")


def test_a_number_of_which_each_alternative_has_its_own(study, run):
    """That of the part alone is varied: the detour of the rich ones, whose messages take longer."""
    even = absence(run, "alternative = rich", parameter="detour").break_even
    assert (even.present, even.proved) == (1.5, True)
    text = study.text.replace("detour = 1.5", "detour = {}")

    def probe(detour):
        other = Study.from_text(text.replace("{}", repr(detour)), folder=study.folder)
        return is_on(other, {"alternative": "rich"})

    assert even.value == pytest.approx(bisected(1.5, 0.15, probe), rel=1e-5)
    with pytest.raises(InputError, match="has several values, of each alternative its own"):
        absence(run, "device = old", parameter="detour")
    rich = study.with_(without=[("alternative", "lean")])
    assert parameter_place(rich, "detour").value == 1.5


def test_break_evens_of_one_number_at_values_of_another(study, run):
    """The less a large device is worth, the less the old one has to save: each row is a break-even of its own."""
    part, column = part_of(study, "device = old"), parameter_place(study, "device_power[old]")
    told = break_even_map(part, parameter_place(study, "memory_power"), column, rows=3)
    assert (told.parameter, told.other) == ("memory_power", "device_power[old]")
    assert [value for value, _ in told.rows] == pytest.approx([4.0, 40.0, 400.0])
    for value, even in told.rows[:2]:
        variant = study.with_(set={"memory_power": f"{value!r} W"}).run()
        alone = absence(variant, "device = old", parameter="device_power[old]").break_even
        assert even.value == pytest.approx(alone.value, rel=1e-9)
    for names, why in ((("work", "work"), "stands twice"), (("work", "price", "extra"), "one, or two for a map")):
        with pytest.raises(InputError, match=why):
            absence(run, "device = old", parameter=names)


def test_nothing_helps(run):
    """Of more work, all have more: the old device stays behind the small one."""
    even = absence(run, "device = old", parameter="work").break_even
    assert (even.value, even.intervals, even.proved) == (None, [], False)
    assert even.factor >= 1
    assert (even.low, even.high) == (1e9, 1e11)


def test_an_alternative_that_is_on_the_frontier_stays_as_it_is(run):
    even = absence(run, "alternative = lean", parameter="price").break_even
    assert (even.value, even.change) == (10.0, 0.0)
    assert even.stays == (even.low, even.high) == (1.0, 100.0), "the price is that of all designs"
    first, second = describe_break_even(even)
    assert first == "price is 10; it is on the frontier as it is, and at every value from 1 to 100"
    assert second.startswith("not proved (price reaches other designs too)")


def test_where_a_part_on_the_frontier_leaves_it(run):
    """The old device is the small one but for its 100 W: drawing more than that, the small one is beaten by it."""
    even = absence(run, "device = small", parameter="device_power[small]").break_even
    assert (even.value, even.change, even.proved) == (20.0, 0.0, True)
    assert even.stays == (even.low, pytest.approx(100.0, rel=1e-5))
    assert even.as_dict()["stays"] == list(even.stays)
    first, second = describe_break_even(even)
    assert "on the frontier as it is, up to 100" in first
    assert "(+400.00 %): beyond, no design of it is" in first
    assert second == "proved by signs: there is no other change"


def test_where_a_part_leaves_the_frontier_when_all_designs_change(study, run):
    """The memory is in all designs: values are scanned, and 32 nodes leave where they came, at 20 W."""
    there = study.with_(set={"memory_power": "15 W"}).run()
    even = absence(there, "nodes = 32", parameter="memory_power").break_even
    assert (even.value, even.proved) == (15.0, False)
    low, high = even.stays
    assert high == pytest.approx(20.0, rel=1e-5)
    for value in (4.0, 15.0, 19.9, 20.1, 29.0):
        if value >= low:
            assert is_on(study, {"nodes": "32"}, memory_power=f"{value!r} W") == (value <= high)


@pytest.mark.parametrize(("text", "wanted", "axis"), [
    ("device = small", {"device": "small"}, "device"),
    ("nodes = 32", {"nodes": "32"}, "nodes"),
    ("alternative = rich", {"alternative": "rich"}, "alternative"),
])  # fmt: skip
def test_what_beats_a_part(study, run, text, wanted, axis):
    """Against plain loops: which of its best designs are beaten, and by designs of which value."""
    values, feasible, named = looked_at(study)
    fine = [(v, own) for v, ok, own in zip(values, feasible, named, strict=True) if ok]
    (value,) = wanted.values()
    own = [v for v, design in fine if design[axis] == value]
    best = frontier_of(own)
    whole = frontier_of([v for v, _ in fine])
    lost = [v for v in best if v not in whole]
    told = absence(run, text)
    assert sum(told.limits.values()) == sum(chosen(named, **wanted)) - len(own)
    lines = "\n".join(describe_absence(told, {}))
    assert f"beaten by other designs with {text}: {len(own) - len(best)}" in lines
    if not lost:
        assert told.beating is None
        return
    assert told.beating.beaten == len(lost)
    counts = {}
    for one in lost:
        for label in {design[axis] for v, design in fine if v in whole and beats(v, one)}:
            counts[f"{axis} = {label}"] = counts.get(f"{axis} = {label}", 0) + 1
    assert told.beating.by == counts
    assert list(told.beating.by.values()) == sorted(counts.values(), reverse=True)
    for pair in told.beating.pairs:
        own_values, others = list(pair.values.values()), list(pair.by_values.values())
        assert own_values in lost
        assert others in whole
        assert beats(others, own_values)
        assert int(run.frontier["design"].iloc[pair.by_row]) == pair.by
    assert f"beaten: {len(lost)} of its {len(best)} best designs" in lines


BAD_PARAMETERS = [
    ("nodes", 'is an axis; allowed: dse sweep --vary nodes="…"'),
    ("device_power", "has a value for each; allowed: device_power[small]"),
    ("device_power[olt]", "did you mean 'old'?"),
    ("device_pover[old]", "did you mean 'device_power'?"),
    ("prise", "did you mean 'price'?"),
]


def test_a_number_that_does_not_reach_the_part(run):
    with pytest.raises(InputError, match="it reaches no objective of 'alternative = lean'"):
        absence(run, "alternative = lean", parameter="extra")


@pytest.mark.parametrize(("name", "told"), BAD_PARAMETERS)
def test_parameters_that_are_none(run, name, told):
    with pytest.raises(InputError) as error:
        absence(run, "device = old", parameter=name)
    assert told in str(error.value)


def test_nothing_feasible(study):
    tight = study.with_(where="power <= 60 W").run()
    told = absence(tight, "device = large")
    values, _, named = looked_at(study)
    own = [v for v, here in zip(values, chosen(named, device="large"), strict=True) if here]
    assert (told.distance, told.feasible) == (None, 0)
    limits = {one["text"]: one for one in told.infeasible["limits"]}
    tightest = limits["power <= 60 W"]
    assert tightest["broken"] == len(own)
    assert tightest["appears_at"] == pytest.approx(min(power for _, power, _ in own)), "the first design appears there"
    assert told.infeasible["every"]
    assert told.infeasible["violation"] == pytest.approx(math.log(tightest["appears_at"] / 60))
    assert told.as_dict()["infeasible"]["looked_at"] == len(own)


def test_several_limits_in_the_way(study):
    """Each limit is where the first design appears that meets all others."""
    tight = study.with_(where=["power <= 400 W", "time <= 0.3 s"]).run()
    told = absence(tight, "device = large").infeasible
    values, _, named = looked_at(study)
    own = [v for v, here in zip(values, chosen(named, device="large"), strict=True) if here]
    limits = {one["text"]: one for one in told["limits"]}
    assert limits["power <= 400 W"]["appears_at"] == pytest.approx(min(p for t, p, _ in own if t <= 0.3))
    assert limits["time <= 0.3 s"]["appears_at"] == pytest.approx(min(t for t, p, _ in own if p <= 400))
    assert limits["time <= 0.3 s"]["broken"] == sum(t > 0.3 for t, _, _ in own)
    assert [one["broken"] for one in told["limits"]] == sorted((one["broken"] for one in told["limits"]), reverse=True)
    assert limits["power <= 3 kW"]["appears_at"] is None, "none that breaks it alone"


def test_a_frontier_that_is_not_exact_is_refused(study):
    loose = study.run(tolerance="50 %")
    assert not loose.exact
    with pytest.raises(InputError, match="is not exact"):
        absence(loose, "device = old")


# ---- effects ---------------------------------------------------------------------------------------------------------


def effects_in_loops(values, shape, axis):
    """Main and total effect by their definitions, one cell at a time."""
    cells = dict(zip(itertools.product(*map(range, shape)), values, strict=True))
    variance = statistics.pvariance(values)
    means = [statistics.fmean(v for at, v in cells.items() if at[axis] == row) for row in range(shape[axis])]
    lines = {}
    for at, v in cells.items():
        lines.setdefault(at[:axis] + at[axis + 1 :], []).append(v)
    total = statistics.fmean(statistics.pvariance(line) for line in lines.values())
    return statistics.pvariance(means) / variance, total / variance


@pytest.mark.parametrize("log", [False, True])
def test_main_and_total_effects_against_the_definitions(study, run, log):
    told = run.sensitivity(log=log)
    values, feasible, named = looked_at(study)
    axes = {"nodes": 0, "frequency": 1, "device": 2}
    for alternative, place in itertools.product(("lean", "rich"), range(3)):
        name = study.compiled.objectives[place].quantity
        own = [v[place] for v, here in zip(values, chosen(named, alternative=alternative), strict=True) if here]
        own = [math.log(v) for v in own] if log else own
        for axis, position in axes.items():
            main, total = effects_in_loops(own, (5, 3, 3), position)
            assert told[alternative][name][axis]["main"] == pytest.approx(main, abs=1e-9)
            assert told[alternative][name][axis]["total"] == pytest.approx(total, abs=1e-9)
    whole = space_sensitivity(study.compiled, log=log)
    own = [math.log(v[0]) if log else v[0] for v in values]
    halves = [own[:45], own[45:]]
    between = statistics.pvariance([statistics.fmean(half) for half in halves]) / statistics.pvariance(own)
    assert whole.between["time"] == pytest.approx(between, abs=1e-9)
    kept = [v for v, fine in zip(halves[0], feasible[:45], strict=True) if fine]
    rows = [[own[k] for k in range(45) if k // 9 == row and feasible[k]] for row in range(5)]
    rows = [row for row in rows if row]
    middle = statistics.fmean(kept)
    explained = sum(len(row) * (statistics.fmean(row) - middle) ** 2 for row in rows) / len(kept)
    main = whole.effects["lean"]["time"]["nodes"]["feasible_main"]
    assert main == pytest.approx(explained / statistics.pvariance(kept), abs=1e-9)


def test_a_grid_of_one_alternative_has_no_level_more(study):
    single = study.with_(without=[("alternative", "rich")])
    assert list(single.run().sensitivity()) == ["time", "power", "cost"]


def test_the_longest_axis_need_not_be_the_first(study, monkeypatch):
    """Effects and membership are the same whichever axis is cut, and however finely."""
    import dse.analysis.why.space_values as values

    wide = study.with_(set={"nodes": 8})
    whole = space_sensitivity(wide.compiled).effects
    run = wide.run()
    near = membership(wide.compiled, *frontier_arrays(run)).as_dict()
    monkeypatch.setattr(values, "_AT_ONCE", 2)
    assert values.long_axis(wide.space.products[0]) == 1
    for alternative, own in space_sensitivity(wide.compiled).effects.items():
        for objective, axes in own.items():
            for axis, told in axes.items():
                assert told == pytest.approx(whole[alternative][objective][axis], abs=1e-12)
    again = membership(wide.compiled, *frontier_arrays(run)).as_dict()
    assert again["values"] == near["values"]
    assert again["near"] == pytest.approx(near["near"])


def frontier_arrays(run):
    names = ["time", "power", "cost"]
    return run.frontier["design"].to_numpy(), run.frontier[names].to_numpy(float)


@pytest.mark.parametrize("cuts", [[0, 6], [0, 1, 6], [0, 2, 3, 6]])
def test_slabs_are_merged_without_loss(cuts):
    rng = np.random.default_rng(1)
    grid = 1e18 + 1e6 * rng.normal(size=(6, 4, 3))
    shares = VarianceShares(grid.shape)
    for begin, end in itertools.pairwise(cuts):
        shares.add(begin, end, grid[begin:end], rng.random((end - begin, 4, 3)) < 0.5)
    exact = (grid - 1e18).astype(float)
    for axis in range(3):
        main, total = effects_in_loops(exact.reshape(-1).tolist(), grid.shape, axis)
        assert shares.main(axis) == pytest.approx(main, rel=1e-4, abs=2e-3), "sums of squares would have no digit left"
        assert shares.total(axis) == pytest.approx(total, rel=1e-4, abs=2e-3)


def test_equal_values_have_no_effect():
    shares = VarianceShares((3, 2))
    shares.add(0, 3, np.full((3, 2), 0.1))
    assert (shares.main(0), shares.total(1)) == (0.0, 0.0)


def test_an_estimate_is_within_its_error(study):
    exact = space_sensitivity(study.compiled).effects["lean"]
    shares, _, faults = estimated_shares(study.compiled, 0, designs=2**13)
    assert not faults
    for place, name in enumerate(("time", "power", "cost")):
        for axis, position in {"nodes": 0, "frequency": 1, "device": 2}.items():
            told = shares[place][position]
            for kind in ("main", "total"):
                error = max(told[f"{kind}_error"], 1e-3)
                assert abs(told[kind] - exact[name][axis][kind]) < 5 * error, (name, axis, kind)
    assert shares[1][2]["main_error"] > 0


@pytest.mark.parametrize("within", [0.3, 1.5])
def test_membership_and_regret_against_every_design(study, run, within):
    numbers = run.frontier["design"].to_numpy()
    frontier = run.frontier[["time", "power", "cost"]].to_numpy(float)
    told = membership(study.compiled, numbers, frontier, within=within)
    values, feasible, named = looked_at(study)
    near = [
        fine and any(all(d <= f * (1 + within) for d, f in zip(v, other, strict=True)) for other in frontier.tolist())
        for v, fine in zip(values, feasible, strict=True)
    ]
    for alternative in ("lean", "rich"):
        own = [float(one) for one, here in zip(near, chosen(named, alternative=alternative), strict=True) if here]
        assert told.near[alternative] == pytest.approx(statistics.fmean(own))
        if 0 < sum(own) < len(own):
            for position, axis in enumerate(("nodes", "frequency", "device")):
                main, total = effects_in_loops(own, (5, 3, 3), position)
                assert told.effects[alternative][axis] == pytest.approx({"main": main, "total": total}, abs=1e-9)
    whole = frontier.tolist()
    assert {value for own in told.values.values() for value in own} >= {"small", "large", "lean"}
    for axis, own in told.values.items():
        for value, item in own.items():
            having = [n for n in numbers if named[n].get(axis) == value]
            assert item["share"] == pytest.approx(len(having) / len(numbers))
            assert item["exact"]
            rest = frontier_of(
                [v for v, fine, n in zip(values, feasible, named, strict=True) if fine and n.get(axis) != value]
            )
            regret = (
                max(min(max(g / f for g, f in zip(other, one, strict=True)) for other in rest) for one in whole) - 1
            )
            assert item["regret"] == pytest.approx(max(regret, 0.0), abs=1e-12)


def test_what_decides_has_every_absent_alternative(run):
    told = decisive(run)
    assert [one.part for one in told.absent] == ["alternative = rich"]
    document = told.as_dict()
    assert set(document) == {"sensitivity", "sensitivity_of_logarithms", "membership", "absent"}
    assert document["sensitivity_of_logarithms"]["logarithms"] is True


def test_python_gives_plain_values(run):
    told = run.absence("alternative = rich", parameter="price")
    assert {"designs", "feasible", "factor", "single", "break_even"} <= set(told)
    assert set(told["single"]["time"]) == {"factor", "design"}
    assert {"parameter", "value", "change", "proved", "design"} <= set(told["break_even"])
    with pytest.raises(InputError, match="parameter prise"):
        run.absence("alternative = rich", "prise")
