"""Authenticates alerts to `/hooks/grafana`: from a contact point that signs them, or one that sends a token."""

from butler.contract.hooks import HookRequest
from butler.contract.ports import Vault
from modules._remote.alerts import Check
from modules._remote.hook_signs import check_age, check_bearer, check_signature, secret_of, signature
from modules.grafana.config import GrafanaSettings

HEADER = "X-Grafana-Alerting-Signature"


def checking(settings: GrafanaSettings, vault: Vault) -> Check:
    """Return the check for the alerts of a Grafana."""

    def check(request: HookRequest) -> None:
        if settings.hook_token_env:
            check_bearer(request.headers, secret_of(vault, settings.hook_token_env))
            return
        secret, message, header = (
            secret_of(vault, settings.hook_secret_env),
            request.body,
            settings.hook_timestamp_header,
        )
        if header:
            time = request.headers.get(header.lower(), "")
            check_age(time, header, request.received_at)
            message = f"{time}:".encode() + message
        check_signature(request.headers.get(HEADER.lower(), ""), signature(secret, message), HEADER)

    return check
