"""What the server of forked commands imports last: facts on this machine that every sweep logs, looked up once."""

from pathlib import Path

import harness.tracking
from harness.tracking.environment import environment, git_state

environment()
git_state(Path(harness.tracking.__file__).parent)
