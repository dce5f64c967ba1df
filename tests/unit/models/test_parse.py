"""Models from text forms and from whatever may stand for one."""

from __future__ import annotations

import asyncio

import pytest

from plait.errors import ConfigurationError
from plait.models import CallableModel, LanguageModel, as_model, parse_model


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.mark.parametrize(
    ("text", "name", "url"),
    [
        ("openai:gpt-4o-mini", "gpt-4o-mini", "https://api.openai.com/v1"),
        (" ollama:llama3.2:3b ", "llama3.2:3b", "http://localhost:11434/v1"),
        ("ollama:qwen3@http://gpu:11434/v1", "qwen3", "http://gpu:11434/v1"),
        ("openai:@cf/llama@https://ai.example/v1", "@cf/llama", "https://ai.example/v1"),
        ("openai(model='m', base_url='http://h/v1', retries=0)", "m", "http://h/v1"),
        ("ollama(model='m')", "m", "http://localhost:11434/v1"),
    ],
)
def test_text_forms(text, name, url):
    described = parse_model(text).describe()
    assert (described["name"], described["base_url"]) == (name, url)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not of the form"),
        ("gpt-4o-mini", "is not of the form"),
        ("claude", "unknown model 'claude', expected openai:MODEL"),
        ("mistral(model='m')", "unknown model 'mistral'"),
        ("openai:", "expected the name of a model"),
        ("openai", "missing a required argument: 'model'"),
        ("openai(model='m', top_p=1)", "unexpected keyword argument 'top_p'"),
        ("openai(model='m', api_key='sk-very-secret-1')", "api_key, which would be shown"),
        (7, "text form is int"),
    ],
)
def test_other_forms(text, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        parse_model(text)
    assert "very-secret" not in str(caught.value)


class TestAsModel:
    def test_a_model_stays_itself(self):
        model = CallableModel(lambda prompt: "a")
        assert as_model(model) is model

    def test_text_is_parsed(self):
        assert as_model("ollama:llama3.2").name == "llama3.2"

    def test_a_callable(self):
        assert as_model(lambda prompt: f"<{prompt}>").complete("a") == "<a>"

    def test_an_object_with_complete(self):
        class Mine:
            name = "mine"

            def complete(self, prompt, *, system=None):
                return f"{system}|{prompt}"

        model = as_model(Mine())
        assert isinstance(model, LanguageModel)
        assert (model.name, model.complete("a", system="s")) == ("mine", "s|a")

    def test_an_object_whose_complete_is_async(self):
        class Mine:
            async def complete(self, prompt):
                return f"<{prompt}>"

        model = as_model(Mine())
        assert (model.name, model.complete("a")) == ("Mine", "<a>")
        assert asyncio.run(model.acomplete("a")) == "<a>"

    def test_acomplete_is_preferred(self):
        class Mine:
            def complete(self, prompt):
                return "sync"

            async def acomplete(self, prompt):
                return "async"

        assert as_model(Mine()).complete("a") == "async"

    @pytest.mark.parametrize("source", [None, 7, object(), CallableModel, ["a"]])
    def test_anything_else_is_refused(self, source):
        with pytest.raises(ConfigurationError, match=r"the model is .*, expected a LanguageModel"):
            as_model(source)
