"""Follows a Google account: by polls and, where configured, by Google's notifications."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import ConfigError
from butler.contract.hooks import HookReceiver
from butler.contract.module import CheckResult, ModuleContext
from butler.contract.polling import Poll, PollingSource, source_name
from modules._accounts.google_channel_hook import ChannelHook, WatchedAccount
from modules._accounts.google_channels import ChannelRepository, channel_check, provider_of
from modules._accounts.pushed_poll import PushedPoll, pushed_source


@dataclass(frozen=True, slots=True)
class FollowSettings:
    """How an account is followed, from its settings."""

    first: bool
    push: bool
    every_s: float
    pushed_every_s: float


class FollowedAccount:
    """One account: its source, and its notification channels."""

    def __init__(
        self,
        channel: str,
        account: str,
        poll: Poll,
        integration: BaseIntegration,
        context: ModuleContext,
        manner: FollowSettings,
        *,
        methods: tuple[str, str],
        things: Callable[[], Awaitable[Sequence[str]]],
    ) -> None:
        """`channel` names the module and its webhook; `methods` open and close Google's channels.

        Raise `ConfigError` if notifications are on, but there is no address to call.
        """
        self._context = context
        if manner.push and not context.public_url.startswith("https://"):
            raise ConfigError(f"push in [modules.{channel}.user] needs public_url in [web], with https://")
        self.pushed = manner.push
        self._repository = ChannelRepository(
            f"{channel}.channels.{account}",
            provider_of(integration, methods, things),
            context.storage.cursors,
            context.clock,
            address=f"{context.public_url}/hooks/{channel}" if manner.push else "",
        )
        self.source: PollingSource
        self._pushed: PushedPoll
        self.source, self._pushed = pushed_source(
            *(source_name(f"{channel}.user", account, first=manner.first), poll, self._repository, context.clock),
            every_s=manner.every_s,
            pushed_every_s=manner.pushed_every_s,
        )

    @property
    def told(self) -> WatchedAccount:
        """Return what the webhook needs to know of the account."""
        return WatchedAccount(self._repository, self.source.look_now)

    def signed_in(self) -> None:
        """Reopen the channels: the account may be another's now."""
        self._repository.reopen()
        self._pushed.tend()

    async def check(self, title: str) -> CheckResult | None:
        """Return the line of `butler doctor` on notifications; None if they are off."""
        return await channel_check(self._repository, title, self._context.clock)


def channel_hooks(name: str, accounts: Mapping[str, FollowedAccount]) -> Sequence[HookReceiver]:
    """Return the webhook of the accounts with notifications; none if there are none."""
    data = {account: one.told for account, one in accounts.items() if one.pushed}
    return (ChannelHook(name, data),) if data else ()
