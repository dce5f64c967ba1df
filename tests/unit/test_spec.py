"""Text forms of objects that are data."""

import pytest

from plait.errors import ConfigurationError
from plait.spec import format_spec, parse_spec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("minilm", ("minilm", {})),
        ("  minilm ", ("minilm", {})),
        ("minilm()", ("minilm", {})),
        ("hash(dim=256, normalize=False)", ("hash", {"dim": 256, "normalize": False})),
        ("onnx(path='a (b), c', scale=-1.5)", ("onnx", {"path": "a (b), c", "scale": -1.5})),
        ('e5(query_prefix="query: ")', ("e5", {"query_prefix": "query: "})),
    ],
)
def test_name_and_parameters(text, expected):
    assert parse_spec(text, "embedder") == expected


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "hash(256)", "hash(dim=)", "hash(dim=n)", "hash(**x)", "hash(dim=1", "a.b(c=1)",
        "1", "hash(dim=1, dim=2)", "f(x=open('y'))", "a b", "hash;x", "\0", None, 3, b"hash",
    ],
)  # fmt: skip
def test_every_other_form_is_refused_by_name(text):
    with pytest.raises(ConfigurationError, match=r"embedder .* is not of the form name"):
        parse_spec(text, "embedder")


def test_a_hint_says_what_to_write_instead():
    with pytest.raises(ConfigurationError, match=r"key=value, \.\.\.\); try hash$"):
        parse_spec("a-b", "embedder", hint="try hash")


@pytest.mark.parametrize(
    "parameters", [{}, {"dim": 256}, {"path": 'it\'s a "path"\n', "normalize": True, "x": -0.5}]
)
def test_round_trip(parameters):
    assert parse_spec(format_spec("name", **parameters), "x") == ("name", parameters)
