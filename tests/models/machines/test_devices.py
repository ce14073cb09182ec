"""Which row of the catalogue of devices a machine's accelerator is, and what the rows say of themselves."""

import pytest

from dse.models.machines.catalogue.devices import catalogued, device_flop_rate, device_name, devices


@pytest.mark.parametrize(
    ("called", "model"),
    [
        ("AMD MI300A APU", "MI300A"),
        ("NVIDIA GH200", "GH200"),
        ("NVIDIA H200", "H200"),
        ("nvidia h100 sxm", "H100"),
        ("NVIDIA H100 64GB", "H100"),
        ("Intel Data Center GPU Max 1550", "GPU Max 1550"),
        ("MI300X", "MI300X"),
        ("AMD MI300", None),  # neither MI300A nor MI300X
        ("NVIDIA A100 64 GB (custom)", None),
        ("NVIDIA P100", None),
        ("", None),
    ],
)
def test_names_are_matched_by_whole_words(called, model):
    row = catalogued(called)
    assert (None if row is None else str(devices()["device_model"][row])) == model
    assert (device_flop_rate(called) is None) == (model is None)


@pytest.mark.parametrize(
    ("accelerator", "processor", "name"),
    [
        ("AMD MI300A APU", "(in APU)", "MI300A"),
        ("NVIDIA P100", "Xeon E5-2690 v3", "P100"),
        ("", "IBM PowerPC A2", "PowerPC A2"),
        ("", "Fujitsu A64FX", "A64FX"),
        ("Matrix-2000", "Xeon E5-2692v2", "Matrix-2000"),
    ],
)
def test_what_the_laws_call_a_device(accelerator, processor, name):
    assert device_name(accelerator, processor) == name


def test_rows_say_where_they_are_from_and_which_rating_they_have():
    table = devices()
    assert len({str(one) for one in table["device_model"]}) == len({str(one) for one in table["name"]}) == 15
    for column in ("source", "confidence", "device_power_rating", "validation", "note"):
        assert all(str(one).strip() for one in table[column]), column
    for name, rating, machines in zip(
        table["name"], table["device_power_rating"], table["device_measured_machines"], strict=True
    ):
        if machines == 0:
            assert any(word in str(rating) for word in ("data sheet", "press")), name
    (mi300a,) = [at for at, name in enumerate(table["name"]) if name == "MI300A"]
    assert table["device_power"][mi300a] == 760
    assert "550 W" in str(table["note"][mi300a])
    assert "1.10 and 1.23" in str(table["note"][mi300a])
