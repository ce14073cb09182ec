"""Variants: changed without editing, in folders of their own, equal to an edited study file, compared by designs."""

import contextlib
import hashlib
import io
import json
import os
import pickle
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from toy import PARTS, STUDY, edited

from dse import Run, Study
from dse.errors import InputError

CLOCK = '{ part = "parts.csv", where = { name = "%s" } }'
CHOICES = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    (
        "[search]",
        """[space.choices.network.torus]
use = { network = "torus" }
[space.choices.network.tree]
use = { network = "tree" }
[space.choices.node.idle]
set = { base_power = "50 W" }
[space.choices.node.busy]
axes = { base_power = { values = ["100 W", "200 W"] } }
[search]""",
    ),
)
PARTED = edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }'))
UNION = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    (
        "[search]",
        """[space.alternatives.ring]
use = { network = "torus" }
[space.alternatives.tree]
use = { network = "tree" }
[search]""",
    ),
)


def put(folder, name, text):
    (folder / name).write_text(text)
    return name


def frontier(folder):
    return (folder / "frontier.parquet").read_bytes()


SAME = {  # options, study, and what an editor would have written
    "a value of an axis": (["--set", "frequency=2 GHz"], STUDY, [('["1 GHz", "2 GHz"]', '["2 GHz"]')]),
    "a value an axis does not have": (
        ["--set", "nodes=24"],
        STUDY,
        [("{ powers_of_two = [1, 64] }", "{ values = [24] }")],
    ),
    "a parameter": (["--set", "work=3e12"], STUDY, [("work = 1e11", "work = 3e12")]),
    "an assumption": (["--set", "base_power=0.3 kW"], STUDY, [("work = 1e11", 'work = 1e11\nbase_power = "300 W"')]),
    "a limit": (["--where", "time <= 20 s"], STUDY, [('["power <= 20 kW"]', '["power <= 20 kW", "time <= 20 s"]')]),
    "without a limit": (["--without", "limit=power  <= 20 kW"], STUDY, [('constraints = ["power <= 20 kW"]\n', "")]),
    "another limit": (
        ["--without", "limit=power", "--where", "power <= 10 kW"],
        STUDY,
        [("power <= 20 kW", "power <= 10 kW")],
    ),
    "one more quantity": (["--also", "energy"], STUDY, [('["network_time"]', '["network_time", "energy"]')]),
    "other objectives": (
        ["--min", "energy", "--max", "network_time"],
        STUDY,
        [
            ('minimize = "time"', 'minimize = "energy"'),
            ('minimize = "power"', 'maximize = "network_time"'),
            ('["network_time"]', '["network_time", "time", "power"]'),
        ],
    ),
    "without a value": (
        ["--without", "nodes=4", "--without", "nodes=64"],
        STUDY,
        [("{ powers_of_two = [1, 64] }", "{ values = [1, 2, 8, 16, 32] }")],
    ),
    "without a value that has a unit": (
        ["--without", "frequency=1000 MHz"],
        STUDY,
        [('["1 GHz", "2 GHz"]', '["2 GHz"]')],
    ),
    "a part": (["--set", "clock=fast"], PARTED, [('"parts.csv"', '"parts.csv", where = { name = "fast" }')]),
    "without a part": (
        ["--without", "clock=fast"],
        PARTED,
        [('"parts.csv"', '"parts.csv", where = { name = "slow" }')],
    ),
    "without a member": (
        ["--without", "network=torus"],
        CHOICES,
        [('[space.choices.network.torus]\nuse = { network = "torus" }\n', "")],
    ),
    "without an alternative of choices": (
        ["--without", "alternative=tree idle"],
        CHOICES,
        [("[space.axes]", "[space]\nexclude = [\"network == 'tree' and node == 'idle'\"]\n[space.axes]")],
    ),
    "without an alternative": (
        ["--without", "alternative=ring"],
        UNION,
        [('[space.alternatives.ring]\nuse = { network = "torus" }\n', "")],
    ),
    "a value that is an axis here and an assumption there": (
        ["--set", "base_power=70 W"],
        edited(CHOICES, ('set = { base_power = "50 W" }', 'description = "as assumed"')),
        [('description = "as assumed"', 'set = { base_power = "70 W" }'), ('["100 W", "200 W"]', '["70 W"]')],
    ),
    "a part that one alternative has": (
        ["--set", "clock=fast"],
        edited(
            CHOICES,
            ('frequency = { values = ["1 GHz", "2 GHz"] }', ""),
            ('use = { network = "torus" }', f'use = {{ network = "torus" }}\naxes = {{ clock = {CLOCK % "slow"} }}'),
            ('use = { network = "tree" }', f'use = {{ network = "tree" }}\naxes = {{ clock = {CLOCK % "fast"} }}'),
        ),
        [("[space.axes]", "[space]\nexclude = [\"network == 'torus'\"]\n[space.axes]")],
    ),
    "a value of some alternatives": (
        ["--set", "base_power=70 W", "--without", "node=busy"],
        CHOICES,
        [
            ("50 W", "70 W"),
            ('[space.choices.node.busy]\naxes = { base_power = { values = ["100 W", "200 W"] } }\n', ""),
        ],
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_a_variant_has_the_frontier_of_an_edited_study(toy, dse, case):
    options, study, changes = SAME[case]
    put(toy, "toy.toml", study)
    put(toy, "edited.toml", edited(study, *changes))
    variant = dse.good("run", "toy.toml", *options, "--name", "v", "--json").json
    dse.good("run", "edited.toml", "--out", "edited")
    assert variant["folder"] == "runs/toy@v"
    assert frontier(toy / "runs/toy@v") == frontier(toy / "edited")
    assert (toy / "toy.toml").read_text() == study
    passed = dse.good("verify", "runs/toy@v", "--json").json  # from the text in the run folder
    assert passed["passed"]


def test_the_changes_are_the_name_and_the_origin(toy, dse):
    options = ["--set", "frequency=2 GHz", "--where", "power <= 10 kW", "--without", "nodes=4", "--also", "energy"]
    folder = toy / "runs/toy@frequency=2-GHz,power-le-10-kW,also-energy,without-nodes=4"
    made = dse.good("run", "toy.toml", *options, "--json").json
    content = {key: value for key, value in sorted(tomllib.loads(STUDY).items()) if key != "question"}
    origin = {
        "study": "toy",
        "sha256": hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest(),
        "variant": folder.name.removeprefix("toy@"),
        "changes": [
            '--set "frequency=2 GHz"',
            '--where "power <= 10 kW"',
            "--also energy",
            "--without nodes=4",
        ],
    }
    assert [p.name for p in (toy / "runs").iterdir()] == [folder.name]
    assert made["derived_from"] == json.loads((folder / "manifest.json").read_text())["derived_from"] == origin
    shown = dse.good("show", str(folder), "--json").json
    assert (shown["derived_from"], shown["name"]) == (origin, folder.name)
    assert f"\nderived from toy: {' '.join(origin['changes'])}\n" in dse.good("show", str(folder)).out
    dse.good("report", str(folder))
    assert "derived from toy: --set" in (folder / "report.html").read_text()
    assert dse.good("show", str(folder), "--json").json["changes"] == []
    put(toy, "toy.toml", STUDY + "# no content\n")
    assert dse.good("show", str(folder), "--json").json["changes"] == []
    put(toy, "toy.toml", edited(STUDY, ("1e11", "2e11")))
    assert dse.good("show", str(folder), "--json").json["changes"] == ["changed since the run: toy.toml"]


def test_the_study_itself_is_derived_from_nothing(toy, dse):
    assert dse.good("run", "toy.toml", "--json").json["derived_from"] is None
    assert "derived_from" not in json.loads((toy / "runs/toy/manifest.json").read_text())
    assert dse.good("show", "runs/toy", "--json").json["derived_from"] is None
    assert dse.good("check", "toy.toml", "--json").json["derived_from"] is None


def test_a_long_name_is_shortened(toy, dse):
    texts = [f"power <= {kilowatts}.125 kW" for kilowatts in range(10, 20)]
    folders = []
    for last in ("21 kW", "22 kW"):
        wanted = [option for text in [*texts, f"power <= {last}"] for option in ("--where", text)]
        folders.append(dse.good("run", "toy.toml", *wanted, "--json").json["folder"])
    assert len(set(folders)) == 2
    assert all(len(folder) == len("runs/toy@") + 60 for folder in folders)


def test_the_same_variant_is_not_searched_again(toy, dse, monkeypatch):
    options = ("toy.toml", "--set", "work=2e11", "--json")
    first = dse.good("run", *options).json
    before = {p: p.read_bytes() for p in (toy / "runs").rglob("*") if p.is_file()}

    def refuse(*_, **__):
        raise AssertionError("searched again")

    monkeypatch.setattr("dse.run.execute.execute.search", refuse)
    put(toy, "toy.toml", "# a comment\n" + STUDY)  # which is nothing a variant holds
    assert dse.good("run", *options).json == first
    assert {p: p.read_bytes() for p in (toy / "runs").rglob("*") if p.is_file()} == before


def test_other_content_is_refused_with_the_ways_out(toy, dse):
    dse.good("run", "toy.toml", "--set", "work=2e11", "--name", "more")
    before = frontier(toy / "runs/toy@more")
    told = (
        "error: runs/toy@more: the folder holds the finished run of a study that differs in: study; "
        "allowed: another --name or --out, or --fresh (keeps the old run in .old)\n"
    )
    changed = ("run", "toy.toml", "--set", "work=3e11", "--name", "more")
    assert dse(*changed) == (2, "", told)
    assert frontier(toy / "runs/toy@more") == before
    dse.good(*changed[:-1], "most")
    dse.good(*changed, "--out", "elsewhere")
    dse.good(*changed, "--fresh")
    assert sorted(p.name for p in (toy / "runs").iterdir()) == [".old", "toy@more", "toy@most"]
    assert frontier(toy / "runs/.old/toy@more-1") == before
    assert frontier(toy / "runs/toy@more") == frontier(toy / "runs/toy@most") == frontier(toy / "elsewhere")
    assert dse.good("verify", "runs/.old/toy@more-1").out


def test_commands_on_the_run_of_a_variant(toy, dse):
    dse.good("run", "toy.toml", "--without", "nodes=32", "--name", "v")
    explained = dse.good("explain", "runs/toy@v", "--design", "0", "--json").json
    assert explained["study"] == "toy@v"
    again = dse.good("pick", "runs/toy@v", "--min", "energy", "--json").json
    assert again["searched_again"]
    assert all(one["nodes"] != 32 for one in again["designs"])
    assert "passed" in dse.good("verify", "runs/toy@v", "--proofs").out


def test_variants_are_compared_by_what_their_designs_are(toy, dse):
    """Without the first value every design has another number; what left are the designs with that value alone."""
    dse.good("run", "toy.toml")
    dse.good("run", "toy.toml", "--without", "nodes=1", "--name", "a")
    dse.good("run", "toy.toml", "--without", "nodes=1", "--without", "frequency=2 GHz", "--name", "b")
    one = dse.good("compare", "runs/toy", "runs/toy@a", "--json").json
    whole = Run.load("runs/toy").frontier
    first = whole[whole["nodes"] == 1]
    changes = one["changes"]
    assert changes["left_count"] == len(first) == 2
    assert {(d["nodes"], d["frequency"]) for d in changes["left"]} == set(
        zip(first["nodes"], first["frequency"], strict=True)
    )
    # Two nodes at 1 GHz had been beaten by one at 2 GHz, which is as fast and draws less.
    assert [(d["nodes"], d["frequency"]) for d in changes["entered"]] == [(2, 1e9)]
    assert (changes["moved_count"], changes["stayed_count"]) == (0, len(whole) - 2)
    assert [run["derived_from"] and run["derived_from"]["changes"] for run in one["runs"]] == [
        None,
        ["--without nodes=1"],
    ]
    assert changes["study_diff"] == ["+space.axes.nodes.without = [1]"]
    text = dse.good("compare", "runs/toy@a", "runs/toy@b", "--full").out
    assert 'runs/toy@b: derived from toy: --without nodes=1 --without "frequency=2 GHz"\n' in text
    assert '  +space.axes.frequency.without = ["2 GHz"]\n' in text
    two = dse.good("compare", "runs/toy@a", "runs/toy@b", "--json").json["changes"]
    assert all(d["frequency"] == 2e9 for d in two["left"])
    assert all(d["frequency"] == 1e9 for d in two["entered"])


def test_check_and_evaluate_take_the_same_values(toy, dse):
    checked = dse.good("check", "toy.toml", "--set", "frequency=2 GHz", "--without", "nodes=4", "--json").json
    assert checked["designs"] == 6
    assert checked["derived_from"]["changes"] == ['--set "frequency=2 GHz"', "--without nodes=4"]
    assert not (toy / "runs").exists()
    made = dse.good("run", "toy.toml", "--set", "frequency=2 GHz", "--set", "nodes=24", "--json").json["frontier"]
    alone = dse.good("evaluate", "toy.toml", "--set", "frequency=2 GHz", "--set", "nodes=24", "--json").json
    assert [one["time"] for one in made] == [alone["values"]["time"]]


WRONG = [
    "--set frequncy=2",
    "--set frequency=2",
    "--set network=tree",
    "--set power=2",
    "--set work=-1",
    "--set nodes=1.5",
    "--set kind=a",
    "--set nodes",
    "--set nodes=",
    "--set nodes=1 --set nodes=2",
    "--set work@root=1",
    "--without nodes=3",
    "--without node=4",
    "--without limit=powr",
    "--without limit=power --without limit=power",
    "--without alternative=x",
    "--without nodes=16 --without nodes=16",
    "--set nodes=16 --without nodes=16",
    "--where power<=10",
    "--where powr<=1W",
    "--also nix",
    "--max nix",
    "--min time --max time",
    "--name a/b",
    "--name ..",
]


@pytest.mark.parametrize("options", WRONG)
def test_what_is_wrong_is_told_by_the_name_of_the_option(toy, dse, options):
    """In which words, stands in the screen `errors-what-if`."""
    refused = dse("check", "toy.toml", *options.split())
    assert (refused.code, refused.out) == (2, "")
    named = tuple(f"error: {word}" for word in options.split() if word.startswith("--"))
    assert refused.err.startswith(named)
    assert dse("run", "toy.toml", *options.split()) == refused
    assert not (toy / "runs").exists()


def test_what_is_wrong_about_choices_and_parts(toy, dse):
    """In which words, stands in the screens `errors-choices`, `errors-alternatives` and `errors-parts`."""
    put(toy, "toy.toml", CHOICES)

    def told(*options):
        result = dse("check", "toy.toml", *options)
        assert (result.code, result.out) == (2, "")
        return result.err.removeprefix("error: ").rstrip("\n")

    assert told("--without", "network=tre").startswith("--without network: ")
    assert told("--set", "network=tree").startswith("--set network: ")
    assert told("--without", "network=tree", "--without", "network=torus").startswith("--without network: ")
    assert told("--without", "alternative=tree buzy").startswith("--without alternative: ")
    put(toy, "toy.toml", UNION)
    both = ("--without", "alternative=ring", "--without", "alternative=tree")
    assert told(*both).startswith("--without alternative: ")
    put(toy, "toy.toml", PARTED)
    assert told("--set", "clock=fats").startswith("--set clock: ")
    assert told("--without", "clock=fats").startswith("--without clock: ")
    assert told("--set", "frequency=1 GHz").startswith("--set frequency: 'frequency' is a column of parts")


# ---- in Python -----------------------------------------------------------------------------------------------------


def test_with_gives_a_study(toy, dse):
    study = Study.load("toy.toml")
    variant = study.with_(
        set={"frequency": "2 GHz"}, where="power <= 10 kW", without={"nodes": [4, 64]}, also=["energy"]
    )
    assert isinstance(variant, Study)
    assert study.name == "toy"
    assert variant.space.size == 5
    told = ["--set", "frequency=2 GHz", "--where", "power <= 10 kW", "--without", "nodes=4", "--without", "nodes=64"]
    folder = dse.good("run", "toy.toml", *told, "--also", "energy", "--json").json["folder"]
    assert folder == f"runs/{variant.name}"
    assert variant.run().frontier.equals(Run.load(folder).frontier)
    assert (
        variant.run(folder).manifest.digest == Run.load(folder).manifest.digest
    )  # the same content: not searched again
    assert pickle.loads(pickle.dumps(variant)).derived_from == variant.derived_from


def test_a_variant_of_a_variant(toy):
    study = Study.load("toy.toml")
    twice = study.with_(set={"work": 2e11}, name="more").with_(without=[("nodes", 1)])
    assert twice.name == "toy@more+without-nodes=1"
    assert twice.derived_from.study == "toy"
    assert twice.derived_from.changes == ("--set work=200000000000.0", "--without nodes=1")
    assert twice.space.size == 12
    with pytest.raises(InputError, match="nothing is changed; allowed: a change, or a name for the variant"):
        study.with_()
    assert study.with_(name="same").run().frontier.equals(study.run().frontier)


def test_what_was_left_out_stays_out_in_a_variant_of_it(toy):
    twice = Study.load("toy.toml").with_(without={"nodes": 1}).with_(without={"nodes": 64})
    assert list(twice.space.products[0].axes[0].columns["nodes"]) == [2, 4, 8, 16, 32]
    again = Study.from_text(twice.text, folder=toy)
    assert list(again.space.products[0].axes[0].columns["nodes"]) == [2, 4, 8, 16, 32]


def test_the_text_of_a_study_without_a_file_keeps_the_order_of_its_axes(toy):
    """Designs are numbered by it, and a run is asked for its designs by number."""
    study = Study.load("toy.toml").edited(question="What?")
    again = Study.from_text(study.text, folder=toy)
    names = [[axis.name for axis in one.space.products[0].axes] for one in (study, again)]
    assert names == [["nodes", "frequency"]] * 2


def test_a_member_of_an_index_set_by_its_name(toy):
    sets = edited(STUDY, ("[set]\nwork = 1e11\n", "")) + (
        "[index.job.small]\nset = { work = 1e10 }\n[index.job.large]\nset = { work = 1e12 }\n"
    )
    sets = edited(sets, ('minimize = "time"', 'minimize = "time@large"'), ("power * time", "power * base_power"))
    sets = edited(sets, ('["network_time"]', '["network_time", "time@small"]'))
    put(toy, "toy.toml", sets)
    study = Study.load("toy.toml")
    assert study.with_(set={"work@large": 5e12}).document["index"]["job"]["large"]["set"]["work"] == 5e12
    with pytest.raises(InputError, match="every member has its own 'work'; allowed: work@small, work@large"):
        study.with_(set={"work": 5})


def test_the_commands_and_the_code_of_the_guide_run(tmp_path, dse):
    guide = (Path(__file__).parents[2] / "docs/guide/what-if.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", guide, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    whole = os.environ.get("DSE_EXAMPLES") == "all"
    for line in lines:
        command, *options = shlex.split(line, comments=True)[1:]
        flagship = any("exascale" in option for option in options) and not whole
        if not flagship:
            dse.good(command, *options)
        elif command == "run":
            dse.good("check", *options)
    runs = [line for line in lines if line.startswith("dse run ") and (whole or "exascale" not in line)]
    assert len(list((tmp_path / "runs").iterdir())) == len(runs) == (7 if whole else 5)
    (code,) = re.findall(r"^```python\n(.*?)^```", guide, flags=re.MULTILINE | re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "what-if.md", "exec"), {})
    assert printed.getvalue().startswith("hybrid-xeon-sp@small (")


def test_a_condition_on_what_tells_parts_apart_is_refused_with_the_way_out(toy, dse):
    put(toy, "parts.csv", PARTS)
    clock = ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }')
    put(toy, "toy.toml", edited(STUDY, clock))
    assert "--without clock=…" in dse("run", "toy.toml", "--where", "clock == 'slow'").err
    dse.good("run", "toy.toml")
    told = dse("pick", "runs/toy", "--knee", "--where", "clock == 'slow'").err
    assert "dse run toy.toml --without clock=…" in told
    assert dse("pick", "runs/toy", "--knee", "--where", "clok == 'slow'").err.startswith(
        "error: --where: unknown quantity"
    )


def test_a_folder_does_not_hide_a_study_that_comes_with_dse(toy, dse):
    (toy / "ska-correlator").mkdir()
    assert "960" in dse.good("check", "ska-correlator").out


def test_a_variant_says_what_is_not_known(tmp_path):
    study = Study.load("hybrid-arm-lb")
    own = study.document["uncertain"]
    name = next(iter(own))
    variant = study.with_(uncertain={name: "within 3 %", "frequency": "within 2 %"})
    assert variant.document["uncertain"][name]["within"] == "3 %"
    assert variant.document["uncertain"]["frequency"] == {"within": "2 %"}
    assert {
        name: variant.document["uncertain"][name] for name in own if name not in variant.document["uncertain"]
    } == {}
    assert variant.derived_from.changes == (
        f'--uncertain "{name}=within 3 %"',
        '--uncertain "frequency=within 2 %"',
    )
    assert study.document["uncertain"] is own  # the study stays as it is
    known = study.with_(uncertain={name: "none"})
    assert name not in known.document["uncertain"]
    written = Study.from_text(variant.to_toml())
    assert written.document["uncertain"] == variant.document["uncertain"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("run_tme", "within 5 %", "did you mean 'run_time'"),
        ("run_time", "about 5 %", 'allowed: "within 5 %"'),
        ("run_time", "within 5 W", "--uncertain run_time"),
        ("nodes_", "none", "says nothing of"),
    ],
)
def test_what_cannot_be_unknown_is_refused(name, text, said):
    with pytest.raises(InputError, match=re.escape(said)):
        Study.load("hybrid-arm-lb").with_(uncertain={name: text})
