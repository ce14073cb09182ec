"""The exact search with both halves as groups against every design by brute force, in plain Python."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

import dse.studies
from dse.api import Study
from tests.models.serving import oracle

OF = ("gpt-oss-120b", "B200 SXM", "trt", "fp4")
CUTS = {"g1 t1 d1 e1": (1, 1, 1), "g2 t2 d1 e1": (2, 1, 1), "g2 t1 d2 e2": (1, 2, 2), "g4 t4 d1 e2": (4, 2, 1)}
BATCHES, WORKERS = (4, 32, 256, 1024), (1, 2, 3)
STUDY = {
    "name": "small-apart",
    "models": ["serving"],
    "objectives": [{"maximize": "serving_tokens_per_device"}, {"maximize": "user_token_rate"}],
    "constraints": ["time_to_first_token <= 80 ms"],
    "use": {"serving_stack": "of-engine", "serving_mode": "apart"},
    "set": {"input_tokens": 921.6, "output_tokens": 921.6},
    "space": {
        "axes": {
            "architecture": {"enumerate": "serving.architectures", "given": {"names": ["gpt-oss-120b"]}},
            "engine": {
                "enumerate": "serving.engines",
                "given": {"devices": ["B200 SXM"], "stacks": ["trt"], "precisions": ["mxfp4"]},
            },
            "cut": {
                "enumerate": "serving.cuts",
                "given": {"architecture": "gpt-oss-120b", "largest": 4},
                "only": list(CUTS),
            },
            "requests": {"values": list(BATCHES)},
            "prompt_cut": {
                "enumerate": "serving.prompt_cuts",
                "given": {"architecture": "gpt-oss-120b", "largest": 4},
                "only": list(CUTS),
            },
            "prompt_workers": {"values": list(WORKERS)},
            "decode_workers": {"values": list(WORKERS)},
        }
    },
}


def by_hand():
    """All designs within the limits that no other beats, as (rate per device, rate of a user)."""
    points = []
    for t, e, d in CUTS.values():
        decoding = oracle.engine(*OF, t, e, d)
        for b in BATCHES:
            if b < d or oracle.memory(decoding, b, 921.6, 921.6)["bytes"] > 0.9 * decoding.C:
                continue
            for own in CUTS.values():
                pre = oracle.engine(*OF, *own)
                for many in WORKERS:
                    for others in WORKERS:
                        of = oracle.apart(pre, many, decoding, others, b, 921.6, 921.6)
                        if of["first_token"] <= 0.080:
                            points.append((of["rate_per_device"], 1.0 / of["time_per_token"]))
    points = np.array(points)
    beaten = [(((points >= point) & ((points > point).any(axis=1)[:, None])).all(axis=1)).any() for point in points]
    return np.unique(np.round(points[~np.array(beaten)], 6), axis=0)


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_as_by_hand(method):
    run = Study({**STUDY, "search": {"method": method}}).run(trust=False)
    assert run.manifest.certificate.exact
    columns = run.frontier[["serving_tokens_per_device", "user_token_rate"]].to_numpy()
    np.testing.assert_allclose(np.unique(np.round(columns, 6), axis=0), by_hand(), rtol=1e-9)


@pytest.mark.slow
def test_both_halves_are_groups_of_the_large_study():
    """Of a twelfth of it: every third number of requests, one and no draft, caches of eight bits."""
    content = tomllib.loads((Path(dse.studies.__file__).parent / "serving-together-or-apart.toml").read_text("utf-8"))
    space = content["space"]
    space["axes"]["requests"]["values"] = space["axes"]["requests"]["values"][::3]
    space["choices"]["drafts"] = {name: space["choices"]["drafts"][name] for name in ("none", "one")}
    space["choices"]["caches"] = {"8-bit": space["choices"]["caches"]["8-bit"]}
    run = Study(content).run(method="groups", trust=False)
    certificate = run.manifest.certificate
    assert certificate.exact
    assert certificate.designs == 9_071_755_264 * 9 // (26 * 4)
    assert certificate.pruned_by_group > 0.9 * certificate.designs
    assert certificate.checked["better"] == 0
    assert len(run.frontier) > 30
