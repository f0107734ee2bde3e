"""The meaning of each bulk action on a mail server, a flag or another folder, and its wording."""

import re
from dataclasses import dataclass, replace
from typing import Any

from butler.contract.bulk import BulkWords
from butler.contract.speech import phrase, say
from modules.email.bulk_actions import MailAction, words_of, words_of_putting_back
from modules.email.imap.folders import Role, shown, spelt

LONGEST_KEYWORD = 50
SEEN, FLAGGED = "\\Seen", "\\Flagged"
FLAGS = {
    MailAction.MARK_READ: (SEEN, True),
    MailAction.MARK_UNREAD: (SEEN, False),
    MailAction.STAR: (FLAGGED, True),
    MailAction.UNSTAR: (FLAGGED, False),
}
INVERSE = {
    MailAction.MARK_READ: MailAction.MARK_UNREAD,
    MailAction.MARK_UNREAD: MailAction.MARK_READ,
    MailAction.STAR: MailAction.UNSTAR,
    MailAction.UNSTAR: MailAction.STAR,
    MailAction.LABEL: MailAction.UNLABEL,
    MailAction.UNLABEL: MailAction.LABEL,
}
"""Inverse actions for flags; undoing a move returns each mail to its own folder."""


@dataclass(frozen=True, slots=True)
class FolderMove:
    """A move between folders. A `source` of None is any folder; a `target` of None is the inbox or a named folder."""

    source: Role | None
    target: Role | None


WAYS = {
    MailAction.ARCHIVE: FolderMove(None, Role.ARCHIVE),
    MailAction.UNARCHIVE: FolderMove(Role.ARCHIVE, None),
    MailAction.TRASH: FolderMove(None, Role.TRASH),
    MailAction.UNTRASH: FolderMove(Role.TRASH, None),
    MailAction.SPAM: FolderMove(None, Role.JUNK),
    MailAction.UNSPAM: FolderMove(Role.JUNK, None),
    MailAction.MOVE: FolderMove(None, None),
}
_NO_ATOM = re.compile(r"[\x00-\x20\x7f(){%*\"\\\]]")
_STAY = {
    MailAction.ARCHIVE: phrase("They stay in the folder {folder}, and can be found."),
    MailAction.TRASH: phrase("They stay in the folder {folder} for as long as your mail server keeps what lies there."),
    MailAction.SPAM: phrase("They lie in the folder {folder}, which your mail server may empty after a while."),
    MailAction.MOVE: phrase("They lie in the folder {folder} then."),
    MailAction.UNARCHIVE: phrase("They are those in the folder {folder}."),
    MailAction.UNTRASH: phrase("They go into the inbox."),
}
_LABEL_STAYS = phrase("They stay where they are; your mail server keeps the label as the keyword {keyword}.")
_NEWSLETTERS = phrase(
    "Newsletters are taken to be the mails that say how to unsubscribe, or which list they came over."
)


def keyword_of(name: str) -> str:
    """Return a label's name as a keyword: lower case without blanks, as Thunderbird writes its own."""
    return spelt(_NO_ATOM.sub("_", name.strip().lower())).strip('"')


_WITHIN_WORDS = phrase("Your mail server finds words within longer ones, too.")


def words_on_server(action: MailAction, params: dict[str, Any], said: dict[str, Any]) -> BulkWords:
    """Return the wording of a prepared action; `said` holds the criteria for the mails."""
    if params.get("back"):
        return words_of_putting_back()
    words = words_of(action)
    stays = _LABEL_STAYS if action is MailAction.LABEL else _STAY.get(action, "")
    about = str(params.get("from", "") if action is MailAction.UNARCHIVE else params.get("to", ""))
    lines = [say(stays, folder=shown(about), keyword=str(params.get("flag", "")))] if stays else []
    lines += [say(_NEWSLETTERS)] if said.get("newsletter") else []
    lines += [say(_WITHIN_WORDS)] if said.get("words") else []
    return replace(words, stays=" ".join(lines))
