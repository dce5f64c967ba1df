"""Headings: where sections start, what their paths are, what is not a heading."""

import sys

import pytest

from plait.errors import MissingDependencyError
from plait.ingest import headings
from plait.ingest.headings import common_path, first_title, sections


def paths(text: str) -> list[str]:
    return [" > ".join(section.path) for section in sections(text)]


def test_paths_follow_the_levels():
    text = "# A\n\n## B\n\n### C\n\n## D\n\n#### E\n\n# F\n"
    assert paths(text) == ["A", "A > B", "A > B > C", "A > D", "A > D > E", "F"]


def test_a_document_may_begin_below_level_one():
    assert paths("### C\n\n## B\n\n### D\n") == ["C", "B", "B > D"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# code\n```\n",
        "~~~sh\n# code\n~~~\n",
        "````\n```\n# code\n````\n",
        "```\n# never closed\n",
        "    # indented code\n",
        "> # quoted\n",
        "- # in a list\n",
        "#hashtag\n",
        "####### seven\n",
        "\\# escaped\n",
        "<!--\n# comment\n-->\n",
        "text\n\n---\n\ntext\n",
        "",
    ],
)
def test_what_is_no_heading(text):
    assert sections(text) == ()


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("# Plain", "Plain"),
        ("# Closed ##", "Closed"),
        ("# *Em* **strong** `code_x`", "Em strong code_x"),
        ("# [Link](http://x.y) ![image](i.png)", "Link image"),
        ("# A &amp; B \\# C", "A & B # C"),
        ("Underlined\n==========", "Underlined"),
        ("Two\nlines\n===", "Two lines"),
        ("# 返金  について", "返金 について"),
    ],
)
def test_headings_are_plain_text(heading, text):
    assert paths(heading + "\n\nbody\n") == [text]


def test_positions_are_characters_of_the_text():
    text = "préamble\n\n# Ä\n\nx\n\nB\n---\ny"
    first, second = sections(text)
    assert (text[first.start : first.body], text[second.start : second.body]) == (
        "# Ä\n",
        "B\n---\n",
    )


def test_positions_with_any_line_end_and_at_the_end():
    for end in ("\r\n", "\r", "\n"):
        text = f"a{end}{end}# B"
        (section,) = sections(text)
        assert (text[section.start : section.body], section.path) == ("# B", ("B",))


def test_a_heading_with_nothing_below_it_is_bare():
    text = "# A\n\n## B\n\ntext\n\n## C\n\n## D\n"
    assert [section.bare for section in sections(text)] == [True, False, True, True]


def test_an_empty_heading_is_not_in_the_path_but_ends_what_is_above():
    assert paths("# A\n\n## B\n\nx\n\n##\n\ny\n") == ["A", "A > B", "A"]


def test_a_paragraph_that_became_a_heading_is_cut():
    (section,) = sections("long " * 100 + "\n---\n")
    (name,) = section.path
    assert len(name) <= 120
    assert name.endswith("long…")
    assert len(sections("長" * 500 + "\n===\n")[0].path[0]) == 120


def test_common_path():
    text = "intro\n\n# A\n\n## B\n\none\n\n## C\n\ntwo\n"
    found = sections(text)
    at = text.index

    assert common_path(found, at("one"), at("one") + 3) == ("A", "B")
    assert common_path(found, at("## B"), at("## C")) == ("A", "B")
    assert common_path(found, at("# A"), at("## C")) == ("A", "B")
    assert common_path(found, at("one"), len(text)) == ("A",)
    assert common_path(found, at("# A"), at("# A") + 3) == ("A",)
    assert common_path(found, 0, 5) == ()
    assert common_path(found, 0, at("two")) == ()
    assert common_path((), 0, 5) == ()


def test_first_title():
    assert first_title("## Sub\n\n# Title\n\n# Second\n") == "Title"
    assert first_title("#\n\n# Real\n") == "Real"
    assert first_title("## Sub\n") is None
    assert first_title("```\n# code\n```\n") is None


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    headings._parsers.cache_clear()
    with pytest.raises(MissingDependencyError, match="markdown-it-py"):
        sections("# not yet seen by the cache")
