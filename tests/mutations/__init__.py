"""Checks that the tests of the exact core notice faults."""
