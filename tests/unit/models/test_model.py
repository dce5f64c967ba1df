"""LanguageModel: one form written, the other derived."""

from __future__ import annotations

import asyncio

import pytest

from plait.errors import ConfigurationError
from plait.models import LanguageModel


class Sync(LanguageModel):
    def complete(self, prompt, *, system=None):
        return f"{system}|{prompt}"


class Async(LanguageModel):
    name = "async"

    async def acomplete(self, prompt, *, system=None):
        await asyncio.sleep(0)
        return f"{system}|{prompt}"


@pytest.mark.parametrize("model", [Sync(), Async()])
def test_both_forms_answer_alike(model):
    assert model.complete("why", system="brief") == "brief|why"
    assert asyncio.run(model.acomplete("why", system="brief")) == "brief|why"


def test_neither_written_is_refused():
    class Neither(LanguageModel):
        pass

    with pytest.raises(ConfigurationError, match="Neither has neither complete nor acomplete"):
        Neither().complete("why")
    with pytest.raises(ConfigurationError, match="writes one of them"):
        asyncio.run(Neither().acomplete("why"))


def test_description():
    assert Async().describe() == {"type": "Async", "name": "async"}
