import functools

from plait.hybrid import CallableRetriever
from plait.hybrid.callable import option_names
from plait.retriever import RankingRetriever, Retriever
from plait.types import Query


def test_the_text_comes_first_whatever_the_parameter_is_called():
    assert CallableRetriever(lambda query: [query])("hello", 3, None) == ["hello"]
    assert CallableRetriever(lambda anything: [anything])(Query("hello"), 3, None) == ["hello"]


def test_only_what_is_asked_for_is_given():
    def leg(text, top_k, filter=None, query=None):
        return text, top_k, filter, query

    query = Query("hello")
    assert CallableRetriever(leg)(query, 3, {"a": 1}) == ("hello", 3, {"a": 1}, query)


def test_whether_it_filters_is_read_from_its_parameters():
    assert CallableRetriever(lambda text, filter: []).filters
    assert not CallableRetriever(lambda text, top_k: []).filters


def test_a_query_without_text_needs_a_leg_that_takes_the_query():
    query = Query(embedding=[1.0, 0.0])
    assert "needs text" in CallableRetriever(lambda text: []).unanswerable(query)
    assert CallableRetriever(lambda text, query: []).unanswerable(query) is None


def test_async_functions_methods_objects_and_partials_are_seen():
    async def search(text, top_k):
        return []

    class Asker:
        async def __call__(self, text):
            return []

    assert CallableRetriever(search).runs_async
    assert CallableRetriever(Asker()).runs_async
    assert CallableRetriever(functools.partial(search, top_k=3)).runs_async
    assert not CallableRetriever(lambda text: []).runs_async


def test_a_lambda_around_an_async_function_is_run():
    async def search(text):
        return [text]

    assert CallableRetriever(lambda text: search(text))("q", 1, None) == ["q"]


def test_builtins_without_a_signature_are_called_with_the_text():
    assert CallableRetriever(str.split)("a b", 3, None) == ["a", "b"]


def test_describe_names_it():
    def faq(text):
        return []

    assert CallableRetriever(faq).describe() == {"type": "callable", "name": "faq"}


def test_options_are_the_parameters_beside_query_top_k_and_filter():
    class Sync(Retriever):
        def retrieve(self, query, *, top_k=5, filter=None, boost=1.0):
            return []

    class Async(Retriever):
        async def aretrieve(self, query, *, top_k=5, filter=None, region="eu"):
            return []

    class Ranked(RankingRetriever):
        def rank(self, query, *, top_k, filter, exact=False):
            raise NotImplementedError

    assert option_names(Sync()) == {"boost"}
    assert option_names(Async()) == {"region"}
    assert option_names(Ranked()) == {"exact"}
    assert option_names(CallableRetriever(lambda text, top_k, fuzzy=1: [])) == {"fuzzy"}


def test_variable_arguments_are_no_options():
    assert CallableRetriever(lambda text, *rest, boost=1, **more: []).options == {"boost"}

    class Mine(Retriever):
        def retrieve(self, query, *, top_k=5, filter=None, boost=1, **more):
            return []

    assert option_names(Mine()) == {"boost"}


def test_a_callable_whose_signature_nobody_knows_is_given_the_text():
    class Opaque:
        __signature__ = "unknown"

        def __call__(self, text):
            return [text]

    leg = CallableRetriever(Opaque())
    assert (leg("hello", 3, None), leg.options, leg.filters) == (["hello"], frozenset(), False)
