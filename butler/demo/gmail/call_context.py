"""What an operation gets of a checked request, and what several operations do with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from butler.demo.gmail.description import Operation, Parameters
from butler.demo.gmail.google_errors import GoogleError, invalid_argument, not_found
from butler.demo.gmail.mailbox import Mailbox
from butler.demo.gmail.post_office import PostOffice
from butler.demo.gmail.records import Message
from butler.demo.gmail.schema import decode_bytes

Json: TypeAlias = dict[str, Any]
Item = TypeVar("Item")

_METADATA_SCOPE = frozenset({"https://www.googleapis.com/auth/gmail.metadata"})
_ESTIMATE_WITH_MORE_PAGES = 201  # what Gmail says whenever there is a next page: no count
_PAGE_MAXIMUM = 500


@dataclass(frozen=True)
class CallContext:
    """One request whose parameters, body, token and scopes have been checked."""

    operation: Operation
    parameters: Parameters
    body: Json
    mailbox: Mailbox
    post_office: PostOffice
    scopes: frozenset[str]
    now: datetime

    def text(self, name: str) -> str:
        """Return a string parameter, empty if it was not given."""
        value = self.parameters.get(name, "")
        return value if isinstance(value, str) else str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a repeated parameter."""
        value = self.parameters.get(name, ())
        return value if isinstance(value, tuple) else (str(value),)

    def flag(self, name: str) -> bool:
        """Return a boolean parameter."""
        return self.parameters.get(name) is True

    def message(self) -> Message:
        """Return the message that the path names. Raises GoogleError 404."""
        message = self.mailbox.get(self.text("id"))
        if message is None:
            raise not_found()
        return message

    def format(self) -> str:
        """Return the requested format. Raises GoogleError 403 where the metadata scope forbids it."""
        form = self.text("format")
        if self._has_metadata_scope_only() and form in ("full", "raw"):
            raise GoogleError(403, "forbidden", f"Metadata scope doesn't allow format {form.upper()}")
        return form

    def query(self) -> str:
        """Return the search text. Raises GoogleError 403 where the metadata scope forbids searching."""
        text = self.text("q")
        if text and self._has_metadata_scope_only():
            raise GoogleError(403, "forbidden", "Metadata scope does not support 'q' parameter")
        return text

    def page(self, items: Sequence[Item]) -> tuple[Sequence[Item], Json]:
        """Return the requested page and the answer's `nextPageToken`. Raises GoogleError 400."""
        token = self.text("pageToken") or "0"
        if not token.isdecimal():
            raise invalid_argument("Invalid pageToken")
        start = int(token)
        size = int(self.text("maxResults"))
        end = start + min(size or 100, _PAGE_MAXIMUM)
        return items[start:end], {"nextPageToken": str(end)} if end < len(items) else {}

    def list_answer(self, name: str, items: Sequence[Json]) -> Json:
        """Return a paged list with Gmail's estimate; an empty list is left out of the answer."""
        page, more = self.page(items)
        answer: Json = {"resultSizeEstimate": _ESTIMATE_WITH_MORE_PAGES if more else len(items)} | more
        if page:
            answer[name] = list(page)
        return answer

    def labels_to_change(self) -> tuple[list[str], list[str]]:
        """Return the body's labels to add and to remove. Raises GoogleError 400 for unknown or fixed ones."""
        add: list[str] = self.body.get("addLabelIds") or []
        remove: list[str] = self.body.get("removeLabelIds") or []
        for label_id in [*add, *remove]:
            if label_id not in self.mailbox.labels or label_id in ("SENT", "DRAFT"):
                raise invalid_argument(f"Invalid label: {label_id}")
        return add, remove

    def given_thread(self, message: Json) -> str | None:
        """Return the `threadId` of a message in the body. Raises GoogleError 404 for another mailbox's."""
        thread_id: str | None = message.get("threadId")
        if thread_id and not self.mailbox.thread(thread_id):
            raise not_found()
        return thread_id

    def _has_metadata_scope_only(self) -> bool:
        return self.scopes & self.operation.scopes == _METADATA_SCOPE


def raw_of(message: Json) -> bytes:
    """Return the decoded mail of a message in the body. Raises GoogleError 400 when there is none."""
    raw: str | None = message.get("raw")
    if not raw:
        raise invalid_argument("'raw' RFC822 payload message string or uploading message via /upload/* URL required")
    return decode_bytes(raw)
