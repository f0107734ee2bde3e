"""Telegram is down: the real daemon's cards go out by mail over sockets, and only the owner's proved answer decides."""

import pytest

from butler_demo.daemon import Daemon
from butler_demo.world import World
from demo.tests.playing import play

ASK = """
say "tell Anna on Telegram that I'll be ten minutes late"
expect bot "Anna" "ten minutes late"
expect pending 1
telegram down
advance 20m
expect nothing within 1
advance 3m
expect mail to "me@home.example" "Telegram is out of reach" "As: you" "@anna (Anna)" "ten minutes late"
"""


async def test_no_mail_goes_out_for_a_clock_that_is_turned_while_telegram_is_there(
    world: World, daemon: Daemon
) -> None:
    await play(
        world,
        daemon,
        'say "tell Anna on Telegram that I\'ll be ten minutes late"\n'
        'expect bot "Anna" "ten minutes late"\n'
        "advance 20m\nadvance 5m\nadvance 20m\nexpect nothing within 2\nexpect pending 1\n",
    )


@pytest.mark.nightly
async def test_an_answer_that_is_none_decides_nothing_and_the_owner_is_told_why(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        ASK + 'mail reply "yes, but at five"\n'
        'expect mail to "me@home.example" "Nothing was decided"\n'
        "expect pending 1\n"
        'mail reply "yes AAAA-AAAA"\n'
        'expect mail to "me@home.example" "I do not know this code"\n'
        "expect pending 1\n",
    )


@pytest.mark.nightly
async def test_the_right_reply_is_carried_out_and_shown_on_telegram_when_it_is_back(
    world: World, daemon: Daemon
) -> None:
    await play(
        world,
        daemon,
        ASK + 'mail reply "Yes CODE"\n'
        'expect sent telegram "Anna" "ten minutes late"\n'
        'expect mail to "me@home.example" "Approved by your mail at" "Sent at"\n'
        "expect pending 0\n"
        "telegram up\n"
        'expect bot "Approved by your mail at" "Sent at" within 90\n'
        'tap stale "Approve"\n'
        "expect nothing within 2\n",
    )


@pytest.mark.nightly
async def test_a_forged_reply_decides_nothing_and_is_answered_by_nobody(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        ASK + 'mail reply "yes CODE" forged\n'
        "expect nothing within 3\n"
        "expect pending 1\n"
        "telegram up\n"
        'expect bot "Mail to me from" "yes" within 90\n'
        "expect pending 1\n",
    )
    assert world.sent_telegrams() == []
