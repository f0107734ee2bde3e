"""The facts that the calendar's tools declare are in what they yield."""

from butler.contract.bulk_tool import FACTS
from tests.modules.calendar.calendar_account import ANNA, ME, Account
from tests.support.declared_facts import assert_facts, tools_with_facts


async def test_declared_facts_of_what_is_read(me: Account) -> None:
    guests = [{"email": ANNA}, {"email": ME}]
    event = me.add("Plan", "2027-03-08T09:00", location="Town hall", description="The map", attendees=guests)
    for tool, args in {
        "list_calendars": {},
        "list_events": {},
        "read_event": {"event": event},
        "find_free_time": {},
    }.items():
        assert_facts(me.registry.spec(f"user_calendar_{tool}"), await me.do(tool, **args))


async def test_declared_facts_of_what_is_written(me: Account) -> None:
    made = await me.approved("create_event", title="Dentist", start="2027-03-08T09:00")
    assert_facts(me.registry.spec("user_calendar_create_event"), made)
    assert made.data is not None
    changed = await me.approved("change_event", event=made.data["event_id"], start="2027-03-08T10:00")
    assert_facts(me.registry.spec("user_calendar_change_event"), changed)


def test_every_tool_that_declares_facts_is_run_here(me: Account) -> None:
    own = {spec for spec in me.registry.specs() if spec.facts != FACTS}
    read = {"list_calendars", "list_events", "read_event", "find_free_time"}
    assert tools_with_facts(own) == {f"user_calendar_{one}" for one in (*read, "create_event", "change_event")}
    assert len(own) == 6, "the others are bulk tools, whose facts are their launcher's"
