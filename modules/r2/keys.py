"""How objects are called: a name that is no path out of anywhere, and looks the same wherever it is shown."""

import re
import unicodedata

LONGEST_KEY = 500
_NOT_ALLOWED = re.compile(r"[\x00-\x1f\x7f-\x9f\\?#%*<>|\"'`{}^~\[\]]+")


def safe_key(text: str) -> str:
    """A name or path as a key, without what is invisible or leads elsewhere; empty where nothing is left."""
    whole = unicodedata.normalize("NFC", text)
    visible = "".join(letter for letter in whole if unicodedata.category(letter) not in {"Cf", "Co", "Cs"})
    parts = (_NOT_ALLOWED.sub("-", part).strip() for part in visible.replace("\\", "/").split("/"))
    return "/".join(part for part in parts if part.strip("."))[:LONGEST_KEY].rstrip("/ ")


def name_of(key: str) -> str:
    """What a file is called that is stored under a key."""
    return safe_key(key).rpartition("/")[2] or "file"
