"""Invitations answered as the person: to whoever invites, once, and only what the card showed."""

from collections.abc import AsyncIterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar
from pydantic import ValidationError

from approvals.preview import left_out, preview_of
from butler.contract.errors import IntegrationErrorCode
from butler.contract.tools import Settled
from butler_demo.mailbox.server import MailServer
from modules.email.invite_args import AnswerInviteArgs, InviteResponse, spoken
from modules.email.parsing.calendar import event_of
from tests.modules.email.gmail_account import ME, GmailUnderTest, gmail_account
from tests.modules.email.mailhost import ModuleUnderTest, Notes, UserUnderTest, mail
from tests.modules.email.test_parse_calendar import calendar

ANSWER = "user_email_answer_invite"
OLA = "ola@planning.example"
LONDON = ZoneInfo("Europe/London")
SHOWN: dict[str, Any] = {
    "organizer": [{"address": f"mail:{OLA}", "name": ""}],
    "uid": "u1",
    "sequence": 2,
    "summary": "Budget review",
    "starts": "2026-06-12T14:00:00+02:00",
    "ends": "2026-06-12T15:00:00+02:00",
}


@pytest.fixture(autouse=True)
def quick_filing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modules.email.imap.user_mailbox.FILES_WITHIN_S", 0.05)


@pytest.fixture
async def gmail() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


def invitation(to: str, *lines: str, method: str = "REQUEST", organizer: str = OLA) -> bytes:
    """A mail by Ola with an invitation, as calendars send it."""
    part = calendar(
        "UID:u1",
        "SEQUENCE:2",
        "SUMMARY:Budget review",
        "DTSTART;TZID=Europe/Berlin:20260612T140000",
        "DTEND;TZID=Europe/Berlin:20260612T150000",
        f"ORGANIZER;CN=Boss:mailto:{organizer}",
        "ATTENDEE:mailto:anna@friends.example",
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{to}",
        *lines,
        method=method,
    ).decode()
    body = f"--b\r\nContent-Type: text/plain\r\n\r\nCome!\r\n--b\r\nContent-Type: text/calendar; method={method}\r\n"
    headers = {"From": f"Ola <{OLA}>", "To": to, "Content_Type": 'multipart/alternative; boundary="b"'}
    return mail("Invitation", f"{body}\r\n{part}\r\n--b--", **headers)


async def refusal(under_test: ModuleUnderTest, **args: Any) -> str:
    complete = under_test.spec(ANSWER).complete
    assert complete is not None
    result = await complete(under_test.call(ANSWER, {"response": "accept"} | args))
    assert result.error is not None, result
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    return result.error.message


def parts_of(raw: bytes) -> tuple[EmailMessage, str, Calendar]:
    """A sent answer: its header, its sentence, its calendar."""
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert message.get_content_type() == "multipart/alternative"
    plain, part = message.iter_parts()
    assert isinstance(plain, EmailMessage)
    assert part.get_content_type() == "text/calendar"
    assert (part.get_param("method"), part.get_param("charset")) == ("REPLY", "utf-8")
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    return message, plain.get_content().replace("\r\n", "\n"), Calendar.from_ical(data)


def written(value: Any) -> bytes:
    """A value as it stands in a calendar."""
    return value.to_ical()


async def test_an_invitation_is_answered_to_whoever_invites_with_what_was_shown(user: UserUnderTest) -> None:
    await user.deliver(invitation(user.address))
    filled = await user.completed(ANSWER, response="accept", message_id=await user.id_of("Invitation"))
    read = {name: filled[name] for name in ("organizer", "uid", "sequence", "summary", "starts", "ends")}
    assert read == SHOWN
    assert (filled["attendee"], filled["recurrence_id"]) == (user.address, "")
    result = await user.do(ANSWER, **filled)
    assert result.data is not None, result.error
    assert (result.data["accepted"], result.data["copy"]) == ([OLA], "kept in Sent")
    (sent,) = await user.left()
    message, sentence, answer = parts_of(sent.raw)
    assert (message["To"], message["From"], message["Subject"]) == (OLA, user.address, "Accepted: Budget review")
    assert sentence == (
        f'{user.address}: I accept your invitation "Budget review", '
        "Friday 12 June 2026 at 13:00 to 14:00 (Europe/London).\n"
    )
    (event,) = answer.events
    assert (answer["METHOD"], answer["VERSION"], event["UID"], event["SEQUENCE"]) == ("REPLY", "2.0", "u1", 2)
    assert (event["ORGANIZER"], event["ATTENDEE"]) == (f"mailto:{OLA}", f"mailto:{user.address}")
    assert event["ATTENDEE"].params == {"PARTSTAT": "ACCEPTED"}
    assert written(event["DTSTART"]) == b"20260612T120000Z"
    assert "DTSTAMP" in event


async def test_the_card_shows_who_is_answered_which_event_and_when_for_the_person(demo_user: UserUnderTest) -> None:
    await demo_user.deliver(invitation(demo_user.address))
    key = await demo_user.id_of("Invitation")
    filled = await demo_user.completed(ANSWER, response="decline", message_id=key, comment="I am away.")
    spec = demo_user.spec(ANSWER)
    args = spec.args.model_validate(filled)
    shown = preview_of(spec, args)
    assert (shown.effect, shown.body) == ("Declines an invitation as you", "I am away.")
    assert [person.model_dump() for person in shown.recipients] == [{"address": f"mail:{OLA}", "name": ""}]
    assert shown.facts == (
        ("Event", "Budget review"),
        ("When", "Friday 12 June 2026 at 13:00 to 14:00 (Europe/London)"),
        ("You are invited as", demo_user.address),
    )
    assert left_out(shown, args.model_dump(mode="json")) == ()


async def test_an_invitation_in_a_mail_that_was_forwarded_whole_is_answered(demo_user: UserUnderTest) -> None:
    inner = invitation(demo_user.address)
    body = b"--o\r\nContent-Type: message/rfc822\r\n\r\n" + inner + b"\r\n--o--"
    await demo_user.deliver(mail("Fwd", body.decode(), Content_Type='multipart/mixed; boundary="o"'))
    filled = await demo_user.completed(ANSWER, response="accept", message_id=await demo_user.id_of("Fwd"))
    assert (filled["organizer"], filled["uid"]) == (SHOWN["organizer"], "u1")


async def test_what_asks_for_no_answer_gets_none(demo_user: UserUnderTest) -> None:
    said = {
        "CANCEL": "this mail says that the event is cancelled; there is nothing to answer",
        "PUBLISH": "this mail only announces the event; it asks for no answer",
        "REPLY": "this mail is somebody's answer to an invitation, and invites nobody",
        "COUNTER": "this mail proposes to change an event; answer it in your calendar",
        "DECLINECOUNTER": "this mail declines a proposal of yours; there is nothing to answer",
        "ADD": "this mail adds to a series; answer it in your calendar",
        "REFRESH": "this mail asks for an invitation to be sent again; it invites nobody",
        "X-OTHER": "it is not clear whether this event takes place, so it is not answered",
    }
    for method, why in said.items():
        await demo_user.deliver(invitation(demo_user.address, method=method))
        assert await refusal(demo_user, message_id=await demo_user.id_of("Invitation")) == why
    lines = {
        "STATUS:CANCELLED": "this mail says that the event is cancelled; there is nothing to answer",
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260612T120000Z": "the invitation is about a part of a series; answer it",
        "RECURRENCE-ID;TZID=Ours:20260612T140000": "the invitation is in a time zone that is not known (Ours)",
    }
    for line, why in lines.items():
        await demo_user.deliver(invitation(demo_user.address, line))
        assert (await refusal(demo_user, message_id=await demo_user.id_of("Invitation"))).startswith(why)


async def test_a_mail_without_an_invitation_or_by_the_person_is_not_answered(demo_user: UserUnderTest) -> None:
    await demo_user.deliver(mail("Plain"))
    said = "this mail holds no invitation that can be read"
    assert await refusal(demo_user, message_id=await demo_user.id_of("Plain")) == said
    await demo_user.deliver(invitation(demo_user.address, organizer=demo_user.address))
    said = "you invite to this event yourself; there is nobody to answer"
    assert await refusal(demo_user, message_id=await demo_user.id_of("Invitation")) == said


async def test_a_group_that_was_invited_is_answered_from_the_accounts_own_address(demo_user: UserUnderTest) -> None:
    await demo_user.deliver(invitation("everybody@planning.example"))
    key = await demo_user.id_of("Invitation")
    filled = await demo_user.completed(ANSWER, response="tentative", message_id=key)
    assert filled["attendee"] == demo_user.address


async def test_an_invitation_that_was_shown_elsewhere_needs_no_mail(demo_user: UserUnderTest) -> None:
    filled = await demo_user.completed(ANSWER, response="tentative", **SHOWN)
    assert filled["attendee"] == demo_user.address
    assert (await demo_user.do(ANSWER, **filled)).ok
    (sent,) = await demo_user.left()
    message, sentence, answer = parts_of(sent.raw)
    assert message["Subject"] == "Tentative: Budget review"
    assert "I tentatively accept your invitation" in sentence
    assert answer.events[0]["ATTENDEE"].params == {"PARTSTAT": "TENTATIVE"}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"uid": "u1"}, "it is not known which invitation is answered; name the mail with it"),
        ({"organizer": SHOWN["organizer"]}, "it is not known which invitation is answered; name the mail with it"),
        (SHOWN, "nobody is none of your addresses, so it cannot answer for you"),
        (SHOWN | {"attendee": "anna@friends.example"}, "anna@friends.example is none of your addresses"),
    ],
)
async def test_nobody_is_answered_for_whom_the_card_did_not_name(
    demo_user: UserUnderTest, args: dict[str, Any], said: str
) -> None:
    result = await demo_user.do(ANSWER, response="accept", **args)
    assert result.error is not None
    assert result.error.message.startswith(said)
    if "which invitation" in said:
        assert await refusal(demo_user, **args) == said


async def test_an_answer_is_sent_once_however_it_ends(demo_user: UserUnderTest, server: MailServer) -> None:
    server.fail_smtp("after_data", None)
    args = SHOWN | {"response": "accept", "attendee": demo_user.address}
    notes = Notes()
    assert not (await demo_user.do(ANSWER, notes=notes, **args)).ok
    settled = await demo_user.registry.reconcile(demo_user.call(ANSWER, args, notes=notes))
    assert settled.settled is Settled.UNKNOWN
    assert len(server.outgoing) == 1


async def test_an_invitation_at_gmail_is_answered_as_the_alias_that_was_invited(gmail: GmailUnderTest) -> None:
    gmail.server.add_alias(ME, "tickets@home.example", "Tickets")
    got = gmail.server.deliver(ME, invitation("tickets@home.example"))
    filled = await gmail.completed(ANSWER, response="accept", message_id=got.id)
    assert filled["attendee"] == "tickets@home.example"
    notes = Notes()
    result = await gmail.do(ANSWER, notes=notes, **filled)
    assert result.ok, result.error
    (sent,) = gmail.server.sent_by(ME)
    message, _, answer = parts_of(sent.message.raw)
    assert (message["From"], message["To"]) == ("Tickets <tickets@home.example>", OLA)
    assert answer.events[0]["ATTENDEE"] == "mailto:tickets@home.example"
    settled = await gmail.registry.reconcile(gmail.call(ANSWER, filled, notes))
    assert settled.settled is Settled.DONE
    assert len(gmail.server.sent_by(ME)) == 1


async def test_one_event_of_a_series_is_answered_alone(demo_user: UserUnderTest) -> None:
    await demo_user.deliver(invitation(demo_user.address, "RECURRENCE-ID;TZID=Europe/Berlin:20260612T140000"))
    key = await demo_user.id_of("Invitation")
    filled = await demo_user.completed(ANSWER, response="accept", message_id=key)
    assert filled["recurrence_id"] == "2026-06-12T14:00:00+02:00"
    facts = dict(preview_of(demo_user.spec(ANSWER), AnswerInviteArgs.model_validate(filled)).facts)
    assert facts["Only the one"] == "Friday 12 June 2026 at 13:00 (Europe/London)"
    assert (await demo_user.do(ANSWER, **filled)).ok
    (sent,) = await demo_user.left()
    assert written(parts_of(sent.raw)[2].events[0]["RECURRENCE-ID"]) == b"20260612T120000Z"


@pytest.mark.parametrize(
    "times",
    [
        {"starts": "2026-06-12T12:00:00+00:00", "ends": "2026-06-12T13:00:00+00:00"},
        {"starts": "2026-06-12", "ends": "2026-06-14"},
        {"starts": "2026-06-12T14:00:00", "ends": ""},
        {"starts": "", "ends": "", "recurrence_id": "2026-06-12"},
    ],
)
async def test_an_answer_says_of_the_event_what_the_invitation_said(
    demo_user: UserUnderTest, times: dict[str, str]
) -> None:
    words = {"uid": "ü,;:1", "summary": 'Zoë\'s "party"; bring, wine' * 5, "comment": "Sorry,\n\nMETHOD:CANCEL"}
    args: dict[str, Any] = SHOWN | {"response": "decline", "attendee": demo_user.address} | words | times
    assert (await demo_user.do(ANSWER, **args)).ok
    (sent,) = await demo_user.left()
    _, sentence, answer = parts_of(sent.raw)
    found = event_of(answer.to_ical())
    assert found is not None
    assert (found.method, found.uid, found.sequence, found.summary) == ("REPLY", words["uid"], 2, words["summary"])
    assert {name: getattr(found, name) for name in times} == times
    assert [person.address for person in found.attendees] == [demo_user.address]
    assert answer.events[0]["COMMENT"] == words["comment"]
    assert sentence.endswith("\n\nSorry,\n\nMETHOD:CANCEL\n")


@pytest.mark.parametrize(
    "change",
    [
        {"response": "maybe"},
        {"uid": "u1\r\nATTENDEE:mailto:x@y.example"},
        {"summary": "a\nb"},
        {"attendee": "me@home.example\r\nX: y"},
        {"organizer": [{"address": "telegram:42"}]},
        {"organizer": [{"address": f"mail:{OLA}"}, {"address": "mail:b@x.example"}]},
        {"starts": "tomorrow"},
        {"starts": "0001-01-01T00:00:00+14:00"},
        {"sequence": -1},
        {"method": "CANCEL"},
    ],
)
def test_arguments_that_no_invitation_has_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnswerInviteArgs.model_validate({"response": InviteResponse.ACCEPT} | SHOWN | change)


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        ("", "2026-06-12", ""),
        ("2026-06-12", "", "Friday 12 June 2026, all day"),
        ("2026-06-12", "2026-06-13", "Friday 12 June 2026, all day"),
        ("2026-06-12", "2026-06-14", "Friday 12 June 2026 to Saturday 13 June 2026, all day"),
        ("2026-06-12T14:00:00", "2026-06-12T15:00:00", "Friday 12 June 2026 at 14:00 to 15:00 (local time)"),
        (
            "2026-06-12T22:30:00+00:00",
            "2026-06-12T23:30:00+00:00",
            "Friday 12 June 2026 at 23:30 to Saturday 13 June 2026 at 00:30 (Europe/London)",
        ),
        ("2026-01-12T09:00:00-05:00", "", "Monday 12 January 2026 at 14:00 (Europe/London)"),
        ("2026-06-12T14:00:00+01:00", "2026-06-12T13:00:00Z", "Friday 12 June 2026 at 14:00 (Europe/London)"),
    ],
)
def test_a_time_is_said_as_the_person_reads_a_clock(starts: str, ends: str, said: str) -> None:
    assert spoken(starts, ends, LONDON) == said
