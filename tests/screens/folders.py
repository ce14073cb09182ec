"""The folders that screens are taken in, by name: small studies, some with their finished run.

Each is made once in a process; every screen gets a copy of its own, so that none sees what another has written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from toy import MODEL, REFERENCES, STUDY, UNION, clock_of, command, edited, write_references, write_toy

from dse.cli.options.code import remember

__all__ = ["FOLDERS", "WIDTH"]

WIDTH = 100

SURE = """name,frequency [GHz],year,source,confidence
slow,1,2010,data sheet,high
fast,2,2020,a talk,low
odd,1.5,2015,a rumour,
"""
UNCERTAIN = """
[uncertain]
base_power = { within = "20 %", source = "meters of the vendor" }
time = { error = "5 %" }

[trust]
draws = 200
cells = 32
"""
CHOICES = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    (
        "[search]",
        """[space.choices.network.torus]
use = { network = "torus" }
[space.choices.network.tree]
use = { network = "tree" }
[space.choices.node.idle]
set = { base_power = "50 W" }
[space.choices.node.busy]
axes = { base_power = { values = ["100 W", "200 W"] } }
[search]""",
    ),
)
DEAR = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    (
        "[search]",
        '[space.alternatives.torus]\nuse = { network = "torus" }\nset = { work = 1e11 }\n\n'
        '[space.alternatives.slow]\nuse = { network = "tree" }\nset = { base_power = "600 W", work = 2e11 }\n\n'
        "[search]",
    ),
    ("[set]\nwork = 1e11\n", ""),
)
MEASURED = "nodes,frequency [GHz],time [s],power [W]\n4,1,25.9,450\n8,1,13.1,910\n16,2,3.6,2800\n32,2,2.2,5900\n"

# A study for each fault that authors make most, by the name of its file.
FAULTS = {
    "unknown-key.toml": edited(STUDY, ("constraints =", "constraint =")),
    "unknown-quantity.toml": edited(STUDY, ('minimize = "time"', 'minimize = "tim"')),
    "unknown-model.toml": edited(STUDY, ('["model.py"]', '["modell.py"]')),
    "unknown-catalogue.toml": edited(STUDY, clock_of("part.csv")),
    "missing-key.toml": edited(STUDY, ('minimize = "time"', "")),
    "missing-parameter.toml": edited(STUDY, ("[set]\nwork = 1e11\n", "")),
    "missing-axes.toml": edited(
        STUDY,
        ('[space.axes]\nnodes = { powers_of_two = [1, 64] }\nfrequency = { values = ["1 GHz", "2 GHz"] }\n', ""),
    ),
    "unit-missing.toml": edited(STUDY, ('["1 GHz", "2 GHz"]', "[1, 2]")),
    "unit-wrong.toml": edited(STUDY, ("power <= 20 kW", "power <= 20 s")),
    "unit-unknown.toml": edited(STUDY, ("power <= 20 kW", "power <= 20 kWatts")),
    "out-of-bounds.toml": edited(STUDY, ("work = 1e11", "work = -1")),
    "syntax.toml": edited(STUDY, ("[space.axes]", "[space.axes")),
    "unknown-slot.toml": edited(STUDY, ('network = "torus"', 'network = "tores"')),
}


def _ran(folder: Path, *commands: str) -> None:
    for text in commands:
        done = command(*text.split(), folder=folder, width=WIDTH)
        if done.code not in (0, 1):
            raise AssertionError(f"dse {text}: {done}")


def _study(folder: Path, text: str, *commands: str, **files: str) -> None:
    write_toy(folder)
    (folder / "toy.toml").write_text(text)
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content)
    _ran(folder, *commands)


def _without_torus(folder: Path) -> None:
    """Write a model that lacks what its quantities need."""
    text = edited(MODEL, ('slot="network", provider="torus", default=True, name="network_time"', 'name="other_time"'))
    text = edited(text, ('slot="network", provider="tree", name="network_time"', 'name="tree_time"'))
    remember([hashlib.sha256(text.encode()).hexdigest()])
    _study(folder, edited(STUDY, ('[use]\nnetwork = "torus"\n', "")))
    (folder / "model.py").write_text(text)


def _faults(folder: Path) -> None:
    _study(folder, STUDY)
    for name, text in FAULTS.items():
        (folder / name).write_text(text)


def _references(folder: Path) -> None:
    write_toy(folder)
    write_references(folder, STUDY + REFERENCES)
    _ran(folder, "run toy.toml")


def _variants(folder: Path) -> None:
    _study(folder, STUDY, "run toy.toml", "run toy.toml --without nodes=1 --name a")


def _growth(folder: Path) -> None:
    """SYNTHETIC runs: a job over numbers of nodes, a time over processes, and efficiencies over ranks."""
    rows = [f"{2**k},{3 + 2 * k}" for k in range(1, 11)]
    (folder / "scaling.csv").write_text("\n".join(["p,time [s]", *rows]))
    (folder / "expectations.toml").write_text('measurements = "scaling.csv"\n[functions.time]\ngrowth = "log p"\n')
    timings = [f"{p},solve,time,{2 + 300 / p},s" for p in (64, 128, 256, 512, 1024)]
    (folder / "timings.csv").write_text("\n".join(["p,region,metric,value,unit", *timings]))
    efficiencies = [f"{p},{1 - 2e-5 * p},{1 - 3e-5 * p},{1 - 1e-5 * p}" for p in (64, 128, 256, 512, 1024)]
    (folder / "efficiencies.csv").write_text("\n".join(["P,LB,Ser,Trf", *efficiencies]))


def _damaged(folder: Path) -> None:
    _study(folder, STUDY, "run toy.toml")
    (folder / "runs/toy/manifest.json").write_text("not JSON")


FOLDERS: dict[str, Callable[[Path], None]] = {
    "empty": lambda folder: None,
    "toy": lambda folder: _study(folder, STUDY),
    "toy run": lambda folder: _study(folder, STUDY, "run toy.toml"),
    "two networks": lambda folder: _study(folder, UNION),
    "dear": lambda folder: _study(folder, DEAR, "run toy.toml"),
    "choices": lambda folder: _study(folder, CHOICES),
    "parts": lambda folder: _study(folder, edited(STUDY, clock_of("sure.csv")), "run toy.toml", sure=SURE),
    "references": _references,
    "uncertain": lambda folder: _study(folder, STUDY + UNCERTAIN, "run toy.toml", "trust runs/toy"),
    "infeasible": lambda folder: _study(folder, edited(STUDY, ("power <= 20 kW", "power <= 1 W")), "run toy.toml"),
    "measured": lambda folder: _study(folder, STUDY, measured=MEASURED),
    "variants": _variants,
    "faults": _faults,
    "missing quantity": _without_torus,
    "damaged": _damaged,
    "growth": _growth,
    "correlator": lambda folder: _ran(folder, "run ska-correlator"),
    "hybrid": lambda folder: _ran(folder, "run hybrid-arm-cp"),
}
"""What is in a folder before the command of a screen runs."""
