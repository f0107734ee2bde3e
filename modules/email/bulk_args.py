"""Arguments of the tools that act on the owner's mails: one mail, or all that match."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from butler.contract.bulk_tool import BulkArgs
from butler.contract.speech import phrase
from butler.contract.tools import ArgRole, ToolMetadata
from modules.email.args import Line
from modules.email.bulk_actions import MailAction

MOST_NAMED = 1_000


class Category(StrEnum):
    """A tab of Gmail's inbox."""

    PROMOTIONS = "promotions"
    UPDATES = "updates"
    SOCIAL = "social"
    FORUMS = "forums"


TABS = {
    Category.PROMOTIONS: phrase("Promotions"),
    Category.UPDATES: phrase("Updates"),
    Category.SOCIAL: phrase("Social"),
    Category.FORUMS: phrase("Forums"),
}
"""As Gmail calls them."""


class MailSelection(BulkArgs):
    """Mails by their ids (`mails`), or all that hold what is said of them.

    They are from one of `senders` and none of `keep`, have all `words`, bear `label`, came on or after `since` and
    before `before`, are `unread` or not, have an `attachment` or none, are larger than `larger_kb`, and lie in the
    `inbox`, where that is said.
    """

    mails: Annotated[tuple[Line, ...], Field(max_length=MOST_NAMED)] = ()
    senders: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    keep: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    words: Line = ""
    subject: Line = ""
    list_id: Line = ""
    label: Line = ""
    category: Category | None = None
    since: date | None = None
    before: date | None = None
    unread: bool | None = None
    attachment: bool | None = None
    larger_kb: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    inbox: bool = False

    @model_validator(mode="after")
    def _says_which(self) -> "MailSelection":
        said = self.model_dump(exclude_defaults=True, exclude={"account", "snapshot", "repeat", "name", "to"}).keys()
        if not said - {"inbox", "keep"}:
            raise ValueError("say which mails: whose, with which words, how old, or which one")
        if self.mails and said != {"mails"}:
            raise ValueError("mails are named, or found by what is said of them, but not both at once")
        searched = (*self.senders, *self.keep, *filter(None, (self.words, self.subject, self.list_id)))
        if not all(map(_says_something, searched)) or (self.label and not self.label.replace('"', "").strip()):
            raise ValueError("a name or a word to look for needs a letter or a digit: any mail would do without one")
        return self


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


class LabelSelection(MailSelection):
    """The same, and the label that is put on or taken off. Slashes nest."""

    name: Annotated[Line, Field(min_length=1, pattern=r"\S")]


class MoveSelection(MailSelection):
    """The same, and where they go: a folder, or a label where the mailbox has those. They leave the inbox."""

    to: Annotated[Line, Field(min_length=1, pattern=r"\S")]


_TARGET = ArgRole.TARGET
_OPTION = ArgRole.OPTION
_TARGETS = ("mails", "senders", "words", "subject", "list_id", "label")

SELECTION_ROLES = ToolMetadata({name: _TARGET if name in _TARGETS else _OPTION for name in MailSelection.model_fields})
LABEL_ROLES = ToolMetadata({**SELECTION_ROLES.args, "name": _OPTION})
MOVE_ROLES = ToolMetadata({**SELECTION_ROLES.args, "to": _OPTION})


def selection_of(action: MailAction) -> type[MailSelection]:
    """Return the argument model of an action."""
    match action:
        case MailAction.LABEL | MailAction.UNLABEL:
            return LabelSelection
        case MailAction.MOVE:
            return MoveSelection
        case _:
            return MailSelection


def roles_of(action: MailAction) -> ToolMetadata:
    """Return the roles of an action's arguments."""
    match action:
        case MailAction.LABEL | MailAction.UNLABEL:
            return LABEL_ROLES
        case MailAction.MOVE:
            return MOVE_ROLES
        case _:
            return SELECTION_ROLES
