"""Mails sent through the upload addresses, in the three ways of Google's client library."""

import io

import aiohttp
import pytest
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload

ANNA = "anna@friends.example"
ME = "me@home.example"


def upload(raw, *, kind="message/rfc822", **options):
    return MediaIoBaseUpload(io.BytesIO(raw), mimetype=kind, **options)


@pytest.fixture
def raw(mail):
    return mail("By upload.", To=ANNA, Subject="Upload", attachment=b"--x\r\n\r\n--\x00\xff" * 50)


async def test_a_mail_alone_is_sent(server, me, raw):
    await me(lambda users: users.messages().send(userId="me", media_body=upload(raw)))
    assert server.sent_by(ME)[0].message.content.attachments == ("invoice.pdf",)


async def test_a_mail_with_its_thread_is_sent(server, me, mail, raw):
    thread_id = server.deliver(ME, mail(To=ME, Subject="Upload")).thread_id
    body = {"threadId": thread_id}
    answer = await me(lambda users: users.messages().send(userId="me", body=body, media_body=upload(raw)))
    assert answer["threadId"] == thread_id


async def test_a_resumable_upload_is_sent_when_its_last_chunk_is_there(server, me, mail):
    raw = mail(To=ANNA, Subject="Large", attachment=b"x" * 600_000)
    media = upload(raw, resumable=True, chunksize=256 * 1024)
    await me(lambda users: users.messages().send(userId="me", body={}, media_body=media))
    (sent,) = server.sent_by(ME)
    assert sent.message.raw.endswith(raw.replace(b"\n", b"\r\n").partition(b"\r\n\r\n")[2])


async def test_a_draft_is_made_and_changed_by_upload(server, me, mail, raw):
    draft = await me(lambda users: users.drafts().create(userId="me", body={}, media_body=upload(raw)))
    changed = mail(To=ANNA, Subject="Changed")
    await me(lambda users: users.drafts().update(userId="me", id=draft["id"], media_body=upload(changed)))
    await me(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
    assert server.sent_by(ME)[0].message.content.subject == "Changed"


async def test_only_mails_are_taken(server, me, raw):
    media = upload(raw, kind="text/plain")
    with pytest.raises(HttpError, match="Media type 'text/plain' is not supported"):
        await me(lambda users: users.messages().send(userId="me", media_body=media))
    assert server.sent_by(ME) == ()


async def test_an_upload_that_broke_off_goes_on_where_it_stopped(server, mail):
    raw = mail(To=ANNA, Subject="Large", attachment=b"x" * 300_000).replace(b"\n", b"\r\n")
    unit, size = 256 * 1024, len(raw)
    headers = {"Authorization": f"Bearer {server.token_for(ME)}", "X-Upload-Content-Type": "message/rfc822"}
    address = f"{server.url}upload/gmail/v1/users/me/messages/send?uploadType=resumable"
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.post(address) as answer:
            session_address = answer.headers["Location"]

        async def put(chunk, content_range):
            async with session.put(session_address, data=chunk, headers={"Content-Range": content_range}) as answer:
                return answer.status, answer.headers.get("Range")

        assert await put(raw[:1000], f"bytes 0-999/{size}") == (400, None)
        assert await put(raw[:unit], f"bytes 0-{unit - 1}/{size}") == (308, f"bytes=0-{unit - 1}")
        assert await put(raw[:unit], f"bytes 0-{unit - 1}/{size}") == (400, None)
        assert await put(b"", f"bytes */{size}") == (308, f"bytes=0-{unit - 1}")
        assert await put(raw[unit:], f"bytes {unit}-{size - 1}/{size}") == (200, None)
    assert len(server.sent_by(ME)) == 1
