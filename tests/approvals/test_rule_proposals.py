"""Always… on a card only makes a proposal, and is only offered where a rule could ever match."""

from dataclasses import replace
from typing import Any

import pytest

from approvals.policy import Decision
from approvals.rule_proposals import FIRST_LIFE, FIRST_USES
from butler.contract.card import rich_text
from butler.store.tables import approvals as approvals_table
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import A_MAIL, ANNA, ARCHIVE, MAIL, OWN_WORDS, SEND, STRANGER
from tests.approvals.reasons import words
from tests.approvals.rule_harness import ALWAYS, LATE, all_rules, kinds, labels, proposed, the_rule


async def test_the_button_stands_under_approve_and_deny(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    assert [[button.label for button in line] for line in harness.channel.newest.buttons] == [
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
async def test_there_is_no_button_where_no_rule_could_ever_match(harness: Harness, more: dict[str, Any]) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask(**more)
    assert ALWAYS not in labels(harness.channel.newest)


async def test_the_highest_risk_has_no_button(harness: Harness) -> None:
    many = [f"telegram:{number}" for number in range(11)]
    await harness.know("Anna", *many)
    approval_id = await harness.ask(args={"to": many, "text": "hi"})
    assert (await harness.row(approval_id)).risk == "highest"
    assert ALWAYS not in labels(harness.channel.newest)


async def test_what_reaches_nobody_and_what_reaches_the_owner_may_have_a_rule(harness: Harness) -> None:
    await harness.ask(ARCHIVE, args={"to": [], "text": "t"})
    assert ALWAYS in labels(harness.channel.newest)
    await harness.tap(ALWAYS)
    assert "To: nobody" in card_text(harness.channel.newest)
    await harness.ask(MAIL, args={"to": ["mail:me@home.example"], "text": "t"}, call_id="2")
    assert ALWAYS in labels(harness.channel.newest)


async def test_what_was_listed_for_one_card_has_no_button(harness: Harness) -> None:
    harness.invoker.change(ARCHIVE, lists=True)
    await harness.ask(ARCHIVE, args={"to": [], "text": "t"})
    assert ALWAYS not in labels(harness.channel.newest)


async def test_a_card_that_is_decided_has_no_button(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    await harness.tap("Approve")
    assert labels(harness.channel.newest) == ["Undo"]


async def test_always_approves_nothing_and_proposes_the_narrowest_rule(harness: Harness) -> None:
    approval_id = await proposed(harness)
    rule = await the_rule(harness)
    assert (rule.state, rule.number, rule.made_from, rule.revision) == ("draft", 1, approval_id, 1)
    assert (rule.tool, rule.account, rule.chat, rule.recipients) == (SEND, "", OWNER, (ANNA,))
    assert rule.pinned == {
        "to": f'["{ANNA}"]',
        "text": '"I\'ll be late"',
        "subject": '""',
        "files": "[]",
        "silent": "false",
    }
    assert (rule.expires_at, rule.max_uses, rule.uses) == (NOON + FIRST_LIFE, FIRST_USES, 0)
    assert await harness.state(approval_id) == "pending"
    await harness.after_undo_window()
    assert not harness.provider.calls
    assert await kinds(harness, rule.rule_id) == ["rule.proposed"]


async def test_a_second_tap_points_at_the_proposal_and_makes_no_other(harness: Harness) -> None:
    await proposed(harness)
    above = harness.channel.cards["100"]
    assert await harness.tap(ALWAYS, above) == "A rule is proposed already, on a card of its own below."
    assert len(await all_rules(harness)) == 1


async def test_a_button_that_was_used_does_not_propose_again_after_a_drop(harness: Harness) -> None:
    await proposed(harness)
    used = harness.channel.button(ALWAYS, harness.channel.cards["100"])
    await harness.tap("Drop")
    answer = await harness.approvals.decide(harness.tap_of(used))
    assert answer.text == "You have tapped this before. Nothing was saved."
    await harness.tap(ALWAYS, harness.channel.cards["100"])
    assert [rule.state for rule in await all_rules(harness)] == ["dropped", "draft"]
    assert [rule.number for rule in await all_rules(harness)] == [1, 2]


async def test_always_on_a_card_that_no_longer_waits_proposes_nothing(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    button = harness.channel.button(ALWAYS)
    await harness.tap("Deny")
    told = (await harness.approvals.decide(harness.tap_of(button))).text
    assert (
        told
        == "This no longer waits, so no rule is proposed. Denied by you at 12:00:00 on 5 March 2026. Nothing was sent."
    )
    await harness.ask(call_id="2")
    button = harness.channel.button(ALWAYS)
    harness.clock.turn(hours=48)
    told = (await harness.approvals.decide(harness.tap_of(button))).text
    assert told == "This no longer waits, so no rule is proposed."
    assert not await all_rules(harness)


async def test_always_on_an_old_revision_or_an_unknown_card_proposes_nothing(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    button = harness.channel.button(ALWAYS)
    await harness.write(lambda c: c.execute(approvals_table.update().values(revision=2)))
    assert (await harness.approvals.decide(harness.tap_of(button))).tapped == "stale"
    await harness.write(lambda c: c.execute(approvals_table.delete()))
    assert (await harness.approvals.decide(harness.tap_of(button))).tapped == "unknown"
    assert not await all_rules(harness)


async def test_a_contact_that_was_taken_away_meanwhile_gets_no_proposal(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    await harness.forget(ANNA)
    assert (await harness.tap(ALWAYS)).startswith("No rule can cover this")
    assert not await all_rules(harness)


async def test_ap_12_always_for_anna_lets_exactly_that_pass_and_a_mail_to_an_unknown_address_asks(
    harness: Harness,
) -> None:
    await harness.know("Anna", ANNA, "mail:anna@friends.example")
    args = {"to": ["mail:anna@friends.example"], "text": "On my way"}
    approval_id = await harness.ask(MAIL, args=args)
    await harness.tap(ALWAYS)
    await harness.tap("Save rule")
    assert await harness.state(approval_id) == "pending"
    again = await harness.request(MAIL, args=args, call_id="again")
    assert again.decision is Decision.ALLOW
    assert words(again.reasons) == ("your standing rule 1 allows it",)
    for number, other in enumerate(
        [
            {"to": ["mail:eve@evil.example"], "text": "On my way"},
            {"to": ["mail:anna@friends.example", "mail:eve@evil.example"], "text": "On my way"},
            {"to": ["mail:anna@friends.example"], "text": "My password is 1234"},
        ]
    ):
        verdict = await harness.request(MAIL, args=other, call_id=f"other-{number}")
        assert verdict.decision is Decision.ASK
    assert (await harness.request(args={"to": [ANNA], "text": "On my way"}, call_id="tool")).decision is Decision.ASK
    await harness.run()
    assert [call.args.text for call in harness.provider.effects] == ["On my way"]


async def test_ap_27_a_bystanders_tap_on_always_writes_nothing_and_the_owner_is_told(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.ask()
    assert await harness.tap(ALWAYS, sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert not await all_rules(harness)
    assert await harness.state(approval_id) == "pending"
    assert "Somebody else (telegram:666) tapped a button" in rich_text(harness.channel.newest.outcome)


async def test_ap_27_a_bystander_saves_and_widens_nothing(harness: Harness) -> None:
    await proposed(harness)
    before = await the_rule(harness)
    for label in ("Any text", "Without end", "Save rule", "Drop"):
        assert await harness.tap(label, sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert replace(await the_rule(harness), card_refs=()) == replace(before, card_refs=())
    assert len([text for text in await harness.said() if "Somebody else" in text]) == 1
