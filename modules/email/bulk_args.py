"""Arguments of the tools that act on the owner's mails: one mail, or all that match."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from butler.contract.bulk_tool import BulkArgs
from butler.contract.speech import phrase
from butler.contract.tools import ArgRole, ToolMetadata
from modules.email.args import Before, Line, Since, Subject, Words
from modules.email.bulk_actions import MailAction

MOST_NAMED = 1_000


def _bare(sender: str) -> str:
    """Return a contact's address as mailboxes search for it."""
    return sender.removeprefix("mail:")


Senders = tuple[Annotated[Line, AfterValidator(_bare)], ...]


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

    They are from one of `senders` and none of `keep`, are none of `keep_mails`, have all `words`, bear `label`, came on
    or after `since` and before `before`, are `unread` or not, have an `attachment` or none, are larger than
    `larger_kb`, and lie in the `inbox`, where that is said.
    """

    mails: tuple[Line, ...] = Field(
        default=(),
        max_length=MOST_NAMED,
        description="Mails that were shown or found, instead of criteria.",
        examples=[[{"handle": "mail-3"}]],
    )
    senders: Senders = Field(
        default=(),
        max_length=50,
        description="Names, addresses or domains; it is from any of them.",
        examples=[["news@shop.example"]],
    )
    keep: Senders = Field(
        default=(),
        max_length=50,
        description="Exceptions: names, addresses or domains of senders.",
        examples=[[{"contact": "c1"}]],
    )
    keep_mails: tuple[Line, ...] = Field(
        default=(),
        max_length=MOST_NAMED,
        description="Exceptions: mails that were shown or found.",
        examples=[[{"handle": "mail-3"}]],
    )
    words: Words = ""
    subject: Subject = ""
    list_id: Line = Field(default="", description="Its mailing list, as in List-Id.", examples=["news.shop.example"])
    label: Line = Field(default="", description="Label that it bears, or folder it is in.", examples=["Receipts"])
    category: Category | None = Field(
        default=None, description="Tab of Gmail's inbox; promotions: newsletters anywhere.", examples=["promotions"]
    )
    since: Since = None
    before: Before = None
    unread: bool | None = Field(
        default=None, description="Only unread ones (true) or only read ones (false).", examples=[True]
    )
    attachment: bool | None = Field(
        default=None, description="Only with a file (true) or only without (false).", examples=[True]
    )
    larger_kb: int = Field(default=0, ge=0, le=1_000_000, description="Only larger than this, in kB.", examples=[5_000])
    inbox: bool = Field(default=False, description="Only what lies in the inbox.", examples=[True])

    @model_validator(mode="after")
    def _says_which(self) -> "MailSelection":
        said = self.model_dump(exclude_defaults=True, exclude={"account", "snapshot", "repeat", "name", "to"}).keys()
        if not said - {"inbox", "keep", "keep_mails"}:
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

    name: Line = Field(
        min_length=1,
        pattern=r"\S",
        description="Label that is put on or taken off; slashes nest.",
        examples=["Receipts/2026"],
    )


class MoveSelection(MailSelection):
    """The same, and where they go: a folder, or a label where the mailbox has those. They leave the inbox."""

    to: Line = Field(
        min_length=1,
        pattern=r"\S",
        description="Folder or label they go to; a new one is made, slashes nest.",
        examples=["Projects/Boiler"],
    )


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
