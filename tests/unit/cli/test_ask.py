"""plait ask: a context for a model, or a model's answer with citations."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


class Service:
    """A small server of the shape of OpenAI's chat completions."""

    def __init__(self) -> None:
        self.answer: object = "Under Settings, Billing [1]. See also [7]."
        self.status = 200
        self.asked: list[tuple[str, dict]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                outer.asked.append((self.path, json.loads(self.rfile.read(size))))
                body = outer.body()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def body(self) -> bytes:
        choice = {"message": {"content": self.answer}, "finish_reason": "stop"}
        return json.dumps({"choices": [choice]}).encode()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def service():
    running = Service()
    yield running
    running.close()


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PLAIT_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_model_the_context_is_printed(cli, kb: Path) -> None:
    shown = cli("ask", "how do I cancel my plan", "--in", kb, "--top-k", "2")
    assert shown.code == 0
    assert shown.out.startswith("[1] Cancel a plan, billing/cancel.md")
    assert "You can cancel your plan at any time under Settings, Billing." in shown.out
    assert shown.err.startswith("plait: no model is named, so this is the context for one;")
    assert "\x1b" not in shown.out


def test_the_context_keeps_its_budget(cli, kb: Path) -> None:
    values = cli("ask", "cancel", "--in", kb, "--budget", "30", "--json").json
    assert values["context"]["tokens"] <= 30
    left_out, found = len(values["context"]["skipped"]), len(values["hits"])
    assert left_out
    said = cli("ask", "cancel", "--in", kb, "--budget", "30").err.splitlines()[1]
    assert said == f"plait: {left_out} of {found} hits do not fit into 30 tokens; see --budget"
    assert values["trace"] is None


def test_an_answer_with_its_sources(cli, kb: Path, service: Service) -> None:
    shown = cli(
        "ask", "how do I", "cancel my plan", "--in", kb, "--model", "tiny",
        "--base-url", service.url,
    )  # fmt: skip
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0] == "Under Settings, Billing [1]. See also [7]."
    assert lines[2].startswith("[1] Cancel a plan, billing/cancel.md")
    assert len(lines) == 3
    assert shown.err == "plait: the answer cites [7], which the context does not have\n"
    ((path, payload),) = service.asked
    assert path == "/v1/chat/completions"
    assert payload["model"] == "tiny"
    assert payload["messages"][-1]["content"].endswith("Question: how do I cancel my plan")


def test_an_answer_as_json(cli, kb: Path, service: Service) -> None:
    values = cli(
        "ask", "cancel", "--in", kb, "--model", f"openai:tiny@{service.url}", "--json", "--trace"
    ).json
    assert values["schema"] == "plait.rag/1"
    assert values["answer"] == {
        "text": "Under Settings, Billing [1]. See also [7].",
        "cited": [1],
        "unknown": [7],
    }
    assert [stage["name"] for stage in values["trace"]["stages"]] == [
        "retrieve", "top", "context", "answer",
    ]  # fmt: skip


def test_the_model_from_the_environment(
    cli, kb: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAIT_MODEL", "tiny")
    monkeypatch.setenv("OPENAI_BASE_URL", service.url)
    shown = cli("ask", "cancel", "--in", kb)
    assert shown.code == 0, shown.err
    assert shown.out.startswith("Under Settings")


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_a_provider_before_a_name_at_another_place(
    cli, kb: Path, service: Service, provider: str
) -> None:
    shown = cli(
        "ask", "cancel", "--in", kb, "--model", f"{provider}:tiny:3b", "--base-url", service.url
    )
    assert shown.code == 0, shown.err
    assert service.asked[0][1]["model"] == "tiny:3b"


def test_an_answer_that_cites_nothing_is_told(cli, kb: Path, service: Service) -> None:
    service.answer = "No idea."
    shown = cli("ask", "cancel", "--in", kb, "--model", "tiny", "--base-url", service.url)
    assert (shown.out, shown.err) == ("No idea.\n", "plait: the answer cites nothing\n")


def test_planner_reranking_and_trace(cli, kb: Path, service: Service) -> None:
    service.answer = "stop my subscription"
    shown = cli(
        "ask", "cancel", "--in", kb, "--model", "tiny", "--base-url", service.url,
        "--planner", "rewrite", "--expand", "section", "--trace",
    )  # fmt: skip
    assert shown.code == 0, shown.err
    assert "variant rewrite, weight " in shown.out
    assert ": stop my subscription" in shown.out
    assert "retrieve  ok" in shown.out
    assert len(service.asked) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--base-url", "http://localhost:1/v1"], "name it with --model"),
        (["--model", "gpt-4o-mini"], "needs a key: set OPENAI_API_KEY"),
        (["--model", "nobody:x"], "'nobody:x'"),
        (
            ["--planner", "rewrite(weight=1)"],
            "rewrite(weight=1) asks a model; name it with --model",
        ),
        (["--planner", "nothing"], "unknown planner 'nothing'"),
        (["--rerank", "nothing:x"], "nothing:x"),
        (["--expand", "pages"], "unknown expansion"),
        (["--filter", "{"], "is not JSON"),
    ],
)
def test_wrong_usage(cli, kb: Path, arguments: list[str], said: str) -> None:
    shown = cli("ask", "cancel", "--in", kb, *arguments)
    assert shown.code == 2, shown
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_blank_question(cli, kb: Path) -> None:
    assert "the question is blank" in cli("ask", "  ", "--in", kb).err


def test_no_collection(cli, tmp_path: Path) -> None:
    shown = cli("ask", "cancel", "--in", tmp_path / "none")
    assert shown.code == 1
    assert "make one with: plait index" in shown.err


def test_a_service_that_fails(cli, kb: Path, service: Service) -> None:
    service.status = 401
    shown = cli("ask", "cancel", "--in", kb, "--model", "tiny", "--base-url", service.url)
    assert shown.code == 1
    assert "401" in shown.err
    assert shown.err.startswith("plait: ")
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_service_that_is_not_there(cli, kb: Path, service: Service) -> None:
    service.close()
    shown = cli("ask", "cancel", "--in", kb, "--model", "tiny", "--base-url", service.url)
    assert shown.code == 1
    assert service.url in shown.err


def test_a_planner_whose_model_fails_degrades_and_says_so(cli, kb: Path, service: Service) -> None:
    service.answer = None
    shown = cli(
        "ask", "cancel", "--in", kb, "--model", "tiny", "--base-url", service.url,
        "--planner", "rewrite",
    )  # fmt: skip
    assert shown.code == 1  # for the answer fails too
    assert "answered with nothing" in shown.err
