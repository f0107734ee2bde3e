"""The handler that finds the one group that the owner means to write to, before anything is shown or sent.

Only groups and channels in which the account may write are searched, so that no person is mistaken for another by a
self-chosen name. A title is only compared and shown; the message goes to the id.
"""

from collections.abc import Sequence

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult, Json
from butler.contract.mirror import ChatKind
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.telegram.method_ids import USER_GROUPS
from modules.telegram.user_args import FindGroupArgs
from modules.telegram.user_called import Titled, called, nearest
from modules.telegram.user_calls import Accounts, reads

CHOICES = 6
DIALOGS_LOOKED_THROUGH = 500


class UserGroups:
    """The handler of the tool that finds a group."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def find(self, call: ToolCall) -> IntegrationResult:
        """Return the group as a recipient; if none or several fit, return choices and no recipient."""
        args: FindGroupArgs = call.args
        result = await self._accounts.of(call).api.call(reads(call, USER_GROUPS, {"limit": DIALOGS_LOOKED_THROUGH}))
        if result.data is None:
            return result
        listed: list[Json] = result.data["items"]
        groups = [Titled(one["id"], one["name"], ChatKind(one["kind"]), one["members"]) for one in listed]
        if args.chat:
            chosen = next((group for group in groups if group.address == args.chat), None)
            gone = say("you cannot write into this group any more")
            return _found(chosen) if chosen else failed(IntegrationErrorCode.NOT_FOUND, gone)
        fitting = called(args.called, groups)
        return _found(fitting[0]) if len(fitting) == 1 else _choices(args.called, fitting, groups)


def _found(group: Titled) -> IntegrationResult:
    data: Json = {
        "count": 1,
        "to": {"address": group.address, "name": group.title},
        "group": {"address": group.address, "kind": group.kind.value, "members": group.members},
    }
    return IntegrationResult(ok=True, data=data)


def _choices(names: Sequence[str], fitting: Sequence[Titled], groups: Sequence[Titled]) -> IntegrationResult:
    """Return the groups that fit, or else the most similar ones, to choose from."""
    offered = fitting[:CHOICES] or nearest(names, groups, CHOICES)
    data: Json = {
        "count": len(fitting),
        "choices": [
            {"address": one.address, "name": one.title, "kind": one.kind.value, "members": one.members}
            for one in offered
        ],
    }
    return IntegrationResult(ok=True, data=data)
