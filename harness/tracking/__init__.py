"""MLflow: what is logged, and how it is read back."""

from harness.tracking.connection import default_uri
from harness.tracking.names import measure_of, metric_name
from harness.tracking.reading import Archive, LoggedHit, LoggedSet
from harness.tracking.store import OpenSweep, Tracker
from harness.tracking.view import view_place

__all__ = [
    "Archive",
    "LoggedHit",
    "LoggedSet",
    "OpenSweep",
    "Tracker",
    "default_uri",
    "measure_of",
    "metric_name",
    "view_place",
]
