"""What `dse serving` is asked, and what it answers: in tables, in words, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dse.authoring.table import read_table
from dse.cli.text.output import say, shown, table
from dse.errors import InputError
from dse.models.serving.accounts.cost import MILLION, hour_price
from dse.models.serving.best import Served, Task, apart, best_per_cut, default_precision, together
from dse.models.serving.compare import Chance, Side, chances, error_of, side

__all__ = ["Answer", "Answers", "as_dict", "asked", "print_answers"]

MODES = ("together", "apart", "both")
_SLOWER = 0.6
_MOST_TOKENS = 1e12


@dataclass(frozen=True)
class Answer:
    """Of an engine: every design, those within the limits of the user, and what an hour of a device costs."""

    task: Task
    designs: Sequence[Served]
    within: Sequence[Served]
    price: float | None

    @property
    def name(self) -> str:
        """Device, software and precision."""
        return f"{self.task.device} {self.task.stack} {self.task.precision}"

    def cost(self, design: Served) -> float | None:
        """Return what a million tokens cost; None without a price."""
        return None if self.price is None else self.price / design.values["serving_tokens_per_device"] * MILLION


@dataclass(frozen=True)
class Answers:
    """All engines that were asked for, and how they compare; those that cannot keep the limits are named."""

    every: Sequence[Answer]
    sides: Sequence[Side]
    chance: Sequence[Sequence[Chance]]
    without: Mapping[str, str]
    currency: str


def asked(
    engine: tuple[str, tuple[str, ...], tuple[str, ...], str],
    lengths: tuple[float, float],
    limits: tuple[float, float, int],
    mode: str,
    *,
    seen: bool,
    prices: tuple[Path | None, str],
) -> Answers:
    """Look at every engine.

    Parameters
    ----------
    engine : (architecture, devices, stacks, precision)
        Every device with every software; a precision that is empty is that of the card.
    lengths : (float, float)
        Tokens in and out, means.
    limits : (user_rate, first_token, largest)
    mode : str
        One of `MODES`.
    seen : bool
        Only cuts that were measured.
    prices : (Path or None, str)
        A price list, and its currency.

    Raises
    ------
    InputError
        A name that is not known, an engine without rows, or none that keeps the limits.
    """
    architecture, devices, stacks, precision = engine
    _refuse(mode, lengths)
    user_rate, first_token, largest = limits
    tasks = [
        Task(
            architecture,
            device,
            stack,
            precision or default_precision(architecture, device),
            *lengths,
            0.0,
            largest=largest,
        )
        for device in devices
        for stack in stacks
    ]
    every, without, last = [], {}, None
    for task in tasks:
        try:
            every.append(_answer(task, user_rate, first_token, mode, seen, prices))
        except InputError as error:
            last = error
            without[f"{task.device} {task.stack} {task.precision}"] = error.problem
    if not every:
        assert last is not None
        raise last
    sides = [side(answer.task, answer.designs, best_per_cut(answer.within, 1)[0]) for answer in every]
    return Answers(every, sides, chances(sides, user_rate), without, prices[1])


def _refuse(mode: str, lengths: tuple[float, float]) -> None:
    if mode not in MODES:
        raise InputError(f"'{mode}'", key="mode", allowed=list(MODES), wrong=mode, candidates=MODES)
    for key, value, least in (("input", lengths[0], 1), ("output", lengths[1], 2)):
        if not least <= value <= _MOST_TOKENS:
            raise InputError(f"{value:g} tokens", key=key, allowed=f"at least {least}, at most {_MOST_TOKENS:g}")


def _answer(
    task: Task, user_rate: float, first_token: float, mode: str, seen: bool, prices: tuple[Path | None, str]
) -> Answer:
    designs: list[Served] = []
    task.inputs()  # which refuses an engine without rows
    if mode != "apart":
        designs += together(task)
    if mode != "together":
        # Slower users too: where the engine turns out quicker than computed, these are quick enough.
        designs += apart(replace(task, user_rate=_SLOWER * user_rate, first_token=first_token))
    designs = [design for design in designs if design.values["cut_seen"] > 0.5 or not seen]
    within = [
        design
        for design in designs
        if design.values["user_token_rate"] >= user_rate and design.values["time_to_first_token"] <= first_token
    ]
    best_per_cut(within, 1)  # which refuses limits that none keeps
    return Answer(task, designs, within, _price(task.device, *prices))


def _price(device: str, file: Path | None, currency: str) -> float | None:
    if file is None:
        return None
    rows = read_table(file, name=str(file))
    for column in ("item", "price", "per"):
        rows[column]  # which names what is missing
    price = hour_price(rows, device)
    if not price >= 0.0:
        raise InputError(f"the price of '{device}' is negative", file=str(file), allowed=f"0 {currency} or more")
    return price


def as_dict(answers: Answers, rows: int) -> dict[str, object]:
    """Return the answers for programs, in SI."""
    engines = []
    for answer in answers.every:
        median, wide, nearest, of = error_of(answer.task)
        error = {"median": median, "percentile_90": wide, "nearest_row": nearest, "of": of}
        designs = [
            {"cut": d.cut, "requests": d.requests, "mode": d.mode, **d.values, "cost_per_million": answer.cost(d)}
            for d in best_per_cut(answer.within, rows)
        ]
        engines.append({"engine": answer.name, "error": error, "designs": designs})
    compared = [
        {"first": a.name, "second": b.name, "better": chance.better, "break_even_price_ratio": list(chance.ratio)}
        for a, row in zip(answers.sides, answers.chance, strict=True)
        for b, chance in zip(answers.sides, row, strict=True)
        if a is not b
    ]
    return {"engines": engines, "compared": compared, "without": dict(answers.without)}


def print_answers(answers: Answers, rows: int, page: Path | None) -> None:
    """Print the best cuts of each engine, how they compare, and what weakens that."""
    several = len(answers.every) > 1
    priced = any(answer.price is not None for answer in answers.every)
    headings = ["engine"] if several else []
    headings += ["cut", "requests", "per user", "per device", "first token", "burst p99", "memory", "J/token"]
    headings += ["per million"] if priced else []
    lines = [
        ([answer.name] if several else []) + _cells(answer, design, priced, answers.currency)
        for answer in answers.every
        for design in best_per_cut(answer.within, 1 if several else rows)
    ]
    table([*headings, "seen"], lines, right=range(2 if several else 1, len(headings)))
    if several:
        _print_comparison(answers)
    for text in _describe(answers):
        say(text)
    if page:
        say(f"report: {page}")


def _cells(answer: Answer, design: Served, priced: bool, currency: str) -> list[str]:
    of, cost = design.values, answer.cost(design)
    cells = [
        *(design.cut, f"{design.requests:,}".replace(",", " "), f"{of['user_token_rate']:.0f}/s"),
        f"{of['serving_tokens_per_device']:,.0f}/s".replace(",", " "),
        *(shown(of[name], "s") for name in ("time_to_first_token", "burst_first_token")),
        *(shown(of["serving_memory"], "B"), f"{of['serving_energy_per_token']:.3g}"),
    ]
    if priced:
        cells.append("–" if cost is None else f"{cost:.3g} {currency}")
    return [*cells, "yes" if of["cut_seen"] > 0.5 else "no"]


def _print_comparison(answers: Answers) -> None:
    say("the row is the cheaper one while its hour costs less than this times the column's (median; 5 to 95 %)")
    lines = [
        [
            first.name,
            *("–" if first is second else _ratio(chance) for second, chance in zip(answers.sides, row, strict=True)),
        ]
        for first, row in zip(answers.sides, answers.chance, strict=True)
    ]
    table(["", *(each.name for each in answers.sides)], lines, right=range(1, len(lines) + 1))


def _ratio(chance: Chance) -> str:
    low, middle, high = chance.ratio
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _describe(answers: Answers) -> list[str]:
    """Return the answer in words with its probability, and what weakens it."""
    lines = []
    order = sorted(
        range(len(answers.sides)), key=lambda at: -answers.sides[at].best.values["serving_tokens_per_device"]
    )
    best = answers.sides[order[0]]
    lines.append(
        f"answer: {best.name}, {best.best.cut}, {best.best.requests} requests: "
        f"{best.best.values['serving_tokens_per_device']:.0f} tokens/s per device at "
        f"{best.best.values['user_token_rate']:.0f} per user"
    )
    for other in order[1:]:
        chance = answers.chance[order[0]][other]
        lines.append(
            f"at equal prices it answers more per device than {answers.sides[other].name} with a probability of "
            f"{100 * chance.better:.0f} %"
        )
    for answer in answers.every:
        median, wide, nearest, of = error_of(answer.task)
        text = f"{answer.name}: {of} were {100 * median:.1f} % off in the median, nine of ten within {100 * wide:.1f} %"
        if nearest < median:
            text += f"; here the nearest measured row is the better guess ({100 * nearest:.1f} %)"
        lines.append(text)
    if any(each.best.values["cut_seen"] < 0.5 for each in answers.sides):
        lines.append(
            "not seen: no measured row has that cut with this software, so it is extrapolated (--seen leaves it out)"
        )
    reasons: dict[str, list[str]] = {}
    for name, why in answers.without.items():
        reasons.setdefault(why, []).append(name)
    lines += [f"left out: {', '.join(names)}: {why}" for why, names in reasons.items()]
    lines.append(
        "lengths are means; the benchmark's are 0.9 of what it calls them. Energy is a wager: no power was measured"
    )
    return lines
