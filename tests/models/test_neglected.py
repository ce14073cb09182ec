"""Defaults of nothing that leave something out say so: power, energy, time, money, mass."""

from dse.authoring.library.library import library_models, load_model
from dse.units import CURRENCIES

LEAVES_OUT = ("W", "J", "J/B", "s", "s/B", "kg", *CURRENCIES)
COUNTED_ELSEWHERE = {"loggp_gap": "no time of its own: sends follow one another after their overhead"}


def test_defaults_of_nothing_say_what_they_leave_out():
    nothing = {
        name: item
        for model in (*library_models(), load_model("facility.in_euros"))
        for name, item in model.assumptions.items()
        if item.value == 0 and item.unit in LEAVES_OUT
    }
    silent = {name for name, item in nothing.items() if not item.neglects}
    assert silent == set(COUNTED_ELSEWHERE)
    assert nothing["store_power"].neglects == "power of the store"
    assert {"remainder_power", "dram_buffer_power", "switch_energy", "storage_price"} <= nothing.keys()
