"""Secrets are masked wherever they stand, and nothing else is."""

from __future__ import annotations

import pytest

from plait.http.masking import Secrets, is_secret


@pytest.mark.parametrize(
    "name",
    ["Authorization", "api-key", "X-API-Key", "Cookie", "x_token", "client_secret", "PASSWORD"],
)
def test_names_that_tell_of_a_secret(name):
    assert is_secret(name)


@pytest.mark.parametrize("name", ["Accept", "User-Agent", "X-Team", "version", "model"])
def test_names_that_do_not(name):
    assert not is_secret(name)


def test_the_value_is_masked_with_and_without_its_scheme():
    secrets = Secrets({"Authorization": "Bearer abcdef"})
    assert secrets.mask("Bearer abcdef, abcdef and ABCDEF") == "***, *** and ABCDEF"


def test_a_secret_in_a_url_is_masked_as_it_is_written_there():
    assert Secrets({"key": "a b/c="}).mask("?key=a%20b%2Fc%3D") == "?key=***"


def test_the_longest_goes_first():
    assert Secrets({}, ["secret", "secret-two"]).mask("secret-two") == "***"


def test_what_is_too_short_to_be_a_secret_stays():
    assert Secrets({"key": "abc"}, ["", "x"]).mask("abc x") == "abc x"


def test_other_values_stay():
    assert Secrets({"X-Team": "search"}).mask("search") == "search"
