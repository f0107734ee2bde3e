"""The bot's token stays where it belongs."""

import io
import logging
import traceback

import aiohttp
import pytest
import structlog

from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import ButlerError
from modules.telegram.request import AiohttpRequest, NotSentError
from tests.modules.telegram.conftest import OWNER, TOKEN, Harness

SECRET = TOKEN.partition(":")[2]


async def test_op_01_no_log_record_and_no_exception_holds_the_token(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    written = io.StringIO()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(written), cache_logger_on_first_use=False)
    failures: list[str] = []

    async def fails(text: str) -> None:
        try:
            await harness.bot.channel.say(f"telegram:{OWNER}", OwnerMessage(text=plain(text)))
        except ButlerError:
            failures.append(traceback.format_exc())

    try:
        async with harness.polling():
            await harness.sink.wait_for(1)
            await harness.bot.channel.say(f"telegram:{OWNER}", OwnerMessage(text=plain("hello")))
            for code in (400, 401, 403, 404, 409, 429, 500, 502):
                harness.server.fail("sendMessage", code, "refused", retry_after=60 if code == 429 else None)
                await fails(str(code))
                harness.bot.lanes._lanes[OWNER].closed_until = 0.0
            harness.server.fail("sendMessage", 500, "lost", after_effect=True)
            await fails("lost")
            await harness.server.go_offline()
            await fails("offline")
            await harness.module.checks()
    finally:
        structlog.reset_defaults()

    assert len(failures) == 10
    shown = [*failures, written.getvalue(), *(str(result.error) for result in harness.probe.results)]
    logged = [record.getMessage() + (record.exc_text or "") for record in caplog.records]
    assert logged, "something was logged at all"
    assert not [text for text in shown + logged if SECRET in text]


async def test_op_01_not_even_a_time_out_while_connecting_quotes_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    request = AiohttpRequest("http://127.0.0.1:9", TOKEN)

    def stuck(*_args: object, **_kwargs: object) -> None:
        raise aiohttp.ConnectionTimeoutError(f"Connection timeout to host http://127.0.0.1:9/bot{TOKEN}/getMe")

    monkeypatch.setattr(aiohttp.ClientSession, "request", stuck)
    with pytest.raises(NotSentError, match="no connection to Telegram") as caught:
        await request.post("methods/getMe")
    await request.shutdown()

    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert SECRET not in shown


async def test_op_01_the_library_never_learns_the_token(harness: Harness) -> None:
    bot = harness.bot.api._opened()

    assert SECRET not in repr(bot)
    assert SECRET not in bot.base_url
    assert SECRET not in bot.base_file_url
