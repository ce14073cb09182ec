"""What is sent to a cluster, what its workers do with it, and what is refused; the cluster itself: tests/e2e."""

import builtins
import json
import socket
import zipfile
from io import BytesIO

import numpy as np
import pytest

from dse import Study
from dse.errors import ClusterError, InputError
from dse.run.disk.study_archive import pack_study, unpack_study
from dse.run.execute import cluster as module
from dse.run.execute.cluster import Cluster
from dse.run.execute.cluster_task import (
    Refusal,
    Searched,
    Setting,
    differences,
    identity,
    packed_results,
    search_range,
    unpacked_results,
)
from dse.run.execute.task_sizes import TaskSizes
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.strategy import SearchOptions, Strategy
from dse.search.plan.worker import Worker
from dse.search.proof.evidence import Excluded

MODEL = """
from dse import parameter, quantity
nodes = parameter(unit="1", doc="Nodes", minimum=1)
weight = parameter(unit="kg", doc="Of a node", minimum=0)

@quantity(unit="s", source="invented")
def duration(nodes, weight):
    "Time."
    return 60.0 / nodes + weight

@quantity(unit="W", source="invented")
def draw(nodes, weight):
    "Power."
    return nodes * (1.0 + weight)
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "mine.py").write_text(MODEL)
    (tmp_path / "parts.csv").write_text("kind,weight [kg],source\nsmall,1,invented\nlarge,2,invented\n")
    (tmp_path / "not-named.csv").write_text("private")
    text = """
name = "sent"
models = ["inside/mine.py"]
objectives = [{minimize = "duration"}, {minimize = "draw"}]
[space.axes]
node = {part = "parts.csv", label = "kind"}
[space.alternatives.few]
axes.nodes = {range = [1, 20]}
[space.alternatives.many]
axes.nodes = {range = [21, 50]}
"""
    (tmp_path / "study.toml").write_text(text)
    return Study.load(tmp_path / "study.toml")


def setting_of(study, **other):
    archive = pack_study(study)
    options = SearchOptions("exhaustive")
    parts = {
        "key": str(id(archive)),
        "archive": archive.data,
        "sha256": archive.sha256,
        "file": study.file,
        "identity": identity(),
        "hashes": study.hashes(),
        "strategy": Strategy.choose(options, [product.size for product in study.space.products]),
        "seeds": None,
        "evidence": True,
    }
    return Setting(**{**parts, **other})


def test_an_archive_holds_what_the_study_names_and_gives_the_same_study_elsewhere(study, tmp_path):
    archive = pack_study(study)
    assert archive.names == ("inside/mine.py", "parts.csv")
    assert archive.code == ["inside/mine.py"]
    with zipfile.ZipFile(BytesIO(archive.data)) as zipped:
        assert sorted(zipped.namelist()) == ["beside/inside/mine.py", "beside/parts.csv", "study.json"]
    assert pack_study(study).data == archive.data
    elsewhere = tmp_path / "elsewhere"
    again = unpack_study(archive.data, archive.sha256, elsewhere, "where/it/stood.toml")
    assert again.hashes() == study.hashes()
    assert again.file == "where/it/stood.toml"
    assert sorted(file.name for file in elsewhere.rglob("*") if file.is_file()) == [
        "mine.py",
        "parts.csv",
        "study.json",
    ]
    variant = study.with_(where="draw <= 70 W", without={"alternative": "many"})
    packed = pack_study(variant)
    assert unpack_study(packed.data, packed.sha256, tmp_path / "variant").hashes() == variant.hashes()


@pytest.mark.parametrize("name", ["exascale", "cache-hierarchy", "topology-break-even"])
def test_a_variant_of_a_study_that_comes_with_dse_is_the_same_elsewhere(name, tmp_path):
    """Written as TOML some have their keys in another order, which is part of what a study is."""
    study = Study.load(name)
    variant = study.with_(without={"alternative": [p.name for p in study.space.products][1:]})
    packed = pack_study(variant)
    again = unpack_study(packed.data, packed.sha256, tmp_path)
    assert again.hashes() == variant.hashes()
    number = variant.space.size // 3
    assert again.space.parameters(number) == variant.space.parameters(number)


def test_an_archive_of_other_bytes_is_refused(study, tmp_path):
    archive = pack_study(study)
    with pytest.raises(InputError, match="other bytes than were sent"):
        unpack_study(archive.data[:-1] + b"x", archive.sha256, tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()


def test_a_worker_gives_the_bytes_of_a_search_here(study):
    setting = setting_of(study)
    here = Worker(study.compiled, setting.strategy, None)
    chunks = here.chunks()
    found = search_range(chunks, setting, "there")
    assert isinstance(found, Searched)
    for chunk, result in unpacked_results(found.results).items():
        own = here.run(chunk)
        assert result.points.tobytes() == own.points.tobytes()
        assert result.numbers.tobytes() == own.numbers.tobytes()
        assert (result.evaluated, result.designs) == (own.evaluated, own.designs)


def test_results_come_back_as_they_were():
    rng = np.random.default_rng(1)
    evidence = Excluded(
        rng.integers(0, 9, (4, 3)),
        rng.integers(0, 9, (4, 3)),
        rng.random((4, 2)),
        rng.integers(-1, 2, 4),
        rng.random(4),
    )
    results = {
        (3, 0): ChunkResult(rng.random((5, 2)), rng.integers(0, 2**60, 5), 7, 9, 5, {"a <= 1": 2}, 1, 2, 3, evidence),
        (3, 1): ChunkResult(np.empty((0, 2)), np.empty(0, dtype=np.int64), 0, 9, left_out=True),
    }
    again = unpacked_results(packed_results(results))
    assert list(again) == list(results)
    for chunk, result in results.items():
        for name, value in vars(result).items():
            found = getattr(again[chunk], name)
            if isinstance(value, np.ndarray):
                assert (found.dtype, found.shape, found.tobytes()) == (value.dtype, value.shape, value.tobytes())
            elif isinstance(value, Excluded):
                assert all(np.array_equal(getattr(found, part), array) for part, array in vars(value).items())
            else:
                assert found == value


def test_a_worker_of_another_version_refuses_and_names_both(study):
    other = {**identity(), "numpy": "1.99.0", "dse": "0.0.1"}
    found = search_range([(0, 0)], setting_of(study, identity=other), "tcp://there:1")
    assert isinstance(found, Refusal)
    assert f"numpy 1.99.0 here, {np.__version__} on tcp://there:1" in found.versions
    assert "dse 0.0.1 here, " in found.versions
    hashes = {**study.hashes(), "model inside/mine.py": "f" * 64}
    found = search_range([(0, 0)], setting_of(study, hashes=hashes), "tcp://there:1")
    assert found.versions.startswith("model inside/mine.py ffffffffffff here, ")
    assert differences({"a": "1"}, {}, "x") == ["a 1 here, missing on x"]


def test_a_fault_of_a_model_comes_back_as_it_is(study, tmp_path):
    (tmp_path / "inside" / "mine.py").write_text(MODEL.replace("60.0 / nodes", "nodes.no_such_thing"))
    broken = Study.load(tmp_path / "study.toml")
    found = search_range([(0, 0)], setting_of(broken), "there")
    assert isinstance(found, Refusal)
    assert "no_such_thing" in str(found.fault)


@pytest.mark.parametrize("workers", [1, 2, 1000])
def test_ranges_are_worth_a_message_and_share_the_work(workers):
    sizes = TaskSizes()
    assert sizes.next(10_000, workers) == 1  # nobody knows yet how long one takes
    sizes.took(1, 0.001)
    waiting, handed = 1_000_000, []
    while waiting:
        handed.append(sizes.next(waiting, workers))
        waiting -= handed[-1]
    assert sum(handed) == 1_000_000
    assert min(handed) >= 1
    fair = -(-1_000_000 // (4 * workers))
    assert handed[0] == min(fair, int(1000 * max(1.0, 0.01 * workers)))
    assert handed == sorted(handed, reverse=True)
    sizes.took(1, 1e6)
    assert sizes.next(10_000, workers) == 1


@pytest.mark.parametrize("address", ["somewhere", "http://host:80", "tcp://host", "tcp://host:x", "tcp://a b:1"])
def test_an_address_that_is_none_is_refused(study, address):
    with pytest.raises(ClusterError, match=r"is no address of a scheduler; allowed: tcp://HOST:PORT"):
        study.run(cluster=address)


def test_no_scheduler_at_the_address(study, monkeypatch):
    monkeypatch.setattr(module, "_CONNECT", 0.2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"no scheduler answers at {address} within 0.2 s"):
            study.run(cluster=address)


def test_without_the_extra_the_command_that_installs_it_is_named(study, monkeypatch):
    known = builtins.__import__

    def without(name, *rest):
        if name == "distributed":
            raise ImportError(name)
        return known(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        ClusterError, match=r"cluster: needs distributed; allowed: pip install 'dse-frontier\[cluster\]'"
    ):
        study.run(cluster="tcp://127.0.0.1:1")


def test_what_a_cluster_cannot_do_is_refused(study):
    with pytest.raises(InputError, match="cluster: a search by generations asks again after each of them"):
        study.run(cluster="tcp://127.0.0.1:1", method="evolve")
    with pytest.raises(InputError, match="jobs: the workers of a cluster are its processes"):
        study.run(cluster="tcp://127.0.0.1:1", jobs=2)
    with pytest.raises(InputError, match="budget: a search with a budget looks at the clock between its rounds"):
        study.run(cluster="tcp://127.0.0.1:1", budget="10 s")


class _Future:
    """A range of a cluster that is not there."""

    def __init__(self, error):
        self.error, self.status = error, "error"

    def exception(self):
        return self.error


def test_a_range_that_ends_its_workers_is_named_with_the_likely_cause(study):
    distributed = pytest.importorskip("distributed")

    class Last:
        address = "tcp://there:1"

    cluster = Cluster("tcp://127.0.0.1:1", study, lambda text: None, ledger=True)
    error = distributed.KilledWorker("task", Last(), 2)
    with pytest.raises(ClusterError) as ended:
        cluster._result(_Future(error), [(0, 3), (0, 4)])
    assert "piece 3 to 4 of 'few' ended 3 workers one after another, the last at tcp://there:1" in str(ended.value)
    assert "not enough memory (dask worker --memory-limit)" in str(ended.value)
    assert ended.value.interrupted
    with pytest.raises(ClusterError, match="piece 3 of 'few' failed: MemoryError: of 3 GiB"):
        cluster._result(_Future(MemoryError("of 3 GiB")), [(0, 3)])


def test_ranges_that_failed_come_last_and_it_is_told_once_that_nobody_is_left(study, monkeypatch):
    monkeypatch.setattr(module, "_POLL", 0.0)
    monkeypatch.setattr(module, "_LOOK", 0.0)
    told = []
    cluster = Cluster("tcp://127.0.0.1:1", study, told.append, ledger=True)

    class Client:
        def nthreads(self):
            return {}

    class Completed:
        failed, done = _Future(MemoryError()), _Future(None)
        batches = iter([[], [], [], [failed, done]])

        def next_batch(self, block):
            assert not block
            return next(self.batches)

    Completed.done.status = "finished"
    cluster._client = Client()
    assert cluster._ended(Completed()) == [Completed.done, Completed.failed]
    assert told == ["tcp://127.0.0.1:1: no workers are left, waits for others; what is finished is kept"]


def test_the_command_that_goes_on_is_told(study, tmp_path, monkeypatch, capsys):
    from dse.cli.main import main

    class Lost(Cluster):
        count = 2

        def __enter__(self):
            return self

        def map(self, *_):
            raise self._lost(ConnectionResetError())

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(module, "Cluster", Lost)
    monkeypatch.chdir(tmp_path)
    given = ["run", study.file, "--out", "a run", "--cluster", "tcp://127.0.0.1:1"]
    with pytest.raises(SystemExit) as ended:
        main([*given, "--json"])
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert "the connection to the scheduler tcp://127.0.0.1:1 was lost (ConnectionResetError)" in told.err
    assert (
        f"what is finished is kept, go on with: dse run {study.file} --out 'a run' --cluster tcp://127.0.0.1:1"
        in told.err
    )
    assert "error" in json.loads(told.out)
