"""Unsubscribes from mailing lists: a mail's offer is read before a card shows it, and only what was shown is done."""

import asyncio
from collections.abc import Awaitable, Callable

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse, Retryable
from butler.contract.integration import IntegrationResult
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.email.authentication.dns_txt import lookup_txt
from modules.email.integration_unsubscribe import ONE_CLICK, UnsubscribeIntegration
from modules.email.original import Original
from modules.email.unsubscribe_args import BotUnsubscribeArgs, UserUnsubscribeArgs
from modules.email.views import ToolFailedError

_TIMEOUT_MS = 40_000


class Unsubscribing:
    """The handlers of one identity's tool."""

    def __init__(
        self,
        integration: UnsubscribeIntegration,
        find: Callable[[ToolCall, str], Awaitable[Original]],
        lookup: Callable[[str], bytes | None] = lookup_txt,
        *,
        forwards: bool = False,
    ) -> None:
        """`find` returns the mail of an id, or raises `ToolFailedError`; `lookup` is for TXT records.

        With `forwards`, a mail that holds another one whole is about that one.
        """
        self._integration, self._find, self._lookup, self._forwards = integration, find, lookup, forwards

    async def complete(self, call: ToolCall) -> IntegrationResult:
        """Return the one-click offer of the mail's sender, as arguments."""
        from modules.email.one_click import offer_of  # noqa: PLC0415 - only few mails need it

        args: BotUnsubscribeArgs | UserUnsubscribeArgs = call.args
        try:
            mail = await self._find(call, args.message_id)
            raw = mail.at_issue if self._forwards else mail.raw
            offer = await asyncio.to_thread(offer_of, raw, self._lookup)
            self._integration.check(offer.url)
            _check_given(args, offer.url, offer.domain)
        except ToolFailedError as failure:
            return failure.result
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        except Retryable:
            return failed(
                IntegrationErrorCode.UNAVAILABLE, say("DNS does not answer, so the mail cannot be checked now")
            )
        return IntegrationResult(ok=True, data={"url": offer.url, "list": offer.domain})

    async def unsubscribe(self, call: ToolCall) -> IntegrationResult:
        args: BotUnsubscribeArgs | UserUnsubscribeArgs = call.args
        if not args.url:
            return failed(
                IntegrationErrorCode.INVALID_INPUT, say("it is not known where to unsubscribe; name the mail")
            )
        return await self._integration.request(
            call.trace_id, ONE_CLICK, {"url": args.url}, timeout_ms=_TIMEOUT_MS, dry_run=call.dry_run
        )


def _check_given(args: BotUnsubscribeArgs | UserUnsubscribeArgs, url: str, domain: str) -> None:
    """Check that the shown arguments still equal the mail's offer. Raise `Refuse`."""
    if args.url not in {"", url} or args.list not in {"", domain}:
        raise Refuse(say("the mail names another address to unsubscribe at; leave it to be read from the mail"))
