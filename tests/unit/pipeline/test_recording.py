"""The log of a request: structured, and silent unless somebody listens."""

import logging
import subprocess
import sys

from plait.pipeline import Rag
from plait.types import Chunk


def broken(query, chunks):
    raise OSError("down")


def lines(caplog):
    return [(record.levelname, record.getMessage(), record.plait) for record in caplog.records]


def test_a_line_per_stage_and_one_per_request(caplog):
    with caplog.at_level(logging.DEBUG, "plait.rag"):
        result = Rag(lambda text: [Chunk(text)]).search("a secret question")
    told = lines(caplog)
    assert [level for level, _, _ in told] == ["DEBUG", "DEBUG", "DEBUG", "INFO"]
    assert {fields["request_id"] for _, _, fields in told} == {result.trace.request_id}
    assert [fields.get("stage") for _, _, fields in told] == ["retrieve", "top", "context", None]
    assert told[-1][2]["hits"] == 1
    assert told[-1][2]["degraded"] is False
    assert "secret" not in caplog.text


def test_what_failed_is_a_warning(caplog):
    Rag(lambda text: [Chunk(text)], reranker=broken).search("q")
    ((level, message, fields),) = lines(caplog)
    assert level == "WARNING"
    assert message.endswith("the hits are in fused order: OSError: down")
    assert (fields["stage"], fields["status"]) == ("rerank", "degraded")


def test_nothing_is_printed():
    code = """
from plait.pipeline import Rag
from plait.types import Chunk

def broken(*_):
    raise OSError("down")

result = Rag([lambda text: [Chunk("x")], broken], reranker=broken).search("q")
assert result.degraded
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
