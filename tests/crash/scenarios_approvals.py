"""What a person does with a card besides a plain yes and no, and must find afterwards, whenever the daemon died."""

from datetime import timedelta

from tests.crash.scenarios import LATE, Scenario, approve, card_tells, states

SEND = "user_telegram_send_message"
A_WHILE = {'undo_window = "0s"': 'undo_window = "60s"'}
"""Time to change one's mind in, also where the daemon has to be started again."""
SOME = 6


async def edit_by_reply(home):
    """Chat, card, a reply that changes it, a new card, yes: what leaves, once, is what the new card showed."""
    home.world.say(f"tell Anna on Telegram that {LATE}")
    await home.until(lambda: labelled(home, "Approve"), "a card")
    await home.settled()
    # A card whose sending was not noted is shown again, and nobody can tell what a reply to the first copy is about.
    card, _ = labelled(home, "Approve")[-1]
    home.world.say("make it twenty minutes", reply_to=card)
    await home.until(lambda: home.rows("select 1 from approvals where revision = 2"), "a new revision")
    await home.until(lambda: [at for at, _ in labelled(home, "Approve") if at > card], "a new card")
    await home.settled()
    home.world.press(*labelled(home, "Approve")[-1])
    await home.until(lambda: states(home, SEND) == ["done"], "a done approval")
    await home.settled()
    sent = [m.text.lower() for m in home.world.sent_telegrams()]
    assert len(sent) == 1, sent
    assert "twenty minutes" in sent[0]
    await card_tells(home, "Sent")
    # A message whose sending was not noted keeps its buttons, which are as dead as those that were taken away.
    left = labelled(home, "Approve")
    assert len(left) <= home.deaths, left
    for at in left:
        home.world.press(*at)
    await home.settled()
    assert len(home.world.sent_telegrams()) == 1
    assert states(home, SEND) == ["done"]


async def rule_from_a_card(home):
    """Always…, any text, a second yes; the next message of that kind leaves without a question, once."""
    home.world.say(f"tell Anna on Telegram that {LATE}")
    await tap(home, "Always…")
    await tap(home, "Any text")
    await home.until(lambda: home.rows("select 1 from rules where revision = 2"), "a wider rule")
    await home.settled()
    await tap(home, "Save rule")
    await home.until(lambda: home.rows("select 1 from rules where state = 'active'"), "a saved rule")
    assert states(home, SEND) == ["pending"], "a rule approves no card"
    home.world.say("tell Anna on Telegram that the train is on time")
    await home.until(lambda: sorted(states(home, SEND)) == ["done", "pending"], "an act by the rule")
    await home.settled()
    sent = [m.text.lower() for m in home.world.sent_telegrams()]
    assert len(sent) == 1, sent
    assert "train" in sent[0]
    assert home.rows("select uses, state from rules") == [(1, "active")], "a use is counted once"
    await home.until(lambda: telling(home, "Passed by your standing rule 1. Sent at"), "a card of what passed")
    assert len(labelled(home, "Approve")) >= 1, "the first card still waits"


async def undo_in_time(home):
    """Chat, card, yes, Undo: nothing leaves, also not when the window would have been over."""
    home.world.say(f"tell Anna on Telegram that {LATE}")
    await approve(home)
    await tap(home, "Undo")
    await home.until(lambda: states(home, SEND) == ["cancelled"], "an undone approval")
    home.world.advance(timedelta(minutes=5))
    await home.settled()
    assert home.world.sent_telegrams() == []
    await card_tells(home, "Undone")


async def approve_a_batch(home):
    """Six alike: three cards and one digest, whose three are read and approved together; each leaves once."""
    for number in range(SOME):
        home.world.say(f"tell Anna on Telegram that part {number} of {SOME} is done")
    await home.until(lambda: states(home, SEND) == ["pending"] * SOME, "six that wait")
    turned = set()
    while not starting(home, "Approve all"):
        await home.settled()
        turns = [found for found in labelled(home, "▶") if found not in turned]
        for found in turns[-1:]:
            turned.add(found)
            home.world.press(*found)
        await home.until(lambda: starting(home, "Approve all") or set(labelled(home, "▶")) - turned, "a page")
    await home.settled()
    home.world.press(*starting(home, "Approve all")[-1])
    await home.until(lambda: sorted(states(home, SEND)) == ["done"] * 3 + ["pending"] * 3, "three that were sent")
    await home.settled()
    sent = sorted(m.text.lower() for m in home.world.sent_telegrams())
    assert len(sent) == len(set(sent)) == 3, sent
    assert not starting(home, "Approve all")
    await home.until(lambda: telling(home, "3 sent"), "a digest that tells what was done")


async def pause_before_the_act(home):
    """Chat, card, yes, /pause user within the undo window: nothing leaves, and after /resume that stays so."""
    home.world.say(f"tell Anna on Telegram that {LATE}")
    await approve(home)
    await home.until(lambda: states(home, SEND) == ["approved"], "an approved act")
    home.world.say("/pause user")
    await home.until(lambda: states(home, SEND) == ["cancelled"], "a stopped act")
    home.world.say("/resume")
    await home.until(lambda: telling(home, "may be done again"), "the end of the pause")
    home.world.advance(timedelta(minutes=5))
    await home.settled()
    assert home.world.sent_telegrams() == []
    await card_tells(home, "Stopped")
    home.world.say("tell Anna on Telegram that all is well again")
    await approve(home)
    await home.until(lambda: states(home, SEND)[-1:] == ["approved"], "a second approved act")
    home.world.advance(timedelta(minutes=5))
    await home.until(lambda: sorted(states(home, SEND)) == ["cancelled", "done"], "an act after the pause")
    await home.settled()
    assert len(home.world.sent_telegrams()) == 1


async def tap(home, label):
    """Tap the newest button of this label."""
    found = await home.until(lambda: labelled(home, label), label)
    home.world.press(*found[-1])


def labelled(home, label):
    """Messages that have a button of exactly this label, with its data; oldest first."""
    return [(at, data) for at, text, data in _buttons(home) if text == label]


def starting(home, label):
    """The same of labels that begin so."""
    return [(at, data) for at, text, data in _buttons(home) if text.startswith(label)]


def telling(home, text):
    """Messages of the butler that hold this text now."""
    return [m for m in home.bot_messages() if text in m.get("text", "")]


def _buttons(home):
    for message in home.bot_messages():
        for row in message.get("reply_markup", {}).get("inline_keyboard", []):
            for button in row:
                yield message["message_id"], button["text"], button["callback_data"]


APPROVAL_SCENARIOS = (
    Scenario("edit_by_reply", edit_by_reply),
    Scenario("rule_from_a_card", rule_from_a_card),
    Scenario("undo_in_time", undo_in_time, A_WHILE),
    Scenario("approve_a_batch", approve_a_batch),
    Scenario("pause_before_the_act", pause_before_the_act, A_WHILE),
)
