"""`/healthz` and `/metrics` answer only who asks by a name of this server; webhooks come by any."""

from pathlib import Path

import aiohttp
import pytest

from butler.web.hosts import is_known, known_hosts
from config.settings import WebSettings
from tests.hooks.harness import serving

KNOWN = known_hosts(WebSettings(host="192.0.2.1", public_url="https://Butler.home.example/x", hosts=("butler",)))


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST:8024", "127.0.0.1", "127.0.0.1:8024", "[::1]:8024", "192.168.1.7:80", "10.0.0.1"),
        *("butler:8024", "butler.home.example", "BUTLER.home.example.:443"),
    ],
)
def test_names_of_this_server_and_addresses_are_known(host: str):
    assert is_known(host, KNOWN)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8024", "", "[::1", "a b"),
        *("butler.home.example.evil.example", "127.0.0.1@evil.example", "user@evil.example:1", "xn--localhost"),
    ],
)
def test_any_other_name_is_a_strangers(host: str):
    assert not is_known(host, KNOWN)


def test_who_names_none_is_no_browser():
    assert is_known(None, KNOWN)


@pytest.mark.parametrize("page", ["healthz", "metrics"])
async def test_a_page_that_is_asked_for_by_another_name_tells_nothing(tmp_path: Path, page: str):
    async with serving(tmp_path) as harness, aiohttp.ClientSession() as browser:
        url = f"http://127.0.0.1:{harness.port}/{page}"
        async with browser.get(url, headers={"Host": "rebound.evil.example"}) as answer:
            assert answer.status == 421
            assert "channels" not in await answer.text()
        async with browser.get(url) as answer:
            assert answer.status == 200
