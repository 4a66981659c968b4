"""Reports: the ablation table, the table of questions, and the plan of a sweep, as Markdown."""

from harness.report.ablation import ablation_report
from harness.report.cache import cache_report
from harness.report.plan import plan_report
from harness.report.questions import question_report

__all__ = ["ablation_report", "cache_report", "plan_report", "question_report"]
