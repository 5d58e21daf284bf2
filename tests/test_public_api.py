"""What the package offers: it exists, is documented, and says what it takes.

The tests walk the package, so that new modules and names are covered unasked.
"""

import ast
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any, Unpack, get_origin

import pytest

import skfair_ofi
from skfair_ofi.metrics import METRICS

ROOT = Path(skfair_ofi.__file__).parent


def _is_private(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))


MODULES = [
    "skfair_ofi",
    *(found.name for found in pkgutil.walk_packages([str(ROOT)], "skfair_ofi.")),
]
PUBLIC = [name for name in MODULES if not _is_private(name)]


def names_of(module: str) -> list[str]:
    """Return the names that a public module offers."""
    return list(getattr(importlib.import_module(module), "__all__", []))


# Every public object once, under the shortest name it has.
OBJECTS: dict[str, Any] = {}
for _module in sorted(PUBLIC, key=len):
    for _name in names_of(_module):
        _object = getattr(importlib.import_module(_module), _name, None)
        if not any(_object is known for known in OBJECTS.values()):
            OBJECTS[f"{_module}.{_name}"] = _object
FUNCTIONS = {name: found for name, found in OBJECTS.items() if inspect.isfunction(found)}
CLASSES = {name: found for name, found in OBJECTS.items() if inspect.isclass(found)}


def _own_methods(cls: type) -> dict[str, Any]:
    """Return the public methods that a class defines, not those it inherits."""
    return {
        name: getattr(cls, name)
        for name, found in vars(cls).items()
        if not name.startswith("_") and isinstance(found, FUNCTION_TYPES)
    }


FUNCTION_TYPES = (type(_own_methods), classmethod, staticmethod)
METHODS = {
    f"{name}.{method}": found
    for name, cls in CLASSES.items()
    for method, found in _own_methods(cls).items()
}

SECTIONS = re.compile(r"^([A-Z]\w+(?: \w+)?)\n-{3,}$", flags=re.MULTILINE)
PARAMETER = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.+)$", flags=re.MULTILINE)
DEFAULT = re.compile(r"default=(.+?)\.?$")


def sections(text: str) -> dict[str, str]:
    """Return the sections of a numpydoc text by title."""
    parts = SECTIONS.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(text: str) -> dict[str, str]:
    """Return the types of the parameters that a docstring describes."""
    listed = sections(text).get("Parameters", "").replace("\\\n", " ")
    return {
        name.lstrip("*"): kind
        for names, kind in PARAMETER.findall(listed)
        for name in names.split(", ")
    }


def taken(function: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function, method or class, without self."""
    parameters = inspect.signature(function).parameters
    return {name: found for name, found in parameters.items() if name not in ("self", "cls")}


def test_packages_are_found() -> None:
    """The walk sees the packages there are, and the measures in them."""
    assert {"skfair_ofi", "skfair_ofi.metrics", "skfair_ofi.datasets"} <= set(PUBLIC)
    assert {metric.function for metric in METRICS.values()} <= set(FUNCTIONS.values())


@pytest.mark.parametrize("module", PUBLIC)
def test_all(module: str) -> None:
    """A public module says what it is and names what it offers; all of that exists, once."""
    found = importlib.import_module(module)
    assert found.__doc__
    names = names_of(module)
    assert names
    assert len(set(names)) == len(names)
    assert [name for name in names if not hasattr(found, name)] == []


@pytest.mark.parametrize(
    "module", [name for name in PUBLIC if hasattr(importlib.import_module(name), "__path__")]
)
def test_init_is_imports_and_all(module: str) -> None:
    """A package's __init__ imports, names what it offers, and does nothing else."""
    tree = ast.parse(Path(importlib.import_module(module).__file__).read_text("utf-8"))
    late = [node for node in tree.body if isinstance(node, ast.If)]
    assert all(ast.unparse(node.test) == "TYPE_CHECKING" for node in late)
    for statement in chain(tree.body[1:], *(node.body for node in late)):
        if isinstance(statement, ast.Assign):
            names = {
                node.id
                for target in statement.targets
                for node in ast.walk(target)
                if isinstance(node, ast.Name)
            }
            assert names <= {"__all__", "__version__", "__getattr__", "__dir__"}
        else:
            assert isinstance(statement, ast.Import | ast.ImportFrom | ast.If)


@pytest.mark.parametrize("module", MODULES[1:])
def test_modules_are_private(module: str) -> None:
    """Packages have public names, files in them private ones, but beyond_binary."""
    is_package = hasattr(importlib.import_module(module), "__path__")
    name = module.rpartition(".")[2]
    assert name.startswith("_") != (is_package or name == "beyond_binary")


@pytest.mark.parametrize("name", OBJECTS)
def test_public_objects_come_from_the_package(name: str) -> None:
    """Nothing of another library is offered as ours."""
    module = getattr(OBJECTS[name], "__module__", "skfair_ofi")
    assert module.startswith(("skfair_ofi", "typing"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_docstring(name: str) -> None:
    """A function says what it is in one line, what it takes, what it gives, and shows it."""
    function = FUNCTIONS[name]
    text = inspect.getdoc(function)
    summary, _, rest = text.partition("\n")
    assert summary.endswith(".")
    assert not rest.strip() or rest.startswith("\n")
    wanted = {"Examples"} | ({"Parameters"} if taken(function) else set())
    if inspect.signature(function).return_annotation not in (None, "None"):
        wanted |= {"Returns"}
    assert wanted <= set(sections(text))


def is_result(cls: type) -> bool:
    """Return whether objects of a class are what functions return, and nobody makes them."""
    return dataclasses.is_dataclass(cls) or issubclass(cls, tuple | Enum | Exception)


def is_protocol(cls: type) -> bool:
    """Return whether a class only describes others."""
    return getattr(cls, "_is_protocol", False)


def is_made_by_a_function(cls: type) -> bool:
    """Return whether the summary refers to the public function that makes a class's objects."""
    found = re.search(r"; see `(\w+)`", inspect.getdoc(cls) or "")
    return found is not None and any(name.endswith(f".{found[1]}") for name in FUNCTIONS)


@pytest.mark.parametrize("name", CLASSES)
def test_class_docstring(name: str) -> None:
    """A class says what it is and what it holds; one that users make shows how."""
    cls = CLASSES[name]
    text, found = inspect.getdoc(cls), set(sections(inspect.getdoc(cls)))
    assert cls.__doc__
    assert text.partition("\n")[0].endswith(".")
    shown_elsewhere = is_result(cls) or is_protocol(cls) or is_made_by_a_function(cls)
    assert shown_elsewhere or "Examples" in found


@pytest.mark.parametrize("name", METHODS)
def test_method_docstring(name: str) -> None:
    """A public method says what it does in one line."""
    assert inspect.getdoc(METHODS[name]).partition("\n")[0].endswith((".", ":"))


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, cls in CLASSES.items()
        if "Parameters" in sections(inspect.getdoc(cls) or "") and not is_made_by_a_function(cls)
    ]
    + list(FUNCTIONS)
    + [name for name, m in METHODS.items() if "Parameters" in sections(inspect.getdoc(m) or "")],
)
def test_parameters_are_described(name: str) -> None:
    """Parameters are described, each of them, in order, with the defaults that they have."""
    found = {**CLASSES, **FUNCTIONS, **METHODS}[name]
    parameters, texts = taken(found), described(inspect.getdoc(found))
    assert list(texts) == list(parameters)
    for parameter, text in texts.items():
        default = parameters[parameter].default
        written = DEFAULT.search(text)
        assert (written is None) == (default is inspect.Parameter.empty), parameter
        if written is None:
            continue
        try:
            assert ast.literal_eval(written[1]) == default, parameter
        except (ValueError, SyntaxError):
            assert written[1] in (repr(default), getattr(default, "__name__", None)), parameter


@pytest.mark.parametrize(
    "name", [*FUNCTIONS, *(name for name, cls in CLASSES.items() if not issubclass(cls, Exception))]
)
def test_no_arbitrary_keywords(name: str) -> None:
    """A misspelled option is an error: no function and no class takes any keyword."""
    found = {**FUNCTIONS, **CLASSES}[name]
    kinds = {
        parameter.kind
        for parameter in taken(found).values()
        if get_origin(parameter.annotation) is not Unpack  # a type checker knows these by name
    }
    assert inspect.Parameter.VAR_KEYWORD not in kinds or is_protocol(found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_run(name: str) -> None:
    """Examples are collected as doctests, and none is skipped."""
    found = FUNCTIONS[name]
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(found))
    assert examples
    assert not any(doctest.SKIP in example.options for example in examples)
    # The collector takes a function for its module's if it says that it is from there.
    module = inspect.getmodule(found)
    assert getattr(module, found.__name__) is found
    assert doctest.DocTestFinder().find(found, found.__name__, module)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_is_typed(name: str) -> None:
    """Every parameter and the result have a type."""
    signature = inspect.signature(FUNCTIONS[name])
    empty = inspect.Signature.empty
    assert signature.return_annotation is not empty
    assert all(found.annotation is not empty for found in signature.parameters.values())
