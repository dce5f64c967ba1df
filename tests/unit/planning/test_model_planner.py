"""What the planners that ask a model share: asking, falling back, saying so."""

from __future__ import annotations

import asyncio
import json
import logging
import threading

import numpy as np
import pytest

from plait.errors import ConfigurationError, MissingDependencyError, QueryError
from plait.models import LanguageModel
from plait.planning import Decompose, Hyde, MultiQuery, Prompt, Rewrite, StepBack
from plait.types import Query

PLANNERS = [Rewrite, MultiQuery, Hyde, Decompose, StepBack]
QUESTION = "is it down?"


def raising(error):
    def model(prompt):
        raise error

    return model


@pytest.fixture(params=PLANNERS, ids=lambda cls: cls.name)
def kind(request):
    return request.param


def names(planned):
    return [variant.name for variant in planned.variants]


class TestAsking:
    def test_sync_and_async_models_plan_sync_and_async(self, kind):
        async def amodel(prompt):
            await asyncio.sleep(0)
            return "status of the service"

        plans = []
        for model in (lambda prompt: "status of the service", amodel):
            plans.append(kind(model).plan(QUESTION))
            plans.append(asyncio.run(kind(model).aplan(QUESTION)))
        assert len(names(plans[0])) == 2
        assert all(plan == plans[0] for plan in plans)
        assert plans[0].calls == 1
        assert not plans[0].fell_back
        assert plans[0].notes == ()

    def test_the_model_is_told_question_conversation_and_task(self, kind):
        asked = []

        class Model(LanguageModel):
            def complete(self, prompt, *, system=None):
                asked.append((prompt, system))
                return "status"

        planner = kind(Model())
        planner.plan(QUESTION, [("user", "the billing service"), ("assistant", "What about it?")])
        ((prompt, system),) = asked
        assert f"The question: {QUESTION}" in prompt
        assert "user: the billing service\nassistant: What about it?\n" in prompt
        assert system == planner.default_prompt.system

    def test_a_prompt_of_ones_own(self, kind):
        asked = []
        for prompt in ("Zu {query}!", Prompt("Zu {query}!", system="Kurz.")):
            kind(lambda text: asked.append(text) or "status", prompt=prompt).plan(QUESTION)
        assert asked == [f"Zu {QUESTION}!", f"Kurz.\n\nZu {QUESTION}!"]

    def test_the_embedding_stays_with_the_question(self, kind):
        query = Query(QUESTION, np.array([1.0, 0.0]))
        planned = kind(lambda prompt: "status").plan(query)
        assert planned.variants[0].query is query
        assert planned.variants[1].query.embedding is None

    def test_weights(self, kind):
        planned = kind(lambda prompt: "status", weight=0.25, original_weight=2).plan(QUESTION)
        assert [variant.weight for variant in planned.variants] == [2, 0.25]

    def test_default_weights(self, kind):
        planned = kind(lambda prompt: "status").plan(QUESTION)
        assert [each.weight for each in planned.variants] == [1.0, 1.0 if kind is Rewrite else 0.5]


class TestFallingBack:
    def check(self, planned, reason, calls=1):
        assert names(planned) == ["original"]
        assert planned.variants[0].query.text == QUESTION
        assert planned.fell_back
        assert planned.calls == calls
        (note,) = planned.notes
        assert reason in note
        assert note.endswith("; the question is searched as it is")

    def test_the_model_raises(self, kind, caplog):
        with caplog.at_level(logging.WARNING, "plait"):
            planned = kind(raising(ConnectionError("backend down"))).plan(QUESTION)
        self.check(planned, "the model failed: ModelError: model 'model' raised ConnectionError")
        assert planned.notes[0].startswith(f"{kind.name}: ")
        assert "backend down" in planned.notes[0]
        assert planned.notes[0] in caplog.text

    def test_a_model_of_ones_own_raises(self, kind):
        class Model(LanguageModel):
            async def acomplete(self, prompt, *, system=None):
                raise TimeoutError("gave up")

        self.check(kind(Model()).plan(QUESTION), "the model failed: TimeoutError: gave up")

    def test_the_model_takes_too_long(self, kind):
        release = threading.Event()

        def slow(prompt):
            release.wait(30)
            return "late"

        async def aslow(prompt):
            await asyncio.sleep(30)

        reason = "the model gave no answer within 0.02 s"
        self.check(kind(slow, timeout=0.02).plan(QUESTION), reason)
        self.check(kind(aslow).plan(QUESTION, timeout=0.02), reason)
        self.check(asyncio.run(kind(aslow).aplan(QUESTION, timeout=0.02)), reason)
        release.set()

    def test_no_time_is_left(self, kind):
        planned = kind(raising(AssertionError)).plan(QUESTION, timeout=-0.5)
        self.check(planned, "no time was left to ask the model", calls=0)

    @pytest.mark.parametrize("answer", ["", "<think>hm", None, 7, ["a"]])
    def test_the_model_gives_no_text(self, kind, answer):
        class Model(LanguageModel):
            def complete(self, prompt, *, system=None):
                return answer

        self.check(kind(Model()).plan(QUESTION), "the model failed: ModelError: model 'model'")
        self.check(kind(lambda prompt: answer).plan(QUESTION), "the model failed: ModelError")

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            ("I'm sorry, but I can't help with that.", "left out 1 a refusal"),
            ("???", "left out 1 without words"),
            ("x" * 5_000, "characters"),
            ("[]", "nothing usable: '[]'"),
        ],
    )
    def test_the_model_writes_nonsense(self, kind, answer, reason):
        planned = kind(lambda prompt: answer).plan(QUESTION)
        self.check(planned, "the model wrote nothing usable")
        assert reason in planned.notes[0]
        assert len(planned.notes[0]) < 500

    def test_a_repeated_question_is_no_failure(self, kind):
        planned = kind(lambda prompt: f"  {QUESTION.upper()} ").plan(QUESTION)
        assert names(planned) == ["original"]
        assert planned.variants[0].weight == 1.0
        assert planned.notes == (f"{kind.name}: the model repeats the question",)
        assert (planned.fell_back, planned.calls) == (False, 1)

    def test_a_query_without_text(self, kind):
        query = Query(None, np.array([1.0]))
        planned = kind(raising(AssertionError)).plan(query)
        assert planned.variants[0].query is query
        assert (planned.fell_back, planned.calls) == (True, 0)
        assert "the query has no text" in planned.notes[0]


class TestErrors:
    def test_mistakes_of_the_caller_are_raised(self, kind):
        for error in (
            ConfigurationError("no key"),
            QueryError("no"),
            MissingDependencyError("httpx", extra="http", purpose="it"),
        ):
            with pytest.raises(type(error)):
                kind(raising(error)).plan(QUESTION)

    def test_an_interrupt_goes_through(self, kind):
        with pytest.raises(KeyboardInterrupt):
            kind(raising(KeyboardInterrupt())).plan(QUESTION)

    def test_cancelling_goes_through(self, kind):
        started = []

        async def slow(prompt):
            started.append(True)
            await asyncio.sleep(30)

        async def main():
            task = asyncio.create_task(kind(slow).aplan(QUESTION))
            while not started:
                await asyncio.sleep(0)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(main())

    def test_bad_questions_and_histories_before_the_model_is_asked(self, kind):
        planner = kind(raising(AssertionError))
        for arguments in ((" ",), (7,), (QUESTION, "turns"), (QUESTION, ["turn"])):
            with pytest.raises(QueryError):
                planner.plan(*arguments)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"weight": 0}, "weight of .* is 0, expected a finite number > 0"),
            ({"weight": float("nan")}, "weight of"),
            ({"original_weight": -1}, "original_weight of"),
            ({"original_weight": True}, "original_weight of"),
            ({"timeout": 0}, "timeout of"),
            ({"timeout": "5"}, "timeout of"),
            ({"prompt": "no question"}, "Prompt.text has the fields none"),
            ({"prompt": 7}, "prompt of .* is int"),
        ],
    )
    def test_bad_parameters(self, kind, given, said):
        with pytest.raises(ConfigurationError, match=said):
            kind(lambda prompt: "a", **given)

    def test_no_model(self, kind):
        with pytest.raises(ConfigurationError, match=f"planner {kind.name} has no model"):
            kind(None)
        with pytest.raises(ConfigurationError, match="the model is 7"):
            kind(7)

    def test_no_timeout_is_fine(self, kind):
        assert kind(lambda prompt: "status", timeout=None).plan(QUESTION).calls == 1


def test_description_is_json_and_complete(kind):
    planner = kind(lambda prompt: "a", weight=0.25)
    described = json.loads(json.dumps(planner.describe()))
    assert described["type"] == kind.name
    assert described["weight"] == 0.25
    assert described["model"] == {"type": "callable", "name": "model"}
    assert "{query}" in described["prompt"]["text"]
    assert kind.name in repr(planner)
