"""A second implementation, one design at a time in plain Python, from the printed formulas: no code of the model."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from types import SimpleNamespace

_SPACES = Path(__file__).parents[3] / "spaces"

HOPPER, BLACKWELL, CDNA3, CDNA4 = "Hopper", "Blackwell", "CDNA3", "CDNA4"
CLASS = {
    "H100 SXM": HOPPER,
    "H200 SXM": HOPPER,
    "B200 SXM": BLACKWELL,
    "GB200": BLACKWELL,
    "MI300X": CDNA3,
    "MI325X": CDNA3,
    "MI355X": CDNA4,
}


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, comments left out, units of the heading kept in the names."""
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


_CONSTANTS = {(row["name"], row["level"]): float(row["value"]) for row in rows_of(_SPACES / "serving/constants.csv")}
_DEVICES = {
    row["name"]: row for name in ("training/devices.csv", "serving/devices.csv") for row in rows_of(_SPACES / name)
}
_MODELS = {
    row["name"]: row for name in ("training/models.csv", "serving/models.csv") for row in rows_of(_SPACES / name)
}


def constant(name: str, *levels: str) -> float:
    value = _CONSTANTS[name, ""]
    for level in levels:
        value *= _CONSTANTS.get((name, level), 1.0)
    return value


def engine(model, device, stack, precision, t=1, e=1, d=1, v=1.0, accepted=1.0):
    """Return everything that does not change with lengths and requests, in SI."""
    m, dev, cls = _MODELS[model], _DEVICES[device], CLASS[device]
    number = {key: float(value) for key, value in m.items() if key not in ("name", "source", "confidence", "note")}
    o = SimpleNamespace(**number)
    o.window, o.window_layers = number.get("window", 0.0), number.get("window_layers", 0.0)
    o.u_d = number.get("decode_width") or 2.0 * o.heads * o.head_size
    o.S_c = number.get("cache_shards") or o.kv_heads
    latent = number.get("latent", 0.0)
    if model == "deepseek-v3":
        o.u_d, o.S_c, latent = 139264.0, 1.0, 1.0
    maker = "amd" if cls.startswith("CDNA") else "nv"
    kind = ["mla"] if latent else []
    if precision == "fp4" and model.startswith("gpt-oss"):
        fmt = "upcast" if cls == HOPPER else "mx"
        o.wa, o.we, o.wh, o.kb = 2.0, 0.53125, 2.0, 2.0 if cls == HOPPER else 1.0
        peaks = ("bf16", "bf16") if cls == HOPPER else ("bf16", "fp8")
    elif precision == "fp8":
        fmt, peaks = "fp8", ("fp8", "fp8")
        o.wa, o.we, o.wh, o.kb = 1.0, 1.0, 2.0, 2.0 if cls in (HOPPER, CDNA3) else 1.0
    elif precision == "fp4":
        fmt, peaks = "fp4", ("fp8", "fp4")
        o.wa, o.we, o.wh, o.kb = 1.0, 0.5625, 2.0, 1.0
    else:
        raise ValueError(precision)
    peak = {name: 1e12 * float(dev[f"peak_{name} [Tflop/s]"]) for name in ("bf16", "fp8", "fp4")}
    o.Ra, o.Re, o.Rb = peak[peaks[0]], peak[peaks[1]], peak["bf16"]
    o.W = 1e9 * float(dev["device_memory_bandwidth [GB/s]"])
    o.C = 1e9 * float(dev["device_memory_capacity [GB]"])
    o.U = 1e9 * float(dev["scale_up_bandwidth [GB/s]"])
    o.power, o.host = float(dev["device_power [W]"]), float(dev["host_power [W]"]) / float(dev["host_devices"])
    o.mu, o.mu_c = constant("mu", cls), constant("mukv")
    o.gamma = constant("gam", model if model != "deepseek-v3" else "deepseek-r1")
    o.eta = constant("eta", cls, fmt)
    o.kappa_d, o.kappa_p = constant("kap"), constant("kapp")
    o.tile, o.imbalance, o.share = constant("tile"), constant("imb"), constant("ushare")
    o.theta, o.theta_x = constant("alpha", maker), constant("alphax", maker)
    o.tau = constant("tau", stack, cls, *kind)
    o.tau_prompt = constant("taup", stack, cls, *kind)
    o.tau_0, o.tau_q = constant("tau0"), constant("taur", stack)
    o.chi, o.chi_p = (constant("dpa"), constant("dpp")) if d > 1 else (1.0, 1.0)
    o.front, o.hand = constant("front", stack), constant("hand")
    o.mixes = stack in ("vllm", "trt")
    o.t, o.e, o.d, o.v, o.A = float(t), float(e), float(d), float(v), float(accepted)
    o.G = o.t * o.d
    return o


def touched(E, k, q, gamma=1.0):
    return E * (1.0 - (1.0 - k / E) ** (gamma * q)) if E else 0.0


def fullest(E, e, t):
    if e == 1:
        return t
    lam = t / e
    least = E / e
    K = least / (2.0 * math.log(e))
    if lam * e / E >= K / (1.0 + K):
        return least
    return min(least, lam + math.sqrt(2.0 * lam * (1.0 - lam * e / E) * math.log(e)))


def fullest_rows(r, e):
    return r + math.sqrt(2.0 * r * math.log(e))


def all_reduce(o, Z):
    return 2.0 * Z * (1.0 - 1.0 / o.t) / (o.share * o.U) + o.theta if o.t > 1 else 0.0


def step(o, b, p, s_i, s_o, gap):
    """Return the time of a step and its parts."""
    L, h, V = o.layers, o.hidden, o.vocab
    m = o.v * b / o.d + p / o.d * s_i
    q = o.v * b + p * s_i
    Wm = o.mu * o.W

    def product(weights, rows):
        return max(o.wa * weights / (o.t * Wm), 2.0 * rows * weights / (o.t * o.eta * o.Ra))

    def windowed(length):
        return ((L - o.window_layers) * length + o.window_layers * min(o.window, length)) / L

    y = s_i + s_o / 2.0
    yw = windowed(y) if o.window_layers else y
    projections = product(o.attention_parameters, m)
    cache = max(
        b / o.d * yw * o.cache_elements * o.kb / (min(o.t, o.S_c) * o.mu_c * o.W),
        2.0 * o.v * b / o.d * yw * o.u_d / (o.t * o.kappa_d * o.Rb),
    )
    half = windowed(s_i / 2.0) if o.window_layers else s_i / 2.0
    scores = p / o.d * s_i * half * 4.0 * o.core_width / (o.t * o.kappa_p * o.Rb)
    experts = shared = 0.0
    if o.experts:
        Bx, te = o.matrices * h * o.expert_ffn, o.G / o.e
        Er = fullest(o.experts, o.e, touched(o.experts, o.top_k, q, o.gamma))
        re = fullest_rows(q * o.top_k / o.e, o.e)
        delta = o.imbalance if o.e > 1 else 1.0
        experts = max(Er * Bx * o.we / (te * Wm), 2.0 * (re * delta + o.tile * Er) * Bx / (te * o.eta * o.Re))
        shared = product(Bx * o.shared_experts, m)
    dense = product(o.matrices * h * o.ffn, m)
    if o.d == 1:
        exchange = 2.0 * all_reduce(o, 2.0 * m * h)
    else:
        exchange = 3.0 * m * h * min(o.top_k, o.e) * (o.G / o.e) * (1.0 - 1.0 / o.G) / (o.share * o.U) + 2.0 * o.theta_x
    head = max(o.wh * h * V / (o.t * Wm), 2.0 * (b / o.d + p / o.d) * h * V / (o.t * o.eta * o.Rb))
    Ld = o.dense_layers if o.experts else L
    total = L * (projections + cache + scores + exchange + gap) + (L - Ld) * (experts + shared) + Ld * dense
    parts = {
        "projections": L * projections,
        "cache": L * cache,
        "scores": L * scores,
        "experts": (L - Ld) * experts,
        "rest": (L - Ld) * shared + Ld * dense + o.v * head,
        "exchange": L * exchange,
        "gaps": L * gap + o.tau_0 + o.tau_q * b / o.d,
    }
    return total + o.v * head + (o.v - 1.0) * total / L + o.tau_0 + o.tau_q * b / o.d, parts


def prompt(o, n, s_i, s_o):
    """Return what a prompt costs the others, and its own time."""
    p = max(o.d, n / s_o)
    own = step(o, 0, o.d, s_i, s_o, o.tau_prompt)[0]
    if o.mixes:
        stall = max(0.0, step(o, n, p, s_i, s_o, o.tau_prompt)[0] - step(o, n, 0, s_i, s_o, o.tau)[0]) / p
    else:
        stall = step(o, 0, p, s_i, s_o, o.tau_prompt)[0] / p
    return stall * o.chi, own


def together(o, n, s_i, s_o):
    """Return time per token, first token, rate per device, burst first token."""
    decode = step(o, n, 0, s_i, s_o, o.tau)[0]
    stall, own = prompt(o, n, s_i, s_o)
    token = decode / o.A + (n - 1.0) / s_o * stall
    X = n / (own + (s_o - 1.0) * token)
    rho = min(X * stall, 0.95)
    first = o.front + own + decode + rho * stall / (2.0 * (1.0 - rho))
    return {
        "time_per_token": token,
        "first_token": first,
        "rate_per_device": n * s_o / (first + (s_o - 1.0) * token) / o.G,
        "first_token_99": o.front + own + n * stall,
    }


def memory(o, n, s_i, s_o):
    """Return bytes of a device, of the weights, of a request, and how many requests fit."""
    L, h, V = o.layers, o.hidden, o.vocab
    Ld = o.dense_layers if o.experts else L
    Bx = o.matrices * h * o.expert_ffn
    weights = (
        L * o.wa * o.attention_parameters / o.t
        + (L - Ld) * (o.experts * Bx * o.we / o.G + o.shared_experts * Bx * o.wa / o.t + 2.0 * h * o.experts)
        + Ld * o.matrices * h * o.ffn * o.wa / o.t
        + 2.0 * o.wh * h * V / o.t
    )
    length = s_i + s_o
    seen = (L - o.window_layers) * length + o.window_layers * min(o.window, length)
    if not o.window_layers:
        seen = L * length
    request = o.cache_elements * o.kb / min(o.t, o.S_c) * seen
    return {
        "bytes": weights + n / o.d * request,
        "weights": weights,
        "per_request": request,
        "most_requests": max(0, math.floor((0.9 * o.C - weights) / request)) * o.d,
    }


def serve_prompts(o, workers, s_i, s_o):
    """Return the time a prompt takes of a group of workers, and of its own."""
    p = o.d * math.floor(max(1.0, 8192.0 / s_i))
    whole = step(o, 0, p, s_i, s_o, o.tau_prompt)[0]
    own = step(o, 0, o.d, s_i, s_o, o.tau_prompt)[0]
    return whole / (p * workers) * o.chi_p, own


def apart(pre, Wp, dec, Wd, b, s_i, s_o, share=0.9):
    """Return what workers for prompts and workers for decoding give together."""
    serve, own = serve_prompts(pre, Wp, s_i, s_o)
    token = step(dec, b, 0, s_i, s_o, dec.tau)[0] / dec.A
    prefill, decode = share / serve, Wd * b / (s_o * token)
    X = min(prefill, decode)
    rho = X * serve
    return {
        "time_per_token": token,
        "first_token": pre.front + pre.hand + own + token + rho * serve / (2.0 * (1.0 - rho)),
        "rate_per_device": X * s_o / (Wp * pre.G + Wd * dec.G),
        "serve": serve,
        "own": own,
        "decode_limit": decode,
        "prefill_limit": prefill,
    }


def closed_loop(pre, Wp, dec, Wd, n, s_i, s_o):
    """Return what a closed loop of n requests over all workers settles at."""
    serve, own = serve_prompts(pre, Wp, s_i, s_o)

    def at(b):
        token = step(dec, b, 0, s_i, s_o, dec.tau)[0] / dec.A
        X = min(Wd * b / (s_o * token), 1.0 / serve)
        rho = min(X * serve, 0.98)
        first = pre.front + pre.hand + own + token + rho * serve / (2.0 * (1.0 - rho))
        return token, X, first

    low, high = 0.0, n / Wd
    for _ in range(28):
        b = (low + high) / 2.0
        token, X, first = at(b)
        if X * first + Wd * b > n:
            high = b
        else:
            low = b
    b = (low + high) / 2.0
    token, X, first = at(b)
    if Wd * b / (s_o * token) > 1.0 / serve:
        first = max(first, n / X - s_o * token)
    return {"time_per_token": token, "first_token": first, "rate": X * s_o, "decoding": Wd * b}
