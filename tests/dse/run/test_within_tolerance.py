"""Runs within a tolerance, as people make and read them."""

import json

from dse import Run, Study
from dse.run.result.self_check import check_frontier


def test_run_with_a_tolerance_from_end_to_end(toy, dse):
    """One run: what is told where, what is refused, what verify finds."""
    exact = Study.load("toy.toml").run("exact")
    same = Study.load("toy.toml").run("same", tolerance="0 %")
    assert (toy / "exact/frontier.parquet").read_bytes() == (toy / "same/frontier.parquet").read_bytes()
    assert same.manifest.certificate == exact.manifest.certificate
    assert same.manifest.options.as_dict() == {"method": "auto", "count_infeasible": False}
    done = dse("run", "toy.toml", "--out", "out", "--tolerance", "40 %", "--json")
    told = json.loads(done.out)
    assert 0 < len(told["frontier"]) < len(exact.frontier)
    assert (told["exact"], told["headline"]) == (False, "within 40 %")
    assert told["certificate"]["tolerance"] == {"time": {"relative": 0.4}, "power": {"relative": 0.4}}
    assert told["certificate"]["ties"].startswith("not kept: ")
    shown = " ".join(dse("show", "out").out.split())
    assert "within 40 %; 14 designs, 14 evaluated" in shown
    assert "the search: within 40 %: a design that is left out may be better by as much" in shown
    assert "none beats it by more than the tolerance" in shown
    assert "exact:" not in shown
    assert "passed: within 40 %, none beats it by more" in dse("verify", "out").out
    assert dse("verify", "out", "--proofs").code == 0
    dse("report", "out")
    page = (toy / "out/report.html").read_text()
    assert "The frontier, within 40 %" in page
    assert "it is exact" not in page
    assert json.loads(dse("pick", "out", "--json").out)["headline"] == "within 40 %"
    assert "within 40 %: the frontier is not exact" in dse("pick", "out").out
    assert "within 40 %" in dse("compare", "exact", "out").out
    for given in ((), ("--tolerance", "39 %"), ("--tolerance", "time=40 %")):
        other = dse("run", "toy.toml", "--out", "out", *given)
        assert (other.code, "tolerance = (time relative 0.4, power relative 0.4), not" in other.err) == (2, True)
    assert dse("run", "toy.toml", "--out", "out", "--tolerance", "time=40 %", "--tolerance", "power=40 %").code == 0
    assert "tolerance: '-1 %' is no share" in dse("run", "toy.toml", "--out", "x", "--tolerance", "-1 %").err
    assert "'1 %' names no objective" in dse("run", "toy.toml", "--tolerance", "1 %", "--tolerance", "time=1 %").err
    (toy / "own.toml").write_text(
        (toy / "toy.toml").read_text().replace('method = "auto"', 'tolerance = { power = "1 kW" }')
    )
    own = Study.load("own.toml").run()
    assert own.manifest.certificate.tolerance == {"power": {"absolute": 1000.0}}
    assert own.headline == "within 1 kW of power"
    loaded = Run.load("out")
    problem, certificate = loaded.study.compiled, loaded.manifest.certificate
    numbers, values = loaded.frontier["design"].to_numpy(), loaded.frontier[["time", "power"]].to_numpy()
    assert not check_frontier(problem, numbers, values, certificate).faults
    faults = [check_frontier(problem, numbers[[row]], values[[row]], certificate).faults for row in range(len(numbers))]
    assert all("better, by more than the tolerance" in fault for (fault,) in faults)
