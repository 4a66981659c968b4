"""Executors: independent units of work in, results out as they complete."""

from harness.study.executors.table import EXECUTORS, Failed, Outcome, make_executor

__all__ = ["EXECUTORS", "Failed", "Outcome", "make_executor"]
