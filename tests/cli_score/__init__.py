"""The command harness score."""
