"""Receives calls by which Google Calendar and Drive report that something changed; they carry no content."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from butler.contract.errors import Refuse
from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from modules._accounts.google_channels import ChannelRepository

ID, TOKEN, RESOURCE = "x-goog-channel-id", "x-goog-channel-token", "x-goog-resource-id"
STATE, NUMBER = "x-goog-resource-state", "x-goog-message-number"
GREETING = "sync"
_LONGEST_NUMBER = 20


@dataclass(frozen=True, slots=True)
class WatchedAccount:
    """An account that Google reports on: its channels, and how to poll it now."""

    repository: ChannelRepository
    look_now: Callable[[], None]


class ChannelHook:
    """Implements `HookReceiver` for all accounts of one module. The channel's token identifies the caller.

    The order of calls does not matter: each only triggers a poll.
    """

    methods = frozenset({"POST"})
    largest = 64 * 1024
    per_minute = 600

    def __init__(self, name: str, accounts: Mapping[str, WatchedAccount]) -> None:
        self.name, self._accounts = name, accounts

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        data = request.headers
        channel_id, number, state = data.get(ID, ""), data.get(NUMBER, ""), data.get(STATE, "")
        if not channel_id or not state or not (number.isdecimal() and len(number) <= _LONGEST_NUMBER):
            raise HookRefusedError(400, "this is no call of a channel")
        for name, account in self._accounts.items():
            channel = await account.repository.known(channel_id, data.get(TOKEN, ""))
            if channel is None:
                continue
            if channel.resource and channel.resource != data.get(RESOURCE, ""):
                raise HookRefusedError(403, "the channel is of another resource")
            kept = json.dumps({"account": name, "state": state[:20]}).encode()
            return AdmittedRequest(key=f"{channel_id}:{number}", body=kept, keep=state != GREETING)
        raise HookRefusedError(403, "there is no such channel, or its token is another")

    async def act(self, hook: StoredHook) -> None:
        name = str(json.loads(hook.body)["account"])
        account = self._accounts.get(name)
        if account is None:
            raise Refuse(f"there is no account {name} that is told of any more")
        account.look_now()
