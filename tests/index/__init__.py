"""Tests of ``harness.index``."""
