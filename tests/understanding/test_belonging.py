"""Parts of a message that belong to the request before them, and two lists in one request."""
# names: made up here

from dataclasses import replace

import pytest

from bench.understanding_scenes import NOW
from butler.orchestrator.understanding.requests.several import requests_of
from butler.understanding.reader import Request
from tests.understanding.marked import said


def part(line: str, intent: str, language: str = "en") -> Request:
    return replace(said(line, intent, language=language).request, language=language)


def slots(request: Request) -> set[tuple[str, str]]:
    return {(one.slot, one.text) for one in request.slots}


@pytest.mark.parametrize(
    ("parts", "intent", "expected"),
    [
        (
            (part("have a look in my Drive", "file.search"), part("and find the [contract](topic)", "file.search")),
            "file.search", {("topic", "contract")},
        ),
        (
            (
                part("schedule a meeting with [Anna](with) on [Monday 10-11](time)", "calendar.create"),
                part("and send [Anna](with) an invitation", "mail.invite"),
            ),
            "calendar.create", {("with", "Anna"), ("time", "Monday 10-11")},
        ),
        (
            (
                part("new card [Fix the tap](title) in [Doing](list)", "card.create"),
                part("due [friday](time)", "card.due"),
                part("assign [it](ref) to [me](to)", "card.assign"),
            ),
            "card.create", {("title", "Fix the tap"), ("list", "Doing"), ("time", "friday"), ("to", "me")},
        ),
        (
            (
                part("archive all cards of [Anna](from)", "card.archive"),
                part("and [Bob](to)", "card.assign"),
            ),
            "card.archive", {("from", "Anna"), ("to", "Bob")},
        ),
        (
            (
                part("remind me to [book the table](text)", "reminder.create"),
                part("as soon as [Anna](from) answers, on [Friday](time) at the latest", "watch.answer"),
            ),
            "reminder.create", {("text", "book the table"), ("from", "Anna"), ("time", "Friday")},
        ),
        (
            (
                part("schedule a meeting with [Anna](with) on [Monday 10-11](time)", "calendar.create"),
                part("and invite [Carol](to) to [it](ref)", "mail.invite"),
            ),
            "calendar.create", {("with", "Anna"), ("with", "Carol"), ("time", "Monday 10-11")},
        ),
        (
            (
                part("whenever [Bob writes in the group](trigger)", "automation.create"),
                part("and archive [it](ref)", "mail.archive"),
            ),
            "automation.create", {("trigger", "Bob writes in the group"), ("action", "archive it")},
        ),
        (
            (
                part("subject has “invoice” in it?", "automation.create"),
                part("always a card on the list Bills", "automation.create"),
            ),
            "automation.create", {("trigger", "subject has “invoice” in it"), ("action", "a card on the list Bills")},
        ),
        (
            (part("Bob writes in the group", "automation.create"), part("then tell [Anna](to) so", "message.send")),
            "automation.create", {("trigger", "Bob writes in the group"), ("action", "tell Anna so")},
        ),
    ],
)  # fmt: skip
def test_a_part_that_completes_the_one_before_is_joined(
    parts: tuple[Request, ...], intent: str, expected: set[tuple[str, str]]
) -> None:
    (one,) = requests_of(parts, NOW)
    assert (one.intent, slots(one)) == (intent, expected)


@pytest.mark.parametrize(
    "parts",
    [
        (part("find [invoices](topic)", "mail.search"), part("and find [tickets](topic)", "mail.search")),
        (part("new card [Tap](title)", "card.create"), part("assign [all the others](ref) to [me](to)", "card.assign")),
        (
            part("remind me at [nine](time) to [eat](text)", "reminder.create"),
            part("wait for [Bob](from)", "watch.answer"),
        ),
        (part("show my cards", "card.list"), part("and those in [Doing](list)", "card.list")),
        (part("show my meetings", "calendar.list"), part("and those of [Bob](with)", "calendar.list")),
        (part("[every day](every) a summary", "automation.create"), part("tell [Anna](to)", "message.send")),
        (
            part("remind me to [book the table](text)", "reminder.create"),
            part("and tell me when [Anna](from) answers", "watch.answer"),
        ),
        (part("I got a new job", "automation.create"), part("tell [Anna](to) so", "message.send")),
        (part("a mail from Bob comes.", "automation.create"), part("tell [Anna](to) so", "message.send")),
        (part("when Bob mails me", "automation.create"), part("undo that", "undo")),
        (
            part("schedule a meeting on [Monday 10-11](time)", "calendar.create"),
            part("and invite [Carol](to) to [the dinner on Friday](ref)", "mail.invite"),
        ),
        (
            part("new card [Tap](title)", "card.create"),
            part("assign [the old boiler card](ref) to [me](to)", "card.assign"),
        ),
    ],
)
def test_a_part_that_stands_alone_stays_a_request(parts: tuple[Request, ...]) -> None:
    assert [one.intent for one in requests_of(parts, NOW)] == [one.intent for one in parts]


@pytest.mark.parametrize(
    ("words", "intent", "language", "intents"),
    [
        ("show me my reminders n my notes", "reminder.list", "en", ["reminder.list", "note.search"]),
        ("zeig mir meine Notizen und Erinnerungen", "note.search", "de", ["note.search", "reminder.list"]),
        ("montre mes rendez-vous et mes tâches", "calendar.list", "fr", ["calendar.list", "card.list"]),
        ("enséñame mis recordatorios y notas", "reminder.list", "es", ["reminder.list", "note.search"]),
        ("show my reminders and notes about the boat", "reminder.list", "en", ["reminder.list"]),
        ("show my reminders", "reminder.list", "en", ["reminder.list"]),
        ("show my reminders of [notes and reminders](topic)", "reminder.list", "en", ["reminder.list"]),
        ("what do my notes and reminders look like in the cards", "card.list", "en", ["card.list"]),
    ],
)
def test_two_lists_are_two_requests(words: str, intent: str, language: str, intents: list[str]) -> None:
    assert [one.intent for one in requests_of([part(words, intent, language)], NOW)] == intents
