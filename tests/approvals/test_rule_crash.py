"""Proposals through deaths of the process, lost connections and moved chats."""

import pytest

from approvals import rule_actions
from approvals.policy import Decision
from butler.store.queries import audit, rules
from tests.approvals.house import House
from tests.approvals.mortal import Mortal
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA
from tests.approvals.rule_house import ALWAYS, LATE, TITLE, kinds, labels, proposed, the_rule
from tests.approvals.second import Killed
from tests.support.nightly import every_nth


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
    await house.write(lambda c: rule_actions.show(c, rule, house.clock.now()))
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
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 4))
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
    assert await house.write(lambda c: rule_actions.revoke(c, rule, actor="cli", now=house.clock.now()))
    assert (await house.request(args=LATE, call_id="3")).decision is Decision.ASK
