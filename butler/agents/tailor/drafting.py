"""Turns an answer into a text to send: the sources' statements, without remarks for the owner."""

import re

from butler.agents.tailor.port import TailorOutput
from butler.agents.tailor.wording import WORDINGS

_MARKS = re.compile(r"[ \t]?\[\d{1,3}\]")
_FOR_THE_OWNER = frozenset(one.beginning for one in WORDINGS.values())
"""The tailor's own remarks, which the recipient of a message did not ask for."""
_NO_ANSWER = tuple(one.shown for one in WORDINGS.values())
"""The remarks before passages that do not say what the message is to say."""


def draft_of(output: TailorOutput) -> str:
    """Return the answer's text without source numbers; empty if it cites nothing or only shows what was found.

    Every citation was compared with its source before; the waiting draft shows the sources.
    """
    if not output.citations or output.content.partition("\n")[0].endswith(_NO_ANSWER):
        return ""
    lines = [line for line in output.content.splitlines() if line.strip() not in _FOR_THE_OWNER]
    return _MARKS.sub("", "\n".join(lines)).strip()
