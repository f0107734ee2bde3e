"""The feed's provider calls, each with its record; a failed call raises."""

from typing import TypeVar

from pydantic import BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationError
from modules.telegram.feed_records import (
    FEED_CHANNEL,
    FEED_DIALOGS,
    FEED_DIALOGS_OF,
    FEED_DIFFERENCE,
    FEED_HISTORY,
    FEED_MUTES,
    FEED_STATE,
    Ask,
    AskChannel,
    AskDialogs,
    AskDialogsOf,
    AskDifference,
    AskHistory,
    ChannelDifference,
    DialogsPage,
    Difference,
    HistoryPage,
    Mutes,
    State,
)

Answer = TypeVar("Answer", State, Mutes, Difference, ChannelDifference, DialogsPage, HistoryPage)

TIMEOUT_MS = 30_000
_MAY_PASS = frozenset(
    {
        IntegrationErrorCode.AUTH_REQUIRED,
        IntegrationErrorCode.RATE_LIMITED,
        IntegrationErrorCode.TIMEOUT,
        IntegrationErrorCode.UNAVAILABLE,
    }
)
_UNKNOWN_STANDING = frozenset({"PERSISTENT_TIMESTAMP_INVALID", "PERSISTENT_TIMESTAMP_EMPTY", "DATE_EMPTY"})
_SHUT_OUT = frozenset({"CHANNEL_PRIVATE", "CHANNEL_INVALID", "CHANNEL_BANNED", "CHAT_FORBIDDEN"})


class CallFailedError(Exception):
    """A provider call of the feed failed."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error

    @property
    def concerns_the_chat(self) -> bool:
        """Return whether the error concerns the chat, and not the connection, the session or the rate."""
        return self.error.code not in _MAY_PASS

    @property
    def standing_unknown(self) -> bool:
        """Return whether Telegram does not know the `pts` from which it was asked."""
        return self.error.provider_code in _UNKNOWN_STANDING

    @property
    def shut_out(self) -> bool:
        """Return whether the account is no longer in the chat."""
        return self.error.provider_code in _SHUT_OUT


class AnotherAccountError(Exception):
    """The session belongs to another Telegram account than the stored data."""


class FeedCalls:
    """Makes the feed's calls. Raises `CallFailedError`, or `AnotherAccountError` if not `user_id`'s account answers."""

    def __init__(self, api: BaseIntegration, name: str) -> None:
        self._api = api
        self._name = name
        self.user_id: int | None = None
        """The account that must answer; None: any."""

    async def state(self) -> State:
        return await self._call(FEED_STATE, Ask(), State)

    async def difference(self, ask: AskDifference) -> Difference:
        return await self._call(FEED_DIFFERENCE, ask, Difference)

    async def channel(self, ask: AskChannel) -> ChannelDifference:
        return await self._call(FEED_CHANNEL, ask, ChannelDifference)

    async def mutes(self) -> Mutes:
        return await self._call(FEED_MUTES, Ask(), Mutes)

    async def dialogs(self, ask: AskDialogs) -> DialogsPage:
        return await self._call(FEED_DIALOGS, ask, DialogsPage)

    async def dialogs_of(self, ask: AskDialogsOf) -> DialogsPage:
        return await self._call(FEED_DIALOGS_OF, ask, DialogsPage)

    async def history(self, ask: AskHistory) -> HistoryPage:
        return await self._call(FEED_HISTORY, ask, HistoryPage)

    async def _call(self, method_id: str, ask: BaseModel, answer: type[Answer]) -> Answer:
        result = await self._api.request(self._name, method_id, ask.model_dump(), timeout_ms=TIMEOUT_MS)
        if result.error is not None:
            raise CallFailedError(result.error)
        read = answer.model_validate(result.data)
        if self.user_id not in {None, read.user_id}:
            raise AnotherAccountError
        return read
