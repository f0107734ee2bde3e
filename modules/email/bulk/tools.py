"""The tools that act on one or many of the owner's mails; each lists them before its card is shown."""

from collections.abc import Callable, Mapping
from functools import partial

from butler.contract.bulk import BulkLauncher, BulkOrder
from butler.contract.bulk_tool import bulk_preview, bulk_tool
from butler.contract.speech import say, say_date, say_many, say_number
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec
from modules.email.bulk_actions import MailAction, words_of
from modules.email.bulk_args import TABS, LabelSelection, MailSelection, MoveSelection, roles_of, selection_of

PREFIX = "user_email_"
_DESCRIBED = {
    MailAction.ARCHIVE: "Archive mails of the person's: take them out of the inbox.",
    MailAction.UNARCHIVE: "Put archived mails of the person's back into the inbox.",
    MailAction.LABEL: "Put a label on mails of the person's; one that is not there is made.",
    MailAction.UNLABEL: "Take a label off mails of the person's.",
    MailAction.MARK_READ: "Mark mails of the person's as read.",
    MailAction.MARK_UNREAD: "Mark mails of the person's as unread.",
    MailAction.STAR: "Star mails of the person's.",
    MailAction.UNSTAR: "Take the star off mails of the person's.",
    MailAction.TRASH: "Put mails of the person's into the trash.",
    MailAction.UNTRASH: "Take mails of the person's out of the trash.",
    MailAction.SPAM: "Mark mails of the person's as spam: they go to the spam folder.",
    MailAction.UNSPAM: "Take mails of the person's out of spam, into the inbox.",
    MailAction.MOVE: "Move mails of the person's to a folder or label: they leave the inbox.",
}


class MailBulk:
    """Turns tool calls into orders for the bulk launcher."""

    def __init__(self, launcher: BulkLauncher, adapters: Mapping[str, str]) -> None:
        """`adapters` holds the registry keys by account, the default account first."""
        self._launcher, self._adapters = launcher, adapters

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return all bulk tools; none if no account supports them."""
        return tuple(self._spec(action) for action in MailAction) if self._adapters else ()

    def _spec(self, action: MailAction) -> ToolSpec:
        return bulk_tool(
            PREFIX + action,
            _DESCRIBED[action],
            selection_of(action),
            self._launcher,
            partial(self._order, action),
            _previewing(action),
            accounts=tuple(self._adapters),
        )

    def _order(self, action: MailAction, call: ToolCall) -> BulkOrder:
        args: MailSelection = call.args
        account = call.account or next(iter(self._adapters))
        data = args.model_dump(mode="json", exclude_defaults=True, exclude={"snapshot"})
        return BulkOrder(self._adapters[account], account, {**data, "account": account, "action": action.value})


def roles() -> Mapping[str, ToolMetadata]:
    """Return the roles of each tool's arguments."""
    return {PREFIX + action: roles_of(action) for action in MailAction}


def _previewing(action: MailAction) -> Callable[[MailSelection], Preview]:
    def preview(args: MailSelection) -> Preview:
        return bulk_preview(words_of(action), args, _criteria_facts(args))

    return preview


def _criteria_facts(args: MailSelection) -> tuple[tuple[str, str], ...]:
    """Return the order's criteria as a card lists them."""
    return (
        (say("Label"), args.name if isinstance(args, LabelSelection) else ""),
        (say("Where to"), args.to if isinstance(args, MoveSelection) else ""),
        (say("From"), ", ".join(args.senders)),
        (say("But not from"), ", ".join(args.keep)),
        (say("But not"), _spared(args)),
        (say("Words"), args.words),
        (say("Subject has"), args.subject),
        (say("List"), args.list_id),
        (say("With the label"), args.label),
        (say("Tab"), say(TABS[args.category]) if args.category else ""),
        (say("Since"), say_date(args.since) if args.since else ""),
        (say("Before"), say_date(args.before) if args.before else ""),
        (say("Only"), ", ".join(_only(args))),
        (say("Where"), say("in the inbox") if args.inbox else ""),
    )


def _spared(args: MailSelection) -> str:
    """Return how many mails are left out; the card's list shows the others."""
    count = len(args.keep_mails)
    return say_many(count, "one mail that was named", "{count} mails that were named") if count else ""


def _only(args: MailSelection) -> list[str]:
    only: list[str] = []
    if args.unread is not None:
        only.append(say("unread ones") if args.unread else say("read ones"))
    if args.attachment is not None:
        only.append(say("with an attachment") if args.attachment else say("without an attachment"))
    if args.larger_kb:
        only.append(say("larger than {size} kB", size=say_number(args.larger_kb)))
    return only
