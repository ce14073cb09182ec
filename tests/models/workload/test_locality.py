"""Maps of locality: what they show, and how they are drawn."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_profiles import DOCUMENT, document

from dse.cli.main import main
from dse.errors import InputError
from dse.models.workload.cli.page import write_profile_page
from dse.models.workload.locality.locality_figures import draw_heatmap, draw_reuse
from dse.models.workload.locality.locality_map import VARIANTS, locality_view, reuse_view
from dse.models.workload.locality.traces import heat_map
from dse.models.workload.profile.profile import HeatMap
from dse.models.workload.profile.reading import parse_profile


def listing():
    """Anghel 2017, Listing 3.1 without its increment: 15 random elements, then those 10 elements further on."""
    rng, elements = np.random.default_rng(1), []
    for _ in range(3000):
        first = (rng.random(15) * 90).astype(int)
        elements += [*first, *(first + 10)]
    offsets, lags = np.arange(-400, 401, 4), [1, 7, 14, 15, 16]
    return offsets.tolist(), lags, heat_map(4 * np.array(elements), 4, offsets, lags)


def told(p, s_bytes, t):
    return {"s_bytes": list(s_bytes), "t": list(t), "p": [[float(value) for value in row] for row in p]}


def test_the_largest_cell_of_the_published_pattern():
    """40 bytes away after 15 accesses, half of the time; next to nothing elsewhere."""
    offsets, lags, p = listing()
    view = locality_view(HeatMap(tuple(offsets), tuple(lags), tuple(map(tuple, p))))
    (offset, lag, largest), (_, _, second), *_ = view.largest()
    assert (offset, lag) == (40, 15)
    assert largest == pytest.approx(0.50, abs=0.01)
    assert second < 0.013
    assert view.unit == "probability"


maps = st.tuples(
    st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True),
    st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True),
).flatmap(
    lambda axes: st.lists(
        st.lists(st.floats(0, 1), min_size=len(axes[0]), max_size=len(axes[0])),
        min_size=len(axes[1]),
        max_size=len(axes[1]),
    ).map(lambda p: (*axes, p))
)


@given(maps, st.sampled_from(VARIANTS))
def test_variants_by_definition(one, variant):
    """Every cell is the sum over the cells it stands for, in any order of the profile."""
    s_bytes, lags, p = one
    view = locality_view(HeatMap(tuple(s_bytes), tuple(lags), tuple(map(tuple, p))), variant)
    assert list(view.offsets) == sorted(view.offsets)
    assert list(view.lags) == sorted(lags)
    for row, offset in enumerate(view.offsets):
        for column, lag in enumerate(view.lags):
            wanted = sum(
                p[j][i]
                for i, s in enumerate(s_bytes)
                for j, t in enumerate(lags)
                if (abs(s) <= offset if variant.startswith("cdf") else s == offset)
                and (t <= lag if variant.endswith("cdf") else t == lag)
            )
            assert view.p[row, column] == pytest.approx(wanted, rel=1e-12, abs=1e-15)


def test_what_is_drawn():
    """Offsets upwards on both sides of 0, accesses to the right, from 0 to the largest value, real numbers on hover."""
    profile = parse_profile(document(classes__0__heatmap=told([[0.1, 0, 0.2], [0, 0.7, 0]], [8, -8, 0], [4, 1])))
    figure = draw_heatmap(profile)
    (trace,) = figure.data
    assert list(trace.x) == [0.0, 2.0]  # log2 of 1 and 4 accesses
    assert list(trace.y) == [-np.log2(9), 0.0, np.log2(9)]
    assert trace.z.tolist() == [[0.7, 0.0], [0.0, 0.2], [0.0, 0.1]]
    assert trace.customdata[2].tolist() == [[8, 1], [8, 4]]
    assert (trace.zmin, trace.zmax) == (0.0, 0.7)
    assert trace.colorbar.title.text == "probability"
    assert list(figure.layout.xaxis.ticktext) == ["1", "4"]
    assert list(figure.layout.yaxis.ticktext) == ["-8", "0", "8"]
    assert draw_heatmap(profile, "cdf:cdf").layout.yaxis.title.text == "bytes away, or fewer"
    json.dumps(figure.to_plotly_json(), default=list, allow_nan=False)


def test_maps_that_are_not_there_say_how_to_get_one():
    for bare in (document(classes__0__heatmap=None), document(classes__0__heatmap=told([], [], []))):
        with pytest.raises(
            InputError, match=r"the profile 'small' has no heat map; allowed: dse profile record --heatmap"
        ):
            draw_heatmap(parse_profile(bare))
    with pytest.raises(InputError, match=r"unknown variant 'pdf:cfd'.*did you mean 'pdf:cdf'"):
        draw_heatmap(parse_profile(DOCUMENT), "pdf:cfd")
    with pytest.raises(InputError, match=r"heatmap\.s_bytes\[1\]: 8 stands twice"):
        parse_profile(document(classes__0__heatmap=told([[0.1, 0.2]], [8, 8], [1])))


def test_reuse_distances_by_class():
    """What a cache twice as large adds, by hand: 100 references at distance 0, 50 at 1, 60 in (1, 4] … of 300."""
    two = document()
    two["classes"].append({**two["classes"][0], "name": "other"})
    view = reuse_view(parse_profile(two).classes)
    assert view.rows == ("worker, 64 B lines", "other, 64 B lines")
    assert view.sizes == (64, 128, 256, 512, 1024, 2048, 4096)
    assert view.shares.sum(axis=1) == pytest.approx([1.0, 1.0], rel=1e-12)
    assert view.shares[0, :2].tolist() == pytest.approx([100 / 300, 50 / 300])
    assert view.shares[0, -1] == pytest.approx(20 / 300)  # first touches
    assert (view.shares >= 0).all()
    assert reuse_view(parse_profile(document(classes__0__data_reuse=None)).classes) is None


def test_names_of_classes_are_no_markup(tmp_path):
    evil = document()
    evil["classes"][0]["name"] = "</script><img src=x onerror=alert(1)>"
    evil["classes"].append({**evil["classes"][0], "name": "<b>bold</b>"})
    profile = parse_profile(evil)
    assert "<" not in "".join(draw_reuse(reuse_view(profile.classes)).data[0].y)
    text = write_profile_page(profile, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h2>Locality: &lt;b&gt;bold&lt;/b&gt;</h2>" in text
    assert "<img" not in text
    assert "<b>" not in text


def test_the_page_has_the_largest_cells_beside_the_map(tmp_path):
    text = write_profile_page(parse_profile(DOCUMENT), tmp_path / "page.html").read_text(encoding="utf-8")
    after = text[text.index("<h2>Locality</h2>") :]
    assert '"type":"heatmap"' in after
    cells = after[after.index("<tbody>") :].replace(' class="n"', "")
    assert cells.startswith("<tbody><tr><td>0</td><td>2</td><td>1</td></tr><tr><td>0</td><td>1</td><td>0.5000")


@pytest.fixture
def show(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")

    def command(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["profile", "show", *arguments])
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return command


def test_the_command_shows_the_largest_cells_and_writes_the_figure(show, tmp_path):
    code, said, _ = show("p.json", "--heatmap", "--out", "map.html")
    assert code == 0
    assert "the largest of 3 x 2 cells" in said
    assert ["0", "2", "1"] in [line.split() for line in said.splitlines()]
    assert (tmp_path / "map.html").read_text(encoding="utf-8").count('class="plotly-graph-div"') == 1
    code, said, _ = show("p.json", "--heatmap", "--variant", "cdf:cdf", "--json")
    assert json.loads(said)["heatmap"]["largest"][0] == {"s_bytes": 8, "t": 2, "p": pytest.approx(1.8)}


def test_the_command_says_what_is_wrong(show):
    assert show("p.json", "--out", "map.html")[0] == 2
    code, _, wrong = show("graph500-seq-csr", "--heatmap")
    assert code == 2
    assert "has no heat map; allowed: dse profile record --heatmap locality" in wrong
