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
import difflib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from skfair_ofi import _predicate_frames as frames
from skfair_ofi._predicate_frames import ColumnKind, Truth, Value

MAX_LENGTH = 10_000
MAX_DEPTH = 40
MAX_COMPARISONS = 100
# Whole numbers below this are exact as 64-bit floats.
MAX_NUMBER = 2**53

_ARITHMETIC: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_AS = {"number": frames.as_number, "text": frames.as_text, "boolean": frames.as_boolean}
_FUNCTIONS = ("col", "is_missing")
_NAMES = {
    ast.Attribute: "an attribute (a dot)",
    ast.Subscript: "an index (square brackets)",
    ast.Lambda: "lambda",
    ast.IfExp: "if and else",
    ast.JoinedStr: "an f-string",
    ast.NamedExpr: "an assignment (:=)",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Starred: "a star",
    ast.Dict: "a dictionary",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.MatMult: "@",
    ast.BitAnd: "&; write and",
    ast.BitOr: "|; write or",
    ast.Invert: "~; write not",
    ast.Is: "is; write == or is_missing(column)",
    ast.IsNot: "is not; write != or not is_missing(column)",
    ast.UAdd: "a plus sign",
}


class PredicateError(ValueError):
    """A predicate that cannot be understood, with the place where that shows."""


@dataclass(frozen=True)
class Predicate:
    """A parsed predicate."""

    text: str
    tree: ast.expr = field(compare=False, repr=False)
    columns: frozenset[str] = field(compare=False, repr=False)

    def compile(
        self, kinds: Mapping[str, ColumnKind], uses: set[tuple[str, str]] | None = None
    ) -> Truth:
        """Return the predicate on the columns of a frame.

        Parameters
        ----------
        kinds : mapping of str to ColumnKind
            What each column holds.
        uses : set of tuple of str, default=None
            Gets the cells of CSV that are used, and as what: number, text or boolean.

        Returns
        -------
        Truth
            What a frame's rows are asked.

        Raises
        ------
        PredicateError
            If a column is not there, or values of different kinds meet.
        """
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


def _place(text: str, node: ast.AST) -> int:
    """The character of a node, counted from 1; ast counts bytes of UTF-8."""
    offset = getattr(node, "col_offset", 0)
    return len(text.encode()[:offset].decode(errors="ignore")) + 1


def _fault(text: str, node: ast.AST, message: str) -> PredicateError:
    return PredicateError(f"{message} at character {_place(text, node)} of {_shown(text)}.")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 120 else f"{text[:117]}...")


def _depth(tree: ast.AST) -> int:
    """The depth of a tree, without recursion: it may be too deep for that."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _tree(text: str) -> ast.expr:
    flat = "".join(" " if character in "\r\n\t" else character for character in text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return ast.parse(flat.strip(" "), mode="eval").body
    except SyntaxError as error:
        place = "" if error.offset is None else f" at character {error.offset}"
        raise PredicateError(
            f"predicate must be an expression such as \"col('any name') == 1\", got "
            f"{_shown(text)} ({error.msg[:80]}{place})."
        ) from None
    except (ValueError, Warning, RecursionError, MemoryError) as error:
        reason = str(error) or "too deeply nested"
        raise PredicateError(
            f"predicate must be plain text, got {_shown(text)} ({reason})."
        ) from None


def parse(text: str) -> Predicate:
    """Parse a predicate, or say what is wrong with it and where.

    Parameters
    ----------
    text : str
        The predicate.

    Returns
    -------
    Predicate
        The parsed predicate.

    Raises
    ------
    PredicateError
        If it is anything but an expression of the language.
    """
    if len(text) > MAX_LENGTH:
        raise PredicateError(
            f"predicate must have at most {MAX_LENGTH} characters, got {len(text)}."
        )
    tree = _tree(text)
    text = text.strip()
    if (depth := _depth(tree)) > MAX_DEPTH:
        raise PredicateError(
            f"predicate must be nested at most {MAX_DEPTH} levels deep, got {depth}: "
            f"{_shown(text)}."
        )
    comparisons = sum(isinstance(node, ast.Compare) for node in ast.walk(tree))
    if comparisons > MAX_COMPARISONS:
        raise PredicateError(
            f"predicate must have at most {MAX_COMPARISONS} comparisons, got {comparisons}: "
            f"{_shown(text)}."
        )
    _check_truth(tree, text)
    return Predicate(text, tree, frozenset(_columns(tree)))


def _columns(tree: ast.expr) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.func.id == "col":  # type: ignore[attr-defined]
            yield node.args[0].value  # type: ignore[attr-defined]
        elif isinstance(node, ast.Name) and node.id not in _FUNCTIONS:
            yield node.id


def _check_truth(node: ast.expr, text: str) -> None:
    """Check a node where a condition must stand."""
    match node:
        case ast.BoolOp():
            for part in node.values:
                _check_truth(part, text)
        case ast.UnaryOp(op=ast.Not()):
            _check_truth(node.operand, text)
        case ast.Compare():
            _check_comparison(node, text)
        case ast.Call(func=ast.Name(id="is_missing")):
            _check_call(node, text)
            _check_value(node.args[0], text)
        case ast.Name() | ast.Call():
            _check_value(node, text)
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) if type(operator) in _NAMES:
            raise _unknown(text, operator, node)
        case ast.Constant() | ast.BinOp() | ast.UnaryOp(op=ast.USub()) | ast.List() | ast.Tuple():
            raise _fault(text, node, "A condition such as 'age > 30' must stand")
        case _:
            raise _unknown(text, node)


def _unknown(text: str, node: ast.AST, place: ast.AST | None = None) -> PredicateError:
    name = _NAMES.get(type(node), type(node).__name__)
    return _fault(
        text,
        place or node,
        f"Only comparisons, arithmetic and column names are allowed, got {name}",
    )


def _check_comparison(node: ast.Compare, text: str) -> None:
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if type(operator) not in _COMPARISONS:
            raise _unknown(text, operator, node)
        if isinstance(operator, ast.In | ast.NotIn):
            _check_options(right, text)
        else:
            _check_value(right, text)
    if len(node.ops) > 1 and any(isinstance(item, ast.In | ast.NotIn) for item in node.ops):
        raise _fault(text, node, "in must stand by itself, not in a chain of comparisons,")
    _check_value(node.left, text)


def _check_options(node: ast.expr, text: str) -> None:
    if not isinstance(node, ast.List | ast.Tuple | ast.Set) or not node.elts:
        raise _fault(
            text, node, "in must be followed by a list of values such as ['a', 'b'], not found"
        )
    for item in node.elts:
        _literal(item, text)
    kinds = {_literal_kind(_literal(item, text)) for item in node.elts}
    if len(kinds) > 1:
        raise _fault(
            text, node, f"A list must hold values of one kind, got {' and '.join(sorted(kinds))}"
        )


def _literal(node: ast.expr, text: str) -> bool | float | str:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return -_literal(node.operand, text)  # type: ignore[operator]
        case ast.Constant(value=None):
            raise _fault(text, node, "None must be written as is_missing(column), got None")
        case ast.Constant(value=bool() | str() as value):
            return value
        case ast.Constant(value=int() | float() as value):
            if not (math.isfinite(value) and abs(value) < MAX_NUMBER):
                raise _fault(text, node, "Numbers must be finite and below 2**53, got a larger one")
            return value
        case _:
            raise _fault(text, node, "A literal number, text, True or False must stand")


def _literal_kind(value: bool | float | str) -> frames.Kind:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"


def _check_call(node: ast.Call, text: str) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS:
        name = (
            f"{node.func.id}()" if isinstance(node.func, ast.Name) else "a call of something else"
        )
        raise _fault(text, node, f"Only col() and is_missing() can be called, got {name}")
    if len(node.args) != 1 or node.keywords:
        raise _fault(text, node, f"{node.func.id}() must have one argument, got another number")


def _check_value(node: ast.expr, text: str) -> None:
    """Check a node where a number, a text or a column must stand."""
    match node:
        case ast.Constant():
            _literal(node, text)
        case ast.Name(id="col" | "is_missing"):
            raise _fault(text, node, f'{node.id} must be called, as in {node.id}("..."), found')
        case ast.Name():
            return
        case ast.UnaryOp(op=ast.USub()):
            _check_value(node.operand, text)
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            _check_value(node.left, text)
            _check_value(node.right, text)
        case ast.BinOp() | ast.UnaryOp():
            raise _unknown(text, node.op, node)
        case ast.Call():
            _check_call(node, text)
            if node.func.id == "is_missing":  # type: ignore[attr-defined]
                raise _fault(text, node, "is_missing() is a condition, and cannot be compared")
            if not isinstance(node.args[0], ast.Constant) or not isinstance(
                node.args[0].value, str
            ):
                raise _fault(
                    text, node, "col() must have a column's name in quotes, got something else"
                )
        case _:
            raise _unknown(text, node)


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
                join = frames.both if isinstance(node.op, ast.And) else frames.either
                return reduce(join, [self.truth(part) for part in node.values])
            case ast.UnaryOp():
                return frames.opposite(self.truth(node.operand))
            case ast.Compare():
                return self._comparison(node)
            case ast.Call(func=ast.Name(id="is_missing")):
                value = self.value(node.args[0])
                self.uses.add((value.source, "text"))
                return frames.is_missing(value)
        value = self._like(self.value(node), "boolean")
        if value.kind != "boolean":
            raise _fault(
                self.text, node, f"A condition or a column of booleans must stand, got {value.kind}"
            )
        return frames.holds(value)

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant():
                return frames.literal(_literal(node, self.text))
            case ast.Name():
                return self._column(node.id, node)
            case ast.Call():
                return self._column(node.args[0].value, node)  # type: ignore[attr-defined]
            case ast.UnaryOp():
                return frames.negative(self._number(node.operand))
            case ast.BinOp():
                left, right = self._number(node.left), self._number(node.right)
                return frames.arithmetic(_ARITHMETIC[type(node.op)], left, right)
        raise _unknown(self.text, node)

    def _column(self, name: str, node: ast.AST) -> Value:
        if f"{name}#1" in self.kinds:
            times = sum(key.startswith(f"{name}#") for key in self.kinds)
            raise PredicateError(
                f"{name!r} must be one column, and the header has it {times} times: write "
                f"col('{name}#1') or col('{name}#2')."
            )
        if name not in self.kinds:
            near = difflib.get_close_matches(name, list(self.kinds), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            fault = _fault(self.text, node, f"Unknown column {name!r}")
            raise PredicateError(f"{fault}{hint}")
        return frames.column(self.kinds[name])

    def _number(self, node: ast.expr) -> Value:
        value = self._like(self.value(node), "number")
        if value.kind != "number":
            raise _fault(self.text, node, f"Arithmetic must be of numbers, got {value.kind}")
        return value

    def _comparison(self, node: ast.Compare) -> Truth:
        operands = [node.left, *node.comparators]
        steps = zip(operands, node.ops, operands[1:], strict=False)
        return reduce(frames.both, [self._step(node, *step) for step in steps])

    def _step(
        self, node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr
    ) -> Truth:
        symbol = _COMPARISONS[type(operator)]
        first = self.value(left)
        if symbol in ("in", "not in"):
            options = [_literal(item, self.text) for item in right.elts]  # type: ignore[attr-defined]
            kind = _literal_kind(options[0])
            first = self._like(first, kind)
            self._check_kinds(left, first.kind, kind, symbol)
            found = frames.among(first, options)
            return found if symbol == "in" else frames.opposite(found)
        second = self.value(right)
        first, second = (
            self._like(first, second.kind, symbol),
            self._like(second, first.kind, symbol),
        )
        self._check_kinds(left, first.kind, second.kind, symbol)
        return frames.compare(symbol, first, second)

    def _check_kinds(self, node: ast.AST, left: str, right: str, symbol: str) -> None:
        if "other" in (left, right):
            raise _fault(
                self.text, node, "Only numbers, text and booleans can be compared, got another type"
            )
        if left != right:
            hint = "; text is written in quotes" if "text" in (left, right) else ""
            raise _fault(
                self.text,
                node,
                f"Values of one kind must be compared{hint}, got {left} {symbol} {right}",
            )
        if left != "number" and symbol in ("<", "<=", ">", ">="):
            raise _fault(self.text, node, f"Only numbers can be compared by {symbol}, got {left}")
