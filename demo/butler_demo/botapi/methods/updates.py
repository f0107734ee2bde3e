"""How a bot gets its updates: by polling, or sent to a webhook, which blocks polling."""

import re

from ..errors import bad_request, conflict
from ..records import Json
from .request import Request

MAX_LIMIT = 100
MAX_TIMEOUT = 50
MOST_CONNECTIONS = 100
MAX_CONNECTIONS = 40
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")


async def get_updates(request: Request) -> bytes:
    """The array of updates as JSON text; each update was checked when it was issued."""
    params, bot = request.params, request.bot
    if bot.webhook:
        raise conflict(
            "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
        )
    if "allowed_updates" in params:
        bot.feed.allowed = params["allowed_updates"]
    limit = min(max(params.get("limit", MAX_LIMIT), 1), MAX_LIMIT)
    seconds = min(max(params.get("timeout", 0), 0), MAX_TIMEOUT)
    ready = await bot.feed.poll(params.get("offset", 0), limit, seconds)
    return b"[" + b",".join(queued.wire for queued in ready) + b"]"


def set_webhook(request: Request) -> bool:
    url: str = request.params["url"]
    if not url:
        return delete_webhook(request)
    if not url.startswith("https://"):
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    secret: str = request.params.get("secret_token", "")
    if secret and not _SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")
    connections: int = request.params.get("max_connections", MAX_CONNECTIONS)
    if not 1 <= connections <= MOST_CONNECTIONS:
        raise bad_request("max_connections must be between 1 and 100")
    if request.params.get("drop_pending_updates"):
        request.bot.feed.clear()
    if "allowed_updates" in request.params:
        request.bot.feed.allowed = request.params["allowed_updates"]
    request.bot.webhook = {
        "url": url,
        "has_custom_certificate": "certificate" in request.params,
        "max_connections": connections,
    }
    request.bot.webhook_secret = secret
    request.state.changes.touch()
    return True


def delete_webhook(request: Request) -> bool:
    if request.params.get("drop_pending_updates"):
        request.bot.feed.clear()
    request.bot.webhook, request.bot.webhook_failure = {}, {}
    request.state.changes.touch()
    return True


def get_webhook_info(request: Request) -> Json:
    feed = request.bot.feed
    info: Json = {
        "url": "",
        "has_custom_certificate": False,
        **request.bot.webhook,
        **request.bot.webhook_failure,
    }
    info["pending_update_count"] = feed.pending()
    if feed.allowed:
        info["allowed_updates"] = feed.allowed
    return info
