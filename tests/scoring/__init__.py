"""Tests of the exact core."""
