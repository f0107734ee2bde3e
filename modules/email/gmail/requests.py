"""Requests to Gmail, as Google's client builds them."""

from typing import Any

from modules._accounts.google_client import Build
from modules.email.smtp.compose import CALL_MARK

_SHOWN = ("From", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Content-Type", CALL_MARK)
_ME = "me"


def profile() -> Build:
    return lambda users: users.getProfile(userId=_ME)


def watch(topic: str) -> Build:
    return lambda users: users.watch(userId=_ME, body={"topicName": topic})


def stop() -> Build:
    return lambda users: users.stop(userId=_ME)


def send_as() -> Build:
    return lambda users: users.settings().sendAs().list(userId=_ME)


def history(start: str, kinds: list[str], page_size: int, cursor: str | None) -> Build:
    page = {"maxResults": page_size, "pageToken": cursor}
    return lambda users: users.history().list(userId=_ME, startHistoryId=start, historyTypes=kinds, **page)


def list_messages(query: str, labels: list[str], page_size: int, cursor: str | None) -> Build:
    page = {"maxResults": page_size, "pageToken": cursor}
    return lambda users: users.messages().list(userId=_ME, q=query, labelIds=labels, **page)


def list_threads(query: str, page_size: int, cursor: str | None) -> Build:
    return lambda users: users.threads().list(userId=_ME, q=query, maxResults=page_size, pageToken=cursor)


def get_message(one: str) -> Build:
    """Request a whole mail."""
    return lambda users: users.messages().get(userId=_ME, id=one, format="raw")


def get_headers(one: str) -> Build:
    """Request the headers that a list shows."""
    shown = list(_SHOWN)
    return lambda users: users.messages().get(userId=_ME, id=one, format="metadata", metadataHeaders=shown)


def get_thread(one: str) -> Build:
    shown = list(_SHOWN)
    return lambda users: users.threads().get(userId=_ME, id=one, format="metadata", metadataHeaders=shown)


def labels() -> Build:
    return lambda users: users.labels().list(userId=_ME)


def create_label(name: str) -> Build:
    return lambda users: users.labels().create(userId=_ME, body={"name": name})


def batch_modify(ids: list[str], add: list[str], remove: list[str]) -> Build:
    body = {"ids": ids, "addLabelIds": add, "removeLabelIds": remove}
    return lambda users: users.messages().batchModify(userId=_ME, body=body)


def create_draft(message: dict[str, Any]) -> Build:
    return lambda users: users.drafts().create(userId=_ME, body={"message": message})


def list_drafts(most: int) -> Build:
    return lambda users: users.drafts().list(userId=_ME, maxResults=most)


def get_draft(one: str) -> Build:
    """Request the id and headers of the mail that a draft holds now."""
    return lambda users: users.drafts().get(userId=_ME, id=one, format="metadata")


def delete_draft(one: str) -> Build:
    return lambda users: users.drafts().delete(userId=_ME, id=one)


def send_draft(one: str) -> Build:
    return lambda users: users.drafts().send(userId=_ME, body={"id": one})
