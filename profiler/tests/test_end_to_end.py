"""What the guide says of small runs and a large one, run as it stands there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROFILER = Path(__file__).parents[1]
GUIDE = PROFILER.parent / "docs" / "guide" / "profiling.md"
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]


# The command in a process that has been loaded: what it imports takes longer than what it does here.
LOADED = """
import os, sys
from dse.cli.main import main
import dse.models.workload.cli.record, dse.models.workload.locality.summary, numpy, scipy.optimize
asked, answered = os.environ["ASKED"], os.environ["ANSWERED"]
while True:
    with open(asked, "rb") as pipe:
        folder, *sys.argv = pipe.read().decode().split("\\0")[:-1]
    child = os.fork()
    if not child:
        os.chdir(folder)
        main()
    with open(answered, "w") as pipe:
        pipe.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\\n")
"""
SHELL = """set -euo pipefail
export ASKED=$PWD/asked ANSWERED=$PWD/answered
mkfifo $ASKED $ANSWERED
"$PYTHON" -c "$LOADED" &
trap 'kill %1; wait' EXIT
dse() { printf '%s\\0' "$PWD" dse "$@" >$ASKED; read -r status <$ANSWERED; return $status; }
"""


def commands() -> str:
    """The commands of the last section; what stands in a clone is found from elsewhere."""
    section = GUIDE.read_text(encoding="utf-8").partition("## From small runs to a large one")[2]
    blocks = re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL)
    assert len(blocks) == 4
    return SHELL + "".join(blocks).replace("examples=profiler/examples", f"examples='{PROFILER / 'examples'}'")


def test_three_programs_are_recorded_extrapolated_and_studied(need, toolchain, cache, tmp_path) -> None:
    need("mpicc", "mpirun", packages="libopenmpi-dev openmpi-bin")
    environment = os.environ | {
        "PATH": os.pathsep.join([str(PROFILER / "wrappers"), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "XDG_CACHE_HOME": str(cache),
        "DSE_CLANG": toolchain.clang,
        **{"PYTHON": sys.executable, "LOADED": LOADED},
        **{"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    }
    done = subprocess.run(
        ["bash", "-c", commands()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    def profile(name):
        return json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))

    # What the sources say: cells written by the sweeps, both arrays; vertices, rows and edges; messages of a step.
    stencil = profile("stencil")["classes"][0]
    assert stencil["footprint_bytes"] == pytest.approx(16 * 1024**2, rel=0.02)
    assert profile("bfs")["classes"][0]["footprint_bytes"] == pytest.approx(8192 * (16 * 16 + 16), rel=0.02)
    (ranks,) = profile("heat")["classes"]
    assert ranks["members"] == 2
    p2p = ranks["comm"]["p2p"]
    assert (p2p["sent_messages"], p2p["sent_bytes"], p2p["messages"]) == (40, 320, 40)
    assert ranks["comm"]["collectives"]["MPI_Allreduce"]["count"] == 2
    run = tmp_path / "runs" / "own-program"
    assert run.is_dir()
    assert "exact: the frontier of the whole space" in done.stdout
