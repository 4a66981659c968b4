"""What the server of forked commands runs before it imports anything else: the same first steps as the command's."""

from harness.threads import pin_threads

pin_threads()
