"""Recorded heat maps in a profile: from the record to the document, its rules, the picture and the command."""

import json

import numpy as np
import pytest
from raw_files import raw_record, raw_thread
from small_profiles import document

from dse.authoring.picture import Box
from dse.cli.main import main
from dse.errors import InputError
from dse.models.workload.locality.address_view import address_view, coarser, in_characters
from dse.models.workload.locality.locality_figures import draw_addresses
from dse.models.workload.locality.locality_pictures import draw_accesses_of_program, draw_locality_of_program
from dse.models.workload.locality.traces import heat_map
from dse.models.workload.profile.documents import as_document
from dse.models.workload.profile.profile import AddressMap
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.record.raw_records import RawRecord
from dse.models.workload.record.recorded import recorded_profile
from dse.models.workload.record.recording import settings

ADDRESSES = {"version": 1, "accesses": 10, "row_bytes": 16, "column_accesses": 4}
ADDRESSES["rows"] = [[0x7000, 1, 0, 2], [0x1000, 2, 4, 0], [0x1010, 1, 0, 0]]
MAP = {"accesses": 10, "row_bytes": 16, "column_accesses": 4, "first_bytes": [0x1000, 0x1010, 0x7000]}
MAP["counts"] = [[2, 4, 0], [1, 0, 0], [1, 0, 2]]


def _recorded(**maps):
    return recorded_profile([RawRecord.model_validate(raw_record(threads=[raw_thread(**maps)]))])


def test_addresses_as_the_profile_holds_them():
    """By rising address, and read back the same; without the map the key is not there."""
    profile = parse_profile(_recorded(address_map=ADDRESSES))
    held = as_document(profile)["classes"][0]
    assert held["address_map"] == MAP
    assert profile.only.address_map.counts[1] == (1, 0, 0)
    assert "address_map" not in as_document(parse_profile(_recorded()))["classes"][0]


def test_pairs_become_probabilities_of_the_definition():
    """Ten accesses of 4 bytes: what the library counts over all pairs is what the trace says."""
    places = [0, 8, 4, 12, 0, 8, 4, 12, 0, 8]
    offsets, lags = list(range(-8, 9, 4)), [1, 3]
    p = heat_map(places, 4, offsets, lags)
    rows = [[lag, *(round(share * (10 - lag)) for share in row)] for lag, row in zip(lags, p.tolist(), strict=True)]
    record = {"version": 1, "accesses": 10, "reach_bytes": 8, "step_bytes": 4, "rows": rows}
    held = _recorded(locality_map=record)["classes"][0]["heatmap"]
    assert (held["s_bytes"], held["t"]) == (offsets, lags)
    assert np.array(held["p"]) == pytest.approx(p, rel=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row_bytes": 12}, "address_map.row_bytes: 12; allowed: a power of two"),
        ({"first_bytes": [0x1000, 0x1008, 0x7000]}, "a multiple of 16"),
        ({"first_bytes": [0x1010, 0x1000, 0x7000]}, "addresses that rise"),
        ({"counts": [[2, 4], [1, 0], [1, 0]]}, "3 rows (first_bytes) of 3"),
        ({"counts": [[2, 4, 0], [1, 0, 0], [1, 0, 3]]}, "column 2 has 3 accesses; allowed: 2 together"),
        ({"accesses": 11}, "column 2 has 2 accesses; allowed: 3 together"),
        ({"accesses": -1}, "a whole number >= 0"),
    ],
)
def test_maps_that_do_not_add_up_are_refused(change, message):
    with pytest.raises(InputError) as refused:
        parse_profile(document(classes__0__address_map={**MAP, **change}))
    assert message in str(refused.value)


def test_pairs_that_cannot_be_are_refused():
    record = {"version": 1, "accesses": 4, "reach_bytes": 4, "step_bytes": 4, "rows": [[1, 0, 4, 0]]}
    with pytest.raises(InputError, match="3 counts of at most 3"):
        _recorded(locality_map=record)
    with pytest.raises(ValueError, match="version"):
        _recorded(locality_map={**record, "version": 2})


def test_a_coarser_view_is_the_map_recorded_coarser():
    """Neighbours are one: against counting the accesses anew."""
    draw = np.random.default_rng(4)
    accesses = [(int(row) * 16, int(column)) for row, column in draw.integers(0, (40, 25), (500, 2))]
    first = sorted({row for row, _ in accesses})
    counts = [[accesses.count((row, column)) for column in range(25)] for row in first]
    view = coarser(address_view(AddressMap(16, 20, 500, tuple(first), tuple(map(tuple, counts)))), 12, 7)
    assert (view.row_bytes, view.column_accesses) == (64, 80)
    for row, base in enumerate(view.first_bytes.tolist()):
        for column in range(view.counts.shape[1]):
            wanted = sum(r // 64 * 64 == base and c // 4 == column for r, c in accesses)
            assert view.counts[row, column] == wanted


def test_what_is_drawn():
    """Gaps are empty rows; the darker, the more accesses: of 1, 2, 4 log(1 + n) / log(5) is 3.9, 6.1 and 9 ninths."""
    view = address_view(parse_profile(document(classes__0__address_map=MAP)).only.address_map)
    assert view.gaps.tolist() == [False, False, True]
    *lines, sizes = in_characters(view)
    assert [line.partition("|")[2] for line in lines] == ["#@ |", "=  |", "", "= #|"]
    assert sizes == "rows of 16 B, columns of 4 accesses"
    (trace,) = draw_addresses(view).data
    cells = np.array(trace.z)
    assert cells.shape == (4, 3)
    assert np.isnan(cells[2]).all()
    assert cells[0, 1] == pytest.approx(np.log10(4))
    assert trace.customdata[3][2].tolist() == ["0x7000", 2.0]


def test_the_command_shows_both_maps_of_a_class(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    two = document(classes__0__address_map=MAP)
    two["classes"].append({**two["classes"][0], "name": "other", "heatmap": None})
    del two["classes"][1]["heatmap"]
    (tmp_path / "p.json").write_text(json.dumps(two), encoding="utf-8")

    def command(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["profile", "show", "p.json", *arguments])
        return ended.value.code, *capsys.readouterr()

    assert "name one" in command("--heatmap")[2]
    code, said, _ = command("--heatmap", "--class", "worker", "--out", "map.html")
    assert code == 0
    assert "small: 10 accesses by address and time" in said
    assert "the largest of 3 x 2 cells" in said
    assert (tmp_path / "map.html").read_text(encoding="utf-8").count('class="plotly-graph-div"') == 2
    code, said, _ = command("--heatmap", "--class", "other", "--json")
    sizes = {"accesses": 10, "row_bytes": 16, "column_accesses": 4, "rows": 3, "columns": 3}
    assert (json.loads(said)["heatmap"], json.loads(said)["address_map"]) == (None, sizes)
    assert command("--class", "other")[0] == 2
    code, _, _ = command("--report", "page.html")
    assert code == 0
    assert "<h2>Addresses: other</h2>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_both_maps_are_pictures_of_a_study_whose_profile_has_them():
    """The stronger, the more: of 1, 2, 4 log(1 + n) / log(5) is 0.43, 0.68 and 1. Without maps there is no picture."""
    profile = parse_profile(document(classes__0__address_map=MAP))
    for drawn in (draw_accesses_of_program, draw_locality_of_program):
        assert drawn.when(profile=profile)
        assert not drawn.when()
        assert not drawn.when(profile=parse_profile(document(classes__0__heatmap=None)))
        assert drawn.applies({}, {})
    drawing = draw_accesses_of_program(profile=profile)
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Box)]
    assert [box.kind for box in boxes] == [
        "strong",
        "most",
        "light",
        "light",
        "strong",
    ]
    assert boxes[1].x - boxes[0].x == 12.0
    assert "10 accesses, rows of 16 B, columns of 4 accesses" in drawing.caption
    drawing = draw_locality_of_program(profile=profile)
    assert "0 B after 2: 1" in drawing.caption
    assert sum(isinstance(shape, Box) for shape in drawing.shapes) == 4  # of six cells two are 0


def test_profiles_have_a_hash():
    """A page keeps pictures by what they are drawn from."""
    assert {parse_profile(document()): 1}[parse_profile(document())] == 1


def test_what_recording_takes():
    assert settings(heatmap="addresses")["DSE_PROFILE_HEATMAP"] == "addresses"
    assert "DSE_PROFILE_HEATMAP" not in settings()
    assert settings(windows="inf,base", sample="none")["DSE_PROFILE_WINDOWS"] == "inf,base"
    with pytest.raises(InputError, match="--heatmap"):
        settings(heatmap="adresses")
    with pytest.raises(InputError, match="base with --sample none"):
        settings(windows="32,base")


def test_base_parallelism_is_a_row_of_its_own():
    """Beside the ideal machine, never in its place."""
    windows = [
        {"window": "inf", "span": 100, "span_mem": 90, "span_int": 40, "span_control": 30, "span_fp": 30},
        {"window": "inf", "order": "base", "span": 250, "span_control": 100},
    ]
    item = parse_profile(document(classes__0__ilp=windows)).only
    assert item.ilp(64) == 10.0
    assert item.ilp(np.inf, order="base") == 4.0
    assert item.ilp_by_type(np.inf, "common", order="base")["control"] == pytest.approx(0.4)
    bare = parse_profile(document(classes__0__ilp=windows[:1])).only
    with pytest.raises(InputError, match="recorded with --windows base"):
        bare.ilp(64, order="base")
