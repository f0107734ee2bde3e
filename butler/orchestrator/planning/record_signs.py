"""The signs by which the owner tells a record of something done from the words of a model, which never hold one."""

import re

_RECORD_SIGNS = re.compile("[✅☑✔✓❌✗✘➖📝⏰⏱⏳⛔🚫✋⏸🔒🔑✉📎📬📭📮📅🗓🗑🔕🔁]\ufe0f?")


def without_record_signs(text: str) -> str:
    """Return a model's words without such signs."""
    return _RECORD_SIGNS.sub("", text)
