# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# (Telethon's TL classes carry no complete types.)
"""Describes service messages: what somebody did in a chat besides writing. Names in them are untrusted data."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from telethon import types

Named = Callable[[int], str]
"""Returns the name for a marked id."""

_MISSED = types.PhoneCallDiscardReasonMissed, types.PhoneCallDiscardReasonBusy


def service_text(action: Any, sender: int, named: Named) -> str:  # noqa: PLR0911 - one per kind of action
    """Return what was done; `sender` is the marked id of who did it."""
    match action:
        case types.MessageActionChatAddUser():
            return "joined" if list(action.users) == [sender] else f"added {_all(action.users, named)}"
        case types.MessageActionChatDeleteUser():
            return "left" if action.user_id == sender else f"removed {named(action.user_id)}"
        case types.MessageActionPhoneCall():
            return _call(action)
        case types.MessageActionGroupCall():
            return f"ended a call after {_span(action.duration)}" if action.duration else "started a call"
        case types.MessageActionInviteToGroupCall():
            return f"invited {_all(action.users, named)} to a call"
        case types.MessageActionTopicEdit():
            return _topic(action)
        case types.MessageActionSetMessagesTTL():
            return f"set messages to disappear after {_span(action.period)}" if action.period else _KEPT
        case _:
            say = _PHRASES.get(type(action))
            kind = type(action).__name__.removeprefix("MessageAction")
            return say(action) if say else f"did something that has no words here ({kind})"


_KEPT = "set messages not to disappear"

_PHRASES: dict[type[Any], Callable[[Any], str]] = {
    types.MessageActionChatCreate: lambda action: f"created the group “{action.title}”",
    types.MessageActionChannelCreate: lambda action: f"created “{action.title}”",
    types.MessageActionChatEditTitle: lambda action: f"renamed the chat to “{action.title}”",
    types.MessageActionChatEditPhoto: lambda _: "changed the chat's picture",
    types.MessageActionChatDeletePhoto: lambda _: "removed the chat's picture",
    types.MessageActionChatJoinedByLink: lambda _: "joined by a link",
    types.MessageActionChatJoinedByRequest: lambda _: "asked to join and was let in",
    types.MessageActionChatMigrateTo: lambda _: "made the group a supergroup, in which it goes on",
    types.MessageActionChannelMigrateFrom: lambda action: f"made the group “{action.title}” this supergroup",
    types.MessageActionPinMessage: lambda _: "pinned a message",
    types.MessageActionHistoryClear: lambda _: "cleared the history",
    types.MessageActionScreenshotTaken: lambda _: "took a screenshot",
    types.MessageActionContactSignUp: lambda _: "joined Telegram",
    types.MessageActionTopicCreate: lambda action: f"opened the topic “{action.title}”",
    types.MessageActionGroupCallScheduled: lambda action: (
        f"scheduled a call for {action.schedule_date:%Y-%m-%d %H:%M %Z}"
    ),
    types.MessageActionCustomAction: lambda action: action.message,
}


def _all(users: list[int], named: Named) -> str:
    return ", ".join(named(user) for user in users)


def _call(action: Any) -> str:
    kind = "a video call" if action.video else "a call"
    if isinstance(action.reason, _MISSED):
        return f"{kind} that was not answered"
    return f"{kind} of {_span(action.duration)}" if action.duration else kind


def _topic(action: Any) -> str:
    if action.title:
        return f"renamed the topic to “{action.title}”"
    if action.closed is not None:
        return "closed the topic" if action.closed else "opened the topic again"
    return "changed the topic"


def _span(seconds: int | None) -> str:
    return str(timedelta(seconds=seconds or 0))
