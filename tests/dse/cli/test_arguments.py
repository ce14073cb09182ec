"""What is asked for wrongly on the command line gets one message and exit code 2."""

import sys

import pytest

from dse.authoring.library import available_models
from dse.cli.main import main
from dse.cli.output import format_number, print_json, shown

STUDY_OR_NAME = "a study file (.toml) or one of "

WRONG = {
    ("frobnicate",): "unknown command 'frobnicate'; allowed: init, check, ",
    ("explan", "runs/toy"): "unknown command 'explan'; allowed: init, check, ",
    ("init", "toy.toml"): "toy.toml: the file exists already; it is not overwritten; allowed: another name",
    ("init", "x.txt"): "'x.txt' does not end in .toml; allowed: a file name such as my-study.toml",
    ("init", "no/x.toml"): "no/x.toml: cannot be written: No such file or directory",
    ("run", "toy.toml", "--method", "bundel"): (
        "unknown method 'bundel'; allowed: auto, exhaustive, bundles, groups, evolve; did you mean 'bundles'?"
    ),
    ("run", "toy.toml", "--method", "bundles", "--evaluations", "9"): (
        "bundles evaluates what it has to, so 'evaluations' cannot be given; allowed: method = 'evolve'"
    ),
    ("run", "toy.toml", "--method", "bundles", "--count-infeasible"): (
        "bundles skip designs, so infeasible ones cannot be counted; allowed: method = 'exhaustive' or 'auto'"
    ),
    ("evaluate", "toy.toml", "--set", "nodes"): (
        "--set: 'nodes' is not name=value; allowed: --set nodes=16, --set frequency=\"2.6 GHz\""
    ),
    ("evaluate", "toy.toml", "--set", "=3"): (
        "--set: '=3' is not name=value; allowed: --set nodes=16, --set frequency=\"2.6 GHz\""
    ),
    ("evaluate", "toy.toml", "--set", "nodes=2", "--set", "nodes=3"): "--set: 'nodes' stands twice",
    ("evaluate", "toy.toml", "--set", "nodes=2"): "--set frequency: 'frequency' has no value; allowed: 1 GHz, 2 GHz",
    ("evaluate", "toy.toml", "--set", "nodes=two", "--set", "frequency=1 GHz"): (
        "--set nodes: 'two' is not a number with a unit; allowed: a plain number"
    ),
    ("evaluate", "toy.toml", "--set", "nodes=2", "--set", "frequency=1 GHz", "--set", "nods=1"): (
        "--set nods: 'nods' is no input of this system; allowed: base_power, frequency, nodes, work; "
        "did you mean 'nodes'?"
    ),
    ("evaluate", "toy.toml", "--set", "nodes=2", "--set", "frequency=1 GHz", "--set", "time=1 s"): (
        "--set time: 'time' is no input of this system; allowed: base_power, frequency, nodes, work"
    ),
    ("evaluate", "ska-correlator"): (
        "--alternative: the space has several alternatives; allowed: haswell-8-channels, arm-8-channels, arm-4-channels"
    ),
    ("evaluate", "ska-correlator", "--alternative", "arm-8"): (
        "--alternative: no alternative 'arm-8'; allowed: haswell-8-channels, arm-8-channels, arm-4-channels; "
        "did you mean 'arm-8-channels'?"
    ),
    ("evaluate", "ska-station", "--set", "part=ASIC 14"): (
        "--set part: 'part' has no 'ASIC 14'; allowed: ASIC 90 nm, ASIC 32 nm, ASIC 22 nm, ASIC 14 nm, FPGA 90 nm, "
        "FPGA 32 nm, FPGA 22 nm, FPGA 14 nm; did you mean 'ASIC 14 nm'?"
    ),
    ("evaluate", "ska-station", "--set", "part=ASIC 14 nm", "--set", "mac_energy_8bit=1 pJ"): (
        "--set mac_energy_8bit: 'mac_energy_8bit' comes with a part; choose the part instead"
    ),
    ("explain", "runs/toy", "--design", "99"): "the frontier has no row 99; allowed: 0 to ",
    ("explain", "runs/toy", "--design", "-1"): "the frontier has no row -1; allowed: 0 to ",
    ("explain", "runs/toy", "--number", "14"): "there is no design 14; allowed: 0 to 13",
    (
        "pick",
        "runs/toy",
        "--min",
        "time",
        "--max",
        "power",
    ): "give one of --min",
    ("pick", "runs/toy", "--min", "tme"): "--min: unknown quantity 'tme'; allowed: ",
    ("pick", "runs/toy", "--max", "powr"): "--max: unknown quantity 'powr'; allowed: ",
    ("pick", "runs/toy", "--min", "constraint_0"): "--min: unknown quantity 'constraint_0'; allowed: ",
    ("pick", "runs/toy", "--min", "time", "--where", "powr <= 1 kW"): (
        "--where: unknown quantity 'powr' in 'powr <= 1 kW'; did you mean 'power'?"
    ),
    ("pick", "runs/toy", "--min", "time", "--where", "power <= 1 kJ"): (
        "--where: units do not fit in 'power <= 1 kJ': 'W' against 'J'; allowed: the same dimension on both sides"
    ),
    ("validate", "hybird"): "'hybird' has no published figures; allowed: ",
    ("models", "hybird"): f"unknown model 'hybird'; allowed: {', '.join(available_models())}; did you mean 'hybrid'?",
    ("models", "network", "shift_bandwith"): "the model 'network' gives no quantity 'shift_bandwith'; allowed: ",
}
USAGE = {
    ("--bogus",): "No such option: --bogus",
    ("run",): "Missing argument",
    ("run", "toy.toml", "--bogus"): "No such option: --bogus",
    ("run", "toy.toml", "--jobs", "x"): "Invalid value for '--jobs'",
    ("run", "toy.toml", "--jobs", "-1"): "Invalid value for '--jobs'",
    ("verify", "runs/toy", "--designs", "0"): "Invalid value for '--designs'",
    ("explain", "runs/toy", "--design", "first"): "Invalid value for '--design'",
    ("studies", "x"): "unexpected extra argument",
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_arguments(toy, dse, arguments):
    dse.good("run", "toy.toml")
    result = dse(*arguments)
    assert (result.code, result.out) == (2, "")
    whole = WRONG[arguments]
    if whole.endswith((", ", ": ", " to ", "--min")):
        assert result.err.startswith(f"error: {whole}")
    else:
        assert result.err == f"error: {whole}\n"
    told = dse(*arguments, "--json")
    assert (told.code, told.json["error"]) == (2, result.err.removeprefix("error: ").rstrip("\n"))


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_wrong_usage(toy, dse, arguments):
    result = dse(*arguments)
    assert (result.code, result.out) == (2, "")
    assert USAGE[arguments] in result.err
    told = dse(*arguments, "--json")
    assert told.code == 2
    assert USAGE[arguments] in told.json["error"]


def test_the_nearest_command_is_named(dse):
    assert "models, validate" in dse("frobnicate").err
    assert dse("explan", "x").err.endswith("; did you mean 'explain'?\n")


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
