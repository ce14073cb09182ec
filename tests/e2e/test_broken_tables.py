"""A user's own part catalogues and baselines with every kind of mistake: the whole message, and exit code 2."""

from importlib.resources import files
from pathlib import Path

import pytest
from toy import STUDY, edited

from dse.errors import one_of

PARTS = "name,frequency [GHz],source\nslow,1,me\nfast,2,you\n"
WITH_PARTS = edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }'))
BASELINES = """cores,frequency [GHz],baseline_iterations,iterations,useful_cycles,nonmemory_stall_cycles,\
memory_stall_cycles_per_core,cpu_utilisation,source
1,1.2,50,200,1.33e11,5.2e10,7.7e9,0.98,own runs
1,1.8,50,200,1.33e11,5.2e10,9.7e9,0.98,own runs
2,1.2,50,200,1.34e11,5.3e10,7.9e9,0.97,own runs
2,1.8,50,200,1.34e11,5.3e10,9.9e9,0.97,own runs
"""
MESSAGES = (
    "messages_per_iteration,bytes_per_message [kB],messages_exponent,bytes_exponent,source\n4,90,1/3,-2/3,own runs\n"
)
POWER = """frequency [GHz],core_active_power [W],core_stall_power [W],memory_power [W],network_power [W],\
idle_power [W],network_bandwidth [MB/s],message_latency [us],source
1.2,5,3,10,6,40,117,60,own meter
1.8,8,4,10,6,41,117,60,own meter
"""
HYBRID = """name = "own"
models = ["hybrid"]
objectives = [{ minimize = "run_time" }, { minimize = "energy" }]
[tables]
baselines = { file = "baselines.csv" }
messages = { file = "messages.csv" }
power = { file = "power.csv" }
[space.axes]
nodes = { powers_of_two = [1, 8] }
cores = { range = [1, 2] }
frequency = { values = ["1.2 GHz", "1.5 GHz", "1.8 GHz"] }
"""
SPACES = Path(str(files("dse.spaces")))
COME_WITH_DSE = [path.relative_to(SPACES).as_posix() for path in sorted(SPACES.rglob("*.csv"))]
CHOICES = one_of([*COME_WITH_DSE, "messages.csv", "power.csv"])
FILES = {"baselines.csv": BASELINES, "messages.csv": MESSAGES, "power.csv": POWER}


def cut(text, column):
    """Take a column out of a table."""
    place = text.splitlines()[0].split(",").index(column)
    rows = [line.split(",") for line in text.splitlines()]
    return "".join(",".join(row[:place] + row[place + 1 :]) + "\n" for row in rows)


# By what is wrong: the text of parts.csv, and the message after the name of the study.
CATALOGUES = {
    "empty": (
        "",
        "space.axes.clock: parts.csv: has no rows (a heading line and at least one row are needed)",
    ),
    "only a heading": (
        "name,frequency [GHz],source\n",
        "space.axes.clock: parts.csv: has no rows (a heading line and at least one row are needed)",
    ),
    "no unit": (
        PARTS.replace(" [GHz]", ""),
        (
            "space.axes.clock: parts.csv: column 'frequency': unit '1' does not fit 'Hz' (a pure number where 1 "
            "/ [time] is needed)"
        ),
    ),
    "unknown unit": (
        PARTS.replace("GHz", "gigahurz"),
        "space.axes.clock: parts.csv: column 'frequency': unknown unit 'gigahurz'",
    ),
    "unit of another dimension": (
        PARTS.replace("GHz", "W"),
        (
            "space.axes.clock: parts.csv: column 'frequency': unit 'W' does not fit 'Hz' ([mass] * [length] ** 2 "
            "/ [time] ** 3 where 1 / [time] is needed)"
        ),
    ),
    "open bracket": (
        PARTS.replace("[GHz]", "[GHz"),
        "space.axes.clock: parts.csv: the heading 'frequency [GHz' is not 'name' or 'name [unit]'",
    ),
    "a column twice": (
        "name,frequency [GHz],frequency [GHz],source\nslow,1,1,me\n",
        "space.axes.clock: parts.csv: the column 'frequency' stands twice",
    ),
    "a word for a number": (
        PARTS.replace("slow,1", "slow,one"),
        "space.axes.clock: parts.csv: line 2, column 'frequency': 'one' is not a finite number",
    ),
    "an empty cell": (
        PARTS.replace("slow,1", "slow,"),
        "space.axes.clock: parts.csv: line 2, column 'frequency': '' is not a finite number",
    ),
    "not a number": (
        PARTS.replace("slow,1", "slow,nan"),
        "space.axes.clock: parts.csv: line 2, column 'frequency': 'nan' is not a finite number",
    ),
    "infinite": (
        PARTS.replace("slow,1", "slow,inf"),
        "space.axes.clock: parts.csv: line 2, column 'frequency': 'inf' is not a finite number",
    ),
    "zero": (
        PARTS.replace("slow,1", "slow,0"),
        "space.axes.clock: parts.csv: 'frequency' is 0 Hz; allowed: > 0 Hz",
    ),
    "a cell too many": (
        PARTS.replace("slow,1,me", "slow,1,me,too"),
        "space.axes.clock: parts.csv: line 2 has 4 cells, the heading 3",
    ),
    "a cell too few": (
        PARTS.replace("slow,1,me", "slow"),
        "space.axes.clock: parts.csv: line 2 has 1 cells, the heading 3",
    ),
    "two of one name": (
        PARTS.replace("fast", "slow"),
        ("space.axes.clock: parts.csv: 'slow' stands twice in the column 'name'; allowed: a label that names one row"),
    ),
    "a name without text": (
        PARTS.replace("fast,2", ",2"),
        ("space.axes.clock: parts.csv: a row has no text in the column 'name'; allowed: a label that names one row"),
    ),
    "no UTF-8": (
        "name,frequency [GHz],source\ncaf\xe9,1,me\n",
        (
            "space.axes.clock: parts.csv: cannot be read: 'utf-8' codec can't decode byte 0xe9 in position 31: "
            "invalid continuation byte"
        ),
    ),
    "a decimal comma": (
        PARTS.replace("slow,1,me", 'slow,"1,5",me'),
        "space.axes.clock: parts.csv: line 2, column 'frequency': '1,5' is not a finite number",
    ),
    "a quantity a model computes": (
        PARTS.replace("frequency [GHz]", "power [W]"),
        (
            "objectives[0]: missing quantity 'frequency', needed by 'compute_time' (model.compute_time): give it "
            "as an axis, a part column, a table or under [set] (Clock of the nodes [Hz])"
        ),
    ),
}
# By what is wrong: the file, its text (None: no file), and the message.
TABLES = {
    "a missing column": (
        "baselines.csv",
        cut(BASELINES, "useful_cycles"),
        (
            "own.toml: tables.baselines: baselines.csv: the column 'useful_cycles' is missing; allowed: cores, "
            "frequency [Hz], baseline_iterations, iterations, instructions, useful_cycles, "
            "nonmemory_stall_cycles, memory_stall_cycles_per_core, cpu_utilisation"
        ),
    ),
    "a misspelt column": (
        "baselines.csv",
        BASELINES.replace("useful_cycles", "usefull_cycles"),
        (
            "own.toml: tables.baselines: baselines.csv: the column 'useful_cycles' is missing; allowed: cores, "
            "frequency [Hz], baseline_iterations, iterations, instructions, useful_cycles, "
            "nonmemory_stall_cycles, memory_stall_cycles_per_core, cpu_utilisation"
        ),
    ),
    "an unknown unit": (
        "baselines.csv",
        BASELINES.replace("GHz", "Ghurz"),
        ("own.toml: tables.baselines: baselines.csv: column 'frequency': unknown unit 'Ghurz'; did you mean 'hour'?"),
    ),
    "a wrong dimension": (
        "baselines.csv",
        BASELINES.replace("[GHz]", "[s]"),
        (
            "own.toml: tables.baselines: baselines.csv: column 'frequency': unit 's' does not fit 'Hz' ([time] "
            "where 1 / [time] is needed)"
        ),
    ),
    "a hole in the grid": (
        "baselines.csv",
        "".join(BASELINES.splitlines(True)[:-1]),
        "baselines.csv: the rows are no full grid over cores × frequency (or one stands twice)",
    ),
    "a row twice": (
        "baselines.csv",
        BASELINES + BASELINES.splitlines(True)[-1],
        "baselines.csv: the rows are no full grid over cores × frequency (or one stands twice)",
    ),
    "no rows": (
        "baselines.csv",
        BASELINES.splitlines(True)[0],
        ("own.toml: tables.baselines: baselines.csv: has no rows (a heading line and at least one row are needed)"),
    ),
    "empty": (
        "baselines.csv",
        "",
        ("own.toml: tables.baselines: baselines.csv: has no rows (a heading line and at least one row are needed)"),
    ),
    "a word": (
        "baselines.csv",
        BASELINES.replace("2,1.8,50", "2,1.8,fifty"),
        (
            "own.toml: tables.baselines: baselines.csv: line 5, column 'baseline_iterations': 'fifty' is not a "
            "finite number"
        ),
    ),
    "not finite": (
        "baselines.csv",
        BASELINES.replace("2,1.8,50", "2,1.8,nan"),
        (
            "own.toml: tables.baselines: baselines.csv: line 5, column 'baseline_iterations': 'nan' is not a "
            "finite number"
        ),
    ),
    "no iterations": (
        "baselines.csv",
        BASELINES.replace(",50,", ",0,"),
        "baselines.csv: line 2, column 'baseline_iterations': 0; allowed: numbers above 0",
    ),
    "negative cycles": (
        "baselines.csv",
        BASELINES.replace("1.33e11", "-1.33e11"),
        "baselines.csv: line 2, column 'useful_cycles': -1.33e+11; allowed: numbers from 0 up",
    ),
    "busy more than always": (
        "baselines.csv",
        BASELINES.replace("0.98", "1.98"),
        "baselines.csv: line 2, column 'cpu_utilisation': 1.98; allowed: 0 to 1",
    ),
    "a ragged line": (
        "baselines.csv",
        BASELINES.replace("0.98,own runs", "0.98"),
        "own.toml: tables.baselines: baselines.csv: line 2 has 8 cells, the heading 9",
    ),
    "too few cores": (
        "baselines.csv",
        "".join(BASELINES.splitlines(True)[:3]),
        "baselines.csv: 'cores' = 2 is outside the table; allowed: 1 to 1 (no extrapolation)",
    ),
    "no such file": (
        "baselines.csv",
        None,
        (
            f"own.toml: tables.baselines.file: no such file 'baselines.csv'; allowed: {CHOICES}; "
            "did you mean 'hybrid/baselines.csv'?"
        ),
    ),
    "two message rows": (
        "messages.csv",
        MESSAGES + "5,90,1/3,-2/3,own runs\n",
        (
            "messages.csv: column 'messages_per_iteration' is 4 in line 2 and 5 in line 3, but must be the same "
            "in all rows of one program on one system; allowed: rows of one program on one system (choose them "
            "with 'where')"
        ),
    ),
    "an exponent that divides by nothing": (
        "messages.csv",
        MESSAGES.replace("1/3", "1/0"),
        ("own.toml: tables.messages: messages.csv: line 2, column 'messages_exponent': '1/0' is not a finite number"),
    ),
    "an exponent that is code": (
        "messages.csv",
        MESSAGES.replace("1/3", "__import__('os')"),
        (
            "own.toml: tables.messages: messages.csv: line 2, column 'messages_exponent': '__import__('os')' is "
            "not a finite number"
        ),
    ),
    "negative messages": (
        "messages.csv",
        MESSAGES.replace("\n4,", "\n-4,"),
        "messages.csv: line 2, column 'messages_per_iteration': -4; allowed: numbers from 0 up",
    ),
    "bytes in watts": (
        "messages.csv",
        MESSAGES.replace("[kB]", "[W]"),
        (
            "own.toml: tables.messages: messages.csv: column 'bytes_per_message': unit 'W' does not fit 'B' "
            "([mass] * [length] ** 2 / [time] ** 3 where [information] is needed)"
        ),
    ),
    "one frequency missing": (
        "power.csv",
        "".join(POWER.splitlines(True)[:2]),
        ("power.csv: 'frequency' = 1.5e+09 Hz is outside the table; allowed: 1.2e+09 to 1.2e+09 Hz (no extrapolation)"),
    ),
    "negative power": (
        "power.csv",
        POWER.replace("1.2,5,", "1.2,-5,"),
        "power.csv: line 2, column 'core_active_power': -5; allowed: numbers from 0 up",
    ),
    "no bandwidth": (
        "power.csv",
        POWER.replace(",117,", ",0,"),
        "power.csv: line 2, column 'network_bandwidth': 0; allowed: numbers above 0",
    ),
    "a missing power": (
        "power.csv",
        cut(POWER, "idle_power [W]"),
        (
            "own.toml: tables.power: power.csv: the column 'idle_power' is missing; allowed: frequency [Hz], "
            "core_active_power [W], core_stall_power [W], memory_power [W], network_power [W], idle_power [W], "
            "network_bandwidth [B/s], message_latency [s]"
        ),
    ),
    "negative latency": (
        "power.csv",
        POWER.replace(",60,", ",-60,"),
        "power.csv: line 2, column 'message_latency': -6e-05; allowed: numbers from 0 up",
    ),
    "bits for bytes": (
        "power.csv",
        POWER.replace("MB/s", "s"),
        (
            "own.toml: tables.power: power.csv: column 'network_bandwidth': unit 's' does not fit 'B/s' ([time] "
            "where [information] / [time] is needed)"
        ),
    ),
}


@pytest.mark.parametrize("fault", CATALOGUES)
def test_broken_catalogues(toy, dse, fault):
    text, told = CATALOGUES[fault]
    (toy / "toy.toml").write_text(WITH_PARTS)
    dse.good("check", "toy.toml")
    (toy / "parts.csv").write_text(text, encoding="latin-1")
    for command in ("check", "run"):
        assert dse(command, "toy.toml") == (2, "", f"error: toy.toml: {told}\n")
    assert not (toy / "runs").exists()


@pytest.fixture
def own(tmp_path, dse):
    """A study of the hybrid model with tables of the user's own."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "own.toml").write_text(HYBRID)
    return tmp_path


def test_these_tables_are_good(own, dse):
    told = dse.good("run", "own.toml", "--json").json
    assert told["frontier"]
    assert told["synthetic"] == []


@pytest.mark.parametrize("fault", TABLES)
def test_broken_tables(own, dse, fault):
    name, text, told = TABLES[fault]
    (own / name).unlink()
    if text is not None:
        (own / name).write_text(text)
    result = dse("run", "own.toml", "--json")
    assert (result.code, result.err) == (2, f"error: {told}\n")
    assert result.json["error"] == told


def test_a_catalogue_of_many_rows_has_each_name_once(toy, dse):
    rows = "".join(f"part {number % 5999},1.{number},me\n" for number in range(6000))
    (toy / "parts.csv").write_text("name,frequency [GHz],source\n" + rows)
    (toy / "toy.toml").write_text(WITH_PARTS)
    told = "'part 0' stands twice in the column 'name'; allowed: a label that names one row"
    assert dse("check", "toy.toml") == (2, "", f"error: toy.toml: space.axes.clock: parts.csv: {told}\n")
