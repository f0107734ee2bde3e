# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""Lists the groups and channels in which an account may write. Nothing of their messages is stored."""

from typing import Any

from telethon import types

from butler.contract.integration import Idempotency, IntegrationCall, Json, Method, RawAnswer, ResultProvenance, method
from butler.contract.mirror import ChatKind
from modules.telegram.address import Address
from modules.telegram.client_records import ListGroups, WritableGroups
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_feed_messages import Participants
from modules.telegram.method_ids import USER_GROUPS


class Groups:
    """The method that lists the groups of one account."""

    def __init__(self, connection: ClientConnection, feed_filter: FeedFilter) -> None:
        self._connection = connection
        self._filter = feed_filter

    def methods(self) -> list[Method]:
        """Return the one method."""
        read = Idempotency.READ
        return [method(USER_GROUPS, args=ListGroups, answer=WritableGroups, run=self._raw_groups, idempotency=read)]

    async def _raw_groups(self, _call: IntegrationCall, args: ListGroups) -> RawAnswer:
        async def read(client: Any) -> Json:
            dialogs = client.iter_dialogs(limit=args.limit, ignore_migrated=True)
            found = [self._group(dialog.entity, dialog.id, client.self_id) async for dialog in dialogs]
            return {"items": [one for one in found if one is not None]}

        provenance = ResultProvenance(source_type="telegram", source_ref="groups")
        return RawAnswer(await self._connection.run(read), provenance=provenance)

    def _group(self, entity: Any, marked: int, me: int) -> Json | None:
        """Return a group's entry; None for a person, and for a group that is left out or that is only read."""
        if not may_write(entity):
            return None
        cast = Participants([], [entity], me)
        if self._filter.leaves_out(marked, cast.names(marked)):
            return None
        glimpse = cast.glimpse(marked)
        kind = ChatKind(glimpse.kind).value
        members = entity.participants_count or 0
        return {"id": str(Address(marked)), "name": glimpse.title, "kind": kind, "members": members}


def may_write(entity: Any) -> bool:
    """Return whether Telegram lets the account write in this group or channel."""
    if not isinstance(entity, types.Chat | types.Channel) or entity.left:
        return False
    if getattr(entity, "deactivated", False) or getattr(entity, "monoforum", False):
        # A group that became a supergroup, and the private messages to a channel.
        return False
    if entity.creator:
        return True
    rights = entity.admin_rights
    if getattr(entity, "broadcast", False):
        return rights is not None and bool(rights.post_messages)
    limits = (getattr(entity, "banned_rights", None), None if rights else entity.default_banned_rights)
    return not any(one.send_messages or one.send_plain for one in limits if one is not None)
