"""Systems beside the space: evaluated as designs are, never counted as such; nothing stands in for an empty cell."""

import pickle

import numpy as np
import pytest
from example_counts import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy import MACHINES, MODEL, REFERENCES, STUDY, edited, write_references, write_toy

from dse import Study
from dse.errors import InputError, ModelError
from dse.evaluation.reference_records import find_reference, lacking_text

GROUP = STUDY + REFERENCES
PART = 'axes = { machine = { part = "machines.csv" } }'
PLAIN = edited(GROUP, ('measured = { time = "log_time", power = "meter" }\n', ""))


@pytest.fixture
def study(toy):
    return Study.load(write_references(toy))


def load(folder, study=GROUP, machines=MACHINES, model=MODEL):
    (folder / "model.py").write_text(model)
    return Study.load(write_references(folder, study, machines))


# ---- values ---------------------------------------------------------------------------------------------------------


def test_a_reference_has_the_bits_of_the_same_design(study):
    """By hand, and by `Study.evaluate` with the same inputs."""
    alpha = study.reference("Alpha")
    assert alpha.values["time"] == 1e11 / (20 * 1.5e9) + 0.1 * np.sqrt(20)
    assert alpha.values["power"] == 20 * (100 + 1e-26 * 1.5e9**3)
    alone = study.evaluate({"nodes": 20, "frequency": "1.5 GHz"})
    for name, value in alone.items():
        if not name.startswith("constraint_"):
            assert np.float64(alpha.values[name]).tobytes() == np.float64(value).tobytes(), name
    assert alpha.feasible is bool(alone["constraint_0"]) is True
    assert alpha.parameters == {
        "machine": "Alpha",
        "machine_confidence": "high",
        "nodes": "20",
        "frequency": "1.5 GHz",
    }
    assert (alpha.source, alpha.extrapolated, alpha.lacking) == ("a log", [], {})


def test_they_are_no_part_of_the_space(toy):
    """Neither its size, nor its numbers, nor its frontier change."""
    write_references(toy, STUDY)
    without = Study.load("toy.toml").run("without")
    write_references(toy)
    study = Study.load("toy.toml")
    beside = study.run("beside")
    assert study.space.size == without.manifest.space.designs == 14
    assert (toy / "without/frontier.parquet").read_bytes() == (toy / "beside/frontier.parquet").read_bytes()
    assert (toy / "without/designs/sample.parquet").read_bytes() == (toy / "beside/designs/sample.parquet").read_bytes()
    for key in ("space", "units", "assumptions", "sources", "synthetic", "certificate"):
        assert getattr(without.manifest, key) == getattr(beside.manifest, key)
    assert [one["name"] for one in beside.references] == ["Alpha", "Beta", "Gamma"]


def test_an_empty_cell_leaves_out_what_depends_on_it(study):
    beta = study.reference("Beta")
    assert set(beta.values) == {"work", "nodes", "base_power", "network_time"}
    assert beta.values["network_time"] == 0.1 * np.sqrt(40)
    why = "'frequency' is empty"
    assert beta.lacking == dict.fromkeys(["frequency", "compute_time", "time", "power", "power <= 20 kW"], why)
    assert (beta.feasible, beta.constraints) == (None, {"power <= 20 kW": None})
    told = [one.record(["time", "power", "network_time"]) for one in study.references]
    assert lacking_text(told, ["time", "power"]) == [f"Beta: no computed figure for time, power ({why})"]


def test_no_function_sees_an_empty_cell(toy):
    """A choice inside a function would hide it: `where(nan > 1, …)` is a number."""
    model = edited(
        MODEL, ("    return work / (nodes * frequency)", "    return np.where(frequency > 1e9, work, nodes)")
    )
    beta = load(toy, model=model).reference("Beta")
    assert {"time", "compute_time"} <= set(beta.lacking)
    assert not {"time", "compute_time"} & set(beta.values)


def test_an_empty_cell_of_a_design_is_still_an_error(toy):
    write_references(
        toy, edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'm = { part = "machines.csv" }'))
    )
    with pytest.raises(InputError, match=r"machines\.csv: line 4, column 'frequency': '' is not a finite number"):
        _ = Study.load("toy.toml").space


COLUMNS = ("nodes", "frequency", "work", "base_power")


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.integers(1, 500),
            st.none() | st.floats(0.1, 5),
            st.none() | st.floats(1, 1e15),
            st.none() | st.floats(0, 1e4),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_known_is_what_no_empty_cell_is_below(tmp_path_factory, rows):
    """Against the graph: a quantity is known exactly where every column below it has a figure, and then is that of a
    system with these inputs."""
    folder = tmp_path_factory.mktemp("cells")
    write_toy(folder)
    cells = "\n".join(f"m{i}," + ",".join("" if v is None else repr(v) for v in row) for i, row in enumerate(rows))
    text = edited(PLAIN, ("[set]\nwork = 1e11\n", "[set]\nwork = 5\n"))
    machines = f"name,nodes,frequency [GHz],work,base_power [W]\n{cells}\n"
    if all(row[i] is None for row in rows for i in (0,)):  # a column without a figure has no numbers
        machines = machines.replace("name,nodes,", "name,nodes [1],")
    if all(row[2] is None for row in rows):
        machines = machines.replace(",work,", ",work [1],")
    study = Study.load(write_references(folder, text, machines))
    graph = study.reference_groups[0].system.graph
    for one, row in zip(study.references, rows, strict=True):
        empty = {name for name, value in zip(COLUMNS, row, strict=True) if value is None}
        for name in graph.units:
            if not name.startswith("constraint_"):
                assert (name in one.values) == empty.isdisjoint(graph.below([name])), name
                assert (name in one.lacking) != (name in one.values)
        if not empty:
            given = {"nodes": row[0], "frequency": f"{row[1]!r} GHz", "work": row[2], "base_power": f"{row[3]!r} W"}
            alone = study.evaluate(given)
            assert {n: v for n, v in alone.items() if not n.startswith("constraint_")} == one.values
            assert one.feasible is bool(alone["constraint_0"])


def test_texts(toy):
    """An empty text is missing too, where something reads it."""
    model = edited(
        MODEL, ("def compute_time(work, nodes, frequency):", "def compute_time(work, nodes, frequency, kind):")
    )
    machines = "name,nodes,frequency [GHz],kind\nA,2,1,big\nB,2,1,\n"
    text = edited(PLAIN, ("work = 1e11", 'work = 1e11\nkind = "small"'))
    study = load(toy, text, machines, model)
    assert study.reference("A").values["kind"] == "big"
    assert study.reference("B").lacking["time"] == "'kind' is empty"


def test_a_value_a_model_refuses(toy):
    """It is that system's alone, and told; the others stand."""
    model = edited(
        MODEL, ("import numpy as np\n", "import numpy as np\n\nfrom dse.errors import InputError\n")
    ).replace(
        "    return work / (nodes * frequency)",
        "    if np.any(nodes == 20):\n        raise InputError('20 nodes are not in the table')\n"
        "    return work / (nodes * frequency)",
    )
    study = load(toy, model=model)
    assert study.reference("Alpha").lacking["time"] == "model.compute_time: 20 nodes are not in the table"
    assert "power" in study.reference("Alpha").values
    assert "time" in study.reference("Gamma").values


def test_a_model_that_fails_is_an_error(toy):
    model = edited(
        MODEL,
        ("    return work / (nodes * frequency)", "    return [0][int(nodes[0] == 20)] + work / (nodes * frequency)"),
    )
    with pytest.raises(ModelError, match="compute_time fails: IndexError"):
        _ = load(toy, model=model).references


def test_a_value_that_is_not_finite(toy):
    machines = "name,nodes,frequency [GHz],work\nA,2,1,1e308\n"
    text = edited(PLAIN, ('energy = "power * time"', 'energy = "power * time * 1e200"'))
    one = load(toy, text.replace('also = ["network_time"]', 'also = ["energy"]'), machines).reference("A")
    assert one.lacking == {"energy": "it is inf"}
    assert "energy" not in one.values


def test_extrapolated_and_synthetic(study):
    assert study.reference("Gamma").extrapolated == ["nodes"]
    assert [one.synthetic for one in study.references] == [["machines.csv"], ["machines.csv"], []]
    assert study.synthetic == []  # the frontier rests on none of them


# ---- what they are made of ------------------------------------------------------------------------------------------


def test_what_it_gives_itself_stands_instead_of_the_common_values(toy):
    """A column, an axis, a value, a component, over those of the whole study."""
    text = PLAIN + 'set = { base_power = "50 W" }\nuse = { network = "tree" }\n'
    text = edited(text, ("work = 1e11", 'work = 1e11\nbase_power = "70 W"'))
    study = load(toy, text, "name,nodes,frequency [GHz],work\nA,4,1,8e9\n")
    values = study.reference("A").values
    assert (values["work"], values["base_power"], values["network_time"]) == (8e9, 50.0, 0.2 * 2)
    assert study.evaluate({"nodes": 4, "frequency": "1 GHz"})["base_power"] == 70.0


def test_common_tables_and_members_hold_of_them_too(toy):
    """A member of an index set has a value of its own, of designs and of references."""
    text = edited(PLAIN, ("[set]\nwork = 1e11\n", ""), ('also = ["network_time"]', 'also = ["compute_time@big"]'))
    model = edited(MODEL, ('sum_of=("compute_time", "network_time"))', 'over="job", by="sum", name="time")')).replace(
        'def time(compute_time, network_time):\n    """Time of the job."""\n    return compute_time + network_time',
        'def all_jobs(compute_time):\n    """Time of all jobs."""\n    return compute_time',
    )
    text += "[index.job.small.set]\nwork = 1e9\n[index.job.big.set]\nwork = 1e12\n"
    study = load(toy, text, model=model)
    values = study.reference("Alpha").values
    assert values["compute_time@big"] == 1e12 / (20 * 1.5e9)
    assert values["time"] == values["compute_time@small"] + values["compute_time@big"]


def test_labels(toy):
    """Parts and what varies; the name of the group where there is no part; both where a name stands twice."""
    text = edited(
        GROUP,
        (PART, 'axes = { machine = { part = "machines.csv", where = { name = ["Alpha", "Gamma"] } } }'),
    )
    text += '[references.fast]\naxes = { machine = { part = "machines.csv", where = { name = "Alpha" } } }\n'
    text += '[references.mine.axes]\nnodes = { values = [4] }\nfrequency = { values = ["1 GHz", "2 GHz"] }\n'
    text += '[references.lone.axes]\nnodes = { values = [4] }\nfrequency = { values = ["1 GHz"] }\n'
    names = [one.name for one in load(toy, text).references]
    assert names == [
        "Alpha (machines)",
        "Gamma",
        "Alpha (fast)",
        "mine, frequency 1 GHz",
        "mine, frequency 2 GHz",
        "lone",
    ]


def test_measured(study):
    """Figures beside the computed ones, SI, with their source; an empty cell is no figure; never an input."""
    assert study.reference("Alpha").measured == {
        "time": {"value": 6.0, "column": "log_time", "source": "a log"},
        "power": {"value": 3100.0, "column": "meter", "source": "a log"},
    }
    assert set(study.reference("Beta").measured) == {"time"}
    assert study.reference("Gamma").measured["power"] == {"value": 6e4, "column": "meter", "source": "a paper, 2020"}
    assert study.reference("Beta").figure("time") == 12.0
    assert study.reference("Alpha").figure("time") == study.reference("Alpha").values["time"]
    assert study.reference("Beta").figure("power") is None
    group = study.reference_groups[0]
    assert not {"log_time", "meter"} & {column for axis in group.product.axes for column in axis.columns}


def test_a_measured_column_may_have_the_name_of_its_quantity(toy):
    """It would else be a second provider."""
    machines = MACHINES.replace("meter [kW]", "power [kW]")
    with pytest.raises(InputError, match="two providers of 'power'"):
        _ = load(toy, PLAIN, machines).references
    study = load(toy, edited(GROUP, ('power = "meter"', 'power = "power"')), machines)
    assert study.reference("Alpha").measured["power"]["value"] == 3100.0
    assert study.reference("Alpha").values["power"] == 2675.0


def test_measured_alone(toy):
    """A catalogue of results, with no input of a model in it."""
    machines = "name,log_time [s],meter [W],source\nA,3,200,a\nB,4,,b\n"
    one, other = load(toy, GROUP, machines).references
    assert (one.values.get("time"), one.figure("time"), one.figure("power")) == (None, 3.0, 200.0)
    assert one.lacking["time"].startswith("missing quantity 'nodes', needed by 'compute_time'")
    assert (one.feasible, other.figure("power")) == (None, None)


def test_constraints_are_told_not_obeyed(study):
    gamma = study.reference("Gamma")
    assert gamma.constraints == {"power <= 20 kW": False}
    assert (gamma.feasible, gamma.values["power"] > 2e4) == (False, True)


def test_what_only_the_space_has(toy):
    """A constraint, a quantity of the study, something shown that reads an axis the references have not."""
    model = (
        MODEL + '\nrack = parameter(unit="1", doc="Nodes of a rack", above=0)\n\n\n@quantity(unit="1", source="x")\n'
    )
    model += 'def racks(nodes, rack):\n    """Racks."""\n    return nodes / rack\n'
    text = edited(
        GROUP,
        ('constraints = ["power <= 20 kW"]', 'constraints = ["power <= 20 kW", "rack <= 8", "nodes <= 30"]'),
        ('also = ["network_time"]', 'also = ["racks", "halves"]'),
        ('energy = "power * time"', 'halves = "2 * rack"'),
        ("[search]", "rack = { values = [4, 8] }\n[search]"),
    )
    alpha, _, gamma = load(toy, text, model=model).references
    assert alpha.constraints == {"power <= 20 kW": True, "rack <= 8": None, "nodes <= 30": True}
    assert (alpha.feasible, gamma.feasible) == (None, False)
    assert alpha.lacking["rack <= 8"] == "nothing gives 'rack'"
    assert alpha.lacking["halves"] == "nothing gives 'rack'"
    assert alpha.lacking["racks"].startswith("missing quantity 'rack', needed by 'racks'")
    assert "time" in alpha.values


def test_enumerated_references(toy):
    """Rows a function lists, with figures that are not known, and a source and a confidence of each row."""
    (toy / "built.py").write_text(
        "import numpy as np\n\nfrom dse import Enumerated, enumeration, parameter\n\n"
        'wall = parameter(unit="W", doc="Measured power", above=0)\n\n\n'
        '@enumeration(source="me")\ndef built(*, most: int) -> Enumerated:\n    """Machines."""\n'
        '    columns = {"nodes": [2, 4, 8][:most], "frequency": [1e9, np.nan, 2e9][:most],\n'
        '               "wall": [np.nan, 500, 900][:most]}\n'
        '    return Enumerated(columns, ["A", "B", "C"][:most], 3, {"new": 3 - most}, sources=["x", "y", "z"][:most],\n'
        '                      confidences=["A", "", "C"][:most])\n'
    )
    text = edited(
        GROUP,
        ('models = ["model.py"]', 'models = ["model.py", "built.py"]'),
        (PART, 'axes = { machine = { enumerate = "built", given = { most = 3 } } }'),
        ('measured = { time = "log_time", power = "meter" }', 'measured = { power = "wall" }'),
    )
    study = load(toy, text)
    a, b, c = study.references
    assert a.values["time"] == 1e11 / 2e9 + 0.1 * np.sqrt(2)
    assert b.lacking["power"] == "'frequency' is empty"
    assert (a.measured, b.figure("power"), c.measured["power"]["source"]) == ({}, 500.0, "z")
    assert [one.parameters["machine_confidence"] for one in study.references] == ["A", "not stated", "C"]
    assert {"enumeration built", "rows of references.machines.axes.machine"} <= set(study.hashes())
    text = edited(
        text, ("nodes = { powers_of_two = [1, 64] }\n", 'm = { enumerate = "built", given = { most = 3 } }\n')
    )
    with pytest.raises(ModelError, match="the column 'frequency' has a value that is not finite"):
        _ = load(toy, edited(text, ('frequency = { values = ["1 GHz", "2 GHz"] }\n', ""))).space


# ---- names and travel -----------------------------------------------------------------------------------------------


def test_find_reference():
    names = ["Frontier", "Piz Daint", "eagle", "Eagle"]
    assert [find_reference(names, name) for name in ("Frontier", "piz daint", "eagle", "Eagle")] == [0, 1, 2, 3]
    with pytest.raises(InputError, match=r"^several references are called 'EAGLE'; allowed: eagle, Eagle$"):
        find_reference(names, "EAGLE")
    with pytest.raises(InputError, match=r"^there is no reference 'Frontir'; allowed: .*did you mean 'Frontier'\?$"):
        find_reference(names, "Frontir")
    with pytest.raises(InputError, match="allowed: none, the study has no references"):
        find_reference([], "x")


def test_they_travel_with_the_study(study):
    again = pickle.loads(pickle.dumps(study))
    assert [one.record(["time"]) for one in again.references] == [one.record(["time"]) for one in study.references]


def test_hashes(toy):
    """The catalogue belongs to what a run rests on."""
    before = Study.load(write_references(toy)).hashes()
    after = Study.load(write_references(toy, machines=MACHINES.replace("20,1.5", "20,1.6"))).hashes()
    assert {name for name in before if before[name] != after[name]} == {"table machines.csv"}


def test_no_references(toy):
    study = Study.load("toy.toml")
    assert (study.references, study.reference_groups) == ((), ())
    assert study.run().references == []
