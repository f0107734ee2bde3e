"""Who is called: a room with a link for its owner and one for each of the others; nobody is guessed at."""

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.operations.scene import CREATE, JOIN, TOOLS, plan

ROOM = {"step": 1, "fact": "room"}


async def called(words: str) -> list[str]:
    """Who joins, in order."""
    output = await plan(words)
    assert isinstance(output, Planned), output
    first, *joins = output.steps
    assert first.tool_call == CREATE.tool_name
    CREATE.args.model_validate(first.args)
    for step in joins:
        assert (step.tool_call, step.args["room"], step.depends_on) == (JOIN.tool_name, ROOM, [1])
    return [str(step.args["name"]) for step in joins]


@pytest.mark.parametrize(
    "words",
    [
        "call Anna", "ring Anna", "ring Anna up", "call anna now", "phone Anna please", "video call with Anna",
        "start a call with Anna", "start a video call with Anna", "give Anna a call", "give Anna a ring", "Call Anna!",
        "let's call Anna", "get Anna on the line", "please call Anna", "Jeeves, call Anna", "call Anna back",
        "Ruf Anna an", "ruf bitte Anna an", "Starte einen Videoanruf mit Anna", "Videoanruf mit Anna",
        "Appelle Anna", "lance un appel vidéo avec Anna", "Llama a Anna", "inicia una videollamada con Anna",
    ],
)  # fmt: skip
async def test_somebody_is_called(words: str) -> None:
    assert await called(words) == ["Host", "Anna Berg"]


@pytest.mark.parametrize(
    "words", ["video call with Anna and Bob", "call Anna and Bob", "ruf Anna und Bob an", "llama a Anna y Bob"]
)
async def test_several_are_called(words: str) -> None:
    assert await called(words) == ["Host", "Anna Berg", "Bob"]


async def test_a_room_can_be_opened_for_nobody_yet() -> None:
    assert await called("start a video call") == ["Host"]


async def test_a_room_is_opened_for_what_is_said() -> None:
    output = await plan("open a room for the choir meeting")
    assert isinstance(output, Planned)
    assert output.steps[0].args == {"name": "the choir meeting"}


@pytest.mark.parametrize("words", ["call Zed", "call my plumber", "video call with Zed", "ruf Zed an"])
async def test_who_is_not_known_is_asked_about(words: str) -> None:
    found = await plan(words)
    assert isinstance(found, Unclear)
    assert found.stranger or "I don't know anybody called" in found.question


async def test_of_two_of_the_same_name_it_is_asked_which() -> None:
    found = await plan("call Sam")
    assert isinstance(found, Unclear)
    assert [choice.label for choice in found.choices] == ["Sam Hill", "Sam Dale"]
    assert await called(found.choices[0].words) == ["Host", "Sam Hill"]


async def test_a_call_of_later_is_not_begun_but_can_be_reminded_of() -> None:
    found = await plan("call Anna tomorrow at 5pm")
    assert isinstance(found, Unclear)
    (choice,) = found.choices
    reminder = await plan(choice.words)
    assert isinstance(reminder, Planned)
    assert reminder.steps[0].tool_call == "bot_reminders_create"


async def test_a_call_that_is_set_up_for_a_time_is_an_appointment() -> None:
    output = await plan("set up a call with Bob tomorrow at 10")
    assert isinstance(output, Planned)
    assert output.steps[0].tool_call == "user_calendar_create_event"


@pytest.mark.parametrize(
    "words",
    ["call off lunch with Anna", "call Anna a taxi", "remind me to call Anna", "tell Anna to call Bob", "call it a day",
     "did Anna call?", "when did Anna call", "what is on my call list", "rename the call to Lunch",
     "get me Anna's mail",
     "note: call Anna", "give Anna the keys"],
)  # fmt: skip
async def test_other_calls_open_no_room(words: str) -> None:
    found = await plan(words)
    assert not isinstance(found, Planned) or CREATE.tool_name not in {step.tool_call for step in found.steps}


async def test_where_calls_are_not_set_up_one_sentence_says_where_to_look() -> None:
    found = await plan("call Anna", tools=tuple(tool for tool in TOOLS if tool.channel != "livekit"))
    assert isinstance(found, Unclear)
    assert "docs/how-to/call-somebody.md" in found.question


@pytest.mark.parametrize(
    "words", ["open a video room for the family", "create a meeting room for us", "start a call room about the garden"]
)
async def test_a_room_for_calls_is_opened_whatever_it_is_for(words: str) -> None:
    assert await called(words) == ["Host"]
