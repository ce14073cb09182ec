"""`dse validate --study S --measured FILE`: a user's measurements beside what the models give, and wrong tables."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from toy import clock_of, edited, plain

import dse.measured
from dse.api import Study
from dse.errors import InputError

ROWS = ((1, 1.0), (2, 1.0), (4, 2.0), (8, 2.0), (16, 1.0), (64, 2.0))


def write(text, name="runs.csv"):
    Path(name).write_text(text)
    return name


def perfect(scale=1.0):
    """What `dse evaluate` gives for some systems, times a scale."""
    study = Study.load("toy.toml")
    lines = ["nodes,frequency [GHz],time [s],measured.energy [J]"]
    for nodes, clock in ROWS:
        values = study.evaluate(nodes=nodes, frequency=f"{clock} GHz")
        lines.append(f"{nodes},{clock},{scale * values['time']!r},{scale * values['power'] * values['time']!r}")
    return "\n".join(lines) + "\n"


def validate(dse, *more, file="runs.csv"):
    return dse("validate", "--study", "toy.toml", "--measured", file, *more)


def test_what_is_computed_is_measured_perfectly(dse, toy):
    write(perfect())
    result = validate(dse, "--limit", "0", "--limit-mean", "0", "--least-rank", "1", "--json")
    assert result.code == 0, result
    told = result.json
    assert told["passed"] is True
    assert set(told["quantities"]) == {"time", "energy"}
    for one in told["quantities"].values():
        assert one["statistics"]["mean_absolute_percentage_error"] == pytest.approx(0.0, abs=1e-12)
        assert one["statistics"]["spearman"] == 1.0
    assert len(told["quantities"]["energy"]["rows"]) == len(ROWS), "which no objective needs"


def test_all_measured_twice_as_large(dse, toy):
    write(perfect(2.0))
    told = validate(dse, "--quantity", "time", "--json").json["quantities"]
    assert set(told) == {"time"}
    assert [row["error"] for row in told["time"]["rows"]] == pytest.approx([-0.5] * len(ROWS))
    assert told["time"]["statistics"]["spearman"] == 1.0
    assert told["time"]["statistics"]["mape_after_scaling"] == pytest.approx(0.0, abs=1e-9)


def test_json_has_what_it_promises(dse, toy):
    write("name,nodes,frequency [GHz],time,time.sd,group\na,1,1,100 s,2 s,x\nb,48,2,5 s,,y\nc,2,1,,,y\n")
    told = validate(dse, "--json").json
    keys = {"study", "file", "quantities", "not_comparable", "limit", "passed", "notes"}
    assert keys <= set(told)
    assert (told["study"], told["file"], told["limit"], told["passed"]) == ("toy", "runs.csv", None, None)
    time = told["quantities"]["time"]
    assert (time["unit"], [row["row"] for row in time["rows"]]) == ("s", [0, 1]), "an empty cell is no comparison"
    first, second = time["rows"]
    computed = 1e11 / 1e9 + 0.1
    assert first["computed"] == pytest.approx(computed)
    assert (first["measured"], first["inputs"]) == (100.0, {"nodes": 1.0, "frequency": 1e9})
    assert (first["standard_deviation"], first["within_spread"]) == (2.0, True)
    assert first["z"] == pytest.approx((computed - 100) / 2)
    assert first["accuracy"] == pytest.approx(1 - abs(computed - 100) / 100)
    assert (first["outside"], first["extrapolated"], first["group"]) == ([], [], "x")
    assert (second["outside"], second["extrapolated"]) == (["nodes"], ["nodes"])
    assert second["broken"] == [], "48 nodes need less than 20 kW"
    assert list(time["groups"]) == ["x", "y"]
    assert first["contributions"] == pytest.approx({"compute_time": 100.0, "network_time": 0.1})


def test_screen_page_and_csv(dse, toy):
    write("name,nodes,frequency [GHz],time,group\n<b>a,1,1,100 s,x\nb,8,2,7 s,y\nc,300,2,2 s,y\n")
    result = validate(dse, "--csv", "out.csv", "--report", "page.html", "--bands", "5%,0.3", "--limit", "5.5%")
    assert result.code == 1
    told = plain(result.out)
    assert "row name group nodes frequency measured computed error" in told
    assert "correlation of the ranks" in told
    assert "accuracy, least" in told
    assert told.index("correlation of the ranks") < told.index("mean error"), "the order first"
    assert "extrapolated: nodes; outside: nodes; breaks power <= 20 kW" in told
    assert "b: -6.67 %; computed of compute_time 6.250 s, network_time 282.8 ms" in told
    assert "few points in x, y" in told
    assert "is above the limit of 5.5 %" in told
    table = pd.read_csv("out.csv")
    assert list(table["measured"]) == [100.0, 7.0, 2.0]
    assert "frequency [Hz]" in table
    page = Path("page.html").read_text()
    assert "<b>a" not in page.replace("\\u003cb\\u003ea", ""), "texts of a file are escaped"
    assert "correlation of the ranks" in page
    assert "within 30 %" in page
    assert "within 5 %" in page


def test_the_drawing_shows_what_it_should(dse, toy):
    write("nodes,frequency [GHz],time,group\n1,1,100 s,x\n64,2,1 s,y\n300,2,1 s,y\n")
    found = dse_compare()
    from dse.report.measured.figure import error_view, scatter_view

    view = scatter_view(found, "time")
    assert [group.name for group in view.groups] == ["x", "y"]
    assert view.groups[1].extrapolated == [True, True], "hollow"
    assert view.logarithmic, "100 to 1"
    assert view.titles == ("measured time [s]", "computed time [s]")
    assert view.bands == [0.2, 0.1]
    figure = found.figure("time")
    assert figure.layout.yaxis.scaleanchor == "x", "the diagonal at 45 degrees"
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.data[-1].marker.symbol == ("diamond-open", "diamond-open")
    assert sum(map(len, error_view(found.quantities["time"]).groups.values())) == 3


def dse_compare(file="runs.csv", **options):
    return dse.measured.compare(Study.load("toy.toml"), file, **options)


def test_repeated_rows_are_merged(dse, toy):
    write("nodes,frequency,time\n1,1 GHz,90 s\n1,1000 MHz,100 s\n1,1 GHz,120 s\n2,1 GHz,50 s\n")
    told = validate(dse, "--json").json["quantities"]["time"]
    assert [row["row"] for row in told["rows"]] == [0, 3]
    first = told["rows"][0]
    assert (first["measured"], first["repeats"]) == (100.0, 3)
    assert first["standard_deviation"] == pytest.approx(15.275252316519467), "of a sample"
    assert told["statistics"]["n"] == 2


def test_units_of_heading_cell_and_quantity(dse, toy):
    write("nodes,frequency [MHz],time,power [kW]\n1,1000,1 min,0.1\n2,1000,50,0.2\n")
    told = validate(dse, "--json").json
    assert [row["measured"] for row in told["quantities"]["time"]["rows"]] == [60.0, 50.0]
    assert [row["measured"] for row in told["quantities"]["power"]["rows"]] == [100.0, 200.0]
    assert told["notes"] == ["time: the file gives no unit, so s was taken"]


def test_parts_slots_parameters_and_quantities_beside_the_objectives(dse, toy):
    Path("toy.toml").write_text(edited(Path("toy.toml").read_text(), clock_of("parts.csv")))
    rows = "4,fast,tree,,400,12 s\n4,slow,torus,50,200,30 s\n"
    write(f"nodes,clock,use.network,base_power [W],network_time [ms],compute_time\n{rows}")
    told = validate(dse, "--json").json["quantities"]
    tree, torus = told["network_time"]["rows"]
    assert (tree["error"], torus["error"]) == pytest.approx((0.0, 0.0))
    assert tree["inputs"] == {"nodes": 4.0, "clock": "fast", "use.network": "tree"}
    assert told["compute_time"]["rows"][0]["computed"] == pytest.approx(1e11 / 4 / 2e9)


UNION = """
[space.choices.kind.torus]
use = { network = "torus" }

[space.choices.kind.tree]
use = { network = "tree" }
set = { base_power = "50 W" }

[space.choices.load.light]
set = { work = 1e11 }

[space.choices.load.heavy]
set = { work = 2e11 }
"""


@pytest.mark.parametrize(
    ("heading", "first", "second"),
    [
        ("alternative", "torus light", "tree heavy"),
        ("kind,load", "torus,light", "tree,heavy"),
        ("use.network,load", "torus,light", "tree,heavy"),
    ],
)
def test_alternatives_choices_and_slots_that_choose_them(dse, toy, heading, first, second):
    study = edited(Path("toy.toml").read_text(), ('[use]\nnetwork = "torus"\n', ""), ("[set]\nwork = 1e11\n", ""))
    Path("toy.toml").write_text(study + UNION)
    write(f"nodes,frequency [GHz],{heading},time,power\n4,1,{first},25.2 s,440 W\n4,1,{second},50.4 s,200 W\n")
    told = validate(dse, "--json").json["quantities"]
    assert [row["computed"] for row in told["time"]["rows"]] == pytest.approx([25.2, 50.4])
    assert [row["error"] for row in told["power"]["rows"]] == pytest.approx([0.0, 4 * (50 + 10) / 200 - 1])
    write("nodes,frequency [GHz],time\n4,1,1 s\n")
    result = validate(dse)
    assert result.code == 2
    assert "runs.csv: line 2, alternative: the space has several alternatives; allowed: torus light" in result.err


def test_groups_by_several_columns_and_by_an_input(dse, toy):
    write("nodes,frequency [GHz],time,rack,day\n1,1,1 s,a,x\n2,1,1 s,a,y\n2,2,1 s,a,y\n")
    for text, wanted in (("rack,day", ["a, x", "a, y"]), ("nodes", ["1", "2"])):
        ignored = () if text == "rack,day" else ("--ignore-columns", "rack,day")
        told = validate(dse, "--group-by", text, *ignored, "--json").json["quantities"]["time"]
        assert {name: own["n"] for name, own in told["groups"].items()} == dict(zip(wanted, [1, 2], strict=True))
        assert all("nodes" in row["inputs"] for row in told["rows"])


def test_a_lost_order_is_said(dse, toy):
    """Energy of a job by Shoukourian et al. 2014, Table 1, as work that the clock divides out."""
    measured = [7.5, 7.7, 7.3, 7.4, 7.5, 7.5, 7.7, 7.7]
    predicted = [7.7, 7.6, 7.5, 7.5, 7.5, 7.4, 7.3, 7.3]
    lines = [f"{n},1,{n * c * 1e9!r},{m}" for n, (m, c) in enumerate(zip(measured, predicted, strict=True), 1)]
    write("nodes,frequency [GHz],work,compute_time [s]\n" + "\n".join(lines) + "\n")
    told = validate(dse, "--json").json
    figures = told["quantities"]["compute_time"]["statistics"]
    assert (figures["n"], round(figures["spearman"], 4)) == (8, -0.3355)
    assert any("the order is not predicted" in note for note in told["notes"])
    assert "errors are small, but so are the differences between the configurations" in plain(validate(dse).out)


def test_two_models_side_by_side(dse, toy):
    write(perfect())
    told = validate(dse, "--use", "network=tree", "--json").json
    (name,) = told["variants"]
    assert name == "network=tree"
    assert told["variants"][name]["quantities"]["time"]["statistics"]["mean_absolute_percentage_error"] > 1
    assert told["quantities"]["time"]["statistics"]["mean_absolute_percentage_error"] == pytest.approx(0, abs=1e-9)
    printed = plain(validate(dse, "--use", "network=tree").out)
    assert "statistic all network=tree" in printed


def test_rows_that_the_models_refuse_are_told(dse, toy):
    write("nodes,frequency [GHz],time\n1,1,100 s\n0,1,1 s\n2.5,1,1 s\n")
    result = validate(dse, "--json")
    assert result.code == 0
    assert result.json["not_comparable"] == [
        {"row": 1, "reason": "'nodes' is 0; allowed: >= 1"},
        {"row": 2, "reason": "'nodes' is 2.5; allowed: whole numbers"},
    ]
    assert result.json["quantities"]["time"]["statistics"]["not_comparable"] == 2
    assert validate(dse, "--strict").code == 1
    assert "row 1 cannot be compared: 'nodes' is 0" in validate(dse).out


def test_fitted_rows_stand_apart(dse, toy):
    write("nodes,frequency [GHz],time,fitted\n1,1,100 s,\n2,1,5 s,true\n")
    told = validate(dse, "--limit", "20%", "--json")
    assert told.code == 0, "what was fitted is judged by nothing"
    time = told.json["quantities"]["time"]
    assert [[row["row"] for row in time[key]] for key in ("rows", "fitted")] == [[0], [1]]
    assert time["statistics"]["n"] == 1


def test_some_rows(dse, toy):
    write(perfect())
    rows = [validate(dse, "--rows", text, "--json").json["quantities"]["time"]["rows"] for text in ("0:2", "4:")]
    assert [[row["row"] for row in one] for one in rows] == [[0, 1], [4, 5]]


def test_limits_of_one_quantity_and_of_all(dse, toy):
    write(edited(perfect(), ("1,1.0,100.1,", "1,1.0,200.2,")))
    assert validate(dse).code == 0, "no limit, whatever the errors"
    assert validate(dse, "--limit", "energy=1%").code == 0
    assert validate(dse, "--limit", "time=49%").code == 1
    assert validate(dse, "--limit", "time=50%").code == 0, "an error of just the limit"
    assert validate(dse, "--limit-mean", "8%").code == 1
    assert validate(dse, "--limit-mean", "8.4%").code == 0
    assert validate(dse, "--least-rank", "0.99").code == 0


def test_a_rank_of_a_constant_column_fails(dse, toy):
    write("nodes,frequency [GHz],time\n1,1,5 s\n2,1,5 s\n4,1,5 s\n")
    result = validate(dse, "--least-rank", "0.5")
    assert result.code == 1
    assert "the correlation of the ranks is not defined, below 0.5" in result.out


def test_compressed_parquet_and_pandas(dse, toy):
    Path("runs.csv.gz").write_bytes(gzip.compress(perfect().encode()))
    frame = pd.DataFrame(
        {"nodes": [1, 2], "frequency [GHz]": [1.0, 1.0], "time [s]": [100.0, 50.0], "fitted": [False, True]}
    )
    frame.to_parquet("runs.parquet")
    assert validate(dse, "--limit", "0", file="runs.csv.gz").code == 0
    for table in ("runs.parquet", frame):
        told = dse_compare(table).quantities["time"]
        assert [row.measured for row in told.rows] == [100.0]
        assert [row.measured for row in told.fitted] == [50.0]


BAD = [
    ("nodes,frequency [GHz],tme\n1,1,1\n", "runs.csv: unknown column 'tme'", "did you mean 'time'?"),
    ("nodes,time\n1,1 s\n", "runs.csv: line 2, frequency: the axis 'frequency' has no value", "1 GHz, 2 GHz"),
    ("nodes,frequency,time\n1,1,1 s\n", "runs.csv: line 2, frequency: '1' has no unit", "GHz"),
    ("nodes,frequency [GHz],time [kg]\n1,1,1\n", "runs.csv: line 2, time", "'kg'"),
    ("nodes,frequency [GHz],time\n1,1,1 W\n", "runs.csv: line 2, time", "'W'"),
    ("nodes,frequency [GHz],time\n1,1,one\n", "runs.csv: line 2, time: 'one' is not a number with a unit", ""),
    ("nodes,frequency [GHz],time\n1,1,inf\n", "runs.csv: line 2, time", "inf"),
    ("nodes,frequency [GHz],time\n1,1\n", "runs.csv: line 2: has 2 cells, the heading 3", ""),
    ("nodes,frequency [GHz],time,time\n1,1,1,1\n", "runs.csv: the column 'time' stands twice", ""),
    ("nodes,frequency [GHz],time,measured.time\n1,1,1,1\n", "runs.csv: measured.time", "measured in two columns"),
    (
        "nodes,frequency [GHz],measured.nodes\n1,1,1\n",
        "measured.nodes: the computed quantity 'nodes' is set by the",
        "",
    ),
    ("nodes,frequency [GHz],measured.work\n1,1,1\n", "runs.csv: measured.work: 'work' is an input of the study", ""),
    ("nodes,frequency [GHz]\n1,1\n", "runs.csv: no column has a quantity that the study computes", "time"),
    ("nodes,frequency [GHz],time\n1,1,\n", "runs.csv: nothing can be compared: no row has a measured value", ""),
    ("nodes,frequency [GHz],time\n0,1,1 s\n", "runs.csv: nothing can be compared: 'nodes' is 0", ""),
    ("nodes,frequency [GHz],time\n", "runs.csv: has no rows", ""),
    (
        "nodes,frequency [GHz],time,use.network\n1,1,1 s,tee\n",
        "runs.csv: line 2, use.network: the slot has no",
        "'tree'",
    ),
    ("nodes,frequency [GHz],time,use.netwrk\n1,1,1 s,tree\n", "unknown column 'use.netwrk'", "'use.network'"),
    ("nodes,frequency [GHz],time,fitted\n1,1,1 s,perhaps\n", "line 2, fitted: 'perhaps' is neither true nor false", ""),
    ("nodes,frequency [GHz],time,kind\n1,1,1 s,fat\n", "line 2, kind: 'kind' has no effect here", ""),
    ("nodes,frequency [GHz],time\n1,1,\x1b[31m\n", "runs.csv: line 2", "U+001B"),
]


@pytest.mark.parametrize(("text", "problem", "hint"), BAD)
def test_bad_tables(dse, toy, text, problem, hint):
    write(text)
    result = validate(dse)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err
    assert hint in result.err
    assert result.err.count("\n") == 1


BAD_OPTIONS = [
    ["--limit", "abc"],
    ["--limit", "tme=1%"],
    ["--least-rank", "2"],
    ["--rows", "1-2"],
    ["--rows", "90:"],
    ["--quantity", "power"],
    ["--group-by", "kind"],
    ["--use", "network=tee"],
    ["--use", "network"],
    ["--bands", "x"],
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=" ".join)
def test_bad_options(dse, toy, options):
    """In which words they are refused, stands in the screen `errors-measured`."""
    write(perfect())
    result = validate(dse, *options)
    assert result.code == 2
    assert f"{options[0]}: " in result.err


def test_a_rank_of_two_rows_is_refused(dse, toy):
    write("nodes,frequency [GHz],time\n1,1,1 s\n2,1,1 s\n")
    assert "which have no order; allowed: three rows or more" in validate(dse, "--least-rank", "0.5").err


def test_what_goes_with_a_study_only(dse, toy):
    assert dse("validate", "--limit", "20%").err.startswith("error: --limit: ")
    assert dse("validate", "--study", "toy.toml").err.startswith("error: --measured: ")
    assert dse("validate", "hybrid", "--study", "toy.toml").err.startswith("error: --study: ")
    assert validate(dse, file="none.csv").err.startswith("error: none.csv: ")


def test_a_fault_in_python_names_no_option(toy):
    with pytest.raises(InputError, match="unknown column 'tme'"):
        dse.measured.compare("toy.toml", pd.DataFrame({"nodes": [1], "tme": [1.0]}))


def test_machines_have_the_same_statistics(dse):
    told = dse.good("validate", "machines", "--json").json
    (linpack,) = [name for name in told["statistics"] if name in json.dumps(told["claims"]) and "HPL" in name][:1]
    own = [one for one in told["claims"] if one["claim"].endswith(linpack) and one["error"] is not None]
    assert told["statistics"][linpack]["n"] == len(own)
    wanted = 100 * sum(abs(one["error"]) for one in own) / len(own)
    assert told["statistics"][linpack]["mean_absolute_percentage_error"] == pytest.approx(wanted)
    assert "Statistics: computed beside published" in dse.good("validate", "machines").out
