"""The notebooks are run, and say what is committed."""
