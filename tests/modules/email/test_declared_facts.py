"""The facts that the mail tools declare are in what they yield, whichever provider is behind them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from butler.contract import bulk_tool
from butler.contract.integration import IntegrationResult
from butler.offline import offline_registry
from tests.modules.email.gmail_account import gmail_account
from tests.modules.email.mailhost import ANNA, BotUnderTest, UserUnderTest, mail
from tests.support.declared_facts import assert_facts, tools_with_facts

Do = Callable[..., Awaitable[IntegrationResult]]
WITH_A_FILE = mail(
    body='--b\r\nContent-Type: text/plain\r\n\r\nSee file.\r\n--b\r\nContent-Type: application/pdf; name="a.pdf"\r\n'
    "Content-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b--",
    Content_Type="multipart/mixed; boundary=b",
)
OF_MAILBOX = ("search_inbox", "read_message")
OF_BOT = (*OF_MAILBOX, "check_and_route_inbox")
OF_USER = (*OF_MAILBOX, "list_threads", "rank_senders")


async def found(do: Do, side: str) -> dict[str, IntegrationResult]:
    """What searching and reading the one mail of a mailbox yields."""
    search = await do(f"{side}_email_search_inbox")
    assert search.data is not None, search.error
    key = search.data["messages"][0]["message_id"]
    return {"search_inbox": search, "read_message": await do(f"{side}_email_read_message", message_id=key)}


async def test_what_is_found_in_the_butlers_mailbox(demo_bot: BotUnderTest) -> None:
    await demo_bot.deliver(WITH_A_FILE)
    checked = await demo_bot.do("bot_email_check_and_route_inbox")
    for name, result in (await found(demo_bot.do, "bot") | {"check_and_route_inbox": checked}).items():
        assert_facts(demo_bot.spec(f"bot_email_{name}"), result)


async def test_what_is_found_in_the_persons_mailbox(demo_user: UserUnderTest) -> None:
    await demo_user.look()
    await demo_user.deliver(WITH_A_FILE)
    await demo_user.look()
    results = await found(demo_user.do, "user")
    for name in ("list_threads", "rank_senders"):
        results[name] = await demo_user.do(f"user_email_{name}")
    for name, result in results.items():
        assert_facts(demo_user.spec(f"user_email_{name}"), result)


async def test_what_is_found_in_the_persons_gmail() -> None:
    async with gmail_account() as user:
        user.server.deliver("me@home.example", WITH_A_FILE)
        results = await found(user.do, "user")
        results["list_threads"] = await user.do("user_email_list_threads")
        for name, result in results.items():
            assert_facts(user.registry.spec(f"user_email_{name}"), result)


@pytest.mark.parametrize("fact", ["messages.1.message_id", "messages.0.nothing", "forward.nothing", "message.from"])
async def test_a_declared_fact_that_a_result_lacks_is_found(demo_bot: BotUnderTest, fact: str) -> None:
    await demo_bot.deliver(WITH_A_FILE)
    result = await demo_bot.do("bot_email_search_inbox", sender=ANNA)
    with pytest.raises(AssertionError, match=re.escape(fact)):
        assert_facts(replace(demo_bot.spec("bot_email_search_inbox"), facts=(fact,)), result)


def test_every_tool_that_declares_facts_is_run_here() -> None:
    specs = [spec for spec in offline_registry()[0].specs() if spec.channel == "email"]
    own = [spec for spec in specs if spec.facts != bulk_tool.FACTS]
    run = {f"bot_email_{one}" for one in OF_BOT} | {f"user_email_{one}" for one in OF_USER}
    assert tools_with_facts(own) == run
