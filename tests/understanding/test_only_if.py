"""What is to be done only if something happens is not done without it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bench.understanding_scenes import NOW, request, tools
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import PlannerOutput, Unclear
from butler.orchestrator.understanding.planner import built
from butler.orchestrator.understanding.requests.only_if import conditional, without_doubt
from butler.understanding.reader import Request
from tests.understanding.marked import said


def part(line: str, intent: str, language: str = "en") -> Request:
    one = said(line, intent, language=language).request
    return Request(one.text, 0, ((intent, 0.99),), one.slots, language)


def asked(*found: Request, reads: Sequence[Request] = ()) -> Unclear | None:
    """What is asked of requests; `reads` is what any other words are read as."""
    scene = scene_of(request(found[0].text, "demo", tools(), NOW))

    def build(one: Request) -> PlannerOutput:
        return built(one, scene, one.text, one.language or "en")

    return conditional(found, build, lambda _text, _context: tuple(reads), ())


@pytest.mark.parametrize(
    ("language", "line", "intent", "words"),
    [
        ("en", "if it rains tomorrow, cancel the [picnic](topic)", "calendar.delete", "if it rains tomorrow"),
        ("en", "if it rains tomorrow cancel the [picnic](topic)", "calendar.delete", "if it rains tomorrow …"),
        ("en", "move the [choir](topic) to [friday](time) if that works for everyone", "calendar.move",
         "if that works for everyone"),
        ("en", "archive [it](ref) unless Bob wants it", "mail.archive", "unless Bob wants it"),
        ("de", "falls [Otto](with) kann, trag [Essen](title) am [Freitag](time) ein", "calendar.create",
         "falls Otto kann"),
        ("fr", "annule le [pique-nique](topic) s'il pleut", "calendar.delete", "s'il pleut"),
        ("es", "si llueve, cancela el [picnic](topic)", "calendar.delete", "si llueve"),
        ("en", "should it rain, cancel the [picnic](topic)", "calendar.delete", "should it rain"),
        ("en", "cancel the [picnic](topic) if that's ok with Anna", "calendar.delete", "if that's ok with Anna"),
        ("es", "si llueve por favor, cancela el [picnic](topic)", "calendar.delete", "si llueve por favor"),
    ],
)  # fmt: skip
def test_a_condition_is_asked_about(language: str, line: str, intent: str, words: str) -> None:
    question = asked(part(line, intent, language))
    assert question is not None
    assert f"“{words}”" in question.question


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "cancel [it](ref) if you can", "calendar.delete"),
        ("en", "cancel the [picnic](topic) if that's ok", "calendar.delete"),
        ("en", "if you like, cancel the [picnic](topic)", "calendar.delete"),
        ("de", "lösch das [Picknick](topic), wenn das ok ist", "calendar.delete"),
        ("fr", "annule le [pique-nique](topic) si ça te va", "calendar.delete"),
        ("es", "cancela el [picnic](topic) si te va bien", "calendar.delete"),
        ("es", "si por favor, cancela el [picnic](topic)", "calendar.delete"),
        ("en", "trash the mails from [Bob](from) if they are [older than a year](age)", "mail.trash"),
        ("en", "archive [it](ref), I don't know if Bob wants it", "mail.archive"),
        ("en", "archive [it](ref) because there's a fine if we forget", "mail.archive"),
        ("en", "everything from [Bob](from) should have a star", "mail.star"),
        ("es", "si borra el [segundo](ref)", "mail.trash"),
        ("es", "si, borra el [segundo](ref)", "mail.trash"),
        ("es", "archiva [eso](ref) por si acaso", "mail.archive"),
        ("de", "leit [ihn](ref) weiter, si macht das", "mail.archive"),
        ("en", "remind me [at six](time) if it rains", "reminder.create"),
        ("en", "tell [Bob](to) [I come if it rains](text)", "message.send"),
    ],
)
def test_what_is_no_condition_of_an_act_asks_nothing(language: str, line: str, intent: str) -> None:
    assert asked(part(line, intent, language)) is None


@pytest.mark.parametrize(
    "line",
    ["wenn es regnet, sag das [Picknick](topic) ab", "sag das [Picknick](topic) ab, wenn es regnet"],
)
def test_the_act_of_a_doubtful_request_is_read_without_its_condition(line: str) -> None:
    whole = part(line, "watch.answer", "de")
    doubtful, sure = replace(whole, readings=(("watch.answer", 0.3),), slots=()), whole
    act = part("sag das [Picknick](topic) ab", "calendar.delete", "de")
    assert without_doubt([doubtful, sure], lambda _words, _context: (act,), ()) == [
        replace(whole, readings=act.readings), sure
    ]  # fmt: skip
    other = part("sag ihr [ab](text)", "message.send", "de")
    assert without_doubt([doubtful], lambda _words, _context: (other,), ()) == [doubtful]


def test_the_act_is_offered_without_its_condition() -> None:
    question = asked(part("if it rains, archive the mails from [Bob](from)", "mail.archive"))
    assert question is not None
    (offered,) = question.choices
    assert [step.tool_call for step in offered.steps or ()] == ["user_email_archive"]
    unclear = asked(part("if it rains, cancel [it](ref)", "calendar.delete"))
    assert unclear is not None
    assert not unclear.choices


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "if [Bob](from) doesn't answer by [six](time), cancel lunch"),
        ("en", "cancel lunch if [Bob](from) hasn't answered by [six](time)"),
        ("de", "wenn [Bob](from) bis [sechs](time) nicht antwortet, sag das Essen ab"),
    ],
)
def test_only_the_answer_can_be_waited_for(language: str, line: str) -> None:
    act = part("cancel [lunch](topic)", "calendar.delete")
    question = asked(part(line, "watch.answer", language), reads=[act])
    assert question is not None
    (offered,) = question.choices
    assert [step.tool_call for step in offered.steps or ()] == ["bot_digests_watch_answer"]


def test_a_reminder_of_something_else_hangs_on_the_answer() -> None:
    watched = part("if [Bob](from) hasn't answered by [six](time), remind me to ring him", "watch.answer")
    assert asked(watched, reads=[part("remind me to [ring him](text)", "reminder.create")]) is not None
    assert asked(watched, reads=[part("remind me", "reminder.create")]) is None


def test_an_act_behind_an_answer_that_is_waited_for_hangs_on_it() -> None:
    watched = part("si [Bob](from) no contesta antes de [las seis](time),", "watch.answer", "es")
    assert asked(watched, part("cancela la [comida](topic)", "calendar.delete", "es")) is not None


@pytest.mark.parametrize(
    "line", ["let me know when [Bob](from) answers", "if [Bob](from) doesn't answer by [six](time), let me know"]
)
def test_to_be_told_is_all_that_is_asked(line: str) -> None:
    assert asked(part(line, "watch.answer"), reads=[part("let me know", "chat.how")]) is None


def test_of_whom_nobody_can_be_waited_for_is_asked_first() -> None:
    act = part("cancel [lunch](topic)", "calendar.delete")
    assert asked(part("if [it](ref) doesn't come by [six](time), cancel lunch", "watch.answer"), reads=[act]) is None
