"""A recurring order: one card shows all of it, a yes makes a rule of it, and each time it does that alone."""

from datetime import UTC, datetime, timedelta

import pytest

from approvals.handover import hand_over
from approvals.pause import lift, set_paused
from approvals.policy import Decision
from approvals.recurring import recurring_words
from approvals.rule_actions import enable
from butler.contract.bulk import BulkSnapshot
from butler.store.queries import bulk_schedules, work
from butler.store.queries.bulk import RunState
from butler.store.store import Store
from config.bulk import BulkSettings
from tests.approvals.harness import card_text
from tests.approvals.providers import OWN_WORDS
from tests.bulk.repeat_harness import LISTED, SUNDAYS, TOOL, RepeatHarness, fields, text_of
from tests.bulk.stub_provider import StubProvider


@pytest.fixture
def harness(store: Store) -> RepeatHarness:
    return RepeatHarness(store, StubProvider.of(60))


def filled(harness: RepeatHarness, count: int) -> None:
    """So many things are there once more."""
    harness.shelf.things |= {f"n{len(harness.shelf.things) + at}": True for at in range(count)}


async def test_one_card_shows_the_whole_order(harness: RepeatHarness) -> None:
    await harness.ordered(before="2027-02-26")
    card, shown = harness.channel.newest, fields(harness.channel.newest)
    assert card.effect == "Puts things away, again and again"
    assert shown["When"] == "every Sunday at 09:00 (Europe/London)"
    assert shown["Moves on"] == "before: 7 days earlier"
    assert shown["Next"] == "7 March 2027, 14 March 2027, 21 March 2027"
    assert shown["At most"] == "120 each time; of more you are asked"
    assert shown["Last day"] == "4 March 2028"
    assert shown["Right now"] == "60"
    assert shown["Newest"] == "Anna · thing t00059 · 29 April 2027"
    assert shown["To stop it"] == "/rules, or Stop the rule under each time that it was done"


async def test_what_was_said_of_its_limits_is_what_is_shown(harness: RepeatHarness) -> None:
    await harness.ordered({**SUNDAYS, "most": 70, "until": "2027-03-14"})
    shown = fields(harness.channel.newest)
    assert (shown["At most"], shown["Last day"]) == ("70 each time; of more you are asked", "14 March 2027")
    assert shown["Next"] == "7 March 2027, 14 March 2027"
    assert "Moves on" not in shown


async def test_a_yes_makes_a_rule_and_does_nothing_yet(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    assert (rule.number, rule.state, rule.repeats) == (1, "active", True)
    assert all(harness.shelf.things.values())
    assert "It is rule 1 now, and is done every Sunday at 09:00; /rules stops it." in card_text(harness.channel.newest)


async def test_it_is_done_when_it_is_due_and_one_message_says_by_which_rule(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    await harness.next()
    assert harness.clock.now() == datetime(2027, 3, 7, 9, tzinfo=UTC)
    (run,) = await harness.begun()
    assert (run.total, run.state, run.rule_id, run.tool) == (60, RunState.DONE, rule.rule_id, TOOL)
    (message,) = await harness.messages()
    assert text_of(message) == "Put away: 60 of 60\nBy your rule 1, every Sunday at 09:00."
    assert [one.label for line in message.buttons for one in line] == ["Undo", "As a file", "Stop the rule"]
    assert len(harness.channel.cards) == 1  # no second message says that it was done
    assert (await harness.outcomes(), (await harness.rule()).uses) == (["begun"], 1)


async def test_it_is_done_again_each_time_and_its_dates_move_on(harness: RepeatHarness) -> None:
    await harness.ruled(before="2027-02-26")
    for _ in range(3):
        filled(harness, 5)
        await harness.next()
    assert [run.total for run in await harness.begun()] == [65, 5, 5]
    assert ['"before":"2027-02-28"' in run.params for run in await harness.begun()] == [True, False, False]
    assert '"before":"2027-03-14"' in (await harness.begun())[2].params


async def test_a_date_that_is_to_stay_stays(harness: RepeatHarness) -> None:
    await harness.ruled({**SUNDAYS, "fixed": ["before"]}, before="2027-02-26")
    await harness.next()
    assert '"before":"2027-02-26"' in (await harness.begun())[0].params


async def test_nothing_to_do_is_noted_and_not_told(harness: RepeatHarness) -> None:
    await harness.ruled()
    harness.shelf.things.clear()
    await harness.next()
    assert (await harness.outcomes(), await harness.begun(), await harness.messages()) == (["none"], [], [])
    filled(harness, 3)
    await harness.next()
    assert [run.total for run in await harness.begun()] == [3]


async def test_of_more_than_the_rule_allows_a_card_asks_and_says_why(harness: RepeatHarness) -> None:
    await harness.ruled()
    filled(harness, 61)
    await harness.next()
    assert (await harness.outcomes(), await harness.begun()) == (["asked"], [])
    assert "there are 121, and your rule 1 is for 120 at most each time" in card_text(harness.channel.newest)
    assert harness.channel.newest.effect == "Puts things away"
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [run.total for run in await harness.begun()] == [121]


async def test_a_card_of_the_time_before_gives_way_to_the_next_one(harness: RepeatHarness) -> None:
    await harness.ruled({"every": "day", "at": "13:30"})
    filled(harness, 61)
    await harness.next()
    (first,) = await harness.pending()
    await harness.next()
    assert await harness.state(first.approval_id) == "superseded"
    assert len(await harness.pending()) == 1


async def test_what_was_never_found_before_is_asked_about_the_first_time(harness: RepeatHarness) -> None:
    harness.shelf.things.clear()
    await harness.ruled()
    assert fields(harness.channel.newest)["Right now"] == "0"
    filled(harness, 2)
    await harness.next()
    assert "your rule has never found anything before" in card_text(harness.channel.newest)
    await harness.tap("Approve")
    await harness.after_undo_window()
    filled(harness, 2)
    await harness.next()
    assert [run.total for run in await harness.begun()] == [2, 2]
    assert await harness.outcomes() == ["asked", "begun"]


async def test_times_that_were_missed_are_one_and_that_is_said(harness: RepeatHarness) -> None:
    await harness.ruled()
    await harness.next(late=timedelta(days=16))
    assert [run.total for run in await harness.begun()] == [60]
    (message,) = await harness.messages()
    assert text_of(message).endswith(
        "By your rule 1, every Sunday at 09:00. It was due on Sunday 7 March 2027 at 09:00, and is done late, once for "
        "all times that were missed."
    )
    assert (await harness.schedule()).due_at == datetime(2027, 3, 28, 8, tzinfo=UTC)  # summer time began that night


async def test_a_night_in_which_its_time_does_not_exist_has_it_once_at_the_first_moment(harness: RepeatHarness) -> None:
    await harness.ruled({"every": "day", "at": "01:30"})
    await harness.at(datetime(2027, 3, 27, 2, tzinfo=UTC))
    assert (await harness.schedule()).due_at == datetime(2027, 3, 28, 1, tzinfo=UTC)
    await harness.next()
    assert (await harness.schedule()).due_at == datetime(2027, 3, 29, 0, 30, tzinfo=UTC)


async def test_a_night_that_has_its_time_twice_does_it_once(harness: RepeatHarness) -> None:
    await harness.ruled({"every": "day", "at": "01:30"})
    await harness.at(datetime(2027, 10, 30, 2, tzinfo=UTC))
    assert (await harness.schedule()).due_at == datetime(2027, 10, 31, 0, 30, tzinfo=UTC)
    await harness.next()
    assert (await harness.schedule()).due_at == datetime(2027, 11, 1, 1, 30, tzinfo=UTC)


async def test_after_its_last_day_it_is_done_no_more(harness: RepeatHarness) -> None:
    await harness.ruled({**SUNDAYS, "until": "2027-03-07"})
    await harness.next()
    assert (await harness.rule()).state == "active"
    await harness.at(datetime(2027, 3, 8, 0, tzinfo=UTC))
    assert (await harness.rule()).state == "expired"
    rule_id = (await harness.rule()).rule_id
    await harness.write(lambda c: work.add(c, bulk_schedules.DUE, rule_id, now=harness.clock.now()))
    await harness.run()
    assert await harness.outcomes() == ["begun"]


async def test_its_last_time_is_settled_once(harness: RepeatHarness) -> None:
    await harness.ruled({**SUNDAYS, "until": "2027-03-07"})
    await harness.next()
    rule_id = (await harness.rule()).rule_id
    await harness.write(lambda c: work.add(c, bulk_schedules.DUE, rule_id, now=harness.clock.now()))
    await harness.run()
    assert await harness.outcomes() == ["begun"]


async def test_stop_the_rule_revokes_it(harness: RepeatHarness) -> None:
    await harness.ruled()
    await harness.next()
    (message,) = await harness.messages()
    assert "Revoked" in await harness.press(message, "Stop the rule")
    assert (await harness.rule()).state == "revoked"
    await harness.press(message, "Undo")
    assert all(harness.shelf.things.values())
    await harness.at(harness.clock.now() + timedelta(days=30))
    assert all(harness.shelf.things.values())
    assert await harness.outcomes() == ["begun"]


async def test_a_disabled_rule_skips_its_times_and_goes_on_once_it_is_enabled(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    await harness.change(rule, state="disabled")
    await harness.next()
    assert (await harness.outcomes(), await harness.begun()) == (["disabled"], [])
    await harness.change(await harness.rule(), state="active")
    await harness.next()
    assert await harness.outcomes() == ["disabled", "begun"]


async def test_while_acts_are_paused_nothing_is_done_and_nothing_is_read(harness: RepeatHarness) -> None:
    await harness.ruled()
    await harness.write(lambda c: set_paused(c, "telegram:42", harness.clock.now()))
    harness.shelf.listing_later = True
    await harness.next()
    assert (await harness.outcomes(), await harness.messages()) == (["paused"], [])
    await harness.write(lambda c: lift(c, harness.clock.now()))
    harness.shelf.listing_later = False
    await harness.next()
    assert await harness.outcomes() == ["paused", "begun"]


async def test_while_what_it_began_is_not_over_it_begins_nothing_more(harness: RepeatHarness) -> None:
    await harness.ruled()
    harness.shelf.signed_out = True
    await harness.next()
    await harness.next()
    assert (await harness.outcomes(), len(await harness.begun())) == (["begun", "still open"], 1)


async def test_a_provider_that_is_out_of_reach_is_asked_later(harness: RepeatHarness) -> None:
    await harness.ruled()
    harness.shelf.listing_later = True
    with pytest.raises(Exception, match="not now"):
        await harness.handlers[bulk_schedules.DUE]((await harness.due_now()).rule_id)
    harness.shelf.listing_later = False
    await harness.run()
    assert await harness.outcomes() == ["begun"]


async def test_an_account_that_is_gone_is_told_once(harness: RepeatHarness) -> None:
    await harness.ruled()
    spec = harness.invoker.tools.pop(TOOL)
    await harness.next()
    await harness.next()
    assert [text_of(one) for one in await harness.messages()] == [
        "What your rule 1 does every Sunday at 09:00 is not done. What it needs is no longer set up."
    ]
    harness.invoker.tools[TOOL] = spec
    await harness.next()
    assert (await harness.outcomes(), (await harness.schedule()).trouble) == (["trouble", "trouble", "begun"], ())


async def test_what_its_provider_refuses_is_told_once(harness: RepeatHarness) -> None:
    await harness.ruled()
    harness.bulk.adapters.every()[0].shelf = StubProvider.of(0)  # pyright: ignore[reportAttributeAccessIssue]
    harness.limits = BulkSettings.model_validate({"limit": [{"tool": TOOL, "per_run": 10}]})
    harness.start()
    await harness.next()
    await harness.next()
    (message,) = await harness.messages()
    assert text_of(message) == (
        "What your rule 1 does every Sunday at 09:00 is not done. There are 60 of them, and 10 at most may be done at "
        f"once: narrow it, such as by age or by sender. The ceiling is per_run in [[bulk.limit]] for {TOOL}."
    )


async def test_deny_rules_and_limits_hold_it_back(harness: RepeatHarness) -> None:
    await harness.ruled()
    harness.configure(deny=[{"tool": TOOL, "reason": "not any more"}])
    await harness.next()
    filled(harness, 200)
    await harness.next()
    assert (await harness.outcomes(), await harness.begun()) == (["refused", "asked"], [])
    assert [text_of(one) for one in await harness.messages()] == [
        "What your rule 1 does every Sunday at 09:00 is not done. not any more"
    ]


async def test_a_rule_that_was_changed_in_its_row_asks(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    await harness.change(rule, account="other")
    await harness.next()
    assert await harness.begun() == []


async def test_such_a_rule_lets_nothing_pass_that_is_asked_for(harness: RepeatHarness) -> None:
    await harness.ruled()
    shown = await harness.listed({"words": "offers"})
    assert isinstance(shown, BulkSnapshot)
    args = {"words": "offers", "snapshot": shown.model_dump(mode="json")}
    origins = {"words": OWN_WORDS, "snapshot": LISTED}
    verdict = await harness.request(TOOL, args=args, origins=origins, call_id="once", chat="")
    assert verdict.decision is Decision.ASK


async def test_it_is_listed_like_any_rule(harness: RepeatHarness) -> None:
    rule = await harness.ruled(before="2027-02-26")
    assert recurring_words(harness.invoker, rule) == (
        "Puts things away; Words: offers; before: 7 days earlier; every Sunday at 09:00, 120 at most each time, to the "
        "end of 4 March 2028"
    )
    harness.invoker.tools.pop(TOOL)
    assert recurring_words(harness.invoker, rule).startswith(f"{TOOL}; words: offers; before: 7 days earlier; every")
    await harness.write(lambda c: harness.approvals.say_rules(c, "telegram:42", "k", harness.clock.now()))
    (message,) = await harness.messages()
    assert "Rule 1: " in text_of(message)
    await harness.press(message, "Disable 1")
    assert (await harness.rule()).state == "disabled"
    assert not [card for card in harness.channel.cards.values() if "tanding rule" in card.title]


async def test_a_look_that_is_early_does_nothing_and_the_time_still_comes(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    await harness.write(lambda c: work.add(c, bulk_schedules.DUE, rule.rule_id, now=harness.clock.now()))
    await harness.run()
    assert (await harness.outcomes(), await harness.begun()) == ([], [])
    await harness.next()
    assert await harness.outcomes() == ["begun"]


async def test_a_rule_that_is_stopped_while_it_is_listed_does_nothing(harness: RepeatHarness) -> None:
    rule = await harness.ruled()
    harness.shelf.while_listing = lambda: harness.change(rule, state="revoked")
    await harness.next()
    assert (await harness.outcomes(), await harness.begun()) == ([], [])


async def test_a_rule_without_its_row_does_nothing(harness: RepeatHarness) -> None:
    await harness.write(lambda c: work.add(c, bulk_schedules.DUE, "nobody", now=harness.clock.now()))
    await harness.run()
    assert await harness.begun() == []


async def test_the_weekly_digest_counts_what_it_did(harness: RepeatHarness) -> None:
    await harness.approvals.schedule_weekly()
    await harness.ruled()
    await harness.next()
    await harness.at(datetime(2027, 3, 8, 9, tzinfo=UTC))
    told = next(text for one in await harness.messages() if "Your week" in (text := text_of(one)))
    assert "Rule 1 let pass once, last at 09:00:00 on 7 March 2027: Puts things away; Words: offers; every Sun" in told


async def test_a_new_pairing_puts_it_out_of_force_and_what_it_tells_goes_to_the_new_owner(
    harness: RepeatHarness,
) -> None:
    await harness.ruled()
    await harness.write(lambda c: hand_over(c, harness.clock.now()))
    await harness.next()
    assert (await harness.outcomes(), await harness.begun()) == (["disabled"], [])
    harness.owner.telegram_user_id, harness.channel.home_chat = 43, "telegram:43"
    rule = await harness.rule()
    assert await harness.write(lambda c: enable(c, rule, actor="telegram:43", now=harness.clock.now()))
    await harness.next()
    assert [run.chat for run in await harness.begun()] == ["telegram:43"]
