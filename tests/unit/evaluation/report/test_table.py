"""Rows of the table, and lines of the topics that differ."""

from plait.evaluation.comparison import Comparison
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.report.table import contrast_line, returned_text, table_header, table_rows


def test_a_row_per_system(compared: Comparison) -> None:
    header = table_header("nDCG@10")
    rows = list(table_rows(compared, "nDCG@10"))
    assert [len(row) for row in rows] == [len(header)] * 3
    base, better, same = rows
    mean = sum(0.1 * n for n in range(8)) / 8
    assert base == ("base", f"{mean:.3f}", f"{mean - 0.1:.3f} to {mean + 0.1:.3f}", "baseline",
                    "", "", "", "")  # fmt: skip
    gain = sum(0.03 * (n + 1) for n in range(8)) / 8
    assert better[:2] == ("better", f"{mean + gain:.3f}")
    assert better[3] == f"+{gain:.3f}"
    # 8 gains of 8: 2 sign patterns of 2^8, adjusted for 2 systems by 2 measures.
    assert better[5:] == (f"{2 / 2**8:.3f}", f"{4 * 2 / 2**8:.3f}", "8/0/0")
    assert same[3:] == ("+0.000", "+0.000 to +0.000", "1.000", "1.000", "0/8/0")


def test_a_topic_that_differs() -> None:
    contrast = Contrast("q\n7", "what\x1b[2J is it", "AP", "new", "base", 0.25, 1.0, (), ())
    assert contrast_line(contrast) == "-0.750 (1.000 to 0.250) q 7: what [2J is it"
    bare = Contrast("7", None, "AP", "new", "base", 1.0, 0.25, (), ())
    assert contrast_line(bare) == "+0.750 (0.250 to 1.000) 7"


def test_a_document_that_was_returned() -> None:
    assert returned_text(Returned("a\tb", 1, 0.5, 2)) == "1. a b*"
    assert returned_text(Returned("a", 3, 0.5, None)) == "3. a"
    assert returned_text(Returned("a", 3, 0.5, 0)) == "3. a"
