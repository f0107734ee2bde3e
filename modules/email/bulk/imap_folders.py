"""Chooses the folders in which a bulk action looks for mails, and the folder to which it moves them."""

from dataclasses import dataclass

from butler.contract.speech import phrase, say
from modules.email.bulk.imap_actions import WAYS
from modules.email.bulk_actions import MailAction
from modules.email.imap.bulk_methods import AllFolders, Folder
from modules.email.imap.connection import INBOX
from modules.email.imap.folders import NEW_NAMES, Role, is_called_for, spelt

_NOT_LOOKED_INTO = frozenset({Role.TRASH, Role.JUNK, Role.DRAFTS, Role.SENT})
_ASKED_FOR = frozenset({Role.TRASH, Role.JUNK})
ASK_SO = phrase("{name} is a place of its own: ask to put mails into the trash, or to mark them as spam.")
NAMELESS = phrase("a folder needs a name")


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one account."""

    known: AllFolders

    def of(self, role: Role) -> str:
        """Return the folder with this role, or an empty text."""
        return next((one.name for one in self.known.folders if one.role == role.name.lower()), "")

    def called(self, name: str) -> str:
        """Return the folder of this name, matched whole or by its last level, or an empty text."""
        wanted = name.strip().casefold()
        delimiter = self.known.delimiter
        whole = [one.name for one in self.known.folders if one.shown.casefold() == wanted]
        parts = [one.name for one in self.known.folders if one.shown.casefold().rpartition(delimiter)[2] == wanted]
        return next(iter(whole), parts[0] if len(parts) == 1 else "")

    def target(self, action: MailAction, to: str) -> str:
        """Return the target of moved mails; a missing folder is created with the first move."""
        if action is MailAction.MOVE:
            found = self.called(to)
            if any(is_called_for(role, to) or (found and found == self.of(role)) for role in _ASKED_FOR):
                # Each of these has an action of its own, with its own limit.
                raise ValueError(say(ASK_SO, name=to))
            return found or self._new(to)
        role = WAYS[action].target
        if role is None:
            return INBOX
        everything = self.of(Role.ALL) if role is Role.ARCHIVE else ""
        return self.of(role) or everything or self._new(NEW_NAMES[role])

    def searched_folders(self, action: MailAction, *, label: str, inbox: bool, target: str) -> tuple[str, ...]:
        """Return the folders to search, the inbox first; only `label`'s folder if the label is one."""
        source = WAYS[action].source if action in WAYS else None
        if source is not None:
            found = [self.of(source)]
        elif action is MailAction.ARCHIVE:
            found = [INBOX]
        else:
            found = self._where_mail_lies(moves=action in WAYS)
        if label and (folder := self.called(label)):
            named_one = source is None and action is not MailAction.ARCHIVE
            found = [folder] if named_one else [one for one in found if one == folder]
        return tuple(name for name in found if name and name != target and (not inbox or name == INBOX))

    def _where_mail_lies(self, *, moves: bool) -> list[str]:
        everything = self.of(Role.ALL)
        if everything and not moves:
            # This folder holds each mail once; other folders repeat them.
            return [everything]
        left_out = {role.name.lower() for role in (*_NOT_LOOKED_INTO, Role.ALL)}
        folders = [one for one in self.known.folders if one.role not in left_out]
        return [one.name for one in sorted(folders, key=_order)]

    def _new(self, name: str) -> str:
        """Return the name of a folder to create, with slashes as levels."""
        delimiter = self.known.delimiter
        levels = [part for part in (level.strip() for level in name.split("/")) if part]
        if not levels:
            raise ValueError(say(NAMELESS))
        plain = delimiter.join(level.replace(delimiter, "-") for level in levels)
        return spelt(self.known.prefix + plain)


def _order(folder: Folder) -> tuple[bool, bool, str]:
    return folder.name != INBOX, folder.role != Role.ARCHIVE.name.lower(), folder.shown.casefold()
