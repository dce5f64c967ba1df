"""What the analyzer promises for any text."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from plait.text import Analyzer
from plait.text.snippets import find_snippet

PLAIN = Analyzer()
ANALYZERS = st.sampled_from(
    [
        PLAIN,
        Analyzer(fold_accents=True),
        Analyzer(language="en"),
        Analyzer(tokenizer="whitespace"),
    ]
)

# Words, signs and spaces of many scripts, with what normalization changes.
ALPHABET = (
    "abEX09 .-_'’+#&\n"
    "éßİﬁＡ１½™\u00ad\u0301\u0308"
    "жЙصكِשׁहिन्दी்"
    "申请退款𠮷々かがｶﾞー서울ᄉ\u1165กิที่กา"
    "🎉\u200d\ufe0f€、"
)
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=40) | st.text(max_size=40)
CHARACTERS = st.lists(
    st.sampled_from([*"申请退款流程𠮷野家かーの서울은", "が", "ที่", "ภา", "နိုင်"]),
    min_size=1,
    max_size=12,
)

patient = settings(deadline=None)  # the first text of a kind compiles its patterns


@patient
@given(TEXTS, ANALYZERS)
def test_a_text_has_the_terms_that_it_asks_for(text, analyzer):
    assert set(analyzer.query_terms(text)) <= set(analyzer.analyze(text).terms)


@patient
@given(TEXTS, ANALYZERS)
def test_length_counts_positions(text, analyzer):
    analysis = analyzer.analyze(text)
    assert bool(analysis.terms) == (analysis.length > 0)
    assert all(0 < tf <= analysis.length for tf in analysis.terms.values())
    assert analysis.length <= len(unicodedata.normalize("NFKC", text))
    assert "" not in analysis.terms


@patient
@given(TEXTS, ANALYZERS, st.sampled_from(["NFC", "NFD"]))
def test_composed_or_decomposed_is_the_same(text, analyzer, form):
    changed = unicodedata.normalize(form, text)
    assert analyzer.analyze(changed) == analyzer.analyze(text)
    assert analyzer.query_terms(changed) == analyzer.query_terms(text)


@patient
@given(st.lists(st.sampled_from(["straße", "café", "москва", "οδος", "ﬁlm", "cat"])))
def test_case_does_not_matter(words):
    text = " ".join(words)
    assert PLAIN.analyze(text.upper()) == PLAIN.analyze(text.title()) == PLAIN.analyze(text)


@patient
@given(TEXTS, TEXTS)
def test_texts_apart_are_analyzed_apart(one, other):
    both = PLAIN.analyze(f"{one} \n {other}")
    left, right = PLAIN.analyze(one), PLAIN.analyze(other)
    assert both.length == left.length + right.length
    assert both.terms == left.terms + right.terms


@patient
@given(CHARACTERS, st.data())
def test_what_stands_inside_an_unspaced_text_finds_it(characters, data):
    start = data.draw(st.integers(0, len(characters) - 1))
    end = data.draw(st.integers(start + 1, len(characters)))
    asked = PLAIN.query_terms("".join(characters[start:end]))
    assert asked
    assert set(asked) <= set(PLAIN.analyze("".join(characters)).terms)


@patient
@given(TEXTS, ANALYZERS)
def test_spans_stand_in_the_text(text, analyzer):
    spans = list(analyzer.spans(text))
    starts = [start for start, _, _ in spans]
    assert starts == sorted(starts)
    assert all(0 <= start < end <= len(text) for start, end, _ in spans)
    found = {term for _, _, terms in spans for term in terms}
    if analyzer.tokenizer is None and unicodedata.is_normalized("NFC", text):
        assert found == set(analyzer.analyze(text).terms)


@patient
@given(TEXTS, TEXTS, ANALYZERS, st.integers(1, 30))
def test_a_snippet_is_a_part_of_the_text(content, query, analyzer, width):
    snippet = find_snippet(content, query, analyzer, width=width)
    assert 0 <= snippet.start <= snippet.end <= len(content)
    assert snippet.end - snippet.start <= width
    place = snippet.start
    for start, end in snippet.spans:
        assert place <= start < end <= snippet.end
        place = end + 1
    matches = not set(analyzer.query_terms(query)).isdisjoint(
        term for _, _, terms in analyzer.spans(content) for term in terms
    )
    assert bool(snippet.spans) == matches
    marked = snippet.marked("\0", "\0", "\0").replace("\0", "")
    assert marked in content.replace("\0", "")


@patient
@given(TEXTS)
def test_every_text_form_reads_back(text):
    for analyzer in (PLAIN, Analyzer(language="de", tokenizer="whitespace", fold_accents=True)):
        again = Analyzer.parse(str(analyzer))
        assert again == analyzer
        assert again.analyze(text) == analyzer.analyze(text)


@given(
    st.lists(st.sampled_from(["E-1042 ", "ab ", "cd, ", "申请", "退 ", "ﬁt ", "a\u0301"])),
    st.data(),
)
def test_spans_of_wanted_terms_are_some_of_all(pieces, data):
    text = "".join(pieces)
    for analyzer in (Analyzer(), Analyzer(tokenizer="whitespace")):
        spans = list(analyzer.spans(text))
        terms = sorted({term for span in spans for term in span.terms})
        wanted = set(data.draw(st.lists(st.sampled_from(terms)))) if terms else {"x"}
        some = [span for span in spans if not wanted.isdisjoint(span.terms)]
        assert list(analyzer.spans(text, wanted)) == some
