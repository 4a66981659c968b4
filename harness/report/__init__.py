"""Reports: the ablation table and the table of questions, as Markdown."""

from harness.report.ablation import ablation_report
from harness.report.questions import question_report

__all__ = ["ablation_report", "question_report"]
