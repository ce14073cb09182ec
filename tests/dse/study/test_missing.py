"""What a study leaves out is told at once, with the models that would give it."""

import subprocess
import sys

import pytest

from dse.authoring.library.library import models_giving
from dse.errors import InputError
from dse.study.study import Study

MODEL = '''
"""A model that leaves much to others."""
from dse.authoring.declare.declaration import parameter, quantity

width = parameter(unit="m", doc="Width")
depth = parameter(unit="m", doc="Depth")


@quantity(unit="W", source="made up")
def heat(system_power, width, levels):
    """Heat."""
    return system_power * width * levels


@quantity(unit="m", source="made up")
def area(depth, levels, odd):
    """Area."""
    return depth * levels * odd
'''


def message(folder, **changes):
    (folder / "own.py").write_text(MODEL)
    document = {
        "name": "toy",
        "models": ["own.py"],
        "objectives": [{"minimize": "heat"}, {"minimize": "area"}],
        "space": {"axes": {"levels": {"values": [1, 2]}}},
    }
    with pytest.raises(InputError) as error:
        _ = Study({**document, **changes}, folder=folder).compiled
    return str(error.value)


def test_all_that_is_missing_of_all_objectives_is_told_with_the_model_that_gives_it(tmp_path):
    assert message(tmp_path) == (
        "objectives[0]: missing quantity 'system_power', needed by 'heat' (own.heat): model `system` gives it "
        "(add it to `models`); also missing: width [m], depth [m], odd"
    )


def test_what_only_some_alternatives_lack_is_told_with_their_names(tmp_path):
    space = {
        "axes": {"levels": {"values": [1, 2]}},
        "alternatives": {"wide": {"set": {"width": "1 m"}}, "deep": {"set": {"depth": "1 m"}}},
    }
    assert message(tmp_path, space=space).endswith("; also missing: depth [m] (in 'wide'), odd, width [m] (in 'deep')")
    assert message(tmp_path, space=space, objectives=[{"minimize": "area"}, {"minimize": "heat"}]).startswith(
        "objectives[0]: missing quantity 'depth', needed by 'area' (own.area): give it as an axis, a part column, a "
        "table or under [set] (Depth [m]) (in 'wide')"
    )


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"objectives": [{"minimize": "system_energy"}]}, "objectives[0]: missing 'system_energy': model `system` g"),
        (
            {"constraints": ["system_energy <= 3 J"]},
            "constraints[0]: missing 'system_energy': model `system` gives it ",
        ),
        ({"quantities": {"x": "2 * system_energy"}}, "quantities.x: missing 'system_energy': model `system` gives it "),
    ],
)
def test_a_quantity_of_a_model_that_is_not_loaded_names_it_wherever_it_stands(tmp_path, changes, start):
    assert message(tmp_path, **changes).startswith(start)


def test_models_in_use_are_not_advised_and_modules_stand_in_for_families():
    assert models_giving(["system_power"]) == {"system_power": ["system"]}
    assert models_giving(["system_power"], besides=["system"]) == {}
    assert models_giving(["threads"]) == {"threads": ["system.modelled_nodes"]}
    assert models_giving(["no_such_quantity"]) == {}


def test_a_study_that_is_right_loads_no_other_model():
    code = "from dse import Study; _ = Study.load('hybrid-xeon-sp').compiled; import sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    ).stdout.split()
    assert "dse.models.hybrid" in loaded
    assert "dse.models.network" not in loaded


def test_a_component_of_its_own_models_is_named_and_no_model_where_another_would_have_to_be_chosen(tmp_path):
    told = message(
        tmp_path,
        models=["data_machine"],
        objectives=[{"minimize": "cycle_time"}],
        set={"cycle_input_bytes": "200 GB", "cycle_output_bytes": "50 GB", "cycle_operations": 1e15},
        space={"axes": {"cycle_peak_flop_rate": {"values": ["1 Pflop/s", "2 Pflop/s"]}}},
    )
    assert "missing quantity 'store_write_bandwidth'" in told
    assert told.endswith("[B/s]): the component 'devices' of the slot 'data_store' gives it")
    # Nothing stands by default among the topologies: their family is named all the same.
    assert models_giving(["radix", "store_write_bandwidth"]) == {"radix": ["network"]}
