"""What is asked of a calendar becomes exactly the right call, or a question; never another day or a filter left out."""
# names: made up here

from typing import Any

import pytest

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.embedded import scene
from tests.orchestrator.embedded.agenda_scene import CALENDAR, ONE_EVENT, TWO_EVENTS, calls, plan, shown, steps

Row = tuple[str, str, dict[str, Any]]

LOOKS: list[Row] = [
    ("what's on Friday?", "list_events", {"since": "2026-03-06", "before": "2026-03-07"}),
    ("what is on tomorrow", "list_events", {"since": "2026-03-05", "before": "2026-03-06"}),
    ("what's on my calendar tomorrow?", "list_events", {"since": "2026-03-05", "before": "2026-03-06"}),
    ("what do I have tomorrow afternoon", "list_events", {"since": "2026-03-05T12:00", "before": "2026-03-05T18:00"}),
    ("what do I have next week?", "list_events", {"since": "2026-03-09", "before": "2026-03-16"}),
    ("show my meetings next week", "list_events", {"since": "2026-03-09", "before": "2026-03-16"}),
    ("which meetings do I have on Friday", "list_events", {"since": "2026-03-06", "before": "2026-03-07"}),
    ("any meetings tomorrow?", "list_events", {"since": "2026-03-05", "before": "2026-03-06"}),
    ("do I have anything on Friday evening?", "list_events", {"since": "2026-03-06T18:00", "before": "2026-03-07"}),
    ("am I busy on Friday?", "list_events", {"since": "2026-03-06", "before": "2026-03-07"}),
    ("when is my next meeting?", "list_events", {"since": "2026-03-04T10:30", "limit": 1}),
    (
        "when is my next meeting with Anna?",
        "list_events",
        {"since": "2026-03-04T10:30", "before": "2027-03-04", "words": "Anna", "limit": 1},
    ),
    ("what's my next appointment", "list_events", {"since": "2026-03-04T10:30", "limit": 1}),
    ("when am I free on Thursday?", "find_free_time", {"since": "2026-03-05", "before": "2026-03-06"}),
    (
        "when am I free on Thursday for an hour?",
        "find_free_time",
        {"since": "2026-03-05", "before": "2026-03-06", "minutes": 60},
    ),
    ("am I free tomorrow afternoon?", "find_free_time", {"since": "2026-03-05T12:00", "before": "2026-03-05T18:00"}),
    (
        "find me a free slot of 30 minutes next week",
        "find_free_time",
        {"since": "2026-03-09", "before": "2026-03-16", "minutes": 30},
    ),
    ("what does my week look like?", "list_events", {"since": "2026-03-04", "before": "2026-03-09"}),
    ("how does my Friday look?", "list_events", {"since": "2026-03-06", "before": "2026-03-07"}),
    ("show me my calendar", "list_events", {"since": "2026-03-04"}),
    ("my agenda", "list_events", {"since": "2026-03-04"}),
    ("when is the dentist?", "list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
    ("when is my meeting with Anna", "list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
    ("when do I see Anna?", "list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
    ("what's on between Monday and Wednesday?", "list_events", {"since": "2026-03-09", "before": "2026-03-12"}),
    ("show all meetings with Anna", "list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
    ("which calendars do I have?", "list_calendars", {}),
    ("what's up tomorrow", "list_events", {"since": "2026-03-05", "before": "2026-03-06"}),
    (
        "do I have meetings with Anna next week?",
        "list_events",
        {"since": "2026-03-09", "before": "2026-03-16", "words": "Anna"},
    ),
    ("what's the plan for today?", "list_events", {"since": "2026-03-04", "before": "2026-03-05"}),
    ("what have I got on this weekend", "list_events", {"since": "2026-03-07", "before": "2026-03-09"}),
]
NEW: list[Row] = [
    (
        "add dentist on Friday at 3pm for an hour",
        "create_event",
        {"title": "Dentist", "start": "2026-03-06T15:00", "minutes": 60},
    ),
    (
        "put lunch with Anna into my calendar tomorrow at noon, at Luigi's",
        "create_event",
        {"title": "Lunch with Anna", "start": "2026-03-05T12:00", "location": "Luigi's"},
    ),
    (
        "schedule a meeting with Anna on Monday 10-11",
        "create_event",
        {"title": "Meeting with Anna", "start": "2026-03-09T10:00", "end": "2026-03-09T11:00"},
    ),
    (
        "schedule a meeting with Anna on Monday from 10 to 11 at the office and invite Anna and Carol",
        "create_event",
        {
            "title": "Meeting with Anna",
            "start": "2026-03-09T10:00",
            "end": "2026-03-09T11:00",
            "location": "office",
            "guests": [{"contact": "c-anna"}, {"contact": "c-carol"}],
        },
    ),
    (
        "add standup every Monday at 9:30 for 15 minutes",
        "create_event",
        {"title": "Standup", "start": "2026-03-09T09:30", "minutes": 15, "repeat": "weekly"},
    ),
    (
        "add holiday from 3 to 10 August",
        "create_event",
        {"title": "Holiday", "start": "2026-08-03", "end": "2026-08-10"},
    ),
    (
        "create an event called Kick-off on 9 March at 14:00 in my Work calendar",
        "create_event",
        {"title": "Kick-off", "start": "2026-03-09T14:00", "calendar": "Work"},
    ),
    (
        "new event: dinner at Luigi's on Saturday at 8",
        "create_event",
        {"title": "Dinner", "start": "2026-03-07T20:00", "location": "Luigi's"},
    ),
    (
        "put in my calendar: pick up the car tomorrow at 5",
        "create_event",
        {"title": "Pick up the car", "start": "2026-03-05T17:00"},
    ),
    ("block Friday afternoon for writing", "create_event", {"title": "Writing", "start": "2026-03-06T14:00"}),
    (
        "add lunch with Bob tomorrow at 1 and remind me 30 minutes before",
        "create_event",
        {"title": "Lunch with Bob", "start": "2026-03-05T13:00", "remind_minutes": 30},
    ),
    (
        "add yoga every Tuesday at 7pm until June",
        "create_event",
        {"title": "Yoga", "start": "2026-03-10T19:00", "repeat": "weekly", "until": "2026-06-30"},
    ),
    ("add vacation next week", "create_event", {"title": "Vacation", "start": "2026-03-09", "end": "2026-03-15"}),
    ("set up a call with Bob tomorrow at 10", "create_event", {"title": "Call with Bob", "start": "2026-03-05T10:00"}),
    (
        'add "Team review at 5" to my calendar on Friday at 10',
        "create_event",
        {"title": "Team review at 5", "start": "2026-03-06T10:00"},
    ),
    (
        "make an appointment with the dentist on Friday at 9",
        "create_event",
        {"title": "Appointment with the dentist", "start": "2026-03-06T09:00"},
    ),
    ("add Monday review on Friday at 3pm", "create_event", {"title": "Monday review", "start": "2026-03-06T15:00"}),
    (
        "plan a trip to Rome from 3 April to 6 April",
        "create_event",
        {"title": "Trip to Rome", "start": "2026-04-03", "end": "2026-04-06"},
    ),
    (
        "add team meeting every day at 9am",
        "create_event",
        {"title": "Team meeting", "start": "2026-03-05T09:00", "repeat": "daily"},
    ),
    ("add Christmas on 25 December, all day", "create_event", {"title": "Christmas", "start": "2026-12-25"}),
    (
        "schedule dinner with Zoe tomorrow at 7 inviting zoe@x.example",
        "create_event",
        {"title": "Dinner with Zoe", "start": "2026-03-05T19:00", "guests": [{"address": "mail:zoe@x.example"}]},
    ),
]
MANY: list[Row] = [
    ("clear my calendar on Friday", "delete_event", {"since": "2026-03-06", "before": "2026-03-07"}),
    ("clear my Friday afternoon", "delete_event", {"since": "2026-03-06T12:00", "before": "2026-03-06T18:00"}),
    ("clear Friday", "delete_event", {"since": "2026-03-06", "before": "2026-03-07"}),
    ("clear my schedule tomorrow", "delete_event", {"since": "2026-03-05", "before": "2026-03-06"}),
    ("decline everything on Friday", "decline_event", {"since": "2026-03-06", "before": "2026-03-07"}),
    (
        "decline all meetings on Friday with the comment I am away",
        "decline_event",
        {"since": "2026-03-06", "before": "2026-03-07", "comment": "I am away"},
    ),
    ("move all meetings on Friday to Monday", "move_event", {"since": "2026-03-06", "before": "2026-03-07", "days": 3}),
    ("move everything on Friday to Monday", "move_event", {"since": "2026-03-06", "before": "2026-03-07", "days": 3}),
    (
        "move all meetings tomorrow by an hour",
        "move_event",
        {"since": "2026-03-05", "before": "2026-03-06", "minutes": 60},
    ),
    (
        "move all my meetings on Friday an hour later",
        "move_event",
        {"since": "2026-03-06", "before": "2026-03-07", "minutes": 60},
    ),
    (
        "push everything tomorrow afternoon by 30 minutes",
        "move_event",
        {"since": "2026-03-05T12:00", "before": "2026-03-05T18:00", "minutes": 30},
    ),
    (
        "move all meetings next week to my Work calendar",
        "move_event",
        {"since": "2026-03-09", "before": "2026-03-16", "to_calendar": "Work"},
    ),
    (
        "remind me 30 minutes before all meetings next week",
        "remind_event",
        {"since": "2026-03-09", "before": "2026-03-16", "remind_minutes": 30},
    ),
    (
        "remind me 10 minutes before every meeting with Anna",
        "remind_event",
        {"people": ["anna@friends.example"], "remind_minutes": 10},
    ),
    ("colour all meetings with Anna green", "colour_event", {"people": ["anna@friends.example"], "colour": "basil"}),
    (
        "color all my meetings with Anna and Carol red",
        "colour_event",
        {"people": ["anna@friends.example", "carol@work.example"], "colour": "tomato"},
    ),
    ("make all calls with Bob blue", "colour_event", {"words": "call", "people": ["Bob"], "colour": "blueberry"}),
    ("delete all meetings with Anna", "delete_event", {"people": ["anna@friends.example"]}),
    ("cancel all meetings tomorrow", "delete_event", {"since": "2026-03-05", "before": "2026-03-06"}),
    ("cancel every standup", "delete_event", {"words": "standup"}),
    ("delete all dentist appointments", "delete_event", {"words": "dentist"}),
    ("delete all birthdays in my Family calendar", "delete_event", {"words": "birthday", "calendar": "Family"}),
    (
        "delete all events called Gym in March",
        "delete_event",
        {"since": "2026-03-04", "before": "2026-04-01", "words": "Gym"},
    ),
    ("remove everything from my calendar tomorrow", "delete_event", {"since": "2026-03-05", "before": "2026-03-06"}),
    (
        "cancel all meetings that I organised next week",
        "delete_event",
        {"since": "2026-03-09", "before": "2026-03-16", "organiser": "me"},
    ),
    ("decline all meetings from Carol", "decline_event", {"people": ["carol@work.example"], "organiser": "others"}),
    (
        "delete all all-day events next week",
        "delete_event",
        {"since": "2026-03-09", "before": "2026-03-16", "all_day": True},
    ),
    (
        "turn off the reminders for all meetings tomorrow",
        "remind_event",
        {"since": "2026-03-05", "before": "2026-03-06", "off": True},
    ),
]
OF_ONE_SHOWN: list[Row] = [
    ("push it by an hour", "move_event", {"events": [{"handle": "event-1"}], "minutes": 60}),
    ("move it an hour later", "move_event", {"events": [{"handle": "event-1"}], "minutes": 60}),
    ("bring it forward by 30 minutes", "move_event", {"events": [{"handle": "event-1"}], "minutes": -30}),
    ("make it an hour long", "change_event", {"event": {"handle": "event-1"}, "minutes": 60}),
    (
        "rename it to Planning with Anna",
        "change_event",
        {"event": {"handle": "event-1"}, "title": "Planning with Anna"},
    ),
    ("call it Planning", "change_event", {"event": {"handle": "event-1"}, "title": "Planning"}),
    ("change the title to Sync", "change_event", {"event": {"handle": "event-1"}, "title": "Sync"}),
    ("change the location to Luigi's", "change_event", {"event": {"handle": "event-1"}, "location": "Luigi's"}),
    (
        "invite Anna and Carol to it",
        "change_event",
        {"event": {"handle": "event-1"}, "add_guests": [{"contact": "c-anna"}, {"contact": "c-carol"}]},
    ),
    ("invite Carol", "change_event", {"event": {"handle": "event-1"}, "add_guests": [{"contact": "c-carol"}]}),
    (
        "remove Carol from it",
        "change_event",
        {"event": {"handle": "event-1"}, "remove_guests": [{"contact": "c-carol"}]},
    ),
    ("add Carol as a guest", "change_event", {"event": {"handle": "event-1"}, "add_guests": [{"contact": "c-carol"}]}),
    ("delete it", "delete_event", {"events": [{"handle": "event-1"}]}),
    ("delete the meeting", "delete_event", {"events": [{"handle": "event-1"}]}),
    ("delete the whole series", "delete_event", {"events": [{"handle": "event-1"}], "series": True}),
    ("decline it", "decline_event", {"events": [{"handle": "event-1"}]}),
    ("decline the meeting", "decline_event", {"events": [{"handle": "event-1"}]}),
    ("colour it green", "colour_event", {"events": [{"handle": "event-1"}], "colour": "basil"}),
    ("make it red", "colour_event", {"events": [{"handle": "event-1"}], "colour": "tomato"}),
    ("remind me 10 minutes before it", "remind_event", {"events": [{"handle": "event-1"}], "remind_minutes": 10}),
    ("show event-1", "read_event", {"event": {"handle": "event-1"}}),
    ("who is coming?", "read_event", {"event": {"handle": "event-1"}}),
    ("open it", "read_event", {"event": {"handle": "event-1"}}),
]
LOOKED_UP_FIRST: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    (
        "move my meeting with Anna to 4pm",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "at": "16:00"},
                },
            ),
        ],
    ),
    (
        "move my meeting with Anna to Monday",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "on": "2026-03-09"},
                },
            ),
        ],
    ),
    (
        "move my meeting with Anna on Friday to Monday at 10",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Anna"}),
            ("change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-09T10:00"}),
        ],
    ),
    (
        "move the dentist to next week",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
            ("move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "days": 7}),
        ],
    ),
    (
        "reschedule lunch with Bob to Friday at 1",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "lunch Bob"}),
            ("change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-06T13:00"}),
        ],
    ),
    (
        "move it to 4pm",
        [
            ("read_event", {"event": {"handle": "event-1"}}),
            ("change_event", {"event": {"handle": "event-1"}, "start": {"step": 1, "fact": "start", "at": "16:00"}}),
        ],
    ),
    (
        "move it to Friday",
        [
            ("read_event", {"event": {"handle": "event-1"}}),
            (
                "change_event",
                {"event": {"handle": "event-1"}, "start": {"step": 1, "fact": "start", "on": "2026-03-06"}},
            ),
        ],
    ),
    (
        "postpone the standup by a day",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "standup"}),
            ("move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "days": 1}),
        ],
    ),
    (
        "make it half an hour longer",
        [
            ("read_event", {"event": {"handle": "event-1"}}),
            ("change_event", {"event": {"handle": "event-1"}, "end": {"step": 1, "fact": "end", "minutes": 30}}),
        ],
    ),
    (
        "make the meeting with Anna 15 minutes shorter",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "end": {"step": 1, "fact": "events.0.end", "minutes": -15},
                },
            ),
        ],
    ),
    (
        "extend it by 30 minutes",
        [
            ("read_event", {"event": {"handle": "event-1"}}),
            ("change_event", {"event": {"handle": "event-1"}, "end": {"step": 1, "fact": "end", "minutes": 30}}),
        ],
    ),
    (
        "rename the meeting with Anna to Sync",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            ("change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "title": "Sync"}),
        ],
    ),
    (
        "invite Carol to the meeting with Anna on Friday",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Anna"}),
            (
                "change_event",
                {"event": {"step": 1, "fact": "events.0.event_id"}, "add_guests": [{"contact": "c-carol"}]},
            ),
        ],
    ),
    (
        "delete the whole series of Yoga",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Yoga"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "series": True}),
        ],
    ),
    (
        "cancel the meeting with Anna",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "cancel my meeting with Anna on Friday",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Anna"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "cancel the dentist",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "cancel the standup for good",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "standup"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "series": True}),
        ],
    ),
    (
        "decline the meeting with Carol on Friday",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Carol"}),
            ("decline_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "remind me 10 minutes before my meeting with Anna",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            ("remind_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 10}),
        ],
    ),
]


@pytest.mark.parametrize(
    ("words", "tool", "args"), [*LOOKS, *NEW, *MANY], ids=[row[0] for row in [*LOOKS, *NEW, *MANY]]
)
async def test_a_request_of_the_calendar_becomes_exactly_one_call(words: str, tool: str, args: dict[str, Any]) -> None:
    assert calls(await plan(words)) == [(tool, args)]


@pytest.mark.parametrize(("words", "tool", "args"), OF_ONE_SHOWN, ids=[row[0] for row in OF_ONE_SHOWN])
async def test_what_was_shown_last_is_meant(words: str, tool: str, args: dict[str, Any]) -> None:
    assert calls(await plan(words, referents=ONE_EVENT)) == [(tool, args)]


@pytest.mark.parametrize(("words", "expected"), LOOKED_UP_FIRST, ids=[row[0] for row in LOOKED_UP_FIRST])
async def test_an_event_is_looked_up_before_it_is_changed(
    words: str, expected: list[tuple[str, dict[str, Any]]]
) -> None:
    output = await plan(words, referents=ONE_EVENT)
    assert calls(output) == expected
    found, done = steps(output)
    if found.tool_call.endswith("_list_events"):
        # What fits several is done to none of them.
        assert done.when is not None
        assert (done.when.fact, done.when.is_, done.when.value) == ("count", "equal", 1)


@pytest.mark.parametrize(
    ("words", "tool", "args"), [*LOOKS, *NEW, *MANY], ids=[row[0] for row in [*LOOKS, *NEW, *MANY]]
)
async def test_the_arguments_fit_the_tools(words: str, tool: str, args: dict[str, Any]) -> None:
    spec = next(spec for spec in CALENDAR if spec.tool_name == f"user_calendar_{tool}")
    bare = {name: value for name, value in args.items() if name != "guests"}
    spec.args.model_validate(bare)


@pytest.mark.parametrize(
    ("words", "question", "choices"),
    [
        ("what's on next Friday?", "Which day", ["what's on 2026-03-06?", "what's on 2026-03-13?"]),
        ("add dentist on Friday", "At what time", [
            "add dentist on Friday at 9:00", "add dentist on Friday at 12:00", "add dentist on Friday at 18:00",
            "add dentist on Friday all day"]),
        ("add milk to my calendar", "What is it, and when?", []),
        ("clear my calendar", "Which events", []),
        ("delete all meetings", "Which events", []),
        ("delete the meeting", "Which event", []),
        ("delete all meetings with Sam", "Which Sam", [
            "delete all meetings with sam hill", "delete all meetings with sam dale"]),
        ("delete everything on Friday", "events of your calendar", [
            "delete everything in my calendar on Friday", "trash all mails on Friday"]),
        ("move all meetings next week to Monday", "From which day", []),
        ("move my meeting with Anna back an hour", "Earlier or later", [
            "move my meeting with Anna an hour earlier", "move my meeting with Anna an hour later"]),
        ("what's on next weekend?", "Which weekend", [
            "what's on from 2026-03-07 to 2026-03-08?", "what's on from 2026-03-14 to 2026-03-15?"]),
    ],
)  # fmt: skip
async def test_doubt_becomes_a_question_with_answers_that_are_understood(
    words: str, question: str, choices: list[str]
) -> None:
    asked = await plan(words)
    assert isinstance(asked, Unclear), asked
    assert question in asked.question
    assert [choice.words for choice in asked.choices] == choices
    for choice in choices:
        assert steps(await plan(choice))


async def test_a_place_in_the_list_names_an_event() -> None:
    assert calls(await plan("delete the second one", referents=TWO_EVENTS)) == [
        ("delete_event", {"events": [{"handle": "event-2"}]})
    ]
    asked = await plan("delete it", referents=TWO_EVENTS)
    assert isinstance(asked, Unclear)
    assert [choice.words for choice in asked.choices] == ["delete event-1", "delete event-2"]
    assert calls(await plan(asked.choices[1].words, referents=TWO_EVENTS)) == [
        ("delete_event", {"events": [{"handle": "event-2"}]})
    ]


async def test_mails_shown_after_the_events_are_what_it_means() -> None:
    later = (*shown(ReferentKind.EVENT, 1), scene.mail(9, side="user"))
    assert calls(await plan("delete it", referents=later)) == [("trash", {"mails": [{"handle": "mail-9"}]})]


@pytest.mark.parametrize(
    "words",
    [
        "what's on the agenda of the residents' meeting?", "when does my lease end?", "who is coming to the meeting?",
        "remind me tomorrow at 9 to cancel the meeting", "note: dentist on Friday at 3pm",
        "tell Bob the meeting is at 3",
        "remember that the dentist is on Friday", "delete all mails from Anna", "cancel the reminder",
        "add a note: buy milk", "add a reminder for Friday at 3pm to call mum", "what's new today?",
        "move all mails from Anna to Work", "delete everything from Anna", "book a table for two",
        "add eggs to the shopping list", "schedule a text to Mum for 9pm: good night",
        "when is the dinner at my boathouse?",
        "delete the newsletter", "cancel", "tell Anna: delete everything on Friday", "rename it to Planning",
    ],
)  # fmt: skip
async def test_what_says_something_else_is_left_to_others(words: str) -> None:
    output = await plan(words)
    tools = [step.tool_call for step in getattr(output, "steps", ())]
    assert not any(tool.startswith("user_calendar_") for tool in tools)


@pytest.mark.parametrize("words", ["what's on Friday?", "what do I have tomorrow", "when am I free on Thursday?"])
async def test_without_a_calendar_only_what_names_it_is_about_one(words: str) -> None:
    without = await scene.plan(words)
    assert not isinstance(without, Unclear) or "calendar" not in without.question


@pytest.mark.parametrize(
    "words", ["what's on my calendar tomorrow?", "put lunch with Anna into my calendar tomorrow at noon"]
)
async def test_without_a_calendar_it_is_said_that_there_is_none(words: str) -> None:
    asked = await scene.plan(words)
    assert isinstance(asked, Unclear)
    assert asked.question.startswith("Your calendar is not set up")


async def test_bk_03_each_birthday_of_a_list_becomes_a_step() -> None:
    output = await plan("add these birthdays:\nAnna - 5 May 1985\nBob: 3.6.1990\nMum 29 February\nDave 12th July")
    assert calls(output) == [
        ("create_event", {"title": f"{name}'s birthday", "start": start, "repeat": "yearly"})
        for name, start in (
            ("Anna", "2026-05-05"), ("Bob", "2026-06-03"), ("Mum", "2028-02-29"), ("Dave", "2026-07-12"),
        )
    ]  # fmt: skip


async def test_a_birthday_that_is_not_understood_is_asked_about_before_any_is_added() -> None:
    asked = await plan("add these birthdays: Anna 5 May, Bob 31 June")
    assert isinstance(asked, Unclear)
    assert "Bob 31 June" in asked.question
