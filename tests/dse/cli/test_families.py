"""Commands that families of models bring."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
import typer

from dse.cli import families


def test_help_loads_no_model_and_no_numpy():
    code = (
        "import sys\nfrom dse.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "found = [m for m in sys.modules if m.split('.')[0] in ('numpy', 'pandas', 'pint') or "
        "(m.startswith('dse.models') and not m.endswith('commands'))]\n"
        "print(found, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert "profile" in done.stdout
    assert done.stderr == "[]\n"


def test_the_families_that_bring_commands():
    """In files of `cli/` that end in `commands.py`: a house has one for each of its kinds."""
    names = [module.__name__.removeprefix("dse.models.") for module in families._of_families()]
    assert {"workload.cli", "measured_laws.cli"} <= {name.rpartition(".")[0] for name in names}
    assert "measured_laws.cli.energy_commands" in names


def test_another_package_brings_commands(monkeypatch, tmp_path):
    """By an entry point of the group dse.commands."""
    (tmp_path / "visitor.py").write_text(
        "def register(app):\n    @app.command()\n    def visit():\n        'Visit.'\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("visitor", "visitor", "dse.commands")
    monkeypatch.setattr(families, "entry_points", lambda *, group: [entry] if group == "dse.commands" else [])
    app = typer.Typer()
    families.register_families(app)
    assert "visit" in [command.callback.__name__ for command in app.registered_commands]


def test_a_package_that_cannot_be_loaded_leaves_the_others(monkeypatch, capsys):
    """Its name and the reason are said; every other command works."""
    entry = EntryPoint("broken", "no_such_package.commands", "dse.commands")
    monkeypatch.setattr(families, "entry_points", lambda *, group: [entry])
    app = typer.Typer()
    families.register_families(app)
    assert [group.name for group in app.registered_groups] == ["profile", "trace", "energy", "scaling", "schema"]
    told = "warning: the commands of 'no_such_package.commands' are left out: ModuleNotFoundError: "
    assert capsys.readouterr().err.startswith(told)


def test_a_module_that_fails_is_not_kept(tmp_path):
    (tmp_path / "commands.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(ZeroDivisionError):
        families._loaded("dse.models.none.commands", tmp_path / "commands.py")
    assert "dse.models.none.commands" not in sys.modules


def test_two_families_share_a_group():
    app = typer.Typer()
    assert families.command_group(app, "profile", "x") is families.command_group(app, "profile", "x")
    assert len(app.registered_groups) == 1
