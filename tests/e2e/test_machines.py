"""`dse validate machines` as a user runs it: tables, JSON, exit codes, a file of one's own, files that are wrong."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from dse.models.machines.catalogue.columns import COLUMNS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("claims_once")]

FIGURES = ("linpack", "power", "hpcg")
LAWS = {"rate", "power", "efficiency", "hpcg"}
STRATA = ("all", "device known", "device known, without A100", "device first seen")
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
    assert told["counts"] == {"pass": 61, "fail": 0, "fitted": 0, "deviation": 0, "miss": 1, "not checkable": 19}
    assert len(told["claims"]) == 81
    assert (told["file"], told["report"]) == ("spaces/machines/systems.csv", None)
    assert [one["name"] for one in told["machines"]][:2] == ["El Capitan", "Frontier"]
    frontier = told["machines"][1]
    assert (frontier["device"], frontier["class"]) == ("MI250X", "accelerator")
    assert set(frontier) == {"name", "device", "class", "left_out", "efficiency", *FIGURES}
    assert frontier["linpack"]["published"] == 1.353e18
    for kind, error in (("computed", "error"), ("fitted", "fitted_error")):
        assert frontier["linpack"][error] == pytest.approx(frontier["linpack"][kind] / 1.353e18 - 1)
    assert (frontier["power"]["unit"], frontier["hpcg"]["unit"]) == ("W", "flop/s")
    assert frontier["efficiency"]["published"] == pytest.approx(1.353e18 / 24.607e6)
    assert set(frontier["left_out"]) == LAWS
    assert frontier["left_out"]["rate"]["device_known"] is True
    assert frontier["left_out"]["hpcg"]["device_known"] is False
    assert {(one["law"], one["stratum"]) for one in told["strata"]} == {(law, name) for law in LAWS for name in STRATA}
    assert set(told["laws"]) == LAWS | {"rate_over_power"}
    assert told["laws"]["rate"]["devices"]["MI300A"]["machines"] == 2
    assert told["devices"]["MI300A"]["share_of_rated_power"] == pytest.approx(0.8659, abs=5e-5)
    assert told["devices"]["MI300A"]["standard_errors"]["efficiency"] == pytest.approx(0.029, abs=5e-4)
    assert [one["machine"] for one in told["checks"]["peak"] if one["named"]] == ["HPC6", "Selene", "ISEG2"]
    assert [one["device"] for one in told["checks"]["power"] if one["named"]] == ["Matrix-2000", "SPARC64 VIIIfx"]
    assert told["checks"]["power_by_year"]["slope"] == pytest.approx(-0.028, abs=5e-4)
    assert [one["taken"] for one in told["size"]] == [False, False]
    assert sum(one["reached"] for one in told["targets"]) == 9
    assert len(told["targets"]) == 14


def test_tables(dse):
    printed = dse.good("validate", "machines").out
    for text in (
        "Errors of the laws, each machine left out of their fit",
        "Devices: shares by the laws, and measured over computed",
        "Mean errors of the laws, beside one constant per class and one per device",
        "Peak rates per device that lists state otherwise than the catalogue",
        "Rated powers: ln(measured over rated) of a device against a law without it (-0.028 ± 0.007 a year)",
        "Does the share of peak fall with the number of nodes n?",
        "HPL power not published: Eagle (Azure), Magnus, Eagle (PSNC)",
        "published: 61 pass, 1 miss, 19 not checkable",
    ):
        assert text in printed
    assert re.search(r"Frontier +MI250X +1\.353 Eflop/s +1\.406 Eflop/s +\+3\.9 % +1\.384 Eflop/s +\+2\.3 %", printed)
    assert re.search(r"Gflop/s per W +device known +13 +6\.6 % +9\.9 % +4\.6 %", printed)
    assert re.search(r"MI300A +2 +-0\.065 +± 0\.170 +fits +± 19 % +760 W, as machines are configured", printed)
    assert re.search(r"Matrix-2000 +1 +\+0\.288 +± 0\.206 +NAMED +240 W, limit that was reported", printed)
    assert re.search(r"MI300A +2 +0\.710 +0\.866 +0\.453 +0\.91 to 1\.10 +1\.00 to 1\.02", printed)
    assert printed.count("NOT reached") == 5


def test_all_families_count_them_too(dse):
    told = dse("validate", "--json").json
    assert sum(claim["model"] == "machines" for claim in told["claims"]) == 81
    assert "strata" not in told


def test_a_file_of_ones_own(dse):
    write(OWN)
    told = dse.good("validate", "machines", "--file", "own.csv", "--json").json
    (machine,) = told["machines"]
    assert (machine["name"], machine["class"], told["file"]) == ("Our cluster", "wide cores", "own.csv")
    assert [machine[figure]["status"] for figure in FIGURES] == ["pass"] * 3
    assert told["counts"]["pass"] == 3
    assert (told["targets"], told["size"], told["checks"]["power"]) == ([], [], [])
    printed = dse.good("validate", "machines", "--file", "own.csv").out
    assert "(first seen)" in printed
    assert "Targets" not in printed


def test_a_page(dse):
    """Everything the terminal has, with figures; only scripts that are named by their hash may run."""
    told = dse.good("validate", "machines", "--report", "machines.html", "--json").json
    assert told["report"] == "machines.html"
    page = Path("machines.html").read_text(encoding="utf-8")
    for text in ("Efficiency at HPL", "Mean errors of the laws", "HPC6", "Matrix-2000", "not taken"):
        assert text in page
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts}
    assert hashes == allowed
    assert len(scripts) >= 5
    assert "'unsafe-inline'" not in re.findall(r"script-src ([^;]*)", policy)[0]
    assert not re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)=["']?http""", page)
    assert "report: machines.html" in dse.good("validate", "machines", "--report", "machines.html").out


def test_names_on_a_page_are_text(dse):
    hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    write(OWN | {"name": hostile, "acc_per_node": "0"})
    dse.good("validate", "machines", "--file", "own.csv", "--report", "own.html")
    page = Path("own.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert "<script>alert" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


@pytest.mark.parametrize(("family", "told"), [("ska", "'ska' draws no page"), (None, "a page belongs to one family")])
def test_a_page_of_another_family(family, told, dse):
    result = dse("validate", *([family] if family else []), "--report", "own.html")
    assert result == (2, "", f"error: --report: {told}; allowed: dse validate machines --report own.html\n")
    assert not Path("own.html").exists()


def test_a_page_that_cannot_be_written(dse):
    Path("taken").write_text("a file where a folder should be")
    result = dse("validate", "machines", "--report", "taken/machines.html")
    assert (result.code, result.out) == (2, "")
    assert "taken" in result.err


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
    assert re.search(r"Our cluster .* fail", plain.out)


def test_recalled_machines(dse):
    result = dse("validate", "machines", "--file", "machines/recalled.csv", "--json")
    assert (result.code, len(result.json["machines"])) == (1, 25)


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


def test_a_rate_of_another_unit_of_the_device(dse):
    """Matrices for vectors: twice the catalogue's peak rate of a V100."""
    shape = {"acc_per_node": "4", "acc_model": "NVIDIA V100", "acc_units_per_device": "80", "device_tdp_w": "300"}
    write(OWN | shape | {"cores_top500": "44800", "rpeak_pflops": "5.8", "power_kw": "150"})
    result = dse("validate", "machines", "--file", "own.csv")
    told = "own.csv: Our cluster, rpeak_pflops: 14.5 Tflop/s per V100, but spaces/machines/devices.csv has 7.26"
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {told}")
    assert "allowed: within 30 % of the catalogue's, or a peak_note that says why" in result.err


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
    assert result == (
        2,
        "",
        f"error: --measured: {told}; allowed: dse validate machines --measured own.csv, "
        "dse validate node_class --measured own.csv, dse validate serving --measured own.csv, "
        "dse validate training --measured own.csv\n",
    )
