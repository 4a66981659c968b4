"""Tests of ``harness.retrieval``."""
