"""What a step asks is answered from what it finds: from the mails that a search found, and from the lines of a list."""

from dataclasses import replace
from typing import Any

import pytest

from butler.agents.tailor.port import TailorOutput
from butler.contract.integration import IntegrationResult
from butler.orchestrator.planning.model_prompt import prompt
from butler.orchestrator.planning.plan_types import Answer, Planned
from butler.orchestrator.planning.preferences import PreferenceName
from butler.orchestrator.replies.listed_lines import ListedLines
from butler.orchestrator.replies.passages import PassageCollector
from butler.provenance import MODEL_PLAN
from butler.store.queries import conversations, preferences
from tests.orchestrator.builders import OWNER, ZONE, mail_row, read_mail
from tests.orchestrator.harness import Harness, planned, step
from tests.orchestrator.readers import cite_all, wired, worded

SEARCH, READ = "user_email_search_inbox", "user_email_read_message"
FREE, CARDS, LOGS = "user_calendar_find_free_time", "user_trello_list_cards", "bot_loki_query_logs"


def stubbed(harness: Harness, *tools: str) -> None:
    """Let these tools answer what the test says."""
    for tool in tools:
        spec = harness.registry.spec(tool)
        harness.registry._tools[tool] = replace(spec, handler=harness._handle, complete=None)


def asks(tool: str, question: str, **args: Any) -> Planned:
    one = step(1, tool, **args).model_copy(update={"ask": question})
    return replace(planned(one), labels=frozenset({MODEL_PLAN}))


# Free times


async def test_free_times_are_remembered_as_shown_though_they_have_no_handle(harness: Harness) -> None:
    stubbed(harness, FREE)
    free = [{"start": f"2026-03-06T{hour}:00", "end": f"2026-03-06T{hour}:30", "minutes": 30} for hour in (10, 12)]
    harness.results[FREE] = [IntegrationResult(ok=True, data={"count": 2, "free": free})]
    await harness.say("when am I free?", planned(step(1, FREE)))
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert state.history[-1].content == f"Showed 2 that have no handle ({FREE})."
    await harness.say("thanks", Answer("You're welcome."))
    told = prompt(harness.script.requests[-1])
    assert "Shown last: 2 things that have no handle" in told


async def test_that_there_is_no_free_time_is_remembered_so(harness: Harness) -> None:
    stubbed(harness, FREE)
    harness.results[FREE] = [IntegrationResult(ok=True, data={"count": 0, "free": []})]
    await harness.say("when am I free?", planned(step(1, FREE)))
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert state.history[-1].content == f"{FREE} found nothing."


# Mails


def mails(*names: str) -> IntegrationResult:
    rows = [mail_row(name, f"<{name}@x>") for name in names]
    return IntegrationResult(ok=True, data={"messages": rows, "count": len(rows), "complete": True})


def mail(subject: str, text: str) -> IntegrationResult:
    data = read_mail(subject, text)
    data["message"]["message_id"] = f"<{subject}@x>"
    return IntegrationResult(ok=True, data=data)


def answering(content: str, quote: str, chunk_id: str) -> TailorOutput:
    return worded(content, citations=cite_all(quote, chunk_id))


async def test_a_question_about_found_mails_is_answered_from_their_texts(harness: Harness) -> None:
    tailor = wired(harness, answering("She wants the key [1].", "Please bring the key.", "<Key@x>#0"))
    harness.results[SEARCH] = [mails("Key", "Lunch")]
    harness.results[READ] = [mail("Key", "Please bring the key."), mail("Lunch", "On Friday?")]
    await harness.say("what does Anna want?", asks(SEARCH, "what does Anna want?", words="Anna"))
    assert [chunk.content for chunk in tailor.asked[0].context_chunks] == [
        "Key\n\nPlease bring the key.",
        "Lunch\n\nOn Friday?",
    ]
    (said,) = harness.phone.said
    assert said.startswith("She wants the key [1].\n\nSources\n1. Key")


async def test_what_was_read_is_remembered_and_numbered_as_the_sources_are(harness: Harness) -> None:
    cites = [*cite_all("Text C", "<C@x>#0"), *cite_all("Text A", "<A@x>#0")]
    wired(harness, worded("C [1], and A [2].", citations=cites))
    harness.results[SEARCH] = [mails("A", "B", "C")]
    harness.results[READ] = [mail(name, f"Text {name}") for name in ("A", "B", "C")]
    await harness.say("what is new?", asks(SEARCH, "what is new?", words="x"))
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert state.history[-1].content == "Answered from sources (a document): mail-1, mail-2, mail-3."
    assert {one.key: one.ordinal for one in state.referents} == {"<A@x>": 2, "<B@x>": 0, "<C@x>": 1}


async def test_the_source_of_such_an_answer_can_be_read(harness: Harness) -> None:
    wired(harness, answering("She wants the key [1].", "Please bring the key.", "<Key@x>#0"))
    harness.results[SEARCH] = [mails("Key")]
    harness.results[READ] = [mail("Key", "Please bring the key."), mail("Key", "Please bring the key.")]
    await harness.say("what does Anna want?", asks(SEARCH, "what does Anna want?", words="Anna"))
    await harness.tap("1 · Key")
    assert [call.args.message_id for call in harness.calls if call.tool == READ] == ["<Key@x>", "<Key@x>"]
    assert "Please bring the key." in harness.phone.said[-1]


async def test_of_many_mails_the_newest_are_read_and_it_is_said_how_many(harness: Harness) -> None:
    tailor = wired(harness, answering("All of it [1].", "Text 0", "<m0@x>#0"))
    names = [f"m{number}" for number in range(12)]
    harness.results[SEARCH] = [mails(*names)]
    harness.results[READ] = [mail(name, f"Text {number}") for number, name in enumerate(names)]
    await harness.say("what is new?", asks(SEARCH, "what is new?", words="m"))
    assert [chunk.source_id for chunk in tailor.asked[0].context_chunks] == [f"<m{number}@x>" for number in range(8)]
    assert harness.phone.said[-1].endswith("I read the newest 8 of 12 mails for that.")


async def test_a_mail_that_the_plan_reads_itself_is_read_once(harness: Harness) -> None:
    wired(harness, answering("The key [1].", "Please bring the key.", "<Key@x>#0"))
    harness.results[SEARCH] = [mails("Key", "Lunch")]
    harness.results[READ] = [mail("Key", "Please bring the key.")]
    reads = step(2, READ, 1, message_id={"step": 1, "fact": "messages.0.message_id"})
    plan = planned(step(1, SEARCH, words="Anna"), reads.model_copy(update={"ask": "what does she want?"}))
    await harness.say("what does Anna want?", plan)
    assert len([call for call in harness.calls if call.tool == READ]) == 1


async def test_a_search_without_a_question_reads_no_mail(harness: Harness) -> None:
    wired(harness)
    harness.results[SEARCH] = [mails("Key")]
    await harness.say("mails of Anna", planned(step(1, SEARCH, words="Anna")))
    assert [call.tool for call in harness.calls] == [SEARCH]


async def test_a_day_is_taken_out_of_the_mail_that_a_search_found(harness: Harness) -> None:
    wired(harness)
    harness.results[SEARCH] = [mails("Deposit")]
    harness.results[READ] = [mail("Deposit", "Please pay the deposit within 14 days.")]
    due = {"from": 1, "read": "date", "ask": "when is the deposit due?"}
    reminds = step(2, "bot_reminders_create", 1, text="deposit", at=due)
    await harness.say("remind me of the deposit", planned(step(1, SEARCH, words="deposit"), reminds))
    assert "Thursday 19 March 2026" in harness.phone.said[-1]


async def test_a_later_round_takes_a_day_out_of_the_mail_that_an_earlier_one_found(harness: Harness) -> None:
    wired(harness)
    harness.results[SEARCH] = [mails("Deposit")]
    harness.results[READ] = [mail("Deposit", "Please pay the deposit within 14 days.")]
    due = {"from": 1, "read": "date", "ask": "when is the deposit due?"}
    looks = replace(planned(step(1, SEARCH, words="deposit")), more=True)
    harness.script.outputs += [looks, planned(step(2, "bot_reminders_create", text="deposit", at=due))]
    await harness.say("remind me of the deposit")
    assert "Thursday 19 March 2026" in harness.phone.said[-1]


async def test_no_day_is_taken_out_of_the_lines_of_a_list(harness: Harness) -> None:
    stubbed(harness, CARDS)
    cards = [{"card_id": "1", "name": "Pay by 14 April 2026", "list": "To do"}]
    harness.results[CARDS] = [IntegrationResult(ok=True, data={"count": 1, "cards": cards})]
    reminds = step(2, "bot_reminders_create", 1, text="x", at={"from": 1, "read": "date", "ask": "when?"})
    await harness.say("remind me", planned(step(1, CARDS), reminds))
    assert "I have no text of that to read" in harness.phone.said[-1]


# Lists


async def test_a_question_about_cards_is_answered_from_the_lines_shown(harness: Harness) -> None:
    stubbed(harness, CARDS)
    tailor = wired(harness, answering("The rent [1].", "Pay the rent", "step-1#0"))
    cards = [{"card_id": str(n), "name": name, "list": "To do"} for n, name in enumerate(["Pay the rent", "Paint"])]
    harness.results[CARDS] = [IntegrationResult(ok=True, data={"count": 2, "cards": cards})]
    await harness.say("what is to be paid?", asks(CARDS, "what is to be paid?"))
    (given,) = tailor.asked
    (chunk,) = given.context_chunks
    assert "Pay the rent" in chunk.content
    assert "Paint" in chunk.content
    assert harness.phone.said == ["The rent [1].\n\nSources\n1. Trello"]


async def test_a_list_that_does_not_answer_is_shown_as_it_is(harness: Harness) -> None:
    stubbed(harness, CARDS)
    wired(harness, worded("I do not know.", citations=[]))
    cards = [{"card_id": str(n), "name": name, "list": "To do"} for n, name in enumerate(["Pay the rent", "Paint"])]
    harness.results[CARDS] = [IntegrationResult(ok=True, data={"count": 2, "cards": cards})]
    await harness.say("who is to pay?", asks(CARDS, "who is to pay?"))
    (said,) = harness.phone.said
    assert said.startswith("I don't know. What I found does not answer that:")
    assert "Pay the rent" in said


async def test_log_lines_are_a_passage_as_they_are_shown(harness: Harness) -> None:
    line = {"at": "2026-03-05T10:00:00+00:00", "text": "disk full", "labels": {"job": "backup"}, "clipped": False}
    data = {"query": "x", "lines": [line], "count": 1, "complete": True, "warnings": []}
    times = {"since": "2026-03-05T09:00:00+00:00", "before": "2026-03-05T11:00:00+00:00"}
    looked = step(1, LOGS).model_copy(update={"outcome": {"ok": True, "data": data | times}})
    (chunk,) = ListedLines(harness.registry, ZONE, harness.clock).of(looked)
    assert "disk full" in chunk.content


@pytest.mark.parametrize("tool", [CARDS, SEARCH])
async def test_what_found_nothing_is_told_as_nothing_whatever_is_asked(harness: Harness, tool: str) -> None:
    stubbed(harness, tool)
    tailor = wired(harness)
    harness.results[tool] = [IntegrationResult(ok=True, data={"count": 0, "cards": [], "messages": []})]
    await harness.say("what is to be paid?", asks(tool, "what is to be paid?"))
    assert tailor.asked == []


async def test_a_passage_of_a_chat_says_who_wrote_it_and_an_own_note_that_it_is_one(harness: Harness) -> None:
    found = PassageCollector(ListedLines(harness.registry, ZONE, harness.clock))
    rows: list[dict[str, Any]] = [
        {"message_id": "telegram:1/1", "sender": "telegram:1004", "sender_name": "Mum", "text": "Who comes?"},
        {"message_id": "telegram:1/2", "sender": "telegram:42", "outgoing": True, "text": "I do."},
        {"note_id": "n1", "text": "the code is 2281"},
    ]
    read = step(1, "user_telegram_get_message_history").model_copy(
        update={"outcome": {"ok": True, "data": {"messages": rows}}, "status": "completed"}
    )
    assert [one.title for one in await found.of(read, "who comes?")] == ["Mum", "you", "your note"]


@pytest.mark.parametrize(
    ("words", "preferred", "language"),
    [
        ("Was will Anna genau von mir?", "", "de"),
        ("Was will Anna genau von mir?", "fr", "fr"),
        ("Anna?", "", "en"),
    ],
)
async def test_a_model_answers_in_the_language_of_the_question_if_none_is_preferred(
    harness: Harness, words: str, preferred: str, language: str
) -> None:
    tailor = wired(harness, answering("The key [1].", "Please bring the key.", "<Key@x>#0"))
    if preferred:
        now = harness.clock.now()
        await harness.store.write(
            lambda c: preferences.put(c, PreferenceName.LANGUAGE, preferred, said_in="in-0", now=now)
        )
    harness.results[READ] = [mail("Key", "Please bring the key.")]
    await harness.say(words, asks(READ, "what does Anna want?", message_id="<Key@x>"))
    assert [given.language for given in tailor.asked] == [language]
    assert f"Language of answers: {language}\n" in prompt(harness.script.requests[-1])
