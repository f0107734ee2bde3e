"""A model's answer in words: shown as it comes in, cancelled by a tap, remembered, never taken for something done."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from butler.contract.card import Span, Style, rich_text
from butler.contract.inbound import InboundKind
from butler.orchestrator.chat.answer_draft import REMEMBERED
from butler.orchestrator.planning.plan_types import NOTHING_DONE, Answer, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.replies.answer_text import answer_spans, divided
from butler.provenance import MODEL_PLAN
from butler.store.queries import conversations, inbox, outbox, trace, work
from butler.store.queries.inbox import InboxState
from modules.telegram.inert import flatten
from modules.telegram.text import split
from tests.orchestrator.builders import OWN, OWNER
from tests.orchestrator.harness import NOTE, Harness, planned, step

LONG = "The Thames rises in Gloucestershire and runs through London to the North Sea. " * 4


class CrashError(Exception):
    """The process ends here."""


class Talker:
    """A planner that says its words in parts, with what happens in between."""

    def __init__(self, *parts: str, ends: PlannerOutput | None = None) -> None:
        self.parts, self.ends = parts, ends
        self.between: Callable[[], Awaitable[Any]] | None = None
        self.requests: list[PlannerInput] = []

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        self.requests.append(request)
        text = ""
        for part in self.parts:
            text += part
            if request.on_text is not None:
                await request.on_text(text)
            if self.between is not None:
                await self.between()
        return self.ends or Answer(text, frozenset({MODEL_PLAN}))


async def deliver(harness: Harness) -> None:
    """Deliver what is queued, as other lanes do meanwhile."""
    harness.clock.time += timedelta(seconds=2)
    for row in await harness.store.read(lambda c: work.ready(c, harness.clock.now())):
        if row.kind in {outbox.DELIVER, outbox.REDRAW}:
            await harness.handlers[row.kind](row.subject)
            await harness.store.write(lambda c, row=row: work.done(c, row.work_id))


def talking(harness: Harness, *parts: str, ends: PlannerOutput | None = None) -> Talker:
    harness.planner = talker = Talker(*parts, ends=ends)
    harness.start()
    return talker


async def test_a_short_answer_is_one_message_without_a_button(harness: Harness) -> None:
    talking(harness, "Paris is the capital of France.")
    await harness.say("what is the capital of France?")
    assert harness.phone.said == ["Paris is the capital of France."]
    assert harness.phone.messages[0].buttons == ()


async def test_a_long_answer_grows_in_one_message_that_can_be_cancelled(
    harness: Harness,
) -> None:
    talker = talking(harness, LONG, LONG, "It is 346 km long.")
    seen: list[tuple[int, str, bool]] = []

    async def look() -> None:
        await deliver(harness)
        last = harness.phone.messages[-1]
        seen.append((len(harness.phone.messages), harness.phone.said[-1], bool(last.buttons)))

    talker.between = look
    await harness.say("tell me about the Thames")
    assert [count for count, _, _ in seen] == [1, 1, 1]
    assert [has for _, _, has in seen] == [True, True, True]
    assert all(text.endswith(" …") for _, text, _ in seen)
    assert len(seen[0][1]) < len(seen[1][1])
    assert harness.phone.said == [(LONG + LONG + "It is 346 km long.")]
    assert harness.phone.messages[0].buttons == ()


async def test_what_led_to_an_answer_that_came_in_parts_is_known(harness: Harness) -> None:
    talker = talking(harness, LONG)
    talker.between = lambda: deliver(harness)
    item = await harness.say("tell me about the Thames")
    trail = await harness.store.read(lambda c: trace.of_last(c, OWNER))
    assert trail is not None
    assert trail.item is not None
    assert trail.item.inbound_id == item.inbound_id


async def test_a_tap_on_cancel_ends_the_answer_and_the_next_message_is_heard(harness: Harness) -> None:
    talker = talking(harness, LONG, "never shown")

    async def cancel() -> None:
        await deliver(harness)
        tap = await harness.tapped(harness.phone.buttons("Cancel")[-1])
        await harness.handlers["inbound"](tap.inbound_id)
        await asyncio.sleep(30)

    talker.between = cancel
    item = await harness.say("tell me about the Thames")
    await harness.run()
    assert len(talker.requests) == 1
    assert await harness.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.DONE
    (text,) = harness.phone.said
    assert text.endswith("(Cancelled. Nothing was done.)")
    assert "never shown" not in text
    assert harness.phone.messages[0].buttons == ()
    talker.between, talker.parts = None, ("Fine.",)
    await harness.say("how are you?")
    assert harness.phone.said[-1] == "Fine."
    assert [(one.role, one.content) for one in talker.requests[-1].history] == [
        ("user", "tell me about the Thames"),
        ("assistant", REMEMBERED),
    ]
    assert talker.requests[-1].history[0].origins == [OWN]


async def test_cancel_comes_too_late_once_the_answer_is_complete(harness: Harness) -> None:
    talker = talking(harness, LONG)
    kept: list[Any] = []

    async def look() -> None:
        await deliver(harness)
        kept.append(harness.phone.buttons("Cancel")[-1])

    talker.between = look
    await harness.say("tell me about the Thames")
    await harness.press(kept[0])
    assert harness.phone.said[-1] == "That had ended before, so there was nothing to cancel."
    assert not harness.phone.said[0].endswith("(Cancelled. Nothing was done.)")


async def test_after_a_crash_in_the_middle_the_answer_takes_the_same_message(harness: Harness) -> None:
    talker = talking(harness, LONG)

    async def crash() -> None:
        await deliver(harness)
        raise CrashError

    talker.between = crash
    with pytest.raises(CrashError):
        await harness.say("tell me about the Thames")
    assert harness.phone.said[0].endswith(" …")
    talker.between = None
    harness.start()
    await harness.run()
    assert harness.phone.said == [LONG.strip()]


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        (Unclear("Which river?"), "Which river?"),
        (planned(step(1, NOTE, text="the Thames")), "All right."),
    ],
)
async def test_words_before_something_else_make_room(harness: Harness, ends: Planned | Unclear, shown: str) -> None:
    talker = talking(harness, LONG, ends=ends)
    talker.between = lambda: deliver(harness)
    await harness.say("note the Thames")
    assert harness.phone.said[0] == shown
    assert harness.phone.messages[0].buttons == ()


async def test_what_is_too_long_for_one_message_goes_on_in_the_next(harness: Harness) -> None:
    talker = talking(harness, LONG * 8, LONG * 8)
    talker.between = lambda: deliver(harness)
    await harness.say("tell me everything about the Thames")
    assert len(harness.phone.said) == 2
    assert "".join(harness.phone.said).split() == (LONG * 16).split()


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("I have sent it to Anna.", True),
        ("Done!", True),
        ("Ich habe es notiert.", True),
        ("C'est fait, je te le rappellerai.", True),
        ("Listo, enviado.", True),
        ("Lähetin viestin Annalle äsken.", True),
        ("Ich habe die Mail gesendet. The weather in London is nice, and it will be so for the week.", True),
        ("J'ai envoyé le mail. The weather in London is nice, and it is so for the week.", True),
        ("The reminder is set for nine.", True),
        ("The mail to Anna was delivered.", True),
        ("He is a painter, and he lived in Paris with his wife.", False),
        ("Paris is the capital of France, and the Seine runs through it.", False),
        ("Die Themse fließt durch London und mündet in die Nordsee.", False),
    ],
)
async def test_an_answer_that_could_claim_an_act_says_that_nothing_was_done(
    harness: Harness, text: str, claims: bool
) -> None:
    talking(harness, text)
    await harness.say("tell Anna that I am late")
    assert (harness.phone.said[0] != text) is claims
    assert harness.calls == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("I have sent it to Anna.", NOTHING_DONE),
        (
            "Die Mail an Carol ist schon raus. Soll ich ihr schreiben?",
            "(Das sind nur Worte: Getan habe ich gerade nichts.)",
        ),
        ("C'est fait, je te le rappellerai.", "(Ce ne sont que des mots : je n’ai rien fait à l’instant.)"),
        ("Ya está, se lo he enviado a tu madre.", "(Son solo palabras: ahora mismo no he hecho nada.)"),
        ("Lähetin viestin Annalle äsken.", NOTHING_DONE),
    ],
)
async def test_that_nothing_was_done_is_said_in_the_language_of_the_answer(
    harness: Harness, text: str, note: str
) -> None:
    talking(harness, text)
    await harness.say("tell Anna that I am late")
    assert harness.phone.said == [f"{text}\n\n{note}"]


async def test_the_conversation_keeps_the_answer_with_the_models_label(harness: Harness) -> None:
    talker = talking(harness, "A haiku has three lines.")
    await harness.say("what is a haiku?")
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert [(one.role, one.content) for one in state.history] == [
        ("user", "what is a haiku?"),
        ("assistant", "A haiku has three lines."),
    ]
    assert state.history[1].origins == [MODEL_PLAN]
    await harness.say("write one")
    assert talker.requests[1].history[1].content == "A haiku has three lines."


async def test_the_conversation_keeps_a_question_with_the_labels_of_its_words(harness: Harness) -> None:
    talking(harness, ends=Unclear("Which one?", labels=frozenset({MODEL_PLAN})))
    await harness.say("tell her")
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert state.history[-1].origins == [MODEL_PLAN]


async def test_what_no_chat_shows_is_not_said_in_parts(harness: Harness) -> None:
    talker = talking(harness, LONG)
    await harness.say("hello", kind=InboundKind.TICK, channel="automations")
    assert [request.on_text for request in talker.requests] == [None]
    assert harness.phone.said == [LONG.strip()]


def test_a_text_is_divided_between_paragraphs_and_loses_nothing() -> None:
    text = (Span(text="a " * 900), Span(text="x" * 5_000, style=Style.CODE), Span(text="\n\nend"))
    parts = divided(text)
    assert all(len(rich_text(part)) <= 3_500 for part in parts)
    assert "".join(map(rich_text, parts)).replace(" ", "").replace("\n", "") == "a" * 900 + "x" * 5_000 + "end"


async def test_no_answer_looks_like_a_record_and_its_marks_are_set(harness: Harness) -> None:
    talking(harness, "✅ 📝 **Paris** is:\n\n- the `capital`\n- of [France](https://evil.example)\n\n1. one\n2. two")
    await harness.say("what is Paris?")
    (message,) = harness.phone.messages
    assert rich_text(message.text) == "Paris is:\n\n• the capital\n• of France\n\n1. one\n2. two"
    assert {span.style for span in message.text} == {Style.PLAIN, Style.BOLD, Style.CODE}
    assert not [span for span in message.text if span.url or span.live]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("&#9989; Sent to Anna", "Sent to Anna"),
        ("**&check;** `✅` ☑️ ✔️ Noted", "  Noted"),
        ("a&#x202E;b&#8203;c", "a[U+202E]b[U+200B]c"),
    ],
)
def test_what_markdown_writes_by_its_number_is_no_sign_and_hides_nothing(written: str, shown: str) -> None:
    assert rich_text(answer_spans(written)).strip() == shown.strip()


def test_a_list_within_a_list_is_set_without_gaps() -> None:
    assert rich_text(answer_spans("- a\n  - b\n  - c\n- d\n\nend")) == "• a\n   • b\n   • c\n• d\n\nend"


@pytest.mark.parametrize(
    "text",
    ["😀 " * 3_000, "".join(f"- **item {n}** and `code`\n" for n in range(200)), "see main.py or /help now. " * 150],
)
def test_no_part_of_an_answer_is_more_than_one_message_of_the_channel(text: str) -> None:
    parts = divided(answer_spans(text))
    assert [len(split(flatten(part))) for part in parts] == [1] * len(parts)
    assert "".join(map(rich_text, parts)).split() == rich_text(answer_spans(text)).split()
