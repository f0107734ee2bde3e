"""Through which account a call goes: settled when it is asked for, stored with it, and said where there is a choice.

What was asked for or ruled before a tool had accounts is stored without one. It means the tool's only account, and
none as soon as there are several.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from approvals.visible import visible_line
from butler.contract.errors import UnknownAccountError, UnknownToolError
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.speech import say
from butler.contract.tools import ACCOUNT, ZONE, ToolInvoker, ToolSpec, account_of
from butler.store.queries.approvals import ApprovalRow


def resolved(spec: ToolSpec, args: BaseModel, said: str = "") -> str:
    """The account that a call goes through, and what is stored of it; empty for a tool without accounts.

    `said` is what its caller says besides, if anything. Raises `UnknownAccountError` where there is none of that name,
    or the two are not the same.
    """
    account = account_of(spec, args)
    if account and said not in {"", account}:
        raise UnknownAccountError(
            say(
                "it was asked for through {asked}, and says itself that it goes through {account}",
                asked=said,
                account=account,
            )
        )
    return account


def moved(spec: ToolSpec, args: BaseModel, shown: str) -> Reason | None:
    """Why a call no longer goes through the account that it was shown with; None where it does."""
    try:
        account = account_of(spec, args)
    except UnknownAccountError:
        account = ""
    if account == shown:
        return None
    if not account:
        return reason(ReasonCode.ACCOUNT_GONE, account=shown)
    return reason(ReasonCode.ACCOUNT_ANOTHER, account=account, shown=shown)


def stored(invoker: ToolInvoker, tool: str, account: str) -> str:
    """The account of a stored call or rule."""
    accounts = _accounts(invoker, tool)
    return account or (accounts[0] if len(accounts) == 1 else "")


def earlier(invoker: ToolInvoker, row: ApprovalRow, args: str) -> str:
    """The account of an earlier version of a call: the one that its arguments name, or the tool's first."""
    named: Mapping[str, Any] = json.loads(args)
    first = next(iter(_accounts(invoker, row.tool)), row.account)
    return str(named.get(ACCOUNT) or first) if row.account else ""


def shown_account(invoker: ToolInvoker, tool: str, account: str) -> str:
    """The account as it is said of a stored call or rule; empty where the tool has no other."""
    return "" if not account or _accounts(invoker, tool) == (account,) else visible_line(account)


def through(invoker: ToolInvoker, tool: str, account: str) -> str:
    """The same as the end of a phrase, such as `, through work`."""
    said = shown_account(invoker, tool, account)
    return say(", through {account}", account=said) if said else ""


def without_settled(args: Mapping[str, Any], *, said: bool) -> Mapping[str, Any]:
    """Arguments but for the zone of their times, and the one that names the account, where it is `said` elsewhere."""
    apart = {ZONE, ACCOUNT} if said else {ZONE}
    return {name: value for name, value in args.items() if name not in apart}


def _accounts(invoker: ToolInvoker, tool: str) -> tuple[str, ...]:
    try:
        return invoker.spec(tool).accounts
    except UnknownToolError:
        return ()
