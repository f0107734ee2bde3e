"""Telegram's checks for `butler doctor`: sign-ins, and whether another program takes the bot's updates.

`BotSide.checks` calls `bot_checks`, and each of the owner's accounts calls `account_check`; `beside_daemon` comes from
the context.
"""

from telegram.error import Conflict, TelegramError

from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import READS
from butler.contract.module import CheckResult
from modules.telegram.bot_api_records import WebhookState
from modules.telegram.integration_telegram_bot_api import TelegramBotApi
from modules.telegram.method_ids import BOT_WEBHOOK, USER_ME

LISTEN_S = 3
"""How long to wait for another program to poll; one that polls does so all the time."""
_POLLING = "Telegram polling"
_WEBHOOK = "Telegram webhook"


async def bot_checks(api: TelegramBotApi, webhook: str = "", *, beside_daemon: bool) -> list[CheckResult]:
    """Check that the token is valid, and that no other program takes the updates: by the `webhook`, or by polls."""
    status = await api.auth_status()
    line = CheckResult("Telegram bot", status["ok"], status["account"] or status["detail"], status["todo"])
    if not line.ok:
        return [line]
    result = await api.request("checks", BOT_WEBHOOK, timeout_ms=15_000, retry_policy=READS)
    if result.data is None:
        return [line]
    if webhook:
        return [line, _hooked(WebhookState.model_validate(result.data), webhook)]
    if result.data["url"]:
        todo = "Stop the program that set it, or delete the webhook."
        return [line, CheckResult(_POLLING, False, "a webhook is set, so that polls are refused", todo)]
    if beside_daemon:
        return [line, CheckResult(_POLLING, True, "no webhook is set; the daemon polls")]
    return [line, await _alone(api)]


def _hooked(state: WebhookState, webhook: str) -> CheckResult:
    """Check that the webhook is set as configured, and that Telegram reports no failed deliveries."""
    if not state.url:
        return CheckResult(_WEBHOOK, False, "none is set", "Start the daemon, which sets it.")
    if state.url != webhook:
        return CheckResult(_WEBHOOK, False, "another address is set", "Start the daemon, or stop who set the other.")
    if state.pending and state.failed_at is not None:
        why = f"{state.pending} updates wait: {state.failed_with or 'Telegram gives no reason'}"
        return CheckResult(_WEBHOOK, False, why, "Check the proxy before [web] (docs/how-to/telegram-by-webhook.md).")
    return CheckResult(_WEBHOOK, True, f"{webhook} is set, {state.pending} updates wait")


async def _alone(api: TelegramBotApi) -> CheckResult:
    """Check that nobody else polls. The check confirms no update, so that none is lost."""
    try:
        # The newest poll wins: this one ends another program's, and a running program polls again immediately.
        waiting = await api.poll_updates(None, 0)
        if not waiting:
            await api.poll_updates(None, LISTEN_S)
    except Conflict:
        todo = "Stop it, or make it a bot of its own: Telegram gives each update to one program only."
        return CheckResult(_POLLING, False, "another program polls this bot", todo)
    except TelegramError:
        return CheckResult(_POLLING, False, "no answer to a poll", "Check the network, and try again.")
    return CheckResult(_POLLING, True, "no webhook is set, and nobody else polls")


async def account_check(api: BaseIntegration, title: str, command: str, *, beside_daemon: bool) -> CheckResult:
    """Check that the session is signed in, and as whom.

    While the daemon uses the session, it is not opened: Telegram ends a session that is used from two addresses.
    """
    if beside_daemon:
        return CheckResult(title, True, "in use by the daemon, which tells how it is")
    result = await api.request("checks", USER_ME, timeout_ms=20_000)
    if result.data is not None:
        name = f"@{result.data['username']}" if result.data["username"] else str(result.data["name"])
        return CheckResult(title, True, f"signed in as {name}, Telegram user {result.data['user_id']}")
    assert result.error is not None
    todo = "Check the network." if result.error.retriable else f"Run `{command}`."
    return CheckResult(title, False, result.error.message, todo)
