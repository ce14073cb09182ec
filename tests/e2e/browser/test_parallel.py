"""Parallel axes: which there are, their order and scale, and that no text lies over another or is cut."""

import pytest
from toy import STUDY, edited, write_toy

from dse.api import Study

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

NAMES = "() => [...document.querySelectorAll('.handle')].map((one) => one.dataset.name)"


@pytest.fixture
def many_axes(tmp_path):
    """SYNTHETIC: the toy study with many axes, one of them without a choice, and long names of parts."""
    write_toy(tmp_path)
    parts = "\n".join(f"a part with quite a long name number {k} / variant-of_{k},{k + 1},made up" for k in range(9))
    (tmp_path / "parts.csv").write_text("name,frequency [GHz],source\n" + parts + "\n")
    axes = (
        "\n".join(f"knob_{k} = {{ values = [{10**k}, {2 * 10**k}] }}" for k in range(1, 13))
        + "\nfixed = { values = [3] }"
    )
    used = " * ".join(f"knob_{k}" for k in range(1, 13))
    (tmp_path / "toy.toml").write_text(
        edited(
            STUDY,
            (
                'frequency = { values = ["1 GHz", "2 GHz"] }',
                f'clock = {{ part = "parts.csv", label = "name" }}\n{axes}',
            ),
            ('name = "toy"', 'name = "many-axes"'),
            ('"power * time"', f'"power * time"\nproduct_of_knobs = "fixed * {used}"'),
            (
                '[[objectives]]\nminimize = "power"',
                '[[objectives]]\nminimize = "power"\n[[objectives]]\nminimize = "product_of_knobs"',
            ),
        )
    )
    return Study.load(tmp_path / "toy.toml")


def test_axes_are_chosen_moved_and_scaled(show, many_axes):
    page = show(many_axes)
    page.assert_labels_stand_apart()
    tab = page.tab
    names = tab.evaluate(NAMES)
    assert len(names) <= 12
    assert "fixed" not in names  # it has no choice left

    # At most twelve at once; what is stored besides may be one.
    tab.locator("#parallel-chooser summary").click()
    boxes = tab.locator("#parallel-chooser input")
    for box in boxes.all():
        if not box.is_checked() and box.is_enabled():
            box.check()
    assert len(tab.evaluate(NAMES)) == 12
    assert all(box.is_checked() or box.is_disabled() for box in boxes.all())
    tab.locator(f'#parallel-chooser input[data-name="{names[0]}"]').uncheck()
    tab.locator('#parallel-chooser input[data-name="network_time"]').check()
    assert tab.evaluate(NAMES)[-1] == "network_time"
    page.assert_labels_stand_apart((1280,))
    tab.get_by_text("those that vary", exact=True).click()
    assert tab.evaluate(NAMES) == names
    tab.keyboard.press("Escape")
    assert not tab.locator("#parallel-chooser").evaluate("one => one.open")

    # By the keyboard, with the focus on the axis that moves; and by dragging its heading.
    tab.locator(".handle").nth(1).focus()
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate(NAMES) == [names[1], names[0], *names[2:]]
    assert tab.evaluate("() => document.activeElement.dataset.name") == names[1]
    assert "axis 1 of" in tab.inner_text("#parallel-told")
    first, third = (tab.locator(".axis").nth(k).bounding_box() for k in (0, 2))
    far = (
        third["x"] - first["x"] + (third["width"] - first["width"]) / 2 + 4
    )  # its middle just beyond that of the third
    handle = tab.locator(".handle").nth(0).bounding_box()
    x, y = handle["x"] + 5, handle["y"] + 5
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + far, y, steps=4)
    tab.mouse.up()
    assert tab.evaluate(NAMES) == [names[0], names[2], names[1], *names[3:]]

    # A brush keeps what it keeps when the scale changes.
    page.brush("power", 0.0, 0.5)
    rows, at = (
        page.rows(),
        tab.evaluate("() => model.stored[0] && Array.from(model.positions(model.named('power')).slice(0, 9))"),
    )
    tab.uncheck("#show-infeasible")
    tab.uncheck("#show-dominated")  # scales go from end to end of what is shown
    top = tab.evaluate(
        "() => { const p = model.named('power'); return [p.at(1), p.near.reduce((a, b) => Math.max(a, b))]; }"
    )
    assert top[0] == pytest.approx(top[1], rel=1e-6)
    assert page.rows() == rows
    box = tab.get_by_label("power: logarithmic")
    box.set_checked(not box.is_checked())
    assert page.rows() == rows
    assert tab.evaluate("() => Array.from(model.positions(model.named('power')).slice(0, 9))") != at
