"""Profile files: what is read, what is written, and what is refused with which words."""

import json
import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_profiles import DOCUMENT, document

from dse.errors import InputError
from dse.models.workload.profile.profile import CLASSES, PARTS
from dse.models.workload.profile.reading import bundled_profiles, parse_profile, read_profile, write_profile


def test_everything_is_read():
    profile = parse_profile(DOCUMENT)
    assert (profile.name, profile.sources, profile.synthetic) == ("small", ("invented",), False)
    assert profile.application.parameters == {"scale": 3, "bench": "a", "fast": True}
    assert (profile.run.processes, profile.run.compiler) == (2, "")
    worker = profile.only
    assert worker is profile["worker"]
    assert (worker.count("mem"), worker.fraction("mem"), worker.fraction("int_div")) == (300, 0.3, 0.01)
    assert sum(worker.fraction(name) for name in CLASSES) == pytest.approx(1, abs=1e-15)
    assert set(worker.fractions()) == {"mem", *CLASSES, *PARTS}
    assert (worker.vector_count("mem"), worker.scalar_count("load"), worker.lanes("mem")) == (40, 160, 260 + 160)
    assert [w.window for w in worker.windows] == [16, 64, math.inf, 64]
    assert worker.windows[3].order == "in"
    assert worker.windows[3].spans == {}
    assert worker.branch.entropy == ((0, 0.9), (4, 0.5))
    assert worker.branch.max_outcome[0].miss_rate == 0.2
    assert worker.comm.collectives["barrier"].bytes is None
    assert worker.comm.p2p.peers[0].offset == 1
    assert worker.heatmap.p[1] == (0.0, 1.0, 0.0)
    assert worker.data_reuse[1].line is None
    assert worker.footprint_bytes == 4096


def test_a_written_profile_is_read_back(tmp_path):
    profile = parse_profile(DOCUMENT)
    file = write_profile(profile, tmp_path / "a.json")
    again = read_profile(file)
    assert again == profile
    assert len(again.sha256) == 64
    assert again.file == str(file)
    write_profile(again, tmp_path / "b.json")
    assert (tmp_path / "b.json").read_bytes() == file.read_bytes()


def test_absent_metrics_stay_absent(tmp_path):
    optional = ("vectors", "ilp", "data_reuse", "inst_reuse", "branch", "registers", "footprint_bytes", "heatmap")
    bare = document(**{f"classes__0__{key}": None for key in (*optional, "comm", "external_calls", "openmp_calls")})
    worker = parse_profile(bare).only
    assert (worker.branch, worker.registers, worker.footprint_bytes, worker.comm, worker.heatmap) == (None,) * 5
    written = json.loads(write_profile(parse_profile(bare), tmp_path / "bare.json").read_text())
    assert set(written["classes"][0]) == {"name", "members", "role", "instructions", "mix"}
    for ask in (lambda: worker.ilp(54), lambda: worker.reuse(64), lambda: worker.ilp_by_type(54)):
        with pytest.raises(InputError, match="the profile of 'worker' has no"):
            ask()


@given(
    st.lists(st.integers(0, 10**12), min_size=8, max_size=8).filter(any),
    st.lists(st.tuples(st.integers(1, 500), st.integers(1, 10**6)), max_size=5, unique_by=lambda pair: pair[0]),
    st.dictionaries(st.text(min_size=1, max_size=5), st.integers(0, 10**9), max_size=3),
    st.text(max_size=40),
)
def test_any_profile_survives_writing(tmp_path_factory, counts, histogram, calls, note):
    mix = dict(zip(CLASSES, counts, strict=True)) | dict.fromkeys(PARTS, 0)
    item = {"name": "x", "instructions": sum(counts), "mix": mix, "external_calls": calls}
    item["data_reuse"] = [{"line_bytes": 64, "references": 10**7, "histogram": sorted(map(list, histogram))}]
    profile = parse_profile({"schema": "dse-profile/1", "name": "any", "notes": note, "classes": [item]})
    file = tmp_path_factory.getbasetemp() / "any.json"
    assert read_profile(write_profile(profile, file)) == profile


def test_toml_is_the_same_tree(tmp_path):
    lines = [
        'schema = "dse-profile/1"',
        'name = "t"',
        "[[classes]]",
        'name = "x"',
        "instructions = 10",
        "[classes.mix]",
    ]
    lines += [f"{name} = {10 if name == 'int' else 0}" for name in (*CLASSES, *PARTS)]
    lines += ["[[classes.ilp]]", 'window = "inf"', "span = 5", "span_int = 4"]
    (tmp_path / "t.toml").write_text("\n".join(lines))
    profile = read_profile(tmp_path / "t.toml")
    (tmp_path / "t.json").write_text(json.dumps(tomllib.loads("\n".join(lines))))
    assert profile == read_profile(tmp_path / "t.json")
    assert profile.only.ilp(1e9) == 2.0


FAULTS = [
    ({"nmae": "x"}, "nmae: unknown key 'nmae' (value 'x'); allowed: schema, name, source, licence, notes, synthetic, "),
    ({"classes__0__mix__laod": 3}, "classes[0].mix.laod: unknown key 'laod' (value 3); allowed: load, store, "),
    ({"classes__0__mix__fp_mull": 3}, "; did you mean 'fp_mul'?"),
    ({"classes__0__comm__p2p__byts": 3}, "classes[0].comm.p2p.byts: unknown key 'byts' (value 3); allowed: messages, "),
    ({"classes__0__comm__collectives__allreduce__cuont": 1}, "; allowed: count, bytes; did you mean 'count'?"),
    ({"classes__0__ilp__0__span_memory": 3}, "classes[0].ilp[0].span_memory: unknown key 'span_memory' (value 3)"),
    ({"schema": "dse-profile/2"}, "schema: 'dse-profile/2' is not known; allowed: dse-profile/1"),
    ({"schema": None}, "schema: is missing; allowed: schema, name, "),
    ({"classes": {"a": 1}}, "classes: {'a': 1} is no list"),
    ({"synthetic": "yes"}, "synthetic: 'yes' is neither true nor false"),
    (
        {"classes__0__mix__load": 199},
        "classes[0].mix: load + store + addr + int + fp + control + vector_move + other is 999; ",
    ),
    ({"classes__0__mix__load": 199}, "allowed: 1000, as many as instructions"),
    ({"classes__0__mix__load": -1}, "classes[0].mix.load: -1; allowed: a whole number >= 0"),
    ({"classes__0__mix__load": 200.0}, "classes[0].mix.load: 200.0; allowed: a whole number >= 0"),
    ({"classes__0__mix__load": True}, "classes[0].mix.load: True; allowed: a whole number >= 0"),
    ({"classes__0__mix__load": 2**70}, "classes[0].mix.load: 1180591620717411303424; allowed: a whole number >= 0"),
    ({"classes__0__mix__int_arith": 301}, "classes[0].mix.int_arith: 301; allowed: at most 300, which is int"),
    ({"classes__0__mix__int_mul": 141}, "classes[0].mix.int_div: int_mul + int_div is 151; allowed: at most 150, "),
    (
        {"classes__0__mix__fp_div": 91},
        "classes[0].mix.fp_div: fp_mul + fp_div is 151; allowed: at most 150, which is fp",
    ),
    ({"classes__0__instructions": 0}, "classes[0].instructions: 0; allowed: a whole number >= 1"),
    ({"classes__0__members": 0}, "classes[0].members: 0; allowed: a whole number >= 1"),
    ({"classes__0__role": "slave"}, "classes[0].role: 'slave' is not known; allowed: worker, master"),
    (
        {"classes__0__vectors__0__count": 201},
        "classes[0].vectors: class load sums to 201; allowed: at most 200, which is mix.load",
    ),
    ({"classes__0__vectors__0__length": 3}, "classes[0].vectors[0].length: 3 is not known; allowed: 2, 4, 8, 16"),
    (
        {"classes__0__vectors__0__class": "mem"},
        "classes[0].vectors[0].class: 'mem' is not known; allowed: load, store, ",
    ),
    (
        {"classes__0__vectors__2__count": 31},
        "classes[0].vectors[2].count: 31; allowed: at most 30, which is the count of int 2 x 32",
    ),
    (
        {"classes__0__vectors__1": {"class": "load", "length": 4, "bits": 64, "count": 1}},
        "classes[0].vectors[1]: load 4 x 64 stands twice",
    ),
    ({"classes__0__ilp__0__span": 1001}, "classes[0].ilp[0].span: 1001; allowed: at most 1000, which is instructions"),
    ({"classes__0__ilp__0__span": 0}, "classes[0].ilp[0].span: 0; allowed: a whole number >= 1"),
    (
        {"classes__0__ilp__0__span_mem": 301},
        "classes[0].ilp[0].span_mem: 301; allowed: at most 300, which is load + store",
    ),
    (
        {"classes__0__ilp__0__span_int": 401},
        "classes[0].ilp[0].span_int: 401; allowed: at most 400, which is int + addr",
    ),
    ({"classes__0__ilp__0__span_fp": 0}, "classes[0].ilp[0].span_fp: 0; allowed: >= 1, as there are 150 of fp"),
    (
        {"classes__0__ilp__0__window": "all"},
        "classes[0].ilp[0].window: 'all'; allowed: a whole number >= 1, or \"inf\"",
    ),
    ({"classes__0__ilp__0__window": 0}, 'classes[0].ilp[0].window: 0; allowed: a whole number >= 1, or "inf"'),
    ({"classes__0__ilp__0__window": 64}, "classes[0].ilp[1].window: 64 stands twice with order ooo"),
    ({"classes__0__ilp__0__order": "io"}, "classes[0].ilp[0].order: 'io' is not known; allowed: ooo, in"),
    (
        {"classes__0__data_reuse__0__references": 279},
        "classes[0].data_reuse[0].histogram: sums to 280; allowed: at most 279, which is references",
    ),
    (
        {"classes__0__data_reuse__0__histogram": [[0, 1], [0, 2]]},
        "classes[0].data_reuse[0].histogram[1]: 0 after 0; allowed: distances that rise",
    ),
    (
        {"classes__0__data_reuse__0__histogram": [[0, -1]]},
        "classes[0].data_reuse[0].histogram[0]: [0, -1]; allowed: [upper distance, count], ",
    ),
    (
        {"classes__0__data_reuse__0__histogram": [[0, 1, 2]]},
        "classes[0].data_reuse[0].histogram[0]: [0, 1, 2]; allowed: ",
    ),
    ({"classes__0__data_reuse__0__histogram": None}, "classes[0].data_reuse[0]: has neither histogram nor printed"),
    (
        {"classes__0__data_reuse__0__printed": [[0, 0.5]]},
        "classes[0].data_reuse[0].printed: has other distances than the histogram",
    ),
    (
        {"classes__0__data_reuse__1__printed": [[3, 0.5], [7, 0.4]]},
        "classes[0].data_reuse[1].printed[1]: 0.4 after 0.5; allowed: no falling",
    ),
    (
        {"classes__0__data_reuse__1__printed": [[3, 1.5]]},
        "classes[0].data_reuse[1].printed[0]: [3, 1.5]; allowed: [whole number >= 0, number from 0 to 1]",
    ),
    ({"classes__0__data_reuse__1__line_bytes": 64}, "classes[0].data_reuse[1].line_bytes: 64 stands twice"),
    (
        {"classes__0__data_reuse__0__line_bytes": "inf"},
        "classes[0].data_reuse[0].line_bytes: 'inf'; allowed: a whole number >= 1, or \"address\"",
    ),
    (
        {"classes__0__branch__entropy": [[0, 1.1]]},
        "classes[0].branch.entropy[0]: [0, 1.1]; allowed: [whole number >= 0, number from 0 to 1]",
    ),
    (
        {"classes__0__branch__entropy": [[2, 0.9], [1, 0.8]]},
        "classes[0].branch.entropy[1]: 1 after 2; allowed: histories that rise",
    ),
    (
        {"classes__0__branch__tool_miss_rate": -0.1},
        "classes[0].branch.tool_miss_rate: -0.1; allowed: a number from 0 to 1",
    ),
    (
        {"classes__0__branch__max_outcome__0__miss_rate": 2},
        "classes[0].branch.max_outcome[0].miss_rate: 2; allowed: a number from 0 to 1",
    ),
    (
        {"classes__0__heatmap__p": [[0.1, 0.5, 0.2], [0, 2, 0]]},
        "classes[0].heatmap.p[1][1]: 2; allowed: a number from 0 to 1",
    ),
    (
        {"classes__0__heatmap__p": [[0.1, 0.5, 0.2]]},
        "classes[0].heatmap.p: has 1 rows of 3; allowed: 2 rows (t) of 3 (s_bytes)",
    ),
    (
        {"application__parameters__scale": [1]},
        "application.parameters.scale: [1]; allowed: a number, a text, true or false",
    ),
    ({"run__processes": 0}, "run.processes: 0; allowed: a whole number >= 1"),
    ({"name": ""}, "name: ''; allowed: 1 to 200 characters on one line, none of them a control character"),
    ({"name": "\x1b[31mred"}, "name: '\\x1b[31mred'; allowed: 1 to 200 characters on one line"),
    ({"classes__0__name": "two\nlines"}, "classes[0].name: 'two\\nlines'; allowed: 1 to 200 characters on one line"),
    ({"source": "a\x07bell"}, "source: 'a\\x07bell'; allowed: a text without control characters"),
    ({"classes": []}, "classes: [] is empty; allowed: a list of at least 1"),
]


@pytest.mark.parametrize(("changes", "told"), FAULTS, ids=range(len(FAULTS)))
def test_faults(tmp_path, changes, told):
    (tmp_path / "bad.json").write_text(json.dumps(document(**changes)))
    with pytest.raises(InputError) as caught:
        read_profile(tmp_path / "bad.json")
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.json'}: ")


def test_two_classes_of_one_name():
    twice = document()
    twice["classes"] *= 2
    with pytest.raises(InputError, match=r"classes\[1\].name: worker stands twice"):
        parse_profile(twice)


TEXTS = {
    "": "is not valid JSON",
    "[1]": "is no table of keys but [1]",
    "{": "is not valid JSON",
    '{"a": NaN}': "NaN is no number",
    '{"a": 1, "a": 2}': "the key 'a' stands twice in one table",
    "[" * 100_000: "is nested too deeply",
    '{"a": ' + "9" * 5000 + "}": "is not valid JSON: a whole number of thousands of digits",
    "\udcff": "is not UTF-8 text (byte 0)",
}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_files_that_are_no_documents(tmp_path, text):
    (tmp_path / "x.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        read_profile(tmp_path / "x.json")
    assert TEXTS[text] in str(caught.value)


@pytest.mark.parametrize(("name", "written"), [("main.json", "main-profile.json"), ("main.pisa", "main.json")])
def test_a_file_of_the_pisa_tool_is_told_how_to_become_a_profile(tmp_path, name, written):
    file = tmp_path / name
    file.write_text(json.dumps({"application": "a", "threads": [{"instructionMix": {}}]}))
    with pytest.raises(InputError) as caught:
        read_profile(file)
    assert str(caught.value) == (
        f"{file}: is a file of the PISA tool, no profile; allowed: a profile; "
        f"one is made of it by: dse profile import {file} {tmp_path / written}"
    )


def test_a_number_of_200000_digits(tmp_path):
    for name, text, kind in (("x.toml", "a = " + "1" * 200_000, "TOML"), ("x.json", "1" * 200_000, "JSON")):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError) as caught:
            read_profile(tmp_path / name)
        told = f"is not valid {kind}: a whole number of thousands of digits"
        assert str(caught.value) == f"{tmp_path / name}: {told}"


def test_files_that_are_not_there(tmp_path):
    write_profile(parse_profile(DOCUMENT), tmp_path / "small.json")
    with pytest.raises(InputError, match=r"no such file .*; did you mean '.*small.json'\?"):
        read_profile(tmp_path / "smal.json")
    with pytest.raises(InputError, match=r"'graph500-seq-crs' is no profile; .*; did you mean 'graph500-seq-csr'\?"):
        read_profile("graph500-seq-crs")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match=r"cannot be read"):
        read_profile(tmp_path / "folder.json")
    with pytest.raises(InputError, match=r"does not end in \.json"):
        write_profile(parse_profile(DOCUMENT), tmp_path / "x.toml")
    with pytest.raises(InputError, match=r"cannot be written"):
        write_profile(parse_profile(DOCUMENT), tmp_path / "none" / "x.json")


def test_unknown_keys_may_be_left_out(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(document(colour="red", classes__0__mix__extra=5)))
    profile = read_profile(tmp_path / "x.json", strict=False)
    assert profile == parse_profile(DOCUMENT)
    assert sorted(profile.warnings) == ["classes[0].mix.extra: unknown key left out", "colour: unknown key left out"]
    (tmp_path / "x.json").write_text(json.dumps(document(colour="red", classes__0__mix__load=5)))
    with pytest.raises(InputError, match=r"classes\[0\].mix: "):
        read_profile(tmp_path / "x.json", strict=False)


def test_wrong_names_of_classes():
    profile = parse_profile(DOCUMENT)
    with pytest.raises(InputError, match=r"has no class 'wroker'; allowed: worker; did you mean 'worker'\?"):
        profile["wroker"]
    with pytest.raises(InputError, match=r"unknown class of instructions 'stores'; .*did you mean 'store'\?"):
        profile.only.count("stores")
    two = document()
    two["classes"] = [two["classes"][0], {**two["classes"][0], "name": "other"}]
    with pytest.raises(InputError, match="has 2 classes; name one; allowed: worker, other"):
        _ = parse_profile(two).only


def test_profiles_of_the_project():
    names = bundled_profiles()
    assert {"graph500-seq-csr", "graph500-seq-list"} <= set(names)
    for name in names:
        profile = read_profile(name)
        assert profile.synthetic == name.startswith("synthetic-") == profile.source.startswith("synthetic")
        assert profile.synthetic or "IBM" in profile.source
        profile.only.ilp(54)
        profile.only.ilp_by_type(54)
        assert 0 < profile.only.reuse(64).hit_fraction(512) < 1
