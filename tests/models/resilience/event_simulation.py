"""Failures and checkpoints, event by event: what the closed forms of resilience are checked against.

It shares no code with them. Failures come after exponential times; many intervals are simulated side by side, each
until its checkpoint is written.
"""

import numpy as np

WORK, LOCAL, WHOLE = 0, 1, 2


def one_level(interval, cost, mean, restart, *, intervals, seed):
    """Seconds computing, writing and restarting of each interval, all attempts with them."""
    rng = np.random.default_rng(seed)
    spent = np.zeros((3, intervals))
    open_, restarting = np.arange(intervals), np.zeros(intervals, dtype=bool)
    while open_.size:
        strikes = rng.exponential(mean, open_.size)
        length = np.where(restarting, restart, interval + cost)
        lived = np.minimum(strikes, length)
        working = ~restarting
        spent[0, open_[working]] += np.minimum(lived, interval)[working]
        spent[1, open_[working]] += np.maximum(lived - interval, 0.0)[working]
        spent[2, open_[restarting]] += lived[restarting]
        survived = strikes >= length
        done = survived & working
        restarting = ~survived  # a failure leads to a restart, a restart that survives to work
        open_, restarting = open_[~done], restarting[~done]
    return spent


def two_levels(interval, per_global, local, whole, *, periods, seed):
    """Seconds of each period from a global checkpoint to the next one."""
    (cost_1, mean_1, restart_1), (cost_2, mean_2, restart_2) = local, whole
    rng = np.random.default_rng(seed)
    time = np.zeros(periods)
    open_ = np.arange(periods)
    saved = np.zeros(periods, dtype=int)  # local checkpoints since the last global one
    doing = np.full(periods, WORK)
    while open_.size:
        last = saved == per_global - 1
        length = np.select(
            [doing == LOCAL, doing == WHOLE, last], [restart_1, restart_2, interval + cost_2], interval + cost_1
        )
        first = rng.exponential(mean_1, open_.size) if np.isfinite(mean_1) else np.full(open_.size, np.inf)
        second = rng.exponential(mean_2, open_.size) if np.isfinite(mean_2) else np.full(open_.size, np.inf)
        strikes = np.minimum(first, second)
        time[open_] += np.minimum(strikes, length)
        survived = strikes >= length
        done = survived & (doing == WORK) & last
        saved = np.where(survived & (doing == WORK), saved + 1, saved)
        to_whole = ~survived & ((second <= first) | (doing == WHOLE))
        saved = np.where(to_whole, 0, saved)
        doing = np.where(survived, WORK, np.where(to_whole, WHOLE, LOCAL))
        open_, saved, doing = open_[~done], saved[~done], doing[~done]
    return time
