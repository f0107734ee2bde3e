"""What a card says of an order about events, what such an order may not say, and how accounts are set up."""

from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.bulk import BulkItem
from modules.calendar.bulk_tools import SELECTIONS, name_of
from modules.calendar.config import CalendarModuleSettings
from modules.calendar.free_time import free_times
from modules.calendar.module import CalendarModule
from modules.calendar.recurring import moved_rules
from modules.calendar.times import read_when
from tests.modules.calendar.calendar_account import ZONE, Account
from tests.support.context import make_context

PREVIEWS = {
    spec.tool_name: spec.preview
    for spec in CalendarModule(CalendarModuleSettings.model_validate({"user": {}}), make_context()).user_outputs()
}
YEAR = {"When": "from today on, for a year"}


def card(action: str, **args: Any) -> tuple[str, dict[str, str]]:
    """The effect and the facts."""
    name = f"user_calendar_{action}_event"
    model = next(model for action_, model in SELECTIONS.items() if name_of(action_) == name)
    preview = PREVIEWS[name]
    assert preview is not None
    shown = preview(model.model_validate(args))
    return shown.effect, dict(shown.facts)


@pytest.mark.parametrize(
    ("action", "args", "facts"),
    [
        ("move", {"words": "x", "days": 1}, {"By": "1 day later", "Words": "x", **YEAR}),
        ("move", {"words": "x", "minutes": -90}, {"By": "90 minutes earlier", "Words": "x", **YEAR}),
        ("move", {"words": "x", "days": 2, "minutes": 30}, {"By": "2 days 30 minutes later", "Words": "x", **YEAR}),
        (
            "move",
            {"since": "2027-03-12", "before": "2027-03-13", "days": 3},
            {"By": "3 days later", "To the day": "Monday 15 March 2027", "When": "Friday 12 March 2027"},
        ),
        (
            "move",
            {"since": "2027-03-12T12:00", "before": "2027-03-12T18:00", "days": -1},
            {
                "By": "1 day earlier",
                "To the day": "Thursday 11 March 2027",
                "When": "Friday 12 March 2027 at 12:00 to 18:00",
            },
        ),
        (
            "move",
            {"words": "x", "days": 1, "minutes": -30},
            {"By": "1 day later, 30 minutes earlier", "Words": "x", **YEAR},
        ),
        (
            "move",
            {"words": "x", "to_calendar": "Club", "quietly": True},
            {"To the calendar": "Club", "Guests": "they are not told", "Words": "x", **YEAR},
        ),
        ("delete", {"events": ["e1"], "quietly": True}, {"Guests": "they are not told"}),
        ("decline", {"people": ["Tom"], "comment": "Away"}, {"Comment": "Away", "With": "Tom", **YEAR}),
        ("remind", {"words": "x"}, {"Reminder": "the calendar's own", "Words": "x", **YEAR}),
        ("remind", {"words": "x", "off": True}, {"Reminder": "none at all", "Words": "x", **YEAR}),
        ("remind", {"words": "x", "remind_minutes": 0}, {"Reminder": "when it begins", "Words": "x", **YEAR}),
        ("remind", {"words": "x", "remind_minutes": 30}, {"Reminder": "30 minutes before", "Words": "x", **YEAR}),
        ("colour", {"words": "x", "colour": "tomato"}, {"Colour": "tomato", "Words": "x", **YEAR}),
        (
            "delete",
            {"since": "2027-03-12", "before": "2027-03-12T18:00", "calendar": "Club", "all_day": False},
            {
                "Since": "12 March 2027",
                "Before": "Friday 12 March 2027 at 18:00",
                "Calendar": "Club",
                "Only": "with a time of the day",
            },
        ),
        (
            "delete",
            {"since": "2027-03-12", "organiser": "others", "all_day": True, "series": True},
            {
                "Since": "12 March 2027",
                "When": "for a year from then on",
                "Only": "of whole days, others organise",
                "Series": "all of it, past ones too",
            },
        ),
        ("delete", {"since": "2027-03-12", "before": "2027-03-13"}, {"When": "Friday 12 March 2027"}),
        ("delete", {"since": "2027-03-12", "before": "2027-03-15"}, {"When": "12 March 2027 to 14 March 2027"}),
        (
            "delete",
            {"since": "2027-03-12T12:00", "before": "2027-03-12T18:00"},
            {"When": "Friday 12 March 2027 at 12:00 to 18:00"},
        ),
        ("delete", {"words": "x", "keep": ["Dentist", "Bob"]}, {"But not": "Dentist, Bob", "Words": "x", **YEAR}),
        ("delete", {"organiser": "me"}, {"Only": "you organise", **YEAR}),
    ],
)
def test_a_card_says_all_that_was_asked_for(action: str, args: dict[str, Any], facts: dict[str, str]) -> None:
    effect, shown = card(action, **args)
    assert shown == facts
    assert ("another calendar" in effect) == ("to_calendar" in args)


@pytest.mark.parametrize(
    ("action", "wrong"),
    [
        ("delete", {}),
        ("delete", {"series": True}),
        ("delete", {"events": ["e1"], "words": "x"}),
        ("delete", {"words": "..."}),
        ("delete", {"people": ["!"]}),
        ("delete", {"since": "2027-03-12", "before": "2027-03-12"}),
        ("delete", {"events": ["two words"]}),
        ("move", {"words": "x"}),
        ("move", {"words": "x", "days": 1, "to_calendar": "Club"}),
        ("colour", {"words": "x", "colour": "mauve"}),
        ("remind", {"words": "x", "remind_minutes": 50_000}),
        ("remind", {"words": "x", "remind_minutes": 30, "off": True}),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(action: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"\S"):
        card(action, **wrong)


def test_each_account_has_its_own_variable_and_one_that_is_off_is_not_there() -> None:
    settings = {"user": {"account": "home", "accounts": {"work": {}, "old": {"enabled": False}}}}
    accounts = CalendarModuleSettings.model_validate(settings).user_accounts()
    assert list(accounts) == ["home", "work"]
    assert accounts["work"].credentials_env == "USER_CALENDAR_OAUTH_JSON_WORK"
    wrongs: list[Any] = [{"main": {}}, {"work": 7}, 7]
    for wrong in wrongs:
        with pytest.raises(ValidationError):
            CalendarModuleSettings.model_validate({"user": {"accounts": wrong}})


def test_without_an_account_there_are_no_tools() -> None:
    module = CalendarModule(CalendarModuleSettings.model_validate({}), make_context())
    assert (module.user_inputs(), module.user_outputs(), module.bulk_adapters()) == ((), (), ())


@pytest.mark.parametrize(
    ("rules", "before", "after", "moved"),
    [
        ([], "2027-03-09", "2027-03-10", []),
        (["RRULE:FREQ=DAILY"], "2027-03-09T18:00", "2027-03-09T19:00", ["RRULE:FREQ=DAILY"]),
        (
            ["RRULE:FREQ=MONTHLY;BYMONTHDAY=9;INTERVAL=2;UNTIL=20271231"],
            "2027-03-09",
            "2027-03-11",
            ["RRULE:FREQ=MONTHLY;BYMONTHDAY=11;INTERVAL=2;UNTIL=20280102"],
        ),
        (["RRULE:FREQ=MONTHLY;BYDAY=2TU"], "2027-03-09", "2027-03-10", None),
        (["RRULE:FREQ=DAILY", "EXDATE:20270311"], "2027-03-09", "2027-03-10", None),
    ],
)
def test_a_rule_moves_along_where_that_is_simple(
    rules: list[str], before: str, after: str, moved: list[str] | None
) -> None:
    assert moved_rules(rules, read_when(before), read_when(after)) == moved


def test_what_ended_before_and_begins_after_leaves_a_day_free() -> None:
    def at(text: str) -> Any:
        return read_when(text).replace(tzinfo=ZONE)

    busy = [(at("2027-03-08T05:00"), at("2027-03-08T06:00")), (at("2027-03-08T21:00"), at("2027-03-08T22:00"))]
    (free,) = free_times(at("2027-03-08T00:00"), at("2027-03-09T00:00"), busy, 60, ZONE)
    assert free.minutes == 12 * 60


async def test_an_order_of_nobody_and_of_no_kind_is_refused(me: Account) -> None:
    with pytest.raises(ValueError, match="say what is to be done"):
        await me.adapter.prepare({"words": "x"})
    with pytest.raises(ValueError, match="say what is to be done"):
        await me.adapter.prepare({"action": "burn", "words": "x"})
    with pytest.raises(ValueError, match="say which events"):
        await me.adapter.prepare({"action": "delete"})


async def test_a_transfer_of_what_lies_there_already_is_done(me: Account) -> None:
    club = me.server.add_calendar("me@home.example", "Club")
    id_ = me.add("Yoga", "2027-03-09T18:00", calendar=club)
    context = await me.adapter.prepare({"action": "move", "to_calendar": "Club", "events": [f"{id_}/{club}"]})
    (result,) = await me.adapter.execute_batch([BulkItem(f"{id_}/{club}", "Yoga")], context)
    assert result.success
    me.server.fail("calendar.events.move", 400, "invalid")
    alone = me.add("Alone", "2027-03-09T18:00")
    (result,) = await me.adapter.execute_batch([BulkItem(alone, "Alone")], context)
    assert (result.success, "refused this" in (result.error or "")) == (False, True)
