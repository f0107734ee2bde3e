"""Who the owner is: paired once by a code that the command shows, and nobody else has a say."""

import re
from datetime import timedelta

import pytest

from butler.cli.pairing import open_pairing
from butler.contract.errors import Refuse
from butler.demo.people import OWNER_ID, STRANGER
from tests.app.words import answers, said, shows

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


async def test_the_one_who_says_the_code_is_the_owner_and_it_works_once(household):
    home = await household(replaced=UNPAIRED)
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


async def test_after_five_wrong_codes_even_the_right_one_is_refused(household):
    home = await household(replaced=UNPAIRED)
    opened = await code(home)
    for number in range(5):
        strangers_say(home, f"/start WRONG{number}")
    await confirmed(home)
    await home.settled()
    home.world.say(f"/start {opened}")
    await confirmed(home)
    await home.settled()
    assert home.rows("select 1 from facts where name = 'paired'") == []
    assert said(home, "Jeeves") == []

    home.world.say(f"/start {await code(home)}")
    await shows(home, "I am Jeeves")


async def test_a_code_is_old_after_fifteen_minutes(household):
    home = await household(replaced=UNPAIRED)
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
