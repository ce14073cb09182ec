"""What is asked for wrongly on the command line gets one message and exit code 2."""

import sys

import pytest

from dse.cli.main import main
from dse.cli.text.output import format_number, print_json, shown

WRONG = [
    ("frobnicate",),
    ("explan", "runs/toy"),
    ("init", "toy.toml"),
    ("init", "x.txt"),
    ("init", "no/x.toml"),
    ("run", "toy.toml", "--method", "bundel"),
    ("run", "toy.toml", "--method", "bundles", "--evaluations", "9"),
    ("run", "toy.toml", "--method", "bundles", "--count-infeasible"),
    ("evaluate", "toy.toml", "--set", "nodes"),
    ("evaluate", "toy.toml", "--set", "=3"),
    ("evaluate", "toy.toml", "--set", "nodes=2", "--set", "nodes=3"),
    ("evaluate", "toy.toml", "--set", "nodes=2"),
    ("evaluate", "toy.toml", "--set", "nodes=two", "--set", "frequency=1 GHz"),
    ("evaluate", "toy.toml", "--set", "nodes=2", "--set", "frequency=1 GHz", "--set", "nods=1"),
    ("evaluate", "toy.toml", "--set", "nodes=2", "--set", "frequency=1 GHz", "--set", "time=1 s"),
    ("evaluate", "ska-correlator"),
    ("evaluate", "ska-correlator", "--alternative", "arm-8"),
    ("evaluate", "ska-station", "--set", "part=ASIC 14"),
    ("evaluate", "ska-station", "--set", "part=ASIC 14 nm", "--set", "mac_energy_8bit=1 pJ"),
    ("explain", "runs/toy", "--design", "99"),
    ("explain", "runs/toy", "--design", "-1"),
    ("explain", "runs/toy", "--number", "14"),
    ("pick", "runs/toy", "--min", "time", "--max", "power"),
    ("pick", "runs/toy", "--min", "tme"),
    ("pick", "runs/toy", "--max", "powr"),
    ("pick", "runs/toy", "--min", "constraint_0"),
    ("pick", "runs/toy", "--min", "time", "--where", "powr <= 1 kW"),
    ("pick", "runs/toy", "--min", "time", "--where", "power <= 1 kJ"),
    ("validate", "hybird"),
    ("models", "hybird"),
    ("models", "network", "shift_bandwith"),
]
USAGE = [
    ("--bogus",),
    ("run",),
    ("run", "toy.toml", "--bogus"),
    ("run", "toy.toml", "--jobs", "x"),
    ("run", "toy.toml", "--jobs", "-1"),
    ("verify", "runs/toy", "--designs", "0"),
    ("explain", "runs/toy", "--number", "first"),
    ("studies", "x"),
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_arguments(toy, dse, arguments):
    """In which words they are refused, stands in the screen `errors-arguments`."""
    dse.good("run", "toy.toml")
    result = dse(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
    told = dse(*arguments, "--json")
    assert (told.code, told.json["error"]) == (2, result.err.removeprefix("error: ").rstrip("\n"))


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_wrong_usage(toy, dse, arguments):
    """In which words it is refused, stands in the screen `errors-usage`."""
    result = dse(*arguments)
    assert (result.code, result.out) == (2, "")
    said = result.err.partition("Error: ")[2].rstrip("\n")
    told = dse(*arguments, "--json")
    assert (told.code, told.json["error"]) == (2, said)


def test_no_arguments_show_the_commands(dse):
    result = dse()
    assert "Commands" in result.out + result.err
    assert dse("--help").code == 0
    assert dse("--version").out.startswith("dse ")


def test_a_fault_of_dse_itself_is_one_line(dse, monkeypatch):
    def broken(*_):
        raise RuntimeError("surprise\nmore")

    monkeypatch.delenv("DSE_TRACEBACK", raising=False)
    monkeypatch.setattr("dse.api.Study.load", broken)
    result = dse("check", "ska-station")
    told = "error: this is a fault of dse (RuntimeError: surprise); DSE_TRACEBACK=1 shows where\n"
    assert (result.code, result.err) == (70, told)
    monkeypatch.setenv("DSE_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="surprise"):
        main(["check", "ska-station"])


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (MemoryError, 2), (BrokenPipeError, 0)])
def test_ends_from_outside(capsys, monkeypatch, error, code):
    def ended(*_):
        raise error

    monkeypatch.setattr("dse.api.Study.load", ended)
    if error is BrokenPipeError:
        monkeypatch.setattr(sys, "stderr", open("/dev/null", "w"))  # noqa: SIM115 (main closes it)
    with pytest.raises(SystemExit) as end:
        main(["check", "ska-station"])
    assert end.value.code == code


def test_a_name_is_made_of_the_file(dse, tmp_path):
    told = dse.good("init", "größer & mehr!.toml", "--json").json
    assert (told["file"], told["name"]) == ("größer & mehr!.toml", "gr-er-mehr")
    dse.good("check", "größer & mehr!.toml")
    dse.good("init", "a b.toml")
    dse.good("check", "a b.toml")
    dse.good("init", "0-.toml")
    dse.good("check", "0-.toml")
    dse.good("init", "./---.toml")
    assert 'name = "my-study"' in (tmp_path / "---.toml").read_text()


def test_texts_of_a_study_are_no_markup(toy, dse):
    """A question that looks like markup is printed as it is."""
    text = (toy / "toy.toml").read_text().replace("How many nodes?", "[red]How[/red] [many] :boom: nodes?")
    (toy / "toy.toml").write_text(text)
    assert "[red]How[/red] [many] :boom: nodes?" in dse.good("check", "toy.toml").out
    assert "[red]How[/red] [many] :boom: nodes?" in dse.good("run", "toy.toml").out


def test_values_for_people():
    assert shown(3.453e6, "W") == "3.453 MW"
    assert shown(0.4567, "s") == "456.7 ms"
    assert shown(True, "1") == "yes"
    assert shown(None, "W") == "–"
    assert shown("torus", "text") == "torus"
    assert shown(0.0, "W") == "0 W"
    assert format_number(65536) == "65\u202f536"


def test_json_has_no_nan(capsys):
    print_json({"a": float("nan"), "b": [float("inf"), 1.5], "c": {"d": (-float("inf"), "x", None, True)}})
    printed = "".join(capsys.readouterr().out.split())
    assert printed == '{"a":null,"b":[null,1.5],"c":{"d":[null,"x",null,true]}}'
