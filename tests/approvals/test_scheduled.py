"""Acts approved for a later time: frozen with it, done at that time, and asked about again when missed."""
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
from tests.approvals.approval_batch_harness import labels
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, ARCHIVE, BOT_SEND, KEEP, READ, SEND
from tests.approvals.reasons import words
from tests.approvals.rule_harness import saved
from tests.approvals.test_pending import buttons, listed
from tests.approvals.test_revise import revise, something_else, text

EIGHT = datetime(2026, 3, 6, 8, 0, tzinfo=UTC)
SHOWN = "Fri 6 Mar 08:00 (Europe/London)"
WAITS = ["Cancel", "Send now", "Change time…"]


async def ask(harness: Harness, tool: str = SEND, **more: Any) -> str:
    return await harness.ask(tool, **({"not_before": EIGHT} | more))


async def approved(harness: Harness, **more: Any) -> str:
    approval_id = await ask(harness, **more)
    await harness.tap("Approve")
    return approval_id


def at(harness: Harness, when: datetime) -> None:
    harness.clock.time = when


async def run_at(harness: Harness, when: datetime) -> None:
    at(harness, when)
    await harness.run()


async def test_the_card_shows_when_it_goes_out_and_the_yes_is_for_that_time(harness: Harness) -> None:
    approval_id = await ask(harness)
    assert f"Goes out on: {SHOWN}" in card_text(harness.channel.newest)
    assert (await harness.tap("Approve")).endswith(f"It goes out on {SHOWN}.")
    assert labels(harness.channel.newest) == WAITS
    for when in (NOON + timedelta(seconds=10), NOON + timedelta(hours=10), EIGHT - timedelta(seconds=1)):
        await run_at(harness, when)
        assert await harness.state(approval_id) == "approved"
    await run_at(harness, EIGHT)
    assert await harness.state(approval_id) == "done"
    assert len(harness.provider.effects) == 1
    await harness.run()
    assert len(harness.provider.effects) == 1


async def test_what_sends_nothing_is_done_on_its_day(harness: Harness) -> None:
    await ask(harness, ARCHIVE)
    assert f"Done on: {SHOWN}" in card_text(harness.channel.newest)
    assert (await harness.tap("Approve")).endswith(f"It is done on {SHOWN}.")


async def test_the_time_is_frozen_with_the_call(harness: Harness) -> None:
    row = await harness.row(await ask(harness))
    spec = harness.invoker.spec(row.tool)
    assert thaw(spec, frozen_of(row))
    for other in (None, EIGHT + timedelta(minutes=1)):
        with pytest.raises(ChangedSinceShownError):
            thaw(spec, frozen_of(replace(row, not_before=other)))


async def test_a_time_that_was_changed_in_the_rows_is_not_acted_on(harness: Harness) -> None:
    approval_id = await approved(harness)
    sooner = EIGHT - timedelta(hours=1)
    table = approvals.approvals
    where = table.c.approval_id == approval_id
    await harness.write(lambda c: c.execute(table.update().where(where).values(not_before=sooner, execute_at=sooner)))
    await run_at(harness, EIGHT)
    assert await harness.state(approval_id) == "superseded"
    assert harness.provider.effects == []


async def test_a_yes_just_before_the_time_leaves_the_window_to_take_it_back(harness: Harness) -> None:
    approval_id = await ask(harness)
    at(harness, EIGHT - timedelta(seconds=2))
    await harness.tap("Approve")
    await run_at(harness, EIGHT)
    assert await harness.state(approval_id) == "approved"
    await run_at(harness, EIGHT + timedelta(seconds=8))
    assert await harness.state(approval_id) == "done"


async def test_a_yes_after_the_time_is_no_yes_but_asks_anew(harness: Harness) -> None:
    approval_id = await ask(harness)
    at(harness, EIGHT)
    told = await harness.tap("Approve")
    assert told == "The time on this card has passed. A new card asks whether it shall be done now."
    row = await harness.row(approval_id)
    assert (row.state, row.revision, row.not_before) == ("pending", 2, None)
    shown = card_text(harness.channel.newest)
    assert "the time that the card showed had passed before your yes" in shown
    assert f"Goes out on: from {SHOWN} to at once" in rich_text(harness.channel.newest.changes)
    assert "Goes out on" not in shown
    await harness.tap("Approve")
    harness.clock.turn(seconds=10)
    await harness.run()
    assert len(harness.provider.effects) == 1


async def test_what_was_missed_by_a_downtime_is_asked_about_anew_and_not_done(harness: Harness) -> None:
    approval_id = await approved(harness)
    await run_at(harness, EIGHT + harness.settings.stale_after + timedelta(seconds=1))
    row = await harness.row(approval_id)
    assert (row.state, row.revision, row.not_before, row.decided_by) == ("pending", 2, None, None)
    assert harness.provider.effects == []
    assert "I was not running at the time that you had approved" in card_text(harness.channel.newest)
    assert labels(harness.channel.newest)[:2] == ["Approve", "Deny"]
    await harness.tap("Approve")
    harness.clock.turn(seconds=10)
    await harness.run()
    assert len(harness.provider.effects) == 1


async def test_a_short_downtime_only_delays_it(harness: Harness) -> None:
    approval_id = await approved(harness)
    await run_at(harness, EIGHT + harness.settings.stale_after)
    assert await harness.state(approval_id) == "done"


async def test_what_may_not_be_asked_anew_expires_as_anything_that_was_missed(harness: Harness) -> None:
    approval_id = await approved(harness)
    harness.configure(deny=[{"tool": SEND}])
    await run_at(harness, EIGHT + timedelta(hours=2))
    assert await harness.state(approval_id) == "expired"
    assert any("I was down for too long after your yes" in said for said in await harness.said())


@pytest.mark.parametrize("gone", ["tool", "preview", "account"])
async def test_what_is_no_longer_what_was_shown_cannot_be_asked_about_anew(harness: Harness, gone: str) -> None:
    row = await harness.row(await ask(harness))
    if gone == "tool":
        del harness.invoker.tools[SEND]
    if gone == "preview":
        harness.invoker.tools[SEND] = replace(harness.invoker.tools[SEND], preview=something_else)
    if gone == "account":
        harness.invoker.tools[SEND] = replace(harness.invoker.tools[SEND], accounts=("work",))
    told = await harness.write(lambda c: ask_again(harness.context, c, row, in_own_words("late"), EIGHT))
    assert str(told).startswith(TOOL_CHANGED if gone != "account" else "it would go through work by now")
    assert (await harness.row(row.approval_id)).revision == 1


async def test_it_can_be_cancelled_until_its_time(harness: Harness) -> None:
    approval_id = await approved(harness)
    at(harness, EIGHT - timedelta(minutes=1))
    assert "Nothing was sent." in await harness.tap("Cancel")
    await run_at(harness, EIGHT)
    assert await harness.state(approval_id) == "cancelled"
    assert harness.provider.effects == []


async def test_send_now_sends_it_after_the_window_to_take_it_back_and_once(harness: Harness) -> None:
    approval_id = await approved(harness)
    card = harness.channel.newest
    assert (await harness.tap("Send now")).endswith("Sending in 10 s.")
    assert labels(harness.channel.newest) == ["Undo"]
    again = await harness.approvals.decide(harness.tap_of(harness.channel.button("Send now", card)))
    assert again.tapped == "too late"
    harness.clock.turn(seconds=10)
    await harness.run()
    assert await harness.state(approval_id) == "done"
    await run_at(harness, EIGHT)
    assert len(harness.provider.effects) == 1
    kinds = [row.kind for row in await harness.store.read(lambda c: audit.rows(c, approval_id))]
    assert "approval.hastened" in kinds


async def test_send_now_that_was_missed_by_a_downtime_is_asked_about_too(harness: Harness) -> None:
    approval_id = await approved(harness)
    await harness.approvals.decide(harness.tap_of(harness.channel.button("Send now")))
    harness.clock.turn(hours=2)
    await harness.run()
    assert (await harness.row(approval_id)).state == "pending"
    assert "when it was to go out after your Send now" in card_text(harness.channel.newest)


@pytest.mark.parametrize("first", ["pause", "send now"])
async def test_a_pause_holds_what_is_sent_now_before_it_or_after_it_and_the_answer_says_so(
    harness: Harness, first: str
) -> None:
    approval_id = await approved(harness)
    now, tap = harness.clock.now(), harness.tap_of(harness.channel.button("Send now"))
    if first == "pause":
        await harness.write(lambda c: pausing.pause(c, OWNER, now))
    told = (await harness.approvals.decide(tap)).text
    if first == "pause":
        assert "you paused what acts as you. Nothing was sent." in told
    else:
        await harness.write(lambda c: pausing.pause(c, OWNER, now))
    for when in (now + timedelta(seconds=10), EIGHT):
        await run_at(harness, when)
    assert await harness.state(approval_id) == "cancelled"
    assert "you paused what acts as you. Nothing was sent." in card_text(harness.channel.newest)
    assert harness.provider.effects == []


async def test_change_time_says_how_and_changes_nothing(harness: Harness) -> None:
    approval_id = await approved(harness)
    assert await harness.tap("Change time…") == HOW_TO_CHANGE
    assert (await harness.row(approval_id)).execute_at == EIGHT


@pytest.mark.parametrize("label", ["Send now", "Change time…"])
async def test_buttons_of_an_older_card_or_of_nothing_do_nothing(harness: Harness, label: str) -> None:
    approval_id = await approved(harness)
    card = harness.channel.newest
    await revise(harness, approval_id, Change("in-2", not_before=EIGHT + timedelta(hours=1)))
    assert "newer version" in await harness.tap(label, card)
    table = approvals.approvals
    await harness.tap("Approve")
    button = harness.channel.button(label)
    await harness.write(lambda c: c.execute(all_buttons.update().values(subject="gone")))
    assert (await harness.approvals.decide(harness.tap_of(button))).tapped == "unknown"
    rows = await harness.store.read(lambda c: c.execute(table.select()).all())
    assert len(rows) == 1


async def test_another_time_takes_another_yes(harness: Harness) -> None:
    approval_id = await approved(harness)
    nine = EIGHT + timedelta(hours=1)
    assert isinstance(await revise(harness, approval_id, Change("in-2", not_before=nine)), Revised)
    row = await harness.row(approval_id)
    assert (row.state, row.not_before, row.execute_at, row.decided_by) == ("pending", nine, None, None)
    changed = rich_text(harness.channel.newest.changes)
    assert "08:00" in changed and "09:00" in changed  # noqa: PT018 - one line of the card
    await run_at(harness, EIGHT)
    assert harness.provider.effects == []
    await harness.tap("Approve")
    assert len(harness.provider.effects) == 0
    await run_at(harness, nine)
    assert len(harness.provider.effects) == 1


async def test_time_and_text_change_together_on_a_line_each(harness: Harness) -> None:
    approval_id = await ask(harness)
    await revise(harness, approval_id, replace(text("I'll be early"), not_before=EIGHT + timedelta(hours=1)))
    lines = rich_text(harness.channel.newest.changes).splitlines()
    assert lines[0].startswith("Goes out on: ")
    assert len(lines) == 2
    await revise(harness, approval_id, text("I'll be there"), revision=2)
    assert (await harness.row(approval_id)).not_before == EIGHT + timedelta(hours=1)
    assert "Goes out on" not in rich_text(harness.channel.newest.changes)


async def test_a_text_changed_after_the_time_waits_for_no_time_any_more(harness: Harness) -> None:
    approval_id = await ask(harness)
    at(harness, EIGHT)
    await revise(harness, approval_id, text("I'll be early"))
    assert (await harness.row(approval_id)).not_before is None


async def test_no_other_time_where_there_is_none_or_it_is_over_or_the_same(harness: Harness) -> None:
    at_once = await harness.ask(call_id="now")
    told = await revise(harness, at_once, Change("in-2", not_before=EIGHT))
    assert told == "This is done right after your yes. To have it done later, ask me anew."
    approval_id = await ask(harness)
    past = await revise(harness, approval_id, Change("in-2", not_before=NOON))
    assert past == "That time is past. Nothing was changed."
    assert await revise(harness, approval_id, Change("in-2", not_before=EIGHT)) == SAME
    await harness.tap("Approve")
    await harness.tap("Send now")
    assert await revise(harness, approval_id, Change("in-2", not_before=EIGHT + timedelta(hours=1))) == DECIDED


async def test_what_a_standing_rule_lets_pass_waits_too_and_can_be_cancelled(harness: Harness) -> None:
    await saved(harness)
    verdict = await harness.request(args={"to": [ANNA], "text": "I'll be late"}, call_id="later", not_before=EIGHT)
    await harness.run()
    assert verdict.decision is Decision.ALLOW
    row = await harness.row(verdict.approval_id or "")
    assert (row.state, row.execute_at) == ("approved", EIGHT)
    assert labels(harness.channel.newest) == WAITS
    again = await harness.request(args={"to": [ANNA], "text": "I'll be late"}, call_id="later", not_before=EIGHT)
    assert again.approval_id == row.approval_id
    before = len(harness.provider.effects)
    await run_at(harness, EIGHT)
    assert len(harness.provider.effects) == before + 1


async def test_another_text_for_what_a_rule_let_pass_is_asked_about(harness: Harness) -> None:
    rule = await saved(harness)
    verdict = await harness.request(args={"to": [ANNA], "text": "I'll be late"}, call_id="later", not_before=EIGHT)
    await harness.run()
    row = await harness.row(verdict.approval_id or "")
    assert row.rule_id == rule.rule_id
    await revise(harness, row.approval_id, text("something else"))
    row = await harness.row(row.approval_id)
    assert (row.state, row.rule_id, row.rule_digest) == ("pending", None, None)


async def test_what_the_butler_sends_its_owner_waits_as_a_row(harness: Harness) -> None:
    verdict = await harness.request(KEEP, args={"to": [OWNER], "text": "the report"}, not_before=EIGHT)
    assert verdict.decision is Decision.ALLOW
    assert verdict.approval_id is not None
    await run_at(harness, EIGHT)
    assert len(harness.provider.effects) == 1


async def test_what_is_proposed_after_its_time_asks_and_says_why(harness: Harness) -> None:
    past = NOON - timedelta(minutes=1)
    verdict = await harness.request(KEEP, args={"to": [OWNER], "text": "x"}, call_id="a", not_before=past)
    assert (verdict.decision, words(verdict.reasons)) == (Decision.ASK, ("the time that you said for it is over",))
    verdict = await harness.request(call_id="b", not_before=past)
    assert verdict.decision is Decision.ASK
    assert words(verdict.reasons)[0] == "the time that you said for it is over"
    assert len(words(verdict.reasons)) > 1
    harness.configure(deny=[{"tool": SEND}])
    assert (await harness.request(call_id="c", not_before=past)).decision is Decision.DENY


async def test_a_look_cannot_be_put_off(harness: Harness) -> None:
    verdict = await harness.request(READ, args={"item": "1"}, not_before=EIGHT)
    assert verdict.decision is Decision.DENY
    assert words(verdict.reasons) == ("this cannot be put off to a later time",)


async def test_what_changed_meanwhile_is_not_done(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await approved(harness)
    await harness.forget(ANNA)
    await run_at(harness, EIGHT)
    assert await harness.state(approval_id) == "superseded"
    assert harness.provider.effects == []


async def test_pending_lists_what_waits_for_its_time(harness: Harness) -> None:
    await approved(harness)
    (message,) = await listed(harness)
    said = rich_text(message.text)
    assert said.startswith("1 approved for later:")
    assert SHOWN in said
    assert list(buttons(message)) == ["Show 1"]
    await harness.ask(call_id="other")
    first, second = await listed(harness)
    assert rich_text(first.text).startswith("1 waiting for your yes:")
    assert SHOWN not in rich_text(first.text)
    assert rich_text(second.text).startswith("1 approved for later:")


async def test_a_time_has_a_card_of_its_own_however_many_wait(harness: Harness) -> None:
    for number in range(5):
        await ask(harness, BOT_SEND, call_id=f"c{number}", args={"to": [ANNA], "text": f"{number}"})
    assert {row.batch_id for row in await harness.pending()} == {None}
    assert len(harness.channel.cards) == 5


async def test_a_move_to_another_zone_keeps_the_moment(harness: Harness) -> None:
    approval_id = await approved(harness)
    harness.zone = ZoneInfo("America/New_York")
    harness.start()
    await harness.redraw(await harness.row(approval_id))
    assert "Fri 6 Mar 03:00 (America/New_York)" in card_text(harness.channel.newest)
    await run_at(harness, EIGHT)
    assert await harness.state(approval_id) == "done"


async def test_an_undo_that_comes_with_the_time_wins_or_loses_but_never_both(harness: Harness) -> None:
    row = await harness.row(await approved(harness))
    at(harness, EIGHT)
    moved = await harness.write(lambda c: decide_one(harness.context, c, row, Verb.UNDO, OWNER, EIGHT))
    await harness.run()
    assert moved is not None
    assert moved.state == State.CANCELLED
    assert harness.provider.effects == []


async def test_what_waits_for_a_time_may_be_done_at_once_instead(harness: Harness) -> None:
    approval_id = await ask(harness)
    assert isinstance(await revise(harness, approval_id, Change("in-2", at_once=True)), Revised)
    assert (await harness.row(approval_id)).not_before is None
    assert "at once" in rich_text(harness.channel.newest.changes)
    assert await revise(harness, approval_id, Change("in-3", at_once=True), revision=2) == SAME
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert len(harness.provider.effects) == 1
