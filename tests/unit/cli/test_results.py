"""What a reader sees of a search, in a terminal and in a pipe."""

import io
from functools import partial

import pytest
from rich.cells import cell_len
from rich.console import Console

from plait.cli.results import show_result
from plait.text import Analyzer
from plait.text.snippets import find_snippet
from plait.types import Chunk, Contribution, Hit, LegReport, Query, SearchResult


def hit(rank: int, chunk: Chunk) -> Hit:
    shares = (
        Contribution("bm25", rank, 7.25, 1.0, 2.0, 2.0),
        Contribution("dense", None, None, 0.0, 1.0, 0.0),
    )
    return Hit(
        chunk, 2.0, rank, "fusion", "hybrid", ("bm25",), 7.25, 2.0,
        contributions=shares,
    )  # fmt: skip


CANCEL = Chunk(
    "You can cancel\nyour plan.", id="billing.md#2", id_made=True, title="Billing",
    section="Billing > Cancel", source_path="billing.md", page=3,
)  # fmt: skip
RESULT = SearchResult(
    (hit(1, CANCEL),),
    Query("cancel"),
    (LegReport("bm25", "ok", 1.25, 41), LegReport("dense", "empty", 0.5)),
    total=1041,
    fusion="rsf()",
    score_bound=3.0,
    fetch_k=200,
)


def shown(
    result: SearchResult, width: int = 1_000, *, offset: int = 0, explain: bool = False,
    color: bool = False,
) -> list[str]:  # fmt: skip
    console = Console(
        file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False,
        force_terminal=color, color_system="standard" if color else None,
    )  # fmt: skip
    text = (result.query and result.query.text) or ""
    find = partial(find_snippet, query=text, analyzer=Analyzer())
    show_result(console, result, find, offset=offset, explain=explain)
    return console.file.getvalue().splitlines()


def test_a_hit_and_how_it_came_about() -> None:
    assert shown(RESULT) == [
        "1. Billing > Cancel",
        "   billing.md, page 3",
        "   2.0000   bm25 #1 (7.2500)   dense –",
        "   You can «cancel» your plan.",
        "",
        "hit 1 of 1,041; rsf(); 200 candidates a leg; highest possible score 3",
        "  bm25: 41 hits in 1.2 ms",
        "  dense: no hits, 0.5 ms",
    ]


def test_the_contributions_add_up_in_a_table() -> None:
    assert shown(RESULT, explain=True)[4:8] == [
        "   leg    rank  raw score  normalized  weight  contribution",
        "   bm25      1     7.2500    1.000000       2      2.000000",
        "   dense     –          –    0.000000       1      0.000000",
        "   sum                                             2.000000",
    ]


def test_where_the_table_does_not_fit_each_row_is_a_list() -> None:
    lines = shown(RESULT, 40, explain=True)
    assert [
        line.strip() for line in lines[lines.index("   You can «cancel» your plan.") + 1 :][:8]
    ] == [
        "leg bm25, rank 1, raw score 7.2500,",
        "normalized 1.000000, weight 2,",
        "contribution 2.000000",
        "leg dense, rank –, raw score –,",
        "normalized 0.000000, weight 1,",
        "contribution 0.000000",
        "leg sum, contribution 2.000000",
        "",
    ]


@pytest.mark.parametrize(
    ("chunk", "heading", "place"),
    [
        (Chunk("x", id="a"), "1. a", None),
        (Chunk("x", id="a", title="T"), "1. T", "   id a"),
        (Chunk("x", id="a", title="T", section="S > U"), "1. T > S > U", "   id a"),
        (Chunk("x", id="a", title="T", section="T"), "1. T", "   id a"),
        (Chunk("x", id="a", title="T", document_id="d"), "1. T", "   id a"),
        (Chunk("x", id="a", title="T", source_path="p.md"), "1. T", "   p.md, id a"),
        (Chunk("x", id="p.md#0", id_made=True, title="T", source_path="p.md"), "1. T", "   p.md"),
        (Chunk("x", id="p.md#0", id_made=True, source_path="p.md"), "1. p.md", None),
        (
            Chunk("x", id="e1#0", id_made=True, title="T", document_id="e1", source_path="e.jsonl"),
            "1. T",
            "   e.jsonl, e1",
        ),
        (
            Chunk(
                "x",
                id="e.jsonl:7#0",
                id_made=True,
                title="T",
                document_id="e.jsonl:7",
                source_path="e.jsonl",
            ),
            "1. T",
            "   e.jsonl:7",
        ),
        (Chunk("x", id="a", source_uri="https://x.y/z"), "1. a", "   https://x.y/z"),
        (Chunk("x", id="a", source_name="wiki"), "1. a", "   wiki"),
        (Chunk("x", id="a", title="two\nlines\x1b[2J"), "1. two lines [2J", "   id a"),
    ],
)
def test_headings_and_places(chunk: Chunk, heading: str, place: str | None) -> None:
    lines = shown(SearchResult((hit(1, chunk),)))
    assert lines[0] == heading
    assert lines[1] == (place or "   2.0000   bm25 #1 (7.2500)   dense –")


def test_a_long_heading_goes_on_below_itself() -> None:
    chunk = Chunk("text", id="a", title="approximate solutions of the boundary layer equations")
    lines = shown(SearchResult((hit(12, chunk),)), 40)
    assert lines[:3] == [
        "12. approximate solutions of the",
        "    boundary layer equations",
        "    id a",
    ]


def test_a_heading_of_nothing() -> None:
    assert shown(SearchResult((hit(1, Chunk("text")),)))[0].rstrip() == "1."


def test_a_hit_without_score_and_contributions() -> None:
    lines = shown(SearchResult((Hit(Chunk("x", id="a"), None, 1),)), explain=True)
    assert lines == ["1. a", "   –", "   x", "", "hit 1 of 0"]


def test_a_contribution_without_raw_score() -> None:
    share = Contribution("faq", 3, None, 1 / 63, 1.0, 1 / 63)
    lines = shown(SearchResult((Hit(Chunk("x", id="a"), 1 / 63, 1, contributions=(share,)),)))
    assert lines[1] == "   0.0159   faq #3"


def test_a_contribution_of_a_leg_that_only_scored_the_hit() -> None:
    share = Contribution("dense", 213, 0.25, 0.0, 1.0, 0.0, filled=True)
    lines = shown(SearchResult((Hit(Chunk("x", id="a"), 0.5, 1, contributions=(share,)),)))
    assert lines[1] == "   0.5000   dense #213 (0.2500) filled"


def test_a_snippet_is_the_part_that_matched_in_one_line() -> None:
    content = "word " * 200 + "the\n  E1042 \x1b[31m(E1042)\ncode " + "word " * 200
    lines = shown(SearchResult((hit(1, Chunk(content, id="a")),), Query("e1042")))
    snippet = lines[2].strip()
    assert "word the «E1042» [31m(«E1042») code word" in snippet
    assert (snippet[0], snippet[-1]) == ("…", "…")
    assert len(snippet) <= 320 + len("««»»……")


def test_marks_only_where_there_is_no_color() -> None:
    found = SearchResult((hit(1, Chunk("« guillemets » of E1042", id="a")),), Query("E1042"))
    assert "« guillemets » of «E1042»" in shown(found)[2]
    assert "« guillemets » of \x1b[1;33mE1042\x1b[0m" in shown(found, color=True)[2]


def test_a_match_glued_to_its_neighbors_stays_so() -> None:
    found = SearchResult((hit(1, Chunk("申请退款流程", id="a")),), Query("退款"))
    assert shown(found)[2] == "   申请«退款»流程"


def test_a_pipe_gets_whole_lines() -> None:
    long = "long " * 60
    lines = shown(SearchResult((hit(1, Chunk("x", id="a", title=long)),)), 1_000_000)
    assert lines[0] == "1. " + long.strip()


def test_one_hit() -> None:
    assert shown(SearchResult((hit(1, Chunk("x", id="a")),), total=1))[-1] == "1 hit"


def test_no_hits() -> None:
    assert shown(SearchResult(fusion="rsf()", score_bound=2.0))[0] == "no hits; rsf()"
    assert shown(SearchResult(total=7), offset=20) == ["no hits from 21 on, there are 7"]


def test_the_numbers_of_a_later_page() -> None:
    result = SearchResult((hit(21, Chunk("x", id="a")), hit(22, Chunk("y", id="b"))), total=57)
    lines = shown(result, offset=20)
    assert lines[0] == "21. a"
    assert lines[1].startswith("    2.0000")
    assert lines[-1] == "hits 21 to 22 of 57"


@pytest.mark.parametrize("status", ["error", "timeout", "circuit_open"])
def test_a_leg_that_failed_is_said_first_and_last(status: str) -> None:
    report = LegReport("dense", status, 200.0, error="no answer\nafter 0.2 s", notes=("late",))
    lines = shown(SearchResult((hit(1, CANCEL),), legs=(report,), degraded=True))
    assert lines[0] == f"degraded: dense: {status}; no answer after 0.2 s; late"
    assert lines[-1] == f"  dense: {status}; no answer after 0.2 s; late"


def test_a_leg_that_could_not_use_the_query_is_no_degradation() -> None:
    lines = shown(SearchResult(legs=(LegReport("bm25", "skipped", error="needs text"),)))
    assert lines == ["no hits", "  bm25: skipped; needs text"]


def test_notes() -> None:
    assert shown(SearchResult(notes=("the window\nwas doubled",)))[-1] == (
        "  note: the window was doubled"
    )


@pytest.mark.parametrize("width", [24, 40, 79])
@pytest.mark.parametrize(
    "text",
    [
        "設定の請求からいつでもプランを解約できます。" * 6,
        "يمكنك إلغاء خطتك في أي وقت " * 9,
        "a" * 300,
    ],
)
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(width: int, text: str) -> None:
    chunk = Chunk(text, id="a", title=text[:50])
    lines = shown(SearchResult((hit(1, chunk),)), width, explain=True)
    assert max(cell_len(line) for line in lines) <= width
    shown_text = "".join("".join(lines).split())
    assert "".join(text.split())[:240] in shown_text


def test_colors_only_where_they_are_wanted() -> None:
    assert any("\x1b[" in line for line in shown(RESULT, color=True))
    assert not any("\x1b[" in line for line in shown(RESULT))
