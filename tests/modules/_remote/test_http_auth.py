"""A server is signed in to by a token, by a name and a password, or not at all; never by two at once."""

from base64 import b64encode
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from modules._remote.http_auth import HttpAuthSettings, signed
from tests.support.context import MemoryVault

VAULT = MemoryVault({"TOKEN": "a-bearer-token", "PASSWORD": "pass:word"})


def test_a_token_goes_as_bearer_and_is_secret() -> None:
    headers, secrets = signed(HttpAuthSettings(token_env="TOKEN"), VAULT)
    assert headers == {"Authorization": "Bearer a-bearer-token"}
    assert secrets == ("a-bearer-token",)


def test_a_password_is_secret_as_it_is_and_as_it_is_sent() -> None:
    headers, secrets = signed(HttpAuthSettings(username="butler", password_env="PASSWORD"), VAULT)
    sent = b64encode(b"butler:pass:word").decode()
    assert headers == {"Authorization": f"Basic {sent}"}
    assert secrets == ("pass:word", sent)


def test_a_server_may_ask_for_nothing() -> None:
    assert signed(HttpAuthSettings(), VAULT) == ({}, ())


@pytest.mark.parametrize(
    "settings",
    [
        {"token_env": "TOKEN", "username": "butler", "password_env": "PASSWORD"},
        {"username": "butler"},
        {"password_env": "PASSWORD"},
    ],
)
def test_half_a_way_and_two_ways_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HttpAuthSettings.model_validate(settings)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(IntegrationFault) as caught:
        signed(HttpAuthSettings(token_env="NOWHERE"), VAULT)
    assert (caught.value.code, caught.value.message) == (IntegrationErrorCode.AUTH_REQUIRED, "NOWHERE is not set")
