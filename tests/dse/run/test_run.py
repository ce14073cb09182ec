"""What a run says of itself."""

import json
import tomllib
import types

import numpy as np
import pandas as pd
import pytest
from toy import MODEL, STUDY, edited

from dse import Run, Study
from dse.errors import InputError, ModelError, RunFolderError


def test_the_frontier_has_units(toy):
    run = Study.load("toy.toml").run("out")
    units = {"design": "1", "nodes": "1", "frequency": "Hz", "time": "s", "power": "W", "network_time": "s"}
    assert run.frontier.attrs["units"] == units
    loaded = Run.load("out")
    assert loaded.frontier.attrs["units"] == units
    assert list(loaded.frontier.columns) == [*units, "extrapolated"]
    assert loaded.frontier.equals(run.frontier)
    assert loaded.manifest.as_dict() == json.loads((toy / "out/manifest.json").read_text())
    assert (loaded.name, loaded.exact, loaded.folder.name) == ("toy", True, "out")
    assert pd.read_parquet("out/frontier.parquet").equals(run.frontier)


def test_repr(toy):
    text = repr(Study.load("toy.toml").run())
    first, *rest = text.split("\n")
    assert first == "<Run of 'toy'>  exact, 2 objectives (time min, power min)"
    assert rest[0] == "space      14 designs"
    assert [line.split()[0] for line in rest] == ["space", "rejected", "front"]
    assert "SYNTHETIC  hybrid/baselines.csv" in repr(Study.load("hybrid-xeon-sp").run())
    text = repr(Study.from_text(edited(STUDY, ("20 kW", "1 W")), folder=toy).run())
    assert "rejected   14  (power <= 1 W: 14)" in text
    assert "front      0" in text


def test_what_is_outside_the_range_of_a_model(toy):
    frontier = Study.load("toy.toml").run().frontier
    assert (frontier.loc[frontier["nodes"] > 32, "extrapolated"] == "nodes").all()
    assert (frontier.loc[frontier["nodes"] <= 32, "extrapolated"] == "").all()
    assert (frontier["nodes"] > 32).any()


def test_the_account(toy):
    manifest = Study.load("toy.toml").run().manifest.as_dict()
    assert manifest["study_text"] == STUDY
    assert manifest["objectives"] == [
        {"quantity": "time", "sense": "min", "unit": "s"},
        {"quantity": "power", "sense": "min", "unit": "W"},
    ]
    assert manifest["assumptions"] == [
        {"name": "base_power", "value": 100.0, "unit": "W", "source": "invented", "doc": "Power of a node at rest"}
    ]
    assert manifest["components"] == [{"slot": "network", "component": "torus", "chosen": True}]
    assert {s["quantity"] for s in manifest["sources"]} >= {"time", "power", "network_time", "nodes"}
    assert set(manifest["versions"]) >= {"dse", "python", "numpy"}
    assert json.loads(json.dumps(manifest, allow_nan=False)) == manifest


@pytest.mark.parametrize("own", [False, True])
def test_a_run_of_a_study_from_objects(toy, own):
    """It is read back like any other; models given as objects are given again."""
    document = tomllib.loads(STUDY)
    models = []
    if own:
        module = types.ModuleType("toy_machine")
        exec(compile(MODEL, "toy_machine", "exec"), module.__dict__)
        del document["models"]
        models = [module]
    study = Study(document, folder=toy, models=models)
    study.run("objects")
    if own:
        with pytest.raises(InputError, match="unknown model 'toy_machine'"):
            _ = Run.load("objects").study
    loaded = Run.load("objects", study) if own else Run.load("objects")
    assert loaded.explain(0).on_frontier is True
    assert loaded.frontier.equals(Study.load("toy.toml").run().frontier)
    study.run("objects")  # the same study: nothing is done, nothing is refused


def test_a_run_is_not_read_with_another_study(toy):
    Study.load("toy.toml").run("out")
    other = Study.from_text(edited(STUDY, ("20 kW", "1 kW")), folder=toy)
    with pytest.raises(RunFolderError, match=r"^out: changed since the run: study; "):
        Run.load("out", other)


def test_a_model_that_mixes_designs_is_refused(toy):
    """A sum over an array is a sum over designs: alone, a design would have another value."""
    (toy / "model.py").write_text(
        edited(MODEL, ("0.1 * np.sqrt(nodes)", "0.1 * np.sqrt(nodes) + 0 * nodes + nodes.max()"))
    )
    with pytest.raises(ModelError):
        Study.load("toy.toml").run()


def test_an_alternative_may_number_what_another_names(toy):
    """An axis of texts in one alternative and of numbers in another stands in one column."""
    text = edited(
        STUDY,
        ('frequency = { values = ["1 GHz", "2 GHz"] }\n', ""),
        (
            "[search]",
            '[space.alternatives.a.axes]\nclock = { part = "parts.csv" }\n'
            '[space.alternatives.b.axes]\nfrequency = { values = ["1 GHz"] }\n[search]',
        ),
    )
    run = Study.from_text(text, folder=toy).run("out")
    frame = Run.load("out").frontier
    assert set(frame["clock"]) <= {"slow", "fast", ""}
    assert np.isnan(frame.loc[frame["alternative"] == "a", "frequency"]).all()
    assert frame.equals(run.frontier)


def test_progress(toy):
    told = []
    Study.load("toy.toml").run(progress=lambda done, found: told.append((done, found)))
    assert told[-1][0] == 14
    assert [done for done, _ in told] == sorted(done for done, _ in told)
