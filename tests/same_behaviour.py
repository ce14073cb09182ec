"""The yardstick of the rebuilding: what the project computed before, and whether it still does.

    git worktree add /tmp/before de7e972        # the commit before the first move, with an environment of its own
    cp tests/same_behaviour.py /tmp/before/tests/
    (cd /tmp/before && .venv/bin/python tests/same_behaviour.py record /tmp/recorded)
    .venv/bin/python tests/same_behaviour.py check /tmp/recorded

Recorded are the bytes of the frontier and the certificate of every study; what `search` gives for 300 random problems
by three methods, with a tolerance, stopped and resumed; every model function of the library at random inputs, 5,000 at
least; `effective_bandwidth`, `mean_path` and `network_parts` of 5,000 random networks each (to the bit),
`predict` of 5,000 and `predict_mixture` of 5,000 random machines (to 1e-12), and the ``--json`` of the commands. The
module a quantity stands in is left out of every text. ``--only`` takes some of the parts.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
# Where a script lies comes first on the path, and tests/ has a folder named dse.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "tests"]
COUNT = 5_000
_QUALIFIED = re.compile(r"\b[a-z_]\w*(?:\.[a-z_]\w*)+\b")
_VOLATILE = {"hashes", "timings", "versions", "seconds", "search_seconds", "designs_per_second", "folder", "study_file"}
_VOLATILE |= {"study_folder", "file", "path", "report", "files"}


def without_modules(value: Any) -> Any:
    """Return a JSON value without names of modules, folders and times."""
    if isinstance(value, dict):
        return {without_modules(k): without_modules(v) for k, v in value.items() if k not in _VOLATILE}
    if isinstance(value, list):
        return [without_modules(one) for one in value]
    if isinstance(value, str):
        return _QUALIFIED.sub(lambda match: match[0].rpartition(".")[2], value)
    return value


def plain(value: Any) -> Any:
    """Return what a function answered as numbers and texts that JSON writes to the last bit."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [str(value.dtype), list(value.shape), *map(str, value.reshape(-1))]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, (bool, np.bool_, int, np.integer, str)) or value is None:
        return value if isinstance(value, str) or value is None else int(value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return {name: plain(one) for name, one in sorted(vars(value).items())}


def digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def attempt(function: Callable, *arguments: Any, **options: Any) -> Any:
    """Return an answer, or the message of the error."""
    try:
        return plain(function(*arguments, **options))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def module_at(path: str, package: str = "") -> Any:
    """Load a file of the tests."""
    name = f"{package}.{Path(path).stem}" if package else Path(path).stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


# ---- studies and searches -----------------------------------------------------------------------------------------


def studies() -> dict[str, Any]:
    """Bytes of the frontier, and certificate, of every study that comes with the project."""
    import dse

    found = {}
    for path in sorted((ROOT / "studies").glob("*.toml")):
        found[path.stem] = _frontier_and_certificate(dse.Study.load(path.stem))
    return found


def _frontier_and_certificate(study: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        study.run(Path(folder) / "run")
        data = (Path(folder) / "run" / "frontier.parquet").read_bytes()
        certificate = json.loads((Path(folder) / "run" / "manifest.json").read_text())["certificate"]
    return {"frontier": hashlib.sha256(data).hexdigest(), "certificate": without_modules(certificate)}


def processor_studies() -> dict[str, Any]:
    """Frontiers of studies with memory queueing, ways of caches, in-order cores and two programs."""
    module_at("tests/example_counts.py")  # which the tests beside it import by its name
    sys.path.insert(0, str(ROOT))
    small = importlib.import_module("tests.models.processor.small_studies")
    sys.path.remove(str(ROOT))
    kib, mib = 1024, 1024**2
    axes = {
        "l3_size": [2 * mib, 8 * mib, 20 * mib, 35 * mib],
        "l2_size": [128 * kib, 256 * kib, 512 * kib],
        "frequency": [1.2e9, 2.0e9, 2.6e9, 3.3e9],
        "reorder_buffer": [32, 96, 192],
    }
    found = {}
    for order in ("out-of-order", "in-order"):
        for queue in ("none", "queueing"):
            for caches in ("fully-associative", "set-associative"):
                for model in ("interaction", "independent"):
                    for programs in ("one", "two"):
                        use = {"core_order": order, "dram_queueing": queue, "cache_organisation": caches}
                        use |= {"processor_model": model, "programs": programs}
                        name = " ".join([*use.values()])
                        found[name] = _small_frontier(small, use, axes)
    return found


def _small_frontier(small: Any, use: dict[str, str], axes: dict) -> Any:
    two = use["programs"] == "two"
    changes: dict[str, Any] = {"threads": 3}
    if two:
        changes["threads_2"] = 5
    else:
        use = {name: chosen for name, chosen in use.items() if name != "programs"}
    if use["processor_model"] == "independent":
        changes |= dict.fromkeys(("dispatch_width", "vector_units", "vector_width"))
    if use["core_order"] == "in-order":
        changes["reorder_buffer"] = None
        axes = {name: values for name, values in axes.items() if name != "reorder_buffer"}
    if use["cache_organisation"] == "set-associative":
        changes |= {"l1_ways": 8, "l2_ways": 8, "l3_ways": 16}
    names = ["graph500-seq-csr", "graph500-seq-list"] if two else "graph500-seq-csr"
    objectives = ("run_time", "dram_traffic", "l3_size")
    try:
        study = small.small_study(names, axes, use, objectives=objectives, also=("cycles_per_instruction",), **changes)
        frontier = study.run().frontier
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return {name: frontier[name].tolist() for name in frontier.columns}


def either(*names: str) -> Any:
    """Import the first of some modules that is there: what moved has another name before than after."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(", ".join(names))


def searches() -> dict[str, Any]:
    """Answers and certificates of 300 random problems by three methods: plainly, with a tolerance, with stops."""
    problems = module_at("tests/engine_problems.py")
    driver = either("dse.search.driver")
    tolerances = either("dse.search.account.tolerance", "dse.search.account.tolerance")

    def answer(result: Any) -> list[Any]:
        certificate = json.loads(json.dumps(result.certificate.as_dict(), default=str))
        return [result.numbers.tolist(), plain(result.values), without_modules(certificate)]

    plainly, within, stopped = [], [], []
    rng = np.random.default_rng(2026)
    for number in range(300):
        problem = problems.random_case(rng).problem()
        for method in ("exhaustive", "bundles", "groups"):
            plainly.append(answer(driver.search(problem, driver.SearchOptions(method=method))))
            if number % 3 == 0:
                names = [objective.quantity for objective in problem.objectives]
                many = len(problem.objectives)
                tolerance = tolerances.Tolerance(tuple(names), ("relative",) * many, (0.07,) * many)
                options = driver.SearchOptions(method=method, tolerance=tolerance)
                within.append(attempt(lambda p=problem, o=options: answer(driver.search(p, o))))
            if number % 3 == 1:
                options = driver.SearchOptions(method=method, budget=3600.0)
                stopped.append(_stops(driver, problem, options, answer))
    parts = {"plainly": plainly, "with a tolerance": within, "stopped and resumed": stopped}
    return {name: {"answers": len(answers), "digest": digest(answers)} for name, answers in parts.items()}


def _stops(driver: Any, problem: Any, options: Any, answer: Callable) -> list[Any]:
    """Stop after every third round, go on with what a ledger kept, until the end."""
    stopping = either("dse.search.account.stopping", "dse.search.account.stopping")
    packing = either("dse.run.disk.kept_rounds", "dse.run.disk.kept_rounds")

    class Looks(stopping.Stop):
        looks = 3

        @property
        def reason(self) -> str | None:
            self.looks -= 1
            return stopping.BUDGET if self.looks < 0 else None

    class Ledger:
        chunks: dict[Any, Any] = {}  # noqa: RUF012
        rounds: Any = None

        def load(self, chunk: Any) -> Any:
            return self.chunks.get(chunk)

        def store(self, chunk: Any, result: Any) -> None:
            self.chunks[chunk] = result

        def load_rounds(self) -> Any:
            return None if self.rounds is None else packing.unpacked_rounds(self.rounds)

        def store_rounds(self, kept: Any) -> None:
            self.rounds = packing.packed_rounds(kept)

    ledger, answers = Ledger(), []
    ledger.chunks = {}
    for _ in range(200):
        result = driver.search(problem, options, ledger=ledger, stop=Looks())
        answers.append(answer(result))
        if result.certificate.stopped is None:
            break
    return answers


def model_functions() -> dict[str, Any]:
    """Every model function of the library, at random inputs that depend on its name alone."""
    library = either("dse.authoring.library.library", "dse.authoring.library.library")
    functions: dict[str, Any] = {}
    for models in (library.library_models, library._modules_alone):
        for model in models():
            for function in model.functions:
                key = f"{function.name} {function.slot} {function.provider} {','.join(function.needs)}"
                functions.setdefault(key, function)
    answers, inputs, refused = {}, 0, 0
    for key in sorted(functions):
        seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
        rng = np.random.default_rng(seed)
        drawn = []
        for scale in (0.5, 1.0, 3.0, 6.0):
            values = [np.round(10 ** rng.uniform(-scale, scale, 3), 6) for _ in functions[key].needs]
            with np.errstate(all="ignore"):
                drawn.append(attempt(functions[key].function, *values))
            inputs += 3
            refused += isinstance(drawn[-1], str)
        answers[key] = digest(without_modules(drawn))
    return {"functions": len(functions), "inputs": inputs, "refused": refused, "answers": answers}


# ---- networks ------------------------------------------------------------------------------------------------------


def _designs(rng: np.random.Generator) -> Iterator[tuple[str, dict, str, dict | None, str]]:
    """Yield random networks with patterns, most of which can be built."""
    import math

    def number(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    def bandwidth() -> float:
        return float(2.0 ** rng.uniform(-3, 6))

    def latency() -> float:
        return number(0, 65) / 4

    while True:
        name = str(rng.choice(["full-mesh", "fat-tree-2-level", "fat-tree-3-level", "torus", "hyperx", "dragonfly",
                               "slim-fly"]))  # fmt: skip
        par: dict[str, Any] = {"b0": bandwidth(), "l0": latency()}
        if name == "full-mesh":
            par |= {"a": number(1, 12), "p": number(1, 9), "b1": bandwidth(), "l1": latency()}
            blocks = [par["p"], par["a"]]
        elif name == "fat-tree-2-level":
            par |= {"m1": number(1, 9), "m2": number(1, 9), "w1": number(1, 5), "b1": bandwidth(), "l1": latency()}
            blocks = [par["m1"], par["m2"]]
        elif name == "fat-tree-3-level":
            par |= {"m1": number(1, 6), "m2": number(1, 6), "m3": number(1, 5), "w1": number(1, 4), "w2": number(1, 4)}
            par |= {"b1": bandwidth(), "b2": bandwidth(), "l1": latency(), "l2": latency()}
            blocks = [par["m1"], par["m2"], par["m3"]]
        elif name in ("torus", "hyperx"):
            dimensions = number(1, 5)
            d = tuple(number(1, {1: 17, 2: 9, 3: 6, 4: 4}[dimensions]) for _ in range(dimensions))
            par |= {"d": d, "p": number(1, 5)}
            several = rng.random() < 0.5
            par["b"] = [bandwidth() for _ in d] if several else bandwidth()
            par["l"] = [latency() for _ in d] if several else latency()
            if name == "torus" and rng.random() < 0.5:
                par["double_link_at_2"] = bool(rng.integers(2))
            blocks = [par["p"], math.prod(d)]
        elif name == "dragonfly":
            a, h = number(1, 6), number(1, 4)
            par |= {"a": a, "p": number(1, 4), "h": h, "bl": bandwidth(), "bg": bandwidth()}
            par |= {"ll": latency(), "lg": latency()}
            if rng.random() < 0.5:
                par["g"] = int(rng.choice([g for g in range(2, a * h + 2) if a * h % (g - 1) == 0]))
            blocks = [par["p"], a, par.get("g", a * h + 1)]
        else:
            par |= {"q": int(rng.choice([3, 4, 5, 7])), "p": number(1, 5), "b1": bandwidth(), "l1": latency()}
            blocks = [par["p"], 2 * par["q"] ** 2]
        pattern = str(rng.choice(["uniform", "shift", "nearest-neighbour", "complement", "transpose", "bit-reversal",
                                  "butterfly", "tornado"]))  # fmt: skip
        nodes = math.prod(blocks)
        extra: dict[str, Any] | None = None
        if pattern == "uniform" and rng.random() < 0.5:
            extra = {"include_self": bool(rng.integers(2))}
        elif pattern == "shift":
            extra = {"step": number(1, max(nodes, 2))}
        elif pattern == "nearest-neighbour":
            extra = _tiling(rng, blocks)
        routing = str(rng.choice(["minimal", "minimal", "minimal", "dimension-order", "valiant", "best"]))
        yield name, par, pattern, extra, routing


def _tiling(rng: np.random.Generator, blocks: list[int]) -> dict[str, Any]:
    sides = int(rng.integers(1, 4))

    def cut(number: int) -> list[int]:
        parts = [1] * sides
        for prime in (2, 3, 5, 7, 11, 13):
            while number % prime == 0:
                parts[int(rng.integers(sides))] *= prime
                number //= prime
        parts[0] *= number
        return parts

    sizes, grid = [], [1] * sides
    for block in blocks:
        grid = [a * b for a, b in zip(grid, cut(block), strict=True)]
        sizes.append(tuple(grid))
    tiles = tuple(sizes[-2::-1]) if rng.random() < 0.7 else ()
    return {"grid": sizes[-1], "tiles": tiles}


def networks() -> dict[str, Any]:
    """Answers for 5,000 random networks each; also the sums of those that can be built, so that most are."""
    from dse.models.network import effective_bandwidth, mean_path, network_parts, shape_faults

    found: dict[str, Any] = {}
    for seed, name in enumerate(("effective_bandwidth", "mean_path", "network_parts", "shape_faults")):
        answers = []
        designs = _designs(np.random.default_rng(seed))
        for _ in range(COUNT):
            topology, par, pattern, extra, routing = next(designs)
            if name == "effective_bandwidth":
                answers.append(attempt(effective_bandwidth, topology, par, pattern, extra, routing=routing))
            elif name == "mean_path":
                answers.append(attempt(mean_path, topology, par, pattern, extra, routing=routing))
            elif name == "network_parts":
                answers.append(attempt(network_parts, topology, par))
            else:
                answers.append(attempt(shape_faults, topology, par, nodes=64, radix=16))
        refused = sum(isinstance(one, str) and "Error" in one for one in answers)
        found[name] = {"answers": len(answers), "refused": refused, "digest": digest(answers)}
    printed = []
    designs = _designs(np.random.default_rng(9))
    for _ in range(COUNT):
        topology, par, pattern, extra, _ = next(designs)
        printed.append(attempt(effective_bandwidth, topology, par, pattern, extra, equations="printed"))
    found["printed"] = {"answers": len(printed), "digest": digest(printed)}
    return found


# ---- processors ----------------------------------------------------------------------------------------------------

_FIELDS = ("cpi", "cycles", "seconds", "instructions", "dram_reads", "dram_writes", "flops", "peak_flops")
_GROUPS = ("stack", "bounds", "hits", "accesses", "bytes_per_second", "local_hits")


def processors() -> dict[str, Any]:
    """Values of `predict` and `predict_mixture` for random machines, both modes and models, and messages."""
    from dataclasses import replace

    from dse.models.processor import CORRECTED, REFERENCE, predict, predict_mixture

    sys.path.insert(0, str(ROOT))
    random_machines = module_at("tests/models/processor/random_machines.py")
    profiles = module_at("tests/models/processor/profiles.py")
    programs = [profiles.thread_of(make()) for make in profiles.VARIANTS.values()]
    rng = np.random.default_rng(7)
    modes: list[Any] = ["corrected", "corrected", "reference", "reference"]
    modes += [replace(CORRECTED, queueing=True), replace(CORRECTED, associativity=True, write_policy="write_allocate")]
    modes += [replace(CORRECTED, all_latencies=True, shared_first_levels=True), replace(REFERENCE, prefetching=True)]
    extras = {
        "l1_ways": lambda: int(rng.choice([1, 2, 4, 8])),
        "l2_ways": lambda: int(rng.choice([2, 4, 8])),
        "l3_ways": lambda: int(rng.choice([4, 8, 16])),
        "l3_inclusion": lambda: int(rng.integers(0, 2)),
        "l2_inclusion": lambda: int(rng.integers(0, 2)),
        "dram_dirty_fraction": lambda: float(rng.uniform(0, 1)),
        "l2_prefetch_coverage": lambda: float(rng.uniform(0, 1)),
        "l3_prefetch_coverage": lambda: float(rng.uniform(0, 1)),
        "dram_prefetch_coverage": lambda: float(rng.uniform(0, 1)),
        "dram_prefetch_lead": lambda: float(rng.uniform(0, 200)),
        "dram_prefetch_accuracy": lambda: float(rng.uniform(0.2, 1)),
        "branch_factor": lambda: float(rng.uniform(0, 3)),
        "l1i_size_bytes": lambda: 32768.0,
        "l2_shared_by": lambda: 1,
        "latency_clock_hz": lambda: float(rng.uniform(1e9, 4e9)),
        "dram_latency_s": lambda: float(rng.uniform(40e-9, 200e-9)),
        "l3_shared_by": lambda: int(rng.choice([1, 2, 4])),
    }

    usually = {"f_core_hz": 2e9, "fu_vector": 1, "vector_bits": 256, "l1_line_bytes": 64, "cores": 16}
    usually |= {"in_order": 0, "all_threads_busy": 1}

    def usual() -> dict:
        machine = random_machines.machine(rng)
        if rng.random() < 0.85:
            machine = {name: usually.get(name, 2) if value is None else value for name, value in machine.items()}
            machine |= {"fu_vector": max(machine["fu_vector"], 1), "cores": max(machine["cores"], 8)}
        for name, make in extras.items():
            value = make()
            if rng.random() < 0.12:
                machine[name] = value
        return machine

    def record(answer: Any) -> dict[str, Any]:
        values = {name: getattr(answer, name) for name in _FIELDS}
        for group in _GROUPS:
            values |= {f"{group}.{key}": value for key, value in getattr(answer, group).items()}
        roof = answer.roofline
        values |= {f"roofline.{key}": value for key, value in vars(roof).items() if np.isscalar(value)}
        numbers = {key: np.asarray(value, float).reshape(-1).tolist() for key, value in values.items()}
        return {"values": numbers, "warnings": list(answer.warnings), "binding": np.asarray(answer.binding).tolist()}

    found: dict[str, Any] = {"predict": [], "mixture": []}
    for _ in range(COUNT):
        program = programs[int(rng.integers(len(programs)))]
        arrays = rng.random() < 0.1
        machine = random_machines.columns([random_machines.machine(rng) for _ in range(4)]) if arrays else usual()
        options: dict[str, Any] = {
            "mode": modes[int(rng.integers(len(modes)))],
            "model": str(rng.choice(["interaction", "interaction", "independent"])),
            "threads": int(rng.choice([1, 1, 2, 4, 8])),
            "split": bool(rng.random() < 0.7),
        }
        if rng.random() < 0.2:
            options["branch_miss_rate"] = float(rng.uniform(0, 0.2))
        if rng.random() < 0.2:
            options["window"] = int(rng.integers(8, 200))
        found["predict"].append(_recorded(record, predict, program, machine, **options))
    for _ in range(COUNT):
        count = int(rng.choice([2, 2, 2, 3, 5]))
        parts = [(programs[int(rng.integers(len(programs)))], int(rng.integers(1, 4))) for _ in range(count)]
        machine = {**usual(), "cores": 32}
        machine.pop("l3_shared_by", None)
        options = {"mode": modes[int(rng.integers(len(modes)))], "split": bool(rng.random() < 0.7)}
        options["model"] = str(rng.choice(["interaction", "interaction", "independent"]))

        def both(mixture: Any) -> dict[str, Any]:
            told = [record(one) for one in mixture.predictions]
            shares = {"l3": mixture.l3_shares, "dram": mixture.dram_shares}
            numbers = {key: [float(np.asarray(v)) for v in value] for key, value in shares.items()}
            return {"values": numbers, "programs": told}

        found["mixture"].append(_recorded(both, predict_mixture, parts, machine, **options))
    for name in ("predict", "mixture"):
        refused = sum("refused" in one for one in found[name])
        found[f"{name} refused"] = refused
    return found


def _recorded(record: Callable, function: Callable, *arguments: Any, **options: Any) -> dict[str, Any]:
    try:
        with np.errstate(all="ignore"):
            return record(function(*arguments, **options))
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}


# ---- commands ------------------------------------------------------------------------------------------------------


def commands() -> dict[str, Any]:
    """The ``--json`` of every command."""
    names = [path.stem for path in sorted((ROOT / "studies").glob("*.toml"))]
    families = [path.parent.name for path in sorted((ROOT / "models").glob("*/__init__.py"))]
    with tempfile.TemporaryDirectory() as folder:

        def answer(line: str) -> Any:
            command = [sys.executable, "-m", "dse", *line.split(), "--json"]
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            try:
                told = without_modules(json.loads(done.stdout))
            except ValueError:
                told = without_modules(done.stdout)
            return {"code": done.returncode, "json": told, "errors": without_modules(done.stderr.replace(folder, ""))}

        first = ["studies", "models", *(f"models {family}" for family in families)]
        first += [f"check {name}" for name in names] + [f"run {name}" for name in names]
        first += [f"validate {family}" for family in families]
        then = [f"show runs/{name}" for name in names]
        then += [f"explain runs/{name} --design 0" for name in names]
        then += [f"pick runs/{name} --knee" for name in names]
        then += [f"compare runs/ska-correlator{row} runs/{other}" for row, other in ((":0", "ska-correlator:1"),)]
        then += ["compare runs/ska-correlator runs/hybrid-xeon-sp", "explain runs/exascale --reference Frontier"]
        then += ["verify runs/ska-correlator", "verify runs/hybrid-arm-cp"]
        then += ["profile show graph500-seq-csr", "profile show graph500-seq-list"]
        found = {}
        with ThreadPoolExecutor(2) as pool:
            for lines in (first, then):
                found.update(zip(lines, pool.map(answer, lines), strict=True))
    return found


PARTS = {
    "studies": studies,
    "processor_studies": processor_studies,
    "searches": searches,
    "model_functions": model_functions,
    "networks": networks,
    "processors": processors,
    "commands": commands,
}


# ---- comparing -----------------------------------------------------------------------------------------------------


def differences(one: Any, other: Any, where: str, tolerance: float) -> Iterator[str]:
    """Yield the places at which two records differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            if key not in one or key not in other:
                yield f"{where}/{key}: only {'after' if key in other else 'before'}"
            else:
                yield from differences(one[key], other[key], f"{where}/{key}", tolerance)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{where}: {len(one)} entries before, {len(other)} after"
        for index, pair in enumerate(zip(one, other, strict=False)):
            yield from differences(*pair, f"{where}[{index}]", tolerance)
    elif isinstance(one, float) and isinstance(other, (int, float)) and tolerance:
        both_odd = one == other or (np.isnan(one) and np.isnan(other))
        scale = max(abs(one), abs(other))
        if not both_odd and not abs(one - other) <= tolerance * scale:
            yield f"{where}: {one!r} before, {other!r} after"
    elif one != other:
        yield f"{where}: {str(one)[:200]!r} before, {str(other)[:200]!r} after"


TOLERANCE = {"processor_studies": 1e-12, "processors": 1e-12, "commands": 1e-12}


def main() -> int:
    """Record, or check against a record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--show", type=int, default=20)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in chosen.only.split(","):
        start = time.perf_counter()
        found = json.loads(json.dumps(PARTS[name]()))
        file = chosen.folder / f"{name}.json"
        seconds = time.perf_counter() - start
        if chosen.what == "record":
            file.write_text(json.dumps(found))
            print(f"{name}: recorded in {seconds:.0f} s")
            continue
        other = json.loads(file.read_text())
        found_differences = list(differences(other, found, name, TOLERANCE.get(name, 0.0)))
        print(f"{name}: {len(found_differences)} differences, {seconds:.0f} s")
        for line in found_differences[: chosen.show]:
            print(f"  {line}")
        failed = failed or bool(found_differences)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
