"""The site of the documents: guides, gallery, references and engineering notes, made by Sphinx without a network.

    .venv/bin/python docs/scripts/build_site.py                # to build/site; `make docs`
    .venv/bin/python docs/scripts/build_site.py --no-gallery   # without running the studies of the gallery

What Sphinx reads is laid out in a folder of its own, in the order of docs/guide/README.md: pages that people wrote keep
their paths, and so their links; those that are generated stand beside them. A link that leads nowhere is an error.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import command_reference
import gallery
import model_reference
import study_reference

ROOT = Path(__file__).parents[2]
WRITTEN = ("docs/guide", "docs/engineering", "docs/decisions", "docs/images")
LOOSE = ("docs/architecture.md", "docs/example.ipynb", "CHANGELOG.md", "CONTRIBUTING.md")
LINK = re.compile(r"\]\((?:\.\./)?(?P<page>[\w/.-]+)\.md\)")


def toctree(pages: Iterable[str], caption: str = "") -> str:
    """Return the list of pages that Sphinx puts into the menu."""
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *pages, "```"]
    return "\n".join(lines)


def menu(index: str) -> str:
    """Return the menu of the site: the groups of the guides, as their index has them, then all else.

    Parameters
    ----------
    index : str
        The text of docs/guide/README.md: a heading for each group, and links to its pages.
    """
    parts = [toctree(["questions", "gallery"])]
    for section in index.split("\n## ")[1:]:
        caption, _, text = section.partition("\n")
        pages = dict.fromkeys(
            f"docs/guide/{match['page']}" for match in LINK.finditer(text) if "/" not in match["page"]
        )
        parts.append(toctree(pages, caption))
    references = ["reference/commands", "reference/study", "reference/models/README", "api", "CHANGELOG"]
    notes = sorted(f"docs/engineering/{path.stem}" for path in (ROOT / "docs/engineering").glob("*.md"))
    parts.append(toctree(references, "To look up"))
    parts.append(toctree(["docs/architecture", *notes, "decisions", "CONTRIBUTING"], "For those who build it"))
    return "\n\n".join(parts)


def lay_out(source: Path, *, with_gallery: bool) -> None:
    """Write all that Sphinx reads into a folder."""
    runs = source.parent / "runs"  # of the models as they are now
    for folder in (source, runs):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in WRITTEN:
        shutil.copytree(ROOT / folder, source / folder)
    for name in LOOSE:
        shutil.copy(ROOT / name, source / name)
    contributing = source / "CONTRIBUTING.md"  # a folder is no page
    _write(contributing, contributing.read_text(encoding="utf-8").replace("(docs/decisions/)", "(decisions.md)"))
    for path in (ROOT / "docs/site").glob("*.md"):
        shutil.copy(path, source)
    shutil.copy(ROOT / "docs/site/conf.py", source)
    (source / "_static").mkdir()
    shutil.copy(ROOT / "docs/site/site.css", source / "_static")
    _write(source / "reference/commands.md", command_reference.page())
    _write(source / "reference/study.md", study_reference.page())
    for name, text in model_reference.pages().items():  # their thousands of headings would be in the menu of each page
        alone = "" if name == "README.md" else "---\norphan: true\n---\n\n"
        _write(source / "reference/models" / name, alone + text)
    reports = source / "_reports"
    reports.mkdir()
    shown = gallery.make(reports, runs) if with_gallery else "# Reports\n\nNot made this time.\n"
    _write(source / "gallery.md", shown)
    index = (ROOT / "docs/guide/README.md").read_text(encoding="utf-8")
    _add(source / "index.md", toctree(["docs/guide/README"]) + "\n\n" + menu(index))
    decisions = sorted(f"docs/decisions/{path.stem}" for path in (ROOT / "docs/decisions").glob("*.md"))
    _add(source / "decisions.md", toctree(decisions).replace(":hidden:\n", ""))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _add(path: Path, text: str) -> None:
    _write(path, path.read_text(encoding="utf-8") + "\n" + text + "\n")


def main() -> int:
    """Lay the pages out, and let Sphinx make the site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build/site", metavar="FOLDER")
    parser.add_argument("--no-gallery", action="store_true")
    options = parser.parse_args()
    source, site = options.out / "source", options.out / "html"
    lay_out(source, with_gallery=not options.no_gallery)
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--jobs", "auto", "--fail-on-warning"]
    code = subprocess.run([*command, "--keep-going", "--quiet", str(source), str(site)], check=False).returncode
    print(f"{site}/index.html" if code == 0 else "links or pages are wrong: see above")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
