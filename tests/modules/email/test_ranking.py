"""Who sends most is counted in what was seen of the inbox, and nothing else is claimed."""
# names: made up here

from datetime import UTC, datetime, timedelta
from typing import Any

from butler.contract.mirror import MirrorUpdate, Removal, SeenChat, SeenMessage
from butler.contract.tools import ToolCall
from modules.email.ranking import NAME, RankSendersArgs, SenderRanks
from tests.modules.email.mailhost import UserUnderTest
from tests.support.context import MemoryCursors, MemoryMirror

T = datetime(2027, 3, 1, 9, tzinfo=UTC)


def mail(number: int, sender: str, **more: Any) -> SeenMessage:
    values: dict[str, Any] = {
        "channel": "email", "account": "main", "chat": f"mail:{number}", "ref": str(number), "order": number,
        "at": T + timedelta(hours=number), "sender": f"mail:{sender}", "sender_name": sender.partition("@")[0],
        "labels": ("INBOX",), "unread": number % 2 == 0,
    } | more  # fmt: skip
    return SeenMessage.model_validate(values)


async def ranks(*mails: SeenMessage, gone: tuple[str, ...] = (), **args: Any) -> Any:
    kept = MemoryMirror(MemoryCursors())
    for account in {one.account for one in mails}:
        own = [one for one in mails if one.account == account]
        chats = [SeenChat(channel="email", account=account, chat=one.chat) for one in own]
        await kept.keep(MirrorUpdate("email", account, chats, own, [Removal(ref=ref) for ref in gone]))
    call = ToolCall(NAME, RankSendersArgs(**args), "call-1", "trace-1", args.get("account", ""))
    return await SenderRanks(kept, ("main", "work")).rank(call)


async def test_newsletters_come_first_and_then_who_sends_most() -> None:
    result = await ranks(
        *(mail(n, "anna@friends.example") for n in range(1, 5)),
        *(mail(n, "news@shop.example", text="… to unsubscribe, write to us") for n in range(5, 8)),
        mail(8, "promo@hosting.example", labels=("INBOX", "CATEGORY_PROMOTIONS")),
    )
    assert result.data["known"] == 8
    assert result.data["since"] == (T + timedelta(hours=1)).isoformat()
    assert [(one["address"], one["count"], one["unread"], one["newsletter"]) for one in result.data["senders"]] == [
        ("news@shop.example", 3, 1, True),
        ("promo@hosting.example", 1, 1, True),
        ("anna@friends.example", 4, 2, False),
    ]
    assert result.data["senders"][0]["newest"] == (T + timedelta(hours=7)).isoformat()


async def test_only_what_lies_in_this_inbox_and_others_wrote_is_counted() -> None:
    result = await ranks(
        mail(1, "anna@friends.example"),
        mail(2, "anna@friends.example", labels=("Family",)),
        mail(3, "anna@friends.example", labels=("INBOX2",)),
        mail(4, "anna@friends.example", outgoing=True),
        mail(5, "anna@friends.example"),
        mail(6, "anna@friends.example", account="work"),
        gone=("5",),
    )
    assert [(one["address"], one["count"]) for one in result.data["senders"]] == [("anna@friends.example", 1)]
    assert result.data["known"] == 1


async def test_of_an_inbox_that_was_not_seen_nothing_is_claimed() -> None:
    result = await ranks(mail(1, "anna@friends.example"), account="work")
    assert result.error is not None
    assert result.error.message == "I know no mails of this inbox yet"


async def test_no_more_senders_than_asked_for() -> None:
    result = await ranks(*(mail(n, f"a{n}@x.example") for n in range(30)), limit=3)
    assert len(result.data["senders"]) == 3
    assert result.data["known"] == 30


def letter(number: int, sender: str, text: str) -> bytes:
    return (
        f"From: {sender}\r\nTo: me@home.example\r\nSubject: News {number}\r\nMessage-ID: <{number}@shop.example>\r\n"
        f"Date: Mon, 01 Mar 2027 09:0{number}:00 +0000\r\n\r\n{text}\r\n"
    ).encode()


async def test_a_mailbox_over_imap_is_counted_as_it_was_seen(demo_user: UserUnderTest) -> None:
    await demo_user.look()
    before = await demo_user.do(NAME)
    known = before.data["known"] if before.data else 0
    for number in (1, 2):
        await demo_user.deliver(letter(number, "Shop <news@shop.example>", "Zum Abmelden hier klicken."))
    await demo_user.look()
    result = await demo_user.do(NAME)
    assert result.data is not None
    assert result.data["known"] == known + 2
    first = result.data["senders"][0]
    assert (first["address"], first["name"], first["count"], first["newsletter"]) == (
        "news@shop.example", "Shop", 2, True,
    )  # fmt: skip
