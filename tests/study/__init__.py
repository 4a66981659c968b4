"""Tests of ``harness.study``."""
