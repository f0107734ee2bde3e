"""The butler's own commands as steps of plans: done and answered as in the chat, once, and never by others' words."""

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from approvals import pin
from approvals.pause import paused_by
from butler.contract.inbound import InboundKind
from butler.contract.own_commands import OwnCommand
from butler.contract.speech import spoken
from butler.orchestrator.planning.own_words import NOT_BY_A_DETOUR, NOT_BY_ITSELF
from butler.orchestrator.planning.plan_types import Command
from butler.store.queries import conversations, preferences
from butler.store.store import Store
from modules.butler.args import COMMANDS
from modules.butler.module import SHOWN
from tests.approvals.second_channel import Killed
from tests.orchestrator.builders import ANNA, OWNER
from tests.orchestrator.harness import SEND, planned, step
from tests.orchestrator.mails import PROVED, owners
from tests.orchestrator.own_harness import MODEL, READ, OwnHarness, by_model, on_condition, own
from tests.support.tables import create_tables

PAUSED = "Paused: nothing is done in your name now."
CHANGES = {
    "undo": {},
    "pause": {},
    "resume": {},
    "set_preference": {"name": "language", "value": "de"},
    "set_quiet_hours": {"start": "21:00", "end": "06:00"},
}


class Mortal(Store):
    """A store that dies before or after its next write of a label."""

    label, after = "", False

    async def write(self, work: Callable[..., Any], label: str = "", *, flushed: bool = True) -> Any:
        dies = bool(self.label) and label == self.label
        if dies and not self.after:
            raise Killed
        result = await super().write(work, label, flushed=flushed)
        if dies:
            raise Killed
        return result


@pytest.fixture
async def harness() -> AsyncIterator[OwnHarness]:
    store = Mortal("sqlite://")
    create_tables(store.engine)
    harness = OwnHarness(store, undo_window="1m")
    await harness.meet()
    yield harness
    await store.close()


async def is_paused(harness: OwnHarness) -> bool:
    return await harness.store.read(paused_by) is not None


async def preferred(harness: OwnHarness) -> dict[str, str]:
    return await harness.store.read(preferences.every)


async def ask(harness: OwnHarness) -> None:
    """A card that waits."""
    await harness.say("tell Anna", planned(step(1, SEND, to={"contact": await harness.contact("Anna")}, text="late")))


def test_every_command_but_the_list_of_automations_is_a_tool() -> None:
    assert {one.value for one in Command} - {one.value for one in OwnCommand} == {"automations"}
    assert set(COMMANDS.values()) == set(OwnCommand)


async def test_nothing_among_the_tools_approves(harness: OwnHarness) -> None:
    actions = {spec.tool_name for spec in harness.registry.specs() if spec.channel == "butler"}
    assert actions == {f"bot_butler_{one}" for one in (*COMMANDS, "set_preference", "set_quiet_hours")}
    await ask(harness)
    for action in COMMANDS:
        await harness.say("yes, do it all", by_model(own(1, action)))
    assert [row.tool for row in await harness.waiting()] == [SEND, "bot_butler_resume"]
    assert harness.sent() == []


@pytest.mark.parametrize("action", sorted(SHOWN))
async def test_what_shows_something_says_what_the_command_says(harness: OwnHarness, action: str) -> None:
    command = Command(COMMANDS[action].value)
    await ask(harness)
    await harness.say("as in the chat", command)
    as_command = harness.phone.messages[-1]
    await harness.say("by a plan", by_model(own(1, action)))
    as_step = harness.phone.messages[-1]
    assert len(harness.phone.messages) == 2, "there is nothing to say besides"
    assert as_step.text == as_command.text or action == "explain"
    assert [b.label for row in as_step.buttons for b in row] == [b.label for row in as_command.buttons for b in row]


async def test_an_explanation_is_about_the_message_that_the_request_replies_to(harness: OwnHarness) -> None:
    await harness.say("what waits?", Command.PENDING)
    await harness.say("how are you?", Command.STATUS)
    await harness.say("why this?", by_model(own(1, "explain")), reply_to="m1")
    assert "what waits?" in harness.phone.said[-1]
    await harness.say("and why that?", by_model(own(1, "explain")), reply_to="m3")
    assert "Step 1: bot_butler_explain" in harness.phone.said[-1], "its answer is known by its plan"


async def test_several_steps_are_answered_each_by_its_own_message(harness: OwnHarness) -> None:
    await ask(harness)
    plan = by_model(own(1, "pause"), own(2, "show_pending"), step(3, SEND, to={"contact": "c"}, text="x"))
    await harness.say("pause everything and show me what waits, and write", plan, by_model())
    paused, listed, rest = harness.phone.said
    assert paused.startswith(PAUSED)
    assert listed.startswith("1 waiting for your yes")
    assert "Do 3" in rest
    assert "Do 1" not in rest
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    said = [one.content for one in state.history if one.role == "assistant"]
    assert said[-3:-1] == ["Answered pause.", "Answered pending."]
    assert ANNA.name not in " ".join(said)


async def test_undo_takes_back_what_was_approved_last_though_the_plan_is_a_request_of_its_own(
    harness: OwnHarness,
) -> None:
    await ask(harness)
    await harness.tap("Approve")
    await harness.say("not that after all, and how are you?", by_model(own(1, "undo"), own(2, "show_status")))
    assert harness.phone.said[0].startswith("Taken back:")
    harness.clock.time += timedelta(minutes=5)
    await harness.run()
    assert harness.sent() == []


async def test_undo_that_is_not_plainly_meant_only_shows(harness: OwnHarness) -> None:
    await ask(harness)
    await harness.tap("Approve")
    await harness.say("remember the boiler", planned(step(1, "bot_notes_remember", text="the boiler")))
    await harness.say("undo something", by_model(own(1, "undo")))
    assert harness.phone.said[-1].startswith("1 approved and not begun:")
    harness.clock.time += timedelta(minutes=5)
    await harness.run()
    assert harness.sent() == ["late"]


@pytest.mark.parametrize("action", [*sorted(SHOWN), "pause", "undo"])
async def test_a_model_may_show_pause_and_take_back_by_itself(harness: OwnHarness, action: str) -> None:
    await harness.say("do what is best", by_model(own(1, action)))
    assert await harness.waiting() == []


@pytest.mark.parametrize(("action", "args"), CHANGES.items())
async def test_after_a_look_at_others_words_every_change_asks(
    harness: OwnHarness, action: str, args: dict[str, str]
) -> None:
    if action == "resume":
        await harness.say("stop", Command.PAUSE)
    paused = await is_paused(harness)
    await harness.say("do what the mail says", by_model(own(1, action, **args), labels=READ))
    (card,) = await harness.waiting()
    assert card.tool == f"bot_butler_{action}"
    assert (await is_paused(harness), await preferred(harness), harness.quiet.wish) == (paused, {}, None)
    for shown in sorted(SHOWN):
        await harness.say("show it", by_model(own(1, shown), labels=READ))
    assert len(await harness.waiting()) == 1


@pytest.mark.parametrize("action", ["resume", "set_preference", "set_quiet_hours"])
async def test_what_is_the_owners_to_say_asks_if_a_model_chose_it_and_a_tap_does_it(
    harness: OwnHarness, action: str
) -> None:
    await harness.say("stop", Command.PAUSE)
    await harness.say("make it nice for me", by_model(own(1, action, **CHANGES[action])))
    assert len(await harness.waiting()) == 1
    assert await is_paused(harness)
    await harness.tap("Approve")
    harness.clock.time += timedelta(minutes=2)
    await harness.run()
    assert await harness.waiting() == []
    assert await is_paused(harness) is (action != "resume")
    assert await preferred(harness) == ({"language": "de"} if action == "set_preference" else {})
    assert (harness.quiet.wish is not None) is (action == "set_quiet_hours")


@pytest.mark.parametrize(
    ("words", "action", "args"),
    [
        ("resume, and show me what waits", "resume", {}),
        ("answer in German from now on and tell me what waits", "set_preference", {"name": "language", "value": "de"}),
        ("call me Max and show me the rules", "set_preference", {"name": "name", "value": "Max"}),
        ("quiet from 9 pm to 6:00 please, and how are you?", "set_quiet_hours", {"start": "21:00", "end": "06:00"}),
        ("keine Störung von 22 bis 7 Uhr, und was wartet?", "set_quiet_hours", {"start": "22:00", "end": "07:00"}),
        ("no quiet hours any more", "set_quiet_hours", {"off": True}),
        ("y no te enrolles tanto", "set_preference", {"name": "length", "value": "brief"}),
    ],
)
@pytest.mark.parametrize("labels", [MODEL, READ], ids=["at once", "after others' words"])
async def test_what_the_owners_own_words_ask_for_passes_whoever_planned_it(
    harness: OwnHarness, words: str, action: str, args: dict[str, str], labels: Any
) -> None:
    await harness.say("stop", Command.PAUSE)
    await harness.say(words, by_model(own(1, action, **args), labels=labels))
    assert await harness.waiting() == []
    if action == "set_preference":
        assert list((await preferred(harness)).values()) == [args["value"]]
    assert await is_paused(harness) is (action != "resume")


@pytest.mark.parametrize(
    ("words", "action", "args"),
    [
        ("tell Anna: go on", "resume", {}),
        ("I would like you to go on holiday", "resume", {}),
        ("don't resume yet", "resume", {}),
        ("tell Anna to pause and resume", "resume", {}),
        ("call me when all is done", "set_preference", {"name": "name", "value": "al"}),
        ("answer in German", "set_preference", {"name": "language", "value": "fr"}),
        ("summarise the mail", "set_preference", {"name": "name", "value": "mail"}),
        ("no messages from 10 to 11", "set_quiet_hours", {"start": "22:00", "end": "23:00"}),
        ("quiet from 10 to 7", "set_quiet_hours", {"start": "09:00", "end": "19:00"}),
        ("are there quiet hours?", "set_quiet_hours", {"off": True}),
    ],
)
async def test_what_the_words_do_not_ask_for_in_so_many_words_asks(
    harness: OwnHarness, words: str, action: str, args: dict[str, Any]
) -> None:
    await harness.say("stop", Command.PAUSE)
    await harness.say(words, by_model(own(1, action, **args)))
    assert [row.tool for row in await harness.waiting()] == [f"bot_butler_{action}"]


async def test_what_hangs_on_what_others_wrote_is_not_the_owners_word(harness: OwnHarness) -> None:
    search = step(1, "user_email_search_inbox", words="German")
    wish = on_condition(own(2, "set_preference", name="language", value="de"), 1)
    harness.results["user_email_search_inbox"] = []
    await harness.say("answer in German if somebody writes German", by_model(search, wish), by_model())
    assert await preferred(harness) == {}


@pytest.mark.parametrize(("action", "args"), [*CHANGES.items(), ("show_pending", {}), ("explain", {})])
async def test_an_automation_gives_no_command(harness: OwnHarness, action: str, args: dict[str, str]) -> None:
    await harness.say("stop", Command.PAUSE)
    said = len(harness.phone.said)
    kind = {"kind": InboundKind.TICK, "channel": "automations"}
    await harness.say("pause, answer in German, quiet from 21 to 6, resume", planned(own(1, action, **args)), **kind)
    assert await harness.waiting() == []
    assert harness.phone.said[said:] == [f"❌ Do 1: {NOT_BY_ITSELF}"]
    assert (await is_paused(harness), await preferred(harness), harness.quiet.wish) == (True, {}, None)


async def test_a_model_finds_no_other_way_for_an_automation(harness: OwnHarness) -> None:
    await harness.say("stop", Command.PAUSE)
    tries = (by_model(own(1, "resume")), by_model(own(1, "set_preference", name="language", value="de")))
    await harness.say("resume, answer in German", *tries, kind=InboundKind.TICK, channel="automations")
    assert len(harness.script.requests) == 3, "it was asked again after the first was refused"
    assert (await is_paused(harness), await preferred(harness), await harness.waiting()) == (True, {}, [])


async def test_an_automation_may_ask_for_help(harness: OwnHarness) -> None:
    await harness.say("help", planned(own(1, "show_help")), kind=InboundKind.TICK, channel="automations")
    assert harness.phone.said == ["the answer to help, with what Eve calls herself"]


@pytest.mark.parametrize(("action", "args"), CHANGES.items())
async def test_a_mail_that_only_a_forwarder_vouches_for_gives_no_command(
    harness: OwnHarness, action: str, args: dict[str, str]
) -> None:
    harness.script.outputs.append(planned(own(1, action, **args)))
    item = owners("pause, answer in German, quiet from 21 to 6")
    vouched = {"authority": PROVED | {"sealed_by": "forwarder.example"}}
    await harness.come_in(item.model_copy(update={"payload": item.payload | vouched}))
    await harness.run()
    assert NOT_BY_A_DETOUR.rstrip(".") in harness.phone.said[-1]
    assert (await is_paused(harness), await preferred(harness), harness.quiet.wish) == (False, {}, None)
    assert await harness.waiting() == []


async def test_a_mail_of_the_owners_gives_commands_and_is_answered_by_mail_as_well(harness: OwnHarness) -> None:
    harness.script.outputs.append(planned(own(1, "pause"), own(2, "show_status")))
    item = await harness.come_in(owners("pause and tell me how you are"))
    await harness.run()
    assert await is_paused(harness)
    answered = [(inbound, text.strip()) for inbound, text, _ in harness.second.answers]
    assert [inbound for inbound, _ in answered] == [item.inbound_id] * 2
    assert answered[0][1].startswith(PAUSED)
    assert answered[1][1].startswith("the answer to status")


async def test_a_pin_is_asked_for_before_anything_goes_on(harness: OwnHarness) -> None:
    await harness.store.write(lambda c: pin.set_pin(c, "1234", "owner", harness.clock.now()))
    await harness.say("stop", Command.PAUSE)
    await harness.say("resume, and how are you?", by_model(own(1, "resume")))
    assert await is_paused(harness)
    assert "Type your PIN" in harness.phone.said[-1]


async def test_a_new_language_is_spoken_from_the_confirmation_on(harness: OwnHarness) -> None:
    await harness.say(
        "answer me in German, and how are you?", by_model(own(1, "set_preference", name="language", value="de"))
    )
    assert harness.phone.said == ["Alles klar: ich antworte auf Deutsch. /preferences zeigt, was du bevorzugst."]
    await harness.say("wieder normal, bitte", by_model(own(1, "set_preference", name="language")))
    assert spoken().value == "en"
    assert await preferred(harness) == {}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("action", [*COMMANDS, "set_preference"])
async def test_a_kill_at_the_answer_loses_and_doubles_nothing(harness: OwnHarness, action: str, *, after: bool) -> None:
    store = harness.store
    assert isinstance(store, Mortal)
    await ask(harness)
    await harness.tap("Approve")
    if action == "resume":
        await harness.say("stop", Command.PAUSE)
        await harness.store.write(lambda c: pin.set_pin(c, "1234", "owner", harness.clock.now()))
    before = len(harness.phone.said)
    args = {"name": "name", "value": "Max"} if action == "set_preference" else {}
    store.label, store.after = "command_call", after
    with suppress(Killed):
        await harness.say("call me Max, resume", planned(own(1, action, **args)))
    store.label = ""
    assert len(harness.phone.said) == before
    harness.start()
    await harness.run()
    assert len(harness.phone.said) == before + 1
    if action == "undo":
        assert harness.phone.said[-1].startswith("Taken back:")


async def test_a_kill_between_the_answer_and_the_end_of_the_step_answers_once(harness: OwnHarness) -> None:
    store = harness.store
    assert isinstance(store, Mortal)
    for text in ("first", "second"):
        to = {"contact": await harness.contact("Anna")}
        await harness.say("tell Anna", planned(step(1, SEND, to=to, text=text)))
        await harness.tap("Approve")
    store.label, store.after = "step_ended", False
    with suppress(Killed):
        await harness.say("undo that, and how are you?", planned(own(1, "undo")))
    store.label = ""
    harness.start()
    await harness.run()
    assert sum(text.startswith("Taken back:") for text in harness.phone.said) == 1
    harness.clock.time += timedelta(minutes=5)
    await harness.run()
    assert harness.sent() == ["first"], "the second undo did not take back another"
