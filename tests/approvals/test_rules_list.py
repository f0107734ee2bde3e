"""/rules: what passes without a question, in words, and the taps that stop it or take it back."""
# names: made up here

from dataclasses import replace
from typing import Any

from approvals import rule_actions
from approvals.always import narrowest
from approvals.policy import Decision
from approvals.rule_list import NONE, PAGE
from butler.contract.card import Button, OwnerMessage, rich_text
from butler.contract.tools import ArgMetadata, ArgRole
from butler.store.queries import audit, history, rules
from butler.store.queries.rules import RuleRow
from butler.store.tables import rules as rules_table
from tests.approvals.house import House, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, STRANGER

LATE: dict[str, Any] = {"to": [ANNA], "text": "I'll be late"}


async def saved(house: House, number: int = 1, **more: Any) -> RuleRow:
    """A rule in force that lets exactly one text to Anna pass."""
    await house.know("Anna", ANNA)
    values: dict[str, Any] = {"args": LATE, "call_id": f"made-{number}"}
    await house.ask(**(values | more))
    await house.tap("Always…")
    await house.tap("Save rule")
    return await stored(house, number)


async def stored(house: House, number: int = 1) -> RuleRow:
    rule = await house.store.read(lambda c: rules.by_number(c, number))
    assert rule is not None
    return rule


async def listed(house: House, chat: str = OWNER) -> list[OwnerMessage]:
    """Say /rules; the messages that come of it."""
    before = len(await house.messages())
    await say(house, chat)
    return (await house.messages())[before:]


async def say(house: House, chat: str) -> None:
    """Say /rules; that it is said twice makes no difference."""
    key = f"turn:{len(await house.messages())}"
    await house.write(lambda c: house.approvals.say_rules(c, chat, key, house.clock.now()))
    await house.write(lambda c: house.approvals.say_rules(c, chat, key, house.clock.now()))


def button(message: OwnerMessage, label: str) -> Button:
    return next(one for line in message.buttons for one in line if one.label == label)


async def tap(house: House, message: OwnerMessage, label: str, **more: Any) -> str:
    answer = await house.approvals.decide(house.tap_of(button(message, label), **more))
    await house.run()
    return answer.text


async def asks(house: House, call_id: str) -> bool:
    return (await house.request(args=LATE, call_id=call_id)).decision is Decision.ASK


async def test_without_rules_it_says_how_one_is_made(house: House) -> None:
    (message,) = await listed(house)
    assert rich_text(message.text) == NONE


async def test_drafts_and_what_is_over_are_not_listed(house: House) -> None:
    rule = await saved(house)
    await house.write(lambda c: rule_actions.revoke(c, rule, actor=OWNER, now=house.clock.now()))
    await house.ask(args=LATE, call_id="2")
    await house.tap("Always…")
    (message,) = await listed(house)
    assert rich_text(message.text) == NONE


async def test_a_rule_is_listed_with_number_words_uses_expiry_and_last_use(house: House) -> None:
    await saved(house)
    (message,) = await listed(house)
    words = (
        "Send message (Telegram, as you) to Anna (telegram:1002), in this chat, text exactly “I'll be late”; "
        "until 4 April 2026, 13:00, 10 times at most"
    )
    assert rich_text(message.text) == f"Rule 1: {words}; not used yet.\n"
    assert [[one.label for one in line] for line in message.buttons] == [["Disable 1", "Revoke 1"]]
    house.clock.turn(hours=1)
    assert not await asks(house, "a")
    (message,) = await listed(house)
    assert rich_text(message.text) == f"Rule 1: {words}; used once, last at 13:00:00 on 5 March 2026.\n"
    house.clock.turn(hours=1)
    assert not await asks(house, "b")
    (message,) = await listed(house)
    assert rich_text(message.text) == f"Rule 1: {words}; used 2 times, last at 14:00:00 on 5 March 2026.\n"


async def test_a_rule_of_another_chat_names_it_and_one_that_reaches_nobody_names_nobody(house: House) -> None:
    await saved(house, chat=OWNER, tool="user_email_archive_thread", args={"to": [], "text": "t" * 80}, account="")
    (message,) = await listed(house, "telegram:-5")
    assert rich_text(message.text).startswith(
        f"Rule 1: Archive thread (Email, as you), in chat telegram:42, text exactly “{'t' * 59}…”; until"
    )


async def test_a_rule_of_the_butlers_own_says_so_and_names_an_address_that_is_nobodys_any_more(house: House) -> None:
    house.configure(bot_outputs="ask")
    await saved(house, tool="bot_telegram_send_message")
    await house.forget(ANNA)
    (message,) = await listed(house)
    assert "Send message (Telegram, as Butler) to telegram:1002, in this chat" in rich_text(message.text)


async def test_many_rules_are_several_messages_each_with_its_own_buttons(house: House) -> None:
    first = await saved(house)
    for number in range(2, PAGE + 3):
        other = replace(first, rule_id=f"rule-{number}", number=number)
        await house.write(lambda c, other=other: rules.insert(c, other))
    one, two = await listed(house)
    assert len(one.buttons) == PAGE
    assert [line[0].label for line in two.buttons] == ["Disable 9", "Disable 10"]
    assert await tap(house, two, "Disable 10") == (
        "Rule 10: Disabled at 12:00:00 on 5 March 2026. Nothing passes by it until you enable it in /rules."
    )
    assert (await stored(house, 10)).state == "disabled"


async def test_a_disabled_rule_allows_nothing_at_once_until_it_is_enabled(house: House) -> None:
    await saved(house)
    (message,) = await listed(house)
    await tap(house, message, "Disable 1")
    assert await asks(house, "disabled")
    (message,) = await listed(house)
    assert rich_text(message.text).startswith("Rule 1 (disabled): ")
    assert await tap(house, message, "Enable 1") == "Rule 1: In force. /rules disables or revokes it."
    assert not await asks(house, "enabled")
    assert await tap(house, message, "Enable 1") == (
        "Nothing was changed. Rule 1: In force. /rules disables or revokes it."
    )


async def test_a_revoked_rule_allows_nothing_at_once_and_never_again(house: House) -> None:
    rule = await saved(house)
    (message,) = await listed(house)
    told = "Rule 1: Revoked at 12:00:00 on 5 March 2026. Nothing passes by it any more."
    assert await tap(house, message, "Revoke 1") == told
    assert await asks(house, "revoked")
    assert await tap(house, message, "Revoke 1") == f"Nothing was changed. {told}"
    assert await tap(house, message, "Disable 1") == f"Nothing was changed. {told}"
    card = next(card for card in house.channel.cards.values() if card.approval_id == rule.rule_id)
    assert rich_text(card.outcome) == told.removeprefix("Rule 1: ")
    entries = await house.store.read(lambda c: audit.rows(c, rule.rule_id))
    changes = [(row.kind, row.actor) for row in entries if row.kind != "approval.tap_refused"]
    assert changes[0] == ("rule.revoked", OWNER)
    assert not await house.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=house.clock.now()))


async def test_revoking_kills_what_the_rule_let_pass_and_has_not_begun(house: House) -> None:
    await saved(house)
    (message,) = await listed(house)
    verdict = await house.request(args=LATE, call_id="passed", plan_id="plan-9")
    assert (verdict.decision, verdict.approval_id is not None) == (Decision.ALLOW, True)
    await tap(house, message, "Revoke 1")
    await house.after_undo_window()
    row = await house.row(str(verdict.approval_id))
    assert row.state == "cancelled"
    assert not house.provider.calls
    assert "rule 1, which had let it pass, was revoked. Nothing was sent." in card_text(house.channel.newest)


async def test_what_was_done_before_a_revocation_stays_done(house: House) -> None:
    await saved(house)
    verdict = await house.request(args=LATE, call_id="passed")
    await house.run()
    (message,) = await listed(house)
    await tap(house, message, "Revoke 1")
    assert await house.state(str(verdict.approval_id)) == "done"


async def test_what_a_disabled_rule_let_pass_before_is_not_done(house: House) -> None:
    rule = await saved(house)
    await house.request(args=LATE, call_id="passed")
    await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=house.clock.now()))
    await house.after_undo_window()
    assert not house.provider.calls


async def test_a_rule_that_was_used_up_can_be_revoked_and_not_enabled(house: House) -> None:
    rule = await saved(house)
    await house.write(lambda c: rules.replace_row(c, rule, replace(rule, uses=9)))
    assert not await asks(house, "tenth")
    assert await asks(house, "eleventh")
    assert (await stored(house)).state == "used_up"
    await house.write(lambda c: rule_actions.show(c, rule, house.clock.now()))
    await house.run()
    card = next(card for card in house.channel.cards.values() if card.approval_id == rule.rule_id)
    assert rich_text(card.outcome).startswith("Used up at")
    now = house.clock.now()
    assert not await house.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=now))
    assert not await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=now))
    assert await house.write(lambda c: rule_actions.revoke(c, rule, actor="cli", now=now))


async def test_a_disabled_rule_whose_time_is_over_cannot_be_enabled(house: House) -> None:
    rule = await saved(house)
    await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=house.clock.now()))
    later = house.clock.now().replace(year=2027)
    assert not await house.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=later))


async def test_a_change_goes_by_the_rule_as_it_stands_and_not_as_it_was_read(house: House) -> None:
    rule = await saved(house)
    assert not await asks(house, "used")
    assert await house.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=house.clock.now()))
    assert (await stored(house)).uses == 1


async def test_a_rule_that_is_gone_cannot_be_changed(house: House) -> None:
    rule = await saved(house)
    (message,) = await listed(house)
    await house.write(lambda c: c.execute(rules_table.delete()))
    now = house.clock.now()
    for change in (rule_actions.revoke, rule_actions.disable, rule_actions.enable):
        assert not await house.write(lambda c, change=change: change(c, rule, actor="cli", now=now))
    assert (await tap(house, message, "Revoke 1")).startswith("I do not know this button")


async def test_a_strangers_tap_in_the_list_changes_nothing_and_is_told(house: House) -> None:
    await saved(house)
    (message,) = await listed(house)
    assert await tap(house, message, "Revoke 1", sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert (await stored(house)).state == "active"
    assert "Somebody else (telegram:666)" in (await house.said())[-1]


async def test_a_restart_between_the_list_and_the_tap_changes_nothing(house: House) -> None:
    await saved(house)
    (message,) = await listed(house)
    house.restart()
    await tap(house, message, "Disable 1")
    house.restart()
    await house.run()
    assert (await stored(house)).state == "disabled"


async def test_a_private_read_can_have_a_rule_whose_widening_is_only_of_time_and_uses(house: House) -> None:
    """An argument that chooses what is read is never let free."""
    approval_id = await house.ask("user_email_read_message", args={"item": "mail-7"})
    row = await house.row(approval_id)
    rule = await house.store.read(lambda c: narrowest(house.context, c, row, house.clock.now()))
    assert rule is not None
    await house.tap("Always…")
    labels = [one.label for line in house.channel.newest.buttons for one in line]
    assert labels == ["For 90 days", "Without end", "Up to 100 times", "As often as asked", "Save rule", "Drop"]
    assert ArgMetadata(ArgRole.TARGET) in house.invoker.metadata("user_email_read_message").args.values()


async def test_a_number_is_shown_as_it_is(house: House) -> None:
    await house.ask("user_email_read_message", args={"item": "mail-7", "limit": 5})
    await house.tap("Always…")
    assert "Limit: exactly 5" in card_text(house.channel.newest)


async def test_uses_are_counted_of_all_time_and_of_late(house: House) -> None:
    rule = await saved(house)
    assert not await asks(house, "use-1")
    (seq, _) = await house.store.read(audit.head)
    assert not await asks(house, "use-2")
    assert not await asks(house, "use-3")
    found = await house.store.read(history.uses_of_rules)
    late = await house.store.read(lambda c: history.uses_of_rules(c, seq))
    assert [(use.rule_id, use.times) for use in found] == [(rule.rule_id, 3)]
    assert [(use.rule_id, use.times) for use in late] == [(rule.rule_id, 2)]
