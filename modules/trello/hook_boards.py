"""`/hooks/trello`: Trello reports that a board has changed, which triggers a poll; the content is not used."""

import json
from collections.abc import Callable
from typing import Any

from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from butler.contract.ports import Vault
from modules._remote.hook_signs import BAD_REQUEST, check_signature, digest, secret_of, signature
from modules.trello.config import TrelloSettings

HEADER = "X-Trello-Webhook"


class BoardReceiver:
    """The hook of one account. Implements `HookReceiver`."""

    methods = frozenset({"POST", "HEAD", "GET"})
    """Trello first checks that the address answers."""
    largest = 1024 * 1024
    per_minute = 600

    def __init__(self, name: str, settings: TrelloSettings, vault: Vault, look_now: Callable[[], None]) -> None:
        self.name = name
        self._settings, self._vault, self._look_now = settings, vault, look_now

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        """Check the signature: by the application's secret, over the body and the registered address."""
        if request.method != "POST":
            return AdmittedRequest(key="", keep=False)
        secret = secret_of(self._vault, self._settings.secret_env)
        right = signature(secret, request.body + request.url.encode(), "sha1", "base64")
        check_signature(request.headers.get(HEADER.lower(), ""), right, HEADER)
        action = _action_of(request.body)
        return AdmittedRequest(key=action or digest(request.body), body=action.encode())

    async def act(self, hook: StoredHook) -> None:
        """Poll now; the current state counts, whatever the order of reports."""
        del hook
        self._look_now()


def _action_of(body: bytes) -> str:
    try:
        value: Any = json.loads(body)
        action = value["action"]["id"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise HookRefusedError(BAD_REQUEST, "this is nothing that Trello tells") from None
    return action if isinstance(action, str) and action.isalnum() else ""
