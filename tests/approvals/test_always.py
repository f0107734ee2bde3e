"""Always...: a rule is proposed, looked at, widened and saved by taps alone, and lets pass what its card said."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from approvals import rule_desk
from approvals.always import FIRST_LIFE, FIRST_USES
from approvals.policy import Decision
from approvals.rule_card import REFUSED_SHOWN
from butler.contract.card import Card, rich_text
from butler.contract.errors import UnknownToolError
from butler.store.queries import audit, rules
from butler.store.queries.rules import RuleRow
from butler.store.tables import approvals as approvals_table
from butler.store.tables import rules as rules_table
from tests.approvals.house import (
    A_MAIL,
    ANNA,
    ARCHIVE,
    MAIL,
    NOON,
    OWN_WORDS,
    OWNER,
    SEND,
    STRANGER,
    House,
    Killed,
    card_text,
    create_tables,
)
from tests.approvals.test_crash import Mortal

ALWAYS = "Always…"
TITLE = "A standing rule, not saved yet"
LATE: dict[str, Any] = {"to": [ANNA], "text": "I'll be late"}


def labels(card: Card) -> list[str]:
    return [button.label for line in card.buttons for button in line]


async def all_rules(house: House) -> list[RuleRow]:
    return await house.store.read(lambda c: [RuleRow.of(row) for row in c.execute(sa.select(rules_table)).mappings()])


async def the_rule(house: House) -> RuleRow:
    (rule,) = await all_rules(house)
    return rule


async def kinds(house: House, subject: str) -> list[str]:
    rows = await house.store.read(lambda c: audit.rows(c, subject))
    return [row.kind for row in reversed(rows)]


async def proposed(house: House, **more: Any) -> str:
    """A proposal's card stands below the card that it was made from; the approval's id."""
    await house.know("Anna", ANNA)
    values: dict[str, Any] = {"args": LATE}
    approval_id = await house.ask(**(values | more))
    await house.tap(ALWAYS)
    return approval_id


async def saved(house: House, *taps: str, **more: Any) -> RuleRow:
    await proposed(house, **more)
    for label in (*taps, "Save rule"):
        await house.tap(label)
    return await the_rule(house)


# The button


async def test_the_button_stands_under_approve_and_deny(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    assert [[button.label for button in line] for line in house.channel.newest.buttons] == [
        ["Approve", "Deny"],
        [ALWAYS],
    ]


UNFIT: dict[str, dict[str, Any]] = {
    "a stranger": {"args": {"to": ["telegram:77"], "text": "hi"}},
    "a stranger among others": {"args": {"to": [ANNA, "telegram:77"], "text": "hi"}},
    "chosen by somebody else": {"args": LATE, "origins": {"to": A_MAIL, "text": OWN_WORDS}},
    "nobody knows by whom": {"args": LATE, "origins": {"text": OWN_WORDS}},
}


@pytest.mark.parametrize("more", UNFIT.values(), ids=UNFIT)
async def test_there_is_no_button_where_no_rule_could_ever_match(house: House, more: dict[str, Any]) -> None:
    await house.know("Anna", ANNA)
    await house.ask(**more)
    assert ALWAYS not in labels(house.channel.newest)


async def test_the_highest_risk_has_no_button(house: House) -> None:
    many = [f"telegram:{number}" for number in range(11)]
    await house.know("Anna", *many)
    approval_id = await house.ask(args={"to": many, "text": "hi"})
    assert (await house.row(approval_id)).risk == "highest"
    assert ALWAYS not in labels(house.channel.newest)


async def test_what_reaches_nobody_and_what_reaches_the_owner_may_have_a_rule(house: House) -> None:
    await house.ask(ARCHIVE, args={"to": [], "text": "t"})
    assert ALWAYS in labels(house.channel.newest)
    await house.tap(ALWAYS)
    assert "To: nobody" in card_text(house.channel.newest)
    await house.ask(MAIL, args={"to": ["mail:me@home.example"], "text": "t"}, call_id="2")
    assert ALWAYS in labels(house.channel.newest)


async def test_a_card_that_is_decided_has_no_button(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    await house.tap("Approve")
    assert labels(house.channel.newest) == ["Undo"]


# The proposal


async def test_always_approves_nothing_and_proposes_the_narrowest_rule(house: House) -> None:
    approval_id = await proposed(house)
    rule = await the_rule(house)
    assert (rule.state, rule.number, rule.made_from, rule.revision) == ("draft", 1, approval_id, 1)
    assert (rule.tool, rule.account, rule.chat, rule.recipients) == (SEND, "me", OWNER, (ANNA,))
    assert rule.pinned == {
        "to": f'["{ANNA}"]',
        "text": '"I\'ll be late"',
        "subject": '""',
        "files": "[]",
        "silent": "false",
    }
    assert (rule.expires_at, rule.max_uses, rule.uses) == (NOON + FIRST_LIFE, FIRST_USES, 0)
    assert await house.state(approval_id) == "pending"
    await house.after_undo_window()
    assert not house.provider.calls
    assert await kinds(house, rule.rule_id) == ["rule.proposed"]


async def test_the_card_says_in_plain_words_what_would_pass_and_answers_the_card_it_is_made_from(house: House) -> None:
    await proposed(house)
    above, below = house.channel.cards
    assert house.channel.replies[below] == above
    card = house.channel.cards[below]
    assert card.title == TITLE
    assert {label: rich_text(value) for label, value in card.fields} == {
        "Would pass without asking": "Send message (Telegram, as you, from me)",
        "To": "Anna (telegram:1002); nobody else",
        "Asked for": "in this chat",
        "Left empty": "files, silent, subject",
        "How long": "until 4 April 2026, 13:00, 10 times at most",
        "Never": "anybody else; other people's words, except any that stand here; who is no longer in your contacts; "
        "what your limits or deny rules forbid",
        "In the last 90 days": "it would have let pass 0",
        "Text": "exactly this",
    }
    assert card.body == "I'll be late"
    assert labels(card) == [
        "Any subject", "Any text", "For 90 days", "Without end", "Up to 100 times", "As often as asked",
        "Save rule", "Drop",
    ]  # fmt: skip


async def test_the_text_on_the_card_is_whole_literal_and_hides_nothing(house: House) -> None:
    text = "<b>*bold*</b>\u202e " + "word " * 3000
    subject = "Hi\r\nTo: Bob"
    await proposed(house, args={"to": [ANNA], "text": text, "subject": subject})
    card = house.channel.newest
    assert card.body == "<b>*bold*</b>[U+202E] " + "word " * 3000
    assert rich_text(dict(card.fields)["Subject"]) == "exactly Hi\r\nTo: Bob"


async def test_the_card_says_where_the_links_of_a_fixed_text_lead(house: House) -> None:
    await proposed(house, args={"to": [ANNA], "text": "see https://bank.example@evil.example/x"})
    assert "Links: evil.example" in card_text(house.channel.newest)


async def test_files_and_several_lists_of_people_are_shown_with_their_values(house: House) -> None:
    await house.know("Bob", "mail:bob@friends.example")
    files = [{"name": "a.pdf", "size": 3, "sha256": "f" * 64, "media_type": "application/pdf"}]
    await proposed(house, tool=MAIL, args={"to": ["mail:bob@friends.example"], "text": "", "files": files})
    card = card_text(house.channel.newest)
    assert f"Files: exactly application/pdf, a.pdf, {'f' * 64}, 3" in card
    assert "Any files" not in labels(house.channel.newest)
    assert "Bob" in card


async def test_where_two_arguments_name_the_recipients_both_are_shown(house: House) -> None:
    await proposed(house, args={"to": [ANNA], "text": ANNA})
    card = card_text(house.channel.newest)
    assert f"To: exactly {ANNA}" in card
    assert house.channel.newest.body == ANNA


async def test_the_replay_counts_what_would_have_passed_and_lists_what_was_refused(house: House) -> None:
    await house.know("Anna", ANNA)
    for number, label in enumerate(["Approve", "Deny", "Approve"]):
        await house.ask(call_id=f"past-{number}", args=LATE)
        await house.tap(label)
    await house.ask(call_id="other", args={"to": [ANNA], "text": "something\nelse " + "x" * 80})
    await house.tap("Deny")
    await house.after_undo_window()
    await proposed(house, call_id="now")
    assert (
        "In the last 90 days: it would have let pass 3; you refused 1 of them\nYou refused: \n5 March: “I'll be late”"
        in (card_text(house.channel.newest))
    )
    await house.tap("Any text")
    card = card_text(house.channel.newest)
    assert "it would have let pass 4; you refused 2 of them" in card
    assert "5 March: “something else xxx" in card
    assert "…”" in card


async def test_what_is_older_than_ninety_days_is_no_part_of_the_replay(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask(call_id="past")
    await house.tap("Deny")
    house.clock.turn(days=91)
    await proposed(house, call_id="now")
    assert "it would have let pass 0" in card_text(house.channel.newest)


async def test_of_many_refusals_the_card_lists_some_and_says_how_many_there_are_more(house: House) -> None:
    await house.know("Anna", ANNA)
    for number in range(REFUSED_SHOWN + 2):
        await house.ask(call_id=f"past-{number}", args=LATE)
        await house.tap("Deny")
    await proposed(house, call_id="now")
    assert card_text(house.channel.newest).count("5 March: “I'll be late”") == REFUSED_SHOWN
    assert "\nand 2 more" in card_text(house.channel.newest)


async def test_a_second_tap_points_at_the_proposal_and_makes_no_other(house: House) -> None:
    await proposed(house)
    above = house.channel.cards["100"]
    assert await house.tap(ALWAYS, above) == "A rule is proposed already, on a card of its own below."
    assert len(await all_rules(house)) == 1


async def test_a_button_that_was_used_does_not_propose_again_after_a_drop(house: House) -> None:
    await proposed(house)
    used = house.channel.button(ALWAYS, house.channel.cards["100"])
    await house.tap("Drop")
    answer = await house.approvals.decide(house.tap_of(used))
    assert answer.text == "You have tapped this before. Nothing was saved."
    await house.tap(ALWAYS, house.channel.cards["100"])
    assert [rule.state for rule in await all_rules(house)] == ["dropped", "draft"]
    assert [rule.number for rule in await all_rules(house)] == [1, 2]


async def test_always_on_a_card_that_no_longer_waits_proposes_nothing(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    button = house.channel.button(ALWAYS)
    await house.tap("Deny")
    told = (await house.approvals.decide(house.tap_of(button))).text
    assert (
        told
        == "This no longer waits, so no rule is proposed. Denied by you at 12:00:00 on 5 March 2026. Nothing was sent."
    )
    await house.ask(call_id="2")
    button = house.channel.button(ALWAYS)
    house.clock.turn(hours=48)
    told = (await house.approvals.decide(house.tap_of(button))).text
    assert told == "This no longer waits, so no rule is proposed."
    assert not await all_rules(house)


async def test_always_on_an_old_revision_or_an_unknown_card_proposes_nothing(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    button = house.channel.button(ALWAYS)
    await house.write(lambda c: c.execute(approvals_table.update().values(revision=2)))
    assert (await house.approvals.decide(house.tap_of(button))).tapped == "stale"
    await house.write(lambda c: c.execute(approvals_table.delete()))
    assert (await house.approvals.decide(house.tap_of(button))).tapped == "unknown"
    assert not await all_rules(house)


async def test_a_contact_that_was_taken_away_meanwhile_gets_no_proposal(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    await house.forget(ANNA)
    assert (await house.tap(ALWAYS)).startswith("No rule can cover this")
    assert not await all_rules(house)


# AP-12, AP-27


async def test_ap_12_always_for_anna_lets_exactly_that_pass_and_a_mail_to_an_unknown_address_asks(house: House) -> None:
    await house.know("Anna", ANNA, "mail:anna@friends.example")
    args = {"to": ["mail:anna@friends.example"], "text": "On my way"}
    approval_id = await house.ask(MAIL, args=args)
    await house.tap(ALWAYS)
    await house.tap("Save rule")
    assert await house.state(approval_id) == "pending"
    again = await house.request(MAIL, args=args, call_id="again")
    assert again.decision is Decision.ALLOW
    assert again.reasons == ("your standing rule 1 allows it",)
    for number, other in enumerate(
        [
            {"to": ["mail:eve@evil.example"], "text": "On my way"},
            {"to": ["mail:anna@friends.example", "mail:eve@evil.example"], "text": "On my way"},
            {"to": ["mail:anna@friends.example"], "text": "My password is 1234"},
        ]
    ):
        verdict = await house.request(MAIL, args=other, call_id=f"other-{number}")
        assert verdict.decision is Decision.ASK
    assert (await house.request(args={"to": [ANNA], "text": "On my way"}, call_id="tool")).decision is Decision.ASK
    await house.run()
    assert [call.args.text for call in house.provider.effects] == ["On my way"]


async def test_ap_27_a_bystanders_tap_on_always_writes_nothing_and_the_owner_is_told(house: House) -> None:
    await house.know("Anna", ANNA)
    approval_id = await house.ask()
    assert await house.tap(ALWAYS, sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert not await all_rules(house)
    assert await house.state(approval_id) == "pending"
    assert "Somebody else (telegram:666) tapped a button" in rich_text(house.channel.newest.outcome)


async def test_ap_27_a_bystander_saves_and_widens_nothing(house: House) -> None:
    await proposed(house)
    before = await the_rule(house)
    for label in ("Any text", "Without end", "Save rule", "Drop"):
        assert await house.tap(label, sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert replace(await the_rule(house), card_refs=()) == replace(before, card_refs=())
    assert len([text for text in await house.said() if "Somebody else" in text]) == 1


# Widening


async def test_each_widening_is_a_tap_with_a_new_revision_and_a_redrawn_card(house: House) -> None:
    await proposed(house)
    steps = [("Any text", "Any text"), ("For 90 days", "For 90 days"), ("Up to 100 times", "Up to 100 times")]
    for revision, (label, gone) in enumerate(steps, 2):
        answer = await house.tap(label)
        assert answer.endswith("Not saved yet.")
        assert house.channel.newest.revision == (await the_rule(house)).revision == revision
        assert gone not in labels(house.channel.newest)
    card = card_text(house.channel.newest)
    assert "Text: any, as long as the words are yours" in card
    assert "How long: until 3 June 2026, 13:00, 100 times at most" in card
    assert house.channel.newest.body == ""
    await house.tap("Without end")
    await house.tap("As often as asked")
    assert "How long: without end, as often as it is asked" in card_text(house.channel.newest)
    assert labels(house.channel.newest) == ["Any subject", "Back to the narrowest", "Save rule", "Drop"]
    rule = await the_rule(house)
    assert len(house.channel.cards) == 2
    assert await kinds(house, rule.rule_id) == ["rule.proposed", *["rule.changed"] * 5]
    await house.tap("Back to the narrowest")
    rule = await the_rule(house)
    assert (rule.expires_at, rule.max_uses, rule.revision) == (NOON + FIRST_LIFE, FIRST_USES, 7)
    assert house.channel.newest.body == "I'll be late"
    assert "Back to the narrowest" not in labels(house.channel.newest)


@pytest.mark.parametrize("label", ["Any text", "Save rule", "Drop"])
async def test_a_button_of_an_earlier_revision_is_refused_as_stale(house: House, label: str) -> None:
    await proposed(house)
    old = house.channel.button(label)
    await house.tap("Without end")
    answer = await house.approvals.decide(house.tap_of(old))
    assert (answer.tapped, answer.text) == ("stale", "A newer version has replaced this card. Nothing was done.")
    rule = await the_rule(house)
    assert (rule.state, rule.revision) == ("draft", 2)
    assert "text" in rule.pinned


async def test_the_same_tap_twice_widens_once(house: House) -> None:
    await proposed(house)
    tap = house.tap_of(house.channel.button("Any text"))
    await house.approvals.decide(tap)
    house.restart()
    assert (await house.approvals.decide(tap)).tapped == "stale"
    assert (await the_rule(house)).revision == 2


async def test_the_way_back_is_gone_when_the_contact_is(house: House) -> None:
    await proposed(house)
    await house.tap("Any text")
    back = house.channel.button("Back to the narrowest")
    await house.forget(ANNA)
    answer = await house.approvals.decide(house.tap_of(back))
    assert answer.text == "This can no longer be changed so. Nothing was done."
    assert (await the_rule(house)).revision == 2


async def test_a_card_of_several_messages_is_sent_anew_for_a_new_revision_and_the_old_one_taken_away(
    house: House,
) -> None:
    await proposed(house, args={"to": [ANNA], "text": "word " * 2000})
    assert list(house.channel.cards) == ["100", "101"]
    await house.tap("Without end")
    assert house.channel.deleted == ["101"]
    assert len(house.channel.cards) == 2
    assert (await the_rule(house)).card_refs[0].revision == 2
    await house.tap("Drop")
    assert house.channel.deleted == ["101"]
    assert rich_text(house.channel.newest.outcome).startswith("Dropped at")


async def test_a_long_card_that_grows_short_is_sent_anew_only_while_its_old_one_is_long(house: House) -> None:
    await proposed(house)
    await house.write(
        lambda c: rules.set_card_refs(
            c,
            house.channel.newest.approval_id,
            [
                replace(ref, message=ref.message.model_copy(update={"message_ids": ("99", *ref.message.message_ids)}))
                for ref in rules.in_state(c, "draft")[0].card_refs
            ],
        )
    )
    await house.tap("Any text")
    assert house.channel.deleted == ["99", "101"]
    await house.tap("Without end")
    assert house.channel.deleted == ["99", "101"]


# The second yes


async def test_saving_needs_its_own_tap_and_says_that_the_card_above_still_waits(house: House) -> None:
    approval_id = await proposed(house)
    assert (await house.request(args=LATE, call_id="before")).decision is Decision.ASK
    told = await house.tap("Save rule")
    assert told.startswith("Saved as rule 1. The card above still waits for its own yes. 1 of the past")
    rule = await the_rule(house)
    assert (rule.state, rule.revision) == ("active", 2)
    card = list(house.channel.cards.values())[1]
    assert (card.title, card.buttons) == ("Standing rule 1", ())
    assert rich_text(card.outcome) == "Saved, and in force. /rules stops it or takes it back."
    assert await house.state(approval_id) == "pending"
    (row,) = [row for row in await house.store.read(lambda c: audit.rows(c, rule.rule_id)) if row.kind == "rule.saved"]
    assert row.actor == OWNER
    assert row.data == {
        "number": 1,
        "revision": 2,
        "tool": SEND,
        "account": "me",
        "chat": OWNER,
        "recipients": [ANNA],
        "pinned": dict(rule.pinned),
        "expires_at": "2026-04-04T12:00:00+00:00",
        "max_uses": 10,
        "made_from": approval_id,
        "would_have_passed": 1,
        "refused": 0,
    }
    assert (await house.request(args=LATE, call_id="after")).decision is Decision.ALLOW


async def test_a_rule_may_be_saved_after_its_card_was_decided(house: House) -> None:
    await proposed(house)
    await house.tap("Deny", house.channel.cards["100"])
    assert (await house.tap("Save rule")).startswith("Saved as rule 1. 0 of the past")


async def test_dropping_a_proposal_whose_card_was_decided_leaves_that_as_it_is(house: House) -> None:
    approval_id = await proposed(house)
    await house.tap("Deny", house.channel.cards["100"])
    assert await house.tap("Drop") == "Dropped. Nothing passes by it."
    assert await house.state(approval_id) == "denied"


async def test_saving_twice_and_changing_what_is_saved_do_nothing(house: House) -> None:
    await proposed(house)
    save, wider = house.channel.button("Save rule"), house.channel.button("Any text")
    await house.tap("Save rule")
    for button in (save, wider):
        answer = await house.approvals.decide(house.tap_of(button))
        assert (answer.tapped, answer.text) == ("too late", "Saved, and in force. /rules stops it or takes it back.")
    assert "text" in (await the_rule(house)).pinned


async def test_a_rule_is_not_saved_when_somebody_it_reaches_is_no_longer_a_contact(house: House) -> None:
    await proposed(house)
    await house.forget(ANNA)
    assert await house.tap("Save rule") == "Not saved: somebody whom it reaches is no longer among your contacts."
    assert (await the_rule(house)).state == "draft"
    await house.know("Anna", ANNA)
    await house.tap("Save rule")
    assert (await the_rule(house)).state == "active"


async def test_a_draft_that_is_not_saved_within_an_hour_goes_and_its_card_says_so(house: House) -> None:
    await proposed(house)
    house.clock.turn(hours=1)
    await house.run()
    rule = await the_rule(house)
    assert rule.state == "dropped"
    card = house.channel.cards["101"]
    assert rich_text(card.outcome) == (
        "Not saved within an hour, so dropped at 13:00:00 on 5 March 2026. Nothing passes by it."
    )
    assert not card.buttons
    assert ALWAYS in labels(house.channel.cards["100"])
    assert await kinds(house, rule.rule_id) == ["rule.proposed", "rule.dropped"]


async def test_a_tap_after_that_hour_saves_nothing_even_before_the_timer(house: House) -> None:
    await proposed(house)
    house.clock.turn(hours=1)
    told = await house.tap("Save rule")
    assert told.startswith("Not saved within an hour, so dropped at")
    assert (await the_rule(house)).state == "dropped"


async def test_a_clock_that_goes_back_leaves_a_draft_its_hour(house: House) -> None:
    await proposed(house)
    rule = await the_rule(house)
    await house.approvals.handlers()[rules.END_RULE](rule.rule_id)
    assert (await the_rule(house)).state == "draft"
    house.clock.turn(hours=1)
    await house.run()
    assert (await the_rule(house)).state == "dropped"


async def test_a_rule_whose_time_is_over_says_so_on_its_card(house: House) -> None:
    rule = await saved(house)
    house.clock.turn(days=30)
    await house.run()
    assert (await the_rule(house)).state == "expired"
    assert rich_text(house.channel.cards["101"].outcome).startswith("Its time was over at 13:00:00 on 4 April 2026.")
    assert (await kinds(house, rule.rule_id))[-1] == "rule.expired"
    assert (await house.request(args=LATE, call_id="after")).decision is Decision.ASK


async def test_a_rule_without_end_waits_for_nothing(house: House) -> None:
    await saved(house, "Without end")
    assert rules.END_RULE not in [kind for kind, _, _ in await house.works()]


async def test_chat_text_neither_makes_nor_widens_a_rule(house: House) -> None:
    """A rule's only ways in are the hands of buttons; the tables of rules has no other writer."""
    await proposed(house)
    before = await the_rule(house)
    for words in ("Save rule", "always", "any text", "a:guess"):
        answer = await house.approvals.decide(house.tap_of(words))
        assert answer.tapped == "unknown"
    assert await the_rule(house) == before


async def test_taps_and_work_for_a_rule_that_is_not_there_do_nothing(house: House) -> None:
    await proposed(house)
    save = house.channel.button("Save rule")
    await house.write(lambda c: c.execute(rules_table.delete()))
    assert (await house.approvals.decide(house.tap_of(save))).tapped == "unknown"
    for kind in (rules.SHOW_RULE, rules.END_RULE):
        await house.approvals.handlers()[kind]("gone")
    assert len(house.channel.cards) == 2


async def test_a_rule_of_a_tool_that_is_gone_is_still_shown_but_widened_no_more(house: House) -> None:
    await proposed(house)
    wider = house.channel.button("Any text")
    del house.invoker.tools[SEND]
    with pytest.raises(UnknownToolError):
        house.invoker.metadata(SEND)
    await house.approvals.handlers()[rules.SHOW_RULE]((await the_rule(house)).rule_id)
    assert labels(house.channel.newest)[:1] == ["For 90 days"]
    answer = await house.approvals.decide(house.tap_of(wider))
    assert answer.text == "This can no longer be changed so. Nothing was done."


# Crashes, and channels that fail


@pytest.mark.parametrize("die", ["before", "after"])
async def test_a_death_around_the_sending_of_a_rules_card_leads_to_one_that_works(house: House, die: str) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    await house.approvals.decide(house.tap_of(house.channel.button(ALWAYS)))
    house.channel.die = die
    with pytest.raises(Killed):
        await house.run()
    house.restart()
    await house.run()
    cards = {ref: card for ref, card in house.channel.cards.items() if card.title == TITLE}
    assert len(cards) == (2 if die == "after" else 1)
    first = next(iter(cards))
    await house.approvals.decide(house.tap_of(house.channel.button("Any text", cards[first]), message_ref=first))
    await house.run()
    assert all(house.channel.cards[ref].revision == 2 for ref in cards)
    await house.approvals.decide(
        house.tap_of(house.channel.button("Save rule", house.channel.cards[first]), message_ref=first)
    )
    await house.run()
    assert all(house.channel.cards[ref].title == "Standing rule 1" for ref in cards)
    assert (await the_rule(house)).state == "active"


async def test_a_restart_between_every_two_steps_loses_nothing(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.request(args=LATE)
    for label in (ALWAYS, "Any text", "Without end", "Save rule"):
        house.restart()
        await house.run()
        house.restart()
        await house.approvals.decide(house.tap_of(house.channel.button(label)))
    house.restart()
    await house.run()
    rule = await the_rule(house)
    assert (rule.state, rule.revision, rule.expires_at) == ("active", 4, None)
    assert house.channel.newest.title == "Standing rule 1"


async def test_a_lost_connection_keeps_the_card_for_later(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    button = house.channel.button(ALWAYS)
    house.channel.offline = True
    await house.approvals.decide(house.tap_of(button))
    await house.run()
    house.channel.offline = False
    house.clock.turn(seconds=30)
    await house.run()
    assert house.channel.newest.title == TITLE


async def test_a_closed_chat_lets_the_proposal_go_by_itself(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    button = house.channel.button(ALWAYS)
    house.channel.closed = True
    await house.approvals.decide(house.tap_of(button))
    await house.run()
    assert (await the_rule(house)).card_refs == ()
    house.clock.turn(hours=1)
    await house.run()
    assert (await the_rule(house)).state == "dropped"


async def test_before_pairing_a_rules_card_waits(house: House) -> None:
    await proposed(house)
    await house.write(lambda c: rules.set_card_refs(c, rules.in_state(c, "draft")[0].rule_id, ()))
    house.owner.telegram_user_id = None
    rule = await the_rule(house)
    await house.write(lambda c: rule_desk.show(c, rule, house.clock.now()))
    await house.run()
    assert rules.SHOW_RULE in [kind for kind, _, _ in await house.works()]


async def test_a_group_that_moves_takes_its_rules_along_and_shows_a_draft_anew(house: House) -> None:
    group, moved = "telegram:-5", "telegram:-1005"
    await house.know("Anna", ANNA)
    await house.ask(chat=group, args=LATE)
    await house.tap(ALWAYS, chat=group)
    await house.write(lambda c: house.approvals.chat_moved(c, group, moved, house.clock.now()))
    await house.run()
    assert house.channel.newest.title == TITLE
    await house.tap("Save rule", chat=moved)
    rule = await the_rule(house)
    assert (rule.state, rule.chat) == ("active", moved)
    assert (await house.request(args=LATE, chat=moved, call_id="2")).decision is Decision.ALLOW
    assert (await house.request(args=LATE, chat=OWNER, call_id="3")).decision is Decision.ASK


COMMITS = 20
"""More than the scenario makes; a test holds that."""


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[Mortal]:
    store = Mortal(f"sqlite:///{tmp_path}/butler.db")
    create_tables(store)
    yield store
    await store.close()


async def scenario(house: House) -> None:
    """Asked, proposed, widened, saved; each step goes on from wherever the rows stand."""
    await house.request(args=LATE)
    await house.run()
    for label in (ALWAYS, "Any text", "Save rule"):
        card = next((c for c in reversed(house.channel.cards.values()) if label in labels(c)), None)
        if card is not None:
            await house.approvals.decide(house.tap_of(house.channel.button(label, card)))
        await house.run()


async def test_the_scenario_has_fewer_commits_than_are_tried(mortal: Mortal) -> None:
    house = House(mortal)
    await house.know("Anna", ANNA)
    mortal.count = 0
    await scenario(house)
    assert 8 < mortal.count <= COMMITS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", range(1, COMMITS + 1))
async def test_a_death_at_any_commit_of_a_proposal_leaves_one_rule_with_a_true_card(
    mortal: Mortal, point: int, after: bool
) -> None:
    house = House(mortal)
    await house.know("Anna", ANNA)
    mortal.left, mortal.after = point, after
    try:
        await scenario(house)
    except Killed:
        mortal.left = -1
        house.restart()
        await scenario(house)
    rule = await the_rule(house)
    assert rule.state == "active"
    assert "text" not in rule.pinned
    shown = [card for card in house.channel.cards.values() if card.approval_id == rule.rule_id]
    assert shown[-1].title == "Standing rule 1"
    assert await house.store.read(audit.verify) is None
    said = await kinds(house, rule.rule_id)
    assert said == ["rule.proposed", "rule.changed", "rule.saved"]


async def test_the_life_of_a_rule_on_every_database(lasting_house: House) -> None:
    house = lasting_house
    await proposed(house, args={"to": [ANNA], "text": "nul \0 bidi \u202e"})
    assert house.channel.newest.body == "nul [U+0000] bidi [U+202E]"
    await house.tap("Any text")
    await house.tap("Save rule")
    assert (await house.request(args=LATE, call_id="2")).decision is Decision.ALLOW
    rule = await the_rule(house)
    assert rule.uses == 1
    assert await house.write(lambda c: rule_desk.revoke(c, rule, actor="cli", now=house.clock.now()))
    assert (await house.request(args=LATE, call_id="3")).decision is Decision.ASK
