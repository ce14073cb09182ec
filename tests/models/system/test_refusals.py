"""Machines that cannot be, as a user meets them: the command line says what is wrong and ends with 2."""

from __future__ import annotations

import pytest

from dse.cli.main import main

STUDY = """
name = "bad"
models = ["network", "system"]
{constraints}
[[objectives]]
minimize = "system_time"
[[objectives]]
minimize = "system_power"

[use]
topology = "{topology}"

[set]
node_link_bandwidth = "5 GB/s"
switch_link_bandwidth = "5 GB/s"
messages = {messages}
message_size = "4 KiB"
compute_time = "{compute}"
node_static_power = "40 W"
node_dynamic_power = "60 W"
{fixed}
{index}
[space.axes]
shape = {{ enumerate = "network.{topology}", given = {{ {given} }} }}
"""
GOOD = {"topology": "hyperx", "given": "nodes = 1024, radix = 64, dimensions = 2", "messages": "1000"}
GOOD |= {"compute": "0.2 s", "fixed": "", "index": "", "constraints": ""}


def run(tmp_path, monkeypatch, capsys, **changed):
    """Run the study on the command line; return its exit code and what it says, on one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text(STUDY.format(**{**GOOD, **changed}), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["run", "bad.toml"])
    said = capsys.readouterr()
    return ended.value.code, " ".join((said.out + said.err).split())


def test_the_study_itself_runs(tmp_path, monkeypatch, capsys):
    code, said = run(tmp_path, monkeypatch, capsys)
    assert code == 0
    assert "exact" in said


CLASSES = """
[index.process_class.root]
set = { processes = 4, compute_time = "1 s" }
[index.process_class.leaf]
set = { processes = 1000, compute_time = "0.2 s" }
"""


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (  # classes that do not fill the machine
            {"index": CLASSES, "compute": "0.1 s"},
            ["nothing depends on 'compute_time'", "set.compute_time"],
        ),
        (  # no shape of so many nodes: a prime number
            {"given": "nodes = 1021, radix = 64, dimensions = 2"},
            ["shape.given", "the options leave nothing to look at"],
        ),
        (  # shapes there are, but none with so few ports
            {"given": "nodes = 1024, radix = 8, dimensions = 2"},
            ["no shape is left", "more than 8 ports on a switch"],
        ),
        (
            {"topology": "torus", "given": "nodes = 1024, radix = 4, dimensions = 3"},
            ["no shape is left", "more than 4 ports on a switch"],
        ),
        ({"fixed": "nodes = 1000"}, ["'nodes' is computed by the models, so it cannot be set", "set.nodes"]),
        ({"messages": "-1"}, ["'messages' is -1", ">= 0", "set.messages"]),
        ({"compute": "0 s"}, ["'compute_time' is 0 s", "> 0 s"]),
        ({"compute": "3 W"}, ["set.compute_time"]),
        ({"fixed": "overlap_fraction = 1.5"}, ["'overlap_fraction' is 1.5", "<= 1"]),
        ({"fixed": "power_usage_effectiveness = 0.9"}, ["'power_usage_effectiveness' is 0.9", ">= 1"]),
        ({"fixed": 'message_overhead = "1 us"'}, ["nothing depends on 'message_overhead'"]),
    ],
)
def test_what_cannot_be(tmp_path, monkeypatch, capsys, changed, words):
    code, said = run(tmp_path, monkeypatch, capsys, **changed)
    assert code == 2, said
    assert "Traceback" not in said
    for word in words:
        assert word in said, said


def test_classes_that_do_not_fill_the_machine(tmp_path, monkeypatch, capsys):
    text = STUDY.replace('compute_time = "{compute}"\n', "")
    monkeypatch.setattr(f"{__name__}.STUDY", text)
    code, said = run(tmp_path, monkeypatch, capsys, index=CLASSES)
    assert code == 2, said
    assert "the classes have 1004 processes together, and the machine has 1024 nodes" in said
    assert "one process per node" in said


def test_a_limit_on_ports_that_no_shape_meets_is_an_answer(tmp_path, monkeypatch, capsys):
    """All designs are infeasible: no fault of the study, so the exit code is 1."""
    code, said = run(tmp_path, monkeypatch, capsys, constraints='constraints = ["radix <= 8"]')
    assert code == 1, said
    assert "radix <= 8" in said


def test_a_shape_that_cannot_be_built(tmp_path, monkeypatch, capsys):
    """Shapes given side by side instead of enumerated: five switches of a Slim Fly that is none."""
    monkeypatch.chdir(tmp_path)
    text = STUDY.format(**{**GOOD, "topology": "slim-fly", "fixed": "nodes_per_switch = 3"})
    start = text.index("shape =")
    (tmp_path / "bad.toml").write_text(text[:start] + "field_order = { values = [5, 6] }\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["run", "bad.toml"])
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert "field_order" in said.out + said.err or "q" in said.out + said.err
