"""HashEmbedder: lexical, deterministic, never without direction."""

import os
import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pytest

from plait.embedders import HashEmbedder, hashing, parse_embedder
from plait.embedders.embedder import blank_vector
from plait.errors import ConfigurationError

CODE = """
import hashlib
from plait.embedders import HashEmbedder
texts = ["error E1042 socket closed", "Straße", "退款流程", "", "a b c a"]
print(hashlib.sha256(HashEmbedder(dim=96).embed_passages(texts).tobytes()).hexdigest())
"""


def test_one_word_by_hand():
    """One count for the word, half a count for each trigram."""
    expected = np.zeros(1000)
    for feature, weight in (("ab", 1.0), (" ab", 1 / 2), ("ab ", 1 / 2)):
        hashed = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little") >> 1
        expected[(hashed >> 1) % 1000] += weight if hashed & 1 else -weight
    vector = HashEmbedder(1000, normalize=False).embed_query("ab")
    assert vector.tolist() == expected.tolist()
    scaled = HashEmbedder(1000).embed_query("ab")
    np.testing.assert_allclose(scaled, expected / np.sqrt(1 + 2 / 4), rtol=1e-6)


def test_a_repeated_word_counts_each_time():
    one = HashEmbedder(64, normalize=False)
    assert one.embed_query("cat cat").tolist() == (2 * one.embed_query("cat")).tolist()


def test_the_same_bytes_in_every_process():
    digests = set()
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_the_same_text_twice_is_the_same_vector():
    one, two = HashEmbedder(64), HashEmbedder(64)
    np.testing.assert_array_equal(one.embed_query("a"), one.embed_query("a"))
    np.testing.assert_array_equal(one.embed_query("a"), two.embed_passages(["b", "a"])[1])


def test_shared_words_are_near_and_shared_meaning_is_not():
    query, same_words, same_meaning = HashEmbedder(512).embed_passages(
        ["cancel my plan", "can I cancel the plan", "end a subscription"]
    )
    assert query @ same_words > 0.4
    assert abs(query @ same_meaning) < 0.2


def test_parts_of_words_are_near():
    one, typo, other = HashEmbedder(512).embed_passages(["authentication", "authentcation", "pear"])
    assert one @ typo > one @ other + 0.2


@pytest.mark.parametrize(
    ("one", "other"),
    [("STRASSE", "straße"), ("cafe\u0301", "café"), ("ＡＢＣ", "abc"), ("a,b", "a b")],
)
def test_case_width_and_composition_are_folded(one, other):
    embedder = HashEmbedder(64)
    np.testing.assert_array_equal(embedder.embed_query(one), embedder.embed_query(other))


@pytest.mark.parametrize("text", ["", "   ", "...!?", "\n\t"])
@pytest.mark.parametrize("normalize", [True, False])
def test_text_without_a_word_has_a_direction_all_the_same(text, normalize):
    embedder = HashEmbedder(64, normalize=normalize)
    np.testing.assert_allclose(embedder.embed_query(text), blank_vector(64), rtol=1e-6)


def test_counts_that_cancel_out_have_one_too():
    embedder = HashEmbedder(1, normalize=False)
    words = [f"word{number}" for number in range(200)]
    raw = {word: embedder.embed_query(word)[0] for word in words}
    plus = words[0]
    minus = next(word for word in words if raw[word] == -raw[plus])
    assert embedder.embed_query(f"{plus} {minus}").tolist() == [1.0]


@pytest.mark.parametrize("text", ["hash(dim=256)", "hash(dim=8, normalize=False)"])
def test_its_text_form_gives_it_back(text):
    embedder = parse_embedder(text)
    assert embedder.spec == text
    assert parse_embedder(embedder.spec).identity == embedder.identity


def test_prefixes_are_part_of_the_text_form():
    embedder = HashEmbedder(8, query_prefix="query: ", passage_prefix="it's \"")
    assert parse_embedder(embedder.spec).identity == embedder.identity
    assert embedder.identity != HashEmbedder(8).identity


def test_the_default_says_what_it_is():
    embedder = HashEmbedder()
    assert (embedder.dim, embedder.spec) == (256, "hash(dim=256)")
    assert "lexical, not semantic" in embedder.identity.model
    assert "lexical, not semantic" in HashEmbedder.__doc__


@pytest.mark.parametrize("dim", [0, -1, True, 2.0, "8", None])
def test_a_dimension_is_an_int_from_one(dim):
    with pytest.raises(ConfigurationError, match="dim is"):
        HashEmbedder(dim)


def test_a_long_word_is_embedded_and_not_kept():
    embedder = HashEmbedder(64)
    long = "".join(map(str, range(30_000)))
    kept = hashing._kept.cache_info().currsize
    np.testing.assert_array_equal(embedder.embed_query(long), embedder.embed_query(long))
    assert hashing._kept.cache_info().currsize == kept
