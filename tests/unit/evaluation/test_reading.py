"""Files of topics, judgments and runs: every format, its dressings, and what is wrong where."""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from plait.errors import FormatError
from plait.evaluation import read_qrels, read_run, read_topics

Write = Callable[..., Path]
QUERIES = '{"_id": "1", "text": "how do I cancel"}\n{"_id": "2", "text": "E1042"}\n'
BEIR = "query-id\tcorpus-id\tscore\n1\ta b\t2\n1\tc\t0\n2\td\t-1\n"
TREC = "1 0 a 2\n1\t0\tc\t0\n 2  Q0  d  -1 \n"
MARKUP = """\
<top>
<num> Number: 1
<title> how do I
cancel

<desc> Description:
for long
</top>
<top><num>2</num><title>E1042</title></top>
"""
OTHER_MARKUP = """\
<top>
<num> 1 </num>
<title>Topic: how do I cancel
</top>
<TOP>
<num> 2
<title>
<desc> Description: E1042
</TOP>
"""
RUN = "1 Q0 a 1 2.5 mine\n1 Q0 b 2 2.5 mine\n2 Q0 c 1 -1e-3 mine\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(content: str | bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def dressed(text: str) -> list[bytes]:
    """The same content as other programs leave it."""
    return [
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\n\n  \n").encode(),
        text.rstrip("\n").encode(),
        text.encode("utf-16"),
        gzip.compress(text.encode()),
        gzip.compress(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()),
    ]


class TestTopics:
    @pytest.mark.parametrize("dress", range(8))
    @pytest.mark.parametrize(
        "text",
        [
            QUERIES,
            '{"id": 1, "query": "how do I cancel", "metadata": {}}\n{"id": 2, "text": "E1042"}\n',
            "1\thow do I cancel\n2\tE1042\n",
            MARKUP,
            OTHER_MARKUP,
        ],
    )
    def test_formats_are_told_apart(self, write: Write, text: str, dress: int) -> None:
        topics = read_topics(write(dressed(text)[dress]))
        assert {topic: query.text for topic, query in topics.items()} == {
            "1": "how do I cancel",
            "2": "E1042",
        }

    def test_an_embedding_comes_along(self, write: Write) -> None:
        topics = read_topics(write('{"_id": "1", "embedding": [0.5, 0]}\n'))
        assert topics["1"].text is None
        assert np.array_equal(topics["1"].embedding, [0.5, 0.0])

    def test_a_repeated_line_is_read_once(self, write: Write) -> None:
        assert len(read_topics(write(QUERIES + QUERIES))) == 2

    def test_text_that_looks_like_markup_stays(self, write: Write) -> None:
        topics = read_topics(write("<top>\n<num>1\n<title> is a < b > c, R&D\n</top>\n"))
        assert topics["1"].text == "is a < b > c, R&D"

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            (QUERIES + '{"_id": "1", "text": "other"}', 3, "topic '1' stands twice"),
            (QUERIES + '{"_id": "3", "text": ""}', 3, "topic '3': the query is blank"),
            (QUERIES + '{"text": "no id"}', 3, "no id"),
            (QUERIES + '{"_id": "3"', 3, "broken JSON"),
            (QUERIES + '{"_id": "3", "embedding": [NaN]}', 3, "NaN"),
            (QUERIES + '{"_id": "3", "embedding": "x"}', 3, "topic '3': Query.embedding"),
            ("1\ta\n2 b\n", 2, "1 column, expected 2: id, text"),
            ("1\ta\n2\tb\tc\n", 2, "3 columns, expected 2"),
            ("1\ta\n\tb\n", 2, "the column id is empty"),
            ("1\ta\n2\t \n", 2, "the column text is empty"),
            ("<top>\n<num>1\n<title>a\n", 3, "the <top> of line 1 is not closed"),
            ("<top>\n<top>\n", 2, "a <top> inside the one of line 1"),
            ("</top>\n", 1, "a </top> without a <top>"),
            ("<top>\n<num>1\n<title>a\n</top>\nstray\n", 5, "'stray' stands outside"),
            ("<top>\n<title>a\n</top>\n", 1, "the topic has no <num>"),
            ("<top>\n<num>1\n</top>\n", 1, "topic '1' has neither <title> nor <desc>"),
        ],
    )
    def test_says_what_is_wrong_and_where(
        self, write: Write, text: str, line: int, message: str
    ) -> None:
        path = write(text)
        with pytest.raises(FormatError, match=message) as caught:
            read_topics(path)
        assert (caught.value.path, caught.value.line) == (str(path), line)
        assert str(caught.value).startswith(f"{path}, line {line}: ")


class TestQrels:
    @pytest.mark.parametrize("dress", range(8))
    def test_beir(self, write: Write, dress: int) -> None:
        qrels = read_qrels(write(dressed(BEIR)[dress]))
        assert qrels == {"1": {"a b": 2, "c": 0}, "2": {"d": -1}}

    @pytest.mark.parametrize("dress", range(8))
    def test_trec(self, write: Write, dress: int) -> None:
        assert read_qrels(write(dressed(TREC)[dress])) == {"1": {"a": 2, "c": 0}, "2": {"d": -1}}

    def test_blanks_inside_ids_are_not_those_of_ascii(self, write: Write) -> None:
        # str.split would part them; trec_eval does not.
        assert read_qrels(write("1 0 a\u00a0b\u3000c 1\n")) == {"1": {"a\u00a0b\u3000c": 1}}

    def test_a_repeated_judgment_is_read_once(self, write: Write) -> None:
        assert read_qrels(write(TREC + TREC))["1"] == {"a": 2, "c": 0}

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            (BEIR + "1\tc\t1\n", 5, "document 'c' of topic '1' gets the grade 1, but had 0"),
            (BEIR + "\n1\tx\n", 6, "2 columns, expected 3: query-id, corpus-id, score"),
            (BEIR + "1\tx\t1\t1\n", 5, "4 columns, expected 3"),
            (BEIR + "1\t\t1\n", 5, "the column corpus-id is empty"),
            (BEIR + "1\tx\t0.5\n", 5, "the grade is '0.5'"),
            (BEIR + "1\tx\tyes\n", 5, "the grade is 'yes'"),
            (BEIR + "1\tx\t1_0\n", 5, "the grade is '1_0'"),
            (BEIR + "1\tx\t\u0661\n", 5, "the grade is"),
            (BEIR + "1\tx\t10001\n", 5, "expected a whole number up to 10,000"),
            ("qid\tdocid\trel\n1\ta\t1\n", 1, "unknown header 'qid.tdocid.trel'"),
            ("1\ta\t1\n", 1, "unknown header"),
            (TREC + "1 0 x\n", 4, "3 columns, expected 4: topic, iteration, document, grade"),
            (TREC + "1 0 x 1 1\n", 4, "5 columns, expected 4"),
            (TREC + "1 0 x nan\n", 4, "the grade is 'nan'"),
            (TREC + "1 0 c 3\n", 4, "gets the grade 3, but had 0"),
            ("just words\n", 1, "2 columns, expected 4"),
        ],
    )
    def test_says_what_is_wrong_and_where(
        self, write: Write, text: str, line: int, message: str
    ) -> None:
        path = write(text)
        with pytest.raises(FormatError, match=message) as caught:
            read_qrels(path)
        assert (caught.value.path, caught.value.line) == (str(path), line)

    def test_an_empty_file_is_named(self, write: Write) -> None:
        for content in ("", "\n \n", b"\xef\xbb\xbf", gzip.compress(b"")):
            path = write(content)
            with pytest.raises(FormatError, match=f"{path} is empty, expected judgments"):
                read_qrels(path)

    def test_what_is_no_text(self, write: Write) -> None:
        for content, line, message in (
            (b"1 0 \xff 1\n", 1, "not UTF-8"),
            (b"1 0 a 1\n1 0 \xff 1\n", 2, "not UTF-8"),
            (b"\x00\x01\x02", 1, "binary"),
            (gzip.compress(TREC.encode() * 1000)[:12], 1, "cannot be read from here on"),
            (b"\x1f\x8b garbage", 1, "cannot be read from here on"),
        ):
            with pytest.raises(FormatError, match=message) as caught:
                read_qrels(write(content))
            assert caught.value.line == line

    def test_a_missing_file_is_not_a_wrong_one(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            read_qrels(tmp_path / "none.tsv")


class TestRun:
    @pytest.mark.parametrize("dress", range(8))
    def test_equal_scores_go_by_id_from_the_last(self, write: Write, dress: int) -> None:
        run = read_run(write(dressed(RUN)[dress]))
        assert run.name == "mine"
        assert run.rankings == {"1": (("b", 2.5), ("a", 2.5)), "2": (("c", -0.001),)}

    def test_scores_decide_not_lines_nor_ranks(self, write: Write) -> None:
        run = read_run(write("1 Q0 a 1 1 x\n1 Q0 b 2 3 x\n2 Q0 c 1 1 x\n1 Q0 d 3 2 x\n"))
        assert [document for document, _ in run.rankings["1"]] == ["b", "d", "a"]

    def test_scores_are_compared_in_single_precision(self, write: Write) -> None:
        # 1 + 1e-9 is 1 in single precision: a tie, so b comes first although a's double is higher.
        run = read_run(write("1 Q0 a 1 1.000000001 x\n1 Q0 b 2 1 x\n"))
        assert run.rankings["1"] == (("b", 1.0), ("a", 1.0))

    def test_a_repeated_document_stays_for_the_measures_to_count_once(self, write: Write) -> None:
        run = read_run(write("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n"))
        assert run.rankings["1"] == (("a", 2.0), ("a", 1.0))

    def test_another_name(self, write: Write) -> None:
        assert read_run(write(RUN), name="yours").name == "yours"

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            (RUN + "1 Q0 d 3 nan mine\n", 4, "the score is 'nan'"),
            (RUN + "1 Q0 d 3 inf mine\n", 4, "the score is 'inf'"),
            (RUN + "1 Q0 d 3 1e999 mine\n", 4, "the score is '1e999'"),
            (RUN + "1 Q0 d 3 0x1 mine\n", 4, "the score is '0x1'"),
            (RUN + "1 Q0 d 3 1_0 mine\n", 4, "the score is '1_0'"),
            (RUN + "1 Q0 d 3 1\n", 4, "5 columns, expected 6: topic, Q0, document, rank, score"),
            (RUN + "1 Q0 d e 3 1 mine\n", 4, "7 columns, expected 6"),
            (RUN + "1 Q0 d 3 1 yours\n", 4, "the tag is 'yours', but was 'mine' before"),
        ],
    )
    def test_says_what_is_wrong_and_where(
        self, write: Write, text: str, line: int, message: str
    ) -> None:
        with pytest.raises(FormatError, match=message) as caught:
            read_run(write(text))
        assert caught.value.line == line
