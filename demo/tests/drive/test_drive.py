"""What the Drive stand-in answers: files, searches, shared drives, changes and channels."""

import pytest
from googleapiclient.errors import HttpError

from butler_demo.drive.operations import OPERATIONS
from butler_demo.google.description import load_description

ANNA = "anna@friends.example"
ME = "me@home.example"
FEW = {"kind", "id", "name", "mimeType"}


async def refusal(client, build):
    with pytest.raises(HttpError) as refused:
        await client(build)
    return refused.value.status_code, refused.value.error_details[0]["reason"]


async def test_content_is_downloaded_and_what_googles_editors_made_is_exported(server, me):
    plain = server.add_file(ME, "a.txt", b"abc", "text/plain")
    assert await me(lambda api: api.files().get_media(fileId=plain)) == b"abc"
    letter = server.add_document(ME, "Plan", {"application/pdf": b"%PDF-"})
    assert await me(lambda api: api.files().export(fileId=letter, mimeType="application/pdf")) == b"%PDF-"
    assert await refusal(me, lambda api: api.files().get_media(fileId=letter)) == (403, "fileNotDownloadable")
    assert (await refusal(me, lambda api: api.files().export(fileId=letter, mimeType="image/png")))[0] == 400
    assert (await refusal(me, lambda api: api.files().export(fileId=plain, mimeType="text/plain")))[0] == 403


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("trashed = false", {"Invoice March.pdf", "Taxes", "it's.txt"}),
        ("trashed = true", set()),
        ("name contains 'march'", {"Invoice March.pdf"}),
        ("name contains 'nvoice'", set()),
        (r"name contains 'it\'s' and trashed = false", {"it's.txt"}),
        ("'FOLDER' in parents", {"it's.txt"}),
        ("fullText contains 'office tax'", {"it's.txt"}),
        ("(name contains 'Inv' or fullText contains 'taxes') and trashed = false", {"Invoice March.pdf", "Taxes"}),
        ("modifiedTime > '2026-03-10T12:00:00'", {"Taxes", "it's.txt"}),
    ],
)
async def test_a_query_finds_what_drive_would_find(server, me, clock, query, found):
    server.add_file(ME, "Invoice March.pdf", b"x", "application/pdf")
    clock.advance(days=1)
    folder = server.add_folder(ME, "Taxes")
    server.add_file(ME, "it's.txt", b"The tax office says yes.", "text/plain", parent=folder)
    listed = await me(lambda api: api.files().list(q=query.replace("FOLDER", folder)))
    assert {file["name"] for file in listed["files"]} == found


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("name contains x", 400),
        ("name contains 'x", 400),
        ("(trashed = true", 400),
        ("modifiedTime > 'yesterday'", 400),
        ("name contains 'x' name contains 'y'", 400),
        ("starred = true", 501),
    ],
)
async def test_a_query_that_cannot_be_is_refused(me, query, status):
    assert (await refusal(me, lambda api: api.files().list(q=query)))[0] == status


async def test_a_file_is_nobodys_business_until_its_folder_is_shared(server, anna):
    folder = server.add_folder(ME, "Folder")
    inside = server.add_file(ME, "a.txt", b"x", parent=folder)
    assert await refusal(anna, lambda api: api.files().get(fileId=inside)) == (404, "notFound")
    server.share(folder, ANNA)
    assert await anna(lambda api: api.files().get(fileId=inside))
    assert {file["name"] for file in server.files(ANNA)} == {"Folder", "a.txt"}


async def test_a_shared_drive_is_there_for_who_says_that_they_know_of_such(server, me):
    drive = server.add_shared_drive(ANNA, "The house")
    lease = server.add_file(ANNA, "lease.txt", b"x", parent=drive)
    server.share(drive, ME)
    assert await refusal(me, lambda api: api.files().get(fileId=lease)) == (404, "notFound")
    assert set(await me(lambda api: api.files().get(fileId=lease, supportsAllDrives=True))) == FEW
    told = await me(lambda api: api.files().get(fileId=lease, supportsAllDrives=True, fields="driveId,owners"))
    assert told == {"driveId": drive}
    every = {"supportsAllDrives": True, "includeItemsFromAllDrives": True, "q": "trashed = false"}
    assert (await me(lambda api: api.files().list(**every)))["files"] == []
    for where in ({"corpora": "allDrives"}, {"corpora": "drive", "driveId": drive}):
        listed = await me(lambda api, where=where: api.files().list(**every, **where))
        assert [file["id"] for file in listed["files"]] == [lease]
    assert (await refusal(me, lambda api: api.files().list(corpora="allDrives", q="trashed = false")))[0] == 400


async def test_changes_tell_each_file_once_and_what_is_gone(server, me):
    file_id = server.add_file(ME, "a.txt", b"x", "text/plain")
    token = (await me(lambda api: api.changes().getStartPageToken()))["startPageToken"]
    server.share(file_id, ANNA)
    other = server.add_file(ME, "b.txt", b"x")
    server.share(file_id, ANNA)
    server.delete(other)
    first = await me(lambda api: api.changes().list(pageToken=token, pageSize=1))
    assert (first["changes"][0]["fileId"], first["changes"][0]["removed"]) == (file_id, False)
    last = await me(lambda api: api.changes().list(pageToken=first["nextPageToken"], pageSize=1))
    assert (last["changes"][0]["fileId"], last["changes"][0]["removed"]) == (other, True)
    after = last["newStartPageToken"]
    assert (await me(lambda api: api.changes().list(pageToken=after)))["changes"] == []
    server.forget_changes()
    for wrong in (token, "0", "999999", "abc"):
        assert await refusal(me, lambda api, wrong=wrong: api.changes().list(pageToken=wrong)) == (400, "invalid")


async def test_the_account_is_told_of_with_its_fields_named_only(me):
    assert await me(lambda api: api.about().get(fields="user(emailAddress)")) == {"user": {"emailAddress": ME}}
    assert await refusal(me, lambda api: api.about().get()) == (400, "required")


async def test_what_writes_is_not_there(server, me):
    file_id = server.add_file(ME, "a.txt", b"x")
    assert (await refusal(me, lambda api: api.files().delete(fileId=file_id)))[0] == 404


def test_every_operation_is_in_the_description():
    assert set(OPERATIONS) <= set(load_description("drive", "v3").operations)
