"""The labels of one mailbox: Gmail's own, which nobody changes, and the user's, whose names may nest."""

import itertools
import re
from collections.abc import Collection
from dataclasses import replace

from butler_demo.gmail.records import Label
from butler_demo.google.errors import GoogleError, invalid_argument

SYSTEM_LABELS = (
    "INBOX",
    "SENT",
    "DRAFT",
    "TRASH",
    "SPAM",
    "UNREAD",
    "STARRED",
    "IMPORTANT",
    "CHAT",
    "CATEGORY_PERSONAL",
    "CATEGORY_SOCIAL",
    "CATEGORY_PROMOTIONS",
    "CATEGORY_UPDATES",
    "CATEGORY_FORUMS",
)
_FIXED_ON_MESSAGES = frozenset({"SENT", "DRAFT", "CHAT"})
_RESERVED_NAMES = frozenset({name.lower() for name in SYSTEM_LABELS} | {"drafts", "all mail", "muted", "chats"})
_LONGEST_NAME = 225
_LARGEST_CHANGE = 100


class LabelStore:
    """All labels of a mailbox by id."""

    def __init__(self) -> None:
        self._labels = {name: Label(name, name, system=True) for name in SYSTEM_LABELS}
        self.version = 0
        """Counts the changes."""
        self._numbers = itertools.count(1)

    def all(self) -> list[Label]:
        """Return every label, Gmail's own first."""
        return list(self._labels.values())

    def by_search_name(self, name: str) -> Label | None:
        """Return the label that a search means: blanks and slashes may be written as hyphens."""
        wanted = _search_key(name)
        return next((label for label in self._labels.values() if _search_key(label.name) == wanted), None)

    def create(self, name: str) -> Label:
        """Add a label of the user's own. Raises GoogleError 400 for a bad name, 409 for one that is there."""
        label = Label(f"Label_{next(self._numbers)}", self._free_name(name, ""), system=False)
        self._keep(label)
        return label

    def rename(self, label: Label, name: str) -> None:
        """Give one of the user's labels another name. Raises GoogleError 400 and 409."""
        self._keep(replace(label, name=self._free_name(name, label.id)))

    def delete(self, label: Label) -> None:
        """Delete one of the user's labels; those nested under its name stay."""
        del self._labels[label.id]
        self.version += 1

    def check_change(self, add: Collection[str], remove: Collection[str]) -> None:
        """Raise GoogleError 400 unless messages may get and lose these labels."""
        if not add and not remove:
            raise invalid_argument("No label add or removes specified")
        if max(len(add), len(remove)) > _LARGEST_CHANGE:
            raise invalid_argument("Too many labels")
        if not set(add).isdisjoint(remove):
            raise invalid_argument("Cannot both add and remove the same label")
        for label_id in (*add, *remove):
            if label_id not in self._labels or label_id in _FIXED_ON_MESSAGES:
                raise invalid_argument(f"Invalid label: {label_id}")

    def _keep(self, label: Label) -> None:
        self._labels[label.id] = label
        self.version += 1

    def _free_name(self, name: str, own_id: str) -> str:
        levels = name.split("/")
        if len(name) > _LONGEST_NAME or any(not level.strip() or level != level.strip() for level in levels):
            raise invalid_argument("Invalid label name")
        if name.lower() in _RESERVED_NAMES:
            raise invalid_argument("Invalid label name")
        if any(label.name.lower() == name.lower() and label.id != own_id for label in self._labels.values()):
            raise GoogleError(409, "aborted", "Label name exists or conflicts")
        return name


def _search_key(name: str) -> str:
    return re.sub(r"[\s/]", "-", name.lower())
