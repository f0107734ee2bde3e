"""A proposal is widened and saved by taps alone, and allows what its card said."""

from dataclasses import replace
from pathlib import Path

import pytest

from approvals.policy import Decision
from approvals.rule_proposals import FIRST_LIFE, FIRST_USES
from butler.contract.card import rich_text
from butler.store.queries import audit, rules
from butler.store.tables import rules as rules_table
from butler.tool_invoker import UnknownToolError
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, SEND
from tests.approvals.rule_harness import ALWAYS, LATE, kinds, labels, proposed, saved, the_rule


async def test_each_widening_is_a_tap_with_a_new_revision_and_a_redrawn_card(harness: Harness) -> None:
    await proposed(harness)
    steps = [("Any text", "Any text"), ("For 90 days", "For 90 days"), ("Up to 100 times", "Up to 100 times")]
    for revision, (label, gone) in enumerate(steps, 2):
        answer = await harness.tap(label)
        assert answer.endswith("Not saved yet.")
        assert harness.channel.newest.revision == (await the_rule(harness)).revision == revision
        assert gone not in labels(harness.channel.newest)
    card = card_text(harness.channel.newest)
    assert "Text: any, as long as the words are yours" in card
    assert "How long: until 3 June 2026, 13:00, 100 times at most" in card
    assert harness.channel.newest.body == ""
    await harness.tap("Without end")
    await harness.tap("As often as asked")
    assert "How long: without end, as often as it is asked" in card_text(harness.channel.newest)
    assert labels(harness.channel.newest) == ["Any subject", "Back to the narrowest", "Save rule", "Drop"]
    rule = await the_rule(harness)
    assert len(harness.channel.cards) == 2
    assert await kinds(harness, rule.rule_id) == ["rule.proposed", *["rule.changed"] * 5]
    await harness.tap("Back to the narrowest")
    rule = await the_rule(harness)
    assert (rule.expires_at, rule.max_uses, rule.revision) == (NOON + FIRST_LIFE, FIRST_USES, 7)
    assert harness.channel.newest.body == "I'll be late"
    assert "Back to the narrowest" not in labels(harness.channel.newest)


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("label", ["Any text", "Save rule", "Drop"])
async def test_a_button_of_an_earlier_revision_is_refused_as_stale(harness: Harness, label: str) -> None:
    await proposed(harness)
    old = harness.channel.button(label)
    await harness.tap("Without end")
    answer = await harness.approvals.decide(harness.tap_of(old))
    assert (answer.tapped, answer.text) == ("stale", "A newer version has replaced this card. Nothing was done.")
    rule = await the_rule(harness)
    assert (rule.state, rule.revision) == ("draft", 2)
    assert "text" in rule.pinned


async def test_the_same_tap_twice_widens_once(harness: Harness) -> None:
    await proposed(harness)
    tap = harness.tap_of(harness.channel.button("Any text"))
    await harness.approvals.decide(tap)
    harness.restart()
    assert (await harness.approvals.decide(tap)).tapped == "stale"
    assert (await the_rule(harness)).revision == 2


async def test_the_way_back_is_gone_when_the_contact_is(harness: Harness) -> None:
    await proposed(harness)
    await harness.tap("Any text")
    back = harness.channel.button("Back to the narrowest")
    await harness.forget(ANNA)
    answer = await harness.approvals.decide(harness.tap_of(back))
    assert answer.text == "This can no longer be changed so. Nothing was done."
    assert (await the_rule(harness)).revision == 2


async def test_a_card_of_several_messages_is_sent_anew_for_a_new_revision_and_the_old_one_taken_away(
    harness: Harness,
) -> None:
    await proposed(harness, args={"to": [ANNA], "text": "word " * 2000})
    assert list(harness.channel.cards) == ["100", "101"]
    await harness.tap("Without end")
    assert harness.channel.deleted == ["101"]
    assert len(harness.channel.cards) == 2
    assert (await the_rule(harness)).card_refs[0].revision == 2
    await harness.tap("Drop")
    assert harness.channel.deleted == ["101"]
    assert rich_text(harness.channel.newest.outcome).startswith("Dropped at")


async def test_a_long_card_that_grows_short_is_sent_anew_only_while_its_old_one_is_long(harness: Harness) -> None:
    await proposed(harness)
    await harness.write(
        lambda c: rules.set_card_refs(
            c,
            harness.channel.newest.approval_id,
            [
                replace(ref, message=ref.message.model_copy(update={"message_ids": ("99", *ref.message.message_ids)}))
                for ref in rules.in_state(c, "draft")[0].card_refs
            ],
        )
    )
    await harness.tap("Any text")
    assert harness.channel.deleted == ["99", "101"]
    await harness.tap("Without end")
    assert harness.channel.deleted == ["99", "101"]


async def test_saving_needs_its_own_tap_and_says_that_the_card_above_still_waits(harness: Harness) -> None:
    approval_id = await proposed(harness)
    assert (await harness.request(args=LATE, call_id="before")).decision is Decision.ASK
    told = await harness.tap("Save rule")
    assert told == (
        "Saved as rule 1. The card above still waits for its own yes. "
        "In the last 90 days, it would have let pass 1; you refused none of them."
    )
    rule = await the_rule(harness)
    assert (rule.state, rule.revision) == ("active", 2)
    card = list(harness.channel.cards.values())[1]
    assert (card.title, card.buttons) == ("Standing rule 1", ())
    assert rich_text(card.outcome) == "In force. /rules disables or revokes it."
    assert await harness.state(approval_id) == "pending"
    (row,) = [
        row for row in await harness.store.read(lambda c: audit.rows(c, rule.rule_id)) if row.kind == "rule.saved"
    ]
    assert row.actor == OWNER
    assert row.data == {
        "number": 1,
        "revision": 2,
        "tool": SEND,
        "account": "",
        "chat": OWNER,
        "recipients": [ANNA],
        "pinned": dict(rule.pinned),
        "expires_at": "2026-04-04T12:00:00+00:00",
        "max_uses": 10,
        "made_from": approval_id,
        "would_have_passed": 1,
        "refused": 0,
    }
    assert (await harness.request(args=LATE, call_id="after")).decision is Decision.ALLOW


async def test_a_rule_may_be_saved_after_its_card_was_decided(harness: Harness) -> None:
    await proposed(harness)
    await harness.tap("Deny", harness.channel.cards["100"])
    assert await harness.tap("Save rule") == "Saved as rule 1."


async def test_dropping_a_proposal_whose_card_was_decided_leaves_that_as_it_is(harness: Harness) -> None:
    approval_id = await proposed(harness)
    await harness.tap("Deny", harness.channel.cards["100"])
    assert await harness.tap("Drop") == "Dropped. Nothing passes by it."
    assert await harness.state(approval_id) == "denied"


async def test_saving_twice_and_changing_what_is_saved_do_nothing(harness: Harness) -> None:
    await proposed(harness)
    save, wider = harness.channel.button("Save rule"), harness.channel.button("Any text")
    await harness.tap("Save rule")
    for button in (save, wider):
        answer = await harness.approvals.decide(harness.tap_of(button))
        assert (answer.tapped, answer.text) == ("too late", "In force. /rules disables or revokes it.")
    assert "text" in (await the_rule(harness)).pinned


async def test_a_rule_is_not_saved_when_somebody_it_reaches_is_no_longer_a_contact(harness: Harness) -> None:
    await proposed(harness)
    await harness.forget(ANNA)
    assert await harness.tap("Save rule") == "Not saved: somebody whom it reaches is no longer among your contacts."
    assert (await the_rule(harness)).state == "draft"
    await harness.know("Anna", ANNA)
    await harness.tap("Save rule")
    assert (await the_rule(harness)).state == "active"


async def test_a_draft_that_is_not_saved_within_an_hour_goes_and_its_card_says_so(harness: Harness) -> None:
    await proposed(harness)
    harness.clock.turn(hours=1)
    await harness.run()
    rule = await the_rule(harness)
    assert rule.state == "dropped"
    card = harness.channel.cards["101"]
    assert rich_text(card.outcome) == (
        "Not saved within an hour, so dropped at 13:00:00 on 5 March 2026. Nothing passes by it."
    )
    assert not card.buttons
    assert ALWAYS in labels(harness.channel.cards["100"])
    assert await kinds(harness, rule.rule_id) == ["rule.proposed", "rule.dropped"]


async def test_a_tap_after_that_hour_saves_nothing_even_before_the_timer(harness: Harness) -> None:
    await proposed(harness)
    harness.clock.turn(hours=1)
    told = await harness.tap("Save rule")
    assert told.startswith("Not saved within an hour, so dropped at")
    assert (await the_rule(harness)).state == "dropped"


async def test_a_clock_that_goes_back_leaves_a_draft_its_hour(harness: Harness) -> None:
    await proposed(harness)
    rule = await the_rule(harness)
    await harness.approvals.handlers()[rules.END_RULE](rule.rule_id)
    assert (await the_rule(harness)).state == "draft"
    harness.clock.turn(hours=1)
    await harness.run()
    assert (await the_rule(harness)).state == "dropped"


async def test_a_rule_whose_time_is_over_says_so_on_its_card(harness: Harness) -> None:
    rule = await saved(harness)
    harness.clock.turn(days=30)
    await harness.run()
    assert (await the_rule(harness)).state == "expired"
    assert rich_text(harness.channel.cards["101"].outcome).startswith("Its time was over at 13:00:00 on 4 April 2026.")
    assert (await kinds(harness, rule.rule_id))[-1] == "rule.expired"
    assert (await harness.request(args=LATE, call_id="after")).decision is Decision.ASK


async def test_a_rule_without_end_waits_for_nothing(harness: Harness) -> None:
    await saved(harness, "Without end")
    assert rules.END_RULE not in [kind for kind, _, _ in await harness.works()]


@pytest.mark.parametrize(
    ("call", "homes"),
    [
        ("rules.insert(connection", {"rule_proposals.py", "recurring_orders.py"}),
        ("propose(connection", {"rule_proposals.py"}),
        ("rules.replace_row(", {"rule_actions.py", "standing_rules.py"}),
    ],
)
def test_only_the_hands_of_buttons_and_the_count_of_uses_write_rules(call: str, homes: set[str]) -> None:
    """Nobody's words can create or widen a rule.

    A recurring order is created where its approved card begins it, in `butler/bulk/recurring_orders.py`.
    """
    sources = [path for folder in ("approvals", "butler", "modules") for path in (ROOT / folder).rglob("*.py")]
    assert {path.name for path in sources if call in path.read_text()} == homes


async def test_what_was_typed_is_no_button(harness: Harness) -> None:
    await proposed(harness)
    before = await the_rule(harness)
    for words in ("Save rule", "always", "any text", "a:guess"):
        assert (await harness.approvals.decide(harness.tap_of(words))).tapped == "unknown"
    assert await the_rule(harness) == before


async def test_taps_and_work_for_a_rule_that_is_not_there_do_nothing(harness: Harness) -> None:
    await proposed(harness)
    save = harness.channel.button("Save rule")
    await harness.write(lambda c: c.execute(rules_table.delete()))
    assert (await harness.approvals.decide(harness.tap_of(save))).tapped == "unknown"
    for kind in (rules.SHOW_RULE, rules.END_RULE):
        await harness.approvals.handlers()[kind]("gone")
    assert len(harness.channel.cards) == 2


async def test_a_rule_of_a_tool_that_is_gone_is_still_shown_but_widened_no_more(harness: Harness) -> None:
    await proposed(harness)
    wider = harness.channel.button("Any text")
    del harness.invoker.tools[SEND]
    with pytest.raises(UnknownToolError):
        harness.invoker.metadata(SEND)
    await harness.approvals.handlers()[rules.SHOW_RULE]((await the_rule(harness)).rule_id)
    assert labels(harness.channel.newest)[:1] == ["For 90 days"]
    answer = await harness.approvals.decide(harness.tap_of(wider))
    assert answer.text == "This can no longer be changed so. Nothing was done."
