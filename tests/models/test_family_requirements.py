"""Requirements that families bring with them: what asks for more of a thing than there is, is never on a frontier."""

import pytest

from dse.api import Study
from dse.authoring.library.library import library_models

EVERY = {requirement.label for model in library_models() for requirement in model.requirements.values()}

DRAM = {
    "dram_clock": "1.6 GHz",
    "dram_transfers_per_clock": 2,
    "dram_devices_per_rank": 8,
    "dram_width": 8,
    "dram_rank_capacity": "16 GiB",
    "dram_channels": 8,
}
CASES = {
    "node_class.clock_within": {
        "models": ["node_class"],
        "objectives": [{"minimize": "core_voltage"}],
        "use": {"node_class": "many-core"},
        "set": {"core_frequency": "3 GHz"},
        "space": {"axes": {"core_built_frequency": {"values": ["2 GHz", "2.9 GHz", "3 GHz"]}}},
    },
    "node_class.cards_fit": {
        "models": ["node_class", "network"],
        "objectives": [{"maximize": "flop_rate_of_a_card"}],
        "quantities": {"flop_rate_of_a_card": "node_peak_flop_rate / nics_per_node"},
        "use": {"node_class": "accelerated"},
        "set": {"devices_per_node": 4, "device_flop_rate": "48 Tflop/s", "nics_max": 8},
        "space": {"axes": {"nics_per_node": {"values": [32, 16, 8]}}},
    },
    "node.ranks": {
        "models": ["node"],
        "objectives": [{"maximize": "dram_bandwidth"}],
        "use": {"memory": "devices"},
        "set": DRAM,
        "space": {"axes": {"dram_ranks": {"values": [2, 7, 8]}}},
    },
    "applications.memory": {
        "models": ["applications"],
        "objectives": [{"maximize": "linpack_filled_share"}],
        "use": {"linpack_problem": "given"},
        "set": {"node_memory_capacity": "8 GB", "linpack_equations": 2e5},
        "space": {"axes": {"nodes": {"values": [16, 39, 40]}}},  # 320 GB: forty nodes, by hand
    },
}


def test_every_requirement_has_a_case():
    of_network = {
        "network.ports",
        "network.port_speed",
        "network.switches_draw",
        "network.links_draw",
        "network.cards_draw",
    }
    # Those of networks: tests/models/network/test_impossible.py; of training, serving: their test_requirements.py.
    of_training = {name for name in EVERY if name.startswith(("training.", "serving."))}
    # Its own in tests/models/codesign/test_studies.py; others are those of the families that it joins.
    of_codesign = {name for name in EVERY if name.startswith("codesign.")}
    assert of_network | of_training | of_codesign | set(CASES) == EVERY


@pytest.mark.parametrize("name", CASES)
def test_only_the_possible_design_is_on_the_frontier(name):
    study = {"name": "impossible", **CASES[name]}
    ((axis, values),) = study["space"]["axes"].items()
    run = Study(study).run(trust=False)
    assert run.frontier["design"].tolist() == [len(values["values"]) - 1]
    assert list(run.manifest.certificate.infeasible.values()) == [2]
    assert run.manifest.constraints_text[0].endswith(f"(required by {name})")
    none = {**study, "space": {"axes": {axis: {"values": values["values"][:-1]}}}}
    assert len(Study(none).run(trust=False).frontier) == 0
    lifted = Study({**none, "lift": [name]}).run(trust=False)
    assert len(lifted.frontier) > 0
    assert [item.name for item in lifted.manifest.lifted] == [name]
