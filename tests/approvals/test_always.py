"""Always... on a card: a proposal and no more, and only where a rule could ever match."""

from dataclasses import replace
from typing import Any

import pytest

from approvals.always import FIRST_LIFE, FIRST_USES
from approvals.policy import Decision
from butler.contract.card import rich_text
from butler.store.tables import approvals as approvals_table
from tests.approvals.house import House, card_text
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import A_MAIL, ANNA, ARCHIVE, MAIL, OWN_WORDS, SEND, STRANGER
from tests.approvals.reasons import words
from tests.approvals.rule_house import ALWAYS, LATE, all_rules, kinds, labels, proposed, the_rule


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


async def test_what_was_listed_for_one_card_has_no_button(house: House) -> None:
    house.invoker.change(ARCHIVE, lists=True)
    await house.ask(ARCHIVE, args={"to": [], "text": "t"})
    assert ALWAYS not in labels(house.channel.newest)


async def test_a_card_that_is_decided_has_no_button(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    await house.tap("Approve")
    assert labels(house.channel.newest) == ["Undo"]


async def test_always_approves_nothing_and_proposes_the_narrowest_rule(house: House) -> None:
    approval_id = await proposed(house)
    rule = await the_rule(house)
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
    assert await house.state(approval_id) == "pending"
    await house.after_undo_window()
    assert not house.provider.calls
    assert await kinds(house, rule.rule_id) == ["rule.proposed"]


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


async def test_ap_12_always_for_anna_lets_exactly_that_pass_and_a_mail_to_an_unknown_address_asks(house: House) -> None:
    await house.know("Anna", ANNA, "mail:anna@friends.example")
    args = {"to": ["mail:anna@friends.example"], "text": "On my way"}
    approval_id = await house.ask(MAIL, args=args)
    await house.tap(ALWAYS)
    await house.tap("Save rule")
    assert await house.state(approval_id) == "pending"
    again = await house.request(MAIL, args=args, call_id="again")
    assert again.decision is Decision.ALLOW
    assert words(again.reasons) == ("your standing rule 1 allows it",)
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
