"""Models by name: of the library, of installed packages, of a user's own file."""

import importlib
import importlib.util
import py_compile
import sys
import types
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import dse
from dse.authoring.declare.declaration import quantity
from dse.authoring.library import library
from dse.authoring.library.library import library_models, load_model, model_of
from dse.authoring.library.listing import available_models, declares, listed_models
from dse.authoring.library.model_files import model_digest
from dse.errors import InputError

MINE = '''"""My models.

More."""
import dse
clock = dse.parameter(unit="Hz", doc="Clock")
power = dse.assumption(3.0, unit="W", source="book", doc="Power")

@dse.quantity(unit="J", source="Eq. 1")
def energy(clock, power):
    """Energy."""
    return power / clock
'''


def test_a_file_beside_the_study_is_a_model(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    model = load_model("mine.py", tmp_path)
    assert (model.name, model.doc) == ("mine.py", "My models.\n\nMore.")
    assert [one.name for one in model.functions] == ["energy"]
    assert (list(model.parameters), list(model.assumptions)) == (["clock"], ["power"])
    assert model.parameters["clock"].name == "clock"
    before = model.sha256
    (tmp_path / "mine.py").write_text(MINE + "\n# changed\n")
    assert load_model("mine.py", tmp_path).sha256 != before
    assert model.functions[0].label == "mine.energy"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such model file 'mine.py'; allowed: a Python file beside the study, or a model's name"),
        ("x = 1\n", "the model 'mine.py' has no functions marked with @quantity"),
        (
            "import nowhere\n",
            "the model file 'mine.py' fails on import: ModuleNotFoundError: No module named 'nowhere' "
            "(mine.py, line 1)",
        ),
        (
            "x = 1\n\n1 / 0\n",
            "the model file 'mine.py' fails on import: ZeroDivisionError: division by zero (mine.py, line 3)",
        ),
        (
            "def check():\n    raise ValueError('wrong')\n\n\ncheck()\n",
            "the model file 'mine.py' fails on import: ValueError: wrong (mine.py, line 2)",
        ),
        ("import sys\nsys.exit(0)\n", "the model 'mine.py' ends the program on import"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_model_is_refused(tmp_path, text, message):
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError) as caught:
        load_model("mine.py", tmp_path)
    assert str(caught.value) == message


TWICE = """import dse
from dse import quantity as given
@dse.quantity(unit="s", source="me")
def time(nodes):
    return nodes

def helper(nodes):
    return nodes

@given(unit="s", source="me")
def time(nodes):
    return 2 * nodes
"""


@pytest.mark.parametrize(
    ("text", "name", "lines"),
    [
        (TWICE, "time", "4 and 11"),
        (TWICE.replace('@given(unit="s", source="me")\n', ""), "time", "4 and 10"),
        (TWICE.replace("def time(nodes):\n    return 2", "def helper(nodes):\n    return 2"), "helper", "7 and 11"),
    ],
)
def test_two_functions_of_one_name_in_a_file_are_refused(tmp_path, text, name, lines):
    """The last would take the place of the first, and nothing would tell."""
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError) as caught:
        load_model("mine.py", tmp_path)
    assert str(caught.value) == (
        f"the model file 'mine.py' has two functions '{name}', in lines {lines}; "
        "allowed: one function of a name; several components give one quantity by name = …"
    )


def test_plain_helpers_and_overloads_may_stand_twice(tmp_path):
    plain = "from typing import overload\n@overload\ndef f(x: int): ...\n@overload\ndef f(x: str): ...\n"
    plain += "def f(x): return x\n"
    (tmp_path / "mine.py").write_text(plain + MINE)
    assert len(load_model("mine.py", tmp_path).functions) == 1


def test_a_file_with_a_syntax_error_is_refused(tmp_path):
    (tmp_path / "mine.py").write_text("def f(:\n")
    with pytest.raises(InputError, match=r"^the model file 'mine\.py' fails on import: SyntaxError: "):
        load_model("mine.py", tmp_path)


def test_the_models_of_the_library_are_listed_and_load():
    names = available_models()
    assert "hybrid" in names
    for name in names:
        model = load_model(name)
        assert model.functions
        assert all(one.source for one in model.functions)
        assert all(one.source and one.unit for one in model.assumptions.values())


def test_what_texts_say_of_the_library_is_what_importing_it_does():
    imported = {model.name: model.doc.split("\n")[0] for model in library_models()}
    assert list(listed_models().items()) == list(imported.items())


@pytest.mark.parametrize(
    ("text", "is_model"),
    [
        (MINE, True),
        ('@quantities(gives={"a": "1"}, source="me")\ndef several(x):\n    return x\n', True),
        ("globals().update(\n    declarations(\n        inputs,\n    )\n)\n", True),
        ("_own = declarations(inputs)\n", True),
        ("from dse.models.hybrid.energies import (\n    core_energy,\n)\n", True),
        ("from dse.models.hybrid.model import HybridModel\n", False),
        ("from dse.models.nowhere import energy\n", False),
        ('"""How to write @quantity(unit="s")."""\n\ndef energy(power):\n    return power\n', False),
    ],
)
def test_a_text_declares_what_it_marks_or_imports(tmp_path, text, is_model):
    (tmp_path / "family.py").write_text(text)
    assert declares(tmp_path / "family.py") is is_model


def test_S1_the_hash_of_a_model_is_known_before_it_is_imported(tmp_path):
    for name in available_models():
        assert model_digest(name, tmp_path) == load_model(name).sha256
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "deep").mkdir()
    for file in ("__init__.py", "other.py"):
        (tmp_path / "deep" / file).write_text(MINE)
    for name in ("mine.py", "deep/__init__.py"):
        assert model_digest(name, tmp_path) == load_model(name, tmp_path).sha256
    (tmp_path / "bad.py").write_text("raise AssertionError('imported')")
    assert model_digest("bad.py", tmp_path) is not None
    assert model_digest("gone.py", tmp_path) is None


def test_S1_only_the_bytes_that_were_hashed_are_run(tmp_path):
    """A file compiled elsewhere, which says that its source need not be looked at, is not taken."""
    (tmp_path / "mine.py").write_text(MINE + "\nraise AssertionError('run')\n")
    compiled = importlib.util.cache_from_source(str(tmp_path / "mine.py"))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tmp_path / "mine.py"), cfile=compiled, invalidation_mode=mode)
    (tmp_path / "mine.py").write_text(MINE)
    assert load_model("mine.py", tmp_path).parameters
    with pytest.raises(InputError, match=r"^the model file 'mine\.py' is not the one that may be run$"):
        load_model("mine.py", tmp_path, {"mine.py": "0" * 64})


def test_S4_a_model_file_may_be_no_link_out_of_the_folder(tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "study/mine.py").symlink_to(tmp_path / "mine.py")
    (tmp_path / "study/deep").symlink_to(tmp_path)
    (tmp_path / "study/own.py").write_text(MINE)
    (tmp_path / "study/also.py").symlink_to(tmp_path / "study/own.py")
    for name in ("mine.py", "deep/mine.py"):
        with pytest.raises(InputError, match="is a link out of the folder of the study"):
            load_model(name, tmp_path / "study")
    assert load_model("also.py", tmp_path / "study").parameters
    (tmp_path / "linked").symlink_to(tmp_path / "study")
    assert load_model("own.py", tmp_path / "linked").parameters


@pytest.mark.parametrize("name", ["hybird", "no such", "os.path.nothing", "..", "hybrid.", "", "os", "sources"])
def test_unknown_models_are_refused_with_those_there_are(name):
    with pytest.raises(InputError) as caught:
        load_model(name)
    near = "; did you mean 'hybrid'?" if name in ("hybird", "hybrid.") else ""
    assert str(caught.value) == f"unknown model '{name}'; allowed: {', '.join(available_models())}{near}"


def test_S2_a_module_of_an_installed_package_is_a_model_by_its_entry_point_alone(tmp_path, monkeypatch):
    """A study would run any module that can be imported, whatever it does."""
    (tmp_path / "made_package").mkdir()
    (tmp_path / "made_package" / "__init__.py").write_text("raise AssertionError('imported')")
    (tmp_path / "made_package" / "models.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"^unknown model 'made_package\.models'"):
        load_model("made_package.models")
    (tmp_path / "made_package" / "__init__.py").write_text("")
    entry = EntryPoint("mine", "made_package.models", "dse.models")
    monkeypatch.setattr(library, "entry_points", lambda group: [entry])
    model = load_model("mine")
    assert [one.label for one in model.functions] == ["made_package.models.energy"]
    assert [file.name for file in model.files] == ["models.py"]


def test_families_are_folders_or_modules_in_them_and_never_deeper():
    for name in available_models():
        assert name.count(".") <= 1
        assert name.rpartition(".")[2] not in ("claims", "commands", "sources")


def test_claims_and_commands_are_no_part_of_what_a_model_is_hashed_by():
    family = Path(str(importlib.import_module("dse.models.hybrid").__file__)).parent
    names = {file.relative_to(family).as_posix() for file in load_model("hybrid").files}
    assert (family / "claims" / "published.py").is_file()
    assert {"__init__.py", "time.py"} <= names
    assert not any(name.startswith("claims/") or name == "commands.py" for name in names)


def test_the_whole_folder_of_an_installed_package_is_hashed(tmp_path, monkeypatch):
    (tmp_path / "made_family" / "claims").mkdir(parents=True)
    for file in ("__init__.py", "commands.py", "claims/__init__.py", "claims/laws.py"):
        (tmp_path / "made_family" / file).write_text(MINE)
    (tmp_path / "made_family" / "part").mkdir()
    (tmp_path / "made_family" / "part" / "__init__.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    assert len(model_of(importlib.import_module("made_family.part")).files) == 1
    assert len(model_of(importlib.import_module("made_family")).files) == 5


def test_a_function_that_two_modules_share_is_one_function(monkeypatch):
    one, two = types.ModuleType("made_one"), types.ModuleType("made_two")
    exec(MINE, one.__dict__)
    two.energy = one.energy
    monkeypatch.setitem(sys.modules, "made_one", one)
    assert model_of(one).functions[0] is model_of(two).functions[0]


def test_functions_take_the_place_of_those_of_the_same_name():
    @quantity(unit="W", source="test")
    def power(clock):
        return clock

    @quantity(unit="J", source="test")
    def energy(power):
        return power

    module = types.ModuleType("small")
    module.power, module.energy = power, energy
    known = model_of(module)
    other = known.with_functions(replace(power, doc="another"), replace(energy, name="more"))
    assert {function.name: function.doc for function in other.functions} == {
        "energy": "",
        "power": "another",
        "more": "",
    }
    assert [function.name for function in known.functions] == ["power", "energy"]


def test_public_names_are_loaded_when_they_are_used():
    for name in dse.__all__:
        assert getattr(dse, name) is not None
    assert set(dse.__all__) <= set(dir(dse))
    with pytest.raises(AttributeError) as caught:
        _ = dse.nothing
    assert str(caught.value) == "module 'dse' has no attribute 'nothing'"
