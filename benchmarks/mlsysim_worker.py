"""Runs in the environment of `mlsysim`, alone (``python -I``): JSON of cuts in, of step times and their rate out."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from mlsysim.engine.solvers.distributed import DistributedModel
from mlsysim.models import Models
from mlsysim.systems import Systems
from mlsysim.systems.types import Fleet


def main() -> None:
    """Price every cut, all of them once before to leave out what is loaded late."""
    asked: dict[str, Any] = json.load(sys.stdin)
    node = Systems.Nodes.DGX_H100
    fleet = Fleet(
        name="H100",
        node=node,
        count=asked["devices"] // node.accelerators_per_node,
        fabric=Systems.Fabrics.InfiniBand_NDR,
    )
    solver, model = DistributedModel(), Models.Language.Llama3_405B

    def step_time(cut: dict[str, int]) -> float | None:
        copies = asked["devices"] // (cut["tensor"] * cut["pipeline"])
        priced = solver.solve(
            model,
            fleet,
            batch_size=asked["batch"],
            precision="fp16",
            efficiency=asked["efficiency"],
            tp_size=cut["tensor"],
            pp_size=cut["pipeline"],
            overlap_comm=True,
            seq_len=asked["sequence"],
            microbatch_count=max(1, asked["batch"] // copies),
        )
        return float(priced.step_latency_total.to("second").magnitude)

    times = [step_time(cut) for cut in asked["cuts"]]
    begun = time.process_time()
    for _ in range(asked["repeats"]):
        for cut in asked["cuts"]:
            step_time(cut)
    seconds = time.process_time() - begun
    json.dump({"times": times, "rate": asked["repeats"] * len(times) / seconds}, sys.stdout)


if __name__ == "__main__":
    main()
