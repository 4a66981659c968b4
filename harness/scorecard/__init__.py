"""The command ``harness score``: runs of any tool against judgments, exactly.

It stands apart from the other commands so that a small input is scored with the standard library alone.
"""
