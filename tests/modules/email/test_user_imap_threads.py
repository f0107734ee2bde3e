"""Conversations of the person's mailbox over IMAP, told by the server or grouped here: the same ones."""

from typing import Any

import pytest

from modules.email.imap.syntax import read_threads
from modules.email.imap.threads import bare_subject, conversations
from modules.email.parsing.parsed import ParsedMail
from tests.modules.email.mailhost import ANNA, UserUnderTest, mail

THREADS = "user_email_list_threads"


async def threads(user: UserUnderTest, **args: Any) -> list[dict[str, Any]]:
    result = await user.do(THREADS, **args)
    return result.data["threads"] if result.data else []


async def test_each_conversation_is_its_newest_mail_and_how_many_there_are(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", message_id="<a@x.example>"))
    await user.deliver(mail("Invoice", message_id="<i@x.example>"))
    await user.deliver(mail("Re: Lunch", message_id="<b@x.example>", References="<a@x.example>"))
    await user.deliver(mail("Re: Lunch", message_id="<c@x.example>", In_Reply_To="<b@x.example>"))
    result = await user.do(THREADS)
    assert result.data is not None, result.error
    lunch, invoice = result.data["threads"]
    assert (lunch["subject"], lunch["messages"], lunch["unread_messages"]) == ("Re: Lunch", 3, 3)
    assert (lunch["from"], invoice["subject"], invoice["messages"]) == (ANNA, "Invoice", 1)
    assert (result.data["count"], result.data["complete"]) == (2, True)
    read = await user.do("user_email_read_message", message_id=lunch["message_id"])
    assert read.data is not None, read.error
    assert read.data["message"]["thread"].startswith("mail:<")


async def test_a_conversation_is_found_by_any_of_its_mails(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", "With pears", message_id="<a@x.example>"))
    await user.deliver(mail("Re: Lunch", "Fine", References="<a@x.example>"))
    await user.deliver(mail("Invoice"))
    (found,) = await threads(user, words="pears")
    assert (found["subject"], found["messages"]) == ("Re: Lunch", 2)
    assert await threads(user, words="unheard-of") == []
    assert [thread["subject"] for thread in await threads(user, limit=1)] == ["Invoice"]


async def test_conversations_beyond_the_newest_mails_are_told_as_perhaps_more(
    demo_user: UserUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.imap.user_threads._MOST_GROUPED", 1)
    await demo_user.deliver(mail("One"))
    await demo_user.deliver(mail("Two"))
    result = await demo_user.do(THREADS)
    assert result.data is not None, result.error
    assert [thread["subject"] for thread in result.data["threads"]] == ["Two"]
    assert not result.data["complete"]
    assert result.data["reason"] == "only the newest 1 mails were looked at"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"THREAD (2)(3 6 (4 23)(44 7 96))", [[2], [3, 6, 4, 23, 44, 7, 96]]),
        (b"THREAD ((3)(5))", [[3, 5]]),
        (b"THREAD", []),
    ],
)
def test_an_answer_to_thread_is_read_however_it_is_nested(line: bytes, found: list[list[int]]) -> None:
    assert read_threads([line]) == found


def test_headers_join_what_belongs_together() -> None:
    mails = {
        1: ParsedMail(subject="Lunch", message_id="<a@x>"),
        2: ParsedMail(subject="Re: Lunch", message_id="<c@x>", references=("<a@x>", "<lost@x>")),
        3: ParsedMail(subject="Aw: Lunch", message_id="<d@x>", in_reply_to="<lost@x>"),
        4: ParsedMail(subject="Lunch", message_id="<e@x>"),
        5: ParsedMail(subject="RE: Invoice", message_id="<f@x>"),
        6: ParsedMail(subject="Invoice", message_id="<g@x>"),
    }
    assert conversations(mails) == [[1, 2, 3], [4], [5, 6]]


def test_a_subject_is_bared_of_what_answers_and_forwards_put_before_it() -> None:
    assert bare_subject("Re: AW: Fwd: re[2]: Lunch  at one") == "Lunch at one"
    assert bare_subject("Regarding: lunch") == "Regarding: lunch"
