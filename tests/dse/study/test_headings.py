"""The headings of studies are read from their text alone, and say what the studies put together say."""

from __future__ import annotations

import pytest

from dse.api import Study
from dse.study.file.headings import bundled_studies, headings

HEADINGS = {heading.name: heading for heading in headings()}


def test_every_study_has_one():
    assert [*HEADINGS] == [*bundled_studies()]
    assert all(heading.question for heading in HEADINGS.values())


# The flagship has no made-up figures, its variant with prices has; a table, a list of prices, rows of parts.
@pytest.mark.parametrize("name", ["hybrid-xeon-sp", "exascale", "exascale-ownership", "ska-correlator"])
def test_what_is_synthetic_is_what_the_study_finds(name):
    study = Study.load(name)

    assert HEADINGS[name].synthetic == bool(study.synthetic)
    assert HEADINGS[name].question == study.spec.question
    assert HEADINGS[name].source == study.spec.source
