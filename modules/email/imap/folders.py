"""Which folder serves what: by the server's own marks (RFC 6154), or else by the names that are usual.

A folder is named here as a command spells it: in modified UTF-7 (RFC 3501, 5.1.3), quoted where that is needed.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from enum import StrEnum

from modules.email.imap.syntax import FolderName, quoted


class Role(StrEnum):
    """What a folder is for."""

    SENT = "\\sent"
    DRAFTS = "\\drafts"
    ARCHIVE = "\\archive"
    ALL = "\\all"
    TRASH = "\\trash"
    JUNK = "\\junk"


_NAMES: dict[Role, tuple[str, ...]] = {
    Role.SENT: ("Sent", "Sent Items", "Sent Messages", "INBOX.Sent", "INBOX/Sent"),
    Role.DRAFTS: ("Drafts", "Draft", "INBOX.Drafts", "INBOX/Drafts"),
    Role.ARCHIVE: ("Archive", "Archives", "Archiv", "INBOX.Archive", "INBOX/Archive"),
    Role.ALL: (),
    Role.TRASH: (
        *("Trash", "Deleted Items", "Deleted Messages", "Bin", "INBOX.Trash", "INBOX/Trash"),
        *("Papierkorb", "Corbeille", "Papelera"),
    ),
    Role.JUNK: (
        *("Junk", "Spam", "Junk E-mail", "Junk Email", "Bulk Mail", "INBOX.Junk", "INBOX.Spam", "INBOX/Junk"),
        "Spamverdacht",
    ),
}
NEW_NAMES = {
    Role.SENT: "Sent",
    Role.DRAFTS: "Drafts",
    Role.ARCHIVE: "Archive",
    Role.TRASH: "Trash",
    Role.JUNK: "Junk",
}
"""What a folder is called that has to be made."""
_ATOM = re.compile(r"[A-Za-z0-9!#$&'+,./:;<=>?@^_`|~\[\]-]+")
_SHIFTED = re.compile(r"&([^-]*)-")
_BEYOND_ASCII = re.compile(r"[^ -~]+")


def folder_of(role: Role, folders: Sequence[FolderName], named: str = "") -> str:
    """The folder for a role, empty where there is none; `named` is what the owner says it is called."""
    if named:
        return spelt(named)
    marked = [folder.name for folder in folders if role in folder.attributes]
    known = {folder.name.strip('"'): folder.name for folder in folders}
    return next(iter([*marked, *(known[name] for name in _NAMES[role] if name in known)]), "")


def is_called_for(role: Role, name: str) -> bool:
    """Whether a folder of this name is usually one for this role."""
    return name.strip().casefold() in {one.casefold() for one in _NAMES[role]}


def spelt(name: str) -> str:
    """A folder's name as a command takes it."""
    encoded = _BEYOND_ASCII.sub(_shifted, name.replace("&", "&-"))
    return encoded if _ATOM.fullmatch(encoded) else quoted(encoded.encode("ascii")).decode("ascii")


def shown(name: str) -> str:
    """A folder's name as people read it."""
    plain = re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name
    return _SHIFTED.sub(_unshifted, plain)


def _unshifted(match: re.Match[str]) -> str:
    letters = match[1].replace(",", "/")
    try:
        return b64decode(letters + "=" * (-len(letters) % 4)).decode("utf-16-be") if letters else "&"
    except ValueError:
        return match[0]


def _shifted(match: re.Match[str]) -> str:
    encoded = b64encode(match[0].encode("utf-16-be")).decode("ascii").rstrip("=")
    return f"&{encoded.replace('/', ',')}-"
