"""Turns a tool call of the owner's account into a provider call of the account that it names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import ONCE, IntegrationCall, IntegrationResult, Json, RetryPolicy
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.telegram.address import MessageAddress
from modules.telegram.user_limits import READS, TIMEOUT_MS

if TYPE_CHECKING:
    from modules.telegram.user_account import UserAccount


class Accounts:
    """The owner's accounts, the default one first."""

    def __init__(self, accounts: "Sequence[UserAccount]") -> None:
        self._by_name = {account.name: account for account in accounts}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def of(self, call: ToolCall) -> "UserAccount":
        """Return the account of a call; a call outside of the registry may name none."""
        return self._by_name[call.account or self.names[0]]

    def message_id(self, account: "UserAccount", chat: str, number: int) -> str:
        """Return a message's id for tools, with its account if there is more than one."""
        chat_id = int(chat.partition(":")[2])
        return str(MessageAddress(number, chat_id, account.name if len(self._by_name) > 1 else ""))

    def numbers(self, call: ToolCall, message_ids: Sequence[str]) -> list[int] | IntegrationResult:
        """Return the messages' numbers; a failure if one belongs to another account, where it means another message."""
        places = [MessageAddress.parse(message_id) for message_id in message_ids]
        name = self.of(call).name
        if other := next((place.account for place in places if place.account not in {"", name}), ""):
            message = say(
                "this message is one of the account {other!r}, and cannot be reached through {name!r}",
                other=other,
                name=name,
            )
            return failed(IntegrationErrorCode.INVALID_INPUT, message)
        return [place.number for place in places]


def reads(call: ToolCall, method_id: str, args: Json, timeout_ms: int = TIMEOUT_MS) -> IntegrationCall:
    """Return a provider call without an effect."""
    return _provider_call(call, method_id, args, READS, timeout_ms)


def acts(call: ToolCall, method_id: str, args: Json, timeout_ms: int = TIMEOUT_MS) -> IntegrationCall:
    """Return a provider call with an effect, which is made once."""
    return _provider_call(call, method_id, args, ONCE, timeout_ms)


def _provider_call(
    call: ToolCall, method_id: str, args: Json, retry_policy: RetryPolicy, timeout_ms: int
) -> IntegrationCall:
    return IntegrationCall(
        trace_id=call.trace_id,
        method_id=method_id,
        args=args,
        timeout_ms=timeout_ms,
        retry_policy=retry_policy,
        dry_run=call.dry_run,
        token=call.token or None,
        progress=call.progress,
    )
