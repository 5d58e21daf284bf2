"""Rates of the group where they are worst, for scorers."""

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts

from ._decorators import Measure
from ._registry import METRICS, Metric, name_of

__all__ = ["worst_group"]


class WorstGroup:
    """A rate in the group where it is worst; see `worst_group`."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.__name__ = f"worst_group_{metric.name}"

    def of(self, counts: OutcomeCounts) -> float:
        """Return the worst group's value of a table, NaN where any group's is undefined."""
        values = self.metric.values(counts)
        worst = values.min() if self.metric.better == "higher" else values.max()
        return float(worst)

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"worst_group({self.metric.name})"


def worst_group(measure: Measure | str) -> WorstGroup:
    """Rate of the group where it is worst, to be scored.

    Parameters
    ----------
    measure : callable or str
        A rate that is better one way, such as ``accuracy`` or ``false_positive_rate``.

    Returns
    -------
    WorstGroup
        What `make_group_scorer` takes.

    Raises
    ------
    ValueError
        If it is no such rate.

    Examples
    --------
    >>> worst_group("accuracy")
    worst_group(accuracy)
    """
    rates = [metric.name for metric in METRICS.values() if metric.better is not None]
    return WorstGroup(METRICS[check_choice("measure", name_of(measure), rates)])
