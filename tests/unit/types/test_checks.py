import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.types.checks import as_vector, check_text


def test_vectors_become_read_only_float32_copies() -> None:
    source = np.array([1.0, -2.5])
    vector = as_vector(source, "v")
    source[0] = 9.0
    assert vector.tolist() == [1.0, -2.5]
    assert vector.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.uint8)])
def test_numbers_of_every_kind(values: object) -> None:
    assert as_vector(values, "v").tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], r"v has shape \(0,\), expected one vector of shape \(dim,\)"),
        (1.0, r"v has shape \(\)"),
        ([[1.0, 2.0]], r"v has shape \(1, 2\)"),
        ([1.0, float("nan")], "v holds NaN or infinite values"),
        ([float("inf")], "v holds NaN or infinite values"),
        ([1e39], "v holds NaN or infinite values; every value must be finite float32"),
        ([[1.0], [1.0, 2.0]], "v is not a vector of numbers"),
        (["1", "2"], "v is a vector of <U1, expected real numbers"),
        ([True, False], "v is a vector of bool"),
        ([1j], "v is a vector of complex128"),
        ([1.0, None], "v is a vector of object"),
        ("text", "v is a vector of <U4"),
    ],
)
def test_what_is_no_vector_is_refused(values: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        as_vector(values, "v")


@pytest.mark.parametrize("text", ["", "ascii", "naïve 𠮷野家"])
def test_text_is_text(text: str) -> None:
    check_text(text, "t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"bytes", "t is bytes, expected str"),
        (None, "t is NoneType, expected str"),
        ("ab\udcff", "t holds a lone surrogate at position 2"),
    ],
)
def test_what_is_no_text_is_refused(text: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        check_text(text, "t")
