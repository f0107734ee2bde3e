"""Making, reading, changing and deleting files."""

import io

import pytest
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseDownload, MediaIoBaseUpload

ANNA = "anna@friends.example"
ME = "me@home.example"
DOCUMENT = "application/vnd.google-apps.document"


def upload(data, kind="text/plain", **options):
    return MediaIoBaseUpload(io.BytesIO(data), mimetype=kind, **options)


async def refusal(client, build):
    with pytest.raises(HttpError) as refused:
        await client(build)
    return refused.value.status_code, refused.value.error_details[0]["reason"]


async def content(client, file_id):
    return await client(lambda api: api.files().get_media(fileId=file_id))


@pytest.mark.parametrize("options", [{}, {"resumable": True}, {"resumable": True, "chunksize": 256 * 1024}])
async def test_a_file_is_uploaded_and_comes_back_as_it_was(me, options):
    data = b"line\r\n\r\n--x\x00\xff" * 25_000
    media = upload(data, "application/pdf", **options)
    made = await me(lambda api: api.files().create(body={"name": "scan.pdf"}, media_body=media, fields="*"))
    assert (made["mimeType"], made["size"], made["fileExtension"]) == ("application/pdf", str(len(data)), "pdf")
    assert await content(me, made["id"]) == data


async def test_content_alone_makes_a_file_without_a_name(me):
    made = await me(lambda api: api.files().create(media_body=upload(b"hello"), fields="name,parents,ownedByMe"))
    root = (await me(lambda api: api.files().get(fileId="root")))["id"]
    assert made == {"name": "Untitled", "parents": [root], "ownedByMe": True}


async def test_few_words_are_told_where_no_fields_are_named(server, me):
    file_id = server.add_file(ME, "a.txt", b"x", "text/plain")
    few = {"kind": "drive#file", "id": file_id, "name": "a.txt", "mimeType": "text/plain"}
    assert await me(lambda api: api.files().get(fileId=file_id)) == few
    assert (await me(lambda api: api.files().list()))["files"] == [few]
    named = await me(lambda api: api.files().list(fields="files(id,size)"))
    assert named == {"files": [{"id": file_id, "size": "1"}]}


async def test_a_large_file_comes_in_pieces(server, me):
    data = bytes(range(256)) * 1000
    file_id = server.add_file(ME, "large", data)

    def download():
        into = io.BytesIO()
        pieces = MediaIoBaseDownload(into, me.service.files().get_media(fileId=file_id), chunksize=100_000)
        done = False
        while not done:
            _, done = pieces.next_chunk()
        return into.getvalue()

    assert await me.in_thread(download) == data
    assert server.spent_on(ME) == {"drive.files.get:media": 600}


async def test_what_googles_editors_made_is_exported_and_not_downloaded(server, me):
    file_id = server.add_document(ME, "Plan", {"text/plain": b"Plan A", "application/pdf": b"%PDF-"})
    exported = await me(lambda api: api.files().export(fileId=file_id, mimeType="application/pdf"))
    assert exported == b"%PDF-"
    assert await refusal(me, lambda api: api.files().get_media(fileId=file_id)) == (403, "fileNotDownloadable")
    assert await refusal(me, lambda api: api.files().export(fileId=file_id, mimeType="image/png")) == (
        400,
        "badRequest",
    )
    plain = server.add_file(ME, "a.txt", b"x")
    assert await refusal(me, lambda api: api.files().export(fileId=plain, mimeType="text/plain")) == (
        403,
        "fileNotExportable",
    )
    body = {"name": "Notes", "mimeType": DOCUMENT}
    made = await me(lambda api: api.files().create(body=body, media_body=upload(b"Hi")))
    assert await me(lambda api: api.files().export(fileId=made["id"], mimeType="text/plain")) == b"Hi"


async def test_a_file_changes_its_words_content_and_place(server, me, clock):
    folder = server.add_folder(ME, "Folder")
    file_id = server.add_file(ME, "a.txt", b"x", "text/plain")
    before = await me(lambda api: api.files().get(fileId=file_id, fields="*"))
    clock.advance(minutes=1)
    changed = await me(
        lambda api: api.files().update(
            fileId=file_id,
            body={"name": "b.txt", "properties": {"kind": "note"}},
            media_body=upload(b"new"),
            addParents=folder,
            removeParents=before["parents"][0],
            fields="*",
        )
    )
    assert (changed["name"], changed["size"], changed["parents"]) == ("b.txt", "3", [folder])
    assert changed["properties"] == {"kind": "note"}
    assert changed["modifiedTime"] > before["modifiedTime"]
    assert changed["md5Checksum"] != before["md5Checksum"]
    assert await refusal(me, lambda api: api.files().update(fileId=file_id, addParents="root")) == (
        403,
        "cannotAddParent",
    )
    for body in ({"parents": ["root"]}, {"size": "7"}):
        assert await refusal(me, lambda api, body=body: api.files().update(fileId=file_id, body=body)) == (
            403,
            "fieldNotWritable",
        )


async def test_an_id_asked_for_first_makes_a_repeat_harmless(server, me):
    (file_id,) = (await me(lambda api: api.files().generateIds(count=1)))["ids"]
    body = {"id": file_id, "name": "Once"}
    await me(lambda api: api.files().create(body=body))
    assert await refusal(me, lambda api: api.files().create(body=body)) == (409, "fileIdInUse")
    assert await refusal(me, lambda api: api.files().create(body=body | {"id": "own"})) == (400, "invalid")
    assert len(server.files(ME)) == 1


async def test_the_trash_gives_back_and_deleting_does_not(server, me):
    folder = server.add_folder(ME, "Folder")
    inside = server.add_file(ME, "a.txt", b"x", parent=folder)
    await me(lambda api: api.files().update(fileId=folder, body={"trashed": True}))
    told = await me(lambda api: api.files().get(fileId=inside, fields="trashed,explicitlyTrashed"))
    assert told == {"trashed": True, "explicitlyTrashed": False}
    await me(lambda api: api.files().update(fileId=folder, body={"trashed": False}))
    assert not await me(lambda api: api.files().delete(fileId=folder))
    assert await refusal(me, lambda api: api.files().get(fileId=inside)) == (404, "notFound")
    binned = server.add_file(ME, "b.txt", b"x")
    await me(lambda api: api.files().update(fileId=binned, body={"trashed": True}))
    await me(lambda api: api.files().emptyTrash())
    assert server.files(ME) == []


async def test_a_copy_is_a_file_of_its_own(server, me):
    file_id = server.add_file(ANNA, "a.txt", b"x")
    server.share(file_id, ME)
    copy = await me(lambda api: api.files().copy(fileId=file_id, body={"name": "mine.txt"}, fields="id,ownedByMe"))
    assert copy["ownedByMe"]
    server.write(file_id, b"changed")
    assert await content(me, copy["id"]) == b"x"
    folder = server.add_folder(ME, "Folder")
    assert await refusal(me, lambda api: api.files().copy(fileId=folder)) == (403, "cannotCopyFile")


async def test_the_account_is_told_of_with_its_fields_named_only(server, me):
    server.add_file(ME, "a.txt", b"xyz")
    about = await me(lambda api: api.about().get(fields="user(emailAddress),storageQuota/usage"))
    assert about == {"user": {"emailAddress": ME}, "storageQuota": {"usage": "3"}}
    assert await refusal(me, lambda api: api.about().get()) == (400, "required")
