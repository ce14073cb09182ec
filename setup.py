"""Refuse to build where a link of dse/ to a top folder is missing; all else is in pyproject.toml."""

from pathlib import Path

from setuptools import setup

links = [f"dse/{name}" for name in ("models", "spaces", "studies", "profiler")]
broken = [
    link
    for link in links
    if not any((Path(__file__).parent / link / name).is_file() for name in ("__init__.py", "Makefile"))
]
if broken:
    raise SystemExit(
        f"dse cannot be built: {', '.join(broken)} should lead to the top folder of that name. "
        "The clone was made without symbolic links; mend it with: "
        f"git config core.symlinks true && rm -f {' '.join(broken)} && git checkout -- {' '.join(broken)}"
    )

setup()
