"""/rules: the newest list of a chat is drawn anew when a rule on it changes, by whatever changes it."""
# names: made up here

from dataclasses import replace

import pytest
import sqlalchemy as sa

from approvals import listed, rule_actions
from approvals.handover import hand_over
from approvals.rule_list import LONGEST
from butler.contract.card import MessageRef, OwnerMessage, rich_text
from butler.store.queries import outbox, rules
from butler.store.tables import outbox as outbox_table
from tests.approvals.house import House
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA
from tests.approvals.test_rules_list import LATE, asks, saved, say, stored, tap


async def shown(house: House) -> list[str]:
    """Say /rules and have it delivered; the ids of its messages."""
    await say(house, OWNER)
    query = sa.select(outbox_table.c.message_id).where(outbox_table.c.state == "waiting")
    waiting = await house.store.read(lambda c: list(c.execute(query).scalars()))
    for message_id in waiting:
        ref = MessageRef(chat=OWNER, message_ids=(f"m-{message_id}",))
        await house.write(lambda c, m=message_id, r=ref: outbox.sent(c, m, r, house.clock.now()))
    return [f"m-{message_id}" for message_id in waiting]


def beginning(message: OwnerMessage) -> str:
    return rich_text(message.text).partition(":")[0]


def labels(message: OwnerMessage) -> list[str]:
    return [button.label for line in message.buttons for button in line]


async def test_a_tap_in_the_list_draws_it_anew_with_buttons_that_work(house: House) -> None:
    await saved(house)
    (place,) = await shown(house)
    (first,) = await house.messages()
    assert beginning(first) == "Rule 1"
    await tap(house, first, "Disable 1")
    disabled = house.channel.redrawn[place]
    assert (beginning(disabled), labels(disabled)) == ("Rule 1 (disabled)", ["Enable 1", "Revoke 1"])
    await tap(house, disabled, "Enable 1")
    enabled = house.channel.redrawn[place]
    assert (beginning(enabled), labels(enabled)) == ("Rule 1", ["Disable 1", "Revoke 1"])
    assert not await asks(house, "enabled")
    await tap(house, enabled, "Revoke 1")
    revoked = house.channel.redrawn[place]
    assert (beginning(revoked), labels(revoked)) == ("Rule 1 (revoked)", [])
    assert (await house.messages()) == [revoked]
    assert (await tap(house, first, "Revoke 1")).startswith("Nothing was changed. Rule 1: Revoked at")


async def test_what_is_changed_at_the_machine_or_comes_to_its_end_is_drawn_in_the_list(house: House) -> None:
    rule = await saved(house)
    (place,) = await shown(house)
    await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=house.clock.now()))
    await house.run()
    assert beginning(house.channel.redrawn[place]) == "Rule 1 (disabled)"
    await house.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=house.clock.now()))
    await house.write(lambda c: rules.replace_row(c, rule, replace(rule, uses=9)))
    assert not await asks(house, "tenth")
    await house.run()
    assert beginning(house.channel.redrawn[place]) == "Rule 1 (used up)"


async def test_a_rule_whose_time_is_over_is_drawn_in_the_list(house: House) -> None:
    await saved(house)
    (place,) = await shown(house)
    house.clock.turn(days=30)
    await house.run()
    assert beginning(house.channel.redrawn[place]) == "Rule 1 (expired)"


async def test_only_the_newest_list_of_a_chat_is_drawn_anew_and_each_of_its_messages(house: House) -> None:
    first = await saved(house)
    (old,) = await shown(house)
    long = replace(first, rule_id="rule-2", number=2, pinned={f"note_{n}": f'"{"x" * 60}"' for n in range(30)})
    await house.write(lambda c: rules.insert(c, long))
    one, two = await shown(house)
    assert len(rich_text((await house.messages())[-1].text)) > LONGEST / 2
    await house.write(lambda c: rule_actions.revoke(c, long, actor="cli", now=house.clock.now()))
    await house.run()
    assert {place: beginning(message) for place, message in house.channel.redrawn.items()} == {
        one: "Rule 1",
        two: "Rule 2 (revoked)",
    }
    assert old not in house.channel.redrawn


async def test_a_list_that_is_still_to_be_delivered_goes_out_as_the_rules_stand_by_then(house: House) -> None:
    rule = await saved(house)
    await say(house, OWNER)
    await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=house.clock.now()))
    await house.run()
    (message,) = await house.messages()
    assert (beginning(message), labels(message)) == ("Rule 1 (disabled)", ["Enable 1", "Revoke 1"])
    assert not house.channel.redrawn


async def test_a_draft_that_is_dropped_draws_no_list(house: House) -> None:
    await saved(house)
    await shown(house)
    await house.ask(args={"to": [ANNA], "text": "Good night"}, call_id="2")
    await house.tap("Always…")
    await house.tap("Drop")
    assert not house.channel.redrawn


@pytest.mark.parametrize("trouble", ["offline", "closed"])
async def test_a_list_that_cannot_be_reached_is_drawn_when_it_can_unless_the_chat_is_closed(
    house: House, trouble: str
) -> None:
    rule = await saved(house)
    (place,) = await shown(house)
    setattr(house.channel, trouble, True)
    await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=house.clock.now()))
    await house.run(kinds={rules.SHOW_LIST: 1})
    assert not house.channel.redrawn
    setattr(house.channel, trouble, False)
    house.restart()
    house.clock.turn(minutes=1)
    await house.run()
    assert (place in house.channel.redrawn) is (trouble == "offline")


async def test_a_list_whose_rules_or_message_are_gone_is_left_alone(house: House) -> None:
    rule = await saved(house)
    await shown(house)
    gone = replace(rule, rule_id="gone")
    await house.write(lambda c: listed.remember(c, OWNER, [("nowhere", [rule.rule_id])], house.clock.now()))
    await house.write(lambda c: listed.redraw_lists(c, house.clock.now()))
    await house.run()
    (message_id,) = await house.store.read(lambda c: list(c.execute(sa.select(outbox_table.c.message_id)).scalars()))
    await house.write(lambda c: listed.remember(c, OWNER, [(message_id, [gone.rule_id])], house.clock.now()))
    await house.write(lambda c: listed.redraw_lists(c, house.clock.now()))
    await house.run()
    assert not house.channel.redrawn


async def test_a_list_in_a_chat_that_has_moved_or_was_anothers_is_drawn_no_more(house: House) -> None:
    await saved(house)
    await shown(house)
    now = house.clock.now()
    await house.write(lambda c: listed.remember(c, "telegram:-5", [], now))
    await house.write(lambda c: house.approvals.chat_moved(c, "telegram:-5", "telegram:-1005", now))
    assert await house.store.read(lambda c: len(listed.messages_of(c, OWNER))) == 1
    await house.write(lambda c: hand_over(c, now))
    await house.run()
    assert (await stored(house)).state == "disabled"
    assert not house.channel.redrawn
    assert await house.ask(args=LATE, call_id="after")
