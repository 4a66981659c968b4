"""Tests of ``harness.chunking``."""
