"""The grammar of predicates: what a syntax tree may hold, and what is said of the rest.

Each node is matched against the few that are allowed; nothing is ever evaluated.
"""

import ast
import math
import warnings
from collections.abc import Iterator

from ._expressions import Kind

MAX_LENGTH = 10_000
MAX_DEPTH = 40
MAX_COMPARISONS = 100
# A division repeats its right side where it says what is missing, so that planning a predicate
# takes as long as the square of its operations; these and the sum bound it to some seconds.
MAX_OPERATIONS, MAX_SIZE_OF_ALL = 50, 1000
# Whole numbers below this are exact as 64-bit floats.
MAX_NUMBER = 2**53

ARITHMETIC: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
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


def _place(text: str, node: ast.AST) -> int:
    """The character of a node, counted from 1; ast counts bytes of UTF-8."""
    offset = getattr(node, "col_offset", 0)
    return len(text.encode()[:offset].decode(errors="ignore")) + 1


def fault(text: str, node: ast.AST, message: str) -> ValueError:
    return ValueError(f"{message} at character {_place(text, node)} of {show_text(text)}.")


def show_text(text: str) -> str:
    return repr(text if len(text) <= 120 else f"{text[:117]}...")


def depth_of(tree: ast.AST) -> int:
    """The depth of a tree, without recursion: it may be too deep for that."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def count_comparisons(tree: ast.expr) -> int:
    """How many comparisons and single columns a condition is made of."""
    count, left = 0, [tree]
    while left:
        match left.pop():
            case ast.BoolOp(values=parts):
                left += parts
            case ast.UnaryOp(op=ast.Not(), operand=part):
                left.append(part)
            case ast.Compare(ops=operators):
                count += len(operators)
            case _:
                count += 1
    return count


def count_operations(tree: ast.expr) -> int:
    """How many sums, products and signs a condition is made of."""
    count = 0
    for node in ast.walk(tree):
        match node:
            case ast.UnaryOp(operand=ast.Constant()) | ast.UnaryOp(op=ast.Not()):
                pass
            case ast.BinOp() | ast.UnaryOp():
                count += 1
    return count


def tree_of(text: str) -> ast.expr:
    # On one line, so that a place in the tree is a place in the text.
    flat = "".join(" " if character in "\r\n" else character for character in text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return ast.parse(flat, mode="eval").body
    except SyntaxError as error:
        place = "" if error.offset is None else f" at character {error.offset}"
        raise ValueError(
            f"predicate must be an expression such as \"col('any name') == 1\", got "
            f"{show_text(text)} ({error.msg[:80]}{place})."
        ) from None
    except (ValueError, Warning, RecursionError, MemoryError) as error:
        reason = str(error) or "too deeply nested"
        raise ValueError(
            f"predicate must be plain text, got {show_text(text)} ({reason})."
        ) from None


def check_source(tree: ast.expr, text: str) -> None:
    """Check what a tree does not show: comments, line ends in quotes, names as they are written."""
    source = bytearray(text.encode())
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.Name):
            written = source[node.col_offset : node.end_col_offset]
            _check_written(node, written.decode(), text)
            source[node.col_offset : node.end_col_offset] = b" " * len(written)
    if (place := source.find(b"#")) >= 0:
        where = len(text.encode()[:place].decode()) + 1
        raise ValueError(
            f"A comment must be left out, found one at character {where} of {show_text(text)}."
        )


def _check_written(node: ast.Constant | ast.Name, written: str, text: str) -> None:
    if isinstance(node, ast.Name):
        if node.id != written:
            raise fault(
                text,
                node,
                f"A name that Python reads as {node.id!r} must be written col({written!r}), found",
            )
    elif "\r" in written or "\n" in written:
        raise fault(text, node, r"Text in quotes must have \n for the end of a line, found one")


def columns_of(tree: ast.expr) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.func.id == "col":  # type: ignore[attr-defined]
            yield node.args[0].value  # type: ignore[attr-defined]
        elif isinstance(node, ast.Name) and node.id not in _FUNCTIONS:
            yield node.id


def check_truth(node: ast.expr, text: str) -> None:
    """Check a node where a condition must stand."""
    match node:
        case ast.BoolOp():
            for part in node.values:
                check_truth(part, text)
        case ast.UnaryOp(op=ast.Not()):
            check_truth(node.operand, text)
        case ast.Compare():
            _check_comparison(node, text)
        case ast.Call(func=ast.Name(id="is_missing")):
            _check_call(node, text)
            _check_value(node.args[0], text)
        case ast.Name() | ast.Call():
            _check_value(node, text)
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) if type(operator) in _NAMES:
            raise unknown(text, operator, node)
        case ast.Constant() | ast.BinOp() | ast.UnaryOp(op=ast.USub()) | ast.List() | ast.Tuple():
            raise fault(text, node, "A condition such as 'age > 30' must stand")
        case _:
            raise unknown(text, node)


def unknown(text: str, node: ast.AST, place: ast.AST | None = None) -> ValueError:
    name = _NAMES.get(type(node), type(node).__name__)
    return fault(
        text,
        place or node,
        f"Only comparisons, arithmetic and column names are allowed, got {name}",
    )


def _check_comparison(node: ast.Compare, text: str) -> None:
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if type(operator) not in COMPARISONS:
            raise unknown(text, operator, node)
        if isinstance(operator, ast.In | ast.NotIn):
            _check_options(right, text)
        else:
            _check_value(right, text)
    if len(node.ops) > 1 and any(isinstance(item, ast.In | ast.NotIn) for item in node.ops):
        raise fault(text, node, "in must stand by itself, not in a chain of comparisons,")
    _check_value(node.left, text)


def _check_options(node: ast.expr, text: str) -> None:
    if not isinstance(node, ast.List | ast.Tuple | ast.Set) or not node.elts:
        raise fault(
            text, node, "in must be followed by a list of values such as ['a', 'b'], not found"
        )
    for item in node.elts:
        literal(item, text)
    kinds = {literal_kind(literal(item, text)) for item in node.elts}
    if len(kinds) > 1:
        raise fault(
            text, node, f"A list must hold values of one kind, got {' and '.join(sorted(kinds))}"
        )


def literal(node: ast.expr, text: str) -> bool | float | str:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return -literal(node.operand, text)  # type: ignore[operator]
        case ast.Constant(value=None):
            raise fault(text, node, "None must be written as is_missing(column), got None")
        case ast.Constant(value=bool() as value):
            return value
        case ast.Constant(value=str() as value):
            if any("\ud800" <= character <= "\udfff" for character in value):
                raise fault(text, node, "Text must be whole characters, got a lone surrogate")
            return value
        case ast.Constant(value=int() | float() as value):
            if not (math.isfinite(value) and abs(value) < MAX_NUMBER):
                raise fault(text, node, "Numbers must be finite and below 2**53, got a larger one")
            return value
        case _:
            raise fault(text, node, "A literal number, text, True or False must stand")


def literal_kind(value: bool | float | str) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"


def _check_call(node: ast.Call, text: str) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS:
        name = (
            f"{node.func.id}()" if isinstance(node.func, ast.Name) else "a call of something else"
        )
        raise fault(text, node, f"Only col() and is_missing() can be called, got {name}")
    if len(node.args) != 1 or node.keywords:
        raise fault(text, node, f"{node.func.id}() must have one argument, got another number")


def _check_value(node: ast.expr, text: str) -> None:
    """Check a node where a number, a text or a column must stand."""
    match node:
        case ast.Constant():
            literal(node, text)
        case ast.Name(id="col" | "is_missing"):
            raise fault(text, node, f'{node.id} must be called, as in {node.id}("..."), found')
        case ast.Name():
            return
        case ast.UnaryOp(op=ast.USub()):
            _check_value(node.operand, text)
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            _check_value(node.left, text)
            _check_value(node.right, text)
        case ast.BinOp() | ast.UnaryOp():
            raise unknown(text, node.op, node)
        case ast.Call():
            _check_call(node, text)
            if node.func.id == "is_missing":  # type: ignore[attr-defined]
                raise fault(text, node, "is_missing() is a condition, and cannot be compared")
            if not isinstance(node.args[0], ast.Constant) or not isinstance(
                node.args[0].value, str
            ):
                raise fault(
                    text, node, "col() must have a column's name in quotes, got something else"
                )
        case _:
            raise unknown(text, node)
