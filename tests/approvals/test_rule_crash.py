"""Rule proposals across crashes, lost connections and moved chats."""

import pytest

from approvals import rule_actions
from approvals.policy import Decision
from butler.store.queries import audit, rules
from tests.approvals.crashing_store import CrashingStore
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA
from tests.approvals.rule_harness import ALWAYS, LATE, TITLE, kinds, labels, proposed, the_rule
from tests.approvals.second_channel import Killed
from tests.support.nightly import every_nth


@pytest.mark.parametrize("die", ["before", "after"])
async def test_a_death_around_the_sending_of_a_rules_card_leads_to_one_that_works(harness: Harness, die: str) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    await harness.approvals.decide(harness.tap_of(harness.channel.button(ALWAYS)))
    harness.channel.die = die
    with pytest.raises(Killed):
        await harness.run()
    harness.restart()
    await harness.run()
    cards = {ref: card for ref, card in harness.channel.cards.items() if card.title == TITLE}
    assert len(cards) == (2 if die == "after" else 1)
    first = next(iter(cards))
    await harness.approvals.decide(harness.tap_of(harness.channel.button("Any text", cards[first]), message_ref=first))
    await harness.run()
    assert all(harness.channel.cards[ref].revision == 2 for ref in cards)
    await harness.approvals.decide(
        harness.tap_of(harness.channel.button("Save rule", harness.channel.cards[first]), message_ref=first)
    )
    await harness.run()
    assert all(harness.channel.cards[ref].title == "Standing rule 1" for ref in cards)
    assert (await the_rule(harness)).state == "active"


async def test_a_restart_between_every_two_steps_loses_nothing(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.request(args=LATE)
    for label in (ALWAYS, "Any text", "Without end", "Save rule"):
        harness.restart()
        await harness.run()
        harness.restart()
        await harness.approvals.decide(harness.tap_of(harness.channel.button(label)))
    harness.restart()
    await harness.run()
    rule = await the_rule(harness)
    assert (rule.state, rule.revision, rule.expires_at) == ("active", 4, None)
    assert harness.channel.newest.title == "Standing rule 1"


async def test_a_lost_connection_keeps_the_card_for_later(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    button = harness.channel.button(ALWAYS)
    harness.channel.offline = True
    await harness.approvals.decide(harness.tap_of(button))
    await harness.run()
    harness.channel.offline = False
    harness.clock.turn(seconds=30)
    await harness.run()
    assert harness.channel.newest.title == TITLE


async def test_a_closed_chat_lets_the_proposal_go_by_itself(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    button = harness.channel.button(ALWAYS)
    harness.channel.closed = True
    await harness.approvals.decide(harness.tap_of(button))
    await harness.run()
    assert (await the_rule(harness)).card_refs == ()
    harness.clock.turn(hours=1)
    await harness.run()
    assert (await the_rule(harness)).state == "dropped"


async def test_before_pairing_a_rules_card_waits(harness: Harness) -> None:
    await proposed(harness)
    await harness.write(lambda c: rules.set_card_refs(c, rules.in_state(c, "draft")[0].rule_id, ()))
    harness.owner.telegram_user_id = None
    rule = await the_rule(harness)
    await harness.write(lambda c: rule_actions.show(c, rule, harness.clock.now()))
    await harness.run()
    assert rules.SHOW_RULE in [kind for kind, _, _ in await harness.works()]


async def test_a_group_that_moves_takes_its_rules_along_and_shows_a_draft_anew(harness: Harness) -> None:
    group, moved = "telegram:-5", "telegram:-1005"
    await harness.know("Anna", ANNA)
    await harness.ask(chat=group, args=LATE)
    await harness.tap(ALWAYS, chat=group)
    await harness.write(lambda c: harness.approvals.chat_moved(c, group, moved, harness.clock.now()))
    await harness.run()
    assert harness.channel.newest.title == TITLE
    await harness.tap("Save rule", chat=moved)
    rule = await the_rule(harness)
    assert (rule.state, rule.chat) == ("active", moved)
    assert (await harness.request(args=LATE, chat=moved, call_id="2")).decision is Decision.ALLOW
    assert (await harness.request(args=LATE, chat=OWNER, call_id="3")).decision is Decision.ASK


COMMITS = 20
"""More commits than the scenario makes, which a test checks."""


async def scenario(harness: Harness) -> None:
    """Request, propose, widen, save. Each step is idempotent."""
    await harness.request(args=LATE)
    await harness.run()
    for label in (ALWAYS, "Any text", "Save rule"):
        card = next((c for c in reversed(harness.channel.cards.values()) if label in labels(c)), None)
        if card is not None:
            await harness.approvals.decide(harness.tap_of(harness.channel.button(label, card)))
        await harness.run()


async def test_the_scenario_has_fewer_commits_than_are_tried(mortal: CrashingStore) -> None:
    harness = Harness(mortal)
    await harness.know("Anna", ANNA)
    mortal.count = 0
    await scenario(harness)
    assert 8 < mortal.count <= COMMITS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 4))
async def test_a_death_at_any_commit_of_a_proposal_leaves_one_rule_with_a_true_card(
    mortal: CrashingStore, point: int, after: bool
) -> None:
    harness = Harness(mortal)
    await harness.know("Anna", ANNA)
    mortal.left, mortal.after = point, after
    try:
        await scenario(harness)
    except Killed:
        mortal.left = -1
        harness.restart()
        await scenario(harness)
    rule = await the_rule(harness)
    assert rule.state == "active"
    assert "text" not in rule.pinned
    shown = [card for card in harness.channel.cards.values() if card.approval_id == rule.rule_id]
    assert shown[-1].title == "Standing rule 1"
    assert await harness.store.read(audit.verify) is None
    said = await kinds(harness, rule.rule_id)
    assert said == ["rule.proposed", "rule.changed", "rule.saved"]


async def test_the_life_of_a_rule_on_every_database(lasting_harness: Harness) -> None:
    harness = lasting_harness
    await proposed(harness, args={"to": [ANNA], "text": "nul \0 bidi \u202e"})
    assert harness.channel.newest.body == "nul [U+0000] bidi [U+202E]"
    await harness.tap("Any text")
    await harness.tap("Save rule")
    assert (await harness.request(args=LATE, call_id="2")).decision is Decision.ALLOW
    rule = await the_rule(harness)
    assert rule.uses == 1
    assert await harness.write(lambda c: rule_actions.revoke(c, rule, actor="cli", now=harness.clock.now()))
    assert (await harness.request(args=LATE, call_id="3")).decision is Decision.ASK
