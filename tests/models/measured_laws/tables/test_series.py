"""Series out of the table, what repetitions become, and what is to be mistrusted."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.measured_laws.tables.reading import read_measurements


def _read(tmp_path, rows, heading="p,n,metric,value,unit"):
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")
    return read_measurements(path)


def test_reductions_by_hand(tmp_path):
    rows = [f"{p},1,time,{value},s" for p in (2, 4, 8) for value in (p + 1, p + 2, p + 3, p + 4, p + 10)]
    found = _read(tmp_path, rows)
    series = found.series("time")
    assert series.parameter == "p"
    assert series.reduced("median").tolist() == [5.0, 7.0, 11.0]
    assert series.reduced("first quartile").tolist() == [4.0, 6.0, 10.0]
    assert series.reduced("min").tolist() == [3.0, 5.0, 9.0]
    assert series.reduced("mean").tolist() == [6.0, 8.0, 12.0]
    reduced = found.reduced("median")
    assert reduced["value"].tolist() == [5.0, 7.0, 11.0]
    assert reduced["repetitions"].tolist() == [5, 5, 5]
    sizes, values = series.flat()
    assert sizes.tolist()[:6] == [2.0] * 5 + [4.0]
    assert len(values) == 15
    with pytest.raises(InputError, match="did you mean 'median'"):
        series.reduced("medain")


def test_half_width_of_the_interval_by_hand(tmp_path):
    # 10, 12: mean 11, standard deviation sqrt(2), t(0.975, 1) = 12.7062, half width 12.7062 * 1 = 12.7062
    series = _read(tmp_path, [f"{p},1,time,{value},s" for p in (1, 2, 4) for value in (10, 12)]).series()
    np.testing.assert_allclose(series.spread(), 12.706204736 / 11, rtol=1e-9)
    assert any("wider than 5 %" in text for text in series.warnings)


def test_other_parameters_are_held(tmp_path):
    rows = [f"{p},{n},time,{p * n},s" for p in (1, 2, 4, 8, 16) for n in (10, 20)]
    found = _read(tmp_path, rows)
    with pytest.raises(InputError, match="several parameters vary"):
        found.series()
    held = found.series(parameter="p")
    assert held.reduced().tolist() == [20.0, 40.0, 80.0, 160.0, 320.0]
    assert any("n is held at its largest value, 20" in text for text in held.warnings)
    assert found.series(parameter="p", at={"n": 10}).reduced().tolist() == [10.0, 20.0, 40.0, 80.0, 160.0]
    with pytest.raises(InputError, match="nothing was measured at n = 30"):
        found.series(parameter="p", at={"n": 30})
    with pytest.raises(InputError, match="no parameter 'q'"):
        found.series(parameter="q")


def test_few_sizes_and_single_runs(tmp_path):
    found = _read(tmp_path, [f"{p},1,time,{p},s" for p in (8, 2, 4)])
    assert any("no rising order" in text for text in found.warnings)
    series = found.series()
    assert any("3 different values of p" in text for text in series.warnings)
    assert any("every size was measured once" in text for text in series.warnings)
    two = _read(tmp_path, [f"{p},1,time,{p},s" for p in (2, 4)])
    with pytest.raises(InputError, match="2 different values of p; allowed: at least 3"):
        two.series()
    assert two.series(parameter="p", fewest=2).sizes.tolist() == [2.0, 4.0]


def test_names_are_proposed(tmp_path):
    found = _read(tmp_path, [f"{p},1,time,{p},s" for p in (2, 4, 8)])
    with pytest.raises(InputError, match="did you mean 'time'"):
        found.series("tiem")


def test_copied_rows_are_told(tmp_path):
    found = _read(tmp_path, ["2,1,time,3,s", "2,1,time,3,s", "4,1,time,3,s"])
    assert any("1 rows are repeated to the last digit" in text for text in found.warnings)
