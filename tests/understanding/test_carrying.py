"""What a later request of a message takes from the one before it, and a time of the day from the day before it."""
# names: made up here

from dataclasses import replace

import pytest

from bench.understanding_scenes import NOW
from butler.orchestrator.understanding.requests.carrying import carried, with_day, with_slots
from butler.understanding.reader import Request
from tests.understanding.marked import said


def part(line: str, intent: str, language: str = "en") -> Request:
    return replace(said(line, intent, language=language).request, language=language)


def second(first: Request, later: Request) -> Request:
    return carried([first, later], NOW)[1]


def slots(request: Request) -> set[tuple[str, str]]:
    return {(one.slot, one.text) for one in request.slots}


def test_who_was_written_to_is_asked_too() -> None:
    told = part("text [Anna](to) [I'm late](reported)", "message.send")
    later = second(told, part("and ask whether [she has the key](asked)", "message.reply"))
    assert later.intent == "message.send"
    assert slots(later) == {("to", "Anna"), ("asked", "she has the key")}


def test_who_was_named_with_an_event_is_told() -> None:
    cancelled = part("cancel [lunch](topic) with [Bob](with)", "calendar.delete")
    later = second(cancelled, part("let [him](to) know [I'm ill](reported)", "message.send"))
    assert ("to", "Bob") in slots(later)


def test_somebody_else_stays_who_is_written_to() -> None:
    told = part("text [Anna](to) [I'm late](reported)", "message.send")
    later = second(told, part("and ask [Bob](to) whether [he has the key](asked)", "message.send"))
    assert ("to", "Bob") in slots(later)
    assert ("to", "Anna") not in slots(later)


def test_nobody_is_guessed_of_several() -> None:
    told = part("text [Anna](to) and [Mum](to) [I'm late](reported)", "message.send")
    later = second(told, part("and ask [her](to) whether [she has the key](asked)", "message.send"))
    assert slots(later) == {("to", "her"), ("asked", "she has the key")}


def test_who_was_told_is_who_an_event_is_with_on_the_day_that_was_told() -> None:
    told = part("tell [Bob](to) [yes for Thursday](reported)", "message.send")
    later = second(told, part("and put [lunch](title) with [him](with) in [at half twelve](time)", "calendar.create"))
    assert slots(later) == {("title", "lunch"), ("with", "Bob"), ("time", "Thursday at half twelve")}
    other = second(told, part("put [lunch](title) with [him](with) in on [friday at one](time)", "calendar.create"))
    assert ("time", "friday at one") in slots(other)


def test_what_was_noted_is_sent() -> None:
    noted = part("note [the meter stands at 55120](text)", "note.create")
    later = second(noted, part("and send [that](ref) to [Anna](to)", "message.send"))
    assert slots(later) == {("to", "Anna"), ("text", "the meter stands at 55120")}


@pytest.mark.parametrize(
    ("told", "later", "language", "title", "time"),
    [
        ("tell [Mum](to) [we dine on Sunday at eight](reported)", "and put it in my calendar", "en",
         "we dine (Mum)", "Sunday at eight"),
        ("schreib [Mama](to), dass [ich am Sonntag um zwölf zum Essen da bin](reported)",
         "und trag's in den Kalender ein", "de", "Ich bin zum Essen da (Mama)", "Sonntag um zwölf"),
        ("avisa a [Bob](to) que [el jueves a la una comemos juntos](reported)", "y apúntalo", "es",
         "comemos juntos (Bob)", "jueves a la una"),
    ],
)  # fmt: skip
def test_what_was_told_becomes_an_event(told: str, later: str, language: str, title: str, time: str) -> None:
    one = second(part(told, "message.send", language), part(later, "calendar.create", language))
    (found_title,), (found_time,) = one.words("title"), one.words("time")
    assert found_title == title
    assert time in found_time


def test_what_says_no_day_is_no_event() -> None:
    told = part("tell [Mum](to) [I'm in](reported)", "message.send")
    assert not second(told, part("and put it in my calendar", "calendar.create")).slots


def test_an_event_with_its_own_name_keeps_it() -> None:
    told = part("tell [Mum](to) [I come on Sunday](reported)", "message.send")
    later = part("and put [lunch](title) in my calendar", "calendar.create")
    assert slots(second(told, later)) == {("title", "lunch")}


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (("move [the dentist](topic) to [the 17th](time)", "calendar.move"),
         ("and add [bring the form](text)", "calendar.change")),
        (("due [20 March](time) for [the kitchen](topic)", "card.due"),
         ("and comment that [the colour comes first](reported)", "card.comment")),
    ],
)  # fmt: skip
def test_the_same_thing_is_changed_further(first: tuple[str, str], later: tuple[str, str]) -> None:
    named = part(*first).words("topic")
    assert second(part(*first), part(*later)).words("topic") == named


@pytest.mark.parametrize(
    ("before", "later", "language", "time"),
    [
        ("remind me [at six tomorrow](time)", "no, [six in the morning](time)", "en", "2026-03-05 six in the morning"),
        ("put it in for [the evening of the 17th](time)", "[7 till 8](time)", "en", "the evening of the 17th 7 till 8"),
        ("am [19. nachmittags](time)", "[um halb drei](time)", "de", "19. nachmittags um halb drei"),
    ],
)
def test_a_time_of_the_day_is_of_the_day_before_it(before: str, later: str, language: str, time: str) -> None:
    first, answer = part(before, "reminder.create", language), part(later, "answer.value", language)
    (found,) = with_day(answer.slots, first, NOW)
    assert found.text == time
    joined = with_slots(first, answer, (found,))
    (place,) = joined.slots
    assert joined.text[place.start : place.end] == time


def test_another_day_takes_the_place_of_the_day() -> None:
    first, answer = part("[tomorrow at six](time)", "reminder.create"), part("[Friday at nine](time)", "answer.value")
    assert with_day(answer.slots, first, NOW) == answer.slots


@pytest.mark.parametrize(
    ("language", "told", "later", "text"),
    [
        ("en", "tell [mum](to) [I'll call tonight](reported)", "and remind me [at eight](time)",
         "I'll call tonight (mum)"),
        ("de", "schreib [mum](to) dass [ich heute anrufe](reported)", "und erinner mich [um acht](time) [dran](ref)",
         "Ich rufe heute an (mum)"),
    ],
)  # fmt: skip
def test_what_was_told_is_what_a_reminder_is_of(language: str, told: str, later: str, text: str) -> None:
    found = second(part(told, "message.send", language), part(later, "reminder.create", language))
    assert [one.text for one in found.slots if one.slot == "text"] == [text]


def test_a_reminder_of_something_else_is_of_that() -> None:
    told = part("tell [mum](to) [I'm late](reported)", "message.send")
    found = second(told, part("and remind me [at eight](time) to [buy milk](text)", "reminder.create"))
    assert found.words("text") == ("buy milk",)
