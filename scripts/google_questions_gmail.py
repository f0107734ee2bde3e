# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUnknownLambdaType=false, reportRedeclaration=false
# Google's client builds its methods at run time; the questions are all called `_`, as they are told by their words.
"""The questions about Gmail."""

import base64
from email.message import EmailMessage
from typing import Any

from scripts.google_questions import ME, Side, asks, status


def raw(subject: str, body: str, **headers: str) -> str:
    """Return a mail as the body of a call has it; `file` names an attachment."""
    message = EmailMessage()
    name = headers.pop("file", "")
    for key, value in {"From": "Anna <anna@friends.example>", "To": ME, "Subject": subject, **headers}.items():
        message[key.replace("_", "-")] = value
    message.set_content(body)
    if name:
        message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename=name)
    return base64.urlsafe_b64encode(message.as_bytes()).decode()


@asks("gmail: four mails imported, one of them a reply")
def _(side: Side) -> Any:
    mails = {
        "dinner": raw("Dinner", "See you at eight.", Message_ID="<d1@friends.example>"),
        "reply": raw("Re: Dinner", "Any news?", In_Reply_To="<d1@friends.example>", References="<d1@friends.example>"),
        "invoice": raw("Invoice 17", "Please pay by Friday.", From="Shop <billing@shop.example>", file="invoice.pdf"),
        "rent": raw("Rent", "The rent.", From="rent@house.example"),
    }
    for name, mail in mails.items():
        body = {"raw": mail, "labelIds": ["INBOX", "UNREAD"]}
        side.kept[name] = side.gmail.messages().import_(userId="me", body=body).execute()
    first = side.gmail.messages().get(userId="me", id=side.kept["dinner"]["id"], format="minimal").execute()
    side.kept["history"] = first["historyId"]
    return side.kept["reply"]["threadId"] == side.kept["dinner"]["threadId"]


def found(side: Side, query: str) -> list[str]:
    """Return the names of the mails that a query finds."""
    listed = side.gmail.messages().list(userId="me", q=query).execute().get("messages", [])
    names = {side.kept[name]["id"]: name for name in ("dinner", "reply", "invoice", "rent")}
    return sorted(names.get(message["id"], "?") for message in listed)


for _query in (
    "",
    "dinner",
    "din",
    "from:anna",
    "from:friends.example",
    "-from:anna",
    "subject:dinner",
    "subject:(dinner OR rent)",
    '"see you at"',
    "is:unread",
    "is:read",
    "in:inbox",
    "label:inbox",
    "has:attachment",
    "filename:pdf",
    "newer_than:1d",
    "older_than:1d",
    "{from:billing from:rent}",
    "from:billing OR from:rent",
    "rfc822msgid:d1@friends.example",
    "larger:1M",
):
    asks(f"gmail: q={_query!r}")(lambda side, query=_query: found(side, query))


@asks("gmail: messages in the thread")
def _(side: Side) -> Any:
    thread = side.gmail.threads().get(userId="me", id=side.kept["dinner"]["threadId"]).execute()
    return len(thread["messages"])


@asks("gmail: an attachment's content")
def _(side: Side) -> Any:
    message = side.gmail.messages().get(userId="me", id=side.kept["invoice"]["id"]).execute()
    part = next(part for part in message["payload"]["parts"] if part.get("filename"))
    key = {"userId": "me", "messageId": message["id"], "id": part["body"]["attachmentId"]}
    return base64.urlsafe_b64decode(side.gmail.messages().attachments().get(**key).execute()["data"])


@asks("gmail: labels after a change")
def _(side: Side) -> Any:
    body = {"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]}
    return sorted(
        side.gmail.messages().modify(userId="me", id=side.kept["rent"]["id"], body=body).execute()["labelIds"]
    )


@asks("gmail: the kinds of change in the history")
def _(side: Side) -> Any:
    answer = side.gmail.history().list(userId="me", startHistoryId=side.kept["history"]).execute()
    told = [set(entry) - {"id", "messages"} for entry in answer.get("history", [])]
    return sorted(kind for kinds in told for kind in kinds)


@asks("gmail: history from an id that is too old")
def _(side: Side) -> Any:
    return side.gmail.history().list(userId="me", startHistoryId="1").execute()


@asks("gmail: labels after trash, and after untrash")
def _(side: Side) -> Any:
    key = {"userId": "me", "id": side.kept["rent"]["id"]}
    trashed = side.gmail.messages().trash(**key).execute()["labelIds"]
    return sorted(trashed), sorted(side.gmail.messages().untrash(**key).execute()["labelIds"])


@asks("gmail: batchModify of 1,001 ids")
def _(side: Side) -> Any:
    body = {"ids": ["1"] * 1001, "addLabelIds": ["STARRED"]}
    return side.gmail.messages().batchModify(userId="me", body=body).execute()


@asks("gmail: a nested label, and the same again")
def _(side: Side) -> Any:
    made = side.gmail.labels().create(userId="me", body={"name": "Projects/Butler"}).execute()
    side.kept["label"] = made["id"]
    return made["name"], status(
        lambda: side.gmail.labels().create(userId="me", body={"name": "projects/butler"}).execute()
    )


@asks("gmail: deleting INBOX")
def _(side: Side) -> Any:
    return side.gmail.labels().delete(userId="me", id="INBOX").execute()


@asks("gmail: adding a label that is not there")
def _(side: Side) -> Any:
    body = {"addLabelIds": ["Label_404"]}
    return side.gmail.messages().modify(userId="me", id=side.kept["dinner"]["id"], body=body).execute()


@asks("gmail: a draft sent, gone afterwards, and sent again")
def _(side: Side) -> Any:
    body = {"message": {"raw": raw("Late", "Ten minutes.", To="anna@friends.example", From=ME)}}
    draft = side.gmail.drafts().create(userId="me", body=body).execute()
    sent = side.gmail.drafts().send(userId="me", body={"id": draft["id"]}).execute()
    gone = status(lambda: side.gmail.drafts().get(userId="me", id=draft["id"]).execute())
    again = status(lambda: side.gmail.drafts().send(userId="me", body={"id": draft["id"]}).execute())
    return "SENT" in sent["labelIds"], "DRAFT" in sent["labelIds"], gone, again


@asks("gmail: a mail to nobody")
def _(side: Side) -> Any:
    message = EmailMessage()
    message["Subject"] = "To nobody"
    message.set_content("Hello")
    body = {"raw": base64.urlsafe_b64encode(message.as_bytes()).decode()}
    return side.gmail.messages().send(userId="me", body=body).execute()


@asks("gmail: a field that the API does not have")
def _(side: Side) -> Any:
    return side.gmail.messages().send(userId="me", body={"rawMail": "x"}).execute()


@asks("gmail: a mail that is not there")
def _(side: Side) -> Any:
    return side.gmail.messages().get(userId="me", id="18c0000000009999").execute()


@asks("gmail: pages of two hold everything once")
def _(side: Side) -> Any:
    ids: list[str] = []
    token: str | None = None
    while not ids or token:
        page = side.gmail.messages().list(userId="me", maxResults=2, pageToken=token).execute()
        ids += [message["id"] for message in page["messages"]]
        token = page.get("nextPageToken")
    return len(ids), len(set(ids))


@asks("gmail: the estimate of a page of one of five")
def _(side: Side) -> Any:
    return side.gmail.messages().list(userId="me", maxResults=1).execute()["resultSizeEstimate"]


@asks("gmail: a partial answer")
def _(side: Side) -> Any:
    return side.gmail.messages().get(userId="me", id=side.kept["dinner"]["id"], fields="id,snippet").execute().keys()


@asks("gmail: a token that nobody issued")
def _(side: Side) -> Any:
    return side.stranger.labels().list(userId="me").execute()


@asks("gmail: the status of the own address among those to send as")
def _(side: Side) -> Any:
    (own,) = side.gmail.settings().sendAs().list(userId="me").execute()["sendAs"]
    return own["isPrimary"], own.get("verificationStatus")
