"""Several requests in one message that are one, or are about the same mail."""
# names: made up here

from bench.understanding_scenes import NOW
from butler.orchestrator.understanding.requests.several import requests_of
from butler.understanding.reader import Request
from tests.understanding.marked import said


def part(line: str, intent: str) -> Request:
    return said(line, intent).request


def slots(request: Request) -> list[tuple[str, str]]:
    return [(one.slot, one.text) for one in request.slots]


def test_what_is_opened_and_asked_about_is_read_once() -> None:
    (one,) = requests_of(
        [part("open [the attachment](ref)", "file.read"), part("and tell me [what it costs](query)", "web.read")],
        NOW,
    )
    assert (one.intent, slots(one)) == ("file.read", [("ref", "the attachment"), ("query", "what it costs")])


def test_two_questions_to_memory_are_one() -> None:
    (one,) = requests_of(
        [part("[what's the notice period](query)", "memory.ask"), part("[and from when](query)", "memory.ask")], NOW
    )
    assert one.words("query") == ("what's the notice period and from when",)


def test_what_is_known_about_it_is_what_was_asked() -> None:
    asked = part("[where is my locker](query)", "memory.ask")
    assert requests_of([asked, part("what do you know about [it](ref)", "memory.list")], NOW) == [asked]
    assert len(requests_of([asked, part("what do you know about [the garage](topic)", "memory.list")], NOW)) == 2


def test_another_mail_is_read_for_itself() -> None:
    parts = [part("read [the first one](ref)", "mail.read"), part("and the one from [Anna](from)", "mail.read")]
    assert len(requests_of(parts, NOW)) == 2


def test_what_is_said_to_whom_a_mail_is_passed_on_to_is_a_note() -> None:
    (one,) = requests_of(
        [
            part("forward [the tickets](topic) to [Carol](to)", "mail.forward"),
            part("and tell [her](to) that [it's coach four](reported)", "mail.reply"),
        ],
        NOW,
    )
    assert slots(one) == [("topic", "the tickets"), ("to", "Carol"), ("reported", "it's coach four")]


def test_what_is_said_to_whom_an_invitation_is_from_is_a_comment_on_it() -> None:
    parts = [
        part("accept the invitation from [Ola](from)", "mail.invite"),
        part("and tell her that [I'm late](reported)", "mail.reply"),
    ]
    (one,) = requests_of(parts, NOW)
    assert slots(one) == [("from", "Ola"), ("reported", "I'm late")]
    other = part("and tell [Bob](to) [I'm coming](reported)", "message.send")
    assert len(requests_of([parts[0], other], NOW)) == 2


def test_somebody_else_is_written_to() -> None:
    parts = [
        part("forward [the tickets](topic) to [Carol](to)", "mail.forward"),
        part("and tell [Bob](to) [it's coach four](reported)", "message.send"),
    ]
    assert len(requests_of(parts, NOW)) == 2


def test_a_further_act_is_about_the_mail_that_was_named() -> None:
    binned = part("bin the [newsletter](filter)", "mail.trash")
    _, second = requests_of([binned, part("and get me off", "mail.unsubscribe")], NOW)
    assert slots(second) == [("filter", "newsletter")]
    read = part("read [the second one](ref)", "mail.read")
    _, second = requests_of([read, part("and star [it](ref)", "mail.star")], NOW)
    assert slots(second) == [("ref", "the second one")]
