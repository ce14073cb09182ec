"""What each command imports: a process begins quickly only while nobody brings back what it does not need."""

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

HEAVY = ("numpy", "pandas", "pint", "plotly", "scipy", "pymoo", "moocore", "joblib", "pyarrow", "lark")
UNITS_AND_FIGURES = ("pint", "plotly", "scipy", "pymoo", "moocore", "joblib", "lark")
SEARCH = (
    "dse.search.driver",
    "dse.study.build.building",
    "dse.study.file.schema",
    "dse.evaluation.problem",
    "dse.models.network",
)
# Runs a command and prints what has been imported then.
PROBE = """
import contextlib, io, json, sys
from dse.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(json.loads(sys.argv[1]))
print(json.dumps(sorted(sys.modules)))
"""
# typer brings pydantic where arguments are read.
RUN = "runs/ska-correlator"
COMMANDS = {
    ("--help",): (*HEAVY, "pydantic", "rich", "dse.models"),
    ("show", "--help"): (*HEAVY, "rich", "dse.models"),
    **{
        (*words.split(), "--help"): (*HEAVY, "rich", "dse.models")
        for words in ("fit", "expect", "energy fit", "energy nodes", "scaling fit", "scaling show", "trace waits")
    },
    # A fitted file is read without what fits it; the others need no search.
    ("scaling", "show", "fitted.json"): (*SEARCH, "pandas", "pint", "plotly", "pymoo", "moocore", "joblib"),
    ("trace", "waits", "calls.csv"): (*UNITS_AND_FIGURES, *SEARCH),
    ("models",): (*HEAVY, "dse.models"),
    ("studies",): (*HEAVY, "dse.study.study"),
    ("show", RUN): (*UNITS_AND_FIGURES, *SEARCH),
    ("show", RUN, "--json"): (*UNITS_AND_FIGURES, *SEARCH),
    ("show", RUN, "--csv", "-"): (*UNITS_AND_FIGURES, *SEARCH),
    ("pick", RUN, "--knee"): (*UNITS_AND_FIGURES, *SEARCH),
    ("check", "ska-correlator"): ("pandas", "pyarrow", "pint", "plotly", "scipy", "pymoo", "joblib"),
    ("check", "exascale-collectives"): ("pandas", "pyarrow", "pint", "plotly", "pymoo", "joblib"),
    ("compare", RUN): ("pint", "plotly", "scipy", "pymoo", "moocore", "joblib"),
    ("fit", "--help"): (*HEAVY, "rich", "dse.models"),
    ("fit", "runs.csv"): ("plotly", "pymoo", "moocore", "joblib", "lark", *SEARCH),
    ("fit", "runs.csv", "--kind", "energy"): ("plotly", "pymoo", "moocore", "joblib", "lark", *SEARCH),
    ("explain", RUN): ("pint", "plotly", "scipy", "pymoo", "joblib", "dse.search.driver", "dse.models.network"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from dse.api import Study

    made = tmp_path_factory.mktemp("imports")
    (made / "runs.csv").write_text(
        "nodes,time [s]\n" + "".join(f"{n},{2 + 300 / n}\n" for n in (4, 8, 16, 32, 64, 128))
    )
    Study.load("ska-correlator").run(made / RUN)
    shutil.copy(Path(str(files("dse.spaces"))) / "scaling_factors" / "hacc-phase-2.json", made / "fitted.json")
    (made / "calls.csv").write_text("rank,enter,exit,kind,targets\n0,0,3,get,1\n1,1,2,other,\n1,4,5,other,\n")
    return made


def test_no_command_imports_what_it_does_not_need(folder):
    probes = {
        command: subprocess.Popen(
            [sys.executable, "-c", PROBE, json.dumps(command)],
            cwd=folder,
            env=os.environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        for command in COMMANDS
    }
    brought: dict[str, list[str]] = {}
    for command, probe in probes.items():
        out, _ = probe.communicate(timeout=120)
        assert probe.returncode == 0
        imported = set(json.loads(out.splitlines()[-1]))
        assert "dse.cli.main" in imported
        assert command != ("fit", "runs.csv") or "dse.cli.text.line_plot" in imported  # it came to show the law
        # The folder of the models is known by its commands, which import no model.
        found = [name for name in COMMANDS[command] if name in imported and name != "dse.models"]
        found += [name for name in imported if "dse.models" in COMMANDS[command] and _is_model(name)]
        if found:
            brought[" ".join(command)] = found
    assert brought == {}


def _is_model(name: str) -> bool:
    return name.startswith("dse.models.") and not name.endswith("commands")
