"""The published processor model on one machine, one number after the other: what `dse.models.processor` must equal.

Nothing of the models is used here: a profile is the plain document (the JSON of a file), a machine a plain dict of
numbers with every parameter. Reference behaviour only. Loops and ifs, in the order of the algorithm.
"""

from __future__ import annotations

import copy
import math
from itertools import pairwise

INF = math.inf

TOOL_DEFAULTS = {
    **{"issue_width": 4, "dispatch_width": 4, "fu_int": 1, "fu_fp": 1, "fu_mem": 1, "fu_control": 1, "fu_vector": 1},
    **{"vector_bits": 256, "t_int": 1, "t_int_mul": 1, "t_int_div": 1, "t_fp": 1, "t_fp_mul": 1, "t_fp_div": 1},
    **{"front_pipe": 4, "rob": 128, "issue_queue": 32, "mshr": 10, "l1_size_bytes": 128000, "l2_size_bytes": 128000},
    **{"l3_size_bytes": 8e6, "l1_line_bytes": 64, "l2_line_bytes": 64, "l3_line_bytes": 64, "l1_latency": 2},
    **{"l2_latency": 8, "l3_latency": 25, "dram_latency": 400, "bw_l1_Bps": 1e9, "bw_l3_Bps": 1e9},
    **{"dram_bandwidth_Bps": 1e9, "f_core_hz": 1e9, "smt_mode": 0, "all_threads_busy": 0, "in_order": 0},
}

EXCLUSIVE = ("mem", "addr", "int", "fp", "control", "other")
TYPE_OF = {"mem": "mem", "addr": "int", "int": "int", "fp": "fp", "control": "control"}
ORDER = ("load", "store", "mem", "addr", "int", "int_arith", "int_mul", "int_div", "fp", "fp_mul", "fp_div")
ORDER += ("control", "vector_move", "other")


def cut(part: int, whole: int) -> float:
    """Four decimals, not rounded."""
    return part * 10000 // whole / 10000


class Profile:
    """Counts, spans and cumulative reuse of a thread, and their splitting to a vector width."""

    def __init__(self, document: dict, window: float = 54) -> None:
        self.document = document
        thread = document["classes"][0]
        self.total = thread["instructions"]
        mix = dict(thread["mix"])
        mix["mem"] = mix["load"] + mix["store"]
        self.cells = {name: {} for name in ORDER}
        for entry in thread.get("vectors", []):
            cell = self.cells[entry["class"]]
            cell[entry["length"], entry["bits"]] = cell.get((entry["length"], entry["bits"]), 0) + entry["count"]
        for (length, bits), count in [*self.cells["load"].items(), *self.cells["store"].items()]:
            self.cells["mem"][length, bits] = self.cells["mem"].get((length, bits), 0) + count
        for name in ORDER:
            self.cells[name][1, 0] = mix[name] - sum(self.cells[name].values())

        blocks = thread["ilp"]
        blocks = [block for block in blocks if block.get("order") == "in"] or blocks
        block = next((one for one in blocks if one["window"] == window), blocks[0])
        self.numbers = {"mem": mix["mem"], "int": mix["int"] + mix["addr"], "control": mix["control"], "fp": mix["fp"]}
        printed = block.get("printed", {})

        def ilp(name: str, count: int) -> float:
            span = block["span" if name == "all" else f"span_{name}"]
            return printed.get(name, cut(count, span) if span else 0.0)

        whole = ilp("all", self.total)
        self.span = self.total / whole
        self.spans = {}
        for name, count in self.numbers.items():
            own = ilp(name, count) if count else 0.0
            self.spans[name] = count / own if own else 0.0

        self.curves = {}
        for one in thread["data_reuse"]:
            total, points = 0, []
            for distance, count in one["histogram"]:
                total += count
                points.append([distance, cut(total, one["references"]) * one["references"]])
            self.curves[one["line_bytes"]] = points
        self.references = mix["mem"]
        self.p_best = (thread.get("branch") or {}).get("tool_miss_rate", 0.0)
        self.added = 0.0

    def split(self, width: float) -> Profile:
        self = copy.deepcopy(self)
        for name in ORDER:
            cells = self.cells[name]
            for length in (16, 8, 4, 2):
                for bits in {bits for held, bits in cells if held == length}:
                    if length * (bits or 64) <= width:
                        continue
                    count = cells.pop((length, bits), 0)
                    if name in ("vector_move", "other") and length == 2:
                        self.total -= count
                        continue
                    target = (length // 2, bits)
                    if name == "vector_move":
                        cells[target] = cells.get(target, 0) + count
                        continue
                    cells[target] = cells.get(target, 0) + 2 * count
                    if name in EXCLUSIVE:
                        self.total += count
                        if name in TYPE_OF:
                            self.numbers[TYPE_OF[name]] += count
                    if name == "mem":
                        self.cells["int"][1, 64] = self.cells["int"].get((1, 64), 0) + count
                        self.total += count
                        self.numbers["int"] += count
                        self.spans["mem"] += count
                        self.spans["int"] += count
                        self.added += count
        return self

    def count(self, name: str, *, scalar: bool | None = None) -> float:
        kept = (n for (length, _), n in self.cells[name].items() if scalar is None or scalar == (length == 1))
        return sum(kept)

    def fraction(self, name: str, **kwargs: bool) -> float:
        return self.count(name, **kwargs) / self.total

    def ilp(self, name: str) -> float:
        if name == "all":
            return self.total / self.span
        return self.numbers[name] / self.spans[name] if self.spans[name] else 0.0

    def hit(self, lines: float, line_bytes: float) -> float:
        chosen = 64 if line_bytes <= 96 else 128
        if chosen not in self.curves:
            chosen = 192 - chosen
        if chosen == 64:  # the only one that follows the splitting
            points = [[d, (c + self.added) / self.count("mem")] for d, c in self.curves[64]]
        else:
            points = [[d, c / self.references] for d, c in self.curves[128]]
        if lines <= points[0][0]:
            return points[0][1]
        for (d0, c0), (d1, c1) in pairwise(points):
            if lines <= d1:
                return c0 + (c1 - c0) * (lines - d0) / (d1 - d0)
        return points[-1][1]


def over(a: float, b: float) -> float:
    return INF if b == 0 else a / b


def single(profile: Profile, m: dict) -> dict:
    """One thread with what `m` says it has of the caches and the memory."""
    return timed(profile.split(m["vector_bits"]), m)


def timed(p: Profile, m: dict) -> dict:
    f = {name: p.fraction(name) for name in ORDER}
    s = max(m["smt_mode"], 1) if m["all_threads_busy"] else 1
    l1, l2, l3 = m["l1_size_bytes"], m["l2_size_bytes"], m["l3_size_bytes"]
    h1 = p.hit(math.floor(l1 / m["l1_line_bytes"]), m["l1_line_bytes"]) if l1 > 0 else 0.0
    h2 = p.hit(math.floor((l1 + l2) / m["l2_line_bytes"]), m["l2_line_bytes"]) if l2 > 0 else None
    h3 = p.hit(math.floor(l3 / m["l3_line_bytes"]), m["l3_line_bytes"]) if l3 > 0 else None
    f1 = f["mem"]
    f2 = f1 * (1 - h1)
    f3 = f2 if h2 is None else f1 * (1 - h2)
    fd = f3 if h3 is None else f1 * (1 - h3)
    a1, a2, a3, ad = f1 - f2, f2 - f3, f3 - fd, fd
    t1, t2, t3, td = m["l1_latency"], m["l2_latency"], m["l3_latency"], m["dram_latency"]

    beyond = a2 * t2 + a3 * t3 + ad * td
    big_m = a1 * t1 + beyond
    big_i = f["int_mul"] * m["t_int_mul"] + f["int_div"] * m["t_int_div"]
    big_i += (f["int_arith"] - f["int_mul"] - f["int_div"]) * m["t_int"]
    big_p = f["fp_mul"] * m["t_fp_mul"] + f["fp_div"] * m["t_fp_div"]
    big_p += (f["fp"] - f["fp_mul"] - f["fp_div"]) * m["t_fp"]
    ilp = p.ilp("all")
    vector = sum(p.fraction(name, scalar=False) for name in ("int", "addr", "fp")) + f["vector_move"]
    scalar_int = p.fraction("int", scalar=True) + p.fraction("addr", scalar=True)
    bounds = {
        "issue width": m["issue_width"] / s,
        "miss registers": over(m["mshr"] / s, beyond),
        "parallelism": over(ilp, big_m + big_i + f["addr"] * m["t_int"] + big_p),
        "integer parallelism": over(p.ilp("int"), big_i),
        "memory parallelism": over(p.ilp("mem"), big_m),
        "control parallelism": over(p.ilp("control"), f["control"]),
        "float parallelism": over(p.ilp("fp"), big_p),
        "memory units": over(m["fu_mem"] / s, f["mem"]),
        "integer units": over(m["fu_int"] / s, scalar_int),
        "float units": over(m["fu_fp"] / s, p.fraction("fp", scalar=True)),
        "control units": over(m["fu_control"] / s, f["control"]),
        "vector units": over(max(m["fu_vector"], 1), vector) if m["vector_bits"] > 0 else INF,
    }
    i = min(bounds.values())

    r, q, r0 = m["rob"] / s, m["issue_queue"] / s, m["rob"]

    def pen(h: float, t: float, c: float) -> float:
        return 0.0 if t <= c else (t - c) * h / max(1, min(h * i * t, h * r0))

    if m["in_order"]:
        u = ilp / i
        plain = f["int"] + f["addr"] - f["int_mul"] - f["int_div"]
        events = [(t1, a1), (t2, a2), (t3, a3), (td, ad), (m["t_int_mul"], f["int_mul"])]
        events += [(m["t_int_div"], f["int_div"]), (m["t_int"], plain), (m["t_fp_mul"], f["fp_mul"])]
        events += [(m["t_fp_div"], f["fp_div"]), (m["t_fp"], f["fp"] - f["fp_mul"] - f["fp_div"])]
        done = excess = 0.0
        for t, frequency in sorted(events, key=lambda event: -event[0]):
            if t <= u:
                break
            e = min(1.0, frequency * ilp)
            weight = (1 - done) * e
            done += weight
            excess += weight * (t - u)
            if e == 1.0:
                break
        s_iq, s_rob = excess / ilp, 0.0
        details = {}
    else:
        flight = max(1, min(ad * i * td, ad * r))
        c_rob = (r - 0.5 * r * flight / ilp) / i
        x1, x2 = i * (a3 * t3 + ad * td), i * ad * td
        c1 = min(over(ilp * q, x1), over(1, a3)) / i
        c2 = min(over(ilp * q, x2), over(1, ad)) / i
        c_iq = c1 if c1 <= t3 else c2 if c2 <= td else INF
        if c_rob <= c_iq:
            s_iq = 0.0
            s_rob = pen(a3, t3, c_rob) + pen(ad, td, c_rob)
        else:
            s_iq = pen(a3, t3, c_iq)
            s_rob = pen(ad, td, (r - 0.5 * r * flight / ilp) * (1 / i + s_iq))
        details = {"m": flight, "c_rob": c_rob, "x1": x1, "x2": x2, "c1": c1, "c2": c2, "c_iq": c_iq}

    clock, line3 = m["f_core_hz"], m["l3_line_bytes"]
    later = {
        "dispatch width": m["dispatch_width"] / s,
        "l1 bandwidth": over(m["bw_l1_Bps"], clock * f1 * 4),
        "l3 bandwidth": over(m["bw_l3_Bps"], clock * f3 * line3),
        "dram bandwidth": over(m["dram_bandwidth_Bps"], clock * fd * line3),
    }
    i2 = min(1 / (1 / i + s_iq + s_rob), *later.values())
    c_br = f["control"] * (m["front_pipe"] / s + q / i2) * 1.71 * p.p_best
    cpi = 1 / i2 + c_br
    lanes = sum(length * count for (length, _), count in p.cells["fp"].items()) / p.total
    return {
        "cpi": cpi,
        "cycles": cpi * p.total,
        "seconds": cpi * p.total / clock,
        "instructions": p.total,
        "bounds": {**bounds, **later},
        "hits": (h1, h2, h3),
        "accesses": (f1, f2, f3, fd),
        "answered": (a1, a2, a3, ad),
        "sums": (big_m, big_i, big_p, beyond),
        "i": i,
        "i2": i2,
        "stack": {"base": 1 / i, "issue queue": s_iq, "reorder buffer": s_rob, "branches": c_br},
        "steady": 1 / i2,
        "dram": clock / cpi * fd * line3,
        "l3": clock / cpi * f3 * line3,
        "l1": clock / cpi * f1 * m["l1_line_bytes"],
        "dram_accesses": fd * p.total,
        "flops": clock / cpi * lanes,
        "peak": clock * (m["fu_fp"] + m["fu_vector"] * m["vector_bits"] / 32),
        **details,
    }


def with_defaults(machine: dict) -> dict:
    found = {**TOOL_DEFAULTS, **{name: value for name, value in machine.items() if value is not None}}
    return {**found, "fu_vector": max(found["fu_vector"], 1)}


def homogeneous(document: dict, machine: dict, threads: int = 1, *, split: bool = True) -> dict:
    """Each of several equal threads."""
    m = with_defaults(machine)
    n = min(threads, m["cores"]) if threads > 1 else 1
    m = {**m, "l3_size_bytes": m["l3_size_bytes"] / n, "dram_bandwidth_Bps": m["dram_bandwidth_Bps"] / n}
    profile = Profile(document)
    return single(profile, m) if split else timed(profile, m)


def heterogeneous(documents: list[dict], machine: dict) -> tuple[list[float], list[float], list[dict]]:
    """One thread of each: bytes of level 3, bytes per second of the memory, and results."""
    m = with_defaults(machine)
    profiles = [Profile(document).split(m["vector_bits"]) for document in documents]
    shares = [m["l3_size_bytes"] / len(profiles)] * len(profiles)
    for _ in range(300):
        found = [timed(p, {**m, "l3_size_bytes": s}) for p, s in zip(profiles, shares, strict=True)]
        rates = [one["accesses"][2] / one["cpi"] for one in found]
        wanted = [m["l3_size_bytes"] * rate / sum(rates) for rate in rates]
        shares = [0.5 * s + 0.5 * want for s, want in zip(shares, wanted, strict=True)]
    found = [timed(p, {**m, "l3_size_bytes": s}) for p, s in zip(profiles, shares, strict=True)]
    demands = [one["dram"] for one in found]
    bandwidths = [d * m["dram_bandwidth_Bps"] / sum(demands) for d in demands]
    triples = zip(profiles, shares, bandwidths, strict=True)
    results = [timed(p, {**m, "l3_size_bytes": s, "dram_bandwidth_Bps": b}) for p, s, b in triples]
    return shares, bandwidths, results


def independent(document: dict, m: dict, *, p_miss: float = 0.03) -> dict:
    """Events that add up, with latencies from the core and levels 1 to 3 all there."""
    p = Profile(document)
    f = {name: p.fraction(name) for name in ORDER}
    ilp = p.ilp("all")
    kinds = {"int": f["int"] + f["addr"], "fp": f["fp"], "mem": f["mem"], "control": f["control"]}
    by_type = {name: ilp * fraction for name, fraction in kinds.items() if fraction}
    pressure = max(by_type[name] / min(m[f"fu_{name}"], by_type[name]) for name in by_type)
    n = min(m["issue_width"], sum(by_type.values()) / pressure)
    h = [p.hit(math.floor(m[f"l{k}_size_bytes"] / m[f"l{k}_line_bytes"]), m[f"l{k}_line_bytes"]) for k in (1, 2, 3)]
    rob = 0 if m["in_order"] else m["rob"]
    stack = {
        "execution": 1 / n,
        "l1 misses": m["l2_latency"] * f["mem"] * (1 - h[0]),
        "l2 misses": (m["l3_latency"] - m["l2_latency"]) * f["mem"] * (1 - h[1]),
        "l3 misses": max(0, (m["dram_latency"] - m["l3_latency"]) - rob / n) * f["mem"] * (1 - h[2]),
        "l1 hits": m["l1_latency"] * f["mem"] * h[0],
        "instruction misses": 0.0,
        "branches": f["control"] * m["front_pipe"] * p_miss,
    }
    return {"n": n, "pressure": pressure, "stack": stack, "cpi": sum(stack.values())}
