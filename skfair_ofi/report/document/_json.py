"""The numbers of a report as strict JSON.

JSON has no infinite and no undefined numbers: they are the texts ``"infinite"``,
``"minus infinity"`` and ``"undefined"``. Group keys and labels are strings, numbers,
booleans, null (the missing group) or lists of these (several features crossed); keys of
other types, such as dates, are written as text.
"""

import dataclasses
import json
import math
import re
from typing import TYPE_CHECKING, Any

from skfair_ofi._text import NOT_FINITE, show_number

if TYPE_CHECKING:
    from ._report import Report

# halves of characters, as Python reads bytes that are no UTF-8: nothing encodes them
_SURROGATES = re.compile("[\ud800-\udfff]")


def encode(content: Any) -> Any:
    """Return anything as what JSON has; objects with ``to_payload`` say themselves how."""
    if hasattr(content, "to_payload"):
        content = content.to_payload()
    elif dataclasses.is_dataclass(content):
        names = [field.name for field in dataclasses.fields(content)]
        content = {name: getattr(content, name) for name in names}
    if isinstance(content, dict):
        return {name: encode(value) for name, value in content.items()}
    if isinstance(content, (tuple, list)):
        return [encode(item) for item in content]
    if isinstance(content, float):
        return content if math.isfinite(content) else show_number(content)
    return content if content is None or isinstance(content, (int, str)) else str(content)


def decode_float(value: float | str) -> float:
    """Return the number that ``encode`` wrote.

    Examples
    --------
    >>> decode_float(0.5), decode_float(encode(-math.inf))
    (0.5, -inf)
    """
    return NOT_FINITE[value] if isinstance(value, str) else value


def write_json(content: Any) -> str:
    r"""Return content as strict JSON that can be written as UTF-8.

    Examples
    --------
    >>> print(write_json(["é", chr(0xDCFF)]).strip())
    [
      "é",
      "\udcff"
    ]
    """
    text = json.dumps(encode(content), indent=2, allow_nan=False, ensure_ascii=False)
    return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def render_json(report: "Report") -> str:
    """Return the payload of a report as JSON."""
    return write_json(report.payload())
