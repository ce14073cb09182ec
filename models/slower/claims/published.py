"""Golden values of the closed model, statements of Sterling et al. 2014, and errors against a simulation of our own.

Where the paper says otherwise than its queues behave, both stand beside each other as a deviation.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.slower.claims.accuracy import errors_by_set
from dse.models.slower.experiments import EXPERIMENTS, experiment_gain
from dse.models.slower.factors import node_dynamic_power
from dse.models.slower.knees import core_knee, task_knee
from dse.models.slower.node_rate import gain, node_rate
from dse.models.slower.work import work_of_mix, work_of_thread

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "slower")
MIX = work_of_mix(0.08, 0.24)
SERVICE = 64.0 / (59.7 * 2**30) * 2.6e9
OVERHEADS = (1, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
THREADS = ((1, 1e-5, 1, 0), (1, 1e-5, 8, 500), (14, 1e-5, 8, 500), (14, 1e-4, 8, 500))


def claims() -> list[Claim]:
    """Return every figure and statement on hidden latency, with what the models give."""
    return [*_grids(), *_threads(), *_numbers(), *_figures(), *_inconsistencies(), *_errors(), *FIGURES.not_checkable()]


def _numbers_of(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in np.ravel(values))


def _grids() -> list[Claim]:
    rows = []
    cores = EXPERIMENTS["overhead"].values["cores"]
    for count, row in zip(cores, experiment_gain("overhead", overhead=OVERHEADS), strict=True):
        title = f"overhead: gain at overheads 1, 16, 64 ... 8192, cores {count:g}"
        rows.append(FIGURES.claim(title, _numbers_of(row)))
    for count, row in zip(EXPERIMENTS["tasks"].values["cores"], experiment_gain("tasks"), strict=True):
        rows.append(FIGURES.claim(f"tasks: gain of 1, 2 ... 256 tasks, cores {count:g}", _numbers_of(row)))
    for name, tasks in (("latency", 8), ("latency-64-tasks", 64)):
        for latency, row in zip(EXPERIMENTS[name].values["latency"], experiment_gain(name), strict=True):
            title = f"latency: gain on 1, 4, 8, 16, 32 cores, {tasks} tasks, latency {latency:g}"
            rows.append(FIGURES.claim(title, _numbers_of(row)))
    for share, row in zip(EXPERIMENTS["mix"].values["network_fraction"], experiment_gain("mix"), strict=True):
        title = f"mix: gain of 1, 2 ... 128 tasks, network operations {100 * share:g} %"
        rows.append(FIGURES.claim(title, _numbers_of(row)))
    return rows


def _threads() -> list[Claim]:
    curves = []
    for cores, p, tasks, overhead in THREADS:
        work = work_of_thread(1.02631, 0.002, SERVICE, p)
        rate = node_rate(work, latency=5200, overhead=overhead, tasks=tasks, cores=cores)
        title = f"thread: rate, efficiency, response on {cores} cores, {p:g} messages per instruction, "
        values = (float(rate.core_rate), float(rate.efficiency), float(rate.memory_response))
        curves.append(FIGURES.claim(f"{title}{tasks} tasks, overhead {overhead}", values))
    return curves


def _numbers() -> list[Claim]:
    p = MIX.messages
    work = (MIX.core_cycles / p, MIX.memory_accesses / p, MIX.cycles_per_instruction / p)
    values = (*work, MIX.cycles_per_instruction, MIX.cycles_with(200.0, 16.0) / p)
    few = work_of_mix([0.16, 0.01], [0.16, 0.31])
    knees = (float(task_knee(MIX, 8192, 16)), *_numbers_of(task_knee(few, 1024, 16)))
    cores = (core_knee(MIX, 8192, 16, 64), core_knee(MIX, 8192, 16, 8), core_knee(MIX, 1024, 16, 64))
    powers = (node_dynamic_power(200.0, 1.3e9, 2.6e9, 0.8, 1.0), node_dynamic_power(200.0, 1.3e9, 2.6e9, 1.0, 1.0))
    saturated = node_rate(MIX, latency=64, overhead=16, tasks=64, cores=64).node_rate
    return [
        FIGURES.claim("work of the mix: C, nu, C + nu S, c0, B at overhead 16", tuple(map(float, values))),
        FIGURES.claim("memory saturated: instructions per register operation of the node", float(saturated)),
        FIGURES.claim("knee of the tasks: Fig. 3; Fig. 5 at 16 % and at 1 % network operations", knees),
        FIGURES.claim(
            "knee of the cores: latency 8,192 with 64 and with 8 tasks, latency 1,024 with 64",
            tuple(map(float, cores)),
        ),
        FIGURES.claim("overhead at which 64 tasks are at their knee, latency 8,192", _overhead_at_knee()),
        FIGURES.claim(
            "dynamic power of 200 W at 2.6 GHz and 1 V: at 1.3 GHz and 0.8 V, at 1.3 GHz and 1 V",
            tuple(map(float, powers)),
        ),
    ]


def _overhead_at_knee() -> float:
    """B = L/(M - 1) without waiting, less what a task does between two messages."""
    return float(8192 / 63 - MIX.cycles_per_instruction / MIX.messages)


def _figures() -> list[Claim]:
    overhead, tasks = experiment_gain("overhead"), experiment_gain("tasks")
    latency, mix = experiment_gain("latency"), experiment_gain("mix")
    hair = 1.0 + 1e-9
    falls = np.all(overhead[:, 1:] <= overhead[:, :-1] * hair) and np.all(overhead[1:] <= overhead[:-1] * hair)
    flat = overhead[0, 6] > 0.98 * overhead[0, 0] and overhead[0, 9] < 0.5 * overhead[0, 6]
    grows = np.all(tasks[:, 1:] >= tasks[:, :-1] / hair) and tasks[0, -1] < 256 * 0.9
    even = latency[-1, -1] > 0.999 * latency[-1, 0] and latency[1, -1] < 0.25 * latency[1, 0]
    late = gain(MIX, latency=1024, overhead=2048, tasks=128)
    return [
        FIGURES.claim("Fig. 2: the gain falls with the overhead and with the cores", bool(falls)),
        FIGURES.claim("Fig. 2: the gain is flat for small overheads, then falls", bool(flat)),
        FIGURES.claim("Fig. 3: the gain grows with the tasks until overhead limits it", bool(grows)),
        FIGURES.claim("Fig. 4: the gain is bounded by the tasks", bool(np.all(latency <= 8.0))),
        FIGURES.claim("Fig. 4: nearly constant in the cores at the highest latencies, falling at others", bool(even)),
        FIGURES.claim(
            "Fig. 5: mixes with fewer network operations flatten earlier and lower",
            bool(np.all(np.diff(mix[1:, -1]) > 0.0) and np.all(np.diff(mix[1:, 3] / mix[1:, -1]) < 0.0)),
        ),
        FIGURES.claim("a switch that takes longer than the latency does not pay", bool(late < 1.0)),
    ]


def _inconsistencies() -> list[Claim]:
    few = work_of_mix([0.16, 0.01], [0.16, 0.31])
    text = float(experiment_gain("latency-64-tasks")[-1, 0])
    caption = float(experiment_gain("latency")[-1, 0])
    growth = gain(MIX, latency=8192, overhead=16, tasks=[32, 64])
    cumulative = work_of_mix(0.08, 0.24, cumulative=True).cycles_per_instruction
    return [
        FIGURES.claim("Fig. 2: knee where overhead times tasks is the latency: overhead", _overhead_at_knee()),
        FIGURES.claim(
            "Fig. 3: knee where tasks times overhead are the latency: tasks", float(task_knee(MIX, 8192, 16))
        ),
        FIGURES.claim(
            "Fig. 5: knee where tasks times overhead are the latency: tasks at 16 % and at 1 % network operations",
            _numbers_of(task_knee(few, 1024, 16)),
        ),
        FIGURES.claim(
            "growth of the gain with the tasks: exponential (gain of 64 tasks over that of 32)",
            float(growth[1] / growth[0]),
        ),
        FIGURES.claim("Fig. 4: 64 tasks by the text: gain at 8,192 on one core, bounded by 8 as in the caption", text),
        FIGURES.claim("Fig. 4: 8 tasks by the caption: gain at 8,192 on one core, bounded by 8", caption <= 8.0),
        FIGURES.claim("Fig. 4: bound slightly exceeded at high latencies on one core", caption > 8.0),
        FIGURES.claim("gain of runs of 2^17 at latency 8,192, 8 tasks, one core: mean over 200 seeds", caption),
        FIGURES.claim(
            "an access that misses costs only the level that answers: cycles per instruction", float(cumulative)
        ),
    ]


def _errors() -> list[Claim]:
    by_name, near, far = errors_by_set()
    by_set = [
        FIGURES.claim(title, by_name[_set_of(title)])
        for title in FIGURES
        if title.startswith("error of the node rate, ")
    ]
    return [
        *by_set,
        FIGURES.claim("error of the node rate at latencies of 1,024 and more, all sets: at most 5 %", far <= 5.0),
        FIGURES.claim("error of the node rate below 1,024, all sets: at most 12 %", near <= 12.0),
    ]


def _set_of(title: str) -> str:
    return title.removeprefix("error of the node rate, ").partition(" (")[0]
