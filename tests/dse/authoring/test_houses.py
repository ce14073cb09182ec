"""Families in houses: known by their own names, wherever they stand."""

import tomllib
from pathlib import Path

import pytest

import dse.models
from dse.authoring import houses
from dse.authoring.houses import families, label_of, module_of
from dse.authoring.library.claims import validations
from dse.authoring.library.library import load_model
from dse.authoring.library.listing import available_models
from dse.authoring.library.model_files import model_digest
from dse.errors import InputError

MODELS = Path(str(dse.models.__file__)).parent
HOUSES = sorted(MODELS.glob("*/families.toml"))
IN_HOUSES = {name: (house.parent, room) for house in HOUSES for name, room in tomllib.loads(house.read_text()).items()}


def test_every_family_is_listed_once_by_its_own_name():
    listed = families()
    folders = {path.parent.name for path in MODELS.glob("*/__init__.py")} - {house.parent.name for house in HOUSES}
    assert set(listed) == folders | set(IN_HOUSES)
    assert list(listed) == sorted(listed)
    assert listed["hybrid"] == "dse.models.hybrid"
    assert listed["energy_scaling"] == "dse.models.measured_laws.kinds.energy"


@pytest.mark.parametrize("name", sorted(IN_HOUSES))
def test_a_family_of_a_house_is_a_folder_of_it(name):
    house, room = IN_HOUSES[name]
    assert (house / room / "__init__.py").is_file()
    assert label_of(families()[name]) == name


@pytest.mark.parametrize(
    ("module", "label"),
    [
        ("dse.models.hybrid", "hybrid"),
        ("dse.models.hybrid.time", "hybrid.time"),
        ("dse.models.measured_laws.kinds.energy.laws", "energy_scaling.laws"),
        ("dse.models.measured_laws.kinds.growth", "fitted"),
        ("dse.models.measured_laws.documents", "measured_laws.documents"),
        ("my_package.models", "my_package.models"),
    ],
)
def test_modules_are_called_by_their_family(module, label):
    assert label_of(module) == label


@pytest.mark.parametrize(
    ("label", "module"),
    [
        ("hybrid.time", "dse.models.hybrid.time"),
        ("energy_scaling", "dse.models.measured_laws.kinds.energy"),
        ("energy_scaling.quantities", "dse.models.measured_laws.kinds.energy.quantities"),
        ("measured_laws", None),
        ("measured_laws.kinds", None),
        ("energy_scaling.claims.published", None),
        ("", None),
    ],
)
def test_names_of_studies_are_modules(label, module):
    assert module_of(label) == module


def test_models_of_a_house_are_loaded_hashed_and_labelled_by_their_names():
    for name in ("energy_scaling", "fitted", "scaling_factors", "energy_scaling.quantities"):
        model = load_model(name)
        assert model.name == name
        assert model.sha256 == model_digest(name, Path())
        assert {function.module.partition(".")[0] for function in model.functions} == {name.partition(".")[0]}
    assert {"energy_scaling", "fitted", "scaling_factors"} <= set(available_models())
    assert {"energy_scaling", "expectations", "extrapolation", "scaling_factors"} <= set(validations())


def test_a_house_is_no_model():
    assert not [name for name in (*available_models(), *validations()) if name.startswith("measured_laws")]
    with pytest.raises(InputError, match=r"^unknown model 'measured_laws'; allowed: "):
        load_model("measured_laws")


def test_another_house_needs_its_file_alone(tmp_path, monkeypatch):
    for folder in ("plain", "house", "house/rooms/first", "not_a_package"):
        (tmp_path / folder).mkdir(parents=True)
    for package in ("plain", "house", "house/rooms/first"):
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "house" / "families.toml").write_text('first_family = "rooms/first"\n')
    monkeypatch.setattr(houses, "files", lambda package: tmp_path)
    for cached in (families, houses._of_houses):
        cached.cache_clear()
    try:
        assert families() == {"first_family": "dse.models.house.rooms.first", "plain": "dse.models.plain"}
        assert label_of("dse.models.house.rooms.first.laws") == "first_family.laws"
        assert label_of("dse.models.house.rooms.firstly") == "house.rooms.firstly"
    finally:
        for cached in (families, houses._of_houses):
            cached.cache_clear()
