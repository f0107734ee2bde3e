"""An account at Google that is followed: by polls, and where it is set so by Google's calls on top."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import ConfigError
from butler.contract.hooks import HookReceiver
from butler.contract.module import CheckResult, ModuleContext
from butler.contract.polling import Poll, PollingSource, source_name
from modules._accounts.google_channel_hook import ChannelHook, ToldAccount
from modules._accounts.google_channels import ChannelRepository, channel_check, provider_of
from modules._accounts.pushed import Pushed, pushed_source


@dataclass(frozen=True, slots=True)
class Manner:
    """What an account's settings say of how it is followed."""

    first: bool
    push: bool
    every_s: float
    pushed_every_s: float


class Followed:
    """One account: its source, and the channels by which Google calls."""

    def __init__(
        self,
        channel: str,
        account: str,
        poll: Poll,
        integration: BaseIntegration,
        context: ModuleContext,
        manner: Manner,
        *,
        methods: tuple[str, str],
        things: Callable[[], Awaitable[Sequence[str]]],
    ) -> None:
        """`channel` names the module and its webhook; `methods` open and close a channel of Google's.

        Raises `ConfigError` where Google is to call, and there is no address to call.
        """
        self._context = context
        if manner.push and not context.public_url.startswith("https://"):
            raise ConfigError(f"push in [modules.{channel}.user] needs public_url in [web], with https://")
        self.pushed = manner.push
        self._repository = ChannelRepository(
            f"{channel}.channels.{account}",
            provider_of(integration, methods, things),
            context.cursors,
            context.clock,
            address=f"{context.public_url}/hooks/{channel}" if manner.push else "",
        )
        self.source: PollingSource
        self._pushed: Pushed
        self.source, self._pushed = pushed_source(
            *(source_name(f"{channel}.user", account, first=manner.first), poll, self._repository, context.clock),
            every_s=manner.every_s,
            pushed_every_s=manner.pushed_every_s,
        )

    @property
    def told(self) -> ToldAccount:
        """What the webhook has to know of it."""
        return ToldAccount(self._repository, self.source.look_now)

    def signed_in(self) -> None:
        """The account may be another's now."""
        self._repository.begin_anew()
        self._pushed.tend()

    async def check(self, title: str) -> CheckResult | None:
        """The line of `butler doctor` on Google's calls; None where there are to be none."""
        return await channel_check(self._repository, title, self._context.clock)


def channel_hooks(name: str, accounts: Mapping[str, Followed]) -> Sequence[HookReceiver]:
    """The webhook of the accounts that Google calls for; none where there are none."""
    told = {account: one.told for account, one in accounts.items() if one.pushed}
    return (ChannelHook(name, told),) if told else ()
