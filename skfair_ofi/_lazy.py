"""Public names that are loaded when they are first asked for."""

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def late_names(
    package: str, names: Mapping[str, Collection[str]], subpackages: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, some of whose names are loaded late."""
    modules = {name: module for module, held in names.items() for name in held}

    def load(name: str) -> Any:
        if name in modules:
            return getattr(import_module(modules[name]), name)
        if name in subpackages:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def list_all() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules, *subpackages})

    return load, list_all
