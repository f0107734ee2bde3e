"""A long conversation with a model is summed up: what was said long ago is remembered, nothing lost by a crash."""

import re
from datetime import timedelta
from typing import Any

from butler.agents.errors import ModelUnavailableError
from butler.guardrails.redaction import redact
from butler.orchestrator.chat.compaction import COMPACT, FROM, KEPT, Compaction
from butler.orchestrator.chat.turn import Turns
from butler.orchestrator.planning.model_prompt import prompt, told_before
from butler.orchestrator.planning.plan_types import Answer
from butler.orchestrator.planning.requests import input_of
from butler.provenance import MODEL_PLAN
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, work
from tests.agents.tailor.builders import Model
from tests.orchestrator.builders import NOON, OWN, OWNER, message
from tests.orchestrator.harness import Harness

NO_COMMANDS: Any = None
SUMMARY = {"summary": "The owner plans a trip to Lisbon in May with Anna."}


async def long_talk(harness: Harness, model: Model, words: str = "message") -> Compaction:
    def change(state: ConversationState) -> None:
        for number in range(FROM):
            state.add_message("user", f"{words} {number}", timestamp=NOON + timedelta(minutes=number), origins=[OWN])

    await harness.store.write(lambda c: conversations.update(c, OWNER, change, NOON))
    return Compaction(harness.store, harness.clock, model, redact)


async def state_of(harness: Harness) -> ConversationState:
    return await harness.store.read(lambda c: conversations.load(c, OWNER))


async def test_the_older_part_is_summed_up_and_the_newest_messages_stay(harness: Harness) -> None:
    model = Model(SUMMARY)
    await (await long_talk(harness, model)).compact(OWNER)
    state = await state_of(harness)
    assert state.summary == SUMMARY["summary"]
    assert [one.content for one in state.history] == [f"message {n}" for n in range(FROM - KEPT, FROM)]
    assert {OWN, MODEL_PLAN} <= set(state.summary_origins)
    assert "message 0\n" in model.asked[0][1]
    assert f"message {FROM - KEPT}\n" not in model.asked[0][1]


async def test_a_further_summary_builds_on_the_one_before(harness: Harness) -> None:
    model = Model(SUMMARY, {"summary": "Lisbon is booked."})
    compaction = await long_talk(harness, model)
    await compaction.compact(OWNER)
    await long_talk(harness, model)
    await compaction.compact(OWNER)
    assert SUMMARY["summary"] in model.asked[1][1]
    assert (await state_of(harness)).summary == "Lisbon is booked."


async def test_a_short_conversation_and_a_silent_model_change_nothing(harness: Harness) -> None:
    model = Model(ModelUnavailableError("away"))
    compaction = Compaction(harness.store, harness.clock, model)
    await compaction.compact(OWNER)
    assert model.asked == []
    await (await long_talk(harness, model)).compact(OWNER)
    assert len((await state_of(harness)).history) == FROM


async def test_a_letter_leaves_room_for_what_was_said_before_it(harness: Harness) -> None:
    await harness.say("hello", Answer("Good morning."))
    await harness.say("x" * 9_000, Answer("That is a long letter."))
    await harness.say("and now?", Answer("Now?"))
    told = told_before(harness.script.requests[-1])
    assert [one.content[:4] for one in told] == ["hell", "Good", "xxxx", "That"]
    assert sum(len(one.content) for one in told) < 3_000


async def test_an_empty_summary_forgets_nothing(harness: Harness) -> None:
    model = Model(SUMMARY, {"summary": " "})
    compaction = await long_talk(harness, model)
    await compaction.compact(OWNER)
    await long_talk(harness, model)
    before = await state_of(harness)
    await compaction.compact(OWNER)
    assert await state_of(harness) == before


async def test_what_is_private_is_kept_from_the_model_and_put_back(harness: Harness) -> None:
    def answer(asked: str) -> dict[str, Any]:
        (placeholder,) = set(re.findall(r"\[EMAIL_\d+\]", asked))
        return {"summary": f"Eve is {placeholder}."}

    model = Model(answer)
    await (await long_talk(harness, model, "eve@friends.example")).compact(OWNER)
    assert "eve@friends.example" not in model.asked[0][1]
    assert (await state_of(harness)).summary == "Eve is eve@friends.example."


class Slow(Model):
    """A model during whose thinking something is said."""

    async def fill(self, form: type[Any], *, instructions: str, prompt: str, check: Any = None) -> Any:
        await self.meanwhile()
        return await super().fill(form, instructions=instructions, prompt=prompt, check=check)


async def test_a_turn_that_ends_meanwhile_is_not_forgotten(harness: Harness) -> None:
    model = Slow(SUMMARY)

    async def say_more() -> None:
        await harness.store.write(
            lambda c: conversations.update(c, OWNER, lambda state: state.add_message("user", "meanwhile"), NOON)
        )

    model.meanwhile = say_more
    await (await long_talk(harness, model)).compact(OWNER)
    state = await state_of(harness)
    assert state.history[-1].content == "meanwhile"
    assert state.summary == SUMMARY["summary"]


async def test_a_long_conversation_asks_for_it_once_and_the_summary_is_told(harness: Harness) -> None:
    await (await long_talk(harness, Model(SUMMARY))).compact(OWNER)
    await long_talk(harness, Model(SUMMARY))
    harness.turns = Turns(harness.services, harness.script, harness._know_people, compacts=True)
    harness.script.outputs = [Answer("Fine."), Answer("Fine.")]
    for name in ("a", "b"):
        item = await harness.come_in(message("how is it?", inbound_id=name, dedup_key=name))
        await harness.turns.take(input_of(item), NO_COMMANDS)
    waiting = await harness.store.read(lambda c: [row.kind for row in work.ready(c, harness.clock.now())])
    assert waiting.count(COMPACT) == 1
    request = harness.script.requests[-1]
    assert told_before(request)[0].content == SUMMARY["summary"]
    assert f"- before that, in short: {SUMMARY['summary']}" in prompt(request)
