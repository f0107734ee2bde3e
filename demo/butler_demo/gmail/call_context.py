"""What a Gmail operation gets of a checked call, and what several operations do with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.post_office import PostOffice
from butler_demo.google.call import Call, Item, Json
from butler_demo.google.errors import invalid_argument, not_in_stand_in

_USELESS_ESTIMATE = 201  # what Gmail says of most lists, whatever their length
_PAGE_MAXIMUM = 500


@dataclass(frozen=True)
class CallContext(Call):
    """One checked call on the mailbox of the token's account."""

    mailbox: Mailbox
    post_office: PostOffice

    def format(self, *here: str) -> str:
        """Return the format asked for, one of these. Raises GoogleError 501 for one that is not here."""
        form = self.text("format")
        if form not in here:
            raise not_in_stand_in(f"the format {form} of {self.operation.id}")
        return form

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
