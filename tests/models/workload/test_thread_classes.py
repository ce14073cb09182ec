"""Distance correlation and classes of threads: by hand, against sums by definition, and as the command shows them."""

import copy
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_files import raw_record, raw_thread

from dse.cli.main import main
from dse.errors import InputError
from dse.models.workload.profile.reading import parse_profile, read_profile
from dse.models.workload.profile.thread_classes import (
    THRESHOLD,
    correlations,
    distance_correlation,
    thread_classes,
    with_correlated_joined,
)
from dse.models.workload.record.raw_records import RawRecord
from dse.models.workload.record.recorded import recorded_profile

RECORDED = Path(__file__).parent / "recorded" / "threads-4.json"


def _by_definition(x, y):
    """Eq. 3.4, all sums written out."""
    n = len(x)

    def centred(values):
        apart = [[abs(a - b) for b in values] for a in values]
        means = [sum(row) / n for row in apart]
        whole = sum(means) / n
        return [[apart[j][k] - means[j] - means[k] + whole for k in range(n)] for j in range(n)]

    def covariance(a, b):
        return math.sqrt(max(sum(a[j][k] * b[j][k] for j in range(n) for k in range(n)), 0.0) / n**2)

    a, b = centred(x), centred(y)
    return covariance(a, b) / math.sqrt(covariance(a, a) * covariance(b, b))


def test_three_points_by_hand():
    """X = 0 1 2, Y = 0 1 0: dCov² = 8/81, dVar(X)² = 360/729, dVar(Y)² = 144/729, so dCor = 10^(-1/4)."""
    assert distance_correlation(np.array([0.0, 1, 2]), np.array([0.0, 1, 0])) == pytest.approx(10**-0.25, rel=1e-12)


samples = st.lists(st.integers(0, 50), min_size=3, max_size=8).filter(lambda values: len(set(values)) > 1)


@given(samples, samples, st.floats(0.1, 9), st.floats(-5, 5))
def test_by_definition_and_what_it_does_not_see(x, y, factor, shift):
    count = min(len(x), len(y))
    x, y = np.array(x[:count], dtype=float), np.array(y[:count], dtype=float)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert distance_correlation(x, y) in (0.0, 1.0)
        return
    value = distance_correlation(x, y)
    assert value == pytest.approx(_by_definition(x.tolist(), y.tolist()), abs=1e-7)
    assert 0.0 <= value <= 1.0
    assert distance_correlation(y, x) == pytest.approx(value, abs=1e-9)
    assert distance_correlation(factor * x + shift, y) == pytest.approx(value, abs=1e-6)
    assert distance_correlation(x, x[::-1].copy()[::-1] * factor) == pytest.approx(1.0, abs=1e-7)


def test_what_does_not_vary():
    """Flat distributions are alike, and like nothing else."""
    classes = correlations(np.array([[0.2, 0.2, 0.2], [0.1, 0.1, 0.1], [0.1, 0.5, 0.2]]))
    assert classes.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


MASTER = [[0, 20], [1, 30], [2, 250], [64, 60]]
WORKER = [[0, 200], [1, 100], [2, 60]]


def _document(histograms, instructions=None):
    threads = []
    for number, bins in enumerate(histograms):
        thread = copy.deepcopy(raw_thread(thread=number))
        thread["reuse"][0]["bins"] = bins
        threads.append(thread)
    return recorded_profile([RawRecord.model_validate(raw_record(threads=threads))])


def _alike(x, y):
    """The correlation of two histograms over all bins up to the longest."""
    longest = max(distance for distance, _ in [*x, *y])
    bins = [0] + [2**power for power in range(longest.bit_length()) if 2**power <= longest]
    shares = [[dict(row).get(distance, 0) / 400 for distance in bins] for row in (x, y)]
    return _by_definition(*shares)


def test_a_master_and_its_workers():
    """As in the thesis: the workers are one class, the master another; the class is the mean of its threads."""
    workers = [WORKER, [[0, 198], [1, 104], [2, 58]], [[0, 204], [1, 97], [2, 61]]]
    document = _document([MASTER, *workers])
    classes = thread_classes(parse_profile(document).classes)
    assert classes.labels == (0, 1, 1, 1)
    assert classes.line_bytes == 64
    for (a, x), (b, y) in itertools.combinations(enumerate([MASTER, *workers]), 2):
        longest = [[64, 0]]  # bins up to the longest distance of any thread
        assert classes.correlation[a, b] == pytest.approx(_alike(longest + x, longest + y), rel=1e-9)
    joined = with_correlated_joined(document)
    assert [(item.get("members", 1), item["role"]) for item in joined["classes"]] == [
        (1, "master"),
        (3, "worker"),
    ]
    assert joined["classes"][1]["data_reuse"][0]["histogram"][0] == [0, (200 + 198 + 204) // 3]
    assert "4 threads are 2 classes" in joined["notes"]


def test_the_threshold_draws_the_line():
    """0: all one class; 1: equal shapes only, whatever their size; more threshold, no fewer classes."""
    doubled = [[distance, count // 2] for distance, count in WORKER]
    items = parse_profile(_document([WORKER, doubled, MASTER, [[0, 100], [1, 150], [2, 100]]])).classes
    counts = [thread_classes(items, threshold).count for threshold in (0.0, 0.3, 0.6, 0.9, THRESHOLD, 1.0)]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert thread_classes(items, 1.0).labels[:2] == (0, 0)
    with pytest.raises(InputError, match="a number from 0 to 1"):
        thread_classes(items, 1.5)
    with pytest.raises(InputError, match="lines of 32 B; allowed: 64"):
        thread_classes(items, line_bytes=32)


def test_any_two_of_a_class_are_alike():
    """Complete linkage, by trying: no class has a pair below the threshold, and no two classes could be one."""
    draw = np.random.default_rng(7)
    rows = [[[2**power if power else 1, int(n)] for power, n in enumerate(draw.integers(1, 60, 6))] for _ in range(12)]
    classes = thread_classes(parse_profile(_document(rows)).classes, 0.75)
    groups = [classes.members(label) for label in range(classes.count)]
    assert 1 < classes.count < 12
    for group in groups:
        assert all(classes.correlation[a, b] >= 0.75 for a in group for b in group)
    for first, other in itertools.combinations(groups, 2):
        assert min(classes.correlation[a, b] for a in first for b in other) < 0.75


def test_recorded_threads(tmp_path, monkeypatch, capsys):
    """profiler/examples/threads.c on four threads: the master made the graph, the others only searched."""
    profile = read_profile(RECORDED)
    classes = thread_classes(profile.classes)
    assert [item.role for item in profile.classes] == ["master", "worker", "worker", "worker"]
    assert classes.labels == (0, 1, 1, 1)
    workers = classes.correlation[1:, 1:]
    assert workers.min() > THRESHOLD > classes.correlation[0, 1:].max()
    with pytest.raises(SystemExit):
        main(["profile", "show", str(RECORDED), "--json"])
    classes = json.loads(capsys.readouterr().out)["thread_classes"]
    assert [len(entry["threads"]) for entry in classes["classes"]] == [1, 3]
    with pytest.raises(SystemExit):
        main(["profile", "show", str(RECORDED), "--correlation", "0", "--report", str(tmp_path / "page.html")])
    assert "threads alike: any two of a class correlate by 0 at least" in capsys.readouterr().out
    assert "Threads alike: 2 classes" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_profile_of_one_thread_has_no_classes(capsys):
    with pytest.raises(SystemExit):
        main(["profile", "show", "graph500-seq-csr", "--json"])
    assert json.loads(capsys.readouterr().out)["thread_classes"] is None
