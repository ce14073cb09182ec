"""Refuse to build where the links dse/models, dse/spaces and dse/studies are missing; all else is in pyproject.toml."""

from pathlib import Path

from setuptools import setup

links = [f"dse/{name}" for name in ("models", "spaces", "studies")]
broken = [link for link in links if not (Path(__file__).parent / link / "__init__.py").is_file()]
if broken:
    raise SystemExit(
        f"dse cannot be built: {', '.join(broken)} should lead to the top folder of that name. "
        "The clone was made without symbolic links; mend it with: "
        f"git config core.symlinks true && rm -f {' '.join(broken)} && git checkout -- {' '.join(broken)}"
    )

setup()
