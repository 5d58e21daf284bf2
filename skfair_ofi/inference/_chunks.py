"""Draws in chunks, which are the same however many workers share them.

>>> def uniform(size, rng):
...     return rng.random(size)
>>> alone, shared = (in_chunks(uniform, 2500, 1, 7, n_jobs) for n_jobs in (None, 2))
>>> alone.shape, bool((alone == shared).all())
((2500,), True)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

Draws = Callable[[int, np.random.Generator], np.ndarray]

# Numbers that a chunk may hold, two megabytes an array, and replicates at most.
_NUMBERS, _REPLICATES = 1 << 18, 1000


def chunk_sizes(number: int, width: int) -> list[int]:
    """Return how many replicates each chunk has, whoever draws them."""
    rows = min(max(_NUMBERS // max(width, 1), 1), _REPLICATES)
    return [min(rows, number - start) for start in range(0, number, rows)]


def _one_chunk(draws: Draws, size: int, seed: np.random.SeedSequence) -> np.ndarray:
    return draws(size, np.random.default_rng(seed))


def in_chunks(
    draws: Draws, number: int, width: int, random_state: Any, n_jobs: int | None
) -> np.ndarray:
    """Return replicates that joblib's workers draw chunk by chunk, each chunk with its own seed."""
    sizes = chunk_sizes(number, width)
    drawn = np.random.default_rng(random_state).integers(2**63 - 1, size=2)
    seeds = np.random.SeedSequence(drawn.tolist()).spawn(len(sizes))
    tasks = zip(sizes, seeds, strict=True)
    # Asked in any case, so that joblib refuses what it would refuse of many chunks
    if min(effective_n_jobs(n_jobs), len(sizes)) == 1:
        return np.concatenate([_one_chunk(draws, *task) for task in tasks])
    shared = Parallel(n_jobs=n_jobs)(delayed(_one_chunk)(draws, *task) for task in tasks)
    return np.concatenate(shared)
