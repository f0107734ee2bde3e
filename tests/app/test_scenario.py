"""The same scenario over the demo's servers, over Dovecot and Postfix, and with PostgreSQL as the store."""

import pytest

from butler.store.queries import audit
from butler.store.store import Store
from tests.app.scenario import main_job, own_chats, own_mail


@pytest.mark.nightly
async def test_the_main_job_holds_over_the_servers_of_the_demo(harness):
    await holds(await harness(), main_job, own_chats, own_mail)


@pytest.mark.services
async def test_the_main_job_holds_over_dovecot_and_postfix(harness, postfix):
    """The butler's mailbox and the person's own lie there."""
    await holds(await harness(mail=postfix, gmail=False, work=True), main_job, own_mail)


@pytest.mark.nightly
@pytest.mark.services
@pytest.mark.parametrize(
    "scenes",
    [
        pytest.param((main_job,), id="the main job"),
        pytest.param((main_job, own_chats, own_mail), marks=pytest.mark.nightly, id="everything"),
    ],
)
async def test_the_main_job_holds_on_postgresql(harness, postgres, scenes):
    await holds(await harness(store_url=postgres.create_database()), *scenes)


async def holds(home, *scenes):
    """The scenes play, the daemon ends in order, and the log of what it did is whole."""
    for play in scenes:
        await play(home)
    await home.stop()
    assert home.ended_with == 0
    store = Store(home.store_url)
    try:
        assert await store.read(audit.verify) is None
    finally:
        await store.close()
