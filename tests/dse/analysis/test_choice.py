"""Choices of one design by all objectives, against brute force; with limits that search again; wrong questions."""

import numpy as np
import pytest
from example_counts import sampled_product
from hypothesis import given
from hypothesis import strategies as st

from dse import Run, Study
from dse.analysis.choose.choice import choose_design, knee_row, scaled_objectives
from dse.errors import InputError

NAMES = ["hybrid-xeon-sp", "ska-correlator", "ska-station"]
LIMITS = {
    "hybrid-xeon-sp": [["run_time <= 20 s"], ["nodes <= 3"], ["nodes * cores <= 12", "energy <= 1 MJ"]],
    "ska-correlator": [["total_power <= 4 MW"], ["run_time <= 0.48 s"]],
    "ska-station": [["station_power <= 300 W"], ["memory_share >= 0.1"]],
}
PLAIN = [(" kJ", "e3"), (" MJ", "e6"), (" MW", "e6"), (" W", ""), (" s", "")]
CASES = [(name, limits) for name in NAMES for limits in ([], *LIMITS[name])]


@pytest.fixture(scope="module")
def runs():
    return {name: Study.load(name).run() for name in NAMES}


def frontier_by_hand(run, limits):
    """Numbers and objective values of the frontier of the designs within limits, design by design."""
    senses = [o["sense"] for o in run.objectives]
    sign = np.array([1.0 if s == "min" else -1.0 for s in senses])
    names = [o["quantity"] for o in run.objectives]
    found = {}
    for record in run.study.compiled.quantities(np.arange(run.study.space.size)):
        system = run.study.compiled.systems[record["product"]]
        for place, number in enumerate(record["positions"]):
            values = {
                k: np.asarray(v).reshape(-1)[place if np.asarray(v).size > 1 else 0]
                for k, v in record["values"].items()
                if isinstance(v, np.ndarray)
            }
            met = all(values[c.quantity] for c in system.constraints)
            for limit in limits:
                for unit, factor in PLAIN:
                    limit = limit.replace(unit, factor)
                met = met and eval(limit, {}, values)
            if met:
                found[int(number)] = np.array([values[name] for name in names])
    numbers = sorted(found)
    points = np.array([found[n] for n in numbers]) * sign
    kept = [i for i, p in enumerate(points) if not any((q <= p).all() and (q < p).any() for q in points)]
    return [numbers[i] for i in kept], points[kept], names


def scaled_by_hand(points):
    columns = []
    for column in points.T:
        low, high = min(column), max(column)
        columns.append([(x - low) / (high - low) if high > low else 0.0 for x in column])
    return list(zip(*columns, strict=True))


def tied(told, points, names, senses):
    """The designs a choice named, as points to minimise."""
    sign = [1.0 if s == "min" else -1.0 for s in senses]
    return {tuple(s * d[n] for s, n in zip(sign, names, strict=True)) for d in told.designs}


@pytest.mark.parametrize(("name", "limits"), CASES)
def test_the_knee(runs, name, limits):
    run = runs[name]
    told = choose_design(run, "knee", where=limits)
    _, points, names = frontier_by_hand(run, limits)
    if not len(points):
        assert (told.found, told.designs) == (False, [])
        return
    sums = [sum(row) for row in scaled_by_hand(points)]
    best = {tuple(p) for p, total in zip(points, sums, strict=True) if total <= min(sums) + 1e-12}
    chosen = tied(told, points, names, [o["sense"] for o in run.objectives])
    assert chosen
    assert chosen <= best
    assert told.rule == "knee, where the frontier bends most"


@pytest.mark.parametrize(("name", "limits", "shares"), sampled_product(CASES, [[1, 1], [3, 1], [0, 1], [1, 0]], each=2))
def test_weights(runs, name, limits, shares):
    run = runs[name]
    _, points, names = frontier_by_hand(run, limits)
    told = choose_design(run, "weights", weights=dict(zip(names, shares, strict=True)), where=limits)
    assert told.found == (len(points) > 0)
    if len(points):
        scores = [sum(w * x for w, x in zip(shares, row, strict=True)) for row in scaled_by_hand(points)]
        best = {tuple(p) for p, score in zip(points, scores, strict=True) if score <= min(scores) + 1e-12}
        chosen = tied(told, points, names, [o["sense"] for o in run.objectives])
        assert chosen
        assert chosen <= best


@pytest.mark.parametrize(
    ("name", "limits", "tolerance", "backwards"), sampled_product(CASES, [0.0, 0.1, 0.5], [False, True], each=3)
)
def test_lexicographic(runs, name, limits, tolerance, backwards):
    run = runs[name]
    numbers, points, names = frontier_by_hand(run, limits)
    order = names[::-1] if backwards else names
    told = choose_design(run, "lexicographic", order=order, tolerance=tolerance, where=limits)
    left = list(range(len(points)))
    for quantity in order:
        column = names.index(quantity)
        if left:
            best = min(points[i][column] for i in left)
            left = [i for i in left if points[i][column] <= best + tolerance * abs(best)]
    assert {d["design"] for d in told.designs} == {numbers[i] for i in left}
    assert told.found == bool(left)


@pytest.mark.parametrize(
    ("name", "limits", "again"),
    [
        ("hybrid-xeon-sp", ["run_time <= 20 s"], False),
        ("hybrid-xeon-sp", ["nodes <= 3"], True),
        ("ska-correlator", ["run_time <= 0.48 s"], True),
    ],
)
def test_it_says_whether_it_searched_again(runs, name, limits, again):
    told = choose_design(runs[name], "knee", where=limits)
    assert (told.searched_again, told.evaluated > 0) == (again, again)
    if again:
        assert told.reason == (
            f"'{limits[0]}' limits more than an objective on its bad side, so its answer may lie off the frontier"
        )
    else:
        assert told.reason == "the frontier has the answer, nothing was searched again"


@given(
    st.lists(st.tuples(*[st.floats(1e-3, 1e3)] * 3), min_size=1, max_size=12),
    st.tuples(*[st.sampled_from(["min", "max"])] * 3),
    st.tuples(*[st.floats(1e-6, 1e6)] * 3),
)
def test_units_do_not_matter(points, senses, factors):
    """The knee of the values in other units is the same, and scaled objectives lie between 0 and 1."""
    values = np.array(points)
    scaled = scaled_objectives(values, senses)
    assert scaled.min() >= 0
    assert scaled.max() <= 1
    sums = scaled.sum(axis=1)
    again = scaled_objectives(values * np.array(factors), senses).sum(axis=1)
    assert sums[knee_row(values * np.array(factors), senses)] == pytest.approx(sums.min(), abs=1e-6)
    assert again == pytest.approx(sums, abs=1e-6)


WRONG = [
    (("best",), {}, "unknown method 'best'; allowed: knee, weights, lexicographic"),
    (("weights",), {}, "--weights: weights must be >= 0, one of them > 0; allowed: run_time=2,energy=1"),
    (
        ("weights",),
        {"weights": {"energy": -1.0}},
        "--weights: weights must be >= 0, one of them > 0; allowed: run_time=2,energy=1",
    ),
    (
        ("weights",),
        {"weights": {"energy": float("nan")}},
        "--weights: weights must be >= 0, one of them > 0; allowed: run_time=2,energy=1",
    ),
    (
        ("weights",),
        {"weights": {"enrgy": 1.0}},
        "--weights: 'enrgy' is no objective; allowed: run_time, energy; did you mean 'energy'?",
    ),
    (("lexicographic",), {}, "--order: the order needs each objective once; allowed: run_time, energy"),
    (
        ("lexicographic",),
        {"order": ["energy", "energy"]},
        "--order: the order needs each objective once; allowed: run_time, energy",
    ),
    (
        ("lexicographic",),
        {"order": ["nodes"]},
        "--order: 'nodes' is no objective; allowed: run_time, energy",
    ),
    (
        ("lexicographic",),
        {"order": ["energy"], "tolerance": 1.5},
        "--within: the tolerance is 1.5; allowed: 0 to 1, such as 0.05",
    ),
    (
        ("lexicographic",),
        {"order": ["energy"], "tolerance": float("nan")},
        "--within: the tolerance is nan; allowed: 0 to 1, such as 0.05",
    ),
    (("knee",), {"where": ["energy"]}, "--where: 'energy' is no condition; allowed: such as 'power <= 20 MW'"),
]


@pytest.mark.parametrize(("arguments", "more", "message"), WRONG)
def test_wrong_questions(runs, arguments, more, message):
    with pytest.raises(InputError) as error:
        choose_design(runs["hybrid-xeon-sp"], *arguments, **more)
    assert str(error.value) == message


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("runs") / "run"
    Study.load("hybrid-xeon-sp").run(place)
    return place


@pytest.fixture
def pick(folder, capsys, monkeypatch):
    from dse.cli.main import main

    monkeypatch.chdir(folder.parent)

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["pick", "run", *arguments])
        printed = capsys.readouterr()
        return int(end.value.code), printed.out, printed.err

    return call


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--knee"], "knee, where the frontier bends most"),
        (
            ["--weights", "run_time=3, energy=1"],
            "least weighted sum of objectives scaled to the frontier: run_time 75 %, energy 25 %",
        ),
        (["--order", "energy, run_time"], "best by energy, then run_time"),
        (["--order", "run_time", "--within", "0.05"], "best by run_time, within 5 % each"),
        (["--min", "energy"], "least energy"),
        (["--max", "energy"], "most energy"),
    ],
)
def test_the_rule_in_words(pick, folder, arguments, rule):
    import json

    code, out, err = pick(*arguments)
    assert (code, err) == (0, "")
    head, *rest = out.splitlines()
    assert head.endswith(f": {rule}")
    assert any(line.startswith("  run_time = ") for line in rest)
    told = json.loads(pick(*arguments, "--json")[1])
    assert told["rule"] == rule
    assert set(told) == {
        *("found", "designs", "rule", "searched_again", "evaluated", "reason", "units", "synthetic", "headline"),
        "how_sure",
    }
    assert head.startswith(f"{len(told['designs'])} design")
    known = set(Run.load(folder).frontier["design"])
    assert told["searched_again"] or {d["design"] for d in told["designs"]} <= known


LINES = {
    ("--weights", "energy"): "--weights: 'energy' is not name=number; allowed: run_time=2,energy=1",
    ("--weights", "energy=much"): "--weights: 'energy=much' is not name=number; allowed: run_time=2,energy=1",
    ("--weights", ""): "--weights: '' is not name=number; allowed: run_time=2,energy=1",
    ("--weights", "energy=-1"): "--weights: weights must be >= 0, one of them > 0; allowed: run_time=2,energy=1",
    ("--weights", "energy=1,energy=2"): "--weights: 'energy' stands twice",
    ("--order", ""): "--order: '' is no objective; allowed: run_time, energy",
    ("--order", "energy,energy"): "--order: the order needs each objective once; allowed: run_time, energy",
    ("--order", "energy", "--within", "2"): "--within: the tolerance is 2; allowed: 0 to 1, such as 0.05",
    ("--knee", "--within", "0.1"): "--within: goes with --order only",
    ("--knee", "--order", "energy"): (
        "give one of --min, --max, --knee, --weights, --order at most; found --knee and --order; "
        "allowed: --min run_time, --min energy"
    ),
}


@pytest.mark.parametrize("arguments", LINES, ids=" ".join)
def test_wrong_lines(pick, arguments):
    assert pick(*arguments) == (2, "", f"error: {LINES[arguments]}\n")


def test_nothing_meets_the_limits(pick):
    for asked, limit in ((("--knee",), "run_time <= 1 us"), (("--order", "energy"), "nodes >= 1000")):
        code, out, err = pick(*asked, "--where", limit)
        first, *nearest = out.splitlines()
        assert (code, first, err) == (1, "no design meets these limits", "")
        assert all(line.startswith(f"  nearest to {limit}: ") for line in nearest)
