"""OpenAIModel against a real server: what it sends, which answers it takes, where the key goes."""

from __future__ import annotations

import asyncio
import logging

import pytest

from plait.errors import ConfigurationError, ModelError, ServiceError, ServiceTimeoutError
from plait.models import OpenAIModel

KEY = "sk-very-secret-1"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def model(web):
    return OpenAIModel("tiny", base_url=f"{web.url}/v1", api_key=KEY, retries=0, timeout=20.0)


def answer(content="42", reason="stop", **message):
    said = {"role": "assistant", "content": content, **message}
    return {"choices": [{"index": 0, "message": said, "finish_reason": reason}]}


class TestRequest:
    def test_what_is_sent(self, web, model):
        web.answers(answer("Because."))
        assert model.complete("why?", system="be brief") == "Because."
        (request,) = web.requests
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.json == {
            "model": "tiny",
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "why?"},
            ],
            "temperature": 0.0,
        }

    def test_without_system_there_is_only_the_prompt(self, web, model):
        web.answers(answer())
        model.complete("why?")
        assert web.requests[0].json["messages"] == [{"role": "user", "content": "why?"}]

    def test_settings(self, web):
        web.answers(answer())
        OpenAIModel(
            "tiny",
            base_url=web.url,
            temperature=None,
            max_tokens=50,
            extra={"seed": 7},
            headers={"X-Team": "search"},
        ).complete("?")
        sent = web.requests[0].json
        assert "temperature" not in sent
        assert (sent["max_tokens"], sent["seed"]) == (50, 7)
        assert web.requests[0].headers["x-team"] == "search"

    def test_async(self, web, model):
        web.answers(answer("Grüße 🎉"))
        assert asyncio.run(model.acomplete("why?")) == "Grüße 🎉"


class TestKey:
    def test_none_is_sent_to_a_service_that_was_given_none(self, web, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        web.answers(answer())
        OpenAIModel("tiny", base_url=web.url).complete("?")
        assert "authorization" not in web.requests[0].headers

    def test_the_environment_names_key_and_place_together(self, web, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
        monkeypatch.setenv("OPENAI_BASE_URL", web.url)
        web.answers(answer())
        OpenAIModel("tiny").complete("?")
        assert web.requests[0].headers["authorization"] == f"Bearer {KEY}"

    def test_another_variable(self, web, monkeypatch):
        monkeypatch.setenv("MY_KEY", KEY)
        web.answers(answer())
        OpenAIModel("tiny", base_url=web.url, api_key_env="MY_KEY").complete("?")
        assert web.requests[0].headers["authorization"] == f"Bearer {KEY}"

    def test_a_variable_that_is_not_set(self, web):
        with pytest.raises(ConfigurationError, match="has no MY_KEY, which api_key_env names"):
            OpenAIModel("tiny", base_url=web.url, api_key_env="MY_KEY")

    def test_openai_needs_one(self, monkeypatch):
        with pytest.raises(ConfigurationError, match="set OPENAI_API_KEY in the environment"):
            OpenAIModel("gpt-4o-mini")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert OpenAIModel("gpt-4o-mini").describe()["base_url"] == "https://api.openai.com/v1"

    @pytest.mark.parametrize("key", ["", " ", 7])
    def test_a_blank_key_is_a_mistake(self, key):
        with pytest.raises(ConfigurationError, match="api_key is blank or not a str"):
            OpenAIModel("tiny", base_url="http://localhost", api_key=key)

    @pytest.mark.parametrize(
        ("given", "told"),
        [({}, True), ({"api_key": KEY}, False), ({"headers": {"X-Key": "k"}}, False)],
    )
    def test_a_service_that_wants_one_which_it_was_not_sent(
        self, web, reply, monkeypatch, given, told
    ):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        web.answers(reply({"error": {"message": "key?"}}, 401))
        with pytest.raises(ServiceError) as caught:
            OpenAIModel("tiny", base_url=web.url, **given).complete("?")
        assert caught.value.status == 401
        assert "answered 401 Unauthorized: key?; check the API key" in str(caught.value)
        assert ("no key was sent" in str(caught.value)) is told
        assert ("set OPENAI_BASE_URL instead of base_url" in str(caught.value)) is told

    def test_it_is_shown_nowhere(self, web, model, reply):
        web.answers(reply({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401))
        with pytest.raises(ServiceError) as caught:
            model.complete("?")
        assert "Incorrect API key provided: ***; check the API key" in str(caught.value)
        assert KEY not in f"{caught.value!r}{model!r}{model.describe()}{vars(model)}"


class TestAnswers:
    def test_parts_are_joined(self, web, model):
        parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
        web.answers(answer(parts))
        assert model.complete("?") == "ab"

    def test_reasoning_is_left_out(self, web, model):
        web.answers(answer("<think>hm</think>42", reasoning_content="hm"))
        assert model.complete("?") == "42"

    def test_a_refusal(self, web, model):
        web.answers(answer(None, refusal="I cannot."))
        with pytest.raises(ModelError, match=r"model 'tiny' refused: I cannot\."):
            model.complete("?")

    def test_a_filtered_answer(self, web, model):
        web.answers(answer("hal", "content_filter"))
        with pytest.raises(ModelError, match="refused: its answer was filtered"):
            model.complete("?")

    @pytest.mark.parametrize("content", [None, "", "  \n", []])
    def test_an_empty_answer(self, web, model, content):
        web.answers(answer(content))
        with pytest.raises(ModelError, match="model 'tiny' answered with nothing"):
            model.complete("?")

    def test_an_answer_that_was_cut_short_is_told_in_the_log(self, web, model, caplog):
        web.answers(answer("a begin", "length"))
        with caplog.at_level(logging.WARNING, "plait"):
            assert model.complete("?") == "a begin"
        assert "the answer was cut short; see max_tokens" in caplog.text

    @pytest.mark.parametrize(
        "body",
        [
            None,
            [],
            "text",
            {},
            {"choices": []},
            {"choices": None},
            {"choices": [{}]},
            {"choices": [{"message": None}]},
            {"choices": [{"message": {"content": 7}}]},
            {"choices": [{"message": {"content": [{"type": "text"}]}}]},
            {"choices": {"0": 1}},
        ],
        ids=repr,
    )
    def test_another_shape(self, web, model, body):
        web.answers(body)
        with pytest.raises(ServiceError, match=r"expected choices\[0\].message.content"):
            model.complete("?")

    def test_an_error_in_an_answer_of_status_200(self, web, model):
        web.answers({"error": {"message": "no credit left", "code": 402}})
        with pytest.raises(ServiceError, match="answered no credit left, expected"):
            model.complete("?")

    def test_an_unknown_model(self, web, model, reply):
        web.answers(reply({"error": {"message": "model 'tiny' not found"}}, 404))
        with pytest.raises(ServiceError, match="not found; check base_url and the name"):
            model.complete("?")

    def test_a_slow_service(self, web, reply):
        web.answers(reply(answer(), hold=True))
        with pytest.raises(ServiceTimeoutError, match=r"model tiny at .* within 0.05 s"):
            OpenAIModel("tiny", base_url=web.url, timeout=0.05).complete("?")


class TestUsage:
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"temperature": -1}, "temperature is -1"),
            ({"temperature": True}, "temperature is True"),
            ({"temperature": float("nan")}, "temperature is nan"),
            ({"max_tokens": 0}, "max_tokens is 0"),
            ({"extra": {"stream": True, "model": "x"}}, "extra holds model, stream"),
            ({"timeout": 0}, "timeout is 0"),
            ({"retries": -1}, "retries is -1"),
            ({"base_url": ""}, "base_url is ''"),
        ],
    )
    def test_bad_parameters(self, given, said):
        with pytest.raises(ConfigurationError, match=said):
            OpenAIModel("tiny", **{"base_url": "http://localhost", **given})

    @pytest.mark.parametrize("name", ["", " ", None])
    def test_a_model_without_a_name(self, name):
        with pytest.raises(ConfigurationError, match="expected the name of a model"):
            OpenAIModel(name, base_url="http://localhost")


def test_description(model, web):
    assert model.describe() == {
        "type": "openai",
        "name": "tiny",
        "temperature": 0.0,
        "base_url": f"{web.url}/v1",
        "timeout": 20.0,
        "retries": 0,
    }
