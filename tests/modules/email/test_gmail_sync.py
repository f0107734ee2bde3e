"""The mirror of the person's Gmail: the newest first, in pages that survive a kill, and after that what changes."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.mirror import SeenMessage, SeenQuery
from butler_demo.gmail.records import Message
from modules.email.config import GmailSettings
from modules.email.gmail.sync import GmailSync
from modules.email.integration_gmail import GmailIntegration
from modules.email.parsing.reader import MailReader
from tests.modules.email.gmail_account import ME, VARIABLE, WORK, GmailUnderTest, gmail_account
from tests.modules.email.mailhost import ANNA, mail
from tests.support.context import TurnedClock

NOON = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
MOST_STEPS = 100


@pytest.fixture
async def user() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


class Sync:
    """One life of the sync of an account: what a restarted daemon would make anew."""

    def __init__(
        self, user: GmailUnderTest, account: str = "main", reader: MailReader | None = None, **settings: Any
    ) -> None:
        self._user = user
        section = GmailSettings.model_validate({"api_root": user.server.url, "credentials_env": VARIABLE} | settings)
        self.integration = GmailIntegration(section, user.context)
        self._reader = reader or MailReader()
        self.sync = GmailSync(account, section, self.integration, self._reader, user.context)

    async def step(self) -> bool:
        """Whether nothing is left to do before the next look."""
        return not (await self.sync.step()).more

    async def settle(self) -> None:
        """Steps until nothing is left to do before the next look."""
        for _ in range(MOST_STEPS):
            if await self.step():
                return
        raise AssertionError("it does not come to an end")

    async def look(self) -> None:
        """The next look, once it is due."""
        turn(self._user, seconds=61)
        await self.settle()

    async def end(self) -> None:
        self.integration.stop()
        await self._reader.stop()


@pytest.fixture
async def sync(user: GmailUnderTest) -> AsyncIterator[Sync]:
    life = Sync(user)
    yield life
    await life.end()


def turn(user: GmailUnderTest, **by: float) -> None:
    assert isinstance(user.context.clock, TurnedClock)
    user.context.clock.offset += timedelta(**by)


async def kept(user: GmailUnderTest, account: str = "main") -> list[SeenMessage]:
    return list(await user.mirror.messages(SeenQuery("email", account, limit=1000)))


async def subjects(user: GmailUnderTest, account: str = "main") -> list[str]:
    return [message.subject for message in await kept(user, account)]


def deliver(user: GmailUnderTest, count: int, *, newest: datetime = NOON) -> list[Message]:
    """So many mails, an hour apart; the first of the list is `m0`, the newest."""
    numbers = reversed(range(count))
    found = [user.server.deliver(ME, mail(f"m{n}"), received=newest - timedelta(hours=n)) for n in numbers]
    return found[::-1]


# At first


async def test_a_mail_is_kept_with_what_its_headers_say(user: GmailUnderTest, sync: Sync) -> None:
    got = user.server.deliver(ME, mail("Grüße", "It's <b>me</b> & you", Cc="Bob <bob@a.example>"), received=NOON)
    await sync.settle()
    (seen,) = await kept(user)
    assert (seen.chat, seen.ref, seen.order) == (f"gmail:{got.thread_id}", got.id, int(NOON.timestamp() * 1000))
    assert (seen.sender, seen.sender_name, seen.subject) == (f"mail:{ANNA}", "Anna", "Grüße")
    assert seen.text == "It's <b>me</b> & you"
    assert (seen.unread, seen.outgoing, seen.at) == (True, False, NOON)
    assert seen.message_id == got.content.message_id
    assert [person.address for person in seen.others] == ["mail:butler@home.example", "mail:bob@a.example"]
    assert "INBOX" in seen.labels
    assert seen.problems == ()
    (chat,) = await user.mirror.chats("email", "main")
    assert (chat.chat, chat.title, chat.unread, chat.last_order) == (seen.chat, "Grüße", 1, seen.order)


async def test_a_name_that_holds_an_address_is_not_taken_for_the_sender(user: GmailUnderTest, sync: Sync) -> None:
    display = "=?utf-8?q?Anna_=3Canna=40friends.example=3E?="
    user.server.deliver(ME, mail("Money", From=f"{display} <eve@evil.example>"))
    await sync.settle()
    (seen,) = await kept(user)
    assert (seen.sender, seen.sender_name) == ("mail:eve@evil.example", "Anna <anna@friends.example>")


async def test_the_first_sync_brings_the_newest_first_in_pages_of_one_transaction(
    user: GmailUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.gmail.sync.MOST_AT_ONCE", 20)
    deliver(user, 50)
    sync = Sync(user)
    await sync.settle()
    pages = [[message.subject for message in batch.messages] for batch in user.mirror.batches if batch.messages]
    assert [len(page) for page in pages] == [20, 20, 10]
    assert [subject for page in pages for subject in page] == [f"m{number}" for number in range(50)]
    assert sync.sync.progress == ""
    await sync.end()


async def test_a_sync_that_was_killed_at_any_page_goes_on_there(
    user: GmailUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.gmail.sync.MOST_AT_ONCE", 10)
    deliver(user, 30)
    before, done, reader = -1, False, MailReader()
    while not done:
        assert len(await kept(user)) > before, "each life brings a page"
        before = len(await kept(user))
        killed, life = Sync(user, reader=reader), Sync(user, reader=reader)
        await killed.step()  # asks for the history
        user.mirror.fail_with = SystemError("killed before it was stored")
        with pytest.raises(SystemError):
            await killed.step()
        await life.step()
        done = await life.step()
        killed.integration.stop()
        life.integration.stop()
    assert await subjects(user) == [f"m{number}" for number in range(30)]
    await reader.stop()


async def test_only_the_days_that_are_wanted_are_brought(user: GmailUnderTest) -> None:
    deliver(user, 4, newest=NOON - timedelta(days=2))
    deliver(user, 1)
    life = Sync(user, sync_days=1)
    await life.settle()
    assert await subjects(user) == ["m0"]
    await life.end()


async def test_what_grows_older_than_is_wanted_is_taken_away_once_a_day(user: GmailUnderTest) -> None:
    deliver(user, 1, newest=NOON - timedelta(hours=12))
    life = Sync(user, sync_days=1)
    await life.settle()
    assert await subjects(user) == ["m0"]
    (message,) = await kept(user)
    turn(user, hours=23)
    await life.settle()
    assert await subjects(user) == ["m0"], "the day is not over"
    turn(user, hours=2)
    await life.settle()
    assert await subjects(user) == []
    assert await user.mirror.chat("email", "main", message.chat) is None
    await life.end()


async def test_spam_trash_and_drafts_are_not_brought(user: GmailUnderTest, sync: Sync) -> None:
    for label in ("SPAM", "TRASH", "DRAFT"):
        user.server.deliver(ME, mail(label), labels=[label])
    user.server.deliver(ME, mail("Lunch"))
    await sync.settle()
    assert await subjects(user) == ["Lunch"]


async def test_while_mails_are_brought_in_new_ones_are_heard_of_and_progress_is_told(
    user: GmailUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.gmail.sync.MOST_AT_ONCE", 20)
    deliver(user, 60)
    life = Sync(user)
    await life.step()
    await life.step()
    assert life.sync.progress.startswith("bringing in your mails: 20 so far, back to ")
    user.server.deliver(ME, mail("Now"))
    turn(user, seconds=61)
    await life.step()
    assert (await subjects(user))[0] == "Now"
    assert life.sync.progress.startswith("bringing in your mails: 20 so far")
    await life.end()


# What changes


async def test_what_is_new_is_brought_by_the_history(user: GmailUnderTest, sync: Sync) -> None:
    deliver(user, 3)
    await sync.settle()
    spent = user.server.spent_in_all(ME)
    user.server.deliver(ME, mail("Now"))
    await sync.look()
    assert (await subjects(user))[0] == "Now"
    assert user.server.spent_in_all(ME) - spent == 22
    await sync.look()
    assert user.server.spent_in_all(ME) - spent == 24


async def test_labels_are_kept_without_reading_the_mails_again(user: GmailUnderTest, sync: Sync) -> None:
    first, second = deliver(user, 2)
    await sync.settle()
    spent = user.server.spent_in_all(ME)
    user.server.relabel(ME, first.id, remove=["UNREAD"], add=["STARRED"])
    user.server.relabel(ME, second.id, remove=["INBOX"])
    await sync.look()
    assert user.server.spent_in_all(ME) - spent == 2
    by_ref = {message.ref: message for message in await kept(user)}
    assert (by_ref[first.id].unread, "STARRED" in by_ref[first.id].labels) == (False, True)
    assert "INBOX" not in by_ref[second.id].labels
    assert {chat.title: chat.unread for chat in await user.mirror.chats("email")} == {"m0": 0, "m1": 1}


async def test_what_is_deleted_or_thrown_away_is_gone_and_what_is_taken_back_is_there(
    user: GmailUnderTest, sync: Sync
) -> None:
    deleted, thrown, spam, stays = deliver(user, 4)
    await sync.settle()
    user.server.delete(ME, deleted.id)
    user.server.relabel(ME, thrown.id, add=["TRASH"], remove=["INBOX"])
    user.server.relabel(ME, spam.id, add=["SPAM"], remove=["INBOX"])
    await sync.look()
    assert [message.ref for message in await kept(user)] == [stays.id]
    user.server.relabel(ME, thrown.id, remove=["TRASH"])
    await sync.look()
    assert {message.ref for message in await kept(user)} == {thrown.id, stays.id}


async def test_a_mail_that_came_and_went_between_two_looks_is_never_seen(user: GmailUnderTest, sync: Sync) -> None:
    await sync.settle()
    user.server.delete(ME, user.server.deliver(ME, mail("Gone")).id)
    await sync.look()
    assert await kept(user) == []


async def test_what_the_person_sends_is_theirs(user: GmailUnderTest, sync: Sync) -> None:
    await sync.settle()
    to = ({"address": f"mail:{ANNA}"},)
    await user.data("user_email_send_message", to=to, subject="Lunch", body="At one?")
    await sync.look()
    (seen,) = await kept(user)
    assert (seen.sender, seen.outgoing, seen.unread) == (f"mail:{ME}", True, False)


async def test_a_repeated_look_changes_nothing(user: GmailUnderTest, sync: Sync) -> None:
    deliver(user, 3)
    await sync.settle()
    before = await kept(user)
    for message in user.server.mailbox(ME):
        user.server.relabel(ME, message.id, add=["STARRED"])
    user.mirror.fail_with = SystemError("killed")
    turn(user, seconds=61)
    with pytest.raises(SystemError):
        await sync.step()
    assert await kept(user) == before
    again = Sync(user)
    await again.settle()
    assert all("STARRED" in message.labels for message in await kept(user))
    assert len(await kept(user)) == 3
    await again.end()


# Gaps


async def test_gm_02_after_a_404_the_id_goes_on_that_was_current_before_the_listing(
    user: GmailUnderTest, sync: Sync
) -> None:
    deliver(user, 3)
    await sync.settle()
    user.server.forget_history(ME)
    user.server.deliver(ME, mail("In the gap"))
    await sync.look()
    assert (await subjects(user))[0] == "In the gap"
    user.server.deliver(ME, mail("After it"))
    spent = user.server.spent_in_all(ME)
    await sync.look()
    assert (await subjects(user))[0] == "After it"
    assert user.server.spent_in_all(ME) - spent == 22, "the second look lists nothing again"


async def test_gm_02_what_comes_while_the_gap_is_filled_is_not_between_the_two(user: GmailUnderTest) -> None:
    life = Sync(user)
    await life.settle()
    user.server.forget_history(ME)
    turn(user, seconds=61)
    await life.step()  # takes the id of now
    user.server.deliver(ME, mail("Meanwhile"), received=NOON - timedelta(days=300))
    await life.settle()
    await life.look()
    assert await subjects(user) == ["Meanwhile"]
    await life.end()


async def test_gm_03_six_hundred_changes_between_two_looks_are_all_taken(user: GmailUnderTest) -> None:
    deliver(user, 12)
    life = Sync(user, units_per_minute=100_000)
    await life.settle()
    for message in user.server.mailbox(ME):
        for _ in range(25):
            user.server.relabel(ME, message.id, add=["STARRED"])
            user.server.relabel(ME, message.id, remove=["STARRED"])
    user.server.deliver(ME, mail("Now"))
    await life.look()
    assert (await subjects(user))[0] == "Now"
    assert not any("STARRED" in message.labels for message in await kept(user))
    await life.end()


async def test_gm_03_a_gap_is_filled_by_date_and_what_went_in_it_goes(user: GmailUnderTest, sync: Sync) -> None:
    first, second, third = deliver(user, 3)
    await sync.settle()
    user.server.delete(ME, second.id)
    user.server.relabel(ME, third.id, add=["STARRED"])
    fresh = user.server.deliver(ME, mail("Now"))
    user.server.forget_history(ME)
    await sync.look()
    found = {message.ref: message for message in await kept(user)}
    assert set(found) == {first.id, third.id, fresh.id}
    assert "STARRED" in found[third.id].labels
    assert sync.sync.progress.endswith(
        "so 3 mails were looked at again; 0 more that came meanwhile are older than sync_days and left out"
    )


async def test_gm_03_what_a_gap_leaves_out_is_counted_and_told(user: GmailUnderTest) -> None:
    life = Sync(user, sync_days=1)
    await life.settle()
    turn(user, days=10)
    user.server.forget_history(ME)
    week_later = NOON + timedelta(days=7)
    for number in range(3):
        user.server.deliver(ME, mail(f"left {number}"), received=week_later)
    user.server.deliver(ME, mail("Now"), received=NOON + timedelta(days=10))
    await life.settle()
    assert await subjects(user) == ["Now"]
    assert life.sync.progress.endswith(
        "so 1 mails were looked at again; 3 more that came meanwhile are older than sync_days and left out"
    )
    again = Sync(user, sync_days=1)
    await again.settle()
    assert again.sync.progress == life.sync.progress
    await life.end()
    await again.end()


# Accounts


async def test_gm_16_what_two_accounts_hold_is_apart(user: GmailUnderTest, sync: Sync) -> None:
    user.server.deliver(ME, mail("Private"))
    user.server.deliver(WORK, mail("Work"))
    user.vault.values["WORK"] = user.server.credentials_json(WORK)
    work = Sync(user, account="work", credentials_env="WORK")
    await sync.settle()
    await work.settle()
    assert (await subjects(user, "main"), await subjects(user, "work")) == (["Private"], ["Work"])
    await work.end()


async def test_gm_16_another_mailbox_behind_the_same_name_begins_anew(user: GmailUnderTest, sync: Sync) -> None:
    user.server.deliver(ME, mail("Former"))
    await sync.settle()
    user.server.deliver(WORK, mail("Present"))
    user.vault.values[VARIABLE] = user.server.credentials_json(WORK)
    sync.integration.signed_in()
    sync.sync.signed_in()
    await sync.settle()
    assert await subjects(user) == ["Present"]
    assert len(await user.mirror.chats("email", "main")) == 1
