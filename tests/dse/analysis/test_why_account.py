"""What decides, as `trust.json` keeps it: round trip, faults of a stranger's file, and what the page shows."""

import copy
import json
import math
from dataclasses import replace

import pytest

from dse import Study
from dse.analysis.why.why import decisive
from dse.analysis.why.why_account import WhyAccount, read_why, write_why
from dse.errors import RunFolderError
from dse.report.run_page.page import write_report
from dse.report.run_page.uncertainty_section import uncertainty_section
from dse.run.result.uncertainty_account import FILE, read_uncertainty, write_uncertainty

MODEL = '''"""Made-up machines."""
import numpy as np
from dse import parameter, quantity

nodes = parameter(unit="1", doc="Nodes", minimum=1, integer=True)
frequency = parameter(unit="Hz", doc="Clock", above=0)
detour = parameter(unit="1", doc="How much longer messages take", minimum=0)
idle = parameter(unit="W", doc="Power at rest", minimum=0)


@quantity(unit="s", source="invented")
def time(nodes, frequency, detour):
    """Time of the job."""
    return 4e9 / (nodes * frequency) + 0.02 * detour * np.sqrt(nodes)


@quantity(unit="W", source="invented")
def power(nodes, frequency, idle):
    """Power of the machine."""
    return nodes * (idle + 50 * (frequency / 1e9) ** 2)
'''

STUDY = """name = "made-up"
question = "Which?"
models = ["model.py"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[space.axes]
nodes = { values = [2, 4, 8, 16, 32] }
frequency = { values = ["1 GHz", "1.5 GHz", "2 GHz"] }

[space.alternatives.lean]
set = { detour = 1, idle = "5 W" }

[space.alternatives.rich]
set = { detour = 1.5, idle = "30 W" }
"""

UNCERTAIN = """
[uncertain]
idle = { within = "10 %", source = "invented" }

[trust]
draws = 20
cells = 4
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run in a folder, and what decides in its space."""
    folder = tmp_path_factory.mktemp("why")
    (folder / "model.py").write_text(MODEL)
    (folder / "made-up.toml").write_text(STUDY + UNCERTAIN)
    run = Study.load(folder / "made-up.toml").run(folder / "run")
    return run, decisive(run)


@pytest.fixture
def run(whole):
    yield whole[0]
    (whole[0].folder / FILE).unlink(missing_ok=True)


@pytest.fixture
def found(whole):
    return whole[1]


def section(run):
    return "\n".join(uncertainty_section(run))


def test_what_is_kept_is_what_is_read(run, found):
    assert read_why(run) is None
    assert found.absent, "an alternative is absent, or the test shows nothing"
    assert write_why(run, found) == run.folder / FILE
    assert read_why(run).as_dict() == found.as_dict()
    assert json.loads((run.folder / FILE).read_text())["why"] == found.as_dict()
    assert read_uncertainty(run) is None, "nothing is stored of how sure it is"


def test_each_command_keeps_what_the_other_wrote(run, found):
    write_why(run, found)
    told = run.trust()
    assert read_why(run).as_dict() == found.as_dict()
    assert read_uncertainty(run).certain == told.certain
    write_why(run, found)
    assert read_uncertainty(run).certain == told.certain
    text = section(run)
    assert "What decides" in text
    assert text.index("What decides") < text.index("What is not known")


def test_of_another_state_of_the_run_nothing_is_shown_or_kept(run, found):
    write_why(run, found)
    trust = run.trust()
    document = json.loads((run.folder / FILE).read_text())
    (run.folder / FILE).write_text(json.dumps({**document, "digest": "another"}))
    assert read_why(run) is None
    assert "tells what decides" in section(run)
    write_uncertainty(run, trust)
    assert "why" not in json.loads((run.folder / FILE).read_text())


def test_a_regret_without_a_number_is_kept(run, found):
    name, several = next(iter(found.membership.values.items()))
    value, own = next(iter(several.items()))
    odd = {**found.membership.values, name: {**several, value: {**own, "regret": math.inf}}}
    write_why(run, replace(found, membership=replace(found.membership, values=odd)))
    assert read_why(run).membership.values[name][value]["regret"] == math.inf


def test_what_could_not_be_read_again_is_not_written(run, found):
    odd = {"alternative": {"lean": {"share": math.nan, "regret": None, "exact": True}}}
    with pytest.raises(RunFolderError, match=r"membership\.values\.alternative\.lean\.share"):
        write_why(run, replace(found, membership=replace(found.membership, values=odd)))
    assert not (run.folder / FILE).exists()


def _effects(document):
    return next(iter(document["sensitivity"]["effects"].values()))


FAULTS = {
    "a list": lambda d: [],
    "a key too many": lambda d: d.update(more=1),
    "a key too few": lambda d: d.pop("membership"),
    "a text for a number": lambda d: next(iter(_effects(d)["time"].values())).update(main="<b>"),
    "other axes": lambda d: _effects(d)["time"].popitem(),
    "a control character": lambda d: d["absent"][0].update(part="\x1b[2Jgone"),
    "a long text": lambda d: d["absent"][0].update(part="x" * 2_001),
    "too many": lambda d: d.update(absent=d["absent"] * 2_001),
    "a share above 1": lambda d: d["membership"].update(near={"lean": 2.0}),
    "neither factor nor difference": lambda d: d["absent"][0]["single"]["time"].pop("factor"),
    "a design without a number": lambda d: d["absent"][0].update(named={"x": {}}),
    "a factor of no design": lambda d: d["absent"][0].update(design=None),
    "null": lambda d: d.update(absent=None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_file_are_refused_by_name(run, found, fault):
    document = copy.deepcopy(WhyAccount.of(found).as_dict())
    replaced = FAULTS[fault](document)
    document = replaced if fault == "a list" else document
    text = json.dumps({"digest": run.manifest.digest, "why": document})
    (run.folder / FILE).write_text(text)
    with pytest.raises(RunFolderError, match=r"trust\.json.*why.*damaged.*dse why") as error:
        read_why(run)
    assert len(str(error.value)) < 500
    with pytest.raises(RunFolderError):
        section(run)
    assert read_uncertainty(run) is None, "the other part of the file is not refused for it"
    write_why(run, found)
    assert read_why(run).as_dict() == found.as_dict(), "written again, it is whole"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"why": ' + "[" * 100_000, '{"why": NaN}'],
    ids=["nothing", "a list", "a half", "a deep one", "what is no number"],
)
def test_a_file_that_is_none_is_refused_and_written_again(run, found, text):
    (run.folder / FILE).write_text(text)
    with pytest.raises(RunFolderError, match="dse why"):
        read_why(run)
    write_why(run, found)
    assert read_why(run) is not None


def test_the_page_shows_effects_membership_and_each_absent_alternative(run, found):
    write_why(run, found)
    text = section(run)
    kind = found.values if found.logarithms.left_out else found.logarithms
    assert text.count('<table class="effects"') == sum(len(own) for own in kind.effects.values())
    largest = max(kind.effects["lean"]["time"].values(), key=lambda own: own["total"])
    assert f'class="total" style="width:{100 * min(largest["total"], 1):.2f}%"' in text
    assert f'class="n">{largest["main"]:.2f}</td><td class="n">{largest["total"]:.2f}</td>' in text
    for one in found.absent:
        line = next(line for line in text.split("<li>") if line.startswith(one.part))
        assert f"{one.distance['factor']:.4g} times better" in line
        for name, single in one.distance["single"].items():
            assert f"{name} {single['factor']:.4g} times better (design {single['design']})" in line
    assert "Designs within 10 % of the frontier" in text
    assert "dse why" not in text
    page = write_report(run).read_text(encoding="utf-8")
    assert "<h3>Why not</h3>" in page
    assert ".effect-bar" in page


def test_the_page_names_the_command_where_nothing_is_stored(run):
    assert f"<code>dse why {run.folder}</code> tells what decides" in section(run)


def test_texts_of_a_stranger_are_escaped(run, found):
    document = WhyAccount.of(found).as_dict()
    odd = "<script>alert(1)</script>"
    document["absent"][0]["part"] = odd
    document["absent"][0]["named"] = {"1": {odd: odd}}
    document["membership"]["left_out"] = {odd: odd}
    document["membership"]["values"][odd] = {odd: {"share": 1.0, "regret": None, "exact": True}}
    for kind in ("sensitivity", "sensitivity_of_logarithms"):
        effects = document[kind]["effects"]
        effects[odd] = {odd: {odd: {"main": 9e99, "total": 9e99}}}
        document[kind]["left_out"] = {odd: odd}
        document[kind]["between"] = {odd: 1.0}
    (run.folder / FILE).write_text(json.dumps({"digest": run.manifest.digest, "why": document}))
    text = section(run)
    assert "&lt;script&gt;" in text
    assert "<script>alert" not in text
    assert "width:100.00%" in text
