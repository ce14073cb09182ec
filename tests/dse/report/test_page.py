"""The page of a run: one file, which says everything, needs nothing and lets no text of the study through as HTML."""

import base64
import dataclasses
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from dse.api import Run
from dse.errors import InputError, RunFolderError
from dse.report.html.tags import tag
from dse.report.run_page.page import write_report

VOID = {"meta", "br", "img", "link", "input", "hr", "wbr"}


class Page(HTMLParser):
    """The elements and texts of a page."""

    def __init__(self, file):
        super().__init__(convert_charrefs=True)
        self.source = file.read_text(encoding="utf-8")
        self.open, self.elements, self.texts, self.scripts = [], [], [], []
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)
        if name == "script":
            self.scripts.append((dict(attributes), []))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1].append(data)
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"[\s\u00a0\u202f]+", " ", " ".join(self.texts))

    def script(self, number):
        return "".join(self.scripts[number][1])

    @property
    def data(self):
        return json.loads(self.script(0))


@pytest.fixture(scope="module")
def correlator(runs):
    return Page(write_report(runs("ska-correlator")))


@pytest.fixture(scope="module")
def xeon(runs):
    return Page(write_report(runs("hybrid-xeon-sp")))


@pytest.fixture(scope="module")
def hostile(make_run, tmp_path_factory):
    return Page(write_report(make_run(), tmp_path_factory.mktemp("pages") / "hostile.html"))


# ---- what it says ---------------------------------------------------------------------------------------------------


def test_answer(correlator):
    """One sentence, and a table with the best design of each objective: figures, and what was chosen."""
    text = re.sub(r"\s+([,;])", r"\1", correlator.text)
    assert "Of 960 designs 5 are on the frontier; it is exact." in text
    (low,) = re.findall(r"lowest node power A1 and 3 equal, design 842 ([\d. ]+)", text)
    assert low.split()[:2] == ["256.8", "4.208"]
    (best,) = re.findall(r"lowest total power, knee A5, design 239 ([\d. ]+)", text)
    assert best.split()[1] == "3.453"
    for told in (
        "arm-4-channels, core type ARM, frequency 3.2 GHz, l3 bandwidth 120 GB/s, dram bandwidth 120 GB/s lowest",
        "haswell-8-channels, core type Haswell, frequency 4 GHz, l3 bandwidth 160 GB/s, dram bandwidth 160 GB/s",
        "all: cores 96",  # what both have is said once
    ):
        assert told in text


def test_account(correlator, runs):
    """Certificate, space, assumptions, sources, versions, seed and hashes are all there."""
    manifest = runs("ska-correlator").manifest.as_dict()
    for told in (
        manifest["question"],
        manifest["source"],
        "Yes: each of the 960 designs was evaluated or excluded by a proven bound",
        "exhaustive: every design is evaluated",
        "Feasible 36 (3.75 %)",
        "run_time <= 0.52 s : 924 designs",
        manifest["certificate"]["ties"],
        manifest["certificate"]["reason"],
        "haswell-8-channels: 320 designs; channels = 8",
        "total_channels 65 536 Channels to correlate Anghel 2017, Section 7.1.3: 512 subbands of 128 channels",
        "reduced-order form fitted to Anghel 2017",
        f"numpy {manifest['versions']['numpy']}",
        "Seed 0",
        *manifest["hashes"].values(),
    ):
        assert told in correlator.text
    assert "constraint_0" not in correlator.text
    assert manifest["study_text"] in "".join(correlator.texts)


def test_components_and_extrapolation(xeon):
    for told in (
        "network_wait pollaczek-khinchine default",
        "9 of 13 on the frontier: outside the range a model was validated on",
        "the study has no constraints",
    ):
        assert told in xeon.text
    assert "SYNTHETIC DATA Not measured, so no result to quote: hybrid/baselines.csv" in xeon.text
    assert xeon.data["extrapolated"]["texts"] == ["", "nodes"]


def test_nothing_feasible(make_run, tmp_path):
    """Which constraint rejects how many stands before the designs."""
    run = make_run(constraints=["power <= 1 W", "time <= 0.5 ms"])
    found = Page(write_report(run, tmp_path / "empty.html"))
    assert "None of the 8 designs meets all constraints." in found.text
    assert "power <= 1 W : 8 designs time <= 0.5 ms : 2 designs" in found.text
    assert found.data["rows"] == {"drawn": 8, "frontier": 0, "details": 8}


def test_the_account_is_folded_with_a_table_of_contents(correlator):
    """Each link leads to a part that is closed; decisions stand before the plot, the answer in words after it."""
    parts = {a["id"]: a for n, a in correlator.elements if n == "details" and a.get("class") == "part"}
    assert list(parts) == ["trust", "space", "basis", "run"]
    assert not any("open" in attributes for attributes in parts.values())
    links = [a["href"] for n, a in correlator.elements if n == "a"]
    assert links == ["#more-words", *(f"#{name}" for name in parts)]
    texts = ('id="decision"', 'id="plot"', 'class="words"', 'id="short"', 'id="trust"')
    places = [correlator.source.index(text) for text in texts]
    assert places == sorted(places)


def test_what_was_not_counted_is_no_headline(runs, tmp_path):
    run = runs("ska-correlator")
    certificate = dataclasses.replace(run.manifest.certificate, feasible=None, infeasible=None)
    uncounted = type(run)(run.frontier, run.manifest.model_copy(update={"certificate": certificate}), study=run.study)
    found = Page(write_report(uncounted, tmp_path / "page.html"))
    assert "meet all constraints" not in found.text
    assert "Feasible not counted: bounds exclude designs" in found.text


def test_no_designs_at_all(make_run, tmp_path, monkeypatch):
    """An empty frontier and no sample: no plot, no script, a small page."""

    def gone(self):
        raise RunFolderError("changed since the run")

    run = make_run(constraints=["power <= 1 W"])
    monkeypatch.setattr(type(run), "sample", property(gone))
    found = Page(write_report(run, tmp_path / "empty.html"))
    assert not any(attributes.get("id") == "plot" for _, attributes in found.elements)
    assert "script-src 'none'" in found.source
    assert len(found.source) < 44_000


def test_not_exact_and_not_counted(make_run, tmp_path):
    """A search that looked at part of the space is never called the frontier."""
    run = make_run()
    certificate = replace(run.manifest.certificate, exact=False, feasible=None, infeasible=None)
    certificate = replace(certificate, method="evolutionary", warnings=("stopped <early>",))
    other = Run(run.frontier, run.manifest.model_copy(update={"certificate": certificate}), sample=run.sample)
    found = Page(write_report(other, tmp_path / "page.html"))
    for told in (
        f"Of 8 designs {len(run.frontier)} are the best found; others may beat them: no bound is known.",
        "No: these are the best designs found",
        "stopped <early>",
        "not counted",
    ):
        assert told in found.text
    assert "The frontier" not in found.text


# ---- where it goes --------------------------------------------------------------------------------------------------


def test_default_path_is_in_the_run_folder(runs):
    run = runs("ska-correlator")
    assert write_report(run) == run.folder / "report.html"
    again = Run.load(run.folder)
    assert write_report(again, run.folder / "again.html").stat().st_size > 0.8e6


def test_path_is_needed_in_memory(make_run):
    with pytest.raises(InputError, match="the run is not in a folder, so the page needs a path"):
        write_report(make_run())


def test_path_that_cannot_be_written(make_run, tmp_path):
    with pytest.raises(RunFolderError, match="cannot be written: Is a directory"):
        write_report(make_run(), tmp_path)


# ---- self-contained and safe ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["correlator", "xeon", "hostile"])
def test_needs_no_network(name, request):
    """No element loads anything, and the policy forbids what a script might try."""
    found = request.getfixturevalue(name)
    assert len(found.source.encode()) < 6e6
    for element, attributes in found.elements:
        if element == "a":  # leads to a part of this page
            assert attributes.pop("href").startswith("#")
        assert element not in ("img", "link", "iframe", "object", "embed", "base", "form", "svg", "image")
        assert not {"src", "href", "srcset", "action", "style"} & set(attributes), (element, attributes)
        assert not any(key.startswith("on") for key in attributes)
    style = found.source.split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    policy = next(a["content"] for n, a in found.elements if n == "meta" and a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "http" not in policy
    draw = found.script(1)
    assert "showSendToCloud: false" in draw
    assert 'plotlyServerURL: ""' in draw
    assert "innerHTML" not in draw
    assert "eval" not in draw


@pytest.mark.parametrize("name", ["correlator", "hostile"])
def test_policy_allows_exactly_our_scripts(name, request):
    """The script of the page, and plotly as it is after unpacking."""
    found = request.getfixturevalue(name)
    policy = next(a["content"] for n, a in found.elements if n == "meta" and a.get("http-equiv"))
    allowed = re.findall(r"'sha256-([^']+)'", policy)
    assert [attributes.get("type") for attributes, _ in found.scripts] == ["application/json", None, "text/plain"]
    plotly = gzip.decompress(base64.b64decode(found.script(2)))
    assert b"plotly.js (basic" in plotly[:200]
    digests = [hashlib.sha256(script).digest() for script in (found.script(1).encode(), plotly)]
    assert [base64.b64encode(digest).decode() for digest in digests] == allowed
    assert "unsafe-eval" not in policy
    assert "blob:" not in policy.split("script-src")[1].split(";")[0]


def test_answer_comes_first_and_plotly_last(correlator):
    source = correlator.source
    places = [
        source.index(part)
        for part in (
            'class="answer"',
            'id="decision"',
            'id="plot"',
            'id="short-legend"',
            "How far it can",
            'id="data"',
            'id="plotly"',
        )
    ]
    assert places == sorted(places)


def test_hostile_texts_are_only_text(hostile):
    """What looks like markup in the study is read back as text, in the page and in the embedded figure."""
    assert not any(name in ("b", "img") and attributes for name, attributes in hostile.elements)
    for told in (
        "<script>alert(1)</script> or </script><!--<script>",
        "&amp; $plotly ${title}?",
        "part <script>alert(1)</script>",
        "parts & <b>.csv",
        "<img src=https://evil.example/x.png onerror=alert(2)>",
    ):
        assert told in hostile.text
    own = [content for attributes, content in hostile.scripts if "type" not in attributes]
    assert not any("alert(" in "".join(content) for content in own)


def test_embedded_data(hostile):
    """The JSON holds no character that could end the script or a line of it, and is whole."""
    text = hostile.script(0)
    assert not re.search("[<>&\u2028\u2029]", text)
    data = json.loads(text)
    assert "<script>alert(1)</script>" in next(axis["texts"] for axis in data["axes"] if axis["name"] == "part")


def test_escaping_is_the_default():
    assert tag("td", "<b>", tag("i", "&"), data_v='"><x>') == (
        '<td data-v="&quot;&gt;&lt;x&gt;">&lt;b&gt;<i>&amp;</i></td>'
    )
