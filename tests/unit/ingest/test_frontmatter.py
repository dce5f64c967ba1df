"""Front matter: plain values as in JSON, no surprises of old YAML, nothing lost."""

import builtins

import pytest

from plait.errors import FormatError, MissingDependencyError
from plait.ingest.frontmatter import split_front_matter


def fields(block: str) -> dict:
    found, rest = split_front_matter(f"---\n{block}\n---\nbody\n")
    assert rest == "body\n"
    return found


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("pro", "pro"),
        ('"1.10"', "1.10"),
        ("1.5", 1.5),
        ("-3", -3),
        ("1e3", 1000.0),
        ("0", 0),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("true", True),
        ("FALSE", False),
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("null", None),
        ("~", None),
        ("", None),
        ("nullable", "nullable"),
        ("2026-03-01", "2026-03-01"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
        ("9:30", "9:30"),
        ("1.2.3", "1.2.3"),
        (".nan", ".nan"),
        ("[pro, team]", ["pro", "team"]),
        ("\n  - a\n  - 2", ["a", 2]),
        ("\n  tier: pro", {"tier": "pro"}),
        ("|\n  two\n  lines", "two\nlines\n"),
        ("价格 # a comment", "价格"),
        ('"a # b"', "a # b"),
    ],
)
def test_values(written, value):
    assert fields(f"key: {written}") == {"key": value}


def test_the_last_of_a_repeated_key_counts():
    assert fields("a: 1\na: 2") == {"a": 2}


@pytest.mark.parametrize(
    "text",
    [
        "plain\n---\na: 1\n---\n",
        "---\nnever closed\n",
        "---\njust a sentence\n---\nmore\n",
        "---\n- a\n- list\n---\n",
        "---\n---\nbody\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "---\n" + "a" * 65_537 + ": 1\n---\n",
        "",
        "---",
    ],
)
def test_what_is_no_front_matter_stays_text(text):
    assert split_front_matter(text) == ({}, text)


def test_ends_with_dots_or_with_the_file():
    assert split_front_matter("---\na: 1\n...\nb") == ({"a": 1}, "b")
    assert split_front_matter("---\na: 1\n---") == ({"a": 1}, "")
    assert split_front_matter("--- \na: 1\n--- \n") == ({"a": 1}, "")


def test_ends_at_the_first_closing_line():
    assert split_front_matter("---\na: b---\n---\nx\n---\n") == ({"a": "b---"}, "x\n---\n")


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("ok: 1\nnote: this: is wrong", 3),
        ("a: [1, 2", 3),
        ("a: 'open", 3),
        ("a: !!python/object:os.system x", 2),
        ("\ta: 1", 2),
    ],
)
def test_broken_yaml_is_named_with_its_line_in_the_file(block, line):
    with pytest.raises(FormatError, match="not valid YAML") as caught:
        fields(block)
    assert caught.value.line == line


def test_aliases_are_refused_before_they_can_grow():
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"
    with pytest.raises(FormatError, match="aliases"):
        fields(bomb)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("a: " + "[" * 60_000, "levels deep"),
        ("a: " + "{b: " * 15_000, "levels deep"),
        ("- " * 30_000 + "x", "levels deep"),
        ("a: " + "9" * 5_000, "4300 digits"),
    ],
)
def test_hostile_values_are_refused(block, reason):
    with pytest.raises(FormatError, match=reason):
        fields(block)


def test_a_missing_package_is_named(monkeypatch):
    real = builtins.__import__

    def without_yaml(name, *args, **kwargs):
        if name == "yaml":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_yaml)
    assert split_front_matter("no block") == ({}, "no block")
    with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[ingest\]'"):
        split_front_matter("---\na: 1\n---\n")
