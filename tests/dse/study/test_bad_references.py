"""Every mistake in the references of a study gives one sentence: file, key path, value, what is allowed."""

import pytest
from toy import MACHINES, REFERENCES, STUDY, edited, write_references

from dse.evaluation.reference_records import find_reference
from dse.study.build.references import LARGEST

PART = 'axes = { machine = { part = "machines.csv" } }'
MEASURED = 'measured = { time = "log_time", power = "meter" }'
COLUMNS = "name, nodes, frequency, log_time, meter"
QUANTITIES = "base_power, compute_time, frequency, network_time, nodes, power, time, work"
OWN = "description, axes, set, use, tables, measured, classes, like, law_error, system_error, doubted, left_out"

BROKEN = {
    # keys
    "unknown key": (
        [(MEASURED, MEASURED.replace("measured", "mesured"))],
        f"references.machines.mesured: unknown key 'mesured'; allowed: {OWN}; did you mean 'measured'?",
    ),
    "a list": (
        [(MEASURED, "measured = [1]")],
        "references.machines.measured: [1] is no table; allowed: a table: { key = value }",
    ),
    "odd name": (
        [("[references.machines]", '[references."a/b"]')],
        "references: 'a/b' is no name of references (letters, digits, blanks, '.', '_', '+', '-')",
    ),
    "no axes": (
        [(PART, ""), (MEASURED, "")],
        'references.machines.axes: has no axes; allowed: machine = { part = "machines.csv" }',
    ),
    # files and axes
    "no such file": (
        [(PART, PART.replace("machines.csv", "machins.csv"))],
        "references.machines.axes.machine.part: no such file 'machins.csv'; allowed: ",
    ),
    "outside the folder": (
        [(PART, PART.replace("machines.csv", "../machines.csv"))],
        "references.machines.axes.machine.part: '../machines.csv' leaves the folder of the study; "
        "allowed: a file inside it, or a catalogue of dse",
    ),
    "no such row": (
        [(PART, PART.replace(" } }", ', where = { name = "Alfa" } } }'))],
        "references.machines.axes.machine.where: machines.csv: no row with name = 'Alfa'; allowed: Alpha, Beta, Gamma; "
        "did you mean 'Alpha'?",
    ),
    "an axis nothing reads": (
        [(PART, PART.replace(" } }", " }, nods = { values = [1] } }"))],
        "references.machines.axes.nods: nothing depends on 'nods'; did you mean 'nodes'?",
    ),
    "two axes with one column": (
        [(PART, PART.replace(" } }", " }, nodes = { values = [1] } }"))],
        "references.machines.axes.nodes: two providers of 'nodes': the axis 'nodes' and the axis 'machine'",
    ),
    "a value and a column": (
        [(MEASURED, "set = { nodes = 3 }")],
        "references.machines.axes.machine: two providers of 'nodes': the axis 'machine' and [set]",
    ),
    "a value below the least": (
        [(MEASURED, 'set = { base_power = "-1 W" }')],
        "references.machines.set.base_power: 'base_power' is -1 W; allowed: >= 0 W",
    ),
    "a value nothing reads": (
        [(MEASURED, 'set = { kind = "x" }')],
        "references.machines.set.kind: nothing depends on 'kind'",
    ),
    "an unknown value": (
        [(MEASURED, "set = { nods = 3 }")],
        "references.machines.set.nods: no model has 'nods'; allowed: base_power, frequency, kind, nodes, work; "
        "did you mean 'nodes'?",
    ),
    "an unknown component": (
        [(MEASURED, 'use = { network = "torsu" }')],
        "references.machines.use.network: no component 'torsu' for the slot 'network'; allowed: torus, tree; "
        "did you mean 'torus'?",
    ),
    "an unknown slot": (
        [(MEASURED, 'use = { netwrk = "torus" }')],
        "references.machines.use: unknown slot 'netwrk'; allowed: network; did you mean 'network'?",
    ),
    "an unknown table": (
        [(MEASURED, 'tables = { logs = { file = "machines.csv" } }')],
        "references.machines.tables.logs: no model reads a table 'logs'; allowed: none",
    ),
    # measured
    "measured, no such quantity": (
        [('power = "meter"', 'powr = "meter"')],
        f"references.machines.measured.powr: unknown quantity 'powr'; allowed: {QUANTITIES}; did you mean 'power'?",
    ),
    "measured, no such column": (
        [('power = "meter"', 'power = "metre"')],
        f"references.machines.measured.power: no part has a column 'metre'; allowed: {COLUMNS}; did you mean 'meter'?",
    ),
    "measured, a text": (
        [('power = "meter"', 'power = "name"')],
        "references.machines.measured.power: the column 'name' is a text; allowed: a column of numbers",
    ),
    "measured, another unit": (
        [('power = "meter"', 'power = "log_time"'), ('time = "log_time", ', "")],
        "references.machines.measured.power: unit 's' does not fit 'W' "
        "([time] where [mass] * [length] ** 2 / [time] ** 3 is needed)",
    ),
    # what they cannot be evaluated with
    "a quantity of the study is a column": (
        [('energy = "power * time"', 'meter = "power * time"'), (MEASURED, "")],
        "references.machines: quantities.meter: two providers of 'meter': the models or axes give it too",
    ),
    "no objective": (
        [(PART, 'axes = { base_power = { values = ["1 W"] } }'), (MEASURED, "")],
        "references.machines: no objective is known of any of them; time: missing quantity 'nodes', needed by "
        "'compute_time' (model.compute_time): give it as an axis, a part column, a table or under [set]",
    ),
    "two of one name": (
        [
            (
                MEASURED,
                MEASURED + '\n[references.lone.axes]\nnodes = { values = [1] }\nfrequency = { values = ["1 GHz"] }',
            )
        ],
        None,
    ),
    "too many": (
        [(PART, 'axes = { nodes = { range = [1, 501] }, frequency = { values = ["1 GHz"] } }'), (MEASURED, "")],
        f"references.machines: has 501 systems; allowed: at most {LARGEST} references in all; 'where' chooses rows",
    ),
    "too many together": (
        [
            (
                MEASURED,
                MEASURED + '\n[references.more.axes]\nnodes = { range = [1, 498] }\nfrequency = { values = ["1 GHz"] }',
            )
        ],
        f"references.more: has 498 systems, and those before it 3; allowed: at most {LARGEST} references in all; "
        "'where' chooses rows",
    ),
}
CELLS = {
    "no number": ("20,1.5", "20,fast", "machines.csv: line 3, column 'frequency': 'fast' is not a finite number"),
    "not finite": ("20,1.5", "20,inf", "machines.csv: line 3, column 'frequency': 'inf' is not a finite number"),
    "nan": ("20,1.5", "20,nan", "machines.csv: line 3, column 'frequency': 'nan' is not a finite number"),
    "out of range": ("Alpha,20", "Alpha,0", "machines.csv: 'nodes' is 0; allowed: >= 1"),
    "not whole": ("Alpha,20", "Alpha,2.5", "machines.csv: 'nodes' is 2.5; allowed: whole numbers"),
    "unit": ("[kW]", "[kX]", "machines.csv: column 'meter': unknown unit 'kX'"),
    "wrong unit": ("[GHz]", "[W]", "machines.csv: column 'frequency': unit 'W' does not fit 'Hz'"),
    "ragged": ("20,1.5", "20", "machines.csv: line 3 has 7 cells, the heading 8"),
    "a name twice": ("Beta", "Alpha", "machines.csv: 'Alpha' stands twice in the column 'name'"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_references(toy, dse, fault):
    changes, told = BROKEN[fault]
    write_references(toy, edited(STUDY + REFERENCES, *changes))
    for command in (["check"], ["run"]):
        result = dse(*command, "toy.toml")
        if told is None:
            assert result.code == 0
        else:
            assert (result.code, result.out) == (2, "")
            assert result.err.startswith(f"error: toy.toml: {told}"), result.err
    if told is not None:
        assert not (toy / "runs").exists()


@pytest.mark.parametrize("fault", CELLS)
def test_broken_cells(toy, dse, fault):
    """A cell that holds something else than a figure is a fault of the file, unlike an empty one."""
    old, new, told = CELLS[fault]
    write_references(toy, machines=edited(MACHINES, (old, new)))
    result = dse("check", "toy.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: toy.toml: references.machines.axes.machine"), result.err
    assert told in result.err


def test_two_that_cannot_be_told_apart(toy, dse):
    """The name of the group is added where a label stands twice; where that is a label too, it is refused."""
    other = MACHINES.replace("Beta", "Alpha (machines)")
    (toy / "other.csv").write_text(other)
    write_references(toy, STUDY + REFERENCES + '[references.more]\naxes = { m = { part = "other.csv" } }\n')
    result = dse("check", "toy.toml")
    assert (result.code, result.err) == (
        2,
        "error: toy.toml: references.more: two references are called 'Alpha (machines)'\n",
    )
    with pytest.raises(ValueError, match="there is no reference"):
        find_reference(["Alpha"], "Omega")
