"""HttpReranker against a real server on this machine."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plait.errors import ConfigurationError, ContractError, ServiceError, ServiceTimeoutError
from plait.rerankers import HttpReranker, Reranking, apply_reranking
from plait.types import Chunk, Hit

pytest.importorskip("httpx")

KEY = "sk-very-secret"


class Server(ThreadingHTTPServer):
    """Answers each request with what ``reply(path, payload)`` returns: (status, body, headers)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.lock = threading.Lock()
        self.reply = None

    def handle_error(self, request, client_address):
        """A client that gave up is no news."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, payload, dict(self.headers)))
            status, body, headers = self.server.reply(self.path, payload)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join(10)


def answering(body, status=200, **headers):
    return lambda path, payload: (status, body, headers)


def hits(*texts):
    return [
        Hit(Chunk(text, id=text or "blank"), 1 / (60 + rank), rank, "fusion")
        for rank, text in enumerate(texts, start=1)
    ]


class TestShapes:
    def test_cohere(self, server):
        results = [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]
        server.reply = answering({"id": "1", "results": results, "meta": {}})
        reranker = HttpReranker.cohere("rerank-v3.5", api_key=KEY, base_url=server.url)
        ranked = reranker.decide("why", hits("a", "b", "c"))
        assert ranked == Reranking((2, 0), (0.9, 0.2), "cohere:rerank-v3.5")
        ((path, payload, headers),) = server.requests
        assert path == "/v2/rerank"
        assert payload == {"model": "rerank-v3.5", "query": "why", "documents": ["a", "b", "c"]}
        assert headers["Authorization"] == f"Bearer {KEY}"

    def test_jina(self, server):
        results = [{"index": 1, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.1}]
        server.reply = answering({"model": "m", "results": results, "usage": {"total_tokens": 9}})
        ranked = HttpReranker.jina("m", base_url=server.url).decide("why", hits("a", "b"))
        assert ranked == Reranking((1, 0), (0.5, 0.1), "jina:m")
        ((path, payload, headers),) = server.requests
        assert path == "/v1/rerank"
        assert payload == {
            "model": "m",
            "query": "why",
            "documents": ["a", "b"],
            "return_documents": False,
        }
        assert "Authorization" not in headers

    def test_tei(self, server):
        server.reply = answering([{"index": 1, "score": 4.5}, {"index": 0, "score": -2}])
        ranked = HttpReranker.tei(server.url, raw_scores=True).decide("why", hits("a", "b"))
        assert ranked == Reranking((1, 0), (4.5, -2.0), "tei")
        ((path, payload, _),) = server.requests
        assert path == "/rerank"
        assert payload == {
            "query": "why",
            "texts": ["a", "b"],
            "raw_scores": True,
            "return_text": False,
            "truncate": True,
        }

    def test_title_and_section_are_sent_too(self, server):
        server.reply = answering([{"index": 0, "score": 1.0}])
        chunk = Chunk("Within 14 days.", title="Refunds", section="Billing")
        HttpReranker.tei(server.url).decide("why", [Hit(chunk, None, 1)])
        assert server.requests[0][1]["texts"] == ["Refunds\nBilling\nWithin 14 days."]


class TestOrder:
    def test_the_services_order_is_final(self, server):
        # A service may order by more than the score it shows.
        server.reply = answering([{"index": 0, "score": 0.1}, {"index": 1, "score": 0.9}])
        given = hits("a", "b", "c")
        ranked = HttpReranker.tei(server.url).decide("why", given)
        after = apply_reranking(given, ranked)
        assert [(hit.chunk.id, hit.rerank_score) for hit in after] == [
            ("a", 0.1),
            ("b", 0.9),
            ("c", None),
        ]

    def test_from_async_code(self, server):
        server.reply = answering([{"index": 0, "score": 0.1}])
        reranker = HttpReranker.tei(server.url)

        async def twice():
            return await asyncio.gather(*(reranker.adecide(q, hits("a")) for q in ("one", "two")))

        assert [ranked.order for ranked in asyncio.run(twice())] == [(0,), (0,)]
        assert {payload["query"] for _, payload, _ in server.requests} == {"one", "two"}

    def test_more_passages_than_one_request_may_hold(self, server):
        def by_length(path, payload):
            texts = payload["texts"]
            assert len(texts) <= 2
            scored = [{"index": n, "score": float(len(text))} for n, text in enumerate(texts)]
            return 200, sorted(scored, key=lambda each: -each["score"]), {}

        server.reply = by_length
        reranker = HttpReranker.tei(server.url, batch_size=2)
        ranked = reranker.decide("why", hits("xx", "xxxxx", "x", "xxxx", "xx"))
        assert ranked.order == (1, 3, 0, 4, 2)
        assert ranked.scores == (5.0, 4.0, 2.0, 2.0, 1.0)
        assert sorted(len(payload["texts"]) for _, payload, _ in server.requests) == [1, 2, 2]

    def test_blank_passages_are_not_sent_and_not_scored(self, server):
        server.reply = answering([{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}])
        ranked = HttpReranker.tei(server.url).decide("why", hits("a", " ", "c"))
        assert ranked == Reranking((2, 0), (0.9, 0.1), "tei")
        assert server.requests[0][1]["texts"] == ["a", "c"]

    def test_nothing_to_send(self, server):
        assert HttpReranker.tei(server.url).decide("why", hits("", "  ")).order == ()
        assert server.requests == []


class TestAnswers:
    @pytest.mark.parametrize(
        ("results", "said"),
        [
            ([{"index": 2, "score": 0.5}], "position 2 at place 1 of 2 chunks"),
            ([{"index": -1, "score": 0.5}], "position -1 at place 1"),
            ([{"index": 0, "score": 0.5}] * 2, "position 0 at place 2 is there twice"),
            ([{"index": "0", "score": 0.5}], "position '0' at place 1"),
            ([{"index": 0, "score": True}], "score True at place 1"),
            ([{"index": 0, "score": "high"}], "score 'high' at place 1"),
            ([{"index": n, "score": 0.5} for n in (0, 1, 0)], "more entries than its 2 chunks"),
        ],
    )
    def test_results_that_are_none(self, server, results, said):
        server.reply = answering(results)
        with pytest.raises(ContractError, match="reranker 'tei'") as caught:
            HttpReranker.tei(server.url).decide("why", hits("a", "b"))
        assert said in str(caught.value)

    def test_an_index_is_checked_in_its_own_batch(self, server):
        server.reply = answering([{"index": 1, "score": 0.5}])
        with pytest.raises(ContractError, match="position 1 at place 1 of 1 chunks"):
            HttpReranker.tei(server.url, batch_size=1).decide("why", hits("a", "b"))

    @pytest.mark.parametrize(
        "answer", [{"data": []}, {"results": None}, {"results": [{"index": 0}]}, [1], "fine", None]
    )
    def test_another_shape(self, server, answer):
        server.reply = answering(answer)
        reranker = HttpReranker.cohere("m", base_url=server.url)
        with pytest.raises(ServiceError, match="expected results: a list of objects with index"):
            reranker.decide("why", hits("a"))

    def test_malformed_json(self, server):
        server.reply = answering(b'[{"index": 0, "sco')
        with pytest.raises(ServiceError, match="reranker tei"):
            HttpReranker.tei(server.url).decide("why", hits("a"))


class TestFailures:
    def test_too_many_requests_are_tried_again(self, server):
        slow_down = (429, {"error": "slow down"}, {"Retry-After": "0"})
        replies = iter([slow_down, (200, [{"index": 0, "score": 1.0}], {})])
        server.reply = lambda path, payload: next(replies)
        assert HttpReranker.tei(server.url).decide("why", hits("a")).scores == (1.0,)
        assert len(server.requests) == 2

    def test_a_refusal_says_what_the_service_says_without_the_key(self, server):
        server.reply = answering({"message": f"invalid api token {KEY}"}, status=401)
        reranker = HttpReranker.cohere("m", api_key=KEY, base_url=server.url)
        with pytest.raises(ServiceError, match="invalid api token") as caught:
            reranker.decide("why", hits("a"))
        assert (caught.value.status, caught.value.transient) == (401, False)
        assert KEY not in str(caught.value)

    def test_one_failing_batch_fails_the_whole(self, server):
        def picky(path, payload):
            if payload["texts"] == ["b"]:
                return 422, {"error": "no b"}, {}
            return 200, [{"index": 0, "score": 1.0}], {}

        server.reply = picky
        with pytest.raises(ServiceError, match="no b"):
            HttpReranker.tei(server.url, batch_size=1).decide("why", hits("a", "b", "c"))

    def test_a_server_that_is_too_slow(self, server):
        done = threading.Event()

        def slow(path, payload):
            done.wait(30)
            return 200, [], {}

        server.reply = slow
        with pytest.raises(ServiceTimeoutError):
            HttpReranker.tei(server.url, timeout=0.05, retries=0).decide("why", hits("a"))
        done.set()

    def test_nobody_there(self):
        with Server() as made:
            url = made.url
        with pytest.raises(ServiceError, match="cannot be reached"):
            HttpReranker.tei(url, retries=0).decide("why", hits("a"))


class TestKeys:
    @pytest.fixture(autouse=True)
    def no_keys(self, monkeypatch):
        for name in ("CO_API_KEY", "COHERE_API_KEY", "JINA_API_KEY"):
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize(
        ("make", "variable"),
        [(HttpReranker.cohere, "CO_API_KEY"), (HttpReranker.jina, "JINA_API_KEY")],
    )
    def test_the_own_service_needs_one(self, monkeypatch, make, variable):
        with pytest.raises(ConfigurationError, match=f"needs a key: set {variable}"):
            make("m")
        monkeypatch.setenv(variable, f"{KEY}\n")
        described = make("m").describe()
        assert described["base_url"].startswith("https://api.")
        assert KEY not in json.dumps(described)
        assert KEY not in repr(make("m")) + str(vars(make("m")))

    def test_coheres_other_variable(self, monkeypatch):
        monkeypatch.setenv("COHERE_API_KEY", KEY)
        assert HttpReranker.cohere("m").name == "cohere:m"

    def test_a_key_of_the_environment_is_not_sent_elsewhere(self, server, monkeypatch):
        monkeypatch.setenv("CO_API_KEY", KEY)
        monkeypatch.setenv("JINA_API_KEY", KEY)
        server.reply = answering({"results": [{"index": 0, "relevance_score": 1.0}]})
        for make in (HttpReranker.cohere, HttpReranker.jina):
            make("m", base_url=server.url).decide("why", hits("a"))
        assert all("Authorization" not in headers for _, _, headers in server.requests)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": " "}, "model is ' '"),
        ({"batch_size": 0}, "batch_size is 0, expected an int >= 1, or None"),
        ({"api_key": ""}, "api_key is blank"),
        ({"timeout": 0}, "timeout"),
        ({"api": "cohere"}, "api is 'cohere', expected a RerankApi"),
        ({"base_url": "localhost"}, "base_url"),
    ],
)
def test_bad_parameters_are_refused_when_it_is_built(options, message):
    good = {"api": HttpReranker.tei("http://localhost").api, "base_url": "http://localhost"}
    with pytest.raises(ConfigurationError, match=message):
        HttpReranker(**{**good, **options})


def test_it_is_described_without_its_key():
    reranker = HttpReranker.tei("http://localhost:8080", api_key=KEY, name="mine")
    assert reranker.describe() == {
        "type": "HttpReranker",
        "name": "mine",
        "api": "tei",
        "model": None,
        "batch_size": 32,
        "raw_scores": False,
        "return_text": False,
        "truncate": True,
        "base_url": "http://localhost:8080",
        "timeout": 10.0,
        "retries": 2,
    }
