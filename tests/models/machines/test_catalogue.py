"""The table of real machines, and everything that can be wrong with one."""

import csv
import dataclasses
from pathlib import Path

import pytest

from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import catalogue, later_machines, read_machines
from dse.models.machines.catalogue.columns import COLUMNS

from .tables import TABLE, row, rows, written

ORIGINAL = Path("/work/shared/data/systems.csv")
BY_NAME = {machine.name: machine for machine in catalogue()}
NEEDED = ", ".join(name for name, column in COLUMNS.items() if column.needed)


def test_every_row_has_a_source_and_its_confidences():
    for one in rows():
        assert one["source_perf"]
        assert one["source_arch"]
        assert {one[f"conf_{kind}"] for kind in ("perf", "rpeak", "power", "arch")} <= {"A", "B", "C", "none"}
    assert len(BY_NAME) == len(rows()) == 27


def test_figures_in_si():
    frontier, fugaku = BY_NAME["Frontier"], BY_NAME["Fugaku"]
    assert (frontier.nodes, frontier.listed_nodes) == (9604, 9604)
    assert (frontier.linpack_flop_rate, frontier.power) == (1.353e18, 24.607e6)
    assert frontier.peak_flop_rate == pytest.approx(2.05572e18, rel=1e-12)
    assert (frontier.memory_capacity, frontier.memory_bandwidth, frontier.injection_bandwidth) == (
        1.024e12,
        12.8e12,
        1e11,
    )
    assert (frontier.devices, frontier.device_power, frontier.processors, frontier.processor_power) == (4, 560, 1, 280)
    assert (frontier.accelerated, fugaku.accelerated) == (True, False)
    assert fugaku.core_operations == pytest.approx(32, rel=1e-4)
    assert frontier.confidence == "performance A, peak B, power B, node A"


def test_cores_are_nodes_times_units_but_for_one():
    """The cross-check of the table: 25 of 26; Aurora lists 10,624 nodes, of which 9,234 ran."""
    whole = [m.name for m in catalogue() if m.nodes is not None and abs(m.listed_nodes / m.nodes - 1) < 1e-9]
    assert len(whole) == 25
    aurora = BY_NAME["Aurora"]
    assert (aurora.nodes, aurora.listed_nodes, aurora.whole) == (9234, 10624, False)
    assert aurora.gradient_nodes == 4143
    assert BY_NAME["Frontier"].gradient_nodes == 9604


def test_what_is_not_published_is_none():
    assert BY_NAME["Eagle (Azure)"].power is None
    assert BY_NAME["JUPITER Booster (partial)"].nodes is None
    assert BY_NAME["Sunway TaihuLight"].processor_power is None
    assert BY_NAME["El Capitan"].processor_power == 0.0  # there are none beside the packages


@pytest.mark.skipif(not ORIGINAL.exists(), reason="the table this one was made from is not here")
def test_the_table_is_the_one_it_was_made_from(tmp_path):
    """Same figures, but for the nodes of HPCG runs, the rating of MI300A, and columns that say more of a row."""
    added = ("nodes_hpcg", "device_power_rating", "peak_note", "power_note", "fit")
    with ORIGINAL.open(newline="") as file:
        original = list(csv.DictReader(file))
    assert [one["name"] for one in rows() if one["fit"]] == ["LineShine", "ISEG2"]
    for one, other in zip(original, [one for one in rows() if not one["fit"]], strict=True):
        kept = {heading: text for heading, text in other.items() if heading not in (*added, "notes")}
        rating = {"device_tdp_w": "760"} if "MI300A" in other["acc_model"] else {}
        assert {heading: text for heading, text in one.items() if heading != "notes"} | rating == kept
        assert other["notes"].startswith(one["notes"])
    words = {"note": "", "power_rating": "", "peak_note": "", "power_note": ""}
    for one, other in zip(read_machines(ORIGINAL), [one for one in catalogue() if not one.fit], strict=True):
        rating = {"device_power": 760.0} if other.device == "MI300A" else {}
        assert dataclasses.replace(one, **words, **rating) == dataclasses.replace(other, **words)


def test_every_rated_power_of_an_accelerator_says_which_rating_it_is():
    for one in rows():
        assert bool(one["device_power_rating"]) == bool(one["device_tdp_w"])
    assert "550 W to 760 W" in BY_NAME["El Capitan"].power_rating


def test_the_base_of_the_laws():
    """The catalogue's rate of the devices, whatever clock a list counts; the list's where the catalogue has none."""
    assert BY_NAME["HPC6"].node_flop_rate == BY_NAME["Frontier"].node_flop_rate == 4 * 53.51e12
    titan = BY_NAME["Titan"]
    assert titan.node_flop_rate == pytest.approx(27.11e15 / 18688)
    assert dataclasses.replace(titan, peak_flop_rate=None).node_flop_rate is None
    assert (BY_NAME["Magnus"].rate_class, BY_NAME["Magnus"].power_class) == ("wide cores", "no accelerator")
    assert (titan.rate_class, titan.power_class) == ("accelerator", "accelerator")


def test_line_ends_remarks_and_order_of_columns_do_not_matter(tmp_path):
    plain = written(row("Frontier"), row("K computer"), folder=tmp_path)
    text = plain.read_text()
    (tmp_path / "other.csv").write_text("# a remark\n\n" + text.replace("\r\n", "\n"), encoding="utf-8-sig")
    reversed_columns = [dict(reversed(row(name).items())) for name in ("Frontier", "K computer")]
    turned = written(*reversed_columns, folder=tmp_path, name="turned.csv")
    expected = [BY_NAME["Frontier"], BY_NAME["K computer"]]
    for path in (plain, tmp_path / "other.csv", turned):
        assert list(read_machines(path)) == expected


# By what is wrong: the machine, the changed cells, and the message after the name of the file.
FAULTS = {
    "faster than its peak": (
        ("Frontier", {"rmax_pflops": "2100"}),
        "line 2, Frontier, rmax_pflops: 2100 is more than rpeak_pflops, 2055.72; allowed: at most rpeak_pflops",
    ),
    "gradients faster than HPL": (
        ("Frontier", {"hpcg_pflops": "1405"}),
        "line 2, Frontier, hpcg_pflops: 1405 is more than rmax_pflops, 1353; allowed: at most rmax_pflops",
    ),
    "gradients faster than the peak": (
        ("Frontier", {"hpcg_pflops": "2405", "rmax_pflops": ""}),
        "line 2, Frontier, hpcg_pflops: 2405 is more than rpeak_pflops, 2055.72; allowed: at most rpeak_pflops",
    ),
    "accelerators without a model": (
        ("Frontier", {"acc_model": ""}),
        "line 2, Frontier, acc_model: is missing, and acc_per_node is 4; allowed: the name of the accelerator",
    ),
    "a model without accelerators": (
        ("Fugaku", {"acc_model": "NVIDIA V100"}),
        "line 2, Fugaku, acc_model: 'NVIDIA V100', and acc_per_node is 0; "
        "allowed: nothing, or accelerators in the node",
    ),
    "units without accelerators": (
        ("Fugaku", {"acc_units_per_device": "80"}),
        "line 2, Fugaku, acc_units_per_device: '80', and acc_per_node is 0; "
        "allowed: nothing, or accelerators in the node",
    ),
    "a node of nothing": (
        ("Fugaku", {"cpu_per_node": "0"}),
        "line 2, Fugaku, cpu_per_node: 0, and acc_per_node is 0 too; allowed: a node that computes",
    ),
    "processors without cores": (
        ("Fugaku", {"cpu_cores_per_socket": "0"}),
        "line 2, Fugaku, cpu_cores_per_socket: 0, and cpu_per_node is 1; allowed: cores",
    ),
    "injection above the cards": (
        ("Frontier", {"inj_gbyte_s_per_node": "200"}),
        ("line 2, Frontier, inj_gbyte_s_per_node: 200 GB/s, but 4 × 200 Gbit/s are 100 GB/s; allowed: 75 to 125"),
    ),
    "injection below the cards": (
        ("Summit", {"nics_per_node": "8"}),
        "line 2, Summit, inj_gbyte_s_per_node: 25 GB/s, but 8 × 100 Gbit/s are 100 GB/s; allowed: 75 to 125",
    ),
    "twice the cores": (
        ("Frontier", {"cores_top500": "18132352"}),
        (
            "line 2, Frontier, cores_top500: 1.81324e+07 cores are 19208 nodes of 944, but 9604 nodes ran; "
            "allowed: 8884852 to 11332720"
        ),
    ),
    "too few cores": (
        ("Frontier", {"cores_top500": "8800000"}),
        (
            "line 2, Frontier, cores_top500: 8.8e+06 cores are 9322.03 nodes of 944, but 9604 nodes ran; "
            "allowed: 8884852 to 11332720"
        ),
    ),
    "more nodes than there are": (
        ("Frontier", {"nodes_installed": "9000"}),
        "line 2, Frontier, nodes_hpl: 9604, but only 9000 nodes are installed",
    ),
    "more nodes for gradients than there are": (
        ("Aurora", {"nodes_hpcg": "12000"}),
        "line 2, Aurora, nodes_hpcg: 12000, more than the 9234 that ran HPL",
    ),
    "megawatts for kilowatts": (
        ("Frontier", {"power_kw": "24.607"}),
        (
            "line 2, Frontier, power_kw: 24.607 kW is 2.562 W for each of 9604 nodes, whose parts are rated at 2520 W; "
            "allowed: 0.2 to 10 times the rated power"
        ),
    ),
    "a peak of another machine": (
        ("K computer", {"rpeak_pflops": "11280"}),
        (
            "line 2, K computer, rpeak_pflops: 11280 is 8e+03 operations per core and cycle; "
            "allowed: 0.5 to 512 operations per core and cycle"
        ),
    ),
    "a torus that is too small": (
        ("Titan", {"topology": "3D torus 25x16x12, 2 nodes per router"}),
        "line 2, Titan, topology: '3D torus 25x16x12, 2 nodes per router' has room for 9600 nodes, but 18688 ran",
    ),
    "an unknown network": (
        ("Frontier", {"topology": "dragonfyl"}),
        (
            "line 2, Frontier, topology: 'dragonfyl' is no known kind of network; allowed: a text with one of torus, "
            "dragonfly, fat tree, tree, Clos, HyperX, full mesh, hypercube, crossbar; "
            "did you mean 'dragonfly'?"
        ),
    ),
    "a taper that widens": (
        ("Sierra", {"topology": "fat-tree 1:2"}),
        ("line 2, Sierra, topology: a taper of 1:2 in 'fat-tree 1:2'; allowed: links down over links up, 1:1 to 64:1"),
    ),
    "a word": (
        ("Frontier", {"rmax_pflops": "about 1353"}),
        (
            "line 2, Frontier, rmax_pflops: 'about 1353' is not a number; "
            "allowed: numbers above 0, or nothing where no figure was published"
        ),
    ),
    "not a number": (
        ("Frontier", {"power_kw": "nan"}),
        "line 2, Frontier, power_kw: 'nan' is not possible; allowed: numbers above 0",
    ),
    "infinite": (
        ("Frontier", {"rpeak_pflops": "inf"}),
        "line 2, Frontier, rpeak_pflops: 'inf' is not possible; allowed: numbers above 0",
    ),
    "negative": (
        ("Frontier", {"membw_gbyte_s_per_node": "-12800"}),
        "line 2, Frontier, membw_gbyte_s_per_node: '-12800' is not possible; allowed: numbers above 0",
    ),
    "zero": (
        ("Frontier", {"mem_gbyte_per_node": "0"}),
        "line 2, Frontier, mem_gbyte_per_node: '0' is not possible; allowed: numbers above 0",
    ),
    "half a node": (
        ("Frontier", {"nodes_hpl": "9604.5"}),
        "line 2, Frontier, nodes_hpl: '9604.5' is not possible; allowed: whole numbers above 0",
    ),
    "fewer than no accelerators": (
        ("Frontier", {"acc_per_node": "-4"}),
        "line 2, Frontier, acc_per_node: '-4' is not possible; allowed: whole numbers from 0 up",
    ),
    "no year": (
        ("Frontier", {"year": ""}),
        "line 2, Frontier, year: is missing; allowed: the year the machine went into service",
    ),
    "no number of accelerators": (
        ("Frontier", {"acc_per_node": ""}),
        ("line 2, Frontier, acc_per_node: is missing; allowed: a whole number, 0 where there are no accelerators"),
    ),
    "no name": (
        ("Frontier", {"name": ""}),
        "line 2, name: is missing; allowed: a name for each machine",
    ),
    "a column too few": (
        ("Frontier", {"membw_gbyte_s_per_node": None}),
        f"the column 'membw_gbyte_s_per_node' is missing; allowed: {NEEDED}",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault, tmp_path):
    (name, changes), told = FAULTS[fault]
    path = written(row(name, **changes), folder=tmp_path)
    with pytest.raises(InputError) as refused:
        read_machines(path, name="mine.csv")
    message = str(refused.value)
    if fault == "a column too few":
        assert message.startswith(
            "mine.csv: the column 'membw_gbyte_s_per_node' is missing; allowed: name, year, nodes_hpl"
        )
    else:
        assert message == f"mine.csv: {told}"


def test_an_unknown_column_names_the_nearest(tmp_path):
    edited = {("rmax_pflop" if heading == "rmax_pflops" else heading): text for heading, text in row("Titan").items()}
    with pytest.raises(InputError, match=r"unknown column 'rmax_pflop'; allowed: .*; did you mean 'rmax_pflops'\?"):
        read_machines(written(edited, folder=tmp_path))


def test_a_name_that_stands_twice(tmp_path):
    with pytest.raises(
        InputError, match="line 3, Titan, name: 'Titan' stands twice; allowed: a name that names one row"
    ):
        read_machines(written(row("Titan"), row("Titan"), folder=tmp_path))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "has no rows"),
        (b"name,year\n", "the column 'nodes_hpl' is missing"),
        (b"\xff\xfe", "cannot be read"),
        (TABLE.read_bytes().replace(b"El Capitan,LLNL", b"El Capitan,LLNL,more"), "cells, the heading"),
        (TABLE.read_bytes().replace(b"name,site,", b"site,site,"), "the column 'name' is missing"),
    ],
)
def test_files_that_are_no_tables(content, told, tmp_path):
    (tmp_path / "mine.csv").write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_machines(tmp_path / "mine.csv")


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_machines(tmp_path / "none.csv")


def test_adapters_on_routers_are_not_held_against_the_links():
    """An Aries link carries 5 GB/s between routers, and a node on the router injects 10.2 GB/s."""
    magnus = next(one for one in rows() if one["name"] == "Magnus")
    assert (magnus["link_gbit_s"], magnus["nics_per_node"], magnus["inj_gbyte_s_per_node"]) == ("40", "1", "10.2")
    assert BY_NAME["Magnus"].injection_bandwidth == 10.2e9


def test_nodes_within_a_twentieth_of_those_installed_are_a_machine_that_grew():
    el_capitan = next(one for one in rows() if one["name"] == "El Capitan")
    assert float(el_capitan["nodes_installed"]) < BY_NAME["El Capitan"].nodes


def test_an_unknown_core_count_leaves_the_peak_with_the_nodes_that_ran(tmp_path):
    (machine,) = read_machines(written(row("Frontier", cores_top500=""), folder=tmp_path))
    assert (machine.listed_nodes, machine.cores_known, machine.whole) == (9604, False, True)


def test_a_machine_of_which_nothing_is_known_is_named_and_not_compared(tmp_path):
    """Lists name machines before their figures are published; a new list is taken as it comes."""
    known = row("Frontier")
    nothing = dict.fromkeys(known, "") | {"name": "HPC7", "year": "2026"}
    machines = read_machines(written(known, nothing, folder=tmp_path))
    assert [one.name for one in machines] == ["Frontier", "HPC7"]
    assert (machines[1].power, machines[1].nodes, machines[1].blind) == (None, None, False)
    with pytest.raises(InputError, match=r"HPC7, cpu_per_node: is missing"):
        read_machines(written(known, nothing | {"power_kw": "5000"}, folder=tmp_path))


def test_what_keeps_its_clock():
    """Fixed clocks by name, narrow units by their operations per cycle."""
    by_name = {one.name: one for one in (*catalogue(), *later_machines()) if not one.accelerated}
    kept = {name for name, one in by_name.items() if one.clock_kept}
    assert kept == {
        *("Fugaku", "Sunway TaihuLight", "Sequoia", "Mira", "K computer", "MareNostrum III"),
        *("JMA PRIMEHPC FX1000", "A64FX prototype", "Astra", "LineShine"),
    }
    assert not any(one.clock_kept for one in catalogue() if one.accelerated)
