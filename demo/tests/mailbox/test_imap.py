"""The stand-in's IMAP side, driven by aioimaplib."""

import asyncio
import imaplib
import re
from urllib.parse import urlsplit

import pytest

from butler_demo.mailbox.server import MailServer
from demo.tests.mailbox.clients import connected, text_of
from demo.tests.mailbox.conftest import BUTLER, MAIL, PASSWORD, Login


async def test_a_wrong_password_is_refused_and_a_right_one_opens_the_inbox(server: MailServer) -> None:
    async with connected(server.imap_url) as client:
        refused = await client.login(BUTLER, "wrong")
        assert (refused.result, "AUTHENTICATIONFAILED" in text_of(refused)) == ("NO", True)
        assert (await client.login(BUTLER, PASSWORD)).result == "OK"
        assert (await client.select()).result == "OK"
        assert (await client.logout()).result == "OK"


async def test_imaps_is_verified_against_the_throw_away_authority(server: MailServer) -> None:
    async with connected(server.imaps_url, server.ca_file) as client:
        assert (await client.login(BUTLER, PASSWORD)).result == "OK"


async def test_xoauth2_takes_the_token_and_refuses_only_after_the_client_answers(server: MailServer) -> None:
    async with connected(server.imap_url) as client:
        assert (await client.xoauth2(BUTLER, "good-token")).result == "OK"
    server.set_token(BUTLER, "another")
    async with connected(server.imap_url) as client:
        attempt = asyncio.ensure_future(client.xoauth2(BUTLER, "good-token"))
        await asyncio.wait({attempt}, timeout=0.2)
        assert not attempt.done()
        assert client.protocol.pending_sync_command.response.lines[0].startswith(b"+ ")
        client.protocol.send("")
        assert (await attempt).result == "NO"


async def test_the_special_folders_are_listed_with_their_use(login: Login) -> None:
    client = await login(None)
    listed = text_of(await client.list('""', "*"))
    assert '(\\HasNoChildren) "/" "INBOX"' in listed
    assert '(\\HasNoChildren \\Sent) "/" "Sent"' in listed
    assert "Sent" not in text_of(await client.list('""', "D%"))


async def test_idle_pushes_a_delivered_mail(server: MailServer, login: Login) -> None:
    client = await login()
    idle = await client.idle_start(timeout=10)
    server.deliver(MAIL, "anna@friends.example", [BUTLER])
    assert b"1 EXISTS" in await client.wait_server_push(timeout=60)
    client.idle_done()
    await asyncio.wait_for(idle, 60)


async def test_silent_idle_says_nothing_until_the_client_asks(server: MailServer, login: Login) -> None:
    client = await login()
    server.silent_idle = True
    idle = await client.idle_start(timeout=10)
    server.deliver(MAIL, "anna@friends.example", [BUTLER])
    with pytest.raises(TimeoutError):
        await client.wait_server_push(timeout=0.2)
    client.idle_done()
    await asyncio.wait_for(idle, 60)
    assert (await client.uid_search("ALL")).lines[0] == b"1"


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        (("ALL",), b"1 2 3"),
        (("UNSEEN",), b"1 3"),
        (("SEEN",), b"2"),
        (("NOT", "SEEN"), b"1 3"),
        (("OR", "SEEN", "UID", "3"), b"2 3"),
        (("HEADER", "Message-ID", "<one@friends.example>"), b"1"),
        (("HEADER", "Message-ID", '"<nowhere>"'), b""),
        (("SUBJECT", "from"), b"1"),
        (("SUBJECT", '"Grüße"'), b"1"),
        (("FROM", '"anna@"'), b"1"),
        (("TEXT", "plain"), b"2 3"),
        (("KEYWORD", "$Done"), b"2"),
        (("UNKEYWORD", "$Done"), b"1 3"),
        (("SINCE", "1-Jan-2026"), b"1 2 3"),
        (("BEFORE", "1-Jan-2026"), b""),
        (("UID", "2:*"), b"2 3"),
        (("UID", "90:*"), b"3"),
        (("LARGER", "100"), b"1"),
    ],
)
async def test_search_finds_what_is_there(
    server: MailServer, login: Login, criteria: tuple[str, ...], found: bytes
) -> None:
    server.put(BUTLER, MAIL)
    server.put(BUTLER, b"Subject: two\r\n\r\nplain\r\n", "INBOX", "\\Seen", "$Done")
    server.put(BUTLER, b"Subject: three\n\nplain\n")
    client = await login()
    assert (await client.uid_search(*criteria)).lines[0] == found


async def test_a_charset_it_does_not_know_is_refused_with_badcharset(login: Login) -> None:
    client = await login()
    refused = await client.uid_search("ALL", charset="KOI8-R")
    assert (refused.result, "BADCHARSET" in text_of(refused)) == ("NO", True)


async def test_peeking_leaves_a_mail_unread_and_reading_marks_it(server: MailServer, login: Login) -> None:
    server.put(BUTLER, MAIL)
    client = await login()
    peeked = await client.uid("fetch", "1", "(UID FLAGS RFC822.SIZE BODY.PEEK[])")
    assert bytes(peeked.lines[1]) == MAIL
    assert f"RFC822.SIZE {len(MAIL)}" in text_of(peeked)
    assert not server.mailbox(BUTLER)[0].seen
    await client.uid("fetch", "1", "BODY[TEXT]")
    assert server.mailbox(BUTLER)[0].seen


async def test_header_fields_and_partials_are_cut_byte_by_byte(server: MailServer, login: Login) -> None:
    parts = (
        b'Subject: two parts\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\npreamble\r\n'
        b"--b\r\nContent-Type: text/plain\r\n\r\nwords\r\n"
        b'--b\r\nContent-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment; filename="a.csv"\r\n'
        b"\r\n1,2\r\n--b--\r\n"
    )
    server.put(BUTLER, parts)
    client = await login()
    fields = await client.uid("fetch", "1", "BODY.PEEK[HEADER.FIELDS (Subject From)]")
    assert bytes(fields.lines[1]) == b"Subject: two parts\r\n\r\n"
    assert bytes((await client.uid("fetch", "1", "BODY.PEEK[]<9.3>")).lines[1]) == b"two"
    structure = text_of(await client.uid("fetch", "1", "(BODYSTRUCTURE)"))
    assert '("text" "csv" ("name" "a.csv") NIL NIL "7bit" 3 0 NIL ("attachment" ("filename" "a.csv"))' in structure


async def test_keywords_and_flags_are_kept(server: MailServer, login: Login) -> None:
    server.put(BUTLER, MAIL)
    client = await login()
    stored = await client.uid("store", "1", "+FLAGS", r"(\Seen $Butler)")
    assert r"FLAGS ($Butler \Seen)" in text_of(stored)
    assert (await client.uid("store", "1", "-FLAGS.SILENT", r"(\Seen)")).lines == [b"Completed"]
    assert server.mailbox(BUTLER)[0].flags == {"$Butler"}


async def test_a_change_of_flags_by_another_client_is_told_once(server: MailServer, login: Login) -> None:
    server.put(BUTLER, MAIL)
    one, other = await login(), await login()
    await one.uid("store", "1", "+FLAGS", r"(\Flagged)")
    assert r"FETCH (FLAGS (\Flagged))" in text_of(await other.noop())
    assert "FETCH" not in text_of(await other.noop())
    assert "FETCH" not in text_of(await one.noop())


async def test_move_says_where_the_mail_went_and_copy_keeps_it(server: MailServer, login: Login) -> None:
    server.put(BUTLER, MAIL)
    server.put(BUTLER, MAIL)
    client = await login()
    copied = await client.uid("copy", "1:2", "Archive")
    assert re.search(r"\[COPYUID \d+ 1,2 1,2\]", text_of(copied))
    moved = await client.uid("move", "1", "Archive")
    assert re.search(r"OK \[COPYUID \d+ 1 3\]", text_of(moved))
    assert b"1 EXPUNGE" in moved.lines
    assert [mail.uid for mail in server.mailbox(BUTLER)] == [2]
    assert "COPYUID" not in text_of(await client.uid("move", "77", "Archive"))
    nowhere = await client.uid("move", "2", "Nowhere")
    assert (nowhere.result, "TRYCREATE" in text_of(nowhere)) == ("NO", True)


async def test_append_says_the_uid_and_uids_are_never_used_again(server: MailServer, login: Login) -> None:
    client = await login()
    opened = text_of(await client.select("INBOX"))
    validity = re.search(r"UIDVALIDITY (\d+)", opened)
    assert validity is not None
    assert "UIDNEXT 1]" in opened
    appended = await client.append(MAIL, "INBOX", flags=r"\Seen $Seed")
    assert f"[APPENDUID {validity[1]} 1]" in text_of(appended)
    await client.uid("store", "1", "+FLAGS", r"(\Deleted)")
    assert b"1 EXPUNGE" in (await client.uid("expunge", "1")).lines
    again = text_of(await client.append(MAIL, "INBOX"))
    assert f"[APPENDUID {validity[1]} 2]" in again


async def test_folders_are_created_and_a_missing_one_is_not_opened(server: MailServer, login: Login) -> None:
    client = await login()
    assert (await client.create("Travel/2026")).result == "OK"
    assert (await client.create("Travel/2026")).result == "NO"
    assert (await client.select("Nowhere")).result == "NO"
    assert server.mailbox(BUTLER, "Travel/2026") == []


@pytest.mark.parametrize(
    "line",
    ["FETCH 1 (BOGUS)", "UID FETCH 0 FLAGS", "SEARCH", "UID SEARCH SUBJECT Grüße", "FETCH 9 FLAGS", "NONSENSE",
     "STORE 1 FLAGS (\\Recent)", "SELECT", "UID FETCH 1 (FLAGS", "LOGIN a b"],
)  # fmt: skip
async def test_what_is_no_imap_is_answered_bad(login: Login, line: str) -> None:
    client = await login()
    answer = asyncio.Event()
    seen: list[bytes] = []
    client.protocol._response_done = lambda text: (seen.append(text), answer.set())
    client.protocol.send(f"X1 {line}")
    await asyncio.wait_for(answer.wait(), 60)
    assert seen[0].startswith(b"X1 BAD")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\r\nonly a body",
        b"not a header\r\nSubject: x\r\n\r\ny",
        b"Message-ID: <a@b>\r\nMessage-Id: <c@d>\r\n\r\nb",
        b'Date: Thu, 8 11 9 6:3:14 -5\r\nFrom: "unclosed <a@b, ;;: <<>> @\r\nTo: undisclosed:;\r\n\r\nx',
        b'Subject: =?klingon?q?=FF=FE?=\r\nContent-Type: text/plain; charset="\xff\xfe"\r\n\r\n\xff',
        b'Subject: =?utf-8?b?=?= =?utf-8?b?a?=\r\nContent-Type: ;;;=/\r\nContent-Disposition: =;"\r\n\r\nx',
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x",
        b"Content-Type: multipart/mixed; boundary*=utf-8''%ff\r\n\r\n--\r\n",
        b"Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nx",
        b"Subject: " + b"a" * 100_000 + b"\r\n\r\nx",
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(200)),
    ],
    ids=range(12),
)
async def test_odd_mails_are_served_whole_and_break_no_session(server: MailServer, raw: bytes) -> None:
    server.put(BUTLER, raw)
    items = ("BODYSTRUCTURE", "BODY.PEEK[HEADER.FIELDS (SUBJECT)]", "BODY.PEEK[TEXT]", "BODY.PEEK[]")
    keys = ("SUBJECT x", "FROM x", "TEXT x", "HEADER Message-ID x")

    def read() -> tuple[list[str], bytes]:
        with imaplib.IMAP4("127.0.0.1", urlsplit(server.imap_url).port, timeout=60) as client:
            client.login(BUTLER, PASSWORD)
            client.select()
            results = [client.uid("SEARCH", key)[0] for key in keys]
            answers = [client.uid("FETCH", "1", f"({item})") for item in items]
        return results + [result for result, _ in answers], answers[-1][1][0][1]

    results, served = await asyncio.to_thread(read)
    assert (set(results), served) == ({"OK"}, raw)
