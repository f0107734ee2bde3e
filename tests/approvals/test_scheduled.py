"""What is approved for a later time: frozen with it, done then and not before, and asked about anew when missed."""
# names: made up here

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from approvals import pause as pausing
from approvals.card import frozen_of
from approvals.decide import decide_one
from approvals.frozen import ChangedSinceShownError, thaw
from approvals.policy import Decision
from approvals.revise import DECIDED, SAME, TOOL_CHANGED, Change, Revised, ask_again
from approvals.scheduled import HOW_TO_CHANGE
from approvals.states import State, Verb
from butler.contract.card import rich_text
from butler.contract.reasons import in_own_words
from butler.store.queries import approvals, audit
from butler.store.tables import buttons as all_buttons
from tests.approvals.floods import labels
from tests.approvals.house import House, card_text
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, ARCHIVE, BOT_SEND, KEEP, READ, SEND
from tests.approvals.reasons import words
from tests.approvals.rule_house import saved
from tests.approvals.test_pending import buttons, listed
from tests.approvals.test_revise import revise, something_else, text

EIGHT = datetime(2026, 3, 6, 8, 0, tzinfo=UTC)
SHOWN = "Fri 6 Mar 08:00 (Europe/London)"
WAITS = ["Cancel", "Send now", "Change time…"]


async def ask(house: House, tool: str = SEND, **more: Any) -> str:
    return await house.ask(tool, **({"not_before": EIGHT} | more))


async def approved(house: House, **more: Any) -> str:
    approval_id = await ask(house, **more)
    await house.tap("Approve")
    return approval_id


def at(house: House, when: datetime) -> None:
    house.clock.time = when


async def run_at(house: House, when: datetime) -> None:
    at(house, when)
    await house.run()


async def test_the_card_shows_when_it_goes_out_and_the_yes_is_for_that_time(house: House) -> None:
    approval_id = await ask(house)
    assert f"Goes out on: {SHOWN}" in card_text(house.channel.newest)
    assert (await house.tap("Approve")).endswith(f"It goes out on {SHOWN}.")
    assert labels(house.channel.newest) == WAITS
    for when in (NOON + timedelta(seconds=10), NOON + timedelta(hours=10), EIGHT - timedelta(seconds=1)):
        await run_at(house, when)
        assert await house.state(approval_id) == "approved"
    await run_at(house, EIGHT)
    assert await house.state(approval_id) == "done"
    assert len(house.provider.effects) == 1
    await house.run()
    assert len(house.provider.effects) == 1


async def test_what_sends_nothing_is_done_on_its_day(house: House) -> None:
    await ask(house, ARCHIVE)
    assert f"Done on: {SHOWN}" in card_text(house.channel.newest)
    assert (await house.tap("Approve")).endswith(f"It is done on {SHOWN}.")


async def test_the_time_is_frozen_with_the_call(house: House) -> None:
    row = await house.row(await ask(house))
    spec = house.invoker.spec(row.tool)
    assert thaw(spec, frozen_of(row))
    for other in (None, EIGHT + timedelta(minutes=1)):
        with pytest.raises(ChangedSinceShownError):
            thaw(spec, frozen_of(replace(row, not_before=other)))


async def test_a_time_that_was_changed_in_the_rows_is_not_acted_on(house: House) -> None:
    approval_id = await approved(house)
    sooner = EIGHT - timedelta(hours=1)
    table = approvals.approvals
    where = table.c.approval_id == approval_id
    await house.write(lambda c: c.execute(table.update().where(where).values(not_before=sooner, execute_at=sooner)))
    await run_at(house, EIGHT)
    assert await house.state(approval_id) == "superseded"
    assert house.provider.effects == []


async def test_a_yes_just_before_the_time_leaves_the_window_to_take_it_back(house: House) -> None:
    approval_id = await ask(house)
    at(house, EIGHT - timedelta(seconds=2))
    await house.tap("Approve")
    await run_at(house, EIGHT)
    assert await house.state(approval_id) == "approved"
    await run_at(house, EIGHT + timedelta(seconds=8))
    assert await house.state(approval_id) == "done"


async def test_a_yes_after_the_time_is_no_yes_but_asks_anew(house: House) -> None:
    approval_id = await ask(house)
    at(house, EIGHT)
    told = await house.tap("Approve")
    assert told == "The time on this card has passed. A new card asks whether it shall be done now."
    row = await house.row(approval_id)
    assert (row.state, row.revision, row.not_before) == ("pending", 2, None)
    shown = card_text(house.channel.newest)
    assert "the time that the card showed had passed before your yes" in shown
    assert f"Goes out on: from {SHOWN} to at once" in rich_text(house.channel.newest.changes)
    assert "Goes out on" not in shown
    await house.tap("Approve")
    house.clock.turn(seconds=10)
    await house.run()
    assert len(house.provider.effects) == 1


async def test_what_was_missed_by_a_downtime_is_asked_about_anew_and_not_done(house: House) -> None:
    approval_id = await approved(house)
    await run_at(house, EIGHT + house.settings.stale_after + timedelta(seconds=1))
    row = await house.row(approval_id)
    assert (row.state, row.revision, row.not_before, row.decided_by) == ("pending", 2, None, None)
    assert house.provider.effects == []
    assert "I was not running at the time that you had approved" in card_text(house.channel.newest)
    assert labels(house.channel.newest)[:2] == ["Approve", "Deny"]
    await house.tap("Approve")
    house.clock.turn(seconds=10)
    await house.run()
    assert len(house.provider.effects) == 1


async def test_a_short_downtime_only_delays_it(house: House) -> None:
    approval_id = await approved(house)
    await run_at(house, EIGHT + house.settings.stale_after)
    assert await house.state(approval_id) == "done"


async def test_what_may_not_be_asked_anew_expires_as_anything_that_was_missed(house: House) -> None:
    approval_id = await approved(house)
    house.configure(deny=[{"tool": SEND}])
    await run_at(house, EIGHT + timedelta(hours=2))
    assert await house.state(approval_id) == "expired"
    assert any("I was down for too long after your yes" in said for said in await house.said())


@pytest.mark.parametrize("gone", ["tool", "preview", "account"])
async def test_what_is_no_longer_what_was_shown_cannot_be_asked_about_anew(house: House, gone: str) -> None:
    row = await house.row(await ask(house))
    if gone == "tool":
        del house.invoker.tools[SEND]
    if gone == "preview":
        house.invoker.tools[SEND] = replace(house.invoker.tools[SEND], preview=something_else)
    if gone == "account":
        house.invoker.tools[SEND] = replace(house.invoker.tools[SEND], accounts=("work",))
    told = await house.write(lambda c: ask_again(house.context, c, row, in_own_words("late"), EIGHT))
    assert str(told).startswith(TOOL_CHANGED if gone != "account" else "it would go through work by now")
    assert (await house.row(row.approval_id)).revision == 1


async def test_it_can_be_cancelled_until_its_time(house: House) -> None:
    approval_id = await approved(house)
    at(house, EIGHT - timedelta(minutes=1))
    assert "Nothing was sent." in await house.tap("Cancel")
    await run_at(house, EIGHT)
    assert await house.state(approval_id) == "cancelled"
    assert house.provider.effects == []


async def test_send_now_sends_it_after_the_window_to_take_it_back_and_once(house: House) -> None:
    approval_id = await approved(house)
    card = house.channel.newest
    assert (await house.tap("Send now")).endswith("Sending in 10 s.")
    assert labels(house.channel.newest) == ["Undo"]
    again = await house.approvals.decide(house.tap_of(house.channel.button("Send now", card)))
    assert again.tapped == "too late"
    house.clock.turn(seconds=10)
    await house.run()
    assert await house.state(approval_id) == "done"
    await run_at(house, EIGHT)
    assert len(house.provider.effects) == 1
    kinds = [row.kind for row in await house.store.read(lambda c: audit.rows(c, approval_id))]
    assert "approval.hastened" in kinds


async def test_send_now_that_was_missed_by_a_downtime_is_asked_about_too(house: House) -> None:
    approval_id = await approved(house)
    await house.approvals.decide(house.tap_of(house.channel.button("Send now")))
    house.clock.turn(hours=2)
    await house.run()
    assert (await house.row(approval_id)).state == "pending"
    assert "when it was to go out after your Send now" in card_text(house.channel.newest)


@pytest.mark.parametrize("first", ["pause", "send now"])
async def test_a_pause_holds_what_is_sent_now_before_it_or_after_it_and_the_answer_says_so(
    house: House, first: str
) -> None:
    approval_id = await approved(house)
    now, tap = house.clock.now(), house.tap_of(house.channel.button("Send now"))
    if first == "pause":
        await house.write(lambda c: pausing.pause(c, OWNER, now))
    told = (await house.approvals.decide(tap)).text
    if first == "pause":
        assert "you paused what acts as you. Nothing was sent." in told
    else:
        await house.write(lambda c: pausing.pause(c, OWNER, now))
    for when in (now + timedelta(seconds=10), EIGHT):
        await run_at(house, when)
    assert await house.state(approval_id) == "cancelled"
    assert "you paused what acts as you. Nothing was sent." in card_text(house.channel.newest)
    assert house.provider.effects == []


async def test_change_time_says_how_and_changes_nothing(house: House) -> None:
    approval_id = await approved(house)
    assert await house.tap("Change time…") == HOW_TO_CHANGE
    assert (await house.row(approval_id)).execute_at == EIGHT


@pytest.mark.parametrize("label", ["Send now", "Change time…"])
async def test_buttons_of_an_older_card_or_of_nothing_do_nothing(house: House, label: str) -> None:
    approval_id = await approved(house)
    card = house.channel.newest
    await revise(house, approval_id, Change("in-2", not_before=EIGHT + timedelta(hours=1)))
    assert "newer version" in await house.tap(label, card)
    table = approvals.approvals
    await house.tap("Approve")
    button = house.channel.button(label)
    await house.write(lambda c: c.execute(all_buttons.update().values(subject="gone")))
    assert (await house.approvals.decide(house.tap_of(button))).tapped == "unknown"
    rows = await house.store.read(lambda c: c.execute(table.select()).all())
    assert len(rows) == 1


async def test_another_time_takes_another_yes(house: House) -> None:
    approval_id = await approved(house)
    nine = EIGHT + timedelta(hours=1)
    assert isinstance(await revise(house, approval_id, Change("in-2", not_before=nine)), Revised)
    row = await house.row(approval_id)
    assert (row.state, row.not_before, row.execute_at, row.decided_by) == ("pending", nine, None, None)
    changed = rich_text(house.channel.newest.changes)
    assert "08:00" in changed and "09:00" in changed  # noqa: PT018 - one line of the card
    await run_at(house, EIGHT)
    assert house.provider.effects == []
    await house.tap("Approve")
    assert len(house.provider.effects) == 0
    await run_at(house, nine)
    assert len(house.provider.effects) == 1


async def test_time_and_text_change_together_on_a_line_each(house: House) -> None:
    approval_id = await ask(house)
    await revise(house, approval_id, replace(text("I'll be early"), not_before=EIGHT + timedelta(hours=1)))
    lines = rich_text(house.channel.newest.changes).splitlines()
    assert lines[0].startswith("Goes out on: ")
    assert len(lines) == 2
    await revise(house, approval_id, text("I'll be there"), revision=2)
    assert (await house.row(approval_id)).not_before == EIGHT + timedelta(hours=1)
    assert "Goes out on" not in rich_text(house.channel.newest.changes)


async def test_a_text_changed_after_the_time_waits_for_no_time_any_more(house: House) -> None:
    approval_id = await ask(house)
    at(house, EIGHT)
    await revise(house, approval_id, text("I'll be early"))
    assert (await house.row(approval_id)).not_before is None


async def test_no_other_time_where_there_is_none_or_it_is_over_or_the_same(house: House) -> None:
    at_once = await house.ask(call_id="now")
    told = await revise(house, at_once, Change("in-2", not_before=EIGHT))
    assert told == "This is done right after your yes. To have it done later, ask me anew."
    approval_id = await ask(house)
    past = await revise(house, approval_id, Change("in-2", not_before=NOON))
    assert past == "That time is past. Nothing was changed."
    assert await revise(house, approval_id, Change("in-2", not_before=EIGHT)) == SAME
    await house.tap("Approve")
    await house.tap("Send now")
    assert await revise(house, approval_id, Change("in-2", not_before=EIGHT + timedelta(hours=1))) == DECIDED


async def test_what_a_standing_rule_lets_pass_waits_too_and_can_be_cancelled(house: House) -> None:
    await saved(house)
    verdict = await house.request(args={"to": [ANNA], "text": "I'll be late"}, call_id="later", not_before=EIGHT)
    await house.run()
    assert verdict.decision is Decision.ALLOW
    row = await house.row(verdict.approval_id or "")
    assert (row.state, row.execute_at) == ("approved", EIGHT)
    assert labels(house.channel.newest) == WAITS
    again = await house.request(args={"to": [ANNA], "text": "I'll be late"}, call_id="later", not_before=EIGHT)
    assert again.approval_id == row.approval_id
    before = len(house.provider.effects)
    await run_at(house, EIGHT)
    assert len(house.provider.effects) == before + 1


async def test_another_text_for_what_a_rule_let_pass_is_asked_about(house: House) -> None:
    rule = await saved(house)
    verdict = await house.request(args={"to": [ANNA], "text": "I'll be late"}, call_id="later", not_before=EIGHT)
    await house.run()
    row = await house.row(verdict.approval_id or "")
    assert row.rule_id == rule.rule_id
    await revise(house, row.approval_id, text("something else"))
    row = await house.row(row.approval_id)
    assert (row.state, row.rule_id, row.rule_digest) == ("pending", None, None)


async def test_what_the_butler_sends_its_owner_waits_as_a_row(house: House) -> None:
    verdict = await house.request(KEEP, args={"to": [OWNER], "text": "the report"}, not_before=EIGHT)
    assert verdict.decision is Decision.ALLOW
    assert verdict.approval_id is not None
    await run_at(house, EIGHT)
    assert len(house.provider.effects) == 1


async def test_what_is_proposed_after_its_time_asks_and_says_why(house: House) -> None:
    past = NOON - timedelta(minutes=1)
    verdict = await house.request(KEEP, args={"to": [OWNER], "text": "x"}, call_id="a", not_before=past)
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ASK, ("the time that you said for it is over",))
    verdict = await house.request(call_id="b", not_before=past)
    assert verdict.decision is Decision.ASK
    assert words(verdict.reasons)[0] == "the time that you said for it is over"
    assert len(words(verdict.reasons)) > 1
    house.configure(deny=[{"tool": SEND}])
    assert (await house.request(call_id="c", not_before=past)).decision is Decision.DENY


async def test_a_look_cannot_be_put_off(house: House) -> None:
    verdict = await house.request(READ, args={"item": "1"}, not_before=EIGHT)
    assert verdict.decision is Decision.DENY
    assert words(verdict.reasons) == ("this cannot be put off to a later time",)


async def test_what_changed_meanwhile_is_not_done(house: House) -> None:
    await house.know("Anna", ANNA)
    approval_id = await approved(house)
    await house.forget(ANNA)
    await run_at(house, EIGHT)
    assert await house.state(approval_id) == "superseded"
    assert house.provider.effects == []


async def test_pending_lists_what_waits_for_its_time(house: House) -> None:
    await approved(house)
    (message,) = await listed(house)
    said = rich_text(message.text)
    assert said.startswith("1 approved for later:")
    assert SHOWN in said
    assert list(buttons(message)) == ["Show 1"]
    await house.ask(call_id="other")
    first, second = await listed(house)
    assert rich_text(first.text).startswith("1 waiting for your yes:")
    assert SHOWN not in rich_text(first.text)
    assert rich_text(second.text).startswith("1 approved for later:")


async def test_a_time_has_a_card_of_its_own_however_many_wait(house: House) -> None:
    for number in range(5):
        await ask(house, BOT_SEND, call_id=f"c{number}", args={"to": [ANNA], "text": f"{number}"})
    assert {row.batch_id for row in await house.pending()} == {None}
    assert len(house.channel.cards) == 5


async def test_a_move_to_another_zone_keeps_the_moment(house: House) -> None:
    approval_id = await approved(house)
    house.zone = ZoneInfo("America/New_York")
    house.start()
    await house.redraw(await house.row(approval_id))
    assert "Fri 6 Mar 03:00 (America/New_York)" in card_text(house.channel.newest)
    await run_at(house, EIGHT)
    assert await house.state(approval_id) == "done"


async def test_an_undo_that_comes_with_the_time_wins_or_loses_but_never_both(house: House) -> None:
    row = await house.row(await approved(house))
    at(house, EIGHT)
    moved = await house.write(lambda c: decide_one(house.context, c, row, Verb.UNDO, OWNER, EIGHT))
    await house.run()
    assert moved is not None
    assert moved.state == State.CANCELLED
    assert house.provider.effects == []
