"""The pages that the site generates have everything they are of, and every guide is in its menu."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from dse.cli.main import commands
from dse.study.file.specification import StudySpec

ROOT = Path(__file__).parents[1]


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/scripts"))
    yield
    for name in ("build_site", "command_reference", "gallery", "model_reference", "study_reference"):
        sys.modules.pop(name, None)


def test_every_command_and_option_is_in_the_reference(scripts):
    import command_reference

    page = command_reference.page()
    for name in commands().commands:
        assert f"\n## dse {name}\n" in page
    assert "\n### dse profile record\n" in page
    assert "`--without <list[str]>`" in page
    assert "dse check my-study.toml --full\n" in page


def test_every_key_of_a_study_is_in_the_reference(scripts):
    import study_reference

    page = study_reference.page()
    for name, field in StudySpec.model_fields.items():
        assert f"| `{field.alias or name}` |" in page
    assert '| `distribution` | `"uniform"`, `"triangular"`, `"normal"`, `"lognormal"` |' in page
    assert "`values` | list of true or false or number or text |" in page


def test_every_guide_is_in_the_menu_once_and_in_the_order_of_the_index(scripts):
    import build_site

    index = (ROOT / "docs/guide/README.md").read_text(encoding="utf-8")
    menu = build_site.menu(index)
    guides = re.findall(r"^docs/guide/([\w-]+)$", menu, flags=re.MULTILINE)
    assert sorted(guides) == sorted(path.stem for path in (ROOT / "docs/guide").glob("*.md") if path.stem != "README")
    assert guides[0] == "which-machine"
    captions = re.findall(r"^:caption: (.*)$", menu, flags=re.MULTILINE)
    assert captions[: index.count("\n## ")] == re.findall(r"^## (.*)$", index, flags=re.MULTILINE)


def anchors(text):
    """Return the anchors of the headings of a page, as code hosts make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    plain = (re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", line) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-") for line in plain}


def test_links_to_headings_name_headings_that_are_there():
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *ROOT.glob("docs/*/*.md"),
        *ROOT.glob("docs/*.md"),
    ]
    checked = 0
    for page in pages:
        if page.parent.name == "site":
            continue
        for target, anchor in re.findall(r"\]\((?!https?:)([\w./-]*)#([\w-]+)\)", page.read_text(encoding="utf-8")):
            other = page.parent / target if target else page
            assert anchor in anchors(other.read_text(encoding="utf-8")), f"{page}: {target}#{anchor}"
            checked += 1
    assert checked > 20


def test_the_links_of_the_pages_of_the_site_are_laid_out():
    """They are read from the top of what Sphinx reads: written pages at their paths, generated ones in reference/."""
    generated = {"questions.md", "gallery.md", "api.md", "decisions.md", "reference/commands.md", "reference/study.md"}
    for page in (ROOT / "docs/site").glob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([\w./-]+)\)", page.read_text(encoding="utf-8")):
            assert target in generated | {"reference/models/README.md"} or (ROOT / target).is_file(), (page, target)
