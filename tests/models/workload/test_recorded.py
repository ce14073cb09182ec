"""Raw records as a profile: scaling, ranks, threads, children, what is refused."""

import math

import pytest
from raw_files import MIX, raw_mpi, raw_record, raw_thread, write_raw

from dse.errors import InputError
from dse.models.branches.entropy import binary_entropy
from dse.models.workload.cli.commands import _print_run
from dse.models.workload.locality.summary import summary
from dse.models.workload.profile.alike_classes import with_alike_joined
from dse.models.workload.profile.documents import as_document
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.record.raw_records import read_records
from dse.models.workload.record.recorded import recorded_profile, without_children


def profile_of(folder, *records, **options):
    return recorded_profile(read_records(write_raw(folder / "raw", *records)), **options)


def test_counts_are_taken_over_and_the_profile_reads_back_the_same(tmp_path):
    document = profile_of(tmp_path, raw_record(), parameters={"n": 64})
    only = document["classes"][0]
    assert (document["name"], document["application"]) == ("triad", {"name": "triad", "parameters": {"n": 64}})
    assert (only["name"], only["role"], only["instructions"]) == ("process 0 thread 0", "worker", 1000)
    assert only["registers"] == {"reads": 1500, "writes": 800}
    assert only["data_reuse"][0]["histogram"] == [[0, 200], [1, 100], [2, 60]]
    assert document["run"]["flags"] == "-O3"
    assert document["source"].endswith("clang 19.1.7, -O3")
    again = as_document(parse_profile(document))
    assert again["run"]["sampling"] == {"ilp_bursts": 0.1}
    assert again["classes"][0]["memory_entropy"] == [[64, 5.25], [128, 0.0]]


def test_spans_of_a_sample_are_scaled_and_those_without_a_window_left_out(tmp_path):
    (window,) = profile_of(tmp_path, raw_record())["classes"][0]["ilp"]
    assert {key: value for key, value in window.items() if "span" in key} == {
        **{"span": 250, "span_mem": 100, "span_int": 120, "span_control": 30},
        "span_fp": 1,  # not seen in the sample, but the run has such instructions
    }
    begun = [{**raw_thread()["ilp"][0], "whole": {"instructions": 40, "span": 13, "span_mem": 10}}]
    (window,) = profile_of(tmp_path / "raw", raw_record(threads=[raw_thread(ilp=begun)]))["classes"][0]["ilp"]
    # 60 of the other 960 were analysed: 13 + 12 x 16, 10 + 0 x 16, 0 + 12 x 16.
    assert (window["span"], window["span_mem"], window["span_int"]) == (205, 10, 192)
    whole = [{**entry, "instructions": 1000} for entry in raw_thread()["ilp"]]
    exact = profile_of(tmp_path / "..", raw_record(threads=[raw_thread(ilp=whole)]))["classes"][0]["ilp"]
    assert [(one["window"], one["span"]) for one in exact] == [(32, 25), ("inf", 9)]


def test_the_estimate_of_misses_is_of_the_longest_history_with_enough_events(tmp_path):
    branch = profile_of(tmp_path, raw_record())["classes"][0]["branch"]
    # 1024 events: histories up to 7 outcomes, where the entropy is 0.5.
    assert binary_entropy(branch["tool_miss_rate"]) == pytest.approx(0.5)
    assert branch["linear_entropy"] == [[4, 0.2]]


def test_tables_that_miss_less_than_an_unlimited_one_are_left_out(tmp_path):
    document = profile_of(tmp_path, raw_record(threads=[raw_thread(0), raw_thread(1)]))
    rule = {"rule": "seen-once"}
    assert document["classes"][0]["branch"]["max_outcome"] == [
        {"history": 8, "miss_rate": 0.1, **rule},
        {"history": 8, "table": 4096, "miss_rate": 0.15, **rule},
        {"history": 16, "miss_rate": 0.3, **rule},
    ]
    other = raw_thread(2)
    other["branches"]["max_outcome"] = [{"history": 8, "table": 4096, "rule": "seen-once", "miss_rate": 0.25}]
    workers = profile_of(tmp_path / "..", raw_record(threads=[raw_thread(0), raw_thread(1), other]))
    joined = with_alike_joined(workers)["classes"][1]["branch"]
    assert joined["max_outcome"] == [{"history": 8, "table": 4096, "miss_rate": pytest.approx(0.2), **rule}]


def test_the_limit_of_memory_is_told_where_it_was_reached(tmp_path, capsys):
    least = {"ilp_bursts": 1.0, "reuse_rate": 0.25, "memory_limit": 2**30}
    limited = raw_record(sampling=least, notes=["the limit of memory was reached: …"])
    document = profile_of(tmp_path, limited, raw_record(pid=7, sampling={**least, "memory_limit": 2**31}))
    assert document["run"]["sampling"] == {"reuse_rate": 0.25, "memory_limit": 2**30}
    assert document["notes"].count("the limit of memory was reached") == 1
    _print_run(summary(parse_profile(document)))
    assert "sampled: 25 % of the lines for reuse distances\nlimit of memory reached: 1 GiB" in capsys.readouterr().out


def test_threads_and_ranks_are_classes_and_peers_are_told_by_offset(tmp_path):
    records = [
        raw_record(pid=20 + rank, start_ns=9 - rank, mpi=raw_mpi(rank, 3), threads=[raw_thread(0), raw_thread(1)])
        for rank in range(3)
    ]
    document = profile_of(tmp_path, *records)
    assert [one["name"] for one in document["classes"]][:3] == [
        "process 0 thread 0",
        "process 0 thread 1",
        "process 1 thread 0",
    ]
    assert [one["role"] for one in document["classes"]][:2] == ["master", "worker"]
    assert (document["run"]["processes"], document["run"]["threads"]) == (3, 2)
    comm = document["classes"][2]["comm"]
    assert comm["p2p"]["peers"] == [{"offset": 2, "messages": 3, "bytes": 30}]
    assert comm["p2p"]["sent_peers"] == [{"offset": 1, "messages": 2, "bytes": 17}]
    assert comm["collectives"] == {"MPI_Allreduce": {"count": 4, "bytes": 32}}
    assert "comm" not in document["classes"][3]
    read = parse_profile(document)
    assert parse_profile(as_document(read)).classes == read.classes


def test_references_that_cross_a_line_are_counted_once(tmp_path):
    document = profile_of(tmp_path, raw_record())
    (data,) = parse_profile(document).classes[0].data_reuse
    assert (data.line, data.references, data.split_references) == (64, 400, 0)
    assert "2 references cross the end of a line of 64 B; each counts for the line it begins in" in document["notes"]


def test_children_are_told_apart_and_a_lost_rank_is_said(tmp_path):
    folder = write_raw(
        tmp_path / "raw",
        raw_record(pid=1, start_ns=1),
        raw_record(pid=2, start_ns=2, forked=True),
        raw_record(pid=3, start_ns=3, parent_pid=1, program="tool"),
        raw_record(pid=4, start_ns=4, parent_pid=77),
    )
    kept, children = without_children(read_records(folder))
    assert ([one.pid for one in kept], [one.pid for one in children]) == ([1, 4], [2, 3])
    lost = profile_of(tmp_path / "..", raw_record(mpi=raw_mpi(1, 4), partial="ended by SIGTERM after 9 instructions"))
    assert "1 of 4 ranks left a record" in lost["notes"]
    assert lost["run"]["partial"] == "ended by SIGTERM after 9 instructions"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "dse-raw/2"}, '"dse-raw/1"'),
        ({"complete": False}, "was not written to its end"),
        ({"pid": -1}, "pid"),
        ({"threads": [raw_thread(instructions=0)]}, "no instrumented program ran: was it built with dse-cc?"),
        ({"threads": [raw_thread(instructions=1001)]}, "as many as instructions"),
        ({"threads": [raw_thread(mix={"load": 1})]}, "lacks store"),
    ],
)
def test_a_record_that_breaks_a_rule_is_refused(tmp_path, change, told):
    with pytest.raises(InputError, match=told):
        profile_of(tmp_path, raw_record(**change))


def test_ranks_of_two_runs_are_refused(tmp_path):
    with pytest.raises(InputError, match="rank 0 stands twice"):
        profile_of(tmp_path, raw_record(mpi=raw_mpi(0, 2)), raw_record(pid=5, mpi=raw_mpi(0, 2)))
    with pytest.raises(InputError, match="no such folder"):
        read_records(tmp_path / "absent")


def test_threads_that_are_alike_become_members_of_one_class(tmp_path):
    more = {**MIX, "load": 303, "reads": 1502}
    other = {**MIX, "load": 400}
    threads = [
        raw_thread(0),
        raw_thread(1),
        raw_thread(2, instructions=1003, mix=more, footprint_bytes=2562),
        raw_thread(3, instructions=1100, mix=other),
    ]
    document = profile_of(tmp_path, raw_record(threads=threads))
    joined = with_alike_joined(document)["classes"]
    assert [(one["name"], one.get("members", 1)) for one in joined] == [
        ("process 0 thread 0", 1),
        ("process 0 thread 1", 2),
        ("process 0 thread 3", 1),
    ]
    assert (joined[1]["mix"]["load"], joined[1]["instructions"]) == (301, 1001)
    assert (joined[1]["footprint_bytes"], joined[1]["registers"]["reads"]) == (2561, 1501)


def test_ranks_that_are_alike_keep_their_messages(tmp_path):
    records = [raw_record(pid=rank, start_ns=rank, mpi=raw_mpi(rank, 4)) for rank in range(3)]
    odd = raw_mpi(3, 4, sent_messages=1, sent_bytes=16, sizes=[[16, 1, 16]])
    odd["threads"]["0"]["collectives"] |= {"MPI_Bcast": {"count": 10, "bytes": 84}, "MPI_Barrier": {"count": 3}}
    joined = with_alike_joined(profile_of(tmp_path, *records, raw_record(pid=3, start_ns=3, mpi=odd)))
    (only,) = joined["classes"]
    assert only["members"] == 4
    assert only["comm"]["p2p"]["peers"] == [{"offset": 3, "messages": 3, "bytes": 30}]
    assert sum(held for _, _, held in only["comm"]["p2p"]["sizes"]) == only["comm"]["p2p"]["sent_bytes"]
    assert only["comm"]["collectives"] == {
        "MPI_Allreduce": {"count": 4, "bytes": 32},
        "MPI_Bcast": {"count": 2, "bytes": 21},  # of one rank in four
    }
    assert not math.isnan(only["branch"]["tool_miss_rate"])
