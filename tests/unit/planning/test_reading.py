"""The texts in model answers: lists, JSON, quotes, and what stands around them."""

from __future__ import annotations

import pytest

from plait.planning.reading import read_passages, read_texts

AB = ["how to cancel", "end my plan"]


@pytest.mark.parametrize(
    "answer",
    [
        "how to cancel\nend my plan",
        "how to cancel\r\n\r\nend my plan\r\n",
        "1. how to cancel\n2. end my plan",
        "1) how to cancel\n\n2) end my plan",
        "(1) how to cancel\n(2) end my plan",
        "1: how to cancel\n2: end my plan",
        "a) how to cancel\nb) end my plan",
        "- how to cancel\n- end my plan",
        "* how to cancel\n* end my plan",
        "• how to cancel\n• end my plan",
        "– how to cancel\n– end my plan",
        "> how to cancel\n> end my plan",
        '"how to cancel"\n"end my plan"',
        "“how to cancel”\n“end my plan”",
        "«how to cancel»\n«end my plan»",
        "'how to cancel',\n'end my plan'",
        "`how to cancel`\n`end my plan`",
        '1. "how to cancel"\n2. "end my plan"',
        "1. **how to cancel**\n2. **end my plan**",
        "**1.** how to cancel\n**2.** end my plan",
        "Query 1: how to cancel\nQuery 2: end my plan",
        "Sub-question 1: how to cancel\nSub-question 2: end my plan",
        "**Query 1:** how to cancel\n**Query 2:** end my plan",
        "Here are 2 queries:\nhow to cancel\nend my plan",
        "Here are 2 queries:\n\n1. how to cancel\n2. end my plan\n\nLet me know if you need more!",
        "Sure! Here are two queries.\n- how to cancel\n- end my plan",
        "Sure!\nhow to cancel\nend my plan",
        "Alternative queries:\nhow to cancel\nend my plan\nI hope this helps.",
        "## Queries\n\nhow to cancel\nend my plan",
        "how to cancel\n---\nend my plan",
        '["how to cancel", "end my plan"]',
        '[\n  "how to cancel",\n  "end my plan"\n]',
        '["how to cancel", "end my plan"],',
        "['how to cancel', 'end my plan']",
        '{"queries": ["how to cancel", "end my plan"]}',
        '{"n": 2, "queries": [{"query": "how to cancel", "why": "x"}, {"query": "end my plan"}]}',
        '[{"query": "how to cancel"}, {"query": "end my plan"}]',
        '{"query_1": "how to cancel", "query_2": "end my plan"}',
        '{"query": "how to cancel"}\n{"query": "end my plan"}',
        '```json\n["how to cancel", "end my plan"]\n```',
        '```\nhow to cancel\nend my plan\n```',
        'Here you are:\n```json\n{"queries": ["how to cancel", "end my plan"]}\n```\nEnjoy!',
        'Here you are:\n["how to cancel", "end my plan"]\nI hope [this] helps.',
        '["how to cancel", "end my plan", "some more that was c',
        '{"queries": ["how to cancel", "end my plan", "cut',
        '```json\n["how to cancel", "end my plan"',
    ],
)  # fmt: skip
def test_every_way_to_write_a_list(answer):
    assert read_texts(answer) == AB


@pytest.mark.parametrize(
    "text",
    [
        "how to cancel",
        "3.5 mm jack",
        "404: page not found",
        "-5 degrees",
        "C. elegans lifespan",
        "arr[0] vs arr[1]",
        'how to index ["a"] in python',
        '["a"] means a list in python',
        "['a'] is what in python",
        "[E1042] socket closed",
        "[[wiki links]] syntax",
        '"foo" and "bar"',
        "what's it's owner's name",
        "'tis the season",
        "2**3**4 in python",
        "__init__ method",
        "snake_case *args",
        "note taking apps",
        "ok google settings",
        "日本語の検索",
        "e1042 🎉",
        "a: b",
    ],
)
def test_a_plain_text_stays_as_it_is(text):
    assert read_texts(text) == [text]
    assert read_texts(text, listed=False) == [text]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Rewritten question: how to cancel", "how to cancel"),
        ("Standalone query: how to cancel", "how to cancel"),
        ("Step-back question: how does billing work?", "how does billing work?"),
        ("Here is the rewritten query: how to cancel", "how to cancel"),
        ("Sure, here's a query: how to cancel", "how to cancel"),
        ("Here is the query:\n\n**how to cancel**", "how to cancel"),
        ("Query:\nhow to cancel", "how to cancel"),
        ("how to cancel\n\nExplanation: names the plan.", "how to cancel"),
        ("how to cancel\n- names the plan\n- is shorter", "how to cancel"),
        ("- how to cancel", "how to cancel"),
        ('{"query": "how to cancel", "reason": "shorter"}', "how to cancel"),
        ("“how to cancel”", "how to cancel"),
    ],
)
def test_a_single_text(answer, text):
    assert read_texts(answer, listed=False)[0] == text


@pytest.mark.parametrize(
    "answer",
    ["", "  \n", "---", "```\n```", "[]", "{}", "[1, 2]", '{"n": 3}', "[[], {}]", '["", " "]'],
)
def test_nothing(answer):
    assert read_texts(answer) == []


def test_an_announcement_alone_is_all_there_is():
    assert read_texts("Here are the queries:") == ["Here are the queries:"]


def test_escapes_of_json_are_read():
    assert read_texts(r'["Gr\u00fc\u00dfe", "a \"b\"", "one\ntwo"]') == [
        "Grüße",
        'a "b"',
        "one two",
    ]


def test_escapes_of_python_are_read():
    written = r"""['it\'s', "a", 'say \"b\"', 'c "d"']"""
    assert read_texts(written) == ["it's", "a", 'say "b"', 'c "d"']


def test_control_characters_become_blanks():
    assert read_texts("how\x00to\tcancel\x1b[31m") == ["how to cancel [31m"]


def test_deep_and_endless_answers_end():
    assert read_texts("[" * 100_000) != []
    assert read_texts("[\n" * 50_000)[0] == "["
    assert read_texts('{"a":' * 2_000 + '"b"' + "}" * 2_000) != []
    assert len(read_texts("a b\n" * 100_000)) < 20_000
    # Without a limit these take minutes: each begin looks for an end that does not come.
    assert read_texts("**a " * 12_500) != []
    assert read_texts('["' + '\\"' * 25_000) != []


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("Open Billing.\nChoose Cancel.", ["Open Billing. Choose Cancel."]),
        ("Open Billing.\n\n---\n\nChoose Cancel.", ["Open Billing.", "Choose Cancel."]),
        ("Passage 1:\nOpen Billing.\n\nPassage 2:\nStop.", ["Open Billing.", "Stop."]),
        ("Passage 1: Open Billing.\n\nPassage 2: Stop.", ["Open Billing.", "Stop."]),
        ("**Passage 1**\nOpen Billing.\n**Passage 2**\nStop.", ["Open Billing.", "Stop."]),
        ("### Passage 1\nOpen Billing.\n### Passage 2\nStop.", ["Open Billing.", "Stop."]),
        ('["Open Billing.", "Stop."]', ["Open Billing.", "Stop."]),
        ('{"passages": ["Open Billing.", "Stop."]}', ["Open Billing.", "Stop."]),
        ("Here is a passage:\nOpen Billing.", ["Open Billing."]),
        ("Sure! Here is one.\nOpen Billing.", ["Open Billing."]),
        ("```\nOpen Billing.\n```", ["Open Billing."]),
        ('"Open Billing."', ["Open Billing."]),
        ("Run:\n```\nplait info\n```\nand read.", ["Run: ``` plait info ``` and read."]),
        ("Passage planning keeps ships safe.", ["Passage planning keeps ships safe."]),
        ("To cancel:\n1. Open Billing\n2. Stop", ["To cancel: 1. Open Billing 2. Stop"]),
        ("", []),
        ("---\n---", []),
    ],
)
def test_passages(answer, passages):
    assert read_passages(answer) == passages
