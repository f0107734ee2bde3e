"""A data centre over loopback, and the feed of one account on it, through the real Telethon."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from butler_demo.mtproto.crypto import ServerKey
from butler_demo.mtproto.datacentre import DataCentre
from tests.modules.telegram.feed.feed_support import ANNA, CARL, EVE, SAM, FeedHarness

MakeHouse = Callable[..., FeedHarness]


@pytest.fixture(scope="session")
def server_key() -> ServerKey:
    """One for all of them: to make one takes longer than most of these tests."""
    return ServerKey()


@pytest.fixture
async def centre(server_key: ServerKey) -> AsyncIterator[DataCentre]:
    centre = DataCentre(server_key=server_key)
    centre.add_account(SAM, "+15550042", "Sam", username="sam_home")
    centre.add_account(ANNA, "+15550005", "Anna", "Berg", username="anna_b")
    centre.add_account(EVE, "+15550666", "Eve", username="eve_e")
    centre.add_account(CARL, "+15550007", "Carl")
    await centre.start()
    yield centre
    await centre.stop()


@pytest.fixture
def make_harness(centre: DataCentre, tmp_path: Path) -> MakeHouse:
    key_file = tmp_path / "centre.pem"
    key_file.write_text(centre.public_key_pem)

    def make(**options: Any) -> FeedHarness:
        return FeedHarness(centre, key_file, centre.session_string(SAM), **options)

    return make


@pytest.fixture
def harness(make_harness: MakeHouse) -> FeedHarness:
    return make_harness()
