"""Systems beside the space, from the command line: checked, run, shown, explained, compared, reported."""

import re

import pandas as pd
import pytest
from toy import MACHINES, REFERENCES, STUDY, edited, write_references

LINES = {
    "Alpha": "Alpha 3.781 6 2.675 3.100 met",
    "Beta": "Beta – 12 – – not known nodes",
    "Gamma": "Gamma 1.884 – 61.94 60 breaks power <= 20 kW nodes",
}


@pytest.fixture
def beside(toy):
    write_references(toy)
    return toy


def lines(text):
    return [re.sub(r"[\s\u00a0\u202f]+", " ", line).strip() for line in text.splitlines()]


def test_check(beside, dse):
    (group,) = dse.good("check", "toy.toml", "--json").json["references"]
    assert (group["systems"], group["evaluated"], group["names"]) == (3, 2, ["Alpha", "Beta", "Gamma"])


def test_run_and_show(beside, dse):
    for out in (dse.good("run", "toy.toml").out, dse.good("run", "toy.toml").out, dse.good("show", "runs/toy").out):
        told = lines(out)
        assert "beside it, not designs of the space:" in told
        for name, line in LINES.items():
            assert any(one.startswith(line) for one in told), name
        assert told.index("beside it, not designs of the space:") > told.index("A1 64 2 1.581 11.52 nodes 800")


def test_json(beside, dse):
    run = dse.good("run", "toy.toml", "--json").json
    show = dse.good("show", "runs/toy", "--json").json
    assert run["references"] == show["references"]
    alpha = run["references"][0]
    assert (alpha["name"], alpha["reference"], alpha["feasible"]) == ("Alpha", "machines", True)
    assert alpha["values"]["power"] == 2675.0
    assert alpha["measured"]["power"] == {"value": 3100.0, "column": "meter", "source": "a log"}
    assert {"time": "s", "power": "W", "network_time": "s"}.items() <= run["units"].items() <= show["units"].items()
    names = pd.read_parquet("runs/toy/frontier.parquet").columns
    assert not any("machine" in name for name in names)


def test_units_are_those_of_the_frontier(beside, dse):
    """So that the two tables can be read together: the frontier's network time is in ms."""
    out = dse.good("run", "toy.toml").out.split("beside it")[1]
    assert "447.2" in out
    assert "[ms]" in out


def test_many_are_cut_short(beside, dse):
    rows = "".join(f"m{i},{i + 1},1,,,me,,yes\n" for i in range(30))
    write_references(beside, machines=MACHINES.splitlines()[1] + "\n" + rows)
    out = dse.good("run", "toy.toml").out
    assert "… 10 more: dse show runs/toy --all" in out
    assert "m29" not in out
    assert "m29" in dse.good("show", "runs/toy", "--all").out


def test_nothing_feasible(beside, dse):
    """Then they are all there is to see."""
    write_references(beside, edited(STUDY + REFERENCES, ("20 kW", "1 W")))
    result = dse("run", "toy.toml", "--report")
    assert result.code == 1
    assert "Alpha 3.781 6 2.675 3.100 breaks power <= 1 W" in "\n".join(lines(result.out))


def test_none(toy, dse):
    out = dse.good("run", "toy.toml").out
    assert "beside" not in out
    assert dse.good("show", "runs/toy", "--json").json["references"] == []
    assert "references" not in dse.good("check", "toy.toml").out


def test_explain(beside, dse):
    dse.good("run", "toy.toml")
    told = lines(dse.good("explain", "--full", "runs/toy", "--reference", "alpha").out)
    assert told[0].startswith("Alpha, beside the designs of toy: machine = Alpha, ")
    assert "time measured: 6 s, computed -36.99 % (a log)" in told
    assert "power <= 20 kW: met, slack 17.32 kW (86.6 %)" in told
    assert any(line.startswith("frequency 1.500 GHz axis machines.csv: a log (confidence: high)") for line in told)
    told = lines(dse.good("explain", "--full", "runs/toy", "--reference", "Beta", "--tree").out)
    assert "time = – (min)" in told
    assert "power <= 20 kW: not known" in told
    assert "no figure for frequency, compute_time, time, power, power <= 20 kW: 'frequency' is empty" in told
    assert dse.good("explain", "runs/toy", "--reference", "Gamma", "--json").json["reference"] == "Gamma"
    for arguments in (("--reference", "Alfa"), ("--reference", "Alpha", "--number", "1")):
        assert dse("explain", "runs/toy", *arguments)[:2] == (2, "")


def test_compare(beside, dse):
    dse.good("run", "toy.toml")
    told = lines(dse.good("compare", "runs/toy", "Alpha", "--report", "page.html").out)
    assert "best time best power Alpha" in told
    assert "report: page.html" in told
    assert "Alpha" in (beside / "page.html").read_text()


def test_a_text_beside_numbers(beside, dse):
    """What the study shows may be a text; where a system has none, there is a dash."""
    machines = "name,nodes,frequency [GHz],kind,source\nA,2,1,big,x\nB,2,1,,y\n"
    text = edited(
        STUDY + REFERENCES,
        ('also = ["network_time"]', 'also = ["kind"]'),
        ("work = 1e11", 'work = 1e11\nkind = "none"'),
        ('measured = { time = "log_time", power = "meter" }\n', ""),
    )
    write_references(beside, text, machines)
    told = lines(dse.good("run", "toy.toml", "--report").out)
    assert "A 50.14 0.2200 met big" in told
    assert "B 50.14 0.2200 met –" in told
    assert "B: no computed figure for kind ('kind' is empty)" in told
