"""Makes file names from senders safe to show and to store, and keeps them recognisable."""

import re
import unicodedata

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_BETWEEN_FOLDERS = re.compile(r"[\\/]+")
_NOT_IN_NAMES = re.compile(r"[<>:\"|?*]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(\.|$)", re.IGNORECASE)
_LONGEST_NAME = 160  # characters
_LONGEST_BYTES = 240
_LONGEST_EXTENSION = 16


def harmless_name(name: str) -> str:
    """Return a name without folders, invisible and direction characters; it is no system's device name.

    Empty if nothing of it is left.
    """
    shown = "".join(" " if char.isspace() else char for char in name if char.isspace() or _can_be_seen(char))
    shown = " ".join(shown.split())
    folders = [folder for folder in _BETWEEN_FOLDERS.split(shown) if folder.strip(" .")]
    if folders:
        # A name with a disk's path means the file; a slash elsewhere is part of the name.
        shown = folders[-1] if _DRIVE.match(shown) or shown.startswith("/") else "_".join(folders)
    shown = _NOT_IN_NAMES.sub("_", shown).lstrip(". ").rstrip(". \\/")
    if _RESERVED.match(shown) or shown.startswith(("-", "~")):
        shown = f"_{shown}"
    return _shortened(shown)


def _can_be_seen(char: str) -> bool:
    return (char.isascii() and char.isprintable()) or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}


def _shortened(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension) > _LONGEST_EXTENSION:
        stem, dot, extension = name, "", ""
    end = dot + extension
    stem = stem[: _LONGEST_NAME - len(end)]
    while len((stem + end).encode()) > _LONGEST_BYTES:
        stem = stem[:-1]
    return stem + end
