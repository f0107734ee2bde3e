"""Passes a sign-in on the command line to a running daemon: a work row, and its handler."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.contract.module import Module
from butler.contract.names import Identity
from butler.contract.speech import say
from butler.owner_alerts import OwnerAlerts
from butler.registry import Registry
from butler.store.queries import audit, work
from butler.supervisor import Supervisor

SIGNED_IN = "signed_in"
"""The work kind; its subject is `channel:account:moment`."""


def announce(connection: sa.Connection, channel: str, account: str, now: datetime, *, tell: bool = True) -> None:
    """Record that an account was signed in, and `tell` a running daemon to continue with it."""
    audit.append(connection, "signed_in", f"{channel}:{account}", "command line", {}, now)
    if tell:
        work.add(connection, SIGNED_IN, f"{channel}:{account}:{now.isoformat()}", lane=SIGNED_IN, now=now)


@dataclass(frozen=True, slots=True)
class SignIns:
    """Handles a sign-in in the daemon: the account continues without a restart."""

    modules: Sequence[Module]
    registry: Registry
    supervisor: Supervisor
    troubles: OwnerAlerts

    async def signed_in(self, subject: str) -> None:
        """Drop the old credentials, start what had stopped over them, and tell the owner once (a work handler)."""
        channel, account, moment = subject.split(":", 2)
        module = next((module for module in self.modules if module.channel == channel), None)
        key, names = f"{SIGNED_IN}:{subject}", {"channel": channel.capitalize(), "account": account}
        if module is None or not self._knows(channel, account):
            text = say(
                "{channel}: the account “{account}” is signed in; restart me, so that I read its settings", **names
            )
            await self.troubles.tell(key, text, "🔑")
            return
        await module.signed_in()
        self.supervisor.again(channel, moment)
        text = say("{channel}: the account “{account}” is signed in, and I go on with it", **names)
        await self.troubles.tell(key, text, "🔑")

    def _knows(self, channel: str, account: str) -> bool:
        """Return whether some tool of the running daemon acts through this account."""
        tools = (tool for tool in self.registry.specs() if tool.channel == channel and tool.identity is Identity.USER)
        return any(account in tool.accounts for tool in tools)
