"""Predicates over columns of any frame, with one meaning of missing values in every engine.

Engines disagree about comparisons with missing values: NumPy columns say False,
others say null, and NaN is sometimes equal to itself. So a truth is kept as two
expressions that are never missing, "surely yes" and "surely no"; where neither
holds it is missing. Numbers are compared as 64-bit floats, which is exact for
whole numbers below 2**53. A division by zero is missing, and so is what has no
value, such as infinity minus itself.

>>> import pandas as pd
>>> frame = pd.DataFrame({"age": [20, None, 40]})
>>> old = compare(">", column(column_kinds(frame)["age"]), literal(30))
>>> states(frame, old).tolist()
[0, 2, 1]
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal

import narwhals as nw
import narwhals.exceptions
import numpy as np
import pyarrow as pa

# A cell is text of a CSV file, which is a number where a number is asked for; a column
# without any value is one, too.
Kind = Literal["number", "text", "boolean", "cell", "other"]

# Cells that engines read as a number without a value.
_NAN = r"(?i)^\s*[+-]?nan(\([a-z0-9_]*\))?\s*$"

# Codes of a truth's three states.
NO, YES, MISSING = 0, 1, 2

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Value:
    """A column, a literal or arithmetic on them; ``missing`` is None where it never is.

    ``source`` is the column, for a column by itself. Of arithmetic, ``missing``
    is where it divides by zero; where an operand is missing, or there is no
    result, shows in the result itself.
    """

    expr: nw.Expr
    kind: Kind
    missing: nw.Expr | None = None
    source: str = ""
    computed: bool = False


@dataclass(frozen=True)
class Truth:
    """A yes, no or missing; each expression is true or false, never null."""

    yes: nw.Expr
    no: nw.Expr


@dataclass(frozen=True)
class Bins:
    """Which bin a number lies in: 0 below the first edge; -1 where it is missing."""

    value: Value
    edges: tuple[float, ...]


def _kind(dtype: Any) -> Kind:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    return "other"


@dataclass(frozen=True)
class ColumnKind:
    """What a column holds."""

    source: str
    kind: Kind
    float: bool = False
    dtype: str = ""


def _empty(frame: nw.LazyFrame[Any]) -> list[str]:
    """Columns of the type that has no values, which narwhals does not tell from other types."""
    native, engine = frame.to_native(), frame.implementation
    if engine.is_polars():
        types = dict(native.collect_schema())
    elif engine.is_duckdb():
        types = dict(zip(native.columns, native.types, strict=True))
    else:
        return []
    return [name for name, kind in types.items() if str(kind).strip('"') in ("Null", "NULL")]


def column_kinds(frame: Any) -> dict[str, ColumnKind]:
    """Return what each column of an eager or lazy frame holds."""
    wrapped = nw.from_native(frame).lazy()
    kinds = {
        name: ColumnKind(name, _kind(dtype), dtype.is_float(), str(dtype))
        for name, dtype in wrapped.collect_schema().items()
    }
    return kinds | {name: ColumnKind(name, "cell", dtype="null") for name in _empty(wrapped)}


def column(kind: ColumnKind) -> Value:
    """Return a column's value; numbers as 64-bit floats, text as plain strings."""
    raw = nw.col(kind.source)
    missing = raw.is_null() | raw.is_nan() if kind.float else raw.is_null()
    casts: dict[Kind, Any] = {"number": nw.Float64, "text": nw.String}
    expr = raw.cast(casts[kind.kind]) if kind.kind in casts else raw
    return Value(expr, kind.kind, missing, kind.source)


def as_number(cell: Value) -> Value:
    """Return a cell of a CSV file as a number; the engine refuses other text."""
    number = cell.expr.cast(nw.Float64)
    return replace(cell, expr=number, kind="number", missing=_any_of(cell.missing, number.is_nan()))


def as_boolean(cell: Value) -> Value:
    """Return a cell of a CSV file as True or False; the engine refuses other text."""
    return replace(cell, expr=cell.expr.cast(nw.Boolean), kind="boolean")


def as_text(cell: Value) -> Value:
    """Return a cell of a CSV file as text."""
    return replace(cell, expr=cell.expr.cast(nw.String), kind="text")


def literal(value: bool | float | str) -> Value:
    """Return a constant."""
    if isinstance(value, bool):
        return Value(nw.lit(value), "boolean")
    if isinstance(value, str):
        return Value(nw.lit(value), "text")
    return Value(nw.lit(float(value)), "number")


def _any_of(*parts: nw.Expr | None) -> nw.Expr | None:
    given = [part for part in parts if part is not None]
    return reduce(operator.or_, given) if given else None


def arithmetic(symbol: str, left: Value, right: Value) -> Value:
    """Return the result of ``+ - * /`` of two numbers."""
    # Only divisions by zero are carried on, so that an expression grows by one step a division:
    # with what else is missing in it, each division in a division would double it.
    missing = _any_of(*(value.missing for value in (left, right) if value.computed))
    if symbol == "/":
        # Engines give infinity, NaN or null for it, so that it does not show in what follows.
        missing = _any_of(missing, right.expr == 0.0)
    return Value(_ARITHMETIC[symbol](left.expr, right.expr), "number", missing, computed=True)


def negative(value: Value) -> Value:
    """Return a number with the opposite sign."""
    return arithmetic("-", literal(0.0), value)


def lacking(value: Value) -> nw.Expr | None:
    """Return where a value is missing, or None where it never is."""
    if not value.computed:
        return value.missing
    return _any_of(value.missing, value.expr.is_null() | value.expr.is_nan())


def _where_known(condition: nw.Expr, missing: nw.Expr | None) -> Truth:
    if missing is None:
        return Truth(condition, ~condition)
    # A division by zero inside can make the condition null in a row that is missing anyway.
    yes = nw.when(missing).then(nw.lit(value=False)).otherwise(condition)
    no = nw.when(missing).then(nw.lit(value=False)).otherwise(~condition)
    return Truth(yes, no)


def compare(symbol: str, left: Value, right: Value) -> Truth:
    """Return a comparison by ``== != < <= > >=`` of two values of one kind."""
    condition = _COMPARISONS[symbol](left.expr, right.expr)
    return _where_known(condition, _any_of(lacking(left), lacking(right)))


def between(value: Value, low: float, high: float) -> Truth:
    """Return whether a number lies between two limits, both included."""
    condition = (value.expr >= low) & (value.expr <= high)
    return _where_known(condition, lacking(value))


def among(value: Value, options: Sequence[bool | float | str]) -> Truth:
    """Return whether a value is one of the options, which are of its kind."""
    wanted = [float(option) if value.kind == "number" else option for option in options]
    return _where_known(value.expr.is_in(wanted), lacking(value))


def is_missing(value: Value) -> Truth:
    """Return whether a value is missing, which itself never is.

    A cell of CSV is, too, where it would be NaN as a number.
    """
    missing = lacking(value)
    if value.kind == "cell":
        missing = _any_of(missing, value.expr.cast(nw.String).str.contains(_NAN))
    return _where_known(nw.lit(value=False) if missing is None else missing, None)


def holds(value: Value) -> Truth:
    """Return a boolean column as a truth."""
    return _where_known(value.expr, lacking(value))


def coded(source: str) -> Truth:
    """Return a column of states, 0 no, 1 yes, 2 missing, as a truth."""
    return Truth(nw.col(source) == YES, nw.col(source) == NO)


def both(left: Truth, right: Truth) -> Truth:
    """Return ``left and right``: no where either is no, even if the other is missing."""
    return Truth(left.yes & right.yes, left.no | right.no)


def either(left: Truth, right: Truth) -> Truth:
    """Return ``left or right``: yes where either is yes, even if the other is missing."""
    return Truth(left.yes | right.yes, left.no & right.no)


def opposite(truth: Truth) -> Truth:
    """Return ``not truth``."""
    return Truth(truth.no, truth.yes)


def _state(truth: Truth) -> nw.Expr:
    rest = nw.when(truth.no).then(nw.lit(NO)).otherwise(nw.lit(MISSING))
    return nw.when(truth.yes).then(nw.lit(YES)).otherwise(rest)


def _bin(bins: Bins) -> nw.Expr:
    inside = nw.lit(0)
    for place, edge in enumerate(bins.edges, start=1):
        inside = nw.when(bins.value.expr >= edge).then(nw.lit(place)).otherwise(inside)
    missing = lacking(bins.value)
    return inside if missing is None else nw.when(missing).then(nw.lit(-1)).otherwise(inside)


def _or_zero(value: Value) -> nw.Expr:
    """A number, 0 where it is missing."""
    missing = lacking(value)
    if missing is None:
        return value.expr
    return nw.when(missing).then(nw.lit(0.0)).otherwise(value.expr)


def _expression(part: Truth | Bins | Value | str) -> nw.Expr:
    match part:
        case Truth():
            return _state(part)
        case Bins():
            return _bin(part)
        case Value():
            return _or_zero(part)
        case str():
            return nw.col(part)


def derive(frame: Any, parts: Mapping[str, Truth | Bins | Value | str]) -> Any:
    """Return a lazy frame of new columns, in its own library."""
    expressions = [_expression(part).alias(name) for name, part in parts.items()]
    return nw.from_native(frame).lazy().select(*expressions).to_native()


def states(frame: Any, truth: Truth) -> np.ndarray:
    """Return the state of a truth in each row of an eager frame: 0 no, 1 yes, 2 missing."""
    lazy = nw.from_native(frame).lazy().select(_state(truth).alias("state"))
    found: np.ndarray = lazy.collect("pyarrow").get_column("state").to_numpy()
    return found.astype(np.int8)


def median(frame: Any, value: Value) -> float:
    """Return the median of a number, missing ones left out; NaN where all are."""
    known = nw.from_native(frame).lazy()
    missing = lacking(value)
    if missing is not None:
        known = known.filter(~missing)
    found = known.select(value.expr.alias("m")).select(nw.col("m").median()).collect("pyarrow")
    middle = found.get_column("m").to_list()[0]
    return float("nan") if middle is None else float(middle)


def arrow_columns(frame: Any, names: Sequence[str]) -> list[Any]:
    """Return columns of an eager or lazy frame as pyarrow columns."""
    wrapped = nw.from_native(frame)
    try:
        if isinstance(wrapped, nw.LazyFrame):
            table = wrapped.select(*names).collect("pyarrow").to_native()
        else:
            table = wrapped.select(*names).to_arrow()
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        raise ValueError(
            "Columns must hold text that UTF-8 can write, got a lone surrogate "
            f"{wrong!r} in a cell."
        ) from None
    except pa.ArrowException as error:
        raise ValueError(f"Columns must each hold values of one type, got {error}.") from error
    return [table.column(place) for place in range(len(names))]


def slices(frame: Any, size: int) -> Iterator[Any]:
    """Yield an eager frame in pieces of at most ``size`` rows, in its own library."""
    wrapped = nw.from_native(frame, eager_only=True)
    for start in range(0, max(len(wrapped), 1), size):
        yield wrapped[start : start + size].to_native()


def pandas_frame(frame: Any, names: Sequence[str] | None = None) -> Any:
    """Return columns of an eager frame as a pandas frame."""
    wrapped = nw.from_native(frame, eager_only=True)
    return (wrapped if names is None else wrapped.select(*names)).to_pandas()


def is_lazy(frame: Any) -> bool:
    """Return whether a frame is lazy."""
    try:
        wrapped = nw.from_native(frame, pass_through=True)
    except (ValueError, nw.exceptions.NarwhalsError) as error:
        raise ValueError(f"data must have columns of different names, got {error}.") from error
    if not isinstance(wrapped, nw.DataFrame | nw.LazyFrame):
        raise TypeError(f"data must be a file or a data frame, got {type(frame).__name__}.")
    return isinstance(wrapped, nw.LazyFrame)
