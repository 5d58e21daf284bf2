"""How often intervals of nominally 95 % hold the truth, and how wide they are.

Coverage is in per cent: the mean over settings, and the worst setting in brackets; beside it the
mean width. A setting is a pair of probabilities that the two groups are drawn from. Of groups of up
to 100 people, all tables that are not next to impossible are tried, weighted by their probability;
of larger ones, a sample.

    python -m benchmarks.coverage [--quick]
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.special import gammaln, ndtri, xlogy

from benchmarks import _bench
from benchmarks._measure_coverage import every_measure
from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval
from skfair_ofi.inference._bootstrap import Resampling, draw_tables
from skfair_ofi.inference._differences import limit_differences, limit_log_ratios
from skfair_ofi.inference._limits import limit_by_wilson, limit_rate, sample_quotient

Z = float(ndtri(0.975))
# Rarer tables are left out; larger groups are sampled.
RAREST, MOST_EXACT, DRAWS = 1e-6, 100, 400
SIZES = ((10, 10), (30, 30), (100, 100), (10, 1000), (30, 1000))
SHARES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
RARE = np.array([0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4])
EDGES = np.concatenate([RARE, [0.5], 1 - RARE[::-1]])
# Probabilities of a false positive and of a false negative.
ERRORS = (
    (0.01, 0.01),
    (0.05, 0.05),
    (0.02, 0.1),
    (0.1, 0.3),
    (0.25, 0.25),
    (0.5, 0.4),
    (0.6, 0.05),
    (0.3, 0.02),
    (0.0, 0.1),
    (0.5, 0.5),
)
Lows = Callable[[OutcomeCounts], np.ndarray]


def cells_of(fp: np.ndarray, fn: np.ndarray, people: int) -> np.ndarray:
    """Return cells of groups, of shape (n_tables, 2, 2, 1)."""
    cells = np.stack([people - fp - fn, fp, fn, np.zeros_like(fp)], axis=1)
    return cells.reshape(-1, 2, 2, 1)


def drawn(chances: Sequence[float], people: int, draws: int, seed: int) -> np.ndarray:
    """Return false positives and negatives of drawn tables, of shape (2, draws)."""
    rng = np.random.default_rng(seed)
    fp, fn = chances
    return rng.multinomial(people, [fp, fn, max(1 - fp - fn, 0)], draws).T[:2]


def tables(
    setting: Sequence[float], people: int, seed: int, draws: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of one group, and the weight of each.

    A share has no false negatives: they would be people who are not selected.
    """
    fp_rate, fn_rate = chances = (*setting, 0.0)[:2]
    if draws or people > MOST_EXACT:
        fp, fn = drawn(chances, people, draws or DRAWS, seed)
        return cells_of(fp, fn, people), np.full(len(fp), 1 / len(fp))
    most = people if fn_rate else 0
    fp, fn = (part.ravel() for part in np.mgrid[: people + 1, : most + 1])
    fp, fn = fp[fp + fn <= people], fn[fp + fn <= people]
    right = people - fp - fn
    others = max(1 - fp_rate - fn_rate, 0)
    logs = gammaln(people + 1) - gammaln(fp + 1) - gammaln(fn + 1) - gammaln(right + 1)
    logs = logs + xlogy(fp, fp_rate) + xlogy(fn, fn_rate) + xlogy(right, others)
    weight = np.exp(logs)
    some = weight > RAREST
    return cells_of(fp[some], fn[some], people), weight[some]


def truth(probabilities: Sequence[float]) -> float:
    """Return the share, or the marginal benefit."""
    return probabilities[0] - (probabilities[1] if len(probabilities) > 1 else 0.0)


# Methods: from a table of groups to the lower limits of row minus column, or of log ratios.


def difference(counts: OutcomeCounts) -> np.ndarray:
    """Return the package's limits of differences of shares."""
    return limit_differences((sample_quotient("selection_rate", counts),)).lower(Z)


def newcombe(counts: OutcomeCounts) -> np.ndarray:
    """Return Newcombe's limits of differences of shares, from Wilson's limits."""
    sample = sample_quotient("selection_rate", counts)
    low, high = limit_by_wilson(sample.value, sample.size, Z)
    down, up = sample.value - low, high - sample.value
    gaps = np.subtract.outer(sample.value, sample.value)
    return np.asarray(gaps - np.hypot(down[:, None], up[None, :]))


def ratio(counts: OutcomeCounts) -> np.ndarray:
    """Return the package's limits of ratios."""
    return limit_log_ratios((sample_quotient("selection_rate", counts),)).lower(Z)


def index(counts: OutcomeCounts) -> np.ndarray:
    """Return the package's limits of the Objective Fairness Index."""
    return limit_differences((sample_quotient("marginal_benefit", counts),)).lower(Z)


def score_index(counts: OutcomeCounts) -> np.ndarray:
    """Return score limits of the Objective Fairness Index, whatever the numbers of people."""
    limits = limit_rate((sample_quotient("marginal_benefit", counts),), Z)
    down, up = limits.value - limits.low, limits.high - limits.value
    gaps = np.subtract.outer(limits.value, limits.value)
    return np.asarray(gaps - np.hypot(down[:, None], up[None, :]))


def wald(name: str) -> Lows:
    """Return the textbook limits of a difference of means."""

    def lows(counts: OutcomeCounts) -> np.ndarray:
        sample = sample_quotient(name, counts)
        variance = (sample.spread - sample.value**2) / sample.size
        gap = np.subtract.outer(sample.value, sample.value)
        return np.asarray(gap - Z * np.sqrt(np.add.outer(variance, variance)))

    return lows


def katz(counts: OutcomeCounts) -> np.ndarray:
    """Return the textbook limits of a log ratio."""
    sample = sample_quotient("selection_rate", counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sample.value)
        variance = (1 - sample.value) / (sample.value * sample.size)
        gap = np.subtract.outer(logs, logs)
        return np.asarray(gap - Z * np.sqrt(np.add.outer(variance, variance)))


def percentile(counts: OutcomeCounts) -> np.ndarray:
    """Return the ends of a percentile bootstrap of the Objective Fairness Index.

    Each group's tables are drawn 500 times, and the pairs of draws are compared.
    """
    resampled = draw_tables(counts, Resampling(500, stratified=True, random_state=9)).cells
    values = (resampled[:, :, 1] - resampled[:, :, 2]) / resampled.sum(axis=2)
    lows = np.empty((len(counts.groups), len(counts.groups)))
    for row in range(len(lows)):
        # Each ordered pair needs draws of its own, so the row's draws are turned by one
        gaps = np.roll(values[:, [row]], 1, axis=0) - values
        lows[row] = np.quantile(gaps, 0.025, axis=0)
    return lows


def held(
    lows: Lows,
    settings: Sequence[Sequence[float]],
    sizes: tuple[int, int],
    *,
    logs: bool,
    draws: int | None = None,
) -> tuple[list[float], list[float]]:
    """Return coverage and width in every setting."""
    coverage, widths = [], []
    for first, second in product(settings, repeat=2):
        cells, weight = tables(first, sizes[0], 1, draws)
        others, other_weight = tables(second, sizes[1], 2, draws)
        every = np.concatenate([cells, others])
        found, cut = lows(OutcomeCounts(range(len(every)), every)), len(cells)
        low, high = found[:cut, cut:], -found[cut:, :cut].T
        aim = truth(first) - truth(second)
        if logs:
            aim = np.log(truth(first) / truth(second))
        # Where no one is selected in both groups, a ratio is undefined.
        known = np.logical_or.outer(cells[:, 0, 1, 0] > 0, others[:, 0, 1, 0] > 0) | (not logs)
        chance = np.multiply.outer(weight, other_weight) * known
        inside = (low <= aim + 1e-9) & (aim <= high + 1e-9)
        coverage.append((chance * inside).sum() / chance.sum())
        finite = chance * np.isfinite(high - low)
        width = np.where(np.isfinite(high - low), high - low, 0)
        widths.append((finite * width).sum() / finite.sum())
    return coverage, widths


def shown(coverage: Sequence[float], widths: Sequence[float]) -> str:
    """Return mean and worst coverage, and the mean width."""
    return f"{np.mean(coverage):.1%} [{min(coverage):.1%}] {np.nanmean(widths):.3f}"


def two_groups(step: int) -> None:
    """Print methods for two groups."""
    print("\nTwo groups, n per group; ratios: width of the logarithm, where finite.")
    head, widths = ("statistic, method", *map(str, SIZES)), (44, *[22] * len(SIZES))
    _bench.print_head(head, widths)
    shares, errors = [(share,) for share in SHARES[::step]], ERRORS[::step]
    rows: list[tuple[str, Lows, Any, bool, int | None]] = [
        ("difference, Wald", wald("selection_rate"), shares, False, None),
        ("difference, Newcombe", newcombe, shares, False, None),
        ("difference, MOVER of Jeffreys (default)", difference, shares, False, None),
        ("ratio, log-delta (Katz)", katz, shares, True, None),
        ("ratio, MOVER on logs of Wilson (default)", ratio, shares, True, None),
        ("OFI, Wald", wald("marginal_benefit"), errors, False, None),
        ("OFI, percentile bootstrap (fewer settings)", percentile, errors[::3], False, 200),
        ("OFI, adjusted Wald, score below 30 (default)", index, errors, False, None),
        ("OFI, MOVER of score limits", score_index, errors, False, None),
    ]
    for name, lows, settings, logs, draws in rows:
        cells = [shown(*held(lows, settings, sizes, logs=logs, draws=draws)) for sizes in SIZES]
        _bench.print_row([name, *cells], widths)


def edges() -> None:
    """Print how far differences of shares leave 93 to 98 %, exactly, on a grid to the edges."""
    print("\nDifferences of shares from 1 % to 99 %, exact: lowest and highest coverage, settings")
    print("below 93 % and above 98 %; then the same where 3 people of each kind are expected.")
    sizes = ((30, 30), (50, 50), (30, 60), (100, 100), (30, 100))
    _bench.print_head(("people", "Newcombe", "MOVER of Jeffreys (default)"), (12, 52, 52))
    for pair in sizes:
        cells = [_edge(limits, pair) for limits in (newcombe, difference)]
        _bench.print_row([str(pair), *cells], (12, 52, 52))


def _edge(lows: Lows, sizes: tuple[int, int]) -> str:
    """Return the lowest and the highest coverage, and how many settings are outside."""
    found, _ = held(lows, [(share,) for share in EDGES], sizes, logs=False)
    coverage, rare = np.array(found).reshape(len(EDGES), -1), np.minimum(EDGES, 1 - EDGES)
    inner = np.logical_and.outer(rare * sizes[0] >= 2.999, rare * sizes[1] >= 2.999)
    return "; ".join(_outside(part) for part in (coverage.ravel(), coverage[inner]))


def _outside(coverage: np.ndarray) -> str:
    low, high = (coverage < 0.93).mean(), (coverage > 0.98).mean()
    return f"{coverage.min():.1%}, {coverage.max():.1%}, {low:.1%}, {high:.1%}"


def one_group() -> None:
    """Print methods for one group."""
    print("\nOne group.")
    sizes = (10, 30, 100, 1000)
    head, widths = ("statistic, method", *map(str, sizes)), (44, *[22] * len(sizes))
    _bench.print_head(head, widths)
    for title, name, settings in (
        ("share, Wilson", "selection_rate", [(share,) for share in SHARES]),
        ("marginal benefit, score", "marginal_benefit", ERRORS),
    ):
        cells = [shown(*_one_group(name, settings, people)) for people in sizes]
        _bench.print_row([title, *cells], widths)


def _one_group(
    name: str, settings: Sequence[Sequence[float]], people: int
) -> tuple[list[float], list[float]]:
    """Return coverage and width in every setting."""
    coverage, widths = [], []
    for setting in settings:
        cells, weight = tables(setting, people, 1, 50_000 if people > MOST_EXACT else None)
        counts = OutcomeCounts(range(len(cells)), cells)
        limits = limit_rate((sample_quotient(name, counts),), Z)
        inside = (limits.low <= truth(setting) + 1e-9) & (truth(setting) <= limits.high + 1e-9)
        coverage.append(weight @ inside / weight.sum())
        widths.append(weight @ (limits.high - limits.low) / weight.sum())
    return coverage, widths


def hits_of(shares: Sequence[float], people: int, draws: int) -> np.ndarray:
    """Return the number selected in every group of many tables."""
    rng = np.random.default_rng(3)
    return rng.binomial(people, shares, (draws, len(shares)))


def largest_gaps(draws: int) -> None:
    """Print methods for the largest gap over several groups."""
    print("\nLargest gap of shares over several groups, 100 people each.")
    head = ("groups", "shares", "simultaneous, Jeffreys", "percentile bootstrap")
    widths = (6, 24, 24, 24)
    _bench.print_head(head, widths)
    name = "statistical_parity_difference"
    options: list[dict[str, Any]] = [
        {},
        {"method": "bootstrap", "n_resamples": 300, "random_state": 1},
    ]
    for groups in (2, 3, 5, 10):
        for title, shares in (
            ("equal", [0.3] * groups),
            ("one higher by 0.1", [0.3] * (groups - 1) + [0.4]),
            ("one higher by 0.4", [0.3] * (groups - 1) + [0.7]),
            ("spread over 0.5", np.linspace(0.25, 0.75, groups).tolist()),
        ):
            row = []
            for method in options:
                hits = hits_of(shares, 100, draws if not method else draws // 10)
                found = [
                    confidence_interval(
                        OutcomeCounts(
                            range(groups), np.stack([100 - one, one], axis=1)[:, None, :, None]
                        ),
                        name,
                        **method,
                    )
                    for one in hits
                ]
                aim = max(shares) - min(shares)
                inside = np.mean([aim in interval for interval in found])
                row.append(f"{inside:.1%} {np.mean([one.width for one in found]):.3f}")
            _bench.print_row([str(groups), title, *row], widths)


def weighted(draws: int) -> None:
    """Print Wilson's limits of weighted shares."""
    print("\nWeighted share, 200 people, 30 % selected.")
    head, widths = ("weights", "coverage", "width", "effective people"), (34, 8, 6, 16)
    _bench.print_head(head, widths)
    rng = np.random.default_rng(4)
    for title, of in (
        ("lognormal, whatever the outcome", lambda hit: rng.lognormal(0, 0.6, hit.shape)),
        ("4 for the selected", lambda hit: np.where(hit, 4.0, 1.0)),
        ("4 for the others", lambda hit: np.where(hit, 1.0, 4.0)),
        ("20 for one person in twenty", lambda hit: np.where(rng.random(hit.shape) < 0.05, 20, 1)),
    ):
        hits = rng.random((draws, 200)) < 0.3
        weight = of(hits)
        aim = {"4 for the selected": 1.2 / 1.9, "4 for the others": 0.3 / 3.1}.get(title, 0.3)
        cells, squares = (
            np.stack([(w * ~hits).sum(axis=1), (w * hits).sum(axis=1)], axis=1)[:, None, :, None]
            for w in (weight, weight**2)
        )
        counts = OutcomeCounts(range(draws), cells, weight_squares=squares)
        sample = sample_quotient("selection_rate", counts)
        limits = limit_rate((sample,), Z)
        inside = ((limits.low <= aim) & (aim <= limits.high)).mean()
        wide = (limits.high - limits.low).mean()
        cells_shown = [title, f"{inside:.1%}", f"{wide:.3f}", f"{sample.size.mean():.0f}"]
        _bench.print_row(cells_shown, widths)


def main() -> None:
    """Print all tables."""
    given = _bench.options(__doc__ or "")
    one_group()
    two_groups(4 if given.quick else 1)
    edges()
    largest_gaps(400 if given.quick else 1000)
    weighted(2000 if given.quick else 10_000)
    every_measure(200 if given.quick else 1000)


if __name__ == "__main__":
    main()
