"""Receives Gmail's pushes: Google's Pub/Sub reports a change in a mailbox, and the mailbox is looked at.

The content of a push is not trusted: the account's own cursor says where to continue.
"""

import json
from base64 import b64decode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from butler.contract.errors import Refuse
from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from modules.email.gmail.push_tokens import PushTokens

NAME = "gmail"
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class PushedAccount:
    """An account with pushes: who may send them, its mailbox, and how to start a look."""

    account: str
    audience: str
    service_account: str
    address: Callable[[], Awaitable[str]]
    look_now: Callable[[], None]


class GmailHook:
    """Implements `HookReceiver` for all Gmail accounts with pushes."""

    name = NAME
    methods = frozenset({"POST"})
    largest = 64 * 1024
    per_minute = 600

    def __init__(self, accounts: Sequence[PushedAccount], tokens: PushTokens) -> None:
        self._accounts, self._tokens = accounts, tokens

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            raise HookRefusedError(401, "there is no token of Google's")
        claims = await self._tokens.claims(token.strip())
        asked = [one for one in self._accounts if one.audience == claims.audience]
        meant = [one for one in asked if one.service_account.lower() == claims.email]
        if not meant:
            what = "service account" if asked else "audience"
            raise HookRefusedError(403, f"the token is of another {what} than the settings name")
        number, address = _said(request.body)
        for one in meant:
            if address == await one.address():
                return AdmittedRequest(key=number, body=json.dumps({"account": one.account}).encode())
        # A genuine push for a mailbox that is no longer ours; if refused, it would be repeated for a week.
        return AdmittedRequest(key=number, keep=False)

    async def act(self, hook: StoredHook) -> None:
        name = str(json.loads(hook.body)["account"])
        account = next((one for one in self._accounts if one.account == name), None)
        if account is None:
            raise Refuse(f"there is no account {name} that is pushed any more")
        account.look_now()


def _said(body: bytes) -> tuple[str, str]:
    """Return the push's own id, and the mailbox that has changed."""
    try:
        message: Any = json.loads(body)["message"]
        number: Any = message["messageId"]
        value: Any = json.loads(b64decode(message["data"], validate=True))
        address: Any = cast("dict[str, Any]", value)["emailAddress"]
    except (ValueError, KeyError, TypeError, RecursionError):
        number, address = None, None
    if not isinstance(number, str) or not 0 < len(number) <= _LONGEST_ID or not isinstance(address, str):
        raise HookRefusedError(400, "this is no push of Gmail's")
    return number, address.lower()
