import pickle
import threading
import unicodedata

import pytest

from plait.errors import ConfigurationError
from plait.text import Analyzer, Span
from plait.text import analyzer as analyzer_module

PLAIN = Analyzer()
ENGLISH = Analyzer(language="en")


def finds(query, text, analyzer=PLAIN):
    """Whether a text has one of the terms that a query asks for."""
    return not set(analyzer.query_terms(query)).isdisjoint(analyzer.analyze(text).terms)


def shout(text):
    return [word + "!" for word in text.split()]


# What is indexed


@pytest.mark.parametrize(
    ("text", "terms", "length"),
    [
        ("", {}, 0),
        ("  \n\t", {}, 0),
        ("?!", {}, 0),
        ("cats purr, cats sleep", {"cats": 2, "purr": 1, "sleep": 1}, 4),
        ("Error E1042.", {"error": 1, "e1042": 1, "e": 1, "1042": 1}, 2),
        # The parts of one word count once in the length, and once at a position.
        ("get_user getUser", {"getuser": 2, "get": 2, "user": 2}, 2),
        ("foo-foo", {"foofoo": 1, "foo": 1}, 1),
        # Each character of an unspaced run is a position; its bigram stands there too.
        ("申请申", {"申": 2, "请": 1, "申请": 1, "请申": 1}, 3),
        ("申", {"申": 1}, 1),
        ("C语言", {"c": 1, "语": 1, "言": 1, "语言": 1}, 3),
    ],
)
def test_analyze(text, terms, length):
    analysis = PLAIN.analyze(text)
    assert analysis.terms == terms
    assert analysis.length == length


def test_stems_stand_in_the_place_of_words():
    analysis = ENGLISH.analyze("Running runs, the runner's get_names v1.2.3")
    assert analysis.terms == {
        "run": 2,
        "the": 1,  # stop words are indexed
        "runner": 1,
        "getnam": 1,
        "get": 1,
        "name": 1,
        "v1.2.3": 1,
        "v": 1,
        "1.2.3": 1,
    }
    assert analysis.length == 6


# What is asked


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("", ()),
        ("?!", ()),
        ("to be or not to be", ("to", "be", "or", "not", "to", "be")),
        ("E-1042", ("e1042", "1042")),
        ("C++", ("c++",)),
        ("C", ("c",)),
        ("getUserName", ("getusername", "get", "user", "name")),
        ("v1.2.3", ("v1.2.3", "1.2.3")),
        ("退款", ("退款",)),
        ("申请退款", ("申请", "请退", "退款")),
        ("猫", ("猫",)),
        ("猫 犬", ("猫", "犬")),
        ("用E1042申请", ("用", "e1042", "1042", "申请")),
        ("ที่นี่", ("ที่นี่",)),
    ],
)
def test_query_terms(query, terms):
    assert PLAIN.query_terms(query) == terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("how do I cancel the plans", ("cancel", "plan")),
        ("to be or not to be", ("to", "be", "or", "not", "to", "be")),  # nothing else is left
        ("The", ("the",)),
        ("don't you", ("dont", "don", "you")),
        ("the 退款", ("退款",)),
        ("state-of-the-art", ("stateoftheart", "state", "art")),
    ],
)
def test_stop_words_are_dropped_from_queries(query, terms):
    assert ENGLISH.query_terms(query) == terms


def test_only_the_stop_words_of_the_language_are_dropped():
    assert Analyzer(language="de").query_terms("the und") == ("the",)
    assert Analyzer(language="en").query_terms("the und") == ("und",)
    assert Analyzer(language="fr").query_terms("le the") == ("the",)


# What finds what


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("故乡", "举头望明月,低头思故乡"),
        ("退款", "申请退款流程"),
        ("款", "申请退款流程"),
        ("서울", "서울은 아름답다"),
        ("国際標準化", "国際標準化機構について"),
        ("ไทย", "ภาษาไทยง่าย"),
        ("𠮷野家", "𠮷野家で食べる"),
        ("𠮷", "𠮷野家"),
        ("한국어", unicodedata.normalize("NFD", "한국어는")),
        ("カフェ", "ｶﾌｪにいく"),
        ("cafe\u0301", "ein Café"),
        ("café", "cafe\u0301 noir"),
        ("résumé", "re\u0301sume\u0301"),
        ("STRASSE", "Straße"),
        ("strasse", "STRASSE"),
        ("Москва", "в МОСКВА."),
        ("हिन्दी", "यह हिन्दी है"),
        ("E1042", "Error E1042."),
        ("e1042", "Error E1042."),
        ("error", "Error E1042."),
        ("E-1042", "code E1042"),
        ("E1042", "(E-1042)"),
        ("1042", "E1042"),
        ("Ｅ１０４２", "E1042"),
        ("C++", "C++, C#"),
        ("c++", "modern C++17 code"),
        ("C#", "C++, C#"),
        ("R", "C 语言 R"),
        ("C", "C 语言 R"),
        ("x", "solve for x"),
        ("user_id", "the user_id column"),
        ("user id", "user_id"),
        ("userId", "user_id"),
        ("getUserName", "call getUserName()"),
        ("username", "getUserName"[3:]),
        ("name", "getUserName"),
        ("v1.2.3", "since v1.2.3."),
        ("1.2.3", "v1.2.3"),
        ("v1.2.3", "version 1.2.3"),
        ("node.js", "NodeJS"),
        ("nodejs", "node.js"),
        ("art", "state-of-the-art"),
        ("user", "the user's guide"),
        ("user", "the user’s guide"),
        ("cooperate", "co\u00adoperate"),
        ("linux", "LINUX™"),
        ("python", "python3"),
    ],
)
def test_finds(query, text):
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("E-9999", "E-1042"),
        ("E9999", "E1042"),
        ("C++", "C"),
        ("C#", "C++"),
        ("退货", "申请退款流程"),
        ("国際標準化", "退款流程"),
        ("हिन्दी", "ह न द"),
        ("1.5", "15"),
        ("1.2.4", "v1.2.3"),
        ("cafe", "café"),
        ("cat", "concatenate"),
    ],
)
def test_does_not_find(query, text):
    assert not finds(query, text)


def test_accents_are_folded_on_both_sides():
    fold = Analyzer(fold_accents=True)
    assert finds("cafe", "café", fold)
    assert finds("café", "cafe", fold)
    assert not finds("हिन्द", "हिन्दी", fold)
    french = Analyzer(language="fr", fold_accents=True)
    assert french.query_terms("à la maison") == ("maison",)


def test_stems_meet():
    assert finds("cancelling plans", "cancel a plan", ENGLISH)
    assert not finds("cancelling plans", "cancel a plan", PLAIN)


# Tokenizers


def test_a_tokenizer_by_name():
    analyzer = Analyzer(tokenizer="whitespace")
    assert analyzer.analyze("Error E1042. 申请").terms == {"error": 1, "e1042.": 1, "申请": 1}
    assert analyzer.analyze("a  b\nc").length == 3
    assert analyzer.query_terms("E1042.  to TO") == ("e1042.", "to", "to")


def test_a_tokenizer_as_callable():
    analyzer = Analyzer(tokenizer=lambda text: text.split("|"))
    assert analyzer.analyze("New York|ＮＥＷ York||x").terms == {"new york": 2, "x": 1}
    assert analyzer.analyze("New York|  |x").length == 2
    assert finds("x|new york", "a|New York", analyzer)


def test_a_tokenizer_with_a_language():
    analyzer = Analyzer(language="en", tokenizer=str.split)
    assert analyzer.analyze("The running E1042s").terms == {"the": 1, "run": 1, "e1042s": 1}
    assert analyzer.query_terms("the running") == ("run",)


@pytest.mark.parametrize("wrong", ["words", "", 3, ["a"], object()])
def test_a_tokenizer_is_a_callable_or_a_name(wrong):
    with pytest.raises(ConfigurationError, match="expected a callable from str to a list of str"):
        Analyzer(tokenizer=wrong)


def test_a_tokenizer_that_gives_something_else_is_refused_when_used():
    analyzer = Analyzer(tokenizer=lambda text: text)
    with pytest.raises(ConfigurationError, match="returned 'text', expected a list of str"):
        analyzer.analyze("text")
    with pytest.raises(ConfigurationError, match="returned 'text', expected a list of str"):
        analyzer.query_terms("text")


@pytest.mark.parametrize("wrong", [1, None, "yes"])
def test_fold_accents_is_a_bool(wrong):
    with pytest.raises(ConfigurationError, match="fold_accents"):
        Analyzer(fold_accents=wrong)


# Places


def test_spans():
    assert list(PLAIN.spans("see E1042!")) == [
        Span(0, 3, ("see",)),
        Span(4, 9, ("e1042", "e", "1042")),
    ]
    assert list(PLAIN.spans("申请,退")) == [
        Span(0, 1, ("申",)),
        Span(0, 2, ("申请",)),
        Span(1, 2, ("请",)),
        Span(3, 4, ("退",)),
    ]
    assert list(PLAIN.spans("")) == []


def test_spans_of_wanted_terms_alone():
    text = "see E1042 and 申请退款"
    wanted = {"1042", "退款", "款"}
    assert list(PLAIN.spans(text, wanted)) == [
        Span(4, 9, ("e1042", "e", "1042")),
        Span(16, 18, ("退款",)),
        Span(17, 18, ("款",)),
    ]
    assert list(PLAIN.spans(text, set())) == []


def test_spans_are_of_the_original_text():
    text = "ﬁx «Ｅ１０４２» cafe\u0301"
    assert [text[start:end] for start, end, _ in PLAIN.spans(text)] == [
        "ﬁx",
        "Ｅ１０４２",
        "cafe\u0301",
    ]


def test_spans_of_a_tokenizer():
    assert list(Analyzer(tokenizer=str.split).spans("To be")) == [
        Span(0, 2, ("to",)),
        Span(3, 5, ("be",)),
    ]


# Identity


@pytest.mark.parametrize(
    ("analyzer", "text"),
    [
        (Analyzer(), "analyzer"),
        (Analyzer(language="English"), "analyzer(language='en')"),
        (
            Analyzer(language="de", fold_accents=True, tokenizer="whitespace"),
            "analyzer(language='de', fold_accents=True, tokenizer='whitespace')",
        ),
    ],
)
def test_text_form_round_trip(analyzer, text):
    assert str(analyzer) == text
    assert Analyzer.parse(text) == analyzer
    assert Analyzer.parse(text).fingerprint == analyzer.fingerprint


def test_a_callable_is_named_and_must_be_given_again():
    analyzer = Analyzer(tokenizer=shout)
    text = str(analyzer)
    assert text.startswith("analyzer(tokenizer='callable:")
    assert text.endswith(".shout')")
    assert Analyzer.parse(text, tokenizer=shout) == analyzer
    with pytest.raises(ConfigurationError, match="pass it again as tokenizer="):
        Analyzer.parse(text)
    with pytest.raises(ConfigurationError, match="which names none"):
        Analyzer.parse("analyzer", tokenizer=shout)


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "en",
        "c++",
        "hash(dim=3)",
        "analyzer(",
        "analyzer('en')",
        "analyzer(lang='en')",
        "analyzer(**{})",
    ],
)
def test_other_text_is_refused(wrong):
    with pytest.raises(ConfigurationError, match=r"such as \"analyzer\(language='en'\)\"$"):
        Analyzer.parse(wrong)


def test_fingerprints_tell_analyzers_apart():
    different = [
        Analyzer(),
        Analyzer(fold_accents=True),
        Analyzer(language="en"),
        Analyzer(language="de"),
        Analyzer(tokenizer="whitespace"),
        Analyzer(tokenizer=shout),
    ]
    assert len({analyzer.fingerprint for analyzer in different}) == len(different)
    assert Analyzer(tokenizer=str.split).fingerprint == different[4].fingerprint


def test_analyzers_are_values():
    assert Analyzer(language="en") == Analyzer(language="english") != Analyzer()
    assert hash(Analyzer()) == hash(Analyzer())
    copy = pickle.loads(pickle.dumps(ENGLISH))
    assert copy == ENGLISH
    assert copy.analyze("running") == ENGLISH.analyze("running")
    with pytest.raises(AttributeError):
        PLAIN.language = "de"


def test_the_cache_of_words_is_bounded(monkeypatch):
    monkeypatch.setattr(analyzer_module, "_CACHED_WORDS", 3)
    analyzer = Analyzer()
    for number in range(10):
        assert f"w{number}" in analyzer.analyze(f"W{number}").terms
        assert len(analyzer._indexed) <= 3
    long = "x" * 1000
    assert analyzer.analyze(long).terms == {long: 1}
    assert long not in analyzer._indexed


def test_one_analyzer_in_many_threads(monkeypatch):
    monkeypatch.setattr(analyzer_module, "_CACHED_WORDS", 5)
    analyzer = Analyzer(language="en")
    text = "Runners were running getUserName; v1.2.3 relations connected 申请退款 to E-1042"
    expected = Analyzer(language="en").analyze(text)
    wrong = []

    def work():
        for _ in range(100):
            if analyzer.analyze(text) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
