"""Help to choose: wishes that begin from a design, against every design of the frontier looked at one by one."""

import numpy as np
import pytest
from toy import plain

from dse.run.result.design_names import name_of

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker


def nearest(values, base, asked):
    """Rows that meet all wishes, by the rule of the guide; all objectives are minimised. A loop, to share no code."""
    best, worst, found = values.min(0), values.max(0), []
    for row, own in enumerate(values):
        met = row != base
        for objective, (wish, limit) in asked.items():
            here = values[base, objective]
            if wish == "improve":
                met &= own[objective] < here
            else:
                met &= own[objective] <= (here if wish == "keep" else limit)
        if met:
            far = [(own[k] - best[k]) / (worst[k] - best[k]) for k in range(len(own))]
            improved = [far[k] for k, (wish, _) in asked.items() if wish == "improve"]
            found.append((max([0.0, *improved]), sum(far), row))
    return [row for _, _, row in sorted(found)]


def wish(page, objective, what, limit=None):
    page.tab.select_option(f'#wishes select[data-objective="{objective}"]', what)
    if limit is not None:
        page.tab.locator(f'.wish:has(select[data-objective="{objective}"]) input').fill(limit)


def proposed(page):
    """Rows of the frontier that are proposed, by the names they are proposed with."""
    places = [int(name.removeprefix("A")) - 1 for name in page.tab.locator("#wish-found li > button").all_inner_texts()]
    return [page.run.ranks.tolist().index(place) for place in places]


def test_wishes(show, synthetic_study):
    """The nearest designs, their trades, what prevents a wish, and the way back."""
    page = show(synthetic_study(10_000))
    frontier = page.run.frontier
    names = [objective["quantity"] for objective in page.run.objectives]
    values = frontier[names].to_numpy(float)
    designs = frontier["design"].to_numpy()
    base = int(np.argsort(values[:, 0])[len(values) // 2])
    page.tab.evaluate("n => model.select(model.row(String(n)))", int(designs[base]))
    assert plain(page.tab.inner_text("#wish-base")) == name_of(page.run, base)
    assert proposed(page) == []

    limit = round(1.2 * values[base, 1] / 1e6, 2)
    wish(page, names[0], "improve")
    wish(page, names[1], "worsen", str(limit))
    wanted = nearest(values, base, {0: ("improve", None), 1: ("worsen", limit * 1e6)})
    assert len(wanted) > 5
    assert proposed(page) == list(wanted[:5])
    assert page.tab.inner_text("#wish-told").startswith(f"{len(wanted)} designs of the frontier meet this")
    change = 100 * (values[wanted[0], 0] / values[base, 0] - 1)
    first = page.tab.locator("#wish-found li").first.inner_text()
    assert f"−{abs(change):.1f} %" in first
    marked = page.tab.evaluate("() => model.state.marked.map((row) => Number(model.number(row)))")
    assert marked == designs[wanted[:5]].tolist()
    assert page.tab.locator("#marked i").count() == 5

    # A proposed design is looked at, and is the beginning only when that is asked for.
    page.tab.locator("#wish-found li > button").first.click()
    assert plain(page.detail).startswith(f"{name_of(page.run, wanted[0])} ")
    assert plain(page.tab.inner_text("#wish-base")) == name_of(page.run, base)
    page.tab.check("#wish-only")
    assert page.count == f"{len(wanted)} designs on the frontier, chosen"
    page.tab.uncheck("#wish-only")

    # Nothing is better in all: the fewest wishes to give up are named, with how many designs then remain.
    for name in names:
        wish(page, name, "improve")
    assert nearest(values, base, dict.fromkeys(range(len(names)), ("improve", None))) == []
    told = plain(page.tab.inner_text("#wish-told"))
    assert told.startswith("No design of the frontier meets this. What prevents it:")
    lacking = {tuple(np.flatnonzero(~(own < values[base]))) for row, own in enumerate(values) if row != base}
    fewest = min(map(len, lacking))
    for broken in [one for one in lacking if len(one) == fewest][:3]:
        assert " and ".join(f"{names[k].replace('_', ' ')} better" for k in broken) in told
    assert proposed(page) == []

    best = int(values[:, 0].argmin())
    page.tab.evaluate("n => model.select(model.row(String(n)))", int(designs[best]))
    page.tab.click("#wish-begin")
    wish(page, names[1], "free")
    wish(page, names[2], "free")
    assert (
        f"“{names[0].replace('_', ' ')} better”: without it {len(values) - 1} designs meet the other wishes"
        in plain(page.tab.inner_text("#wish-told"))
    )
    wish(page, names[0], "worsen", "")
    assert page.tab.inner_text("#wish-told") == f"No number is given for {names[0].replace('_', ' ')}."
    page.tab.click("#wish-again")
    assert page.tab.inner_text("#wish-told") == ""
    assert page.tab.locator("#marked i").count() == 0
