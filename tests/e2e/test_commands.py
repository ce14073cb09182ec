"""The commands and their options, written down by hand; and every example in a help text runs.

A new command or option is a decision about what people type: it is added here too.
"""

import glob
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import webbrowser
from importlib.resources import files
from pathlib import Path

import pytest
import uvicorn

from dse.cli.main import commands

WHAT_IF = "--set --where --also --min --max --without --uncertain --name"
NETWORK = "--latency --overhead --receiver-overhead --bandwidth --eager-limit --collectives"
READING = "--flop-rate --type-size"
COMMANDS = {
    "init": "FILE --template --from --profile",
    "check": f"STUDY {WHAT_IF} --graph --dot --full --no-cache",
    "studies": "",
    "evaluate": "STUDY --set --alternative",
    "run": f"STUDY {WHAT_IF} --out --jobs --method --evaluations --count-infeasible --no-count --tolerance --budget "
    "--fresh --accept-ledger --no-cache --cluster --report --measured --trust --no-trust",
    "show": "FOLDER --all --rows --sort --columns --csv --raw --allow-code",
    "export": "FOLDER --format --out --rows --sort --columns --raw --allow-code",
    "open": "NAME --port --memory --browser --no-browser --allow-code",
    "report": "FOLDER --out --allow-code",
    "verify": "FOLDER --designs --seed --proofs --allow-code",
    "explain": "FOLDER --design --number --reference --full --sources --tree --allow-code --along",
    "pick": "FOLDER --min --max --knee --weights --order --within --where --trust --meets --allow-code",
    "trust": "FOLDER --draws --seed --cells --measured --allow-code",
    "sweep": f"STUDY {WHAT_IF} --vary --attainable --lift --steps --quantity --by --report --csv --raw",
    "why": "FOLDER PART --parameter --scenarios --allow-code",
    "compare": "ITEMS --full --all --report --allow-code",
    "models": "NAME QUANTITY",
    "validate": "MODEL --measured --file --errors --study --quantity --group-by --use --rows --ignore-columns --limit "
    "--limit-mean --least-rank --strict --bands --csv --raw --report",
    "find": "WORDS --all",
    "schema study": "NAME --out",
    "schema variant": "--out",
    # of families of models
    "expect": "FILE --measurements --parameter --segments --record --status-quo --level-limit --reduce --strict",
    "schema profile": "--out",
    "profile show": "FILE --report --class --correlation --heatmap --variant --out --lenient --at --refuse-beyond",
    "profile new": "FILE --counters --threads --source",
    "profile import": "FILE OUT --source --licence",
    "profile record": "PROGRAM --out --name --parameter --windows --lines --branches --metrics --sample --block-copies "
    "--memory-limit --heatmap --from --correlation --children --merge --functions --print-environment",
    "profile collect": "FOLDER --correlation --out --name --parameter --children --merge --functions",
    "profile compiler": "",
    "profile extrapolate": "FILES --target --out --log2 --cluster --refuse-beyond --name --all",
    "profile sweep": "--from PROGRAM --out --sizes --ranks --merge --launcher --sample --dry-run",
    "profile machine": "--out --seconds --name",
    "profile fit": "FILES --out --size --law --law-within --log2 --cluster --name",
    "collectives": "OPERATION --processes --size --network --metric --single --report",
    "resilience": "--cost --failures --restart --global-cost --global-failures --global-restart "
    "--busy-power --io-power --restart-power --report",
    "compression": "FILES --block --blocks --budget --values --cores --out",
    "energy fit": "FILE --rmse-limit --reduction --at --synthetic --out",
    "energy fits": "FILE NODES --budget --accumulated --with-error --rmse-limit",
    "energy nodes": "FILE --budget --accumulated --cap --range --with-error --rmse-limit",
    "trace show": f"FILE {NETWORK} --study --design --by --measured --cube --expand-collectives {READING}",
    "trace report": f"FILE {NETWORK} --study --design --by --measured --expand-collectives {READING} --out",
    "trace convert": f"FILE OUT {NETWORK} {READING}",
    "trace factors": f"FILES {NETWORK} {READING} --out --report",
    "trace profile": f"FILE --merge --out {READING}",
    "trace classify": "MATRIX --by",
    "trace waits": "FILE",
    "scaling fit": "FILE --mode --times --region --slack --form --exact --modelled --synthetic --name --source "
    "--at --out",
    "scaling show": "FILE --at",
    "slower": "--latency --overhead --tasks --cores --network --memory --service --cumulative --no-cumulative --report",
    "fit": "FILES --kind --metric --region --parameter --at --unit --reduce --level --refuse-beyond --out --synthetic "
    "--mode --form --exact --modelled --rmse-limit",
    "serving": "--architecture --device --stack --input --output --precision --user-rate --first-token --mode "
    "--largest --seen --price --currency --rows --report",
    "training": "--architecture --device --devices --batch --precision --stack --zero --rows --report",
}


def by_name():
    """The commands as they are, by name: parameters and the examples in their help."""
    found = {}
    for name, command in commands().commands.items():
        inner = getattr(command, "commands", None)
        found |= {name: command} if inner is None else {f"{name} {own}": one for own, one in inner.items()}
    return found


def words(command):
    shown = [param for param in command.params if not getattr(param, "hidden", False) and param.name != "help"]
    options = [o for p in shown if p.opts[0].startswith("-") for o in (*p.opts, *p.secondary_opts) if o[:2] == "--"]
    return [p.name.upper() for p in shown if not p.opts[0].startswith("-")], options


def test_there_are_these_commands_with_these_options_and_no_others():
    found = {name: [word for kind in words(command) for word in kind] for name, command in by_name().items()}
    assert set(found) == set(COMMANDS)
    wanted = {name: [*text.split(), "--json"] for name, text in COMMANDS.items()}
    assert {name: sorted(own) for name, own in found.items()} == {name: sorted(own) for name, own in wanted.items()}


def examples():
    texts = {name: re.sub(r"^Examples?: ", "", command.epilog) for name, command in by_name().items()}
    return {name: [one.strip() for one in re.split(r" · |; ", text)] for name, text in texts.items()}


def test_every_command_has_an_example_in_its_help():
    for name, own in examples().items():
        assert own, name
        assert all(one.startswith(f"dse {name}") for one in own), name


def small_runs(folder):
    """SYNTHETIC profiles of a made-up program at several sizes, as `dse profile extrapolate` reads them."""
    for processes in (2, 4, 8, 16, 32):
        for scale in (12, 13, 14, 15, 16):
            counted = dict.fromkeys(("load", "store", "int", "control"), 2**scale * 64 // processes)
            none = ("int_arith", "int_mul", "int_div", "addr", "fp", "fp_mul", "fp_div", "vector_move", "other")
            one = {
                "name": "worker",
                "members": processes,
                "instructions": 2**scale * 256 // processes,
                "mix": counted | dict.fromkeys(none, 0),
                "ilp": [{"window": 54, "span": 2**scale * 64 // processes}],
            }
            document = {
                "schema": "dse-profile/1",
                "name": f"{scale} on {processes}",
                "synthetic": True,
                "application": {"name": "made up", "parameters": {"problem_size": scale}},
                "run": {"processes": processes},
                "classes": [one],
            }
            (folder / f"{scale}-{processes}.json").write_text(json.dumps(document))


# What another tool writes, as little of it as can be imported.
PISA = {
    "application": "tiny",
    "threads": [
        {
            "threadId": 0,
            "processId": 0,
            "instructionMix": {
                "instructions_analyzed": 100,
                "load_instructions": 30,
                "store_instructions": 10,
                "int_arith_add_instructions": 40,
                "control_instructions": 20,
            },
            "ilp": [{"windowSize": 54, "statistics": {"span": 50, "arithmetic_mean": 2.0}}],
            "dataReuseDistribution": [{"cacheLineSize": 64, "statistics": {"data": [[0, 20], [1, 10]]}}],
        }
    ],
}

# What an example takes for given, made before it: nothing else is needed.
GIVEN = {
    "check": ["init my-study.toml"],
    "pick": ["run hybrid-xeon-sp"],
    "trust": ["run hybrid-arm-lb"],
    "why": ["run serving-limits"],
}


# In its place here: browser/test_exascale.py runs the command on the flagship, which takes twenty seconds.
SMALLER = {"exascale": "hybrid-xeon-sp"}


@pytest.mark.slow
def test_every_example_runs(dse, monkeypatch):
    """In the order of the help, in one folder: what an example reads, an earlier one or `GIVEN` has made."""
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)  # else `dse open` goes on until Ctrl-C
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    microbenchmarks = runpy.run_path(str(Path(__file__).parents[1] / "models" / "workload" / "test_machine.py"))
    made_up = microbenchmarks["made_up_samples"]()  # else `dse profile machine` measures for a minute
    monkeypatch.setattr("dse.models.workload.machine.microbenchmarks.run_microbenchmarks", lambda *_: made_up)
    Path("runs").mkdir()
    small_runs(Path("runs"))
    raw_files = runpy.run_path(str(Path(__file__).parents[1] / "models" / "workload" / "raw_files.py"))
    raw_files["write_raw"](Path("records"), raw_files["raw_record"]())
    for recorded in (Path(__file__).parents[1] / "models" / "workload" / "laws" / "profiles").glob("cg-*.json"):
        shutil.copy(recorded, recorded.name)
    Path("main.pisa").write_text(json.dumps(PISA))
    shutil.copy(Path(str(files("dse.spaces"))) / "machines" / "systems.csv", "mine.csv")
    measured = ["nodes,cores,frequency [GHz],run_time [s]", "1,8,1.8,43", "2,8,1.8,25", "4,8,1.8,14"]
    Path("runs.csv").write_text("\n".join(measured))
    Path("expectations.toml").write_text('measurements = "scaling.csv"\n[functions.time]\ngrowth = "log p"')
    synthetic = [f"{2**k},{3 + 2 * k}" for k in range(1, 11)]
    Path("scaling.csv").write_text("\n".join(["p,time [s]", *synthetic]))
    timings = [f"{p},solve,time,{2 + 300 / p},s" for p in (64, 128, 256, 512, 1024)]
    Path("timings.csv").write_text("\n".join(["p,region,metric,value,unit", *timings]))
    calls = ["rank,enter,exit,kind,targets", "0,0,3,get,1", "1,1,2,other,", "1,4,5,other,"]
    Path("calls.csv").write_text("\n".join(calls))
    # dse trace factors writes those of the two shipped traces, and a fit needs three numbers of ranks.
    efficiencies = [f"{p},{1 - 2e-5 * p},{1 - 3e-5 * p},{1 - 1e-5 * p}" for p in (64, 128, 256, 512, 1024)]
    Path("efficiencies.csv").write_text("\n".join(["P,LB,Ser,Trf", *efficiencies]))
    Path("checkpoint-1.bin").write_bytes(bytes(1 << 16))
    dse.good("run", "ska-correlator")
    failed = []
    for name, own in examples().items():
        for given in GIVEN.get(name, []):
            if not Path(given.split()[-1]).exists():
                dse.good(*given.split())
        for example in own:
            typed = [SMALLER.get(word, word) for word in shlex.split(example)[1:]]
            arguments = [name for word in typed for name in sorted(glob.glob(word)) or [word]]  # as a shell does
            result = dse(*arguments)
            if result.code:
                failed.append((example, result.code, result.err[-300:]))
    assert failed == []


def test_a_shell_completes_commands_and_options():
    """Through what `dse --install-completion` writes into the shell: one process for each key that is pressed."""
    for typed, place, wanted in (("dse sh", 1, ["show"]), ("dse show --so", 2, ["--sort"])):
        asked = {"COMP_WORDS": typed, "COMP_CWORD": str(place), "_DSE_COMPLETE": "complete_bash"}
        run = [sys.executable, "-c", "import sys; sys.argv[0] = 'dse'; from dse.cli.main import main; main()"]
        done = subprocess.run(run, env={**os.environ, **asked}, capture_output=True, text=True, check=True, timeout=120)
        assert done.stdout.split() == wanted
