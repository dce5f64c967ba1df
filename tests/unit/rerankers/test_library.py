"""RerankersAdapter with the library itself: its value types, its base class, its services."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plait.errors import ConfigurationError, ContractError, StageError
from plait.rerankers import RerankersAdapter, Reranking
from plait.types import Chunk, Hit

pytest.importorskip("rerankers")

from rerankers import Document, Reranker
from rerankers.models.ranker import BaseRanker
from rerankers.results import RankedResults, Result
from rerankers.utils import prep_docs


class Pointwise(BaseRanker):
    """Scores by length, as the library's own models build their results."""

    def __init__(self, model_name_or_path="pointwise", verbose=0):
        self.asked = []

    def score(self, query, doc):
        return float(len(doc))

    def rank(self, query, docs, doc_ids=None):
        self.asked.append((query, docs, doc_ids))
        scored = [(doc, self.score(query, doc.text)) for doc in prep_docs(docs, doc_ids)]
        scored.sort(key=lambda pair: pair[1], reverse=True)
        results = [Result(doc, score, rank) for rank, (doc, score) in enumerate(scored, start=1)]
        return RankedResults(results, query, has_scores=True)


class Listwise(BaseRanker):
    """Gives ranks and no scores, and finds a passage again by its text, as RankGPT does."""

    def __init__(self, model_name_or_path="listwise", verbose=0):
        pass

    def score(self, query, doc):
        raise NotImplementedError

    def rank(self, query, docs, doc_ids=None):
        prepared = prep_docs(docs, doc_ids)
        texts = sorted((doc.text for doc in prepared), reverse=True)
        found = [next(doc for doc in prepared if doc.text == text) for text in texts]
        results = [Result(doc, rank=rank) for rank, doc in enumerate(found, start=1)]
        return RankedResults(results[::-1], query)  # in any order: the rank decides


def hits(*texts):
    return [Hit(Chunk(text, id=f"{n}"), 1 / n, n) for n, text in enumerate(texts, start=1)]


def test_scores():
    model = Pointwise()
    ranked = RerankersAdapter(model).decide("why", hits("aa", "b", "cccc"))
    assert ranked == Reranking((2, 0, 1), (4.0, 2.0, 1.0), "Pointwise")
    assert model.asked == [("why", ["aa", "b", "cccc"], [0, 1, 2])]


def test_an_order_without_scores():
    ranked = RerankersAdapter(Listwise(), name="mine").decide("why", hits("a", "c", "b"))
    assert ranked == Reranking((1, 2, 0), (), "mine")


@pytest.mark.parametrize("model", [Pointwise(), Listwise()])
def test_passages_of_the_same_text_share_a_place(model):
    ranked = RerankersAdapter(model).decide("why", hits("a", "bb", "a", "bb"))
    assert ranked.order == (1, 3, 0, 2)
    assert ranked.scores[0] == ranked.scores[1]


def test_a_single_result_has_no_rank_in_the_library():
    class Single(Pointwise):
        def rank(self, query, docs, doc_ids=None):
            return RankedResults([Result(prep_docs(docs, doc_ids)[0], 0.5)], query, has_scores=True)

    ranked = RerankersAdapter(Single()).decide("why", hits("a", "b"))
    assert ranked == Reranking((0,), (0.5,), "Single")


class TestFailures:
    def failing(self, rank):
        return type("Broken", (Pointwise,), {"rank": rank})()

    def test_what_a_model_raises(self):
        def rank(self, query, docs, doc_ids=None):
            raise RuntimeError("out of memory")

        with pytest.raises(StageError, match="'Broken' failed on 2 passages: RuntimeError: out of"):
            RerankersAdapter(self.failing(rank)).decide("why", hits("a", "b"))

    def test_what_is_no_result(self):
        with pytest.raises(StageError, match="AttributeError"):
            RerankersAdapter(self.failing(lambda self, **_: "best: a")).decide("why", hits("a"))

    def test_a_passage_it_was_not_given(self):
        def rank(self, query, docs, doc_ids=None):
            return RankedResults([Result(Document("a", doc_id=7), 0.5, 1)], query, True)

        with pytest.raises(StageError, match="ranked a passage it was not given"):
            RerankersAdapter(self.failing(rank)).decide("why", hits("a"))

    def test_one_twice_and_a_score_that_is_none(self):
        def twice(self, query, docs, doc_ids=None):
            results = [Result(Document("a", doc_id=0), 0.5, rank) for rank in (1, 2)]
            return RankedResults(results, query, True)

        with pytest.raises(ContractError, match="more entries than its 1 chunks"):
            RerankersAdapter(self.failing(twice)).decide("why", hits("a"))
        with pytest.raises(ContractError, match="position 0 at place 2 is there twice"):
            RerankersAdapter(self.failing(twice)).decide("why", hits("a", "b"))

        def nan(self, query, docs, doc_ids=None):
            return RankedResults([Result(Document("a", doc_id=0), float("nan"), 1)], query, True)

        with pytest.raises(ContractError, match="score nan at place 1"):
            RerankersAdapter(self.failing(nan)).decide("why", hits("a"))


class TestNames:
    def test_a_model_that_cannot_be_loaded_says_why_and_prints_nothing(self, capsys):
        pytest.importorskip("requests")
        reranker = RerankersAdapter("flashrank")
        with pytest.raises(ConfigurationError, match=r"cannot load 'flashrank': .*dependenc"):
            reranker.decide("why", hits("a"))
        assert capsys.readouterr().out == ""

    def test_an_unknown_type(self):
        with pytest.raises(ConfigurationError, match="cannot load 'm'"):
            RerankersAdapter("m", model_type="nothing").decide("why", hits("a"))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"model": None}, "which is None when a package is missing"),
            ({"model": ""}, "model is ''"),
            ({"model": Pointwise(), "model_type": "t5"}, "model_type: for the name of a model"),
            ({"model": Pointwise(), "lang": "de"}, "lang: for the name of a model"),
        ],
    )
    def test_bad_parameters(self, arguments, message):
        with pytest.raises(ConfigurationError, match=message):
            RerankersAdapter(**arguments)

    def test_it_is_described_without_options_that_may_hold_keys(self):
        reranker = RerankersAdapter("cohere", api_key="sk-secret", lang="en")
        assert reranker.describe() == {
            "type": "RerankersAdapter",
            "name": "cohere",
            "model": "cohere",
            "model_type": None,
        }


class Service(BaseHTTPRequestHandler):
    """A reranking service that likes the last passage best."""

    def do_POST(self):
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = range(len(payload["documents"]) - 1, -1, -1)
        results = [{"index": n, "relevance_score": n / 10, "document": {"text": ""}} for n in last]
        data = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def test_a_service_through_the_library():
    pytest.importorskip("requests")
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/rerank"
        by_name = RerankersAdapter("rerank-v3.5", model_type="cohere", api_key="k", url=url)
        loaded = Reranker("rerank-v3.5", model_type="cohere", api_key="k", url=url, verbose=0)
        for reranker in (by_name, RerankersAdapter(loaded)):
            ranked = reranker.decide("why", hits("a", "b", "c"))
            assert (ranked.order, ranked.scores) == ((2, 1, 0), (0.2, 0.1, 0.0))
        server.shutdown()
        thread.join(10)
