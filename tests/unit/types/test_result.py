from collections.abc import Sequence

from plait.types import Chunk, Hit, LegReport, SearchResult

HITS = tuple(Hit(Chunk(text, id=text), 1.0 / rank, rank) for rank, text in enumerate("abc", 1))


def test_a_result_is_a_sequence_of_hits() -> None:
    result = SearchResult(HITS)
    assert isinstance(result, Sequence)
    assert (len(result), result[0], result[-1], result[1:]) == (3, HITS[0], HITS[2], HITS[1:])
    assert list(result) == list(HITS)
    assert HITS[1] in result
    assert result.index(HITS[1]) == 1


def test_an_empty_result_is_false_and_not_degraded() -> None:
    result = SearchResult()
    assert not result
    assert list(result) == []
    assert (result.degraded, result.total, result.generation) == (False, 0, None)


def test_results_are_values() -> None:
    assert SearchResult(HITS) == SearchResult(HITS)
    assert hash(SearchResult(HITS)) == hash(SearchResult(HITS))
    assert SearchResult(HITS) != SearchResult(HITS, degraded=True)


def test_a_report_needs_only_name_and_status() -> None:
    report = LegReport("bm25", "empty")
    assert (report.elapsed_ms, report.count, report.error, report.notes) == (0.0, 0, None, ())


def test_explain_and_to_dict_are_those_of_the_module() -> None:
    assert "1. a" in SearchResult(HITS).explain()
    assert [hit["id"] for hit in SearchResult(HITS).to_dict()["hits"]] == ["a", "b", "c"]
