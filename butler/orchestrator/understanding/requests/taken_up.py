"""Joins an order in two halves: `take everything I have on Friday and move it to Monday` only moves."""

import re
from collections.abc import Sequence

from butler.orchestrator.understanding.requests.parting import Read
from butler.orchestrator.understanding.requests.request_words import group
from butler.understanding.reader import Request

TAKE = re.compile(
    rf"^\W*(?:{group('before_takes')}\W+)*{group('takes')}\s+(?P<what>.+?)[\s,;]*$",
    re.IGNORECASE | re.DOTALL,
)
JOIN = re.compile(rf"^\W*(?:{group('and')}|&)\s+(?:{group('then_of_taken')}\s+)?", re.IGNORECASE)


def as_one(parts: Sequence[Request], read: Read, context: Sequence[str]) -> Sequence[Request]:
    """Return the requests; if one only picks what the next acts upon, read both anew as one order.

    Args:
        parts: The requests of a message.
        read: Reads words.
        context: The flags of what was shown or asked before the message.
    """
    if len(parts) != 2:  # noqa: PLR2004 - what is taken, and what is done with it
        return parts
    first, later = parts
    taken = TAKE.match(first.text)
    pronoun = next((one for one in later.slots if one.slot == "ref" and " " not in one.text.strip()), None)
    if taken is None or pronoun is None:
        return parts
    order = f"{later.text[: pronoun.start].rstrip('-')} {taken['what']} {later.text[pronoun.end :]}"
    one = read(" ".join(JOIN.sub("", order).split()), context)
    return one if len(one) == 1 and one[0].intent == later.intent else parts
