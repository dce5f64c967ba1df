"""JSONL: lines one at a time, fields by name, each bad line on its own."""

import gzip
import io
import json

import pytest

from plait.errors import ConfigurationError, FormatError
from plait.ingest import Fields
from plait.ingest.jsonl import lines, parse_line

LONG = 1_000


def read(data: bytes, longest: int = LONG) -> list[tuple[int, str]]:
    """The lines; for an error its message after ``!``."""
    return [
        (number, f"!{line}" if isinstance(line, FormatError) else line)
        for number, line in lines(io.BufferedReader(io.BytesIO(data)), longest)
    ]


class TestLines:
    def test_numbers_count_blank_lines_which_are_left_out(self):
        assert read(b'{"a":1}\n\n  \r\n{"b":2}') == [(1, '{"a":1}\n'), (4, '{"b":2}')]

    def test_nothing(self):
        assert read(b"") == []
        assert read(b"\n\n") == []

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_encodings(self, encoding):
        text = '{"a":"é"}\n{"a":"退款\u2028𠮷"}\n'
        assert read(text.encode(encoding)) == [
            (1, '{"a":"é"}\n'),
            (2, '{"a":"退款\u2028𠮷"}\n'),
        ]

    def test_a_line_of_another_encoding_is_one_bad_line(self):
        found = read(b'{"a":1}\n{"a":"caf\xe9"}\n{"b":"\xc3\xa9"}\n')
        assert [number for number, _ in found] == [1, 2, 3]
        assert found[1][1].startswith("!wrong encoding: not UTF-8 (byte 0xE9)")
        assert found[2][1] == '{"b":"é"}\n'

    def test_a_binary_stream_is_refused_as_a_whole(self):
        with pytest.raises(FormatError, match="binary"):
            read(b"SQLite format 3\x00\x10\n\n\n")
        with pytest.raises(FormatError, match="UTF-32"):
            read('{"a":1}'.encode("utf-32"))

    def test_a_hole_of_zeros_in_the_middle_is_one_bad_line(self):
        found = read(b'{"a":1}\n' + b"\0" * 100 + b'\n{"b":2}\n')
        assert [found[0][1], found[2][1]] == ['{"a":1}\n', '{"b":2}\n']
        with pytest.raises(FormatError, match="broken JSON"):
            parse_line(found[1][1], Fields())

    def test_a_line_too_long_is_not_kept(self):
        data = b"x" * (3 * LONG) + b'\n{"a":1}\n' + b"y" * LONG + b"\n" + b"z" * (LONG + 1)
        assert read(data) == [
            (1, "!longer than 1000 characters"),
            (2, '{"a":1}\n'),
            (3, "y" * LONG + "\n"),
            (4, "!longer than 1000 characters"),
        ]

    def test_a_damaged_archive_gives_what_comes_before_the_damage(self):
        packed = gzip.compress(b"".join(b'{"a":%d}\n' % n for n in range(50_000)), mtime=0)
        stream = gzip.GzipFile(fileobj=io.BytesIO(packed[: len(packed) // 2]))
        found = list(lines(stream, LONG))
        assert found[0] == (1, '{"a":0}\n')
        assert len(found) > 10_000
        number, error = found[-1]
        assert number == len(found)
        assert isinstance(error, FormatError)
        assert "from here on" in str(error)

    def test_utf_16_that_breaks_off(self):
        found = read('{"a":1}\n'.encode("utf-16") + b"\x7b")
        assert found[0] == (1, '{"a":1}\n')
        assert found[1][1].startswith("!cannot be read from here on")

    def test_is_lazy(self):
        class Counting(io.BytesIO):
            taken = 0

            def readinto(self, buffer):
                count = super().readinto(buffer)
                self.taken += count
                return count

        raw = Counting(b'{"a":1}\n' * 1_000_000)
        stream = lines(io.BufferedReader(raw), LONG)
        next(stream)
        assert 0 < raw.taken < 100_000
        stream.close()

    def test_leaves_the_stream_open(self):
        stream = io.BufferedReader(io.BytesIO(b'{"a":1}\n'))
        assert len(list(lines(stream, LONG))) == 1
        assert not stream.closed


def parsed(value: object, **names: tuple[str, ...]):
    record = parse_line(json.dumps(value), Fields(**names))
    return record.id, record.title, record.text, record.metadata


class TestParseLine:
    @pytest.mark.parametrize("text", ["text", "content", "contents", "body"])
    @pytest.mark.parametrize("identity", ["id", "_id"])
    def test_default_names(self, identity, text):
        value = {identity: "d1", "title": "T", text: "Hello", "lang": "en"}
        assert parsed(value) == ("d1", "T", "Hello", {"lang": "en"})

    def test_the_first_name_counts_and_the_others_are_metadata(self):
        value = {"_id": "b", "id": "a", "body": "second", "text": "first"}
        assert parsed(value) == ("a", None, "first", {"_id": "b", "body": "second"})

    def test_null_is_absent(self):
        value = {"id": None, "_id": "b", "text": None, "body": "words"}
        assert parsed(value) == ("b", None, "words", {"id": None, "text": None})

    def test_names_can_be_chosen(self):
        value = {"key": 7, "q": "How?", "a": "So.", "id": "other", "text": "rest"}
        assert parsed(value, id=("key",), title=("q",), text=("a",)) == (
            "7",
            "How?",
            "So.",
            {"id": "other", "text": "rest"},
        )

    def test_nested_metadata_is_merged_and_counts(self):
        value = {"text": "x", "lang": "en", "metadata": {"lang": "de", "deep": {"a": 1}}}
        assert parsed(value)[3] == {"lang": "de", "deep": {"a": 1}}

    def test_metadata_that_is_no_object_is_a_field(self):
        assert parsed({"text": "x", "metadata": "none"})[3] == {"metadata": "none"}

    def test_nested_metadata_may_have_fields_named_like_text_and_title(self):
        value = {"text": "x", "metadata": {"title": "inner", "text": "inner"}}
        assert parsed(value) == (None, None, "x", {"title": "inner", "text": "inner"})

    @pytest.mark.parametrize("nothing", [None, "", "  "])
    def test_blank_id_and_title_are_none(self, nothing):
        assert parsed({"id": nothing, "title": nothing, "text": "x"})[:2] == (None, None)

    def test_missing_and_null_text_are_blank(self):
        assert parsed({"id": 1})[2] == parsed({"text": None})[2] == parsed({"text": ""})[2] == ""

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("{", "broken JSON"),
            ('{"text": "x"} trailing', "broken JSON"),
            ('{"text": NaN}', "broken JSON: NaN"),
            ('{"text": "x", "n": Infinity}', "broken JSON: Infinity"),
            ('{"text": "a\nb"}', "broken JSON"),
            ("[" * 100_000, "nested too deeply"),
            ('{"n": ' + "9" * 5_000 + "}", "broken JSON"),
            ('["text"]', "not a JSON object but of type list"),
            ('"text"', "not a JSON object but of type str"),
            ("null", "not a JSON object but of type NoneType"),
            ('{"text": ["a"]}', "the text is of type list"),
            ('{"text": 5}', "the text is of type int"),
            ('{"text": "x", "id": true}', "the id is of type bool"),
            ('{"text": "x", "title": {}}', "the title is of type dict"),
        ],
    )
    def test_a_bad_line_says_why(self, line, reason):
        with pytest.raises(FormatError, match=reason):
            parse_line(line, Fields())


class TestFields:
    @pytest.mark.parametrize(
        "wrong",
        [{"text": "text"}, {"text": ("id",)}, {"title": ("a", "a")}, {"id": (1,)}, {"text": None}],
    )
    def test_refuses_unclear_names(self, wrong):
        with pytest.raises(ConfigurationError, match="Fields has"):
            Fields(**wrong)

    def test_a_role_may_have_no_name(self):
        assert parsed({"id": "a", "text": "x"}, id=()) == (None, None, "x", {"id": "a"})
