# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# (Telethon builds its error classes without types.)
"""Maps Telegram's errors in the owner's calls to a code and a one-sentence message."""

from telethon import errors
from telethon.errors.rpcerrorlist import rpc_errors_dict

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.speech import phrase, say

LOGIN = "butler login telegram"

_FORBIDDEN, _NOT_FOUND = IntegrationErrorCode.FORBIDDEN, IntegrationErrorCode.NOT_FOUND
_REJECTED, _INVALID = IntegrationErrorCode.REJECTED, IntegrationErrorCode.INVALID_INPUT

_MEANINGS: dict[str, tuple[IntegrationErrorCode, str]] = {
    "CHAT_WRITE_FORBIDDEN": (_FORBIDDEN, phrase("you may not write in this chat")),
    "CHAT_ADMIN_REQUIRED": (_FORBIDDEN, phrase("only its administrators may do this in this chat")),
    "CHAT_RESTRICTED": (_FORBIDDEN, phrase("Telegram has restricted this chat")),
    "CHAT_FORBIDDEN": (_FORBIDDEN, phrase("you are no longer in this chat")),
    "CHAT_GUEST_SEND_FORBIDDEN": (_FORBIDDEN, phrase("join this chat first: it takes messages of its members only")),
    "CHAT_SEND_PLAIN_FORBIDDEN": (_FORBIDDEN, phrase("this chat takes no text messages of yours")),
    "CHAT_SEND_MEDIA_FORBIDDEN": (_FORBIDDEN, phrase("this chat takes no files of yours")),
    "CHAT_SEND_PHOTOS_FORBIDDEN": (_FORBIDDEN, phrase("this chat takes no photos of yours")),
    "CHAT_SEND_VIDEOS_FORBIDDEN": (_FORBIDDEN, phrase("this chat takes no videos of yours")),
    "CHAT_SEND_VOICES_FORBIDDEN": (_FORBIDDEN, phrase("this chat takes no voice messages of yours")),
    "CHAT_SEND_DOCS_FORBIDDEN": (_FORBIDDEN, phrase("this chat takes no files of yours")),
    "CHAT_FORWARDS_RESTRICTED": (_FORBIDDEN, phrase("this chat does not let its content out")),
    "CHANNEL_PRIVATE": (_FORBIDDEN, phrase("this chat is private, or you were banned from it")),
    "CHANNEL_BANNED": (_FORBIDDEN, phrase("Telegram has closed this chat")),
    "USER_BANNED_IN_CHANNEL": (_FORBIDDEN, phrase("Telegram has restricted you from writing in public groups")),
    "USER_RESTRICTED": (_FORBIDDEN, phrase("Telegram has restricted your account")),
    "FROZEN_METHOD_INVALID": (_FORBIDDEN, phrase("Telegram has frozen your account: look into the Telegram app")),
    "PEER_FLOOD": (
        _FORBIDDEN,
        phrase("Telegram takes your account for a spammer for now: write to @SpamBot from the app"),
    ),
    "USER_IS_BLOCKED": (_FORBIDDEN, phrase("this person has blocked you")),
    "YOU_BLOCKED_USER": (_FORBIDDEN, phrase("you have blocked this person: unblock them in the app first")),
    "USER_PRIVACY_RESTRICTED": (_FORBIDDEN, phrase("this person's privacy settings do not let you write to them")),
    "PRIVACY_PREMIUM_REQUIRED": (
        _FORBIDDEN,
        phrase("this person takes messages of strangers with Telegram Premium only"),
    ),
    "PREMIUM_ACCOUNT_REQUIRED": (_FORBIDDEN, phrase("this needs Telegram Premium")),
    "ALLOW_PAYMENT_REQUIRED": (_FORBIDDEN, phrase("this person takes paid messages only, and Butler pays for none")),
    "TOPIC_CLOSED": (_FORBIDDEN, phrase("this topic is closed")),
    "MESSAGE_AUTHOR_REQUIRED": (_FORBIDDEN, phrase("only your own messages can be changed")),
    "MESSAGE_DELETE_FORBIDDEN": (_FORBIDDEN, phrase("you may not delete this message")),
    "MESSAGE_EDIT_TIME_EXPIRED": (_REJECTED, phrase("the message is too old to be changed")),
    "MESSAGE_ID_INVALID": (_NOT_FOUND, phrase("this chat has no such message")),
    "MSG_ID_INVALID": (_NOT_FOUND, phrase("this chat has no such message")),
    "REPLY_MESSAGE_ID_INVALID": (_NOT_FOUND, phrase("the message to be answered is gone")),
    "TOPIC_DELETED": (_NOT_FOUND, phrase("this topic is gone")),
    "USERNAME_NOT_OCCUPIED": (_NOT_FOUND, phrase("nobody on Telegram has this name")),
    "USERNAME_INVALID": (_NOT_FOUND, phrase("nobody on Telegram has this name")),
    "PEER_ID_INVALID": (_NOT_FOUND, phrase("nobody on Telegram has this id")),
    "USER_ID_INVALID": (_NOT_FOUND, phrase("nobody on Telegram has this id")),
    "CHAT_ID_INVALID": (_NOT_FOUND, phrase("there is no such chat")),
    "CHANNEL_INVALID": (_NOT_FOUND, phrase("there is no such chat")),
    "INPUT_USER_DEACTIVATED": (_NOT_FOUND, phrase("this person has deleted their account")),
    "USER_DELETED": (_NOT_FOUND, phrase("this person has deleted their account")),
    "FILE_REFERENCE_EXPIRED": (_NOT_FOUND, phrase("Telegram no longer has this file: open the message in the app")),
    "FILE_ID_INVALID": (_NOT_FOUND, phrase("Telegram no longer has this file")),
    "LOCATION_INVALID": (_NOT_FOUND, phrase("Telegram no longer has this file")),
    "MESSAGE_TOO_LONG": (_INVALID, phrase("the text is too long for one message")),
    "MEDIA_CAPTION_TOO_LONG": (_INVALID, phrase("the text is too long to stand under a file")),
    "MESSAGE_EMPTY": (_INVALID, phrase("a message needs a text")),
    "FILE_PARTS_INVALID": (_INVALID, phrase("the file is too big for Telegram")),
    "FILE_PART_TOO_BIG": (_INVALID, phrase("the file is too big for Telegram")),
    "MULTI_MEDIA_TOO_LONG": (_INVALID, phrase("an album holds ten files at most")),
    "MEDIA_EMPTY": (_REJECTED, phrase("Telegram does not take this file")),
    "MEDIA_INVALID": (_REJECTED, phrase("Telegram does not take this file")),
    "SLOWMODE_MULTI_MSGS_DISABLED": (_REJECTED, phrase("this chat is in slow mode and takes one file at a time")),
}
"""By Telegram's own error name, as its documentation lists them."""

_NAMES: dict[type[Exception], str] = {kind: name for name, kind in rpc_errors_dict.items()}
_SIGNED_OUT = (errors.UnauthorizedError, errors.AuthKeyDuplicatedError, errors.AuthKeyNotFound)
_WAITS = (errors.FloodWaitError, errors.FloodPremiumWaitError, errors.SlowModeWaitError)


def sign_in(message: str, provider_code: str = "") -> IntegrationFault:
    """Return the fault of a session that only the owner can renew, by signing in."""
    return IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, message, provider_code=provider_code)


def fault_of(error: Exception, unclear: Effect, login: str = LOGIN) -> IntegrationFault:  # noqa: PLR0911 - one per kind
    """Return the typed error; `unclear` is what is known of the effect if the connection broke during the call."""
    name = telegram_name(error)
    if isinstance(error, _SIGNED_OUT):
        return sign_in(say("{why}: run `{command}`", why=_why_signed_out(error), command=login), name)
    if isinstance(error, _WAITS):
        return _wait(error, name)
    if name in _MEANINGS:
        code, message = _MEANINGS[name]
        return IntegrationFault(code, say(message), provider_code=name)
    if isinstance(error, errors.ForbiddenError):
        return IntegrationFault(
            _FORBIDDEN, say("Telegram does not let you do this here ({error})", error=name), provider_code=name
        )
    if isinstance(error, TimeoutError):
        return IntegrationFault(IntegrationErrorCode.TIMEOUT, say("Telegram did not answer in time"), effect=unclear)
    if isinstance(error, OSError | errors.ServerError | errors.TimedOutError):
        return IntegrationFault(
            IntegrationErrorCode.UNAVAILABLE,
            say("Telegram cannot be reached now ({error})", error=name),
            effect=unclear,
        )
    if isinstance(error, errors.RPCError):
        return IntegrationFault(
            _REJECTED, say("Telegram refused the request ({error})", error=name), provider_code=name
        )
    return IntegrationFault(
        IntegrationErrorCode.INTERNAL, say("the connection to Telegram failed ({error})", error=name), effect=unclear
    )


def telegram_name(error: Exception) -> str:
    """Return Telegram's own name of an error, such as `PEER_FLOOD`; the class name of any other exception.

    An error that Telethon does not know has its name in its message.
    """
    if isinstance(error, errors.RPCError):
        return _NAMES.get(type(error)) or error.message or type(error).__name__
    return type(error).__name__


def _why_signed_out(error: Exception) -> str:
    if isinstance(error, errors.AuthKeyDuplicatedError):
        return say("your session was used from two places at once, so Telegram ended it")
    if isinstance(error, errors.UserDeactivatedError | errors.UserDeactivatedBanError):
        return say("Telegram has deleted or banned this account, so its session is of no use")
    return say("Telegram no longer accepts your session")


def _wait(error: Exception, name: str) -> IntegrationFault:
    seconds: int = error.seconds
    slow = isinstance(error, errors.SlowModeWaitError)
    message = (
        say("this chat is in slow mode: wait {seconds} s", seconds=seconds)
        if slow
        else say("Telegram asks you to wait {seconds} s", seconds=seconds)
    )
    return IntegrationFault(
        IntegrationErrorCode.RATE_LIMITED, message, provider_code=name, retry_after_s=float(seconds)
    )
