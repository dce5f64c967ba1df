"""HttpService against a real server: what is sent, retried, refused and said."""

from __future__ import annotations

import asyncio
import base64
import gc
import gzip
import json
import os
import pickle
import re
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from plait.errors import (
    ConfigurationError,
    MissingDependencyError,
    ServiceError,
    ServiceTimeoutError,
)
from plait.execution import run_coroutine
from plait.http import HttpService, client, retrying

KEY = "sk-very-secret-1"


@pytest.fixture(autouse=True)
def short_delays(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_DELAY", 0.001)


@pytest.fixture
def service(web):
    return HttpService(
        f"{web.url}/v1",
        name="reranker",
        headers={"Authorization": f"Bearer {KEY}", "X-Team": "search"},
        timeout=20.0,
    )


def error_of(service, path="", payload=None, **given):
    with pytest.raises(ServiceError) as caught:
        service.post(path, payload, **given)
    return caught.value


class TestRequest:
    def test_json_goes_out_and_comes_back(self, web, service):
        web.answers({"données": "日本語 🎉", "n": 1.5})
        assert service.post("rerank", {"text": "Grüße 🎉"}) == {"données": "日本語 🎉", "n": 1.5}
        (request,) = web.requests
        assert request.json == {"text": "Grüße 🎉"}
        assert request.path == "/v1/rerank"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["x-team"] == "search"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["user-agent"].startswith("plait/")

    def test_a_header_of_the_caller_wins_whatever_its_case(self, web):
        web.answers(1)
        HttpService(web.url, headers={"user-agent": "mine"}).post("", None)
        assert web.requests[0].headers["user-agent"] == "mine"

    def test_the_query_of_the_base_url_stays(self, web):
        web.answers(1)
        HttpService(f"{web.url}/v1/?api-version=2").post("chat", None)
        assert web.requests[0].path == "/v1/chat?api-version=2"

    def test_user_and_password_are_sent_as_such(self, web):
        web.answers(1)
        HttpService(web.url.replace("//", "//me:pass@")).post("", None)
        assert web.requests[0].headers["authorization"] == "Basic bWU6cGFzcw=="

    def test_compressed_answers_are_read(self, web, service, reply):
        web.answers(reply(gzip.compress(b'"ok"'), headers={"Content-Encoding": "gzip"}))
        assert service.post("", None) == "ok"

    @pytest.mark.parametrize("payload", [{1, 2}, float("nan"), b"bytes", {"a": object()}])
    def test_a_payload_that_is_not_json_is_refused_before_anything_is_sent(
        self, web, service, payload
    ):
        with pytest.raises(ConfigurationError, match="payload for reranker cannot be sent as JSON"):
            service.post("", payload)
        assert web.requests == []


class TestSyncAndAsync:
    def test_they_share_connections_across_loops_and_threads(self, web, service):
        web.answers("ok")
        assert service.post("", 1) == "ok"
        assert asyncio.run(service.apost("", 2)) == "ok"
        assert asyncio.run(service.apost("", 3)) == "ok"
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(service.post, "", 4).result() == "ok"
        assert len({request.port for request in web.requests}) == 1

    def test_sync_works_inside_a_running_loop(self, web, service):
        web.answers("ok")

        async def handler():
            return service.post("", 1)

        assert asyncio.run(handler()) == "ok"
        assert run_coroutine(handler()) == "ok"

    def test_many_at_once(self, web, service):
        web.answers("ok")

        async def all_of_them():
            return await asyncio.gather(*(service.apost("", n) for n in range(20)))

        assert asyncio.run(all_of_them()) == ["ok"] * 20
        assert sorted(request.json for request in web.requests) == list(range(20))

    def test_cancelling_ends_the_request(self, web, service, reply):
        web.answers(reply("late", hold=True), "next")

        async def cancelled():
            task = asyncio.create_task(service.apost("", 1))
            while not web.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await service.apost("", 2)

        assert asyncio.run(cancelled()) == "next"
        assert len(web.requests) == 2

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    @pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
    def test_a_forked_child_has_connections_of_its_own(self, web, service):
        web.answers("ok")
        assert service.post("", "parent") == "ok"
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if service.post("", "child") == "ok" else 1)
            except BaseException:  # noqa: BLE001 (the child must end here)
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert service.post("", "parent again") == "ok"
        first, forked, second = web.requests
        assert (first.port, forked.json) == (second.port, "child")
        assert forked.port != first.port

    def test_connections_are_closed_with_the_service(self, web, service):
        web.answers("ok")
        own = HttpService(web.url)
        own.post("", 1)
        connections = own._client._client
        del own
        gc.collect()
        settle = client.HTTP_LOOP.submit(asyncio.sleep(0))  # after the closing, on its loop
        settle.result(10)
        assert connections.is_closed


class TestRetries:
    @pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
    def test_what_may_pass_is_tried_again(self, web, service, reply, status):
        web.answers(reply({}, status), reply({}, status), "ok")
        assert service.post("", 1) == "ok"
        assert [request.json for request in web.requests] == [1, 1, 1]

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 413, 422, 501, 505])
    def test_what_will_not_pass_is_not(self, web, service, reply, status):
        web.answers(reply({"error": "no"}, status))
        error = error_of(service)
        assert (error.status, error.transient, error.service) == (status, False, "reranker")
        assert len(web.requests) == 1

    def test_no_more_than_the_retries(self, web, reply):
        web.answers(reply({"error": {"message": "busy"}}, 503))
        error = error_of(HttpService(web.url, retries=1))
        assert len(web.requests) == 2
        assert (error.status, error.transient) == (503, True)
        assert "answered 503 Service Unavailable: busy (attempt 2)" in str(error)

    def test_none_if_there_are_to_be_none(self, web, reply):
        web.answers(reply({}, 503))
        error_of(HttpService(web.url, retries=0))
        assert len(web.requests) == 1

    def test_a_broken_off_answer_is_tried_again(self, web, service, reply):
        web.answers(reply("cut", missing=10), "ok")
        assert service.post("", 1) == "ok"

    def test_a_late_attempt_is_tried_again(self, web, reply):
        web.answers(reply("late", hold=True), "ok")
        assert HttpService(web.url, attempt_timeout=0.05, timeout=20.0).post("", 1) == "ok"

    def test_late_attempts_end_in_a_timeout_error(self, web, reply):
        web.answers(reply("late", hold=True))
        service = HttpService(web.url, attempt_timeout=0.02, timeout=20.0, retries=1)
        error = error_of(service)
        assert isinstance(error, ServiceTimeoutError)
        assert "gave no answer within 0.02 s (attempt 2)" in str(error)

    def test_retry_after_is_waited_for(self, web, service, reply, monkeypatch):
        waits = []

        async def sleep(seconds):
            waits.append(seconds)

        monkeypatch.setattr(asyncio, "sleep", sleep)
        soon = format_datetime(datetime.now(UTC) + timedelta(seconds=7), usegmt=True)
        web.answers(
            reply({}, 429, {"Retry-After": "3"}), reply({}, 503, {"Retry-After": soon}), "ok"
        )
        assert service.post("", 1) == "ok"
        assert waits[0] == 3.0
        assert 4.0 < waits[1] <= 7.0

    def test_a_wait_past_the_deadline_is_not_begun(self, web, service, reply):
        web.answers(reply({"message": "quota"}, 429, {"Retry-After": "3600"}))
        error = error_of(service)
        assert "429 Too Many Requests: quota; it asks to wait 3600 s" in str(error)
        assert (error.status, error.transient, len(web.requests)) == (429, True, 1)


class TestDeadline:
    def test_it_ends_a_call(self, web, service, reply):
        web.answers(reply("late", hold=True))
        error = error_of(service, timeout=0.05)
        assert isinstance(error, ServiceTimeoutError)
        assert isinstance(error, TimeoutError)
        assert str(error) == f"reranker at {web.url}/v1 gave no answer within 0.05 s"

    def test_it_covers_the_retries_and_the_message_tells_of_them(self, web, reply):
        web.answers(reply({"error": "warming up"}, 503), reply("late", hold=True))
        error = error_of(HttpService(web.url, timeout=0.2))
        assert isinstance(error, ServiceTimeoutError)
        assert "within 0.2 s; before, it answered 503 Service Unavailable: warming up" in str(error)

    def test_the_time_of_a_call_cannot_be_longer_than_the_services(self, web, reply):
        web.answers(reply("late", hold=True))
        assert "within 0.05 s" in str(error_of(HttpService(web.url, timeout=0.05), timeout=60.0))

    def test_a_drop_at_a_time_does_not_hold_it_off(self, web):
        listener = socket.create_server(("127.0.0.1", 0))
        done = threading.Event()

        def drip():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not done.wait(0.005):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        try:
            error = error_of(
                HttpService(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.1)
            )
        finally:
            done.set()
            thread.join()
            listener.close()
        assert isinstance(error, ServiceTimeoutError)


class TestBadAnswers:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"<html>Sign in</html>",
            b'{"a": NaN}',
            b"\xff\xfe\xfa",
            b"[" * 100_000,
            b'"' + b"a" * 5,
            b"9" * 5_000,
        ],
        ids=["empty", "cut", "html", "nan", "bytes", "deep", "string", "digits"],
    )
    def test_what_is_not_json_is_one_clear_error(self, web, service, reply, body):
        web.answers(reply(body, headers={"Content-Type": "text/html"}))
        error = error_of(service)
        assert "answered 200 with text/html, not JSON" in str(error)
        assert "check base_url" in str(error)
        assert (error.status, error.transient, len(web.requests)) == (200, False, 1)
        assert len(str(error)) < 600

    def test_html_is_shown(self, web, service, reply):
        web.answers(reply(b"<html>\n<b>Sign in</b>", headers={"Content-Type": "text/html"}))
        assert "not JSON: <html> <b>Sign in</b>" in str(error_of(service))

    def test_a_truncated_body(self, web, service, reply):
        web.answers(reply({"a": 1}, missing=10))
        error = error_of(service)
        assert "broke off" in str(error)
        assert error.transient
        assert len(web.requests) == 3

    def test_a_body_that_cannot_be_decompressed(self, web, service, reply):
        web.answers(reply(b"not gzip", headers={"Content-Encoding": "gzip"}))
        assert "cannot be decompressed" in str(error_of(service))

    def test_too_many_bytes_are_not_read(self, web, reply):
        web.answers(reply("x" * 1_000))
        error = error_of(HttpService(web.url, max_bytes=1_000))
        assert "sent more than 1,000 bytes" in str(error)
        assert HttpService(web.url, max_bytes=1_002).post("", 1) == "x" * 1_000

    def test_the_limit_counts_what_is_decompressed(self, web, reply):
        bomb = gzip.compress(json.dumps("x" * 5_000_000).encode())
        web.answers(reply(bomb, headers={"Content-Encoding": "gzip"}))
        assert len(bomb) < 10_000
        error = error_of(HttpService(web.url, max_bytes=10_000))
        assert "sent more than 10,000 bytes" in str(error)

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_a_redirect_is_not_followed(self, web, service, reply, status):
        web.answers(reply("", status, {"Location": f"{web.url}/elsewhere?key={KEY}"}))
        error = error_of(service)
        assert f"a redirect, which is not followed: {web.url}/elsewhere?key=***" in str(error)
        assert len(web.requests) == 1

    def test_a_cookie_of_an_answer_does_no_harm(self, web, service, reply):
        web.answers(reply("ok", headers={"Set-Cookie": "a=b"}))
        assert service.post("", 1) == "ok"


class TestUnreachable:
    def test_a_refused_connection(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        error = error_of(HttpService(f"http://127.0.0.1:{port}", name="chat"))
        assert f"chat at http://127.0.0.1:{port} cannot be reached" in str(error)
        assert "is it running, and is base_url right?" in str(error)
        assert (error.status, error.transient) == (None, True)

    def test_a_name_that_nobody_has(self):
        error = error_of(HttpService("http://nobody.invalid", retries=0, timeout=20.0))
        assert "cannot be reached" in str(error)

    def test_a_server_that_hangs_up(self):
        listener = socket.create_server(("127.0.0.1", 0))

        def hang_up():
            for _ in range(3):
                connection, _ = listener.accept()
                connection.recv(65536)
                connection.close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        error = error_of(HttpService(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        thread.join()
        listener.close()
        # Whether it is seen as an end or as a reset depends on what arrived first.
        assert re.search("broke off: (RemoteProtocolError|ReadError)", str(error))
        assert error.transient

    def test_a_setting_of_the_environment_that_cannot_be_used(self, web, service, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "nonsense://proxy:1")
        with pytest.raises(ConfigurationError, match="look at the environment variables"):
            service.post("", 1)


class TestSecrets:
    @pytest.mark.parametrize("status", [401, 500])
    def test_the_key_is_in_no_error(self, web, service, reply, status):
        web.answers(reply({"error": {"message": f"bad key {KEY} in Bearer {KEY}"}}, status))
        error = error_of(service)
        shown = f"{error} {error!r} {error.args} {error.__cause__!r} {pickle.dumps(error)!r}"
        assert "bad key *** in ***" in str(error)
        assert KEY not in shown

    def test_nor_in_what_describes_it(self, service, web):
        shown = f"{service!r} {service} {dict(service.describe())}"
        assert KEY not in shown
        assert service.describe()["headers"]["Authorization"] == "***"
        assert service.describe()["headers"]["X-Team"] == "search"

    def test_user_password_and_query_are_not_shown(self, web, reply):
        url = web.url.replace("//", "//me:my-password@")
        web.answers(reply({"error": "my-password and token-1 are wrong"}, 403))
        service = HttpService(f"{url}/v1?token=token-1")
        error = error_of(service)
        assert service.base_url == f"{web.url}/v1"
        assert "*** and *** are wrong; check what the API key allows" in str(error)
        assert "password" not in f"{error} {service!r} {service.describe()}"

    def test_user_and_password_are_not_shown_as_they_are_sent(self, web, reply):
        sent = base64.b64encode(b"me@home:my-password").decode()
        web.answers(reply({"error": f"Basic {sent} is no key"}, 401))
        service = HttpService(web.url.replace("//", "//me%40home:my-password@"))
        assert "Basic *** is no key" in str(error_of(service))

    def test_a_user_without_password_is_a_secret(self, web, reply):
        web.answers(reply({"error": "token@1 is wrong, " + base64.b64encode(b"token@1:").decode()}))
        service = HttpService(web.url.replace("//", "//token%401@"))
        answer = service.post("", {})
        assert str(service.unexpected(answer, "else")).count("***") == 2

    def test_a_long_text_is_shortened_after_masking(self, web, service, reply):
        web.answers(reply({"error": f"{'x' * 280}{KEY}{'y' * 500}"}, 400))
        message = str(error_of(service))
        assert "sk-" not in message
        assert len(message) < 600
        assert message.endswith("…")

    def test_control_characters_of_a_service_do_not_reach_a_terminal(self, web, service, reply):
        web.answers(reply({"error": "\x1b[31mred\r\nline"}, 400))
        assert "[31mred line" in str(error_of(service))
        assert "\x1b" not in str(error_of(service))


class TestErrorTexts:
    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ({"error": {"message": "no such model"}}, "no such model"),
            ({"error": "no such model"}, "no such model"),
            ({"message": "no such model"}, "no such model"),
            ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"),
            ([{"error": {"message": "quota"}}], "quota"),
            ({"code": 7}, '{"code": 7}'),
            (b"plain text", "plain text"),
        ],
    )
    def test_the_message_is_found(self, web, service, reply, body, said):
        web.answers(reply(body, 400))
        assert str(error_of(service)).endswith(f"answered 400 Bad Request: {said}")

    def test_an_empty_answer_and_an_unknown_status(self, web, service, reply):
        web.answers(reply(b"", 499))
        assert str(error_of(service)) == f"reranker at {web.url}/v1 answered 499"

    @pytest.mark.parametrize(
        ("answer", "shown"),
        [
            ({"data": ["日"]}, '{"data": ["日"]}'),
            ({"error": {"message": "no credit"}}, "no credit"),
            (None, "null"),
            ("x" * 1_000, f'"{"x" * 299}…'),
        ],
    )
    def test_an_answer_of_another_shape(self, service, answer, shown):
        error = service.unexpected(answer, "a list under 'results'")
        assert f"answered {shown}" in str(error)
        assert str(error).endswith("expected a list under 'results'")
        assert (error.service, error.transient) == ("reranker", False)
        assert len(str(error)) < 600


class TestUsage:
    def test_without_httpx_it_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "httpx", None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[http\]'"):
            HttpService("http://localhost")

    @pytest.mark.parametrize(
        "url", ["", "localhost:8080", "ftp://host", "http://", "http://h/#a", "http://h:65536", 7]
    )
    def test_a_bad_url(self, url):
        with pytest.raises(ConfigurationError, match="base_url is"):
            HttpService(url)

    def test_a_bad_url_is_shown_without_its_secrets(self):
        with pytest.raises(ConfigurationError) as caught:
            HttpService("ftp://me:secret@host?key=secret")
        assert "ftp://***@host" in str(caught.value)
        assert "secret" not in str(caught.value)
        with pytest.raises(ConfigurationError, match="is not a URL"):
            HttpService("http://host:port")

    @pytest.mark.parametrize(
        "headers", [{"a b": "x"}, {"": "x"}, {"A": "x\n"}, {"A": "é"}, {"A": 1}, {7: "x"}]
    )
    def test_a_bad_header(self, headers):
        with pytest.raises(ConfigurationError, match="header"):
            HttpService("http://localhost", headers=headers)

    def test_a_bad_secret_is_not_shown(self):
        with pytest.raises(ConfigurationError) as caught:
            HttpService("http://localhost", headers={"Authorization": f"Bearer {KEY}\n"})
        assert KEY not in str(caught.value)
        assert "was a key read with its line end?" in str(caught.value)

    @pytest.mark.parametrize(
        "given",
        [
            {"timeout": 0},
            {"timeout": float("inf")},
            {"timeout": True},
            {"timeout": "5"},
            {"attempt_timeout": -1.0},
            {"retries": -1},
            {"retries": 1.5},
            {"max_bytes": 0},
        ],
    )
    def test_a_bad_number(self, given):
        (name,) = given
        with pytest.raises(ConfigurationError, match=f"{name} is"):
            HttpService("http://localhost", **given)

    def test_a_bad_timeout_of_a_call(self, service, web):
        with pytest.raises(ConfigurationError, match="timeout is 0"):
            service.post("", 1, timeout=0)
        assert web.requests == []

    def test_ipv6(self):
        assert HttpService("http://[::1]:8080/v1").base_url == "http://[::1]:8080/v1"
