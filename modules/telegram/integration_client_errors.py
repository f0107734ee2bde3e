# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# (Telethon builds its error classes without types.)
"""What Telethon's errors mean for a call made as the person."""

from telethon import errors

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault

SIGN_IN = "Telegram no longer accepts your session: run `butler login telegram` and start Butler again"

_SIGNED_OUT = (errors.UnauthorizedError, errors.AuthKeyError, errors.AuthKeyNotFound)
_WAITS = (errors.FloodWaitError, errors.FloodPremiumWaitError, errors.SlowModeWaitError)
_NOT_ALLOWED = (
    errors.ForbiddenError,
    errors.PeerFloodError,
    errors.UserIsBlockedError,
    errors.YouBlockedUserError,
    errors.UserBannedInChannelError,
)
_UNKNOWN_PEER = (
    errors.UsernameNotOccupiedError,
    errors.UsernameInvalidError,
    errors.PeerIdInvalidError,
    errors.InputUserDeactivatedError,
)


def fault_of(error: Exception, unclear: Effect) -> IntegrationFault:  # noqa: PLR0911 - one per kind of error
    """The typed error; `unclear` is what is known of the effect when the connection broke in between."""
    kind = type(error).__name__
    if isinstance(error, _SIGNED_OUT):
        return IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, SIGN_IN, provider_code=kind)
    if isinstance(error, _WAITS):
        return IntegrationFault(
            IntegrationErrorCode.RATE_LIMITED,
            f"Telegram asks you to wait {error.seconds} s",
            provider_code=kind,
            retry_after_s=float(error.seconds),
        )
    if isinstance(error, _NOT_ALLOWED):
        return IntegrationFault(
            IntegrationErrorCode.FORBIDDEN, f"Telegram does not let you write to this chat ({kind})", provider_code=kind
        )
    if isinstance(error, _UNKNOWN_PEER):
        return IntegrationFault(
            IntegrationErrorCode.NOT_FOUND, "nobody on Telegram has this name or id", provider_code=kind
        )
    if isinstance(error, TimeoutError):
        return IntegrationFault(IntegrationErrorCode.TIMEOUT, "Telegram did not answer in time", effect=unclear)
    if isinstance(error, OSError | errors.ServerError | errors.TimedOutError):
        return IntegrationFault(
            IntegrationErrorCode.UNAVAILABLE, f"Telegram cannot be reached now ({kind})", effect=unclear
        )
    if isinstance(error, errors.RPCError):
        return IntegrationFault(
            IntegrationErrorCode.REJECTED, f"Telegram refused the request ({kind})", provider_code=kind
        )
    return IntegrationFault(
        IntegrationErrorCode.INTERNAL, f"the connection to Telegram failed ({kind})", effect=unclear
    )
