"""The command `studies`: the studies that come with dse."""

from __future__ import annotations

import typer

from dse.cli.options.options import Json
from dse.cli.text.output import print_json, say, table
from dse.study.file.headings import bundled_studies, headings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse studies")(studies)


def studies(json: Json = False) -> None:
    """List the studies that come with dse. --json has the sizes of their spaces too."""
    if json:
        print_json(_with_sizes())
        return

    rows = [[h.name, f"{h.question}{' (synthetic data)' if h.synthetic else ''}"] for h in headings()]
    table(["study", "question"], rows)
    say("its size: dse check NAME · run it: dse run NAME · a copy to change: dse init FILE --from NAME")


def _with_sizes() -> list[dict[str, object]]:
    """Return the studies with the sizes of their spaces, for which each is put together."""
    from dse.api import Study

    paths = bundled_studies()
    bundled = {name: Study.load(path) for name, path in paths.items()}
    return [
        {
            "name": name,
            "question": study.spec.question,
            "source": study.spec.source,
            "designs": study.space.size,
            "synthetic": bool(study.synthetic),
            "file": str(paths[name]),
        }
        for name, study in bundled.items()
    ]
