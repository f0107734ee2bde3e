"""Ranks the senders of the inbox by their number of mails, counted in the mirror, for cleaning it up.

The provider is not asked, so the answer says how many mails are known, and since when.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.mirror import Mirror, SeenMessage, SenderCount
from butler.contract.speech import say, say_number
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec, input_tool
from modules.email.args import OfAccount
from modules.email.bulk_args import Category
from modules.email.gmail.mapper import CHANNEL

NAME = "user_email_rank_senders"
INBOX, PROMOTIONS = "INBOX", f"CATEGORY_{Category.PROMOTIONS.upper()}"
LEAVES_LIST = re.compile(
    r"\b(?:unsubscribe|abbestellen|abmelden|d[ée]sabonner|d[ée]sinscri\w+|darse de baja|desuscrib\w+)\b",
    re.IGNORECASE,
)
"""Phrases at the end of mailing lists' mails, in the supported languages."""
MOST_COMPARED = 60
"""The number of top senders among which newsletters are searched for."""


class RankSendersArgs(OfAccount):
    """Who sent most of what lies in the inbox, newsletters first; at most `limit` senders."""

    limit: int = Field(default=8, ge=1, le=20, description="How many at most.", examples=[5])


class SenderRanks:
    """Ranks the senders of an account's inbox."""

    def __init__(self, mirror: Mirror, accounts: tuple[str, ...]) -> None:
        """`accounts` holds the accounts' names, the default one first."""
        self._mirror, self._accounts = mirror, accounts

    def spec(self) -> ToolSpec:
        """Return the tool."""
        return input_tool(
            NAME,
            "Count who sends the person most mail.",
            RankSendersArgs,
            self.rank,
            _preview,
            self._accounts,
            facts=("known", "since", "senders.0.address", "senders.0.count", "senders.0.unread", "senders.0.newest"),
        )

    async def rank(self, call: ToolCall) -> IntegrationResult:
        """Answer `RankSendersArgs`. `known` counts all mirrored mails of the inbox, and `since` is the oldest.

        The answer names the account if there are several.
        """
        args: RankSendersArgs = call.args
        account = call.account or self._accounts[0]
        found = await self._mirror.ranking(CHANNEL, account, INBOX, MOST_COMPARED)
        if not found.senders or found.since is None:
            return failed(IntegrationErrorCode.NOT_FOUND, say("I know no mails of this inbox yet"))
        newsletters = [one for one in found.senders if _is_newsletter(one.newest)]
        others = [one for one in found.senders if one not in newsletters]
        rows = [_row(one, newsletter=one in newsletters) for one in (*newsletters, *others)[: args.limit]]
        data = {"senders": rows, "known": found.known, "since": found.since.isoformat()}
        several = {"account": account} if len(self._accounts) > 1 else {}
        return IntegrationResult(ok=True, data=data | several)


def rank_roles() -> Mapping[str, ToolMetadata]:
    """Return the roles of the tool's arguments."""
    return {NAME: ToolMetadata.of(option="limit account")}


def _is_newsletter(newest: SeenMessage) -> bool:
    return PROMOTIONS in newest.labels or LEAVES_LIST.search(newest.text) is not None


def _row(one: SenderCount, *, newsletter: bool) -> dict[str, Any]:
    return {
        "address": one.address.removeprefix("mail:"),
        "name": one.newest.sender_name,
        "count": one.count,
        "unread": one.unread,
        "newest": one.newest.at.isoformat(),
        "newsletter": newsletter,
    }


def _preview(args: RankSendersArgs) -> Preview:
    return Preview(
        say("Counts who sends you most mail"), facts=((say("At most"), say_number(args.limit)),), told=("limit",)
    )
