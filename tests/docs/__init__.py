"""Docs that can't rot: every command is run, every printed output is compared, every key is listed."""
