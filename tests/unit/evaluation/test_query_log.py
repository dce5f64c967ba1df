from pathlib import Path

import pytest

from plait.errors import FormatError
from plait.evaluation.query_log import read_queries


def texts(topics) -> dict[str, str]:
    return {topic: query.text for topic, query in topics.items()}


def test_one_query_in_each_line(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes("\ufeffE1042\r\n\n  cancel my plan \nE1042\n退款 x".encode())
    assert texts(read_queries(log)) == {"1": "E1042", "3": "cancel my plan", "5": "退款 x"}


def test_a_choice_keeps_the_order_and_follows_the_seed(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("\n".join(f"query {n}" for n in range(1, 101)))
    some = texts(read_queries(log, limit=10))
    assert len(some) == 10
    assert list(some) == sorted(some, key=int)
    assert all(text == f"query {number}" for number, text in some.items())
    assert texts(read_queries(log, limit=10)) == some
    assert texts(read_queries(log, limit=10, seed=1)) != some
    assert len(read_queries(log, limit=100)) == len(read_queries(log)) == 100


def test_what_is_not_utf8_is_named(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"fine\nk\xfcndigen\n")
    with pytest.raises(FormatError, match="2") as caught:
        read_queries(log)
    assert (caught.value.path, caught.value.line) == (str(log), 2)


def test_a_file_without_queries(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("\n \n")
    with pytest.raises(FormatError, match="expected a query in each line"):
        read_queries(log)
