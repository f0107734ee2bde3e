"""Arguments of answering an invitation, the role of each argument, and the wording of an event's time."""

from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from butler.contract.arguments import Account
from butler.contract.records import ClosedRecord
from butler.contract.speech import phrase, say, say_clock, say_day, say_moment
from butler.contract.tools import Preview, ToolMetadata
from modules.email.args import Filled, Line, MailRecipients

_YEARS = range(1970, 2200)


class InviteResponse(StrEnum):
    """What somebody who is invited may say."""

    ACCEPT = "accept"
    TENTATIVE = "tentative"
    DECLINE = "decline"


def moment(text: str) -> date | None:
    """Return a day, a time with an offset, or a local time; None for an empty text. Raise `ValueError`."""
    if not text:
        return None
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def _moment(text: str) -> str:
    try:
        at = moment(text)
    except ValueError as error:
        raise ValueError(say("must be an ISO date, or an ISO date and time")) from error
    if at is not None and at.year not in _YEARS:
        raise ValueError(say("must lie between {first} and {last}", first=_YEARS.start, last=_YEARS.stop - 1))
    return text


Moment = Annotated[str, Field(max_length=40, json_schema_extra=Filled), AfterValidator(_moment)]


class AnswerInviteArgs(ClosedRecord):
    """An answer to the invitation in a mail, which goes to whoever invites.

    With `message_id`, a mail of the account, everything but `response` and `comment` is read from it before it is
    shown, and only what is shown is used. Without it, all that the invitation says is given. `attendee` is the
    invited address of the person's; `recurrence_id` is the one event of a series, empty for all of it.
    """

    response: InviteResponse = Field(description="What the owner says.", examples=["accept"])
    message_id: Line = Field(default="", description="The mail that invites.", examples=[{"handle": "mail-3"}])
    organizer: Annotated[MailRecipients, Field(max_length=1, json_schema_extra=Filled)] = ()
    attendee: Annotated[Line, Field(max_length=320, json_schema_extra=Filled)] = ""
    uid: Annotated[Line, Field(max_length=500, json_schema_extra=Filled)] = ""
    sequence: int = Field(default=0, ge=0, lt=2**31, json_schema_extra=Filled)
    recurrence_id: Moment = ""
    summary: Line = Field(default="", json_schema_extra=Filled)
    starts: Moment = ""
    ends: Moment = ""
    comment: str = Field(
        default="",
        max_length=5_000,
        description="Goes to who invites, only in the owner's words.",
        examples=["I will be a little late."],
    )
    account: Account = ""


_EFFECTS = {
    InviteResponse.ACCEPT: phrase("Accepts an invitation as you"),
    InviteResponse.TENTATIVE: phrase("Answers an invitation as you with maybe"),
    InviteResponse.DECLINE: phrase("Declines an invitation as you"),
}


def preview_answer(args: AnswerInviteArgs, zone: ZoneInfo) -> Preview:
    """Return the card fields of an answer; times are in the owner's time zone."""
    facts = (
        (say("Event"), args.summary),
        (say("When"), spoken(args.starts, args.ends, zone)),
        (say("Only the one"), spoken(args.recurrence_id, "", zone)),
        (say("You are invited as"), args.attendee),
        (say("To"), "" if args.organizer else say("whoever the mail says invites")),
    )
    return Preview(
        say(_EFFECTS[args.response]),
        args.organizer,
        body=args.comment,
        facts=tuple((label, value) for label, value in facts if value),
        told=("response", "message_id", "uid", "sequence", "recurrence_id", "starts", "ends"),
    )


def spoken(starts: str, ends: str, zone: ZoneInfo) -> str:
    """Return when an event takes place, in the owner's time zone; empty if unknown.

    A time without an offset is a local time, wherever somebody is. The end of whole days is the day after the last.
    """
    first, last = _bounds(starts, ends, zone)
    if first is None:
        return ""
    if not isinstance(first, datetime):
        if last is None:
            return say("{day}, all day", day=say_day(first))
        return say("{first} to {last}, all day", first=say_day(first), last=say_day(last))
    place = zone.key if first.tzinfo else say("local time")
    if not isinstance(last, datetime):
        return say("{moment} ({place})", moment=say_moment(first), place=place)
    until = say_clock(last) if last.date() == first.date() else say_moment(last)
    return say("{begins} to {ends} ({place})", begins=say_moment(first), ends=until, place=place)


def _bounds(starts: str, ends: str, zone: ZoneInfo) -> tuple[date | None, date | None]:
    """Return the first and last moment or day in the owner's time zone; the last is None if it equals the first."""
    first, end = moment(starts), moment(ends)
    if isinstance(first, datetime):
        last = _local(end, zone) if isinstance(end, datetime) and end != first else None
        return _local(first, zone), last
    if first is None or end is None or isinstance(end, datetime) or end - timedelta(days=1) <= first:
        return first, None
    return first, end - timedelta(days=1)


def _local(at: datetime, zone: ZoneInfo) -> datetime:
    return at if at.tzinfo is None else at.astimezone(zone)


INVITE_ROLES = ToolMetadata.of(
    recipient="organizer",
    content="summary starts ends comment",
    target="message_id uid sequence recurrence_id",
    option="response attendee account",
)
