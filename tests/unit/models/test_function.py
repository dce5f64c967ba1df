"""CallableModel: what a callable is given, and what becomes of what it returns or raises."""

from __future__ import annotations

import asyncio
import functools

import pytest

from plait.errors import ConfigurationError, ModelError, QueryError
from plait.models import CallableModel


def echo(prompt):
    return f"<{prompt}>"


async def aecho(prompt):
    await asyncio.sleep(0)
    return f"<{prompt}>"


class Callable:
    def __call__(self, prompt):
        return f"<{prompt}>"


class AsyncCallable:
    async def __call__(self, prompt):
        return f"<{prompt}>"


@pytest.mark.parametrize(
    "function",
    [
        echo,
        aecho,
        Callable(),
        AsyncCallable(),
        lambda prompt: aecho(prompt),
        functools.partial(echo),
        functools.partial(aecho),
        Callable().__call__,
        AsyncCallable().__call__,
    ],
    ids=["sync", "async", "object", "async object", "lambda", "partial", "async partial", "method",
         "async method"],
)  # fmt: skip
def test_sync_and_async_callables_answer_sync_and_async(function):
    model = CallableModel(function)
    assert model.complete("why") == "<why>"
    assert asyncio.run(model.acomplete("why")) == "<why>"

    async def handler():
        return model.complete("in a loop")

    assert asyncio.run(handler()) == "<in a loop>"


def test_an_async_callable_runs_on_the_callers_loop():
    loops = []

    async def where(prompt):
        loops.append(asyncio.get_running_loop())
        return "here"

    async def main():
        await CallableModel(where).acomplete("?")
        return asyncio.get_running_loop()

    assert asyncio.run(main()) is loops[0]


class TestSystem:
    def test_it_is_given_to_a_parameter_of_that_name(self):
        model = CallableModel(lambda prompt, system=None: f"{system}|{prompt}")
        assert model.complete("why", system="be brief") == "be brief|why"
        assert model.complete("why") == "None|why"

    def test_a_required_one_is_given_too(self):
        model = CallableModel(lambda prompt, *, system: f"{system}|{prompt}")
        assert model.complete("why") == "None|why"

    def test_else_it_comes_before_the_prompt(self):
        assert CallableModel(echo).complete("why", system="be brief") == "<be brief\n\nwhy>"


class TestAnswers:
    @pytest.mark.parametrize("answer", [None, b"bytes", {"text": "a"}, 7])
    def test_what_is_not_text_is_an_error(self, answer):
        model = CallableModel(lambda prompt: answer, name="odd")
        kind = type(answer).__name__
        with pytest.raises(ModelError, match=f"model 'odd' returned {kind}, expected str"):
            model.complete("why")

    @pytest.mark.parametrize("answer", ["", " \n", "<think>hm</think> \n", "<think>hm"])
    def test_so_is_nothing(self, answer):
        with pytest.raises(ModelError, match="answered with nothing"):
            CallableModel(lambda prompt: answer).complete("why")

    def test_reasoning_is_not_part_of_the_answer(self):
        assert CallableModel(lambda prompt: "<think>\nhm\n</think>\n\n42").complete("?") == "42"

    def test_half_a_surrogate_pair_is_replaced(self):
        assert CallableModel(lambda prompt: "fine \ud83d").complete("?") == "fine ?"


class Unsigned:
    """A callable whose signature cannot be told, as of some built-in ones."""

    __signature__ = "none"

    def __call__(self, prompt):
        return f"<{prompt}>"


def test_a_callable_without_a_signature_is_given_the_prompt():
    assert CallableModel(Unsigned()).complete("why", system="brief") == "<brief\n\nwhy>"


class TestErrors:
    def test_what_it_raises_is_told(self):
        def fail(prompt):
            raise RuntimeError("no memory")

        with pytest.raises(
            ModelError, match="model 'fail' raised RuntimeError: no memory"
        ) as caught:
            CallableModel(fail).complete("why")
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert caught.value.transient is False

    def test_a_transient_error_stays_transient(self):
        class BusyError(Exception):
            transient = True

        async def fail(prompt):
            raise BusyError

        with pytest.raises(ModelError) as caught:
            asyncio.run(CallableModel(fail).acomplete("why"))
        assert caught.value.transient is True

    def test_errors_of_plait_are_raised_as_they_are(self):
        def fail(prompt):
            raise QueryError("mine")

        with pytest.raises(QueryError, match="mine"):
            CallableModel(fail).complete("why")

    def test_an_interrupt_goes_through(self):
        def interrupt(prompt):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            CallableModel(interrupt).complete("why")


class TestUsage:
    def test_a_class_is_refused(self):
        with pytest.raises(ConfigurationError, match=r"the class Callable; give an instance"):
            CallableModel(Callable)

    def test_what_cannot_be_called(self):
        with pytest.raises(ConfigurationError, match="int, expected a callable"):
            CallableModel(7)

    @pytest.mark.parametrize("function", [lambda: "", lambda a, b: "", lambda *, prompt: ""])
    def test_what_cannot_be_given_a_prompt(self, function):
        with pytest.raises(ConfigurationError, match="cannot be called with a prompt"):
            CallableModel(function)


def test_names_and_description():
    assert CallableModel(echo).name == "echo"
    assert CallableModel(lambda prompt: "").name == "model"
    assert CallableModel(functools.partial(echo)).name == "partial"
    assert CallableModel(echo, name="mine").describe() == {"type": "callable", "name": "mine"}
    assert repr(CallableModel(echo)) == "CallableModel(name='echo')"
