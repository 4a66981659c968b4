"""The second implementation and the differential tests."""
