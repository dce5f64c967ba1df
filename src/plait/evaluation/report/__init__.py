"""Reports of a comparison: rows for a terminal, Markdown, JSON values, one HTML page."""

from plait.evaluation.report.html import comparison_html
from plait.evaluation.report.json import comparison_dict
from plait.evaluation.report.markdown import comparison_markdown
from plait.evaluation.report.table import contrast_line, returned_text, table_header, table_rows
from plait.evaluation.report.words import method, scope, verdict, verdicts

__all__ = [
    "comparison_dict",
    "comparison_html",
    "comparison_markdown",
    "contrast_line",
    "method",
    "returned_text",
    "scope",
    "table_header",
    "table_rows",
    "verdict",
    "verdicts",
]
