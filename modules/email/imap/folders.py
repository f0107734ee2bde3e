"""Finds the folder for a role: by the server's own marks (RFC 6154), or else by its usual names.

Folder names are spelt as in a command: in modified UTF-7 (RFC 3501, 5.1.3), quoted where needed.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from enum import StrEnum

from modules.email.imap.syntax import FolderName, quoted


class Role(StrEnum):
    """The purpose of a folder."""

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
"""The names of folders that have to be created."""
_ATOM = re.compile(r"[A-Za-z0-9!#$&'+,./:;<=>?@^_`|~\[\]-]+")
_SHIFTED = re.compile(r"&([^-]*)-")
_BEYOND_ASCII = re.compile(r"[^ -~]+")


def folder_of(role: Role, folders: Sequence[FolderName], named: str = "") -> str:
    """Return the folder for a role, or an empty text; `named` is the owner's own name for it."""
    if named:
        return spelt(named)
    marked = [folder.name for folder in folders if role in folder.attributes]
    known = {folder.name.strip('"'): folder.name for folder in folders}
    return next(iter([*marked, *(known[name] for name in _NAMES[role] if name in known)]), "")


def is_called_for(role: Role, name: str) -> bool:
    """Return whether a folder of this name usually has this role."""
    return name.strip().casefold() in {one.casefold() for one in _NAMES[role]}


def spelt(name: str) -> str:
    """Return a folder's name as spelt in a command."""
    encoded = _BEYOND_ASCII.sub(_shifted, name.replace("&", "&-"))
    return encoded if _ATOM.fullmatch(encoded) else quoted(encoded.encode("ascii")).decode("ascii")


def shown(name: str) -> str:
    """Return a folder's name as people read it."""
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
