"""DRAM: MeSAP against a plain account of its cycles, published powers, energies per bit, CACTI style."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.power import (
    DramDevice,
    busy_share,
    cacti_power,
    dram_device,
    dram_type,
    dram_types,
    line_rates,
    mesap_power,
    type_power,
)
from dse.models.power.mesap import IO_POWER, of_type

DEVICE = dram_device("DDR4-2400 x8 4 GB rank")
ADI = {"bytes_read": 9121820000.0, "bytes_written": 2724930000.0, "duration": 18946600000 / 2.6e9, "ranks": 8.0}


def by_hand(device, bytes_read, bytes_written, duration, ranks):
    """MeSAP for plain numbers, in the words of its description."""
    cycles, tau = duration * device.clock, 1 / device.clock
    burst = device.devices_per_rank * device.burst_length * device.width / 8
    reads, writes = bytes_read / burst / ranks, bytes_written / burst / ranks
    refreshes = cycles // device.refresh_interval
    left = cycles - refreshes * (device.refresh_cycles + device.precharge_cycles)
    page = device.active_cycles + device.precharge_cycles
    active = min((reads + writes) * page, left)
    opened = active * device.active_cycles / page + refreshes * (device.refresh_cycles - device.precharge_cycles)
    closed = cycles - opened
    volts, transfer = device.supply, device.burst_length / device.transfers_per_clock * tau
    joules = {
        "read": reads * volts * (device.idd4r - device.idd3n) * transfer,
        "write": writes * volts * (device.idd4w - device.idd3n) * transfer,
        "activate": (reads + writes) * volts * (device.idd0 - device.idd3n) * device.active_cycles * tau,
        "precharge": (reads + writes) * volts * (device.idd0 - device.idd2n) * device.precharge_cycles * tau,
        "refresh": refreshes * volts * (device.idd5b - device.idd3n) * device.refresh_cycles * tau,
        "active_standby": opened * device.idd3n * volts * tau,
        "precharge_standby": closed * device.idd2n * volts * tau,
    }
    return {name: device.devices_per_rank * ranks * value / duration for name, value in joules.items()}


class TestGoldens:
    @pytest.mark.parametrize(
        ("name", "cycles", "read", "written", "static", "dynamic", "io", "total"),
        [
            ("DDR4-2400 x8 4 GB rank", 1171704041, 0, 0, 2.96562, 0.38009, 0, 3.34572),
            ("DDR4-2400 x8 4 GB rank", 18946600000, 9121820000, 2724930000, 3.01120, 0.69726, 0.04386, 3.75231),
            ("DDR4-2400 x8 4 GB rank", 427019000, 121286000, 70890400, 2.99842, 0.60709, 0.04082, 3.64634),
            ("DDR4-1866 x8 4 GB rank", 18946600000, 9121820000, 2724930000, 2.66796, 0.73653, 0.05641, 3.46090),
        ],
    )
    def test_to_the_printed_digits(self, name, cycles, read, written, static, dynamic, io, total):
        found = mesap_power(dram_device(name), bytes_read=read, bytes_written=written, duration=cycles / 2.6e9, ranks=8)
        assert float(found.static) == pytest.approx(static, abs=5.1e-6)
        assert float(found.dynamic - found.io) == pytest.approx(dynamic, abs=5.1e-6)
        assert float(found.io) == pytest.approx(io, abs=5.1e-6)
        assert float(found.total) == pytest.approx(total, abs=5.1e-6)

    def test_parts(self):
        found = mesap_power(DEVICE, **ADI)
        parts = (found.read, found.write, found.activate, found.precharge, found.refresh)
        np.testing.assert_allclose(np.array(parts, float), [0.0879, 0.0233, 0.1327, 0.0732, 0.3801], atol=5.1e-5)
        standby = (found.active_standby, found.precharge_standby)
        np.testing.assert_allclose(np.array(standby, float), [0.5632, 2.4480], atol=5.1e-5)

    def test_published_program(self):
        """Graph 500 on Xeon E5-2690: 8 707 363 lines in 1.656683449 s."""
        share = 420879595 / (420879595 + 54676743)
        moved = 8707363.1 * 64
        found = mesap_power(
            dram_device("DDR4-2400 x8 4 GB rank (gem5)"),
            bytes_read=share * moved,
            bytes_written=(1 - share) * moved,
            duration=1.656683449,
            ranks=8,
        )
        assert float(found.total) == pytest.approx(4.381639, abs=6e-7)
        assert float(found.activate) < 0  # idd0 is below idd3n in this device


class TestMesap:
    @given(read=st.floats(0, 2e9), written=st.floats(0, 2e9), duration=st.floats(0.5, 20), ranks=st.integers(1, 16))
    def test_equals_the_account_by_hand_and_partitions_the_cycles(self, read, written, duration, ranks):
        run = {"bytes_read": read, "bytes_written": written, "duration": duration, "ranks": float(ranks)}
        found = mesap_power(DEVICE, **run, over_demand="saturate")
        for name, value in by_hand(DEVICE, **run).items():
            assert float(getattr(found, name)) == pytest.approx(value, rel=1e-9, abs=1e-12), name
        scale = DEVICE.devices_per_rank * ranks * DEVICE.supply
        cycles = found.active_standby / (scale * DEVICE.idd3n) + found.precharge_standby / (scale * DEVICE.idd2n)
        assert float(cycles) == pytest.approx(1.0, rel=1e-12)

    def test_too_much_traffic(self):
        with pytest.raises(InputError) as error:
            mesap_power(DEVICE, bytes_read=100e9, bytes_written=0.0, duration=1.0, ranks=8.0)
        assert str(error.value) == (
            "the ranks would need 9.63 times the cycles there are: the traffic is more than this memory can carry; "
            "allowed: less traffic, more ranks or a longer run (busy_share <= 1)"
        )
        share = busy_share(DEVICE, bytes_read=100e9, bytes_written=0.0, duration=1.0, ranks=8.0)
        assert float(share) == pytest.approx(9.63, abs=0.005)
        saturated = mesap_power(
            DEVICE, bytes_read=100e9, bytes_written=0.0, duration=1.0, ranks=8.0, over_demand="saturate"
        )
        assert np.isfinite(saturated.total)

    def test_one_row_too_many_is_enough(self):
        with pytest.raises(InputError, match=r"^the ranks would need"):
            mesap_power(DEVICE, bytes_read=np.array([1e9, 100e9]), bytes_written=0.0, duration=1.0, ranks=8.0)

    def test_pins_of_other_widths(self):
        """A x4 device moves a byte with twice the pins' time; the published form forgets it."""
        wide, narrow = (dataclasses.replace(DEVICE, width=w, devices_per_rank=64 / w) for w in (8, 4))
        corrected = [float(mesap_power(one, **ADI).io) for one in (wide, narrow)]
        published = [float(mesap_power(one, **ADI, io="published").io) for one in (wide, narrow)]
        assert corrected[0] == published[0]
        assert corrected[1] == pytest.approx(corrected[0])
        assert published[1] == pytest.approx(corrected[0] / 2)

    def test_mean_refreshes_are_smooth(self):
        durations = np.linspace(1e-5, 5e-5, 400)
        run = {"bytes_read": 0.0, "bytes_written": 0.0, "ranks": 8.0}
        smooth = mesap_power(DEVICE, duration=durations, refreshes="mean", **run).total
        whole = mesap_power(DEVICE, duration=durations, **run).total
        assert np.ptp(smooth) < 1e-12 * smooth[0] + 1e-12
        assert np.ptp(whole) > 0.01

    def test_buffers_are_static(self):
        plain, buffered = (mesap_power(DEVICE, **ADI, buffer_power=w) for w in (0.0, 5.0))
        assert float(buffered.static - plain.static) == pytest.approx(5.0)
        assert float(buffered.power.dynamic) == float(plain.dynamic)

    def test_types_of_pins(self):
        assert of_type(DEVICE, "DDR3").read_pin_power == IO_POWER["DDR3"][0]
        assert of_type(DEVICE, "HBM").write_pin_power == 0.0
        published = dram_device("DDR3-1600 x8 4 GB rank (gem5)", kind="DDR4")
        assert published.read_pin_power == IO_POWER["DDR4"][0]
        assert dram_device("DDR3-1600 x8 4 GB rank (gem5)").read_pin_power == IO_POWER["DDR3"][0]

    def test_arrays_of_devices(self):
        names = ["DDR4-2400 x8 4 GB rank", "DDR4-1866 x8 4 GB rank"]
        devices = [dram_device(name) for name in names]
        fields = [field.name for field in dataclasses.fields(DramDevice)]
        both = DramDevice(**{name: np.array([getattr(one, name) for one in devices]) for name in fields})
        found = mesap_power(both, **ADI)
        for place, one in enumerate(devices):
            assert float(found.total[place]) == float(mesap_power(one, **ADI).total)

    def test_a_million_at_once(self):
        duration = np.linspace(5.0, 20.0, 1_000_000)
        found = mesap_power(DEVICE, **{**ADI, "duration": duration})
        assert found.total.shape == duration.shape
        assert (found.total > 0).all()

    def test_ranges_hold_the_points(self):
        rng = np.random.default_rng(3)
        a, b = rng.uniform(5, 20, 100), rng.uniform(5, 20, 100)
        bounds = mesap_power(DEVICE, **{**ADI, "duration": Range(np.minimum(a, b), np.maximum(a, b))})
        for point in (a, b, (a + b) / 2):
            value = mesap_power(DEVICE, **{**ADI, "duration": point}).total
            assert (bounds.total.low <= value).all()
            assert (value <= bounds.total.high).all()

    @pytest.mark.parametrize("given", [{"refreshes": "some"}, {"io": "right"}, {"over_demand": "clip"}])
    def test_options(self, given):
        (name, value), *_ = given.items()
        with pytest.raises(InputError, match=f"^{name}: {name} is '{value}'; allowed:"):
            mesap_power(DEVICE, **ADI, **given)

    def test_unknown_devices(self):
        with pytest.raises(InputError, match="no row with name"):
            dram_device("DDR9")


class TestTypes:
    @pytest.mark.parametrize("name", dram_types())
    def test_totals_of_the_catalogue(self, name):
        """A stream reads whole rows, random access one line per row."""
        from dse.models.power.dram import _catalogue

        dram, row = dram_type(name), _catalogue("dram-types").where(name=name)
        rate = 1e9
        for column, per_row in (("stream", dram.row), ("random", 64.0)):
            power = type_power(
                dram,
                read_bandwidth=rate,
                write_bandwidth=0.0,
                capacity=dram.unit_capacity,
                bytes_per_activation=per_row,
            )
            per_bit = float(power.dynamic) / rate / 8 * 1e12
            assert per_bit == pytest.approx(row[f"dram_{column}_read_energy"][0] / 8 * 1e12, abs=0.0051)

    def test_background(self):
        dram = dram_type("DDR4-3200")
        quiet = {"read_bandwidth": 0.0, "write_bandwidth": 0.0, "capacity": 16e9}
        assert float(type_power(dram, **quiet).static) == pytest.approx(16 * (0.0624 + 0.0107))
        assert float(type_power(dram, **quiet, active_share=0.0).static) == pytest.approx(16 * (0.0444 + 0.0107))
        assert float(type_power(dram, **quiet, active_share=0.0, down_share=1.0).static) == pytest.approx(
            16 * (0.03 + 0.0107)
        )

    def test_writes(self):
        dram = dram_type("DDR3L-1600")
        power = type_power(dram, read_bandwidth=0.0, write_bandwidth=1e9, capacity=8e9)
        assert float(power.dynamic) == pytest.approx(8e9 * (7.8 + 13.25) * 1e-12 + 1e9 / 64 * 10.651e-9)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"read_bandwidth": 30e9}, r"^traffic over peak bandwidth = 1.17"),
            ({"active_share": 0.8, "down_share": 0.3}, r"^active_share \+ down_share = 1.1"),
            ({"active_share": -0.1}, r"^active_share \+ down_share = -0.1"),
            ({"bytes_per_activation": 0.0}, r"^bytes_per_activation = 0"),
        ],
    )
    def test_refusals(self, given, message):
        quiet = {"read_bandwidth": 0.0, "write_bandwidth": 0.0, "capacity": 8e9}
        with pytest.raises(InputError, match=message):
            type_power(dram_type("DDR4-3200"), **{**quiet, **given})

    def test_estimates_say_so(self):
        assert dram_type("DDR4-3200").confidence == "medium-high"
        assert dram_type("HBM3 6.4 Gb/s").confidence == "low"

    def test_ranges(self):
        dram = dram_type("HBM2E 3.2 Gb/s")
        bounds = type_power(dram, read_bandwidth=Range(1e10, 2e11), write_bandwidth=0.0, capacity=16e9)
        value = type_power(dram, read_bandwidth=1e11, write_bandwidth=0.0, capacity=16e9)
        assert bounds.total.low <= value.total <= bounds.total.high


MEMORY = {"die_capacity": 1e9, "leakage_per_bank": 0.001, "read_energy": 2e-8, "write_energy": 3e-8}


class TestCacti:
    def test_by_hand(self):
        found = cacti_power(capacity=7.5e9, read_rate=1e8, write_rate=5e7, **MEMORY)
        assert (found.static, found.dynamic) == pytest.approx((8 * 8 * 0.001, 2.0 + 1.5))

    def test_rates_count_all_threads(self):
        one = line_rates(read_lines=0.01, written_lines=0.005, frequency=2e9, cycles_per_instruction=2.0)
        assert one == pytest.approx((1e7, 5e6))
        many = line_rates(read_lines=0.01, written_lines=0.005, frequency=2e9, cycles_per_instruction=2.0, threads=14)
        assert many == pytest.approx((1.4e8, 7e7))

    def test_whole_dies_on_ranges(self):
        bounds = cacti_power(capacity=Range(7.5e9, 8.5e9), read_rate=1e8, write_rate=0.0, **MEMORY)
        assert (float(bounds.static.low), float(bounds.static.high)) == pytest.approx((0.064, 0.072))
