"""Cards whose calls hold mappings, or wall times, on the real daemon: what was shown and approved is what is done."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from butler_demo.daemon import Daemon
from butler_demo.daemon_config import DaemonOptions, local_zone
from butler_demo.people import OWNER_ID
from butler_demo.world import World
from demo.tests.playing import play
from demo.tests.test_calendar_and_boards import event, lists
from tests.crash.daemon_harness import Nursery
from tests.crash.forked_daemon import ForkedDaemon


async def test_the_automation_of_the_readme_is_approved_and_makes_its_card(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        'say "whenever a mail with “invoice” in the subject comes, put a card on the Trello list Bills"\n'
        'expect bot "Trello, as you: make a card" "list: “Bills”"\nexpect pending 1\n'
        'tap "Approve"\nexpect bot "Done at"\n'
        'mail from "shop@shop.example" subject "Invoice 4711" body "Please pay by Friday."\n'
        'expect bot "Makes a card on Trello as you" "Bills" "Invoice 4711" "set it going"\ntap "Approve"\n'
        'expect bot "Done at"\nexpect pending 0',
    )
    assert lists(world, "Home")["Bills"] == ["Invoice 4711"]
    messages = [one.get("text", "") for one in world.bot_api.messages(world.bot_token, OWNER_ID)]
    (card,) = [one for one in messages if "Makes a card on Trello as you" in one and "Invoice 4711" in one]
    reasons = [line.removeprefix("⚠ ") for line in card.splitlines() if line.startswith("⚠")]
    assert "the name comes from a mail by shop@shop.example" in reasons
    assert "a mail by shop@shop.example set it going" in reasons
    assert not [one for one in reasons if "list" in one], "the list is the owner's own word"


@pytest.mark.nightly
async def test_a_calendar_card_that_waits_is_told_anew_abroad_and_keeps_its_moment(
    world: World, daemon: Daemon
) -> None:
    await play(
        world,
        daemon,
        'say "add haircut on 5 May at 3pm for half an hour"\nexpect bot "Haircut" "15:00"\nexpect pending 1\n'
        'say "I\'m in New York"\nexpect bot "Haircut" "America/New_York"\nexpect pending 1\n'
        'tap "Approve"\nexpect bot "Done at"\nexpect pending 0',
    )
    made = event(world, "Haircut")
    assert made["start"]["dateTime"][5:16] == "05-05T15:00"


@pytest.mark.nightly
async def test_logs_that_are_asked_about_are_read_for_the_day_of_the_card_wherever_its_owner_is_by_then(
    world: World, nursery: Nursery
) -> None:
    asks = '[[approvals.policy]]\ntool = "bot_loki_query_logs"\napproval = "always"\n'
    daemon = ForkedDaemon(world, nursery, DaemonOptions(undo_window="1s", more_toml=asks))
    await daemon.start()
    try:
        await play(
            world,
            daemon,
            'say "what did the backup say yesterday?"\nexpect bot "Looks for lines" "Since" "at 00:00"\n'
            'say "I\'m in New York"\nexpect bot "Looks for lines" "Since" "America/New_York"\nexpect pending 1\n'
            'tap "Approve"\nexpect bot "Done at"\nexpect pending 0',
        )
    finally:
        await daemon.stop()
    (call,) = world.loki.calls
    begin, end = (datetime.fromtimestamp(int(call.parameters[name]) / 1e9, UTC) for name in ("start", "end"))
    zone = ZoneInfo(local_zone())
    assert [moment.astimezone(zone).strftime("%H:%M") for moment in (begin, end)] == ["00:00", "00:00"]
