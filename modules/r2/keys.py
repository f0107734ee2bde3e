"""Keys of objects: they cannot escape a folder, and look the same wherever they are shown."""

import re
import unicodedata

LONGEST_KEY = 500
_NOT_ALLOWED = re.compile(r"[\x00-\x1f\x7f-\x9f\\?#%*<>|\"'`{}^~\[\]]+")


def safe_key(text: str) -> str:
    """Return a name or path as a key, without invisible characters or relative parts; empty if nothing is left."""
    whole = unicodedata.normalize("NFC", text)
    visible = "".join(letter for letter in whole if unicodedata.category(letter) not in {"Cf", "Co", "Cs"})
    parts = (_NOT_ALLOWED.sub("-", part).strip() for part in visible.replace("\\", "/").split("/"))
    return "/".join(part for part in parts if part.strip("."))[:LONGEST_KEY].rstrip("/ ")


def name_of(key: str) -> str:
    """Return the file name of an object."""
    return safe_key(key).rpartition("/")[2] or "file"
