"""What a study does not know: what its section means, and what it refuses."""

import pytest
from toy import STUDY, edited, write_toy

from dse import Study

KNOWN = "\n[uncertain]\n{}\n[trust]\nmachines = false\n"


def study(folder, *entries, text=STUDY):
    write_toy(folder)
    (folder / "toy.toml").write_text(text + KNOWN.format("\n".join(entries)))
    return Study.load(folder / "toy.toml")


def unknowns(folder, *entries):
    return study(folder, *entries).unknowns


def test_what_the_forms_mean(tmp_path):
    found = unknowns(
        tmp_path,
        'base_power = { within = "10 %", source = "a guess" }',
        'work = { from = 5e10, to = 2e11, distribution = "triangular" }',
        'time = { error = "8 %", shared = 0.75 }',
        'frequency = { within = "5 %", each = "frequency" }',
        'network_time = { error = "2 %", distribution = "normal" }',
    )
    base, work, common, own, each, normal = found.every
    assert (base.low, base.high, base.relative, base.scope, base.source) == (-0.1, 0.1, True, "shared", "a guess")
    assert (work.low, work.high, work.relative, work.nominal) == (5e10, 2e11, False, 1e11)
    assert (common.scope, common.weight, own.scope, own.weight) == ("shared", 0.75, "design", 0.25)
    assert (common.low, own.high) == (-0.08, 0.08)
    assert (each.scope, each.axis) == ("each", "frequency")
    assert (normal.low, normal.high, normal.spread) == (-0.08, 0.08, 0.02)
    assert "network_time: normal, cut at 4 standard deviations of 2 %" in found.notes
    assert "taken as uniform: base_power, time, frequency" in found.notes


def test_a_width_in_the_unit_of_the_quantity(tmp_path):
    (found,) = unknowns(tmp_path, 'base_power = { within = "15 W" }').every
    assert (found.low, found.high, found.relative) == (85.0, 115.0, False)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('base_pwer = { within = "10 %" }', "uncertain.base_pwer: 'base_pwer' is no quantity of the study"),
        ('base_pwer = { within = "10 %" }', "did you mean 'base_power'?"),
        ('energy = { error = "10 %" }', "no objective and no limit depends on 'energy'"),
        ("work = { from = 2e11, to = 5e11 }", "the study computes with 1e+11 1, which is not from 2e+11 to 5e+11"),
        ("work = { from = 2e11, to = 1e11 }", "from 2e+11 to 1e+11 1 is no interval"),
        ('time = { from = "1 s", to = "2 s" }', "'time' has no single value"),
        ('frequency = { from = "1 GHz", to = "2 GHz" }', "'frequency' has no single value"),
        ('base_power = { from = "90 s", to = "110 W" }', "uncertain.base_power.from"),
        ('base_power = { within = "100 %" }', "deviations down to -100 % make 'base_power' 0 or negative"),
        ('base_power = { within = "0 %" }', "a width of 0 is no interval"),
        ('base_power = { within = "-5 %" }', "uncertain.base_power.within"),
        ('base_power = { within = "30 %", distribution = "normal" }', "deviations down to -120 %"),
        ('time = { error = "model" }', "no model publishes an error of 'time'"),
        ("time = { error = 0.08 }", "is no share"),
        ('time = { within = "3 s" }', "'3 s' is a width in s"),
        ('frequency = { within = "5 %", each = "freqency" }', "did you mean 'frequency'?"),
        ('base_power = { within = "10 %", error = "10 %" }', "exactly one of within, error, or both from and to"),
        ('base_power = { from = "90 W" }', "exactly one of within, error, or both from and to"),
        ('base_power = { within = "10 %", shared = 0.5 }', "'shared' goes with 'error' only"),
        ('time = { error = "10 %", shared = 1.5 }', "uncertain.time.shared"),
        ('time = { error = "10 %", each = "frequency" }', "'each' goes with 'within' only"),
        ('work = { from = 5e10, to = 2e11, distribution = "normal" }', "'normal' goes with 'within' or 'error'"),
        ('base_power = { within = "10 %", distribution = "cauchy" }', "uncertain.base_power.distribution"),
        ('base_power = { width = "10 %" }', "unknown key 'width'"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(tmp_path, entry, said):
    with pytest.raises(ValueError, match=r"toy\.toml: uncertain\.") as caught:
        _ = unknowns(tmp_path, entry)
    assert said in str(caught.value)


def test_a_variant_leaves_out_what_no_longer_fits_and_says_so(tmp_path):
    made = study(tmp_path, "work = { from = 5e10, to = 2e11 }", 'base_power = { within = "10 %" }')
    variant = made.with_(set={"work": 1e12})
    assert [one.quantity for one in variant.unknowns.every] == ["base_power"]
    assert any("work is left out of this variant" in note for note in variant.unknowns.notes)


def test_what_is_not_known_is_no_content_of_the_study(tmp_path):
    plain = study(tmp_path).hashes()
    assert study(tmp_path, 'base_power = { within = "10 %" }').hashes() == plain


def test_real_machines_give_the_errors_of_the_parts_they_have(tmp_path):
    """Alpha has a slow clock and was measured at 6 s where it is computed otherwise; nobody has a fast one."""
    write_toy(tmp_path)
    (tmp_path / "clocks.csv").write_text(
        "name,frequency [GHz],validation,source\nslow,1,Alpha: one machine,me\nfast,2,,you\n"
    )
    (tmp_path / "machines.csv").write_text(
        "name,nodes,frequency [GHz],log_time [s],source\nAlpha,10,1,12,a log\nBeta,10,2,9,a log\n"
    )
    text = edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "clocks.csv" }'))
    text += (
        '\n[references.machines]\naxes = { machine = { part = "machines.csv" } }\nmeasured = { time = "log_time" }\n'
    )
    (tmp_path / "toy.toml").write_text(text)
    (found,) = Study.load(tmp_path / "toy.toml").unknowns.every
    computed = 1e11 / (10 * 1e9) + 0.1 * 10**0.5
    assert found.quantity == "time"
    assert (found.scope, found.axis) == ("each", "clock")
    assert found.rows["slow"] == pytest.approx((0.0, 12.0 / computed - 1.0))
    assert "fast" not in found.rows
    assert (found.low, found.high) == found.rows["slow"]
    assert "Alpha" in found.source
    assert "1 of 2 parts have no machine" in found.source
    (tmp_path / "toy.toml").write_text(text + "\n[trust]\nmachines = false\n")
    assert Study.load(tmp_path / "toy.toml").unknowns.every == ()
    (tmp_path / "toy.toml").write_text(text + '\n[uncertain]\ntime = { error = "3 %" }\n')
    (own,) = Study.load(tmp_path / "toy.toml").unknowns.every
    assert own.scope == "design"
