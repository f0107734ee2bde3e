"""What a Gmail operation gets of a checked call, and what several operations do with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.post_office import PostOffice
from butler_demo.gmail.records import Message
from butler_demo.google.call import Call, Item, Json
from butler_demo.google.errors import GoogleError, invalid_argument, not_found
from butler_demo.google.schema import decode_bytes

_METADATA_SCOPE = frozenset({"https://www.googleapis.com/auth/gmail.metadata"})
_USELESS_ESTIMATE = 201  # what Gmail says of most lists, whatever their length
_PAGE_MAXIMUM = 500


@dataclass(frozen=True)
class CallContext(Call):
    """One checked call on the mailbox of the token's account."""

    mailbox: Mailbox
    post_office: PostOffice

    def message(self) -> Message:
        """Return the message that the path names. Raises GoogleError 404."""
        message = self.mailbox.get(self.text("id"))
        if message is None:
            raise not_found()
        return message

    def thread(self) -> list[Message]:
        """Return the messages of the thread that the path names, oldest first. Raises GoogleError 404."""
        messages = self.mailbox.thread(self.text("id"))
        if not messages:
            raise not_found()
        return messages

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

    def mail_page(self, items: Sequence[Item]) -> tuple[Sequence[Item], Json]:
        """Return the requested page and the answer's `nextPageToken`. Raises GoogleError 400."""
        size = min(self.number("maxResults", 100), _PAGE_MAXIMUM)
        return self.page(items, size, invalid_argument("Invalid pageToken"))

    def list_answer(self, name: str, items: Sequence[Item], view: Callable[[Item], Json]) -> Json:
        """Return a paged list with Gmail's estimate, which is no count; an empty list is left out of the answer."""
        page, more = self.mail_page(items)
        answer: Json = {"resultSizeEstimate": _USELESS_ESTIMATE if page else 0} | more
        if page:
            answer[name] = [view(item) for item in page]
        return answer

    def labels_to_change(self) -> tuple[list[str], list[str]]:
        """Return the body's labels to add and to remove. Raises GoogleError 400 for unknown or fixed ones."""
        add: list[str] = self.body.get("addLabelIds") or []
        remove: list[str] = self.body.get("removeLabelIds") or []
        self.mailbox.labels.check_change(add, remove)
        return add, remove

    def given_thread(self, message: Json) -> str | None:
        """Return the `threadId` of a message in the body. Raises GoogleError 404 for another mailbox's."""
        thread_id: str | None = message.get("threadId")
        if thread_id and not self.mailbox.thread(thread_id):
            raise not_found()
        return thread_id

    def raw_of(self, message: Json) -> bytes:
        """Return the mail, uploaded or in a message of the body. Raises GoogleError 400 when there is none."""
        if self.media is not None:
            return self.media.data
        raw: str | None = message.get("raw")
        if not raw:
            raise invalid_argument(
                "'raw' RFC822 payload message string or uploading message via /upload/* URL required"
            )
        return decode_bytes(raw)

    def _has_metadata_scope_only(self) -> bool:
        return self.scopes & self.operation.scopes == _METADATA_SCOPE
