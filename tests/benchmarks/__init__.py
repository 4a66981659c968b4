"""Benchmarks: ratios measured side by side in one run. The test suite only sees that each goes through."""
