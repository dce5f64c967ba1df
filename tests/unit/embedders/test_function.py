"""CallableEmbedder: any function from texts to vectors."""

import functools

import numpy as np
import pytest

from plait.embedders import CallableEmbedder
from plait.errors import ConfigurationError, EmbeddingError


def lengths(texts):
    return [[float(len(text)), 1.0] for text in texts]


def test_gives_what_the_function_gives():
    embedder = CallableEmbedder(lengths, name="lengths", normalize=False)
    assert embedder.embed_query("four").tolist() == [4, 1]
    assert embedder.embed_passages(["a", "bbb"]).tolist() == [[1, 1], [3, 1]]


@pytest.mark.parametrize(
    "convert", [np.array, np.float16, tuple, lambda rows: [np.float64(row) for row in rows]]
)
def test_what_it_gives_may_be_any_matrix_of_numbers(convert):
    embedder = CallableEmbedder(lambda texts: convert(lengths(texts)), name="x")
    assert embedder.embed_query("a").dtype == np.float32


def test_the_function_is_given_a_list_of_str_in_batches():
    given = []

    def look(texts):
        given.append(texts)
        return lengths(texts)

    CallableEmbedder(look, name="x", dim=2, batch_size=2).embed_passages(["a", "bb", "ccc"])
    assert given == [["a", "bb"], ["ccc"]]
    assert all(type(texts) is list for texts in given)


def test_without_a_dimension_one_word_is_embedded_once_and_only_when_needed():
    given = []

    def look(texts):
        given.append(texts)
        return lengths(texts)

    embedder = CallableEmbedder(look, name="x")
    assert given == []
    assert (embedder.dim, embedder.identity.dim) == (2, 2)
    assert embedder.dim == 2
    assert len(given) == 1


def test_with_a_dimension_the_function_is_held_to_it():
    embedder = CallableEmbedder(lengths, name="x", dim=3)
    assert embedder.dim == 3
    with pytest.raises(EmbeddingError, match=r"shape \(1, 2\) for 1 texts, expected .* \(1, 3\)"):
        embedder.embed_query("a")


@pytest.mark.parametrize("answer", [[1.0, 2.0], [[]], [[1.0], [2.0]], 3.0, None])
def test_no_dimension_can_be_found_out(answer):
    with pytest.raises(EmbeddingError, match=r"'x' gave shape .* for one text"):
        _ = CallableEmbedder(lambda texts: answer, name="x").dim


def test_no_dimension_can_be_found_out_of_vectors_of_different_lengths():
    with pytest.raises(EmbeddingError, match="'x' gave vectors of different lengths"):
        _ = CallableEmbedder(lambda texts: [[1.0], [1.0, 2.0]], name="x").dim


def test_the_name_says_whose_vectors_they_are():
    one = CallableEmbedder(lengths, name="one", dim=2)
    assert one.identity == CallableEmbedder(len, name="one", dim=2).identity
    assert one.identity != CallableEmbedder(lengths, name="two", dim=2).identity
    assert one.identity != CallableEmbedder(lengths, name="one", dim=2, normalize=False).identity
    assert one.spec is None
    assert repr(one) == "CallableEmbedder(name='one')"


@pytest.mark.parametrize("dim", [1, None])
def test_a_function_of_one_text_is_told_what_it_is_called_with(dim):
    embedder = CallableEmbedder(lambda text: [len(text.lower())], name="x", dim=dim)
    said = r"'x' raised AttributeError.*called with a list of \d texts .* one vector for each"
    with pytest.raises(EmbeddingError, match=said) as raised:
        embedder.embed_passages(["a", "b"])
    assert isinstance(raised.value.__cause__, AttributeError)


@pytest.mark.parametrize("transient", [True, False, None])
def test_its_error_is_transient_if_it_says_so(transient):
    error = TimeoutError("no answer")
    if transient is not None:
        error.transient = transient

    def fail(texts):
        raise error

    with pytest.raises(EmbeddingError, match=r"TimeoutError\(.no answer.\)") as raised:
        CallableEmbedder(fail, name="x", dim=2).embed_query("a")
    assert raised.value.__cause__ is error
    assert raised.value.transient is bool(transient)


def test_errors_of_plait_pass_unchanged():
    error = EmbeddingError("busy", transient=True)

    def fail(texts):
        raise error

    with pytest.raises(EmbeddingError) as raised:
        CallableEmbedder(fail, name="x", dim=2).embed_query("a")
    assert raised.value is error


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_is_needed(name):
    with pytest.raises(ConfigurationError, match="name is"):
        CallableEmbedder(lengths, name=name)


def test_without_a_name_it_is_not_built():
    with pytest.raises(TypeError, match="name"):
        CallableEmbedder(lengths)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "dim is 0"),
        ({"dim": True}, "dim is True"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"batch_size": None}, "batch_size is None"),
        ({"normalize": 1}, "normalize is 1"),
        ({"query_prefix": None}, "query_prefix is None"),
    ],
)
def test_bad_parameters_are_refused_when_it_is_built(options, message):
    with pytest.raises(ConfigurationError, match=message):
        CallableEmbedder(lengths, name="x", **options)


def test_what_cannot_be_called_and_what_is_async_are_refused():
    async def later(texts):
        return lengths(texts)

    with pytest.raises(ConfigurationError, match="expected a callable"):
        CallableEmbedder("lengths", name="x")

    class Later:
        async def __call__(self, texts):
            return lengths(texts)

    for function in (later, functools.partial(later), Later()):
        with pytest.raises(ConfigurationError, match="async function"):
            CallableEmbedder(function, name="x")
