"""Playing scripts against a daemon that echoes: steps that hold, and steps that must not."""

from datetime import timedelta
from pathlib import Path

import pytest

from butler_demo.people import OWNER, OWNER_ID
from butler_demo.world import World
from demo.tests.conftest import Play


async def test_a_conversation_holds_and_its_transcript_shows_who_said_what(play: Play) -> None:
    held, transcript = await play('say "hello"\nexpect bot "ECHO" "hello"')
    assert held
    assert "you  hello" in transcript
    assert "bot  echo: hello" in transcript
    assert "all 2 steps hold" in transcript


async def test_a_mismatch_stops_the_script_and_says_what_there_was(play: Play) -> None:
    held, transcript = await play('say "hello"\nexpect bot "goodbye" within 1\nsay "never said"')
    assert not held
    assert 'line 2 does not hold: expect bot "goodbye" within 1' in transcript
    assert "- echo: hello" in transcript
    assert "never said" not in transcript


async def test_a_message_before_the_last_act_is_not_new(play: Play) -> None:
    held, _ = await play('say "hello"\nexpect bot "hello"\nsay "silence"\nexpect bot "hello" within 0.5')
    assert not held


async def test_answers_to_two_requests_may_come_in_any_order(play: Play) -> None:
    held, _ = await play('say "hello"\nsay "twice"\nexpect bot "two"\nexpect bot "echo: hello"')
    assert held


async def test_a_tap_approves_once_and_again_and_by_a_stranger_it_does_nothing(play: Play) -> None:
    held, transcript = await play(
        'say "ask Anna"\nexpect bot "ask Anna"\nexpect pending 1\n'
        'tap "Approve" as 666\nexpect bot "does nothing"\nexpect pending 1\n'
        'tap "approve"\nexpect bot "ask Anna: approved"\nexpect pending 0\n'
        'tap "Approve" again\nexpect bot "does nothing"\n'
        'tap stale "Approve"\nexpect bot "does nothing"'
    )
    assert held, transcript
    assert "666  [taps" in transcript


async def test_a_file_is_sent_with_and_without_words(play: Play, tmp_path: Path) -> None:
    (tmp_path / "bill.txt").write_text("Total: 12", encoding="utf-8")
    held, transcript = await play('say "what is due?" file bill.txt\nexpect bot "due"\nsay file bill.txt')
    assert held, transcript
    assert transcript.count("you  [file bill.txt, 9 bytes]") == 2


async def test_nothing_can_be_tapped_again_before_the_first_tap(play: Play) -> None:
    held, transcript = await play('tap "Approve" again')
    assert not held
    assert "nothing was tapped yet" in transcript


async def test_a_reply_goes_to_the_newest_card(play: Play) -> None:
    held, transcript = await play(
        'say "ask Anna"\nexpect bot "ask Anna"\nsay "hm"\nexpect bot "hm"\nreply "later"\nexpect bot "later | ask Anna"'
    )
    assert held, transcript


async def test_a_reply_goes_to_the_newest_message_with_its_words(play: Play) -> None:
    said = 'say "ask Anna"\nexpect bot "ask Anna"\nsay "hm"\nexpect bot "hm"\nsay "ask Mum"\nexpect bot "ask Mum"\n'
    held, transcript = await play(f'{said}reply to "Anna" "later"\nexpect bot "later | ask Anna" within 5')
    assert held, transcript


async def test_a_killed_daemon_says_nothing_and_answers_after_its_start(play: Play) -> None:
    held, transcript = await play(
        'kill\nsay "are you there?"\nexpect nothing within 0.5\nstart\nexpect bot "are you there?"'
    )
    assert held, transcript
    assert "daemon  killed" in transcript


async def test_news_breaks_the_expectation_of_nothing(play: Play) -> None:
    held, transcript = await play('say "hello"\nexpect nothing within 5')
    assert not held
    assert "bot: echo: hello" in transcript


async def test_the_daemons_clock_turns_with_the_worlds(play: Play, world: World) -> None:
    later = f"{world.clock.now() + timedelta(days=400):%Y-%m}"
    held, transcript = await play(f'advance 400d\nsay "time"\nexpect bot "{later}"')
    assert held, transcript


async def test_a_message_sent_twice_is_not_sent_exactly_once(play: Play, world: World) -> None:
    world.centre.inject(OWNER_ID, 1002, "I am ten minutes late")
    assert (await play('expect sent telegram "Anna" "ten minutes"'))[0]
    world.centre.inject(OWNER_ID, 1002, "I am ten minutes late")
    held, transcript = await play('expect sent telegram "@anna" "ten minutes"')
    assert not held
    assert "sent more than once" in transcript


async def test_seeded_messages_are_no_effects(play: Play) -> None:
    held, transcript = await play('expect sent telegram "Anna" "Half past seven" within 0.3')
    assert not held
    assert "in the provider's record:\n  nothing" in transcript


async def test_mails_to_the_butler_are_delivered_as_the_script_says(play: Play, world: World) -> None:
    held, _ = await play(f'mail from "{OWNER.email}" subject "Fwd: Invoice" body "please pay"')
    assert held
    assert world.mail.mailbox("butler@home.example")[-1].field("Subject") == "Fwd: Invoice"


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ('telegram from "Bob" in "Family" "Hello"', "Bob is no member of Family: its members are Mum, Robin, Anna"),
        ('telegram from "Zoe" "Hello"', "nobody called Zoe is on Telegram"),
        ('telegram from "Carol" "Hello"', "nobody called Carol is on Telegram"),
        ('telegram from "Anna" in "Choir" "Hello"', "the owner is in no group called Choir"),
        (f'telegram from "Anna" "{"x" * 5000}"', "Telegram refuses what Anna writes: MESSAGE_TOO_LONG"),
        ('telegram from "Robin" in "Choir" "Hello"', "the owner is in no group called Choir"),
    ],
)
async def test_whoever_cannot_write_there_is_told_in_one_sentence(play: Play, step: str, why: str) -> None:
    held, transcript = await play(step)
    assert not held
    assert why in " ".join(transcript.split())
    assert "Traceback" not in transcript
