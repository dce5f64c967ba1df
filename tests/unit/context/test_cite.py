"""From the numbers in an answer back to what they refer to."""

from __future__ import annotations

from typing import Any

import pytest

from plait.context import Citation, ContextBuilder, cite
from plait.errors import ConfigurationError
from plait.types import Chunk, Hit

HITS = [Hit(Chunk(f"text {n}", id=f"h{n}"), 1 / n, n) for n in range(1, 6)]
CONTEXT = ContextBuilder().build("q", HITS)


def used(answer: str) -> list[int]:
    return [citation.number for citation in cite(answer, CONTEXT).citations]


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Within 14 days [1].", [1]),
        ("Within 14 days[2], in full [1].", [2, 1]),
        ("[3][1] and [3] again", [3, 1]),
        ("[1, 2]", [1, 2]),
        ("[2,1;4]", [2, 1, 4]),
        ("[1-3]", [1, 2, 3]),
        ("[1–3, 5]", [1, 2, 3, 5]),
        ("[ 1 ]", []),
        ("退款【2】", [2]),
        ("退款［2、3］", [2, 3]),
        ("as told 【4†billing.md】", [4]),
        ("a footnote[^2]", [2]),
        ("two [^1^] ways [^1, ^2]", [1, 2]),
        ("٢ digits of any script [٢]", [2]),
        ("see [1](https://x.org/a) there", [1]),
        ("**[1]** and *[2]* and ([3])", [1, 2, 3]),
        ("| cell [1] | [2] |", [1, 2]),
    ],
)
def test_citations_are_read_in_the_order_of_their_first_use(
    answer: str, numbers: list[int]
) -> None:
    assert used(answer) == numbers
    assert cite(answer, CONTEXT).unknown == ()


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no citation",
        "a probability of [0.5]",
        "since [2024] and [2020-2024]",
        "the interval [0, 1]",
        "the vector [1, 2024]",
        "the range [3-1]",
        "array[0]",
        "[see 1] [a] [x] [ ]",
        "(1) 1. ^1^ {1}",
        "code `rows[1]` here",
        "code ``a ` b[1]`` here",
        "```python\nrows[1]\n```",
        "~~~\nrows[1]\n",
        "  ```\n  rows[2]\n  ``` ",
        "![1](image.png) ![2]",
        "[1]: https://x.org",
        "[^1]: the note itself",
        r"escaped \[1]",
        "[9](https://x.org)",  # a link whose number is no citation
        "[-1] [+1] [1.] [1,] [,1]",
    ],
)
def test_what_is_no_citation_is_left_alone(answer: str) -> None:
    cited = cite(answer, CONTEXT)
    assert (cited.citations, cited.unknown, cited.mentions) == ((), (), ())


def test_a_number_that_is_not_there_is_reported() -> None:
    cited = cite("So it is [7], and [2, 9], and [7].", CONTEXT)
    assert cited.unknown == (7, 9)
    assert [citation.number for citation in cited.citations] == [2]


def test_a_year_is_a_citation_only_if_there_are_so_many() -> None:
    hit = HITS[0]
    many = [Citation(number, "t", (hit,), (hit.chunk,)) for number in range(1, 2025)]
    assert cite("since [2024]", many).citations == (many[-1],)
    assert cite("since [2024]", many[:1013]).unknown == (2024,)
    assert cite("since [2024]", many[:1000]).unknown == ()


def test_what_was_not_used_is_told() -> None:
    cited = cite("[2] and [4]", CONTEXT)
    assert [citation.number for citation in cited.uncited] == [1, 3, 5]
    assert [citation.hit.id for citation in cited.citations] == ["h2", "h4"]


def test_a_single_backtick_begins_no_code() -> None:
    assert used("a ` here [1]\n\nand ` there [2]") == [1, 2]
    assert used("a ` without end [1]") == [1]


def test_text_behind_code_is_read() -> None:
    assert used("```\nrows[1]\n```\nAs told [2], `x[3]` [4].") == [2, 4]


def test_the_places_are_those_of_the_answer() -> None:
    answer = "`[5]` Yes [1, 2], see [3](https://x.org)."
    cited = cite(answer, CONTEXT)
    assert [answer[each.start : each.stop] for each in cited.mentions] == ["[1, 2]", "[3]"]
    assert [each.numbers for each in cited.mentions] == [(1, 2), (3,)]
    assert cited.answer == answer


def test_an_empty_context_knows_no_number() -> None:
    cited = cite("So it is [1].", ContextBuilder().build("q", []))
    assert (cited.citations, cited.unknown, cited.uncited) == ((), (1,), ())


def test_numbers_of_any_length_take_no_time() -> None:
    assert used("[" + "1" * 100_000 + "]") == []
    assert used("[1-999999]") == []
    assert used("[" * 50_000) == []
    assert used("`" * 20_001) == []
    assert used("[1, " * 20_000) == []


@pytest.mark.parametrize("unit", ["![", "![](", "【1†", "a` ", "``a`", "[1 ", "[^"])
def test_what_is_never_closed_takes_no_time(unit: str) -> None:
    # Each of them alone is harmless; 200,000 characters that look for their end are not.
    assert used("a" + unit * (200_000 // len(unit)) + "\n\n[2]") == [2]


def test_a_long_run_of_backticks_takes_no_time() -> None:
    assert used("see " + "`" * 50_000 + " [2]") == [2]


@pytest.mark.parametrize("answer", [None, b"[1]", ["[1]"]])
def test_an_answer_is_text(answer: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected str"):
        cite(answer, CONTEXT)
