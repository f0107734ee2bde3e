"""Permissions, scopes, changes, and the common door."""

import json

import pytest
from googleapiclient.errors import HttpError

from butler_demo.drive.operations import OPERATIONS
from butler_demo.google.description import load_description

ANNA = "anna@friends.example"
ME = "me@home.example"
SCOPE = "https://www.googleapis.com/auth/drive"


async def refusal(client, build):
    with pytest.raises(HttpError) as refused:
        await client(build)
    return refused.value.status_code, refused.value.error_details[0]["reason"]


async def give(client, file_id, **options):
    body = {"type": "user", "role": "reader", "emailAddress": ANNA} | options.pop("body", {})
    return await client(lambda api: api.permissions().create(fileId=file_id, body=body, **options))


@pytest.fixture
def file_id(server):
    return server.add_file(ME, "a.txt", b"x", "text/plain")


async def test_a_file_is_nobodys_business_until_it_is_shared(server, me, anna, file_id):
    assert await refusal(anna, lambda api: api.files().get(fileId=file_id)) == (404, "notFound")
    given = await give(me, file_id, emailMessage="Look")
    assert given["role"] == "reader"
    assert [(notice.to, notice.message) for notice in server.notices] == [(ANNA, "Look")]
    told = await anna(lambda api: api.files().get(fileId=file_id, fields="parents,shared,owners(emailAddress)"))
    assert told == {"parents": [], "shared": True, "owners": [{"emailAddress": ME}]}
    body = {"name": "mine.txt"}
    assert await refusal(anna, lambda api: api.files().update(fileId=file_id, body=body)) == (
        403,
        "insufficientFilePermissions",
    )
    await give(me, file_id, body={"role": "writer"}, sendNotificationEmail=False)
    await anna(lambda api: api.files().update(fileId=file_id, body=body))
    assert await refusal(anna, lambda api: api.files().delete(fileId=file_id)) == (403, "insufficientFilePermissions")
    assert len(server.notices) == 1
    listed = await me(lambda api: api.permissions().list(fileId=file_id, fields="permissions(emailAddress,role)"))
    assert listed["permissions"] == [{"emailAddress": ME, "role": "owner"}, {"emailAddress": ANNA, "role": "writer"}]


async def test_a_folder_shares_what_is_in_it(server, anna):
    folder = server.add_folder(ME, "Folder")
    inside = server.add_file(ME, "a.txt", b"x", parent=folder)
    server.share(folder, ANNA, "writer")
    await anna(lambda api: api.files().update(fileId=inside, body={"name": "b.txt"}))
    assert {file["name"] for file in server.files(ANNA)} == {"Folder", "b.txt"}


async def test_a_link_opens_a_file_and_lists_it_nowhere(server, me, anna, file_id):
    await give(me, file_id, body={"type": "anyone", "emailAddress": None})
    assert await anna(lambda api: api.files().get(fileId=file_id))
    assert (await anna(lambda api: api.files().list()))["files"] == []


async def test_a_permission_changes_and_goes(server, me, anna, file_id):
    given = await give(me, file_id)
    key = {"fileId": file_id, "permissionId": given["id"]}
    await me(lambda api: api.permissions().update(**key, body={"role": "writer"}))
    assert (await me(lambda api: api.permissions().get(**key)))["role"] == "writer"
    await anna(lambda api: api.permissions().delete(**key))
    assert await refusal(anna, lambda api: api.files().get(fileId=file_id)) == (404, "notFound")
    (owner,) = (await me(lambda api: api.permissions().list(fileId=file_id)))["permissions"]
    assert await refusal(me, lambda api: api.permissions().delete(fileId=file_id, permissionId=owner["id"])) == (
        403,
        "cannotRemoveOwner",
    )


async def test_ownership_is_given_away_only_on_purpose(server, me, file_id):
    assert await refusal(
        me,
        lambda api: api.permissions().create(
            fileId=file_id, body={"type": "user", "role": "owner", "emailAddress": ANNA}
        ),
    ) == (403, "forbidden")
    await give(me, file_id, body={"role": "owner"}, transferOwnership=True)
    told = await me(lambda api: api.files().get(fileId=file_id, fields="ownedByMe,owners(emailAddress)"))
    assert told == {"ownedByMe": False, "owners": [{"emailAddress": ANNA}]}


async def test_changes_tell_each_file_once_and_what_is_gone(server, me, file_id):
    token = (await me(lambda api: api.changes().getStartPageToken()))["startPageToken"]
    server.write(file_id, b"new")
    other = server.add_file(ME, "b.txt", b"x")
    server.write(file_id, b"newer")
    await me(lambda api: api.files().delete(fileId=other))
    first = await me(lambda api: api.changes().list(pageToken=token, pageSize=1))
    assert (first["changes"][0]["fileId"], first["changes"][0]["removed"]) == (file_id, False)
    last = await me(lambda api: api.changes().list(pageToken=first["nextPageToken"], pageSize=1))
    assert (last["changes"][0]["fileId"], last["changes"][0]["removed"]) == (other, True)
    assert "file" not in last["changes"][0]
    after = last["newStartPageToken"]
    assert (await me(lambda api: api.changes().list(pageToken=after)))["changes"] == []
    kept = await me(lambda api: api.changes().list(pageToken=token, includeRemoved=False))
    assert [change["fileId"] for change in kept["changes"]] == [file_id]


async def test_a_file_that_is_no_longer_shared_is_gone_for_who_saw_it(server, me, anna, file_id):
    given = await give(me, file_id)
    token = (await anna(lambda api: api.changes().getStartPageToken()))["startPageToken"]
    await me(lambda api: api.permissions().delete(fileId=file_id, permissionId=given["id"]))
    (change,) = (await anna(lambda api: api.changes().list(pageToken=token)))["changes"]
    assert change["removed"]


async def test_a_page_token_that_is_too_old_or_made_up_is_refused(server, me, file_id):
    token = (await me(lambda api: api.changes().getStartPageToken()))["startPageToken"]
    server.forget_changes()
    for wrong in (token, "0", "999999", "abc"):
        assert await refusal(me, lambda api, wrong=wrong: api.changes().list(pageToken=wrong)) == (400, "invalid")
    fresh = (await me(lambda api: api.changes().getStartPageToken()))["startPageToken"]
    assert (await me(lambda api: api.changes().list(pageToken=fresh)))["changes"] == []


async def test_the_narrow_scope_reaches_only_what_the_client_made(server, connect, file_id):
    narrow = connect(server, ME, scopes=[f"{SCOPE}.file"])
    made = await narrow(lambda api: api.files().create(body={"name": "mine"}))
    assert [file["id"] for file in (await narrow(lambda api: api.files().list()))["files"]] == [made["id"]]
    assert await refusal(narrow, lambda api: api.files().get(fileId=file_id)) == (404, "notFound")


async def test_a_scope_for_metadata_reads_no_content_and_writes_nothing(server, connect, file_id):
    reader = connect(server, ME, scopes=[f"{SCOPE}.metadata.readonly"])
    assert await reader(lambda api: api.files().get(fileId=file_id))
    for build in (
        lambda api: api.files().get_media(fileId=file_id),
        lambda api: api.files().create(body={"name": "x"}),
    ):
        with pytest.raises(HttpError) as refused:
            await reader(build)
        error = json.loads(refused.value.content)["error"]
        assert (error["code"], error["errors"][0]["reason"]) == (403, "insufficientPermissions")
        assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"


async def test_faults_come_by_order(server, me, file_id):
    server.fail("drive.files.list", 500, "internalError")
    assert await refusal(me, lambda api: api.files().list()) == (500, "internalError")
    assert await me(lambda api: api.files().list())
    assert server.spent(ME) == 200


def test_a_role_that_cannot_be_given_is_refused(server, file_id):
    with pytest.raises(ValueError, match="not as owner"):
        server.share(file_id, ANNA, "owner")
    with pytest.raises(KeyError):
        server.write("nothing", b"x")


def test_every_operation_is_in_the_description():
    assert set(OPERATIONS) <= set(load_description("drive", "v3").operations)


async def test_a_shared_drive_is_there_for_who_says_that_they_know_of_such(server, me):
    drive = server.add_shared_drive(ANNA, "The house")
    lease = server.add_file(ANNA, "lease.txt", b"x", "text/plain", parent=drive)
    knows = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}

    async def found(**options):
        return [file["id"] for file in (await me(lambda api: api.files().list(**options)))["files"]]

    assert await refusal(me, lambda api: api.files().get(fileId=lease, supportsAllDrives=True)) == (404, "notFound")
    server.share(drive, ME)
    assert await refusal(me, lambda api: api.files().get(fileId=lease)) == (404, "notFound")
    file = await me(lambda api: api.files().get(fileId=lease, supportsAllDrives=True, fields="driveId,owners"))
    assert file == {"driveId": drive}
    assert lease not in await found()
    assert lease not in await found(**knows)
    assert lease in await found(corpora="allDrives", **knows)
    assert await found(corpora="drive", driveId=drive, **knows) == [lease]
    for options in ({"corpora": "allDrives"}, {"corpora": "drive", **knows}, {"driveId": drive, **knows}):
        status, _ = await refusal(me, lambda api, options=options: api.files().list(**options))
        assert status == 400
