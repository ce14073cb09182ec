"""PISA files of every generation: small ones written by hand, and the published ones where they are."""

import json
import math

import pytest
from pisa_files import current, flat, nested, totals

from dse.errors import InputError
from dse.models.workload.pisa.pisa import read_pisa
from dse.models.workload.profile.profile import CLASSES, Collective, Peer
from dse.models.workload.profile.reading import read_profile, write_profile


@pytest.fixture
def imported(tmp_path):
    def read(document, **options):
        (tmp_path / "main.pisa").write_text(json.dumps(document))
        profile = read_pisa(tmp_path / "main.pisa", **options)
        assert read_profile(write_profile(profile, tmp_path / "main.json")) == profile
        return profile

    return read


def test_the_current_generation(imported):
    profile = imported(current(), source="a friend", licence="EPL-1.0")
    assert (profile.name, profile.source, profile.licence) == ("toy a SIZE=15", "a friend", "EPL-1.0")
    assert profile.application.parameters == {"bench": "a", "SIZE": 15}
    run = profile.run
    assert (run.processes, run.threads, run.flags, run.tool, run.tool_version) == (4, 1, "O3", "PISA", "77c8edf")
    assert "Taken 2016-04-05 22:48:05." in profile.notes
    assert "one less than bufferSize" in profile.notes
    thread = profile.only
    assert thread.name == "process 2 thread 0"
    assert [thread.count(name) for name in CLASSES] == [200, 100, 110, 300, 100, 120, 20, 50]
    parts = {"int_arith": 90, "int_mul": 20, "int_div": 10, "fp_mul": 30, "fp_div": 10}
    assert {name: thread.count(name) for name in parts} == parts
    assert {(v.of, v.length, v.bits): v.count for v in thread.vectors} == {
        ("load", 4, 64): 30,
        ("load", 2, 128): 10,  # 80 bits count as 128
        ("int", 16, 0): 8,
        ("int_arith", 16, 0): 8,
        ("vector_move", 4, 64): 20,
    }  # the five additions on three elements count as scalar
    assert thread.registers.writes == 700
    assert thread.footprint_bytes == 404
    assert thread.openmp_calls == {"parallel_fork_call": 3}
    assert thread.external_calls == {"printf": 1, "dgemm": 5}


def test_both_orders_are_kept_apart(imported):
    thread = imported(current()).only
    assert [(w.window, w.order, w.span) for w in thread.windows] == [
        (54, "ooo", 300),
        (54, "in", 500),
        (math.inf, "ooo", 100),
    ]
    assert thread.windows[0].spans == {"mem": 200, "int": 100, "control": 60}
    assert thread.windows[0].reference == {"mem": 1.4}  # the counts would give 1.5
    assert thread.ilp(54) == pytest.approx(1000 / 300)
    assert thread.ilp(54, mode="reference") == 3.3333
    assert thread.ilp(54, order="in") == 2.0
    assert thread.windows[1].ilp(thread.type_counts, "mem") == 1.2


def test_reuse_distances(imported):
    thread = imported(current()).only
    broad, narrow = thread.data_reuse
    assert (broad.line, broad.counts, broad.printed) == (128, (100, 33, 60), None)
    assert (narrow.line, narrow.counts, narrow.printed) == (64, None, (0.2, 0.4, 0.6, 0.7))
    # At fixed steps the curve is a staircase, read at powers of two.
    read = [0.2, 0.4, 0.6, 0.7]
    assert [narrow.hit_fraction(c, "reference") for c in (64, 128, 256, 512)] == pytest.approx(read)
    assert narrow.hit_fraction(96, "reference") == pytest.approx(0.3)
    (inst,) = thread.inst_reuse
    assert (inst.line, inst.references, inst.counts, inst.printed) == (16, 1000, (900, 90), None)


def test_histories_lose_one(imported):
    branch = imported(current()).only.branch
    assert branch.entropy == ((0, 0.9), (1, 0.5))
    assert (branch.events, branch.conditional_only, branch.tool_miss_rate) == (120, True, 0.11)


def test_messages(imported):
    comm = imported(current()).only.comm
    assert (comm.p2p.messages, comm.p2p.bytes, comm.p2p.sent_messages, comm.p2p.sent_bytes) == (4, 64, 3, 48)
    assert comm.p2p.peers == (Peer(1, 3, 40), Peer(3, 1, 24))  # relative to process 2 of 4
    assert comm.collectives == {
        "allreduce": Collective(2, 16),
        "alltoall": Collective(3, 800),
        "barrier": Collective(1, None),
    }


def test_the_flat_generation(imported):
    profile = imported(flat())
    thread = profile.only
    assert (profile.name, thread.name) == ("old scale12", "process 0 thread 1")
    assert [thread.count(name) for name in CLASSES] == [100, 50, 50, 170, 30, 80, 5, 15]
    assert (thread.vectors, thread.branch, thread.inst_reuse) == ((), None, ())
    assert thread.windows[0].window == math.inf
    assert thread.windows[0].spans == {}
    assert thread.data_reuse[0].line is None
    assert profile.run.processes is None
    assert thread.comm.p2p.peers == (Peer(3, 1, 8),)
    assert thread.comm.collectives == {"bcast": Collective(1, None)}
    assert set(profile.warnings) == {
        "the mix does not tell vector lengths; every instruction counts as scalar",
        "ILP by type without spans divides by the span of the program and is not kept",
        "no branch entropy: no misses of branches can be modelled",
        "reuse distances between single addresses alone: no cache can be modelled",
    }
    with pytest.raises(InputError, match="counts single addresses only; no cache can be modelled from it"):
        thread.reuse(64)


def test_the_earliest_generation(imported):
    profile = imported(totals())
    assert [item.name for item in profile.classes] == [f"process 0 thread {n}" for n in range(3)]
    assert (profile.run.processes, profile.run.threads) == (1, 3)
    thread = profile.classes[0]
    assert [thread.count(name) for name in CLASSES] == [60, 30, 40, 70, 20, 50, 0, 30]
    assert (thread.count("int_mul"), thread.count("int_div"), thread.count("fp_div")) == (5, 2, 1)
    assert "no ILP: no processor model can run" in profile.warnings


def test_missing_bitwise_operations_are_filled_in(imported):
    document = current()
    mix = document["threads"][0]["instructionMix"]
    del mix["bitwise_instructions"], mix["bitwise_xor_instructions"]
    profile = imported(document)
    assert profile.only.count("int") == 300
    assert "no entries for bitwise operations: the 50 missing instructions are those" in profile.warnings


def test_a_few_references_too_many_are_kept(imported):
    document = current()
    mix = document["threads"][0]["instructionMix"]
    mix["instructions_analyzed"] += 10**8
    mix["control_instructions"] += 10**8
    inst = document["threads"][0]["instReuseDistribution"][0]["statistics"]
    inst["instructions"][0][1] = 10**8 + 1000
    profile = imported(document)
    assert profile.only.inst_reuse[0].references == 10**8 + 1090
    assert "the inst reuse distances count more references than there are; their sum is kept" in profile.warnings


def change(document, path, value):
    *outer, last = path
    for part in outer:
        document = document[part]
    document[last] = value


THREAD = ("threads", 0)
MIX = (*THREAD, "instructionMix")
REUSE = (*THREAD, "dataReuseDistribution", 0)
FAULTS = [
    (("threads",), [], "threads: is empty; allowed: one element per process and thread"),
    (("threads",), 3, "threads: 3 is no list"),
    ((*THREAD,), {}, "threads[0].instructionMix: is missing"),
    (
        (*MIX, "instructions_analyzed"),
        1001,
        "threads[0].instructionMix: the classes add up to 1000; allowed: 1001, as inst",
    ),
    (
        (*MIX, "instructions_analyzed"),
        "many",
        "threads[0].instructionMix.instructions_analyzed: 'many'; allowed: a whole",
    ),
    (
        (*MIX, "store_instructions"),
        -100,
        "threads[0].instructionMix.store_instructions: -100; allowed: a whole number >= 0",
    ),
    ((*MIX, "store_instructions"), [{"mix": []}], "store_instructions[0].total_instructions: is missing"),
    ((*MIX, "store_instructions"), nested(50) * 2, "store_instructions: has 2 elements; allowed: one"),
    (
        (*MIX, "store_instructions", 0, "total_instructions"),
        99,
        "store_instructions[0]: its parts add up to 100; allowed: at most 99, its total",
    ),
    (
        (*MIX, "store_instructions", 0, "mix", 0, "int_4bits"),
        0.5,
        "store_instructions[0].mix[0].int_4bits: 0.5; allowed: ",
    ),
    ((*THREAD, "ilp", 0, "windowSize"), "all", "threads[0].ilp[0].windowSize: 'all'; allowed: a whole number >= 0"),
    ((*THREAD, "ilp", 0, "statistics"), {}, "threads[0].ilp[0].statistics.span: is missing"),
    (
        (*THREAD, "ilp", 0, "statistics", "span"),
        2000,
        "threads[0].ilp[0].span: 2000; allowed: at most 1000, which is instr",
    ),
    (
        (*REUSE, "statistics", "data"),
        [[0, 400]],
        "dataReuseDistribution[0].statistics.data: sums to 400; allowed: at most 300 ref",
    ),
    (
        (*REUSE, "statistics", "data"),
        [[0]],
        "dataReuseDistribution[0].statistics.data[0]: [0]; allowed: [distance, value]",
    ),
    ((*REUSE, "cacheLineSize"), 0, "threads[0].data_reuse[0].line_bytes: 0; allowed: a whole number >= 1"),
    (
        (*THREAD, "branchEntropy", "entropies", 1, "bufferSize"),
        0,
        "branchEntropy.entropies[1].bufferSize: 0; allowed: a whole",
    ),
    (
        (*THREAD, "branchEntropy", "entropies", 1, "entropy"),
        None,
        "branchEntropy.entropies[1].entropy: None; allowed: a finite",
    ),
    ((*THREAD, "branchEntropy", "entropies", 1, "entropy"), 1.5, "threads[0].branch.entropy[1]: [1, 1.5]; allowed: "),
    (
        (*THREAD, "registerAccesses", "reads"),
        "1e3",
        "threads[0].registerAccesses.reads: '1e3'; allowed: a whole number",
    ),
    (("appScale",), [], "appScale: [] is no object"),
]


@pytest.mark.parametrize(("path", "value", "told"), FAULTS, ids=range(len(FAULTS)))
def test_faults_name_the_key(imported, path, value, told):
    document = current()
    change(document, path, value)
    with pytest.raises(InputError) as caught:
        imported(document)
    assert told in str(caught.value)
    assert "main.pisa: " in str(caught.value)


def test_other_files_are_refused(imported, tmp_path):
    with pytest.raises(InputError, match="no threads: this is no PISA file"):
        imported({"application": "x"})
    with pytest.raises(InputError, match="is no object"):
        imported([1])
    (tmp_path / "x").write_text("{")
    with pytest.raises(InputError, match="is not valid JSON"):
        read_pisa(tmp_path / "x")
    with pytest.raises(InputError, match="no such file"):
        read_pisa(tmp_path / "y")


PUBLISHED = {
    "graph500-seq-csr-s15-e16.out": 3749155979,
    "graph500-seq-list-s15-e16.out": 4214366530,
    "graph500-seq-list-s15-e16-flat-format.out": 4229714661,
    "gridder-omp2.profile": 1444851901,
    "graph500-omp16-early-format.json": 6349900779,
    "graph500-mpi-simple-early-format.json": 112504838,
    "example.pisa": 1282,
    "app0.cnls": 1282,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_files(pisa_samples, tmp_path, name):
    profile = read_pisa(pisa_samples / name)
    assert profile.classes[0].instructions == PUBLISHED[name]
    assert sum(profile.classes[0].fraction(c) for c in CLASSES) == pytest.approx(1, abs=1e-9)
    assert read_profile(write_profile(profile, tmp_path / "x.json")) == profile


@pytest.mark.parametrize("name", ["csr", "list"])
def test_the_profiles_of_the_project_are_the_published_ones(pisa_samples, name):
    ours = read_profile(f"graph500-seq-{name}").only
    theirs = read_pisa(pisa_samples / f"graph500-seq-{name}-s15-e16.out").only
    for field in ("name", "instructions", "mix", "windows", "data_reuse", "registers"):
        assert getattr(ours, field) == getattr(theirs, field)
    assert set(ours.vectors) == set(theirs.vectors)
    assert set(ours.branch.entropy) <= set(theirs.branch.entropy)
    assert ours.branch.tool_miss_rate == theirs.branch.tool_miss_rate


def test_oddities_of_the_published_files(pisa_samples):
    flat_list = read_pisa(pisa_samples / "graph500-seq-list-s15-e16-flat-format.out").only
    assert flat_list.finite_windows() == (24, 54)
    assert [flat_list.ilp(w, mode="reference") for w in (24, 54, math.inf)] == [6.6986, 9.274, 64.2294]
    printed = {64: (0.4713, 0.6583, 0.8113), 128: (0.4889, 0.7273, 0.8763), 256: (0.5118, 0.7712, 0.9919)}
    for line, fractions in printed.items():
        reuse = flat_list.reuse(line)
        assert reuse.line == line
        assert tuple(reuse.hit_fraction(lines, "reference") for lines in (256, 4096, 65536)) == fractions
    inst = {histogram.line: histogram for histogram in flat_list.inst_reuse}
    for line, fractions in {
        16: (0.8650, 0.9158, 0.9893, 0.9999, 0.9999),
        32: (0.9105, 0.9539, 0.9972, 0.9999, 0.9999),
    }.items():
        assert tuple(inst[line].hit_fraction(n, "reference") for n in (0, 2, 8, 64, 128)) == fractions

    gridder = read_pisa(pisa_samples / "gridder-omp2.profile")
    assert [item.name for item in gridder.classes] == ["process 0 thread 0", "process 0 thread 1"]
    for item in gridder.classes:
        assert item.finite_windows() == ()
        # With the missing bitwise operations filled in, the counts give every ILP the tool printed.
        assert item.windows[0].reference == {}
        with pytest.raises(InputError, match="no cache can be modelled"):
            item.reuse(64)
    assert gridder.classes[0].openmp_calls["parallel"] == 110

    assert len(read_pisa(pisa_samples / "graph500-omp16-early-format.json").classes) == 16

    messages = read_pisa(pisa_samples / "graph500-mpi-simple-early-format.json").only.comm
    assert (messages.p2p.messages, messages.p2p.bytes) == (211, 864256)
    assert [peer.offset for peer in messages.p2p.peers] == list(range(1, 8))

    example = read_pisa(pisa_samples / "example.pisa").only
    assert (example.ilp(54, mode="reference"), example.ilp(54, order="in", mode="reference")) == (2.1225, 1.528)
    assert example.ilp_by_type(54)["fp"] == 0
    assert example.reuse(64).line == 128
    assert example.comm is None
    assert example.external_calls == {"printf": 1}
