"""Who the owner is: paired once by a code that the command shows, and nobody else has a say."""

import re
from datetime import timedelta

import pytest

from butler.cli.pair import open_pairing, pair_again
from butler.cli.pause import pause_now, resume_now
from butler.contract.errors import Refuse
from butler_demo.people import OWNER_ID, STRANGER
from tests.app.words import answers, asked, said, shows, telegrams

FIFTEEN_MINUTES = timedelta(minutes=15, seconds=1)
UNPAIRED = {f"telegram_user_id = {OWNER_ID}\n": ""}
STRANGER_ID = STRANGER.telegram_id


async def code(home):
    """What `butler pair` shows, beside the running daemon."""
    return re.search(r"/start (\S+)", await open_pairing(home.config))[1]


def strangers_say(home, words):
    home.world.bot_api.say(home.world.bot_token, STRANGER_ID, words)


def told_to_stranger(home):
    messages = home.world.bot_api.messages(home.world.bot_token, STRANGER_ID)
    return [message for message in messages if message["from"]["is_bot"]]


async def confirmed(home):
    """Wait until Telegram was told that everything has come in."""
    await home.until(lambda: not home.world.bot_api.pending_updates(home.world.bot_token), "all updates taken")


async def test_the_one_who_says_the_code_is_the_owner_and_it_works_once(harness):
    home = await harness(replaced=UNPAIRED)
    opened = await code(home)
    home.world.say(f"/start {opened.lower()}")
    await shows(home, "I am Jeeves")
    strangers_say(home, f"/start {opened}")
    strangers_say(home, "what is pending")
    await confirmed(home)
    await answers(home)
    assert told_to_stranger(home) == []
    with pytest.raises(Refuse, match=f"paired with Telegram user {OWNER_ID}"):
        await open_pairing(home.config)

    await home.stop()
    await home.start()
    await answers(home)


async def test_after_five_wrong_codes_even_the_right_one_is_refused(harness):
    home = await harness(replaced=UNPAIRED)
    opened = await code(home)
    for number in range(5):
        home.world.say(f"/start WRONG{number}")
    await confirmed(home)
    await home.settled()
    home.world.say(f"/start {opened}")
    await confirmed(home)
    await home.settled()
    assert home.rows("select 1 from facts where name = 'paired'") == []
    assert said(home, "Jeeves") == []

    home.world.say(f"/start {await code(home)}")
    await shows(home, "I am Jeeves")


async def test_a_strangers_wrong_codes_in_any_letters_take_nothing_from_the_owner(harness):
    home = await harness(replaced=UNPAIRED)
    opened = await code(home)
    for typed in ("ü", "ß", "日本", *(f"WRONG{number}" for number in range(6))):
        strangers_say(home, f"/start {typed}")
    await confirmed(home)
    await home.settled()
    home.world.say(f"/start {opened}")
    await shows(home, "I am Jeeves")


async def test_a_code_is_old_after_fifteen_minutes(harness):
    home = await harness(replaced=UNPAIRED)
    opened = await code(home)
    home.world.clock.advance(FIFTEEN_MINUTES)
    home.world.say(f"/start {opened}")
    await confirmed(home)
    await home.settled()
    assert said(home, "Jeeves") == []


async def test_a_stranger_gets_no_answer_and_leaves_no_trace(home):
    before = home.rows("select count(*) from inbox")
    for words in ("hello", "/start", "/start WRONG", "/pending", "tell Anna that I am Robin"):
        strangers_say(home, words)
    await confirmed(home)
    await answers(home)
    assert told_to_stranger(home) == []
    assert home.rows(f"select 1 from inbox where sender = 'telegram:{STRANGER_ID}'") == []
    assert home.rows("select count(*) from inbox") == [(before[0][0] + 1,)]


def told_to(home, user_id):
    """What the bot's side of somebody's private chat shows now, with its buttons."""
    return [m for m in home.world.bot_api.messages(home.world.bot_token, user_id) if m["from"]["is_bot"]]


@pytest.mark.nightly
async def test_after_a_stolen_account_the_command_line_makes_a_stranger_of_it_at_once(harness):
    home = await harness(replaced=UNPAIRED)
    home.world.say(f"/start {await code(home)}")
    await shows(home, "I am Jeeves")
    approve, _ = await asked(home, "tell Anna on Telegram that the thief was here")

    again = re.search(r"/start (\S+)", pair_again(home.config))[1]
    await home.until(lambda: not home.rows("select 1 from work where kind = 'owner_changed'"), "news of it")
    taken = len(told_to(home, OWNER_ID))
    home.world.press(*approve)
    for words in ("what is pending", "tell Anna on Telegram that I rob you", "/resume", "/start WRONG"):
        home.world.say(words)
    await confirmed(home)
    await home.until(lambda: "not yours" in (home.world.bot_api.callbacks[-1].text or ""), "an answer to the old tap")
    tries = f"select json_extract(value, '$.tries.\"{OWNER_ID}\"') from facts where name = 'pairing'"
    await home.until(lambda: home.rows(tries) == [(1,)], "the wrong code counted")
    assert home.rows("select state, detail from approvals") == [
        ("cancelled", '[{"code": "paired_anew", "params": {}}]')
    ]

    strangers_say(home, f"/start {again}")
    await home.until(
        lambda: any("Withdrawn" in m.get("text", "") for m in told_to(home, STRANGER_ID)), "what was withdrawn"
    )
    strangers_say(home, "/pending")
    await home.until(
        lambda: any("Nothing is waiting" in m.get("text", "") for m in told_to(home, STRANGER_ID)), "an answer"
    )
    home.world.say("hello?")
    home.world.say(f"/start {again}")
    await confirmed(home)
    await home.settled()
    assert telegrams(home, "thief") == telegrams(home, "rob") == []
    assert len(told_to(home, OWNER_ID)) == taken, "the old account is told nothing more"
    assert any("Stopped at" in m.get("text", "") for m in told_to(home, OWNER_ID)), "and its card is dead"


async def test_what_the_command_line_pauses_stops_at_once_and_no_chat_lifts_it(home):
    assert "Paused" in pause_now(home.config)
    approve_later = "tell Anna on Telegram that this waits"
    home.world.say(approve_later)
    await shows(home, "paused")
    home.world.say("/resume")
    await shows(home, "`butler resume`")
    home.world.say("/status")
    await shows(home, "is paused since", "on the command line")
    assert "may be done again" in resume_now(home.config)
    await asked(home, approve_later)


@pytest.mark.nightly
async def test_the_chat_pauses_and_goes_on_across_a_restart(home):
    approve, _ = await asked(home, "tell Anna on Telegram that this waits")
    home.world.say("/pause")
    await shows(home, "/pause user stops at once")
    home.world.say("/pause user")
    await shows(home, "Paused: nothing is done in your name now")
    await home.stop()
    await home.start()
    home.world.press(*approve)
    await home.until(lambda: "/resume first" in (home.world.bot_api.callbacks[-1].text or ""), "a refusal")
    home.world.say("/resume")
    await shows(home, "may be done again")
    home.world.press(*approve)
    await shows(home, "this waits", "Sent at")
    assert len(telegrams(home, "this waits")) == 1
