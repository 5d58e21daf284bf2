"""Benchmarks: one script a claim, each printing ratios that were measured in one run."""
