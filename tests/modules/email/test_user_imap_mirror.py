"""The person's mailbox in the mirror: each mail once, as it lies on the server, whatever interrupts the look."""

import asyncio
from datetime import timedelta

import pytest

from butler.contract.errors import AuthRequiredError, IntegrationErrorCode
from butler.contract.mirror import ChatKind, MirrorUpdate, SeenMessage, SeenQuery
from butler.store.errors import StoreBusyError
from butler.store.queries import people
from butler_demo.mailbox.server import MailServer
from modules.email.imap.user_ids import read_ref
from tests.modules.email.mailhost import ANNA, UserUnderTest, mail, mail_context
from tests.support.context import MemoryCursors, TurnedClock
from tests.support.waiting import until

ALL = SeenQuery("email", muted=True, limit=1000)


async def kept(user: UserUnderTest) -> list[SeenMessage]:
    return list(await user.mirror.messages(ALL))


async def subjects(user: UserUnderTest) -> list[str]:
    return sorted(message.subject for message in await kept(user))


async def put(user: UserUnderTest, raw: bytes, folder: str = "INBOX", *flags: str) -> None:
    await asyncio.to_thread(user.host.put, user.address, raw, folder, *flags)


async def test_what_came_in_and_what_was_sent_is_kept_with_its_people_and_files(user: UserUnderTest) -> None:
    body = (
        "--b\r\nContent-Type: text/plain\r\n\r\nSee file.\r\n--b\r\nContent-Type: application/pdf; name=a.pdf\r\n"
        "Content-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b--"
    )
    lunch = mail("Lunch", body, message_id="<a@x.example>", Cc="Ben <ben@x.example>", To="me@home.example",
                 Content_Type="multipart/mixed; boundary=b")  # fmt: skip
    await put(user, lunch)
    await put(user, mail("Re: Lunch", "Yes.", message_id="<b@x.example>", References="<a@x.example>"), "Sent", "\\Seen")
    await put(user, mail("Archived"), "Archive")
    await user.look()
    answer, asked = await kept(user)
    assert (asked.subject, asked.text) == ("Lunch", "See file.")
    assert (asked.sender, asked.sender_name) == (f"mail:{ANNA}", "Anna")
    assert (asked.unread, asked.outgoing, answer.unread, answer.outgoing) == (True, False, False, True)
    assert [person.address for person in asked.others] == ["mail:me@home.example", "mail:ben@x.example"]
    assert [(file.name, file.size, file.sha256) for file in asked.files] == [("a.pdf", 4, "")]
    assert asked.chat == answer.chat == "mail:<a@x.example>"
    chat = await user.mirror.chat("email", "main", asked.chat)
    assert chat is not None
    assert (chat.title, chat.kind) == ("Lunch", ChatKind.THREAD)
    assert await user.mirror.raw("email", "main", asked.chat, asked.ref) is None


async def test_a_row_of_the_mirror_names_the_mail_that_the_tools_read(user: UserUnderTest) -> None:
    await put(user, mail("Lunch"))
    await user.look()
    (message,) = await kept(user)
    ref = read_ref(await user.id_of("Lunch"))
    assert ref is not None
    assert ref.place == message.ref


async def test_whole_mails_are_kept_where_that_is_wanted(server: MailServer) -> None:
    user = UserUnderTest(server, mail_context(server, "me"), keep="whole")
    raw = mail("Lunch", "At one?")
    await put(user, raw)
    await user.look()
    (message,) = await kept(user)
    assert await user.mirror.raw("email", "main", message.chat, message.ref) == raw
    await user.stop()


async def test_a_second_look_changes_nothing(user: UserUnderTest) -> None:
    await put(user, mail("Lunch"))
    await user.look()
    before = len(user.mirror.batches)
    await user.look()
    assert len(user.mirror.batches) == before


async def test_im_06_old_unread_mail_is_kept_once_and_is_never_said_to_the_butler(user: UserUnderTest) -> None:
    for number in range(3):
        await put(user, mail(f"Old {number}"))
    await user.look()
    before = len(user.mirror.batches)
    # Another process, which knows only what is on disk.
    again = UserUnderTest(user.host, user.context)
    await again.look()
    assert len(user.mirror.batches) == before
    assert user.sink.items == []
    await again.stop()


async def test_reading_elsewhere_and_expunging_are_followed(user: UserUnderTest) -> None:
    await put(user, mail("Lunch"))
    await put(user, mail("Invoice"), "INBOX", "\\Seen")
    await user.look()
    assert [(m.subject, m.unread) for m in await kept(user)] == [("Invoice", False), ("Lunch", True)]
    await asyncio.to_thread(user.elsewhere, 1, "+FLAGS (\\Seen)")
    await asyncio.to_thread(user.elsewhere, 2, "-FLAGS (\\Seen)")
    await user.look()
    assert [(m.subject, m.unread) for m in await kept(user)] == [("Invoice", True), ("Lunch", False)]
    await asyncio.to_thread(user.elsewhere, 2, "+FLAGS (\\Deleted)")
    await user.look()
    assert await subjects(user) == ["Lunch"]


async def test_im_09_a_renumbered_folder_is_kept_anew_without_doubles(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    await put(demo_user, mail("Another"))
    await put(demo_user, mail("Lunch"))
    await put(demo_user, mail("No id", message_id=None))
    await demo_user.look()
    old = {message.ref for message in await kept(demo_user)}
    server.change_uidvalidity(demo_user.address)
    await put(demo_user, mail("New"))
    await demo_user.look()
    assert await subjects(demo_user) == ["Another", "Lunch", "New", "No id"]
    assert old.isdisjoint(message.ref for message in await kept(demo_user))


async def test_only_the_days_that_are_wanted_are_kept(server: MailServer, server_clock: TurnedClock) -> None:
    user = UserUnderTest(server, mail_context(server, "me"), sync_days=30)
    server_clock.offset = timedelta(days=-40)
    await put(user, mail("Old"))
    server_clock.offset = timedelta()
    await put(user, mail("New"))
    await user.look()
    assert await subjects(user) == ["New"]
    more = UserUnderTest(server, user.context, sync_days=0)
    await more.look()
    assert await subjects(more) == ["New", "Old"]
    await user.stop()
    await more.stop()


async def test_what_grows_older_than_is_wanted_is_taken_away_with_its_mail_and_nothing_else_is(
    server: MailServer, server_clock: TurnedClock
) -> None:
    context = mail_context(server, "me")
    clock = context.clock
    assert isinstance(clock, TurnedClock)
    user = UserUnderTest(server, context, sync_days=30, keep="whole")
    server_clock.offset = timedelta(days=-25)
    await put(user, mail("Old", message_id="<old@x.example>"))
    server_clock.offset = timedelta()
    await put(user, mail("New"))
    await user.look()
    (old,) = [message for message in await kept(user) if message.subject == "Old"]
    clock.offset += timedelta(days=20)
    await user.look()
    assert await subjects(user) == ["New"]
    assert await user.mirror.raw("email", "main", old.chat, old.ref) is None
    assert await user.mirror.chat("email", "main", old.chat) is None
    # An answer in that conversation, within the same life of the daemon.
    await put(user, mail("Re: Old", References="<old@x.example>"))
    await user.look()
    assert await subjects(user) == ["New", "Re: Old"]
    assert await user.mirror.chat("email", "main", old.chat) is not None
    await user.stop()


async def test_a_renumbered_folder_counts_nobody_twice(demo_user: UserUnderTest, server: MailServer) -> None:
    await put(demo_user, mail("Lunch"))
    await put(demo_user, mail("Dinner"))
    await demo_user.look()
    server.change_uidvalidity(demo_user.address)
    await put(demo_user, mail("New"))
    await demo_user.look()
    assert await subjects(demo_user) == ["Dinner", "Lunch", "New"]
    with demo_user.mirror._engine.connect() as connection:
        (anna,) = people.called(connection, "Anna", 5)
    assert anna.received == 3


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modules.email.imap.sync.MOST_FETCHED", 2)


@pytest.mark.usefixtures("small_batches")
async def test_a_look_that_was_interrupted_goes_on_where_it_was(demo_user: UserUnderTest, server: MailServer) -> None:
    for number in range(9):
        await put(demo_user, mail(f"Mail {number}"))
    mirror, cursors = demo_user.mirror, demo_user.context.storage.cursors
    assert isinstance(cursors, MemoryCursors)
    keep = mirror.keep

    async def no_third(batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> int:
        if len(mirror.batches) == 2:
            await asyncio.Event().wait()
        return await keep(batch, cursor=cursor)

    mirror.keep = no_third  # type: ignore[method-assign]
    looking = asyncio.create_task(demo_user.look())
    await until(lambda: len(mirror.batches) >= 2)
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    mirror.keep = keep  # type: ignore[method-assign]
    first = {message.ref for batch in mirror.batches for message in batch.messages}
    assert 2 <= len(first) < 9
    asked = len(demo_user.probe.calls)
    # Another process, which knows only what is on disk.
    again = UserUnderTest(server, demo_user.context)
    await again.look()
    assert await subjects(again) == [f"Mail {number}" for number in range(9)]
    kept_again = [m.ref for batch in mirror.batches for m in batch.messages]
    assert len(kept_again) == len(set(kept_again)) == 9
    fetched = {uid for call in demo_user.probe.calls[asked:] for uid in call.args.get("uids", [])}
    assert fetched.isdisjoint(int(ref.rpartition(":")[2]) for ref in first)
    await again.stop()


@pytest.mark.usefixtures("small_batches")
async def test_a_batch_that_could_not_be_stored_is_fetched_again(demo_user: UserUnderTest) -> None:
    for number in range(5):
        await put(demo_user, mail(f"Mail {number}"))
    demo_user.mirror.fail_with = StoreBusyError()
    error = await demo_user.sync.look(lambda: None)
    assert error is not None
    assert error.code is IntegrationErrorCode.UNAVAILABLE
    await demo_user.look()
    assert await subjects(demo_user) == [f"Mail {number}" for number in range(5)]


@pytest.mark.usefixtures("small_batches")
async def test_a_long_look_tells_how_far_it_is(demo_user: UserUnderTest) -> None:
    for number in range(6):
        await put(demo_user, mail(f"Mail {number}"))
    told: list[str] = []
    await demo_user.sync.look(lambda: told.append(demo_user.sync.progress))
    assert "bringing in your mails: 4 of 6 in INBOX" in told
    assert demo_user.sync.progress == ""


async def test_im_22_a_mail_that_breaks_the_parser_is_kept_with_its_problem(user: UserUnderTest) -> None:
    await put(user, mail("One"))
    await put(user, b"\xff\xfe\r\n\r\n" + bytes(range(256)))
    await put(user, mail("Two"))
    await user.look()
    found = {message.subject: message.problems for message in await kept(user)}
    assert set(found) == {"One", "", "Two"}
    assert "there is no sender that can be read" in found[""]


async def test_a_mail_whose_message_id_is_borrowed_hides_no_other(user: UserUnderTest) -> None:
    await put(user, mail("Contract", message_id="<same@x.example>"))
    await put(user, mail("Contract, changed", message_id="<same@x.example>", From="Mallory <m@evil.example>"))
    await user.look()
    assert await subjects(user) == ["Contract", "Contract, changed"]


async def test_news_are_kept_at_once_and_a_refused_login_stops_this_source_only(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    async with demo_user.running() as task:
        await demo_user.deliver(mail("Lunch"))
        await until(lambda: sum(len(batch.messages) for batch in demo_user.mirror.batches) == 1, 10)
        demo_user.context.vault.put("PASSWORD", "no longer right")
        server.drop_imap()
        with pytest.raises(AuthRequiredError):
            await asyncio.wait_for(task, 60)
    (source,) = demo_user.module.sources()
    assert source.health().stopped


async def test_another_mailbox_behind_the_same_account_begins_anew(server: MailServer) -> None:
    user = UserUnderTest(server, mail_context(server, "me"))
    await put(user, mail("Private"))
    await user.look()
    other = mail_context(server, "other").vault
    for name in ("ADDRESS", "PASSWORD"):
        user.context.vault.put(name, other.get(name))
    server.put(other.get("ADDRESS"), mail("Another's"))
    user.sync.forget()
    await user.module.signed_in()
    await user.look()
    assert await subjects(user) == ["Another's"]
    await user.stop()
