"""From an answer to a text that can be sent: what the sources say, without what is only meant for the owner."""

import re

from butler.agents.tailor.wording import WORDINGS
from butler.contract.agents import TailorOutput

_MARKS = re.compile(r"[ \t]?\[\d{1,3}\]")
_FOR_THE_OWNER = frozenset(one.beginning for one in WORDINGS.values())
"""What the tailor says of itself. Whoever gets a message did not ask it."""
_NO_ANSWER = tuple(one.shown for one in WORDINGS.values())
"""What is only shown does not say what the message is to say."""


def draft_of(output: TailorOutput) -> str:
    """The text of an answer without the numbers of its sources; empty where it cites none or only shows what was found.

    Every citation was compared with its source before; which sources those are is shown where the draft waits.
    """
    if not output.citations or output.content.partition("\n")[0].endswith(_NO_ANSWER):
        return ""
    lines = [line for line in output.content.splitlines() if line.strip() not in _FOR_THE_OWNER]
    return _MARKS.sub("", "\n".join(lines)).strip()
