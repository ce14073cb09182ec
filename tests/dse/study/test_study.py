"""Studies from files and from objects: the same study, the same frontier, the same bits."""

import itertools
import pickle
import tomllib
import types

import numpy as np
import pytest
from toy import MODEL, STUDY, edited

from dse import Study
from dse.authoring.library.library import model_of
from dse.errors import InputError


def frontier(study, **options):
    return study.run(**options).frontier


@pytest.fixture
def module():
    made = types.ModuleType("toy_machine")
    made.__file__ = None
    exec(compile(MODEL, "toy_machine", "exec"), made.__dict__)
    return made


def test_a_study_from_objects_is_that_of_the_file(toy, module):
    from_file = Study.load("toy.toml")
    document = tomllib.loads(STUDY)
    same = Study(document, folder=toy)
    assert frontier(same).equals(frontier(from_file))
    del document["models"]
    for given in (module, model_of(module)):
        own = Study(document, models=[given])
        assert own.spec.models == ["toy_machine"]
        assert frontier(own).equals(frontier(from_file))


def test_what_a_study_says_of_itself(toy):
    study = Study.load("toy.toml")
    assert repr(study) == "<Study 'toy': 14 designs (nodes 7 × frequency 2)>"
    assert study.name == "toy"
    assert study.units["power"] == "W"
    assert study.synthetic == []
    assert set(study.hashes()) == {"study", "model model.py"}
    assert Study.load("hybrid-xeon-sp").synthetic == ["hybrid/baselines.csv", "hybrid/messages.csv", "hybrid/power.csv"]


def test_a_study_travels_to_another_process(toy, module):
    study = Study.load("toy.toml")
    again = pickle.loads(pickle.dumps(study))
    assert again.hashes() == study.hashes()
    assert frontier(again).equals(frontier(study))


@pytest.mark.parametrize("name", ["toy.toml", "ska-correlator", "ska-station", "hybrid-xeon-sp"])
def test_one_design_alone_has_the_bits_of_the_sweep(toy, name):
    """`evaluate` of a design's own values gives the bits that `run` found for it."""
    study = Study.load(name)
    run = study.run()
    units = run.frontier.attrs["units"]
    shown = [*(o["quantity"] for o in run.objectives), *study.spec.also]
    for row in run.frontier.to_dict("records"):
        product = study.space.products[study.space.product_of(row["design"])]
        values = {
            a.name: row[a.name] if a.is_part or units[a.name] == "1" else f"{row[a.name]!r} {units[a.name]}"
            for a in product.axes
        }
        alone = study.evaluate(values, product.name or None)
        for quantity in shown:
            assert np.float64(alone[quantity]).tobytes() == np.float64(row[quantity]).tobytes(), quantity


def test_the_numbers_of_designs_are_those_of_itertools(toy):
    study = Study.load("toy.toml")
    (product,) = study.space.products
    labels = [[axis.label(row) for row in range(len(axis))] for axis in product.axes]
    for number, combination in enumerate(itertools.product(*labels)):
        assert tuple(study.space.parameters(number).values()) == combination


def test_off_the_grid(toy):
    """A system need not be a design; assumptions can be replaced."""
    study = Study.load("toy.toml")
    found = study.evaluate({"nodes": 100, "frequency": "1.5 GHz", "base_power": "0.05 kW", "work": 3e11})
    assert found["power"] == pytest.approx(100 * (50 + 1e-26 * 1.5e9**3))
    assert found["time"] == pytest.approx(3e11 / (100 * 1.5e9) + 0.1 * 10)
    assert found["constraint_0"] is True
    assert study.evaluate({"nodes": 4, "frequency": "1 GHz"})["power"] == 4 * (100 + 1e-26 * 1e9 * 1e9 * 1e9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nodes": 4}, "--set frequency: 'frequency' has no value; allowed: 1 GHz, 2 GHz"),
        (
            {"nodes": 4, "frequency": 1e9},
            "--set frequency: 1000000000.0 has no unit; allowed: a number with a unit that fits 'Hz', "
            "such as '2.6 GHz'",
        ),
        (
            {"nodes": 4, "frequency": "1 GHz", "nods": 1},
            "--set nods: 'nods' is no input of this system; allowed: base_power, frequency, nodes, work; "
            "did you mean 'nodes'?",
        ),
        ({"nodes": 0, "frequency": "1 GHz"}, "--set nodes: 'nodes' is 0; allowed: >= 1"),
        (
            {"nodes": 4, "frequency": "1 GHz", "base_power": "-1 W"},
            "--set base_power: 'base_power' is -1 W; allowed: >= 0 W",
        ),
    ],
)
def test_values_that_cannot_be(toy, values, message):
    with pytest.raises(InputError) as error:
        Study.load("toy.toml").evaluate(values)
    assert str(error.value) == message


def test_slots(toy):
    """The study chooses the component; alternatives may choose their own, and bring their own axes."""
    text = edited(
        STUDY,
        ('[use]\nnetwork = "torus"\n', ""),
        ('frequency = { values = ["1 GHz", "2 GHz"] }\n', ""),
        (
            "[search]",
            "[space.alternatives.a]\n"
            'use = { network = "tree" }\naxes = { frequency = { values = ["1 GHz"] } }\n'
            "[space.alternatives.b]\n"
            'set = { base_power = "1 W" }\naxes = { clock = { part = "parts.csv" } }\n[search]',
        ),
    )
    study = Study.from_text(text, folder=toy)
    run = study.run()
    assert [(p.name, p.size) for p in study.space.products] == [("a", 7), ("b", 14)]
    assert [component.as_dict() for component in run.manifest.components] == [
        {"slot": "network", "component": "tree", "chosen": True},
        {"slot": "network", "component": "torus", "chosen": False},
    ]
    assert study.evaluate({"nodes": 4}, "a")["network_time"] == 0.4
    assert study.evaluate({"nodes": 4, "clock": "fast"}, "b")["network_time"] == 0.2
    assert study.evaluate({"nodes": 4, "clock": "slow"}, "b")["power"] == 4 * (1 + 1e-26 * 1e9 * 1e9 * 1e9)
    rows = run.frontier
    assert set(rows["alternative"]) <= {"a", "b"}
    assert rows.loc[rows["alternative"] == "b", "frequency"].isna().all()
    assert set(rows.loc[rows["alternative"] == "b", "clock"]) <= {"slow", "fast"}
