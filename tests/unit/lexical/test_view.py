import math
from collections import Counter

import numpy as np
import pytest

from plait.filters import Filter
from plait.lexical import Bm25, LexicalIndex, LexicalView, MemoryTerms
from plait.lexical.bm25 import VARIANTS
from plait.table import ChunkTable
from plait.text import Analyzer

WORDS = Analyzer(tokenizer="whitespace")


def view(texts, bm25=None, analyzer=WORDS, dead=(), batch=None, metadata=None):
    """A view over texts by id; ``dead`` ids are removed, ``batch`` texts are added at a time."""
    table, index = ChunkTable(), LexicalIndex()
    names, size = list(texts), batch or len(texts)
    for start in range(0, len(names), max(size, 1)):
        some = names[start : start + size]
        table.add(some, [(metadata or {}).get(name, {}) for name in some])
        index = index.added(analyzer.analyze(texts[name]) for name in some)
    if dead:
        index = index.removed(table.remove(dead))
    return LexicalView((MemoryTerms(table.view(), index),), analyzer, bm25 or Bm25())


def f32(value):
    return float(np.float32(value))


TEXTS = {"a": "cat cat dog", "b": "dog bird", "c": "fish", "d": ""}


def test_scores_worked_out_by_hand():
    # N = 4, mean length = (3 + 2 + 1 + 0)/4 = 1.5; cat is in 1 chunk, dog in 2.
    ranking = view(TEXTS).rank("cat dog", top_k=10)
    cat = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    dog = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    long, short = 1.5 * (0.25 + 0.75 * (3 / 1.5)), 1.5 * (0.25 + 0.75 * (2 / 1.5))
    assert ranking.ids == ("a", "b")
    assert ranking.scores == (
        f32(cat * (2 / (2 + long)) + dog * (1 / (1 + long))),
        f32(dog * (1 / (1 + short))),
    )
    assert ranking.total == 2
    assert ranking.leg == "bm25"
    assert ranking.chunks == ()
    assert ranking.score_range == (0.0, None)


def test_a_repeated_query_term_counts_each_time():
    once = view(TEXTS).rank("bird", top_k=1).scores[0]
    thrice = view(TEXTS).rank("bird bird bird", top_k=1).scores[0]
    bird = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    share = 1 / (1 + 1.5 * (0.25 + 0.75 * (2 / 1.5)))
    assert once == f32(bird * share)
    assert thrice == f32(3 * bird * share)


@pytest.mark.parametrize("query", ["zzz", "zzz qqq", "", "cats", "?!"])
def test_no_shared_term_no_hit(query):
    ranking = view(TEXTS).rank(query, top_k=5)
    assert (ranking.ids, ranking.scores, ranking.total) == ((), (), 0)


@pytest.mark.parametrize("texts", [{}, {"a": ""}, {"a": "", "b": "  "}])
def test_nothing_to_find(texts):
    for variant in VARIANTS:
        assert view(texts, Bm25(variant=variant)).rank("cat", top_k=5).total == 0


def test_a_term_of_which_only_dead_rows_are_left():
    assert view(TEXTS, dead=["a"]).rank("cat", top_k=5).total == 0


def test_hits_are_decided_by_terms_and_not_by_scores():
    # Every chunk has the word: atire's idf is ln(2/2) = 0, robertson's is negative.
    texts = {"b": "cat", "a": "cat dog"}
    atire = view(texts, Bm25(variant="atire")).rank("cat", top_k=5)
    assert (atire.ids, atire.scores) == (("a", "b"), (0.0, 0.0))
    robertson = view(texts, Bm25(variant="robertson")).rank("cat", top_k=5)
    assert set(robertson.ids) == {"a", "b"}
    assert robertson.scores[1] < robertson.scores[0] < 0
    assert robertson.score_range == (None, None)


def test_okapi_floors_common_terms_by_the_mean_of_those_alive():
    texts = {"a": "cat", "b": "cat dog", "c": "cat bird", "x": "cat gone"}
    mean = ((math.log(0.5) - math.log(3.5)) + 2 * (math.log(2.5) - math.log(1.5))) / 3
    share = 2.5 * 1 / (1 + 1.5 * (0.25 + 0.75 * (1 / (5 / 3))))
    ranking = view(texts, Bm25(variant="okapi"), dead=["x"]).rank("cat", top_k=3)
    scores = dict(zip(ranking.ids, ranking.scores, strict=True))
    assert scores["a"] == pytest.approx(0.25 * mean * share, rel=1e-6)


def test_ties_stand_by_id_also_across_the_cut():
    texts = dict.fromkeys("dbeac", "same text") | {"z": "same text same"}
    ranking = view(texts, Bm25(b=0)).rank("same", top_k=3)
    assert ranking.ids == ("z", "a", "b")
    assert ranking.total == 6
    for top_k in range(1, 8):
        assert view(texts).rank("same", top_k=top_k).ids == ("z", "a", "b", "c", "d", "e")[:top_k]


def test_filters_apply_before_ranking():
    texts = {name: "cat " + "dog " * (ord(name) - 97) for name in "abcdef"}
    metadata = {name: {"odd": ord(name) % 2 == 1} for name in texts}
    over = view(texts, metadata=metadata, dead=["c"])
    odd = Filter.parse({"odd": True})
    ranking = over.rank("cat", top_k=1, filter=odd)
    assert (ranking.ids, ranking.total) == (("a",), 2)
    assert over.rank("cat", top_k=9, filter=odd).ids == ("a", "e")
    # A filter changes who is ranked and not the scores.
    everything = over.rank("cat", top_k=9)
    scores = dict(zip(everything.ids, everything.scores, strict=True))
    assert over.rank("cat", top_k=9, filter=odd).scores == (scores["a"], scores["e"])
    assert over.rank("cat", top_k=9, filter=Filter.parse({"odd": 1})).total == 0


def test_identical_chunks_score_the_same_in_any_segmentation():
    texts = {f"{number:02}": f"cat dog word{number % 5}" for number in range(40)}
    whole = view(texts).rank("cat word3 dog", top_k=40)
    for batch in (1, 7, 39):
        assert view(texts, batch=batch).rank("cat word3 dog", top_k=40) == whole
    by_score = Counter(whole.scores)
    assert by_score == {whole.scores[0]: 8, whole.scores[-1]: 32}


def test_weights_tell_how_rare_the_terms_are():
    weights = view(TEXTS, Bm25(variant="robertson"), dead=["c"]).weights("cat dog zzz fish")
    assert weights == {
        "cat": math.log(1 + (3 - 1 + 0.5) / (1 + 0.5)),
        "dog": math.log(1 + (3 - 2 + 0.5) / (2 + 0.5)),
    }


def plain(n, total):
    """How much a term tells that n of so many chunks have."""
    return math.log(1 + (total - n + 0.5) / (n + 0.5))


class TestCoverage:
    """The top score as a part of the highest that any text could get."""

    def test_worked_out_by_hand(self):
        # N = 4; cat is in 1 chunk, twice in a, which has 3 of 1.5 words; zebra is in none.
        share = 2 / (2 + 1.5 * (0.25 + 0.75 * (3 / 1.5)))
        cat, zebra = plain(1, 4), plain(0, 4)
        for query, expected in (
            ("cat", share),
            ("cat zebra", cat * share / (cat + zebra)),
            ("zebra cat zebra", cat * share / (cat + 2 * zebra)),
            ("cat cat zebra", 2 * cat * share / (2 * cat + zebra)),
        ):
            assert view(TEXTS).rank(query, top_k=5).coverage == pytest.approx(expected, rel=1e-6)

    def test_a_query_of_which_the_chunks_know_nothing(self):
        assert view(TEXTS).rank("zebra yak", top_k=5).coverage == 0.0
        for texts in ({}, {"a": ""}):
            assert view(texts).rank("cat", top_k=5).coverage == 0.0
        assert view(TEXTS, dead=["a"]).rank("cat", top_k=5).coverage == 0.0

    @pytest.mark.parametrize("query", ["", "   "])
    def test_without_terms_there_is_nothing_to_cover(self, query):
        assert view(TEXTS).rank(query, top_k=5).coverage is None

    def test_it_is_1_at_most_and_near_it_for_a_text_of_nothing_else(self):
        texts = {"a": "cat " * 10_000, "b": "dog"}
        assert 0.999 < view(texts, Bm25(b=0)).rank("cat", top_k=1).coverage < 1
        # k1 = 0 counts presence only: whoever has all terms has the highest score.
        assert view(TEXTS, Bm25(k1=0)).rank("cat dog", top_k=1).coverage == pytest.approx(1.0)

    def test_the_cut_does_not_show_and_the_filter_does(self):
        metadata = {name: {"name": name} for name in TEXTS}
        over = view(TEXTS, metadata=metadata)
        whole = over.rank("dog cat", top_k=5).coverage
        assert over.rank("dog cat", top_k=1).coverage == whole
        only = over.rank("dog cat", top_k=5, filter=Filter.parse({"name": "b"}))
        share = 1 / (1 + 1.5 * (0.25 + 0.75 * (2 / 1.5)))
        dog, cat = plain(2, 4), plain(1, 4)
        assert only.coverage == pytest.approx(dog * share / (dog + cat), rel=1e-6)
        assert only.coverage < whole
        assert over.rank("cat", top_k=5, filter=Filter.parse({"name": "b"})).coverage == 0.0

    def test_every_variant_is_measured_by_what_it_can_reach(self):
        # What frequency comes up to: 1; k1 + 1; k1 + 1; delta + k1 + 1.
        for name, peak in (
            ("lucene", 1.0),
            ("robertson", 1.0),
            ("atire", 2.5),
            ("bm25l", 2.5),
            ("bm25plus", 1 + 2.5),
            ("okapi", 2.5),
        ):
            bm25 = Bm25(variant=name)
            assert bm25.peak == pytest.approx(peak, abs=1e-9)
            ranking = view(TEXTS, bm25).rank("fish yak", top_k=1)
            expected = ranking.scores[0] / (peak * (plain(1, 4) + plain(0, 4)))
            assert 0 < ranking.coverage == pytest.approx(expected, rel=1e-6)
        # Scores below 0 say nothing, and one above the highest of Bm25() is all.
        common = {"a": "cat", "b": "cat dog"}
        assert view(common, Bm25(variant="robertson")).rank("cat", top_k=1).coverage == 0.0
        short = dict.fromkeys("abc", "cat " * 50)
        assert view(short, Bm25(variant="bm25plus", b=0)).rank("cat", top_k=1).coverage == 1.0

    def test_no_history_shows(self):
        texts = {"x": "cat zebra", **TEXTS, "y": "yak yak"}
        for batch in (None, 1, 2):
            changed = view(texts, dead=["x", "y"], batch=batch)
            for query in ("cat", "cat zebra", "dog yak fish"):
                fresh = view(TEXTS).rank(query, top_k=5)
                assert changed.rank(query, top_k=5).coverage == fresh.coverage
