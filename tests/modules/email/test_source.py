"""The butler's mailbox is looked into whatever becomes of the connection that only tells of news."""

from datetime import timedelta

from butler_demo.mailbox.server import MailServer
from tests.modules.email.mailhost import BotUnderTest, mail, mail_context
from tests.support.context import TurnedClock
from tests.support.waiting import until

REFUSED = b"[AUTHENTICATIONFAILED]"


async def test_a_watcher_that_is_refused_knocks_every_five_minutes_while_mail_comes_in(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server))
    clock = bot.context.clock
    assert isinstance(clock, TurnedClock)
    refusals, idling = 0, 0

    def listen(answer: bytes) -> bytes:
        nonlocal refusals, idling
        refusals += REFUSED in answer
        idling += answer.startswith(b"+ idling")
        if answer.startswith(b"* BYE"):
            # The watcher has lost its connection, and finds no other; the one that looks lives on.
            server.fail_imap("AUTHENTICATE", "NO", f"{REFUSED.decode()} no", times=None)
        return answer

    server.rewrite_imap = listen
    async with bot.running():
        await until(lambda: idling == 1)
        server.fail_imap("IDLE", "BYE")
        for number in range(1, 5):
            await bot.deliver(mail())
            clock.offset += timedelta(seconds=61)
            await bot.sink.wait_for(number)
        await until(lambda: refusals == 1)
        assert not bot.module.sources()[0].health().stopped
        server.clear_faults()
        server.rewrite_imap = listen
        clock.offset += timedelta(minutes=5)
        await until(lambda: idling == 2)
    assert refusals == 1
    await bot.module.stop()


async def test_health_tells_how_far_a_long_look_is(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server))
    await bot.check()
    for number in range(60):
        server.put(bot.address, mail(f"Mail {number}"))
    told: set[str] = set()
    (source,) = bot.module.sources()

    def listen(answer: bytes) -> bytes:
        told.add(source.health().detail)
        return answer

    server.rewrite_imap = listen
    async with bot.running():
        await bot.sink.wait_for(60)
        await until(lambda: not source.health().detail)
    assert any(detail.startswith("taking in what came: 50 of 60") for detail in told)
    await bot.module.stop()
