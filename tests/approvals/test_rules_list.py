"""/rules: lists in words what passes without a question, with buttons that disable or revoke it."""
# names: made up here

from dataclasses import replace
from typing import Any

from approvals import rule_actions
from approvals.policy import Decision
from approvals.rule_list import NONE, PAGE
from approvals.rule_proposals import narrowest
from butler.contract.card import Button, OwnerMessage, rich_text
from butler.contract.tools import ArgRole
from butler.store.queries import audit, history, rules
from butler.store.queries.rules import RuleRow
from butler.store.tables import rules as rules_table
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, STRANGER

LATE: dict[str, Any] = {"to": [ANNA], "text": "I'll be late"}


async def saved(harness: Harness, number: int = 1, **more: Any) -> RuleRow:
    """Build a rule in force that allows exactly one text to Anna."""
    await harness.know("Anna", ANNA)
    values: dict[str, Any] = {"args": LATE, "call_id": f"made-{number}"}
    await harness.ask(**(values | more))
    await harness.tap("Always…")
    await harness.tap("Save rule")
    return await stored(harness, number)


async def stored(harness: Harness, number: int = 1) -> RuleRow:
    rule = await harness.store.read(lambda c: rules.by_number(c, number))
    assert rule is not None
    return rule


async def listed(harness: Harness, chat: str = OWNER) -> list[OwnerMessage]:
    """Send /rules; return the resulting messages."""
    before = len(await harness.messages())
    await say(harness, chat)
    return (await harness.messages())[before:]


async def say(harness: Harness, chat: str) -> None:
    """Send /rules; sending it twice makes no difference."""
    key = f"turn:{len(await harness.messages())}"
    await harness.write(lambda c: harness.approvals.say_rules(c, chat, key, harness.clock.now()))
    await harness.write(lambda c: harness.approvals.say_rules(c, chat, key, harness.clock.now()))


def button(message: OwnerMessage, label: str) -> Button:
    return next(one for line in message.buttons for one in line if one.label == label)


async def tap(harness: Harness, message: OwnerMessage, label: str, **more: Any) -> str:
    answer = await harness.approvals.decide(harness.tap_of(button(message, label), **more))
    await harness.run()
    return answer.text


async def asks(harness: Harness, call_id: str) -> bool:
    return (await harness.request(args=LATE, call_id=call_id)).decision is Decision.ASK


async def test_without_rules_it_says_how_one_is_made(harness: Harness) -> None:
    (message,) = await listed(harness)
    assert rich_text(message.text) == NONE


async def test_drafts_and_what_is_over_are_not_listed(harness: Harness) -> None:
    rule = await saved(harness)
    await harness.write(lambda c: rule_actions.revoke(c, rule, actor=OWNER, now=harness.clock.now()))
    await harness.ask(args=LATE, call_id="2")
    await harness.tap("Always…")
    (message,) = await listed(harness)
    assert rich_text(message.text) == NONE


async def test_a_rule_is_listed_with_number_words_uses_expiry_and_last_use(harness: Harness) -> None:
    await saved(harness)
    (message,) = await listed(harness)
    words = (
        "Send message (Telegram, as you) to Anna (Telegram 1002), in this chat, text exactly “I'll be late”; "
        "until 4 April 2026, 13:00, 10 times at most"
    )
    assert rich_text(message.text) == f"Rule 1: {words}; not used yet.\n"
    assert [[one.label for one in line] for line in message.buttons] == [["Disable 1", "Revoke 1"]]
    harness.clock.turn(hours=1)
    assert not await asks(harness, "a")
    (message,) = await listed(harness)
    assert rich_text(message.text) == f"Rule 1: {words}; used once, last at 13:00:00 on 5 March 2026.\n"
    harness.clock.turn(hours=1)
    assert not await asks(harness, "b")
    (message,) = await listed(harness)
    assert rich_text(message.text) == f"Rule 1: {words}; used 2 times, last at 14:00:00 on 5 March 2026.\n"


async def test_a_rule_of_another_chat_names_it_and_one_that_reaches_nobody_names_nobody(harness: Harness) -> None:
    await saved(harness, chat=OWNER, tool="user_email_archive_thread", args={"to": [], "text": "t" * 80}, account="")
    (message,) = await listed(harness, "telegram:-5")
    assert rich_text(message.text).startswith(
        f"Rule 1: Archive thread (Email, as you), in chat Telegram 42, text exactly “{'t' * 59}…”; until"
    )


async def test_a_rule_of_the_butlers_own_says_so_and_names_an_address_that_is_nobodys_any_more(
    harness: Harness,
) -> None:
    harness.configure(bot_outputs="ask")
    await saved(harness, tool="bot_telegram_send_message")
    await harness.forget(ANNA)
    (message,) = await listed(harness)
    assert "Send message (Telegram, as Butler) to Telegram 1002, in this chat" in rich_text(message.text)


async def test_many_rules_are_several_messages_each_with_its_own_buttons(harness: Harness) -> None:
    first = await saved(harness)
    for number in range(2, PAGE + 3):
        other = replace(first, rule_id=f"rule-{number}", number=number)
        await harness.write(lambda c, other=other: rules.insert(c, other))
    one, two = await listed(harness)
    assert len(one.buttons) == PAGE
    assert [line[0].label for line in two.buttons] == ["Disable 9", "Disable 10"]
    assert await tap(harness, two, "Disable 10") == (
        "Rule 10: Disabled at 12:00:00 on 5 March 2026. Nothing passes by it until you enable it in /rules."
    )
    assert (await stored(harness, 10)).state == "disabled"


async def test_a_disabled_rule_allows_nothing_at_once_until_it_is_enabled(harness: Harness) -> None:
    await saved(harness)
    (message,) = await listed(harness)
    await tap(harness, message, "Disable 1")
    assert await asks(harness, "disabled")
    (message,) = await listed(harness)
    assert rich_text(message.text).startswith("Rule 1 (disabled): ")
    assert await tap(harness, message, "Enable 1") == "Rule 1: In force. /rules disables or revokes it."
    assert not await asks(harness, "enabled")
    assert await tap(harness, message, "Enable 1") == (
        "Nothing was changed. Rule 1: In force. /rules disables or revokes it."
    )


async def test_a_revoked_rule_allows_nothing_at_once_and_never_again(harness: Harness) -> None:
    rule = await saved(harness)
    (message,) = await listed(harness)
    told = "Rule 1: Revoked at 12:00:00 on 5 March 2026. Nothing passes by it any more."
    assert await tap(harness, message, "Revoke 1") == told
    assert await asks(harness, "revoked")
    assert await tap(harness, message, "Revoke 1") == f"Nothing was changed. {told}"
    assert await tap(harness, message, "Disable 1") == f"Nothing was changed. {told}"
    card = next(card for card in harness.channel.cards.values() if card.approval_id == rule.rule_id)
    assert rich_text(card.outcome) == told.removeprefix("Rule 1: ")
    entries = await harness.store.read(lambda c: audit.rows(c, rule.rule_id))
    changes = [(row.kind, row.actor) for row in entries if row.kind != "approval.tap_refused"]
    assert changes[0] == ("rule.revoked", OWNER)
    assert not await harness.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=harness.clock.now()))


async def test_revoking_kills_what_the_rule_let_pass_and_has_not_begun(harness: Harness) -> None:
    await saved(harness)
    (message,) = await listed(harness)
    verdict = await harness.request(args=LATE, call_id="passed", plan_id="plan-9")
    assert (verdict.decision, verdict.approval_id is not None) == (Decision.ALLOW, True)
    await tap(harness, message, "Revoke 1")
    await harness.after_undo_window()
    row = await harness.row(str(verdict.approval_id))
    assert row.state == "cancelled"
    assert not harness.provider.calls
    assert "rule 1, which had let it pass, was revoked. Nothing was sent." in card_text(harness.channel.newest)


async def test_what_was_done_before_a_revocation_stays_done(harness: Harness) -> None:
    await saved(harness)
    verdict = await harness.request(args=LATE, call_id="passed")
    await harness.run()
    (message,) = await listed(harness)
    await tap(harness, message, "Revoke 1")
    assert await harness.state(str(verdict.approval_id)) == "done"


async def test_what_a_disabled_rule_let_pass_before_is_not_done(harness: Harness) -> None:
    rule = await saved(harness)
    await harness.request(args=LATE, call_id="passed")
    await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=harness.clock.now()))
    await harness.after_undo_window()
    assert not harness.provider.calls


async def test_a_rule_that_was_used_up_can_be_revoked_and_not_enabled(harness: Harness) -> None:
    rule = await saved(harness)
    await harness.write(lambda c: rules.replace_row(c, rule, replace(rule, uses=9)))
    assert not await asks(harness, "tenth")
    assert await asks(harness, "eleventh")
    assert (await stored(harness)).state == "used_up"
    await harness.write(lambda c: rule_actions.show(c, rule, harness.clock.now()))
    await harness.run()
    card = next(card for card in harness.channel.cards.values() if card.approval_id == rule.rule_id)
    assert rich_text(card.outcome).startswith("Used up at")
    now = harness.clock.now()
    assert not await harness.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=now))
    assert not await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=now))
    assert await harness.write(lambda c: rule_actions.revoke(c, rule, actor="cli", now=now))


async def test_a_disabled_rule_whose_time_is_over_cannot_be_enabled(harness: Harness) -> None:
    rule = await saved(harness)
    await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=harness.clock.now()))
    later = harness.clock.now().replace(year=2027)
    assert not await harness.write(lambda c: rule_actions.enable(c, rule, actor="cli", now=later))


async def test_a_change_goes_by_the_rule_as_it_stands_and_not_as_it_was_read(harness: Harness) -> None:
    rule = await saved(harness)
    assert not await asks(harness, "used")
    assert await harness.write(lambda c: rule_actions.disable(c, rule, actor="cli", now=harness.clock.now()))
    assert (await stored(harness)).uses == 1


async def test_a_rule_that_is_gone_cannot_be_changed(harness: Harness) -> None:
    rule = await saved(harness)
    (message,) = await listed(harness)
    await harness.write(lambda c: c.execute(rules_table.delete()))
    now = harness.clock.now()
    for change in (rule_actions.revoke, rule_actions.disable, rule_actions.enable):
        assert not await harness.write(lambda c, change=change: change(c, rule, actor="cli", now=now))
    assert (await tap(harness, message, "Revoke 1")).startswith("I do not know this button")


async def test_a_strangers_tap_in_the_list_changes_nothing_and_is_told(harness: Harness) -> None:
    await saved(harness)
    (message,) = await listed(harness)
    assert await tap(harness, message, "Revoke 1", sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert (await stored(harness)).state == "active"
    assert "Somebody else (telegram:666)" in (await harness.said())[-1]


async def test_a_restart_between_the_list_and_the_tap_changes_nothing(harness: Harness) -> None:
    await saved(harness)
    (message,) = await listed(harness)
    harness.restart()
    await tap(harness, message, "Disable 1")
    harness.restart()
    await harness.run()
    assert (await stored(harness)).state == "disabled"


async def test_a_private_read_can_have_a_rule_whose_widening_is_only_of_time_and_uses(harness: Harness) -> None:
    """An argument that chooses what is read is never left open."""
    approval_id = await harness.ask("user_email_read_message", args={"item": "mail-7"})
    row = await harness.row(approval_id)
    rule = await harness.store.read(lambda c: narrowest(harness.context, c, row, harness.clock.now()))
    assert rule is not None
    await harness.tap("Always…")
    labels = [one.label for line in harness.channel.newest.buttons for one in line]
    assert labels == ["For 90 days", "Without end", "Up to 100 times", "As often as asked", "Save rule", "Drop"]
    assert ArgRole.TARGET in harness.invoker.metadata("user_email_read_message").args.values()


async def test_a_number_is_shown_as_it_is(harness: Harness) -> None:
    await harness.ask("user_email_read_message", args={"item": "mail-7", "limit": 5})
    await harness.tap("Always…")
    assert "Limit: exactly 5" in card_text(harness.channel.newest)


async def test_uses_are_counted_of_all_time_and_of_late(harness: Harness) -> None:
    rule = await saved(harness)
    assert not await asks(harness, "use-1")
    (seq, _) = await harness.store.read(audit.head)
    assert not await asks(harness, "use-2")
    assert not await asks(harness, "use-3")
    found = await harness.store.read(history.uses_of_rules)
    late = await harness.store.read(lambda c: history.uses_of_rules(c, seq))
    assert [(use.rule_id, use.times) for use in found] == [(rule.rule_id, 3)]
    assert [(use.rule_id, use.times) for use in late] == [(rule.rule_id, 2)]
