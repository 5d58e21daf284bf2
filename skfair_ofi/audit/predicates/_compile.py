"""The language of predicates: conditions on columns, written as text.

Text is parsed with ``ast`` and only ever checked against a list of allowed
nodes, never evaluated, so a predicate from a stranger's file can run no code:

==============================  =============================================
``two_year_recid == 1``         ``== != < <= > >=``, chained: ``5 <= score <= 7``
``score_text in ["High"]``      ``in``, ``not in`` a list of literals
``a == 1 and not (b < 2)``      ``and``, ``or``, ``not``, parentheses
``income / age > 1000``         ``+ - * /`` of numbers
``col("any name") == "x"``      a column whose name is no plain word
``is_missing(race)``            whether a value is missing
``hired``                       a column of booleans by itself
==============================  =============================================

A comparison with a missing value is missing, and so are ``not``, ``and`` and
``or`` of it unless the other side decides.

>>> sorted(parse("5 <= score <= 7 or col('any name') == 'x'").columns)
['any name', 'score']
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skfair_ofi._validation import suggest

from . import _expressions as expressions
from ._expressions import ColumnKind, Truth, Value
from ._grammar import (
    ARITHMETIC,
    COMPARISONS,
    MAX_COMPARISONS,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_OPERATIONS,
    check_source,
    check_truth,
    columns_of,
    count_comparisons,
    count_operations,
    depth_of,
    fault,
    literal,
    literal_kind,
    show_text,
    tree_of,
    unknown,
)

_AS = {
    "number": expressions.as_number,
    "text": expressions.as_text,
    "boolean": expressions.as_boolean,
}


@dataclass(frozen=True)
class Predicate:
    """A parsed predicate."""

    text: str
    tree: ast.expr = field(compare=False, repr=False)
    columns: frozenset[str] = field(compare=False, repr=False)
    # Comparisons and arithmetic operations, which take time to plan.
    size: int = field(compare=False, repr=False)

    def compile(
        self, kinds: Mapping[str, ColumnKind], uses: set[tuple[str, str]] | None = None
    ) -> Truth:
        """Return the predicate on the columns of a frame."""
        return _Compiler(self.text, kinds, set() if uses is None else uses).truth(self.tree)


@dataclass(frozen=True)
class Rowwise:
    """A predicate of one row at a time, as ``rowwise`` makes it."""

    function: Callable[[dict[str, Any]], bool]


def rowwise(function: Callable[[dict[str, Any]], bool]) -> Rowwise:
    """A predicate that is asked row by row, with the row as a dictionary.

    It is for functions written for other tools; text is hundreds of times faster.

    Parameters
    ----------
    function : callable
        Takes one row as a dictionary of plain values, None where missing, and
        returns True, False, or None where it cannot say.

    Returns
    -------
    Rowwise
        What ``Audit`` takes in the place of text.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfair_ofi.audit import Audit
    >>> audit = Audit(
    ...     positive=rowwise(lambda row: row["score"] > 5),
    ...     groups="sex",
    ...     criteria=["disparate_impact"],
    ... )
    >>> people = pd.DataFrame({"sex": ["f", "f", "m", "m"], "score": [3, 6, 7, 9]})
    >>> audit.run(people).findings[0].value
    0.5
    """
    return Rowwise(function)


def parse(text: str) -> Predicate:
    """Parse a predicate, or say what is wrong with it and where."""
    if len(text) > MAX_LENGTH:
        raise ValueError(f"predicate must have at most {MAX_LENGTH} characters, got {len(text)}.")
    text = text.strip(" \t\r\n")
    tree = tree_of(text)
    if (depth := depth_of(tree)) > MAX_DEPTH:
        raise ValueError(
            f"predicate must be nested at most {MAX_DEPTH} levels deep, got {depth}: "
            f"{show_text(text)}."
        )
    size = 0
    for most, found, what in (
        (MAX_COMPARISONS, count_comparisons(tree), "comparisons"),
        (MAX_OPERATIONS, count_operations(tree), "arithmetic operations"),
    ):
        size += found
        if found > most:
            raise ValueError(
                f"predicate must have at most {most} {what}, got {found}: {show_text(text)}."
            )
    check_truth(tree, text)
    check_source(tree, text)
    return Predicate(text, tree, frozenset(columns_of(tree)), size)


def one_column(kinds: Mapping[str, ColumnKind]) -> str:
    """What is said of a CSV file that was taken for one column."""
    if [kind.kind for kind in kinds.values()] != ["cell"]:
        return ""
    return " The file has one column; another delimiter can be given as data.delimiter."


def _join(join: Callable[[Truth, Truth], Truth], parts: Sequence[Truth]) -> Truth:
    """Parts joined two by two, so that many of them are not nested deeply."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return join(_join(join, parts[:middle]), _join(join, parts[middle:]))


@dataclass(frozen=True)
class _Compiler:
    """Turns a checked tree into expressions on columns of known kinds."""

    text: str
    kinds: Mapping[str, ColumnKind]
    uses: set[tuple[str, str]]

    def _like(self, value: Value, other: str, symbol: str = "==") -> Value:
        """A cell of CSV as what it is compared with: a number if that is one, or an order."""
        if value.kind != "cell":
            return value
        number = other == "number" or (other == "cell" and symbol not in ("==", "!="))
        kind = "boolean" if other == "boolean" else "number" if number else "text"
        self.uses.add((value.source, kind))
        return _AS[kind](value)

    def truth(self, node: ast.expr) -> Truth:
        match node:
            case ast.BoolOp():
                join = expressions.both if isinstance(node.op, ast.And) else expressions.either
                return _join(join, [self.truth(part) for part in node.values])
            case ast.UnaryOp():
                return expressions.opposite(self.truth(node.operand))
            case ast.Compare():
                return self._comparison(node)
            case ast.Call(func=ast.Name(id="is_missing")):
                value = self.value(node.args[0])
                self.uses.add((value.source, "text"))
                return expressions.is_missing(value)
        value = self._like(self.value(node), "boolean")
        if value.kind != "boolean":
            raise fault(
                self.text, node, f"A condition or a column of booleans must stand, got {value.kind}"
            )
        return expressions.holds(value)

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant():
                return expressions.literal(literal(node, self.text))
            case ast.Name():
                return self._column(node.id, node)
            case ast.Call():
                return self._column(node.args[0].value, node)  # type: ignore[attr-defined]
            case ast.UnaryOp():
                return expressions.negative(self._number(node.operand))
            case ast.BinOp():
                left, right = self._number(node.left), self._number(node.right)
                return expressions.arithmetic(ARITHMETIC[type(node.op)], left, right)
        raise unknown(self.text, node)

    def _column(self, name: str, node: ast.AST) -> Value:
        if name not in self.kinds and f"{name}#1" in self.kinds:
            times = sum(key.startswith(f"{name}#") for key in self.kinds)
            raise ValueError(
                f"{name!r} must be one column, and the header has it {times} times: write "
                f"col('{name}#1') or col('{name}#2')."
            )
        if name not in self.kinds:
            hint = suggest(name, self.kinds, most=1) or one_column(self.kinds)
            unknown_column = fault(self.text, node, f"Unknown column {name!r}")
            raise ValueError(f"{unknown_column}{hint}")
        return expressions.column(self.kinds[name])

    def _number(self, node: ast.expr) -> Value:
        value = self._like(self.value(node), "number")
        if value.kind != "number":
            raise fault(self.text, node, f"Arithmetic must be of numbers, got {value.kind}")
        return value

    def _comparison(self, node: ast.Compare) -> Truth:
        operands = [node.left, *node.comparators]
        steps = zip(operands, node.ops, operands[1:], strict=False)
        return _join(expressions.both, [self._step(node, *step) for step in steps])

    def _step(
        self, node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr
    ) -> Truth:
        symbol = COMPARISONS[type(operator)]
        first = self.value(left)
        if symbol in ("in", "not in"):
            options = [literal(item, self.text) for item in right.elts]  # type: ignore[attr-defined]
            kind = literal_kind(options[0])
            first = self._like(first, kind)
            self._check_kinds(left, first.kind, kind, symbol)
            found = expressions.among(first, options)
            return found if symbol == "in" else expressions.opposite(found)
        second = self.value(right)
        first, second = (
            self._like(first, second.kind, symbol),
            self._like(second, first.kind, symbol),
        )
        self._check_kinds(left, first.kind, second.kind, symbol)
        return expressions.compare(symbol, first, second)

    def _check_kinds(self, node: ast.AST, left: str, right: str, symbol: str) -> None:
        if "other" in (left, right):
            raise fault(
                self.text, node, "Only numbers, text and booleans can be compared, got another type"
            )
        if left != right:
            hint = "; text is written in quotes" if "text" in (left, right) else ""
            raise fault(
                self.text,
                node,
                f"Values of one kind must be compared{hint}, got {left} {symbol} {right}",
            )
        if left != "number" and symbol in ("<", "<=", ">", ">="):
            raise fault(self.text, node, f"Only numbers can be compared by {symbol}, got {left}")
