"""Maps the Bot API's refusals to typed errors. It has no codes beyond HTTP's, so its texts are parsed, only here."""

from datetime import timedelta

from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.speech import phrase, say
from modules.telegram.request import NotSentError

WRONG_TOKEN = phrase(
    "Telegram does not accept the bot's token: put the one that @BotFather shows into {variable}, and start me again"
)


def is_unchanged(error: BadRequest) -> bool:
    """Return whether the refusal says that an edit would change nothing."""
    return "message is not modified" in error.message.lower()


_GONE = (
    "message to edit not found",
    "message can't be edited",
    "message to delete not found",
    "message can't be deleted",
    "message_id_invalid",
)


def is_gone(error: BadRequest) -> bool:
    """Return whether the refusal says that the message no longer exists, or must not be changed."""
    text = error.message.lower()
    return any(words in text for words in _GONE)


def is_late(error: BadRequest) -> bool:
    """Return whether the refusal says that the tap is too old to be answered."""
    text = error.message.lower()
    return "query is too old" in text or "query id is invalid" in text


def is_without_thread(error: BadRequest) -> bool:
    """Return whether the refusal says that the chat has no such topic, or no topics any more."""
    text = error.message.lower()
    return "message thread not found" in text or "chat is not a forum" in text


def is_webhook_set(error: Conflict) -> bool:
    """Return whether the refusal says that somebody has set a webhook, to which Telegram sends the updates."""
    return "webhook is active" in error.message.lower()


def fault_of(error: TelegramError, token_variable: str) -> IntegrationFault:  # noqa: PLR0911 - one per refusal
    """Return the typed error of a refusal or a lost connection."""
    match error:
        case RetryAfter():
            seconds = retry_after_s(error)
            return IntegrationFault(
                IntegrationErrorCode.RATE_LIMITED,
                say("Telegram asks to wait {seconds:.0f} s", seconds=seconds),
                http_status=429,
                retry_after_s=seconds,
            )
        case InvalidToken():
            return _fault(IntegrationErrorCode.AUTH_REQUIRED, say(WRONG_TOKEN, variable=token_variable), 401)
        case Forbidden():
            return _fault(IntegrationErrorCode.FORBIDDEN, error.message, 403)
        case Conflict():
            return _fault(IntegrationErrorCode.CONFLICT, error.message, 409)
        case ChatMigrated():
            return _fault(IntegrationErrorCode.NOT_FOUND, say("the group has become another chat"), 400)
        case BadRequest():
            absent = "chat not found" in error.message.lower()
            code = IntegrationErrorCode.NOT_FOUND if absent else IntegrationErrorCode.REJECTED
            return _fault(code, error.message, 400)
        case NotSentError():
            return _network(IntegrationErrorCode.UNAVAILABLE, error, Effect.NONE)
        case TimedOut():
            return _network(IntegrationErrorCode.TIMEOUT, error, None)
        case NetworkError():
            return _network(IntegrationErrorCode.UNAVAILABLE, error, None)
        case _:
            return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, say("Telegram's answer cannot be read"))


def retry_after_s(error: RetryAfter) -> float:
    """Return how long Telegram asks to wait, in seconds."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def _fault(code: IntegrationErrorCode, message: str, http_status: int) -> IntegrationFault:
    return IntegrationFault(code, message, http_status=http_status, provider_code=str(http_status))


def _network(code: IntegrationErrorCode, error: NetworkError, effect: Effect | None) -> IntegrationFault:
    # The text of a server's error page is not repeated: it may hold anything.
    kind = type(error).__name__
    return IntegrationFault(code, say("Telegram cannot be reached now ({error})", error=kind), effect=effect)
