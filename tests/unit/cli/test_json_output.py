import io
import json
import sys

import pytest

from plait.cli.json_output import write_json

VALUE = {"text": "é 退款 😀 \x1b", "none": None, "list": [1.5]}


@pytest.mark.parametrize(
    ("encoding", "escaped"),
    [("utf-8", False), ("utf-16", False), ("latin-1", True), ("ascii", True)],
)
def test_json_in_every_encoding(
    encoding: str, escaped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    write_json(VALUE)
    sys.stdout.flush()
    written = raw.getvalue()
    if escaped:
        assert written.isascii()
    text = written.decode("ascii" if escaped else encoding)
    assert json.loads(text) == VALUE
    assert "\x1b" not in text
