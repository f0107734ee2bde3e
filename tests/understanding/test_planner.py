"""Sure readings are planned, doubtful ones are offered, and answers are put with what was asked."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

from bench.understanding_scenes import NOW, request, tools
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.understanding.planner import ReadingPlanner
from butler.store.conversation import ConversationMessage, LastShown
from butler.understanding.reader import Request, RequestReader, SlotWords
from scripts.train_understanding.examples import parsed


class Marked:
    """A reader that knows a few messages, each with the readings that it shall have."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Request, ...]] = {}

    def knows(self, *lines: str, **readings: float) -> "Marked":
        """Lines of one message, marked as examples are; `intent__name=probability` for each reading."""
        found: list[Request] = []
        names = tuple((name.replace("__", "."), share) for name, share in readings.items())
        for line in lines:
            example = parsed(line, "en", "")
            slots = tuple(SlotWords(s.slot, example.text[s.start : s.end], s.start, s.end) for s in example.spans)
            found.append(Request(example.text, 0, names, slots))
        self._known["; ".join(one.text for one in found)] = tuple(found)
        return self

    def read(self, text: str) -> tuple[Request, ...]:
        """What was said to be known."""
        return self._known.get(text, ())


def asked(words: str, *before: tuple[str, str], **more: Any) -> PlannerInput:
    """A request after some turns of the owner and the butler."""
    turns = [("user", said) if who == "owner" else ("assistant", said) for who, said in before]
    history = tuple(
        ConversationMessage(role=cast("Any", role), content=said, timestamp=NOW - timedelta(minutes=9 - at))
        for at, (role, said) in enumerate(turns)
    )
    return replace(request(words, "demo", tools()), history=history, **more)


async def planned(reader: Marked, one: PlannerInput, *, rules_first: bool = False) -> PlannerOutput:
    """What comes of it."""
    return await ReadingPlanner(cast("RequestReader", reader), EmbeddedPlanner(), rules_first=rules_first).plan(one)


def calls(output: PlannerOutput) -> list[tuple[str, dict[str, Any]]]:
    assert isinstance(output, Planned), output
    return [(step.tool_call, step.args) for step in output.steps]


async def test_a_sure_reading_is_planned() -> None:
    reader = Marked().knows("give [anna](to) a shout that [I'm running late](reported)", message__send=0.9)
    output = await planned(reader, asked("give anna a shout that I'm running late"))
    assert calls(output) == [("user_telegram_send_message", {"to": {"contact": "anna"}, "text": "I'm running late"})]


async def test_two_requests_are_one_plan() -> None:
    reader = Marked()
    first, second = "text [anna](to) [I'm late](reported)", "show my [unread](filter) mail"
    reader.knows(first, message__send=0.9).knows(second, mail__search=0.9)
    both = (*reader.read("text anna I'm late"), *reader.read("show my unread mail"))
    reader._known["text anna I'm late and show my unread mail"] = both
    output = await planned(reader, asked("text anna I'm late and show my unread mail"))
    assert [tool for tool, _ in calls(output)] == ["user_telegram_send_message", "user_email_search_inbox"]


async def test_a_doubtful_reading_is_offered_and_not_done() -> None:
    reader = Marked().knows("something with [the bins](topic)", reminder__remove=0.4, reminder__done=0.3)
    output = await planned(reader, asked("something with the bins"))
    assert isinstance(output, Unclear)
    assert [one.steps[-1].tool_call for one in output.choices] == ["bot_reminders_remove", "bot_reminders_done"]


async def test_an_intent_that_must_not_be_mistaken_is_asked_about() -> None:
    reader = Marked().knows("away with [the dentist](topic)", calendar__delete=0.62, reminder__remove=0.3)
    output = await planned(reader, asked("away with the dentist"))
    assert isinstance(output, Unclear)
    assert len(output.choices) == 2


async def test_intents_that_come_to_the_same_are_no_doubt() -> None:
    reader = Marked().knows("[bob](to) wants to know whether [he can come](text)", mail__send=0.35, message__send=0.4)
    assert isinstance(await planned(reader, asked("bob wants to know whether he can come")), Planned)


async def test_what_was_shown_last_decides_between_near_readings() -> None:
    reader = Marked().knows("bin [the first one](ref)", mail__trash=0.5, reminder__remove=0.45)
    shown = LastShown(kind=ReferentKind.REMINDER, count=2)
    output = await planned(reader, asked("bin the first one", last_shown=shown))
    assert not isinstance(output, Planned) or calls(output)[0][0] != "user_email_trash"


async def test_an_answer_fills_what_was_asked_for() -> None:
    reader = Marked().knows("remind me [tomorrow at 9](time)", reminder__create=0.95)
    reader.knows("[to buy milk](text)", answer__value=0.9)
    before = (("owner", "remind me tomorrow at 9"), ("butler", "Remind you of what?"))
    output = await planned(reader, asked("to buy milk", *before))
    ((tool, args),) = calls(output)
    assert tool == "bot_reminders_create"
    assert args["at"] == "2026-03-05T09:00:00"
    assert args["text"] == "Buy milk"


async def test_a_bare_answer_fills_the_slot_with_which_it_goes_on() -> None:
    reader = (
        Marked().knows("write [that I'm late](text)", message__send=0.9).knows("Bob", unclear=0.3, answer__value=0.2)
    )
    before = (("owner", "write that I'm late"), ("butler", "To whom?"))
    output = await planned(reader, asked("Bob", *before))
    assert calls(output)[0][1]["to"] == {"contact": "bob"}


async def test_a_request_of_its_own_is_no_answer() -> None:
    reader = Marked().knows("remind me [tomorrow](time)", reminder__create=0.9)
    reader.knows("what's waiting for me", approve__list=0.9)
    before = (("owner", "remind me tomorrow"), ("butler", "Remind you of what?"))
    assert await planned(reader, asked("what's waiting for me", *before)) is Command.PENDING


async def test_her_is_who_was_named_last() -> None:
    reader = Marked().knows("what did [anna](from) write", chat__read=0.9)
    reader.knows("tell [her](to) [I come by bike](reported)", message__send=0.9)
    before = (("owner", "what did anna write"), ("butler", "Anna: how do you come?"))
    output = await planned(reader, asked("tell her I come by bike", *before))
    assert calls(output)[0][1]["to"] == {"contact": "anna"}


async def test_the_rules_plan_what_they_know() -> None:
    reader = Marked().knows("remind me tomorrow at 9 to call mum", note__create=0.99)
    output = await planned(reader, asked("remind me tomorrow at 9 to call mum"), rules_first=True)
    assert calls(output)[0][0] == "bot_reminders_create"


async def test_what_the_rules_do_not_know_is_read() -> None:
    reader = Marked().knows("kindly ensure [anna](to) hears that [I'm running late](reported)", message__send=0.9)
    output = await planned(reader, asked("kindly ensure anna hears that I'm running late"), rules_first=True)
    assert calls(output)[0][1]["text"] == "I'm running late"


async def test_what_nobody_understands_is_told() -> None:
    output = await planned(Marked(), asked("flibber the gubbins"))
    assert isinstance(output, Unclear)
