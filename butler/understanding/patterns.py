"""Makes patterns of words."""

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words or phrases, the longer ones first, with either kind of apostrophe."""
    longest_first = sorted(set(words), key=lambda one: (-len(one), one))
    return "|".join(re.escape(one).replace("'", "['’]") for one in longest_first)
