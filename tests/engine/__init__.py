"""The sweep engine as a whole: shared work, what is kept, kills, executors, progress."""
