"""Drive's search language, order and pages."""

import pytest
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"


@pytest.fixture
async def names(server, me, clock):
    """Files made a day apart; the names by id."""
    server.add_file(ME, "Invoice March.pdf", b"x" * 10, "application/pdf")
    clock.advance(days=1)
    folder = server.add_folder(ME, "Taxes 2026")
    clock.advance(days=1)
    inside = server.add_file(ME, "it's 'done'.txt", b"The tax office says yes.", "text/plain", parent=folder)
    clock.advance(days=1)
    server.add_document(ME, "HelloWorld", {"text/plain": b"A plan for the garden"})
    shared = server.add_file(ANNA, "Holiday.jpg", b"x" * 5, "image/jpeg")
    server.share(shared, ME, "writer")
    binned = server.add_file(ME, "Old.txt", b"old", "text/plain")
    body = {"trashed": True}
    await me(lambda api: api.files().update(fileId=binned, body=body))
    body = {"starred": True, "appProperties": {"butler": "1"}}
    await me(lambda api: api.files().update(fileId=inside, body=body))
    return {"folder": folder}


EVERYTHING = {"Invoice March.pdf", "Taxes 2026", "it's 'done'.txt", "HelloWorld", "Holiday.jpg", "Old.txt"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", EVERYTHING),
        ("trashed = false", EVERYTHING - {"Old.txt"}),
        ("trashed=true", {"Old.txt"}),
        ("trashed != false", {"Old.txt"}),
        ("name contains 'inv'", {"Invoice March.pdf"}),
        ("name contains 'march'", {"Invoice March.pdf"}),
        ("name contains 'Hello'", {"HelloWorld"}),
        ("name contains 'World'", set()),
        (r"name = 'it\'s \'done\'.txt'", {"it's 'done'.txt"}),
        ("name != 'HelloWorld' and mimeType contains 'application/'", {"Invoice March.pdf", "Taxes 2026"}),
        ("mimeType = 'application/vnd.google-apps.folder'", {"Taxes 2026"}),
        ("mimeType != 'text/plain' and not mimeType contains 'application/'", {"Holiday.jpg"}),
        ("'FOLDER' in parents", {"it's 'done'.txt"}),
        ("'root' in parents and trashed = false", {"Invoice March.pdf", "Taxes 2026", "HelloWorld"}),
        ("'me' in owners", EVERYTHING - {"Holiday.jpg"}),
        ("'anna@friends.example' in owners", {"Holiday.jpg"}),
        ("'me@home.example' in writers and not 'me' in owners", {"Holiday.jpg"}),
        ("sharedWithMe", {"Holiday.jpg"}),
        ("sharedWithMe = false and name contains 'Ho'", set()),
        ("starred = true", {"it's 'done'.txt"}),
        ("fullText contains 'tax'", {"it's 'done'.txt"}),
        ("fullText contains 'office tax'", {"it's 'done'.txt"}),
        ("fullText contains '\"office tax\"'", set()),
        ("fullText contains 'garden'", {"HelloWorld"}),
        ("modifiedTime > '2026-03-13T11:00:00'", EVERYTHING - {"Invoice March.pdf", "Taxes 2026"}),
        ("modifiedTime <= '2026-03-10T13:00:00+01:00'", {"Invoice March.pdf"}),
        ("createdTime < '2026-03-11T12:00:01Z'", {"Invoice March.pdf", "Taxes 2026"}),
        ("appProperties has { key='butler' and value='1' }", {"it's 'done'.txt"}),
        ("(name contains 'Inv' or name contains 'Hol') and trashed = false", {"Invoice March.pdf", "Holiday.jpg"}),
        ("name contains 'Inv' or name contains 'Hol' and trashed = true", {"Invoice March.pdf"}),
    ],
)
async def test_a_query_finds_what_drive_would_find(me, names, query, found):
    answer = await me(lambda api: api.files().list(q=query.replace("FOLDER", names["folder"])))
    assert {file["name"] for file in answer["files"]} == found


@pytest.mark.parametrize(
    "query",
    [
        "name",
        "name like 'x'",
        "name contains x",
        "name contains 'x",
        "name contains 'x' and",
        "(trashed = true",
        "trashed = 'yes'",
        "modifiedTime > 'yesterday'",
        "'me' in families",
        "colour = 'red'",
        "name contains 'x' name contains 'y'",
    ],
)
async def test_a_query_that_drive_would_refuse_is_refused(me, query):
    with pytest.raises(HttpError, match="Invalid Value") as refused:
        await me(lambda api: api.files().list(q=query))
    assert (refused.value.status_code, refused.value.error_details[0]["location"]) == (400, "q")


async def test_files_come_in_the_order_asked_for_and_each_on_one_page(me, names):
    by_name = "trashed = false"
    listed, token = [], None
    while not listed or token:
        page = await me(
            lambda api, t=token: api.files().list(q=by_name, orderBy="folder,name desc", pageSize=2, pageToken=t)
        )
        listed += [file["name"] for file in page["files"]]
        token = page.get("nextPageToken")
    assert listed == ["Taxes 2026", "it's 'done'.txt", "Invoice March.pdf", "Holiday.jpg", "HelloWorld"]
    for options in ({"orderBy": "colour"}, {"pageSize": 1001}, {"pageToken": "nonsense"}):
        with pytest.raises(HttpError) as refused:
            await me(lambda api, options=options: api.files().list(**options))
        assert refused.value.status_code == 400
