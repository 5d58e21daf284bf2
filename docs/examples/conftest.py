"""The examples are scripts, run by the tests, and hold no examples in docstrings."""

collect_ignore_glob = ["*.py"]
