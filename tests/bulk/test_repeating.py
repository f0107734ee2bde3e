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
from tests.approvals.house import card_text
from tests.approvals.providers import OWN_WORDS
from tests.bulk.repeat_house import LISTED, SUNDAYS, TOOL, RepeatHouse, fields, text_of
from tests.bulk.shelf import Shelf


@pytest.fixture
def house(store: Store) -> RepeatHouse:
    return RepeatHouse(store, Shelf.of(60))


def filled(house: RepeatHouse, count: int) -> None:
    """So many things are there once more."""
    house.shelf.things |= {f"n{len(house.shelf.things) + at}": True for at in range(count)}


async def test_one_card_shows_the_whole_order(house: RepeatHouse) -> None:
    await house.ordered(before="2027-02-26")
    card, shown = house.channel.newest, fields(house.channel.newest)
    assert card.effect == "Puts things away, again and again"
    assert shown["When"] == "every Sunday at 09:00 (Europe/London)"
    assert shown["Moves on"] == "before: 7 days earlier"
    assert shown["Next"] == "7 March 2027, 14 March 2027, 21 March 2027"
    assert shown["At most"] == "120 each time; of more you are asked"
    assert shown["Last day"] == "4 March 2028"
    assert shown["Right now"] == "60"
    assert shown["Newest"] == "Anna · thing t00059 · 29 April 2027"
    assert shown["To stop it"] == "/rules, or Stop the rule under each time that it was done"


async def test_what_was_said_of_its_limits_is_what_is_shown(house: RepeatHouse) -> None:
    await house.ordered({**SUNDAYS, "most": 70, "until": "2027-03-14"})
    shown = fields(house.channel.newest)
    assert (shown["At most"], shown["Last day"]) == ("70 each time; of more you are asked", "14 March 2027")
    assert shown["Next"] == "7 March 2027, 14 March 2027"
    assert "Moves on" not in shown


async def test_a_yes_makes_a_rule_and_does_nothing_yet(house: RepeatHouse) -> None:
    rule = await house.ruled()
    assert (rule.number, rule.state, rule.repeats) == (1, "active", True)
    assert all(house.shelf.things.values())
    assert "It is rule 1 now, and is done every Sunday at 09:00; /rules stops it." in card_text(house.channel.newest)


async def test_it_is_done_when_it_is_due_and_one_message_says_by_which_rule(house: RepeatHouse) -> None:
    rule = await house.ruled()
    await house.next()
    assert house.clock.now() == datetime(2027, 3, 7, 9, tzinfo=UTC)
    (run,) = await house.begun()
    assert (run.total, run.state, run.rule_id, run.tool) == (60, RunState.DONE, rule.rule_id, TOOL)
    (message,) = await house.messages()
    assert text_of(message) == "Put away: 60 of 60\nBy your rule 1, every Sunday at 09:00."
    assert [one.label for line in message.buttons for one in line] == ["Undo", "As a file", "Stop the rule"]
    assert len(house.channel.cards) == 1  # no second message says that it was done
    assert (await house.outcomes(), (await house.rule()).uses) == (["begun"], 1)


async def test_it_is_done_again_each_time_and_its_dates_move_on(house: RepeatHouse) -> None:
    await house.ruled(before="2027-02-26")
    for _ in range(3):
        filled(house, 5)
        await house.next()
    assert [run.total for run in await house.begun()] == [65, 5, 5]
    assert ['"before":"2027-02-28"' in run.params for run in await house.begun()] == [True, False, False]
    assert '"before":"2027-03-14"' in (await house.begun())[2].params


async def test_a_date_that_is_to_stay_stays(house: RepeatHouse) -> None:
    await house.ruled({**SUNDAYS, "fixed": ["before"]}, before="2027-02-26")
    await house.next()
    assert '"before":"2027-02-26"' in (await house.begun())[0].params


async def test_nothing_to_do_is_noted_and_not_told(house: RepeatHouse) -> None:
    await house.ruled()
    house.shelf.things.clear()
    await house.next()
    assert (await house.outcomes(), await house.begun(), await house.messages()) == (["none"], [], [])
    filled(house, 3)
    await house.next()
    assert [run.total for run in await house.begun()] == [3]


async def test_of_more_than_the_rule_allows_a_card_asks_and_says_why(house: RepeatHouse) -> None:
    await house.ruled()
    filled(house, 61)
    await house.next()
    assert (await house.outcomes(), await house.begun()) == (["asked"], [])
    assert "there are 121, and your rule 1 is for 120 at most each time" in card_text(house.channel.newest)
    assert house.channel.newest.effect == "Puts things away"
    await house.tap("Approve")
    await house.after_undo_window()
    assert [run.total for run in await house.begun()] == [121]


async def test_a_card_of_the_time_before_gives_way_to_the_next_one(house: RepeatHouse) -> None:
    await house.ruled({"every": "day", "at": "13:30"})
    filled(house, 61)
    await house.next()
    (first,) = await house.pending()
    await house.next()
    assert await house.state(first.approval_id) == "superseded"
    assert len(await house.pending()) == 1


async def test_what_was_never_found_before_is_asked_about_the_first_time(house: RepeatHouse) -> None:
    house.shelf.things.clear()
    await house.ruled()
    assert fields(house.channel.newest)["Right now"] == "0"
    filled(house, 2)
    await house.next()
    assert "your rule has never found anything before" in card_text(house.channel.newest)
    await house.tap("Approve")
    await house.after_undo_window()
    filled(house, 2)
    await house.next()
    assert [run.total for run in await house.begun()] == [2, 2]
    assert await house.outcomes() == ["asked", "begun"]


async def test_times_that_were_missed_are_one_and_that_is_said(house: RepeatHouse) -> None:
    await house.ruled()
    await house.next(late=timedelta(days=16))
    assert [run.total for run in await house.begun()] == [60]
    (message,) = await house.messages()
    assert text_of(message).endswith(
        "By your rule 1, every Sunday at 09:00. It was due on Sunday 7 March 2027 at 09:00, and is done late, once for "
        "all times that were missed."
    )
    assert (await house.schedule()).due_at == datetime(2027, 3, 28, 8, tzinfo=UTC)  # summer time began that night


async def test_a_night_in_which_its_time_does_not_exist_has_it_once_at_the_first_moment(house: RepeatHouse) -> None:
    await house.ruled({"every": "day", "at": "01:30"})
    await house.at(datetime(2027, 3, 27, 2, tzinfo=UTC))
    assert (await house.schedule()).due_at == datetime(2027, 3, 28, 1, tzinfo=UTC)
    await house.next()
    assert (await house.schedule()).due_at == datetime(2027, 3, 29, 0, 30, tzinfo=UTC)


async def test_a_night_that_has_its_time_twice_does_it_once(house: RepeatHouse) -> None:
    await house.ruled({"every": "day", "at": "01:30"})
    await house.at(datetime(2027, 10, 30, 2, tzinfo=UTC))
    assert (await house.schedule()).due_at == datetime(2027, 10, 31, 0, 30, tzinfo=UTC)
    await house.next()
    assert (await house.schedule()).due_at == datetime(2027, 11, 1, 1, 30, tzinfo=UTC)


async def test_after_its_last_day_it_is_done_no_more(house: RepeatHouse) -> None:
    await house.ruled({**SUNDAYS, "until": "2027-03-07"})
    await house.next()
    assert (await house.rule()).state == "active"
    await house.at(datetime(2027, 3, 8, 0, tzinfo=UTC))
    assert (await house.rule()).state == "expired"
    rule_id = (await house.rule()).rule_id
    await house.write(lambda c: work.add(c, bulk_schedules.DUE, rule_id, now=house.clock.now()))
    await house.run()
    assert await house.outcomes() == ["begun"]


async def test_its_last_time_is_settled_once(house: RepeatHouse) -> None:
    await house.ruled({**SUNDAYS, "until": "2027-03-07"})
    await house.next()
    rule_id = (await house.rule()).rule_id
    await house.write(lambda c: work.add(c, bulk_schedules.DUE, rule_id, now=house.clock.now()))
    await house.run()
    assert await house.outcomes() == ["begun"]


async def test_stop_the_rule_revokes_it(house: RepeatHouse) -> None:
    await house.ruled()
    await house.next()
    (message,) = await house.messages()
    assert "Revoked" in await house.press(message, "Stop the rule")
    assert (await house.rule()).state == "revoked"
    await house.press(message, "Undo")
    assert all(house.shelf.things.values())
    await house.at(house.clock.now() + timedelta(days=30))
    assert all(house.shelf.things.values())
    assert await house.outcomes() == ["begun"]


async def test_a_disabled_rule_skips_its_times_and_goes_on_once_it_is_enabled(house: RepeatHouse) -> None:
    rule = await house.ruled()
    await house.change(rule, state="disabled")
    await house.next()
    assert (await house.outcomes(), await house.begun()) == (["disabled"], [])
    await house.change(await house.rule(), state="active")
    await house.next()
    assert await house.outcomes() == ["disabled", "begun"]


async def test_while_acts_are_paused_nothing_is_done_and_nothing_is_read(house: RepeatHouse) -> None:
    await house.ruled()
    await house.write(lambda c: set_paused(c, "telegram:42", house.clock.now()))
    house.shelf.listing_later = True
    await house.next()
    assert (await house.outcomes(), await house.messages()) == (["paused"], [])
    await house.write(lambda c: lift(c, house.clock.now()))
    house.shelf.listing_later = False
    await house.next()
    assert await house.outcomes() == ["paused", "begun"]


async def test_while_what_it_began_is_not_over_it_begins_nothing_more(house: RepeatHouse) -> None:
    await house.ruled()
    house.shelf.signed_out = True
    await house.next()
    await house.next()
    assert (await house.outcomes(), len(await house.begun())) == (["begun", "still open"], 1)


async def test_a_provider_that_is_out_of_reach_is_asked_later(house: RepeatHouse) -> None:
    await house.ruled()
    house.shelf.listing_later = True
    with pytest.raises(Exception, match="not now"):
        await house.handlers[bulk_schedules.DUE]((await house.due_now()).rule_id)
    house.shelf.listing_later = False
    await house.run()
    assert await house.outcomes() == ["begun"]


async def test_an_account_that_is_gone_is_told_once(house: RepeatHouse) -> None:
    await house.ruled()
    spec = house.invoker.tools.pop(TOOL)
    await house.next()
    await house.next()
    assert [text_of(one) for one in await house.messages()] == [
        "What your rule 1 does every Sunday at 09:00 is not done. What it needs is no longer set up."
    ]
    house.invoker.tools[TOOL] = spec
    await house.next()
    assert (await house.outcomes(), (await house.schedule()).trouble) == (["trouble", "trouble", "begun"], ())


async def test_what_its_provider_refuses_is_told_once(house: RepeatHouse) -> None:
    await house.ruled()
    house.bulk.adapters.every()[0].shelf = Shelf.of(0)  # pyright: ignore[reportAttributeAccessIssue]
    house.limits = BulkSettings.model_validate({"limit": [{"tool": TOOL, "per_run": 10}]})
    house.start()
    await house.next()
    await house.next()
    (message,) = await house.messages()
    assert text_of(message) == (
        "What your rule 1 does every Sunday at 09:00 is not done. There are 60 of them, and 10 at most may be done at "
        f"once: narrow it, such as by age or by sender. The ceiling is per_run in [[bulk.limit]] for {TOOL}."
    )


async def test_deny_rules_and_limits_hold_it_back(house: RepeatHouse) -> None:
    await house.ruled()
    house.configure(deny=[{"tool": TOOL, "reason": "not any more"}])
    await house.next()
    filled(house, 200)
    await house.next()
    assert (await house.outcomes(), await house.begun()) == (["refused", "asked"], [])
    assert [text_of(one) for one in await house.messages()] == [
        "What your rule 1 does every Sunday at 09:00 is not done. not any more"
    ]


async def test_a_rule_that_was_changed_in_its_row_asks(house: RepeatHouse) -> None:
    rule = await house.ruled()
    await house.change(rule, account="other")
    await house.next()
    assert await house.begun() == []


async def test_such_a_rule_lets_nothing_pass_that_is_asked_for(house: RepeatHouse) -> None:
    await house.ruled()
    shown = await house.listed({"words": "offers"})
    assert isinstance(shown, BulkSnapshot)
    args = {"words": "offers", "snapshot": shown.model_dump(mode="json")}
    origins = {"words": OWN_WORDS, "snapshot": LISTED}
    verdict = await house.request(TOOL, args=args, origins=origins, call_id="once", chat="")
    assert verdict.decision is Decision.ASK


async def test_it_is_listed_like_any_rule(house: RepeatHouse) -> None:
    rule = await house.ruled(before="2027-02-26")
    assert recurring_words(house.invoker, rule) == (
        "Puts things away; Words: offers; before: 7 days earlier; every Sunday at 09:00, 120 at most each time, to the "
        "end of 4 March 2028"
    )
    house.invoker.tools.pop(TOOL)
    assert recurring_words(house.invoker, rule).startswith(f"{TOOL}; words: offers; before: 7 days earlier; every")
    await house.write(lambda c: house.approvals.say_rules(c, "telegram:42", "k", house.clock.now()))
    (message,) = await house.messages()
    assert "Rule 1: " in text_of(message)
    await house.press(message, "Disable 1")
    assert (await house.rule()).state == "disabled"
    assert not [card for card in house.channel.cards.values() if "tanding rule" in card.title]


async def test_a_look_that_is_early_does_nothing_and_the_time_still_comes(house: RepeatHouse) -> None:
    rule = await house.ruled()
    await house.write(lambda c: work.add(c, bulk_schedules.DUE, rule.rule_id, now=house.clock.now()))
    await house.run()
    assert (await house.outcomes(), await house.begun()) == ([], [])
    await house.next()
    assert await house.outcomes() == ["begun"]


async def test_a_rule_that_is_stopped_while_it_is_listed_does_nothing(house: RepeatHouse) -> None:
    rule = await house.ruled()
    house.shelf.while_listing = lambda: house.change(rule, state="revoked")
    await house.next()
    assert (await house.outcomes(), await house.begun()) == ([], [])


async def test_a_rule_without_its_row_does_nothing(house: RepeatHouse) -> None:
    await house.write(lambda c: work.add(c, bulk_schedules.DUE, "nobody", now=house.clock.now()))
    await house.run()
    assert await house.begun() == []


async def test_the_weekly_digest_counts_what_it_did(house: RepeatHouse) -> None:
    await house.approvals.schedule_weekly()
    await house.ruled()
    await house.next()
    await house.at(datetime(2027, 3, 8, 9, tzinfo=UTC))
    told = next(text for one in await house.messages() if "Your week" in (text := text_of(one)))
    assert "Rule 1 let pass once, last at 09:00:00 on 7 March 2027: Puts things away; Words: offers; every Sun" in told


async def test_a_new_pairing_puts_it_out_of_force_and_what_it_tells_goes_to_the_new_owner(house: RepeatHouse) -> None:
    await house.ruled()
    await house.write(lambda c: hand_over(c, house.clock.now()))
    await house.next()
    assert (await house.outcomes(), await house.begun()) == (["disabled"], [])
    house.owner.telegram_user_id, house.channel.home_chat = 43, "telegram:43"
    rule = await house.rule()
    assert await house.write(lambda c: enable(c, rule, actor="telegram:43", now=house.clock.now()))
    await house.next()
    assert [run.chat for run in await house.begun()] == ["telegram:43"]
