"""What the server of forked commands imports first: the same first steps as the command's."""

from harness.threads import pin_threads

pin_threads()
