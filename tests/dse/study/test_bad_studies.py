"""Every mistake in a study gives one sentence: file, key path, value, what is allowed, nearest name; exit code 2."""

import re

import pytest
from toy import MODEL, STUDY, edited

from dse.authoring.library.listing import available_models
from dse.study.file.table_file import find_table

FREQUENCY = 'frequency = { values = ["1 GHz", "2 GHz"] }'
NODES = "{ powers_of_two = [1, 64] }"
TOP = "name, question, source, models, constraints, also, quantities, objectives, use, set, tables, space, … (8 more)"
AXIS = "values, range, step, powers_of_two, linspace, part, where, label, enumerate, given, unit, only, "
AXIS += "without, join, set"
FIRST = AXIS.replace("without, join, set", "… (3 more)")
KINDS = "an axis has exactly one of values, range, powers_of_two, linspace, part, enumerate"
GIGAHERTZ = "a number with a unit that fits 'Hz', such as '2.6 GHz'"
QUANTITIES = "base_power, compute_time, energy, frequency, network_time, nodes, power, time, work"
READABLE = "such as 'power <= 20 MW', 'nodes * cores < 1e6'"
HEAD = "from dse import parameter, quantity\nimport numpy as np\n"


def frequency(text):
    return [(FREQUENCY, text)]


def nodes(text):
    return [(NODES, text)]


def constraint(text):
    return [("power <= 20 kW", text)]


def beside(name):
    """Add a second model file."""
    return [('"model.py"', f'"model.py", "{name}"'), ('minimize = "power"', 'minimize = "x"')]


def part(rest='part = "parts.csv"'):
    return [(FREQUENCY, f"clock = {{ {rest} }}")]


def shapes(rest, *changes):
    """Replace the axis by one of `grids`, which stands in a second model file, or of `network.torus`."""
    return [('"model.py"', '"model.py", "grids.py"'), ("nodes = " + NODES, f"grid = {{ {rest} }}"), *changes]


GRIDS = '''
from typing import Annotated

import numpy as np
from pydantic import Field

from dse import Enumerated, enumeration


@enumeration(source="me")
def grids(*, most: Annotated[int, Field(ge=1, description="a whole number >= 1")], tall: bool = False) -> Enumerated:
    """Numbers of nodes that 3 does not divide."""
    every = np.arange(0 if tall else 1, most + 1)
    kept = every[every % 3 > 0] if most != 3 else every[:0]
    return Enumerated({"nodes": kept}, [f"n={n}" for n in kept], len(every), {"3 divides it": len(every) - len(kept)})


@enumeration(source="me")
def huge() -> Enumerated:
    """More rows than an axis may have."""
    return Enumerated({"nodes": np.arange(2_000_001)}, [str(n) for n in range(2_000_001)], 2_000_001)


@enumeration(source="me")
def nothing() -> Enumerated:
    """No row at all."""
    return Enumerated({"nodes": np.zeros(0)}, [], 0)


@enumeration(source="me")
def zero() -> Enumerated:
    """A value the model does not take."""
    return Enumerated({"nodes": [0.0]}, ["none"], 1)
'''

FILES = {
    "model.py": MODEL,
    "grids.py": GRIDS,
    "raising.py": "1 / 0\n",
    "syntax.py": "def (\n",
    "exits.py": "raise SystemExit(0)\n",
    "empty.py": "x = 1\n",
    "slots.py": MODEL.replace(", default=True", ""),
    "cycle.py": HEAD
    + '@quantity(unit="s", source="me")\ndef x(y): return y\n@quantity(unit="s", source="me")\ndef y(x): return x\n',
    "mismatch.py": HEAD
    + 'time = parameter(unit="J", doc="t")\n@quantity(unit="J", source="me")\ndef x(time): return time\n',
    "milli.py": HEAD + '@quantity(unit="ms", source="me")\ndef x(nodes): return nodes\n',
    "root.py": HEAD + '@quantity(unit="s", source="me")\ndef x(nodes): return np.sqrt(8 - nodes)\n',
    "needs.py": HEAD + '@quantity(unit="s", source="me")\ndef x(nods): return nods\n',
    "sums.py": HEAD + '@quantity(unit="s", source="me")\ndef x(nodes): return nodes * 0 + nodes.sum()\n',
    "twice.py": HEAD + '@quantity(unit="s", source="me")\ndef time(nodes): return nodes\n',
    "parts.csv": "name,frequency [GHz],source\nslow,1,me\nfast,2,you\n",
    "foo.csv": "name,frequency [foo]\na,1\n",
    "cell.csv": "name,frequency [GHz]\na,1\nb,x\n",
    "heading.csv": "name\n",
    "watt.csv": "name,frequency [W]\na,1\n",
    "ragged.csv": "name,frequency [GHz]\na,1,2\n",
    "zero.csv": "name,frequency [GHz]\na,0\n",
    "same.csv": "name,frequency [GHz]\na,1\na,2\n",
}

BROKEN = {
    # keys
    "top": (
        [("constraints =", "constraint =")],
        f"constraint: unknown key 'constraint'; allowed: {TOP}; did you mean 'constraints'?",
    ),
    "axis": (
        frequency('frequency = { valuess = ["1 GHz"] }'),
        f"space.axes.frequency.valuess: unknown key 'valuess'; allowed: {FIRST}; did you mean 'values'?",
    ),
    "space": (
        [("[space.axes]", "[space.axis]")],
        "space.axis: unknown key 'axis'; allowed: axes, alternatives, choices, exclude, split; did you mean 'axes'?",
    ),
    "alternative": (
        [("[search]", "[space.alternatives.a]\nsett = { work = 1 }\n[search]")],
        "space.alternatives.a.sett: unknown key 'sett'; allowed: description, axes, set, use, tables; "
        "did you mean 'set'?",
    ),
    "axis of an alternative": (
        [("[search]", "[space.alternatives.a.axes]\nx = { vals = [1] }\n[search]")],
        f"space.alternatives.a.axes.x.vals: unknown key 'vals'; allowed: {FIRST}; did you mean 'values'?",
    ),
    "search": (
        [("method =", "methd =")],
        "search.methd: unknown key 'methd'; allowed: method, evaluations, jobs, count_infeasible, seed, tolerance, "
        "budget; did you mean 'method'?",
    ),
    "method": (
        [('"auto"', '"bundle"')],
        "search.method: 'bundle' is not known; allowed: auto, exhaustive, bundles, groups, evolve; "
        "did you mean 'bundles'?",
    ),
    "objective key": (
        [('minimize = "time"', 'minimise = "time"')],
        "objectives[0].minimise: unknown key 'minimise'; allowed: minimize, maximize; did you mean 'minimize'?",
    ),
    "objective both": (
        [('minimize = "time"', 'minimize = "time"\nmaximize = "power"')],
        "objectives[0]: an objective has exactly one of minimize, maximize",
    ),
    "table key": (
        [("[space.axes]", '[tables.x]\nfile = "a.csv"\nwere = {}\n[space.axes]')],
        "tables.x.were: unknown key 'were'; allowed: file, where, synthetic; did you mean 'where'?",
    ),
    "no name": ([('name = "toy"\n', "")], "name: is missing"),
    "no models": ([('models = ["model.py"]\n', "")], "models: is missing"),
    # types
    "models text": ([('["model.py"]', '"model.py"')], "models: 'model.py' is no list; allowed: a list: [ … ]"),
    "models none": ([('["model.py"]', "[]")], "models: has 0 entries; allowed: at least 1"),
    "name number": ([('"toy"', "3")], 'name: 3 is no text; allowed: a text in quotes: "…"'),
    "name slash": (
        [('"toy"', '"a/b"')],
        "name: 'a/b' is no valid name; allowed: letters, digits and '_' (in the study's name '-' and '.' too)",
    ),
    "jobs text": (
        [('method = "auto"', 'jobs = "two"')],
        "search.jobs: 'two' is no whole number; allowed: a whole number",
    ),
    "jobs negative": ([('method = "auto"', "jobs = -1")], "search.jobs: -1 is out of range; allowed: >= 0"),
    "count text": (
        [('method = "auto"', 'count_infeasible = "yep"')],
        "search.count_infeasible: 'yep' is neither true nor false; allowed: true, false",
    ),
    "axis number": (
        frequency("frequency = 3"),
        f"space.axes.frequency: 3 is no table; allowed: a table with the keys {AXIS}",
    ),
    "axis list": (
        frequency('frequency = ["1 GHz"]'),
        f"space.axes.frequency: ['1 GHz'] is no table; allowed: a table with the keys {AXIS}",
    ),
    "values text": (
        frequency('frequency = { values = "1 GHz" }'),
        "space.axes.frequency.values: '1 GHz' is no list; allowed: a list: [ … ]",
    ),
    "values nested": (
        frequency('frequency = { values = [["1 GHz"]] }'),
        "space.axes.frequency.values[0]: ['1 GHz'] is no value; allowed: a number, or a text such as \"2.6 GHz\"",
    ),
    "values nan": (
        frequency("frequency = { values = [nan] }"),
        'space.axes.frequency.values[0]: nan is no value; allowed: a number, or a text such as "2.6 GHz"',
    ),
    "values true": (nodes("{ values = [true] }"), "space.axes.nodes.values[0]: True is not a number; allowed: 0 or 1"),
    "huge number": (
        [("work = 1e11", "work = 1" + "0" * 400)],
        f"set.work: 1{'0' * 56}… is too large; allowed: -1e300 to 1e300",
    ),
    "number of 200,000 digits": (
        [("work = 1e11", "work = 1" + "0" * 199_999)],
        "line 17: a whole number of 200000 digits; allowed: -1e300 to 1e300",
    ),
    "hexadecimal number of 200,000 digits": (
        [("work = 1e11", "work = 0x1" + "0" * 199_999)],
        "set.work: a whole number of thousands of digits is too large; allowed: -1e300 to 1e300",
    ),
    "method of 200,000 digits": (
        [('method = "auto"', "method = 0x1" + "0" * 199_999)],
        "search.method: a whole number of thousands of digits is not known; allowed: auto, exhaustive, bundles, "
        "groups, evolve",
    ),
    "digits of another script": (
        frequency('frequency = { values = ["٢ GHz"] }'),
        f"space.axes.frequency.values[0]: '٢ GHz' is not a number with a unit; allowed: {GIGAHERTZ}",
    ),
    "half an underscore": (
        nodes('{ values = ["1_"] }'),
        "space.axes.nodes.values[0]: unknown unit '_'",
    ),
    # axes
    "unit unknown": (
        frequency('frequency = { values = ["1 GHzz"] }'),
        "space.axes.frequency.values[0]: unknown unit 'GHzz'; did you mean 'GHz'?",
    ),
    "unit of another kind": (
        frequency('frequency = { values = ["1 GHz", "2 s"] }'),
        "space.axes.frequency.values[1]: unit 's' does not fit 'Hz' ([time] where 1 / [time] is needed)",
    ),
    "unit missing": (
        frequency("frequency = { values = [1e9] }"),
        f"space.axes.frequency.values[0]: 1000000000.0 has no unit; allowed: {GIGAHERTZ}",
    ),
    "unit missing in set": (
        [("work = 1e11", "work = 1e11\nbase_power = 5")],
        "set.base_power: 5 has no unit; allowed: a number with a unit that fits 'W', such as '20 MW'",
    ),
    "no number": (
        frequency('frequency = { values = ["fast"] }'),
        f"space.axes.frequency.values[0]: 'fast' is not a number with a unit; allowed: {GIGAHERTZ}",
    ),
    "empty axis": (
        frequency("frequency = { values = [] }"),
        "space.axes.frequency.values: the axis has no values; allowed: at least one value",
    ),
    "downwards": (
        nodes("{ range = [8, 1] }"),
        "space.axes.nodes.range: the range runs downwards: 8 to 1; allowed: first <= last",
    ),
    "step 0": (nodes("{ range = [1, 8], step = 0 }"), "space.axes.nodes.range: the step is 0; allowed: a step > 0"),
    "step -1": (nodes("{ range = [1, 8], step = -1 }"), "space.axes.nodes.range: the step is -1; allowed: a step > 0"),
    "step alone": (
        frequency('frequency = { values = ["1 GHz"], step = "1 GHz" }'),
        "space.axes.frequency: 'step' goes with 'range' only",
    ),
    "no step": (
        frequency('frequency = { range = ["1 GHz", "2 GHz"] }'),
        "space.axes.frequency.range: a range of a quantity with a unit needs a step; "
        "allowed: { range = [a, b], step = c }",
    ),
    "no power of two": (
        nodes("{ powers_of_two = [3, 64] }"),
        "space.axes.nodes.powers_of_two: 3 is no power of two; allowed: 1, 2, 4, 8, …",
    ),
    "no points": (
        frequency('frequency = { linspace = ["1 GHz", "2 GHz", 0] }'),
        "space.axes.frequency.linspace: the number of points is 0; allowed: a whole number >= 1",
    ),
    "half a point": (
        frequency('frequency = { linspace = ["1 GHz", "2 GHz", 2.5] }'),
        "space.axes.frequency.linspace[2]: 2.5 is no whole number; allowed: a whole number",
    ),
    "two kinds": (
        frequency('frequency = { values = ["1 GHz"], range = ["1 GHz", "2 GHz"] }'),
        f"space.axes.frequency: {KINDS}; found values and range",
    ),
    "no kind": (frequency("frequency = {}"), f"space.axes.frequency: {KINDS}; found none"),
    "below the least": (nodes("{ values = [0, 1] }"), "space.axes.nodes: 'nodes' is 0; allowed: >= 1"),
    "half a node": (nodes("{ values = [1.5] }"), "space.axes.nodes: 'nodes' is 1.5; allowed: whole numbers"),
    "unused axis": (
        [("[space.axes]", "[space.axes]\nfoo = { values = [1] }")],
        "space.axes.foo: nothing depends on 'foo'; allowed: base_power, frequency, nodes, work",
    ),
    "undeclared axis": (
        [("[space.axes]", '[space.axes]\nfoo = { values = ["1 s"] }')],
        "space.axes.foo.unit: no model declares 'foo', so its unit must be written; "
        'allowed: unit = "W", unit = "text", …',
    ),
    "unit key unknown": (
        [("[space.axes]", '[space.axes]\nfoo = { values = [1], unit = "GHzz" }')],
        "space.axes.foo.unit: unknown unit 'GHzz'; did you mean 'GHz'?",
    ),
    "axis of dse": (
        [("[space.axes]", "[space.axes]\ndesign = { values = [1, 2] }")],
        "space.axes.design: the name 'design' is one of dse itself; allowed: another name",
    ),
    "axis in two places": (
        [("[search]", "[space.alternatives.a.axes]\nnodes = { values = [1] }\n[search]")],
        "space.alternatives.a.axes.nodes: the axis is among the common axes too; allowed: an axis in one place",
    ),
    "no axes": (
        [(f"nodes = {NODES}\n{FREQUENCY}\n", "")],
        "space.axes: the space has no axes",
    ),
    "name of an alternative": (
        [("[search]", '[space.alternatives."a/b".set]\n[search]')],
        "space.alternatives: 'a/b' is no name of an alternative (letters, digits, blanks, '.', '_', '+', '-')",
    ),
    "infinite constant": (
        constraint("power <= 1 W * 9**9**9"),
        "constraints[0]: a part of 'power <= 1 W * 9**9**9' without quantities is infinite; "
        "allowed: numbers up to 1.8e308",
    ),
    "division by 0": (
        constraint("nodes <= 1/0"),
        "constraints[0]: a part of 'nodes <= 1/0' without quantities is infinite; allowed: numbers up to 1.8e308",
    ),
    "no number at all": (
        constraint("nodes <= 2 + 0/0"),
        "constraints[0]: a part of 'nodes <= 2 + 0/0' without quantities is not a number; "
        "allowed: numbers up to 1.8e308",
    ),
    "root of -1": (
        constraint("nodes <= sqrt(1 - 2)"),
        "constraints[0]: a part of 'nodes <= sqrt(1 - 2)' without quantities is not a number; "
        "allowed: numbers up to 1.8e308",
    ),
    # models
    "model unknown": (
        [('"model.py"', '"hybird"')],
        f"models[0]: unknown model 'hybird'; allowed: {', '.join(available_models())}; did you mean 'hybrid'?",
    ),
    "model missing": (
        [('"model.py"', '"modle.py"')],
        "models[0]: no such model file 'modle.py'; allowed: a Python file beside the study, or a model's name",
    ),
    "model raising": (
        [('"model.py"', '"raising.py"')],
        "models[0]: the model file 'raising.py' fails on import: ZeroDivisionError: division by zero "
        "(raising.py, line 1)",
    ),
    "model syntax": (
        [('"model.py"', '"syntax.py"')],
        "models[0]: the model file 'syntax.py' fails on import: SyntaxError: invalid syntax (syntax.py, line 1)",
    ),
    "model ending": ([('"model.py"', '"exits.py"')], "models[0]: the model 'exits.py' ends the program on import"),
    "model empty": (
        [('"model.py"', '"empty.py"')],
        "models[0]: the model 'empty.py' has no functions marked with @quantity",
    ),
    "model outside": (
        [('"model.py"', '"../model.py"')],
        "models: the model file '../model.py' must be inside the folder of the study",
    ),
    "model twice": ([('"model.py"', '"model.py", "model.py"')], "models: the model 'model.py' stands twice"),
    "cycle": (
        beside("cycle.py"),
        "objectives[1]: the quantities need each other in a cycle: x → y → x (each needs the next)",
    ),
    "mismatch": (
        beside("mismatch.py"),
        "objectives[0]: unit mismatch for 'time': model.time gives it in 's', mismatch needs it in 'J'",
    ),
    "missing of a model": (
        beside("needs.py"),
        "objectives[1]: missing quantity 'nods', needed by 'x' (needs.x): no model gives it; did you mean 'nodes'?",
    ),
    "two models": (
        [('"model.py"', '"model.py", "twice.py"')],
        "objectives[0]: two providers of 'time': model.time, twice.time; "
        "allowed: one; give the other another name, or put both into a slot (slot = …, provider = …)",
    ),
    "not finite": (
        beside("root.py"),
        "the objective 'x' of design 8 (nodes = 16, frequency = 1 GHz) is not a finite number; "
        "the first quantity that is not finite is 'x' (root.x): nan",
    ),
    # quantities
    "objective unknown": (
        [('minimize = "power"', 'minimize = "powr"')],
        f"objectives[1]: unknown quantity 'powr'; allowed: {QUANTITIES}; did you mean 'power'?",
    ),
    "objective twice": (
        [('minimize = "power"', 'maximize = "time"')],
        "objectives[1]: 'time' stands twice; allowed: each quantity once",
    ),
    "objectives 7": (
        [("[use]", '[[objectives]]\nminimize = "power"\n' * 5 + "[use]")],
        "objectives: has 7 entries; allowed: at most 6",
    ),
    "also unknown": (
        [('["network_time"]', '["network_tim"]')],
        f"also[0]: unknown quantity 'network_tim'; allowed: {QUANTITIES}; did you mean 'network_time'?",
    ),
    "axis and model": (
        [("[space.axes]", '[space.axes]\ntime = { values = ["1 s"] }')],
        "objectives[0]: two providers of 'time': the study gives it (axis: axis 'time') and model.time computes it; "
        "allowed: one of the two: the study may leave it out",
    ),
    "axis and set": (
        [("work = 1e11", "work = 1e11\nnodes = 4")],
        "space.axes.nodes: two providers of 'nodes': the axis 'nodes' and [set]",
    ),
    "quantity and model": (
        [("energy =", "time =")],
        "quantities.time: two providers of 'time': the models or axes give it too; allowed: another name",
    ),
    "set to true": (
        [("work = 1e11", "work = true")],
        'set.work: True is no value; allowed: a number, or a text such as "2.6 GHz"',
    ),
    "set unknown": (
        [("work = 1e11", "wrk = 1e11")],
        "set.wrk: no model has 'wrk'; allowed: base_power, frequency, kind, nodes, work; did you mean 'work'?",
    ),
    "set computed": (
        [("work = 1e11", 'work = 1e11\ntime = "1 s"')],
        "set.time: 'time' is computed by the models, so it cannot be set; "
        "allowed: base_power, frequency, kind, nodes, work",
    ),
    "set unread": (
        [("work = 1e11", 'work = 1e11\nkind = "a"')],
        "set.kind: nothing depends on 'kind'; allowed: base_power, frequency, nodes, work",
    ),
    "slot unknown": (
        [('network = "torus"', 'netwrk = "torus"')],
        "use: unknown slot 'netwrk'; allowed: network; did you mean 'network'?",
    ),
    "component unknown": (
        [('"torus"', '"tours"')],
        "use.network: no component 'tours' for the slot 'network'; allowed: torus, tree; did you mean 'torus'?",
    ),
    "component of an alternative": (
        [("[search]", '[space.alternatives.a.use]\nnetwork = "tre"\n[search]')],
        "space.alternatives.a.use.network: no component 'tre' for the slot 'network'; allowed: torus, tree; "
        "did you mean 'tree'?",
    ),
    "slot without default": (
        [('"model.py"', '"slots.py"'), ('network = "torus"', "")],
        "use.network: the slot 'network' needs a component; allowed: torus, tree",
    ),
    # constraints
    "constraint unknown": (
        constraint("powr <= 20 kW"),
        "constraints[0]: unknown quantity 'powr' in 'powr <= 20 kW'; did you mean 'power'?",
    ),
    "constraint unit": (
        constraint("power <= 20 s"),
        "constraints[0]: units do not fit in 'power <= 20 s': 'W' against 's'; "
        "allowed: the same dimension on both sides",
    ),
    "constraint without unit": (
        constraint("power <= 20"),
        "constraints[0]: units do not fit in 'power <= 20': 'W' against '1'; allowed: the same dimension on both sides",
    ),
    "constraint unreadable": (
        constraint("power <= <= 20 kW"),
        "constraints[0]: the expression 'power <= <= 20 kW' cannot be read at '<= 20 kW' (character 10); "
        f"allowed: {READABLE}",
    ),
    "constraint cut": (constraint("power <="), "constraints[0]: the expression 'power <=' ends too early"),
    "injection": (
        constraint("__import__('os').system('touch x') <= 1"),
        "constraints[0]: the expression '__import__('os').system('touch x') <= 1' cannot be read at "
        f"'.system('touch x') <' (character 17); allowed: {READABLE}",
    ),
    "attribute": (
        constraint("power.__class__ <= 1"),
        "constraints[0]: the expression 'power.__class__ <= 1' cannot be read at '.__class__ <= 1' (character 6); "
        f"allowed: {READABLE}",
    ),
    "no condition": (
        constraint("power + 2 W"),
        "constraints[0]: 'power + 2 W' is no condition; allowed: such as 'power <= 20 MW'",
    ),
    "constant condition": (
        constraint("1 <= 2"),
        "constraints[0]: '1 <= 2' reads no quantity; allowed: such as 'power <= 20 MW'",
    ),
    # tables and catalogues
    "table unread": (
        [("[space.axes]", '[tables.x]\nfile = "parts.csv"\n[space.axes]')],
        "tables.x: no model reads a table 'x'; allowed: none",
    ),
    "where without a row": (
        part('part = "parts.csv", where = { name = "quick" }'),
        "space.axes.clock.where: parts.csv: no row with name = 'quick'; allowed: slow, fast",
    ),
    "where without a column": (
        part('part = "parts.csv", where = { nam = "slow" }'),
        "space.axes.clock.where: parts.csv: no column 'nam'; allowed: name, frequency, source; did you mean 'name'?",
    ),
    "label without a column": (
        part('part = "parts.csv", label = "nme"'),
        "space.axes.clock: parts.csv: no column 'nme'; allowed: name, frequency, source; did you mean 'name'?",
    ),
    "traversal": (
        part('part = "../../etc/passwd"'),
        "space.axes.clock.part: '../../etc/passwd' leaves the folder of the study; "
        "allowed: a file inside it, or a catalogue of dse",
    ),
    "absolute": (
        part('part = "/etc/passwd"'),
        "space.axes.clock.part: '/etc/passwd' leaves the folder of the study; "
        "allowed: a file inside it, or a catalogue of dse",
    ),
    "part of its column": (
        frequency('frequency = { part = "parts.csv" }'),
        "space.axes.frequency: the part axis has the name of its column 'frequency'; "
        "allowed: another name for the axis",
    ),
    "part of a quantity": (
        frequency('time = { part = "parts.csv" }'),
        "space.axes.time: the part axis has the name of a quantity of the model 'model.py'; "
        "allowed: another name for the axis",
    ),
    "unit of a column": (
        part('part = "foo.csv"'),
        "space.axes.clock: foo.csv: column 'frequency': unknown unit 'foo'",
    ),
    "unit of a column of another kind": (
        part('part = "watt.csv"'),
        "space.axes.clock: watt.csv: column 'frequency': unit 'W' does not fit 'Hz' "
        "([mass] * [length] ** 2 / [time] ** 3 where 1 / [time] is needed)",
    ),
    "cell": (
        part('part = "cell.csv"'),
        "space.axes.clock: cell.csv: line 3, column 'frequency': 'x' is not a finite number",
    ),
    "value of a column": (
        part('part = "zero.csv"'),
        "space.axes.clock: zero.csv: 'frequency' is 0 Hz; allowed: > 0 Hz",
    ),
    "no rows": (
        part('part = "heading.csv"'),
        "space.axes.clock: heading.csv: has no rows (a heading line and at least one row are needed)",
    ),
    "ragged": (
        part('part = "ragged.csv"'),
        "space.axes.clock: ragged.csv: line 2 has 3 cells, the heading 2",
    ),
    "label twice": (
        part('part = "same.csv"'),
        "space.axes.clock: same.csv: 'a' stands twice in the column 'name'; allowed: a label that names one row",
    ),
    # enumerated axes
    "enumeration unknown": (
        shapes('enumerate = "network.tours"'),
        "space.axes.grid.enumerate: unknown enumeration 'network.tours'; allowed: grids, huge, nothing, zero, "
        "network.tiles, network.full_mesh, network.fat_tree_2_level, network.fat_tree_3_level, network.torus, "
        "network.hyperx, "
        "network.dragonfly, network.slim_fly, … (all the others); did you mean 'network.torus'?",
    ),
    "enumeration of no family": (
        shapes('enumerate = "hybrid.torus"'),
        "space.axes.grid.enumerate: unknown enumeration 'hybrid.torus'; allowed: grids, huge, nothing, zero, "
        "network.tiles, network.full_mesh, network.fat_tree_2_level, network.fat_tree_3_level, network.torus, "
        "network.hyperx, "
        "network.dragonfly, network.slim_fly, … (all the others)",
    ),
    "enumeration of no model": (
        shapes('enumerate = "gridz", given = { most = 3 }'),
        "space.axes.grid.enumerate: unknown enumeration 'gridz'; allowed: grids, huge, nothing, zero, "
        "network.tiles, network.full_mesh, network.fat_tree_2_level, network.fat_tree_3_level, network.torus, "
        "network.hyperx, "
        "network.dragonfly, network.slim_fly, … (all the others); did you mean 'grids'?",
    ),
    "given without enumerate": (
        nodes("{ values = [1], given = { most = 3 } }"),
        "space.axes.nodes: 'given' goes with 'enumerate' only",
    ),
    "given no table": (
        shapes('enumerate = "grids", given = 3'),
        "space.axes.grid.given: 3 is no table; allowed: a table: { key = value }",
    ),
    "option unknown": (
        shapes('enumerate = "grids", given = { mots = 3 }'),
        "space.axes.grid.given.mots: unknown option 'mots'; allowed: most, tall; did you mean 'most'?",
    ),
    "option missing": (
        shapes('enumerate = "grids"'),
        "space.axes.grid.given.most: is missing; allowed: a whole number >= 1",
    ),
    "option negative": (
        shapes('enumerate = "grids", given = { most = -3 }'),
        "space.axes.grid.given.most: -3 is not possible; allowed: a whole number >= 1",
    ),
    "option of another type": (
        shapes('enumerate = "grids", given = { most = "3" }'),
        "space.axes.grid.given.most: '3' is not possible; allowed: a whole number >= 1",
    ),
    "option without a description": (
        shapes('enumerate = "grids", given = { most = 3, tall = 1 }'),
        "space.axes.grid.given.tall: 1 is not possible; allowed: Input should be a valid boolean",
    ),
    "option of an alternative": (
        shapes(
            'values = [1] }\n[space.alternatives.torus.axes]\nshape = { enumerate = "network.torus", '
            "given = { nodes = [200, 100], radix = 8 }",
            ("grid = {", "nodes = {"),
        ),
        "space.alternatives.torus.axes.shape.given.nodes: [200, 100] runs downwards; allowed: [lowest, highest]",
    ),
    "no shape": (
        shapes('enumerate = "grids", given = { most = 3 }'),
        "space.axes.grid.given: no shape is left of 3 considered: 3 × 3 divides it",
    ),
    "no candidate": (
        shapes('enumerate = "nothing"'),
        "space.axes.grid.given: no shape is left of 0 considered: the options leave nothing to look at",
    ),
    "too many shapes": (
        shapes('enumerate = "huge"'),
        "space.axes.grid.given: 2\u202f000\u202f001 shapes are left; allowed: at most 2\u202f000\u202f000",
    ),
    "shape out of limits": (
        shapes('enumerate = "zero"'),
        "space.axes.grid: 'nodes' is 0; allowed: >= 1",
    ),
    "shapes of a column": (
        shapes('enumerate = "grids", given = { most = 4 }', ("grid = {", "nodes = {")),
        "space.axes.nodes: the enumerated axis has the name of its column 'nodes'; allowed: another name for the axis",
    ),
    "shapes of a quantity": (
        shapes('enumerate = "grids", given = { most = 4 }', ("grid = {", "time = {")),
        "space.axes.time: the enumerated axis has the name of a quantity of the model 'model.py'; "
        "allowed: another name for the axis",
    ),
    # search
    "count with bundles": (
        [('"auto"', '"bundles"\ncount_infeasible = true')],
        "search.count_infeasible: bundles skip designs, so infeasible ones cannot be counted; "
        "allowed: method = 'exhaustive' or 'auto'",
    ),
}


@pytest.fixture
def folder(toy):
    for name, text in FILES.items():
        (toy / name).write_text(text)
    return toy


def uncounted(message):
    """Return a message without the number of further enumerations, to which any family may add."""
    return re.sub(r"network\.slim_fly, … \(\d+ more\)", "network.slim_fly, … (all the others)", message)


@pytest.mark.parametrize("case", BROKEN)
def test_a_mistake_gives_one_sentence_with_its_place(folder, dse, case):
    changes, message = BROKEN[case]
    (folder / "toy.toml").write_text(edited(STUDY, *changes))
    result = dse("run", "toy.toml")
    assert uncounted(result.err) == f"error: toy.toml: {message}\n"
    assert (result.code, result.out) == (2, "")


@pytest.mark.slow
def test_what_check_can_see_it_sees_before_the_run(folder, dse):
    for changes, message in BROKEN.values():
        if "not a finite" in message or "bundles skip" in message:
            continue  # these show only when designs are evaluated, or when a method is chosen
        (folder / "toy.toml").write_text(edited(STUDY, *changes))
        result = dse("check", "toy.toml")
        assert (result.code, uncounted(result.err)) == (2, f"error: toy.toml: {message}\n")


def test_a_value_that_stands_twice(folder, dse):
    (folder / "toy.toml").write_text(edited(STUDY, (FREQUENCY, 'frequency = { values = ["1 GHz", "1000 MHz"] }')))
    result = dse("run", "toy.toml")
    assert result.code == 2
    assert result.err.startswith("error: toy.toml: space.axes.frequency: the value ")
    assert result.err.endswith(" stands twice; allowed: each value once\n")


def test_a_missing_catalogue_names_those_there_are(folder, dse):
    (folder / "toy.toml").write_text(edited(STUDY, *part('part = "partz.csv"')))
    result = dse("run", "toy.toml")
    assert result.code == 2
    assert result.err.startswith("error: toy.toml: space.axes.clock.part: no such file 'partz.csv'; allowed: ")
    assert result.err.endswith("; did you mean 'parts.csv'?\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [("power/devices.csv", "power/transistors.csv"), ("data_machine/devices.csv", "data_machine/drives.csv")],
)
def test_a_catalogue_that_has_another_name_now_is_told_by_it(folder, dse, old, new):
    (folder / "toy.toml").write_text(edited(STUDY, *part(f'part = "{old}"')))
    result = dse("check", "toy.toml")
    assert result.code == 2
    assert result.err == f"error: toy.toml: space.axes.clock.part: '{old}' has another name now; allowed: '{new}'\n"
    assert find_table(new, folder).is_file()


def test_a_model_that_breaks_its_contract(folder, dse):
    """A unit that is not SI, and a sum over designs, are faults of the model."""
    (folder / "toy.toml").write_text(edited(STUDY, *beside("milli.py")))
    result = dse("run", "toy.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: a model is at fault: milli.x gives 'x': unit 'ms' is not coherent SI (it is 0.001 base units)\n"
    )
    (folder / "toy.toml").write_text(edited(STUDY, *beside("sums.py")))
    result = dse("run", "toy.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: a model is at fault: ")


def test_nothing_feasible_is_the_answer_no(folder, dse):
    (folder / "toy.toml").write_text(edited(STUDY, ("20 kW", "1 W")))
    result = dse("run", "toy.toml")
    assert (result.code, result.err) == (1, "")
    told = dse("run", "toy.toml", "--json")
    assert (told.code, told.json["feasible"], told.json["frontier"]) == (1, 0, [])
    dse.good("show", "runs/toy")


def test_outside_a_table(dse, tmp_path):
    """Tables are interpolated, never extrapolated."""
    dse.good("init", "s.toml")
    text = (tmp_path / "s.toml").read_text()
    (tmp_path / "s.toml").write_text(edited(text, ('"1.8 GHz"]', '"2 GHz"]')))
    result = dse("run", "s.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: hybrid/baselines.csv: 'frequency' = 2e+09 Hz is outside the table; "
        "allowed: 1.2e+09 to 1.8e+09 Hz (no extrapolation)\n"
    )


def test_missing_table(dse, tmp_path):
    dse.good("init", "s.toml")
    text = (tmp_path / "s.toml").read_text()
    lines = '[tables.power]\nfile = "hybrid/power.csv"\nwhere = { system = "xeon" }\n'
    (tmp_path / "s.toml").write_text(edited(text, (lines, "")))
    result = dse("check", "s.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: s.toml: objectives[0]: missing quantity 'power', needed by ")
    assert "give it under [tables.power] (" in result.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'name = "\xff"', "is not UTF-8 text (byte 8)"),
        (b"name = toy", "is not valid TOML: Invalid value (at line 1, column 8)"),
        (b"", "name: is missing (3 more faults in this file)"),
        (b"x = " + b"[" * 5000, "is nested too deeply"),
        (b"#" * (5 << 20), "has 5242880 bytes; allowed: at most 4194304"),
    ],
    ids=["not UTF-8", "not TOML", "empty", "nested", "large"],  # a name made of its content would be five megabytes
)
def test_files_that_are_no_study(dse, tmp_path, content, message):
    (tmp_path / "s.toml").write_bytes(content)
    result = dse("check", "s.toml")
    assert (result.code, result.out, result.err) == (2, "", f"error: s.toml: {message}\n")


def test_places_that_are_no_study(dse, tmp_path):
    (tmp_path / "d.toml").mkdir()
    (tmp_path / "my-study.toml").write_text(STUDY)
    allowed = "allowed: a study file (.toml) or the name of a study"
    assert dse("check", "d.toml") == (2, "", f"error: 'd.toml' is a folder; {allowed}\n")
    assert dse("check", ".") == (2, "", f"error: '.' is a folder; {allowed}\n")
    told = "error: no such study file 'my-stdy.toml'; did you mean 'my-study.toml'?\n"
    assert dse("check", "my-stdy.toml") == (2, "", told)
    assert dse("check", "ska-corelator").code == 2


def test_errors_as_json(folder, dse):
    """With --json the error is an object on the output, with its place."""
    (folder / "toy.toml").write_text(edited(STUDY, ('"torus"', '"tours"')))
    result = dse("run", "toy.toml", "--json")
    assert result.code == 2
    assert result.json["file"] == "toy.toml"
    assert result.json["key"] == "use.network"
    assert result.err == f"error: {result.json['error']}\n"
