"""What a core does between two messages of a task: cycles of its own, accesses to the shared memory, messages.

All is per instruction, so a program without messages is no special case. A mix of instructions follows Sterling et al.
2014, Section 4: register operations, accesses to a hierarchy of two caches and a shared memory, network operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dse.authoring.declare.arguments import read_numbers
from dse.errors import InputError, shown

__all__ = ["Work", "check", "work_of_mix", "work_of_thread"]

_HAIR, MOST_CYCLES = 1e-12, 1e100
"""Slack of a sum of shares; most cycles of one operation, so that their squares and sums stay numbers."""


@dataclass(frozen=True)
class Work:
    """Work of one task, per instruction; numbers or arrays that broadcast.

    Attributes
    ----------
    core_cycles : ndarray
        Cycles without the service of the shared memory, p C.
    memory_accesses : ndarray
        Accesses to the shared memory, p nu.
    memory_service_cycles : ndarray
        Cycles that the shared memory is busy with one access, S.
    messages : ndarray
        Messages (network operations), p.
    squared_cycles : ndarray or None
        Sum of the squares of the cycles of one instruction, accesses to the shared memory left out; None where only
        means are known, and the work between two messages is taken to vary as an exponential does.
    miss_cycles : ndarray
        Core cycles of an access to the shared memory, within `core_cycles`.
    """

    core_cycles: Any
    memory_accesses: Any
    memory_service_cycles: Any
    messages: Any
    squared_cycles: Any = None
    miss_cycles: Any = 0.0

    @property
    def cycles_per_instruction(self) -> Any:
        """Cycles of an instruction where nothing waits, c0 = p (C + nu S)."""
        return self.core_cycles + self.memory_accesses * self.memory_service_cycles

    def cycles_with(self, memory_response: Any, overhead: Any = 0.0) -> Any:
        """Return p B: cycles of an instruction with a memory that answers after R cycles, and O cycles per message."""
        return self.core_cycles + self.memory_accesses * memory_response + self.messages * overhead

    def variation_with(self, memory_response: Any, overhead: Any = 0.0) -> Any:
        """Return the squared coefficient of variation of B, the time between two messages.

        The number of instructions between two messages is geometric, so (p^2) var(B) = p m2 + m1^2 with the first and
        the second moment of an instruction; 1 where no second moment is known.
        """
        if self.squared_cycles is None:
            return np.ones(())
        mean = self.cycles_with(memory_response)
        second = self.squared_cycles + self.memory_accesses * (memory_response + self.miss_cycles) ** 2
        return (self.messages * second + mean * mean) / self.cycles_with(memory_response, overhead) ** 2


def work_of_mix(
    network_fraction: npt.ArrayLike,
    memory_fraction: npt.ArrayLike,
    *,
    l1_hit_fraction: npt.ArrayLike = 0.9,
    l2_hit_fraction: npt.ArrayLike = 0.9,
    register_cycles: npt.ArrayLike = 1.0,
    l1_cycles: npt.ArrayLike = 1.0,
    l2_cycles: npt.ArrayLike = 10.0,
    memory_service_cycles: npt.ArrayLike = 200.0,
    cumulative: bool = False,
) -> Work:
    """Return the work of a mix of instructions; the defaults are those of Sterling et al. 2014, Section 4.

    Parameters
    ----------
    network_fraction, memory_fraction : array_like
        Shares of the instructions that are messages, p, and accesses to memory, q; the rest are register operations.
    l1_hit_fraction, l2_hit_fraction : array_like
        Share of the accesses that level 1 answers, and of the others that level 2 answers.
    register_cycles, l1_cycles, l2_cycles : array_like
        Cycles of a register operation and of an access that each level answers.
    memory_service_cycles : array_like
        Cycles of an access that the shared memory answers, without waiting.
    cumulative : bool
        Whether an access that misses a level also takes the cycles of that level (the paper does not say: no).

    Raises
    ------
    InputError
        Shares outside 0 to 1 or above 1 together, negative cycles, a message per instruction.
    """
    p = check("network_fraction", network_fraction, most=1.0, below=True)
    q = check("memory_fraction", memory_fraction, most=1.0)
    h1 = check("l1_hit_fraction", l1_hit_fraction, most=1.0)
    h2 = check("l2_hit_fraction", l2_hit_fraction, most=1.0)
    register = check("register_cycles", register_cycles, most=MOST_CYCLES)
    first, second = check("l1_cycles", l1_cycles, most=MOST_CYCLES), check("l2_cycles", l2_cycles, most=MOST_CYCLES)
    service = check("memory_service_cycles", memory_service_cycles, most=MOST_CYCLES)
    together = p + q
    if np.any(together > 1.0 + _HAIR):
        raise InputError(
            f"network and memory operations are {float(np.max(together)):g} of the instructions together",
            key="memory_fraction",
            allowed="at most 1 - network_fraction",
        )
    missed = first + second if cumulative else np.zeros(())
    second = second + first if cumulative else second
    others, misses = np.maximum(1.0 - together, 0.0), q * (1.0 - h1) * (1.0 - h2)
    hits = (others, register), (q * h1, first), (q * (1.0 - h1) * h2, second)
    own = sum(share * cycles for share, cycles in hits) + misses * missed
    if np.any(own + misses * service <= 0.0):
        raise InputError(
            "an instruction of the mix takes no cycles",
            key="register_cycles",
            allowed="above 0, or cycles of the caches or of the memory above 0",
        )
    return Work(
        core_cycles=own,
        memory_accesses=misses,
        memory_service_cycles=service,
        messages=p,
        squared_cycles=sum(share * cycles * cycles for share, cycles in hits),
        miss_cycles=missed,
    )


def work_of_thread(
    cycles_per_instruction: npt.ArrayLike,
    memory_accesses: npt.ArrayLike,
    memory_service_cycles: npt.ArrayLike,
    messages: npt.ArrayLike,
) -> Work:
    """Return the work of a thread that a processor model gave.

    Parameters
    ----------
    cycles_per_instruction : array_like
        Of the thread alone on its node, c0: with its share of the caches, the whole bandwidth of the memory, without
        messages.
    memory_accesses : array_like
        Lines read from and written to the memory per instruction, a_D.
    memory_service_cycles : array_like
        Cycles in which the memory moves one line, S = line / bandwidth x clock; its latency is part of c0.
    messages : array_like
        Messages per instruction, p.

    Raises
    ------
    InputError
        Fewer cycles than the memory needs for the lines, c0 < a_D S: the processor model has no roof of bandwidth.
    """
    cycles = check("cycles_per_instruction", cycles_per_instruction, most=MOST_CYCLES, above=True)
    accesses = check("memory_accesses", memory_accesses)
    service = check("memory_service_cycles", memory_service_cycles, most=MOST_CYCLES)
    p = check("messages", messages, most=1.0, below=True)
    core = cycles - accesses * service
    low = core < -_HAIR * cycles
    if np.any(low):
        at = np.unravel_index(int(np.argmax(low)), low.shape)
        wanted, least = (
            float(np.broadcast_to(argument, low.shape)[at]) for argument in (cycles, np.asarray(accesses * service))
        )
        raise InputError(
            f"a thread alone has {wanted:g} cycles per instruction, and the memory needs {least:g} for its lines",
            key="cycles_per_instruction",
            allowed="at least memory_accesses x memory_service_cycles, as of a model with the bandwidth of the memory",
        )
    return Work(np.maximum(core, 0.0), accesses, service, p)


def check(
    name: str,
    value: npt.ArrayLike,
    *,
    least: float = 0.0,
    most: float = np.inf,
    above: bool = False,
    below: bool = False,
    whole: bool = False,
) -> np.ndarray:
    """Return an argument as floats; refuse what it cannot be, by name.

    Parameters
    ----------
    name : str
    value : array_like
    least, most : float
        Limits; `above` and `below` exclude them.
    whole : bool
        Only whole numbers.
    """
    try:
        numbers = read_numbers(name, value, "a number")
    except InputError:
        raise InputError(f"{shown(value)} is no number", key=name) from None
    wrong = ~np.isfinite(numbers) | (numbers < least) | (numbers > most)
    wrong |= (above & (numbers == least)) | (below & (numbers == most)) | (whole & (numbers != np.floor(numbers)))
    if np.any(wrong):
        words = f"{'a whole number' if whole else 'a number'} {'>' if above else '>='} {least:g}"
        words += f" and {'<' if below else '<='} {most:g}" if np.isfinite(most) else ""
        raise InputError(f"{float(numbers[wrong].flat[0]):g}", key=name, allowed=words)
    return numbers
