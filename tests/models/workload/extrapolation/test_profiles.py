"""Profiles from profiles: exact without noise, consistent with any, labelled, and refused with reasons."""

import copy
import itertools
import math

import numpy as np
import pytest
import synthetic_runs as synthetic
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.workload.extrapolation.metrics import metrics, name_of
from dse.models.workload.extrapolation.profiles import extrapolate
from dse.models.workload.extrapolation.rebuilding import class_document
from dse.models.workload.locality.summary import summary
from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.profile import CLASSES, PARTS
from dse.models.workload.profile.reading import parse_profile, read_profile, write_profile

RANKS = [(16, 16, processes) for processes in (2, 4, 8, 16, 32, 64)]
TARGET = {"processes": 512}


def changed(points=RANKS, **changes):
    """Run documents with values changed: keys are paths, values are functions of the point."""
    found = []
    for point in points:
        document = synthetic.run_document(*point)
        for path, value in changes.items():
            *outer, last = [int(part) if part.isdigit() else part for part in path.split("__")]
            holder = document
            for part in outer:
                holder = holder[part]
            given = value(*point)
            if given is None:
                del holder[last]
            else:
                holder[last] = given
        found.append(document)
    return found


def profiles(documents):
    return [parse_profile(document) for document in documents]


@pytest.fixture(scope="module")
def exact():
    return extrapolate(synthetic.runs(RANKS), TARGET)


def test_without_noise_it_is_the_profile_of_that_run(exact):
    found, true = exact.profile.only, parse_profile(synthetic.run_document(16, 16, 512)).only
    assert found.members == 512
    for name in (*CLASSES, *PARTS):
        assert found.mix[name] == pytest.approx(true.mix[name], rel=2e-3, abs=1), name
    assert found.ilp(54) == pytest.approx(true.ilp(54), rel=1e-3)
    assert found.comm.p2p.messages == pytest.approx(true.comm.p2p.messages, rel=1e-2)
    assert found.comm.p2p.bytes == true.comm.p2p.bytes
    assert found.footprint_bytes == true.footprint_bytes
    assert found.branch.entropy == ((0, 0.9), (8, 0.3))
    assert found.branch.events == true.branch.events


def test_it_is_labelled(exact, tmp_path):
    profile = exact.profile
    assert profile.name == "toy search, processes 512 (extrapolated)"
    assert profile.source.startswith("extrapolated from 6 profiles to a distance of processes 8; synthetic: laws of")
    assert profile.synthetic
    assert profile.application.parameters == {"scale": 16, "edge_factor": 16}
    assert profile.run.processes == 512
    (parameter,) = profile.extrapolation.parameters
    assert (parameter.smallest, parameter.largest, parameter.target, parameter.distance) == (2, 64, 512, 8)
    assert len(profile.extrapolation.profiles) == 6
    laws = {one.metric: one for one in profile.extrapolation.fits}
    assert laws["comm.p2p.bytes"].unit == "B"
    assert laws["comm.p2p.bytes"].law == "3.355e+07·processes^(-1)"
    assert laws["members"].value == pytest.approx(512)
    assert profile.warnings[0].startswith(
        "extrapolated from 6 profiles, not measured: processes = 512 (8 times the runs)"
    )
    again = read_profile(write_profile(profile, tmp_path / "p.json"))
    assert again == profile
    assert again.warnings == profile.warnings
    assert summary(again)["extrapolation"]["parameters"][0]["distance"] == 8


def test_extrapolated_profiles_of_measured_ones_are_not_synthetic():
    found = extrapolate(profiles(changed(synthetic=lambda *_: False)), TARGET, name="mine").profile
    assert not found.synthetic
    assert found.name == "mine"
    assert found.source.startswith("extrapolated")


def test_a_study_takes_it(exact, tmp_path):
    """The processor model runs on it, and the run tells where it comes from."""
    from dse.models.processor import predict

    machine = {
        **{"f_core_hz": 2.6e9, "cores": 14, "issue_width": 8, "dispatch_width": 4, "vector_bits": 256, "mshr": 10},
        **{"fu_int": 4, "fu_fp": 2, "fu_mem": 2, "fu_control": 2, "fu_vector": 2, "front_pipe": 7, "rob": 192},
        **{"t_int": 1, "t_int_mul": 3, "t_int_div": 18, "t_fp": 3, "t_fp_mul": 5, "t_fp_div": 10, "issue_queue": 54},
        "l1": {"size_bytes": 32768, "line_bytes": 64, "latency": 4},
        "l2": {"size_bytes": 262144, "line_bytes": 64, "latency": 12},
        "l3": {"size_bytes": 36700160, "line_bytes": 64, "latency": 36},
        **{"dram_latency": 217, "bw_l1_Bps": 160e9, "bw_l3_Bps": 40e9, "dram_bandwidth_Bps": 6.4e10},
    }
    with pytest.raises(InputError, match="no ILP of type 'mem'"):
        predict(exact.profile, machine, threads=1)  # the synthetic runs have no spans by type
    spans = {
        f"classes__0__ilp__0__span_{kind}": lambda *point: 1 + round(1e6 / point[2])
        for kind in ("mem", "int", "control")
    }
    typed = extrapolate(profiles(changed(**spans)), TARGET).profile
    assert typed.only.windows[0].spans == {"mem": 1954, "int": 1954, "control": 1954, "fp": 0}
    assert float(np.squeeze(predict(typed, machine, threads=1).cpi)) > 0


def test_distances_beyond_8_are_warned_about_and_may_be_refused():
    runs = synthetic.runs(RANKS)
    assert not [told for told in extrapolate(runs, TARGET).warnings if "beyond 8 times" in told]
    found = extrapolate(runs, {"processes": 1024})
    assert (
        "processes = 1024 is 16 times the largest run (64): beyond 8 times, laws that fit alike may part"
        in found.warnings
    )
    assert found.distances == {"processes": 16.0}
    with pytest.raises(
        InputError, match=r"processes = 1024 is 16 times the largest run \(64\); allowed: a distance of at most 12"
    ):
        extrapolate(runs, {"processes": 1024}, refuse_beyond=12)
    small = extrapolate(synthetic.runs([(16, 16, p) for p in (32, 64, 128, 256, 512)]), {"processes": 2})
    assert "processes = 2 is 16 times below the smallest run (32): beyond 8 times" in " ".join(small.warnings)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.05, 0.6), st.sampled_from([1, 300, 10**5]))
def test_any_noise_gives_a_valid_profile(seed, noise, target):
    """Laws of noise know nothing of one another, but the profile passes every check and its sums agree."""
    found = extrapolate(synthetic.runs(RANKS, noise=noise, seed=seed), {"processes": target}).profile.only
    assert sum(found.mix[name] for name in CLASSES) == found.instructions
    assert found.mix["int_mul"] + found.mix["int_div"] <= found.mix["int_arith"] <= found.mix["int"]
    _, hits = found.reuse(64).cumulative()
    assert (np.diff(hits) >= 0).all()
    assert 0 <= hits[0] <= hits[-1] <= 1
    assert found.members == target


@settings(max_examples=examples(60))
@given(st.data())
def test_any_metrics_give_a_valid_class(data):
    """From the metrics of a profile that has everything, each at random."""
    from dse.models.workload.profile.reuse import ReuseHistogram

    item = parse_profile(full_document()).only
    assert any(isinstance(one, ReuseHistogram) for one in item.data_reuse)
    values = {key: data.draw(st.floats(0, 2)) * max(value, 1e-3) for key, value in metrics(item).items()}
    values["mix", "load"] += 1.0
    document, _ = class_document(values, [item], name="any", members=3)
    checked_document({"schema": "dse-profile/1", "name": "any", "classes": [document]})


def full_document():
    """A profile that has every table."""
    mix = dict.fromkeys((*CLASSES, *PARTS), 1000) | {"int_mul": 300, "int_div": 200, "fp_mul": 400, "fp_div": 100}
    document = synthetic.run_document(10, 16, 4)
    document["classes"][0] |= {
        "mix": mix,
        "instructions": 8000,
        "vectors": [
            {"class": "load", "length": 4, "bits": 64, "count": 400},
            {"class": "load", "length": 2, "bits": 32, "count": 500},
            {"class": "int", "length": 2, "bits": 32, "count": 300},
            {"class": "int_arith", "length": 2, "bits": 32, "count": 200},
            {"class": "int_mul", "length": 2, "bits": 32, "count": 100},
        ],
        "ilp": [
            {"window": 16, "span": 4000, "span_mem": 900, "span_int": 800, "span_control": 700, "span_fp": 600},
            {"window": 64, "span": 2000, "span_mem": 500},
            {"window": "inf", "span": 1000},
            {"window": 64, "order": "in", "span": 5000, "printed": {"all": 1.6}},
        ],
        "data_reuse": [
            {"line_bytes": 64, "references": 2000, "histogram": [[0, 700], [1, 300], [4, 200], [16, 500]]},
            {"line_bytes": "address", "references": 2000, "printed": [[3, 0.5], [7, 0.75]]},
        ],
        "inst_reuse": [{"line_instructions": 16, "references": 8000, "histogram": [[0, 7000], [2, 900]]}],
        "branch": {
            "events": 1000,
            "conditional_only": True,
            "entropy": [[0, 0.9], [4, 0.5]],
            "linear_entropy": [[4, 0.4]],
            "max_outcome": [
                {"history": 4, "table": 1024, "rule": "shared", "miss_rate": 0.2},
                {"history": 8, "miss_rate": 0.1},
            ],
            "tool_miss_rate": 0.11,
        },
        "registers": {"reads": 1700, "writes": 700},
        "footprint_bytes": 4096,
        "heatmap": {"s_bytes": [-8, 0, 8], "t": [1, 2], "p": [[0.1, 0.5, 0.2], [0, 1, 0]]},
        "comm": {
            "p2p": {
                "messages": 4,
                "bytes": 64,
                "sent_messages": 4,
                "sent_bytes": 60,
                "pattern": "shift",
                "peers": [{"offset": 1, "messages": 4, "bytes": 64}],
            },
            "collectives": {"allreduce": {"count": 3, "bytes": 24}, "barrier": {"count": 1}},
        },
        "external_calls": {"printf": 1},
        "openmp_calls": {"parallel": 2},
    }
    return document


def test_the_metrics_of_a_profile_give_it_back():
    item = parse_profile(full_document()).only
    document, told = class_document(metrics(item), [item], name=item.name, members=item.members)
    again = parse_profile({"schema": "dse-profile/1", "name": "again", "classes": [document]}).only
    assert not told
    for name in (
        "instructions",
        "mix",
        "vectors",
        "branch",
        "registers",
        "footprint_bytes",
        "external_calls",
        "openmp_calls",
    ):
        assert getattr(again, name) == getattr(item, name), name
    assert again.comm.collectives == item.comm.collectives
    assert (again.comm.p2p.bytes, again.comm.p2p.sent_bytes, again.comm.p2p.pattern) == (64, 60, "shift")
    for order in ("ooo", "in"):
        assert again.ilp(64, order=order) == pytest.approx(item.ilp(64, order=order), rel=1e-3)
    assert again.windows[0].spans == item.windows[0].spans
    caches = 2.0 ** np.arange(8)
    np.testing.assert_allclose(again.reuse(64).hit_fraction(caches), item.reuse(64).hit_fraction(caches), atol=1e-3)
    np.testing.assert_allclose(again.inst_reuse[0].counts[:2], [7000, 0], atol=1)


def test_names_of_metrics():
    names = {name_of(key) for key in metrics(parse_profile(full_document()).only)}
    assert {
        "mix.load",
        "vectors.load.4x64",
        "ilp[16].mem",
        "ilp[inf]",
        "ilp[64, in order]",
        "data_reuse[64].beyond[4]",
        "data_reuse[address].references",
        "inst_reuse[16].first_touches",
        "branch.entropy[4]",
        "branch.max_outcome[4, 1024, shared]",
        "branch.max_outcome[8]",
        "branch.tool_miss_rate",
        "registers.reads",
        "footprint_bytes",
        "comm.p2p.sent_bytes",
        "comm.collectives.barrier.count",
        "external_calls.printf",
    } <= names


def test_what_has_no_law_is_told():
    documents = []
    for processes in (2, 4, 8, 16, 32):
        document = full_document()
        document["run"]["processes"] = document["classes"][0]["members"] = processes
        documents.append(document)
    del documents[3]["classes"][0]["registers"]
    found = extrapolate(profiles(documents), {"processes": 64})
    (told,) = [one for one in found.warnings if one.startswith("not extrapolated")]
    assert told == "not extrapolated: comm.p2p.peers, heatmap, ilp[…].printed, registers.reads, registers.writes"
    assert found.profile.only.registers is None
    assert found.profile.only.external_calls == {"printf": 1}


def test_parts_never_pass_their_whole():
    """Multiplications that grow faster than all arithmetic: at the target they are all of it, and it is said."""
    documents = changed(
        **{
            "classes__0__mix__int_arith": lambda *point: 400_000,
            "classes__0__mix__int_mul": lambda *point: 1000 * point[2],
        }
    )
    found = extrapolate(profiles(documents), {"processes": 4096})
    mix = found.profile.only.mix
    assert mix["int_mul"] <= mix["int_arith"] <= mix["int"]
    assert any(told.startswith("mix.int_mul: 4.096e+06 foretold") for told in found.warnings)


def test_classes_correspond():
    documents = changed()
    for document in documents:
        (worker,) = document["classes"]
        master = copy.deepcopy(worker) | {"name": "master", "members": 1, "role": "master"}
        worker["members"] -= 1
        document["classes"].append(master)
    found = extrapolate(profiles(documents), {"processes": 512}).profile
    assert [(item.name, item.members, item.role) for item in found.classes] == [
        ("worker", 511, "worker"),
        ("master", 1, "master"),
    ]
    renamed = copy.deepcopy(documents)
    renamed[2]["classes"].reverse()
    with pytest.raises(InputError, match="has its classes in another order: master, worker"):
        extrapolate(profiles(renamed), {"processes": 512})
    renamed[2]["classes"] = renamed[2]["classes"][:1]
    with pytest.raises(InputError, match=r"has 1 classes of processes where .* has 2; they must correspond"):
        extrapolate(profiles(renamed), {"processes": 512})
    renamed = copy.deepcopy(documents)
    renamed[2]["classes"][1]["role"] = "worker"
    with pytest.raises(InputError, match=r"class 'master' is a worker where .* has a master"):
        extrapolate(profiles(renamed), {"processes": 512})


def test_processes_are_gathered_first_when_asked():
    documents = []
    for _, _, processes in RANKS:
        document = synthetic.run_document(16, 16, processes)
        (worker,) = document["classes"]
        document["classes"] = [
            copy.deepcopy(worker) | {"name": f"rank {rank}", "members": 1} for rank in range(processes)
        ]
        documents.append(document)
    with pytest.raises(InputError, match=r"has 4 classes of processes where .* has 2"):
        extrapolate(profiles(documents), TARGET)
    found = extrapolate(profiles(documents), TARGET, threshold=0.05).profile
    assert (found.only.name, found.only.members) == ("worker 1", 512)
    plain = extrapolate(synthetic.runs(RANKS), TARGET).profile.only
    assert found.only.mix == plain.mix


def test_the_hint_to_logarithms():
    found = extrapolate(synthetic.runs([(scale, 16, 4) for scale in range(12, 18)]), {"scale": 20})
    assert any("if it is the binary logarithm of a size, say so (log2: scale)" in told for told in found.warnings)
    scaled = extrapolate(synthetic.runs([(scale, 16, 4) for scale in range(12, 18)]), {"scale": 20}, log2=["scale"])
    assert scaled.profile.only.comm.p2p.bytes == synthetic.message_bytes(20, 16, 4)
    assert scaled.profile.application.parameters["scale"] == 20


def test_progress_is_told():
    seen = []
    extrapolate(synthetic.runs(RANKS), TARGET, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))
    assert len({total for _, total in seen}) == 1


@pytest.mark.parametrize(
    ("points", "target", "told"),
    [
        (
            RANKS,
            {"proceses": 512},
            "target: 'proceses' is no parameter of these profiles; allowed: .*, threads; did you mean 'processes'",
        ),
        (RANKS, {}, "no target; allowed: scale=…, edge_factor=…, processes=…"),
        (
            RANKS,
            {"processes": 512, "scale": 17},
            "target.scale: scale is 16 in every profile, so nothing says how it matters; allowed: 16, or profiles",
        ),
        (RANKS[:4], TARGET, "4 runs with different parameters for a law of 1 parameter; allowed: at least 5"),
        (RANKS[:1], {"processes": 2}, "all have the values of the target, so there is nothing to extrapolate"),
        (RANKS, {"processes": math.nan}, "target: processes = nan; allowed: a finite number"),
        (RANKS, {"processes": 2.5}, "target: processes = 2.5; allowed: a whole number >= 1"),
        (RANKS, {"processes": 0}, "target: processes = 0; allowed: a whole number >= 1"),
        (
            [(scale, 16, processes) for scale, processes in itertools.product((14, 15, 16), (2, 4, 8))],
            TARGET,
            r"target: scale differs between the profiles \(14, 15, 16\); allowed: scale=…",
        ),
        ([], TARGET, "no profiles; allowed: at least five"),
    ],
    ids=range(10),
)
def test_bad_targets(points, target, told):
    with pytest.raises(InputError, match=told):
        extrapolate(synthetic.runs(points), target)


def test_bad_profiles():
    def other(*point):
        return "other" if point[2] == 8 else "toy search"

    with pytest.raises(InputError, match=r"is of the program 'other', .* of 'toy search'"):
        extrapolate(profiles(changed(application__name=other)), TARGET)
    missing = changed(run__processes=lambda *point: None if point[2] == 8 else point[2])
    with pytest.raises(InputError, match=r"synthetic run 16 16 8: run\.processes: is missing: every profile must have"):
        extrapolate(profiles(missing), TARGET)
    missing = changed(application__parameters__scale=lambda *point: None if point[2] == 8 else 16)
    with pytest.raises(InputError, match=r"synthetic run 16 16 8: application\.parameters\.scale: is missing"):
        extrapolate(profiles(missing), {**TARGET, "scale": 16})
    text = changed(application__parameters__scale=lambda *point: "big" if point[2] == 8 else 16)
    with pytest.raises(InputError, match=r"application\.parameters\.scale: 'big' is no number"):
        extrapolate(profiles(text), {**TARGET, "scale": 16})
    with pytest.raises(
        InputError, match=r"scale differs between the profiles \(16, big\); allowed: profiles of one input"
    ):
        extrapolate(profiles(text), TARGET)
    twice = changed(application__parameters__scale=lambda *point: 16)
    twice[0]["application"]["parameters"]["processes"] = 3
    with pytest.raises(InputError, match=r"run\.processes is 2, application\.parameters\.processes is 3"):
        extrapolate(profiles(twice), TARGET)
    mixed = changed(classes__0__branch__conditional_only=lambda *point: point[2] == 8)
    with pytest.raises(InputError, match=r"branch\.conditional_only is not the same in all profiles"):
        extrapolate(profiles(mixed), TARGET)
    with pytest.raises(InputError, match="log2: 'vertices' is no parameter of these profiles"):
        extrapolate(synthetic.runs(RANKS), TARGET, log2=["vertices"])


def test_counts_that_no_profile_holds_are_refused():
    steep = changed(classes__0__footprint_bytes=lambda *point: point[2] ** 2 * 10**12)
    with pytest.raises(InputError, match=r"footprint_bytes would be 1e\+24; allowed: at most 9223372036854775807"):
        extrapolate(profiles(steep), {"processes": 10**6})
