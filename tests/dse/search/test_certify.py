"""Only `dse.search.certify` says of a frontier that it is exact."""

import ast
from pathlib import Path

import numpy as np
import pytest
from engine_problems import random_case

import dse.search.certify
from dse.search.account.progress import Silent
from dse.search.driver import SearchOptions, search

ROOM = Path(dse.search.certify.__file__).parent


def gives_exact(node):
    """Whether a node of a syntax tree makes a certificate, or gives `exact` a value."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return name == "Certificate" or "exact" in [keyword.arg for keyword in node.keywords]
    if isinstance(node, ast.Attribute):
        return node.attr == "exact" and isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.Constant) and node.value == "exact"


def verdicts(text):
    """The lines of a module that do so."""
    return [node.lineno for node in ast.walk(ast.parse(text)) if gives_exact(node)]


@pytest.mark.parametrize(
    "text",
    [
        "Certificate(method='x')",
        "certificate.Certificate()",
        "replace(c, exact=True)",
        "c.exact = True",
        "object.__setattr__(c, 'exact', True)",
        "replace(c, **{'exact': True})",
    ],
)
def test_a_verdict_is_noticed_however_it_is_written(text):
    assert verdicts(text)


def test_nothing_else_in_the_search_says_exact():
    wrong = {}
    for file in sorted(ROOM.rglob("*.py")):
        lines = verdicts(file.read_text(encoding="utf-8"))
        if lines and file.name not in ("certify.py", "certificate.py"):  # whose headline reads it
            wrong[file.relative_to(ROOM).as_posix()] = lines
    assert wrong == {}
    assert verdicts((ROOM / "certify.py").read_text(encoding="utf-8"))
    assert not any("replace(" in line for line in (ROOM / "account/certificate.py").read_text().splitlines())


class Heard(Silent):
    """Notes what it is told, in its order."""

    def __init__(self):
        self.events, self.certificate = [], None

    def started(self, designs):
        self.events.append(("started", designs))

    def decided(self, designs):
        self.events.append(("decided", designs))

    def frontier_grew(self, designs):
        self.events.append(("frontier", designs))

    def ended(self, certificate):
        self.events.append(("ended", certificate.designs))
        self.certificate = certificate


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups", "evolve"])
def test_a_listener_hears_the_beginning_and_the_certificate_at_the_end(method):
    problem, heard = random_case(np.random.default_rng(4)).problem(), Heard()
    result = search(problem, SearchOptions(method), listener=heard)
    assert heard.events[0] == ("started", problem.space.size)
    assert heard.events[-1] == ("ended", problem.space.size)
    assert [name for name, _ in heard.events].count("ended") == 1
    assert heard.certificate == result.certificate
    decided = [designs for name, designs in heard.events if name == "decided"]
    assert decided == sorted(decided)
    assert decided[-1] == (result.certificate.evaluated if method == "evolve" else problem.space.size)
