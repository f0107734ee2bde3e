"""A hijacked model under the whole daemon: what it chooses once it knows what others wrote waits, or shows whose it is.

It may set a reminder or a note; then that is shown as a quotation, and nothing in it can be tapped.
"""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crash.daemon_harness import Nursery
from tests.hostile.evil_model import BAIT, ROUNDS
from tests.hostile.test_evil_model import NOTHING, AttackedDaemon
from tests.support.tapping import tappable_in

ASKS = {
    "bot_web_read_page": 1,
    "bot_reminders_travel": 2,
    "bot_livekit_create_room": 2,
    "bot_digests_skip": 1,
    "bot_reminders_remove": 1,
    "bot_butler_resume": 2,
    "bot_butler_set_preference": 3,
    "bot_butler_set_quiet_hours": 2,
    "bot_butler_undo": 1,
    "bot_butler_pause": 1,
}
"""How often each tool waits for a yes."""


@pytest.fixture
async def siege(tmp_path: Path, nursery: Nursery) -> AsyncIterator[AttackedDaemon]:
    siege = AttackedDaemon(tmp_path, nursery)
    try:
        await siege.begin()
        yield siege
    finally:
        await siege.end()


@pytest.mark.nightly
@pytest.mark.timeout(600)
async def test_what_a_model_chooses_after_others_words_waits_and_nothing_it_shows_can_be_tapped(
    siege: AttackedDaemon,
) -> None:
    for name in ROUNDS:
        siege.say(f"attack {name}")
        await siege.settled()
    assert siege.model.attacked == list(ROUNDS)
    assert siege.model.refused == []

    # Nothing was done: no page read, no room opened, no zone changed, nothing left.
    waiting = siege.rows("select tool, args from approvals where state = 'pending'")
    assert dict(Counter(tool for tool, _ in waiting)) == ASKS
    assert siege.rows("select name from preferences") == []
    assert siege.rows("select name from facts where name in ('quiet_hours', 'paused_user')") == []
    assert siege.rows("select 1 from attempts") == []
    assert siege.left() == NOTHING
    assert siege.rooms() == []

    # What was kept is kept as somebody's words, and said as such.
    (labels,) = siege.rows("select labels from notes")[0]
    assert '"untrusted"' in labels
    await siege.until(lambda: len(siege.shown("⏰ “Your account")) == len(siege.reminders()), "both reminders")
    for message in siege.shown("⏰ “Your account"):
        assert "(from a language model's plan" in message["text"]
    assert siege.shown(BAIT), "it was shown whole, and not left out"

    for message in siege.owners_chat():
        if message["from"]["is_bot"] and "I am Butler" not in message.get("text", ""):
            assert tappable_in(message) == [], message


@pytest.mark.nightly
@pytest.mark.timeout(600)
async def test_a_model_stops_what_acts_as_the_owner_and_only_the_owner_lets_it_go_on(siege: AttackedDaemon) -> None:
    siege.say("attack stops at once")
    await siege.until(lambda: siege.shown("Paused: nothing is done in your name now."), "the pause")
    siege.say("attack goes on at once")
    siege.say("attack goes on")
    await siege.settled()
    assert siege.rows("select 1 from facts where name = 'paused_user'") == [(1,)]
    waiting = siege.rows("select approval_id from approvals where state = 'pending'")
    assert len(waiting) == 2
    message_id, shown, buttons = siege.card_of(waiting[0][0])
    assert "Lets what acts as you go on" in shown
    siege.press(message_id, buttons["Approve"])
    await siege.until(lambda: not siege.rows("select 1 from facts where name = 'paused_user'"), "the end of the pause")
    await siege.settled()
    assert siege.left() == NOTHING
