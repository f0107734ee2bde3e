"""Answers others' invitations as the owner: an iTIP REPLY (RFC 5546, 6047) to the organizer.

It leaves as any mail of the owner's does, through the account's own sending. Only what was shown of the invitation is
used.
"""

from zoneinfo import ZoneInfo

from butler.contract.calendar_events import EventStatus, standing_of
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, IntegrationFault, Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.speech import english, phrase, say
from butler.contract.tools import Preview, Recipient, ToolCall
from modules.email.invite_args import AnswerInviteArgs, InviteResponse, preview_answer, spoken
from modules.email.invite_reply import itip_reply
from modules.email.parsing.parsed import Event
from modules.email.replying import OwnAddresses
from modules.email.smtp.compose import LONGEST_SUBJECT, Draft
from modules.email.user_side import UserMailboxes
from modules.email.views import ToolFailedError

_WORDS = {
    InviteResponse.ACCEPT: ("Accepted", "accept"),
    InviteResponse.TENTATIVE: ("Tentative", "tentatively accept"),
    InviteResponse.DECLINE: ("Declined", "decline"),
}
_EVENT = phrase("this mail holds an event, but asks for no answer")
_NO_QUESTION = {
    EventStatus.CANCELLED: phrase("this mail says that the event is cancelled; there is nothing to answer"),
    EventStatus.ANNOUNCED: phrase("this mail only announces the event; it asks for no answer"),
    EventStatus.ADDED: phrase("this mail adds to a series; answer it in your calendar"),
    EventStatus.ANSWERED: phrase("this mail is somebody's answer to an invitation, and invites nobody"),
    EventStatus.COUNTERED: phrase("this mail proposes to change an event; answer it in your calendar"),
    EventStatus.COUNTER_DECLINED: phrase("this mail declines a proposal of yours; there is nothing to answer"),
    EventStatus.REFRESHED: phrase("this mail asks for an invitation to be sent again; it invites nobody"),
    EventStatus.UNKNOWN: phrase("it is not clear whether this event takes place, so it is not answered"),
}
_LONGEST_ZONE = 100
_UNKNOWN = phrase("it is not known which invitation is answered; name the mail with it")


class InviteAnswers:
    """The handlers of the answering tool."""

    def __init__(self, mailboxes: UserMailboxes, context: ModuleContext) -> None:
        self._mailboxes, self._context = mailboxes, context

    def preview(self, args: AnswerInviteArgs) -> Preview:
        return preview_answer(args, self._context.zone)

    async def complete(self, call: ToolCall) -> IntegrationResult:
        """Return the invitation's content, and the owner's invited address, as arguments."""
        args: AnswerInviteArgs = call.args
        mailbox = self._mailboxes.of(call)
        try:
            own = await mailbox.addresses(call)
            _check_known(args)
            if args.uid:
                return IntegrationResult(ok=True, data={"attendee": own.primary.address})
            mail = (await mailbox.original(call, args.message_id)).read.mail
            return IntegrationResult(ok=True, data=_as_arguments(_invitation(mail.event, own), own))
        except ToolFailedError as failure:
            return failure.result
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)

    async def answer(self, call: ToolCall) -> IntegrationResult:
        args: AnswerInviteArgs = call.args
        mailbox = self._mailboxes.of(call)
        try:
            own = await mailbox.addresses(call)
            draft = self._draft(call, args, own)
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        return await mailbox.sending.dispatch(call, draft)

    def _draft(self, call: ToolCall, args: AnswerInviteArgs, own: OwnAddresses) -> Draft:
        if not args.organizer or not args.uid:
            raise Refuse(say(_UNKNOWN))
        if not own.hold(args.attendee):
            raise Refuse(
                say(
                    "{address} is none of your addresses, so it cannot answer for you",
                    address=args.attendee or say("nobody"),
                )
            )
        sender = own.sending(args.attendee) or own.primary
        now = self._context.clock.now()
        return Draft(
            sender=sender.address,
            sender_name=sender.name,
            token=call.token or call.call_id,
            date=now.astimezone(self._context.zone),
            to=args.organizer,
            subject=f"{_WORDS[args.response][0]}: {args.summary or 'your invitation'}"[:LONGEST_SUBJECT].rstrip(),
            body=_sentence(args, self._context.zone),
            calendar=itip_reply(args, now),
            mark="user",
        )


def _check_known(args: AnswerInviteArgs) -> None:
    """Check that the mail or the arguments name the invitation. Raise `Refuse`."""
    if not (args.uid and args.organizer) and (args.uid or not args.message_id):
        raise Refuse(say(_UNKNOWN))


def _invitation(event: Event | None, own: OwnAddresses) -> Event:
    """Return the event if somebody else invites the owner to it. Raise `Refuse`."""
    if event is None:
        raise Refuse(say("this mail holds no invitation that can be read"))
    standing = standing_of(event.method, event.status)
    if standing is not EventStatus.ASKS:
        raise Refuse(say(_NO_QUESTION.get(standing, _EVENT)))
    if event.organizer is None or not event.uid:
        raise Refuse(say("the invitation does not say who invites to what, so it cannot be answered"))
    if event.unknown_zone:
        raise Refuse(
            say(
                "the invitation is in a time zone that is not known ({zone}), so it is not clear when it is; "
                "answer it in your calendar",
                zone=event.unknown_zone[:_LONGEST_ZONE],
            )
        )
    if not event.starts:
        raise Refuse(say("the invitation does not say when it is; answer it in your calendar"))
    if event.following:
        raise Refuse(say("the invitation is about a part of a series; answer it in your calendar"))
    if own.hold(event.organizer.address):
        raise Refuse(say("you invite to this event yourself; there is nobody to answer"))
    return event


def _as_arguments(event: Event, own: OwnAddresses) -> dict[str, object]:
    invited = next((person.address for person in event.attendees if own.hold(person.address)), own.primary.address)
    organizer = event.organizer
    return {
        # The invitation's author chose the name, and a name on a card must be the owner's word.
        "organizer": [Recipient(address=f"mail:{organizer.address}").model_dump()] if organizer else [],
        "attendee": invited,
        "uid": event.uid,
        "sequence": event.sequence,
        "recurrence_id": event.recurrence_id,
        "summary": "".join(char for char in event.summary if char.isprintable())[:900],
        "starts": event.starts,
        "ends": event.ends,
    }


def _sentence(args: AnswerInviteArgs, zone: ZoneInfo) -> str:
    what = f' "{args.summary}"' if args.summary else ""
    # The organizer need not know the owner's language.
    with english():
        when = spoken(args.recurrence_id or args.starts, "" if args.recurrence_id else args.ends, zone)
    text = f"{args.attendee}: I {_WORDS[args.response][1]} your invitation{what}{f', {when}' if when else ''}."
    return f"{text}\n\n{args.comment}" if args.comment else text
