"""split: whole sections while they fit, parts of one elsewhere, where each chunk comes from."""

import subprocess
import sys

import pytest

from plait.errors import ConfigurationError
from plait.ingest import Chunking, Document, split
from plait.types import Chunk


def words(text: str) -> int:
    return len(text.split())


def cut(text: str, max_tokens: int, overlap: int = 0, markup: str = "markdown") -> list[Chunk]:
    return split(Document("d", text, markup), Chunking(max_tokens, overlap), words)


def contents(*args, **kwargs) -> list[str]:
    return [chunk.content for chunk in cut(*args, **kwargs)]


class TestChunking:
    def test_text_form_parses_back(self):
        for chunking in (Chunking(), Chunking(1), Chunking(64, overlap=63)):
            assert Chunking.parse(str(chunking)) == chunking

    @pytest.mark.parametrize(
        ("max_tokens", "overlap"),
        [(0, 0), (-1, 0), (10, 10), (10, 11), (10, -1), (True, 0), (10, False), (1.5, 0), ("9", 0)],
    )
    def test_refuses_what_cannot_work(self, max_tokens, overlap):
        with pytest.raises(ConfigurationError, match="expected an int"):
            Chunking(max_tokens, overlap)

    @pytest.mark.parametrize("text", ["", "chunking()", "chunking(max_tokens=9, overlap=9) "])
    def test_refuses_other_text(self, text):
        with pytest.raises(ConfigurationError, match="is not a chunking"):
            Chunking.parse(text)

    def test_a_parsed_value_is_checked(self):
        with pytest.raises(ConfigurationError, match="overlap is 9"):
            Chunking.parse("chunking(max_tokens=9, overlap=9)")


def test_a_chunk_says_where_it_comes_from():
    document = Document(
        "guide/a.md",
        "# Billing\n\n## Refunds\n\nWithin 14 days.\n",
        "markdown",
        title="Billing",
        metadata={"lang": "en"},
        source_name="docs",
        source_path="guide/a.md",
    )
    assert split(document) == [
        Chunk(
            "# Billing\n\n## Refunds\n\nWithin 14 days.",
            title="Billing",
            metadata={"lang": "en"},
            document_id="guide/a.md",
            index=0,
            source_name="docs",
            source_path="guide/a.md",
            section="Billing > Refunds",
        )
    ]
    (chunk,) = split(document)
    assert (chunk.id, chunk.page) == (None, None)
    assert chunk.with_id().id == "guide/a.md#0"


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\r\n", "\x1c"])
@pytest.mark.parametrize("markup", ["text", "markdown"])
def test_blank_text_has_no_chunk(text, markup):
    assert cut(text, 5, markup=markup) == []


def test_a_short_document_is_one_chunk_and_needs_no_splitter():
    code = (
        "import sys; sys.modules['semantic_text_splitter'] = sys.modules['markdown_it'] = None\n"
        "from plait.ingest import Document, split\n"
        "print([chunk.content for chunk in split(Document('d', ' short '))])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['short']\n"


TWO = (
    "# Billing\n\nAll about money.\n\n## Refunds\n\nWithin 14 days.\n\n## Invoices\n\nEach month.\n"
)


def test_sections_are_joined_while_they_fit():
    assert [(chunk.section, words(chunk.content)) for chunk in cut(TWO, 99)] == [("Billing", 14)]
    assert [(chunk.content.split("\n")[0], chunk.section) for chunk in cut(TWO, 10)] == [
        ("# Billing", "Billing"),
        ("## Invoices", "Billing > Invoices"),
    ]
    assert [chunk.section for chunk in cut(TWO, 5)] == [
        "Billing",
        "Billing > Refunds",
        "Billing > Invoices",
    ]


def test_a_section_is_not_joined_to_the_one_above_it():
    text = "### C\n\none\n\n## D\n\ntwo\n\n### E\n\nthree\n\n## F\n\n" + "word " * 20
    # C and D together have 6 words and would fit, as D and E do.
    assert contents(text, 12)[:2] == ["### C\n\none", "## D\n\ntwo\n\n### E\n\nthree"]


def test_a_heading_stays_with_the_text_below_it():
    text = "## Refunds\n\n" + " ".join(f"w{n}" for n in range(10)) + "\n"
    assert contents(text, 6) == ["## Refunds\n\nw0 w1 w2 w3", "w4 w5 w6 w7", "w8 w9"]
    assert {chunk.section for chunk in cut(text, 6)} == {"Refunds"}


def test_headings_without_text_stay_with_the_next_section():
    text = "# A\n\none\n\n# B\n\n## C\n\ntwo three four\n"
    assert contents(text, 7) == ["# A\n\none", "# B\n\n## C\n\ntwo three four"]


def test_a_heading_longer_than_half_the_budget_is_a_chunk_of_its_own():
    text = "# one two three\n\nsix seven eight\n\nnine\n"
    assert contents(text, 5) == ["# one two three", "six seven eight\n\nnine"]


def test_headings_alone():
    assert contents("# A\n\n## B\n", 9) == ["# A\n\n## B"]
    assert contents("# A\n\n## B\n", 3) == ["# A", "## B"]
    assert contents("# A" + " " * 2_000, 2) == ["# A"]


def test_text_before_the_first_heading_has_no_section():
    text = "before it all\n\n# A\n\nbelow\n"
    assert [(c.content, c.section) for c in cut(text, 3)] == [
        ("before it all", None),
        ("# A\n\nbelow", "A"),
    ]


def test_a_comment_in_a_code_fence_is_no_heading():
    text = "## Setup\n\n```sh\n# install\npip install plait\n```\n\nDone.\n"
    assert {chunk.section for chunk in cut(text, 5)} == {"Setup"}


def test_marks_of_markdown_mean_nothing_in_plain_text():
    assert {chunk.section for chunk in cut(TWO, 5, markup="text")} == {None}


def test_overlap_stays_within_a_section():
    text = "one two three four five six seven\n\n# A\n\neight nine\n"
    assert contents(text, 4, 1) == [
        "one two three four",
        "four five six seven",
        "# A\n\neight nine",
    ]


def test_a_tokenizer_that_counts_more_for_the_whole_than_for_its_parts():
    def count(text):  # one more for every gap between words, as for a token of white space
        return 2 * len(text.split()) - 1 if text.strip() else 0

    text = "# A\n\none two three four five six\n"
    chunks = split(Document("d", text, "markdown"), Chunking(8), count)
    assert all(count(chunk.content) <= 8 for chunk in chunks)
    assert [chunk.content for chunk in chunks] == ["# A", "one two three", "four five six"]


def test_the_estimate_is_used_without_a_counter():
    text = "refund " * 10
    assert [chunk.content.count("refund") for chunk in split(Document("d", text), Chunking(4))] == [
        4,
        4,
        2,
    ]


def test_one_long_line():
    text = "国" * 100_000
    chunks = split(Document("d", text))
    assert [len(chunk.content) for chunk in chunks] == [200] * (100_000 // 200)


def test_positions_with_windows_line_ends():
    text = TWO.replace("\n", "\r\n")
    assert [chunk.section for chunk in cut(text, 5)] == [chunk.section for chunk in cut(TWO, 5)]
