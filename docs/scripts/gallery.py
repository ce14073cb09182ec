"""The gallery: studies that come with dse are run, and their reports stand in the site, live.

.venv/bin/python docs/scripts/gallery.py FOLDER     # runs and reports, and gallery.md
"""

from __future__ import annotations

import sys
from pathlib import Path

from dse import Run, Study
from dse.report.words.answer import answer_of

STUDIES = (
    "ska-correlator",
    "hybrid-xeon-sp",
    "topology-break-even",
    "training-llama-405b",
    "serving-gpt-oss-120b",
    "checkpointing-exascale",
    "weather-assimilation",
    "slower-space",
)


def make(folder: Path, runs: Path) -> str:
    """Run the studies, write their reports into a folder, and return the page that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        "# Reports",
        "Each is what `dse run STUDY --report` writes: one page that works offline. They were made with this site.",
    ]
    for name in STUDIES:
        run = Study.load(name).run(runs / name)
        run.report(folder / f"{name}.html")
        parts.append(_entry(name, run))
    return "\n\n".join(parts) + "\n"


def _entry(name: str, run: Run) -> str:
    answer = answer_of(run)
    texts = [f"- {item.about}: {item.text}" for item in (answer.design, *answer.best)] if answer else []
    opened = f'<a class="report" href="{name}.html">Open the report</a>'
    return "\n\n".join([f"## {name}", run.manifest.question, "\n".join(texts), opened])


if __name__ == "__main__":
    target = Path(sys.argv[1])
    (target / "gallery.md").write_text(make(target, target / "runs"), encoding="utf-8")
