"""The command, as a person runs it."""
