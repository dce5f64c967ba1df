"""The estimate of tokens, worked out by hand."""

import pytest

from plait.ingest import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("refund", 1),
        ("refunds", 2),
        ("a b c", 3),
        ("Error E1042.", 1 + 1 + 1),
        ("max_upload_mb", 3),
        ("don't", 3),
        ("退款流程", 4),
        ("退款API流程", 2 + 1 + 2),
        ("ภาษา", 4),
        ("서울은", 3),
        ("👍", 1),
    ],
)
def test_estimate(text, tokens):
    assert estimate_tokens(text) == tokens
