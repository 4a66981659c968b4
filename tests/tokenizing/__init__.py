"""Tests of ``harness.tokenizing``."""
