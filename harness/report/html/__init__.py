"""A sweep as one HTML file that needs nothing else: tables that sort, curves, a heat map, and every single answer."""

from harness.report.html.evidence import Evidence
from harness.report.html.page import html_report

__all__ = ["Evidence", "html_report"]
