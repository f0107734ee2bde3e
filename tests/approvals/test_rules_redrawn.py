"""/rules: the newest list of a chat is redrawn whenever a rule on it changes."""
# names: made up here

from dataclasses import replace

import pytest
import sqlalchemy as sa

from approvals import rule_actions, rule_list_messages
from approvals.handover import hand_over
from approvals.rule_list import LONGEST
from butler.contract.card import MessageRef, OwnerMessage, rich_text
from butler.store.queries import outbox, rules
from butler.store.tables import outbox as outbox_table
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA
from tests.approvals.test_rules_list import LATE, asks, saved, say, stored, tap


async def shown(harness: Harness) -> list[str]:
    """Send /rules and deliver it; return the ids of its messages."""
    await say(harness, OWNER)
    query = sa.select(outbox_table.c.message_id).where(outbox_table.c.state == "waiting")
    waiting = await harness.store.read(lambda c: list(c.execute(query).scalars()))
    for message_id in waiting:
        ref = MessageRef(chat=OWNER, message_ids=(f"m-{message_id}",))
        await harness.write(lambda c, m=message_id, r=ref: outbox.sent(c, m, r, harness.clock.now()))
    return [f"m-{message_id}" for message_id in waiting]


def beginning(message: OwnerMessage) -> str:
    return rich_text(message.text).partition(":")[0]


def labels(message: OwnerMessage) -> list[str]:
    return [button.label for line in message.buttons for button in line]


async def test_a_tap_in_the_list_draws_it_anew_with_buttons_that_work(harness: Harness) -> None:
    await saved(harness)
    (place,) = await shown(harness)
    (first,) = await harness.messages()
    assert beginning(first) == "Rule 1"
    await tap(harness, first, "Disable 1")
    disabled = harness.channel.redrawn[place]
    assert (beginning(disabled), labels(disabled)) == ("Rule 1 (disabled)", ["Enable 1", "Revoke 1"])
    await tap(harness, disabled, "Enable 1")
    enabled = harness.channel.redrawn[place]
    assert (beginning(enabled), labels(enabled)) == ("Rule 1", ["Disable 1", "Revoke 1"])
    assert not await asks(harness, "enabled")
    await tap(harness, enabled, "Revoke 1")
    revoked = harness.channel.redrawn[place]
    assert (beginning(revoked), labels(revoked)) == ("Rule 1 (revoked)", [])
    assert (await harness.messages()) == [revoked]
    assert (await tap(harness, first, "Revoke 1")).startswith("Nothing was changed. Rule 1: Revoked at")


async def test_what_is_changed_at_the_machine_or_comes_to_its_end_is_drawn_in_the_list(harness: Harness) -> None:
    rule = await saved(harness)
    (place,) = await shown(harness)
    await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=harness.clock.now()))
    await harness.run()
    assert beginning(harness.channel.redrawn[place]) == "Rule 1 (disabled)"
    await harness.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=harness.clock.now()))
    await harness.write(lambda c: rules.replace_row(c, rule, replace(rule, uses=9)))
    assert not await asks(harness, "tenth")
    await harness.run()
    assert beginning(harness.channel.redrawn[place]) == "Rule 1 (used up)"


async def test_a_rule_whose_time_is_over_is_drawn_in_the_list(harness: Harness) -> None:
    await saved(harness)
    (place,) = await shown(harness)
    harness.clock.turn(days=30)
    await harness.run()
    assert beginning(harness.channel.redrawn[place]) == "Rule 1 (expired)"


async def test_only_the_newest_list_of_a_chat_is_drawn_anew_and_each_of_its_messages(harness: Harness) -> None:
    first = await saved(harness)
    (old,) = await shown(harness)
    long = replace(first, rule_id="rule-2", number=2, pinned={f"note_{n}": f'"{"x" * 60}"' for n in range(30)})
    await harness.write(lambda c: rules.insert(c, long))
    one, two = await shown(harness)
    assert len(rich_text((await harness.messages())[-1].text)) > LONGEST / 2
    await harness.write(lambda c: rule_actions.revoke(c, long, actor="cli", now=harness.clock.now()))
    await harness.run()
    assert {place: beginning(message) for place, message in harness.channel.redrawn.items()} == {
        one: "Rule 1",
        two: "Rule 2 (revoked)",
    }
    assert old not in harness.channel.redrawn


async def test_a_list_that_is_still_to_be_delivered_goes_out_as_the_rules_stand_by_then(harness: Harness) -> None:
    rule = await saved(harness)
    await say(harness, OWNER)
    await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=harness.clock.now()))
    await harness.run()
    (message,) = await harness.messages()
    assert (beginning(message), labels(message)) == ("Rule 1 (disabled)", ["Enable 1", "Revoke 1"])
    assert not harness.channel.redrawn


async def test_a_draft_that_is_dropped_draws_no_list(harness: Harness) -> None:
    await saved(harness)
    await shown(harness)
    await harness.ask(args={"to": [ANNA], "text": "Good night"}, call_id="2")
    await harness.tap("Always…")
    await harness.tap("Drop")
    assert not harness.channel.redrawn


@pytest.mark.parametrize("trouble", ["offline", "closed"])
async def test_a_list_that_cannot_be_reached_is_drawn_when_it_can_unless_the_chat_is_closed(
    harness: Harness, trouble: str
) -> None:
    rule = await saved(harness)
    (place,) = await shown(harness)
    setattr(harness.channel, trouble, True)
    await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=harness.clock.now()))
    await harness.run(kinds={rules.SHOW_LIST: 1})
    assert not harness.channel.redrawn
    setattr(harness.channel, trouble, False)
    harness.restart()
    harness.clock.turn(minutes=1)
    await harness.run()
    assert (place in harness.channel.redrawn) is (trouble == "offline")


async def test_a_list_whose_rules_or_message_are_gone_is_left_alone(harness: Harness) -> None:
    rule = await saved(harness)
    await shown(harness)
    gone = replace(rule, rule_id="gone")
    await harness.write(
        lambda c: rule_list_messages.remember(c, OWNER, [("nowhere", [rule.rule_id])], harness.clock.now())
    )
    await harness.write(lambda c: rule_list_messages.redraw_lists(c, harness.clock.now()))
    await harness.run()
    (message_id,) = await harness.store.read(lambda c: list(c.execute(sa.select(outbox_table.c.message_id)).scalars()))
    await harness.write(
        lambda c: rule_list_messages.remember(c, OWNER, [(message_id, [gone.rule_id])], harness.clock.now())
    )
    await harness.write(lambda c: rule_list_messages.redraw_lists(c, harness.clock.now()))
    await harness.run()
    assert not harness.channel.redrawn


async def test_a_list_in_a_chat_that_has_moved_or_was_anothers_is_drawn_no_more(harness: Harness) -> None:
    await saved(harness)
    await shown(harness)
    now = harness.clock.now()
    await harness.write(lambda c: rule_list_messages.remember(c, "telegram:-5", [], now))
    await harness.write(lambda c: harness.approvals.chat_moved(c, "telegram:-5", "telegram:-1005", now))
    assert await harness.store.read(lambda c: len(rule_list_messages.messages_of(c, OWNER))) == 1
    await harness.write(lambda c: hand_over(c, now))
    await harness.run()
    assert (await stored(harness)).state == "disabled"
    assert not harness.channel.redrawn
    assert await harness.ask(args=LATE, call_id="after")
