"""Reading the person's mailbox over IMAP leaves it as it was, and an id never shows another mail."""

import asyncio
from typing import Any

import pytest

from butler.contract.errors import IntegrationErrorCode
from butler_demo.mailbox.server import MailServer
from modules.email.imap.user_ids import MailRef, read_ref
from tests.modules.email.mailhost import ANNA, UserUnderTest, mail, mail_context, servers

SEARCH = "user_email_search_inbox"
READ = "user_email_read_message"


async def rows(user: UserUnderTest, **args: Any) -> list[dict[str, Any]]:
    result = await user.do(SEARCH, **args)
    return result.data["messages"] if result.data else []


async def subjects(user: UserUnderTest, **args: Any) -> list[str]:
    return [row["subject"] for row in await rows(user, **args)]


async def test_a_search_finds_what_came_in_archived_or_not(user: UserUnderTest) -> None:
    await user.deliver(mail("Invoice 1"))
    await asyncio.to_thread(user.host.put, user.address, mail("Invoice 2"), "Archive")
    await asyncio.to_thread(user.host.put, user.address, mail("Invoice 3"), "Sent")
    await user.deliver(mail("Lunch"))
    result = await user.do(SEARCH, subject="invoice")
    assert result.data is not None, result.error
    assert sorted(row["subject"] for row in result.data["messages"]) == ["Invoice 1", "Invoice 2"]
    assert (result.data["count"], result.data["complete"]) == (2, True)


PLACES = {"inbox": "INBOX", "archive": "Archive", "sent": "Sent", "drafts": "Drafts", "trash": "Trash"}


async def test_a_search_may_be_in_one_place_alone(demo_user: UserUnderTest) -> None:
    for place, folder in PLACES.items():
        await asyncio.to_thread(demo_user.host.put, demo_user.address, mail(f"Invoice {place}"), folder)
    for place in PLACES:
        assert await subjects(demo_user, subject="invoice", place=place) == [f"Invoice {place}"]
        assert await subjects(demo_user, place=place) == [f"Invoice {place}"]
    assert await subjects(demo_user, place="spam") == [], "this server has no such folder"


async def test_mails_with_a_file_and_flagged_ones_are_found(user: UserUnderTest) -> None:
    parts = "--x\r\nContent-Type: text/plain\r\n\r\nSee it.\r\n--x--\r\n"
    await user.deliver(mail("Lunch"))
    await user.deliver(mail("Invoice", parts, Content_Type='multipart/mixed; boundary="x"'))
    assert await subjects(user, attachment=True) == ["Invoice"]
    assert await subjects(user, starred=True) == []
    await asyncio.to_thread(user.elsewhere, 1, "+FLAGS (\\Flagged)")
    assert await subjects(user, starred=True) == await subjects(user, important=True) == ["Lunch"]


async def test_an_id_names_account_folder_uidvalidity_and_uid(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", message_id="<m@friends.example>"))
    (row,) = await rows(user)
    ref = read_ref(row["message_id"])
    assert ref is not None
    assert (ref.account, ref.folder, ref.message_id) == ("main", "INBOX", "<m@friends.example>")
    assert ref.uid == (await user.mailbox())[0].uid


@pytest.mark.parametrize("folder", ["INBOX", '"Sent Items"', "INBOX/a&AOQ-:b"])
def test_an_id_is_read_as_it_was_written(folder: str) -> None:
    ref = MailRef("work", folder, 17, 4, "<a:b@x.example>")
    assert read_ref(str(ref)) == ref
    assert " " not in str(ref)


@pytest.mark.parametrize("text", ["", "<m@friends.example>", "gmail:18c0", "imap:main:INBOX:1", "imap:main:INBOX:x:1:"])
async def test_what_is_no_id_is_no_mail(demo_user: UserUnderTest, text: str) -> None:
    assert read_ref(text) is None
    result = await demo_user.do(READ, message_id=text)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_im_05_reading_leaves_every_flag_as_it_was(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", "At one?", Cc="Ben <ben@friends.example>", Reply_To="list@friends.example"))
    before = await user.flags()
    result = await user.do(READ, message_id=await user.id_of("Lunch"))
    assert result.data is not None, result.error
    message = result.data["message"]
    assert (message["text"], message["from"], message["unread"]) == ("At one?", ANNA, True)
    assert (message["to"], message["cc"]) == (["butler@home.example"], ["ben@friends.example"])
    assert message["reply_to"] == ["list@friends.example"]
    await user.do("user_email_list_threads")
    assert await user.flags() == before


@pytest.mark.parametrize("subject", ["Grüße aus Köln", "会议纪要"])
async def test_im_15_a_search_beyond_ascii_finds_what_is_there(user: UserUnderTest, subject: str) -> None:
    await user.deliver(mail(subject, Content_Type="text/plain; charset=utf-8"))
    await user.deliver(mail("Something else"))
    assert await subjects(user, subject=subject.split(maxsplit=1)[0]) == [subject]
    assert await subjects(user, subject="Überraschung") == []


async def test_im_15_a_server_that_knows_no_utf_8_is_searched_from_here(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    await demo_user.deliver(mail("Grüße", "one"))
    await demo_user.deliver(mail("Else", "two"))
    server.fail_imap("SEARCH", "NO", "[BADCHARSET (US-ASCII)] What is this?")
    assert await subjects(demo_user, subject="GRÜSSE") == ["Grüße"]
    server.fail_imap("SEARCH", "NO", "[BADCHARSET (US-ASCII)] What is this?")
    result = await demo_user.do("user_email_list_threads", subject="Grüße")
    assert result.data is not None, result.error
    assert [thread["subject"] for thread in result.data["threads"]] == ["Grüße"]


async def test_im_09_an_old_number_never_shows_another_mail(demo_user: UserUnderTest, server: MailServer) -> None:
    for number in range(2):
        server.put(demo_user.address, mail(f"Mail {number}", message_id=None))
    key = await demo_user.id_of("Mail 0")
    server.change_uidvalidity(demo_user.address)
    result = await demo_user.do(READ, message_id=key)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert result.error.message == "this mail is no longer where it was; search again"


async def test_im_09_a_mail_that_bears_a_message_id_is_found_under_its_new_number(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    server.put(demo_user.address, mail("Another"))
    server.put(demo_user.address, mail("Lunch", "At one?"))
    key = await demo_user.id_of("Lunch")
    server.change_uidvalidity(demo_user.address)
    result = await demo_user.do(READ, message_id=key)
    assert result.data is not None, result.error
    assert result.data["message"]["text"] == "At one?"
    assert result.data["message"]["message_id"] != key


async def test_im_09_a_number_that_was_given_to_another_mail_shows_neither(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    # A server that breaks its word and keeps the UIDVALIDITY.
    server.put(demo_user.address, mail("Lunch"))
    key = await demo_user.id_of("Lunch")
    ref = read_ref(key)
    assert ref is not None
    server.put(demo_user.address, mail("Another"))
    swapped = MailRef(ref.account, ref.folder, ref.uidvalidity, ref.uid + 1, "<gone@friends.example>")
    result = await demo_user.do(READ, message_id=str(swapped))
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_a_mail_that_was_archived_since_the_list_is_found_again(user: UserUnderTest) -> None:
    raw = mail("Lunch", "At one?")
    await asyncio.to_thread(user.host.put, user.address, raw, "Archive")
    archived = read_ref(await user.id_of("Lunch"))
    assert archived is not None
    moved = MailRef(archived.account, "INBOX", archived.uidvalidity, 4711, archived.message_id)
    result = await user.do(READ, message_id=str(moved))
    assert result.data is not None, result.error
    assert result.data["message"]["message_id"] == str(archived)


async def test_an_id_of_one_account_is_refused_by_another(server: MailServer) -> None:
    context = mail_context(server, "me", WORK_ADDRESS="work@home.example", WORK_PASSWORD="of work")
    server.add_mailbox("work@home.example", "of work")
    work = servers(server) | {"address_env": "WORK_ADDRESS", "password_env": "WORK_PASSWORD", "provider": "smtp_imap"}
    user = UserUnderTest(server, context, {"work": work})
    server.put("work@home.example", mail("Of work"))
    server.put(user.address, mail("Private"))
    assert await subjects(user) == ["Private"]
    key = await user.id_of("Of work", account="work")
    assert (await user.do(READ, message_id=key, account="work")).ok
    result = await user.do(READ, message_id=key)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    assert result.error.message == "this mail is in your account work, not in main"
    await user.module.stop()
