"""`dse validate machines` as a user runs it: tables, JSON, exit codes, a file of one's own, files that are wrong."""

import re
from pathlib import Path

import pytest

from dse.models.machines.columns import COLUMNS

pytestmark = pytest.mark.slow

ORIGINAL = Path("/work/shared/data/systems.csv")
FIGURES = ("linpack", "power", "hpcg")
GROUPS = ("all", "training", "held out")
# A machine as a site would write it down: the columns that are needed and no others.
HEADING = [name for name, column in COLUMNS.items() if column.needed]
OWN = {
    "name": "Our cluster",
    "year": "2022",
    "nodes_hpl": "100",
    "cpu_per_node": "2",
    "cpu_cores_per_socket": "64",
    "cpu_ghz": "2.45",
    "acc_per_node": "0",
    "cores_top500": "12800",
    "rmax_pflops": "0.38",
    "rpeak_pflops": "0.5018",
    "power_kw": "90",
    "hpcg_pflops": "0.0045",
    "topology": "fat-tree",
    "link_gbit_s": "200",
    "nics_per_node": "1",
    "inj_gbyte_s_per_node": "25",
    "mem_gbyte_per_node": "512",
    "membw_gbyte_s_per_node": "409.6",
    "cpu_tdp_w": "280",
}


def write(*machines, heading=HEADING):
    lines = [",".join(heading), *(",".join(machine.get(name, "") for name in heading) for machine in machines)]
    Path("own.csv").write_text("\n".join(lines) + "\n")


def test_json(dse):
    told = dse.good("validate", "machines", "--json").json
    assert told["passed"] is True
    assert told["counts"] == {"pass": 28, "fail": 0, "fitted": 29, "documented deviation": 0, "not checkable": 18}
    assert len(told["claims"]) == 75
    assert told["file"] == "spaces/machines/systems.csv"
    assert [one["name"] for one in told["machines"]][:2] == ["El Capitan", "Frontier"]
    frontier = told["machines"][1]
    assert frontier["half"] == "held out"
    assert set(frontier) == {"name", "half", *FIGURES}
    assert frontier["linpack"]["published"] == 1.353e18
    assert frontier["linpack"]["error"] == pytest.approx(frontier["linpack"]["computed"] / 1.353e18 - 1)
    assert frontier["linpack"]["baseline_error"] == pytest.approx(frontier["linpack"]["baseline"] / 1.353e18 - 1)
    assert (frontier["power"]["unit"], frontier["hpcg"]["unit"]) == ("W", "flop/s")
    assert {(one["figure"], one["group"]) for one in told["summaries"]} == {(f, g) for f in FIGURES for g in GROUPS}
    for one in told["summaries"]:
        if one["group"] == "all":
            assert one["rank_correlation"] >= 0.9
        assert one["mean_error"] < one["baseline_mean_error"]
    assert all(one["reached"] for one in told["targets"])
    assert {one["target"] for one in told["targets"]} >= {"mean error", "worst error", "rank correlation"}


def test_tables(dse):
    printed = dse.good("validate", "machines").out
    for text in (
        "HPL performance; naive: constant × Rpeak",
        "HPL power; naive: constant × sum of rated powers",
        "HPCG performance; naive: constant × memory bandwidth",
        "Targets beyond the acceptance",
        "HPL power not published: Eagle (Azure), Magnus, Eagle (PSNC)",
        "28 pass, 29 fitted, 18 not checkable",
    ):
        assert text in printed
    assert re.search(r"Frontier +held out +1\.353 Eflop/s +1\.504 Eflop/s +\+11\.1 %", printed)
    assert re.search(r"HPL power +held out +10 +10\.1 % +14\.3 %", printed)
    assert "NOT reached" not in printed


def test_all_families_count_them_too(dse):
    told = dse("validate", "--json").json
    assert sum(claim["model"] == "machines" for claim in told["claims"]) == 75
    assert "summaries" not in told


def test_a_file_of_ones_own(dse):
    write(OWN)
    told = dse.good("validate", "machines", "--file", "own.csv", "--json").json
    (machine,) = told["machines"]
    assert (machine["name"], machine["half"], told["file"]) == ("Our cluster", "held out", "own.csv")
    assert [machine[figure]["status"] for figure in FIGURES] == ["pass"] * 3
    assert told["counts"]["pass"] == 3
    assert "1 " in dse.good("validate", "machines", "--file", "own.csv").out


def test_figures_that_are_not_published_are_skipped_and_named(dse):
    write(
        OWN | {"power_kw": "", "hpcg_pflops": "", "topology": ""},
        OWN | {"name": "Another", "mem_gbyte_per_node": ""},
        OWN | {"name": "A third"},
    )
    result = dse.good("validate", "machines", "--file", "own.csv")
    assert "· HPL power not published: Our cluster" in result.out
    assert "· HPCG performance not published: Our cluster" in result.out
    assert "· Our cluster, HPL performance: its kind of network is not known and taken for a fat tree" in result.out
    assert "· Another, HPL performance: without memory capacity it cannot be computed" in result.out
    told = dse.good("validate", "machines", "--file", "own.csv", "--json").json
    assert told["counts"]["not checkable"] == 5
    assert told["machines"][0]["power"]["published"] is None


def test_outside_the_acceptance(dse):
    write({**OWN, "power_kw": "40"})
    told = dse("validate", "machines", "--file", "own.csv", "--json")
    assert (told.code, told.json["passed"], told.json["counts"]["fail"]) == (1, False, 1)
    plain = dse("validate", "machines", "--file", "own.csv")
    assert plain.code == 1
    assert "NOT reached" in plain.out


def test_recalled_machines(dse):
    result = dse("validate", "machines", "--file", "machines/recalled.csv", "--json")
    assert (result.code, len(result.json["machines"])) == (1, 24)


@pytest.mark.skipif(not ORIGINAL.exists(), reason="the table this one was made from is not here")
def test_the_original_table_gives_the_same(dse):
    ours, theirs = (dse.good("validate", "machines", *more, "--json").json for more in ((), ("--file", str(ORIGINAL))))
    assert ours["summaries"] == theirs["summaries"]
    assert ours["counts"] == theirs["counts"]


WRONG = {
    "faster than its peak": (
        {"rmax_pflops": "0.6"},
        "line 2, Our cluster, rmax_pflops: 0.6 is more than rpeak_pflops, 0.5018; allowed: at most rpeak_pflops",
    ),
    "accelerators without a model": (
        {"acc_per_node": "4"},
        "line 2, Our cluster, acc_model: is missing, and acc_per_node is 4; allowed: the name of the accelerator",
    ),
    "too much injected": (
        {"inj_gbyte_s_per_node": "100"},
        (
            "line 2, Our cluster, inj_gbyte_s_per_node: 100 GB/s, but 1 × 200 Gbit/s are 25 GB/s; "
            "allowed: 18.75 to 31.25"
        ),
    ),
    "too few cores": (
        {"cores_top500": "6400"},
        (
            "line 2, Our cluster, cores_top500: 6400 cores are 50 nodes of 128, but 100 nodes ran; "
            "allowed: 12544 to 16000"
        ),
    ),
    "a word": (
        {"power_kw": "some"},
        (
            "line 2, Our cluster, power_kw: 'some' is not a number; "
            "allowed: numbers above 0, or nothing where no figure was published"
        ),
    ),
    "not a number": (
        {"hpcg_pflops": "nan"},
        "line 2, Our cluster, hpcg_pflops: 'nan' is not possible; allowed: numbers above 0",
    ),
    "negative": (
        {"mem_gbyte_per_node": "-1"},
        "line 2, Our cluster, mem_gbyte_per_node: '-1' is not possible; allowed: numbers above 0",
    ),
    "no name": ({"name": ""}, "line 2, name: is missing; allowed: a name for each machine"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_files_that_are_wrong(fault, dse):
    changes, told = WRONG[fault]
    write(OWN | changes)
    result = dse("validate", "machines", "--file", "own.csv", "--json")
    assert (result.code, result.err) == (2, f"error: own.csv: {told}\n")
    assert result.json["error"] == f"own.csv: {told}"


def test_other_faults(dse):
    write(OWN, heading=[{"rmax_pflops": "rmax_pflop"}.get(name, name) for name in HEADING])
    result = dse("validate", "machines", "--file", "own.csv")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: own.csv: unknown column 'rmax_pflop'; allowed: name, site, year")
    assert result.err.endswith("did you mean 'rmax_pflops'?\n")
    assert dse("validate", "machines", "--file", "none.csv") == (2, "", "error: none.csv: no such file\n")
    write(OWN | dict.fromkeys(("rmax_pflops", "power_kw", "hpcg_pflops"), ""))
    result = dse("validate", "machines", "--file", "own.csv")
    told = ", ".join(f"{one} not published" for one in ("HPL performance", "HPL power", "HPCG performance"))
    told = told.replace(", ", "; ")
    assert result == (2, "", f"error: own.csv: no figure of any machine can be compared: {told}\n")


@pytest.mark.parametrize(
    ("family", "told"), [("ska", "'ska' compares no table"), (None, "a table belongs to one family")]
)
def test_a_file_for_another_family(family, told, dse):
    write(OWN)
    result = dse("validate", *([family] if family else []), "--file", "own.csv")
    assert result == (2, "", f"error: --file: {told}; allowed: dse validate machines --file own.csv\n")
