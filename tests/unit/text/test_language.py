import sys
import threading

import pytest

from plait.errors import ConfigurationError, MissingDependencyError
from plait.text.language import LANGUAGES, Stemmer, language_code, stop_words


@pytest.mark.parametrize(
    ("given", "code"), [("en", "en"), ("EN", "en"), ("English", "en"), (" german ", "de")]
)
def test_a_language_by_code_or_name(given, code):
    assert language_code(given) == code


@pytest.mark.parametrize("wrong", ["", "xx", "klingon", "ja", 3, None, True])
def test_unknown_languages_are_refused(wrong):
    with pytest.raises(ConfigurationError, match="expected one of ar, bg"):
        language_code(wrong)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_a_stemmer_or_stop_words(code):
    stem, words = Stemmer(code), stop_words(code)
    assert isinstance(stem("abc"), str)
    assert LANGUAGES[code].stemmer or words
    assert not [word for word in words if not word.strip() or " " in word]


def test_stemming():
    assert Stemmer("en")("running") == Stemmer("en")("runs") == "run"
    assert Stemmer("de")("häuser") == Stemmer("de")("haus")
    assert Stemmer("bg")("книги") == "книги"  # has none


def test_english_stop_words_are_function_words():
    words = stop_words("en")
    assert {"the", "to", "be", "or", "not", "was", "will", "don't", "you've"} <= words
    assert not {"computer", "http", "index", "shell", "test", "us-east", "c", "r", "x"} & words


def test_lists_are_folded_and_cleaned():
    assert "für" in stop_words("de")
    assert "altmış" in stop_words("tr")  # published as altmýþ
    assert "אבל" in stop_words("he")  # published as "אבל",
    assert "में" in stop_words("hi")
    assert "the" not in stop_words("de")
    assert stop_words("el") == frozenset()  # published: ancient Greek


def test_one_stemmer_in_many_threads():
    stem = Stemmer("en")
    words = [f"{root}{ending}" for root in ("run", "connect", "relat") for ending in ("s", "ing")]
    expected = [Stemmer("en")(word) for word in words]
    wrong = []
    start = threading.Barrier(8)

    def work():
        start.wait()
        for _ in range(300):
            if [stem(word) for word in words] != expected:
                wrong.append(threading.current_thread().name)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_each_thread_has_its_own_pystemmer(monkeypatch):
    made = []

    class Recorder:
        def __init__(self, algorithm, cache):
            made.append(threading.current_thread())

        def stemWord(self, word):  # noqa: N802
            return word

    monkeypatch.setattr("Stemmer.Stemmer", Recorder)
    stem = Stemmer("en")
    stem("a"), stem("b")
    other = threading.Thread(target=stem, args=("a",))
    other.start()
    other.join()
    assert made == [threading.current_thread(), other]


def test_without_pystemmer(monkeypatch):
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[language\]'"):
        Stemmer("en")


def test_with_an_old_pystemmer(monkeypatch):
    monkeypatch.setattr("Stemmer.algorithms", lambda: ["english"])
    with pytest.raises(ConfigurationError, match="no stemmer for language='pl'"):
        Stemmer("pl")


def test_without_the_package_of_stop_words(monkeypatch):
    monkeypatch.setitem(sys.modules, "stop_words", None)
    stop_words.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[language\]'"):
        stop_words("de")
    assert "the" in stop_words("en")
