"""Benchmarks: ratios measured side by side in one run. Nothing here runs in the test suite."""
