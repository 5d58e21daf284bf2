"""Which flips fairness needs, which were avoidable, and whether alike people are alike in them.

Names outside `__all__` are shared with the packages above: rules, and the linear program
over them.
"""

from ._avoidable import AvoidableFlips, avoidable_flips, avoidable_flips_by_score
from ._consistency import FlipConsistency, flip_consistency
from ._describe import FlipDescription, describe_flips
from ._linear import (
    LinearRate as LinearRate,
    find_gap as find_gap,
    measure_everyone as measure_everyone,
)
from ._mixture import Steps as Steps, find_chances as find_chances, make_steps as make_steps
from ._paths import (
    Columns as Columns,
    count_sides as count_sides,
    find_paths as find_paths,
    pool_labels as pool_labels,
)
from ._program import GOALS as GOALS, InfeasibleError, Program as Program
from ._search import (
    evaluate as evaluate,
    optimize as optimize,
    price as price,
    trace_frontier as trace_frontier,
)
from ._wishes import (
    make_fairness as make_fairness,
    make_keep_wishes as make_keep_wishes,
    make_limits as make_limits,
)

__all__ = [
    "AvoidableFlips",
    "FlipConsistency",
    "FlipDescription",
    "InfeasibleError",
    "avoidable_flips",
    "avoidable_flips_by_score",
    "describe_flips",
    "flip_consistency",
]
