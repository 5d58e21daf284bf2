"""The command line: ``skfair-ofi``, or ``python -m skfair_ofi``."""

from ._main import main

__all__ = ["main"]
