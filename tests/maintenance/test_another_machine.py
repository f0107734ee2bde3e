"""A backup restored on another machine: what waits is there, and nothing that was approved is done by itself."""

import asyncio
from contextlib import closing
from datetime import timedelta

import pytest

from butler.cli.backup import make_backup, restore_backup
from butler_demo.people import ANNA
from tests.crash.daemon_harness import DaemonHarness, Nursery
from tests.crash.scenarios import approve
from tests.crash.scenarios_automations import SECTION
from tests.store.fixtures import empty_postgres

LATER, WAITING = "the train leaves at nine", "inner is at eight"


PATIENT_S = 120.0
"""Two daemons start, one of them with a database to fill, beside whatever else the machine does."""


async def until(home, condition, what):
    await home.until(condition, what, PATIENT_S)


def texts(home, part):
    return [one["text"] for one in home.bot_messages() if part in one.get("text", "")]


async def fill(home):
    """Everything that waits for something."""
    world = home.world
    world.say("/start")
    await until(home, home.bot_messages, "a greeting")
    await until(home, lambda: home.rows("select 1 from cursors where name like 'mail%'"), "a first look")
    world.say(f"tell Anna in 20 minutes on Telegram: {LATER}")
    await approve(home)
    await until(home, lambda: home.rows("select 1 from approvals where state = 'approved'"), "a send for later")
    world.say(f"tell Anna on Telegram that d{WAITING}")
    await until(home, lambda: home.rows("select 1 from approvals where state = 'pending'"), "a card")
    world.say("remind me in 20 minutes to water the plants")
    await until(home, lambda: home.rows("select 1 from reminders"), "a reminder")
    world.say("remind me every day at 9 to stretch")
    await until(home, lambda: len(home.rows("select 1 from reminders")) > 1, "a repeating reminder")
    await until(home, lambda: texts(home, "every day at 09:00"), "a repeating reminder")
    await until(home, lambda: not home.rows("select 1 from outbox where state = 'waiting'"), "everything said")


def move(home, store_url):
    """Another folder for the data, another key, another database; nothing of the old machine is left."""
    home.data.rename(home.folder / "lost")
    home.data = home.folder / "elsewhere" / "butler"
    home.configure({'data_dir = "data"': f'data_dir = "elsewhere/butler"\nkey_file = "{home.folder}/other.key"'})
    if store_url:
        home.configure({"[approvals]": f'[store]\nurl = "{store_url}"\n\n[approvals]'})
        home.store_url = store_url


async def tried(home, other, store_url):
    made = await asyncio.to_thread(make_backup, home.config, home.folder / "backups")
    (archive,) = (home.folder / "backups").iterdir()
    assert str(archive) in made
    await home.stop()
    move(home, store_url)
    said = await asyncio.to_thread(restore_backup, home.config, archive, force=False)
    assert "signed in anew" in said
    home.world.mail_butler(ANNA.email, "Invoice of the boiler", "Please pay it.")
    home.world.advance(timedelta(hours=3))
    home._nursery = other
    await home.start()
    await until(home, lambda: texts(home, "ater the plants")[1:], "a late reminder")
    await until(home, lambda: texts(home, "A bill: "), "the mail that came meanwhile")
    await until(
        home, lambda: home.rows("select 1 from approvals where state = 'unknown'"), "what is not done by itself"
    )
    assert home.rows("select state from approvals order by created_at") == [("unknown",), ("pending",)]
    assert home.world.sent_telegrams() == []
    # At nine the other one is said, too, where these hours are over it.
    plants = "select count(*) from firings join reminders on subject = reminder_id where text like '%ater the plants'"
    assert home.rows(plants) == [(1,)]
    assert home.rows("select state from reminders where text like '%tretch'") == [("waiting",)]
    assert home.rows("select count(*) from automations") == [(1,)]
    await until(home, lambda: texts(home, "restored from a backup"), "a card that warns")
    card = home.buttons("Approve")
    home.world.press(*card[-1])
    await until(home, home.world.sent_telegrams, "what is approved after all")
    assert [WAITING in one.text for one in home.world.sent_telegrams()] == [True]


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", [pytest.param("file"), pytest.param("postgres", marks=pytest.mark.services)])
async def test_what_waits_is_there_on_another_machine_and_nothing_approved_is_done_by_itself(
    kind, tmp_path, monkeypatch, request
):
    store_url = empty_postgres(request) if kind == "postgres" else ""
    replaced = {"[approvals]": f"{SECTION}[approvals]"}
    monkeypatch.setenv("TZ", "Europe/Berlin")
    with closing(Nursery()) as first, closing(Nursery()) as other:
        async with DaemonHarness(tmp_path, first, replaced=replaced, respawn=False) as home:
            await fill(home)
            monkeypatch.setenv("TZ", "Pacific/Auckland")
            await tried(home, other, store_url)
