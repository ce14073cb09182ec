"""Put the folder of this file beside the topologies, and answer as JSON what a user would ask of the new one.

A process of its own: the list of topologies is made once, when the family is imported.
"""

import importlib.machinery
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


class WithFolder(importlib.machinery.PathFinder):
    """Find `dse.models.network.topologies` with one more folder in its path."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = super().find_spec(name, path, target)
        if name == "dse.models.network.topologies":
            spec.submodule_search_locations.append(str(FOLDER))
        return spec


sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != FOLDER]
# At the top, so that workers, which load this file, know the star too.
sys.meta_path.insert(0, WithFolder)

STAR = {"s": [4, 8], "p": 4, "b0": 7e9, "b1": 20e9, "l0": 1e-9, "l1": 10e-9}
STUDY = {
    "name": "stars",
    "models": ["network"],
    "objectives": [{"maximize": "effective_bandwidth"}, {"minimize": "switches"}],
    "also": ["shift_bandwidth", "shift_routed", "uniform_bottleneck", "neighbour_2d_bandwidth", "path_links"],
    "use": {"topology": "star"},
    "set": {
        "nodes_per_switch": 4,
        "node_link_bandwidth": "7 GB/s",
        "switch_link_bandwidth": "20 GB/s",
        "shift_step": 2,
    },
    "space": {"axes": {"arms": {"values": [2, 4, 8]}}},
}


def answers(folder):
    import dse
    from dse.authoring.library.library import load_model
    from dse.authoring.library.listing import available_models
    from dse.models.network import TOPOLOGIES, effective_bandwidth, mean_path, network_parts, shape_faults

    tiled = {"grid": (4, 4), "tiles": [(2, 2)]}
    try:
        effective_bandwidth("star", {**STAR, "s": 1})
        refused = ""
    except dse.errors.InputError as error:
        refused = str(error)
    model = load_model("network")
    return {
        "topologies": list(TOPOLOGIES),
        "models": list(available_models()),
        "parameters": list(model.parameters),
        "pictures": [picture.name for picture in model.pictures],
        "uniform": effective_bandwidth("star", STAR).tolist(),
        "shift": effective_bandwidth("star", STAR, "shift", {"step": 2}).tolist(),
        "tiles": effective_bandwidth("star", {**STAR, "s": 4}, "nearest-neighbour", tiled),
        "links": mean_path("star", STAR, "shift", {"step": 2}).links.tolist(),
        "valiant": effective_bandwidth("star", STAR, routing="valiant").tolist(),
        "switches": network_parts("star", STAR).switches.tolist(),
        "faults": [reason for reason, wrong in shape_faults("star", {"s": 1, "p": 4}) if wrong.any()],
        "refused": refused,
        "frontier": dse.Study(STUDY).run(folder).frontier.to_dict("records"),
    }


if __name__ == "__main__":
    print(json.dumps(answers(sys.argv[1]), default=str))
