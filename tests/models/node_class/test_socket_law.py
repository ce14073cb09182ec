"""The law of sockets: constants, powers, errors, and that what is blind stays blind."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.models.node_class.claims.blind import READINGS, blind_socket
from dse.models.node_class.claims.published import comparison
from dse.models.node_class.sockets.areas import areas
from dse.models.node_class.sockets.errors import fitted_law, generation_out, left_out, spread
from dse.models.node_class.sockets.fit import fit, rated
from dse.models.node_class.sockets.fitted_law import FILE, law_file, shipped_law
from dse.models.node_class.sockets.law import CONSTANTS
from dse.models.node_class.sockets.table import NEVER_FITTED, anchors, joined, read_sockets, sockets
from tests.example_counts import examples

FOLDER = Path(str(files("dse.spaces"))) / "node_class"
PRINTED = {
    "core_energy": 0.4139e-9,
    "issue_energy": 79.43e-12,
    "arithmetic_energy": 11.87e-12,
    "operand_energy": 6.643e-12,
    "process_exponent": 0.9149,
    "lean_core_share": 0.05835,
    "core_static_power": 0.9962,
    "cache_static_power": 0.1116 / 2**20,
    "outside_memory_energy": 8 * 17.08e-12,
    "package_memory_energy": 8 * 4.502e-12,
    "base_power": 7.304,
}
OFFSETS = {"Intel 7": 0.236, "Intel 10": 0.208, "Intel 14": 0.138, "Intel 22": 0.060, "TSMC 5 + 6": -0.050}
POWERS = {
    "A64FX (2.2 GHz)": 172,
    "EPYC 7763": 276,
    "Xeon Platinum 8480+": 296,
    "EPYC 9654": 426,
    "Grace (72 cores)": 298,
    "Xeon Platinum 8160": 142,
}


def written_out(row, law):
    """The law for one row of the table, by hand: Gflop/s, GHz, MiB, GB/s."""

    def number(name):
        return float(row[name]) if row[name] else math.nan

    cores, cycle, bits = number("cores"), number("flop_per_cycle"), number("vector_bits")
    rate, clock = number("hpl_rate [Gflop/s]"), number("load_clock [GHz]")
    if math.isnan(clock):
        clock = rate / (0.9 * cores * cycle)
    if math.isnan(rate):
        rate = 0.9 * cores * cycle * clock
    flop, operands = {2048: (512, 2)}.get(bits, (2 * bits / 64, 2))
    if row["unit"] == "matrix":
        flop, operands = 128, 0.125
    lean = law.lean_core_share
    k = {"big": 1, "mid": math.sqrt(lean), "lean": lean, "wide": lean}[row["core_kind"]]
    process = (number("node_nm") / 7) ** law.process_exponent
    x = 3.5 * clock / number("top_clock [GHz]")
    d = process * ((0.60 + 0.125 * max(x - 1, 0)) / 0.725) ** 2 * math.exp(law.offsets.get(row["process"], 0))
    outside, package = number("memory_bandwidth [GB/s]"), number("package_memory_bandwidth [GB/s]")
    if row["memory_kind"] == "LPDDR5X":
        outside, package = 0, 2 * outside
    mib = cores * (number("private_cache [MiB]") + number("shared_cache [MiB]"))
    return (
        cores * clock * law.core_energy * 1e9 * k * d
        + 1e-3 * rate / flop * law.issue_energy * 1e12 * k * d
        + 1e-3 * rate * (law.arithmetic_energy + operands * law.operand_energy) * 1e12 * d
        + cores * law.core_static_power * k * math.sqrt(process)
        + law.cache_static_power * 2**20 * mib
        + (law.outside_memory_energy * outside + law.package_memory_energy * package) * 1e9
        + law.base_power
    )


def table_rows():
    text = (FOLDER / "sockets.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def test_the_fit_gives_the_printed_constants():
    law = fitted_law()
    for name, printed in PRINTED.items():
        assert getattr(law, name) == pytest.approx(printed, rel=1e-3), name
    for process, offset in OFFSETS.items():
        assert law.offsets[process] == pytest.approx(offset, abs=1e-3)
    assert max(abs(value) for name, value in law.offsets.items() if name not in OFFSETS) < 0.06


def test_the_shipped_law_is_that_of_the_fit():
    assert (FOLDER / FILE).read_text(encoding="utf-8") == law_file(fitted_law())
    assumed = load_model("node_class").assumptions
    names = {"outside_memory_energy": "outside_interface_energy", "base_power": "socket_base_power"}
    for name in CONSTANTS:
        assert assumed[names.get(name, name)].value == getattr(shipped_law(), name)


def test_powers_are_the_printed_ones_and_those_of_the_law_written_out():
    some, law = sockets(), shipped_law()
    powers = dict(zip(some.names, law.power(some).tolist(), strict=True))
    for name, printed in POWERS.items():
        assert powers[name] == pytest.approx(printed, rel=5e-3), name
    for row in table_rows():
        if row["name"] != "LX2":
            assert powers[row["name"]] == pytest.approx(written_out(row, law), rel=1e-9), row["name"]


def test_lx2_under_each_reading():
    law = shipped_law()
    printed = dict(zip(READINGS, (775, 691, 858, 1099, 699), strict=True))
    for reading, power in printed.items():
        assert float(law.power(blind_socket(reading))[0]) == pytest.approx(power, rel=5e-3)
    parts = {name: round(float(values[0])) for name, values in law.parts(blind_socket()).items()}
    assert parts == {"cores": 10, "issue": 2, "arithmetic": 529, "static": 42, "memory": 185, "base": 7}


def test_the_blind_socket_is_in_no_fit():
    assert NEVER_FITTED == ("LX2", "LineShine")
    assert "LX2" not in rated(sockets()).names
    with pytest.raises(InputError, match="'LX2' is the blind test and in no fit"):
        fit(joined([rated(sockets()), blind_socket(), anchors()]))
    (row,) = [row for row in table_rows() if row["name"] == "LX2"]
    assert row["fit"] == "never"
    assert {other["fit"] for other in table_rows() if other["name"] != "LX2"} == {"yes"}


def test_a_socket_without_a_rated_power_is_in_no_fit():
    some = sockets()
    with pytest.raises(InputError, match="has no rated power"):
        fit(some.rows(~some.blind))


def test_errors_are_the_printed_ones():
    kept = rated(sockets())
    fitted = spread("", kept.names, shipped_law().power(kept) / kept.rated_power)
    assert (fitted.sockets, round(fitted.mean, 3), round(fitted.deviation, 2)) == (34, 0.093, 0.12)
    known = kept.clock_known
    out = spread("", kept.names[known], left_out()[known])
    assert (out.sockets, round(out.mean, 3), round(out.deviation, 2)) == (27, 0.147, 0.18)
    assert (out.worst_socket, round(out.worst, 2)) == ("SPARC64 VIIIfx", 0.40)
    far = spread("", kept.names, generation_out())
    assert (round(far.mean, 3), round(far.worst, 2), far.worst_socket) == (0.211, 0.69, "SPARC64 VIIIfx")
    assert round(far.deviation, 2) == 0.25


def test_a_socket_left_out_has_no_part_in_its_own_prediction():
    """One fold written anew: what the rating of the left-out socket says does not matter."""
    kept = rated(sockets())
    place = list(kept.names).index("A64FX (2.2 GHz)")
    others = np.arange(len(kept)) != place
    law = fit(joined([kept.rows(others), anchors()]))
    assert left_out()[place] == pytest.approx(float(law.power(kept)[place]) / 170.0, rel=1e-9)


def test_areas_lie_about_the_published_ones():
    ratios = np.array([one.computed / one.published for one in areas()])
    assert len(ratios) == 17
    assert np.median(ratios) == pytest.approx(1.0, abs=0.05)
    assert np.log(ratios).std() < 0.35


clocks = st.floats(0.5, 1.0)


@given(clocks, clocks, st.integers(0, 37))
@settings(max_examples=examples(60), deadline=None)
def test_more_clock_is_more_power_and_a_newer_process_less(one, other, place):
    some = sockets().rows(np.array([place]))
    low, high = sorted((one, other))
    law = shipped_law()
    top = np.where(np.isfinite(some.top_clock), some.top_clock, 3e9)
    powers = [float(law.power(replace(some, top_clock=top, clock=top * share))[0]) for share in (low, high)]
    assert powers[0] <= powers[1]
    newer = replace(some, top_clock=top, energy_class=0.7 * some.energy_class)
    assert float(law.power(newer)[0]) < float(law.power(replace(some, top_clock=top))[0])


def mine(tmp_path, **changes):
    rows = [row for row in table_rows() if row["name"] in ("EPYC 7763", "Xeon Platinum 8480+")]
    rows[0] |= changes
    rows = [{name: value for name, value in row.items() if name != "fit"} for row in rows]
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_table_of_the_user(tmp_path):
    """Its sockets are computed by the law as it is; the column that keeps rows out of fits is none of theirs."""
    found = comparison(mine(tmp_path))
    assert [claim.status for claim in found.claims] == ["pass", "pass"]
    assert found.details["sockets"][0]["computed"] == pytest.approx(296, rel=5e-3)
    assert found.details["errors"][0]["sockets"] == 2
    far = comparison(mine(tmp_path, **{"rated_power [W]": "700"}))
    assert [claim.status for claim in far.claims] == ["fail", "pass"]
    none = comparison(mine(tmp_path, **{"rated_power [W]": ""}))
    assert [claim.status for claim in none.claims] == ["not checkable", "pass"]


@pytest.mark.parametrize(
    ("heading", "value", "words"),
    [
        ("core_kind", "bigg", "did you mean 'big'"),
        ("unit", "tensor", "vector, matrix"),
        ("cores", "", "cores: is missing or not possible, of Xeon Platinum 8480"),
    ],
)
def test_cells_that_cannot_be(tmp_path, heading, value, words):
    with pytest.raises(InputError, match=words):
        read_sockets(mine(tmp_path, **{heading: value}))
