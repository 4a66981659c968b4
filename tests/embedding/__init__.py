"""Tests of ``harness.embedding``."""
